/* What the parts of core know about a policy beyond its header. */
#ifndef RCS_POLICY_INTERNAL_H
#define RCS_POLICY_INTERNAL_H

#include <recourse/policy.h>

/* 0 if the policy is of this library's format and can be called at all; cheap. Else RECOURSE_E_ABI or
   RECOURSE_E_ARGUMENT. */
int rcs_policy_check_format(const struct recourse_policy *policy);

/* The first 8 bytes of the behaviour digest, little-endian: what a call remembers of its policy. */
uint64_t rcs_policy_tag(const struct recourse_policy *policy);

/* Whether a name, which may end in `*`, fits a tool's. */
bool rcs_policy_name_fits(const char *name, const char *tool);

#endif
