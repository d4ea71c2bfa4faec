/* The system's C compiler. */
#ifndef RCS_CC_H
#define RCS_CC_H

#include <stdbool.h>

#include "finding.h"

/*
 * Builds the shared object `object` from the C file `source`, which includes the headers in the directory `include`. The
 * compiler is the one that CC names (a program with options, split at blanks), or `cc`. Where that can't be done, a
 * finding `cc` says why.
 */
bool rcs_cc_shared(struct rcs_arena *arena, const char *source, const char *object, const char *include,
                   struct rcs_findings *findings);

#endif
