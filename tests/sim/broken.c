#include "tests/sim/broken.h"

#include <string.h>

const struct sim_broken sim_broken[SIM_BROKEN_COUNT] = {
    {"early", SIM_BROKEN_EARLY, SIM_EARLY},
    {"oversleep", SIM_BROKEN_OVERSLEEP, SIM_LATE},
    {"drops", SIM_BROKEN_DROPS, SIM_LATE},
    {"resend", SIM_BROKEN_RESEND, SIM_TWICE},
    {"unsent", SIM_BROKEN_UNSENT, SIM_EFFECT},
    {"invents", SIM_BROKEN_INVENTS, SIM_FACTS},
    {"body", SIM_BROKEN_BODY, SIM_REQUEST},
    {"key", SIM_BROKEN_KEY, SIM_REQUEST},
    {"once-more", SIM_BROKEN_ONCE_MORE, SIM_TRIES},
    {"unsafe", SIM_BROKEN_UNSAFE, SIM_MODEL},
    {"revive", SIM_BROKEN_REVIVE, SIM_MODEL},
    {"longer", SIM_BROKEN_LONGER, SIM_WINDOW},
    {"row", SIM_BROKEN_ROW, SIM_MODEL},
    {"two-results", SIM_BROKEN_TWO_RESULTS, SIM_ONE_RESULT},
    {"no-result", SIM_BROKEN_NO_RESULT, SIM_ONE_RESULT},
    {"leak", SIM_BROKEN_LEAK, SIM_MEMORY},
    {"hoard", SIM_BROKEN_HOARD, SIM_MEMORY},
    {"limit", SIM_BROKEN_LIMIT, SIM_LIMIT},
    {"yes", SIM_BROKEN_YES, SIM_APPROVAL},
};

const struct sim_broken *sim_broken_named(const char *name)
{
    for (size_t i = 0; i < SIM_BROKEN_COUNT; i++) {
        if (strcmp(sim_broken[i].name, name) == 0) {
            return &sim_broken[i];
        }
    }
    return NULL;
}

bool sim_is_broken(const struct world *world, enum sim_breakage what)
{
    return world->options->broken != NULL && world->options->broken->what == what;
}

bool sim_breaks(struct world *world, enum sim_breakage what)
{
    return sim_is_broken(world, what) && sim_chance(&world->random, 50);
}

/* ---- policies whose tables do other things than what was written ---- */

static const struct sim_policy *owner(const struct recourse_policy *policy)
{
    return (const struct sim_policy *)(const void *)policy;
}

static struct recourse_move right_move(const struct recourse_policy *policy, uint16_t state, unsigned symbol)
{
    return owner(policy)->right->move(owner(policy)->right, state, (uint8_t)symbol);
}

static uint8_t place(const struct recourse_policy *policy, struct recourse_move move)
{
    return move.row != RECOURSE_NONE ? policy->states[move.state].place : (uint8_t)RECOURSE_PLACE_COUNT;
}

static bool is_failure(const struct recourse_policy *policy, unsigned symbol)
{
    return symbol >= RECOURSE_SYMBOL_FAILURE && symbol < RECOURSE_SYMBOL_FAILURE + 4u * policy->failure_count;
}

/* Where tries are spent it waits once more, in some other waiting state. */
static struct recourse_move once_more(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    struct recourse_move move = right_move(policy, state, symbol);

    if (!owner(policy)->bent || policy->states[state].place != RECOURSE_ATTEMPT || !is_failure(policy, symbol) || (symbol - RECOURSE_SYMBOL_FAILURE) % 2 != 0 ||
        place(policy, move) != RECOURSE_EXHAUSTED || policy->rows[move.row].wait == RECOURSE_NONE) {
        return move;
    }
    for (uint16_t to = 0; to < policy->state_count; to++) {
        if (policy->states[to].place == RECOURSE_BACKOFF) {
            move.state = to;
        }
    }
    return move;
}

static struct recourse_move take_for_safe(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    bool unsafe = policy->states[state].place == RECOURSE_ATTEMPT && is_failure(policy, symbol) &&
                  ((symbol - RECOURSE_SYMBOL_FAILURE) & 2u) != 0;

    return right_move(policy, state, unsafe ? symbol - 2u : symbol);
}

/* Cancelled while it waits, it goes on. */
static struct recourse_move revive(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    bool waits = policy->states[state].place == RECOURSE_BACKOFF;

    return right_move(policy, state, waits && symbol == RECOURSE_EVENT_CANCELLED ? (unsigned)RECOURSE_EVENT_ELAPSED : symbol);
}

static struct recourse_move other_row(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    struct recourse_move move = right_move(policy, state, symbol);

    if (place(policy, move) == RECOURSE_REPORTED && move.row > 0) {
        move.row--;
    }
    return move;
}

void sim_break_policy(struct world *world, struct sim_policy *policy)
{
    if (sim_is_broken(world, SIM_BROKEN_ONCE_MORE)) {
        policy->policy.move = once_more;
    } else if (sim_is_broken(world, SIM_BROKEN_UNSAFE)) {
        policy->policy.move = take_for_safe;
    } else if (sim_is_broken(world, SIM_BROKEN_REVIVE)) {
        policy->policy.move = revive;
    } else if (sim_is_broken(world, SIM_BROKEN_ROW)) {
        policy->policy.move = other_row;
    } else if (sim_is_broken(world, SIM_BROKEN_LONGER)) {
        memcpy(policy->waits, policy->policy.waits, policy->policy.wait_count * sizeof policy->waits[0]);
        for (size_t i = 0; i < policy->policy.wait_count; i++) {
            policy->waits[i].jitter_percent++;
            policy->waits[i].jitter = RECOURSE_JITTER_PLUS;
        }
        policy->policy.waits = policy->waits;
    }
}
