/* MCP servers whose stream of events never ends: what floods it holds up no deadline, and is not kept. */
#include <recourse/runner.h>

#include "tests/run/load.h"
#include "tests/server/mcp.h"
#include "tests/unit/unit.h"

#define BODY_MAX 65536u
#define SECONDS_MAX 30u
#define SCRIPT_MAX 1024u

/* What comes on the stream of the call: once, and then again and again. */
static const struct {
    const char *what;
    const char *once;
    const char *again;
    const char *failure;
    uint16_t http; /* 0: its time was over */
} cases[] = {
    {"comments", "", ": alive\n", "no_answer", 0},
    {"empty lines", "", "\n\n\n\n", "no_answer", 0},
    {"pings", "", "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}\n\n", "no_answer", 0},
    {"questions", "", "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"roots/list\"}\n\n", "no_answer", 0},
    {"changes", "", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n", "no_answer", 0},
    {"progress of others", "",
     "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":12345,\"progress\":1}}\n\n",
     "no_answer", 0},
    {"answers to others", "", "data: {\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}\n\n", "no_answer", 0},
    {"times to wait", "", "retry: 99\n\n", "no_answer", 0},
    {"no JSON", "", "data: {[\n\n", "no_answer", 0},
    {"one event", "", "data: xx\n", "too_large", 200},
    {"one line", "data: ", "xxxxxxxxxxxxxxxx", "too_large", 200},
    {"one id", "id: ", "xxxxxxxxxxxxxxxx", "no_answer", 0},
    {"one unknown field", "x", "xxxxxxxxxxxxxxxx", "no_answer", 0},
};

/* The words of the tool: a stream, and behind it one chunk after the other that are all the same. */
static void write_script(size_t index, char script[SCRIPT_MAX])
{
    size_t at = (size_t)snprintf(script, SCRIPT_MAX, "sse bytes='%s' stall endless='%zx\\r\\n", cases[index].once,
                                 strlen(cases[index].again));

    for (const char *byte = cases[index].again; *byte != '\0'; byte++) {
        const char one[2] = {*byte, '\0'};

        at += (size_t)snprintf(script + at, SCRIPT_MAX - at, "%s", *byte == '\n' ? "\\n" : one);
    }
    snprintf(script + at, SCRIPT_MAX - at, "\\r\\n'");
}

struct world {
    struct rcs_faulty *http;
    struct rcs_mcp *mcp;
    struct recourse_port *port;
    struct recourse_runner *runner;
    struct recourse_run *run;
};

static void open_world(struct world *world, const char *script)
{
    struct recourse_runner_options options = {
        .size = sizeof options, .policy = recourse_policy_builtin("default"), .body_max = BODY_MAX};
    struct recourse_mcp_server server = {.size = sizeof server, .name = "server", .timeout_ms = 400};
    char why[256] = "";
    char url[64];

    memset(world, 0, sizeof *world);
    world->http = rcs_faulty_new();
    CU_ASSERT_PTR_NOT_NULL_FATAL(world->http);
    world->mcp = rcs_mcp_new(world->http, "/mcp");
    CU_ASSERT_PTR_NOT_NULL_FATAL(world->mcp);
    CU_ASSERT_TRUE(rcs_mcp_script(world->mcp, "find", script, why, sizeof why));
    RCS_TEXT_EQUAL(why, "");
    RCS_EQUAL(rcs_faulty_start(world->http), 0);
    RCS_EQUAL(recourse_port_new(NULL, &world->port, NULL), 0);
    options.port = world->port;
    RCS_EQUAL(recourse_runner_new(&options, &world->runner, NULL), 0);
    RCS_EQUAL(recourse_run_new(world->runner, &world->run), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/mcp", rcs_faulty_port(world->http));
    server.url = url;
    RCS_EQUAL(recourse_runner_add_mcp_server(world->runner, &server, NULL), 0);
}

static void close_world(struct world *world)
{
    recourse_run_free(world->run);
    recourse_runner_free(world->runner);
    recourse_port_free(world->port);
    rcs_faulty_stop(world->http);
    rcs_mcp_free(world->mcp);
    rcs_faulty_free(world->http);
}

static void finish(const struct world *world, const struct recourse_turn *turn, size_t *most)
{
    uint64_t began = rcs_load_now_ms();

    while (!recourse_turn_done(turn) && rcs_load_now_ms() - began < 1000 * SECONDS_MAX) {
        size_t used;

        RCS_EQUAL(recourse_runner_step(world->runner, 100), 0);
        used = recourse_runner_memory(world->runner);
        *most = used > *most ? used : *most;
    }
    CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
}

static void run_case(size_t index)
{
    static const struct recourse_call_request request = {.id = {"c", 1}, .name = {"find", 4}, .arguments = {"{}", 2}};
    const struct recourse_turn_options options = {.size = sizeof options, .calls = &request, .call_count = 1};
    const struct recourse_result *result;
    struct recourse_turn *turn = NULL;
    char script[SCRIPT_MAX];
    struct world world;
    size_t most = 0;

    write_script(index, script);
    open_world(&world, script);
    RCS_EQUAL(recourse_run_list_tools(world.run, NULL, &turn, NULL), 0);
    finish(&world, turn, &most);
    recourse_turn_free(turn);
    most = 0;
    RCS_EQUAL(recourse_turn_start(world.run, &options, &turn, NULL), 0);
    finish(&world, turn, &most);
    result = recourse_turn_result(turn, 0);
    rcs_unit_text_equal(recourse_policy_event_name(result->policy, result->event), cases[index].failure, cases[index].what, __FILE__,
                        __LINE__);
    rcs_unit_equal(result->http, cases[index].http, cases[index].what, __FILE__, __LINE__);
    rcs_unit_equal(result->tries, 1, cases[index].what, __FILE__, __LINE__);
    rcs_unit_equal(result->effect, RECOURSE_EFFECT_UNKNOWN, cases[index].what, __FILE__, __LINE__);
    rcs_unit_equal(most <= 2 * BODY_MAX + 4096, true, cases[index].what, __FILE__, __LINE__);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/call"), 1);
    recourse_turn_free(turn);
    close_world(&world);
}

static void test_floods(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        run_case(i);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {{"streams without end", test_floods}};

    return rcs_unit_main_with_port("hostile_mcp", tests, RCS_COUNT(tests));
}
