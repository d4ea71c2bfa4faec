/* Unrolls the model into a finite machine: tries, and uses of waits that end, become states. */
#include <string.h>

#include "gen/model.h"

/* What of a history a row can still ask for; the rest is data of the call, not state. */
static struct rcs_history normalised(const struct rcs_spec *spec, const struct rcs_history *history)
{
    struct rcs_history out = {.place = history->place};

    if (history->place == RECOURSE_REPORTED) {
        return out;
    }
    out.tries = history->tries;
    out.acted = history->acted;
    if (history->place == RECOURSE_EXHAUSTED) {
        out.tries = history->tries <= 1 ? history->tries : UINT8_MAX;
        return out;
    }
    for (size_t w = 0; w < spec->wait_count; w++) {
        bool ends_by_uses = (!spec->waits[w].grows && spec->waits[w].by_uses) || spec->waits[w].times != 0;

        out.uses[w] = ends_by_uses ? history->uses[w] : 0;
    }
    return out;
}

static bool same(const struct rcs_history *a, const struct rcs_history *b)
{
    return a->place == b->place && a->tries == b->tries && a->acted == b->acted &&
           memcmp(a->uses, b->uses, sizeof a->uses) == 0;
}

static uint16_t find_state(const struct rcs_machine *machine, const struct rcs_history *wanted)
{
    for (size_t i = 0; i < machine->state_count; i++) {
        if (same(&machine->states[i], wanted)) {
            return (uint16_t)i;
        }
    }
    return RECOURSE_NONE;
}

uint16_t rcs_machine_state(const struct rcs_machine *machine, const struct rcs_history *history)
{
    struct rcs_history wanted = normalised(machine->spec, history);

    return find_state(machine, &wanted);
}

bool rcs_case_reachable(const struct rcs_machine *machine, uint16_t state, unsigned symbol)
{
    return symbol < machine->symbol_count &&
           machine->case_from[state * machine->symbol_count + symbol].state != RECOURSE_NONE;
}

/* The state of a history, added if it is new; RECOURSE_NONE if there is no more room. */
static uint16_t enter(struct rcs_machine *machine, const struct rcs_history *history, struct rcs_origin from)
{
    struct rcs_history wanted = normalised(machine->spec, history);
    uint16_t found = find_state(machine, &wanted);

    if (found != RECOURSE_NONE || machine->state_count == RECOURSE_STATES_MAX) {
        return found;
    }
    machine->states[machine->state_count] = wanted;
    machine->state_from[machine->state_count] = from;
    return (uint16_t)machine->state_count++;
}

static void mark(struct rcs_machine *machine, uint16_t state, unsigned symbol, struct rcs_origin from)
{
    struct rcs_origin *cell = &machine->case_from[state * machine->symbol_count + symbol];

    if (cell->state == RECOURSE_NONE) {
        *cell = from;
    }
}

/* An attempt that leads to exhausted makes a case there possible for each reason that can hold. */
static void mark_exhausted(struct rcs_machine *machine, uint16_t exhausted, const struct rcs_case *at,
                           struct rcs_origin from, const struct rcs_spec_row *row, bool tries_spent)
{
    struct rcs_case ended = {.event = at->event};

    for (unsigned reason = 0; reason < RECOURSE_REASON_COUNT; reason++) {
        bool possible = false;

        if (row->next != RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
            possible = reason == RECOURSE_REASON_NONE;
        } else if (tries_spent) {
            possible = reason == RECOURSE_REASON_TRIES_SPENT;
        } else if (reason == RECOURSE_REASON_ASKED_TOO_LONG) {
            possible = machine->spec->waits[row->wait].server == RECOURSE_SERVER_OBEY_ELSE_STOP;
        } else if (reason == RECOURSE_REASON_OVER_BUDGET) {
            possible = machine->spec->waits[row->wait].budget != RECOURSE_NONE;
        } else {
            possible = reason == RECOURSE_REASON_OUT_OF_TIME;
        }
        if (possible) {
            ended.reason = (uint8_t)reason;
            from.reason = (uint8_t)reason;
            mark(machine, exhausted, rcs_symbol(machine->spec, RECOURSE_EXHAUSTED, &ended), from);
        }
    }
}

/* Whether the case can occur at all in a place: exhausted's cases are marked by the attempts that lead there. */
static bool occurs(const struct rcs_spec *spec, uint8_t place, const struct rcs_case *at)
{
    return place != RECOURSE_EXHAUSTED && rcs_event_is_live(spec, at->event);
}

static bool expand(struct rcs_machine *machine, uint16_t state)
{
    const struct rcs_spec *spec = machine->spec;
    uint8_t place = machine->states[state].place;

    if (place == RECOURSE_REPORTED) {
        return true;
    }
    for (unsigned index = 0; index < machine->symbol_count; index++) {
        unsigned symbol = rcs_symbol_ordered(spec, index);
        struct rcs_history history = machine->states[state];
        struct recourse_move *move = &machine->moves[state * machine->symbol_count + symbol];
        struct rcs_origin here = {state, (uint8_t)symbol, RECOURSE_REASON_NONE};
        struct rcs_case at;
        bool tries_spent;

        if (!rcs_symbol_case(spec, place, (uint8_t)symbol, &at)) {
            continue;
        }
        if (occurs(spec, place, &at)) {
            mark(machine, state, symbol, here);
        }
        if (place != RECOURSE_EXHAUSTED && !rcs_case_reachable(machine, state, symbol)) {
            continue;
        }
        move->row = rcs_model_move(spec, &history, &at, &tries_spent);
        if (move->row == RECOURSE_NONE) {
            continue;
        }
        move->state = enter(machine, &history, here);
        if (move->state == RECOURSE_NONE) {
            return false;
        }
        if (history.place == RECOURSE_EXHAUSTED) {
            mark_exhausted(machine, move->state, &at, here, &spec->rows[move->row], tries_spent);
        }
    }
    return true;
}

struct rcs_machine *rcs_unroll(struct rcs_arena *arena, const struct rcs_spec *spec, struct rcs_findings *findings)
{
    struct rcs_machine *machine = rcs_arena_alloc(arena, sizeof *machine);
    struct rcs_history start = {.place = RECOURSE_PRECONDITION};
    struct rcs_origin nowhere = {RECOURSE_NONE, 0, 0};
    size_t cells;

    machine->arena = arena;
    machine->spec = spec;
    machine->symbol_count = RECOURSE_SYMBOL_COUNT(spec->failure_count);
    cells = RECOURSE_STATES_MAX * machine->symbol_count;
    machine->states = rcs_arena_alloc(arena, RECOURSE_STATES_MAX * sizeof *machine->states);
    machine->state_from = rcs_arena_alloc(arena, RECOURSE_STATES_MAX * sizeof *machine->state_from);
    machine->moves = rcs_arena_alloc(arena, cells * sizeof *machine->moves);
    machine->case_from = rcs_arena_alloc(arena, cells * sizeof *machine->case_from);
    for (size_t i = 0; i < cells; i++) {
        machine->moves[i] = (struct recourse_move){RECOURSE_NONE, (uint16_t)(i / machine->symbol_count)};
        machine->case_from[i] = nowhere;
    }
    enter(machine, &start, nowhere);
    for (uint16_t state = 0; state < machine->state_count; state++) {
        if (!expand(machine, state)) {
            rcs_find(findings, RCS_ERROR, "too-large", spec->setting_places.tries, NULL, NULL,
                     "the machine has more than %u states; take fewer tries, or fewer waits that end by uses",
                     RECOURSE_STATES_MAX);
            return NULL;
        }
    }
    return machine;
}

/* ---- witnesses ---- */

/* Which word says that symbol in that state; NULL where runs put it in by themselves. */
static const char *word_for(const struct rcs_machine *machine, struct rcs_origin origin, bool keep_implied)
{
    const struct rcs_spec *spec = machine->spec;
    struct rcs_case at;
    const char *name;

    rcs_symbol_case(spec, machine->states[origin.state].place, origin.symbol, &at);
    name = rcs_spec_event_name(spec, at.event);
    if ((at.event == RECOURSE_EVENT_READY || at.event == RECOURSE_EVENT_ELAPSED) && !keep_implied) {
        return NULL;
    }
    if (machine->states[origin.state].place != RECOURSE_ATTEMPT || at.event == RECOURSE_EVENT_OK ||
        at.event == RECOURSE_EVENT_UNRECORDED) {
        return name;
    }
    if (at.event < RECOURSE_EVENT_OK) { /* deadline, cancelled */
        return rcs_arena_format(machine->arena, "%s%s", name, at.acted_now ? "" : ":safe");
    }
    if (origin.reason == RECOURSE_REASON_ASKED_TOO_LONG) {
        const struct rcs_spec_row *row = &spec->rows[machine->moves[origin.state * machine->symbol_count + origin.symbol].row];

        return rcs_arena_format(machine->arena, "%s%s@%llums", name, at.safe && at.acted_now ? ":safe" : "",
                                (unsigned long long)spec->waits[row->wait].server_ms + 1);
    }
    return rcs_arena_format(machine->arena, "%s%s%s", name, at.safe && at.acted_now ? ":safe" : "",
                            at.may_wait                                     ? ""
                            : origin.reason == RECOURSE_REASON_OVER_BUDGET ? "!budget"
                                                                            : "!time");
}

const char *rcs_witness(const struct rcs_machine *machine, uint16_t state, unsigned symbol)
{
    struct rcs_origin path[2 * RECOURSE_TRIES_MAX + 8];
    size_t length = 0;
    const char *text = "";
    struct rcs_origin at;

    if (symbol < machine->symbol_count) {
        at = machine->case_from[state * machine->symbol_count + symbol];
        if (at.state == RECOURSE_NONE) {
            at = (struct rcs_origin){state, (uint8_t)symbol, RECOURSE_REASON_NONE};
        }
    } else {
        at = machine->state_from[state];
    }
    while (at.state != RECOURSE_NONE && length < sizeof path / sizeof path[0]) {
        path[length++] = at;
        at = machine->state_from[at.state];
    }
    for (size_t i = length; i-- > 0;) {
        bool followed_by_shared = i > 0 && machine->states[path[i - 1].state].place == RECOURSE_ATTEMPT &&
                                  path[i - 1].symbol >= RECOURSE_SYMBOL_DEADLINE &&
                                  path[i - 1].symbol < RECOURSE_SYMBOL_FAILURE;
        const char *word = word_for(machine, path[i], i == 0 || followed_by_shared);

        if (word != NULL) {
            text = *text == '\0' ? word : rcs_arena_format(machine->arena, "%s, %s", text, word);
        }
    }
    return text;
}
