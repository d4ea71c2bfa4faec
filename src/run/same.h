/* Whether two calls are the same: the tool, and what the arguments say, however that is written. */
#ifndef RCS_RUN_SAME_H
#define RCS_RUN_SAME_H

#include <recourse/port.h>

/*
 * A hash of a call, never 0. The order of keys, blanks between tokens, and escapes in strings make no difference; numbers are
 * what they are written as. `arguments` passed rcs_json_check.
 */
uint64_t rcs_same_call(const struct recourse_allocator *allocator, uint64_t seed, struct recourse_span tool,
                       struct recourse_span arguments);

#endif
