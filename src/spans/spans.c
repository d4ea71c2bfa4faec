/* Spans that have ended, gathered in batches. */
#include "src/spans/spans.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/core/text.h"
#include "src/core/wait.h"
#include "src/io/memory.h"
#include "src/spans/write.h"

#define QUEUE_MAX 2048u
#define BATCH_MAX 512u
#define BATCH_MS 5000u
#define TIMEOUT_MS 10000u
#define TEXT_MAX ((size_t)32 << 20) /* bytes of one batch */
#define TAIL "]}]}]}"

/* ---- the resource ---- */

/* Whether a later entry has the name of this one. */
static bool is_overridden(const char *const *entry)
{
    for (const char *const *other = entry + 2; *other != NULL; other += 2) {
        if (strcmp(*other, *entry) == 0) {
            return true;
        }
    }
    return false;
}

static bool names(const char *const *resource, const char *name)
{
    for (; resource != NULL && *resource != NULL; resource += 2) {
        if (strcmp(*resource, name) == 0) {
            return true;
        }
    }
    return false;
}

static void put_resource(struct rcs_span_writer *writer, const char *const *resource)
{
    static const char *const own[] = {"service.name",           "recourse", "telemetry.sdk.name",    "recourse",
                                      "telemetry.sdk.language", "c",        "telemetry.sdk.version", RECOURSE_VERSION,
                                      NULL};

    for (const char *const *entry = own; *entry != NULL; entry += 2) {
        if (!names(resource, *entry)) {
            rcs_span_text(writer, entry[0], entry[1]);
        }
    }
    for (; resource != NULL && *resource != NULL; resource += 2) {
        if (!is_overridden(resource)) {
            rcs_span_text(writer, resource[0], resource[1]);
        }
    }
}

static int write_resource(struct recourse_spans *spans)
{
    static const char scope[] =
        "]},\"scopeSpans\":[{\"scope\":{\"name\":\"recourse\",\"version\":\"" RECOURSE_VERSION "\"},\"spans\":[";
    struct rcs_span_writer writer = {.out = &spans->resource};

    rcs_buffer_init(&spans->resource, spans->options.allocator, TEXT_MAX / 2);
    writer.code = rcs_buffer_append_text(&spans->resource, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    put_resource(&writer, spans->options.resource);
    return writer.code != 0 ? writer.code : rcs_buffer_append_text(&spans->resource, scope);
}

/* ---- making and freeing ---- */

static int check_options(const struct recourse_spans_options *options, struct recourse_error *error)
{
    size_t count = 0;

    if (options == NULL || options->size != sizeof *options) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no options, or options of another size");
    }
    if (options->port == NULL || options->port->size != sizeof *options->port) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no port, or a port of another size");
    }
    if ((options->batch == NULL) == (options->url == NULL)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "batches go to a callback or to a URL: give one of them");
    }
    while (options->resource != NULL && options->resource[count] != NULL) {
        count++;
    }
    if (count % 2 != 0) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "the resource's last attribute has no value");
    }
    return 0;
}

static void set_defaults(struct recourse_spans_options *options)
{
    options->queue_max = options->queue_max > 0 ? options->queue_max : QUEUE_MAX;
    options->batch_max = options->batch_max > 0 ? options->batch_max : BATCH_MAX;
    options->batch_max = options->batch_max < options->queue_max ? options->batch_max : options->queue_max;
    options->batch_ms = options->batch_ms > 0 ? options->batch_ms : BATCH_MS;
    options->timeout_ms = options->timeout_ms > 0 ? options->timeout_ms : TIMEOUT_MS;
}

int recourse_spans_new(const struct recourse_spans_options *options, struct recourse_spans **out,
                       struct recourse_error *error)
{
    struct recourse_spans *spans;
    int code = out == NULL ? rcs_fail(error, RECOURSE_E_ARGUMENT, "nowhere to put the spans")
                           : check_options(options, error);

    if (code != 0) {
        return code;
    }
    spans = rcs_alloc_zero(options->allocator, sizeof *spans);
    if (spans == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory for spans");
    }
    spans->options = *options;
    spans->last = &spans->first;
    set_defaults(&spans->options);
    code = write_resource(spans);
    if (code != 0) {
        (void)rcs_fail(error, RECOURSE_E_MEMORY, "no memory for the resource of spans");
    } else if (options->url != NULL) {
        code = rcs_sending_open(spans, error);
    }
    if (code != 0) {
        recourse_spans_free(spans);
        return code;
    }
    *out = spans;
    return 0;
}

static void free_batch(const struct recourse_spans *spans, struct rcs_batch *batch)
{
    if (batch != NULL) {
        rcs_buffer_clear(&batch->text);
        rcs_free(spans->options.allocator, batch);
    }
}

void recourse_spans_free(struct recourse_spans *spans)
{
    if (spans == NULL) {
        return;
    }
    rcs_sending_close(spans);
    free_batch(spans, spans->filling);
    while (spans->first != NULL) {
        (void)rcs_spans_pop(spans);
    }
    rcs_buffer_clear(&spans->resource);
    rcs_free(spans->options.allocator, spans);
}

/* ---- taking a span ---- */

void rcs_spans_lose(struct recourse_spans *spans)
{
    spans->state.ended++;
    spans->state.dropped++;
}

static struct rcs_batch *make_batch(const struct recourse_spans *spans)
{
    struct rcs_batch *batch = rcs_alloc_zero(spans->options.allocator, sizeof *batch);

    if (batch == NULL) {
        return NULL;
    }
    rcs_buffer_init(&batch->text, spans->options.allocator, TEXT_MAX);
    if (rcs_buffer_append(&batch->text, spans->resource.data, spans->resource.size) != 0) {
        free_batch(spans, batch);
        return NULL;
    }
    batch->whole = batch->text.size;
    return batch;
}

struct rcs_buffer *rcs_spans_begin(struct recourse_spans *spans, uint64_t now_ms)
{
    if (spans->state.waiting < spans->options.queue_max && spans->filling == NULL) {
        spans->filling = make_batch(spans);
        spans->due_ms = rcs_add_ms(now_ms, spans->options.batch_ms);
    }
    if (spans->state.waiting >= spans->options.queue_max || spans->filling == NULL) {
        rcs_spans_lose(spans);
        return NULL;
    }
    if (spans->filling->spans > 0 && rcs_buffer_append_byte(&spans->filling->text, ',') != 0) {
        rcs_spans_lose(spans);
        return NULL;
    }
    return &spans->filling->text;
}

/* Nothing is left open where there is no memory for its end: the batch is lost. */
static void close_filling(struct recourse_spans *spans)
{
    struct rcs_batch *batch = spans->filling;

    if (batch == NULL) {
        return;
    }
    spans->filling = NULL;
    batch->text.size = batch->whole;
    if (batch->spans == 0 || rcs_buffer_append_text(&batch->text, TAIL) != 0) {
        spans->state.dropped += batch->spans;
        spans->state.waiting -= batch->spans;
        free_batch(spans, batch);
        return;
    }
    *spans->last = batch;
    spans->last = &batch->next;
}

void rcs_spans_end(struct recourse_spans *spans, int code, uint64_t now_ms)
{
    struct rcs_batch *batch = spans->filling;

    if (code != 0) {
        batch->text.size = batch->whole;
        rcs_spans_lose(spans);
        return;
    }
    batch->whole = batch->text.size;
    batch->spans++;
    spans->state.ended++;
    spans->state.waiting++;
    if (batch->spans >= spans->options.batch_max) {
        close_filling(spans);
        rcs_sending_work(spans, now_ms);
    }
}

unsigned rcs_spans_pop(struct recourse_spans *spans)
{
    struct rcs_batch *batch = spans->first;
    unsigned count = batch->spans;

    spans->first = batch->next;
    if (spans->first == NULL) {
        spans->last = &spans->first;
    }
    spans->state.waiting -= count;
    free_batch(spans, batch);
    return count;
}

/* ---- handing on ---- */

static void hand_over(struct recourse_spans *spans)
{
    while (spans->first != NULL) {
        struct rcs_batch *batch = spans->first;

        spans->options.batch(spans->options.user, rcs_buffer_span(&batch->text), batch->spans);
        spans->state.exported += rcs_spans_pop(spans);
    }
}

static void hand_on(struct recourse_spans *spans, uint64_t now_ms)
{
    if (spans->collector == NULL) {
        hand_over(spans);
    } else {
        rcs_sending_work(spans, now_ms);
    }
}

void rcs_spans_work(struct recourse_spans *spans, uint64_t now_ms)
{
    if (spans->filling != NULL && now_ms >= spans->due_ms) {
        close_filling(spans);
    }
    hand_on(spans, now_ms);
}

uint64_t rcs_spans_wake_ms(const struct recourse_spans *spans)
{
    uint64_t filled = spans->filling != NULL ? spans->due_ms : RECOURSE_FOREVER;
    uint64_t next = RECOURSE_FOREVER;

    if (spans->first != NULL && spans->sending.transfer == NULL) {
        next = spans->collector == NULL ? 0 : spans->sending.next_ms;
    }
    return filled < next ? filled : next;
}

int recourse_spans_flush(struct recourse_spans *spans, uint64_t within_ms)
{
    struct recourse_port *port = spans->options.port;
    uint64_t now = port->now_ms(port->self);
    uint64_t end = rcs_add_ms(now, within_ms);
    int code = 0;

    close_filling(spans);
    hand_on(spans, now);
    while (spans->first != NULL && !spans->held && now < end && code == 0) {
        uint64_t wake = rcs_spans_wake_ms(spans);

        wake = wake < end ? wake : end;
        code = port->poll(port->self, wake > now ? wake - now : 0);
        now = port->now_ms(port->self);
        rcs_spans_work(spans, now);
    }
    return spans->first == NULL ? 0 : RECOURSE_E_AGAIN;
}

/* ---- what is said of them ---- */

void recourse_spans_state(const struct recourse_spans *spans, struct recourse_spans_state *state)
{
    *state = spans->state;
    state->problem = spans->problem;
}

void rcs_spans_complain(struct recourse_spans *spans, const char *format, ...)
{
    char text[RCS_SPANS_PROBLEM_MAX];
    va_list list;
    size_t size;

    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    size = rcs_text_reason((struct recourse_span){text, strlen(text)}, UINT32_MAX, spans->problem, sizeof spans->problem - 1);
    spans->problem[size < sizeof spans->problem ? size : sizeof spans->problem - 1] = '\0';
}

uint64_t rcs_spans_wall_ns(const struct recourse_port *port)
{
    if (port->wall_ns != NULL) {
        return port->wall_ns(port->self);
    }
    return port->wall_s(port->self) * 1000000000u;
}
