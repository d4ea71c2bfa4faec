#include "gen/turn.h"

#include <stdio.h>
#include <string.h>

#define UNASKED 0xfffeu
#define VARIANTS 8u /* safe and acted of an attempt, the reason in exhausted */
#define EVENTS (RECOURSE_EVENT_FAILURE + RECOURSE_FAILURES_MAX)
#define CELLS ((size_t)RECOURSE_REPORTED * 4u * EVENTS * VARIANTS)

uint64_t rcs_add_ms(uint64_t a, uint64_t b)
{
    return a > RECOURSE_FOREVER - b ? RECOURSE_FOREVER : a + b;
}

static uint16_t row_of(const struct rcs_turns *turns, const struct rcs_history *history, const struct rcs_case *at)
{
    unsigned variant = history->place == RECOURSE_EXHAUSTED ? at->reason : at->safe + 2u * at->acted_now;
    unsigned before = (history->tries > 1) + 2u * history->acted;
    uint16_t *cell = &turns->rows[((history->place * 4u + before) * EVENTS + at->event) * VARIANTS + variant];

    if (*cell == UNASKED) {
        *cell = rcs_model_row(turns->spec, history, at).row;
    }
    return *cell;
}

static uint16_t plain_row(const struct rcs_turns *turns, uint8_t place, uint16_t event, bool acted)
{
    struct rcs_history history = {.place = place, .tries = place != RECOURSE_PRECONDITION, .acted = acted};
    struct rcs_case at = {.event = event};

    return row_of(turns, &history, &at);
}

void rcs_turns_open(struct rcs_turns *turns, struct rcs_arena *arena, const struct rcs_spec *spec)
{
    memset(turns, 0, sizeof *turns);
    turns->spec = spec;
    turns->rows = rcs_arena_alloc(arena, CELLS * sizeof *turns->rows);
    for (size_t i = 0; i < CELLS; i++) {
        turns->rows[i] = UNASKED;
    }
    turns->windows = rcs_arena_alloc(arena, (spec->wait_count * spec->settings.tries + 1) * sizeof *turns->windows);
    turns->ready = plain_row(turns, RECOURSE_PRECONDITION, RECOURSE_EVENT_READY, false);
    turns->elapsed = plain_row(turns, RECOURSE_BACKOFF, RECOURSE_EVENT_ELAPSED, false);
    for (int acted = 0; acted < 2; acted++) {
        bool breakers = rcs_event_is_live(spec, RECOURSE_EVENT_CIRCUIT_OPEN);

        turns->cancelled[acted] = plain_row(turns, RECOURSE_BACKOFF, RECOURSE_EVENT_CANCELLED, acted == 1);
        turns->circuit_open[acted] =
            breakers ? plain_row(turns, RECOURSE_BACKOFF, RECOURSE_EVENT_CIRCUIT_OPEN, acted == 1) : RECOURSE_NONE;
    }
}

uint16_t rcs_turns_before(const struct rcs_turns *turns, uint16_t event)
{
    return plain_row(turns, RECOURSE_PRECONDITION, event, false);
}

static bool counts_uses(const struct rcs_turns *turns, const struct rcs_spec_wait *wait)
{
    return wait->times != 0 || (wait->by_uses && (!wait->grows || !turns->rough));
}

/* What stands against the wait of a row; enum recourse_reason. */
static uint8_t reason_against(const struct rcs_turns *turns, const struct rcs_history *history,
                              const struct rcs_spec_row *row, const struct rcs_letter *letter)
{
    struct rcs_window window;

    if (history->tries >= turns->spec->settings.tries || rcs_wait_ended(turns->spec, history, row->wait)) {
        return RECOURSE_REASON_TRIES_SPENT;
    }
    if (letter->delay_ms != 0) {
        rcs_model_window(turns->spec, &turns->spec->waits[row->wait], 0, letter->delay_ms, &window);
        if (window.stop) {
            return RECOURSE_REASON_ASKED_TOO_LONG;
        }
    }
    if (letter->no_budget && turns->spec->waits[row->wait].budget != RECOURSE_NONE) {
        return RECOURSE_REASON_OVER_BUDGET;
    }
    return letter->no_time ? RECOURSE_REASON_OUT_OF_TIME : RECOURSE_REASON_NONE;
}

static void go_on(const struct rcs_turns *turns, struct rcs_history *history, const struct rcs_letter *letter,
                  struct rcs_turn *turn)
{
    const struct rcs_spec_row *row = &turns->spec->rows[turn->row];

    if (row->next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
        turn->wait = row->wait;
        turn->index = turns->spec->waits[row->wait].by_uses ? history->uses[row->wait] : history->tries - 1u;
        turn->reason = reason_against(turns, history, row, letter);
        turn->waits = turn->reason == RECOURSE_REASON_NONE;
    }
    if (turn->waits) {
        turn->next.tries = (uint8_t)(history->tries + 1);
        turn->next.acted = history->acted;
        memcpy(turn->next.uses, history->uses, sizeof history->uses);
        turn->next.uses[row->wait] = (uint8_t)(history->uses[row->wait] + counts_uses(turns, &turns->spec->waits[row->wait]));
        return;
    }
    history->place = RECOURSE_EXHAUSTED;
    turn->ended = row_of(turns, history, &(struct rcs_case){.event = letter->event, .reason = turn->reason});
}

void rcs_turn_take(const struct rcs_turns *turns, const struct rcs_spot *spot, const struct rcs_letter *letter,
                   struct rcs_turn *turn)
{
    struct rcs_history history = {.place = RECOURSE_ATTEMPT, .tries = spot->tries, .acted = spot->acted};
    struct rcs_case at = {.event = letter->event, .safe = letter->safe, .acted_now = letter->acted};

    memset(turn, 0, sizeof *turn);
    memcpy(history.uses, spot->uses, sizeof history.uses);
    turn->ended = RECOURSE_NONE;
    turn->row = row_of(turns, &history, &at);
    if (turn->row == RECOURSE_NONE || turns->spec->rows[turn->row].next == RCS_NEXT_REPORTED) {
        return;
    }
    history.acted = history.acted || letter->acted;
    go_on(turns, &history, letter, turn);
}

uint16_t rcs_turn_report(const struct rcs_turn *turn)
{
    return turn->ended != RECOURSE_NONE ? turn->ended : turn->row;
}

static const struct rcs_turn_window *window_of(const struct rcs_turns *turns, uint16_t wait, unsigned index)
{
    struct rcs_turn_window *window = &turns->windows[wait * turns->spec->settings.tries + index];

    if (!window->known) {
        rcs_model_bounds(turns->spec, &turns->spec->waits[wait], index, &window->least_ms, &window->most_ms);
        window->known = true;
    }
    return window;
}

void rcs_turn_bounds(const struct rcs_turns *turns, const struct rcs_turn *turn, uint64_t *least_ms, uint64_t *most_ms)
{
    const struct rcs_spec_wait *wait = &turns->spec->waits[turn->wait];
    bool any = turns->rough && wait->by_uses && wait->grows && wait->times == 0;
    unsigned last = any ? turn->next.tries - 2u : turn->index; /* a wait is used once a try, at most */

    *least_ms = RECOURSE_FOREVER;
    *most_ms = 0;
    for (unsigned index = turn->index; index <= last; index++) {
        const struct rcs_turn_window *window = window_of(turns, turn->wait, index);

        *least_ms = window->least_ms < *least_ms ? window->least_ms : *least_ms;
        *most_ms = window->most_ms > *most_ms ? window->most_ms : *most_ms;
    }
}

/* ---- words ---- */

struct rcs_word rcs_letter_word(const struct rcs_letter *letter)
{
    bool failure = letter->event >= RECOURSE_EVENT_FAILURE;
    bool may_act = letter->event == RECOURSE_EVENT_DEADLINE || letter->event == RECOURSE_EVENT_CANCELLED;

    return (struct rcs_word){.event = letter->event,
                             .safe = (failure && letter->safe && letter->acted) || (may_act && !letter->acted),
                             .out_of_time = letter->no_time,
                             .over_budget = letter->no_budget,
                             .server_delay_ms = letter->delay_ms};
}

const char *rcs_word_text(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_word *word)
{
    char delay[32] = "";
    bool whole = word->server_delay_ms % 1000 == 0;

    if (word->server_delay_ms != 0) {
        snprintf(delay, sizeof delay, "@%llu%s", (unsigned long long)word->server_delay_ms / (whole ? 1000u : 1u),
                 whole ? "s" : "ms");
    }
    return rcs_arena_format(arena, "%s%s%s%s", rcs_spec_event_name(spec, word->event), word->safe ? ":safe" : "", delay,
                            word->out_of_time   ? "!time"
                            : word->over_budget ? "!budget"
                                                : "");
}
