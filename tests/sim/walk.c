/* The model is walked beside the machine, decision by decision. */
#include "tests/sim/walk.h"

#include <string.h>

#define ULL(number) ((unsigned long long)(number))

/* What one decision comes to, on the way. */
struct walk {
    struct world *world;
    struct sim_call *call;
    const struct recourse_observation *seen;
    const struct rcs_spec *spec;
    uint8_t reason;
};

static bool is_listed(const struct rcs_spec *spec, unsigned failure)
{
    for (size_t i = 0; i < spec->unsafe_replay_count; i++) {
        if (spec->unsafe_replay[i] == failure) {
            return true;
        }
    }
    return false;
}

/* What the facts are, by the policy as it was written. */
static void check_facts(const struct walk *walk)
{
    const struct recourse_decision *decision = walk->seen->decision;
    struct sim_call *call = walk->call;
    uint16_t row;

    if (walk->seen->facts == NULL || decision->trace[0].event == RECOURSE_EVENT_DEADLINE) {
        return;
    }
    row = rcs_model_classify(walk->spec, walk->seen->facts);
    if (row != decision->fact_row) {
        sim_fail(walk->world, SIM_MODEL, "call %s: facts are of row %u, and judged by row %u", call->id, row,
                 decision->fact_row);
    }
    if (row != RECOURSE_NONE && decision->event != RECOURSE_EVENT_FAILURE + walk->spec->fact_rows[row].failure) {
        sim_fail(walk->world, SIM_MODEL, "call %s: the event is not that of its facts", call->id);
    }
    if (walk->seen->facts->too_large) {
        return; /* what a function answers beyond a bound is not kept, its status as little as its text */
    }
    if (call->http != RECOURSE_NONE && call->http != walk->seen->facts->http) {
        sim_fail(walk->world, SIM_FACTS, "call %s: status %u, and the server answered %u", call->id,
                 walk->seen->facts->http, call->http);
    }
    if (call->http != RECOURSE_NONE && call->http != 0 && row != RECOURSE_NONE && decision->server_delay_ms != call->retry_ms) {
        sim_fail(walk->world, SIM_FACTS, "call %s: the server asked to wait %llu ms, and %llu ms were heard", call->id,
                 ULL(call->retry_ms), ULL(decision->server_delay_ms));
    }
}

/* The case of an attempt's end. */
static struct rcs_case case_of(const struct walk *walk, uint16_t event)
{
    struct rcs_case at = {.event = event, .may_wait = true, .acted_now = walk->seen->decision->effect != RECOURSE_EFFECT_NONE};

    if (event >= RECOURSE_EVENT_FAILURE) {
        at.acted_now = walk->spec->failures[event - RECOURSE_EVENT_FAILURE].effect != RECOURSE_EFFECT_NONE;
    } else if (event == RECOURSE_EVENT_OK) {
        at.acted_now = true;
    }
    at.safe = walk->call->safe || !at.acted_now || event == RECOURSE_EVENT_OK;
    if (at.acted_now != (walk->seen->decision->effect != RECOURSE_EFFECT_NONE)) {
        sim_fail(walk->world, SIM_MODEL, "call %s: the effect is not the policy's", walk->call->id);
    }
    return at;
}

static void check_wait(const struct walk *walk, const struct rcs_window *window)
{
    const struct recourse_decision *decision = walk->seen->decision;
    struct sim_call *call = walk->call;

    if (decision->wait_min_ms != window->min_ms || decision->wait_max_ms != window->max_ms ||
        decision->wait_ms < window->min_ms || decision->wait_ms > window->max_ms) {
        sim_fail(walk->world, SIM_WINDOW, "call %s: waits %llu ms of %llu to %llu, and the policy says %llu to %llu", call->id,
                 ULL(decision->wait_ms), ULL(decision->wait_min_ms), ULL(decision->wait_max_ms), ULL(window->min_ms),
                 ULL(window->max_ms));
    }
    if (decision->wake_ms != walk->seen->now_ms + decision->wait_ms || decision->wake_ms >= call->deadline_ms) {
        sim_fail(walk->world, SIM_WINDOW, "call %s: its wait of %llu ms ends at another time, or past the deadline", call->id,
                 ULL(decision->wait_ms));
    }
}

/* Whether the budget that the row's wait draws on has less than the wait costs or needs. */
static bool is_short(const struct walk *walk, const struct rcs_spec_row *row)
{
    const struct rcs_spec_wait *wait = &walk->spec->waits[row->wait];
    uint32_t tokens = walk->seen->decision->tokens[wait->budget % RECOURSE_BUDGETS_MAX];

    return wait->budget != RECOURSE_NONE &&
           (tokens < wait->cost || tokens < walk->spec->budgets[wait->budget].budget.needs);
}

/* Whether the wait of this row may be begun, and what it has to be. */
static void judge_wait(struct walk *walk, const struct rcs_spec_row *row, struct rcs_case *at)
{
    const struct recourse_decision *decision = walk->seen->decision;
    struct sim_call *call = walk->call;
    const struct rcs_spec_wait *wait = &walk->spec->waits[row->wait];
    unsigned index = wait->by_uses ? call->history.uses[row->wait] : call->history.tries - 1u;
    struct rcs_window window;

    if (call->history.tries >= walk->spec->settings.tries) {
        return; /* all tries are spent: no wait is looked at */
    }
    rcs_model_window(walk->spec, wait, index, decision->server_delay_ms, &window);
    if (decision->action == RECOURSE_ACTION_WAIT) {
        if (window.stop) {
            sim_fail(walk->world, SIM_WINDOW, "call %s: waits although the server asked for too long", call->id);
        }
        check_wait(walk, &window);
    } else if (window.stop) {
        at->may_wait = false;
        walk->reason = RECOURSE_REASON_ASKED_TOO_LONG;
    } else if (decision->reason == RECOURSE_REASON_OVER_BUDGET && is_short(walk, row)) {
        at->may_wait = false;
        walk->reason = RECOURSE_REASON_OVER_BUDGET;
    } else if (decision->reason == RECOURSE_REASON_OUT_OF_TIME) {
        at->may_wait = false;
        walk->reason = RECOURSE_REASON_OUT_OF_TIME;
        if (call->deadline_ms == SIM_NEVER || walk->seen->now_ms + window.max_ms < call->deadline_ms) {
            sim_fail(walk->world, SIM_WINDOW, "call %s: out of time, with time left", call->id);
        }
    }
}

static void walk_attempt(struct walk *walk, struct rcs_case *at)
{
    struct sim_call *call = walk->call;
    struct rcs_hit hit = rcs_model_row(walk->spec, &call->history, at);

    if (hit.count > 0 && walk->spec->rows[hit.row].next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
        judge_wait(walk, &walk->spec->rows[hit.row], at);
    }
    if (at->event >= RECOURSE_EVENT_FAILURE && !is_listed(walk->spec, at->event - (unsigned)RECOURSE_EVENT_FAILURE)) {
        call->unowned |= UINT64_C(1) << (call->history.tries % 64);
    }
}

static void keep_step(struct walk *walk, const struct recourse_trace *trace)
{
    struct sim_call *call = walk->call;

    if (call->step_count == SIM_TRAIL_MAX) {
        sim_fail(walk->world, SIM_TRIES, "call %s: more moves than any policy here can make", call->id);
        return;
    }
    call->steps[call->step_count++] = (struct sim_step){trace->event, trace->row, trace->from, trace->to};
}

static void walk_one(struct walk *walk, const struct recourse_trace *trace)
{
    struct sim_call *call = walk->call;
    struct rcs_case at = {.event = trace->event, .reason = walk->reason};
    uint8_t from = call->history.place;
    bool spent = false;
    uint16_t row;

    keep_step(walk, trace);
    if (from == RECOURSE_ATTEMPT) {
        at = case_of(walk, trace->event);
        walk_attempt(walk, &at);
    }
    row = rcs_model_move(walk->spec, &call->history, &at, &spent);
    if (spent) {
        walk->reason = RECOURSE_REASON_TRIES_SPENT;
    }
    if (trace->to == RECOURSE_BACKOFF && spent) {
        sim_fail(walk->world, SIM_TRIES, "call %s: waits for try %u, where %u are allowed", call->id, call->history.tries + 1u,
                 walk->spec->settings.tries);
    } else if (trace->from != from || trace->row != row || trace->to != call->history.place) {
        sim_fail(walk->world, SIM_MODEL, "call %s: from %s on event %u by row %u to %s; the model says row %u to %s", call->id,
                 recourse_place_name(trace->from), trace->event, trace->row, recourse_place_name(trace->to), row,
                 recourse_place_name(call->history.place));
    }
}

void sim_walk(struct world *world, struct sim_call *call, const struct recourse_observation *seen)
{
    struct walk walk = {world, call, seen, call->policy->spec, RECOURSE_REASON_NONE};
    const struct recourse_decision *decision = seen->decision;
    const struct rcs_spec_row *last;

    if (decision->trace_count == 0 || decision->trace_count > RECOURSE_ROWS_MAX) {
        sim_fail(world, SIM_MODEL, "call %s: a decision of %u rows", call->id, decision->trace_count);
        return;
    }
    check_facts(&walk);
    for (size_t i = 0; i < decision->trace_count && world->fault == SIM_HOLDS; i++) {
        walk_one(&walk, &decision->trace[i]);
    }
    if (world->fault != SIM_HOLDS) {
        return;
    }
    last = &walk.spec->rows[decision->trace[decision->trace_count - 1].row];
    if (decision->reason != walk.reason || decision->try_number != call->history.tries || decision->acted != call->history.acted) {
        sim_fail(world, SIM_MODEL, "call %s: reason, try or acting are not the model's", call->id);
    }
    if (decision->action == RECOURSE_ACTION_REPORT &&
        (decision->scenario != last->scenario || decision->message != last->message ||
         (last->scenario != RECOURSE_NONE && decision->tell != walk.spec->scenarios[last->scenario].tell))) {
        sim_fail(world, SIM_MODEL, "call %s: scenario, message or whom it tells are not the policy's", call->id);
    }
}
