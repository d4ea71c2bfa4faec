/* The checks of meaning, one room each; rcs_check calls them in this order. */
#ifndef RCS_CHECK_H
#define RCS_CHECK_H

#include "model.h"

struct rcs_check {
    const struct rcs_spec *spec;
    const struct rcs_machine *machine;
    struct rcs_findings *findings;
};

void rcs_check_cases(const struct rcs_check *check);    /* gap, overlap, never-used, idle-guard, other-takes */
void rcs_check_graph(const struct rcs_check *check);    /* unreachable, trap, endless */
void rcs_check_rows(const struct rcs_check *check);     /* labels, messages, reminders, one wait a failure */
void rcs_check_names(const struct rcs_check *check);    /* unused */
void rcs_check_failures(const struct rcs_check *check); /* shadowed, impossible, not-produced, unproven-none */
void rcs_check_replay(const struct rcs_check *check);   /* unsafe-replay, other-retried */
void rcs_check_waits(const struct rcs_check *check);    /* arithmetic, dead-wait, past-deadline */
void rcs_check_shared(const struct rcs_check *check);   /* unused budgets, over-cost, idle-cost, breaker-counts */
void rcs_check_review(const struct rcs_check *check);   /* no-jitter, several-roles, false-claim */
void rcs_check_examples(const struct rcs_check *check); /* example */

/* Whether no try shows what both atoms ask for. */
bool rcs_atoms_exclude(const struct recourse_atom *a, const struct recourse_atom *b);

/* The longest a call can take. */
void rcs_worst_case(const struct rcs_check *check, struct rcs_worst *worst);

#endif
