#include "run_otlp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "src/core/text.h"
#include "src/io/header.h"
#include "src/spans/context.h"

#define URL_DEFAULT "http://localhost:4318/v1/traces"
#define PATH "v1/traces"
#define LAST_MS 5000u /* that the end of a run waits at most */
#define QUEUE_MAX 32768u /* spans: a reply has 10,000 calls at most, and they may be over before a collector is awake */
#define SLICE_MS 100u /* of it, after which a signal has been heard */

/* ---- the environment ---- */

/* One that is empty counts as one that is not set. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

/* That of traces, or else that of all signals; `*name` is which. */
static const char *setting(const char *of_traces, const char *of_all, const char **name)
{
    const char *value = variable(of_traces);

    *name = value != NULL ? of_traces : of_all;
    return value != NULL ? value : variable(of_all);
}

static void warn(const char *name, const char *what)
{
    rcs_cli_error("run", "--otlp: %s %s", name, what);
}

/* ---- lists ---- */

static int hex(char byte)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = byte != '\0' ? strchr(digits, byte >= 'A' && byte <= 'F' ? byte + ('a' - 'A') : byte) : NULL;

    return found != NULL ? (int)(found - digits) : -1;
}

/* In place; NULL: a % that says nothing. */
static const char *decode(char *text)
{
    char *out = text;

    for (const char *at = text; *at != '\0'; at++) {
        int high = *at == '%' ? hex(at[1]) : -1;
        int low = high >= 0 ? hex(at[2]) : -1;

        if (*at != '%') {
            *out++ = *at;
        } else if (low < 0 || high + low == 0) {
            return NULL;
        } else {
            *out++ = (char)(high * 16 + low);
            at += 2;
        }
    }
    *out = '\0';
    return text;
}

static char *copy_trimmed(struct rcs_arena *arena, const char *text, size_t size)
{
    struct recourse_span trimmed = rcs_text_trim((struct recourse_span){text, size});

    return rcs_arena_copy(arena, trimmed.data, trimmed.size);
}

const char *const *rcs_otlp_list(struct rcs_arena *arena, const char *text)
{
    size_t most = 2;
    const char **list;
    size_t count = 0;

    for (const char *at = text; *at != '\0'; at++) {
        most += *at == ',';
    }
    list = rcs_arena_alloc(arena, (2 * most + 1) * sizeof *list);
    while (*text != '\0') {
        size_t size = strcspn(text, ",");
        const char *equals = memchr(text, '=', size);

        if (equals != NULL) {
            list[count] = decode(copy_trimmed(arena, text, (size_t)(equals - text)));
            list[count + 1] = decode(copy_trimmed(arena, equals + 1, size - (size_t)(equals + 1 - text)));
        }
        if (equals == NULL && strspn(text, " \t") < size) {
            return NULL;
        }
        if (equals != NULL && (list[count] == NULL || *list[count] == '\0' || list[count + 1] == NULL)) {
            return NULL;
        }
        count += equals != NULL ? 2 : 0;
        text += size + (text[size] == ',');
    }
    list[count] = NULL;
    return list;
}

/* ---- settings ---- */

static const char *joined(struct rcs_arena *arena, const char *base)
{
    size_t size = strlen(base);
    const char *slash = size > 0 && base[size - 1] == '/' ? "" : "/";

    return rcs_arena_format(arena, "%s%s%s", base, slash, PATH);
}

/* That of the option is a base, too, unless it names the whole path. */
static const char *find_url(const struct rcs_run_options *options, struct rcs_arena *arena)
{
    const char *given = options->otlp_url;
    size_t size = given != NULL ? strlen(given) : 0;

    if (size > sizeof PATH && strcmp(given + size - (sizeof PATH - 1) - 1, "/" PATH) == 0) {
        return given;
    }
    if (given != NULL) {
        return joined(arena, given);
    }
    given = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    if (given != NULL) {
        return given;
    }
    given = variable("OTEL_EXPORTER_OTLP_ENDPOINT");
    return given != NULL ? joined(arena, given) : URL_DEFAULT;
}

static const char *const *find_headers(struct rcs_arena *arena)
{
    const char *name;
    const char *text = setting("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS", &name);
    const char *const *pairs = text != NULL ? rcs_otlp_list(arena, text) : NULL;
    const char **lines;
    size_t count = 0;
    bool good = pairs != NULL;

    while (pairs != NULL && pairs[count] != NULL) {
        count++;
    }
    lines = rcs_arena_alloc(arena, (count / 2 + 1) * sizeof *lines);
    for (size_t i = 0; i < count / 2; i++) {
        lines[i] = rcs_arena_format(arena, "%s: %s", pairs[2 * i], pairs[2 * i + 1]);
        good = good && rcs_header_name_size(lines[i]) == strlen(pairs[2 * i]) && rcs_header_is_clean(lines[i]) &&
               !rcs_header_is_framing(lines[i]) && strlen(lines[i]) <= RCS_HEADER_LINE_MAX;
    }
    if (text != NULL && !good) {
        warn(name, "is no list of headers (key=value,key=value) and is ignored");
    }
    return good ? lines : NULL;
}

static uint64_t find_timeout(void)
{
    const char *name;
    const char *text = setting("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT", &name);
    uint64_t timeout_ms = 0;

    if (text != NULL && (!rcs_number_read(text, UINT32_MAX, &timeout_ms) || timeout_ms == 0)) {
        warn(name, "is no number of milliseconds and is ignored");
        timeout_ms = 0;
    }
    return timeout_ms;
}

/* OTEL_SERVICE_NAME wins over what the list says: the last counts. */
static const char *const *find_resource(struct rcs_arena *arena)
{
    const char *text = variable("OTEL_RESOURCE_ATTRIBUTES");
    const char *service = variable("OTEL_SERVICE_NAME");
    const char *const *pairs = text != NULL ? rcs_otlp_list(arena, text) : NULL;
    const char **all;
    size_t count = 0;

    if (text != NULL && pairs == NULL) {
        warn("OTEL_RESOURCE_ATTRIBUTES", "is no list (key=value,key=value) and is ignored");
    }
    while (pairs != NULL && pairs[count] != NULL) {
        count++;
    }
    all = rcs_arena_alloc(arena, (count + 3) * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i] = pairs[i];
    }
    if (service != NULL) {
        all[count] = "service.name";
        all[count + 1] = service;
    }
    return all;
}

/* OTLP over HTTP in JSON is all that is spoken here. A collector takes that where it takes http/protobuf. */
static bool is_spoken(void)
{
    const char *name;
    const char *protocol = setting("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL", &name);

    if (protocol != NULL && strcmp(protocol, "grpc") == 0) {
        warn(name, "says grpc, and only http/json is spoken here: nothing is exported");
        return false;
    }
    return true;
}

static bool is_disabled(void)
{
    const char *disabled = variable("OTEL_SDK_DISABLED");

    return disabled != NULL && strcasecmp(disabled, "true") == 0;
}

/* ---- the spans ---- */

bool rcs_run_otlp_open(const struct rcs_run_options *options, struct recourse_port *port, struct rcs_arena *arena,
                       struct recourse_spans **spans)
{
    struct recourse_spans_options wanted = {.size = sizeof wanted, .port = port, .queue_max = QUEUE_MAX};
    struct recourse_error error = {.code = RECOURSE_OK};
    const char *name;

    *spans = NULL;
    if (!options->otlp || is_disabled() || !is_spoken()) {
        return true;
    }
    wanted.url = find_url(options, arena);
    wanted.headers = find_headers(arena);
    wanted.resource = find_resource(arena);
    wanted.timeout_ms = find_timeout();
    wanted.ca_file = setting("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE", &name);
    if (recourse_spans_new(&wanted, spans, &error) == RECOURSE_OK) {
        return true;
    }
    rcs_cli_error("run", "--otlp: %s%s", error.text, options->otlp_url != NULL ? "" : ": nothing is exported");
    return options->otlp_url == NULL;
}

bool rcs_run_otlp_join(const struct rcs_run_options *options, struct recourse_calls *calls)
{
    const char *parent = options->traceparent != NULL ? options->traceparent : variable("TRACEPARENT");
    const char *state = options->traceparent != NULL ? NULL : variable("TRACESTATE");
    struct recourse_span span = {parent, parent != NULL ? strlen(parent) : 0};
    struct rcs_trace_context context;

    if (parent == NULL || (!options->otlp && options->traceparent == NULL)) {
        return true;
    }
    if (!rcs_traceparent_read(span, &context)) {
        rcs_cli_error("run", "%s is none of W3C Trace Context%s", options->traceparent != NULL ? "--traceparent" : "TRACEPARENT",
                      options->traceparent != NULL ? "" : ", and is ignored");
        return options->traceparent == NULL;
    }
    for (size_t i = 0; i < calls->count; i++) {
        calls->requests[i].traceparent = span;
        calls->requests[i].tracestate = (struct recourse_span){state, state != NULL ? strlen(state) : 0};
    }
    return true;
}

static const char *why_missing(const struct recourse_spans_state *state)
{
    if (*state->problem != '\0') {
        return state->problem;
    }
    return state->dropped > 0 ? "there was no room for them" : "the collector has not answered in time";
}

void rcs_run_otlp_close(struct recourse_spans *spans, const bool *stopped)
{
    struct recourse_spans_state state;
    uint64_t missing;

    if (spans == NULL) {
        return;
    }
    fflush(stdout); /* whoever waits for the results has them */
    for (unsigned left = LAST_MS; left > 0 && !*stopped && recourse_spans_flush(spans, SLICE_MS) != 0; left -= SLICE_MS) {
    }
    recourse_spans_state(spans, &state);
    missing = state.ended - state.exported;
    if (missing > 0) {
        rcs_cli_error("run", "--otlp: %llu of %llu spans were not exported: %s", (unsigned long long)missing,
                      (unsigned long long)state.ended, why_missing(&state));
    }
    recourse_spans_free(spans);
}
