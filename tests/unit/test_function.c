/* Function tools on the runner's thread: answers at once, later, too late, or never; runners that are gone. */
#include "tests/unit/run_kit.h"

#include <poll.h>
#include <stdatomic.h>

static struct kit kit;

static void answer_with(struct recourse_invocation *invocation, uint8_t answer, const char *content)
{
    struct recourse_completion completion = {.answer = answer, .content = kit_span(content)};

    recourse_invocation_complete(invocation, &completion);
}

/* ---- on the runner's thread ---- */

/* Answers before it returns: what `user` says, or the arguments. */
static void answer_at_once(void *user, struct recourse_invocation *invocation)
{
    struct recourse_completion completion = {.content = recourse_invocation_arguments(invocation)};

    if (user != NULL) {
        completion = *(struct recourse_completion *)user;
    }
    recourse_invocation_complete(invocation, &completion);
}

static struct recourse_turn *run_function(recourse_function *function, void *user)
{
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_function(&kit, "f", function, user, false);
    turn = kit_start_one(&kit, "f", "{\"n\": 9007199254740993}");
    kit_finish(&kit, turn);
    return turn;
}

static void test_at_once(void)
{
    struct recourse_turn *turn = run_function(answer_at_once, NULL);

    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "{\"n\": 9007199254740993}");
    RCS_EQUAL(recourse_turn_result(turn, 0)->structured.size, 0); /* only what it calls so */
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    RCS_EQUAL(kit.sim.wakes, 0); /* the runner was at work: nobody had to wake it */
    kit_close(&kit);
}

static void test_answers(void)
{
    static const struct recourse_header headers[] = {{{"Retry-After", 11}, {"7", 1}}};
    static const struct recourse_facts limited = {
        .http = 429, .headers = headers, .header_count = 1, .phrase = {"Slow", 4}};
    static const struct recourse_facts good = {.http = 200};
    static const struct recourse_facts bad = {.http = 500, .text = {"own text", 8}, .tool = "somebody"};
    static const struct {
        struct recourse_completion completion;
        bool success;
        unsigned failure;
        const char *text; /* content of a success, detail of a failure */
        const char *structured;
    } cases[] = {
        {{.answer = RECOURSE_ANSWER_OK, .content = {"yes", 3}, .structured = {"{\"a\":1}", 7}},
         true,
         RECOURSE_NONE,
         "yes",
         "{\"a\":1}"},
        {{.answer = RECOURSE_ANSWER_OK, .content = {"yes", 3}, .structured = {"[1]", 3}},
         true,
         RECOURSE_NONE,
         "yes",
         ""},
        {{.answer = RECOURSE_ANSWER_OK}, true, RECOURSE_NONE, "", ""},
        {{.answer = RECOURSE_ANSWER_ERROR, .content = {"no such file", 12}},
         false,
         TOY_PERMANENT,
         "no such file",
         ""},
        {{.answer = RECOURSE_ANSWER_ERROR}, false, TOY_PERMANENT, "", ""},
        {{.answer = RECOURSE_ANSWER_FACTS, .facts = &good, .content = {"fine", 4}}, true, RECOURSE_NONE, "fine", ""},
        {{.answer = RECOURSE_ANSWER_FACTS, .facts = &good, .content = {"fine", 4}, .structured = {"{}", 2}},
         true,
         RECOURSE_NONE,
         "fine",
         "{}"},
        {{.answer = RECOURSE_ANSWER_FACTS, .facts = &bad}, false, TOY_PERMANENT, "own text", ""},
        {{.answer = RECOURSE_ANSWER_FACTS, .facts = &bad, .content = {"content", 7}},
         false,
         TOY_PERMANENT,
         "content",
         ""},
        {{.answer = RECOURSE_ANSWER_FACTS}, false, TOY_PERMANENT, "the function gave no answer that can be read", ""},
        {{.answer = 3}, false, TOY_PERMANENT, "the function gave no answer that can be read", ""},
    };
    struct recourse_completion slow = {.answer = RECOURSE_ANSWER_FACTS, .facts = &limited};
    struct recourse_turn *turn;

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_completion completion = cases[i].completion;
        const struct recourse_result *result;

        turn = run_function(answer_at_once, &completion);
        result = recourse_turn_result(turn, 0);
        RCS_EQUAL(result->success, cases[i].success);
        RCS_EQUAL(result->failure, cases[i].failure);
        RCS_TEXT_EQUAL(kit_text(result->success ? result->content : result->detail), cases[i].text);
        RCS_TEXT_EQUAL(kit_text(result->structured), cases[i].structured);
        kit_close(&kit);
    }
    turn = run_function(answer_at_once, &slow);
    RCS_EQUAL(recourse_turn_result(turn, 0)->trail[1].server_delay_ms, 7000);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 3);
    RCS_EQUAL(recourse_turn_result(turn, 0)->http, 429);
    kit_close(&kit);
}

static void answer_nothing(void *user, struct recourse_invocation *invocation)
{
    (void)user;
    recourse_invocation_complete(invocation, NULL);
}

static void test_no_completion(void)
{
    struct recourse_turn *turn = run_function(answer_nothing, NULL);

    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->detail), "the function gave no answer that can be read");
    kit_close(&kit);
}

/* ---- kept for later ---- */

/* What a function was handed. */
static struct {
    struct recourse_invocation *invocations[8];
    unsigned count;
    uint64_t left_ms[8];
    char keys[8][33];
    char ids[8][16];
    unsigned tries[8];
} kept;

static void keep(void *user, struct recourse_invocation *invocation)
{
    unsigned at = kept.count++ % 8;

    (void)user;
    kept.invocations[at] = invocation;
    kept.left_ms[at] = recourse_invocation_time_left_ms(invocation);
    kept.tries[at] = recourse_invocation_try(invocation);
    snprintf(kept.keys[at], sizeof kept.keys[at], "%s", recourse_invocation_idempotency_key(invocation));
    snprintf(kept.ids[at], sizeof kept.ids[at], "%s", kit_text(recourse_invocation_call_id(invocation)));
}

static struct recourse_turn *start_kept(uint64_t timeout_ms)
{
    struct recourse_tool tool = {.size = sizeof tool, .name = "f", .kind = RECOURSE_TOOL_FUNCTION, .function = keep,
                                 .timeout_ms = timeout_ms};

    memset(&kept, 0, sizeof kept);
    kit_open(&kit, NULL);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    return kit_start_one(&kit, "f", "{}");
}

static void test_later(void)
{
    struct recourse_turn *turn = start_kept(0);

    kit_until(&kit, KIT_START_MS + 250);
    RCS_EQUAL(kept.count, 1);
    CU_ASSERT_FALSE(recourse_invocation_cancelled(kept.invocations[0]));
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "later");
    RCS_EQUAL(kit.sim.wakes, 1);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "later");
    RCS_EQUAL(recourse_turn_result(turn, 0)->duration_ms, 250);
    RCS_TEXT_EQUAL(kept.ids[0], "c1");
    kit_close(&kit);
}

/* One key for all tries of a call, another one for the next call. */
static void test_key_and_try(void)
{
    struct recourse_turn *turn = start_kept(0);

    kit_settle(&kit);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_ERROR, "busy");
    kit_until(&kit, KIT_START_MS + 200);
    RCS_EQUAL(kept.count, 2);
    answer_with(kept.invocations[1], RECOURSE_ANSWER_OK, "done");
    kit_finish(&kit, turn);
    RCS_EQUAL(kept.tries[0], 1);
    RCS_EQUAL(kept.tries[1], 2);
    RCS_EQUAL(strlen(kept.keys[0]), 32);
    RCS_EQUAL(strspn(kept.keys[0], "0123456789abcdef"), 32);
    RCS_TEXT_EQUAL(kept.keys[1], kept.keys[0]);
    turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    CU_ASSERT_TRUE(strcmp(kept.keys[2], kept.keys[0]) != 0);
    answer_with(kept.invocations[2], RECOURSE_ANSWER_OK, "done");
    kit_finish(&kit, turn);
    kit_close(&kit);
}

static void test_time_left(void)
{
    struct recourse_turn *turn = start_kept(500000);

    kit_until(&kit, KIT_START_MS + 20000);
    /* the policy's is shorter; real time may go by */
    CU_ASSERT_TRUE(kept.left_ms[0] <= 60000 && kept.left_ms[0] > 50000);
    CU_ASSERT_TRUE(recourse_invocation_time_left_ms(kept.invocations[0]) <= 40000);
    CU_ASSERT_TRUE(recourse_invocation_time_left_ms(kept.invocations[0]) > 30000);
    kit_until(&kit, KIT_START_MS + 60000);
    RCS_EQUAL(recourse_invocation_time_left_ms(kept.invocations[0]), 0);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "late");
    recourse_turn_free(turn);
    kit_close(&kit);
}

static void test_no_time_limit(void)
{
    kit_open(&kit, NULL);
    memset(&kept, 0, sizeof kept);
    kit.policy.policy.settings.try_timeout_ms = RECOURSE_FOREVER;
    kit_function(&kit, "f", keep, NULL, false);
    (void)kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    CU_ASSERT_TRUE(kept.left_ms[0] == RECOURSE_FOREVER);
    CU_ASSERT_TRUE(recourse_runner_wake_ms(kit.runner) == RECOURSE_FOREVER);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "done");
    kit_settle(&kit);
    RCS_EQUAL(kit.results, 1);
    kit_close(&kit);
}

/* ---- timeouts and late answers ---- */

/* Timed out at 700; the wait of 200 is over at 900, but the function runs until 1500. Only then is it tried again. */
static void test_no_try_while_it_runs(void)
{
    struct recourse_turn *turn = start_kept(700);

    kit_until(&kit, KIT_START_MS + 699);
    CU_ASSERT_FALSE(recourse_invocation_cancelled(kept.invocations[0]));
    kit_until(&kit, KIT_START_MS + 700);
    CU_ASSERT_TRUE(recourse_invocation_cancelled(kept.invocations[0]));
    kit_until(&kit, KIT_START_MS + 1500);
    RCS_EQUAL(kept.count, 1);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "late: dropped");
    kit_settle(&kit);
    RCS_EQUAL(kept.count, 2);
    answer_with(kept.invocations[1], RECOURSE_ANSWER_OK, "in time");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "in time");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B1 A1");
    RCS_EQUAL(recourse_turn_result(turn, 0)->trail[1].effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(recourse_turn_result(turn, 0)->trail[2].at_ms, 1500);
    kit_close(&kit);
}

/* It never ends, and there is no deadline: each further try spends its time waiting, touches nothing, and counts. */
static void test_never_ends(void)
{
    struct recourse_turn *turn = start_kept(700);

    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 700 + 200 + 700 + 0 + 700);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B1 A6 B1 A6 E3"); /* A6: nothing was sent */
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 3);
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->detail), "an earlier attempt at it still runs");
    RCS_EQUAL(kept.count, 1);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "far too late");
    kit_close(&kit);
}

/* The function ends while the wait still runs: nothing is late then. */
static void test_ends_during_the_wait(void)
{
    struct recourse_turn *turn = start_kept(700);

    kit_until(&kit, KIT_START_MS + 800);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "late: dropped");
    kit_until(&kit, KIT_START_MS + 899);
    RCS_EQUAL(kept.count, 1);
    kit_until(&kit, KIT_START_MS + 900);
    RCS_EQUAL(kept.count, 2);
    answer_with(kept.invocations[1], RECOURSE_ANSWER_OK, "in time");
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 2);
    kit_close(&kit);
}

/* It never ends: the call's deadline reports, or a cancel does. */
static void test_held_ends(void)
{
    struct recourse_call_request call = kit_call("c1", "f", "{}");
    struct recourse_turn_options options;
    struct recourse_turn *turn;

    recourse_turn_free(start_kept(700));
    options = kit_turn(&kit, &call, 1);
    options.deadline_ms = KIT_START_MS + 1200;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, NULL), 0);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 1200);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B1 A7 E1");
    RCS_EQUAL(recourse_turn_result(turn, 0)->trail[3].effect, RECOURSE_EFFECT_NONE);
    RCS_EQUAL(kept.count, 1);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "dropped");
    turn = kit_start(&kit, &call, 1);
    kit_until(&kit, KIT_START_MS + 1200 + 1300); /* held since 2100 */
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B2");
    answer_with(kept.invocations[1], RECOURSE_ANSWER_OK, "dropped");
    kit_settle(&kit);
    RCS_EQUAL(kit.results, 2);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

static void test_last_try_times_out(void)
{
    static const unsigned answers_ms[] = {500, 1100, 1900}; /* the tries begin at 0, 600 and 1400, and last 400 */
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    memset(&kept, 0, sizeof kept);
    kit.policy.policy.settings.try_timeout_ms = 400;
    kit_function(&kit, "f", keep, NULL, false);
    turn = kit_start_one(&kit, "f", "{}");
    for (unsigned i = 0; i < 3; i++) {
        kit_until(&kit, KIT_START_MS + answers_ms[i]);
        RCS_EQUAL(kept.count, i + 1);
        answer_with(kept.invocations[i], RECOURSE_ANSWER_OK, "late");
        kit_settle(&kit);
    }
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B1 A2 B1 A2 E3");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "Tool 'f' execution failed after 3 attempt(s): timed out. " REMINDER);
    kit_close(&kit);
}

static void test_cancelled(void)
{
    struct recourse_turn *turn = start_kept(0);
    struct pollfd watched = {.events = POLLIN};

    kit_until(&kit, KIT_START_MS + 10);
    watched.fd = recourse_invocation_cancel_fd(kept.invocations[0]);
    CU_ASSERT_TRUE(watched.fd >= 0);
    RCS_EQUAL(recourse_invocation_cancel_fd(kept.invocations[0]), watched.fd);
    RCS_EQUAL(poll(&watched, 1, 0), 0);
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn); /* at once, though the function has not ended */
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A8");
    CU_ASSERT_TRUE(recourse_invocation_cancelled(kept.invocations[0]));
    RCS_EQUAL(poll(&watched, 1, 0), 1);
    recourse_turn_free(turn);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "dropped");
    kit_settle(&kit);
    RCS_EQUAL(kit.results, 1);
    kit_close(&kit);
}

/* A descriptor that is asked for only after the cancel is readable from the start. */
static void test_cancel_fd_late(void)
{
    struct recourse_turn *turn = start_kept(0);
    struct pollfd watched = {.events = POLLIN};

    kit_settle(&kit);
    recourse_turn_free(turn);
    watched.fd = recourse_invocation_cancel_fd(kept.invocations[0]);
    RCS_EQUAL(poll(&watched, 1, 0), 1);
    recourse_invocation_complete(kept.invocations[0], NULL);
    kit_close(&kit);
}

/* Cancelled while its answer is already on the way: the cancel was first, or the answer was. */
static void test_crossing(void)
{
    struct recourse_turn *turn = start_kept(0);

    kit_settle(&kit);
    recourse_turn_cancel(turn);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "too late");
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_CANCELLED);
    turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    answer_with(kept.invocations[1], RECOURSE_ANSWER_OK, "in time");
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    answer_with(kept.invocations[2], RECOURSE_ANSWER_OK, "nobody is there");
    recourse_turn_free(turn);
    kit_settle(&kit);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

/* The runner goes, functions stay: before their answer, and with the answer on its way. */
static void test_runner_gone(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "f", "{}"), kit_call("b", "f", "{\"b\":1}")};

    recourse_turn_free(start_kept(0));
    (void)kit_start(&kit, calls, 2);
    kit_settle(&kit);
    RCS_EQUAL(kept.count, 2);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "on its way");
    kit_close(&kit);
    CU_ASSERT_TRUE(recourse_invocation_cancelled(kept.invocations[1]));
    RCS_TEXT_EQUAL(kit_text(recourse_invocation_arguments(kept.invocations[1])), "{\"b\":1}");
    RCS_TEXT_EQUAL(kit_text(recourse_invocation_call_id(kept.invocations[1])), "b");
    answer_with(kept.invocations[1], RECOURSE_ANSWER_OK, "nobody is there");
    RCS_EQUAL(kit.results, 0);
}

/* ---- functions that act on their own turn ---- */

static struct {
    struct recourse_turn *turn;
    char what;
} inside;

static void act_inside(void *user, struct recourse_invocation *invocation)
{
    (void)user;
    if (inside.what == 'f') {
        recourse_turn_free(inside.turn);
    } else if (inside.what == 'c') {
        recourse_turn_cancel(inside.turn);
    }
    answer_with(invocation, RECOURSE_ANSWER_OK, "done");
}

static void test_acts_inside(void)
{
    kit_open(&kit, NULL);
    kit_function(&kit, "f", act_inside, NULL, false);
    inside.what = 'f';
    inside.turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    RCS_EQUAL(kit.results, 0);
    inside.what = 'c';
    inside.turn = kit_start_one(&kit, "f", "{}");
    kit_finish(&kit, inside.turn);
    RCS_EQUAL(recourse_turn_result(inside.turn, 0)->event, RECOURSE_EVENT_CANCELLED); /* it was asked first */
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

/* ---- bounds ---- */

static void test_large_answers(void)
{
    struct recourse_runner_options options;
    struct recourse_turn *turn;

    kit_init(&kit, &options);
    memset(&kept, 0, sizeof kept);
    options.body_max = 10;
    options.memory_max = 300;
    kit_open(&kit, &options);
    kit_function(&kit, "f", keep, NULL, false);
    turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    answer_with(kept.invocations[0], RECOURSE_ANSWER_OK, "0123456789");
    RCS_EQUAL(recourse_runner_memory(kit.runner), 2 + 2 + 10); /* arguments, the copy that the function has, the answer */
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_content(turn, 0), "0123456789");
    turn = kit_start_one(&kit, "f", "{}");
    kit_settle(&kit);
    answer_with(kept.invocations[1], RECOURSE_ANSWER_OK, "0123456789a");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->detail), "the answer is too large to be kept");
    RCS_EQUAL(recourse_turn_result(turn, 0)->failure, TOY_PERMANENT);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"at once", test_at_once},
        {"answers", test_answers},
        {"no completion", test_no_completion},
        {"later", test_later},
        {"key and try", test_key_and_try},
        {"time left", test_time_left},
        {"no time limit", test_no_time_limit},
        {"no try while it runs", test_no_try_while_it_runs},
        {"a function that never ends", test_never_ends},
        {"ends during the wait", test_ends_during_the_wait},
        {"held ends", test_held_ends},
        {"last try times out", test_last_try_times_out},
        {"cancelled", test_cancelled},
        {"cancel descriptor, late", test_cancel_fd_late},
        {"crossing", test_crossing},
        {"runner gone", test_runner_gone},
        {"acts inside", test_acts_inside},
        {"large answers", test_large_answers},
    };

    return rcs_unit_main("function", tests, RCS_COUNT(tests));
}
