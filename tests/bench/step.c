/*
 * The machine's step against a switch that somebody might write by hand for the policy lightspeed. Prints
 *
 *   ragel_ns=N switch_ns=N call_ns=N
 *
 * for one move: by the compiled policy's function, by the switch, and by recourse_call_step with facts, which also names
 * the failure, plans the wait and cites the rows. Both go through the same words, and must agree about each row.
 */
#include "tests/bench/worker.h"

#include <recourse/call.h>
#include <stdbool.h>

#define WORDS 65536u
#define ROUNDS 100u

/* Rows of the policy, by their place in it. */
enum row { P1, P2, P3, P4, P5, P6, A1, A2, A3, A4, A5, A6, A7, B1, B2, E1 };
/* Failures of the policy. */
enum failure { RATE_LIMITED, TRANSIENT, PERMANENT };

#define FAILURES 3u
#define EXHAUSTED_SYMBOL (RECOURSE_SYMBOL_FAILURE + 4u * FAILURES)

struct by_hand {
    uint8_t place;
    uint8_t tries;
};

static enum row precondition_by_hand(struct by_hand *call, unsigned symbol)
{
    call->place = RECOURSE_REPORTED;
    switch (symbol) {
    case RECOURSE_EVENT_READY:
        call->place = RECOURSE_ATTEMPT;
        call->tries = 1;
        return P1;
    case RECOURSE_EVENT_MISSING_NAME:
    case RECOURSE_EVENT_UNKNOWN_TOOL:
    case RECOURSE_EVENT_AMBIGUOUS_TOOL:
        return P2;
    case RECOURSE_EVENT_SENSITIVE_ARGUMENTS:
        return P3;
    case RECOURSE_EVENT_REFUSED:
    case RECOURSE_EVENT_UNANSWERED_APPROVAL:
        return P4;
    case RECOURSE_EVENT_BAD_ARGUMENTS:
    case RECOURSE_EVENT_TRUNCATED_CALL:
        return P6;
    default:
        return P5;
    }
}

static enum row failed_by_hand(struct by_hand *call, unsigned failure, bool may_wait)
{
    if (failure == PERMANENT) {
        call->place = RECOURSE_REPORTED;
        return call->tries == 1 ? A4 : A5;
    }
    call->place = may_wait && call->tries < 3 ? RECOURSE_BACKOFF : RECOURSE_EXHAUSTED;
    return failure == TRANSIENT ? A2 : A3;
}

static enum row attempt_by_hand(struct by_hand *call, unsigned symbol)
{
    switch (symbol) {
    case RECOURSE_SYMBOL_OK:
        call->place = RECOURSE_REPORTED;
        return A1;
    case RECOURSE_SYMBOL_DEADLINE:
    case RECOURSE_SYMBOL_DEADLINE + 1:
    case RECOURSE_SYMBOL_DEADLINE + 2:
        call->place = RECOURSE_EXHAUSTED;
        return A6;
    case RECOURSE_SYMBOL_CANCELLED:
    case RECOURSE_SYMBOL_CANCELLED + 1:
    case RECOURSE_SYMBOL_CANCELLED + 2:
        call->place = RECOURSE_REPORTED;
        return A7;
    default:
        symbol -= RECOURSE_SYMBOL_FAILURE;
        return failed_by_hand(call, symbol / 4, symbol % 2 == 0);
    }
}

static enum row move_by_hand(struct by_hand *call, unsigned symbol)
{
    switch (call->place) {
    case RECOURSE_PRECONDITION:
        return precondition_by_hand(call, symbol);
    case RECOURSE_ATTEMPT:
        return attempt_by_hand(call, symbol);
    case RECOURSE_BACKOFF:
        if (symbol == RECOURSE_EVENT_ELAPSED) {
            call->place = RECOURSE_ATTEMPT;
            call->tries++;
            return B1;
        }
        call->place = RECOURSE_REPORTED;
        return B2;
    default:
        call->place = RECOURSE_REPORTED;
        return E1;
    }
}

/* ---- words ---- */

static uint8_t words[WORDS];

static uint32_t next_random(void)
{
    static uint64_t seed = 1;

    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33);
}

static uint8_t some_symbol(uint8_t place)
{
    switch (place) {
    case RECOURSE_PRECONDITION:
        return next_random() % 8 != 0 ? RECOURSE_EVENT_READY : RECOURSE_EVENT_BAD_ARGUMENTS;
    case RECOURSE_ATTEMPT:
        return (uint8_t)(next_random() % 4 == 0 ? RECOURSE_SYMBOL_OK
                                                : RECOURSE_SYMBOL_FAILURE + next_random() % (4 * FAILURES));
    case RECOURSE_BACKOFF:
        return RECOURSE_EVENT_ELAPSED;
    default:
        return EXHAUSTED_SYMBOL + 1; /* tries spent */
    }
}

/* Calls one after another; the two must name the same row at each move. */
static void make_words(const struct recourse_policy *policy)
{
    static const char *const ids[] = {"P1", "P2", "P3", "P4", "P5", "P6", "A1", "A2",
                                      "A3", "A4", "A5", "A6", "A7", "B1", "B2", "E1"};
    struct by_hand by_hand = {0};
    uint16_t state = policy->start;

    for (size_t i = 0; i < WORDS; i++) {
        struct recourse_move move;
        enum row row;

        words[i] = some_symbol(policy->states[state].place);
        move = policy->move(policy, state, words[i]);
        row = move_by_hand(&by_hand, words[i]);
        if (move.row >= policy->row_count || strcmp(policy->rows[move.row].id, ids[row]) != 0 ||
            policy->states[move.state].place != by_hand.place) {
            worker_fail("the switch is not the policy any more");
        }
        state = move.state;
        if (by_hand.place == RECOURSE_REPORTED) {
            state = policy->start;
            by_hand = (struct by_hand){0};
        }
    }
}

/* ---- the measured loops ---- */

static uint64_t sum; /* so that nothing is left out */

static double by_policy(const struct recourse_policy *policy)
{
    uint64_t begin = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID);

    for (unsigned round = 0; round < ROUNDS; round++) {
        uint16_t state = policy->start;

        for (size_t i = 0; i < WORDS; i++) {
            struct recourse_move move = policy->move(policy, state, words[i]);

            sum += move.row;
            state = policy->states[move.state].place == RECOURSE_REPORTED ? policy->start : move.state;
        }
    }
    return (double)(worker_clock_us(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1000 / (ROUNDS * (double)WORDS);
}

static double by_switch(void)
{
    uint64_t begin = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID);

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct by_hand call = {0};

        for (size_t i = 0; i < WORDS; i++) {
            sum += move_by_hand(&call, words[i]);
            if (call.place == RECOURSE_REPORTED) {
                call = (struct by_hand){0};
            }
        }
    }
    return (double)(worker_clock_us(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1000 / (ROUNDS * (double)WORDS);
}

/* Calls that are limited twice, and then answered: seven moves in six steps. */
static double by_call(const struct recourse_policy *policy)
{
    static const struct recourse_facts limited = {.http = 429};
    static const struct recourse_facts good = {.http = 200};
    static const struct recourse_input inputs[] = {
        {.event = RECOURSE_EVENT_READY},
        {.event = RECOURSE_EVENT_OK, .facts = &limited},
        {.event = RECOURSE_EVENT_ELAPSED, .now_ms = 10000},
        {.event = RECOURSE_EVENT_OK, .facts = &limited, .now_ms = 10000},
        {.event = RECOURSE_EVENT_ELAPSED, .now_ms = 20000},
        {.event = RECOURSE_EVENT_OK, .facts = &good, .now_ms = 20000},
    };
    const unsigned steps = sizeof inputs / sizeof inputs[0];
    uint64_t begin = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID);

    for (unsigned round = 0; round < WORDS; round++) {
        struct recourse_call call;
        struct recourse_decision decision;

        if (recourse_call_init(&call, policy, 0, RECOURSE_FOREVER, true) != 0) {
            worker_fail("no call");
        }
        for (unsigned i = 0; i < steps; i++) {
            if (recourse_call_step(&call, policy, &inputs[i], &decision) != 0) {
                worker_fail("no step");
            }
            sum += decision.wait_ms;
        }
    }
    return (double)(worker_clock_us(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1000 / ((double)WORDS * steps);
}

int main(void)
{
    const struct recourse_policy *policy = recourse_policy_builtin("lightspeed");
    double ragel;
    double hand;

    if (policy == NULL || policy->failure_count != FAILURES) {
        worker_fail("the policy is another one");
    }
    make_words(policy);
    ragel = by_policy(policy);
    hand = by_switch();
    printf("ragel_ns=%.2f switch_ns=%.2f call_ns=%.2f\n", ragel, hand, by_call(policy));
    return sum == 0;
}
