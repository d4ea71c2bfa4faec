/* What the tests of spans share: a runner that makes them, and spans in words. */
#ifndef RCS_SPANS_KIT_H
#define RCS_SPANS_KIT_H

#include <recourse/spans.h>

#include "tests/unit/run_kit.h"

#define SPANS_TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPANS_PARENT "00f067aa0ba902b7"
#define SPANS_TRACEPARENT "00-" SPANS_TRACE "-" SPANS_PARENT "-01"

struct spans_kit {
    struct kit kit;
    struct recourse_spans *spans;
    char json[65536]; /* the batches as they came, one a line */
    size_t size;
    unsigned batches;
    unsigned count; /* of spans, as the callback was told */
};

/* The options, with a callback that gathers what comes. */
struct recourse_spans_options spans_options(struct spans_kit *at);
/* A kit with these spans (NULL: those of spans_options, and a batch for each) and no tools; the policy may be bent before. */
void spans_open(struct spans_kit *at, const struct recourse_spans_options *options);
/* The runner, then the spans. */
void spans_close(struct spans_kit *at);
/* The counts of their state: "ended 3 exported 2 dropped 1 failed 0 rejected 0 waiting 0". */
const char *spans_state(const struct spans_kit *at);
/*
 * What came, a line for each span: name, kind, start and end in milliseconds of the kit's clock, ERROR, attributes; events in
 * braces. Fails the test where it is no OTLP JSON.
 */
const char *spans_words(const struct spans_kit *at);
/* A member of the span at `index`, as text; "" if it has none. */
const char *spans_member(const struct spans_kit *at, unsigned index, const char *name);
/* A call with a trace context. */
struct recourse_call_request spans_call(const char *name, const char *traceparent, const char *tracestate);

#endif
