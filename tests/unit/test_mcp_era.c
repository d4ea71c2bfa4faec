/* The MCP client and the two eras, on the simulated port: how it finds out which one a server is of. */
#include "tests/unit/mcp_modern_kit.h"

#define IS_MODERN "discover list"
#define IS_LEGACY "discover initialize initialized list"

static const struct {
    struct sim_answer probe;
    const char *methods;
    const char *facts; /* of the first try; NULL: it succeeds */
} probes[] = {
    {MODERN, IS_MODERN, NULL},
    {MCP_STREAM(": alive\n\n" MCP_EVENT(DISCOVERED("\"2026-07-28\""))), IS_MODERN, NULL},
    {MCP_JSON(DISCOVERED("\"2025-11-25\"")), IS_LEGACY, NULL},
    {MCP_JSON(DISCOVERED("\"2099-01-01\"")), "discover", "200,protocol,unsent"},
    {MCP_JSON(DISCOVERED("")), "discover", "200,protocol,unsent"},
    {REFUSED(1, -32022, SUPPORTED("\"2026-07-28\"")), IS_MODERN, NULL},
    {REFUSED(null, -32022, SUPPORTED("\"2027-01-01\",\"2026-07-28\"")), IS_MODERN, NULL},
    {REFUSED(1, -32022, SUPPORTED("\"2025-06-18\"")), IS_LEGACY, NULL},
    {REFUSED(1, -32022, SUPPORTED("\"2027-01-01\"")), "discover", "400,rpc-32022,protocol,unsent"},
    {REFUSED(1, -32022, "[]"), "discover", "400,rpc-32022,protocol,unsent"},
    {REFUSED(1, -32021, "{}"), IS_MODERN, NULL},
    {REFUSED(1, -32020, "{}"), IS_MODERN, NULL},
    {REFUSED(1, -32019, "{}"), IS_LEGACY, NULL},
    {REFUSED(1, -32023, "{}"), IS_LEGACY, NULL},
    {REFUSED(null, -32000, "{}"), IS_LEGACY, NULL},
    {MCP_JSON(ERROR_TEXT(1, -32601, "{}")), IS_LEGACY, NULL},
    {MCP_JSON(ERROR_TEXT(1, -32602, "{}")), IS_LEGACY, NULL},
    {{.status = 404, .body = ERROR_TEXT(1, -32601, "{}"), .after_ms = 1}, IS_LEGACY, NULL},
    {{.status = 400, .body = "<html>no</html>", .after_ms = 1}, IS_LEGACY, NULL},
    {STATUS(404), IS_LEGACY, NULL},
    {STATUS(405), IS_LEGACY, NULL},
    {STATUS(406), IS_LEGACY, NULL},
    {STATUS(415), IS_LEGACY, NULL},
    {MCP_ACCEPTED, IS_LEGACY, NULL},
    {MCP_JSON(MCP_RESULT(1, "{}")), IS_LEGACY, NULL},
    {MCP_JSON("rubbish"), IS_LEGACY, NULL},
    {{.after_ms = 0}, IS_LEGACY, NULL}, /* no answer in time */
    /* what says nothing of an era: the try fails, and no tool was touched */
    {STATUS(401), "discover", "401,unsent"},
    {STATUS(403), "discover", "403,unsent"},
    {STATUS(407), "discover", "407,unsent"},
    {STATUS(408), "discover", "408,unsent"},
    {STATUS(429), "discover", "429,unsent"},
    {STATUS(500), "discover", "500,unsent"},
    {STATUS(503), "discover", "503,unsent"},
    {{.network = RECOURSE_NETWORK_REFUSED, .unsent = true, .after_ms = 1}, "discover", ",network1,unsent"},
    {{.network = RECOURSE_NETWORK_RESET, .after_ms = 1}, "discover", ",network5,unsent"},
    {{.timeout = RECOURSE_TIMEOUT_CONNECT, .unsent = true, .after_ms = 1}, "discover", ",timeout1,unsent"},
    {MCP_STREAM(MCP_EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}")), "discover", "200,network6,unsent"},
};

static void test_eras(void)
{
    for (size_t i = 0; i < RCS_COUNT(probes); i++) {
        bool legacy = strcmp(probes[i].methods, IS_LEGACY) == 0;
        struct sim_answer answers[4] = {probes[i].probe, TOOLS(2, MCP_TOOL("find"))};
        struct sim_answer handshake[] = {MCP_JSON(MCP_RESULT(2, "{\"protocolVersion\":\"2025-06-18\"}")), MCP_ACCEPTED,
                                         TOOLS(3, MCP_TOOL("find"))};
        unsigned failed = CU_get_number_of_failures();
        struct mcp_kit mcp;

        if (legacy) {
            memcpy(answers + 1, handshake, sizeof handshake);
        }
        mcp_open(&mcp);
        sim_route(&mcp.kit.sim, "http://s/", answers, probes[i].facts != NULL ? 1 : legacy ? 4 : 2);
        add(&mcp, RECOURSE_MCP_ERA_AUTO);
        (void)mcp_list(&mcp);
        RCS_EQUAL(recourse_runner_tools_ready(mcp.kit.runner), probes[i].facts == NULL);
        if (probes[i].facts == NULL) {
            RCS_TEXT_EQUAL(methods(&mcp, 0), probes[i].methods);
        } else {
            mcp.facts[strcspn(mcp.facts, " ")] = '\0'; /* the first try's */
            RCS_TEXT_EQUAL(mcp.facts, probes[i].facts);
            CU_ASSERT_PTR_NULL(strstr(methods(&mcp, 0), "initialize"));
            CU_ASSERT_PTR_NULL(strstr(methods(&mcp, 0), "list"));
        }
        if (CU_get_number_of_failures() != failed) {
            fprintf(stderr, "in probe %zu\n", i);
        }
        mcp_close(&mcp);
    }
}

/* A probe that is not answered ends; and a modern server says so to the handshake that follows. */
static void test_late_server(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 0}, REFUSED(2, -32022, SUPPORTED("\"2026-07-28\"")),
                                                TOOLS(3, MCP_TOOL("find"))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    RCS_TEXT_EQUAL(methods(&mcp, 0), "discover initialize list");
    CU_ASSERT_TRUE(mcp_request(&mcp, 0)->cancelled);
    RCS_EQUAL(mcp_request(&mcp, 1)->at_ms - mcp_request(&mcp, 0)->at_ms, 15000);
    RCS_EQUAL(mcp.kit.sim.in_flight, 0);
    mcp_close(&mcp);
}

/* The answer is kept; a setting spares the question. */
static void test_asked_once(void)
{
    static const struct sim_answer answers[] = {READY, MCP_JSON(MCP_RESULT(3, COMPLETE("a"))), MCP_JSON(MCP_RESULT(4, COMPLETE("b")))};
    static const struct sim_answer modern[] = {TOOLS(1, MCP_TOOL("find"))};
    static const struct sim_answer legacy[] = {MCP_JSON(MCP_HELLO), MCP_ACCEPTED, TOOLS(2, MCP_TOOL("find"))};
    struct mcp_kit mcp;

    open_with(&mcp, answers, RCS_COUNT(answers), 0);
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{\"a\":1}"), 0), "a");
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{\"a\":2}"), 0), "b");
    RCS_TEXT_EQUAL(methods(&mcp, 0), "discover list call call");
    mcp_close(&mcp);
    mcp_open(&mcp);
    sim_route(&mcp.kit.sim, "http://s/", modern, 1);
    add(&mcp, RECOURSE_MCP_ERA_MODERN);
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(methods(&mcp, 0), "list");
    CU_ASSERT_TRUE(recourse_runner_tools_ready(mcp.kit.runner));
    mcp_close(&mcp);
    mcp_open(&mcp);
    sim_route(&mcp.kit.sim, "http://s/", legacy, 3);
    add(&mcp, RECOURSE_MCP_ERA_LEGACY);
    (void)mcp_list(&mcp);
    RCS_TEXT_EQUAL(methods(&mcp, 0), "initialize initialized list");
    mcp_close(&mcp);
}

/* A server that stops answering like one of its era is asked again, before the next call: the one that saw it has ended. */
static void test_asked_again(void)
{
    static const struct {
        struct sim_answer answer;
        bool again;
    } cases[] = {
        {REFUSED(null, -32000, "{}"), true}, {STATUS(400), true}, {STATUS(404), true}, {STATUS(405), true},
        {REFUSED(3, -32602, "{}"), false}, {{.status = 404, .body = ERROR_TEXT(3, -32601, "{}"), .after_ms = 1}, false},
        {STATUS(403), false},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct sim_answer answers[] = {READY, cases[i].answer, STATUS(403)};
        struct mcp_kit mcp;

        open_with(&mcp, answers, RCS_COUNT(answers), 0);
        (void)mcp_call(&mcp, "find", "{\"a\":1}");
        RCS_TEXT_EQUAL(methods(&mcp, 2), "call");
        (void)mcp_call(&mcp, "find", "{\"a\":2}");
        RCS_TEXT_EQUAL(methods(&mcp, 3), cases[i].again ? "discover" : "call");
        mcp_close(&mcp);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"eras", test_eras},
        {"late server", test_late_server},
        {"asked once", test_asked_once},
        {"asked again", test_asked_again},
    };

    return rcs_unit_main("mcp_era", tests, RCS_COUNT(tests));
}
