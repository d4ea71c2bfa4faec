/* How calls end before their time: cancelling in each state, deadlines, runs that fail, freeing anywhere. */
#include "tests/unit/run_kit.h"

static struct kit kit;

static const struct sim_answer silent[] = {{.after_ms = 0}};
static const struct sim_answer busy[] = {{.status = 503, .phrase = "timeout"}};

/* ---- cancelling ---- */

static void test_cancel_states(void)
{
    static const struct {
        const char *tool;
        uint64_t after_ms; /* RECOURSE_FOREVER: before the first step */
        const char *trail;
        unsigned effect;
        unsigned tries;
        const char *detail;
    } cases[] = {
        {"fine", RECOURSE_FOREVER, "P4", RECOURSE_EFFECT_NONE, 0, "cancelled"},
        {"silent", 50, "P1 A8", RECOURSE_EFFECT_UNKNOWN, 1, "cancelled before the tool had answered"},
        {"unsent", 50, "P1 A8", RECOURSE_EFFECT_NONE, 1, "cancelled before anything was sent"},
        {"busy", 100, "P1 A2 B2", RECOURSE_EFFECT_UNKNOWN, 1, "cancelled"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        for (unsigned whole_run = 0; whole_run < 2; whole_run++) {
            struct recourse_turn *turn;
            const struct recourse_result *result;
            size_t asked;

            kit_open_four(&kit, 0, 0, 0, 0);
            turn = kit_start_one(&kit, cases[i].tool, "{}");
            if (cases[i].after_ms != RECOURSE_FOREVER) {
                kit_until(&kit, KIT_START_MS + cases[i].after_ms);
            }
            asked = kit.sim.request_count;
            if (whole_run) {
                recourse_run_cancel(kit.run);
                recourse_run_cancel(kit.run);
            } else {
                recourse_turn_cancel(turn);
                recourse_turn_cancel(turn);
            }
            CU_ASSERT_PTR_NULL(recourse_turn_result(turn, 0)); /* callbacks come from the step only */
            kit_finish(&kit, turn);
            result = recourse_turn_result(turn, 0);
            RCS_TEXT_EQUAL(kit_trail(result), cases[i].trail);
            RCS_EQUAL(result->event, RECOURSE_EVENT_CANCELLED);
            RCS_EQUAL(result->effect, cases[i].effect);
            RCS_EQUAL(result->tries, cases[i].tries);
            RCS_TEXT_EQUAL(kit_text(result->detail), cases[i].detail);
            recourse_turn_cancel(turn); /* too late: nothing comes of it */
            kit_until(&kit, kit.sim.now_ms + 100000);
            RCS_EQUAL(kit.results, 1);
            RCS_EQUAL(kit.sim.request_count, asked); /* nothing is tried after cancelling */
            RCS_EQUAL(kit.sim.in_flight, 0);
            RCS_EQUAL(recourse_run_status(kit.run), whole_run ? RECOURSE_RUN_CANCELLED : RECOURSE_RUN_ANSWERED);
            kit_close(&kit);
        }
    }
}

static void test_cancelled_run(void)
{
    struct recourse_call_request call = kit_call("a", "fine", "{}");
    struct recourse_turn_options options;
    struct recourse_error error;
    struct recourse_turn *turn;

    kit_open_four(&kit, 0, 0, 0, 0);
    recourse_run_cancel(kit.run);
    kit_settle(&kit);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_CANCELLED);
    options = kit_turn(&kit, &call, 1);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, &error), RECOURSE_E_STATE);
    RCS_TEXT_EQUAL(error.text, "the run has ended: start another one");
    CU_ASSERT_PTR_NULL(recourse_run_failure(kit.run));
    kit_close(&kit);
}

/* ---- deadlines ---- */

static void test_deadlines(void)
{
    static const struct {
        const char *tool;
        uint64_t deadline_ms; /* after the start */
        const char *trail;
        uint64_t ended_ms;
        unsigned effect;
        unsigned reason;
    } cases[] = {
        {"silent", 500, "P1 A7 E1", 500, RECOURSE_EFFECT_UNKNOWN, RECOURSE_REASON_NONE},
        {"unsent", 500, "P1 A7 E1", 500, RECOURSE_EFFECT_NONE, RECOURSE_REASON_NONE},
        /* a wait must end before it */
        {"busy", 200, "P1 A2 E3", 0, RECOURSE_EFFECT_UNKNOWN, RECOURSE_REASON_OUT_OF_TIME},
        {"busy", 201, "P1 A2 B1 A2 E3", 200, RECOURSE_EFFECT_UNKNOWN, RECOURSE_REASON_OUT_OF_TIME},
        {"fine", 11, "P1 A1", 10, RECOURSE_EFFECT_DONE, RECOURSE_REASON_NONE},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_call_request call = kit_call("a", cases[i].tool, "{}");
        struct recourse_turn *turn;
        const struct recourse_result *result;

        kit_open_four(&kit, 0, 0, 0, 0);
        turn = kit_start_until(&kit, &call, 1, KIT_START_MS + cases[i].deadline_ms);
        kit_finish(&kit, turn);
        result = recourse_turn_result(turn, 0);
        RCS_TEXT_EQUAL(kit_trail(result), cases[i].trail);
        RCS_EQUAL(result->duration_ms, cases[i].ended_ms);
        RCS_EQUAL(result->effect, cases[i].effect);
        RCS_EQUAL(result->reason, cases[i].reason);
        kit_close(&kit);
    }
}

/* The policy's own deadline counts from the start of the turn. */
static void test_deadline_of_the_policy(void)
{
    struct recourse_turn *turn;

    kit_open_four(&kit, 0, 0, 0, 0);
    kit.policy.policy.settings.call_deadline_ms = 300;
    turn = kit_start_one(&kit, "silent", "{}");
    kit.sim.now_ms += 100; /* nobody steps for a while */
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.requests[0].deadline_ms, KIT_START_MS + 300);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_DEADLINE);
    RCS_EQUAL(recourse_turn_result(turn, 0)->duration_ms, 300);
    kit_close(&kit);
}

/* ---- runs that fail ---- */

static const struct sim_answer quota[] = {{.after_ms = 20, .status = 429, .body = "quota\x1b[0m is used up"}};
static const struct sim_answer late[] = {{.after_ms = 70, .status = 200, .body = "late"}};
static const struct sim_answer late_busy[] = {{.after_ms = 70, .status = 503, .phrase = "timeout"}};

/* What the policy has no more tries for tells the host. */
static void open_failing(unsigned tries_at_once)
{
    kit_open_four(&kit, tries_at_once, 0, 0, 0);
    kit.policy.rows[TOY_A3].scenario = TOY_HOST;
    kit.policy.rows[TOY_E3].scenario = TOY_HOST;
    kit_http(&kit, "quota", false);
    kit_http(&kit, "unsafe", false);
    kit_http(&kit, "unsafe_busy", false);
    kit_http(&kit, "read_safe", true);
    sim_route(&kit.sim, "http://quota/", quota, 1);
    sim_route(&kit.sim, "http://unsafe/", late, 1);
    sim_route(&kit.sim, "http://unsafe_busy/", late_busy, 1);
    sim_route(&kit.sim, "http://read_safe/", late, 1);
}

static void test_run_fails(void)
{
    struct recourse_call_request calls[] = {
        kit_call("a", "quota", "{}"),       kit_call("b", "unsafe", "{}"), kit_call("c", "read_safe", "{}"),
        kit_call("d", "unsafe_busy", "{}"), kit_call("e", "busy", "{}"),   kit_call("f", "fine", "{}"),
    };
    struct recourse_turn_options options = kit_turn(&kit, calls, 1);
    const struct recourse_run_failure *failure;
    struct recourse_turn *turn;
    struct recourse_turn *other;

    open_failing(5);
    turn = kit_start_until(&kit, calls, 6, KIT_START_MS + 500); /* quota has no time for its wait */
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_FAILED);
    failure = recourse_run_failure(kit.run);
    CU_ASSERT_PTR_NOT_NULL_FATAL(failure);
    RCS_EQUAL(failure->http, 429);
    RCS_TEXT_EQUAL(kit_text(failure->tool), "quota");
    RCS_TEXT_EQUAL(kit_text(failure->text), "quota is used up");
    RCS_EQUAL(recourse_turn_result(turn, 0)->tell, RECOURSE_TELL_HOST);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A3 E3");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 1)), "P1 A1"); /* unsafe: it may finish */
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 2)), "P1 A8"); /* safe: cut off */
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 3)), "P1 A2 B2"); /* its try, and no other */
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 4)), "P1 A2 B2");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 5)), "P1 A1");
    RCS_EQUAL(recourse_turn_result(turn, 2)->duration_ms, 20);
    RCS_EQUAL(recourse_turn_result(turn, 3)->duration_ms, 70);
    RCS_EQUAL(kit.results, 6);
    RCS_EQUAL(kit.sim.request_count, 6);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &other, NULL), RECOURSE_E_STATE);
    recourse_turn_free(turn);
    RCS_TEXT_EQUAL(kit_text(recourse_run_failure(kit.run)->text), "quota is used up"); /* lives as long as the run */
    kit_close(&kit);
}

/* Calls that wait for leave are never begun; other turns of the run end too; other runs go on. */
static void test_run_fails_widely(void)
{
    struct recourse_call_request first[] = {kit_call("a", "quota", "{}"), kit_call("b", "fine", "{}")};
    struct recourse_call_request second[] = {kit_call("c", "read_safe", "{}")};
    struct recourse_run *failing;
    struct recourse_turn *turns[3];

    open_failing(2);
    turns[0] = kit_start_until(&kit, first, 1, KIT_START_MS + 500);
    turns[1] = kit_start(&kit, second, 1);
    failing = kit.run;
    kit_settle(&kit);
    RCS_EQUAL(recourse_run_new(kit.runner, &kit.run), 0);
    turns[2] = kit_start(&kit, &first[1], 1); /* of another run: it waits for leave */
    kit_finish(&kit, turns[2]);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turns[1], 0)), "P1 A8");
    RCS_EQUAL(recourse_run_status(failing), RECOURSE_RUN_FAILED);
    CU_ASSERT_TRUE(recourse_turn_result(turns[2], 0)->success);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_ANSWERED);
    kit_close(&kit);
    open_failing(1);
    turns[0] = kit_start_until(&kit, first, 2, KIT_START_MS + 500);
    kit_finish(&kit, turns[0]);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turns[0], 1)), "P4");
    RCS_EQUAL(kit.sim.request_count, 1);
    RCS_EQUAL(kit.results, 2);
    kit_close(&kit);
}

static struct recourse_invocation *never_answered;

static void keep_silent(void *user, struct recourse_invocation *invocation)
{
    (void)user;
    never_answered = invocation;
}

/* An unsafe function in flight may finish its try; one that times out is not tried again. */
static void test_run_fails_before_a_timeout(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "quota", "{}"), kit_call("b", "mute", "{}")};
    struct recourse_turn *turn;

    open_failing(0);
    kit_function(&kit, "mute", keep_silent, NULL, false);
    kit.policy.policy.settings.try_timeout_ms = 200;
    turn = kit_start_until(&kit, calls, 2, KIT_START_MS + 500);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_FAILED);
    RCS_EQUAL(recourse_turn_result(turn, 1)->duration_ms, 200);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 1)), "P1 A2 B2");
    recourse_invocation_complete(never_answered, &(struct recourse_completion){.answer = RECOURSE_ANSWER_OK});
    kit_close(&kit);
}

/* ---- a failure of the host's own ---- */

static const struct recourse_run_failure provider = {529, {NULL, 0}, {"overloaded", 10}};

/* What is safe is cut off, what is not finishes its try; the observer hears of it in the next step, not before. */
static void test_host_fails_the_run(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "unsafe", "{}"), kit_call("b", "read_safe", "{}"),
                                            kit_call("c", "unsafe_busy", "{}")};
    struct recourse_turn_options options = kit_turn(&kit, calls, 1);
    struct recourse_turn *turn;
    struct recourse_turn *other;
    size_t heard;

    open_failing(5);
    turn = kit_start(&kit, calls, 3);
    kit_settle(&kit);
    heard = strlen(kit.log);
    RCS_EQUAL(recourse_run_fail(kit.run, &provider), 0);
    RCS_EQUAL(strlen(kit.log), heard);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_FAILED);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &other, NULL), RECOURSE_E_STATE);
    RCS_EQUAL(recourse_run_fail(kit.run, &(struct recourse_run_failure){.http = 401}), RECOURSE_E_STATE);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_run_failure(kit.run)->http, 529);
    RCS_EQUAL(recourse_run_failure(kit.run)->tool.size, 0);
    RCS_TEXT_EQUAL(kit_text(recourse_run_failure(kit.run)->text), "overloaded");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A1");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 1)), "P1 A8");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 2)), "P1 A2 B2");
    RCS_EQUAL(kit.results, 3);
    recourse_run_cancel(kit.run); /* changes nothing */
    kit_settle(&kit);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_FAILED);
    kit_close(&kit);
}

static void count_run(void *user, struct recourse_invocation *invocation)
{
    ++*(unsigned *)user;
    recourse_invocation_complete(invocation, &(struct recourse_completion){.answer = RECOURSE_ANSWER_OK});
}

/* An unsafe function that waits for a thread has not been touched: it never runs. */
static void test_host_fails_before_a_thread(void)
{
    struct recourse_turn *turn;
    unsigned runs = 0;

    open_failing(5);
    kit_function(&kit, "slow", count_run, &runs, true);
    kit.sim.hold_work = true;
    turn = kit_start_one(&kit, "slow", "{}");
    kit_settle(&kit);
    RCS_EQUAL(recourse_run_fail(kit.run, &provider), 0);
    kit_finish(&kit, turn);
    sim_release_work(&kit.sim);
    kit_settle(&kit);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 1);
    RCS_EQUAL(recourse_turn_result(turn, 0)->effect, RECOURSE_EFFECT_NONE);
    kit_close(&kit);
    RCS_EQUAL(runs, 0);
}

static void test_host_fails_nothing(void)
{
    struct recourse_run_failure broken = {429, {NULL, 3}, {NULL, 0}};
    struct recourse_turn *turn;

    open_failing(5);
    RCS_EQUAL(recourse_run_fail(NULL, &provider), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_run_fail(kit.run, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_run_fail(kit.run, &broken), RECOURSE_E_ARGUMENT);
    turn = kit_start_one(&kit, "fine", "{}");
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_ANSWERED);
    RCS_EQUAL(recourse_run_fail(kit.run, &provider), 0); /* between two turns, where a provider fails */
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_FAILED);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    kit_close(&kit);
    open_failing(5);
    recourse_run_cancel(kit.run);
    kit_settle(&kit);
    RCS_EQUAL(recourse_run_fail(kit.run, &provider), RECOURSE_E_STATE);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_CANCELLED);
    kit_close(&kit);
}

/* A cancelled run stays cancelled, whatever its calls end as. */
static void test_fails_when_cancelled(void)
{
    struct recourse_turn *turn;

    open_failing(0);
    kit.policy.rows[TOY_A8].scenario = TOY_HOST;
    turn = kit_start_one(&kit, "silent", "{}");
    kit_settle(&kit);
    recourse_run_cancel(kit.run);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_CANCELLED);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tell, RECOURSE_TELL_HOST);
    kit_close(&kit);
}

/* ---- callbacks that do things ---- */

static struct {
    struct recourse_turn *turn;
    struct recourse_turn *next;
    unsigned results;
    unsigned done;
    int step_code;
    char what;
} acting;

static void act_result(void *user, struct recourse_turn *turn, size_t index, const struct recourse_result *result)
{
    (void)index;
    acting.results++;
    acting.step_code = recourse_runner_step(((struct kit *)user)->runner, 0);
    switch (acting.what) {
    case 'c': recourse_turn_cancel(turn); break;
    case 'f': recourse_turn_free(turn); break;
    case 'r': recourse_run_free(((struct kit *)user)->run); break;
    default: break;
    }
    CU_ASSERT_TRUE(result->content.size > 0); /* whatever was freed, it goes when the step has ended */
}

static void act_done(void *user, struct recourse_turn *turn)
{
    struct kit *of = user;

    acting.done++;
    if (acting.what == 'd') {
        recourse_turn_free(turn);
    }
    if (acting.what == 'n') {
        struct recourse_call_request call = kit_call("n", "fine", "{}");

        acting.what = '-';
        acting.next = kit_start(of, &call, 1);
    }
}

static struct recourse_turn *start_acting(char what, const struct recourse_call_request *calls, size_t count)
{
    struct recourse_turn_options options = kit_turn(&kit, calls, count);
    struct recourse_turn *turn;

    memset(&acting, 0, sizeof acting);
    acting.what = what;
    options.on_result = act_result;
    options.on_done = act_done;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, NULL), 0);
    return turn;
}

static void test_acting_callbacks(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "fine", "{}"), kit_call("b", "silent", "{}"),
                                            kit_call("c", "busy", "{}"), kit_call("d", "fine", "[")};
    struct recourse_turn *turn;

    kit_open_four(&kit, 0, 0, 0, 0);
    turn = start_acting('c', calls, 4); /* cancel at the first result */
    kit_finish(&kit, turn);
    RCS_EQUAL(acting.results, 4);
    RCS_EQUAL(acting.done, 1);
    RCS_EQUAL(acting.step_code, RECOURSE_E_STATE);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 2)), "P1 A2 B2");
    start_acting('f', calls, 4); /* free at the first result: no other comes */
    kit_until(&kit, kit.sim.now_ms + 100000);
    RCS_EQUAL(acting.results, 1);
    RCS_EQUAL(acting.done, 0);
    start_acting('d', calls, 1); /* free when all is done */
    kit_until(&kit, kit.sim.now_ms + 100);
    RCS_EQUAL(acting.done, 1);
    start_acting('n', calls, 1); /* the next turn from on_done */
    kit_until(&kit, kit.sim.now_ms + 100);
    CU_ASSERT_PTR_NOT_NULL_FATAL(acting.next);
    CU_ASSERT_TRUE(recourse_turn_done(acting.next));
    CU_ASSERT_TRUE(recourse_turn_result(acting.next, 0)->success);
    start_acting('r', calls, 4); /* free the whole run */
    kit_until(&kit, kit.sim.now_ms + 100);
    RCS_EQUAL(acting.results, 1);
    RCS_EQUAL(kit.sim.in_flight, 0);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

/* The observer frees or cancels in the middle of a step. */
static struct {
    unsigned countdown;
    struct recourse_turn *turn;
    bool free_it;
} meddling;

static void meddle(void *user, const struct recourse_observation *seen)
{
    (void)user, (void)seen;
    if (meddling.turn != NULL && meddling.countdown-- == 0) {
        if (meddling.free_it) {
            recourse_turn_free(meddling.turn);
        } else {
            recourse_turn_cancel(meddling.turn);
        }
        meddling.turn = NULL;
    }
}

static void test_meddling_observer(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "busy", "{}"), kit_call("b", "silent", "{}"),
                                            kit_call("c", "x", "{}")};

    for (unsigned i = 0; i < 20; i++) {
        struct recourse_runner_options options;
        struct recourse_turn *turn;

        kit_init(&kit, &options);
        options.observe = meddle;
        options.tries_at_once = 1 + i % 2;
        kit_open(&kit, &options);
        kit_http(&kit, "busy", true);
        kit_http(&kit, "silent", true);
        sim_route(&kit.sim, "http://busy/", busy, 1);
        sim_route(&kit.sim, "http://silent/", silent, 1);
        turn = kit_start(&kit, calls, 3);
        meddling.turn = turn;
        meddling.countdown = i / 2;
        meddling.free_it = i % 4 < 2;
        kit_until(&kit, KIT_START_MS + 1000000);
        CU_ASSERT_TRUE(meddling.turn == NULL || i / 2 >= 9);
        RCS_EQUAL(kit.sim.in_flight, 0);
        RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
        CU_ASSERT_TRUE(meddling.free_it || (kit.results == 3 && kit.done == 1));
        kit_close(&kit);
    }
}

/* ---- freeing ---- */

static void test_freed_in_flight(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "silent", "{}"), kit_call("b", "busy", "{}"),
                                            kit_call("c", "fine", "{}"), kit_call("d", "fine", "{}")};
    struct recourse_turn *turn;

    kit_open_four(&kit, 2, 0, 0, 0);
    turn = kit_start(&kit, calls, 4);
    recourse_turn_free(turn); /* before a step */
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_ANSWERED);
    turn = kit_start(&kit, calls, 4);
    kit_until(&kit, KIT_START_MS + 5);
    recourse_turn_cancel(turn);
    recourse_turn_free(turn); /* with a cancel on its way */
    RCS_EQUAL(kit.sim.in_flight, 0);
    kit_until(&kit, KIT_START_MS + 100000);
    RCS_EQUAL(kit.results, 0);
    turn = kit_start(&kit, calls, 4);
    kit_settle(&kit);
    recourse_run_cancel(kit.run);
    recourse_run_free(kit.run);
    kit_settle(&kit);
    RCS_EQUAL(recourse_run_new(kit.runner, &kit.run), 0);
    turn = kit_start(&kit, calls, 4);
    kit_settle(&kit);
    recourse_turn_cancel(turn);
    kit_close(&kit); /* the runner with all that is in it */
    RCS_EQUAL(kit.results, 0);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cancel states", test_cancel_states},
        {"cancelled run", test_cancelled_run},
        {"deadlines", test_deadlines},
        {"deadline of the policy", test_deadline_of_the_policy},
        {"run fails", test_run_fails},
        {"a run fails before a timeout", test_run_fails_before_a_timeout},
        {"run fails widely", test_run_fails_widely},
        {"fails when cancelled", test_fails_when_cancelled},
        {"the host's own failure", test_host_fails_the_run},
        {"the host's own failure, before a thread", test_host_fails_before_a_thread},
        {"the host's own failure, where there is nothing to fail", test_host_fails_nothing},
        {"acting callbacks", test_acting_callbacks},
        {"meddling observer", test_meddling_observer},
        {"freed in flight", test_freed_in_flight},
    };

    return rcs_unit_main("cancel", tests, RCS_COUNT(tests));
}
