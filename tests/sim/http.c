/* The network above HTTP: requests reach servers, or do not; answers come, or do not. */
#include "tests/sim/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST_MS 400000u /* even where nobody sets a deadline, a connection ends */

void sim_header_add(struct recourse_transfer *transfer, const char *name, const char *value)
{
    transfer->headers[transfer->header_count++] =
        (struct recourse_header){{name, strlen(name)}, {value, strlen(value)}};
}

const char *sim_header_of(const struct recourse_http_request *request, const char *name)
{
    size_t size = strlen(name);

    for (size_t i = 0; request->headers != NULL && request->headers[i] != NULL; i++) {
        if (strncmp(request->headers[i], name, size) == 0 && request->headers[i][size] == ':') {
            return request->headers[i] + size + 2;
        }
    }
    return NULL;
}

/* ---- what is asked ---- */

static const struct sim_tool *tool_of(struct world *world, const char *url)
{
    size_t size = strcspn(url, "?");

    for (size_t i = 0; i < world->tool_count; i++) {
        const struct sim_tool *tool = &world->tools[i];

        if (tool->kind == SIM_HTTP && strlen(tool->url) == size && memcmp(tool->url, url, size) == 0) {
            return tool;
        }
    }
    return NULL;
}

static struct sim_server *server_of(struct world *world, const char *url)
{
    for (size_t i = 0; i < world->server_count; i++) {
        if (strcmp(world->servers[i].url, url) == 0) {
            return &world->servers[i];
        }
    }
    return NULL;
}

/* The arguments as the server reads them: of a query only the number. */
static struct recourse_span arguments_of(const struct recourse_http_request *request, const struct sim_call *call)
{
    const char *query = strchr(request->url, '?');
    unsigned number;

    if (request->body.data != NULL || call == NULL) {
        return request->body;
    }
    if (query != NULL && sscanf(query, "?n=%u", &number) == 1 && number == call->number) {
        return (struct recourse_span){call->arguments, call->arguments_size};
    }
    return (struct recourse_span){query != NULL ? query : "", query != NULL ? strlen(query) : 0};
}

static void reach_tool(struct recourse_transfer *transfer)
{
    struct world *world = transfer->world;
    const char *number = sim_header_of(transfer->request, "Recourse-Try");
    const char *key = sim_header_of(transfer->request, "Idempotency-Key");
    struct sim_call *call = world->current;
    struct recourse_span arguments = arguments_of(transfer->request, call);
    char bent[256];

    world->current = NULL;
    if (sim_is_broken(world, SIM_BROKEN_BODY) && arguments.size > 8 && arguments.size < sizeof bent &&
        sim_breaks(world, SIM_BROKEN_BODY)) {
        memcpy(bent, arguments.data, arguments.size);
        bent[arguments.size - 2] ^= 1;
        arguments.data = bent;
    }
    transfer->call = call;
    transfer->number = number != NULL ? (unsigned)strtoul(number, NULL, 10) : 0;
    if (sim_breaks(world, SIM_BROKEN_KEY)) {
        key = "00000000000000000000000000000000";
    }
    sim_touched(world, call, transfer->tool, arguments, key, transfer->number);
}

/* ---- how it goes on ---- */

static void end_exchange(struct recourse_transfer *transfer, bool sent)
{
    struct world *world = transfer->world;

    world->transfers--;
    if (transfer->tool != NULL) {
        sim_end(world, transfer->tool);
    }
    if (transfer->call != NULL && transfer->acts && sent) {
        sim_acted(world, transfer->call, transfer->number);
        if (transfer->answer.network != 0 && sim_breaks(world, SIM_BROKEN_RESEND)) {
            sim_acted(world, transfer->call, transfer->number);
        }
    }
}

static void free_transfer(struct recourse_transfer *transfer)
{
    free(transfer->body);
    free(transfer);
}

static bool is_streamed(const struct recourse_transfer *transfer)
{
    const struct recourse_http_request *request = transfer->request;

    if (request->data == NULL || transfer->answer.status < 200 || transfer->answer.status > 299) {
        return false;
    }
    for (size_t i = 0; i < transfer->header_count; i++) {
        if (strcasecmp(transfer->headers[i].name.data, "content-type") == 0) {
            return request->data_type == NULL || strcmp(transfer->headers[i].value.data, request->data_type) == 0;
        }
    }
    return request->data_type == NULL;
}

/* Once there is enough nothing that comes later counts. */
static void stream(const struct recourse_transfer *transfer, struct recourse_http_response *response)
{
    struct recourse_span body = response->body;

    response->body.size = 0;
    for (size_t at = 0; at < body.size;) {
        size_t left = body.size - at;
        size_t size = transfer->piece > 0 && transfer->piece < left ? transfer->piece : left;

        if (!transfer->request->data(transfer->user, body.data + at, size)) {
            response->network = 0;
            return;
        }
        at += size;
    }
}

static struct recourse_span text_of(const char *text)
{
    return (struct recourse_span){text != NULL ? text : "", text != NULL ? strlen(text) : 0};
}

static struct recourse_http_response response_of(const struct recourse_transfer *transfer)
{
    const struct sim_answer *answer = &transfer->answer;
    const struct world *world = transfer->world;
    bool sent = !answer->unsent && world->now_ms >= transfer->sent_ms;
    struct recourse_http_response response = {
        .sent = sent, .detail = "", .phrase = {"", 0}, .body = {"", 0}};

    if (transfer->expires) {
        response.timeout = RECOURSE_TIMEOUT_TOTAL;
        response.detail = "no answer in time";
        return response;
    }
    response.status = answer->status;
    response.network = answer->network;
    response.timeout = answer->timeout;
    response.protocol = answer->protocol;
    response.headers = transfer->headers;
    response.header_count = transfer->header_count;
    response.phrase = text_of(answer->phrase);
    response.body = transfer->body != NULL ? (struct recourse_span){transfer->body, transfer->body_size} : text_of(answer->body);
    response.detail = answer->network != 0 ? "the network failed" : "";
    response.wall_s = world->port.wall_s(world->port.self);
    return response;
}

/* The watcher knows what the runner should see, before it does. */
static void tell_watcher(const struct recourse_transfer *transfer)
{
    struct sim_call *call = transfer->call;

    if (call != NULL && transfer->tool->kind == SIM_HTTP) {
        call->http = transfer->expires ? 0 : transfer->answer.status;
        call->retry_ms = transfer->expires ? 0 : transfer->delay_ms;
    }
}

static void deliver(struct world *world, void *what)
{
    struct recourse_transfer *transfer = what;
    struct recourse_http_response response;

    if (transfer->gone || transfer->dropped) {
        if (transfer->gone) {
            free_transfer(transfer);
        }
        return;
    }
    response = response_of(transfer);
    end_exchange(transfer, world->now_ms >= transfer->sent_ms && !transfer->answer.unsent);
    tell_watcher(transfer);
    if (sim_breaks(world, SIM_BROKEN_INVENTS)) {
        response.status = response.status == 200 ? 503 : 200;
        response.network = 0;
    }
    if (response.body.size > 0 && is_streamed(transfer)) {
        stream(transfer, &response);
    }
    if (response.body.size > transfer->request->body_max ||
        (response.body.size > 0 && transfer->request->keep != NULL &&
         !transfer->request->keep(transfer->user, response.body.size))) {
        response.too_large = true;
        response.body.size = 0;
        response.detail = "the answer is over the bound";
    }
    transfer->done(transfer->user, &response);
    free_transfer(transfer);
}

bool sim_http_cancel(void *self, struct recourse_transfer *transfer)
{
    struct world *world = self;
    bool sent = !transfer->answer.unsent && world->now_ms >= transfer->sent_ms;

    end_exchange(transfer, sent);
    transfer->gone = true;
    if (transfer->dropped) {
        free_transfer(transfer);
    }
    return sent && !sim_is_broken(world, SIM_BROKEN_UNSENT);
}

/* ---- the start ---- */

static uint64_t latency(struct world *world)
{
    uint32_t kind = sim_below(&world->random, 100);

    return kind < 20 ? 0 : kind < 80 ? sim_below(&world->random, 300) : kind < 97 ? sim_below(&world->random, 5000)
                                                                                  : sim_below(&world->random, 130000);
}

static void draw_delay(struct recourse_transfer *transfer)
{
    static const uint16_t seconds[] = {1, 2, 5, 30, 59, 60, 61, 90, 3600};
    struct sim_random *random = &transfer->world->random;
    uint32_t delay = seconds[sim_below(random, sizeof seconds / sizeof seconds[0])];

    if (sim_chance(random, 300)) {
        delay = sim_between(random, 1, 60000);
        transfer->delay_ms = delay;
        snprintf(transfer->delay, sizeof transfer->delay, "%u", delay);
        sim_header_add(transfer, "Retry-After-Ms", transfer->delay);
    } else if (sim_chance(random, 200)) {
        sim_header_add(transfer, "retry-after", "soon");
    } else {
        transfer->delay_ms = 1000u * delay;
        snprintf(transfer->delay, sizeof transfer->delay, "%u", delay);
        sim_header_add(transfer, "Retry-After", transfer->delay);
    }
}

static void draw_answer(struct recourse_transfer *transfer)
{
    struct world *world = transfer->world;
    const struct sim_answer *answer = &transfer->answer;
    size_t size;

    transfer->answer = sim_answer_draw(world);
    if (answer->header != NULL) {
        sim_header_add(transfer, answer->header, answer->value);
    }
    if (answer->asks_to_wait) {
        draw_delay(transfer);
    }
    if (answer->status == 200 && sim_chance(&world->random, 10)) {
        size = sim_chance(&world->random, 500) ? 20000 : sim_below(&world->random, 3000);
        transfer->body = malloc(size + 1);
        if (transfer->body == NULL) {
            abort();
        }
        memset(transfer->body, 'x', size);
        transfer->body_size = size;
    }
}

static void set_times(struct recourse_transfer *transfer)
{
    struct world *world = transfer->world;
    const struct sim_answer *answer = &transfer->answer;
    uint64_t connect_ms = sim_chance(&world->random, 700) ? 0 : sim_below(&world->random, 200);
    uint64_t after_ms = answer->silent ? LONGEST_MS : connect_ms + latency(world);
    uint64_t due_ms = world->now_ms + after_ms;

    if (answer->silent) {
        transfer->answer.network = RECOURSE_NETWORK_CLOSED;
    }
    transfer->sent_ms = answer->unsent ? SIM_NEVER : world->now_ms + connect_ms;
    transfer->acts = answer->acts == SIM_ACTS_ALWAYS ||
                     (answer->acts == SIM_ACTS_MAYBE && sim_chance(&world->random, 500));
    if (sim_breaks(world, SIM_BROKEN_DROPS)) {
        transfer->dropped = true;
    } else if (transfer->request->deadline_ms < due_ms) {
        due_ms = transfer->request->deadline_ms > world->now_ms ? transfer->request->deadline_ms : world->now_ms;
        transfer->expires = true;
    }
    if (!transfer->dropped) {
        sim_after(world, due_ms - world->now_ms, deliver, transfer);
    }
}

int sim_http_start(void *self, const struct recourse_http_request *request,
                   void (*done)(void *user, const struct recourse_http_response *response), void *user,
                   struct recourse_transfer **out)
{
    struct world *world = self;
    struct sim_server *server = server_of(world, request->url);
    struct recourse_transfer *transfer;

    if (sim_chance(&world->random, 5)) {
        world->current = NULL;
        return RECOURSE_E_AGAIN; /* no room: nothing was sent */
    }
    transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) {
        abort();
    }
    transfer->world = world;
    transfer->request = request;
    transfer->done = done;
    transfer->user = user;
    world->transfers++;
    if (server != NULL) {
        sim_mcp_answer(transfer, server);
    } else {
        transfer->tool = tool_of(world, request->url);
        if (transfer->tool == NULL) {
            sim_fail(world, SIM_REQUEST, "a request to %s, where no tool is", request->url);
        } else {
            sim_begin(world, transfer->tool);
        }
        reach_tool(transfer);
        draw_answer(transfer);
    }
    set_times(transfer);
    *out = transfer;
    return 0;
}
