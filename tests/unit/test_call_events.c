/* One call: which events are taken where, errors, machines that are wrong, and all runs there are. */
#include "tests/unit/call_kit.h"

static void cancelling_ends_a_call_anywhere(void)
{
    struct at at = begin(1000, FOREVER, false);

    RCS_EQUAL(happen(&at, RECOURSE_EVENT_CANCELLED), RECOURSE_OK);
    check_report(&at, TOY_HOST, RECOURSE_TELL_HOST, RECOURSE_REMINDER_NO, NONE);
    check_trace(&at, 0, RECOURSE_EVENT_CANCELLED, TOY_P4, RECOURSE_PRECONDITION, RECOURSE_REPORTED);
    at = begin_try(FOREVER, false);
    RCS_EQUAL(step(&at, RECOURSE_EVENT_CANCELLED, NULL, true), RECOURSE_OK);
    check_report(&at, TOY_HOST, RECOURSE_TELL_HOST, RECOURSE_REMINDER_NO, NONE);
    check_trace(&at, 0, RECOURSE_EVENT_CANCELLED, TOY_A8, RECOURSE_ATTEMPT, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_UNKNOWN);
    RCS_EQUAL(at.decision.acted, true);
    at = begin_try(FOREVER, true);
    RCS_EQUAL(step(&at, RECOURSE_EVENT_CANCELLED, NULL, false), RECOURSE_OK);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
    RCS_EQUAL(at.decision.acted, false);
    at = begin_try(FOREVER, false);
    RCS_EQUAL(finish(&at, &unreached), RECOURSE_OK);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_CANCELLED), RECOURSE_OK);
    check_report(&at, TOY_HOST, RECOURSE_TELL_HOST, RECOURSE_REMINDER_NO, NONE);
    check_trace(&at, 0, RECOURSE_EVENT_CANCELLED, TOY_B2, RECOURSE_BACKOFF, RECOURSE_REPORTED);
    RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
    RCS_EQUAL(at.decision.try_number, 1);
}

static void preconditions_report(void)
{
    for (uint16_t event = RECOURSE_EVENT_MISSING_NAME; event <= RECOURSE_EVENT_UNANSWERED_APPROVAL; event++) {
        struct at at = begin(1000, 900, false); /* late or not: the event is what it is */
        const bool correctable = event == RECOURSE_EVENT_BAD_ARGUMENTS || event == RECOURSE_EVENT_TRUNCATED_CALL;

        if (event == RECOURSE_EVENT_REPEATED_FAILURE) { /* this policy does not know it */
            RCS_EQUAL(happen(&at, event), RECOURSE_E_STATE);
            continue;
        }
        RCS_EQUAL(happen(&at, event), RECOURSE_OK);
        RCS_EQUAL(at.decision.event, event);
        RCS_EQUAL(at.decision.try_number, 0);
        RCS_EQUAL(at.decision.effect, RECOURSE_EFFECT_NONE);
        check_report(&at, correctable ? TOY_3A : TOY_1, RECOURSE_TELL_MODEL,
                     correctable ? RECOURSE_REMINDER_NO : RECOURSE_REMINDER_YES, correctable ? TOY_CORRECTED : TOY_REFUSED);
    }
}

/* ---- errors ---- */

static void events_mean_nothing_elsewhere(void)
{
    struct at at = begin(1000, FOREVER, false);

    RCS_EQUAL(finish(&at, &ok), RECOURSE_E_STATE);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_ELAPSED), RECOURSE_E_STATE);
    at = begin_try(FOREVER, false);
    for (uint16_t event = 0; event <= RECOURSE_EVENT_ELAPSED; event++) {
        if (event != RECOURSE_EVENT_CANCELLED && event != RECOURSE_EVENT_UNRECORDED) {
            RCS_EQUAL(happen(&at, event), RECOURSE_E_STATE);
        }
    }
    RCS_EQUAL(finish(&at, &transient), RECOURSE_OK);
    at.now_ms = 5000;
    for (uint16_t event = 0; event <= RECOURSE_EVENT_OK; event++) {
        if (event != RECOURSE_EVENT_CANCELLED && event != RECOURSE_EVENT_ELAPSED &&
            event != RECOURSE_EVENT_CIRCUIT_OPEN) {
            RCS_EQUAL(step(&at, event, &ok, false), RECOURSE_E_STATE);
        }
    }
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_CANCELLED), RECOURSE_OK);
    for (uint16_t event = 0; event <= RECOURSE_EVENT_OK; event++) {
        RCS_EQUAL(step(&at, event, &ok, false), RECOURSE_E_STATE);
    }
}

static void arguments_are_checked(void)
{
    struct at at = begin_try(FOREVER, false);
    const struct recourse_input input = {.now_ms = 1000, .event = RECOURSE_EVENT_CANCELLED};
    struct recourse_call unbegun = {0};

    RCS_EQUAL(happen(&at, RECOURSE_EVENT_OK), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_FAILURE), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(happen(&at, UINT16_MAX), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_step(NULL, &toy_policy, &input, &at.decision), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_step(&at.call, NULL, &input, &at.decision), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_step(&at.call, &toy_policy, NULL, &at.decision), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_step(&at.call, &toy_policy, &input, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_step(&unbegun, &toy_policy, &input, &at.decision), RECOURSE_E_STATE);
    RCS_EQUAL(recourse_call_init(NULL, &toy_policy, 0, FOREVER, false), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_call_init(&unbegun, NULL, 0, FOREVER, false), RECOURSE_E_ARGUMENT);
    at.policy.abi++;
    RCS_EQUAL(happen(&at, RECOURSE_EVENT_CANCELLED), RECOURSE_E_ABI);
    RCS_EQUAL(recourse_call_init(&unbegun, &at.policy, 0, FOREVER, false), RECOURSE_E_ABI);
    RCS_EQUAL(unbegun.flags, 0);
}

static void another_policys_call_is_refused(void)
{
    struct at at = begin_try(FOREVER, false);

    at.policy.behaviour_sha256[7] ^= 1;
    RCS_EQUAL(finish(&at, &ok), RECOURSE_E_POLICY);
    at.policy.behaviour_sha256[7] ^= 1;
    at.policy.behaviour_sha256[8] ^= 1; /* beyond the tag */
    RCS_EQUAL(finish(&at, &ok), RECOURSE_OK);
    CU_ASSERT_TRUE(at.call.policy_tag == 0x0102030405060708u);
    at = begin_try(FOREVER, false);
    at.call.state = TOY_STATE_COUNT;
    RCS_EQUAL(recourse_call_place(&at.call, &at.policy), RECOURSE_REPORTED);
    RCS_EQUAL(finish(&at, &ok), RECOURSE_E_POLICY);
}

/* ---- policies whose machine is wrong ---- */

static struct recourse_move answers[256];

static struct recourse_move bad_move(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    (void)policy;
    return answers[symbol].row == UINT16_MAX - 1 ? toy_policy.move(&toy_policy, state, symbol) : answers[symbol];
}

static void a_wrong_machine_is_stopped(void)
{
    static const struct {
        const struct recourse_facts *facts; /* NULL: an event, in a state of its own */
        uint16_t event;
        uint8_t place;
        uint8_t symbol;
        uint16_t row;
        uint16_t state;
        int error;
    } cases[] = {
        {NULL, RECOURSE_EVENT_READY, RECOURSE_PRECONDITION, RECOURSE_EVENT_READY, NONE, 1, RECOURSE_E_STATE},
        {NULL, RECOURSE_EVENT_READY, RECOURSE_PRECONDITION, RECOURSE_EVENT_READY, TOY_ROW_COUNT, 1, RECOURSE_E_POLICY},
        {NULL, RECOURSE_EVENT_READY, RECOURSE_PRECONDITION, RECOURSE_EVENT_READY, 0, TOY_STATE_COUNT, RECOURSE_E_POLICY},
        {NULL, RECOURSE_EVENT_READY, RECOURSE_PRECONDITION, RECOURSE_EVENT_READY, 0, 7, RECOURSE_E_POLICY},
        {&ok, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 16, NONE, 15, RECOURSE_E_STATE},
        {&ok, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 16, TOY_A1, 11, RECOURSE_E_POLICY},
        {&transient, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 23 + 4 + 2, NONE, 0, RECOURSE_E_STATE},
        {&transient, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 23 + 4 + 2, TOY_A5, 7, RECOURSE_E_POLICY}, /* no wait */
        {&transient, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 23 + 4 + 3, NONE, 0, RECOURSE_E_STATE},
        {&transient, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 23 + 4 + 3, TOY_A2, 7, RECOURSE_E_POLICY},
        {&transient, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 23 + 20 + 5 + 4, NONE, 0, RECOURSE_E_STATE},
        {&transient, RECOURSE_EVENT_OK, RECOURSE_ATTEMPT, 23 + 20 + 5 + 4, TOY_E3, 1, RECOURSE_E_POLICY},
        {NULL, RECOURSE_EVENT_CANCELLED, RECOURSE_ATTEMPT, 20, NONE, 0, RECOURSE_E_STATE},
        {NULL, RECOURSE_EVENT_UNRECORDED, RECOURSE_ATTEMPT, 14, NONE, 0, RECOURSE_E_STATE},
        {NULL, RECOURSE_EVENT_UNRECORDED, RECOURSE_ATTEMPT, 14, TOY_A2, 7, RECOURSE_E_POLICY},
        {NULL, RECOURSE_EVENT_CANCELLED, RECOURSE_ATTEMPT, 20, TOY_A2, 7, RECOURSE_E_POLICY},
        {NULL, RECOURSE_EVENT_ELAPSED, RECOURSE_BACKOFF, RECOURSE_EVENT_ELAPSED, NONE, 0, RECOURSE_E_STATE},
        {NULL, RECOURSE_EVENT_ELAPSED, RECOURSE_BACKOFF, RECOURSE_EVENT_ELAPSED, TOY_B1, 0, RECOURSE_E_POLICY},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct at at = cases[i].place == RECOURSE_PRECONDITION ? begin(1000, 1200, false) : begin_try(1200, false);

        if (cases[i].place == RECOURSE_BACKOFF) {
            RCS_EQUAL(finish(&at, &unreached), RECOURSE_OK);
        }
        for (size_t k = 0; k < RCS_COUNT(answers); k++) {
            answers[k].row = UINT16_MAX - 1;
        }
        answers[cases[i].symbol] = (struct recourse_move){cases[i].row, cases[i].state};
        at.policy.move = bad_move;
        RCS_EQUAL(step(&at, cases[i].event, cases[i].facts, false), cases[i].error);
    }
}

/* The symbols that the machine is asked with. */
static uint8_t asked[8];
static unsigned asked_count;

static struct recourse_move noting_move(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    if (asked_count < RCS_COUNT(asked)) {
        asked[asked_count++] = symbol;
    }
    return toy_policy.move(policy, state, symbol);
}

static void symbols_are_those_of_the_header(void)
{
    static const struct {
        const struct recourse_facts *facts;
        uint16_t event;
        bool sent;
        bool safe;
        bool late; /* the deadline is near: no wait may be begun */
        uint8_t symbols[3];
    } cases[] = {
        {&ok, RECOURSE_EVENT_OK, false, false, false, {16}},
        {&rate_limited, RECOURSE_EVENT_OK, false, true, false, {23}},
        {&rate_limited, RECOURSE_EVENT_OK, false, false, false, {25}},
        {&rate_limited, RECOURSE_EVENT_OK, false, false, true, {25, 26, 43 + 4}},
        {&transient, RECOURSE_EVENT_OK, false, true, true, {27, 28, 43 + 5 + 4}},
        {&permanent, RECOURSE_EVENT_OK, false, false, true, {33}},
        {&unreached, RECOURSE_EVENT_OK, false, false, false, {35}},
        {&unreached, RECOURSE_EVENT_OK, false, true, false, {35}},
        {&silent, RECOURSE_EVENT_OK, false, false, false, {41, 43 + 20}},
        {NULL, RECOURSE_EVENT_CANCELLED, false, false, false, {20}},
        {NULL, RECOURSE_EVENT_CANCELLED, false, true, false, {20}},
        {NULL, RECOURSE_EVENT_CANCELLED, true, true, false, {21}},
        {NULL, RECOURSE_EVENT_CANCELLED, true, false, false, {22}},
        {NULL, RECOURSE_EVENT_UNRECORDED, false, false, false, {14}},
        {NULL, RECOURSE_EVENT_DEADLINE, false, false, true, {17, 43 + 25}},
        {NULL, RECOURSE_EVENT_DEADLINE, true, true, true, {18, 43 + 25}},
        {NULL, RECOURSE_EVENT_DEADLINE, true, false, true, {19, 43 + 25}},
    };

    RCS_EQUAL(RECOURSE_SYMBOL_COUNT(TOY_FAILURE_COUNT), 73);
    RCS_EQUAL(RECOURSE_SYMBOL_COUNT(RECOURSE_FAILURES_MAX), 244);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct at at = begin_try(cases[i].late ? 1100 : FOREVER, cases[i].safe);

        at.now_ms = cases[i].late ? 1100 : 1050;
        at.policy.move = noting_move;
        memset(asked, 0, sizeof asked);
        asked_count = 0;
        RCS_EQUAL(step(&at, cases[i].event, cases[i].facts, cases[i].sent), RECOURSE_OK);
        RCS_EQUAL(memcmp(asked, cases[i].symbols, 3), 0);
        RCS_EQUAL(asked_count, (cases[i].symbols[1] != 0 ? 2 : 1) + (cases[i].symbols[2] != 0 ? 1 : 0));
    }
}

/* ---- every word ---- */

static unsigned runs_ended;

/* Takes every way on from here, some moments apart, and looks at what must always hold. */
static void take_every_way(const struct at *from, unsigned depth)
{
    static const struct recourse_facts *const all[] = {&ok, &rate_limited, &transient, &permanent, &unreached, &silent};

    for (unsigned way = 0; way < RECOURSE_EVENT_OK + RCS_COUNT(all); way++) {
        const bool by_facts = way >= RECOURSE_EVENT_OK;
        struct at at = *from;
        const uint8_t place = (uint8_t)recourse_call_place(&at.call, &at.policy);

        at.now_ms = place == RECOURSE_BACKOFF ? at.call.wake_ms : at.now_ms + 300;
        at.random = (uint64_t)(way % 3) << 62;
        if (step(&at, by_facts ? RECOURSE_EVENT_OK : (uint16_t)way, by_facts ? all[way - RECOURSE_EVENT_OK] : NULL, way % 2 == 0) !=
            RECOURSE_OK) {
            continue;
        }
        CU_ASSERT_TRUE(at.decision.trace_count >= 1 && at.decision.trace[0].from == place);
        CU_ASSERT_TRUE(at.decision.trace[at.decision.trace_count - 1].to == recourse_call_place(&at.call, &at.policy));
        for (unsigned i = 1; i < at.decision.trace_count; i++) {
            CU_ASSERT_TRUE(at.decision.trace[i].from == at.decision.trace[i - 1].to);
        }
        CU_ASSERT_TRUE(at.call.try_number <= 3 && at.decision.try_number == at.call.try_number);
        CU_ASSERT_TRUE(at.decision.wait_ms >= at.decision.wait_min_ms && at.decision.wait_ms <= at.decision.wait_max_ms);
        CU_ASSERT_TRUE((at.decision.action == RECOURSE_ACTION_WAIT) == (at.decision.wait != NONE));
        CU_ASSERT_TRUE((at.decision.tell != RECOURSE_TELL_NOBODY) == (at.decision.action == RECOURSE_ACTION_REPORT));
        CU_ASSERT_TRUE(at.decision.action != RECOURSE_ACTION_WAIT || at.decision.wake_ms < at.call.deadline_ms);
        CU_ASSERT_TRUE(at.decision.reason == RECOURSE_REASON_NONE || at.decision.action == RECOURSE_ACTION_REPORT);
        CU_ASSERT_TRUE(recourse_call_place(&at.call, &at.policy) != RECOURSE_EXHAUSTED);
        if (at.decision.action == RECOURSE_ACTION_REPORT) {
            runs_ended++;
        } else {
            CU_ASSERT_TRUE_FATAL(depth < 8);
            take_every_way(&at, depth + 1);
        }
    }
}

static void every_run_ends_in_one_report(void)
{
    struct at at = begin(1000, FOREVER, false);

    runs_ended = 0;
    take_every_way(&at, 0);
    /* 11 refusals; then per try: ok, permanent, silent, cancelled, unrecorded; and rate_limited, transient, unreached go
       on, each with a wait that may be cancelled or end at a breaker, until the third try, where they end */
    RCS_EQUAL(runs_ended, 11 + 5 + 3 * (2 + 5 + 3 * (2 + 8)));
    at = begin(1000, 3000, true);
    take_every_way(&at, 0);
    at = begin(1000, 1000, true);
    take_every_way(&at, 0);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cancelling ends a call anywhere", cancelling_ends_a_call_anywhere},
        {"preconditions report", preconditions_report},
        {"events mean nothing elsewhere", events_mean_nothing_elsewhere},
        {"arguments are checked", arguments_are_checked},
        {"another policy's call is refused", another_policys_call_is_refused},
        {"a wrong machine is stopped", a_wrong_machine_is_stopped},
        {"symbols are those of the header", symbols_are_those_of_the_header},
        {"every run ends in one report", every_run_ends_in_one_report},
    };

    return rcs_unit_main("call_events", tests, RCS_COUNT(tests));
}
