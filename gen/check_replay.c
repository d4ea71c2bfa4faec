/* What is tried again, although it may have acted. */
#include "gen/check.h"

/* Whether a symbol of an attempt's state is a failure, and which one. */
static bool find_failure(const struct rcs_spec *spec, unsigned symbol, uint16_t *failure)
{
    if (symbol < RECOURSE_SYMBOL_FAILURE || symbol >= RECOURSE_SYMBOL_FAILURE + 4u * spec->failure_count) {
        return false;
    }
    *failure = (uint16_t)((symbol - RECOURSE_SYMBOL_FAILURE) / 4u);
    return true;
}

/* How often a failure is tried again: at all, and where it may do something twice. */
struct replays {
    const char *any[RECOURSE_FAILURES_MAX];    /* the words of the first run that does; NULL: none */
    const char *unsafe[RECOURSE_FAILURES_MAX];
    const char *rows[RECOURSE_FAILURES_MAX];   /* the row of the latter */
    bool told[RECOURSE_FAILURES_MAX];
};

static bool listed(const struct rcs_spec *spec, uint16_t failure)
{
    for (size_t i = 0; i < spec->unsafe_replay_count; i++) {
        if (spec->unsafe_replay[i] == failure) {
            return true;
        }
    }
    return false;
}

static void look_at(const struct rcs_check *check, uint16_t state, unsigned symbol, struct replays *replays)
{
    const struct rcs_spec *spec = check->spec;
    const struct rcs_machine *machine = check->machine;
    const struct recourse_move *move = &machine->moves[state * machine->symbol_count + symbol];
    const struct rcs_spec_row *row;
    struct rcs_case at;
    uint16_t failure;

    if (!rcs_case_reachable(machine, state, symbol) || move->row == RECOURSE_NONE ||
        machine->states[move->state].place != RECOURSE_BACKOFF || !find_failure(spec, symbol, &failure)) {
        return;
    }
    rcs_symbol_case(spec, RECOURSE_ATTEMPT, (uint8_t)symbol, &at);
    row = &spec->rows[move->row];
    if (replays->any[failure] == NULL) {
        replays->any[failure] = rcs_witness(machine, state, symbol);
    }
    if (at.safe || !at.acted_now) {
        return;
    }
    if (replays->unsafe[failure] == NULL) {
        replays->unsafe[failure] = rcs_witness(machine, state, symbol);
        replays->rows[failure] = row->id;
    }
    if (listed(spec, failure) || replays->told[failure]) {
        return;
    }
    replays->told[failure] = true;
    rcs_find(check->findings, RCS_ERROR, "unsafe-replay", row->place, row->id, replays->unsafe[failure],
             "row %s tries '%s' again although the tool may have acted (effect %s); guard it with 'safe', or list it under "
             "'unsafe replay'",
             row->id, spec->failures[failure].name, recourse_effect_name(spec->failures[failure].effect));
}

static void tell_consent(const struct rcs_check *check, const struct replays *replays)
{
    const struct rcs_spec *spec = check->spec;

    for (size_t i = 0; i < spec->unsafe_replay_count; i++) {
        uint16_t failure = spec->unsafe_replay[i];

        if (replays->unsafe[failure] != NULL) {
            rcs_find(check->findings, RCS_NOTICE, "replays", spec->unsafe_replay_places[i], replays->rows[failure],
                     replays->unsafe[failure],
                     "'%s' is tried again although the tool may have acted: a tool that is not safe may act twice",
                     spec->failures[failure].name);
        } else {
            rcs_find(check->findings, RCS_WARNING, "unused", spec->unsafe_replay_places[i], NULL, NULL,
                     "'%s' is listed under 'unsafe replay', but no row replays it unsafely; take it out",
                     spec->failures[failure].name);
        }
    }
}

static void tell_other(const struct rcs_check *check, const struct replays *replays)
{
    const struct rcs_spec *spec = check->spec;
    const struct rcs_spec_fact_row *last = &spec->fact_rows[spec->fact_row_count - 1];

    if (last->atom_count == 1 && last->atoms[0].atom.kind == RECOURSE_ATOM_OTHER && replays->any[last->failure] != NULL) {
        rcs_find(check->findings, RCS_WARNING, "other-retried", last->when_place, last->id, replays->any[last->failure],
                 "'%s' takes in every failure that no row names, and it is tried again", spec->failures[last->failure].name);
    }
}

void rcs_check_replay(const struct rcs_check *check)
{
    struct replays replays = {.any = {NULL}};

    for (uint16_t state = 0; state < check->machine->state_count; state++) {
        for (unsigned symbol = 0; symbol < check->machine->symbol_count; symbol++) {
            if (check->machine->states[state].place == RECOURSE_ATTEMPT) {
                look_at(check, state, symbol, &replays);
            }
        }
    }
    tell_consent(check, &replays);
    tell_other(check, &replays);
}
