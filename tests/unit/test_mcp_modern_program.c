/* The two eras of servers that are processes, on the simulated port. */
#include "tests/unit/mcp_client_kit.h"
#include "tests/unit/sim_process.h"

#define DISCOVERED "{\"supportedVersions\":[\"2026-07-28\"]}"
#define TOOLS "{\"tools\":[" MCP_TOOL("find") "]}"

/* How a server takes what it is sent. */
enum ways {
    MODERN = 0,
    DUAL = 1,       /* old versions only, by the words of the new */
    LEGACY = 2,     /* an error, as SDKs have it */
    SILENT = 3,     /* what it doesn't know it doesn't answer */
    FRAGILE = 4,    /* or it ends of it */
    LATE = 5,       /* modern, but slow to begin */
    REFUSING = 6    /* modern, and another version */
};

static struct mcp_kit mcp;
static struct sim_process server;
static enum ways way;
static bool answers_calls;
static char seen[1024]; /* methods, as they came */

static void say(struct sim_process *process, int id, const char *kind, const char *value)
{
    char text[1024];

    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"%s\":%s}\n", id, kind, value);
    sim_process_say(process, text);
}

static void discover(struct sim_process *process, int id)
{
    switch (way) {
    case MODERN:
        say(process, id, "result", DISCOVERED);
        break;
    case DUAL:
        say(process, id, "result", "{\"supportedVersions\":[\"2025-11-25\"]}");
        break;
    case LEGACY:
        say(process, id, "error", "{\"code\":-32601,\"message\":\"m\"}");
        break;
    case FRAGILE:
        sim_process_die(process, 1, 0);
        break;
    case REFUSING:
        say(process, id, "error", "{\"code\":-32022,\"message\":\"m\",\"data\":{\"supported\":[\"2026-07-28\"]}}");
        break;
    default:
        break;
    }
}

static void initialize(struct sim_process *process, int id)
{
    if (way == LATE) {
        say(process, id - 1, "result", DISCOVERED);
        say(process, id, "error", "{\"code\":-32022,\"message\":\"m\",\"data\":{\"supported\":[\"2026-07-28\"]}}");
    } else {
        say(process, id, "result", "{\"protocolVersion\":\"2025-06-18\"}");
    }
}

static void answer(struct sim_process *process, const char *line)
{
    const char *id = strstr(line, "\"id\":");
    const char *method = strstr(line, "\"method\":\"");
    int number = id != NULL ? atoi(id + 5) : 0;

    if (method == NULL) {
        return; /* the answer to a ping */
    }
    method += 10;
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%.*s", seen[0] != '\0' ? " " : "", (int)strcspn(method, "\""),
             method);
    if (strncmp(method, "server/discover", 15) == 0) {
        discover(process, number);
    } else if (strncmp(method, "initialize\"", 11) == 0) {
        initialize(process, number);
    } else if (strncmp(method, "tools/list", 10) == 0) {
        say(process, number, "result", TOOLS);
    } else if (id != NULL && answers_calls) {
        sim_process_say(process, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"); /* not in the new era */
        say(process, number, "result", MCP_TEXT("found"));
    }
}

static void open_kit(enum ways server_way)
{
    static const char *const command[] = {"srv", NULL};
    const struct recourse_mcp_server config = {.size = sizeof config, .name = "s", .command = command};

    way = server_way;
    answers_calls = true;
    seen[0] = '\0';
    mcp_open(&mcp);
    sim_process_init(&server, &mcp.kit.sim);
    server.line = answer;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, NULL), 0);
    (void)mcp_list(&mcp);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(mcp.kit.runner));
}

#define IS_MODERN "server/discover tools/list tools/call"
#define IS_LEGACY "server/discover initialize notifications/initialized tools/list tools/call"

static void test_eras(void)
{
    static const struct {
        enum ways way;
        const char *seen;
        unsigned starts;
    } cases[] = {
        {MODERN, IS_MODERN, 1}, {REFUSING, IS_MODERN, 1}, {DUAL, IS_LEGACY, 1},
        {LEGACY, IS_LEGACY, 1}, {SILENT, IS_LEGACY, 1},   {FRAGILE, IS_LEGACY, 2},
        {LATE, "server/discover initialize tools/list tools/call", 1},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        open_kit(cases[i].way);
        RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "found");
        RCS_TEXT_EQUAL(seen, cases[i].seen);
        RCS_EQUAL(server.starts, cases[i].starts);
        mcp_close(&mcp);
    }
}

/* The process goes on while it says nothing, for as long as it may. */
static void test_time(void)
{
    uint64_t began_ms = KIT_START_MS;

    open_kit(SILENT);
    RCS_EQUAL(mcp.kit.sim.now_ms - began_ms, 5000);
    mcp_close(&mcp);
}

/* Nothing but the body says it all: no lines of headers, and tools are not left out for marks that mean nothing here. */
static void test_written(void)
{
    open_kit(MODERN);
    (void)mcp_call(&mcp, "find", "{\"n\":1}");
    kit_settle(&mcp.kit);
    server.written[server.written_size] = '\0';
    CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"find\","
                                                  "\"arguments\":{\"n\":1},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                                                  "\"2026-07-28\","));
    CU_ASSERT_PTR_NULL(strstr(server.written, "Mcp-"));
    CU_ASSERT_PTR_NULL(strstr(server.written, "\"result\""));
    mcp_close(&mcp);
}

/* Only a notification can cancel here. */
static void test_cancel(void)
{
    struct recourse_turn *turn;

    open_kit(MODERN);
    answers_calls = false;
    turn = kit_start_one(&mcp.kit, "find", "{}");
    kit_settle(&mcp.kit);
    recourse_turn_cancel(turn);
    kit_finish(&mcp.kit, turn);
    kit_settle(&mcp.kit);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_TEXT_EQUAL(seen, IS_MODERN " notifications/cancelled");
    server.written[server.written_size] = '\0';
    CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "\"requestId\":3,"));
    mcp_close(&mcp);
}

/* Another process may be of another era: it is asked again. What the first one had been sent is not sent again by itself. */
static void test_other_process(void)
{
    struct recourse_turn *turn;

    open_kit(MODERN);
    answers_calls = false;
    turn = kit_start_one(&mcp.kit, "find", "{\"a\":1}");
    kit_settle(&mcp.kit);
    RCS_TEXT_EQUAL(seen, IS_MODERN);
    seen[0] = '\0';
    mcp.facts[0] = '\0';
    way = LEGACY;
    answers_calls = true;
    sim_process_die(&server, 1, 0);
    kit_finish(&mcp.kit, turn);
    mcp.facts[strcspn(mcp.facts, " ")] = '\0';
    RCS_TEXT_EQUAL(mcp.facts, ",network6");
    RCS_TEXT_EQUAL(seen, "server/discover initialize notifications/initialized tools/call");
    CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "\"recourse/try\":2")); /* this policy's */
    mcp_close(&mcp);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"eras", test_eras}, {"time", test_time}, {"written", test_written},
        {"cancel", test_cancel}, {"other process", test_other_process},
    };

    return rcs_unit_main("mcp_modern_program", tests, RCS_COUNT(tests));
}
