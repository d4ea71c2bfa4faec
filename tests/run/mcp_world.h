/* What the tests of MCP over real sockets share: a scripted server over HTTP, and a runner that judges it by `pageindex`. */
#ifndef RCS_MCP_WORLD_H
#define RCS_MCP_WORLD_H

#include "tests/run/mcp_turn.h"
#include "tests/server/mcp.h"

struct world {
    struct rcs_faulty *http;
    struct rcs_mcp *mcp;
    struct recourse_port *port;
    struct recourse_runner *runner;
    struct recourse_run *run;
};

static inline void script(struct world *world, const char *what, const char *text)
{
    char why[256] = "";

    if (!rcs_mcp_script(world->mcp, what, text, why, sizeof why)) {
        fprintf(stderr, "%s: %s: %s\n", what, text, why);
        CU_FAIL("the script is none");
    }
}

/* A scripted server with the tool `find`, and a runner that knows it. `settings` of the server; NULL: none. */
static inline void open_impatient(struct world *world, const char *settings, const char *tool, uint64_t read_timeout_ms)
{
    struct recourse_port_options port_options = {.size = sizeof port_options};
    struct recourse_runner_options options = {.size = sizeof options, .policy = recourse_policy_builtin("pageindex")};
    struct recourse_mcp_server server = {.size = sizeof server, .name = "pages", .read_timeout_ms = read_timeout_ms};
    char url[64];

    memset(world, 0, sizeof *world);
    world->http = rcs_faulty_new();
    CU_ASSERT_PTR_NOT_NULL_FATAL(world->http);
    world->mcp = rcs_mcp_new(world->http, "/mcp");
    CU_ASSERT_PTR_NOT_NULL_FATAL(world->mcp);
    if (settings != NULL) {
        script(world, "@server", settings);
    }
    script(world, "find", tool);
    RCS_EQUAL(rcs_faulty_start(world->http), 0);
    RCS_EQUAL(recourse_port_new(&port_options, &world->port, NULL), 0);
    options.port = world->port;
    RCS_EQUAL(recourse_runner_new(&options, &world->runner, NULL), 0);
    RCS_EQUAL(recourse_run_new(world->runner, &world->run), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/mcp", rcs_faulty_port(world->http));
    server.url = url;
    RCS_EQUAL(recourse_runner_add_mcp_server(world->runner, &server, NULL), 0);
}

static inline void open_world(struct world *world, const char *settings, const char *tool)
{
    open_impatient(world, settings, tool, 0);
}

static inline void close_world(struct world *world)
{
    recourse_runner_free(world->runner);
    recourse_port_free(world->port);
    rcs_faulty_stop(world->http);
    rcs_mcp_free(world->mcp);
    rcs_faulty_free(world->http);
}

/* One call of `find`, to its end. */
static inline struct recourse_turn *call(struct world *world)
{
    const struct recourse_call_request request = {.id = {"c1", 2}, .name = {"find", 4}, .arguments = {"{\"n\":1}", 7}};
    struct recourse_turn_options options = {.size = sizeof options, .calls = &request, .call_count = 1};
    struct recourse_turn *turn = NULL;

    RCS_EQUAL(recourse_turn_start(world->run, &options, &turn, NULL), 0);
    finish(world->runner, turn);
    return turn;
}

#endif
