/* A search for all patterns at once that does without Ragel: a policy's `match` where there is no compiled one. */
#ifndef RCS_SEARCH_H
#define RCS_SEARCH_H

#include "compile.h"

#define RCS_SEARCH_STATES_MAX 32768u

struct rcs_search;

/* Lives in the arena. NULL if the patterns need more than RCS_SEARCH_STATES_MAX states. */
struct rcs_search *rcs_search_new(struct rcs_arena *arena, const struct rcs_pattern *patterns, size_t count);

/* As `match` of struct recourse_policy. */
void rcs_search_feed(const struct rcs_search *search, uint32_t *matcher, const char *data, size_t size,
                     uint64_t hits[RECOURSE_PATTERNS_MAX / 64]);

#endif
