/* Batches on their way to a collector, by OTLP/HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp): one at a time. */
#include "src/spans/spans.h"

#include <inttypes.h>

#include <recourse/call.h>

#include "src/core/json.h"
#include "src/core/wait.h"
#include "src/io/memory.h"

#define ANSWER_MAX 65536u
#define WAIT_FIRST_MS 1000u
#define WAIT_MAX_MS 5000u

int rcs_sending_open(struct recourse_spans *spans, struct recourse_error *error)
{
    const struct recourse_spans_options *options = &spans->options;
    const struct recourse_tool collector = {
        .size = sizeof collector,
        .name = "OTLP",
        .kind = RECOURSE_TOOL_HTTP,
        .url = options->url,
        .headers = options->headers,
        .proxy = options->proxy,
        .ca_file = options->ca_file,
    };

    return rcs_tool_new(options->allocator, &collector, &spans->collector, error);
}

void rcs_sending_close(struct recourse_spans *spans)
{
    struct recourse_port *port = spans->options.port;

    if (spans->sending.transfer != NULL) {
        (void)port->http_cancel(port->self, spans->sending.transfer);
    }
    rcs_free(spans->options.allocator, (void *)(uintptr_t)spans->sending.request.headers);
    rcs_free(spans->options.allocator, spans->collector);
}

/* ---- the answer ---- */

/* Whether it may be sent again at all. */
static bool is_passing(const struct recourse_http_response *response)
{
    if (response->network != 0 || response->timeout != 0) {
        return true;
    }
    return response->status == 429 || (response->status >= 502 && response->status <= 504);
}

/* 1 s, then half as long again each time; less up to a half of it, so that many senders don't come at once. */
static uint64_t next_wait(struct recourse_spans *spans)
{
    struct recourse_port *port = spans->options.port;
    uint64_t wait = WAIT_FIRST_MS;
    uint64_t random = 0;

    for (unsigned i = 1; i < spans->sending.sent && wait < WAIT_MAX_MS; i++) {
        wait += wait / 2;
    }
    wait = wait < WAIT_MAX_MS ? wait : WAIT_MAX_MS;
    if (port->random(port->self, &random, sizeof random) != 0) {
        random = 0;
    }
    return wait - random % (wait / 2 + 1);
}

static void give_up(struct recourse_spans *spans)
{
    spans->sending.sent = 0;
    spans->sending.next_ms = 0;
    spans->state.failed += rcs_spans_pop(spans);
}

/* Sends it again later, if there is time for that. `wait_ms` is the collector's; 0: it has said nothing. */
static void put_off(struct recourse_spans *spans, uint64_t wait_ms, uint64_t now_ms)
{
    spans->sending.next_ms = rcs_add_ms(now_ms, wait_ms > 0 ? wait_ms : next_wait(spans));
    if (spans->sending.next_ms >= spans->sending.until_ms) {
        give_up(spans);
    }
}

static struct recourse_span member(struct recourse_span object, const char *name)
{
    return rcs_json_trim(rcs_json_member(object, name));
}

/* An int64 is text in this JSON; a number is taken as well. */
static int64_t read_count(struct recourse_span value)
{
    int64_t count = 0;

    if (rcs_json_type_of(value) == RCS_JSON_STRING && value.size > 2) {
        value = (struct recourse_span){value.data + 1, value.size - 2};
    }
    return rcs_json_integer(value, &count) && count > 0 ? count : 0;
}

/* The collector has the batch; perhaps not all of it: then it says so, and wants none of it again. */
static void take_success(struct recourse_spans *spans, struct recourse_span body)
{
    struct recourse_span partial = {NULL, 0};
    struct recourse_span text;
    char message[RCS_SPANS_PROBLEM_MAX];
    uint64_t rejected;
    unsigned count;
    size_t size;

    if (rcs_json_check(body, false, NULL) == RCS_JSON_GOOD) {
        partial = member(rcs_json_trim(body), "partialSuccess");
    }
    rejected = (uint64_t)read_count(member(partial, "rejectedSpans"));
    text = member(partial, "errorMessage");
    if (rcs_json_type_of(text) == RCS_JSON_STRING && text.size > 2) {
        size = rcs_json_unescape(text, message, sizeof message);
        size = size < sizeof message ? size : sizeof message;
        rcs_spans_complain(spans, "the collector says: %.*s", (int)size, message);
    } else if (rejected > 0) {
        rcs_spans_complain(spans, "the collector rejected %" PRIu64 " spans of a batch", rejected);
    }
    count = rcs_spans_pop(spans);
    rejected = rejected < count ? rejected : count;
    spans->state.rejected += rejected;
    spans->state.exported += count - rejected;
    spans->sending.sent = 0;
    spans->sending.next_ms = 0;
}

static void answered(void *user, const struct recourse_http_response *response)
{
    struct recourse_spans *spans = user;
    struct recourse_port *port = spans->options.port;
    const struct recourse_facts facts = {
        .headers = response->headers, .header_count = response->header_count, .wall_s = response->wall_s};
    bool whole = response->network == 0 && response->timeout == 0 && !response->protocol && !response->too_large;

    spans->sending.transfer = NULL;
    if (whole && response->status >= 200 && response->status <= 299) {
        take_success(spans, response->body);
        return;
    }
    if (whole) {
        rcs_spans_complain(spans, "the collector answers HTTP %u", response->status);
    } else {
        rcs_spans_complain(spans, "the collector can't be reached: %s",
                           response->detail != NULL && *response->detail != '\0' ? response->detail : "no answer");
    }
    if (is_passing(response)) {
        put_off(spans, recourse_server_delay(&facts), port->now_ms(port->self));
    } else {
        give_up(spans);
    }
}

/* ---- sending ---- */

/* The header lines, once: ours, and those of the options. */
static int make_headers(struct recourse_spans *spans)
{
    const char *const *given = spans->collector->config.headers;
    const char **headers;
    size_t count = 0;
    size_t used = 0;

    if (spans->sending.request.headers != NULL) {
        return 0;
    }
    while (given != NULL && given[count] != NULL) {
        count++;
    }
    headers = rcs_alloc(spans->options.allocator, (count + 3) * sizeof *headers);
    if (headers == NULL) {
        return RECOURSE_E_MEMORY;
    }
    if (!(spans->collector->own_headers & RCS_OWN_CONTENT_TYPE)) {
        headers[used++] = "Content-Type: application/json";
    }
    headers[used++] = "User-Agent: recourse-otlp/" RECOURSE_VERSION;
    for (size_t i = 0; i < count; i++) {
        headers[used++] = given[i];
    }
    headers[used] = NULL;
    spans->sending.request.headers = headers;
    return 0;
}

void rcs_sending_work(struct recourse_spans *spans, uint64_t now_ms)
{
    struct rcs_sending *sending = &spans->sending;
    struct recourse_port *port = spans->options.port;
    int code;

    if (spans->collector == NULL || spans->first == NULL || sending->transfer != NULL || now_ms < sending->next_ms) {
        return;
    }
    if (sending->sent == 0) {
        sending->until_ms = rcs_add_ms(now_ms, spans->options.timeout_ms);
    }
    code = make_headers(spans);
    sending->request.method = "POST";
    sending->request.url = spans->collector->config.url;
    sending->request.proxy = spans->collector->config.proxy;
    sending->request.ca_file = spans->collector->config.ca_file;
    sending->request.body = rcs_buffer_span(&spans->first->text);
    sending->request.deadline_ms = sending->until_ms;
    sending->request.body_max = ANSWER_MAX;
    sending->sent++;
    code = code != 0 ? code
                     : port->http_start(port->self, &sending->request, answered, spans, &sending->transfer);
    if (code != 0) {
        sending->transfer = NULL;
        rcs_spans_complain(spans, "a batch can't be sent: %s", recourse_code_text(code));
        put_off(spans, 0, now_ms);
    }
}
