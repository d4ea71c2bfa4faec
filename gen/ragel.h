/* Runs Ragel. */
#ifndef RCS_RAGEL_H
#define RCS_RAGEL_H

#include <stdbool.h>

#include "finding.h"

#define RCS_RAGEL_VERSION "6.10"

/* Whether `ragel` is in PATH and of the version that this compiler knows; if not, a finding `ragel` says what to
   install. */
bool rcs_ragel_check(struct rcs_arena *arena, struct rcs_findings *findings);

/* Runs `ragel` with `arguments` (NULL-terminated, without the program's own name). Where it fails, a finding `ragel`
   has what it said. */
bool rcs_ragel_run(struct rcs_arena *arena, const char *const *arguments, struct rcs_findings *findings);

#endif
