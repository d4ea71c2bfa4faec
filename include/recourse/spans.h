/*
 * Spans of OpenTelemetry: one `execute_tool TOOL` for each call that a model made, and under it one for each try. A runner with
 * the option `spans` makes them, and takes batches of them where they are wanted: to a callback, as the JSON of an OTLP
 * request (ExportTraceServiceRequest), or by itself to a collector, over OTLP/HTTP.
 *
 * Nothing that a model or a tool wrote is in them: no arguments, results, texts of errors, values of headers; no query of a
 * URL; no name of a tool that is not known; a call's id only if it looks like one, as in the record (recourse/audit.h). They
 * never hold up a call: what there is no room or memory for is dropped, and counted. src/spans/README.md has the attributes.
 *
 * Trace context: see `traceparent` of struct recourse_call_request.
 */
#ifndef RECOURSE_SPANS_H
#define RECOURSE_SPANS_H

#include <recourse/port.h>

#ifdef __cplusplus
extern "C" {
#endif

struct recourse_spans;

struct recourse_spans_options {
    size_t size;                /* sizeof(struct recourse_spans_options) */
    struct recourse_port *port; /* the runner's; must outlive the spans */
    const struct recourse_allocator *allocator; /* NULL: malloc. Must outlive the spans */
    /* Attributes of the resource: a name, its value, and so on, NULL-terminated; may be NULL. Without "service.name" it is
       "recourse". Of a name that comes twice the last counts. */
    const char *const *resource;
    unsigned queue_max; /* spans that have ended and are kept; 0: 2048. Beyond it they are dropped */
    unsigned batch_max; /* spans of one batch; 0: 512; at most `queue_max` */
    uint64_t batch_ms;  /* from the first span of a batch to its closing, at the latest; 0: 5 s */
    /*
     * Either: is handed each batch, from recourse_runner_step or recourse_spans_flush. `json` lives until it returns; it must
     * not free the spans.
     */
    void (*batch)(void *user, struct recourse_span json, unsigned spans);
    void *user;
    /* Or: the collector's URL, as it is ("http://127.0.0.1:4318/v1/traces"). What follows is for it. All is copied. */
    const char *url;
    const char *const *headers; /* "Name: value", NULL-terminated; may be NULL */
    const char *proxy;          /* NULL: none; the environment is never asked */
    const char *ca_file;        /* NULL: the system's */
    /*
     * For one batch, with all that is sent again; 0: 10 s. Sent again is what did not get through, and what was answered by 429,
     * 502, 503 or 504: after Retry-After, if that fits, or else after 1 s, 1.5 s, 2.25 s ... up to 5 s, each less up to a half.
     */
    uint64_t timeout_ms;
};

/* Errors: RECOURSE_E_ARGUMENT (the text says which), RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int recourse_spans_new(const struct recourse_spans_options *options, struct recourse_spans **spans,
                                         struct recourse_error *error);

/*
 * Closes the batch under way. With a callback all of it is handed over now. With a URL it begins to be sent: where a runner has
 * the spans, by its steps; where it was freed, the port is polled here until all is sent or given up, but no longer than
 * `within_ms`. Errors: RECOURSE_E_AGAIN (some is left).
 */
RECOURSE_MUST_USE int recourse_spans_flush(struct recourse_spans *spans, uint64_t within_ms);

struct recourse_spans_state {
    uint64_t ended;    /* spans that have ended */
    uint64_t exported; /* of them, those that the callback or the collector has */
    uint64_t dropped;  /* for which there was no room, or no memory */
    uint64_t failed;   /* that could not be sent, or were refused */
    uint64_t rejected; /* that the collector did not take of a batch (OTLP's partial success) */
    unsigned waiting;  /* for their batch, to be sent, or for the answer */
    const char *problem; /* the last one: a clean line, "" if there was none; lives until the next call, step or flush */
};
void recourse_spans_state(const struct recourse_spans *spans, struct recourse_spans_state *state);

/* After its runner was freed. What was not sent is gone. NULL is no error. */
void recourse_spans_free(struct recourse_spans *spans);

#ifdef __cplusplus
}
#endif
#endif
