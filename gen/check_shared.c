/* What calls share: budgets that waits draw on, breakers that count evidence about the transport. */
#include "gen/check.h"

static void check_budget(const struct rcs_check *check, size_t index)
{
    const struct rcs_spec_budget *budget = &check->spec->budgets[index];

    for (size_t w = 0; w < check->spec->wait_count; w++) {
        if (check->spec->waits[w].budget == index) {
            return;
        }
    }
    rcs_find(check->findings, RCS_WARNING, "unused", budget->place, budget->budget.id, NULL,
             "no wait draws on the budget '%s'", budget->budget.id);
}

static void check_cost(const struct rcs_check *check, const struct rcs_spec_wait *wait)
{
    const struct recourse_budget *budget = &check->spec->budgets[wait->budget].budget;
    uint32_t least = wait->cost > budget->needs ? wait->cost : budget->needs;

    if (least + (uint64_t)budget->takes > budget->holds) {
        rcs_find(check->findings, RCS_ERROR, "over-cost", wait->cost_place, wait->id, NULL,
                 "wait '%s' can never begin: '%s' holds %u, of which a failure takes %u, and the wait needs %u",
                 wait->id, budget->id, budget->holds, budget->takes, least);
    } else if (wait->cost == 0 && budget->takes == 0) {
        rcs_find(check->findings, RCS_WARNING, "idle-cost", wait->cost_place, wait->id, NULL,
                 "wait '%s' costs nothing, and a failure takes nothing of '%s': it is never over budget", wait->id,
                 budget->id);
    }
}

/* Whether a condition says that the other side could not be reached, or did not work. */
static bool is_about_transport(const struct recourse_atom *atom)
{
    switch (atom->kind) {
    case RECOURSE_ATOM_HTTP:
        return atom->low >= 500 && atom->high <= 599;
    case RECOURSE_ATOM_NETWORK:
    case RECOURSE_ATOM_TIMEOUT:
    case RECOURSE_ATOM_UNSENT:
    case RECOURSE_ATOM_SESSION_EXPIRED:
    case RECOURSE_ATOM_PROTOCOL:
    case RECOURSE_ATOM_SPAWN:
        return true;
    default:
        return false;
    }
}

/* Each group of conditions joined by `and` needs one about the transport. */
static bool row_is_about_transport(const struct rcs_spec_fact_row *row)
{
    bool group = false;

    for (size_t i = 0; i < row->atom_count; i++) {
        group = group || is_about_transport(&row->atoms[i].atom);
        if (row->atoms[i].atom.last_of_and) {
            if (!group) {
                return false;
            }
            group = false;
        }
    }
    return true;
}

static void check_breaker(const struct rcs_check *check, const struct rcs_spec_breaker *breaker)
{
    const struct rcs_spec *spec = check->spec;

    for (size_t i = 0; i < spec->fact_row_count; i++) {
        const struct rcs_spec_fact_row *row = &spec->fact_rows[i];

        if ((breaker->breaker.counts >> row->failure & 1u) != 0 && !row_is_about_transport(row)) {
            rcs_find(check->findings, RCS_ERROR, "breaker-counts", breaker->counts_place,
                     rcs_arena_format(check->findings->arena, "%s, %s", breaker->breaker.id, row->id), NULL,
                     "'%s' counts '%s', which row %s names without evidence about the transport; count failures whose "
                     "conditions are network, timeout, unsent, spawn, protocol, session expired or http 500-599",
                     breaker->breaker.id, spec->failures[row->failure].name, row->id);
        }
    }
}

void rcs_check_shared(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;

    for (size_t i = 0; i < spec->budget_count; i++) {
        check_budget(check, i);
    }
    for (size_t i = 0; i < spec->wait_count; i++) {
        if (spec->waits[i].budget != RECOURSE_NONE) {
            check_cost(check, &spec->waits[i]);
        }
    }
    for (size_t i = 0; i < spec->breaker_count; i++) {
        check_breaker(check, &spec->breakers[i]);
    }
}
