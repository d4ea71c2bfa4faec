#include "call_internal.h"
#include "policy_internal.h"
#include "wait.h"

/* One step in the making. Nothing is written to the caller's call and decision before all of it is known to be good. */
struct step {
    const struct recourse_policy *policy;
    const struct recourse_input *input;
    struct recourse_call call;
    struct recourse_decision decision;
};

/* A wait that could be begun. */
struct plan {
    uint16_t wait; /* index */
    struct recourse_window window;
    uint64_t wait_ms;
};

int recourse_call_init(struct recourse_call *call, const struct recourse_policy *policy, uint64_t now_ms,
                       uint64_t deadline_ms, bool tool_is_safe)
{
    const int error = rcs_policy_check_format(policy);
    uint64_t own_ms;

    if (error != RECOURSE_OK) {
        return error;
    }
    if (call == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    own_ms = rcs_add_ms(now_ms, policy->settings.call_deadline_ms);
    *call = (struct recourse_call){
        .deadline_ms = own_ms < deadline_ms ? own_ms : deadline_ms,
        .wake_ms = RECOURSE_FOREVER,
        .policy_tag = rcs_policy_tag(policy),
        .state = policy->start,
        .flags = (uint8_t)(RCS_CALL_BEGUN | (tool_is_safe ? RCS_CALL_SAFE : 0u)),
    };
    return RECOURSE_OK;
}

enum recourse_place recourse_call_place(const struct recourse_call *call, const struct recourse_policy *policy)
{
    return call->state < policy->state_count ? (enum recourse_place)policy->states[call->state].place
                                             : RECOURSE_REPORTED;
}

/* ---- the door ---- */

static void begin_attempt(struct step *step)
{
    const uint64_t end_ms = rcs_add_ms(step->input->now_ms, step->policy->settings.try_timeout_ms);
    struct recourse_call *const call = &step->call;

    call->try_number++;
    call->wake_ms = end_ms < call->deadline_ms ? end_ms : call->deadline_ms;
    step->decision.action = RECOURSE_ACTION_ATTEMPT;
    step->decision.new_session = (call->flags & RCS_CALL_NEW_SESSION) != 0;
    call->flags &= (uint8_t)~RCS_CALL_NEW_SESSION;
}

static void begin_wait(struct step *step, const struct recourse_row *row, const struct plan *plan)
{
    const struct recourse_wait *const wait = &step->policy->waits[plan->wait];
    struct recourse_call *const call = &step->call;
    struct recourse_decision *const decision = &step->decision;

    if (call->uses[plan->wait] < UINT8_MAX) {
        call->uses[plan->wait]++;
    }
    if (wait->budget != 0) {
        decision->tokens[wait->budget - 1] -= wait->cost;
    }
    call->last_wait = (uint8_t)(plan->wait + 1);
    call->wake_ms = rcs_add_ms(step->input->now_ms, plan->wait_ms);
    call->waited_ms = rcs_add_ms(call->waited_ms, plan->wait_ms);
    call->flags |= wait->new_session ? RCS_CALL_NEW_SESSION : 0u;
    decision->action = RECOURSE_ACTION_WAIT;
    decision->new_session = wait->new_session;
    decision->scenario = row->scenario;
    decision->wait = plan->wait;
    decision->wait_ms = plan->wait_ms;
    decision->wait_min_ms = plan->window.min_ms;
    decision->wait_max_ms = plan->window.max_ms;
    decision->wait_base_ms = plan->window.base_ms;
    /* Within a width above the schedule, the wait is the server's if it was neither lengthened nor cut. */
    decision->server_obeyed = plan->window.obeyed || (wait->server == RECOURSE_SERVER_WITHIN &&
                                                      decision->server_delay_ms > 0 &&
                                                      plan->wait_ms == decision->server_delay_ms);
}

static void report(struct step *step, const struct recourse_row *row)
{
    struct recourse_decision *const decision = &step->decision;

    step->call.wake_ms = RECOURSE_FOREVER;
    step->call.flags &= (uint8_t)~RCS_CALL_NEW_SESSION;
    decision->action = RECOURSE_ACTION_REPORT;
    decision->new_session = false;
    decision->scenario = row->scenario;
    decision->message = row->message;
    decision->tell = RECOURSE_TELL_MODEL; /* a row without a label of its own says `ok` */
    if (row->scenario != RECOURSE_NONE) {
        decision->tell = step->policy->scenarios[row->scenario].tell;
        decision->reminder = step->policy->scenarios[row->scenario].reminder;
    }
}

/* The one place where a call's state changes. `plan` is the wait, where the move leads to backoff. */
static void enter(struct step *step, struct recourse_move move, uint16_t event, const struct plan *plan)
{
    const struct recourse_row *const row = &step->policy->rows[move.row];
    const uint8_t from = step->policy->states[step->call.state].place;
    const uint8_t to = step->policy->states[move.state].place;

    step->decision.trace[step->decision.trace_count++] =
        (struct recourse_trace){.event = event, .row = move.row, .from = from, .to = to};
    step->call.state = move.state;
    step->call.event = event;
    step->decision.event = event;
    if (to == RECOURSE_ATTEMPT) {
        begin_attempt(step);
    } else if (to == RECOURSE_BACKOFF) {
        begin_wait(step, row, plan);
    } else if (to == RECOURSE_REPORTED) {
        report(step, row);
    }
}

/* ---- moves ---- */

/* Asks the machine. A policy that passed its check answers with good indexes; another one is stopped here. */
static int find_move(const struct step *step, unsigned symbol, struct recourse_move *move)
{
    *move = step->policy->move(step->policy, step->call.state, (uint8_t)symbol);
    if (move->row == RECOURSE_NONE) {
        return RECOURSE_E_STATE;
    }
    return move->row < step->policy->row_count && move->state < step->policy->state_count ? RECOURSE_OK
                                                                                          : RECOURSE_E_POLICY;
}

static uint8_t place_of(const struct step *step, struct recourse_move move)
{
    return step->policy->states[move.state].place;
}

/* Leaves exhausted, where no call stays. `failure`: failure_count for the deadline. */
static int leave_exhausted(struct step *step, unsigned failure, uint16_t event)
{
    const unsigned first = RECOURSE_SYMBOL_FAILURE + 4u * step->policy->failure_count;
    struct recourse_move move;
    const int error = find_move(step, first + 5u * failure + step->decision.reason, &move);

    if (error != RECOURSE_OK) {
        return error;
    }
    if (place_of(step, move) != RECOURSE_REPORTED) {
        return RECOURSE_E_POLICY;
    }
    enter(step, move, event, NULL);
    return RECOURSE_OK;
}

/* ---- budgets ---- */

static void read_tokens(struct step *step)
{
    for (unsigned i = 0; i < step->policy->budget_count; i++) {
        const uint32_t holds = step->policy->budgets[i].holds;
        const uint32_t *const tokens = step->input->tokens;

        step->decision.tokens[i] = tokens != NULL && tokens[i] < holds ? tokens[i] : holds;
    }
}

/* A failure whose row leads to a wait takes of the budget that the wait draws on, whatever becomes of the wait. */
static void take_for_failure(struct step *step, const struct recourse_row *row)
{
    const unsigned budget = row->wait < step->policy->wait_count ? step->policy->waits[row->wait].budget : 0;
    uint32_t *tokens;
    uint32_t takes;

    if (budget == 0) {
        return;
    }
    tokens = &step->decision.tokens[budget - 1];
    takes = step->policy->budgets[budget - 1].takes;
    *tokens -= takes < *tokens ? takes : *tokens;
}

static bool is_over_budget(const struct step *step, const struct recourse_wait *wait)
{
    uint32_t tokens;

    if (wait->budget == 0) {
        return false;
    }
    tokens = step->decision.tokens[wait->budget - 1];
    return tokens < wait->cost || tokens < step->policy->budgets[wait->budget - 1].needs;
}

static void give_back(struct step *step)
{
    const struct recourse_policy *const policy = step->policy;
    const struct recourse_wait *const last = step->call.last_wait != 0 ? &policy->waits[step->call.last_wait - 1] : NULL;

    for (unsigned i = 0; i < policy->budget_count; i++) {
        const struct recourse_budget *const budget = &policy->budgets[i];
        const bool cost = budget->gives_cost && last != NULL && last->budget == i + 1;
        const uint32_t gives = cost ? last->cost : budget->gives;
        uint32_t *const tokens = &step->decision.tokens[i];

        *tokens += gives < budget->holds - *tokens ? gives : budget->holds - *tokens;
    }
}

/* Plans the wait of `row`, and says why it cannot be begun. */
static uint8_t plan_wait(const struct step *step, const struct recourse_row *row, struct plan *plan)
{
    const struct recourse_wait *const wait = &step->policy->waits[row->wait];
    const struct recourse_call *const call = &step->call;
    const uint64_t server_ms = step->decision.server_delay_ms;
    const unsigned index = wait->by_uses ? call->uses[row->wait] : call->try_number - 1u;

    plan->wait = row->wait;
    recourse_wait_window(wait, index, server_ms, &plan->window);
    if (plan->window.stop) {
        return RECOURSE_REASON_ASKED_TOO_LONG;
    }
    if (is_over_budget(step, wait)) {
        return RECOURSE_REASON_OVER_BUDGET;
    }
    plan->wait_ms = rcs_wait_draw(wait, index, server_ms, step->input->random);
    return rcs_call_is_late(call, rcs_add_ms(step->input->now_ms, plan->wait_ms)) ? RECOURSE_REASON_OUT_OF_TIME
                                                                                  : RECOURSE_REASON_NONE;
}

/* A failed try: backoff if the row says so and the wait can be begun, else the same without a wait. */
static int end_failed(struct step *step, unsigned failure, bool unsafe)
{
    const unsigned symbol = RECOURSE_SYMBOL_FAILURE + 4u * failure + (unsafe ? 2u : 0u);
    const uint16_t event = (uint16_t)(RECOURSE_EVENT_FAILURE + failure);
    const struct recourse_row *row;
    struct recourse_move move;
    struct plan plan;
    int error = find_move(step, symbol, &move);

    if (error != RECOURSE_OK) {
        return error;
    }
    row = &step->policy->rows[move.row];
    take_for_failure(step, row);
    if (place_of(step, move) == RECOURSE_BACKOFF) {
        if (row->wait >= step->policy->wait_count) {
            return RECOURSE_E_POLICY;
        }
        step->decision.reason = plan_wait(step, row, &plan);
        if (step->decision.reason == RECOURSE_REASON_NONE) {
            enter(step, move, event, &plan);
            return RECOURSE_OK;
        }
        error = find_move(step, symbol + 1u, &move);
        if (error != RECOURSE_OK || place_of(step, move) != RECOURSE_EXHAUSTED) {
            return error != RECOURSE_OK ? error : RECOURSE_E_POLICY;
        }
    } else if (place_of(step, move) == RECOURSE_EXHAUSTED && row->wait != RECOURSE_NONE) {
        step->decision.reason = RECOURSE_REASON_TRIES_SPENT;
    }
    enter(step, move, event, NULL);
    return place_of(step, move) == RECOURSE_EXHAUSTED ? leave_exhausted(step, failure, event) : RECOURSE_OK;
}

/* ---- how tries end ---- */

/* Takes down what the try that ended did, and whether doing it again could do it twice. */
static bool note_effect(struct step *step, uint8_t effect)
{
    step->decision.effect = effect;
    if (effect != RECOURSE_EFFECT_NONE) {
        step->call.flags |= RCS_CALL_ACTED;
    }
    return effect != RECOURSE_EFFECT_NONE && (step->call.flags & RCS_CALL_SAFE) == 0;
}

/* The deadline or the host ended the try. */
static int end_stopped(struct step *step, uint16_t event, bool sent)
{
    const bool unsafe = note_effect(step, sent ? RECOURSE_EFFECT_UNKNOWN : RECOURSE_EFFECT_NONE);
    const unsigned base = event == RECOURSE_EVENT_DEADLINE ? RECOURSE_SYMBOL_DEADLINE : RECOURSE_SYMBOL_CANCELLED;
    struct recourse_move move;
    int error = find_move(step, base + (sent ? 1u : 0u) + (unsafe ? 1u : 0u), &move);

    if (error == RECOURSE_OK && place_of(step, move) == RECOURSE_BACKOFF) {
        error = RECOURSE_E_POLICY;
    }
    if (error != RECOURSE_OK) {
        return error;
    }
    enter(step, move, event, NULL);
    return place_of(step, move) == RECOURSE_EXHAUSTED ? leave_exhausted(step, step->policy->failure_count, event)
                                                      : RECOURSE_OK;
}

static int end_ok(struct step *step)
{
    struct recourse_move move;
    const int error = find_move(step, RECOURSE_SYMBOL_OK, &move);

    if (error != RECOURSE_OK) {
        return error;
    }
    if (place_of(step, move) != RECOURSE_REPORTED) {
        return RECOURSE_E_POLICY;
    }
    note_effect(step, RECOURSE_EFFECT_DONE);
    give_back(step);
    enter(step, move, RECOURSE_EVENT_OK, NULL);
    return RECOURSE_OK;
}

/* The record of the try can't be written: it was begun, and touched nothing. */
static int end_unrecorded(struct step *step)
{
    struct recourse_move move;
    const int error = find_move(step, RECOURSE_SYMBOL_UNRECORDED, &move);

    if (error != RECOURSE_OK) {
        return error;
    }
    if (place_of(step, move) != RECOURSE_REPORTED) {
        return RECOURSE_E_POLICY;
    }
    note_effect(step, RECOURSE_EFFECT_NONE);
    enter(step, move, RECOURSE_EVENT_UNRECORDED, NULL);
    return RECOURSE_OK;
}

static int end_by_facts(struct step *step)
{
    const struct recourse_facts *const facts = step->input->facts;
    struct recourse_judgement judgement;

    step->call.http = facts->http;
    if (facts->timeout == RECOURSE_TIMEOUT_TOTAL && rcs_call_is_late(&step->call, step->input->now_ms)) {
        return end_stopped(step, RECOURSE_EVENT_DEADLINE, !facts->unsent);
    }
    recourse_classify(step->policy, facts, &judgement);
    step->decision.failure = judgement.failure;
    step->decision.fact_row = judgement.fact_row;
    step->decision.server_delay_ms = judgement.server_delay_ms;
    if (judgement.failure == RECOURSE_NONE) {
        return end_ok(step);
    }
    return end_failed(step, judgement.failure, note_effect(step, judgement.effect));
}

/* ---- steps, by place ---- */

/* From a place without a try, to the next try or to the end. */
static int leave(struct step *step, uint16_t event, uint8_t *place)
{
    struct recourse_move move;
    int error = find_move(step, event, &move);

    if (error != RECOURSE_OK) {
        return error;
    }
    *place = place_of(step, move);
    if (*place != RECOURSE_ATTEMPT && *place != RECOURSE_REPORTED) {
        return RECOURSE_E_POLICY;
    }
    enter(step, move, event, NULL);
    return RECOURSE_OK;
}

static int step_precondition(struct step *step)
{
    const bool late = rcs_call_is_late(&step->call, step->input->now_ms);
    uint16_t event = step->input->event;
    uint8_t place;

    if (event >= RECOURSE_EVENT_ELAPSED || (event == RECOURSE_EVENT_DEADLINE && !late)) {
        return RECOURSE_E_STATE;
    }
    if (event == RECOURSE_EVENT_READY && late) {
        event = RECOURSE_EVENT_DEADLINE;
    }
    return leave(step, event, &place);
}

static int step_backoff(struct step *step)
{
    const uint16_t event = step->input->event;
    uint8_t place;
    int error;

    if ((event != RECOURSE_EVENT_ELAPSED && event != RECOURSE_EVENT_CANCELLED && event != RECOURSE_EVENT_CIRCUIT_OPEN) ||
        (event != RECOURSE_EVENT_CANCELLED && step->input->now_ms < step->call.wake_ms)) {
        return RECOURSE_E_STATE;
    }
    error = leave(step, event, &place);
    if (error != RECOURSE_OK) {
        return error;
    }
    if (place == RECOURSE_ATTEMPT && rcs_call_is_late(&step->call, step->input->now_ms)) {
        return end_stopped(step, RECOURSE_EVENT_DEADLINE, false); /* the try counts, but nothing is sent */
    }
    return RECOURSE_OK;
}

static int step_attempt(struct step *step)
{
    const struct recourse_input *const input = step->input;

    if (input->event == RECOURSE_EVENT_OK) {
        return input->facts == NULL ? RECOURSE_E_ARGUMENT : end_by_facts(step);
    }
    if (input->event == RECOURSE_EVENT_UNRECORDED) {
        return end_unrecorded(step);
    }
    if (input->event == RECOURSE_EVENT_CANCELLED ||
        (input->event == RECOURSE_EVENT_DEADLINE && rcs_call_is_late(&step->call, input->now_ms))) {
        return end_stopped(step, input->event, input->sent);
    }
    return RECOURSE_E_STATE;
}

static int step_by_place(struct step *step)
{
    switch (recourse_call_place(&step->call, step->policy)) {
    case RECOURSE_PRECONDITION: return step_precondition(step);
    case RECOURSE_ATTEMPT: return step_attempt(step);
    case RECOURSE_BACKOFF: return step_backoff(step);
    default: return RECOURSE_E_STATE;
    }
}

static int check_step(const struct recourse_call *call, const struct recourse_policy *policy,
                      const struct recourse_input *input)
{
    const int error = rcs_policy_check_format(policy);

    if (error != RECOURSE_OK) {
        return error;
    }
    if (input->event > RECOURSE_EVENT_OK || (input->event == RECOURSE_EVENT_OK && input->facts == NULL)) {
        return RECOURSE_E_ARGUMENT;
    }
    if ((call->flags & RCS_CALL_BEGUN) == 0) {
        return RECOURSE_E_STATE;
    }
    return call->policy_tag == rcs_policy_tag(policy) && call->state < policy->state_count ? RECOURSE_OK
                                                                                          : RECOURSE_E_POLICY;
}

int recourse_call_step(struct recourse_call *call, const struct recourse_policy *policy,
                       const struct recourse_input *input, struct recourse_decision *decision)
{
    struct step step = {.policy = policy, .input = input};
    int error;

    if (call == NULL || input == NULL || decision == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    error = check_step(call, policy, input);
    if (error != RECOURSE_OK) {
        return error;
    }
    step.call = *call;
    step.decision = (struct recourse_decision){.failure = RECOURSE_NONE, .fact_row = RECOURSE_NONE,
                                               .scenario = RECOURSE_NONE, .wait = RECOURSE_NONE,
                                               .message = RECOURSE_NONE};
    read_tokens(&step);
    error = step_by_place(&step);
    if (error != RECOURSE_OK) {
        return error;
    }
    step.decision.try_number = step.call.try_number;
    step.decision.acted = (step.call.flags & RCS_CALL_ACTED) != 0;
    step.decision.http = step.call.http;
    step.decision.wake_ms = step.call.wake_ms;
    *call = step.call;
    *decision = step.decision;
    return RECOURSE_OK;
}
