/* From what `--policy` says to a policy that runs. */
#ifndef RCS_POLICIES_H
#define RCS_POLICIES_H

#include <recourse/policy.h>

#include "gen/compile.h"

/* The policies that one command has opened, each once. Zeroed, it is ready; they live until the arena is cleared. */
struct rcs_policies {
    struct rcs_arena arena;
    struct rcs_opened {
        const char *source;
        const struct recourse_policy *policy;
    } *items;
    size_t count;
    const char *command; /* for messages */
    bool quiet;          /* don't say that a model is walked */
};

/*
 * `source` is the name of a built-in policy or the path of a policy's file (with a slash in it, or ending in .md).
 * A file is read, checked and bound to the model; that is said in one line on stderr. NULL when it can't be had: its
 * errors are on stderr, and `text` says the rest.
 */
const struct recourse_policy *rcs_policies_open(struct rcs_policies *policies, const char *source, char *text,
                                                size_t size);

#endif
