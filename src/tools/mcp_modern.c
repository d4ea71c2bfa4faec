/* The modern era (2026-07-28): what requests bear instead of a session, and the rounds of a call. */
#include "src/tools/mcp.h"

#include <stdio.h>
#include <string.h>

bool rcs_mcp_is_modern(const struct rcs_mcp_server *server)
{
    return server->era == RECOURSE_MCP_ERA_MODERN;
}

static const char *capabilities_of(const struct rcs_mcp_server *server)
{
    return server->config.elicit_defaults ? "{\"elicitation\":{\"form\":{}}}" : "{}";
}

struct rcs_mcp_meta rcs_mcp_meta_of(const struct rcs_mcp_server *server, const char *key, unsigned number)
{
    struct rcs_mcp_meta meta = {.key = key, .number = number};

    if (rcs_mcp_is_modern(server)) {
        meta.version = RCS_MCP_MODERN_VERSION;
        meta.capabilities = capabilities_of(server);
    }
    return meta;
}

/* Of a header line as this client writes them. */
static const char *value_of(const char *line)
{
    const char *colon = strstr(line, ": ");

    return colon != NULL ? colon + 2 : "";
}

void rcs_mcp_note_request(const struct rcs_mcp_server *server, int64_t id, struct rcs_try_trace *trace)
{
    const char *session = server->session != NULL ? value_of(server->session) : "";

    trace->request_id = id;
    snprintf(trace->version, sizeof trace->version, "%s", value_of(server->version));
    snprintf(trace->session, sizeof trace->session, "%s", strlen(session) <= RCS_MCP_SESSION_MAX ? session : "");
}

int rcs_mcp_modern_probe(const struct rcs_mcp_server *server, struct rcs_mcp_order *order)
{
    const struct rcs_mcp_meta meta = {.version = RCS_MCP_MODERN_VERSION, .capabilities = capabilities_of(server)};
    const struct recourse_span none = {NULL, 0};
    int code;

    rcs_mcp_body_init(server, &order->body);
    rcs_mcp_body_init(server, &order->headers);
    code = rcs_mcp_put_discover(&order->body, order->id, &meta);
    code = code == 0 ? rcs_mcp_put_headers(server, "server/discover", NULL, none, &order->headers) : code;
    if (code != 0) {
        rcs_buffer_clear(&order->body);
        rcs_buffer_clear(&order->headers);
    }
    return code;
}

/* ---- headers ---- */

static struct recourse_span schema_of(struct recourse_span tool)
{
    return rcs_json_trim(rcs_json_member(tool, "inputSchema"));
}

/* What the server says of the tool now. */
static struct recourse_span schema_now(const struct rcs_mcp_server *server, const struct rcs_tool *tool)
{
    for (const struct rcs_mcp_page *page = server->relisted; page != NULL; page = page->next) {
        struct recourse_span key;
        struct recourse_span value;
        size_t at = 0;

        while (rcs_json_next((struct recourse_span){page->tools, page->size}, &at, &key, &value)) {
            struct recourse_span name = rcs_json_trim(rcs_json_member(rcs_json_trim(value), "name"));

            if (rcs_json_type_of(name) == RCS_JSON_STRING && rcs_json_string_is(name, tool->remote, strlen(tool->remote))) {
                return schema_of(rcs_json_trim(value));
            }
        }
    }
    return schema_of(tool->listed);
}

int rcs_mcp_put_headers(const struct rcs_mcp_server *server, const char *method, const struct rcs_tool *tool,
                        struct recourse_span arguments, struct rcs_buffer *lines)
{
    int code;

    if (server->config.url == NULL) {
        return 0; /* no headers there */
    }
    code = rcs_mcp_params_put_line(lines, "Mcp-Method", (struct recourse_span){method, strlen(method)});
    if (code != 0 || tool == NULL) {
        return code;
    }
    code = rcs_mcp_params_put_line(lines, "Mcp-Name", (struct recourse_span){tool->remote, strlen(tool->remote)});
    return code == 0 ? rcs_mcp_params_put(lines, schema_now(server, tool), arguments) : code;
}

/* ---- rounds ---- */

void rcs_mcp_round_init(const struct rcs_mcp_server *server, struct rcs_mcp_round *round)
{
    round->count = 0;
    rcs_mcp_body_init(server, &round->responses);
    rcs_mcp_body_init(server, &round->state);
}

void rcs_mcp_round_clear(struct rcs_mcp_round *round)
{
    rcs_buffer_clear(&round->responses);
    rcs_buffer_clear(&round->state);
}

/* One answer to what is asked. RECOURSE_E_NOT_FOUND: it is nothing that is answered here. */
static int put_response(const struct rcs_mcp_server *server, struct recourse_span request, struct rcs_buffer *out)
{
    struct recourse_span method = rcs_json_trim(rcs_json_member(request, "method"));

    if (rcs_json_type_of(method) != RCS_JSON_STRING || !rcs_json_string_is(method, "elicitation/create", 18)) {
        return RECOURSE_E_NOT_FOUND;
    }
    return server->config.elicit_defaults ? rcs_mcp_put_elicited(out, rcs_json_trim(rcs_json_member(request, "params")))
                                          : rcs_buffer_append_text(out, "{\"action\":\"decline\"}");
}

static int put_responses(const struct rcs_mcp_server *server, struct recourse_span requests, struct rcs_buffer *out)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;
    int code = 0;

    while (code == 0 && rcs_json_next(requests, &at, &key, &value)) {
        code = rcs_buffer_append_byte(out, out->size == 0 ? '{' : ',');
        code = code == 0 ? rcs_buffer_append(out, key.data, key.size) : code;
        code = code == 0 ? rcs_buffer_append_byte(out, ':') : code;
        code = code == 0 ? put_response(server, rcs_json_trim(value), out) : code;
    }
    if (code == 0 && out->size == 0) {
        code = rcs_buffer_append_byte(out, '{');
    }
    return code == 0 ? rcs_buffer_append_byte(out, '}') : code;
}

const char *rcs_mcp_round_next(const struct rcs_mcp_server *server, struct rcs_mcp_round *round,
                               struct recourse_span result, unsigned rounds_max)
{
    struct recourse_span requests = rcs_json_trim(rcs_json_member(result, "inputRequests"));
    struct recourse_span state = rcs_json_trim(rcs_json_member(result, "requestState"));
    bool asks = rcs_json_type_of(requests) == RCS_JSON_OBJECT;
    int code = 0;

    if ((requests.size > 0 && !asks) || (state.size > 0 && rcs_json_type_of(state) != RCS_JSON_STRING) ||
        (!asks && state.size == 0)) {
        return "the server asks back, but not for anything that the protocol knows";
    }
    if (round->count >= rounds_max) {
        return rounds_max == 0 ? "the server asks back before it answers, and the policy allows no rounds"
                               : "the server asks back again and again: the policy's rounds are used up";
    }
    rcs_buffer_reset(&round->responses);
    rcs_buffer_reset(&round->state);
    round->count++;
    code = rcs_buffer_append(&round->state, state.data, state.size);
    if (code == 0 && asks) {
        code = put_responses(server, requests, &round->responses);
    }
    if (code == RECOURSE_E_NOT_FOUND) {
        return "the server asks back for something that is not offered here";
    }
    return code != 0 ? "no memory for what the server asks back" : NULL;
}
