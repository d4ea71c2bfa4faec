/* "Did you mean ...?" */
#include "cli.h"

#include <string.h>

#include "gen/nearest.h"

const char *rcs_nearest(const char *word, const char *(*name)(const void *user, size_t index), const void *user)
{
    const char *best = NULL;
    size_t size = strlen(word);
    size_t best_distance = size / 3 + 1; /* one more than what is near enough */
    const char *candidate;

    if (size == 0 || size > RCS_EDITS_MAX) {
        return NULL;
    }
    best_distance += size < 3;
    for (size_t i = 0; (candidate = name(user, i)) != NULL; i++) {
        size_t candidate_size = strlen(candidate);
        size_t apart;

        if (candidate_size > RCS_EDITS_MAX) {
            continue;
        }
        apart = rcs_edits(word, size, candidate, candidate_size, false);
        if (apart < best_distance && apart < candidate_size) {
            best = candidate;
            best_distance = apart;
        }
    }
    return best;
}
