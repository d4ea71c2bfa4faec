/* The MCP client's facts, situation by situation, and what the policies that come with the library believe of each. */
#include "tests/unit/mcp_client_kit.h"
#include "tests/unit/sim_process.h"

#define ERROR_TEXT(id, code) "{" MCP_ID(id) ",\"error\":{\"code\":" #code ",\"message\":\"m\"}}"
#define REFUSED(number, id, code) {.status = number, .body = ERROR_TEXT(id, code), .after_ms = 1}
#define STATUS(number) {.status = number, .phrase = "s", .body = "b", .after_ms = 1}
#define NETWORK(kind) {.network = RECOURSE_NETWORK_##kind, .after_ms = 1, .detail = "d"}
#define UNSENT(kind) {.network = RECOURSE_NETWORK_##kind, .unsent = true, .after_ms = 1, .detail = "d"}
#define COMPLETE "{\"resultType\":\"complete\",\"content\":[],\"isError\":true}"
/* default, lightspeed, pageindex; lightspeed never takes anything for undone */
#define NONE "none unknown none"
#define UNKNOWN "unknown unknown unknown"

static void expect(struct mcp_kit *mcp, const char *facts, const char *beliefs, size_t number)
{
    unsigned failed = CU_get_number_of_failures();

    mcp->facts[strcspn(mcp->facts, " ")] = '\0'; /* the first try's */
    RCS_TEXT_EQUAL(mcp->facts, facts);
    RCS_TEXT_EQUAL(mcp->beliefs, beliefs);
    if (CU_get_number_of_failures() != failed) {
        fprintf(stderr, "in case %zu\n", number);
    }
}

static const struct recourse_header no_retry[1] = {{{"x-should-retry", 14}, {"false", 5}}};

/* ---- rounds: what ends a call that the server has asked back for ---- */

static const struct {
    struct sim_answer answer; /* to the request with id 2, or 3 where there was a round */
    struct sim_answer later;
    const char *facts; /* as the only answer */
    const char *beliefs;
    const char *later_facts; /* after a round */
    const char *later_beliefs;
    const char *detail; /* likewise; NULL: as ever */
} ends[] = {
    {UNSENT(REFUSED), UNSENT(REFUSED), ",network1,unsent", NONE, ",network7", UNKNOWN, "no connection, after the server had asked back: d"},
    {UNSENT(UNREACHABLE), UNSENT(UNREACHABLE), ",network2,unsent", NONE, ",network7", UNKNOWN, "no connection, after the server had asked back: d"},
    {UNSENT(DNS), UNSENT(DNS), ",network3,unsent", NONE, ",network7", UNKNOWN, "no connection, after the server had asked back: d"},
    {NETWORK(TLS), NETWORK(TLS), ",network4", NONE, ",network7", UNKNOWN, "no connection, after the server had asked back: d"},
    {{.timeout = RECOURSE_TIMEOUT_CONNECT, .unsent = true, .after_ms = 1}, {.timeout = RECOURSE_TIMEOUT_CONNECT, .unsent = true, .after_ms = 1},
     ",timeout1,unsent", NONE, ",timeout4", UNKNOWN, "no connection in time, after the server had asked back"},
    {UNSENT(CLOSED), UNSENT(CLOSED), ",network6,unsent", NONE, ",network6", UNKNOWN, "nothing was sent, after the server had asked back: d"},
    {NETWORK(CLOSED), NETWORK(CLOSED), ",network6", UNKNOWN, ",network6", UNKNOWN, "d"},
    {NETWORK(RESET), NETWORK(RESET), ",network5", UNKNOWN, ",network5", UNKNOWN, "d"},
    {{.timeout = RECOURSE_TIMEOUT_READ, .after_ms = 1}, {.timeout = RECOURSE_TIMEOUT_READ, .after_ms = 1},
     ",timeout2", UNKNOWN, ",timeout2", UNKNOWN, ""},
    {{.status = 429, .network = RECOURSE_NETWORK_CLOSED, .after_ms = 1}, {.status = 429, .network = RECOURSE_NETWORK_CLOSED, .after_ms = 1},
     "429,network6", "none unknown unknown", ",network6", UNKNOWN, "HTTP status 429, after the server had asked back"},
    {STATUS(429), STATUS(429), "429", NONE, "429,error", UNKNOWN, ""},
    {STATUS(401), STATUS(401), "401", NONE, "401,error", UNKNOWN, ""},
    {STATUS(403), STATUS(403), "403", NONE, "403,error", UNKNOWN, ""},
    {STATUS(407), STATUS(407), "407", NONE, ",error", UNKNOWN, "HTTP status 407, after the server had asked back"},
    {STATUS(400), STATUS(400), "400", NONE, ",error", UNKNOWN, "HTTP status 400, after the server had asked back"},
    {STATUS(404), STATUS(404), "404", NONE, ",error", UNKNOWN, "HTTP status 404, after the server had asked back"},
    {STATUS(413), STATUS(413), "413", NONE, ",error", UNKNOWN, "HTTP status 413, after the server had asked back"},
    {STATUS(425), STATUS(425), "425", NONE, ",error", UNKNOWN, "HTTP status 425, after the server had asked back"},
    {STATUS(408), STATUS(408), "408", "unknown unknown none", ",error", UNKNOWN, "HTTP status 408, after the server had asked back"},
    {STATUS(301), STATUS(301), "301", UNKNOWN, ",error", UNKNOWN, "HTTP status 301, after the server had asked back"},
    {STATUS(500), STATUS(500), "500", UNKNOWN, "500", UNKNOWN, ""},
    {STATUS(503), STATUS(503), "503", UNKNOWN, "503", UNKNOWN, ""},
    {STATUS(202), STATUS(202), "202,protocol", UNKNOWN, "202,protocol", UNKNOWN, "the server accepted the call, and gave no answer"},
    {REFUSED(400, 2, -32602), REFUSED(400, 3, -32602), "400,rpc-32602", NONE, ",error", UNKNOWN, "JSON-RPC error -32602, after the server had asked back"},
    {REFUSED(404, 2, -32601), REFUSED(404, 3, -32601), "404,rpc-32601", NONE, ",error", UNKNOWN, "JSON-RPC error -32601, after the server had asked back"},
    {REFUSED(400, 2, -32021), REFUSED(400, 3, -32021), "400,rpc-32021", NONE, ",error", UNKNOWN, "JSON-RPC error -32021, after the server had asked back"},
    {REFUSED(200, 2, -32602), REFUSED(200, 3, -32602), "200,rpc-32602", NONE, "200,error", UNKNOWN, "JSON-RPC error -32602, after the server had asked back"},
    {REFUSED(200, 2, -32603), REFUSED(200, 3, -32603), "200,rpc-32603", UNKNOWN, "200,error", UNKNOWN, "JSON-RPC error -32603, after the server had asked back"},
    {REFUSED(500, 2, -32603), REFUSED(500, 3, -32603), "500,rpc-32603", UNKNOWN, "500", UNKNOWN, "JSON-RPC error -32603, after the server had asked back"},
    {MCP_JSON(MCP_RESULT(2, COMPLETE)), MCP_JSON(MCP_RESULT(3, COMPLETE)), "200,error", UNKNOWN, "200,error", UNKNOWN, ""},
    {MCP_JSON("rubbish"), MCP_JSON("rubbish"), "200,protocol", UNKNOWN, "200,protocol", UNKNOWN, "the answer is no JSON-RPC message to this request"},
    {{.after_ms = 0}, {.after_ms = 0}, ",timeout3", UNKNOWN, ",timeout3", UNKNOWN, "timed out"},
    {{.after_ms = 0, .unsent = true}, {.after_ms = 0, .unsent = true}, ",timeout3,unsent", NONE, ",timeout3", UNKNOWN, "timed out"},
};

static void open_modern(struct mcp_kit *mcp, const struct sim_answer *answers, size_t count)
{
    char url[64];
    struct recourse_mcp_server server = mcp_server("s", url);

    mcp_open(mcp);
    mcp->kit.policy.policy.settings.rounds = 3;
    sim_route(&mcp->kit.sim, "http://s/", answers, count);
    server.era = RECOURSE_MCP_ERA_MODERN;
    RCS_EQUAL(recourse_runner_add_mcp_server(mcp->kit.runner, &server, NULL), 0);
    (void)mcp_list(mcp);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(mcp->kit.runner));
    mcp->facts[0] = '\0';
}

static void test_rounds(void)
{
    static const struct sim_answer list = MCP_JSON(MCP_RESULT(1, "{\"tools\":[" MCP_TOOL("find") "]}"));
    static const struct sim_answer asks = MCP_JSON(MCP_RESULT(2, "{\"resultType\":\"input_required\",\"requestState\":\"s\"}"));

    for (size_t i = 0; i < RCS_COUNT(ends); i++) {
        const struct sim_answer first[] = {list, ends[i].answer};
        const struct sim_answer later[] = {list, asks, ends[i].later};
        struct mcp_kit mcp;

        open_modern(&mcp, first, RCS_COUNT(first));
        (void)mcp_call(&mcp, "find", "{}");
        expect(&mcp, ends[i].facts, ends[i].beliefs, i);
        mcp_close(&mcp);
        open_modern(&mcp, later, RCS_COUNT(later));
        (void)mcp_call(&mcp, "find", "{}");
        expect(&mcp, ends[i].later_facts, ends[i].later_beliefs, i);
        RCS_TEXT_EQUAL(mcp.detail, ends[i].detail);
        mcp_close(&mcp);
    }
}

/* A policy that takes the status for proof whatever stands beside it doesn't get to see it. */
static void test_refused_rounds(void)
{
    static const struct {
        const char *policy;
        struct sim_answer answer;
        const char *facts;
        uint8_t tell;
        uint16_t http;
    } cases[] = {
        {"pageindex", STATUS(401), "401,error", RECOURSE_TELL_HOST, 401},
        {"pageindex", STATUS(403), "403,error", RECOURSE_TELL_HOST, 403},
        {"pageindex", STATUS(429), "429,error", RECOURSE_TELL_HOST, 429},
        {"pageindex", STATUS(404), ",error", RECOURSE_TELL_MODEL, 0},
        {"pageindex", REFUSED(401, 3, -32000), "401,error", RECOURSE_TELL_HOST, 401},
        {"default", STATUS(401), "401,error", RECOURSE_TELL_HOST, 401},
        {"default", STATUS(403), "403,error", RECOURSE_TELL_MODEL, 403},
        {"default", STATUS(429), "429,error", RECOURSE_TELL_MODEL, 429},
        {"default", {.status = 429, .after_ms = 1, .headers = no_retry, .header_count = 1}, ",error", RECOURSE_TELL_MODEL, 0},
    };
    static const struct sim_answer list = MCP_JSON(MCP_RESULT(1, "{\"tools\":[" MCP_TOOL("find") "]}"));
    static const struct sim_answer asks = MCP_JSON(MCP_RESULT(2, "{\"resultType\":\"input_required\",\"requestState\":\"s\"}"));

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct sim_answer later[] = {list, asks, cases[i].answer};
        struct recourse_policy policy = *recourse_policy_builtin(cases[i].policy);
        const struct recourse_result *result;
        struct mcp_kit mcp;

        policy.settings.rounds = 3;
        open_modern(&mcp, later, RCS_COUNT(later));
        RCS_EQUAL(recourse_runner_set_policy(mcp.kit.runner, &policy), 0);
        result = recourse_turn_result(mcp_call(&mcp, "find", "{}"), 0);
        RCS_TEXT_EQUAL(mcp.facts, cases[i].facts);
        RCS_EQUAL(result->tell, cases[i].tell);
        RCS_EQUAL(result->http, cases[i].http);
        RCS_EQUAL(result->effect, RECOURSE_EFFECT_UNKNOWN);
        RCS_EQUAL(result->tries, 1);
        mcp_close(&mcp);
    }
}

/* ---- a tool that was seen at work: an error's code does not say any more that it was not begun ---- */

#define ASK(method) "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"" method "\",\"params\":{}}"
#define PROGRESS(token) \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":" #token ",\"progress\":1}}"
#define LOG "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"progressToken\":3}}"

static const struct {
    const char *before; /* what the server says first; the call has id 3 */
    const char *error;
    bool is_proof; /* that the tool has begun */
} signs[] = {
    {ASK("roots/list"), ERROR_TEXT(3, -32601), true},
    {ASK("sampling/createMessage"), ERROR_TEXT(3, -32601), true},
    {ASK("elicitation/create"), ERROR_TEXT(3, -32602), true},
    {ASK("elicitation/create"), ERROR_TEXT(3, -32700), true},
    {ASK("roots/list"), ERROR_TEXT(3, -32022), true},
    {PROGRESS(3), ERROR_TEXT(3, -32602), true},
    {ASK("ping"), ERROR_TEXT(3, -32601), false},
    {PROGRESS(2), ERROR_TEXT(3, -32602), false},
    {PROGRESS("3"), ERROR_TEXT(3, -32602), false},
    {PROGRESS(0), ERROR_TEXT(3, -32602), false},
    {LOG, ERROR_TEXT(3, -32602), false},
};

static const char *rpc_of(const char *error)
{
    static char text[32];

    snprintf(text, sizeof text, "rpc%d", atoi(strstr(error, "\"code\":") + 7));
    return text;
}

static const char *facts_of(size_t i, const char *status)
{
    static char text[64];

    snprintf(text, sizeof text, "%s,%s", status, signs[i].is_proof ? "error" : rpc_of(signs[i].error));
    return text;
}

/* On the stream of the call, and on the stream of a GET. */
static void test_signs_over_http(void)
{
    for (size_t i = 0; i < RCS_COUNT(signs) * 2; i++) {
        const size_t n = i / 2;
        char own[1024];
        char aside[512];
        struct sim_answer gets[] = {MCP_STREAM(aside), {.after_ms = 0}};
        const struct sim_answer posts[] = {MCP_IN_SESSION(MCP_HELLO), MCP_ACCEPTED, MCP_JSON(MCP_LIST(MCP_TOOL("find"))),
                                           {.status = 200, .body = own, .after_ms = 20, .headers = mcp_stream_headers, .header_count = 1},
                                           MCP_ACCEPTED};
        struct mcp_kit mcp;

        snprintf(own, sizeof own, MCP_EVENT("%s") MCP_EVENT("%s"), i % 2 == 0 ? signs[n].before : LOG, signs[n].error);
        snprintf(aside, sizeof aside, MCP_EVENT("%s"), signs[n].before);
        gets[0].after_ms = 10;
        mcp_open(&mcp);
        mcp.kit.policy.policy.settings.tries = 1;
        sim_route(&mcp.kit.sim, "http://s/", posts, RCS_COUNT(posts));
        if (i % 2 == 1) {
            sim_route(&mcp.kit.sim, "GET http://s/", gets, 2);
        }
        mcp_add(&mcp, "s");
        (void)mcp_list(&mcp);
        mcp.facts[0] = '\0';
        (void)mcp_call(&mcp, "find", "{}");
        expect(&mcp, facts_of(n, "200"), signs[n].is_proof ? UNKNOWN : NONE, i);
        /* progress elsewhere keeps the call's read timeout from coming */
        RCS_EQUAL(mcp_request(&mcp, 3)->touches, i % 2 == 1 && strcmp(signs[n].before, PROGRESS(3)) == 0);
        mcp_close(&mcp);
    }
}

/* What was asked before the call was sent is not about it. */
static void test_signs_before(void)
{
    static const struct sim_answer gets[] = {MCP_STREAM(MCP_EVENT(ASK("roots/list"))), {.after_ms = 0}};
    static const struct sim_answer posts[] = {MCP_IN_SESSION(MCP_HELLO), MCP_ACCEPTED, MCP_JSON(MCP_LIST(MCP_TOOL("find"))),
                                              MCP_ACCEPTED, MCP_JSON(ERROR_TEXT(3, -32601))};
    struct mcp_kit mcp;

    mcp_open(&mcp);
    sim_route(&mcp.kit.sim, "http://s/", posts, RCS_COUNT(posts));
    sim_route(&mcp.kit.sim, "GET http://s/", gets, 2);
    mcp_add(&mcp, "s");
    (void)mcp_list(&mcp);
    kit_until(&mcp.kit, mcp.kit.sim.now_ms + 100);
    mcp.facts[0] = '\0';
    (void)mcp_call(&mcp, "find", "{}");
    expect(&mcp, "200,rpc-32601", NONE, 0);
    mcp_close(&mcp);
}

/* ---- over standard output ---- */

static struct sim_process program;
static size_t sign; /* which of the signs */

static void answer(struct sim_process *process, const char *line)
{
    const char *method = strstr(line, "\"method\":\"");
    char text[1024];

    if (method == NULL || strstr(line, "\"id\":") == NULL) {
        return;
    }
    if (strncmp(method + 10, "initialize\"", 11) == 0) {
        sim_process_say(process, MCP_HELLO "\n");
    } else if (strncmp(method + 10, "tools/list\"", 11) == 0) {
        sim_process_say(process, MCP_LIST(MCP_TOOL("find")) "\n");
    } else {
        snprintf(text, sizeof text, "%s\n%s\n", signs[sign].before, signs[sign].error);
        sim_process_say(process, text);
    }
}

static void test_signs_of_programs(void)
{
    static const char *const command[] = {"srv", NULL};
    const struct recourse_mcp_server config = {
        .size = sizeof config, .name = "s", .command = command, .era = RECOURSE_MCP_ERA_LEGACY};

    for (sign = 0; sign < RCS_COUNT(signs); sign++) {
        struct mcp_kit mcp;

        mcp_open(&mcp);
        sim_process_init(&program, &mcp.kit.sim);
        program.line = answer;
        RCS_EQUAL(recourse_runner_add_mcp_server(mcp.kit.runner, &config, NULL), 0);
        (void)mcp_list(&mcp);
        mcp.facts[0] = '\0';
        (void)mcp_call(&mcp, "find", "{}");
        expect(&mcp, facts_of(sign, ""), signs[sign].is_proof ? UNKNOWN : NONE, sign);
        mcp_close(&mcp);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"rounds", test_rounds},
        {"refused rounds", test_refused_rounds},
        {"signs over HTTP", test_signs_over_http},
        {"signs before", test_signs_before},
        {"signs of programs", test_signs_of_programs},
    };

    return rcs_unit_main("mcp_facts", tests, RCS_COUNT(tests));
}
