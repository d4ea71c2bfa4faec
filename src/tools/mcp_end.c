/* The end of sessions: servers are told by a DELETE, all at once and for a short time at most. */
#include "src/tools/mcp_http.h"

#include "src/io/memory.h"

#define END_MS 250u
#define POLLS_MAX 1000u

struct farewell {
    const struct rcs_mcp_server *server;
    struct rcs_mcp_get get;
    size_t *left;
};

static void told(void *user, const struct recourse_http_response *response)
{
    struct farewell *farewell = user;

    (void)response; /* 405 is as good as 200 */
    farewell->get.transfer = NULL;
    --*farewell->left;
}

static bool has_session(const struct rcs_mcp_server *server)
{
    return server->transport == &rcs_mcp_over_http && server->stage == RCS_MCP_OPEN && server->session != NULL;
}

static void begin(struct farewell *farewell, uint64_t until_ms)
{
    const struct rcs_mcp_get_order order = {
        .method = "DELETE",
        .session = farewell->server->session,
        .version = farewell->server->version,
        .deadline_ms = until_ms,
        .done = told,
        .user = farewell,
    };

    if (rcs_mcp_get_start(&farewell->get, farewell->server, &order) == 0) {
        ++*farewell->left;
    }
}

static void wait(struct recourse_port *port, const size_t *left, uint64_t until_ms)
{
    for (unsigned polls = 0; *left > 0 && polls < POLLS_MAX; polls++) {
        uint64_t now_ms = port->now_ms(port->self);

        if (now_ms >= until_ms || port->poll(port->self, until_ms - now_ms) != 0) {
            return;
        }
    }
}

void rcs_mcp_servers_end(struct rcs_mcp_server *first)
{
    struct farewell *farewells;
    struct recourse_port *port;
    uint64_t until_ms;
    size_t count = 0;
    size_t left = 0;

    for (struct rcs_mcp_server *server = first; server != NULL; server = server->next) {
        rcs_mcp_post_clear(server); /* so that nothing else of theirs comes in meanwhile */
        count += has_session(server);
    }
    farewells = count > 0 ? rcs_alloc_zero(first->host->allocator, count * sizeof *farewells) : NULL;
    if (farewells == NULL) {
        return;
    }
    port = first->host->port;
    until_ms = port->now_ms(port->self) + END_MS;
    count = 0;
    for (const struct rcs_mcp_server *server = first; server != NULL; server = server->next) {
        if (has_session(server)) {
            farewells[count] = (struct farewell){.server = server, .left = &left};
            begin(&farewells[count++], until_ms);
        }
    }
    wait(port, &left, until_ms);
    for (size_t i = 0; i < count; i++) {
        rcs_mcp_get_clear(&farewells[i].get, farewells[i].server);
    }
    rcs_free(first->host->allocator, farewells);
}
