/* Asking MCP servers for their tools, and what the runner makes of the lists. */
#include "tests/unit/mcp_client_kit.h"

#include <inttypes.h>

#include "src/tools/mcp.h"

#define READY MCP_JSON(MCP_HELLO), MCP_ACCEPTED

static void open_with(struct mcp_kit *mcp, const struct sim_answer *answers, size_t count)
{
    mcp_open(mcp);
    sim_route(&mcp->kit.sim, "http://s/", answers, count);
}

/* "name/server[!]" for each tool, `!` for a safe one. */
static const char *names(const struct mcp_kit *mcp)
{
    static char text[1024];
    struct recourse_tool_info info;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; recourse_runner_tool_info(mcp->kit.runner, i, &info); i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s/%s%s%s", i > 0 ? " " : "", kit_text(info.name),
                                 kit_text(info.server), info.safe ? "!" : "", info.read_only ? "r" : "");
    }
    return text;
}

/* ---- pages ---- */

static void test_pages(void)
{
    static const struct sim_answer answers[] = {
        READY, MCP_JSON(MCP_RESULT(2, "{\"tools\":[" MCP_TOOL("a") "],\"nextCursor\":\"\"}")),
        MCP_STREAM(MCP_EVENT(MCP_RESULT(3, "{\"tools\":[" MCP_TOOL("b") "," MCP_TOOL("c") "],\"nextCursor\":\"p\\u00333\"}"))),
        MCP_JSON(MCP_RESULT(4, "{\"tools\":[]}"))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    mcp_add(&mcp, "s");
    CU_ASSERT_FALSE(recourse_runner_tools_ready(mcp.kit.runner));
    RCS_TEXT_EQUAL(kit_content(mcp_list(&mcp), 0), "3 tools");
    CU_ASSERT_TRUE(recourse_runner_tools_ready(mcp.kit.runner));
    RCS_TEXT_EQUAL(names(&mcp), "a/s b/s c/s");
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 3)->body, "\"params\":{\"cursor\":\"\"}"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 4)->body, "\"params\":{\"cursor\":\"p\\u00333\"}"));
    mcp_close(&mcp);
}

static void test_repeated_cursor(void)
{
    static const struct sim_answer answers[] = {
        READY, MCP_JSON(MCP_RESULT(2, "{\"tools\":[" MCP_TOOL("a") "],\"nextCursor\":\"x\"}")),
        MCP_JSON(MCP_RESULT(3, "{\"tools\":[" MCP_TOOL("b") "],\"nextCursor\":\"y\"}")),
        MCP_JSON(MCP_RESULT(4, "{\"tools\":[" MCP_TOOL("c") "],\"nextCursor\":\"x\"}"))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    mcp_add(&mcp, "s");
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(names(&mcp), "a/s b/s c/s");
    RCS_EQUAL(mcp.kit.sim.request_count, 5);
    mcp_close(&mcp);
}

/* `pages` of them, each with a cursor but the last. */
static void run_pages(struct mcp_kit *mcp, unsigned pages)
{
    static struct sim_answer answers[64] = {READY};
    static char bodies[64][128];

    for (unsigned i = 0; i < pages; i++) {
        snprintf(bodies[i], sizeof bodies[i], "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":{\"tools\":[]%s%u%s}}", i + 2,
                 i + 1 < pages ? ",\"nextCursor\":\"" : ",\"x\":\"", i, "\"");
        answers[i + 2] = (struct sim_answer)MCP_JSON(bodies[i]);
    }
    open_with(mcp, answers, pages + 2);
    mcp_add(mcp, "s");
    (void)mcp_list(mcp);
}

static void test_page_cap(void)
{
    struct mcp_kit mcp;

    run_pages(&mcp, 50);
    CU_ASSERT_TRUE(recourse_runner_tools_ready(mcp.kit.runner));
    RCS_EQUAL(recourse_run_status(mcp.kit.run), RECOURSE_RUN_ANSWERED);
    mcp_close(&mcp);
    run_pages(&mcp, 51);
    CU_ASSERT_FALSE(recourse_runner_tools_ready(mcp.kit.runner));
    RCS_TEXT_EQUAL(kit_text(recourse_run_failure(mcp.kit.run)->text), "the list of tools has more than 50 pages");
    mcp_close(&mcp);
}

static void test_tool_cap(void)
{
    static char body[100 + 2 * (RCS_MCP_TOOLS_MAX + 1)] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[1";
    static const struct sim_answer answers[] = {READY, MCP_JSON(body)};
    struct mcp_kit mcp;

    for (unsigned more = 0; more < 2; more++) {
        size_t used = strcspn(body, "[") + 2;

        for (unsigned i = 1; i < RCS_MCP_TOOLS_MAX + more; i++) {
            used += (size_t)snprintf(body + used, sizeof body - used, ",1");
        }
        snprintf(body + used, sizeof body - used, "]}}");
        open_with(&mcp, answers, RCS_COUNT(answers));
        mcp_add(&mcp, "s");
        (void)mcp_list(&mcp);
        RCS_EQUAL(recourse_runner_tools_ready(mcp.kit.runner), more == 0);
        RCS_TEXT_EQUAL(mcp.detail, more == 0 ? "" : "the list of tools has more than 10000 of them");
        mcp_close(&mcp);
    }
}

static void test_no_list(void)
{
    static const struct sim_answer answers[] = {READY, MCP_JSON(MCP_RESULT(2, "{\"tools\":{}}"))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    mcp_add(&mcp, "s");
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(mcp.facts, "200,protocol");
    RCS_TEXT_EQUAL(kit_text(recourse_run_failure(mcp.kit.run)->text), "the list of tools is none");
    mcp_close(&mcp);
}

/* Tools that have no name that could be called are left out. */
static void test_odd_tools(void)
{
    static const struct sim_answer answers[] = {
        READY, MCP_JSON(MCP_LIST("1,{},{\"name\":7},{\"name\":\"\"},{\"name\":\"a\\u0000b\"}," MCP_TOOL("good")))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    mcp_add(&mcp, "s");
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(names(&mcp), "good/s");
    mcp_close(&mcp);
}

/* ---- failures ---- */

static void test_failure_is_the_runs(void)
{
    static const struct sim_answer answers[] = {
        READY, {.status = 403, .phrase = "Forbidden", .body = "no such account", .after_ms = 1}};
    struct recourse_call_request call = kit_call("c", "a", "{}");
    struct recourse_turn_options options;
    struct recourse_turn *turn = NULL;
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    mcp_add(&mcp, "s");
    RCS_EQUAL(recourse_turn_result(mcp_list(&mcp), 0)->tell, RECOURSE_TELL_MODEL);
    RCS_EQUAL(recourse_run_status(mcp.kit.run), RECOURSE_RUN_FAILED);
    RCS_EQUAL(recourse_run_failure(mcp.kit.run)->http, 403);
    RCS_TEXT_EQUAL(kit_text(recourse_run_failure(mcp.kit.run)->tool), "tools/list of s");
    RCS_TEXT_EQUAL(kit_text(recourse_run_failure(mcp.kit.run)->text), "no such account");
    options = kit_turn(&mcp.kit, &call, 1);
    RCS_EQUAL(recourse_turn_start(mcp.kit.run, &options, &turn, NULL), RECOURSE_E_STATE);
    mcp_close(&mcp);
}

/* The policy that judges calls judges this, too. */
static void test_tried_again(void)
{
    static const struct recourse_header later[] = {{{"Retry-After", 11}, {"5", 1}}};
    static const struct sim_answer answers[] = {
        {.status = 429, .after_ms = 1, .headers = later, .header_count = 1}, MCP_JSON(MCP_RESULT(2, "{\"protocolVersion\":\"2025-03-26\"}")), MCP_ACCEPTED,
        MCP_JSON(MCP_RESULT(3, "{\"tools\":[" MCP_TOOL("a") "]}"))};
    struct mcp_kit mcp;
    struct recourse_turn *turn;

    open_with(&mcp, answers, RCS_COUNT(answers));
    mcp_add(&mcp, "s");
    turn = mcp_list(&mcp);
    RCS_TEXT_EQUAL(mcp.facts, "429,unsent 200");
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 2);
    CU_ASSERT_TRUE(mcp_request(&mcp, 1)->at_ms - mcp_request(&mcp, 0)->at_ms >= 5000);
    CU_ASSERT_TRUE(recourse_runner_tools_ready(mcp.kit.runner));
    mcp_close(&mcp);
}

/* ---- names ---- */

#define HELLO2 READY, MCP_JSON(MCP_LIST(MCP_TOOL("find") "," MCP_TOOL("only_t")))

static void add_two(struct mcp_kit *mcp, const char *prefix)
{
    static const struct sim_answer s[] = {READY, MCP_JSON(MCP_LIST(MCP_TOOL("find"))), MCP_JSON(MCP_RESULT(3, MCP_TEXT("of s")))};
    static const struct sim_answer t[] = {HELLO2, MCP_JSON(MCP_RESULT(3, MCP_TEXT("of t")))};
    char url[64];
    struct recourse_mcp_server server = mcp_server("t", url);

    open_with(mcp, s, RCS_COUNT(s));
    sim_route(&mcp->kit.sim, "http://t/", t, RCS_COUNT(t));
    mcp_add(mcp, "s");
    server.prefix = prefix;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp->kit.runner, &server, NULL), 0);
    (void)mcp_list(mcp);
}

static void test_one_name_on_two_servers(void)
{
    struct mcp_kit mcp;

    add_two(&mcp, NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_content(mcp_call(&mcp, "find", "{}"), 0),
                                  "2 tools found with the name 'find', of servers 's', 't'"));
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "only_t", "{}"), 0), "of t");
    mcp_close(&mcp);
}

static void test_prefix(void)
{
    struct mcp_kit mcp;

    add_two(&mcp, "t_");
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "of s");
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "t_find", "{}"), 0), "of t");
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, mcp.kit.sim.request_count - 1)->body, "\"name\":\"find\""));
    mcp_close(&mcp);
}

/* The tool that asks for the list is nobody's to call. */
static void test_lister_is_no_tool(void)
{
    struct mcp_kit mcp;

    add_two(&mcp, NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_content(mcp_call(&mcp, "tools/list of s", "{}"), 0), "not found"));
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_content(mcp_call(&mcp, "s", "{}"), 0), "not found"));
    mcp_close(&mcp);
}

static void test_allow_list(void)
{
    static const struct sim_answer answers[] = {READY, MCP_JSON(MCP_LIST(MCP_TOOL("a") "," MCP_TOOL("b") "," MCP_TOOL("c")))};
    static const char *const allowed[] = {"c", "a", "z", NULL};
    char url[64];
    struct recourse_mcp_server server = mcp_server("s", url);
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    server.tools = allowed;
    server.prefix = "p_";
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &server, NULL), 0);
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(names(&mcp), "p_a/s p_c/s");
    mcp_close(&mcp);
}

/* ---- annotations ---- */

#define HINTED(name, hints) "{\"name\":\"" name "\",\"description\":\"d \\u00e4\",\"annotations\":{" hints "}}"

static void run_hints(struct mcp_kit *mcp, bool trusted, bool safe, bool unsafe)
{
    static const struct sim_answer answers[] = {
        READY, MCP_JSON(MCP_LIST(HINTED("r", "\"readOnlyHint\":true") "," HINTED("i", "\"idempotentHint\":true") "," HINTED(
                   "n", "\"readOnlyHint\":\"true\",\"destructiveHint\":false")))};
    char url[64];
    struct recourse_mcp_server server = mcp_server("s", url);

    open_with(mcp, answers, RCS_COUNT(answers));
    server.trusted = trusted;
    server.declared_safe = safe;
    server.declared_unsafe = unsafe;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp->kit.runner, &server, NULL), 0);
    (void)mcp_list(mcp);
}

static void test_annotations(void)
{
    static const struct {
        bool trusted, safe, unsafe;
        const char *names;
    } cases[] = {
        {false, false, false, "r/s i/s n/s"},
        {true, false, false, "r/s!r i/s! n/s"},
        {true, true, false, "r/s!r i/s! n/s!"},
        {false, true, false, "r/s! i/s! n/s!"},
        {true, false, true, "r/sr i/s n/s"},
    };
    struct recourse_tool_info info;

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct mcp_kit mcp;

        run_hints(&mcp, cases[i].trusted, cases[i].safe, cases[i].unsafe);
        RCS_TEXT_EQUAL(names(&mcp), cases[i].names);
        RCS_EQUAL(recourse_runner_tool_count(mcp.kit.runner), 3);
        CU_ASSERT_TRUE(recourse_runner_tool_info(mcp.kit.runner, 0, &info));
        RCS_TEXT_EQUAL(kit_text(info.description), "d \xc3\xa4");
        RCS_TEXT_EQUAL(kit_text(info.annotations), "{\"readOnlyHint\":true}");
        RCS_EQUAL(info.kind, RECOURSE_TOOL_MCP);
        mcp_close(&mcp);
    }
}

/* What is asked for and not there is said, as is what is there twice; both have to say what is to be believed of that. */
static void test_left_out(void)
{
    static const char *const allowed[] = {"a", "missing", "caf\xc3\xa9", NULL};
    static const struct sim_answer answers[] = {
        READY, MCP_JSON(MCP_LIST("{\"name\":\"a\",\"annotations\":{\"readOnlyHint\":true}},{\"name\":\"caf\\u00e9\"},"
                                 "{\"name\":\"a\",\"description\":\"again\"},{\"name\":7},{\"name\":\"other\"}"))};
    static const struct {
        const char *name, *reason;
    } left_out[] = {
        {"a", "the server lists it twice, and the first one counts"},
        {"missing", "the server lists no tool of this name"},
    };
    static const char *const listed[] = {"a", "caf\xc3\xa9", "a", "other"};
    struct recourse_tool_left_out tool;
    struct recourse_mcp_server server;
    struct mcp_kit mcp;
    char url[64];
    char name[16];

    open_with(&mcp, answers, RCS_COUNT(answers));
    server = mcp_server("s", url);
    server.tools = allowed;
    server.trusted = true;
    server.prefix = "p_";
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &server, NULL), 0);
    RCS_EQUAL(recourse_runner_listed(mcp.kit.runner, kit_span("s"), 0, name, sizeof name), 0);
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(names(&mcp), "p_a/s p_caf\xc3\xa9/s");
    for (size_t i = 0; i < RCS_COUNT(left_out); i++) {
        CU_ASSERT_TRUE_FATAL(recourse_runner_left_out(mcp.kit.runner, i, &tool));
        RCS_TEXT_EQUAL(kit_text(tool.name), left_out[i].name);
        RCS_TEXT_EQUAL(kit_text(tool.reason), left_out[i].reason);
        RCS_TEXT_EQUAL(kit_text(tool.server), "s");
    }
    CU_ASSERT_FALSE(recourse_runner_left_out(mcp.kit.runner, RCS_COUNT(left_out), &tool));
    for (size_t i = 0; i < RCS_COUNT(listed); i++) {
        size_t size = recourse_runner_listed(mcp.kit.runner, kit_span("s"), i, name, sizeof name);

        RCS_EQUAL(size, strlen(listed[i]));
        RCS_EQUAL(memcmp(name, listed[i], size), 0);
    }
    RCS_EQUAL(recourse_runner_listed(mcp.kit.runner, kit_span("s"), RCS_COUNT(listed), name, sizeof name), 0);
    RCS_EQUAL(recourse_runner_listed(mcp.kit.runner, kit_span("t"), 0, name, sizeof name), 0);
    mcp_close(&mcp);
}

/* ---- configuration ---- */

static void test_refused(void)
{
    static const char *const own[] = {"Accept: x", NULL};
    static const char *const broken[] = {"nonsense", NULL};
    struct recourse_tool tool = {.size = sizeof tool, .name = "t", .kind = RECOURSE_TOOL_MCP};
    char url[64];
    struct recourse_mcp_server servers[8];
    struct mcp_kit mcp;

    mcp_open(&mcp);
    for (size_t i = 0; i < RCS_COUNT(servers); i++) {
        servers[i] = mcp_server("s", url);
    }
    servers[0].size = 1;
    servers[1].name = NULL;
    servers[2].name = "";
    servers[3].url = "ftp://s/";
    servers[4].declared_safe = servers[4].declared_unsafe = true;
    servers[5].headers = own;
    servers[6].headers = broken;
    servers[7].approval = RECOURSE_APPROVE_COUNT;
    for (size_t i = 0; i < RCS_COUNT(servers); i++) {
        RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &servers[i], NULL), RECOURSE_E_ARGUMENT);
    }
    RCS_EQUAL(recourse_runner_add_tool(mcp.kit.runner, &tool, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_add_mcp_server(NULL, &servers[0], NULL), RECOURSE_E_ARGUMENT);
    mcp_add(&mcp, "s");
    servers[0] = mcp_server("s", url);
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &servers[0], NULL), RECOURSE_E_ARGUMENT);
    mcp_close(&mcp);
}

/* Nothing to ask: a turn that ends at once. */
static void test_no_servers(void)
{
    struct mcp_kit mcp;

    mcp_open(&mcp);
    CU_ASSERT_TRUE(recourse_runner_tools_ready(mcp.kit.runner));
    RCS_EQUAL(recourse_turn_count(mcp_list(&mcp)), 0);
    mcp_close(&mcp);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"pages", test_pages},
        {"repeated cursor", test_repeated_cursor},
        {"page cap", test_page_cap},
        {"tool cap", test_tool_cap},
        {"no list", test_no_list},
        {"odd tools", test_odd_tools},
        {"failure is the run's", test_failure_is_the_runs},
        {"tried again", test_tried_again},
        {"one name on two servers", test_one_name_on_two_servers},
        {"prefix", test_prefix},
        {"lister is no tool", test_lister_is_no_tool},
        {"allow list", test_allow_list},
        {"annotations", test_annotations},
        {"left out", test_left_out},
        {"refused", test_refused},
        {"no servers", test_no_servers},
    };

    return rcs_unit_main("mcp_list", tests, RCS_COUNT(tests));
}
