/* A policy's text, read and checked, for the commands that look at its model. */
#ifndef RCS_SPEC_OPEN_H
#define RCS_SPEC_OPEN_H

#include "gen/compile.h"

/* How a command speaks of it: {"simulate", "walked"}. */
struct rcs_spec_reader {
    const char *command;
    const char *done;
};

/* A file, or a built-in policy (policy_text.h). False if it can't be read or has errors: they are on stderr. Examples that come
   out otherwise are said, and no more: they are no part of what a policy does. All of it lives in the arena. `shown` is what
   the file is called, where it is not where it lies. */
bool rcs_spec_open(const struct rcs_spec_reader *reader, struct rcs_arena *arena, const char *path, const char *shown,
                   struct rcs_loaded *loaded);

/* Whether all errors are of examples. */
bool rcs_only_examples(const struct rcs_findings *findings);
/* Says which ones, on one line. */
void rcs_examples_warn(const char *command, const char *shown, const struct rcs_findings *findings);

#endif
