/* `recourse run --otlp`: where spans go, as OpenTelemetry's variables say; and the trace that the calls belong to. */
#ifndef RCS_RUN_OTLP_H
#define RCS_RUN_OTLP_H

#include <recourse/dialect.h>
#include <recourse/spans.h>

#include "gen/arena.h"
#include "run.h"

/*
 * What the options and the environment say. A variable that can't be read is ignored, with a line on stderr; `--otlp=URL` that is
 * none is an error. `*spans` NULL: none are wanted, or to be had.
 */
bool rcs_run_otlp_open(const struct rcs_run_options *options, struct recourse_port *port, struct rcs_arena *arena,
                       struct recourse_spans **spans);
/* Gives the calls their trace context. False, with a line on stderr: `--traceparent` is none. */
bool rcs_run_otlp_join(const struct rcs_run_options *options, struct recourse_calls *calls);
/* After the runner: sends what is left, within a bound or until `*stopped`, which a callback of the port may set, and says on
   stderr what was not exported. Frees the spans. */
void rcs_run_otlp_close(struct recourse_spans *spans, const bool *stopped);

/* A list as the variables have it, "key=value,key=value" with values %-encoded, as key, value ... NULL; NULL: malformed. */
const char *const *rcs_otlp_list(struct rcs_arena *arena, const char *text);

#endif
