/* The MCP client and servers of 2026-07-28, on the simulated port: what it sends, and what answers come to. */
#include "tests/unit/mcp_modern_kit.h"
#include "tests/unit/purse.h"

#define META \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientInfo\":{" \
    "\"name\":\"recourse\",\"version\":\"" RECOURSE_VERSION "\"},\"io.modelcontextprotocol/clientCapabilities\":{}"
#define COMMON "Content-Type: application/json|Accept: application/json, text/event-stream|MCP-Protocol-Version: 2026-07-28|"

/* ---- what is sent ---- */

static void test_requests(void)
{
    static const struct sim_answer answers[] = {READY, MCP_JSON(MCP_RESULT(3, COMPLETE("found")))};
    struct mcp_kit mcp;
    const char *body;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{\"n\": 9007199254740993}"), 0), "found");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 0)->body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" META "}}}");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 0)->headers, COMMON "Mcp-Method: server/discover");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 1)->body, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{" META "}}}");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 1)->headers, COMMON "Mcp-Method: tools/list");
    body = "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"find\",\"arguments\":{\"n\": "
           "9007199254740993}," META ",\"progressToken\":3,\"recourse/idempotencyKey\":\"";
    CU_ASSERT_TRUE(strncmp(mcp_request(&mcp, 2)->body, body, strlen(body)) == 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 2)->body, "\"recourse/try\":1}}}"));
    CU_ASSERT_TRUE(strncmp(mcp_request(&mcp, 2)->headers, COMMON "Idempotency-Key: ", strlen(COMMON "Idempotency-Key: ")) == 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 2)->headers, "|Recourse-Try: 1|Mcp-Method: tools/call|Mcp-Name: find"));
    mcp_close(&mcp);
}

/* An empty cursor is one; the same one again is none. */
static void test_empty_cursor(void)
{
    static const struct sim_answer answers[] = {
        MODERN, MCP_JSON(MCP_RESULT(2, "{\"tools\":[" MCP_TOOL("a") "],\"nextCursor\":\"\",\"ttlMs\":5,\"cacheScope\":\"private\"}")),
        MCP_JSON(MCP_RESULT(3, "{\"tools\":[" MCP_TOOL("b") "],\"nextCursor\":\"\"}"))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    RCS_TEXT_EQUAL(methods(&mcp, 0), "discover list list");
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 2)->body, "},\"cursor\":\"\"}}"));
    RCS_EQUAL(recourse_runner_tool_count(mcp.kit.runner), 2);
    mcp_close(&mcp);
}

/* What the server says of a tool is what it had written. */
#define ODD "{\"type\":\"object\",\"$ref\":\"http://s/schema\",\"x\": 9007199254740993.0, \"$defs\":{\"a\":{\"novel\":[1e999]}}}"

static void test_preserved(void)
{
    static const struct sim_answer answers[] = {MODERN, TOOLS(2, "{\"name\":\"odd\",\"inputSchema\":" ODD "}")};
    struct recourse_tool_info info;
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tool_info(mcp.kit.runner, 0, &info));
    RCS_TEXT_EQUAL(kit_text(info.schema), ODD);
    RCS_EQUAL(mcp.kit.sim.request_count, 2);
    mcp_close(&mcp);
}

/* Tools with marks that can't be followed are left out, and the others taken. */
static void test_left_out(void)
{
    static const struct sim_answer answers[] = {
        MODERN, TOOLS(2, MCP_TOOL("good") ",{\"name\":\"bad\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"number\","
                         "\"x-mcp-header\":\"A\"}}}},{\"name\":\"fine\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":"
                         "\"string\",\"x-mcp-header\":\"A\"}}}}")};
    struct recourse_tool_left_out left_out;
    struct recourse_tool_info info;
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    RCS_EQUAL(recourse_runner_tool_count(mcp.kit.runner), 2);
    CU_ASSERT_TRUE(recourse_runner_tool_info(mcp.kit.runner, 1, &info));
    RCS_TEXT_EQUAL(kit_text(info.name), "fine");
    CU_ASSERT_TRUE_FATAL(recourse_runner_left_out(mcp.kit.runner, 0, &left_out));
    RCS_TEXT_EQUAL(kit_text(left_out.name), "bad");
    RCS_TEXT_EQUAL(kit_text(left_out.server), "s");
    RCS_TEXT_EQUAL(kit_text(left_out.reason), "it marks with x-mcp-header what is no string, integer or boolean");
    CU_ASSERT_FALSE(recourse_runner_left_out(mcp.kit.runner, 1, &left_out));
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_content(mcp_call(&mcp, "bad", "{}"), 0), "not found"));
    mcp_close(&mcp);
}

/* ---- answers ---- */

#define ASKS(more) "{\"resultType\":\"input_required\"" more "}"
#define FORM "\"inputRequests\":{\"k\\u00e4\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\"}}}"

static const struct {
    const char *result;
    unsigned rounds;
    const char *facts;
    const char *shown;
} results[] = {
    {COMPLETE("done"), 0, "200", "done"},
    {MCP_TEXT("no type"), 0, "200", "no type"},
    {"{\"resultType\":\"complete\",\"structuredContent\":[9007199254740993]}", 0, "200", "[9007199254740993]"},
    {"{\"resultType\":\"complete\",\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"bad\"}]}", 0, "200,error", "bad"},
    {"{\"resultType\":\"task\",\"task\":{}}", 3, "200,protocol", "the result is of a kind that is not known here"},
    {"{\"resultType\":7}", 3, "200,protocol", "the result is of a kind that is not known here"},
    {ASKS(",\"requestState\":\"s\""), 0, "200,protocol", "the server asks back before it answers, and the policy allows no rounds"},
    {ASKS(",\"requestState\":\"s\""), 2, "200,protocol", "the server asks back again and again: the policy's rounds are used up"},
    {ASKS(""), 2, "200,protocol", "the server asks back, but not for anything that the protocol knows"},
    {ASKS(",\"requestState\":7"), 2, "200,protocol", "the server asks back, but not for anything that the protocol knows"},
    {ASKS(",\"inputRequests\":[]"), 2, "200,protocol", "the server asks back, but not for anything that the protocol knows"},
    {ASKS(",\"inputRequests\":{\"a\":{\"method\":\"sampling/createMessage\"}}"), 2, "200,protocol",
     "the server asks back for something that is not offered here"},
    {ASKS(",\"inputRequests\":{\"a\":null}"), 2, "200,protocol", "the server asks back for something that is not offered here"},
};

static void test_results(void)
{
    for (size_t i = 0; i < RCS_COUNT(results); i++) {
        char bodies[3][512];
        struct sim_answer answers[] = {READY, MCP_JSON(bodies[0]), MCP_JSON(bodies[1]), MCP_JSON(bodies[2])};
        const struct recourse_result *result;
        struct mcp_kit mcp;

        for (int n = 0; n < 3; n++) {
            snprintf(bodies[n], sizeof bodies[n], "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}", n + 3, results[i].result);
        }
        open_with(&mcp, answers, RCS_COUNT(answers), results[i].rounds);
        result = recourse_turn_result(mcp_call(&mcp, "find", "{}"), 0);
        RCS_TEXT_EQUAL(mcp.facts, results[i].facts);
        RCS_EQUAL(result->tries, 1);
        RCS_TEXT_EQUAL(kit_text(result->success ? result->content : result->detail), results[i].shown);
        RCS_EQUAL(result->effect, result->success ? result->effect : RECOURSE_EFFECT_UNKNOWN);
        mcp_close(&mcp);
    }
}

/* What a server asks back: answered with the same call under a new id, its state byte for byte, in one try. */
static void test_rounds(void)
{
    static const struct sim_answer answers[] = {
        READY, MCP_JSON(MCP_RESULT(3, ASKS(",\"requestState\":\"a\\u00e4\\/\\\"\"," FORM))), MCP_JSON(MCP_RESULT(4, ASKS("," FORM))),
        MCP_JSON(MCP_RESULT(5, ASKS(",\"requestState\":\"\""))), MCP_JSON(MCP_RESULT(6, COMPLETE("done")))};
    static const char *const wants[] = {
        "\"arguments\":{\"q\":1}," META,
        "\"arguments\":{\"q\":1},\"inputResponses\":{\"k\\u00e4\":{\"action\":\"decline\"}},\"requestState\":\"a\\u00e4\\/\\\"\"," META,
        "\"arguments\":{\"q\":1},\"inputResponses\":{\"k\\u00e4\":{\"action\":\"decline\"}}," META,
        "\"arguments\":{\"q\":1},\"requestState\":\"\"," META,
    };
    struct mcp_kit mcp;
    struct recourse_turn *turn;

    open_with(&mcp, answers, RCS_COUNT(answers), 3);
    turn = mcp_call(&mcp, "find", "{\"q\":1}");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "done");
    RCS_TEXT_EQUAL(mcp.facts, "200");
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 1);
    RCS_EQUAL(recourse_turn_result(turn, 0)->rounds, 3);
    RCS_EQUAL(recourse_turn_result(turn, 0)->resumes, 0);
    for (size_t i = 0; i < RCS_COUNT(wants); i++) {
        char id[32];

        snprintf(id, sizeof id, "\"id\":%zu,", i + 3);
        CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, i + 2)->body, id));
        CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, i + 2)->body, wants[i]));
        CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, i + 2)->body, "\"recourse/try\":1}"));
    }
    mcp_close(&mcp);
}

/* Forms are filled in with their defaults where that is configured. */
static void test_elicitation(void)
{
    static const struct sim_answer answers[] = {
        READY,
        MCP_JSON(MCP_RESULT(3, ASKS(",\"inputRequests\":{\"f\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\","
                                    "\"requestedSchema\":{\"properties\":{\"n\":{\"type\":\"integer\",\"default\":7}}}}}}"))),
        MCP_JSON(MCP_RESULT(4, COMPLETE("done")))};
    char url[64];
    struct recourse_mcp_server server = mcp_server("s", url);
    struct mcp_kit mcp;

    mcp_open(&mcp);
    mcp.kit.policy.policy.settings.rounds = 1;
    sim_route(&mcp.kit.sim, "http://s/", answers, RCS_COUNT(answers));
    server.era = RECOURSE_MCP_ERA_AUTO;
    server.elicit_defaults = true;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &server, NULL), 0);
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "done");
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 2)->body, "/clientCapabilities\":{\"elicitation\":{\"form\":{}}}"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 3)->body, "\"inputResponses\":{\"f\":{\"action\":\"accept\",\"content\":{\"n\":7}}}"));
    mcp_close(&mcp);
}

/* A failure in a later round is the try's; what went before is not forgotten. */
static void test_broken_round(void)
{
    static const struct sim_answer answers[] = {READY, MCP_JSON(MCP_RESULT(3, ASKS(",\"requestState\":\"s\""))),
                                                {.network = RECOURSE_NETWORK_CLOSED, .unsent = true, .after_ms = 1}};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 5);
    (void)mcp_call(&mcp, "find", "{}");
    mcp.facts[strcspn(mcp.facts, " ")] = '\0'; /* the first try's */
    RCS_TEXT_EQUAL(mcp.facts, ",network6");
    mcp_close(&mcp);
}

/* ---- what is put right ---- */

#define MARKED(header) "{\"name\":\"find\",\"inputSchema\":{\"properties\":{\"r\":{\"type\":\"string\",\"x-mcp-header\":\"" header "\"}}}}"
#define VERSION_REFUSED(id, versions) REFUSED(id, -32022, SUPPORTED(versions))

static const struct {
    struct sim_answer answers[6];
    const char *methods; /* from the call on */
    const char *facts;
    bool success;
} corrections[] = {
    {{READY, VERSION_REFUSED(3, "\"2026-07-28\""), MCP_JSON(MCP_RESULT(4, COMPLETE("x")))}, "call call", "200", true},
    {{READY, VERSION_REFUSED(3, "\"2026-07-28\""), VERSION_REFUSED(4, "\"2026-07-28\"")}, "call call", "400,rpc-32022", false},
    {{READY, VERSION_REFUSED(3, "\"2027-01-01\"")}, "call", "400,rpc-32022", false},
    {{READY, REFUSED(3, -32021, "{\"requiredCapabilities\":{}}")}, "call", "400,rpc-32021", false},
    {{READY, REFUSED(3, -32020, "{}"), TOOLS(4, MARKED("R")), MCP_JSON(MCP_RESULT(5, COMPLETE("x")))}, "call list call", "200", true},
    {{READY, REFUSED(3, -32020, "{}"), TOOLS(4, MARKED("R")), REFUSED(5, -32020, "{}")}, "call list call", "400,rpc-32020", false},
    {{READY, REFUSED(3, -32020, "{}"), STATUS(500)}, "call list", "500,unsent", false},
    {{READY, REFUSED(3, -32020, "{}"), MCP_JSON(MCP_RESULT(4, "{\"tools\":7}"))}, "call list", "200,protocol,unsent", false},
    {{READY, REFUSED(3, -32020, "{}"), TOOLS(4, MARKED("not a token"))}, "call list", ",protocol,unsent", false},
};

static void test_corrections(void)
{
    for (size_t i = 0; i < RCS_COUNT(corrections); i++) {
        size_t count = 0;
        const struct recourse_result *result;
        unsigned failed = CU_get_number_of_failures();
        struct mcp_kit mcp;

        while (count < 6 && corrections[i].answers[count].status != 0) {
            count++;
        }
        open_with(&mcp, corrections[i].answers, count, 0);
        result = recourse_turn_result(mcp_call(&mcp, "find", "{\"r\":\"x\"}"), 0);
        mcp.facts[strcspn(mcp.facts, " ")] = '\0'; /* the first try's */
        RCS_TEXT_EQUAL(mcp.facts, corrections[i].facts);
        RCS_EQUAL(result->success, corrections[i].success);
        CU_ASSERT_TRUE(strncmp(methods(&mcp, 2), corrections[i].methods, strlen(corrections[i].methods)) == 0);
        if (result->success) {
            RCS_EQUAL(result->tries, 1);
            RCS_TEXT_EQUAL(methods(&mcp, 2), corrections[i].methods);
        }
        if (CU_get_number_of_failures() != failed) {
            fprintf(stderr, "in correction %zu: %s\n", i, methods(&mcp, 2));
        }
        mcp_close(&mcp);
    }
}

/* The header that was missing is there, now and in later calls; what models are told of the tool stays. */
static void test_relisted(void)
{
    static const struct sim_answer answers[] = {READY, REFUSED(3, -32020, "{}"), TOOLS(4, MARKED("R")),
                                                MCP_JSON(MCP_RESULT(5, COMPLETE("a"))), MCP_JSON(MCP_RESULT(6, COMPLETE("b")))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{\"r\":\"east\"}"), 0), "a");
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{\"r\":\"west\"}"), 0), "b");
    CU_ASSERT_PTR_NULL(strstr(mcp_request(&mcp, 2)->headers, "Mcp-Param"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 4)->headers, "|Mcp-Name: find|Mcp-Param-R: east"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 5)->headers, "|Mcp-Name: find|Mcp-Param-R: west"));
    mcp_close(&mcp);
}

/* A server that names only legacy versions is greeted, within the same try. */
static void test_call_goes_legacy(void)
{
    static const struct sim_answer answers[] = {
        READY, VERSION_REFUSED(3, "\"2025-11-25\""), MCP_JSON(MCP_RESULT(4, "{\"protocolVersion\":\"2025-11-25\"}")), MCP_ACCEPTED,
        MCP_JSON(MCP_RESULT(5, MCP_TEXT("old")))};
    struct mcp_kit mcp;
    struct recourse_turn *turn;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    turn = mcp_call(&mcp, "find", "{}");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "old");
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 1);
    RCS_TEXT_EQUAL(methods(&mcp, 2), "call initialize initialized call");
    CU_ASSERT_PTR_NULL(strstr(mcp_request(&mcp, mcp.kit.sim.request_count - 1)->headers, "Mcp-Method"));
    mcp_close(&mcp);
}

/* ---- streams ---- */

/* The server asks nothing on a stream, and one that breaks off is lost: nothing is read on, nothing sent again. */
static void test_streams(void)
{
    static const struct sim_answer answers[] = {
        READY,
        MCP_STREAM("id: e1\nretry: 1\ndata:\n\n: alive\n\n" MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}")
                   MCP_EVENT(MCP_RESULT(3, COMPLETE("done")))),
        MCP_STREAM("id: e1\ndata:\n\n" MCP_EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}"))};
    const struct recourse_result *result;
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    mcp.kit.policy.policy.settings.resumes = 5;
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{\"a\":1}"), 0), "done");
    kit_settle(&mcp.kit);
    RCS_EQUAL(mcp.kit.sim.request_count, 3);
    mcp.facts[0] = '\0';
    result = recourse_turn_result(mcp_call(&mcp, "find", "{\"a\":2}"), 0);
    RCS_TEXT_EQUAL(mcp.facts, "200,network6 200,network6 200,network6"); /* this policy's tries: one request each */
    RCS_EQUAL(result->effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(mcp.kit.sim.request_count, 6);
    for (size_t i = 3; i < 6; i++) {
        RCS_TEXT_EQUAL(mcp_request(&mcp, i)->method, "POST");
    }
    mcp_close(&mcp);
}

/* The end of the exchange is all that tells the server. */
static void test_cancel(void)
{
    static const struct sim_answer answers[] = {READY, {.after_ms = 0}};
    struct mcp_kit mcp;
    struct recourse_turn *turn;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    turn = kit_start_one(&mcp.kit, "find", "{}");
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 5);
    recourse_turn_cancel(turn);
    kit_finish(&mcp.kit, turn);
    kit_settle(&mcp.kit);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
    CU_ASSERT_TRUE(mcp_request(&mcp, 2)->cancelled);
    RCS_EQUAL(mcp.kit.sim.request_count, 3);
    mcp_close(&mcp);
}

/* A call that was refused, and whose list is under way, has done nothing; one that was asked back may have. */
static void test_cancel_between(void)
{
    static const struct sim_answer listing[] = {READY, REFUSED(3, -32020, "{}"), {.after_ms = 0}};
    static const struct sim_answer asked[] = {READY, MCP_JSON(MCP_RESULT(3, ASKS(",\"requestState\":\"s\""))), {.after_ms = 0}};

    for (int i = 0; i < 2; i++) {
        struct mcp_kit mcp;
        struct recourse_turn *turn;

        open_with(&mcp, i == 0 ? listing : asked, 4, 1);
        turn = kit_start_one(&mcp.kit, "find", "{}");
        kit_until(&mcp.kit, mcp.kit.sim.now_ms + 5);
        RCS_EQUAL(mcp.kit.sim.request_count, 4);
        recourse_turn_cancel(turn);
        kit_finish(&mcp.kit, turn);
        RCS_EQUAL(recourse_turn_result(turn, 0)->effect, i == 0 ? RECOURSE_EFFECT_NONE : RECOURSE_EFFECT_UNKNOWN);
        mcp_close(&mcp);
    }
}

/* ---- memory ---- */

/* Wherever memory runs out, there is a result, and nothing stays behind. */
static void test_no_memory(void)
{
    static const struct sim_answer answers[] = {
        MODERN, TOOLS(2, MARKED("R")), REFUSED(3, -32020, "{}"), TOOLS(4, MARKED("S")),
        MCP_JSON(MCP_RESULT(5, ASKS(",\"requestState\":\"s\"," FORM))), MCP_JSON(MCP_RESULT(6, COMPLETE("done")))};
    bool whole = false;

    for (unsigned left = 0; !whole && left < 500; left++) {
        struct purse purse = {10000, 0};
        struct recourse_allocator allocator = purse_allocator(&purse);
        struct recourse_turn *turn = NULL;
        struct mcp_kit mcp;

        mcp_open_within(&mcp, &allocator);
        mcp.kit.policy.policy.settings.rounds = 1;
        sim_route(&mcp.kit.sim, "http://s/", answers, RCS_COUNT(answers));
        add(&mcp, RECOURSE_MCP_ERA_AUTO);
        purse.left = left;
        if (recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL) == 0) {
            kit_finish(&mcp.kit, turn);
        }
        if (recourse_runner_tools_ready(mcp.kit.runner)) {
            struct recourse_call_request request = kit_call("1", "find", "{\"r\":\"\\u00e4\"}");
            struct recourse_turn_options options = kit_turn(&mcp.kit, &request, 1);

            if (recourse_turn_start(mcp.kit.run, &options, &turn, NULL) == 0) {
                kit_finish(&mcp.kit, turn);
                whole = purse.left > 0 && recourse_turn_result(turn, 0)->success;
            }
        }
        purse.left = 10000;
        mcp_close(&mcp);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_TRUE(whole);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"requests", test_requests},
        {"empty cursor", test_empty_cursor},
        {"preserved", test_preserved},
        {"left out", test_left_out},
        {"results", test_results},
        {"rounds", test_rounds},
        {"elicitation", test_elicitation},
        {"broken round", test_broken_round},
        {"corrections", test_corrections},
        {"relisted", test_relisted},
        {"call goes legacy", test_call_goes_legacy},
        {"streams", test_streams},
        {"cancel", test_cancel},
        {"cancel between", test_cancel_between},
        {"no memory", test_no_memory},
    };

    return rcs_unit_main("mcp_modern", tests, RCS_COUNT(tests));
}
