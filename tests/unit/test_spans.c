/* What is in a call's spans, what tools are told of its trace, and what is in neither. */
#include "tests/unit/mcp_client_kit.h"
#include "tests/unit/purse.h"
#include "tests/unit/spans_kit.h"

static struct spans_kit at;

static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};
static const struct sim_answer busy_once[] = {{.after_ms = 5, .status = 503, .phrase = "timeout", .body = "hidden error"},
                                              {.after_ms = 10, .status = 200, .body = "hidden result"}};

static void open_with(const char *name, const struct sim_answer *answers, size_t count)
{
    static char url[64];

    memset(&at, 0, sizeof at);
    spans_open(&at, NULL);
    kit_http(&at.kit, name, true);
    snprintf(url, sizeof url, "http://%s/", name);
    sim_route(&at.kit.sim, url, answers, count);
}

static void run(const struct recourse_call_request *call)
{
    struct recourse_turn *turn = kit_start(&at.kit, call, 1);

    kit_finish(&at.kit, turn);
    recourse_turn_free(turn);
}

/* Every byte of a batch: the ids are the simulated port's random numbers. */
static void test_exactly(void)
{
    struct recourse_spans_options options;
    struct recourse_call_request call = spans_call("lookup", SPANS_TRACEPARENT, "a=1, b=2");
    static const char *const resource[] = {"service.name", "shop \"1\"", "host.name", "h", NULL};

    memset(&at, 0, sizeof at);
    options = spans_options(&at);
    options.resource = resource;
    spans_open(&at, &options);
    kit_http(&at.kit, "lookup", true);
    sim_route(&at.kit.sim, "http://lookup/", fine, 1);
    at.kit.sim.random = 0x0706050403020100u;
    run(&call);
    RCS_EQUAL(at.batches, 0);
    RCS_EQUAL(recourse_spans_flush(at.spans, 0), 0);
    RCS_EQUAL(at.batches, 1);
    RCS_EQUAL(at.count, 2);
    RCS_TEXT_EQUAL(
        at.json,
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":["
        "{\"key\":\"telemetry.sdk.name\",\"value\":{\"stringValue\":\"recourse\"}},"
        "{\"key\":\"telemetry.sdk.language\",\"value\":{\"stringValue\":\"c\"}},"
        "{\"key\":\"telemetry.sdk.version\",\"value\":{\"stringValue\":\"" RECOURSE_VERSION "\"}},"
        "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop \\\"1\\\"\"}},"
        "{\"key\":\"host.name\",\"value\":{\"stringValue\":\"h\"}}]},"
        "\"scopeSpans\":[{\"scope\":{\"name\":\"recourse\",\"version\":\"" RECOURSE_VERSION "\"},\"spans\":["
        "{\"traceId\":\"" SPANS_TRACE "\",\"spanId\":\"0401020304050607\",\"traceState\":\"a=1,b=2\","
        "\"parentSpanId\":\"0201020304050607\",\"flags\":257,\"kind\":3,"
        "\"startTimeUnixNano\":\"1700000000000000000\",\"endTimeUnixNano\":\"1700000000010000000\",\"name\":\"POST\","
        "\"attributes\":[{\"key\":\"http.request.method\",\"value\":{\"stringValue\":\"POST\"}},"
        "{\"key\":\"server.address\",\"value\":{\"stringValue\":\"lookup\"}},"
        "{\"key\":\"server.port\",\"value\":{\"intValue\":\"80\"}},"
        "{\"key\":\"url.full\",\"value\":{\"stringValue\":\"http://lookup/\"}},"
        "{\"key\":\"http.response.status_code\",\"value\":{\"intValue\":\"200\"}},"
        "{\"key\":\"recourse.try\",\"value\":{\"intValue\":\"1\"}},"
        "{\"key\":\"recourse.row\",\"value\":{\"stringValue\":\"A1\"}},"
        "{\"key\":\"recourse.effect\",\"value\":{\"stringValue\":\"done\"}}],\"status\":{}},"
        "{\"traceId\":\"" SPANS_TRACE "\",\"spanId\":\"0201020304050607\",\"traceState\":\"a=1,b=2\","
        "\"parentSpanId\":\"" SPANS_PARENT "\",\"flags\":769,\"kind\":1,"
        "\"startTimeUnixNano\":\"1700000000000000000\",\"endTimeUnixNano\":\"1700000000010000000\","
        "\"name\":\"execute_tool lookup\","
        "\"attributes\":[{\"key\":\"gen_ai.operation.name\",\"value\":{\"stringValue\":\"execute_tool\"}},"
        "{\"key\":\"gen_ai.tool.name\",\"value\":{\"stringValue\":\"lookup\"}},"
        "{\"key\":\"gen_ai.tool.call.id\",\"value\":{\"stringValue\":\"c1\"}},"
        "{\"key\":\"gen_ai.tool.type\",\"value\":{\"stringValue\":\"function\"}},"
        "{\"key\":\"recourse.policy.name\",\"value\":{\"stringValue\":\"toy\"}},"
        "{\"key\":\"recourse.policy.digest\",\"value\":{\"stringValue\":"
        "\"f100000000000000000000000000000000000000000000000000000000000000\"}},"
        "{\"key\":\"recourse.row\",\"value\":{\"stringValue\":\"A1\"}},"
        "{\"key\":\"recourse.told\",\"value\":{\"stringValue\":\"model\"}},"
        "{\"key\":\"recourse.reminder\",\"value\":{\"boolValue\":false}},"
        "{\"key\":\"recourse.tries\",\"value\":{\"intValue\":\"1\"}},"
        "{\"key\":\"recourse.wait_ms\",\"value\":{\"intValue\":\"0\"}}],\"events\":[],\"status\":{}}"
        "]}]}]}\n");
    spans_close(&at);
}

#define OF_CALL(tool) " gen_ai.operation.name=execute_tool gen_ai.tool.name=" tool " gen_ai.tool.call.id=c1 gen_ai.tool.type=function"
#define OF_POLICY \
    " recourse.policy.name=toy recourse.policy.digest=f100000000000000000000000000000000000000000000000000000000000000"

/* A try that fails, a wait, and one that does not; the tool sees a span of its own each time. */
static void test_tries(void)
{
    struct recourse_call_request call = spans_call("lookup", SPANS_TRACEPARENT, "");
    char wanted[128];

    open_with("lookup", busy_once, 2);
    run(&call);
    RCS_TEXT_EQUAL(
        spans_words(&at),
        "POST client 1000-1005 ERROR http.request.method=POST server.address=lookup server.port=80 url.full=http://lookup/"
        " http.response.status_code=503 error.type=503 recourse.try=1 recourse.row=A2 recourse.failure=transient"
        " recourse.effect=unknown recourse.scenario=2 recourse.wait_ms=200\n"
        "POST client 1205-1215 http.request.method=POST server.address=lookup server.port=80 url.full=http://lookup/"
        " http.request.resend_count=1 http.response.status_code=200 recourse.try=2 recourse.row=A1 recourse.effect=done\n"
        "execute_tool lookup internal 1000-1215" OF_CALL("lookup") OF_POLICY
        " recourse.row=A1 recourse.told=model recourse.reminder=false recourse.tries=2"
        " recourse.wait_ms=200 {recourse.wait 1005 recourse.try=1 recourse.row=A2 recourse.scenario=2"
        " recourse.failure=transient recourse.wait_ms=200}\n");
    for (unsigned i = 0; i < 2; i++) {
        snprintf(wanted, sizeof wanted, "|traceparent: 00-" SPANS_TRACE "-%s-01", spans_member(&at, i, "spanId"));
        CU_ASSERT_PTR_NOT_NULL(strstr(at.kit.sim.requests[i].headers, wanted));
        CU_ASSERT_PTR_NULL(strstr(at.kit.sim.requests[i].headers, "tracestate"));
        RCS_TEXT_EQUAL(spans_member(&at, i, "parentSpanId"), spans_member(&at, 2, "spanId"));
        RCS_TEXT_EQUAL(spans_member(&at, i, "traceId"), SPANS_TRACE);
    }
    CU_ASSERT_STRING_NOT_EQUAL(spans_member(&at, 0, "spanId"), spans_member(&at, 1, "spanId"));
    RCS_TEXT_EQUAL(spans_member(&at, 2, "parentSpanId"), SPANS_PARENT);
    CU_ASSERT_PTR_NULL(strstr(at.json, "hidden"));
    RCS_TEXT_EQUAL(spans_state(&at), "ended 3 exported 3 dropped 0 failed 0 rejected 0 waiting 0");
    spans_close(&at);
}

/* How a call ends that has no try, a tool that nobody knows, an id that looks like none. */
static void test_no_try(void)
{
    struct recourse_call_request call = kit_call("my secret", "hidden_tool", "{}");

    open_with("lookup", fine, 1);
    run(&call);
    RCS_TEXT_EQUAL(spans_words(&at),
                   "execute_tool internal 1000-1000 ERROR gen_ai.operation.name=execute_tool gen_ai.tool.type=function"
                   " error.type=unknown_tool" OF_POLICY
                   " recourse.row=P3 recourse.scenario=1 recourse.told=model recourse.reminder=true recourse.tries=0"
                   " recourse.wait_ms=0\n");
    CU_ASSERT_PTR_NULL(strstr(at.json, "secret"));
    CU_ASSERT_PTR_NULL(strstr(at.json, "hidden"));
    spans_close(&at);
}

static void expect_error(const struct sim_answer *answer, const char *type)
{
    struct recourse_call_request call = spans_call("lookup", "", "");
    char wanted[64];

    open_with("lookup", answer, 1);
    run(&call);
    snprintf(wanted, sizeof wanted, " error.type=%s ", type);
    rcs_unit_equal(strstr(spans_words(&at), wanted) != NULL, 1, type, __FILE__, __LINE__);
    spans_close(&at);
}

static void test_error_types(void)
{
    static const struct {
        struct sim_answer answer;
        const char *type;
    } cases[] = {
        {{.status = 404}, "404"},
        {{.status = 503, .phrase = "timeout"}, "503"},
        {{.network = RECOURSE_NETWORK_REFUSED, .unsent = true}, "network_refused"},
        {{.network = RECOURSE_NETWORK_UNREACHABLE, .unsent = true}, "network_unreachable"},
        {{.network = RECOURSE_NETWORK_DNS, .unsent = true}, "network_dns"},
        {{.network = RECOURSE_NETWORK_TLS, .unsent = true}, "network_tls"},
        {{.network = RECOURSE_NETWORK_RESET}, "network_reset"},
        {{.network = RECOURSE_NETWORK_CLOSED}, "network_closed"},
        {{.network = RECOURSE_NETWORK_OTHER}, "network_other"},
        {{.timeout = RECOURSE_TIMEOUT_CONNECT, .unsent = true}, "timeout"},
        {{.timeout = RECOURSE_TIMEOUT_TOTAL}, "timeout"},
        {{.protocol = true}, "permanent"}, /* the failure's name, where there is no other */
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        expect_error(&cases[i].answer, cases[i].type);
    }
}

/* A trace of its own, where the host has given none, or one that is malformed: its state counts for nothing then. */
static void test_own_trace(void)
{
    static const char *const parents[] = {"", "00-" SPANS_TRACE "-0000000000000000-01"};

    for (size_t i = 0; i < RCS_COUNT(parents); i++) {
        struct recourse_call_request call = spans_call("lookup", parents[i], "a=1");

        open_with("lookup", fine, 1);
        at.kit.sim.random = 0; /* which is no id: it is made one */
        run(&call);
        RCS_TEXT_EQUAL(spans_member(&at, 1, "parentSpanId"), "");
        RCS_TEXT_EQUAL(spans_member(&at, 1, "flags"), "259"); /* sampled, random, and known not to be remote */
        RCS_TEXT_EQUAL(spans_member(&at, 1, "traceState"), "");
        RCS_TEXT_EQUAL(spans_member(&at, 1, "traceId"), spans_member(&at, 0, "traceId"));
        CU_ASSERT_STRING_NOT_EQUAL(spans_member(&at, 1, "traceId"), SPANS_TRACE);
        CU_ASSERT_PTR_NOT_NULL(strstr(at.kit.sim.requests[0].headers, "|traceparent: 00-"));
        CU_ASSERT_PTR_NULL(strstr(at.kit.sim.requests[0].headers, "tracestate"));
        spans_close(&at);
    }
}

/* What the host does not record is not recorded here either, and is passed on as it came. */
static void test_not_sampled(void)
{
    static const char parent[] = "00-" SPANS_TRACE "-" SPANS_PARENT "-00";
    struct recourse_call_request call = spans_call("lookup", parent, "a=1");

    open_with("lookup", fine, 1);
    run(&call);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(at.kit.sim.requests[0].headers, "|traceparent: 00-" SPANS_TRACE "-" SPANS_PARENT "-00|tracestate: a=1"));
    RCS_TEXT_EQUAL(spans_state(&at), "ended 0 exported 0 dropped 0 failed 0 rejected 0 waiting 0");
    spans_close(&at);
}

/* Without spans the host's own context is passed on; without either nothing is. */
static void test_passed_on(void)
{
    struct recourse_call_request calls[] = {spans_call("lookup", SPANS_TRACEPARENT, "a=1"), kit_call("c2", "lookup", "{}")};
    struct kit kit;

    kit_open(&kit, NULL);
    kit_http(&kit, "lookup", true);
    sim_route(&kit.sim, "http://lookup/", fine, 1);
    kit_finish(&kit, kit_start(&kit, calls, 2));
    CU_ASSERT_PTR_NOT_NULL(strstr(kit.sim.requests[0].headers, "|traceparent: " SPANS_TRACEPARENT "|tracestate: a=1"));
    CU_ASSERT_PTR_NULL(strstr(kit.sim.requests[1].headers, "trace"));
    kit_close(&kit);
}

static void test_own_headers(void)
{
    static const char *const headers[] = {"TraceParent: mine", NULL};
    struct recourse_tool tool = {.size = sizeof tool, .name = "own", .url = "https://[::1]:8443/a/b?key=hidden", .headers = headers,
                                 .method = "GET"};
    struct recourse_call_request call = spans_call("own", SPANS_TRACEPARENT, "a=1");

    open_with("lookup", fine, 1);
    RCS_EQUAL(recourse_runner_add_tool(at.kit.runner, &tool, NULL), 0);
    sim_route(&at.kit.sim, "https://[::1]:8443/a/b", fine, 1);
    run(&call);
    CU_ASSERT_PTR_NOT_NULL(strstr(at.kit.sim.requests[0].headers, "TraceParent: mine"));
    CU_ASSERT_PTR_NULL(strstr(at.kit.sim.requests[0].headers, "|trace"));
    CU_ASSERT_PTR_NOT_NULL(strstr(spans_words(&at), "GET client 1000-1010 http.request.method=GET server.address=::1"
                                                    " server.port=8443 url.full=https://[::1]:8443/a/b http"));
    CU_ASSERT_PTR_NULL(strstr(at.json, "hidden"));
    spans_close(&at);
}

/* ---- functions ---- */

static char told[256];

static void answer(void *user, struct recourse_invocation *invocation)
{
    const struct recourse_completion completion = {.answer = RECOURSE_ANSWER_ERROR, .content = {"hidden", 6}};
    const char *state = recourse_invocation_tracestate(invocation);

    (void)user;
    snprintf(told, sizeof told, "%s %s", recourse_invocation_traceparent(invocation), state != NULL ? state : "none");
    recourse_invocation_complete(invocation, &completion);
}

static void test_function(void)
{
    struct recourse_call_request call = spans_call("think", SPANS_TRACEPARENT, "a=1");
    char wanted[256];

    open_with("lookup", fine, 1);
    kit_function(&at.kit, "think", answer, NULL, false);
    run(&call);
    RCS_TEXT_EQUAL(spans_words(&at),
                   "try think internal 1000-1000 ERROR error.type=tool_error recourse.try=1 recourse.row=A4"
                   " recourse.failure=permanent recourse.effect=unknown\n"
                   "execute_tool think internal 1000-1000 ERROR" OF_CALL("think") " error.type=permanent" OF_POLICY
                   " recourse.row=A4 recourse.scenario=3a recourse.told=model recourse.reminder=false"
                   " recourse.failure=permanent recourse.tries=1 recourse.wait_ms=0\n");
    snprintf(wanted, sizeof wanted, "00-" SPANS_TRACE "-%s-01 a=1", spans_member(&at, 0, "spanId"));
    RCS_TEXT_EQUAL(told, wanted);
    CU_ASSERT_PTR_NULL(strstr(at.json, "hidden"));
    spans_close(&at);
}

/* ---- MCP ---- */

static void open_mcp(struct mcp_kit *mcp, const struct sim_answer *answers, size_t count)
{
    struct recourse_runner_options options;
    struct recourse_spans_options spans;

    memset(&at, 0, sizeof at);
    memset(mcp, 0, sizeof *mcp);
    kit_init(&mcp->kit, &options);
    spans = spans_options(&at);
    spans.batch_max = 1;
    spans.port = &mcp->kit.sim.port;
    RCS_EQUAL(recourse_spans_new(&spans, &at.spans, NULL), 0);
    options.spans = at.spans;
    kit_open(&mcp->kit, &options);
    mcp_add(mcp, "m");
    sim_route(&mcp->kit.sim, "http://m/", answers, count);
    recourse_turn_free(mcp_list(mcp));
    RCS_EQUAL(at.batches, 0); /* no model has asked for the list */
}

static void close_mcp(struct mcp_kit *mcp)
{
    recourse_runner_free(mcp->kit.runner);
    recourse_spans_free(at.spans);
    sim_clear(&mcp->kit.sim);
}

/* Told twice: in the message, and by HTTP's headers. */
static void test_mcp(void)
{
    static const struct sim_answer answers[] = {
        MCP_IN_SESSION(MCP_HELLO), MCP_ACCEPTED, MCP_JSON(MCP_LIST(MCP_TOOL("find"))),
        MCP_JSON("{" MCP_ID(3) ",\"error\":{\"code\":-32602,\"message\":\"hidden\"}}")};
    struct recourse_call_request call = spans_call("find", SPANS_TRACEPARENT, "a=\",b=2");
    const struct sim_request *request;
    struct recourse_turn *turn;
    struct mcp_kit mcp;
    char wanted[512];

    open_mcp(&mcp, answers, RCS_COUNT(answers));
    turn = kit_start(&mcp.kit, &call, 1);
    kit_finish(&mcp.kit, turn);
    recourse_turn_free(turn);
    request = mcp_request(&mcp, 3);
    snprintf(wanted, sizeof wanted, ",\"recourse/try\":1,\"traceparent\":\"00-" SPANS_TRACE "-%s-01\",\"tracestate\":\"a=\\\",b=2\"}}}",
             spans_member(&at, 0, "spanId"));
    CU_ASSERT_PTR_NOT_NULL(strstr(request->body, wanted));
    snprintf(wanted, sizeof wanted, "|traceparent: 00-" SPANS_TRACE "-%s-01|tracestate: a=\",b=2", spans_member(&at, 0, "spanId"));
    CU_ASSERT_PTR_NOT_NULL(strstr(request->headers, wanted));
#define OF_MCP \
    " mcp.method.name=tools/call jsonrpc.request.id=3 mcp.protocol.version=2025-06-18 mcp.session.id=s-1 network.transport=tcp" \
    " server.address=m server.port=80"
    RCS_TEXT_EQUAL(spans_words(&at),
                   "tools/call find client 1000-1001 ERROR gen_ai.operation.name=execute_tool gen_ai.tool.name=find" OF_MCP
                   " http.response.status_code=200 rpc.response.status_code=-32602 error.type=-32602 recourse.try=1"
                   " recourse.row=A4 recourse.failure=permanent recourse.effect=unknown\n"
                   "execute_tool find internal 1000-1001 ERROR" OF_CALL("find") OF_MCP " error.type=permanent" OF_POLICY
                   " recourse.row=A4 recourse.scenario=3a recourse.told=model recourse.reminder=false"
                   " recourse.failure=permanent recourse.tries=1 recourse.wait_ms=0\n");
    CU_ASSERT_PTR_NULL(strstr(at.json, "hidden"));
    close_mcp(&mcp);
}

/* ---- how calls end otherwise ---- */

/* A call whose try goes on. */
static struct recourse_turn *start_silent(void)
{
    static const struct sim_answer silent[] = {{.after_ms = 0}};
    struct recourse_call_request call = spans_call("lookup", "", "");
    struct recourse_turn *turn;

    open_with("lookup", silent, 1);
    turn = kit_start(&at.kit, &call, 1);
    kit_until(&at.kit, 1050);
    RCS_EQUAL(at.batches, 0);
    return turn;
}

static void test_cancelled(void)
{
    struct recourse_turn *turn = start_silent();

    recourse_turn_cancel(turn);
    kit_finish(&at.kit, turn);
    RCS_TEXT_EQUAL(spans_words(&at),
                   "POST client 1000-1050 ERROR http.request.method=POST server.address=lookup server.port=80"
                   " url.full=http://lookup/ error.type=cancelled recourse.try=1 recourse.row=A8 recourse.effect=unknown\n"
                   "execute_tool lookup internal 1000-1050 ERROR" OF_CALL("lookup") " error.type=cancelled" OF_POLICY
                   " recourse.row=A8 recourse.scenario=3b recourse.told=model recourse.reminder=true recourse.tries=1"
                   " recourse.wait_ms=0\n");
    spans_close(&at);
}

/* A turn that is freed leaves no span, as it leaves no result. */
static void test_freed(void)
{
    struct recourse_turn *turn = start_silent();

    recourse_turn_free(turn);
    kit_settle(&at.kit);
    RCS_TEXT_EQUAL(spans_state(&at), "ended 0 exported 0 dropped 0 failed 0 rejected 0 waiting 0");
    spans_close(&at);
}

/* Whatever allocation of the runner's fails: no call fails by its trace, and nothing is left behind. */
static void test_memory(void)
{
    bool done = false;

    for (unsigned left = 0; !done && left < 300; left++) {
        struct recourse_call_request call = spans_call("lookup", SPANS_TRACEPARENT, "a=1");
        struct purse purse = {.left = 1000};
        struct recourse_allocator allocator = purse_allocator(&purse);
        struct recourse_runner_options options;
        struct recourse_spans_options spans;
        struct recourse_turn_options turn_options;
        struct recourse_turn *turn;

        memset(&at, 0, sizeof at);
        kit_init(&at.kit, &options);
        spans = spans_options(&at);
        RCS_EQUAL(recourse_spans_new(&spans, &at.spans, NULL), 0);
        options.spans = at.spans;
        options.allocator = &allocator;
        kit_open(&at.kit, &options);
        kit_http(&at.kit, "lookup", true);
        sim_route(&at.kit.sim, "http://lookup/", fine, 1);
        turn_options = kit_turn(&at.kit, &call, 1);
        purse.left = left;
        if (recourse_turn_start(at.kit.run, &turn_options, &turn, NULL) == 0) {
            kit_finish(&at.kit, turn);
            RCS_EQUAL(recourse_spans_flush(at.spans, 0), 0);
            done = purse.left > 0 && at.count == 2;
            CU_ASSERT_TRUE(done || at.count + (strstr(spans_state(&at), "dropped 1") != NULL) >= 1);
        }
        spans_close(&at);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_TRUE(done);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"exactly", test_exactly},           {"tries", test_tries},
        {"no try", test_no_try},             {"error types", test_error_types},
        {"own trace", test_own_trace},       {"not sampled", test_not_sampled},
        {"passed on", test_passed_on},       {"own headers", test_own_headers},
        {"function", test_function},         {"mcp", test_mcp},
        {"cancelled", test_cancelled},       {"freed", test_freed},
        {"memory", test_memory},
    };

    return rcs_unit_main("spans", tests, RCS_COUNT(tests));
}
