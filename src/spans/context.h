/*
 * W3C Trace Context (https://www.w3.org/TR/trace-context/): which trace a call belongs to, and which span is its parent.
 * No I/O, no allocation.
 */
#ifndef RCS_SPANS_CONTEXT_H
#define RCS_SPANS_CONTEXT_H

#include <recourse/facts.h>

#define RCS_TRACEPARENT_SIZE 55u
#define RCS_TRACESTATE_MAX 512u /* bytes that are passed on: section 3.3.1.5 */

#define RCS_TRACE_SAMPLED 1u
#define RCS_TRACE_RANDOM 2u /* level 2: the trace id was made of random bits */

struct rcs_trace_context {
    uint8_t trace_id[16];
    uint8_t span_id[8];
    uint8_t flags; /* those of the two that hold */
};

/* Reads a traceparent (section 3.2): of a version that is not known yet what is known of it. False: it counts as none. */
bool rcs_traceparent_read(struct recourse_span text, struct rcs_trace_context *context);
/* Writes one, with its NUL. */
void rcs_traceparent_write(const struct rcs_trace_context *context, char text[RCS_TRACEPARENT_SIZE + 1]);

/*
 * Reads a tracestate (section 3.3) and writes it without the blanks around its members, with its NUL. One that is malformed is
 * discarded whole. What is beyond the bound goes: first members of more than 128 bytes, then the last ones. Returns its length.
 */
size_t rcs_tracestate_read(struct recourse_span text, char out[RCS_TRACESTATE_MAX + 1]);

#endif
