/*
 * The end: servers are told what is not waited for any more, and that their sessions are over, by a DELETE. All of them at
 * once, and for a short time at most.
 */
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

/* What is on its way to a server that nobody waits for: `notifications/cancelled`, above all. */
static bool on_the_way(const void *servers)
{
    const struct rcs_mcp_server *server = servers;

    while (server != NULL && (server->transport != &rcs_mcp_over_http || server->loose == NULL)) {
        server = server->next;
    }
    return server != NULL;
}

static bool some_left(const void *left)
{
    return *(const size_t *)left > 0;
}

static void wait(struct recourse_port *port, bool (*goes_on)(const void *what), const void *what)
{
    uint64_t until_ms = port->now_ms(port->self) + END_MS;

    for (unsigned polls = 0; goes_on(what) && polls < POLLS_MAX; polls++) {
        uint64_t now_ms = port->now_ms(port->self);

        if (now_ms >= until_ms || port->poll(port->self, until_ms - now_ms) != 0) {
            return;
        }
    }
}

static size_t clear_all(struct rcs_mcp_server *first)
{
    size_t sessions = 0;

    for (struct rcs_mcp_server *server = first; server != NULL; server = server->next) {
        rcs_mcp_post_clear(server); /* so that nothing else of theirs comes in meanwhile */
        sessions += has_session(server);
    }
    return sessions;
}

void rcs_mcp_servers_end(struct rcs_mcp_server *first)
{
    struct farewell *farewells;
    struct recourse_port *port;
    size_t count;
    size_t left = 0;

    if (first == NULL) {
        return;
    }
    port = first->host->port;
    wait(port, on_the_way, first);
    count = clear_all(first);
    farewells = count > 0 ? rcs_alloc_zero(first->host->allocator, count * sizeof *farewells) : NULL;
    if (farewells == NULL) {
        return;
    }
    count = 0;
    for (const struct rcs_mcp_server *server = first; server != NULL; server = server->next) {
        if (has_session(server)) {
            farewells[count] = (struct farewell){.server = server, .left = &left};
            begin(&farewells[count++], port->now_ms(port->self) + END_MS);
        }
    }
    wait(port, some_left, &left);
    for (size_t i = 0; i < count; i++) {
        rcs_mcp_get_clear(&farewells[i].get, farewells[i].server);
    }
    rcs_free(first->host->allocator, farewells);
}
