/* `run --log`: a line per decision. */
#ifndef RCS_RUN_LOG_H
#define RCS_RUN_LOG_H

#include <recourse/runner.h>

#include "secrets.h"

/*
 * `lookup: transient on try 1/3, waits 200 ms [lightspeed A2, line 47]: the error's text`
 * One line without its end, clean; it lives in the arena.
 */
const char *rcs_log_line(struct rcs_arena *arena, const struct recourse_observation *observation);

/* What a server did, to stderr: `server pages: a line that is not JSON was skipped: Ready.`, without secrets. */
void rcs_log_note(const struct rcs_secrets *secrets, struct recourse_span server, struct recourse_span text);

/* A name that somebody else gave, as one clean line of at most `max` code points. */
const char *rcs_log_name(struct rcs_arena *arena, struct recourse_span name, uint32_t max);

#endif
