/* Requests without a body: a stream of events is asked for, a session is ended. */
#include "src/tools/mcp_http.h"

#include <string.h>

#include "src/io/memory.h"

#define LAST_EVENT "Last-Event-ID: "
#define HEADERS_OWN 4u

size_t rcs_mcp_count_headers(const struct rcs_mcp_server *server)
{
    size_t count = 0;

    while (server->config.headers != NULL && server->config.headers[count] != NULL) {
        count++;
    }
    return count;
}

static bool is_set(const char *line)
{
    return line != NULL && line[0] != '\0';
}

/* The header lines; NULL: no memory. */
static const char **make_headers(const struct rcs_mcp_server *server, const struct rcs_mcp_get_order *order)
{
    size_t count = rcs_mcp_count_headers(server);
    size_t lines = count + HEADERS_OWN + 1;
    const char **headers =
        rcs_alloc(server->host->allocator, lines * sizeof(char *) + sizeof LAST_EVENT + order->last_event.size);
    char *text;

    if (headers == NULL) {
        return NULL;
    }
    text = (char *)(headers + lines);
    for (size_t i = 0; i < count; i++) {
        headers[i] = server->config.headers[i];
    }
    headers[count++] = "Accept: " RCS_MCP_EVENT_STREAM;
    if (is_set(order->version)) {
        headers[count++] = order->version;
    }
    if (is_set(order->session)) {
        headers[count++] = order->session;
    }
    if (order->last_event.size > 0) {
        memcpy(text, LAST_EVENT, sizeof LAST_EVENT - 1);
        memcpy(text + sizeof LAST_EVENT - 1, order->last_event.data, order->last_event.size);
        text[sizeof LAST_EVENT - 1 + order->last_event.size] = '\0';
        headers[count++] = text;
    }
    headers[count] = NULL;
    return headers;
}

int rcs_mcp_get_start(struct rcs_mcp_get *get, const struct rcs_mcp_server *server,
                      const struct rcs_mcp_get_order *order)
{
    struct recourse_port *port = server->host->port;
    const char **headers = make_headers(server, order);
    int code;

    if (headers == NULL) {
        return RECOURSE_E_MEMORY;
    }
    get->block = headers;
    get->request = (struct recourse_http_request){
        .method = order->method,
        .url = server->config.url,
        .headers = headers,
        .proxy = server->config.proxy,
        .ca_file = server->config.ca_file,
        .connect_timeout_ms = server->config.connect_timeout_ms,
        .deadline_ms = order->deadline_ms,
        .body_max = RECOURSE_TEXT_MAX, /* of an answer that is no stream */
        .keep = order->keep,
        .data = order->data,
        .data_type = RCS_MCP_EVENT_STREAM,
    };
    code = port->http_start(port->self, &get->request, order->done, order->user, &get->transfer);
    if (code != 0) {
        get->transfer = NULL;
        rcs_mcp_get_clear(get, server);
    }
    return code;
}

void rcs_mcp_get_clear(struct rcs_mcp_get *get, const struct rcs_mcp_server *server)
{
    struct recourse_port *port = server->host->port;

    if (get->transfer != NULL) {
        (void)port->http_cancel(port->self, get->transfer);
        get->transfer = NULL;
    }
    rcs_free(server->host->allocator, get->block);
    get->block = NULL;
}
