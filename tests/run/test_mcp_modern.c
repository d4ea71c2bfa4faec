/*
 * Tools of an MCP server of 2026-07-28 over real sockets, judged by `pageindex`: what came of each call, how often the server
 * has seen it and executed the tool. The server refuses what doesn't bear the headers and the `_meta` of its revision.
 */
#include "tests/run/mcp_world.h"

#define TEXT "text='three documents'"

struct mcp_case {
    const char *settings; /* of the server, beside its era */
    const char *script;   /* of the tool */
    const char *rows;
    const char *content;  /* what is in it; NULL: not looked at */
    unsigned calls;       /* tools/call that came */
    unsigned runs;        /* executions */
    uint16_t http;
    uint8_t tell;
};

#define MODEL RECOURSE_TELL_MODEL
#define HOST RECOURSE_TELL_HOST
#define LOST "may have taken effect"
#define SCHEMA "listed='\"inputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"Number\"}}}' "
#define ASKS "result='{\"resultType\":\"input_required\",\"requestState\":\"s\\\\u00e4\"}' unrun"

static const struct mcp_case cases[] = {
    /* answers */
    {"era=modern", TEXT, "P1 A1", "three documents", 1, 1, 200, MODEL},
    {"era=dual", TEXT, "P1 A1", "three documents", 1, 1, 200, MODEL},
    {"era=dual session", TEXT, "P1 A1", "three documents", 1, 1, 200, MODEL},
    {"era=modern", "sse comment " TEXT, "P1 A1", "three documents", 1, 1, 200, MODEL},
    {"era=modern", SCHEMA TEXT, "P1 A1", "three documents", 1, 1, 200, MODEL},
    {"era=modern", "structured='[1,9007199254740993]'", "P1 A1", "9007199254740993", 1, 1, 200, MODEL},
    {"era=modern", "text='no such page' is-error", "P1 A7", "no such page", 1, 1, 200, MODEL},
    {"era=modern", "rpc=-32602 message='no pages' unrun", "P1 A8", "no pages", 1, 0, 200, MODEL},
    {"era=modern", "result='{\"resultType\":\"task\"}'", "P1 A6", LOST, 1, 1, 200, MODEL},
    {"era=modern", ASKS, "P1 A6", "allows no rounds", 1, 0, 200, MODEL},
    /* what is tried again, and what not */
    {"era=modern", "429 | " TEXT, "P1 A2 B1 A1", "three documents", 2, 1, 200, MODEL},
    {"era=modern", "429 header='Retry-After: 0.1' body='quota' times=4", "P1 A2 B1 A2 B1 A2 B1 A2 E1", "quota", 4, 0, 429, HOST},
    {"era=modern", "502 | " TEXT, "P1 A2 B1 A1", NULL, 2, 1, 200, MODEL},
    {"era=modern", "500 body='boom'", "P1 A5", "boom", 1, 0, 500, HOST},
    {"era=modern", "401 body='who are you'", "P1 A4", "who are you", 1, 0, 401, HOST},
    {"era=modern", "400 rpc=-32021 message='capability'", "P1 A8", "capability", 1, 0, 400, MODEL},
    {"era=modern", "404", "P1 A8", NULL, 1, 0, 404, MODEL},
    /* what is put right */
    {"era=modern", "400 rpc=-32022 data='{\"supported\":[\"2026-07-28\"]}' | " TEXT, "P1 A1", "three documents", 2, 1, 200, MODEL},
    {"era=modern", "400 rpc=-32020 | " TEXT, "P1 A1", "three documents", 2, 1, 200, MODEL},
    {"era=modern", "400 rpc=-32020 message='mismatch' times=2", "P1 A8", "mismatch", 2, 0, 400, MODEL},
    /* answers that get lost: executed once, never sent again, nothing is read on */
    {"era=modern", TEXT " close=before ran", "P1 A6", LOST, 1, 1, 0, MODEL},
    {"era=modern", TEXT " close=middle", "P1 A6", LOST, 1, 1, 200, MODEL},
    {"era=modern", "prime break " TEXT, "P1 A6", LOST, 1, 1, 200, MODEL},
    {"era=modern", "prime retry=1 cut no-answer " TEXT, "P1 A6", LOST, 1, 1, 200, MODEL},
    {"era=modern", "body='{\"Output\":1}' ran", "P1 A6", LOST, 1, 1, 200, MODEL},
    {"era=modern", "202 ran", "P1 A6", LOST, 1, 1, 202, MODEL},
};

/* ---- the tests ---- */

static void run_case(const struct mcp_case *one)
{
    struct world world;
    const struct recourse_result *result;

    open_world(&world, one->settings, one->script);
    (void)list_tools(world.runner, world.run);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(world.runner));
    result = recourse_turn_result(call(&world), 0);
    RCS_TEXT_EQUAL(rows_of(result), one->rows);
    RCS_EQUAL(result->http, one->http);
    RCS_EQUAL(result->tell, one->tell);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/call"), one->calls);
    RCS_EQUAL(rcs_mcp_runs(world.mcp, "find"), one->runs);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "server/discover"), 1);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "initialize"), 0);
    RCS_EQUAL(rcs_mcp_count(world.mcp, NULL), 1 + rcs_mcp_count(world.mcp, "tools/list") + one->calls); /* and nothing else */
    if (one->content != NULL && !holds(result->content, one->content)) {
        fprintf(stderr, "%s: %.*s\n", one->script, (int)result->content.size, result->content.data);
        CU_FAIL("the content is another");
    }
    RCS_EQUAL(recourse_run_status(world.run), one->tell == HOST ? RECOURSE_RUN_FAILED : RECOURSE_RUN_ANSWERED);
    if (one->tell == HOST) {
        RCS_EQUAL(recourse_run_failure(world.run)->http, one->http);
        CU_ASSERT_TRUE(holds(recourse_run_failure(world.run)->text, one->content));
    }
    close_world(&world);
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned failed = CU_get_number_of_failures();

        run_case(&cases[i]);
        if (CU_get_number_of_failures() != failed) {
            fprintf(stderr, "in the case: %s\n", cases[i].script);
        }
    }
}

/* The server's schema has changed since it was listed: the call is put right, and the tool executed once. */
static void test_changed_schema(void)
{
    struct world world;

    open_world(&world, "era=modern", TEXT);
    (void)list_tools(world.runner, world.run);
    script(&world, "find", SCHEMA TEXT);
    RCS_TEXT_EQUAL(rows_of(recourse_turn_result(call(&world), 0)), "P1 A1");
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/call"), 2);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/list"), 2);
    RCS_EQUAL(rcs_mcp_runs(world.mcp, "find"), 1);
    RCS_EQUAL(rcs_mcp_seen(world.mcp, "tools/call", 0)->status, 400);
    close_world(&world);
}

/* What a server wants back it gets, byte for byte, under a new id, in one try and as often as the policy allows. */
static void test_rounds(void)
{
    const struct recourse_result *result;
    struct world world;

    open_world(&world, "era=modern", ASKS " times=3 | " TEXT " | " ASKS);
    RCS_EQUAL(recourse_runner_set_policy(world.runner, recourse_policy_builtin("default")), 0);
    (void)list_tools(world.runner, world.run);
    result = recourse_turn_result(call(&world), 0);
    CU_ASSERT_TRUE(result->success);
    RCS_EQUAL(result->tries, 1);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/call"), 4);
    RCS_EQUAL(rcs_mcp_runs(world.mcp, "find"), 1);
    CU_ASSERT_PTR_NULL(strstr(rcs_mcp_seen(world.mcp, "tools/call", 0)->body, "requestState"));
    CU_ASSERT_PTR_NOT_NULL(strstr(rcs_mcp_seen(world.mcp, "tools/call", 3)->body, ",\"requestState\":\"s\\u00e4\","));
    RCS_TEXT_EQUAL(rcs_mcp_seen(world.mcp, "tools/call", 0)->id, "3");
    RCS_TEXT_EQUAL(rcs_mcp_seen(world.mcp, "tools/call", 3)->id, "6");
    result = recourse_turn_result(call(&world), 0);
    CU_ASSERT_FALSE(result->success);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/call"), 4 + 11);
    RCS_EQUAL(rcs_mcp_runs(world.mcp, "find"), 1);
    close_world(&world);
}

/* A server that wants less gets nothing but the question, and no more of those than the policy allows. */
static void test_refused_question(void)
{
    struct world world;

    open_world(&world, "era=modern", TEXT);
    script(&world, "@server/discover", "429 header='Retry-After: 0.1' body='quota' times=4");
    RCS_EQUAL(recourse_turn_result(list_tools(world.runner, world.run), 0)->tries, 4);
    RCS_EQUAL(recourse_run_status(world.run), RECOURSE_RUN_FAILED);
    RCS_EQUAL(recourse_run_failure(world.run)->http, 429);
    RCS_EQUAL(rcs_mcp_count(world.mcp, NULL), 4);
    close_world(&world);
}

/* A version that nobody here speaks. */
static void test_other_version(void)
{
    struct world world;

    open_world(&world, "era=modern version=2099-01-01", TEXT);
    RCS_EQUAL(recourse_turn_result(list_tools(world.runner, world.run), 0)->tries, 1);
    RCS_EQUAL(recourse_run_status(world.run), RECOURSE_RUN_FAILED);
    RCS_EQUAL(rcs_mcp_count(world.mcp, NULL), 1);
    close_world(&world);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cases", test_cases},
        {"changed schema", test_changed_schema},
        {"rounds", test_rounds},
        {"refused question", test_refused_question},
        {"other version", test_other_version},
    };
    int status;

    if (recourse_global_init() != 0) {
        return 2;
    }
    status = rcs_unit_main("mcp_modern_sockets", tests, RCS_COUNT(tests));
    recourse_global_cleanup();
    return status;
}
