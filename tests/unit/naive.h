/* A search that is plainly right: each place of a text is looked at by itself. What the matchers are held against. */
#ifndef RCS_NAIVE_H
#define RCS_NAIVE_H

#include <string.h>

#include "gen/compile.h"

static inline char rcs_naive_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static inline bool rcs_naive_digit(const char *text, size_t size, size_t at)
{
    return at < size && text[at] >= '0' && text[at] <= '9';
}

static inline bool rcs_naive_word(const char *text, size_t size, size_t at)
{
    return at < size && (rcs_naive_digit(text, size, at) || text[at] == '_' ||
                         (rcs_naive_lower(text[at]) >= 'a' && rcs_naive_lower(text[at]) <= 'z'));
}

static inline bool rcs_naive_point(const char *text, size_t size, size_t at)
{
    return at < size && (text[at] == '.' || text[at] == ',');
}

/* Whether `pattern` stands at `at`. Places before the text have numbers past its end. */
static inline bool rcs_naive_at(const struct rcs_pattern *pattern, const char *text, size_t size, size_t at)
{
    size_t length = strlen(pattern->text);
    size_t end = at + length;

    if (end > size) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (rcs_naive_lower(text[at + i]) != pattern->text[i]) {
            return false;
        }
    }
    if (!pattern->word) {
        return true;
    }
    if (rcs_naive_word(text, size, at - 1) || rcs_naive_word(text, size, end)) {
        return false;
    }
    if (rcs_naive_digit(text, size, at) && rcs_naive_point(text, size, at - 1) && rcs_naive_digit(text, size, at - 2)) {
        return false;
    }
    return !(rcs_naive_digit(text, size, end - 1) && rcs_naive_point(text, size, end) &&
             rcs_naive_digit(text, size, end + 1));
}

static inline bool rcs_naive_find(const struct rcs_pattern *pattern, const char *text, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        if (rcs_naive_at(pattern, text, size, at)) {
            return true;
        }
    }
    return false;
}

/* A small generator of its own, so that a failure comes again. */
static inline uint32_t rcs_naive_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* A text of letters, digits, points, blanks and a byte that is no ASCII, with patterns strewn in; every second one has few
   of them, and long stretches where none begins. Returns its size. */
static inline size_t rcs_naive_text(uint64_t *seed, const struct rcs_pattern *patterns, size_t count, char *text,
                                    size_t room)
{
    static const char alphabet[] = "aAbB1429.,_ -\n\xc3" "eE";
    static const char other[] = "zZyYxX07.,_ -\n\xc3";
    bool few = rcs_naive_random(seed) % 2 == 0;
    size_t wanted = rcs_naive_random(seed) % (room - 64);
    size_t size = 0;

    while (size < wanted) {
        const char *piece = patterns[rcs_naive_random(seed) % count].text;
        size_t length = strlen(piece);

        if (rcs_naive_random(seed) % (few ? 40 : 3) == 0 && length < 64) {
            memcpy(text + size, piece, length);
            size += length - (rcs_naive_random(seed) % 4 == 0 ? 1 : 0);
        } else if (few) {
            text[size++] = other[rcs_naive_random(seed) % (sizeof other - 1)];
        } else {
            text[size++] = alphabet[rcs_naive_random(seed) % (sizeof alphabet - 1)];
        }
    }
    return size;
}

#endif
