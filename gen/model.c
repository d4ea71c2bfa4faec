/* The model: which row a case meets, and where that leads. */
#include <string.h>

#include "gen/model.h"

static bool names_event(const struct rcs_spec_row *row, uint16_t event)
{
    for (size_t i = 0; i < row->event_count; i++) {
        if (row->events[i] == event) {
            return true;
        }
    }
    return false;
}

static bool named_in_table(const struct rcs_spec *spec, uint8_t table, uint16_t event)
{
    for (size_t i = 0; i < spec->row_count; i++) {
        if (spec->rows[i].table == table && !spec->rows[i].other && names_event(&spec->rows[i], event)) {
            return true;
        }
    }
    return false;
}

static bool takes(const struct rcs_spec *spec, const struct rcs_spec_row *row, uint8_t table, uint16_t event)
{
    if (row->table != table) {
        return false;
    }
    if (!row->other) {
        return names_event(row, event);
    }
    return rcs_event_other_takes(spec, table, event) && !named_in_table(spec, table, event);
}

static bool guard_holds(const struct rcs_guard *guard, const struct rcs_history *history, const struct rcs_case *at)
{
    unsigned try_bit = history->tries <= 1 ? RCS_TRY_FIRST : RCS_TRY_LATER;
    unsigned safe_bit = at->safe ? RCS_SAFE : RCS_UNSAFE;
    unsigned acted_bit = history->acted || at->acted_now ? RCS_MAY_HAVE_ACTED : RCS_NEVER_ACTED;

    if (history->place == RECOURSE_EXHAUSTED) {
        return (guard->tries & try_bit) && (guard->acted & acted_bit) && (guard->reasons & 1u << at->reason);
    }
    if (history->place == RECOURSE_ATTEMPT) {
        return (guard->tries & try_bit) && (guard->safety & safe_bit) && (guard->acted & acted_bit);
    }
    return history->place != RECOURSE_BACKOFF || (guard->acted & acted_bit);
}

struct rcs_hit rcs_model_row(const struct rcs_spec *spec, const struct rcs_history *history, const struct rcs_case *at)
{
    struct rcs_hit hit = {RECOURSE_NONE, RECOURSE_NONE, 0};

    for (size_t i = 0; i < spec->row_count; i++) {
        const struct rcs_spec_row *row = &spec->rows[i];

        if (!takes(spec, row, history->place, at->event) || !guard_holds(&row->guard, history, at)) {
            continue;
        }
        if (hit.count == 0) {
            hit.row = (uint16_t)i;
        } else if (hit.count == 1) {
            hit.second = (uint16_t)i;
        }
        hit.count++;
    }
    return hit;
}

bool rcs_wait_ended(const struct rcs_spec *spec, const struct rcs_history *history, uint16_t w)
{
    const struct rcs_spec_wait *wait = &spec->waits[w];
    size_t index = wait->by_uses ? history->uses[w] : history->tries - 1u;

    return (!wait->grows && index >= wait->delay_count) || (wait->times != 0 && history->uses[w] >= wait->times);
}

static uint8_t after_failure(const struct rcs_spec *spec, struct rcs_history *history, const struct rcs_spec_row *row,
                             const struct rcs_case *at, bool *tries_spent)
{
    if (history->tries >= spec->settings.tries || rcs_wait_ended(spec, history, row->wait)) {
        *tries_spent = true;
        return RECOURSE_EXHAUSTED;
    }
    if (!at->may_wait) {
        return RECOURSE_EXHAUSTED;
    }
    if (history->uses[row->wait] < UINT8_MAX) {
        history->uses[row->wait]++;
    }
    return RECOURSE_BACKOFF;
}

uint16_t rcs_model_move(const struct rcs_spec *spec, struct rcs_history *history, const struct rcs_case *at,
                        bool *tries_spent)
{
    struct rcs_hit hit = rcs_model_row(spec, history, at);
    const struct rcs_spec_row *row;

    *tries_spent = false;
    if (hit.count == 0) {
        return RECOURSE_NONE;
    }
    row = &spec->rows[hit.row];
    if (history->place == RECOURSE_ATTEMPT) {
        history->acted = history->acted || at->acted_now;
    }
    switch ((enum rcs_next)row->next) {
    case RCS_NEXT_ATTEMPT:
        history->place = RECOURSE_ATTEMPT;
        history->tries++;
        break;
    case RCS_NEXT_BACKOFF_OR_EXHAUSTED:
        history->place = after_failure(spec, history, row, at, tries_spent);
        break;
    case RCS_NEXT_EXHAUSTED:
        history->place = RECOURSE_EXHAUSTED;
        break;
    case RCS_NEXT_REPORTED:
    case RCS_NEXT_COUNT:
        history->place = RECOURSE_REPORTED;
        break;
    }
    return hit.row;
}

/* ---- symbols ---- */

static unsigned exhausted_base(const struct rcs_spec *spec)
{
    return RECOURSE_SYMBOL_FAILURE + 4u * (unsigned)spec->failure_count;
}

uint8_t rcs_symbol(const struct rcs_spec *spec, uint8_t place, const struct rcs_case *at)
{
    unsigned failure = at->event >= RECOURSE_EVENT_FAILURE ? at->event - (unsigned)RECOURSE_EVENT_FAILURE
                                                           : (unsigned)spec->failure_count;
    unsigned sent = !at->acted_now ? 0u : at->safe ? 1u : 2u;

    if (place == RECOURSE_EXHAUSTED) {
        return (uint8_t)(exhausted_base(spec) + RECOURSE_REASON_COUNT * failure + at->reason);
    }
    if (place != RECOURSE_ATTEMPT || at->event == RECOURSE_EVENT_OK || at->event == RECOURSE_EVENT_UNRECORDED) {
        return (uint8_t)at->event;
    }
    if (at->event == RECOURSE_EVENT_DEADLINE) {
        return (uint8_t)(RECOURSE_SYMBOL_DEADLINE + sent);
    }
    if (at->event == RECOURSE_EVENT_CANCELLED) {
        return (uint8_t)(RECOURSE_SYMBOL_CANCELLED + sent);
    }
    return (uint8_t)(RECOURSE_SYMBOL_FAILURE + 4u * failure + (at->safe ? 0u : 2u) + (at->may_wait ? 0u : 1u));
}

unsigned rcs_symbol_ordered(const struct rcs_spec *spec, unsigned index)
{
    bool failure = index >= RECOURSE_SYMBOL_FAILURE && index < exhausted_base(spec);

    return failure ? ((index - RECOURSE_SYMBOL_FAILURE) ^ 2u) + RECOURSE_SYMBOL_FAILURE : index;
}

static bool attempt_case(const struct rcs_spec *spec, unsigned symbol, struct rcs_case *at)
{
    unsigned sent;

    at->safe = true;
    if (symbol == RECOURSE_SYMBOL_UNRECORDED) {
        at->event = RECOURSE_EVENT_UNRECORDED;
        return true;
    }
    if (symbol == RECOURSE_SYMBOL_OK) {
        at->event = RECOURSE_EVENT_OK;
        at->acted_now = true;
        return true;
    }
    if (symbol >= RECOURSE_SYMBOL_DEADLINE && symbol < RECOURSE_SYMBOL_FAILURE) {
        sent = (symbol - RECOURSE_SYMBOL_DEADLINE) % 3u;
        at->event = symbol < RECOURSE_SYMBOL_CANCELLED ? RECOURSE_EVENT_DEADLINE : RECOURSE_EVENT_CANCELLED;
        at->acted_now = sent != 0;
        at->safe = sent != 2;
        return true;
    }
    if (symbol < RECOURSE_SYMBOL_FAILURE || symbol >= exhausted_base(spec)) {
        return false;
    }
    symbol -= RECOURSE_SYMBOL_FAILURE;
    at->event = (uint16_t)(RECOURSE_EVENT_FAILURE + symbol / 4u);
    at->acted_now = spec->failures[symbol / 4u].effect != RECOURSE_EFFECT_NONE;
    at->safe = (symbol & 2u) == 0;
    at->may_wait = (symbol & 1u) == 0;
    return at->safe || at->acted_now; /* what was never done can't be done twice */
}

bool rcs_symbol_case(const struct rcs_spec *spec, uint8_t place, uint8_t symbol, struct rcs_case *at)
{
    unsigned failure;

    memset(at, 0, sizeof *at);
    if (place == RECOURSE_ATTEMPT) {
        return attempt_case(spec, symbol, at);
    }
    if (place == RECOURSE_EXHAUSTED) {
        if (symbol < exhausted_base(spec) || symbol >= RECOURSE_SYMBOL_COUNT((unsigned)spec->failure_count)) {
            return false;
        }
        failure = (symbol - exhausted_base(spec)) / RECOURSE_REASON_COUNT;
        at->event = failure == spec->failure_count ? RECOURSE_EVENT_DEADLINE
                                                   : (uint16_t)(RECOURSE_EVENT_FAILURE + failure);
        at->reason = (uint8_t)((symbol - exhausted_base(spec)) % RECOURSE_REASON_COUNT);
        return true;
    }
    at->event = symbol;
    return symbol < RECOURSE_SYMBOL_OK && rcs_event_in_table(spec, place, symbol);
}
