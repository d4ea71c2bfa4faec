/* Spans that have ended: their batches, and the way these go. Belongs to the runner's thread. */
#ifndef RCS_SPANS_SPANS_H
#define RCS_SPANS_SPANS_H

#include <recourse/spans.h>

#include "src/io/buffer.h"
#include "src/tools/tools.h"

#define RCS_SPANS_PROBLEM_MAX 200u

/* The text is an OTLP request as far as its spans go; closing it puts the brackets behind. */
struct rcs_batch {
    struct rcs_batch *next;
    struct rcs_buffer text;
    size_t whole; /* bytes of it up to the last whole span */
    unsigned spans;
};

/* One batch on its way to the collector. */
struct rcs_sending {
    struct recourse_http_request request;
    struct recourse_transfer *transfer; /* NULL: none is under way */
    uint64_t next_ms;  /* when it is sent, again or for the first time */
    uint64_t until_ms; /* when it is given up; 0: nothing was sent yet */
    unsigned sent;     /* how often */
};

struct recourse_spans {
    struct recourse_spans_options options;
    struct rcs_buffer resource; /* what each batch begins with */
    struct rcs_tool *collector; /* NULL: a callback has the batches. An HTTP tool's checks and copies do for it */
    struct rcs_batch *filling;  /* NULL: none */
    uint64_t due_ms;            /* when it is closed */
    struct rcs_batch *first;    /* closed, in order; the first is being sent */
    struct rcs_batch **last;
    struct rcs_sending sending;
    struct recourse_spans_state state;
    char problem[RCS_SPANS_PROBLEM_MAX];
    bool held; /* a runner has it */
};

/* Where to append a span; NULL: there is no room for it, and it counts as dropped. */
struct rcs_buffer *rcs_spans_begin(struct recourse_spans *spans, uint64_t now_ms);
/* It was appended, or (`code`) it was not wholly: then it is taken back, and counts as dropped. */
void rcs_spans_end(struct recourse_spans *spans, int code, uint64_t now_ms);
/* A span could not be begun for want of memory. */
void rcs_spans_lose(struct recourse_spans *spans);
/* Does what is due. */
void rcs_spans_work(struct recourse_spans *spans, uint64_t now_ms);
/* When there is something to do that no event of the port tells; RECOURSE_FOREVER: never. */
uint64_t rcs_spans_wake_ms(const struct recourse_spans *spans);
/* Nanoseconds since 1970. */
uint64_t rcs_spans_wall_ns(const struct recourse_port *port);

/* ---- send.c ---- */

/* Checks and keeps what the options say of the collector. Errors: RECOURSE_E_ARGUMENT, RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_sending_open(struct recourse_spans *spans, struct recourse_error *error);
/* Sends the first batch, if it is time to. */
void rcs_sending_work(struct recourse_spans *spans, uint64_t now_ms);
void rcs_sending_close(struct recourse_spans *spans);
/* The first batch is done with; returns how many spans it had. */
unsigned rcs_spans_pop(struct recourse_spans *spans);
/* What went wrong, cleaned, for the state. */
void rcs_spans_complain(struct recourse_spans *spans, const char *format, ...) RECOURSE_PRINTF(2, 3);

#endif
