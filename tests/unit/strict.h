/* Strict checks of UTF-8 and JSON that share no line with what they are held against. */
#ifndef RCS_STRICT_H
#define RCS_STRICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the code point at `at`, 1 to 4; 0 if it is ill-formed (Unicode 15, table 3-7). */
static inline size_t rcs_strict_point(const unsigned char *at, size_t size)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte, of the second */
        size_t size;
    } rows[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t length = rows[i].size;

        if (at[0] < rows[i].first || at[0] > rows[i].last) {
            continue;
        }
        if (length > size || (length > 1 && (at[1] < rows[i].low || at[1] > rows[i].high))) {
            return 0;
        }
        for (size_t k = 2; k < length; k++) {
            if (at[k] < 0x80 || at[k] > 0xbf) {
                return 0;
            }
        }
        return length;
    }
    return 0;
}

/* The code unit of a \u escape, -1 if there is none. */
static inline long rcs_strict_unit(const char *at, const char *end)
{
    char digits[5] = {0};

    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') {
        return -1;
    }
    memcpy(digits, at + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* All functions below return where what they read ends, or NULL. Surrogates must come in pairs. */
static inline const char *rcs_strict_string(const char *at, const char *end)
{
    if (at == end || *at++ != '"') {
        return NULL;
    }
    while (at < end && *at != '"') {
        size_t size = rcs_strict_point((const unsigned char *)at, (size_t)(end - at));
        long unit = rcs_strict_unit(at, end);

        if (size == 0 || (unsigned char)*at < 0x20) {
            return NULL;
        }
        if (unit >= 0xd800 && unit <= 0xdbff) {
            long low = rcs_strict_unit(at + 6, end);

            if (low < 0xdc00 || low > 0xdfff) {
                return NULL;
            }
            size = 12;
        } else if (unit >= 0) {
            if (unit >= 0xdc00 && unit <= 0xdfff) {
                return NULL;
            }
            size = 6;
        } else if (*at == '\\') {
            if (end - at < 2 || strchr("\"\\/bfnrt", at[1]) == NULL || at[1] == '\0') {
                return NULL;
            }
            size = 2;
        }
        at += size;
    }
    return at < end ? at + 1 : NULL;
}

static inline const char *rcs_strict_word(const char *at, const char *end, const char *word)
{
    size_t size = strlen(word);

    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0 ? at + size : NULL;
}

static inline const char *rcs_strict_digits(const char *at, const char *end)
{
    const char *begin = at;

    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at > begin ? at : NULL;
}

static inline const char *rcs_strict_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    at = at < end && *at == '0' ? at + 1 : rcs_strict_digits(at, end);
    if (at != NULL && at < end && *at == '.') {
        at = rcs_strict_digits(at + 1, end);
    }
    if (at != NULL && at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        at = rcs_strict_digits(at, end);
    }
    return at;
}

/* What this project writes: no blanks between tokens. */
static inline const char *rcs_strict_value(const char *at, const char *end, unsigned depth)
{
    bool object;

    if (at == end || depth == 0) {
        return NULL;
    }
    if (*at == '"') {
        return rcs_strict_string(at, end);
    }
    if (*at != '{' && *at != '[') {
        return *at == 't' ? rcs_strict_word(at, end, "true") : rcs_strict_number(at, end);
    }
    object = *at++ == '{';
    if (at < end && *at == (object ? '}' : ']')) {
        return at + 1;
    }
    for (;;) {
        if (object) {
            at = rcs_strict_string(at, end);
            if (at == NULL || at == end || *at++ != ':') {
                return NULL;
            }
        }
        at = rcs_strict_value(at, end, depth - 1);
        if (at == NULL || at == end) {
            return NULL;
        }
        if (*at == (object ? '}' : ']')) {
            return at + 1;
        }
        if (*at++ != ',') {
            return NULL;
        }
    }
}

static inline bool rcs_strict_json(const char *text, size_t size)
{
    return size > 0 && rcs_strict_value(text, text + size, 16) == text + size;
}

#endif
