/* The windows that a wait is drawn from, and the worst case. */
#ifndef RCS_WAITS_OUT_H
#define RCS_WAITS_OUT_H

#include "gen/model.h"
#include "json_out.h"

/* How many delays of a wait a call can come to. */
unsigned rcs_windows_count(const struct rcs_spec *spec, const struct rcs_spec_wait *wait);

/* "200 ms, 0 s to 400 ms", in order. Of more than `max` the rest is "...". */
const char *rcs_windows_text(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_spec_wait *wait,
                             unsigned max);
/* The same, on stdout. */
void rcs_windows_print(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned max);

/* {"tries","requests","wait_ms","wait_base_ms","witness"} */
void rcs_out_worst(struct rcs_out *out, const struct rcs_worst *worst);

#endif
