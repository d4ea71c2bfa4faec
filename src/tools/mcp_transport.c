/* One message to a server, by whatever transport it has. */
#include "src/tools/mcp.h"

#include <string.h>

#include "src/core/text.h"

#define NOTE_MAX 400u

int rcs_mcp_post(struct rcs_mcp_server *server, struct rcs_mcp_order *order, struct rcs_mcp_exchange **exchange)
{
    return server->transport->post(server, order, exchange);
}

bool rcs_mcp_post_cancel(struct rcs_mcp_server *server, struct rcs_mcp_exchange *exchange)
{
    return server->transport->cancel(exchange);
}

uint64_t rcs_mcp_post_generation(const struct rcs_mcp_server *server, const struct rcs_mcp_exchange *exchange)
{
    return server->transport->generation(exchange);
}

void rcs_mcp_post_loose(struct rcs_mcp_server *server, struct rcs_buffer *body)
{
    server->transport->post_loose(server, body);
}

void rcs_mcp_post_clear(struct rcs_mcp_server *server)
{
    server->transport->clear(server);
}

void rcs_mcp_body_init(const struct rcs_mcp_server *server, struct rcs_buffer *body)
{
    rcs_buffer_init(body, server->host->allocator, SIZE_MAX / 2);
}

void rcs_mcp_read_error(struct rcs_buffer *text, const struct rcs_mcp_message *message, struct recourse_span body,
                        struct recourse_facts *facts)
{
    facts->has_rpc = true;
    facts->rpc = message->code;
    facts->json = message->data.size > 0 ? message->data : body;
    facts->text = body;
    if (message->message.size > 2 && rcs_mcp_put_string(text, message->message) == 0) {
        facts->text = rcs_buffer_span(text);
    }
}

void rcs_mcp_tell(const struct rcs_mcp_server *server, struct recourse_span text)
{
    const struct rcs_tool_host *host = server->host;
    const char *name = server->config.name;
    char line[NOTE_MAX] = "";

    if (host->note != NULL) {
        rcs_text_reason(text, UINT32_MAX, line, sizeof line - 1);
        host->note(host->note_user, (struct recourse_span){name, strlen(name)}, (struct recourse_span){line, strlen(line)});
    }
}
