/* Which conditions of a policy some facts meet, for those who write down how a failure got its name. */
#ifndef RCS_ATOMS_H
#define RCS_ATOMS_H

#include <recourse/policy.h>

/* Whether a condition looks into what a tool or a server wrote: headers, texts, JSON, results. */
static inline bool rcs_atom_is_content(uint8_t kind)
{
    return kind != RECOURSE_ATOM_TOOL && kind >= RECOURSE_ATOM_HEADER_IS && kind <= RECOURSE_ATOM_RESULT_JSON_HAS;
}

/*
 * Calls `held` for each condition on content that the facts meet, in the rows of Failures up to `last` (RECOURSE_NONE: all),
 * with the row and the condition's place in it, from 0. Conditions that can't count, since they judge successes and
 * the facts claim none or the other way round, are left out.
 */
void rcs_atoms_held(const struct recourse_policy *policy, const struct recourse_facts *facts, uint16_t last,
                    void (*held)(void *user, uint16_t row, uint16_t atom), void *user);

#endif
