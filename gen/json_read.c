#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/json_read.h"

#define DEPTH_MAX 512

struct reader {
    struct rcs_arena *arena;
    const char *at;
    const char *end;
    int depth;
    bool scalar_found; /* what the pointer found is neither object nor array */
};

static bool value(struct reader *in, const char *pointer, struct recourse_span *found);

static void blanks(struct reader *in)
{
    while (in->at < in->end && memchr(" \t\r\n", *in->at, 4) != NULL) {
        in->at++;
    }
}

static bool eat(struct reader *in, char c)
{
    blanks(in);
    if (in->at < in->end && *in->at == c) {
        in->at++;
        return true;
    }
    return false;
}

static unsigned hex4(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], '\0'};

    return (unsigned)strtoul(digits, NULL, 16);
}

static size_t put_utf8(unsigned c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* `\uXXXX` at in->at (behind the u), with the other half of a pair if it follows; a lone half is U+FFFD. */
static bool unicode_escape(struct reader *in, unsigned *out)
{
    for (int i = 0; i < 4; i++) {
        if (in->at + i >= in->end || !isxdigit((unsigned char)in->at[i])) {
            return false;
        }
    }
    *out = hex4(in->at);
    in->at += 4;
    if (*out < 0xd800 || *out > 0xdfff) {
        return true;
    }
    if (*out < 0xdc00 && in->end - in->at >= 6 && in->at[0] == '\\' && in->at[1] == 'u') {
        unsigned low = hex4(in->at + 2);

        if (low >= 0xdc00 && low <= 0xdfff) {
            *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
            in->at += 6;
            return true;
        }
    }
    *out = 0xfffd;
    return true;
}

static bool escape(struct reader *in, char *out, size_t *size)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char *simple;
    unsigned c;

    if (in->at == in->end) {
        return false;
    }
    if (*in->at == 'u') {
        in->at++;
        if (!unicode_escape(in, &c)) {
            return false;
        }
        *size += put_utf8(c, out + *size);
        return true;
    }
    simple = memchr(from, *in->at, sizeof from - 1);
    if (simple == NULL) {
        return false;
    }
    out[(*size)++] = to[simple - from];
    in->at++;
    return true;
}

/* How many bytes there are before the quote that ends a string. */
static size_t raw_length(const struct reader *in)
{
    const char *at = in->at;

    while (at < in->end && *at != '"') {
        at += *at == '\\' && in->end - at > 1 ? 2 : 1;
    }
    return (size_t)(at - in->at);
}

static bool string(struct reader *in, struct recourse_span *text)
{
    char *out;
    size_t size = 0;

    if (!eat(in, '"')) {
        return false;
    }
    out = rcs_arena_alloc(in->arena, raw_length(in) + 4);
    while (in->at < in->end && *in->at != '"') {
        if ((unsigned char)*in->at < 0x20) {
            return false;
        }
        if (*in->at != '\\') {
            out[size++] = *in->at++;
            continue;
        }
        in->at++;
        if (!escape(in, out, &size)) {
            return false;
        }
    }
    *text = (struct recourse_span){out, size};
    return in->at < in->end && *in->at++ == '"';
}

/* What is left of the pointer behind its first token, if that token is `name`; NULL otherwise. */
static const char *step(const char *pointer, struct recourse_span name)
{
    size_t i = 0;

    if (pointer == NULL || *pointer != '/') {
        return NULL;
    }
    for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++, i++) {
        char c = *pointer;

        if (c == '~' && (pointer[1] == '0' || pointer[1] == '1')) {
            c = *++pointer == '0' ? '~' : '/';
        }
        if (i >= name.size || name.data[i] != c) {
            return NULL;
        }
    }
    return i == name.size ? pointer : NULL;
}

static bool object(struct reader *in, const char *pointer, struct recourse_span *found)
{
    struct recourse_span key;

    if (eat(in, '}')) {
        return true;
    }
    do {
        struct recourse_span inner = {NULL, 0};
        const char *rest;

        blanks(in);
        if (!string(in, &key) || !eat(in, ':')) {
            return false;
        }
        rest = step(pointer, key);
        if (!value(in, rest, &inner)) {
            return false;
        }
        if (rest != NULL) {
            *found = inner; /* of duplicate keys the last counts, even where it has nothing there */
        }
    } while (eat(in, ','));
    return eat(in, '}');
}

static bool array(struct reader *in, const char *pointer, struct recourse_span *found)
{
    char index[24];

    if (eat(in, ']')) {
        return true;
    }
    for (unsigned long i = 0;; i++) {
        int length = snprintf(index, sizeof index, "%lu", i);

        if (!value(in, step(pointer, (struct recourse_span){index, (size_t)length}), found)) {
            return false;
        }
        if (!eat(in, ',')) {
            return eat(in, ']');
        }
    }
}

/* [-] digits [. digits] [e [+-] digits], no leading zeros. */
static bool number(struct reader *in)
{
    const char *from;

    in->at += in->at < in->end && *in->at == '-';
    from = in->at;
    while (in->at < in->end && isdigit((unsigned char)*in->at)) {
        in->at++;
    }
    if (in->at == from || (*from == '0' && in->at - from > 1)) {
        return false;
    }
    if (in->at < in->end && *in->at == '.') {
        from = ++in->at;
        while (in->at < in->end && isdigit((unsigned char)*in->at)) {
            in->at++;
        }
        if (in->at == from) {
            return false;
        }
    }
    if (in->at < in->end && (*in->at == 'e' || *in->at == 'E')) {
        in->at++;
        in->at += in->at < in->end && (*in->at == '+' || *in->at == '-');
        from = in->at;
        while (in->at < in->end && isdigit((unsigned char)*in->at)) {
            in->at++;
        }
        return in->at != from;
    }
    return true;
}

static bool scalar(struct reader *in)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);

        if ((size_t)(in->end - in->at) >= length && memcmp(in->at, words[i], length) == 0) {
            in->at += length;
            return true;
        }
    }
    return number(in);
}

/* Reads one value; sets `*found` to what the pointer finds in it ("" finds the value itself, NULL nothing). */
static bool value(struct reader *in, const char *pointer, struct recourse_span *found)
{
    const char *from;
    struct recourse_span text;
    bool good;

    blanks(in);
    from = in->at;
    if (in->at == in->end || ++in->depth > DEPTH_MAX) {
        return false;
    }
    if (*from == '"') {
        good = string(in, &text);
    } else {
        good = eat(in, '{') ? object(in, pointer, found) : eat(in, '[') ? array(in, pointer, found) : scalar(in);
        text = (struct recourse_span){from, (size_t)(in->at - from)};
    }
    in->depth--;
    if (good && pointer != NULL && *pointer == '\0') {
        *found = text;
        in->scalar_found = *from != '{' && *from != '[';
    }
    return good;
}

static bool read_at(struct reader *in, struct recourse_span text, const char *pointer, struct recourse_span *found)
{
    *found = (struct recourse_span){NULL, 0};
    if (text.size == 0) {
        return false;
    }
    in->at = text.data;
    in->end = text.data + text.size;
    if (!value(in, pointer, found)) {
        return false;
    }
    blanks(in);
    return in->at == in->end && found->data != NULL;
}

bool rcs_json_read_at(struct rcs_arena *arena, struct recourse_span text, const char *pointer,
                      struct recourse_span *found)
{
    struct reader in = {.arena = arena};

    return read_at(&in, text, pointer, found);
}

bool rcs_json_read_scalar_at(struct rcs_arena *arena, struct recourse_span text, const char *pointer,
                             struct recourse_span *found)
{
    struct reader in = {.arena = arena};

    return read_at(&in, text, pointer, found) && in.scalar_found;
}
