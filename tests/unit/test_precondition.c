/* What is looked at before a tool is touched: each check, their order, and approvals. */
#include "tests/unit/run_kit.h"

#define REMINDER "Do not retry this exact tool call."

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
        {"bad", " {\"a\":1} ", "Error: this call has failed 2 times with the same arguments. " REMINDER},
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

/* ---- approvals ---- */

static struct {
    int answer;
    uint64_t number;
    unsigned asked;
    char tool[32];
    char arguments[64];
    bool answer_inside;
} asked;

static int approve(void *user, uint64_t approval, struct recourse_span tool, struct recourse_span arguments)
{
    struct kit *of = user;

    asked.asked++;
    asked.number = approval;
    snprintf(asked.tool, sizeof asked.tool, "%s", kit_text(tool));
    snprintf(asked.arguments, sizeof asked.arguments, "%s", kit_text(arguments));
    if (asked.answer_inside) {
        recourse_call_approve(of->runner, approval, true);
    }
    return asked.answer;
}

static void open_asking(uint8_t mode, int answer, bool with_callback)
{
    struct recourse_runner_options options;

    memset(&asked, 0, sizeof asked);
    asked.answer = answer;
    memset(&kit, 0, sizeof kit);
    sim_init(&kit.sim, KIT_START_MS);
    kit_policy_init(&kit.policy);
    kit.policy.policy.settings.approval_timeout_ms = 5000;
    kit_options(&kit, &options);
    options.approval_mode = mode;
    options.approve = with_callback ? approve : NULL;
    kit_open(&kit, &options);
    kit_http(&kit, "lookup", true);
    sim_route(&kit.sim, "http://lookup/", fine, 1);
}

static void test_approved_at_once(void)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVED, true);
    turn = kit_start_one(&kit, "lookup", "{\"a\":1}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    RCS_TEXT_EQUAL(asked.tool, "lookup");
    RCS_TEXT_EQUAL(asked.arguments, "{\"a\":1}");
    RCS_EQUAL(asked.asked, 1);
    kit_finish(&kit, kit_start_one(&kit, "nope", "{}")); /* nobody is asked about what can't be run */
    RCS_EQUAL(asked.asked, 1);
    kit_close(&kit);
}

static void test_refused(void)
{
    static const int answers[] = {RECOURSE_REFUSED, -1, 3, RECOURSE_E_MEMORY};

    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        struct recourse_turn *turn;

        open_asking(RECOURSE_APPROVE_ALWAYS, answers[i], true);
        turn = kit_start_one(&kit, "lookup", "{}");
        kit_finish(&kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: the call was refused. " REMINDER);
        RCS_EQUAL(kit.sim.request_count, 0);
        kit_close(&kit);
    }
}

static void test_nobody_to_ask(void)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVED, false);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: the call needs approval, and nobody can be asked. " REMINDER);
    kit_close(&kit);
}

static void test_by_annotation(void)
{
    struct recourse_tool tool = {.size = sizeof tool, .name = "reader", .url = "http://lookup/", .read_only = true};
    struct recourse_call_request calls[] = {kit_call("a", "reader", "{}"), kit_call("b", "lookup", "{}")};
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_BY_ANNOTATION, RECOURSE_REFUSED, true);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    turn = kit_start(&kit, calls, 2);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    RCS_EQUAL(recourse_turn_result(turn, 1)->event, RECOURSE_EVENT_REFUSED);
    RCS_EQUAL(asked.asked, 1);
    kit_close(&kit);
}

static void test_never_asks(void)
{
    open_asking(RECOURSE_APPROVE_NEVER, RECOURSE_REFUSED, true);
    kit_finish(&kit, kit_start_one(&kit, "lookup", "{}"));
    RCS_EQUAL(asked.asked, 0);
    kit_close(&kit);
}

static void test_approved_later(void)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_until(&kit, KIT_START_MS + 4999);
    CU_ASSERT_PTR_NULL(recourse_turn_result(turn, 0));
    recourse_call_approve(kit.runner, asked.number + 1, false); /* somebody else's */
    recourse_call_approve(kit.runner, 0, false);
    recourse_call_approve(kit.runner, asked.number, true);
    recourse_call_approve(kit.runner, asked.number, false); /* answered already */
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    recourse_call_approve(kit.runner, asked.number, false); /* over */
    kit_settle(&kit);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A1");
    kit_close(&kit);
}

static void test_refused_later(void)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_settle(&kit);
    recourse_call_approve(kit.runner, asked.number, false);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_REFUSED);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS);
    kit_close(&kit);
}

/* The answer comes while the question is still being asked. */
static void test_answered_inside(void)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    asked.answer_inside = true;
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    asked.answer = RECOURSE_REFUSED; /* what the callback returns wins */
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_REFUSED);
    RCS_EQUAL(kit.sim.request_count, 1);
    kit_close(&kit);
}

static void test_unanswered(void)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 5000);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_UNANSWERED_APPROVAL);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: nobody answered in time whether the call is approved. " REMINDER);
    recourse_call_approve(kit.runner, asked.number, true); /* too late */
    kit_settle(&kit);
    RCS_EQUAL(kit.sim.request_count, 0);
    kit_close(&kit);
}

/* The deadline comes first; and so does a cancel. */
static void test_asking_ends_otherwise(void)
{
    struct recourse_call_request call = kit_call("a", "lookup", "{}");
    struct recourse_turn_options options;
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    options = kit_turn(&kit, &call, 1);
    options.deadline_ms = KIT_START_MS + 3000;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, NULL), 0);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 3000);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_DEADLINE);
    turn = kit_start(&kit, &call, 1);
    kit_settle(&kit);
    recourse_call_approve(kit.runner, asked.number, true); /* both at once: what was asked first is done first */
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_CANCELLED);
    turn = kit_start(&kit, &call, 1);
    kit_settle(&kit);
    recourse_turn_cancel(turn);
    recourse_call_approve(kit.runner, asked.number, true);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P4");
    turn = kit_start(&kit, &call, 1);
    kit_settle(&kit);
    recourse_call_approve(kit.runner, asked.number, true);
    recourse_turn_free(turn);
    kit_settle(&kit);
    RCS_EQUAL(kit.sim.request_count, 1); /* that of the approved one */
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
        {"not repeated", test_not_repeated},
        {"approved at once", test_approved_at_once},
        {"refused", test_refused},
        {"nobody to ask", test_nobody_to_ask},
        {"by annotation", test_by_annotation},
        {"never asks", test_never_asks},
        {"approved later", test_approved_later},
        {"refused later", test_refused_later},
        {"answered inside", test_answered_inside},
        {"unanswered", test_unanswered},
        {"asking ends otherwise", test_asking_ends_otherwise},
    };

    return rcs_unit_main("precondition", tests, RCS_COUNT(tests));
}
