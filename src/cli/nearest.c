/* "Did you mean ...?" */
#include "cli.h"

#include <string.h>

#define WORD_MAX 40u

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, exchanges, and neighbours swapped (restricted Damerau-Levenshtein). */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][WORD_MAX + 1];

    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t *now = rows[i % 3];
        const size_t *before = rows[(i - 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            now[j] = smaller(smaller(before[j] + 1, now[j - 1] + 1), before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = smaller(now[j], rows[(i - 2) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

const char *rcs_nearest(const char *word, const char *(*name)(const void *user, size_t index), const void *user)
{
    const char *best = NULL;
    size_t size = strlen(word);
    size_t best_distance = size / 3 + 1; /* one more than what is near enough */
    const char *candidate;

    if (size == 0 || size > WORD_MAX) {
        return NULL;
    }
    best_distance += size < 3;
    for (size_t i = 0; (candidate = name(user, i)) != NULL; i++) {
        size_t candidate_size = strlen(candidate);
        size_t apart;

        if (candidate_size > WORD_MAX) {
            continue;
        }
        apart = distance(word, size, candidate, candidate_size);
        if (apart < best_distance && apart < candidate_size) {
            best = candidate;
            best_distance = apart;
        }
    }
    return best;
}

static const char *name_in(const void *user, size_t index)
{
    const char *const *names = user;

    return names[index];
}

const char *rcs_nearest_in(const char *word, const char *const *names)
{
    return rcs_nearest(word, name_in, names);
}
