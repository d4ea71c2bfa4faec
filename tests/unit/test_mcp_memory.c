/* The MCP client when memory fails: whichever allocation it is, each call has one result, and nothing stays behind. */
#include "tests/unit/mcp_client_kit.h"
#include "tests/unit/purse.h"
#include "tests/unit/sim_process.h"

#define FORM "{\"mode\":\"form\",\"requestedSchema\":{\"properties\":{\"n\":{\"type\":\"integer\",\"default\":7}}}}"
#define ASKS \
    "{\"resultType\":\"input_required\",\"requestState\":\"s\",\"inputRequests\":{\"f\":{\"method\":\"elicitation/create\"," \
    "\"params\":" FORM "}}}"
#define REFUSAL(id, code, data) "{" MCP_ID(id) ",\"error\":{\"code\":" #code ",\"message\":\"m\",\"data\":" data "}}"
#define TOOLS(id) MCP_RESULT(id, "{\"tools\":[" MCP_TOOL("find") "]}")
#define HELLO(id) MCP_RESULT(id, "{\"protocolVersion\":\"2025-06-18\"}")
#define MARKED "{\"name\":\"find\",\"inputSchema\":{\"properties\":{\"r\":{\"type\":\"string\",\"x-mcp-header\":\"R\"}}}}"
#define PAGE(id) MCP_RESULT(id, "{\"tools\":[" MCP_TOOL("find") "],\"nextCursor\":\"c\"}")
#define DISCOVERED MCP_RESULT(1, "{\"supportedVersions\":[\"2026-07-28\"]}")

/* ---- over HTTP ---- */

/* Servers by what they answer, one POST after the other. */
static const struct {
    const char *name;
    struct sim_answer posts[9];
    struct sim_answer get; /* the stream beside */
} paths[] = {
    {"a server that knows no probe",
     {{.status = 404, .after_ms = 1}, MCP_IN_SESSION(HELLO(2)), MCP_ACCEPTED, MCP_JSON(TOOLS(3)), MCP_JSON(MCP_RESULT(4, MCP_TEXT("found")))},
     {.after_ms = 0}},
    {"pages, a question on the call's stream, an error",
     {{.status = 400, .after_ms = 1}, MCP_IN_SESSION(HELLO(2)), MCP_ACCEPTED, MCP_JSON(PAGE(3)), MCP_JSON(TOOLS(4)),
      MCP_STREAM(MCP_EVENT("{" MCP_ID(0) ",\"method\":\"elicitation/create\",\"params\":" FORM "}") MCP_EVENT(REFUSAL(5, -32602, "{}"))),
      MCP_ACCEPTED},
     MCP_STREAM("id: g\n" MCP_EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"))},
    {"a session that is lost",
     {{.status = 405, .after_ms = 1}, MCP_IN_SESSION(HELLO(2)), MCP_ACCEPTED, MCP_JSON(TOOLS(3)), {.status = 404, .after_ms = 1},
      MCP_IN_SESSION(HELLO(5)), MCP_ACCEPTED, MCP_JSON(MCP_RESULT(6, MCP_TEXT("found")))},
     {.after_ms = 0}},
    {"a stream that is read on",
     {{.status = 404, .after_ms = 1}, MCP_IN_SESSION(HELLO(2)), MCP_ACCEPTED, MCP_JSON(TOOLS(3)), MCP_STREAM("id: e1\nretry: 5\ndata:\n\n")},
     MCP_STREAM("id: e2\n" MCP_EVENT(MCP_RESULT(4, MCP_TEXT("found"))))},
    {"rounds with forms, and parameters as headers",
     {MCP_JSON(DISCOVERED), MCP_JSON(MCP_RESULT(2, "{\"tools\":[" MARKED "]}")), MCP_JSON(MCP_RESULT(3, ASKS)),
      MCP_JSON(MCP_RESULT(4, MCP_TEXT("found")))},
     {.after_ms = 0}},
    {"a round, and then a version that is refused",
     {MCP_JSON(DISCOVERED), MCP_JSON(TOOLS(2)), MCP_JSON(MCP_RESULT(3, ASKS)), MCP_JSON(REFUSAL(4, -32022, "{\"supported\":[\"2025-06-18\"]}")),
      MCP_IN_SESSION(HELLO(5)), MCP_ACCEPTED, MCP_JSON(MCP_RESULT(6, MCP_TEXT("found")))},
     {.after_ms = 0}},
};

/* Lists and calls once, with `left` allocations. Returns whether that was enough. */
static bool run_http(size_t path, unsigned left)
{
    struct purse purse = {100000, 0};
    const struct recourse_allocator allocator = purse_allocator(&purse);
    struct recourse_turn *turn = NULL;
    struct recourse_mcp_server server;
    struct mcp_kit mcp;
    char url[64];
    bool whole;

    mcp_open_within(&mcp, &allocator);
    mcp.kit.policy.policy.settings.rounds = 2;
    mcp.kit.policy.policy.settings.resumes = 2;
    sim_route(&mcp.kit.sim, "http://s/", paths[path].posts, RCS_COUNT(paths[path].posts));
    sim_route(&mcp.kit.sim, "GET http://s/", &paths[path].get, 1);
    server = mcp_server("s", url);
    server.era = RECOURSE_MCP_ERA_AUTO;
    server.elicit_defaults = true;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &server, NULL), 0);
    purse.left = left;
    if (recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL) == 0) {
        kit_finish(&mcp.kit, turn);
    }
    if (recourse_runner_tools_ready(mcp.kit.runner)) {
        struct recourse_call_request request = kit_call("1", "find", "{\"r\":\"\\u00e4\"}");
        struct recourse_turn_options options = kit_turn(&mcp.kit, &request, 1);

        if (recourse_turn_start(mcp.kit.run, &options, &turn, NULL) == 0) {
            kit_finish(&mcp.kit, turn);
            CU_ASSERT_PTR_NOT_NULL(recourse_turn_result(turn, 0));
        }
    }
    whole = purse.left > 0;
    purse.left = left % 2 == 0 ? 100000 : 0; /* its end needs none */
    mcp_close(&mcp);
    RCS_EQUAL(purse.out, 0);
    return whole;
}

static void test_http(void)
{
    for (size_t i = 0; i < RCS_COUNT(paths); i++) {
        unsigned failed = CU_get_number_of_failures();
        unsigned left = 0;

        while (left < 1000 && !run_http(i, left)) {
            left++;
        }
        CU_ASSERT_TRUE(left > 40 && left < 1000);
        if (CU_get_number_of_failures() != failed) {
            fprintf(stderr, "in: %s\n", paths[i].name);
        }
    }
}

/* ---- programs ---- */

static struct sim_process program;
static unsigned way; /* 0: a legacy one that asks; 1: a modern one that asks back; 2: one that ends of the probe */

static void say(struct sim_process *process, int id, const char *kind, const char *value)
{
    char text[1024];

    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"%s\":%s}\n", id, kind, value);
    sim_process_say(process, text);
}

static void answer(struct sim_process *process, const char *line)
{
    const char *id = strstr(line, "\"id\":");
    const char *method = strstr(line, "\"method\":\"");
    int number = id != NULL ? atoi(id + 5) : 0;

    method = method != NULL ? method + 10 : "";
    if (strncmp(method, "server/discover", 15) == 0 && way == 2) {
        sim_process_die(process, 1, 0);
    } else if (strncmp(method, "server/discover", 15) == 0) {
        say(process, number, way == 1 ? "result" : "error",
            way == 1 ? "{\"supportedVersions\":[\"2026-07-28\"]}" : "{\"code\":-32601,\"message\":\"m\"}");
    } else if (strncmp(method, "initialize\"", 11) == 0) {
        say(process, number, "result", "{\"protocolVersion\":\"2025-06-18\"}");
    } else if (strncmp(method, "tools/list", 10) == 0) {
        say(process, number, "result", "{\"tools\":[" MCP_TOOL("find") "]}");
    } else if (strncmp(method, "tools/call", 10) == 0 && way == 1 && strstr(line, "inputResponses") == NULL) {
        say(process, number, "result", ASKS);
    } else if (strncmp(method, "tools/call", 10) == 0) {
        say(process, 0, "method", "\"elicitation/create\",\"params\":" FORM);
        sim_process_say(process, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\nno message\n");
        say(process, number, way == 0 ? "error" : "result", way == 0 ? "{\"code\":-32601,\"message\":\"m\"}" : MCP_TEXT("found"));
    }
}

static bool run_program(unsigned left)
{
    static const char *const command[] = {"srv", NULL};
    const struct recourse_mcp_server config = {.size = sizeof config, .name = "s", .command = command, .elicit_defaults = true};
    struct purse purse = {100000, 0};
    const struct recourse_allocator allocator = purse_allocator(&purse);
    struct recourse_turn *turn = NULL;
    struct mcp_kit mcp;
    bool whole;

    mcp_open_within(&mcp, &allocator);
    mcp.kit.policy.policy.settings.rounds = 2;
    mcp.kit.policy.policy.settings.try_timeout_ms = 8000;
    sim_process_init(&program, &mcp.kit.sim);
    program.line = answer;
    program.piece = 64;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, NULL), 0);
    purse.left = left;
    if (recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL) == 0) {
        kit_finish(&mcp.kit, turn);
    }
    if (recourse_runner_tools_ready(mcp.kit.runner)) {
        struct recourse_call_request request = kit_call("1", "find", "{}");
        struct recourse_turn_options options = kit_turn(&mcp.kit, &request, 1);

        if (recourse_turn_start(mcp.kit.run, &options, &turn, NULL) == 0) {
            kit_finish(&mcp.kit, turn);
            CU_ASSERT_PTR_NOT_NULL(recourse_turn_result(turn, 0));
        }
    }
    whole = purse.left > 0;
    purse.left = left % 2 == 0 ? 100000 : 0;
    mcp_close(&mcp);
    RCS_EQUAL(purse.out, 0);
    return whole;
}

static void test_programs(void)
{
    for (way = 0; way < 3; way++) {
        unsigned left = 0;

        while (left < 1000 && !run_program(left)) {
            left++;
        }
        CU_ASSERT_TRUE(left > 30 && left < 1000);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"http", test_http},
        {"programs", test_programs},
    };

    return rcs_unit_main("mcp_memory", tests, RCS_COUNT(tests));
}
