/*
 * Tools of an MCP server over real sockets, judged by `pageindex`: for each way in which the server fails, the rows that
 * judged it, what came of the call, and how often the server has seen it and executed the tool.
 */
#include "tests/run/mcp_world.h"

#define TEXT "text='three documents'"

struct mcp_case {
    const char *settings; /* of the server; NULL: none */
    const char *script;   /* of the tool */
    const char *rows;
    const char *content;  /* what is in it; NULL: not looked at */
    unsigned calls;       /* tools/call that came */
    unsigned runs;        /* executions */
    unsigned handshakes;
    uint16_t http;
    uint8_t tell;
};

#define MODEL RECOURSE_TELL_MODEL
#define HOST RECOURSE_TELL_HOST

static const struct mcp_case cases[] = {
    /* answers */
    {NULL, TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {"session", TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {"version=2025-03-26", "sse " TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {"session", "prime comment notify=notifications/message eol=cr lines " TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {NULL, "eol=crlf ask=roots/list await ask=ping await " TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {NULL, "image=1000 text=seen", "P1 A1", "1000 bytes]\nseen", 1, 1, 1, 200, MODEL},
    {NULL, "text='no such page' is-error", "P1 A7", "no such page", 1, 1, 1, 200, MODEL},
    {NULL, "rpc=-32602 message='no pages' unrun", "P1 A8", "no pages", 1, 0, 1, 200, MODEL},
    {NULL, "rpc=-32000 message='odd'", "P1 A7", "odd", 1, 1, 1, 200, MODEL},
    {NULL, "rpc=-32602 message='whose?' id=null unrun", "P1 A8", "whose?", 1, 0, 1, 200, MODEL},
    /* what is tried again, and what not */
    {NULL, "429 | " TEXT, "P1 A2 B1 A1", "three documents", 2, 1, 1, 200, MODEL},
    {NULL, "429 header='Retry-After: 0.1' body='quota' times=4", "P1 A2 B1 A2 B1 A2 B1 A2 E1", "quota", 4, 0, 1, 429, HOST},
    {NULL, "502 | " TEXT, "P1 A2 B1 A1", NULL, 2, 1, 1, 200, MODEL},
    {NULL, "500 body='boom'", "P1 A5", "boom", 1, 0, 1, 500, HOST},
    {NULL, "401 body='who are you'", "P1 A4", "who are you", 1, 0, 1, 401, HOST},
    {NULL, "400 body='bad page'", "P1 A8", "bad page", 1, 0, 1, 400, MODEL},
    {NULL, "404", "P1 A8", NULL, 1, 0, 1, 404, MODEL},
    /* the session */
    {"session", "404 | " TEXT, "P1 A3 B1 A1", "three documents", 2, 1, 2, 200, MODEL},
    {"session", "404 times=2", "P1 A3 B1 A3 E2", NULL, 2, 0, 2, 404, MODEL},
    /* answers that get lost: executed once, never sent again */
    {NULL, TEXT " close=before ran", "P1 A6", "may have taken effect", 1, 1, 1, 0, MODEL},
    {NULL, TEXT " close=middle", "P1 A6", "may have taken effect", 1, 1, 1, 200, MODEL},
    {NULL, "sse cut no-answer " TEXT, "P1 A6", "may have taken effect", 1, 1, 1, 200, MODEL},
    {NULL, "ids sse break " TEXT, "P1 A6", "may have taken effect", 1, 1, 1, 200, MODEL}, /* no event, so no id */
    /* what is read on: the same answer, and nothing runs again */
    {NULL, "retry=5 prime break " TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {"session", "retry=5 prime cut " TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {"session", "retry=5 prime cut progress=2 cut " TEXT, "P1 A1", "three documents", 1, 1, 1, 200, MODEL},
    {"session", "retry=5 prime cut progress=2 cut progress=1 cut " TEXT, "P1 A6", "2 resumes did not bring it", 1, 1, 1, 200, MODEL},
    {"session no-get", "retry=5 prime cut " TEXT, "P1 A6", "could not be read on: the answer was HTTP 405", 1, 1, 1, 200, MODEL},
    {"session", "retry=5 prime cut rpc=-32602 message='no pages' ran", "P1 A8", "no pages", 1, 1, 1, 200, MODEL},
    {NULL, "body='{\"Output\":1}' ran", "P1 A6", "may have taken effect", 1, 1, 1, 200, MODEL},
    {NULL, "id=99 " TEXT, "P1 A6", "may have taken effect", 1, 1, 1, 200, MODEL},
    {NULL, "202 ran", "P1 A6", "may have taken effect", 1, 1, 1, 202, MODEL},
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
    RCS_EQUAL(rcs_mcp_count(world.mcp, "initialize"), one->handshakes);
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

/* How many GETs or DELETEs came, those with a Last-Event-ID apart. */
static size_t came(struct world *world, const char *http_method, bool resumes)
{
    const struct rcs_mcp_seen *seen;
    size_t count = 0;

    for (size_t i = 0; (seen = rcs_mcp_seen(world->mcp, NULL, i)) != NULL; i++) {
        count += strcmp(seen->http_method, http_method) == 0 && (seen->last_event[0] != '\0') == resumes;
    }
    return count;
}

static void test_resume_refused(void)
{
    static const char *const refusals[] = {"404", "410", "503", "200 body='{}'", "reset=before times=3"};

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct recourse_result *result;
        struct world world;

        open_world(&world, "session", "retry=5 prime cut count");
        script(&world, "@resume", refusals[i]);
        (void)list_tools(world.runner, world.run);
        result = recourse_turn_result(call(&world), 0);
        RCS_TEXT_EQUAL(rows_of(result), "P1 A6");
        RCS_EQUAL(result->effect, RECOURSE_EFFECT_UNKNOWN);
        RCS_EQUAL(came(&world, "GET", true), i == 4 ? 2 : 1);
        RCS_EQUAL(rcs_mcp_runs(world.mcp, "find"), 1);
        close_world(&world);
    }
}

/* Requests of the server's come on the stream that the session opened; without an answer the tool would never end. */
static void test_asked_apart(void)
{
    struct world world;

    open_world(&world, "session", "ask-get=ping await ask-get=roots/list await ask-get=elicitation/create await " TEXT);
    (void)list_tools(world.runner, world.run);
    RCS_TEXT_EQUAL(rows_of(recourse_turn_result(call(&world), 0)), "P1 A1");
    RCS_EQUAL(came(&world, "GET", false), 1);
    recourse_runner_free(world.runner);
    world.runner = NULL;
    RCS_EQUAL(came(&world, "DELETE", false), 1);
    close_world(&world);
}

/* Progress and comments keep the read timeout from coming, silence does not; that nobody waits any more is told to the server. */
static void test_read_timeout(void)
{
    const struct recourse_result *result;
    struct world world;

    open_impatient(&world, NULL, "progress=1 pause=150 progress=1 pause=150 comment pause=150 progress=1 pause=150 " TEXT, 400);
    (void)list_tools(world.runner, world.run);
    RCS_TEXT_EQUAL(rows_of(recourse_turn_result(call(&world), 0)), "P1 A1");
    close_world(&world);
    open_impatient(&world, NULL, "progress=1 pause=60000 " TEXT, 50);
    (void)list_tools(world.runner, world.run);
    result = recourse_turn_result(call(&world), 0);
    RCS_TEXT_EQUAL(rows_of(result), "P1 A6");
    RCS_EQUAL(result->effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(rcs_mcp_runs(world.mcp, "find"), 1);
    for (unsigned steps = 0; steps < 1000 && rcs_mcp_count(world.mcp, "notifications/cancelled") == 0; steps++) {
        RCS_EQUAL(recourse_runner_step(world.runner, 10), 0);
    }
    RCS_EQUAL(rcs_mcp_count(world.mcp, "notifications/cancelled"), 1);
    close_world(&world);
}

/* Of many calls that see that their session is gone, one opens another; each is sent again once. */
static void test_many_lost(void)
{
    struct recourse_call_request requests[8];
    char arguments[8][16];
    struct recourse_turn_options options = {.size = sizeof options, .calls = requests, .call_count = 8};
    struct recourse_turn *turn = NULL;
    struct world world;

    open_world(&world, "session", "count");
    (void)list_tools(world.runner, world.run);
    rcs_mcp_forget(world.mcp);
    for (unsigned i = 0; i < 8; i++) {
        snprintf(arguments[i], sizeof arguments[i], "{\"n\":%u}", i);
        requests[i] = (struct recourse_call_request){
            .id = {&"abcdefgh"[i], 1}, .name = {"find", 4}, .arguments = {arguments[i], strlen(arguments[i])}};
    }
    RCS_EQUAL(recourse_turn_start(world.run, &options, &turn, NULL), 0);
    finish(world.runner, turn);
    for (size_t i = 0; i < 8; i++) {
        RCS_TEXT_EQUAL(rows_of(recourse_turn_result(turn, i)), "P1 A3 B1 A1");
    }
    RCS_EQUAL(rcs_mcp_count(world.mcp, "initialize"), 2);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/call"), 16);
    RCS_EQUAL(rcs_mcp_runs(world.mcp, "find"), 8);
    close_world(&world);
}

/* Every page, and each request in the session that the server opened. */
static void test_pages(void)
{
    struct world world;
    char name[8];

    open_world(&world, "session page=2", TEXT);
    for (unsigned i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "t%u", i);
        script(&world, name, TEXT);
    }
    (void)list_tools(world.runner, world.run);
    RCS_EQUAL(recourse_runner_tool_count(world.runner), 7);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/list"), 4);
    RCS_TEXT_EQUAL(rcs_mcp_seen(world.mcp, "tools/list", 3)->session, "session-1");
    RCS_TEXT_EQUAL(rcs_mcp_seen(world.mcp, "notifications/initialized", 0)->session, "session-1");
    RCS_TEXT_EQUAL(rcs_mcp_seen(world.mcp, "tools/list", 0)->version, "2025-11-25");
    close_world(&world);
    open_world(&world, "page=0", TEXT);
    (void)list_tools(world.runner, world.run);
    RCS_EQUAL(recourse_run_status(world.run), RECOURSE_RUN_FAILED);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/list"), 50);
    close_world(&world);
}

/* A failure before the first turn is the host's, after what the policy allows, and no call is made. */
static void test_failed_handshake(void)
{
    struct world world;

    open_world(&world, NULL, TEXT);
    script(&world, "@initialize", "429 header='Retry-After: 0.1' body='quota' times=4");
    RCS_EQUAL(recourse_turn_result(list_tools(world.runner, world.run), 0)->tries, 4);
    RCS_EQUAL(recourse_run_status(world.run), RECOURSE_RUN_FAILED);
    RCS_EQUAL(recourse_run_failure(world.run)->http, 429);
    CU_ASSERT_TRUE(holds(recourse_run_failure(world.run)->text, "quota"));
    CU_ASSERT_TRUE(holds(recourse_run_failure(world.run)->tool, "tools/list of pages"));
    RCS_EQUAL(rcs_mcp_count(world.mcp, "initialize"), 4);
    RCS_EQUAL(rcs_mcp_count(world.mcp, "tools/list"), 0);
    close_world(&world);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cases", test_cases},
        {"resume refused", test_resume_refused},
        {"asked apart", test_asked_apart},
        {"read timeout", test_read_timeout},
        {"many lost", test_many_lost},
        {"pages", test_pages},
        {"failed handshake", test_failed_handshake},
    };
    int status;

    if (recourse_global_init() != 0) {
        return 2;
    }
    status = rcs_unit_main("mcp_sockets", tests, RCS_COUNT(tests));
    recourse_global_cleanup();
    return status;
}
