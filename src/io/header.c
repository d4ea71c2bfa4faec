#include "src/io/header.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* The bytes of a token (RFC 9110, 5.6.2), a bit each: !#$%&'*+-. and digits; letters and ^_`|~. */
static bool is_token_byte(unsigned char c)
{
    static const uint64_t tokens[] = {0x3ff6cfa00000000u, 0x57ffffffc7fffffeu, 0, 0};

    return (tokens[c / 64] >> c % 64 & 1) != 0;
}

size_t rcs_header_token_size(const char *text)
{
    size_t size = 0;

    while (is_token_byte((unsigned char)text[size])) {
        size++;
    }
    return size;
}

size_t rcs_header_name_size(const char *line)
{
    size_t size = rcs_header_token_size(line);

    return line[size] == ':' ? size : 0;
}

bool rcs_header_is_clean(const char *line)
{
    for (; *line != '\0'; line++) {
        if (((unsigned char)*line < 0x20 && *line != '\t') || *line == 0x7f) {
            return false;
        }
    }
    return true;
}

bool rcs_header_is_framing(const char *line)
{
    static const char *const names[] = {"content-length:", "transfer-encoding:", "connection:", "expect:"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((line[0] | 0x20) == names[i][0] && strncasecmp(line, names[i], strlen(names[i])) == 0) {
            return true; /* most are told apart by their first byte */
        }
    }
    return false;
}
