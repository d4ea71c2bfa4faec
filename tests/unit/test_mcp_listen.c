/* What a server says by itself, on the stream that its session opened; forms; lists that change; the end of sessions. */
#include "tests/unit/mcp_client_kit.h"
#include "tests/unit/purse.h"

#include "src/tools/mcp.h"

#define LISTED MCP_JSON(MCP_LIST(MCP_TOOL("find")))
#define IN_SESSION MCP_IN_SESSION(MCP_HELLO), MCP_ACCEPTED, LISTED
#define SILENT {.after_ms = 0}
#define FOUND(id) MCP_JSON(MCP_RESULT(id, MCP_TEXT("found")))
#define LATE(ms, text) {.status = 200, .body = text, .after_ms = ms}
#define EVENTS(ms, text) \
    {.status = 200, .body = text, .after_ms = ms, .headers = mcp_stream_headers, .header_count = 1}
#define ASK(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define CHANGED MCP_EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}")
#define NO_METHOD(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}"

struct world {
    struct mcp_kit mcp;
    bool elicits;
    const struct recourse_allocator *allocator;
};

static void open_world(struct world *world, const struct sim_answer *posts, size_t post_count,
                       const struct sim_answer *gets, size_t get_count)
{
    char url[64];
    struct recourse_mcp_server server = mcp_server("s", url);

    server.elicit_defaults = world->elicits;
    mcp_open_within(&world->mcp, world->allocator);
    sim_route(&world->mcp.kit.sim, "http://s/", posts, post_count);
    if (get_count > 0) {
        sim_route(&world->mcp.kit.sim, "GET http://s/", gets, get_count);
    }
    RCS_EQUAL(recourse_runner_add_mcp_server(world->mcp.kit.runner, &server, NULL), 0);
    (void)mcp_list(&world->mcp);
    CU_ASSERT_TRUE_FATAL(recourse_runner_tools_ready(world->mcp.kit.runner));
    world->mcp.facts[0] = '\0';
}

/* How many requests had this in their body. */
static size_t count(const struct mcp_kit *mcp, const char *text)
{
    size_t found = 0;

    for (size_t i = 0; i < mcp->kit.sim.request_count; i++) {
        found += strstr(mcp_request(mcp, i)->body, text) != NULL;
    }
    return found;
}

/* ---- the stream ---- */

static void test_opened(void)
{
    static const struct sim_answer posts[] = {IN_SESSION, FOUND(3), FOUND(4)};
    static const struct sim_answer gets[] = {SILENT};
    struct world world = {.elicits = false};

    open_world(&world, posts, RCS_COUNT(posts), gets, 1);
    RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "find", "{}"), 0), "found");
    RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "find", "{}"), 0), "found");
    RCS_EQUAL(world.mcp.kit.sim.stream_count, 1);
    RCS_TEXT_EQUAL(mcp_stream(&world.mcp, 0)->method, "GET");
    RCS_TEXT_EQUAL(mcp_stream(&world.mcp, 0)->headers,
                   "Accept: text/event-stream|MCP-Protocol-Version: 2025-06-18|Mcp-Session-Id: s-1");
    RCS_EQUAL(world.mcp.kit.sim.in_flight, 1); /* it waits, and nobody waits for it */
    RCS_EQUAL(recourse_runner_wake_ms(world.mcp.kit.runner), RECOURSE_FOREVER);
    mcp_close(&world.mcp);
}

/* Requests of the server's in the middle of a call. */
static void test_requests(void)
{
    static const struct sim_answer posts[] = {IN_SESSION, LATE(500, MCP_RESULT(3, MCP_TEXT("found"))), MCP_ACCEPTED};
    static const struct sim_answer gets[] = {
        EVENTS(50, "id: g1\n" MCP_EVENT(ASK("3", "ping")) MCP_EVENT(ASK("\"x\"", "roots/list"))
               MCP_EVENT(ASK("0", "sampling/createMessage")) MCP_EVENT(ASK("1", "elicitation/create"))
               MCP_EVENT("rubbish") MCP_EVENT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}")
               MCP_EVENT(MCP_RESULT(3, MCP_TEXT("not here")))),
        SILENT};
    static const char *const answers[] = {NO_METHOD("1"), NO_METHOD("0"), NO_METHOD("\"x\""),
                                          "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}"};
    struct world world = {.elicits = false};

    open_world(&world, posts, RCS_COUNT(posts), gets, RCS_COUNT(gets));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&world.mcp, 0)->body, "\"capabilities\":{},"));
    RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "find", "{}"), 0), "found");
    RCS_EQUAL(world.mcp.kit.sim.request_count, 8);
    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        RCS_TEXT_EQUAL(mcp_request(&world.mcp, 4 + i)->body, answers[i]);
    }
    RCS_TEXT_EQUAL(world.mcp.facts, "200");
    mcp_close(&world.mcp);
}

/* A stream that ends is asked for again: after a pause, while calls are waiting, from its last event on. */
static void test_opened_again(void)
{
    static const struct sim_answer posts[] = {IN_SESSION, LATE(5000, MCP_RESULT(3, MCP_TEXT("found"))), FOUND(4)};
    static const struct sim_answer gets[] = {
        EVENTS(10, "id: g1\nretry: 300\ndata:\n\n"), {.status = 503, .after_ms = 1},
        EVENTS(1, "id: g2\nretry: 1500\n" MCP_EVENT("{}")), EVENTS(1, MCP_EVENT("{}")), SILENT};
    static const uint64_t pauses[] = {1000, 2000, 1500, 1000};
    struct world world = {.elicits = false};
    uint64_t at_ms;

    open_world(&world, posts, RCS_COUNT(posts), gets, RCS_COUNT(gets));
    (void)mcp_call(&world.mcp, "find", "{}");
    RCS_EQUAL(world.mcp.kit.sim.stream_count, 4);
    at_ms = mcp_stream(&world.mcp, 0)->at_ms + 10;
    for (size_t i = 1; i < 4; i++) {
        RCS_EQUAL(mcp_stream(&world.mcp, i)->at_ms, at_ms + pauses[i - 1]);
        at_ms = mcp_stream(&world.mcp, i)->at_ms + 1;
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_stream(&world.mcp, 1)->headers, "|Last-Event-ID: g1"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_stream(&world.mcp, 3)->headers, "|Last-Event-ID: g2"));
    kit_until(&world.mcp.kit, world.mcp.kit.sim.now_ms + 60000);
    RCS_EQUAL(world.mcp.kit.sim.stream_count, 4); /* no call waits */
    (void)mcp_call(&world.mcp, "find", "{}");
    RCS_EQUAL(world.mcp.kit.sim.stream_count, 5);
    mcp_close(&world.mcp);
}

static void test_not_offered(void)
{
    static const struct {
        struct sim_answer get;
        size_t asked; /* within a call of 10 s, and another one */
    } refusals[] = {
        {{.status = 405}, 1}, {{.status = 404, .after_ms = 1}, 1}, {{.status = 400, .after_ms = 1}, 1},
        {{.status = 401, .after_ms = 1}, 1}, {{.status = 202, .after_ms = 1}, 1}, {MCP_JSON("{}"), 1},
        {{.status = 409, .after_ms = 1}, 4}, {{.status = 500, .after_ms = 1}, 4}, {{.status = 429, .after_ms = 1}, 4},
        {{.network = RECOURSE_NETWORK_REFUSED, .unsent = true, .after_ms = 1}, 4},
        {EVENTS(1, "retry: 400000\ndata:\n\n"), 1},
    };

    for (size_t i = 0; i < RCS_COUNT(refusals); i++) {
        static const struct sim_answer posts[] = {IN_SESSION, LATE(10000, MCP_RESULT(3, MCP_TEXT("found"))), FOUND(4)};
        struct world world = {.elicits = false};

        open_world(&world, posts, RCS_COUNT(posts), &refusals[i].get, 1);
        RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "find", "{}"), 0), "found");
        RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "find", "{}"), 0), "found");
        RCS_TEXT_EQUAL(world.mcp.facts, "200 200");
        RCS_EQUAL(world.mcp.kit.sim.stream_count, refusals[i].asked);
        RCS_EQUAL(count(&world.mcp, "\"initialize\""), 1);
        mcp_close(&world.mcp);
    }
}

/* A lost session takes its stream with it; the new one has its own. */
static void test_lost_session(void)
{
    static const struct sim_answer posts[] = {
        IN_SESSION, {.status = 404, .after_ms = 1},
        {.status = 200, .body = MCP_RESULT(4, "{\"protocolVersion\":\"2025-11-25\"}"), .after_ms = 1}, MCP_ACCEPTED, FOUND(5)};
    static const struct sim_answer gets[] = {SILENT};
    struct world world = {.elicits = false};

    open_world(&world, posts, RCS_COUNT(posts), gets, 1);
    RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "find", "{}"), 0), "found");
    RCS_EQUAL(world.mcp.kit.sim.stream_count, 2);
    CU_ASSERT_TRUE(mcp_stream(&world.mcp, 0)->cancelled);
    RCS_TEXT_EQUAL(mcp_stream(&world.mcp, 1)->headers, "Accept: text/event-stream|MCP-Protocol-Version: 2025-11-25");
    mcp_close(&world.mcp);
}

/* ---- forms ---- */

static const struct {
    const char *params;
    const char *result;
} forms[] = {
    {"{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"J \\\"D\\\"\"},"
     "\"age\":{\"type\":\"integer\",\"default\":30},\"score\":{\"type\":\"number\",\"default\":95.5},\"ok\":{\"type\":\"boolean\",\"default\":true},"
     "\"free\":{\"type\":\"string\"},\"many\":{\"type\":\"array\",\"default\":[\"a\",\"b\"]}},\"required\":[\"name\",\"age\"]}}",
     "{\"action\":\"accept\",\"content\":{\"name\":\"J \\\"D\\\"\",\"age\":30,\"score\":95.5,\"ok\":true,\"many\":[\"a\",\"b\"]}}"},
    {"{\"mode\":\"form\",\"requestedSchema\":{\"properties\":{}}}", "{\"action\":\"accept\",\"content\":{}}"},
    {"{\"requestedSchema\":{\"properties\":{\"n\\u0061me\":{\"default\":1}},\"required\":[\"name\"]}}",
     "{\"action\":\"accept\",\"content\":{\"n\\u0061me\":1}}"},
    {"{\"requestedSchema\":{\"properties\":{\"a\":{\"default\":1},\"b\":{}},\"required\":[\"a\",\"b\"]}}", "{\"action\":\"decline\"}"},
    {"{\"requestedSchema\":{\"properties\":{\"a\":{\"default\":1}},\"required\":[\"c\"]}}", "{\"action\":\"decline\"}"},
    {"{\"requestedSchema\":{\"properties\":{\"a\":{\"default\":1}},\"required\":\"a\"}}", "{\"action\":\"decline\"}"},
    {"{\"requestedSchema\":{\"properties\":{\"a\":{\"default\":1}},\"required\":[7]}}", "{\"action\":\"decline\"}"},
    {"{\"requestedSchema\":{\"properties\":[]}}", "{\"action\":\"decline\"}"},
    {"{\"requestedSchema\":7}", "{\"action\":\"decline\"}"},
    {"{\"mode\":\"url\",\"url\":\"https://x/\",\"requestedSchema\":{\"properties\":{}}}", "{\"action\":\"decline\"}"},
    {"{}", "{\"action\":\"decline\"}"},
    {"7", "{\"action\":\"decline\"}"},
    {"", "{\"action\":\"decline\"}"},
};

static void test_forms(void)
{
    for (size_t i = 0; i < RCS_COUNT(forms); i++) {
        struct rcs_buffer out;

        rcs_buffer_init(&out, NULL, SIZE_MAX / 2);
        RCS_EQUAL(rcs_mcp_put_elicited(&out, kit_span(forms[i].params)), 0);
        RCS_TEXT_EQUAL(out.data, forms[i].result);
        rcs_buffer_clear(&out);
        rcs_buffer_init(&out, NULL, 10);
        RCS_EQUAL(rcs_mcp_put_elicited(&out, kit_span(forms[i].params)), RECOURSE_E_LIMIT);
        rcs_buffer_clear(&out);
    }
}

#define FORM \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":" \
    "{\"type\":\"object\",\"properties\":{\"age\":{\"type\":\"integer\",\"default\":30}},\"required\":[\"age\"]}}}"
#define FILLED "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"action\":\"accept\",\"content\":{\"age\":30}}}"

static void test_elicitation(void)
{
    static const struct sim_answer posts[] = {IN_SESSION, LATE(500, MCP_RESULT(3, MCP_TEXT("found"))), MCP_ACCEPTED};
    static const struct sim_answer gets[] = {EVENTS(50, MCP_EVENT(FORM) MCP_EVENT(ASK("1", "ping"))), SILENT};
    struct world world = {.elicits = true};

    open_world(&world, posts, RCS_COUNT(posts), gets, RCS_COUNT(gets));
    CU_ASSERT_PTR_NOT_NULL(strstr(mcp_request(&world.mcp, 0)->body, "\"capabilities\":{\"elicitation\":{\"form\":{}}},"));
    (void)mcp_call(&world.mcp, "find", "{}");
    RCS_EQUAL(world.mcp.kit.sim.request_count, 6);
    RCS_TEXT_EQUAL(mcp_request(&world.mcp, 5)->body, FILLED);
    RCS_TEXT_EQUAL(mcp_request(&world.mcp, 4)->body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    mcp_close(&world.mcp);
}

/* ---- lists that change ---- */

static uint64_t names_of(const struct mcp_kit *mcp, char *text, size_t size)
{
    struct recourse_tool_info info;
    size_t used = 0;
    size_t i;

    text[0] = '\0';
    for (i = 0; recourse_runner_tool_info(mcp->kit.runner, i, &info); i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", i > 0 ? " " : "", (int)info.name.size, info.name.data);
        CU_ASSERT_TRUE(info.schema.size > 0);
    }
    return i;
}

static void test_list_changed(void)
{
    static const struct sim_answer posts[] = {
        IN_SESSION, LATE(5000, MCP_RESULT(3, MCP_TEXT("found"))),
        MCP_JSON(MCP_RESULT(4, "{\"tools\":[" MCP_TOOL("new") "," MCP_TOOL("other") "],\"nextCursor\":\"c\"}")),
        MCP_JSON(MCP_RESULT(5, "{\"tools\":[" MCP_TOOL("last") "]}")), FOUND(6)};
    static const struct sim_answer gets[] = {EVENTS(50, CHANGED CHANGED CHANGED), SILENT};
    struct world world = {.elicits = false};
    struct recourse_turn *turn;
    char names[64];

    open_world(&world, posts, RCS_COUNT(posts), gets, RCS_COUNT(gets));
    turn = kit_start_one(&world.mcp.kit, "find", "{}");
    kit_until(&world.mcp.kit, KIT_START_MS + 140);
    (void)names_of(&world.mcp, names, sizeof names);
    RCS_TEXT_EQUAL(names, "find");
    kit_until(&world.mcp.kit, KIT_START_MS + 300);
    (void)names_of(&world.mcp, names, sizeof names);
    RCS_TEXT_EQUAL(names, "new other last");
    RCS_EQUAL(count(&world.mcp, "\"tools/list\""), 3); /* once, of two pages */
    RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "find", "{}"), 0), "Error: tool 'find' not found; there are: 'new', 'other', 'last'. " REMINDER);
    kit_finish(&world.mcp.kit, turn); /* it had begun */
    RCS_TEXT_EQUAL(kit_content(turn, 0), "found");
    RCS_TEXT_EQUAL(kit_content(mcp_call(&world.mcp, "last", "{}"), 0), "found");
    RCS_EQUAL(recourse_run_status(world.mcp.kit.run), RECOURSE_RUN_ANSWERED);
    mcp_close(&world.mcp);
}

/* What a server says without end is heeded once a second; a list that can't be had leaves the old one. */
static void test_list_storm(void)
{
    static const struct sim_answer posts[] = {
        IN_SESSION, LATE(4500, MCP_RESULT(3, MCP_TEXT("found"))), {.status = 500, .after_ms = 1}};
    static const struct sim_answer gets[] = {EVENTS(1, CHANGED)};
    struct world world = {.elicits = false};
    char names[64];

    open_world(&world, posts, RCS_COUNT(posts), gets, RCS_COUNT(gets));
    (void)mcp_call(&world.mcp, "find", "{}");
    RCS_EQUAL(names_of(&world.mcp, names, sizeof names), 1);
    RCS_TEXT_EQUAL(names, "find");
    CU_ASSERT_TRUE(count(&world.mcp, "\"tools/list\"") >= 3);
    CU_ASSERT_TRUE(count(&world.mcp, "\"tools/list\"") <= 6);
    RCS_TEXT_EQUAL(world.mcp.facts, "200"); /* none of it is a try */
    mcp_close(&world.mcp);
}

/* It is said while the first list is under way. */
static void test_list_changed_early(void)
{
    static const struct sim_answer posts[] = {
        MCP_IN_SESSION(MCP_HELLO), MCP_ACCEPTED, MCP_STREAM(CHANGED MCP_EVENT(MCP_LIST(MCP_TOOL("find")))),
        MCP_JSON(MCP_RESULT(3, "{\"tools\":[" MCP_TOOL("find") "," MCP_TOOL("new") "]}"))};
    struct world world = {.elicits = false};
    char names[64];

    open_world(&world, posts, RCS_COUNT(posts), NULL, 0);
    kit_until(&world.mcp.kit, world.mcp.kit.sim.now_ms + 500);
    (void)names_of(&world.mcp, names, sizeof names);
    RCS_TEXT_EQUAL(names, "find new");
    mcp_close(&world.mcp);
}

/* A list that never comes is given up, and asked for anew when the server speaks again. */
static void test_list_given_up(void)
{
    static const struct sim_answer posts[] = {IN_SESSION, SILENT, MCP_ACCEPTED};
    static const struct sim_answer gets[] = {EVENTS(50, CHANGED), SILENT};
    struct world world = {.elicits = false};

    open_world(&world, posts, RCS_COUNT(posts), gets, RCS_COUNT(gets));
    kit_until(&world.mcp.kit, KIT_START_MS + 1000);
    RCS_EQUAL(count(&world.mcp, "\"tools/list\""), 2);
    CU_ASSERT_FALSE(mcp_request(&world.mcp, 3)->cancelled);
    kit_until(&world.mcp.kit, KIT_START_MS + 61000);
    CU_ASSERT_TRUE(mcp_request(&world.mcp, 3)->cancelled);
    RCS_EQUAL(count(&world.mcp, "\"tools/list\""), 2);
    RCS_EQUAL(recourse_runner_wake_ms(world.mcp.kit.runner), RECOURSE_FOREVER);
    mcp_close(&world.mcp);
}

/* ---- the end ---- */

static void test_end(void)
{
    static const struct {
        struct sim_answer cancelled; /* to the notification that the call is not wanted any more */
        struct sim_answer ended;     /* to the DELETE */
        uint64_t ms;                 /* that the closing takes */
    } ends[] = {
        {MCP_ACCEPTED, {.status = 200, .after_ms = 1}, 2},
        {MCP_ACCEPTED, {.status = 405, .after_ms = 2}, 3},
        {MCP_ACCEPTED, {.status = 404, .after_ms = 1}, 2},
        {MCP_ACCEPTED, {.network = RECOURSE_NETWORK_REFUSED, .unsent = true, .after_ms = 1}, 2},
        {MCP_ACCEPTED, SILENT, 251},
        {{.status = 500, .after_ms = 7}, {.status = 200, .after_ms = 1}, 8},
        {{.network = RECOURSE_NETWORK_RESET, .after_ms = 1}, {.status = 200, .after_ms = 1}, 2},
        {SILENT, {.status = 200, .after_ms = 1}, 251},
        {SILENT, SILENT, 500},
    };

    for (size_t i = 0; i < RCS_COUNT(ends); i++) {
        const struct sim_answer posts[] = {IN_SESSION, SILENT, ends[i].cancelled};
        static const struct sim_answer gets[] = {SILENT};
        struct world world = {.elicits = false};
        uint64_t now_ms;

        open_world(&world, posts, RCS_COUNT(posts), gets, 1);
        sim_route(&world.mcp.kit.sim, "DELETE http://s/", &ends[i].ended, 1);
        (void)kit_start_one(&world.mcp.kit, "find", "{}"); /* in the middle of a call */
        kit_settle(&world.mcp.kit);
        now_ms = world.mcp.kit.sim.now_ms;
        recourse_runner_free(world.mcp.kit.runner);
        world.mcp.kit.runner = NULL;
        RCS_EQUAL(world.mcp.kit.sim.now_ms - now_ms, ends[i].ms);
        RCS_EQUAL(count(&world.mcp, "notifications/cancelled"), 1);
        RCS_EQUAL(world.mcp.kit.sim.stream_count, 2);
        RCS_TEXT_EQUAL(mcp_stream(&world.mcp, 1)->method, "DELETE");
        CU_ASSERT_PTR_NOT_NULL(strstr(mcp_stream(&world.mcp, 1)->headers, "|Mcp-Session-Id: s-1"));
        RCS_EQUAL(world.mcp.kit.sim.in_flight, 0);
        sim_clear(&world.mcp.kit.sim);
    }
}

/* Without a session there is none to end. */
static void test_no_end(void)
{
    static const struct sim_answer posts[] = {MCP_JSON(MCP_HELLO), MCP_ACCEPTED, LISTED};
    struct world world = {.elicits = false};

    open_world(&world, posts, RCS_COUNT(posts), NULL, 0);
    recourse_runner_free(world.mcp.kit.runner);
    RCS_EQUAL(world.mcp.kit.sim.stream_count, 1);
    RCS_TEXT_EQUAL(mcp_stream(&world.mcp, 0)->method, "GET");
    sim_clear(&world.mcp.kit.sim);
}

/* ---- memory ---- */

/* Whichever allocation fails, the call is made once and nothing is lost. */
static void test_no_memory(void)
{
    static const struct sim_answer posts[] = {IN_SESSION, LATE(2000, MCP_RESULT(3, MCP_TEXT("found"))), MCP_ACCEPTED};
    static const struct sim_answer gets[] = {
        EVENTS(10, "id: g1\n" MCP_EVENT(FORM) CHANGED), EVENTS(10, MCP_EVENT(ASK("1", "ping")) CHANGED), SILENT};
    bool whole = false;

    for (unsigned left = 0; left < 600 && !whole; left++) {
        struct purse purse = {100000, 0};
        struct recourse_allocator allocator = purse_allocator(&purse);
        struct world world = {.elicits = true, .allocator = &allocator};
        struct recourse_turn *turn;

        open_world(&world, posts, RCS_COUNT(posts), gets, RCS_COUNT(gets));
        turn = kit_start_one(&world.mcp.kit, "find", "{}");
        purse.left = left;
        kit_finish(&world.mcp.kit, turn);
        whole = purse.left > 0;
        CU_ASSERT_TRUE(count(&world.mcp, "\"tools/call\"") <= 1);
        CU_ASSERT_TRUE(!whole || recourse_turn_result(turn, 0)->success);
        mcp_close(&world.mcp);
        RCS_EQUAL(purse.out, 0);
    }
    CU_ASSERT_TRUE(whole);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"opened", test_opened},
        {"requests", test_requests},
        {"opened again", test_opened_again},
        {"not offered", test_not_offered},
        {"lost session", test_lost_session},
        {"forms", test_forms},
        {"elicitation", test_elicitation},
        {"list changed", test_list_changed},
        {"list storm", test_list_storm},
        {"list changed early", test_list_changed_early},
        {"list given up", test_list_given_up},
        {"end", test_end},
        {"no end", test_no_end},
        {"no memory", test_no_memory},
    };

    return rcs_unit_main("mcp_listen", tests, RCS_COUNT(tests));
}
