/* From what `--policy` says to a policy that runs. */
#ifndef RCS_POLICIES_H
#define RCS_POLICIES_H

#include <recourse/policy.h>

#include "gen/compile.h"

/* The policies that one command has opened, each once. Zeroed, it is ready. */
struct rcs_policies {
    struct rcs_arena arena;
    struct rcs_opened {
        const char *source;
        const struct recourse_policy *policy;
    } *items;
    size_t count;
    const char *command;   /* for messages */
    bool despite_examples; /* those that come out otherwise are said, and the model is walked: nothing may run by it */
    bool no_cache;         /* walk the model of a policy's file, without a word about it */
};

/* For the pages of the commands. */
#define RCS_CACHE_HELP                                                               \
    "A .policy.md is compiled once, by ragel and the C compiler (cc, or CC), into\n"  \
    "$XDG_CACHE_HOME/recourse or ~/.cache/recourse, which has to be yours alone.\n"   \
    "Where that can't be done its model is walked, which decides the same, and a\n"   \
    "line on standard error says why. RECOURSE_CACHE=off does as --no-cache.\n"

/*
 * `source` is the name of a built-in policy, or a path: with a slash in it, or ending in .md or .so. A shared object is
 * opened as it is. A policy's file is read and checked, and comes compiled out of the cache (policy_cache.h); where that
 * can't be, it is bound to its model, and one line on stderr says why. NULL when it can't be had: its errors are on
 * stderr, and `text` says the rest.
 */
const struct recourse_policy *rcs_policies_open(struct rcs_policies *policies, const char *source, char *text,
                                                size_t size);

/* Lets go of all of them, when nothing runs by them any more. */
void rcs_policies_clear(struct rcs_policies *policies);

#endif
