/* Where the public headers are, for C that is compiled while the command runs. */
#ifndef RCS_HEADERS_H
#define RCS_HEADERS_H

#include <stdbool.h>

#include "gen/arena.h"

/* Whether `directory` has recourse/policy.h. */
bool rcs_headers_are_in(struct rcs_arena *arena, const char *directory);

/* The directory that belongs to the running binary: `include` beside its own directory, where it was installed, or above
   it, where it was built. NULL: there is none. */
const char *rcs_headers_find(struct rcs_arena *arena);

#endif
