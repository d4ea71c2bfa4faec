/*
 * Server-sent events, read as they come (the HTML standard, "Parsing an event stream"). Lines end with LF, CR or CR LF; the
 * stream is UTF-8 whatever a header says. The grammar is sse.rl.
 */
#ifndef RCS_SSE_H
#define RCS_SSE_H

#include <recourse/policy.h>

#include "src/io/buffer.h"

#define RCS_SSE_ID_MAX 1024u  /* a longer id counts as none */
#define RCS_SSE_NAME_MAX 64u  /* more of an event's name is not looked at */

/* Caller-owned. What the fields hold belongs to the event that was returned last. */
struct rcs_sse {
    struct rcs_buffer data; /* its lines, joined by LF */
    struct rcs_buffer id;   /* the last one seen, also in earlier events; empty: none */
    struct rcs_buffer name; /* of the event; empty: "message" */
    uint64_t retry_ms;      /* the last one seen; RECOURSE_FOREVER: none */
    int state;
    uint8_t field; /* enum rcs_sse_field, of the line under way */
    bool returned; /* the event was returned: what is in it goes before the next byte */
    bool seen;     /* something of an event was there */
    int fault;     /* RECOURSE_E_LIMIT or _MEMORY */
    struct rcs_buffer line; /* the value of a line other than data */
    bool line_is_long;
};

/* `data_max` bounds one event. `allocator` may be NULL. */
void rcs_sse_init(struct rcs_sse *sse, const struct recourse_allocator *allocator, size_t data_max);
/* Another stream goes on behind the event `id`, which does not lie in `sse`. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_sse_restart(struct rcs_sse *sse, struct recourse_span id);
void rcs_sse_clear(struct rcs_sse *sse);

/*
 * Reads from `*at` up to `end` and moves `*at`. 1: an event is complete; call again, there may be more. 0: all is read and
 * more is wanted; what is left at the end of a stream is no event. RECOURSE_E_LIMIT (an event is too large),
 * RECOURSE_E_MEMORY: from then on always. Events without data, which only set the id or `retry`, come with empty data.
 */
int rcs_sse_next(struct rcs_sse *sse, const char **at, const char *end);

/* ---- between sse.c and sse.rl ---- */

enum rcs_sse_field { RCS_SSE_NONE = 0, RCS_SSE_DATA = 1, RCS_SSE_ID = 2, RCS_SSE_RETRY = 3, RCS_SSE_EVENT = 4 };

/* What the grammar found in one piece. */
struct rcs_sse_scanned {
    const char *value; /* this piece's part of the field's value */
    size_t value_size;
    bool ended; /* the line ends here */
    bool blank; /* and nothing was on it: the event is complete */
};

int rcs_sse_first_state(void);
/* Runs the grammar over a piece of which only the last byte may end a line. */
void rcs_sse_scan(struct rcs_sse *sse, const char *bytes, size_t size, struct rcs_sse_scanned *out);

#endif
