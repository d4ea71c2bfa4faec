/* What the tests of a call's machine share: a call with its clock, the facts that bring about each failure of the toy policy, and
   checks of what came of a step. */
#ifndef RCS_CALL_KIT_H
#define RCS_CALL_KIT_H

#include "tests/unit/unit.h"

#include "src/core/call_internal.h"
#include "tests/unit/toy_policy.h"

#define SPAN(literal) {literal, sizeof(literal) - 1}
#define NONE RECOURSE_NONE
#define FOREVER RECOURSE_FOREVER

#define EVENT(failure) (RECOURSE_EVENT_FAILURE + (failure))

static const struct recourse_facts ok = {.http = 200};
static const struct recourse_facts rate_limited = {.http = 429};
static const struct recourse_facts transient = {.http = 504, .phrase = SPAN("Gateway Timeout")};
static const struct recourse_facts permanent = {.http = 400};
static const struct recourse_facts unreached = {.network = RECOURSE_NETWORK_REFUSED};
static const struct recourse_facts silent = {.timeout = RECOURSE_TIMEOUT_READ};

static const struct recourse_header asks_5s[] = {{SPAN("Retry-After"), SPAN("5")}};
static const struct recourse_header asks_60s[] = {{SPAN("Retry-After"), SPAN("60")}};
static const struct recourse_header asks_61s[] = {{SPAN("Retry-After"), SPAN("61")}};

/* A call with its clock. */
struct at {
    struct recourse_policy policy;
    struct recourse_call call;
    struct recourse_decision decision;
    uint64_t now_ms;
    uint64_t random;
};

static inline struct at begin(uint64_t now_ms, uint64_t deadline_ms, bool safe)
{
    struct at at = {.policy = toy_policy, .now_ms = now_ms};

    RCS_EQUAL(recourse_call_init(&at.call, &at.policy, now_ms, deadline_ms, safe), RECOURSE_OK);
    RCS_EQUAL(recourse_call_place(&at.call, &at.policy), RECOURSE_PRECONDITION);
    return at;
}

/* Steps, and makes sure that an error touches nothing. */
static inline int step(struct at *at, uint16_t event, const struct recourse_facts *facts, bool sent)
{
    const struct recourse_input input = {.now_ms = at->now_ms, .random = at->random, .event = event, .sent = sent, .facts = facts};
    const struct recourse_call call = at->call;
    struct recourse_decision untouched;
    int error;

    memset(&untouched, 0xa5, sizeof untouched);
    memcpy(&at->decision, &untouched, sizeof untouched);
    error = recourse_call_step(&at->call, &at->policy, &input, &at->decision);
    if (error != RECOURSE_OK) {
        RCS_EQUAL(memcmp(&at->call, &call, sizeof call), 0);
        RCS_EQUAL(memcmp(&at->decision, &untouched, sizeof untouched), 0);
    }
    return error;
}

static inline int happen(struct at *at, uint16_t event)
{
    return step(at, event, NULL, false);
}

static inline int finish(struct at *at, const struct recourse_facts *facts)
{
    return step(at, RECOURSE_EVENT_OK, facts, false);
}

/* Begins a call and its first try. */
static inline struct at begin_try(uint64_t deadline_ms, bool safe)
{
    struct at at = begin(1000, deadline_ms, safe);

    RCS_EQUAL(happen(&at, RECOURSE_EVENT_READY), RECOURSE_OK);
    RCS_EQUAL(at.decision.action, RECOURSE_ACTION_ATTEMPT);
    return at;
}

/* Lets the wait end, and the next try begin. */
static inline void wait_out(struct at *at)
{
    RCS_EQUAL(at->decision.action, RECOURSE_ACTION_WAIT);
    at->now_ms = at->decision.wake_ms;
    RCS_EQUAL(happen(at, RECOURSE_EVENT_ELAPSED), RECOURSE_OK);
    RCS_EQUAL(at->decision.action, RECOURSE_ACTION_ATTEMPT);
}

static inline void check_trace(const struct at *at, unsigned number, uint16_t event, uint16_t row, uint8_t from, uint8_t to)
{
    CU_ASSERT_TRUE_FATAL(number < at->decision.trace_count);
    RCS_EQUAL(at->decision.trace[number].event, event);
    RCS_EQUAL(at->decision.trace[number].row, row);
    RCS_EQUAL(at->decision.trace[number].from, from);
    RCS_EQUAL(at->decision.trace[number].to, to);
}

static inline void check_report(const struct at *at, uint16_t scenario, uint8_t tell, uint8_t reminder, uint16_t message)
{
    RCS_EQUAL(at->decision.action, RECOURSE_ACTION_REPORT);
    RCS_EQUAL(at->decision.scenario, scenario);
    RCS_EQUAL(at->decision.tell, tell);
    RCS_EQUAL(at->decision.reminder, reminder);
    RCS_EQUAL(at->decision.message, message);
    RCS_EQUAL(at->decision.wait, NONE);
    RCS_EQUAL(at->decision.wait_ms, 0);
    RCS_EQUAL(at->decision.new_session, false);
    CU_ASSERT_TRUE(at->decision.wake_ms == FOREVER);
    RCS_EQUAL(recourse_call_place(&at->call, &at->policy), RECOURSE_REPORTED);
}

static inline void check_wait(const struct at *at, uint16_t wait, uint64_t wait_ms, uint64_t min_ms, uint64_t max_ms, uint64_t base_ms)
{
    RCS_EQUAL(at->decision.action, RECOURSE_ACTION_WAIT);
    RCS_EQUAL(at->decision.wait, wait);
    RCS_EQUAL(at->decision.wait_ms, wait_ms);
    RCS_EQUAL(at->decision.wait_min_ms, min_ms);
    RCS_EQUAL(at->decision.wait_max_ms, max_ms);
    RCS_EQUAL(at->decision.wait_base_ms, base_ms);
    RCS_EQUAL(at->decision.wake_ms, at->now_ms + wait_ms);
    RCS_EQUAL(at->decision.scenario, TOY_2);
    RCS_EQUAL(at->decision.tell, RECOURSE_TELL_NOBODY);
    RCS_EQUAL(at->decision.reminder, RECOURSE_REMINDER_NONE);
    RCS_EQUAL(at->decision.message, NONE);
    RCS_EQUAL(at->decision.reason, RECOURSE_REASON_NONE);
    RCS_EQUAL(recourse_call_place(&at->call, &at->policy), RECOURSE_BACKOFF);
}

#endif
