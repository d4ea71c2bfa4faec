/* The MCP client on the simulated port: handshake, session, answers, and what each of them is as facts. */
#include "tests/unit/mcp_client_kit.h"

#define LISTED MCP_JSON(MCP_LIST(MCP_TOOL("find")))
#define READY MCP_JSON(MCP_HELLO), MCP_ACCEPTED, LISTED
#define IN_SESSION MCP_IN_SESSION(MCP_HELLO), MCP_ACCEPTED, LISTED

static void open_with(struct mcp_kit *mcp, const struct sim_answer *answers, size_t count)
{
    mcp_open(mcp);
    sim_route(&mcp->kit.sim, "http://s/", answers, count);
    mcp_add(mcp, "s");
    (void)mcp_list(mcp);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(mcp->kit.runner));
    mcp->facts[0] = '\0';
}

/* ---- what is sent ---- */

static void test_requests(void)
{
    static const struct sim_answer answers[] = {IN_SESSION, MCP_JSON(MCP_RESULT(3, MCP_TEXT("found")))};
    struct mcp_kit mcp;
    struct recourse_turn *turn;

    open_with(&mcp, answers, RCS_COUNT(answers));
    turn = mcp_call(&mcp, "find", "{\"n\": 9007199254740993, \"s\":\"\\u00e4\"}");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "found");
    RCS_EQUAL(mcp.kit.sim.request_count, 4);
    RCS_TEXT_EQUAL(mcp_request(&mcp, 0)->body,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                   "\"capabilities\":{},\"clientInfo\":{\"name\":\"recourse\",\"version\":\"" RECOURSE_VERSION "\"}}}");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 0)->headers,
                   "Content-Type: application/json|Accept: application/json, text/event-stream");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 1)->body, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 1)->headers,
                   "Content-Type: application/json|Accept: application/json, text/event-stream|"
                   "MCP-Protocol-Version: 2025-06-18|Mcp-Session-Id: s-1");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 2)->body,
                   "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}");
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 3)->body,
                                  "\"method\":\"tools/call\",\"params\":{\"name\":\"find\",\"arguments\":{\"n\": "
                                  "9007199254740993, \"s\":\"\\u00e4\"},\"_meta\":{\"progressToken\":3,\"recourse/idempotencyKey\":\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 3)->body, "\"recourse/try\":1}}}"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 3)->headers, "|Mcp-Session-Id: s-1|Idempotency-Key: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 3)->headers, "|Recourse-Try: 1"));
    RCS_TEXT_EQUAL(mcp.facts, "200");
    mcp_close(&mcp);
}

/* ---- answers ---- */

static const struct {
    struct sim_answer answer;
    const char *facts;
    const char *shown; /* the result's content, or its detail */
} cases[] = {
    {MCP_JSON(MCP_RESULT(3, MCP_TEXT("a\\nb"))), "200", "a\nb"},
    {MCP_JSON("[" MCP_RESULT(2, "{}") "," MCP_RESULT(3, MCP_TEXT("batch")) "]"), "200", "batch"},
    {MCP_JSON("[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"m\"}}," MCP_RESULT(3, MCP_TEXT("batch")) "]"), "200", "batch"},
    {MCP_JSON("[" MCP_RESULT(2, "{}") ",{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"m\"}}]"), "200,rpc-32600", "m"},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[]}")), "200", ""},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}")), "200", "a\nb"},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"image\",\"data\":\"aGVsbG8=\",\"mimeType\":\"image/png\"}]}")), "200",
     "[image: image/png, 5 bytes]"},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"audio\",\"data\":\"\"}]}")), "200", "[audio, 0 bytes]"},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"in it\"}}]}")), "200", "in it"},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"blob\":\"AAAA\"}}]}")), "200",
     "[resource, 3 bytes]"},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"a:b\"}]}")), "200", "[link: n a:b]"},
    {MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"novel\",\"x\":9007199254740993}]}")), "200",
     "{\"type\":\"novel\",\"x\":9007199254740993}"},
    {MCP_JSON(MCP_RESULT(3, "{\"structuredContent\":{\"n\":9007199254740993}}")), "200", "{\"n\":9007199254740993}"},
    {MCP_JSON(MCP_RESULT(3, "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no such pod\"}]}")), "200,error", "no such pod"},
    {MCP_JSON("{" MCP_ID(3) ",\"error\":{\"code\":-32602,\"message\":\"no \\\"x\\\"\"}}"), "200,rpc-32602", "no \"x\""},
    {MCP_JSON("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"m\"}}"), "200,rpc-32603", "m"},
    {MCP_JSON("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":503,\"message\":\"m\"}}"), "200,rpc503", "m"},
    /* what answers nothing */
    {MCP_JSON(MCP_RESULT(2, MCP_TEXT("another's"))), "200,protocol", "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":" MCP_TEXT("another's") "}"},
    {MCP_JSON(MCP_RESULT("3", MCP_TEXT("x"))), "200,protocol", NULL},
    {MCP_JSON(MCP_RESULT(3.0, MCP_TEXT("x"))), "200,protocol", NULL},
    {MCP_JSON("{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}"), "200,protocol", NULL},
    {MCP_JSON("{\"id\":3,\"result\":{}}"), "200,protocol", NULL},
    {MCP_JSON("{" MCP_ID(3) ",\"error\":{\"code\":\"x\"}}"), "200,protocol", NULL},
    {MCP_JSON("{" MCP_ID(3) "}"), "200,protocol", NULL},
    {MCP_JSON(MCP_RESULT(3, "[]")), "200,protocol", "the result of the call is no object"},
    {MCP_JSON("{\"Output\":1}"), "200,protocol", "{\"Output\":1}"},
    {MCP_JSON(""), "200,protocol", "the answer is no JSON-RPC message to this request"},
    {MCP_JSON("<html>hello</html>"), "200,protocol", "the answer is no JSON-RPC message to this request"},
    {MCP_ACCEPTED, "202,protocol", "the server accepted the call, and gave no answer"},
    /* statuses */
    {{.status = 403, .phrase = "Forbidden", .body = "no", .after_ms = 1}, "403", "no"},
    {{.status = 404, .phrase = "Not Found", .after_ms = 1}, "404", "Not Found"},
    {{.status = 500, .body = "{" MCP_ID(3) ",\"error\":{\"code\":-32000,\"message\":\"down\"}}", .after_ms = 1}, "500,rpc-32000", "down"},
    {{.status = 400, .body = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"bad\"}}", .after_ms = 1},
     "400,rpc-32000", "bad"},
    /* streams */
    {MCP_STREAM(MCP_EVENT(MCP_RESULT(3, MCP_TEXT("streamed")))), "200", "streamed"},
    {MCP_STREAM("id: e1\nretry: 500\ndata:\n\n: alive\n\n"
                MCP_EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}")
                MCP_EVENT(MCP_RESULT(2, MCP_TEXT("late"))) "event: other\ndata: " MCP_RESULT(3, MCP_TEXT("other")) "\n\n"
                "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":3,\"result\":" MCP_TEXT("mine") "}\n\ndata: rubbish\n\n"),
     "200", "mine"},
    {MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"gone\"}}")), "200,rpc-32000", "gone"},
    {MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}")), "200,network6",
     "the stream of events ended without the answer"},
    {MCP_STREAM("data: " MCP_RESULT(3, MCP_TEXT("not ended"))), "200,network6", NULL},
    {MCP_STREAM("\xef\xbb\xbf" "data: " MCP_RESULT(3, MCP_TEXT("cr")) "\r\r"), "200", "cr"},
};

static void test_answers(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        for (size_t piece = 0; piece < 8; piece += 7) {
            struct sim_answer answers[] = {READY, cases[i].answer};
            const struct recourse_result *result;
            struct mcp_kit mcp;

            answers[3].piece = piece;
            open_with(&mcp, answers, RCS_COUNT(answers));
            result = recourse_turn_result(mcp_call(&mcp, "find", "{}"), 0);
            mcp.facts[strcspn(mcp.facts, " ")] = '\0'; /* the first try's */
            RCS_TEXT_EQUAL(mcp.facts, cases[i].facts);
            if (cases[i].shown != NULL) {
                RCS_TEXT_EQUAL(kit_text(result->success ? result->content : result->detail), cases[i].shown);
            }
            RCS_EQUAL(result->success, strcmp(cases[i].facts, "200") == 0);
            mcp_close(&mcp);
        }
    }
}

static void test_structured(void)
{
    static const struct sim_answer answers[] = {
        READY, MCP_JSON(MCP_RESULT(3, "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"a\": 1e400}}"))};
    const struct recourse_result *result;
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    result = recourse_turn_result(mcp_call(&mcp, "find", "{}"), 0);
    RCS_TEXT_EQUAL(kit_text(result->content), "t");
    RCS_TEXT_EQUAL(kit_text(result->structured), "{\"a\": 1e400}");
    mcp_close(&mcp);
}

/* ---- the session ---- */

static void test_lost_session(void)
{
    static const struct sim_answer answers[] = {
        IN_SESSION, {.status = 404, .phrase = "Not Found", .after_ms = 1},
        {.status = 200, .body = MCP_RESULT(4, "{\"protocolVersion\":\"2025-06-18\"}"), .after_ms = 1},
        MCP_ACCEPTED, MCP_JSON(MCP_RESULT(5, MCP_TEXT("again")))};
    struct mcp_kit mcp;
    struct recourse_turn *turn;

    open_with(&mcp, answers, RCS_COUNT(answers));
    turn = mcp_call(&mcp, "find", "{}");
    RCS_TEXT_EQUAL(mcp.facts, "404,expired 200");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "again");
    CU_ASSERT_PTR_NULL(strstr(mcp_request(&mcp, 4)->headers, "Mcp-Session-Id"));
    CU_ASSERT_PTR_NULL(strstr(mcp_request(&mcp, 4)->headers, "MCP-Protocol-Version"));
    CU_ASSERT_PTR_NULL(strstr(mcp_request(&mcp, 6)->headers, "Mcp-Session-Id"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 6)->body, "\"recourse/try\":2"));
    mcp_close(&mcp);
}

/* Of several that see it, one initialises. */
static void test_lost_session_of_many(void)
{
    static const struct sim_answer answers[] = {
        IN_SESSION,
        {.status = 404, .after_ms = 1}, {.status = 404, .after_ms = 1}, {.status = 404, .after_ms = 2},
        MCP_JSON(MCP_RESULT(6, "{\"protocolVersion\":\"2025-06-18\"}")), MCP_ACCEPTED,
        MCP_JSON(MCP_RESULT(7, MCP_TEXT("a"))), MCP_JSON(MCP_RESULT(8, MCP_TEXT("b"))), MCP_JSON(MCP_RESULT(9, MCP_TEXT("c")))};
    const struct recourse_call_request calls[] = {
        kit_call("1", "find", "{\"a\":1}"), kit_call("2", "find", "{\"a\":2}"), kit_call("3", "find", "{\"a\":3}")};
    struct mcp_kit mcp;
    struct recourse_turn *turn;
    size_t handshakes = 0;

    open_with(&mcp, answers, RCS_COUNT(answers));
    turn = kit_start(&mcp.kit, calls, 3);
    kit_finish(&mcp.kit, turn);
    for (size_t i = 0; i < mcp.kit.sim.request_count; i++) {
        handshakes += strstr(mcp_request(&mcp, i)->body, "\"initialize\"") != NULL;
    }
    RCS_EQUAL(handshakes, 2);
    RCS_EQUAL(mcp.kit.sim.request_count, 3 + 3 + 2 + 3);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_TRUE(recourse_turn_result(turn, i)->success);
        RCS_EQUAL(recourse_turn_result(turn, i)->tries, 2);
    }
    mcp_close(&mcp);
}

/* ---- the handshake ---- */

static const struct {
    struct sim_answer answer;
    const char *facts;
} handshakes[] = {
    {{.status = 401, .body = "who", .after_ms = 1}, "401,unsent"},
    {{.network = RECOURSE_NETWORK_RESET, .after_ms = 1}, ",network5,unsent"},
    {MCP_JSON("{" MCP_ID(1) ",\"error\":{\"code\":-32022,\"message\":\"m\"}}"), "200,rpc-32022,unsent"},
    {MCP_JSON(MCP_RESULT(1, "{\"protocolVersion\":\"2099-01-01\"}")), "200,protocol,unsent"},
    {MCP_JSON(MCP_RESULT(1, "{}")), "200,protocol,unsent"},
    {MCP_JSON(MCP_RESULT(7, "{\"protocolVersion\":\"2025-06-18\"}")), "200,protocol,unsent"},
    {MCP_ACCEPTED, "202,protocol,unsent"},
};

static void test_failed_handshakes(void)
{
    for (size_t i = 0; i < RCS_COUNT(handshakes); i++) {
        struct mcp_kit mcp;

        mcp_open(&mcp);
        sim_route(&mcp.kit.sim, "http://s/", &handshakes[i].answer, 1);
        mcp_add(&mcp, "s");
        (void)mcp_list(&mcp);
        mcp.facts[strcspn(mcp.facts, " ")] = '\0'; /* the first try's */
        RCS_TEXT_EQUAL(mcp.facts, handshakes[i].facts);
        RCS_EQUAL(recourse_run_status(mcp.kit.run), RECOURSE_RUN_FAILED);
        CU_ASSERT_FALSE(recourse_runner_tools_ready(mcp.kit.runner));
        mcp_close(&mcp);
    }
}

/* A failed note after it is no error. */
static void test_failed_note(void)
{
    static const struct sim_answer answers[] = {
        MCP_JSON(MCP_HELLO), {.status = 500, .after_ms = 1}, LISTED, MCP_JSON(MCP_RESULT(3, MCP_TEXT("fine")))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "fine");
    mcp_close(&mcp);
}

/* ---- requests of the server's ---- */

static void test_server_requests(void)
{
    static const struct sim_answer answers[] = {
        READY,
        MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}")
                   MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"roots/list\"}")
                   MCP_EVENT(MCP_RESULT(3, MCP_TEXT("done")))),
        MCP_ACCEPTED};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "done");
    kit_settle(&mcp.kit);
    RCS_EQUAL(mcp.kit.sim.request_count, 6);
    RCS_TEXT_EQUAL(mcp_request(&mcp, 4)->body,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
    RCS_TEXT_EQUAL(mcp_request(&mcp, 5)->body, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    mcp_close(&mcp);
}

/* Found by fuzz_mcp_answers: a server that asks again in answer to each answer, which is none of its business. */
static void test_server_asks_for_ever(void)
{
    static const struct sim_answer answers[] = {
        READY,
        MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}") MCP_EVENT(MCP_RESULT(3, MCP_TEXT("done")))),
        MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}"))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "done");
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 100);
    RCS_EQUAL(mcp.kit.sim.request_count, 5);
    mcp_close(&mcp);
}

/* ---- time ---- */

static void test_timeout_and_cancel(void)
{
    static const struct sim_answer answers[] = {READY, {.after_ms = 0}, {.status = 202, .after_ms = 1}};
    struct mcp_kit mcp;
    struct recourse_turn *turn;

    open_with(&mcp, answers, RCS_COUNT(answers));
    turn = kit_start_one(&mcp.kit, "find", "{}");
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 5);
    recourse_turn_cancel(turn);
    kit_finish(&mcp.kit, turn);
    kit_settle(&mcp.kit);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
    CU_ASSERT_TRUE(mcp_request(&mcp, 3)->cancelled);
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 4)->body, "notifications/cancelled\",\"params\":{\"requestId\":3,"));
    mcp_close(&mcp);
}

/* A handshake that nobody waits for any more is ended; nothing was touched. */
static void test_cancel_within_handshake(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 0}};
    struct mcp_kit mcp;
    struct recourse_turn *turn = NULL;

    mcp_open(&mcp);
    sim_route(&mcp.kit.sim, "http://s/", answers, 1);
    mcp_add(&mcp, "s");
    RCS_EQUAL(recourse_run_list_tools(mcp.kit.run, NULL, &turn, NULL), 0);
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 5);
    recourse_run_cancel(mcp.kit.run);
    kit_finish(&mcp.kit, turn);
    RCS_EQUAL(recourse_run_status(mcp.kit.run), RECOURSE_RUN_CANCELLED);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_NONE);
    CU_ASSERT_TRUE(mcp_request(&mcp, 0)->cancelled);
    RCS_EQUAL(mcp.kit.sim.in_flight, 0);
    mcp_close(&mcp);
}

/* The run fails while an unsafe call waits for the next session: it never reaches its tool. */
static void test_run_fails_within_handshake(void)
{
    static const struct sim_answer answers[] = {IN_SESSION, {.status = 404, .after_ms = 1}, {.after_ms = 0}};
    const struct recourse_run_failure failure = {.http = 529};
    struct mcp_kit mcp;
    struct recourse_turn *turn;
    size_t asked;

    open_with(&mcp, answers, RCS_COUNT(answers));
    turn = kit_start_one(&mcp.kit, "find", "{}");
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 5);
    asked = mcp.kit.sim.request_count;
    RCS_EQUAL(recourse_run_fail(mcp.kit.run, &failure), 0);
    kit_finish(&mcp.kit, turn);
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, asked - 1)->body, "\"initialize\""));
    CU_ASSERT_TRUE(mcp_request(&mcp, asked - 1)->cancelled);
    RCS_EQUAL(mcp.kit.sim.request_count, asked);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 2);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_NONE);
    mcp_close(&mcp);
}

/* A runner that goes in the middle of everything. */
static void test_freed_in_flight(void)
{
    static const struct sim_answer answers[] = {READY, {.after_ms = 0}};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers));
    (void)kit_start_one(&mcp.kit, "find", "{}");
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 5);
    mcp_close(&mcp);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"requests", test_requests},
        {"answers", test_answers},
        {"structured", test_structured},
        {"lost session", test_lost_session},
        {"lost session of many", test_lost_session_of_many},
        {"failed handshakes", test_failed_handshakes},
        {"failed note", test_failed_note},
        {"server requests", test_server_requests},
        {"server asks for ever", test_server_asks_for_ever},
        {"timeout and cancel", test_timeout_and_cancel},
        {"cancel within the handshake", test_cancel_within_handshake},
        {"run fails within the handshake", test_run_fails_within_handshake},
        {"freed in flight", test_freed_in_flight},
    };

    return rcs_unit_main("mcp_client", tests, RCS_COUNT(tests));
}
