/* Approvals: who is asked about what, and which answers count. */
#include "tests/unit/run_kit.h"

static const struct sim_answer fine[] = {{.after_ms = 5, .status = 200, .body = "fine"}};

static struct kit kit;

static struct {
    int answer;
    const char *reason;
    char what; /* in the callback: 'a' approves by the other way, 'f' frees the turn, 'w' writes into the arguments */
    uint64_t number;
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
    uint64_t expires_ms;
    unsigned asked;
    char call[32];
    char tool[32];
    char arguments[64];
    size_t index;
    bool read_only;
    const struct recourse_turn *turn;
} asked;

static int approve(void *user, struct recourse_approval_request *request)
{
    struct kit *of = user;

    asked.asked++;
    asked.number = request->approval;
    asked.expires_ms = request->expires_ms;
    asked.index = request->index;
    asked.read_only = request->read_only;
    asked.turn = request->turn;
    memcpy(asked.digest, request->digest, sizeof asked.digest);
    snprintf(asked.call, sizeof asked.call, "%s", kit_text(request->call));
    snprintf(asked.tool, sizeof asked.tool, "%s", kit_text(request->tool));
    snprintf(asked.arguments, sizeof asked.arguments, "%s", kit_text(request->arguments));
    CU_ASSERT_PTR_NULL(request->reason);
    request->reason = asked.reason;
    if (asked.what == 'a') {
        CU_ASSERT_TRUE(recourse_call_approve(of->runner, request->approval, request->digest, true));
    } else if (asked.what == 'f') {
        recourse_turn_free((struct recourse_turn *)(uintptr_t)request->turn);
    } else if (asked.what == 'w') {
        ((char *)(uintptr_t)request->arguments.data)[5] = '9';
        memset(request->digest, 0, sizeof request->digest);
    }
    return asked.answer;
}

static bool answer(bool approved)
{
    return recourse_call_approve(kit.runner, asked.number, asked.digest, approved);
}

static void open_asking(uint8_t mode, int code, bool with_callback)
{
    struct recourse_runner_options options;

    memset(&asked, 0, sizeof asked);
    asked.answer = code;
    kit_init(&kit, &options);
    kit.policy.policy.settings.approval_timeout_ms = 5000;
    options.approval_mode = mode;
    options.approve = with_callback ? approve : NULL;
    kit_open(&kit, &options);
    kit_http(&kit, "lookup", true);
    sim_route(&kit.sim, "http://lookup/", fine, 1);
}

/* ---- asking ---- */

static void test_approved_at_once(void)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVED, true);
    turn = kit_start_one(&kit, "lookup", "{\"a\":1}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    RCS_TEXT_EQUAL(asked.call, "c1");
    RCS_TEXT_EQUAL(asked.tool, "lookup");
    RCS_TEXT_EQUAL(asked.arguments, "{\"a\":1}");
    RCS_EQUAL(asked.asked, 1);
    RCS_EQUAL(asked.index, 0);
    RCS_EQUAL(asked.read_only, false);
    RCS_EQUAL(asked.expires_ms, KIT_START_MS + 5000);
    CU_ASSERT_PTR_EQUAL(asked.turn, turn);
    kit_finish(&kit, kit_start_one(&kit, "nope", "{}")); /* nobody is asked about what can't be run */
    kit_finish(&kit, kit_start_one(&kit, "lookup", "{\"a\":1"));
    RCS_EQUAL(asked.asked, 1);
    kit_close(&kit);
}

static void test_refused(void)
{
    static const struct {
        int answer;
        const char *reason;
        const char *content;
    } cases[] = {
        {RECOURSE_REFUSED, NULL, "Error: the call was refused. " REMINDER},
        {RECOURSE_REFUSED, "not on a Friday", "Error: not on a Friday. " REMINDER},
        {3, NULL, "Error: the call was refused. " REMINDER},
        {-1, NULL, "Error: asking whether the call is approved failed, so it was refused. " REMINDER},
        {RECOURSE_E_SYSTEM, "the queue is gone", "Error: the queue is gone. " REMINDER},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_turn *turn;

        open_asking(RECOURSE_APPROVE_ALWAYS, cases[i].answer, true);
        asked.reason = cases[i].reason;
        turn = kit_start_one(&kit, "lookup", "{}");
        kit_finish(&kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), cases[i].content);
        RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P3");
        RCS_EQUAL(kit.sim.request_count, 0);
        CU_ASSERT_FALSE(answer(true)); /* nothing is open any more */
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

/* ---- modes ---- */

static void test_modes(void)
{
    static const struct {
        uint8_t runner;
        uint8_t tool;
        bool read_only;
        bool asks;
    } cases[] = {
        {RECOURSE_APPROVE_DEFAULT, RECOURSE_APPROVE_DEFAULT, false, false},
        {RECOURSE_APPROVE_NEVER, RECOURSE_APPROVE_DEFAULT, false, false},
        {RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_DEFAULT, true, true},
        {RECOURSE_APPROVE_BY_ANNOTATION, RECOURSE_APPROVE_DEFAULT, false, true},
        {RECOURSE_APPROVE_BY_ANNOTATION, RECOURSE_APPROVE_DEFAULT, true, false},
        /* a tool's own mode wins, whichever is stricter */
        {RECOURSE_APPROVE_DEFAULT, RECOURSE_APPROVE_ALWAYS, true, true},
        {RECOURSE_APPROVE_NEVER, RECOURSE_APPROVE_ALWAYS, false, true},
        {RECOURSE_APPROVE_NEVER, RECOURSE_APPROVE_BY_ANNOTATION, false, true},
        {RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_BY_ANNOTATION, true, false},
        {RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_NEVER, false, false},
        {RECOURSE_APPROVE_BY_ANNOTATION, RECOURSE_APPROVE_ALWAYS, true, true},
        {RECOURSE_APPROVE_BY_ANNOTATION, RECOURSE_APPROVE_NEVER, false, false},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_tool tool = {.size = sizeof tool, .name = "t", .url = "http://lookup/",
                                     .read_only = cases[i].read_only, .approval = cases[i].tool};
        struct recourse_turn *turn;

        open_asking(cases[i].runner, RECOURSE_REFUSED, true);
        RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
        turn = kit_start_one(&kit, "t", "{}");
        kit_finish(&kit, turn);
        RCS_EQUAL(asked.asked, cases[i].asks);
        RCS_EQUAL(asked.read_only, cases[i].asks && cases[i].read_only);
        RCS_EQUAL(recourse_turn_result(turn, 0)->success, !cases[i].asks);
        kit_close(&kit);
    }
}

static void test_no_such_mode(void)
{
    struct recourse_tool tool = {.size = sizeof tool, .name = "t", .url = "http://lookup/",
                                 .approval = RECOURSE_APPROVE_COUNT};
    struct recourse_error error = {RECOURSE_OK, ""};

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_REFUSED, true);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "tool 't': no approval mode has number 4");
    kit_close(&kit);
}

/* ---- answers that come later ---- */

static struct recourse_turn *start_asking(const char *arguments)
{
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    turn = kit_start_one(&kit, "lookup", arguments);
    kit_settle(&kit);
    RCS_EQUAL(asked.asked, 1);
    return turn;
}

static void test_approved_later(void)
{
    struct recourse_turn *turn = start_asking("{}");

    kit_until(&kit, KIT_START_MS + 4999);
    CU_ASSERT_PTR_NULL(recourse_turn_result(turn, 0));
    CU_ASSERT_FALSE(recourse_call_approve(kit.runner, asked.number + 1, asked.digest, false)); /* somebody else's */
    CU_ASSERT_FALSE(recourse_call_approve(kit.runner, asked.number + (1ull << 32), asked.digest, false));
    CU_ASSERT_FALSE(recourse_call_approve(kit.runner, 0, asked.digest, false));
    CU_ASSERT_TRUE(answer(true));
    CU_ASSERT_FALSE(answer(false)); /* answered already */
    CU_ASSERT_FALSE(answer(true));
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    CU_ASSERT_FALSE(answer(false)); /* over */
    kit_settle(&kit);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A1");
    kit_close(&kit);
}

static void test_refused_later(void)
{
    struct recourse_turn *turn = start_asking("{}");

    CU_ASSERT_TRUE(answer(false));
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
    asked.what = 'a';
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

static void test_freed_inside(void)
{
    static const int answers[] = {RECOURSE_APPROVED, RECOURSE_APPROVE_LATER, RECOURSE_REFUSED};

    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        open_asking(RECOURSE_APPROVE_ALWAYS, answers[i], true);
        asked.what = 'f';
        (void)kit_start_one(&kit, "lookup", "{}");
        kit_settle(&kit);
        RCS_EQUAL(asked.asked, 1);
        RCS_EQUAL(kit.results, 0);
        RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
        CU_ASSERT_FALSE(answer(true));
        kit_close(&kit);
    }
}

static void test_unanswered(void)
{
    struct recourse_turn *turn = start_asking("{}");

    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 5000);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_UNANSWERED_APPROVAL);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: nobody answered in time whether the call is approved. " REMINDER);
    CU_ASSERT_FALSE(answer(true)); /* too late */
    kit_settle(&kit);
    RCS_EQUAL(kit.sim.request_count, 0);
    kit_close(&kit);
}

/* Two questions; their timers fire in one step, and the observer of the first one answers the second: the answer was told
   that it counts, so it does. */
static void answer_second(void *user, const struct recourse_observation *seen)
{
    (void)user;
    if (seen->decision->event == RECOURSE_EVENT_UNANSWERED_APPROVAL && asked.asked == 2) {
        asked.asked = 0;
        CU_ASSERT_TRUE(answer(true));
    }
}

static void test_answered_as_time_is_over(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "lookup", "{}"), kit_call("b", "lookup", "{}")};
    struct recourse_runner_options options;
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    recourse_runner_free(kit.runner);
    kit_options(&kit, &options);
    options.approval_mode = RECOURSE_APPROVE_ALWAYS;
    options.approve = approve;
    options.observe = answer_second;
    kit_open(&kit, &options);
    kit_http(&kit, "lookup", true);
    turn = kit_start(&kit, calls, 2);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_UNANSWERED_APPROVAL);
    RCS_TEXT_EQUAL(kit_content(turn, 1), "fine");
    RCS_EQUAL(recourse_turn_result(turn, 1)->trail[0].at_ms, 5000);
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
    RCS_EQUAL(asked.expires_ms, KIT_START_MS + 3000);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 3000);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_DEADLINE);
    turn = kit_start(&kit, &call, 1);
    kit_settle(&kit);
    CU_ASSERT_TRUE(answer(true)); /* both at once: what was asked first is done first */
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_CANCELLED);
    turn = kit_start(&kit, &call, 1);
    kit_settle(&kit);
    recourse_turn_cancel(turn);
    CU_ASSERT_TRUE(answer(true));
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P4");
    turn = kit_start(&kit, &call, 1);
    kit_settle(&kit);
    CU_ASSERT_TRUE(answer(true));
    recourse_turn_free(turn);
    kit_settle(&kit);
    RCS_EQUAL(kit.sim.request_count, 1); /* that of the approved one */
    kit_close(&kit);
}

/* While one call waits for its answer, others go on. */
static void test_others_go_on(void)
{
    struct recourse_tool tool = {.size = sizeof tool, .name = "free", .url = "http://lookup/",
                                 .approval = RECOURSE_APPROVE_NEVER};
    struct recourse_call_request calls[] = {kit_call("a", "lookup", "{}"), kit_call("b", "free", "{}")};
    struct recourse_turn *turn;

    open_asking(RECOURSE_APPROVE_ALWAYS, RECOURSE_APPROVE_LATER, true);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    turn = kit_start(&kit, calls, 2);
    kit_until(&kit, KIT_START_MS + 1000);
    CU_ASSERT_PTR_NULL(recourse_turn_result(turn, 0));
    RCS_EQUAL(recourse_turn_result(turn, 1)->duration_ms, 5);
    CU_ASSERT_TRUE(answer(true));
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->duration_ms, 1005);
    kit_close(&kit);
}

/* ---- what an answer is bound to ---- */

static void hex_of(const uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE], char text[65])
{
    for (size_t i = 0; i < RECOURSE_APPROVAL_DIGEST_SIZE; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
}

/* From sha256sum, over the bytes that the header names. */
static void test_digest(void)
{
    static const struct {
        const char *tool;
        const char *arguments;
        const char *digest;
    } cases[] = {
        {"lookup", "{\"a\":1}", "17a31dae774832efb6770e19e767b4ec4dd6e7ecddc245bb72762ddd54b66b0b"},
        {"", "", "cb1a160e067b561f9ee500904086151344d8169be598a878a1716fe480a610ca"},
    };
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
    uint8_t other[RECOURSE_APPROVAL_DIGEST_SIZE];
    char text[65];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(recourse_approval_digest(kit_span(cases[i].tool), kit_span(cases[i].arguments), digest), 0);
        hex_of(digest, text);
        RCS_TEXT_EQUAL(text, cases[i].digest);
    }
    /* where the name ends is part of it */
    RCS_EQUAL(recourse_approval_digest(kit_span("ab"), kit_span("c{}"), digest), 0);
    RCS_EQUAL(recourse_approval_digest(kit_span("abc"), kit_span("{}"), other), 0);
    CU_ASSERT_TRUE(memcmp(digest, other, sizeof digest) != 0);
}

/* What the tool is sent is what was digested: the bytes as they came, and {} for none. */
static void test_digest_is_of_what_is_sent(void)
{
    static const char *const arguments[] = {"{\"a\": 1}", "", " null ", "{\"n\":9007199254740993}"};

    for (size_t i = 0; i < RCS_COUNT(arguments); i++) {
        struct recourse_turn *turn = start_asking(arguments[i]);
        uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];

        CU_ASSERT_TRUE(answer(true));
        kit_finish(&kit, turn);
        RCS_EQUAL(recourse_approval_digest(kit_span("lookup"), kit_span(kit.sim.requests[0].body), digest), 0);
        RCS_EQUAL(memcmp(digest, asked.digest, sizeof digest), 0);
        kit_close(&kit);
    }
}

static void test_another_digest(void)
{
    struct recourse_turn *turn = start_asking("{\"a\":1}");
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];

    for (size_t i = 0; i < sizeof digest; i++) {
        memcpy(digest, asked.digest, sizeof digest);
        digest[i] ^= 1;
        CU_ASSERT_FALSE(recourse_call_approve(kit.runner, asked.number, digest, true));
        CU_ASSERT_FALSE(recourse_call_approve(kit.runner, asked.number, digest, false));
    }
    CU_ASSERT_FALSE(recourse_call_approve(kit.runner, asked.number, NULL, true));
    kit_settle(&kit);
    CU_ASSERT_PTR_NULL(recourse_turn_result(turn, 0)); /* still open */
    CU_ASSERT_TRUE(answer(true));
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "fine");
    kit_close(&kit);
}

/* Two calls with the same arguments have one digest, but each its number: the answer is that of one. */
static void test_single_use(void)
{
    struct recourse_turn *turn = start_asking("{\"a\":1}");
    uint64_t first = asked.number;
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];

    memcpy(digest, asked.digest, sizeof digest);
    CU_ASSERT_TRUE(answer(true));
    kit_finish(&kit, turn);
    turn = kit_start_one(&kit, "lookup", "{\"a\":1}");
    kit_settle(&kit);
    RCS_EQUAL(memcmp(digest, asked.digest, sizeof digest), 0);
    CU_ASSERT_TRUE(asked.number != first);
    CU_ASSERT_FALSE(recourse_call_approve(kit.runner, first, digest, true));
    kit_settle(&kit);
    CU_ASSERT_PTR_NULL(recourse_turn_result(turn, 0));
    CU_ASSERT_TRUE(answer(false));
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.request_count, 1);
    kit_close(&kit);
}

/* Approved was {"a":1}; what would be run is {"a":9}. */
static void test_changed_meanwhile(void)
{
    static const int answers[] = {RECOURSE_APPROVED, RECOURSE_APPROVE_LATER};

    for (size_t i = 0; i < RCS_COUNT(answers); i++) {
        struct recourse_turn *turn;

        open_asking(RECOURSE_APPROVE_ALWAYS, answers[i], true);
        asked.what = 'w';
        turn = kit_start_one(&kit, "lookup", "{\"a\":1}");
        kit_settle(&kit);
        RCS_EQUAL(answer(true), answers[i] == RECOURSE_APPROVE_LATER);
        kit_finish(&kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: the arguments are no longer those that were approved. " REMINDER);
        RCS_EQUAL(kit.sim.request_count, 0);
        kit_close(&kit);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"approved at once", test_approved_at_once},
        {"refused", test_refused},
        {"nobody to ask", test_nobody_to_ask},
        {"modes", test_modes},
        {"no such mode", test_no_such_mode},
        {"approved later", test_approved_later},
        {"refused later", test_refused_later},
        {"answered inside", test_answered_inside},
        {"freed inside", test_freed_inside},
        {"unanswered", test_unanswered},
        {"answered as time is over", test_answered_as_time_is_over},
        {"asking ends otherwise", test_asking_ends_otherwise},
        {"others go on", test_others_go_on},
        {"digest", test_digest},
        {"digest is of what is sent", test_digest_is_of_what_is_sent},
        {"another digest", test_another_digest},
        {"single use", test_single_use},
        {"changed meanwhile", test_changed_meanwhile},
    };

    return rcs_unit_main("approval", tests, RCS_COUNT(tests));
}
