/* What is looked at before a tool is touched: each check, and their order. */
#include "tests/unit/run_kit.h"

#include "src/run/same.h"

static const struct sim_answer fine[] = {{.after_ms = 5, .status = 200, .body = "fine"}};

static struct kit kit;

static void open_with(void)
{
    kit_open(&kit, NULL);
    kit_http(&kit, "lookup", true);
    sim_route(&kit.sim, "http://lookup/", fine, 1);
}

struct refusal {
    const char *name;
    const char *arguments;
    const char *content; /* "fine": it is run */
};

static void check_refusals(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = kit.sim.request_count;
        struct recourse_turn *turn = kit_start_one(&kit, refusals[i].name, refusals[i].arguments);

        kit_finish(&kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), refusals[i].content);
        RCS_EQUAL(kit.sim.request_count - before, strcmp(refusals[i].content, "fine") == 0);
        recourse_turn_free(turn);
    }
}

#define BAD "Tool 'lookup' execution failed after 0 attempt(s): arguments are no JSON object: "

static void test_arguments(void)
{
    static const struct refusal refusals[] = {
        {"lookup", "{}", "fine"},
        {"lookup", "", "fine"},
        {"lookup", " \t\r\n", "fine"},
        {"lookup", "null", "fine"},
        {"lookup", " null ", "fine"},
        {"lookup", "{\"a\":1} ", "fine"},
        {"lookup", "{\"a\":1,}", BAD "unexpected byte at offset 7."},
        {"lookup", "{'a':1}", BAD "unexpected byte at offset 1."},
        {"lookup", "{\"a\":1} x", BAD "unexpected byte at offset 8."},
        {"lookup", "{\"path\":\"a.txt", BAD "the text ends too early at offset 14."},
        {"lookup", "[1]", BAD "another value at offset 0."},
        {"lookup", " \"{}\"", BAD "another value at offset 1."},
        {"lookup", "true", BAD "another value at offset 0."},
        {"lookup", "nul", BAD "the text ends too early at offset 3."},
        {"lookup", "{\"a\":1,\"\\u0061\":2}",
         "Tool 'lookup' execution failed after 0 attempt(s): arguments are ambiguous: a key for the second time at "
         "offset 7."},
        {"lookup", "{\"o\":{\"a\":1,\"a\":2}}",
         "Tool 'lookup' execution failed after 0 attempt(s): arguments are ambiguous: a key for the second time at "
         "offset 12."},
    };

    open_with();
    check_refusals(refusals, RCS_COUNT(refusals));
    RCS_TEXT_EQUAL(kit.sim.requests[0].body, "{}");
    RCS_TEXT_EQUAL(kit.sim.requests[1].body, "{}");
    RCS_TEXT_EQUAL(kit.sim.requests[4].body, "{}");
    RCS_TEXT_EQUAL(kit.sim.requests[5].body, "{\"a\":1} ");
    kit_close(&kit);
}

static void test_depth(void)
{
    char text[1200];

    open_with();
    memset(text, '[', sizeof text - 1);
    memcpy(text, "{\"a\":", 5);
    text[sizeof text - 1] = '\0';
    struct refusal deep[] = {{"lookup", text, BAD "nested too deep at offset 516."}};

    check_refusals(deep, 1);
    kit_close(&kit);
}

static void test_names(void)
{
    static const struct refusal refusals[] = {
        {"", "{}", "Error: name missing from the tool call. " REMINDER},
        {" ", "{}", "Error: name missing from the tool call. " REMINDER},
        {"look", "{}", "Error: tool 'look' not found; there are: 'lookup', 'twice', 'twice'. " REMINDER},
        {"Lookup", "{}", "Error: tool 'Lookup' not found; there are: 'lookup', 'twice', 'twice'. " REMINDER},
        {"a\x1b[31mb\nc", "{}", "Error: tool 'ab c' not found; there are: 'lookup', 'twice', 'twice'. " REMINDER},
        {"twice", "{}", "Error: 2 tools found with the name 'twice'. " REMINDER},
    };

    open_with();
    kit_http(&kit, "twice", true);
    kit_http(&kit, "twice", true);
    check_refusals(refusals, RCS_COUNT(refusals));
    kit_close(&kit);
}

static void test_no_tools(void)
{
    static const struct refusal refusals[] = {
        {"f", "{}", "Error: tool 'f' not found; there are no tools. " REMINDER},
    };

    kit_open(&kit, NULL);
    check_refusals(refusals, 1);
    kit_close(&kit);
}

/* At most 20 are named. */
static void test_many_tools(void)
{
    struct recourse_turn *turn;
    char name[16];
    const struct recourse_result *result;

    kit_open(&kit, NULL);
    for (unsigned i = 0; i < 21; i++) {
        snprintf(name, sizeof name, "tool%02u", i);
        kit_http(&kit, name, true);
    }
    turn = kit_start_one(&kit, "x", "{}");
    kit_finish(&kit, turn);
    result = recourse_turn_result(turn, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_text(result->detail), "'tool00', 'tool01'"));
    CU_ASSERT_PTR_NOT_NULL(strstr(kit_text(result->detail), "'tool19' and more"));
    CU_ASSERT_PTR_NULL(strstr(kit_text(result->detail), "tool20"));
    kit_close(&kit);
}

static void test_cut_off(void)
{
    struct recourse_call_request call = kit_call("c1", "lookup", "{}");
    struct recourse_turn *turn;

    open_with();
    call.truncated = true;
    turn = kit_start(&kit, &call, 1);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0),
                   "Tool 'lookup' execution failed after 0 attempt(s): the reply was cut off by its length "
                   "limit, so the call may be incomplete; make it shorter.");
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_TRUNCATED_CALL);
    RCS_EQUAL(kit.sim.request_count, 0);
    kit_close(&kit);
}

/* The second call of one id is refused; without ids nothing is confused. A turn of its own begins anew. */
static void test_duplicates(void)
{
    struct recourse_call_request calls[] = {
        kit_call("a", "lookup", "{}"), kit_call("b", "lookup", "{}"), kit_call("a", "lookup", "{\"x\":1}"),
        kit_call("", "lookup", "{}"),  kit_call("", "lookup", "{}"),
    };
    struct recourse_turn *turn;

    open_with();
    turn = kit_start(&kit, calls, RCS_COUNT(calls));
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    RCS_TEXT_EQUAL(kit_content(turn, 1), "fine");
    RCS_TEXT_EQUAL(kit_content(turn, 2), "Error: call id 'a' was used before in this turn. " REMINDER);
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 2)->call), "a");
    RCS_TEXT_EQUAL(kit_content(turn, 3), "fine");
    RCS_TEXT_EQUAL(kit_content(turn, 4), "fine");
    RCS_EQUAL(kit.sim.request_count, 4);
    turn = kit_start(&kit, calls, 1);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    kit_close(&kit);
}

#define SENSITIVE(key) "Error: sensitive arguments: '" key "'. " REMINDER

static void test_sensitive_values(void)
{
    static const char *const values[] = {"secret", NULL};
    static const struct refusal refusals[] = {
        {"lookup", "{\"k\":\"ok\\u0000my secret\"}", SENSITIVE("k")},
        {"lookup", "{\"k\":\"s\\u0065cret\"}", SENSITIVE("k")},
        {"lookup", "{\"k\":\"SeCrEt\"}", SENSITIVE("k")},
        {"lookup", "{\"a\":1,\"k\":{\"x\":[1,{\"my_secret\":2}]}}", SENSITIVE("k")},
        {"lookup", "{\"k\":{\"x\":[1,{\"\\u0073ecret\":2}]}}", SENSITIVE("k")},
        {"lookup", "{\"k\":[\"\\\\\",\"secret\"]}", SENSITIVE("k")},
        {"lookup", "{\"k\\u001b[2J\":\"a\\\"secret\"}", SENSITIVE("k")},
        /* the key of a top-level argument is looked at by `sensitive names` */
        {"lookup", "{\"secret\":\"ok\"}", "fine"},
        {"lookup", "{\"k\":\"secre\",\"t\":\"t\"}", "fine"},
        {"lookup", "{\"k\":\"sec\\\"ret\"}", "fine"},
    };

    open_with();
    kit.policy.policy.settings.sensitive_values = values;
    check_refusals(refusals, RCS_COUNT(refusals));
    kit_close(&kit);
}

static void test_sensitive_names(void)
{
    static const char *const names[] = {"token", "password", NULL};
    static const struct refusal refusals[] = {
        {"lookup", "{\"API_TOKEN\":1}", SENSITIVE("API_TOKEN")},
        {"lookup", "{\"a\":1,\"pass\\u0077ord\":\"hunter2\"}", SENSITIVE("password")},
        {"lookup", "{\"a\":\"token\"}", "fine"},
        {"lookup", "{\"a\":{\"token\":1}}", SENSITIVE("a")},
        {"lookup", "{\"a\":[1,{\"b\":{\"p\\u0061ssword\" :2}}]}", SENSITIVE("a")},
        {"lookup", "{\"a\":[\"token\",{\"b\":\"token\"}]}", "fine"},
    };

    open_with();
    kit.policy.policy.settings.sensitive_names = names;
    check_refusals(refusals, RCS_COUNT(refusals));
    kit_close(&kit);
}

/* Each call fails in all that comes after it, too: the first decides. */
static void test_order(void)
{
    static const char *const values[] = {"secret", NULL};
    struct recourse_call_request calls[] = {
        kit_call("a", "", "{\"a\":\"secret\"}"),       kit_call("a", "nope", "{\"a\":\"secret\"}"),
        kit_call("a", "nope", "{\"a\":\"secret\""),    kit_call("a", "nope", "{\"a\":\"secret\"}"),
        kit_call("b", "nope", "{\"a\":\"secret\"}"),   kit_call("c", "nope", "{}"),
    };
    static const unsigned events[] = {
        RECOURSE_EVENT_MISSING_NAME,   RECOURSE_EVENT_TRUNCATED_CALL,      RECOURSE_EVENT_BAD_ARGUMENTS,
        RECOURSE_EVENT_DUPLICATE_CALL, RECOURSE_EVENT_SENSITIVE_ARGUMENTS, RECOURSE_EVENT_UNKNOWN_TOOL,
    };
    struct recourse_turn *turn;

    open_with();
    kit.policy.policy.settings.sensitive_values = values;
    calls[0].truncated = true;
    calls[1].truncated = true;
    turn = kit_start(&kit, calls, RCS_COUNT(calls));
    kit_finish(&kit, turn);
    for (size_t i = 0; i < RCS_COUNT(calls); i++) {
        const struct recourse_result *result = recourse_turn_result(turn, i);

        RCS_EQUAL(result->event, events[i]);
        RCS_EQUAL(result->tries, 0);
        RCS_EQUAL(result->effect, RECOURSE_EFFECT_NONE);
        RCS_EQUAL(result->failure, RECOURSE_NONE);
        CU_ASSERT_FALSE(result->success);
    }
    RCS_TEXT_EQUAL(kit.log, "a:P3 a:P2 a:P2 a:P3 b:P3 c:P3");
    kit_close(&kit);
}

/* A tool's own policy judges its calls, those that never reach it included. */
static void test_whose_policy(void)
{
    struct kit_policy other;
    struct recourse_tool tool = {.size = sizeof tool, .name = "own", .url = "http://own/", .policy = &other.policy};
    struct recourse_call_request calls[] = {kit_call("a", "own", "{"), kit_call("b", "lookup", "{")};
    struct recourse_turn *turn;

    open_with();
    kit_policy_init(&other);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    turn = kit_start(&kit, calls, RCS_COUNT(calls));
    kit_finish(&kit, turn);
    CU_ASSERT_PTR_EQUAL(recourse_turn_result(turn, 0)->policy, &other.policy);
    CU_ASSERT_PTR_EQUAL(recourse_turn_result(turn, 1)->policy, &kit.policy.policy);
    kit_close(&kit);
}

/* ---- calls that have failed before ---- */

static void test_repeated_failure(void)
{
    static const struct sim_answer wrong[] = {{.status = 400, .body = "wrong"}};
    static const struct refusal refusals[] = {
        {"bad", "{\"a\":1}", "Tool 'bad' execution failed after 1 attempt(s): wrong."},
        {"bad", "{\"a\":1}", "Tool 'bad' execution failed after 1 attempt(s): wrong."},
        {"bad", " {\"a\":1} ", "Error: this call has failed 2 times with the same arguments: change them, or go on without it. " REMINDER},
        {"bad", "{\"a\":2}", "Tool 'bad' execution failed after 1 attempt(s): wrong."},
    };

    open_with();
    kit.policy.policy.settings.repeated_failures = 2;
    kit_http(&kit, "bad", true);
    sim_route(&kit.sim, "http://bad/", wrong, 1);
    for (size_t i = 0; i < RCS_COUNT(refusals); i++) {
        struct recourse_turn *turn = kit_start_one(&kit, refusals[i].name, refusals[i].arguments);

        kit_finish(&kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), refusals[i].content);
    }
    RCS_EQUAL(kit.sim.request_count, 3);
    recourse_run_free(kit.run); /* another run begins anew */
    RCS_EQUAL(recourse_run_new(kit.runner, &kit.run), 0);
    kit_finish(&kit, kit_start_one(&kit, "bad", "{\"a\":1}"));
    RCS_EQUAL(kit.sim.request_count, 4);
    kit_close(&kit);
}

/* What is the same is what the arguments say. All of one group are the same call, none of two groups are. */
static void test_same_call(void)
{
    static const char *const groups[][4] = {
        {"{}", "", "null", " { } "},
        {"{\"a\":1,\"b\":[1,2]}", " {\"b\" : [1, 2],\n\"a\":1}", "{\"\\u0061\":1,\"b\":[1,2]}", NULL},
        {"{\"a\":1,\"b\":[2,1]}", NULL},
        {"{\"a\":1.0,\"b\":[1,2]}", NULL},
        {"{\"a\":[1,2],\"b\":1}", NULL},
        {"{\"a\":1,\"b\":[[1,2]]}", NULL},
        {"{\"a\":1,\"b\":[1],\"c\":[2]}", NULL},
        {"{\"a\":\"1\"}", "{\"a\":\"\\u0031\"}", NULL},
        {"{\"a\":1}", NULL},
        {"{\"a\":true}", NULL},
        {"{\"a\":\"true\"}", NULL},
        {"{\"a\":{\"x\":1,\"y\":{}}}", "{\"a\":{\"y\":{},\"x\":1}}", NULL},
        {"{\"a\":{\"x\":1},\"y\":{}}", NULL},
        {"{\"a\":{\"x\":1,\"y\":[]}}", NULL},
        {"{\"a\":\"\\\\\",\"b\":\"\\\"\"}", "{\"b\":\"\\u0022\",\"a\":\"\\u005c\"}", NULL},
        {"{\"n\":9007199254740993}", NULL},
        {"{\"n\":9007199254740992}", NULL},
    };
    uint64_t hashes[RCS_COUNT(groups)];

    for (size_t i = 0; i < RCS_COUNT(groups); i++) {
        for (size_t n = 0; n < 4 && groups[i][n] != NULL; n++) {
            const char *text = groups[i][n][0] == '\0' || groups[i][n][0] == 'n' ? "{}" : groups[i][n];
            uint64_t hash = rcs_same_call(NULL, 7, kit_span("tool"), kit_span(text));

            hashes[i] = n == 0 ? hash : hashes[i];
            CU_ASSERT_TRUE(hash == hashes[i]);
            CU_ASSERT_TRUE(hash != rcs_same_call(NULL, 7, kit_span("other"), kit_span(text)));
            CU_ASSERT_TRUE(hash != rcs_same_call(NULL, 8, kit_span("tool"), kit_span(text)));
        }
        for (size_t n = 0; n < i; n++) {
            CU_ASSERT_TRUE(hashes[n] != hashes[i]);
        }
    }
}

static void test_repeated_in_other_words(void)
{
    static const struct sim_answer wrong[] = {{.status = 400, .body = "wrong"}};
    static const char *const arguments[] = {"{\"a\":1,\"b\":2}", "{\"b\":2, \"a\":1}", "{\"\\u0061\":1,\"b\":2}"};

    open_with();
    kit.policy.policy.settings.repeated_failures = 1;
    kit_http(&kit, "bad", true);
    sim_route(&kit.sim, "http://bad/", wrong, 1);
    for (size_t i = 0; i < RCS_COUNT(arguments); i++) {
        struct recourse_turn *turn = kit_start_one(&kit, "bad", arguments[i]);

        kit_finish(&kit, turn);
        RCS_EQUAL(recourse_turn_result(turn, 0)->event == RECOURSE_EVENT_REPEATED_FAILURE, i > 0);
    }
    RCS_EQUAL(kit.sim.request_count, 1);
    kit_close(&kit);
}

/* Ten of the same in one turn, one after the other since the tool takes one: those that still wait are looked at again. */
static void test_repeated_while_queued(void)
{
    static const struct sim_answer wrong[] = {{.after_ms = 10, .status = 400, .body = "wrong"}};
    struct recourse_tool tool = {.size = sizeof tool, .name = "bad", .url = "http://bad/", .limit = 1};
    struct recourse_call_request calls[10];
    struct recourse_turn *turn;

    open_with();
    kit.policy.policy.settings.repeated_failures = 3;
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    sim_route(&kit.sim, "http://bad/", wrong, 1);
    for (size_t i = 0; i < 10; i++) {
        calls[i] = kit_call("", "bad", "{}");
    }
    turn = kit_start(&kit, calls, 10);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.request_count, 3);
    RCS_EQUAL(recourse_turn_result(turn, 2)->tries, 1);
    RCS_EQUAL(recourse_turn_result(turn, 3)->tries, 0);
    RCS_EQUAL(recourse_turn_result(turn, 9)->event, RECOURSE_EVENT_REPEATED_FAILURE);
    RCS_EQUAL(kit.results, 10);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 30);
    kit_close(&kit);
}

/* A success in between, or a cancelled call, does not count. */
static void test_not_repeated(void)
{
    static const struct sim_answer mixed[] = {{.status = 400, .body = "wrong"},
                                              {.status = 200, .body = "fine"},
                                              {.status = 400, .body = "wrong"},
                                              {.after_ms = 0}};
    struct recourse_turn *turn;

    open_with();
    kit.policy.policy.settings.repeated_failures = 2;
    kit_http(&kit, "mixed", true);
    sim_route(&kit.sim, "http://mixed/", mixed, RCS_COUNT(mixed));
    for (unsigned i = 0; i < 3; i++) {
        kit_finish(&kit, kit_start_one(&kit, "mixed", "{}"));
    }
    for (unsigned i = 0; i < 2; i++) {
        turn = kit_start_one(&kit, "mixed", "{}");
        kit_settle(&kit);
        recourse_turn_cancel(turn);
        kit_finish(&kit, turn);
        RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_CANCELLED);
    }
    RCS_EQUAL(kit.sim.request_count, 5);
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"arguments", test_arguments},
        {"depth", test_depth},
        {"names", test_names},
        {"no tools", test_no_tools},
        {"many tools", test_many_tools},
        {"cut off", test_cut_off},
        {"duplicates", test_duplicates},
        {"sensitive values", test_sensitive_values},
        {"sensitive names", test_sensitive_names},
        {"order", test_order},
        {"whose policy", test_whose_policy},
        {"repeated failure", test_repeated_failure},
        {"same call", test_same_call},
        {"repeated in other words", test_repeated_in_other_words},
        {"repeated while queued", test_repeated_while_queued},
        {"not repeated", test_not_repeated},
    };

    return rcs_unit_main("precondition", tests, RCS_COUNT(tests));
}
