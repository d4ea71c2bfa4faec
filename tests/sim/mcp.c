/* MCP servers over HTTP: sessions that are lost, streams that are cut or read on, answers that come twice or are another's. */
#include "tests/sim/exchange.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY_MAX 2048u
#define RESULT "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"result\":%s}"
#define ERROR "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"error\":{\"code\":%d,\"message\":\"no\"}}"
#define TEXT(text) "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

static RECOURSE_PRINTF(2, 3) void put(struct recourse_transfer *transfer, const char *format, ...)
{
    va_list list;

    if (transfer->body == NULL) {
        transfer->body = calloc(1, BODY_MAX);
        if (transfer->body == NULL) {
            abort();
        }
    }
    va_start(list, format);
    transfer->body_size +=
        (size_t)vsnprintf(transfer->body + transfer->body_size, BODY_MAX - transfer->body_size, format, list);
    va_end(list);
}

/* ---- what is asked ---- */

static const char *body_of(const struct recourse_transfer *transfer, char text[BODY_MAX])
{
    struct recourse_span body = transfer->request->body;

    snprintf(text, BODY_MAX, "%.*s", (int)body.size, body.data != NULL ? body.data : "");
    return text;
}

static int64_t id_of(const char *body)
{
    const char *at = strstr(body, "\"id\":");

    return at != NULL ? strtoll(at + 5, NULL, 10) : 0;
}

static bool is_method(const char *body, const char *name)
{
    const char *at = strstr(body, "\"method\":\"");

    return at != NULL && strncmp(at + 10, name, strlen(name)) == 0 && at[10 + strlen(name)] == '"';
}

static const struct sim_tool *tool_called(const struct recourse_transfer *transfer, const char *body)
{
    const char *at = strstr(body, "\"params\":{\"name\":\"");
    size_t size = at != NULL ? strcspn(at + 18, "\"") : 0;

    for (size_t i = 0; at != NULL && i < transfer->world->tool_count; i++) {
        const struct sim_tool *tool = &transfer->world->tools[i];

        if (tool->kind == SIM_MCP && strlen(tool->name) == size && memcmp(tool->name, at + 18, size) == 0) {
            return tool;
        }
    }
    return NULL;
}

/* Which call it is stands in its arguments. */
static void reach_tool(struct recourse_transfer *transfer, const char *body)
{
    struct world *world = transfer->world;
    const char *number = sim_header_of(transfer->request, "Recourse-Try");
    const char *at = strstr(body, "\"arguments\":");
    struct recourse_span arguments = {at != NULL ? at + 12 : "", 0};
    struct sim_call *call =
        strncmp(arguments.data, "{\"n\":", 5) == 0 ? sim_call_at(world, (uint32_t)strtoul(arguments.data + 5, NULL, 10)) : NULL;

    transfer->tool = tool_called(transfer, body);
    transfer->call = call;
    transfer->number = number != NULL ? (unsigned)strtoul(number, NULL, 10) : 0;
    arguments.size = strlen(arguments.data);
    if (call != NULL && call->arguments_size < arguments.size) {
        arguments.size = call->arguments_size;
    }
    if (transfer->tool != NULL) {
        sim_begin(world, transfer->tool);
    }
    sim_touched(world, call, transfer->tool, arguments, sim_header_of(transfer->request, "Idempotency-Key"),
                transfer->number);
}

/* ---- what is answered ---- */

static void say_status(struct recourse_transfer *transfer, uint16_t status)
{
    transfer->answer = (struct sim_answer){.status = status};
}

static void say_json(struct recourse_transfer *transfer)
{
    transfer->answer = (struct sim_answer){.status = 200, .acts = SIM_ACTS_ALWAYS};
    sim_header_add(transfer, "Content-Type", "application/json");
}

/* A stream: what else there is to say, another's answer, this one, this one again; and where it is cut. */
static void say_stream(struct recourse_transfer *transfer, int64_t id, bool again)
{
    struct sim_random *random = &transfer->world->random;

    transfer->answer = (struct sim_answer){.status = 200, .acts = SIM_ACTS_ALWAYS};
    sim_header_add(transfer, "Content-Type", "text/event-stream");
    transfer->piece = sim_chance(random, 300) ? sim_between(random, 1, 40) : 0;
    if (sim_chance(random, 500)) {
        put(transfer, "id: e%" PRId64 "\ndata:\n\n: alive\n\n", id);
    }
    if (sim_chance(random, 300)) {
        put(transfer, "data: " RESULT "\n\n", id + 1000, TEXT("of another"));
    }
    if (!again && sim_chance(random, 300)) {
        transfer->answer.network = sim_chance(random, 500) ? RECOURSE_NETWORK_RESET : RECOURSE_NETWORK_NONE;
        return;
    }
    put(transfer, "event: message\ndata: " RESULT "\n\n", id, TEXT("streamed"));
    if (sim_chance(random, 300)) {
        put(transfer, "data: " RESULT "\n\n", id, TEXT("twice"));
    }
}

static void answer_call(struct recourse_transfer *transfer, int64_t id)
{
    struct sim_random *random = &transfer->world->random;

    if (sim_chance(random, transfer->world->trouble)) {
        switch (sim_below(random, 5)) {
        case 0:
            say_json(transfer);
            put(transfer, RESULT, id, "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"rate limit\"}]}");
            break;
        case 1:
            say_json(transfer);
            transfer->answer.acts = SIM_ACTS_NEVER;
            put(transfer, ERROR, id, sim_chance(random, 500) ? -32602 : -32050);
            break;
        case 2:
            say_json(transfer);
            put(transfer, RESULT, id + 7, TEXT("of another")); /* no answer to this */
            break;
        default:
            transfer->answer = sim_answer_draw(transfer->world);
            break;
        }
    } else if (sim_chance(random, 400)) {
        say_stream(transfer, id, false);
    } else {
        say_json(transfer);
        put(transfer, RESULT, id, TEXT("found"));
    }
}

static void answer_list(struct recourse_transfer *transfer, const struct sim_server *server, int64_t id)
{
    const char *before = "";

    say_json(transfer);
    put(transfer, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"result\":{\"tools\":[", id);
    for (size_t i = 0; i < transfer->world->tool_count; i++) {
        const struct sim_tool *tool = &transfer->world->tools[i];

        if (tool->kind == SIM_MCP && strcmp(tool->url, server->url) == 0) {
            put(transfer, "%s{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}", before, tool->name);
            before = ",";
        }
    }
    put(transfer, "]}}");
}

static void answer_hello(struct recourse_transfer *transfer, struct sim_server *server, int64_t id)
{
    say_json(transfer);
    put(transfer, RESULT, id, "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\"}}");
    if (server->sessions) {
        snprintf(transfer->session, sizeof transfer->session, "s-%u", ++server->session);
        sim_header_add(transfer, "Mcp-Session-Id", transfer->session);
    }
}

static bool knows_session(struct recourse_transfer *transfer, struct sim_server *server)
{
    const char *named = sim_header_of(transfer->request, "Mcp-Session-Id");

    if (named == NULL || !server->sessions) {
        return true;
    }
    if (sim_chance(&transfer->world->random, transfer->world->trouble / 8)) {
        server->session++; /* it forgets */
    }
    return strtoul(named + 2, NULL, 10) == server->session;
}

void sim_mcp_answer(struct recourse_transfer *transfer, struct sim_server *server)
{
    struct world *world = transfer->world;
    const char *seen = sim_header_of(transfer->request, "Last-Event-ID");
    char text[BODY_MAX];
    const char *body = body_of(transfer, text);
    int64_t id = id_of(body);
    bool known = knows_session(transfer, server);

    if (is_method(body, "tools/call")) {
        reach_tool(transfer, body);
    }
    if (!known) {
        say_status(transfer, 404);
    } else if (is_method(body, "tools/call")) {
        answer_call(transfer, id);
    } else if (strcmp(transfer->request->method, "POST") != 0) {
        say_status(transfer, transfer->request->method[0] == 'G' ? 405 : 200);
        if (seen != NULL && seen[0] == 'e' && sim_chance(&world->random, 600)) {
            say_stream(transfer, strtoll(seen + 1, NULL, 10), true);
        }
    } else if (id == 0) {
        say_status(transfer, 202);
    } else if (sim_chance(&world->random, world->trouble / 2)) {
        transfer->answer = sim_answer_draw(world);
    } else if (is_method(body, "tools/list")) {
        answer_list(transfer, server, id);
    } else if (is_method(body, "initialize")) {
        answer_hello(transfer, server, id);
    } else {
        say_json(transfer);
        put(transfer, ERROR, id, -32601);
    }
}
