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

static bool is_control(unsigned char c)
{
    return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* Eight bytes at a time, since each line of each request is looked at: where none is below 0x20 or above 0x7e, none is a
   control character. */
bool rcs_header_is_clean(const char *line)
{
    const uint64_t ones = UINT64_MAX / 0xff;
    size_t size = strlen(line);
    size_t at = 0;
    uint64_t word;

    while (at < size) {
        if (at + sizeof word <= size) {
            memcpy(&word, line + at, sizeof word);
            if ((((word - 0x20 * ones) | (word + ones) | word) & 0x80 * ones) == 0) {
                at += sizeof word;
                continue;
            }
        }
        if (is_control((unsigned char)line[at++])) {
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
