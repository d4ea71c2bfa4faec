/* How far apart two words are, for "did you mean". */
#ifndef RCS_NEAREST_H
#define RCS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#define RCS_EDITS_MAX 40u

/*
 * The fewest edits that make one word of the other: insertions, deletions, exchanges, and neighbours swapped (restricted
 * Damerau-Levenshtein). Both have RCS_EDITS_MAX bytes at most. `fold`: to exchange a letter for its other case is none.
 */
size_t rcs_edits(const char *left, size_t left_size, const char *right, size_t right_size, bool fold);

#endif
