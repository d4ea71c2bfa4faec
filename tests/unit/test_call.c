/* Runs of one call: what each step decides, waits, and deadlines. */
#include "tests/unit/call_kit.h"

static void a_call_that_succeeds(void)
{
    struct at at = begin_try(FOREVER, false);

    check_trace(&at, 0, RECOURSE_EVENT_READY, TOY_P1, RECOURSE_PRECONDITION, RECOURSE_ATTEMPT);
    RCS_EQUAL(at.decision.trace_count, 1);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_READY);
    RCS_EQUAL(at.decision.try_number, 1);
    RCS_EQUAL(at.decision.wake_ms, 61000);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
    RCS_EQUAL(at.decision.acted, false);
    RCS_EQUAL(at.decision.scenario, NONE);
    RCS_EQUAL(at.decision.message, NONE);
    RCS_EQUAL(at.decision.wait, NONE);
    RCS_EQUAL(at.decision.failure, NONE);
    RCS_EQUAL(at.decision.http, 0);
    RCS_EQUAL(finish(&at, &ok), RECOURSE_OK);
    check_report(&at, NONE, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NONE, NONE);
    check_trace(&at, 0, RECOURSE_EVENT_OK, TOY_A1, RECOURSE_ATTEMPT, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.trace_count, 1);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_OK);
    RCS_EQUAL(at.decision.failure, NONE);
    RCS_EQUAL(at.decision.fact_row, NONE);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_DONE);
    RCS_EQUAL(at.decision.acted, true);
    RCS_EQUAL(at.decision.try_number, 1);
    RCS_EQUAL(at.decision.http, 200);
}

/* transient, rate_limited, permanent: 200 ms, then 2 s, then 3b. */
static void a_call_that_fails_in_three_ways(void)
{
    struct at at = begin_try(FOREVER, false);

    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    check_wait(&at, TOY_SHORT, 200, 200, 200, 200);
    check_trace(&at, 0, EVENT(TOY_TRANSIENT), TOY_A2, RECOURSE_ATTEMPT, RECOURSE_BACKOFF);
    RCS_EQUAL(at.decision.trace_count, 1);
    RCS_EQUAL(at.decision.event, EVENT(TOY_TRANSIENT));
    RCS_EQUAL(at.decision.failure, TOY_TRANSIENT);
    RCS_EQUAL(at.decision.fact_row, 3);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(at.decision.acted, true);
    RCS_EQUAL(at.decision.try_number, 1);
    RCS_EQUAL(at.decision.http, 504);
    wait_out(&at);
    check_trace(&at, 0, RECOURSE_EVENT_ELAPSED, TOY_B1, RECOURSE_BACKOFF, RECOURSE_ATTEMPT);
    RCS_EQUAL(at.now_ms, 1200);
    RCS_EQUAL(at.decision.try_number, 2);
    RCS_EQUAL(at.decision.wake_ms, 61200);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
    RCS_EQUAL(at.decision.acted, true);
    RCS_EQUAL(at.decision.http, 504);
    at.random = UINT64_MAX;
    RCS_EQUAL(finish(&at, &rate_limited), RECOURSE_OK);
    check_wait(&at, TOY_POLITE, 2000, 1000, 2000, 2000);
    RCS_EQUAL(at.call.waited_ms, 2200);
    wait_out(&at);
    RCS_EQUAL(at.decision.try_number, 3);
    RCS_EQUAL(finish(&at, &permanent), RECOURSE_OK);
    check_report(&at, TOY_3B, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, TOY_FAILED);
    check_trace(&at, 0, EVENT(TOY_PERMANENT), TOY_A5, RECOURSE_ATTEMPT, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.trace_count, 1);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_NONE);
    RCS_EQUAL(at.decision.http, 400);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_CANCELLED), RECOURSE_E_STATE);
    RCS_EQUAL(finish(&at, &ok), RECOURSE_E_STATE);
}

static void a_permanent_failure_on_the_first_try_is_not_reminded(void)
{
    struct at at = begin_try(FOREVER, false);

    RCS_EQUAL(finish(&at, &permanent), RECOURSE_OK);
    check_report(&at, TOY_3A, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_NO, TOY_CORRECTED);
    RCS_EQUAL(at.decision.trace[0].row, TOY_A4);
}

static void tries_are_spent(void)
{
    struct at at = begin_try(FOREVER, true);

    for (unsigned i = 0; i < 2; i++) {
        RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
        wait_out(&at);
    }
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    check_report(&at, TOY_3B, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, TOY_FAILED);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_TRIES_SPENT);
    RCS_EQUAL(at.decision.trace_count, 2);
    check_trace(&at, 0, EVENT(TOY_TRANSIENT), TOY_A2, RECOURSE_ATTEMPT, RECOURSE_EXHAUSTED);
    check_trace(&at, 1, EVENT(TOY_TRANSIENT), TOY_E3, RECOURSE_EXHAUSTED, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.try_number, 3);
    RCS_EQUAL(at.call.waited_ms, 600);
    RCS_EQUAL(at.call.uses[TOY_SHORT], 2);
    RCS_EQUAL(at.decision.event, EVENT(TOY_TRANSIENT));
}

/* Spent tries come before the server's delay, and before the time that is left. */
static void the_first_reason_counts(void)
{
    struct recourse_facts asks = rate_limited;
    struct at at = begin_try(3000, true);

    asks.headers = asks_61s;
    asks.header_count = 1;
    for (unsigned i = 0; i < 2; i++) {
        RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
        wait_out(&at);
    }
    RCS_EQUAL(finish(&at, &asks), RECOURSE_OK);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_TRIES_SPENT);
    RCS_EQUAL(at.decision.trace[1].row, TOY_E3);
    RCS_EQUAL(at.decision.server_delay_ms, 61000);
}

static void a_row_without_a_wait_gives_no_reason(void)
{
    struct at at = begin_try(FOREVER, false);

    RCS_EQUAL(finish(&at, &silent), RECOURSE_OK);
    RCS_EQUAL(at.decision.action, RECOURSE_ACTION_REPORT);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_NONE);
    check_trace(&at, 0, EVENT(TOY_SILENT), TOY_A10, RECOURSE_ATTEMPT, RECOURSE_EXHAUSTED);
    check_trace(&at, 1, EVENT(TOY_SILENT), TOY_E3, RECOURSE_EXHAUSTED, RECOURSE_REPORTED);
}

static void a_safe_tool_is_tried_again(void)
{
    struct at at = begin_try(FOREVER, true);

    RCS_EQUAL(finish(&at, &silent), RECOURSE_OK);
    check_wait(&at, TOY_SHORT, 200, 200, 200, 200);
    RCS_EQUAL(at.decision.trace[0].row, TOY_A9);
    RCS_EQUAL(at.decision.acted, true);
    RCS_EQUAL(at.decision.http, 0);
}

/* An effect of none is safe, whatever the tool; a new session is wanted, by the try too. */
static void uses_move_their_own_schedule(void)
{
    struct at at = begin_try(FOREVER, false);

    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    RCS_EQUAL(at.decision.new_session, false);
    wait_out(&at);
    RCS_EQUAL(finish(&at, &unreached), RECOURSE_OK);
    check_wait(&at, TOY_FRESH, 0, 0, 0, 0); /* its first use, on the second try */
    RCS_EQUAL(at.decision.new_session, true);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
    RCS_EQUAL(at.decision.acted, true); /* the first try's */
    RCS_EQUAL(at.call.uses[TOY_SHORT], 1);
    RCS_EQUAL(at.call.uses[TOY_FRESH], 1);
    wait_out(&at);
    RCS_EQUAL(at.decision.new_session, true);
    RCS_EQUAL(finish(&at, &ok), RECOURSE_OK);
    RCS_EQUAL(at.decision.new_session, false);
}

static void never_acted_stays_so(void)
{
    struct at at = begin_try(FOREVER, false);

    RCS_EQUAL(finish(&at, &unreached), RECOURSE_OK);
    RCS_EQUAL(at.decision.acted, false);
    RCS_EQUAL(at.decision.wait_ms, 0);
    wait_out(&at);
    RCS_EQUAL(finish(&at, &unreached), RECOURSE_OK);
    check_wait(&at, TOY_FRESH, 3000, 3000, 3000, 3000);
    RCS_EQUAL(at.decision.acted, false);
    RCS_EQUAL(at.call.state, toy_state(RECOURSE_BACKOFF, 2, false));
}

static void server_delays_are_obeyed(void)
{
    struct recourse_facts asks = rate_limited;
    struct at at = begin_try(FOREVER, false);

    asks.headers = asks_60s;
    asks.header_count = 1;
    at.random = UINT64_MAX;
    RCS_EQUAL(finish(&at, &asks), RECOURSE_OK);
    check_wait(&at, TOY_POLITE, 66000, 60000, 66000, 60000);
    RCS_EQUAL(at.decision.server_obeyed, true);
    RCS_EQUAL(at.decision.server_delay_ms, 60000);
    wait_out(&at);
    asks.headers = asks_61s;
    RCS_EQUAL(finish(&at, &asks), RECOURSE_OK);
    check_report(&at, TOY_HOST, RECOURSE_TELL_HOST, RECOURSE_REMINDER_NO, TOY_FAILED);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_ASKED_TOO_LONG);
    RCS_EQUAL(at.decision.server_obeyed, false);
    check_trace(&at, 0, EVENT(TOY_RATE_LIMITED), TOY_A3, RECOURSE_ATTEMPT, RECOURSE_EXHAUSTED);
    check_trace(&at, 1, EVENT(TOY_RATE_LIMITED), TOY_E2, RECOURSE_EXHAUSTED, RECOURSE_REPORTED);
    RCS_EQUAL(at.call.waited_ms, 66000);
    RCS_EQUAL(at.call.uses[TOY_POLITE], 1); /* no wait was begun */
}

static void server_delays_are_clamped_or_ignored(void)
{
    struct recourse_facts asks = unreached;
    struct at at = begin_try(FOREVER, false);

    asks.headers = asks_60s;
    asks.header_count = 1;
    RCS_EQUAL(finish(&at, &asks), RECOURSE_OK);
    check_wait(&at, TOY_FRESH, 5000, 5000, 5000, 5000);
    RCS_EQUAL(at.decision.server_obeyed, false);
    wait_out(&at);
    asks.headers = asks_5s;
    RCS_EQUAL(finish(&at, &asks), RECOURSE_OK);
    check_wait(&at, TOY_FRESH, 5000, 5000, 5000, 5000);
    RCS_EQUAL(at.decision.server_obeyed, true);
    at = begin_try(FOREVER, false);
    asks = transient;
    asks.headers = asks_5s;
    asks.header_count = 1;
    RCS_EQUAL(finish(&at, &asks), RECOURSE_OK);
    check_wait(&at, TOY_SHORT, 200, 200, 200, 200);
    RCS_EQUAL(at.decision.server_delay_ms, 5000);
    RCS_EQUAL(at.decision.server_obeyed, false);
}

/* ---- deadlines ---- */

static void a_wait_ends_before_the_deadline(void)
{
    struct at at = begin_try(1201, false);

    RCS_EQUAL(at.decision.wake_ms, 1201);
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    check_wait(&at, TOY_SHORT, 200, 200, 200, 200);
    at = begin_try(1200, false);
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    check_report(&at, TOY_3B, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, TOY_FAILED);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_OUT_OF_TIME);
    check_trace(&at, 0, EVENT(TOY_TRANSIENT), TOY_A2, RECOURSE_ATTEMPT, RECOURSE_EXHAUSTED);
    check_trace(&at, 1, EVENT(TOY_TRANSIENT), TOY_E3, RECOURSE_EXHAUSTED, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.wait, NONE);
    RCS_EQUAL(at.call.waited_ms, 0);
    RCS_EQUAL(at.call.uses[TOY_SHORT], 0);
    /* a wait of nothing at the deadline itself */
    at = begin_try(2000, false);
    at.now_ms = 2000;
    RCS_EQUAL(finish(&at, &unreached), RECOURSE_OK);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_OUT_OF_TIME);
    at = begin_try(2000, false);
    at.now_ms = 1999;
    RCS_EQUAL(finish(&at, &unreached), RECOURSE_OK);
    RCS_EQUAL(at.decision.action, RECOURSE_ACTION_WAIT);
}

static void the_earlier_deadline_holds(void)
{
    struct at at = {.policy = toy_policy};

    at.policy.settings.call_deadline_ms = 5000;
    RCS_EQUAL(recourse_call_init(&at.call, &at.policy, 1000, 9000, false), RECOURSE_OK);
    RCS_EQUAL(at.call.deadline_ms, 6000);
    RCS_EQUAL(recourse_call_init(&at.call, &at.policy, 1000, 5999, false), RECOURSE_OK);
    RCS_EQUAL(at.call.deadline_ms, 5999);
    RCS_EQUAL(recourse_call_init(&at.call, &at.policy, UINT64_MAX - 10, FOREVER, false), RECOURSE_OK);
    CU_ASSERT_TRUE(at.call.deadline_ms == FOREVER);
}

static void ready_at_the_deadline_is_late(void)
{
    struct at at = begin(1000, 1001, false);

    RCS_EQUAL(happen(&at, RECOURSE_EVENT_DEADLINE), RECOURSE_E_STATE);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_READY), RECOURSE_OK);
    RCS_EQUAL(at.decision.action, RECOURSE_ACTION_ATTEMPT);
    RCS_EQUAL(at.decision.wake_ms, 1001);
    at = begin(1001, 1001, false);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_READY), RECOURSE_OK);
    check_report(&at, TOY_1, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, TOY_REFUSED);
    check_trace(&at, 0, RECOURSE_EVENT_DEADLINE, TOY_P3, RECOURSE_PRECONDITION, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_DEADLINE);
    RCS_EQUAL(at.decision.try_number, 0);
    at = begin(1001, 1001, false);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_DEADLINE), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_DEADLINE);
}

/* Three moves in one step: the wait is over, the try begins, and the deadline ends it before anything is sent. */
static void elapsed_at_the_deadline_is_late(void)
{
    struct at at = begin_try(2000, false);

    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    at.now_ms = 1199;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_E_STATE);
    at.now_ms = 2000;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_OK);
    check_report(&at, TOY_1, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, TOY_FAILED);
    RCS_EQUAL(at.decision.trace_count, 3);
    check_trace(&at, 0, RECOURSE_EVENT_ELAPSED, TOY_B1, RECOURSE_BACKOFF, RECOURSE_ATTEMPT);
    check_trace(&at, 1, RECOURSE_EVENT_DEADLINE, TOY_A7, RECOURSE_ATTEMPT, RECOURSE_EXHAUSTED);
    check_trace(&at, 2, RECOURSE_EVENT_DEADLINE, TOY_E1, RECOURSE_EXHAUSTED, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_DEADLINE);
    RCS_EQUAL(at.decision.try_number, 2);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
    RCS_EQUAL(at.decision.acted, true);
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_NONE);
    RCS_EQUAL(at.decision.failure, NONE);
    RCS_EQUAL(at.decision.http, 504);
    at = begin_try(2000, false);
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    at.now_ms = 1999;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_OK);
    RCS_EQUAL(at.decision.action, RECOURSE_ACTION_ATTEMPT);
    RCS_EQUAL(at.decision.wake_ms, 2000);
}

static void the_deadline_ends_a_try(void)
{
    static const struct {
        bool sent;
        bool safe;
        uint8_t effect;
        bool acted;
        uint8_t symbol;
    } cases[] = {
        {false, false, RECOURSE_EFFECT_NONE, false, 15},
        {false, true, RECOURSE_EFFECT_NONE, false, 15},
        {true, true, RECOURSE_EFFECT_UNKNOWN, true, 16},
        {true, false, RECOURSE_EFFECT_UNKNOWN, true, 17},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct at at = begin_try(2000, cases[i].safe);

        at.now_ms = 1999;
        RCS_EQUAL(step(&at, RECOURSE_EVENT_DEADLINE, NULL, cases[i].sent), RECOURSE_E_STATE);
        at.now_ms = 2000;
        RCS_EQUAL(step(&at, RECOURSE_EVENT_DEADLINE, NULL, cases[i].sent), RECOURSE_OK);
        check_report(&at, TOY_1, RECOURSE_TELL_MODEL, RECOURSE_REMINDER_YES, TOY_FAILED);
        check_trace(&at, 0, RECOURSE_EVENT_DEADLINE, TOY_A7, RECOURSE_ATTEMPT, RECOURSE_EXHAUSTED);
        check_trace(&at, 1, RECOURSE_EVENT_DEADLINE, TOY_E1, RECOURSE_EXHAUSTED, RECOURSE_REPORTED);
        RCS_EQUAL(at.decision.trace_count, 2);
        RCS_EQUAL(at.decision.effect, cases[i].effect);
        RCS_EQUAL(at.decision.acted, cases[i].acted);
        RCS_EQUAL(at.decision.try_number, 1);
    }
}

/* A try that the total timeout ended at the deadline is the deadline's; one with other facts is judged by them. */
static void a_late_total_timeout_is_the_deadline(void)
{
    struct recourse_facts total = {.http = 200, .timeout = RECOURSE_TIMEOUT_TOTAL};
    struct at at = begin_try(2000, false);

    at.now_ms = 1999;
    RCS_EQUAL(finish(&at, &total), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, EVENT(TOY_TRANSIENT));
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_OUT_OF_TIME);
    at = begin_try(2000, false);
    at.now_ms = 2000;
    RCS_EQUAL(finish(&at, &total), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_DEADLINE);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(at.decision.failure, NONE);
    RCS_EQUAL(at.decision.http, 200);
    at = begin_try(2000, false);
    at.now_ms = 2000;
    total.unsent = true;
    RCS_EQUAL(finish(&at, &total), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_DEADLINE);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
    at = begin_try(2000, false);
    at.now_ms = 5000;
    RCS_EQUAL(finish(&at, &permanent), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, EVENT(TOY_PERMANENT));
    at = begin_try(2000, false);
    at.now_ms = 5000;
    RCS_EQUAL(finish(&at, &ok), RECOURSE_OK);
    RCS_EQUAL(at.decision.event, RECOURSE_EVENT_OK);
}

static void times_saturate(void)
{
    struct at at = begin(UINT64_MAX - 100, FOREVER, false);

    RCS_EQUAL(happen(&at, RECOURSE_EVENT_DEADLINE), RECOURSE_E_STATE);
    at.now_ms = UINT64_MAX; /* even now a deadline of none is not reached */
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_DEADLINE), RECOURSE_E_STATE);
    at.now_ms = UINT64_MAX - 100;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_READY), RECOURSE_OK);
    CU_ASSERT_TRUE(at.decision.wake_ms == UINT64_MAX);
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    RCS_EQUAL(at.decision.wait_ms, 200);
    CU_ASSERT_TRUE(at.decision.wake_ms == UINT64_MAX);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_E_STATE);
    at.now_ms = UINT64_MAX;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_OK);
    RCS_EQUAL(at.decision.action, RECOURSE_ACTION_ATTEMPT);
    at = begin(UINT64_MAX - 100, UINT64_MAX - 1, false);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_READY), RECOURSE_OK);
    CU_ASSERT_TRUE(at.decision.wake_ms == UINT64_MAX - 1);
    at.call.waited_ms = UINT64_MAX - 1;
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK); /* now + wait saturates, past the deadline */
    RCS_EQUAL(at.decision.reason, RECOURSE_REASON_OUT_OF_TIME);
    at = begin_try(FOREVER, false);
    at.call.waited_ms = UINT64_MAX - 1;
    at.call.uses[TOY_SHORT] = 255;
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    CU_ASSERT_TRUE(at.call.waited_ms == UINT64_MAX);
    RCS_EQUAL(at.call.uses[TOY_SHORT], 255);
}

static void a_try_timeout_of_none_leaves_the_deadline(void)
{
    struct at at = begin(1000, 5000, false);

    at.policy.settings.try_timeout_ms = FOREVER;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_READY), RECOURSE_OK);
    RCS_EQUAL(at.decision.wake_ms, 5000);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"a call that succeeds", a_call_that_succeeds},
        {"a call that fails in three ways", a_call_that_fails_in_three_ways},
        {"a permanent failure on the first try is not reminded", a_permanent_failure_on_the_first_try_is_not_reminded},
        {"tries are spent", tries_are_spent},
        {"the first reason counts", the_first_reason_counts},
        {"a row without a wait gives no reason", a_row_without_a_wait_gives_no_reason},
        {"a safe tool is tried again", a_safe_tool_is_tried_again},
        {"uses move their own schedule", uses_move_their_own_schedule},
        {"never acted stays so", never_acted_stays_so},
        {"server delays are obeyed", server_delays_are_obeyed},
        {"server delays are clamped or ignored", server_delays_are_clamped_or_ignored},
        {"a wait ends before the deadline", a_wait_ends_before_the_deadline},
        {"the earlier deadline holds", the_earlier_deadline_holds},
        {"ready at the deadline is late", ready_at_the_deadline_is_late},
        {"elapsed at the deadline is late", elapsed_at_the_deadline_is_late},
        {"the deadline ends a try", the_deadline_ends_a_try},
        {"a late total timeout is the deadline", a_late_total_timeout_is_the_deadline},
        {"times saturate", times_saturate},
        {"a try timeout of none leaves the deadline", a_try_timeout_of_none_leaves_the_deadline},
    };

    return rcs_unit_main("call", tests, RCS_COUNT(tests));
}
