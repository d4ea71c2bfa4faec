/* A policy's text, read and checked, for the commands that look at its model. */
#ifndef RCS_SPEC_OPEN_H
#define RCS_SPEC_OPEN_H

#include "gen/compile.h"

/* How a command speaks of it: {"simulate", "walked", false}. */
struct rcs_spec_reader {
    const char *command;
    const char *done;
    bool despite_examples; /* those that come out otherwise are said, and no more: they are no part of what a policy does */
};

/* A file, or a built-in policy (policy_text.h). False if it can't be read or has errors: they are on stderr. All of it lives
   in the arena. `shown` is what the file is called, where it is not where it lies. */
bool rcs_spec_open(const struct rcs_spec_reader *reader, struct rcs_arena *arena, const char *path, const char *shown,
                   struct rcs_loaded *loaded);

#endif
