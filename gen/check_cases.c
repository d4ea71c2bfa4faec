/* Does every case that can occur have one row, and every row a case? */
#include <string.h>

#include "gen/check.h"
#include "gen/index.h"

/* A case that can occur, where it occurs first. Of those that no row can tell apart there is one: states are many, since they
   count tries and uses of waits. */
struct visit {
    struct {
        uint16_t event;
        uint8_t place, reason;
        bool later, safe, acted;
    } key;
    const struct rcs_check *check;
    uint16_t state;
    unsigned symbol;
    struct rcs_case at;
    struct rcs_hit hit;
};

static void add_case(struct rcs_index *cases, const struct rcs_check *check, uint16_t state, unsigned symbol)
{
    const struct rcs_history *history = &check->machine->states[state];
    struct visit here;
    struct visit *own;
    bool fresh;

    memset(&here, 0, sizeof here);
    rcs_symbol_case(check->spec, history->place, (uint8_t)symbol, &here.at);
    here.key.event = here.at.event;
    here.key.place = history->place;
    here.key.reason = here.at.reason;
    here.key.later = history->tries > 1;
    here.key.safe = here.at.safe;
    here.key.acted = history->acted || here.at.acted_now;
    own = rcs_index_at(cases, rcs_index_put(cases, &here.key, &fresh));
    if (fresh) {
        here.check = check;
        here.state = state;
        here.symbol = symbol;
        here.hit = rcs_model_row(check->spec, history, &here.at);
        *own = here;
    }
}

static void find_cases(const struct rcs_check *check, struct rcs_index *cases)
{
    const struct rcs_machine *machine = check->machine;

    *cases = (struct rcs_index){.arena = check->findings->arena,
                                .key_size = sizeof ((struct visit *)0)->key,
                                .item_size = sizeof(struct visit)};
    for (uint16_t state = 0; state < machine->state_count; state++) {
        for (unsigned index = 0; index < machine->symbol_count; index++) {
            unsigned symbol = rcs_symbol_ordered(check->spec, index);

            if (rcs_case_reachable(machine, state, symbol)) {
                add_case(cases, check, state, symbol);
            }
        }
    }
}

static void each_case(const struct rcs_index *cases, void (*visit)(const struct visit *visit, void *user), void *user)
{
    for (size_t i = 0; i < cases->count; i++) {
        visit(rcs_index_at(cases, i), user);
    }
}

/* ---- gap and overlap ---- */

struct seen {
    bool gaps[RECOURSE_PLACE_COUNT][RECOURSE_EVENT_FAILURE + RECOURSE_FAILURES_MAX];
    bool *pairs; /* [row * row_count + row] */
    bool *used;  /* rows */
};

static const char *describe(const struct visit *visit)
{
    const struct rcs_history *history = &visit->check->machine->states[visit->state];
    struct rcs_arena *arena = visit->check->findings->arena;
    bool acted = history->acted || visit->at.acted_now;
    const char *when = history->tries <= 1 ? "first try" : "later try";

    if (history->place == RECOURSE_EXHAUSTED) {
        const char *reason = recourse_reason_name(visit->at.reason);

        return rcs_arena_format(arena, " (%s, %s%s%s)", when, acted ? "may have acted" : "never acted",
                                *reason ? ", " : "", reason);
    }
    if (history->place == RECOURSE_ATTEMPT) {
        return rcs_arena_format(arena, " (%s, %s, %s)", when, visit->at.safe ? "safe" : "unsafe",
                                acted ? "may have acted" : "never acted");
    }
    return history->place != RECOURSE_BACKOFF ? "" : acted ? " (may have acted)" : " (never acted)";
}

static void find_gap(const struct visit *visit, struct seen *seen)
{
    const struct rcs_check *check = visit->check;
    uint8_t place = check->machine->states[visit->state].place;

    if (seen->gaps[place][visit->at.event]) {
        return;
    }
    seen->gaps[place][visit->at.event] = true;
    rcs_find(check->findings, RCS_ERROR, "gap", check->spec->state_places[place], NULL,
             rcs_witness(check->machine, visit->state, visit->symbol),
             "no row of state %s takes '%s'%s; add one, or widen a guard", recourse_place_name(place),
             rcs_spec_event_name(check->spec, visit->at.event), describe(visit));
}

static void find_overlap(const struct visit *visit, struct seen *seen)
{
    const struct rcs_check *check = visit->check;
    const struct rcs_spec_row *first = &check->spec->rows[visit->hit.row];
    const struct rcs_spec_row *second = &check->spec->rows[visit->hit.second];
    bool *pair = &seen->pairs[visit->hit.row * check->spec->row_count + visit->hit.second];

    if (*pair) {
        return;
    }
    *pair = true;
    rcs_find(check->findings, RCS_ERROR, "overlap", second->place,
             rcs_arena_format(check->findings->arena, "%s, %s", first->id, second->id),
             rcs_witness(check->machine, visit->state, visit->symbol),
             "rows %s and %s both take '%s'%s; narrow one of them", first->id, second->id,
             rcs_spec_event_name(check->spec, visit->at.event), describe(visit));
}

static void look_at(const struct visit *visit, void *user)
{
    struct seen *seen = user;

    if (visit->hit.count == 0) {
        find_gap(visit, seen);
        return;
    }
    seen->used[visit->hit.row] = true;
    if (visit->hit.count > 1) {
        seen->used[visit->hit.second] = true;
        find_overlap(visit, seen);
    }
}

static bool has_live_event(const struct rcs_spec *spec, const struct rcs_spec_row *row)
{
    for (size_t i = 0; i < row->event_count; i++) {
        if (rcs_event_is_live(spec, row->events[i])) {
            return true;
        }
    }
    return row->other;
}

static bool place_is_reached(const struct rcs_machine *machine, uint8_t place)
{
    for (size_t i = 0; i < machine->state_count; i++) {
        if (machine->states[i].place == place) {
            return true;
        }
    }
    return false;
}

static void find_unused_rows(const struct rcs_check *check, const bool *used)
{
    const struct rcs_spec *spec = check->spec;

    for (size_t i = 0; i < spec->row_count; i++) {
        const struct rcs_spec_row *row = &spec->rows[i];

        if (used[i] || !place_is_reached(check->machine, row->table)) {
            continue; /* of a table that no run leads to, that is said once */
        }
        if (!has_live_event(spec, row)) {
            rcs_find(check->findings, RCS_WARNING, "never-used", row->place, row->id, NULL,
                     "row %s takes only events that the settings switch off", row->id);
            continue;
        }
        rcs_find(check->findings, RCS_ERROR, "never-used", row->place, row->id, NULL,
                 "row %s can never be used: no run leads to a case that it takes", row->id);
    }
}

/* ---- guards that say nothing ---- */

/* A guard is idle if the row would take the same cases without one of its parts. */
struct idle {
    const struct rcs_spec_row *row;
    struct rcs_guard without;
    bool differs;
};

static bool allows(const struct rcs_guard *guard, const struct visit *visit)
{
    const struct rcs_history *history = &visit->check->machine->states[visit->state];
    bool acted = history->acted || visit->at.acted_now;

    return (guard->tries & (history->tries <= 1 ? RCS_TRY_FIRST : RCS_TRY_LATER)) &&
           (history->place == RECOURSE_EXHAUSTED || (guard->safety & (visit->at.safe ? RCS_SAFE : RCS_UNSAFE))) &&
           (guard->acted & (acted ? RCS_MAY_HAVE_ACTED : RCS_NEVER_ACTED)) &&
           (history->place != RECOURSE_EXHAUSTED || (guard->reasons & 1u << visit->at.reason));
}

static bool concerns(const struct rcs_spec *spec, const struct rcs_spec_row *row, uint16_t event)
{
    for (size_t i = 0; i < row->event_count; i++) {
        if (row->events[i] == event) {
            return true;
        }
    }
    return row->other && rcs_event_other_takes(spec, row->table, event);
}

static void compare_guards(const struct visit *visit, void *user)
{
    struct idle *idle = user;

    if (visit->check->machine->states[visit->state].place == idle->row->table &&
        concerns(visit->check->spec, idle->row, visit->at.event) &&
        allows(&idle->row->guard, visit) != allows(&idle->without, visit)) {
        idle->differs = true;
    }
}

static void find_idle_guard(const struct rcs_check *check, const struct rcs_index *cases, const struct rcs_spec_row *row)
{
    struct idle part[4];
    static const char *const what[4] = {"try", "safe or unsafe", "acted", "reason"};

    for (int i = 0; i < 4; i++) {
        part[i] = (struct idle){row, row->guard, false};
    }
    part[0].without.tries = RCS_TRY_FIRST | RCS_TRY_LATER;
    part[1].without.safety = RCS_SAFE | RCS_UNSAFE;
    part[2].without.acted = RCS_NEVER_ACTED | RCS_MAY_HAVE_ACTED;
    part[3].without.reasons = RCS_REASONS_ALL;
    for (int i = 0; i < 4; i++) {
        if (memcmp(&part[i].without, &row->guard, sizeof row->guard) == 0) {
            continue;
        }
        each_case(cases, compare_guards, &part[i]);
        if (!part[i].differs) {
            rcs_find(check->findings, RCS_WARNING, "idle-guard", row->if_place, row->id, NULL,
                     "the guard of row %s says nothing about %s that is not so anyway; leave it out", row->id, what[i]);
        }
    }
}

/* ---- what `other` takes in ---- */

struct taken {
    uint16_t row;
    const char *witness; /* of the first */
    bool events[RECOURSE_EVENT_FAILURE + RECOURSE_FAILURES_MAX];
};

static void collect(const struct visit *visit, void *user)
{
    struct taken *taken = user;

    if (visit->hit.row != taken->row) {
        return;
    }
    taken->events[visit->at.event] = true;
    if (taken->witness == NULL) {
        taken->witness = rcs_witness(visit->check->machine, visit->state, visit->symbol);
    }
}

static void tell_other(const struct rcs_check *check, const struct rcs_index *cases, uint16_t index)
{
    const struct rcs_spec_row *row = &check->spec->rows[index];
    struct taken taken = {.row = index};
    const char *list = "";

    each_case(cases, collect, &taken);
    for (uint16_t event = 0; event < rcs_event_end(check->spec); event++) {
        if (taken.events[event]) {
            list = rcs_arena_format(check->findings->arena, "%s%s%s", list, *list ? ", " : "",
                                    rcs_spec_event_name(check->spec, event));
        }
    }
    if (*list) {
        rcs_find(check->findings, RCS_NOTICE, "other-takes", row->on_place, row->id, taken.witness,
                 "'other' takes in %s%s", list,
                 row->next == RCS_NEXT_BACKOFF_OR_EXHAUSTED ? ", and they are tried again" : "");
    }
}

void rcs_check_cases(const struct rcs_check *check)
{
    struct seen seen = {.pairs = NULL};
    size_t rows = check->spec->row_count;
    struct rcs_index cases;

    seen.pairs = rcs_arena_alloc(check->findings->arena, rows * rows + 1);
    seen.used = rcs_arena_alloc(check->findings->arena, rows + 1);
    find_cases(check, &cases);
    each_case(&cases, look_at, &seen);
    find_unused_rows(check, seen.used);
    for (uint16_t i = 0; i < rows; i++) {
        if (seen.used[i]) {
            find_idle_guard(check, &cases, &check->spec->rows[i]);
        }
        if (check->spec->rows[i].other) {
            tell_other(check, &cases, i);
        }
    }
}
