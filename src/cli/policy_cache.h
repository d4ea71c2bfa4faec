/*
 * Policies that were compiled before: shared objects in a directory of our own.
 *
 *   $XDG_CACHE_HOME/recourse/NAME-KEY.so, or ~/.cache/recourse/...
 *
 * KEY is a SHA-256 over the digests of the policy's file and behaviour, the ABI and the version of recourse. The directory
 * is ours alone (0700, no symbolic link) or it is not used. Each object ends in a digest of itself, and has to hold the
 * policy that is asked for; whatever else is found under its name is built again. All of it may be deleted at any time.
 */
#ifndef RCS_POLICY_CACHE_H
#define RCS_POLICY_CACHE_H

#include <recourse/policy.h>

#include "gen/compile.h"

/* The cache for one policy. The directory is open. */
struct rcs_cache {
    struct rcs_arena *arena;
    const struct rcs_spec *spec; /* without errors */
    const char *path;            /* of the directory */
    const char *name;            /* of the object in it */
    int directory;
};

/* Opens the directory, made if missing. False: `*why` says why there is no cache. To be closed. */
bool rcs_cache_open(struct rcs_cache *cache, struct rcs_arena *arena, const struct rcs_spec *spec, const char **why);
void rcs_cache_close(struct rcs_cache *cache);

/* The policy as it is in the cache, with a reference for the caller; NULL: it isn't, or not in a state to be used. */
const struct recourse_policy *rcs_cache_find(const struct rcs_cache *cache);

/* Builds it, and puts it into the cache. The spec has been checked. NULL: `*why` says why that could not be done. */
const struct recourse_policy *rcs_cache_build(const struct rcs_cache *cache, const struct rcs_machine *machine,
                                              const char **why);

#endif
