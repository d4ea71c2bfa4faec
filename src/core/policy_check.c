#include "policy_internal.h"

/*
 * Checks that a policy can be run without reading past a table or getting stuck. Whether it makes sense is the
 * compiler's to say; here it is about tables that came from somewhere else. One function for each table.
 */

int rcs_policy_check_format(const struct recourse_policy *policy)
{
    if (policy == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    if (policy->abi != RECOURSE_POLICY_ABI || policy->size != sizeof(struct recourse_policy)) {
        return RECOURSE_E_ABI;
    }
    if (policy->move == NULL || policy->match == NULL || policy->states == NULL ||
        policy->start >= policy->state_count || (policy->retain == NULL) != (policy->release == NULL)) {
        return RECOURSE_E_ARGUMENT;
    }
    return RECOURSE_OK;
}

static bool is_index(uint16_t index, uint16_t count)
{
    return index < count || index == RECOURSE_NONE;
}

static bool limits_hold(const struct recourse_policy *policy)
{
    return policy->failure_count >= 1 && policy->failure_count <= RECOURSE_FAILURES_MAX &&
           policy->fact_row_count >= 1 && policy->wait_count <= RECOURSE_WAITS_MAX &&
           policy->budget_count <= RECOURSE_BUDGETS_MAX && policy->breaker_count <= RECOURSE_BREAKERS_MAX &&
           policy->state_count <= RECOURSE_STATES_MAX && policy->pattern_count <= RECOURSE_PATTERNS_MAX &&
           policy->row_count >= 1 && policy->settings.tries >= 1 && policy->settings.tries <= RECOURSE_TRIES_MAX;
}

static bool tables_are_there(const struct recourse_policy *policy)
{
    const struct {
        const void *table;
        uint16_t count;
    } tables[] = {
        {policy->scenarios, policy->scenario_count}, {policy->tools, policy->tool_count},
        {policy->failures, policy->failure_count},   {policy->fact_rows, policy->fact_row_count},
        {policy->atoms, policy->atom_count},         {policy->waits, policy->wait_count},
        {policy->messages, policy->message_count},   {policy->rows, policy->row_count},
        {policy->budgets, policy->budget_count},     {policy->breakers, policy->breaker_count},
    };

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (tables[i].count > 0 && tables[i].table == NULL) {
            return false;
        }
    }
    return policy->name != NULL && policy->file != NULL && policy->settings.reminder != NULL;
}

static bool scenarios_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->scenario_count; i++) {
        const struct recourse_scenario *const scenario = &policy->scenarios[i];

        if (scenario->label == NULL || scenario->tell >= RECOURSE_TELL_COUNT ||
            scenario->reminder >= RECOURSE_REMINDER_COUNT) {
            return false;
        }
    }
    return true;
}

static bool tools_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->tool_count; i++) {
        const struct recourse_tool_rule *const rule = &policy->tools[i];

        if (rule->name == NULL || rule->replay > RECOURSE_REPLAY_SAFE_IF ||
            (rule->replay == RECOURSE_REPLAY_SAFE_IF && rule->pointer == NULL)) {
            return false;
        }
    }
    return true;
}

static bool failures_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->failure_count; i++) {
        if (policy->failures[i].name == NULL || policy->failures[i].effect >= RECOURSE_EFFECT_COUNT) {
            return false;
        }
    }
    return true;
}

/* What an atom of each kind cannot do without. */
enum need { NEED_NAME = 1, NEED_VALUE = 2, NEED_PATTERN = 4 };

static bool atom_holds(const struct recourse_policy *policy, const struct recourse_atom *atom)
{
    static const uint8_t needs[RECOURSE_ATOM_COUNT] = {
        [RECOURSE_ATOM_HEADER_IS] = NEED_NAME | NEED_VALUE,
        [RECOURSE_ATOM_HEADER_HAS] = NEED_NAME | NEED_VALUE,
        [RECOURSE_ATOM_TOOL] = NEED_VALUE,
        [RECOURSE_ATOM_TEXT] = NEED_PATTERN,
        [RECOURSE_ATOM_WORD] = NEED_PATTERN,
        [RECOURSE_ATOM_JSON_IS] = NEED_NAME | NEED_VALUE,
        [RECOURSE_ATOM_JSON_HAS] = NEED_NAME | NEED_VALUE,
        [RECOURSE_ATOM_RESULT_TEXT] = NEED_PATTERN,
        [RECOURSE_ATOM_RESULT_WORD] = NEED_PATTERN,
        [RECOURSE_ATOM_RESULT_JSON_IS] = NEED_NAME | NEED_VALUE,
        [RECOURSE_ATOM_RESULT_JSON_HAS] = NEED_NAME | NEED_VALUE,
    };
    uint8_t need;

    if (atom->kind >= RECOURSE_ATOM_COUNT) {
        return false;
    }
    need = needs[atom->kind];
    return !((need & NEED_NAME) != 0 && atom->name == NULL) && !((need & NEED_VALUE) != 0 && atom->value == NULL) &&
           !((need & NEED_PATTERN) != 0 && atom->pattern >= policy->pattern_count);
}

static bool fact_rows_hold(const struct recourse_policy *policy)
{
    const struct recourse_fact_row *row = NULL;

    for (uint16_t i = 0; i < policy->atom_count; i++) {
        if (!atom_holds(policy, &policy->atoms[i])) {
            return false;
        }
    }
    for (uint16_t i = 0; i < policy->fact_row_count; i++) {
        row = &policy->fact_rows[i];
        if (row->id == NULL || row->failure >= policy->failure_count || row->atom_count == 0 ||
            (uint32_t)row->atom + row->atom_count > policy->atom_count ||
            !policy->atoms[row->atom + row->atom_count - 1].last_of_and) {
            return false;
        }
    }
    /* `other` ends the table: without it a failure could have no name. */
    return row != NULL && row->atom_count == 1 && policy->atoms[row->atom].kind == RECOURSE_ATOM_OTHER;
}

static bool wait_holds(const struct recourse_policy *policy, const struct recourse_wait *wait)
{
    if (wait->id == NULL || wait->delays_ms == NULL || wait->delay_count == 0 ||
        wait->jitter >= RECOURSE_JITTER_COUNT || wait->server >= RECOURSE_SERVER_COUNT ||
        wait->server_ms > RECOURSE_DURATION_MAX_MS || wait->budget > policy->budget_count ||
        wait->cost > RECOURSE_TOKENS_MAX) {
        return false;
    }
    for (uint16_t i = 0; i < wait->delay_count; i++) {
        if (wait->delays_ms[i] > RECOURSE_DURATION_MAX_MS) {
            return false;
        }
    }
    return true;
}

static bool waits_and_messages_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->wait_count; i++) {
        if (!wait_holds(policy, &policy->waits[i])) {
            return false;
        }
    }
    for (uint16_t i = 0; i < policy->message_count; i++) {
        if (policy->messages[i].id == NULL || policy->messages[i].text == NULL) {
            return false;
        }
    }
    return true;
}

static bool budgets_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->budget_count; i++) {
        const struct recourse_budget *const budget = &policy->budgets[i];

        if (budget->id == NULL || budget->shared_by >= RECOURSE_SHARED_BY_COUNT || budget->holds == 0 ||
            budget->holds > RECOURSE_TOKENS_MAX || budget->needs > budget->holds || budget->takes > budget->holds ||
            budget->gives > budget->holds) {
            return false;
        }
    }
    return true;
}

static bool breakers_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->breaker_count; i++) {
        const struct recourse_breaker *const breaker = &policy->breakers[i];

        if (breaker->id == NULL || breaker->shared_by >= RECOURSE_SHARED_BY_COUNT || breaker->opens_after == 0 ||
            breaker->opens_after > RECOURSE_BREAKER_COUNT_MAX || breaker->lets_through == 0 ||
            breaker->lets_through > RECOURSE_BREAKER_COUNT_MAX || breaker->stays_open_ms > RECOURSE_DURATION_MAX_MS ||
            breaker->within_ms > RECOURSE_DURATION_MAX_MS || breaker->counts >> policy->failure_count != 0) {
            return false;
        }
    }
    return true;
}

static bool rows_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->row_count; i++) {
        const struct recourse_row *const row = &policy->rows[i];

        if (row->id == NULL || row->place >= RECOURSE_REPORTED || !is_index(row->scenario, policy->scenario_count) ||
            !is_index(row->wait, policy->wait_count) || !is_index(row->message, policy->message_count)) {
            return false;
        }
    }
    return true;
}

/* Whether a move is one that the model of five states has. */
static bool move_holds(const struct recourse_policy *policy, const struct recourse_state *from,
                       struct recourse_move move)
{
    static const uint8_t leads_to[RECOURSE_PLACE_COUNT] = {
        [RECOURSE_PRECONDITION] = 1u << RECOURSE_ATTEMPT | 1u << RECOURSE_REPORTED,
        [RECOURSE_ATTEMPT] = 1u << RECOURSE_BACKOFF | 1u << RECOURSE_EXHAUSTED | 1u << RECOURSE_REPORTED,
        [RECOURSE_BACKOFF] = 1u << RECOURSE_ATTEMPT | 1u << RECOURSE_REPORTED,
        [RECOURSE_EXHAUSTED] = 1u << RECOURSE_REPORTED,
    };
    const struct recourse_state *to;

    if (move.row == RECOURSE_NONE) {
        return true;
    }
    if (move.row >= policy->row_count || move.state >= policy->state_count) {
        return false;
    }
    to = &policy->states[move.state];
    if ((leads_to[from->place] >> to->place & 1) == 0) {
        return false;
    }
    if (to->place == RECOURSE_ATTEMPT) {
        return to->try_number == from->try_number + 1;
    }
    return to->place != RECOURSE_BACKOFF ||
           (to->try_number == from->try_number && policy->rows[move.row].wait != RECOURSE_NONE);
}

/* A failure that may not wait is not tried again; and if it would have waited, it is exhausted. */
static bool refusal_holds(const struct recourse_policy *policy, uint16_t state, unsigned symbol)
{
    const struct recourse_move waits = policy->move(policy, state, (uint8_t)symbol);
    const struct recourse_move refused = policy->move(policy, state, (uint8_t)(symbol + 1));

    if (refused.row != RECOURSE_NONE && policy->states[refused.state].place == RECOURSE_BACKOFF) {
        return false;
    }
    return waits.row == RECOURSE_NONE || policy->states[waits.state].place != RECOURSE_BACKOFF ||
           (refused.row != RECOURSE_NONE && policy->states[refused.state].place == RECOURSE_EXHAUSTED);
}

static bool state_holds(const struct recourse_policy *policy, uint16_t state)
{
    const struct recourse_state *const from = &policy->states[state];
    const unsigned exhausted = RECOURSE_SYMBOL_FAILURE + 4u * policy->failure_count;

    for (unsigned symbol = 0; symbol < RECOURSE_SYMBOL_COUNT(policy->failure_count); symbol++) {
        if (!move_holds(policy, from, policy->move(policy, state, (uint8_t)symbol))) {
            return false;
        }
    }
    if (from->place != RECOURSE_ATTEMPT) {
        return true;
    }
    for (unsigned symbol = RECOURSE_SYMBOL_FAILURE; symbol < exhausted; symbol += 2) {
        if (!refusal_holds(policy, state, symbol)) {
            return false;
        }
    }
    return true;
}

static bool states_hold(const struct recourse_policy *policy)
{
    for (uint16_t i = 0; i < policy->state_count; i++) {
        if (policy->states[i].place >= RECOURSE_PLACE_COUNT) {
            return false;
        }
    }
    for (uint16_t i = 0; i < policy->state_count; i++) {
        if (policy->states[i].place != RECOURSE_REPORTED && !state_holds(policy, i)) {
            return false;
        }
    }
    return policy->states[policy->start].place == RECOURSE_PRECONDITION &&
           policy->states[policy->start].try_number == 0;
}

int recourse_policy_check(const struct recourse_policy *policy)
{
    const int error = rcs_policy_check_format(policy);

    if (error != RECOURSE_OK) {
        return error;
    }
    return limits_hold(policy) && tables_are_there(policy) && scenarios_hold(policy) && tools_hold(policy) &&
                   failures_hold(policy) && fact_rows_hold(policy) && waits_and_messages_hold(policy) &&
                   budgets_hold(policy) && breakers_hold(policy) &&
                   rows_hold(policy) && states_hold(policy)
               ? RECOURSE_OK
               : RECOURSE_E_ARGUMENT;
}
