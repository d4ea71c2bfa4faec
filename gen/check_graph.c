/* The unrolled machine as a graph: can every table be reached, can every call end? */
#include "gen/check.h"

static void find_unreachable(const struct rcs_check *check)
{
    bool reached[RECOURSE_PLACE_COUNT] = {false};

    for (size_t i = 0; i < check->machine->state_count; i++) {
        reached[check->machine->states[i].place] = true;
    }
    for (uint8_t place = 0; place < RECOURSE_PLACE_COUNT; place++) {
        struct rcs_place at = check->spec->state_places[place];

        if (!reached[place]) { /* a policy that never waits is one, too */
            rcs_find(check->findings, place == RECOURSE_ATTEMPT || place == RECOURSE_REPORTED ? RCS_ERROR : RCS_WARNING,
                     "unreachable", at, NULL, NULL, "no run leads to state %s", recourse_place_name(place));
        }
    }
}

static const struct recourse_move *move_of(const struct rcs_machine *machine, uint16_t state, unsigned symbol)
{
    const struct recourse_move *move = &machine->moves[state * machine->symbol_count + symbol];

    return rcs_case_reachable(machine, state, symbol) && move->row != RECOURSE_NONE ? move : NULL;
}

/* States from which `reported` can be reached, found backwards until nothing more is added. */
static void mark_ending(const struct rcs_machine *machine, bool *ends)
{
    bool more = true;

    for (uint16_t i = 0; i < machine->state_count; i++) {
        ends[i] = machine->states[i].place == RECOURSE_REPORTED;
    }
    while (more) {
        more = false;
        for (uint16_t state = (uint16_t)machine->state_count; state-- > 0;) {
            for (unsigned symbol = 0; !ends[state] && symbol < machine->symbol_count; symbol++) {
                const struct recourse_move *move = move_of(machine, state, symbol);

                if (move != NULL && ends[move->state]) {
                    ends[state] = true;
                    more = true;
                }
            }
        }
    }
}

static void find_traps(const struct rcs_check *check)
{
    const struct rcs_machine *machine = check->machine;
    bool *ends = rcs_arena_alloc(check->findings->arena, machine->state_count);
    bool told[RECOURSE_PLACE_COUNT] = {false};

    mark_ending(machine, ends);
    for (uint16_t state = 0; state < machine->state_count; state++) {
        uint8_t place = machine->states[state].place;

        if (!ends[state] && !told[place]) {
            told[place] = true;
            rcs_find(check->findings, RCS_ERROR, "trap", check->spec->state_places[place], NULL,
                     rcs_witness(machine, state, 256), "a call that comes to state %s here is never reported",
                     recourse_place_name(place));
        }
    }
}

/*
 * A way round would be a call without end. States are numbered as they are found, and each try opens new ones, so a move that
 * leads from an attempt to one with no more tries, or backwards into one already left, is such a way.
 */
static void find_endless(const struct rcs_check *check)
{
    const struct rcs_machine *machine = check->machine;

    for (uint16_t state = 0; state < machine->state_count; state++) {
        for (unsigned symbol = 0; symbol < machine->symbol_count; symbol++) {
            const struct recourse_move *move = move_of(machine, state, symbol);
            const struct rcs_history *from = &machine->states[state];
            const struct rcs_history *to = move == NULL ? NULL : &machine->states[move->state];

            if (to == NULL || to->place > from->place || (to->place == RECOURSE_ATTEMPT && to->tries > from->tries)) {
                continue;
            }
            rcs_find(check->findings, RCS_ERROR, "endless", check->spec->rows[move->row].place,
                     check->spec->rows[move->row].id, rcs_witness(machine, state, symbol),
                     "row %s leads back without a further try being counted", check->spec->rows[move->row].id);
            return;
        }
    }
}

void rcs_check_graph(const struct rcs_check *check)
{
    find_unreachable(check);
    find_traps(check);
    find_endless(check);
}
