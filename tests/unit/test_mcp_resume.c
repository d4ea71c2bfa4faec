/* Streams that break off before the answer, and are read on by GET. */
#include "tests/unit/mcp_client_kit.h"
#include "tests/unit/purse.h"

#define LISTED MCP_JSON(MCP_LIST(MCP_TOOL("find")))
#define IN_SESSION MCP_IN_SESSION(MCP_HELLO), MCP_ACCEPTED, LISTED
#define STATUS(number) {.status = number, .after_ms = 1}
#define FAILS(kind) {.network = kind, .after_ms = 1}
#define CUT(text, kind) \
    {.status = 200, .body = text, .after_ms = 1, .network = kind, .headers = mcp_stream_headers, .header_count = 1}
#define PRIMED "id: e1\nretry: 500\ndata:\n\n"
#define ANSWER MCP_STREAM("id: e9\n" MCP_EVENT(MCP_RESULT(3, MCP_TEXT("found"))))
#define ENDED "the stream of events ended without the answer"
#define GETS_MAX 4u

static const struct {
    uint32_t resumes;
    struct sim_answer answer; /* to the call */
    struct sim_answer gets[GETS_MAX]; /* and to what reads on */
    size_t asked;      /* of those that came */
    const char *facts; /* of the first try */
    const char *shown; /* the content, or the detail of the first try */
    uint64_t wait_ms;  /* before the first of them */
    const char *last;  /* the last one's Last-Event-ID */
} cases[] = {
    /* that bring the answer */
    {1, MCP_STREAM(PRIMED), {ANSWER}, 1, "200,resumed1", "found", 500, "e1"},
    {9, MCP_STREAM("id: e1\ndata:\n\n"), {ANSWER}, 1, "200,resumed1", "found", 1000, "e1"},
    {9, MCP_STREAM("retry: 0\nid: e1\ndata:\n\n"), {ANSWER}, 1, "200,resumed1", "found", 0, "e1"},
    {9, CUT(PRIMED, RECOURSE_NETWORK_RESET), {ANSWER}, 1, "200,resumed1", "found", 500, "e1"},
    {9, CUT(PRIMED, RECOURSE_NETWORK_CLOSED), {ANSWER}, 1, "200,resumed1", "found", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {MCP_STREAM("id: e2\ndata:\n\n"), MCP_STREAM("data:\n\n"), ANSWER}, 3, "200,resumed3", "found", 500, "e2"},
    {2, MCP_STREAM(PRIMED), {FAILS(RECOURSE_NETWORK_RESET), ANSWER}, 2, "200,resumed2", "found", 500, "e1"},
    {2, MCP_STREAM(PRIMED), {FAILS(RECOURSE_NETWORK_CLOSED), ANSWER}, 2, "200,resumed2", "found", 500, "e1"},
    {9, MCP_STREAM(PRIMED),
     {MCP_STREAM(MCP_EVENT(MCP_RESULT(2, MCP_TEXT("another's"))) MCP_EVENT(MCP_RESULT(3, MCP_TEXT("mine"))))},
     1, "200,resumed1", "mine", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {MCP_STREAM(MCP_EVENT("{" MCP_ID(3) ",\"error\":{\"code\":-32602,\"message\":\"no\"}}"))},
     1, "200,rpc-32602,resumed1", "no", 500, "e1"},
    /* the id of an event that did not come whole is none; an empty one says that there is none any more */
    {9, MCP_STREAM("retry: 1\nid: e1\ndata:\n\nid: e2\ndata: {\n"), {ANSWER}, 1, "200,resumed1", "found", 1, "e1"},
    {9, MCP_STREAM("id: e1\ndata:\n\nid:\ndata:\n\n"), {ANSWER}, 0, "200,network6", ENDED, 0, NULL},
    /* none */
    {9, MCP_STREAM(MCP_EVENT("{}")), {ANSWER}, 0, "200,network6", ENDED, 0, NULL},
    {0, MCP_STREAM(PRIMED), {ANSWER}, 0, "200,network6", ENDED, 0, NULL},
    {9, FAILS(RECOURSE_NETWORK_CLOSED), {ANSWER}, 0, ",network6", NULL, 0, NULL},
    {9, MCP_STREAM("retry: 300001\nid: e1\ndata:\n\n"), {ANSWER}, 0, "200,network6",
     ENDED ", and the server wants it to be read on later than can be waited for", 0, NULL},
    {9, MCP_STREAM("retry: 60000\nid: e1\ndata:\n\n"), {ANSWER}, 0, "200,network6",
     ENDED ", and the server wants it to be read on later than can be waited for", 0, NULL},
    /* that fail: the facts stay those of the stream */
    {1, MCP_STREAM(PRIMED), {MCP_STREAM("data:\n\n")}, 1, "200,network6,resumed1", ENDED ", and 1 resume did not bring it", 500, "e1"},
    {2, MCP_STREAM(PRIMED), {CUT("data:\n\n", RECOURSE_NETWORK_RESET)}, 2, "200,network5,resumed2", ENDED ", and 2 resumes did not bring it",
     500, "e1"},
    {2, MCP_STREAM(PRIMED), {FAILS(RECOURSE_NETWORK_RESET)}, 2, "200,network6,resumed2", ENDED ", and 2 resumes did not bring it", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {STATUS(405)}, 1, "200,network6,resumed1", ENDED ", and could not be read on: the answer was HTTP 405", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {STATUS(400)}, 1, "200,network6,resumed1", ENDED ", and could not be read on: the answer was HTTP 400", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {STATUS(503)}, 1, "200,network6,resumed1", ENDED ", and could not be read on: the answer was HTTP 503", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {STATUS(404)}, 1, "200,network6,resumed1", ENDED ", and could not be read on: the answer was HTTP 404", 500, "e1"},
    /* but a refusal of whoever asks, or of how often, is told as it came */
    {9, MCP_STREAM(PRIMED), {STATUS(401)}, 1, "401,error,resumed1", NULL, 500, "e1"},
    {9, MCP_STREAM(PRIMED), {STATUS(403)}, 1, "403,error,resumed1", NULL, 500, "e1"},
    {9, MCP_STREAM(PRIMED), {STATUS(429)}, 1, "429,error,resumed1", NULL, 500, "e1"},
    {9, MCP_STREAM(PRIMED), {{.status = 429, .network = RECOURSE_NETWORK_CLOSED, .after_ms = 1}}, 1, "200,network6,resumed1", NULL, 500, "e1"},
    {9, MCP_STREAM(PRIMED), {MCP_JSON(MCP_RESULT(3, MCP_TEXT("no stream")))}, 1, "200,network6,resumed1",
     ENDED ", and could not be read on: the answer was HTTP 200", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {{.network = RECOURSE_NETWORK_REFUSED, .unsent = true, .after_ms = 1}}, 1, "200,network6,resumed1",
     ENDED ", and could not be read on: the connection was refused", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {{.timeout = RECOURSE_TIMEOUT_CONNECT, .unsent = true, .after_ms = 1}}, 1, "200,network6,resumed1",
     ENDED ", and could not be read on: it timed out", 500, "e1"},
    {9, MCP_STREAM(PRIMED), {{.protocol = true, .after_ms = 1}}, 1, "200,network6,resumed1",
     ENDED ", and could not be read on: the answer was none", 500, "e1"},
};

struct script {
    struct sim_answer posts[16];
    struct sim_answer gets[1 + GETS_MAX];
};

static void open_with(struct mcp_kit *mcp, struct script *script, const struct recourse_allocator *allocator, size_t index)
{
    static const struct sim_answer posts[] = {IN_SESSION};

    memset(script, 0, sizeof *script);
    memcpy(script->posts, posts, sizeof posts);
    script->posts[3] = cases[index].answer;
    script->posts[4] = (struct sim_answer){.status = 403, .after_ms = 1};
    script->gets[0] = (struct sim_answer){.status = 405};
    memcpy(script->gets + 1, cases[index].gets, sizeof cases[index].gets);
    for (size_t i = 1; i < GETS_MAX; i++) { /* the last one stays */
        if (cases[index].gets[i].after_ms == 0) {
            script->gets[1 + i] = script->gets[i];
        }
    }
    mcp_open_within(mcp, allocator);
    mcp->kit.policy.policy.settings.resumes = cases[index].resumes;
    mcp->kit.policy.policy.settings.try_timeout_ms = 60000;
    sim_route(&mcp->kit.sim, "http://s/", script->posts, 5);
    sim_route(&mcp->kit.sim, "GET http://s/", script->gets, 1 + GETS_MAX);
    mcp_add(mcp, "s");
    (void)mcp_list(mcp);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(mcp->kit.runner));
    mcp->facts[0] = '\0';
}

static const char *shown_of(const struct recourse_result *result)
{
    return kit_text(result->success ? result->content : result->detail);
}

static void run_case(size_t index)
{
    const struct recourse_result *result;
    struct script script;
    struct mcp_kit mcp;
    char last[64];

    open_with(&mcp, &script, NULL, index);
    mcp.kit.policy.policy.settings.tries = 1;
    result = recourse_turn_result(mcp_call(&mcp, "find", "{}"), 0);
    mcp.facts[strcspn(mcp.facts, " ")] = '\0';
    RCS_TEXT_EQUAL(mcp.facts, cases[index].facts);
    if (cases[index].shown != NULL) {
        RCS_TEXT_EQUAL(result->success || mcp.detail[0] == '\0' ? shown_of(result) : mcp.detail, cases[index].shown);
    }
    RCS_EQUAL(mcp.kit.sim.stream_count, 1 + cases[index].asked);
    if (cases[index].asked > 0) {
        const struct sim_request *get = mcp_stream(&mcp, cases[index].asked);

        RCS_EQUAL(mcp_stream(&mcp, 1)->at_ms, mcp_request(&mcp, 3)->at_ms + 1 + cases[index].wait_ms);
        snprintf(last, sizeof last, "|Mcp-Session-Id: s-1|Last-Event-ID: %s", cases[index].last);
        CU_ASSERT_PTR_NOT_NULL(strstr(get->headers, "Accept: text/event-stream|MCP-Protocol-Version: 2025-06-18|"));
        CU_ASSERT_PTR_NOT_NULL(strstr(get->headers, last));
        RCS_TEXT_EQUAL(get->method, "GET");
        RCS_TEXT_EQUAL(get->body, "");
    }
    mcp_close(&mcp);
}

static void test_cases(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        unsigned failed = CU_get_number_of_failures();

        run_case(i);
        if (CU_get_number_of_failures() != failed) {
            fprintf(stderr, "in case %zu\n", i);
        }
    }
}

/* A session that is lost meanwhile: the call's outcome stays unknown, and the next call opens another one. */
static void test_session_lost(void)
{
    static const struct sim_answer posts[] = {
        IN_SESSION, MCP_STREAM(PRIMED),
        MCP_JSON(MCP_RESULT(4, "{\"protocolVersion\":\"2025-06-18\"}")), MCP_ACCEPTED, MCP_JSON(MCP_RESULT(5, MCP_TEXT("new")))};
    static const struct sim_answer gets[] = {STATUS(405), STATUS(404), STATUS(405)};
    struct mcp_kit mcp;

    mcp_open(&mcp);
    mcp.kit.policy.policy.settings.resumes = 3;
    sim_route(&mcp.kit.sim, "http://s/", posts, RCS_COUNT(posts));
    sim_route(&mcp.kit.sim, "GET http://s/", gets, RCS_COUNT(gets));
    mcp_add(&mcp, "s");
    (void)mcp_list(&mcp);
    mcp.facts[0] = '\0';
    RCS_TEXT_EQUAL(kit_content(mcp_call(&mcp, "find", "{}"), 0), "new");
    RCS_TEXT_EQUAL(mcp.facts, "200,network6,resumed1 200");
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 4)->body, "\"initialize\""));
    mcp_close(&mcp);
}

/* The try's own time holds over all of it. */
static void test_deadline_and_cancel(void)
{
    static const struct sim_answer posts[] = {IN_SESSION, MCP_STREAM(PRIMED), MCP_ACCEPTED};
    static const struct sim_answer gets[] = {STATUS(405), {.after_ms = 0}};

    for (unsigned way = 0; way < 4; way++) {
        struct recourse_turn *turn;
        struct mcp_kit mcp;
        uint64_t began;
        size_t held;

        mcp_open(&mcp);
        mcp.kit.policy.policy.settings.resumes = 3;
        mcp.kit.policy.policy.settings.try_timeout_ms = 2000;
        mcp.kit.policy.policy.settings.tries = 1;
        sim_route(&mcp.kit.sim, "http://s/", posts, RCS_COUNT(posts));
        sim_route(&mcp.kit.sim, "GET http://s/", gets, RCS_COUNT(gets));
        mcp_add(&mcp, "s");
        (void)mcp_list(&mcp);
        mcp.facts[0] = '\0';
        held = recourse_runner_memory(mcp.kit.runner);
        turn = kit_start_one(&mcp.kit, "find", "{}");
        began = mcp.kit.sim.now_ms;
        kit_until(&mcp.kit, began + (way == 1 ? 100 : 700)); /* in the wait; in the GET */
        RCS_EQUAL(mcp.kit.sim.stream_count, way == 1 ? 1 : 2);
        RCS_EQUAL(recourse_runner_memory(mcp.kit.runner) - held, strlen("{}")); /* of request and stream nothing is kept */
        if (way == 0) {
            kit_until(&mcp.kit, began + 2000);
            kit_settle(&mcp.kit);
            RCS_TEXT_EQUAL(mcp.facts, ",timeout3");
        } else if (way < 3) {
            recourse_turn_cancel(turn);
            kit_finish(&mcp.kit, turn);
            RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
        }
        if (way < 3) {
            CU_ASSERT_TRUE(way == 1 || mcp_stream(&mcp, 1)->cancelled);
            CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&mcp, 4)->body, "\"notifications/cancelled\""));
        }
        mcp_close(&mcp); /* the last way: in the middle of it */
    }
}

/* Whichever allocation fails: nothing is lost, and no call is sent again for it. */
static void test_no_memory(void)
{
    bool whole = false;

    for (unsigned left = 0; left < 400 && !whole; left++) {
        struct purse purse = {10000, 0};
        struct recourse_allocator allocator = purse_allocator(&purse);
        struct recourse_turn *turn;
        struct script script;
        struct mcp_kit mcp;

        open_with(&mcp, &script, &allocator, 5);
        mcp.kit.policy.policy.settings.tries = 1;
        turn = kit_start_one(&mcp.kit, "find", "{}");
        purse.left = left;
        kit_finish(&mcp.kit, turn);
        whole = purse.left > 0 && recourse_turn_result(turn, 0)->success;
        CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success || mcp.facts[0] != '\0' || left == 0);
        RCS_EQUAL(mcp.kit.sim.in_flight, 0);
        purse.left = 0;
        mcp_close(&mcp);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_TRUE(whole);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cases", test_cases},
        {"session lost", test_session_lost},
        {"deadline and cancel", test_deadline_and_cancel},
        {"no memory", test_no_memory},
    };

    return rcs_unit_main("mcp_resume", tests, RCS_COUNT(tests));
}
