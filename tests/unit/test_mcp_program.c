/* The MCP client and a process on the simulated port: what is written, what is lost with a process, and memory that fails. */
#include "tests/unit/mcp_client_kit.h"
#include "tests/unit/purse.h"
#include "tests/unit/sim_process.h"

#include <errno.h>
#include <signal.h>

static struct mcp_kit mcp;
static struct sim_process server;
static unsigned silent; /* so many calls are not answered */
static bool elicits;    /* its forms are filled in */

static void answer(struct sim_process *process, const char *line)
{
    const char *id = strstr(line, "\"id\":");
    char text[512];

    if (id == NULL || strstr(line, "\"method\"") == NULL) {
        return;
    }
    if (strstr(line, "\"method\":\"initialize\"") != NULL) {
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"protocolVersion\":\"2025-06-18\"}}\n",
                 atoi(id + 5));
    } else if (strstr(line, "\"method\":\"tools/list\"") != NULL) {
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[" MCP_TOOL("find") "]}}\r\n",
                 atoi(id + 5));
    } else if (silent > 0) {
        silent--;
        return;
    } else {
        snprintf(text, sizeof text, "{\"result\":" MCP_TEXT("found") ",\"jsonrpc\":\"2.0\",\"id\":%d}\n", atoi(id + 5));
    }
    sim_process_say(process, text);
}

static void add_server(void)
{
    static const char *const command[] = {"srv", "--stdio", NULL};
    static const char *const environment[] = {"KEY=x", NULL};
    const struct recourse_mcp_server config = {.size = sizeof config,
                                               .name = "s",
                                               .command = command,
                                               .environment = environment,
                                               .directory = "/srv",
                                               .elicit_defaults = elicits,
                                               .era = RECOURSE_MCP_ERA_LEGACY};

    sim_process_init(&server, &mcp.kit.sim);
    server.line = answer;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, NULL), 0);
}

static void open_kit(void)
{
    silent = 0;
    mcp_open(&mcp);
    add_server();
    (void)mcp_list(&mcp);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(mcp.kit.runner));
    mcp.facts[0] = '\0';
}

static void expect_first(const char *facts)
{
    mcp.facts[strcspn(mcp.facts, " ")] = '\0';
    RCS_TEXT_EQUAL(mcp.facts + (mcp.facts[0] == ','), facts); /* there is no status */
}

/* ---- what is written ---- */

static void test_lines(void)
{
    open_kit();
    RCS_TEXT_EQUAL(server.request->arguments[1], "--stdio");
    RCS_TEXT_EQUAL(server.request->environment[0], "KEY=x");
    RCS_TEXT_EQUAL(server.request->directory, "/srv");
    server.written[server.written_size] = '\0';
    RCS_TEXT_EQUAL(server.written,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                   "\"capabilities\":{},\"clientInfo\":{\"name\":\"recourse\",\"version\":\"" RECOURSE_VERSION "\"}}}\n"
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
                   "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n");
    server.written_size = server.line_begin = 0;
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{\r\n\"n\": 9007199254740993,\n\"s\":\"a\\nb\"}"), 0), "found");
    server.written[server.written_size] = '\0';
    CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "\"arguments\":{  \"n\": 9007199254740993, \"s\":\"a\\nb\"},"));
    RCS_EQUAL(strcspn(server.written, "\n"), server.written_size - 1);
    RCS_TEXT_EQUAL(mcp.facts, ""); /* no status, no failure */
    RCS_EQUAL(server.starts, 1);
    mcp_close(&mcp);
    RCS_EQUAL(server.cancels, 1);
}

/* A server's requests are answered, in the order of the stream. */
static void test_requests_of_the_server(void)
{
    open_kit();
    silent = 1;
    (void)kit_start_one(&mcp.kit, "find", "{}");
    kit_settle(&mcp.kit);
    server.written_size = server.line_begin = 0;
    sim_process_say(&server, "[{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"},"
                             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"}]\n"
                             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n");
    kit_settle(&mcp.kit);
    server.written[server.written_size] = '\0';
    RCS_TEXT_EQUAL(server.written, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}\n"
                                   "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601,\"message\":\"Method not "
                                   "found\"}}\n");
    mcp_close(&mcp);
}

/* Its forms are filled in where it is configured so, and a list that has changed is asked for again. */
static void test_forms_and_lists(void)
{
    elicits = true;
    open_kit();
    elicits = false;
    CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "\"capabilities\":{\"elicitation\":{\"form\":{}}},"));
    server.written_size = server.line_begin = 0;
    sim_process_say(&server, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":{\"requestedSchema\":"
                             "{\"properties\":{\"n\":{\"default\":30}}}}}\n"
                             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n");
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 500);
    server.written[server.written_size] = '\0';
    RCS_TEXT_EQUAL(server.written,
                   "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"action\":\"accept\",\"content\":{\"n\":30}}}\n"
                   "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}}\n");
    RCS_EQUAL(recourse_runner_tool_count(mcp.kit.runner), 1);
    mcp_close(&mcp);
}

/* A server that doesn't read: nothing blocks, what was not written was not sent, and lines stay whole. */
static void test_no_room(void)
{
    static const struct recourse_call_request calls[] = {
        {.id = {"a", 1}, .name = {"find", 4}, .arguments = {"{}", 2}},
        {.id = {"b", 1}, .name = {"find", 4}, .arguments = {"{}", 2}}};
    struct recourse_turn *turn;

    open_kit();
    server.written_size = server.line_begin = 0;
    server.room = 10;
    turn = kit_start(&mcp.kit, calls, 2);
    kit_settle(&mcp.kit);
    RCS_EQUAL(server.written_size, 10);
    recourse_turn_cancel(turn);
    kit_finish(&mcp.kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(recourse_turn_result(turn, 1)->effect, RECOURSE_EFFECT_NONE);
    sim_process_read(&server, SIZE_MAX / 2);
    turn = mcp_call(&mcp, "find", "{}");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "found");
    server.written[server.written_size] = '\0';
    CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "\"id\":3,"));
    CU_ASSERT_PTR_NULL(strstr(server.written, "\"id\":4,"));
    CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                                                  "{\"requestId\":3,"));
    mcp_close(&mcp);
}

/* A list with bad bytes is one; what is passed on of it is text. */
static void test_bad_bytes_in_a_list(void)
{
    struct recourse_tool_info info;
    struct recourse_turn *turn = NULL;

    mcp_open(&mcp);
    add_server();
    server.line = NULL;
    RCS_EQUAL(recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL), 0);
    kit_settle(&mcp.kit);
    sim_process_say(&server, MCP_RESULT(1, "{\"protocolVersion\":\"2025-06-18\"}") "\n"
                    MCP_LIST("{\"name\":\"caf\xe9\",\"inputSchema\":{\"title\":\"\xff\"}}") "\n");
    kit_settle(&mcp.kit);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tool_info(mcp.kit.runner, 0, &info));
    RCS_TEXT_EQUAL(kit_text(info.name), "caf\xef\xbf\xbd");
    RCS_TEXT_EQUAL(kit_text(info.schema), "{\"title\":\"\xef\xbf\xbd\"}");
    mcp_close(&mcp);
}

/* ---- what is lost ---- */

static const struct {
    size_t room;
    int status;
    int signal;
    bool closes;    /* its output, and exits then */
    int write_code; /* of what comes next */
    const char *facts;
} ends[] = {
    {SIZE_MAX / 2, 7, 0, false, 0, "network6"},
    {SIZE_MAX / 2, 0, 0, false, 0, "network6"},
    {SIZE_MAX / 2, 0, SIGSEGV, false, 0, "network6"},
    {SIZE_MAX / 2, 0, 0, true, 0, "network6"},
    {1, 7, 0, false, 0, "network6"},
    {0, 7, 0, false, 0, "network6,unsent"},
    {SIZE_MAX / 2, 0, 0, false, RECOURSE_E_SYSTEM, "network6,unsent"},
    {SIZE_MAX / 2, 0, 0, false, RECOURSE_E_MEMORY, "network6,unsent"},
};

static void test_ends(void)
{
    for (size_t i = 0; i < RCS_COUNT(ends); i++) {
        struct recourse_turn *turn;

        open_kit();
        silent = 1;
        server.room = ends[i].room;
        server.write_code = ends[i].write_code;
        turn = kit_start_one(&mcp.kit, "find", "{}");
        kit_settle(&mcp.kit);
        if (ends[i].closes) {
            server.end_said = true;
        } else if (ends[i].write_code == 0) {
            sim_process_die(&server, ends[i].status, ends[i].signal);
        }
        kit_settle(&mcp.kit);
        RCS_EQUAL(server.ends, ends[i].closes || ends[i].write_code != 0);
        server.room = SIZE_MAX / 2;
        server.write_code = 0;
        silent = 0;
        kit_finish(&mcp.kit, turn);
        expect_first(ends[i].facts);
        RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "found");
        RCS_EQUAL(server.starts, 2);
        mcp_close(&mcp);
    }
}

/* An answer that has no end of its own, but is whole. */
static void test_last_words(void)
{
    struct recourse_turn *turn;

    open_kit();
    silent = 1;
    turn = kit_start_one(&mcp.kit, "find", "{}");
    kit_settle(&mcp.kit);
    sim_process_say(&server, MCP_RESULT(3, MCP_TEXT("last words")));
    sim_process_die(&server, 1, 0);
    kit_finish(&mcp.kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "last words");
    mcp_close(&mcp);
}

static const struct {
    int start_error;
    int status;
    int signal;
    const char *facts;
    const char *text;
} starts[] = {
    {ENOENT, 0, 0, "spawn,unsent", "can't start it"},
    {0, 3, 0, "network6,exit3,unsent", "no key"},
    {0, 0, 0, "network6,unsent", "no key"},
    {0, 0, SIGABRT, "network6,signal6,unsent", "no key"},
};

/* Before a server has answered anything its exit status and its complaints are what is told. */
static void test_failed_starts(void)
{
    for (size_t i = 0; i < RCS_COUNT(starts); i++) {
        struct recourse_turn *turn = NULL;

        mcp_open(&mcp);
        add_server();
        server.line = NULL;
        server.start_error = starts[i].start_error;
        RCS_EQUAL(recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL), 0);
        for (unsigned step = 0; step < 40 && !recourse_turn_done(turn); step++) {
            if (server.running && server.start_error == 0) {
                server.result.errors = (struct recourse_span){"no key", 6};
                sim_process_die(&server, starts[i].status, starts[i].signal);
            }
            RCS_EQUAL(recourse_runner_step(mcp.kit.runner, 1000), 0);
        }
        CU_ASSERT_TRUE_FATAL(recourse_turn_done(turn));
        expect_first(starts[i].facts);
        RCS_EQUAL(recourse_run_status(mcp.kit.run), RECOURSE_RUN_FAILED);
        RCS_TEXT_EQUAL(kit_text(recourse_run_failure(mcp.kit.run)->text), starts[i].text);
        mcp_close(&mcp);
    }
}

/* Three that wait for it: one process, one handshake. */
static void test_restart_once(void)
{
    static const struct recourse_call_request calls[] = {
        {.id = {"a", 1}, .name = {"find", 4}, .arguments = {"{}", 2}},
        {.id = {"b", 1}, .name = {"find", 4}, .arguments = {"{}", 2}},
        {.id = {"c", 1}, .name = {"find", 4}, .arguments = {"{}", 2}}};
    struct recourse_turn *turn;

    open_kit();
    sim_process_die(&server, 0, 0);
    kit_settle(&mcp.kit);
    server.written_size = server.line_begin = 0;
    turn = kit_start(&mcp.kit, calls, 3);
    kit_finish(&mcp.kit, turn);
    for (size_t i = 0; i < 3; i++) {
        RCS_TEXT_EQUAL(kit_content(turn, i), "found");
    }
    RCS_EQUAL(server.starts, 2);
    server.written[server.written_size] = '\0';
    CU_ASSERT_PTR_NULL(strstr(strstr(server.written, "\"initialize\"") + 1, "\"initialize\""));
    mcp_close(&mcp);
}

/* One that never answers `initialize` is not kept. */
static void test_silent_start(void)
{
    struct recourse_turn *turn = NULL;

    mcp_open(&mcp);
    add_server();
    server.line = NULL;
    RCS_EQUAL(recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL), 0);
    kit_settle(&mcp.kit);
    RCS_EQUAL(server.starts, 1);
    recourse_turn_cancel(turn);
    kit_finish(&mcp.kit, turn);
    RCS_EQUAL(server.cancels, 1);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_NONE);
    mcp_close(&mcp);
    RCS_EQUAL(server.cancels, 1);
}

static const struct {
    const char *said;
    const char *errors;
    uint8_t era;
    uint64_t timeout_ms;
    const char *text;
} openings[] = {
    {"", "", RECOURSE_MCP_ERA_LEGACY, 4000, "the server did not answer `initialize` within 4 s"},
    {"", "", RECOURSE_MCP_ERA_AUTO, 900, "the server did not answer `server/discover` within 900 ms"},
    {"", "", RECOURSE_MCP_ERA_AUTO, 7500, "the server did not answer `initialize` within 2.5 s"},
    {"Ready.\n", "", RECOURSE_MCP_ERA_LEGACY, 1000,
     "the server did not answer `initialize` within 1 s; it has printed 1 line that is no JSON-RPC message"},
    {"Ready.\n\n[1,\n\xff\n{}\n", "warning\n  no \x1b[1mkey\x1b[0m \n\n", RECOURSE_MCP_ERA_LEGACY, 1000,
     "the server did not answer `initialize` within 1 s; it has printed 4 lines that are no JSON-RPC messages; last on its "
     "standard error: no key"},
};

/* One that prints something else, or nothing: what was waited for is said, and what it did instead. */
static void test_unanswered_openings(void)
{
    static const char *const command[] = {"srv", NULL};

    for (size_t i = 0; i < RCS_COUNT(openings); i++) {
        const struct recourse_mcp_server config = {.size = sizeof config, .name = "s", .command = command,
                                                   .era = openings[i].era, .timeout_ms = openings[i].timeout_ms};
        struct recourse_turn *turn = NULL;

        mcp_open(&mcp);
        mcp.kit.policy.policy.settings.tries = 1;
        sim_process_init(&server, &mcp.kit.sim);
        server.errors = kit_span(openings[i].errors);
        RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, NULL), 0);
        RCS_EQUAL(recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL), 0);
        kit_settle(&mcp.kit);
        sim_process_say(&server, openings[i].said);
        kit_finish(&mcp.kit, turn);
        RCS_TEXT_EQUAL(mcp.detail, openings[i].text);
        expect_first("timeout3,unsent");
        mcp_close(&mcp);
    }
}

/* What is seen of a request moves its read timeout, and nothing else does; the try's own time holds over all of it. */
static void test_idle(void)
{
    static const struct {
        const char *said; /* after 600 ms; the call has id 3 */
        uint64_t timeout_ms;
        uint64_t ends_ms;
        const char *facts;
    } cases[] = {
        {"", 9000, 1000, "timeout2"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":3}}\n", 9000, 1600, "timeout2"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":2}}\n", 9000, 1000, "timeout2"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\nnoise\n", 9000, 1000, "timeout2"},
        {"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"}\n", 9000, 1600, "timeout2"},
        {"{\"jsonrpc\":\"2.0\",", 9000, 1600, "timeout2"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":3}}\n", 1200, 1200, "timeout3"},
    };
    static const char *const command[] = {"srv", NULL};

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct recourse_mcp_server config = {.size = sizeof config, .name = "s", .command = command,
                                                   .era = RECOURSE_MCP_ERA_LEGACY, .read_timeout_ms = 1000,
                                                   .timeout_ms = cases[i].timeout_ms};
        uint64_t began;

        mcp_open(&mcp);
        mcp.kit.policy.policy.settings.tries = 1;
        sim_process_init(&server, &mcp.kit.sim);
        server.line = answer;
        RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, NULL), 0);
        (void)mcp_list(&mcp);
        mcp.facts[0] = '\0';
        silent = 1;
        (void)kit_start_one(&mcp.kit, "find", "{}");
        began = mcp.kit.sim.now_ms;
        kit_until(&mcp.kit, began + 600);
        sim_process_say(&server, cases[i].said);
        kit_until(&mcp.kit, began + cases[i].ends_ms - 1);
        RCS_TEXT_EQUAL(mcp.facts, "");
        kit_until(&mcp.kit, began + cases[i].ends_ms);
        kit_settle(&mcp.kit);
        expect_first(cases[i].facts);
        server.written[server.written_size] = '\0';
        CU_ASSERT_PTR_NOT_NULL(strstr(server.written, "\"notifications/cancelled\",\"params\":{\"requestId\":3,"));
        mcp_close(&mcp);
    }
}

/* A request that the server doesn't read is no sign of anything; one that was never sent touched nothing. */
static void test_idle_unsent(void)
{
    static const char *const command[] = {"srv", NULL};
    const struct recourse_mcp_server config = {.size = sizeof config, .name = "s", .command = command,
                                               .era = RECOURSE_MCP_ERA_LEGACY, .read_timeout_ms = 1000};

    for (size_t room = 0; room < 2; room++) {
        mcp_open(&mcp);
        mcp.kit.policy.policy.settings.tries = 1;
        sim_process_init(&server, &mcp.kit.sim);
        server.line = answer;
        RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, NULL), 0);
        (void)mcp_list(&mcp);
        mcp.facts[0] = '\0';
        server.room = room;
        (void)mcp_call(&mcp, "find", "{}");
        expect_first(room == 0 ? "timeout2,unsent" : "timeout2");
        sim_process_read(&server, SIZE_MAX / 2);
        RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "found"); /* a line that had begun was written to its end */
        mcp_close(&mcp);
    }
}

static void test_no_processes(void)
{
    static const char *const command[] = {"srv", NULL};
    const struct recourse_mcp_server config = {.size = sizeof config, .name = "s", .command = command};
    struct recourse_mcp_server both = config;
    struct recourse_error error;

    mcp_open(&mcp);
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "server 's' is a command, and this port can't talk with any");
    both.url = "http://s/";
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &both, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "server 's' has a URL and a command: choose one");
    mcp_close(&mcp);
}

/* ---- memory that fails ---- */

/* Whichever allocation fails: every call has its result, and with memory again the next one is well. */
static void test_no_memory(void)
{
    bool failed = true;

    for (unsigned left = 0; failed && left < 400; left++) {
        struct purse purse = {.left = UINT32_MAX};
        const struct recourse_allocator allocator = purse_allocator(&purse);
        struct recourse_turn *turn = NULL;

        silent = 0;
        mcp_open_within(&mcp, &allocator);
        add_server();
        server.piece = 7;
        purse.left = left;
        if (recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL) == 0) {
            mcp.kit.policy.policy.settings.try_timeout_ms = 1000;
            kit_finish(&mcp.kit, turn);
        }
        failed = purse.left == 0;
        purse.left = UINT32_MAX;
        if (recourse_runner_tools_ready(mcp.kit.runner)) {
            RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "found");
        }
        mcp_close(&mcp);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_FALSE(failed);
}

static void test_no_memory_for_a_call(void)
{
    bool failed = true;

    for (unsigned left = 0; failed && left < 400; left++) {
        struct purse purse = {.left = UINT32_MAX};
        const struct recourse_allocator allocator = purse_allocator(&purse);
        const struct recourse_call_request request = kit_call("a", "find", "{}");
        struct recourse_turn_options options;
        struct recourse_turn *turn = NULL;

        silent = 0;
        mcp_open_within(&mcp, &allocator);
        add_server();
        (void)mcp_list(&mcp);
        server.piece = 5;
        options = kit_turn(&mcp.kit, &request, 1);
        purse.left = left;
        if (recourse_turn_start(mcp.kit.run, &options, &turn, NULL) == 0) {
            kit_finish(&mcp.kit, turn);
        }
        failed = purse.left == 0;
        purse.left = UINT32_MAX;
        RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "found");
        RCS_EQUAL(server.starts, 1);
        mcp_close(&mcp);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_FALSE(failed);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"lines", test_lines},
        {"requests of the server", test_requests_of_the_server},
        {"forms and lists", test_forms_and_lists},
        {"no room", test_no_room},
        {"bad bytes in a list", test_bad_bytes_in_a_list},
        {"ends", test_ends},
        {"last words", test_last_words},
        {"failed starts", test_failed_starts},
        {"restart once", test_restart_once},
        {"silent start", test_silent_start},
        {"unanswered openings", test_unanswered_openings},
        {"idle", test_idle},
        {"idle, unsent", test_idle_unsent},
        {"no processes", test_no_processes},
        {"no memory", test_no_memory},
        {"no memory for a call", test_no_memory_for_a_call},
    };

    return rcs_unit_main("mcp_program", tests, RCS_COUNT(tests));
}
