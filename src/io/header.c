#include "src/io/header.h"

#include <string.h>

static bool is_token_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

size_t rcs_header_token_size(const char *text)
{
    size_t size = 0;

    while (is_token_byte(text[size])) {
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
