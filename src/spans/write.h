/* One span in the JSON of OTLP 1 (https://opentelemetry.io/docs/specs/otlp/): hex ids, 64-bit numbers as text. No I/O. */
#ifndef RCS_SPANS_WRITE_H
#define RCS_SPANS_WRITE_H

#include "src/io/buffer.h"
#include "src/spans/context.h"

/* As OTLP numbers them. */
enum rcs_span_kind { RCS_SPAN_INTERNAL = 1, RCS_SPAN_CLIENT = 3 };

/* A span, or a list of attributes, being written: the first error stays in `code`, and nothing is written after it. */
struct rcs_span_writer {
    struct rcs_buffer *out;
    int code;
    bool any; /* of the list: it has a member */
};

struct rcs_span_head {
    const struct rcs_trace_context *context;
    const uint8_t *parent; /* 8 bytes; NULL: none */
    bool remote;           /* the parent is another process's */
    const char *state;     /* the tracestate; "": none */
    enum rcs_span_kind kind;
    uint64_t start_ns; /* since 1970 */
    uint64_t end_ns;
};

void rcs_span_begin(struct rcs_span_writer *writer, const struct rcs_span_head *head);
/* The name, in two parts with a blank between; `target` may be empty. Attributes follow. */
void rcs_span_name(struct rcs_span_writer *writer, const char *name, struct recourse_span target);
/* Attributes, of a span or an event. One whose text is NULL is left out. */
void rcs_span_text(struct rcs_span_writer *writer, const char *key, const char *value);
void rcs_span_bytes(struct rcs_span_writer *writer, const char *key, struct recourse_span value);
void rcs_span_number(struct rcs_span_writer *writer, const char *key, int64_t value);
void rcs_span_bool(struct rcs_span_writer *writer, const char *key, bool value);
/* After the attributes: events, each with its own. The first comes after rcs_span_events. */
void rcs_span_events(struct rcs_span_writer *writer);
void rcs_span_event(struct rcs_span_writer *writer, const char *name, uint64_t at_ns);
void rcs_span_event_end(struct rcs_span_writer *writer);
/* After the events, or the attributes. */
void rcs_span_end(struct rcs_span_writer *writer, bool failed);

#endif
