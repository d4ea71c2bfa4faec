/* One message to a server, by whatever transport it has. */
#include "src/tools/mcp.h"

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
