/* A traceparent in the first line, a tracestate behind it; the whole as a list of OpenTelemetry's variables, too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/run_otlp.h"
#include "src/spans/context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* What is passed on reads as it stands. */
static void parent(struct recourse_span line)
{
    struct rcs_trace_context context;
    struct rcs_trace_context again;
    char text[RCS_TRACEPARENT_SIZE + 1];

    if (!rcs_traceparent_read(line, &context)) {
        return;
    }
    rcs_traceparent_write(&context, text);
    demand(strlen(text) == RCS_TRACEPARENT_SIZE && memcmp(text, "00-", 3) == 0);
    demand(memcmp(text + 3, line.data + 3, RCS_TRACEPARENT_SIZE - 5) == 0);
    demand(rcs_traceparent_read((struct recourse_span){text, RCS_TRACEPARENT_SIZE}, &again));
    demand(memcmp(&context, &again, sizeof context) == 0);
}

static void state(struct recourse_span text)
{
    char out[RCS_TRACESTATE_MAX + 1];
    char again[RCS_TRACESTATE_MAX + 1];
    size_t size = rcs_tracestate_read(text, out);

    demand(size <= RCS_TRACESTATE_MAX && strlen(out) == size);
    demand(rcs_tracestate_read((struct recourse_span){out, size}, again) == size && strcmp(out, again) == 0);
}

static void list(struct recourse_span text)
{
    struct rcs_arena arena = {0};
    const char *const *pairs = rcs_otlp_list(&arena, rcs_arena_copy(&arena, text.data, text.size));

    for (size_t i = 0; pairs != NULL && pairs[i] != NULL; i += 2) {
        demand(pairs[i][0] != '\0' && pairs[i + 1] != NULL);
    }
    rcs_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *newline = size > 0 ? memchr(text, '\n', size) : NULL;
    size_t first = newline != NULL ? (size_t)(newline - text) : size;

    if (size == 0) {
        return 0;
    }
    parent((struct recourse_span){text, first});
    if (newline != NULL) {
        state((struct recourse_span){newline + 1, size - first - 1});
    }
    list((struct recourse_span){text, size});
    return 0;
}
