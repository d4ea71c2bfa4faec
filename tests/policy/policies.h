/* The policies under test: each as it was written, bound, and, if it comes with the library, as Ragel's code. */
#ifndef RCS_POLICIES_H
#define RCS_POLICIES_H

#include "gen/compile.h"
#include "tests/unit/unit.h"

#define RCS_POLICIES_MAX 64u

struct rcs_tested {
    struct rcs_arena arena;
    struct rcs_findings findings;
    struct rcs_loaded loaded;
    const struct recourse_policy *bound;
    const struct recourse_policy *ragel; /* NULL: this one is not part of the library */
};

static struct rcs_tested policies[RCS_POLICIES_MAX];
static size_t policy_count;

static inline bool rcs_policies_add(const char *path)
{
    struct rcs_tested *at = &policies[policy_count];
    const char *why = NULL;
    size_t size;
    char *text;

    at->findings.arena = &at->arena;
    text = rcs_file_read(&at->arena, path, &size, &why);
    if (text == NULL) {
        fprintf(stderr, "%s: %s\n", path, why);
        return false;
    }
    if (rcs_load(&at->arena, path, text, size, &at->findings, &at->loaded)) {
        at->bound = rcs_bind(&at->arena, at->loaded.spec, at->loaded.machine, &at->findings);
    }
    if (at->bound == NULL) {
        fprintf(stderr, "%s: the policy has errors\n", path);
        return false;
    }
    at->ragel = recourse_policy_builtin(at->bound->name);
    if (at->ragel == NULL && strncmp(path, "spec/", 5) == 0) {
        fprintf(stderr, "%s: the policy is not built in\n", path);
        return false;
    }
    policy_count++;
    return true;
}

/* The files that are given, or those of the built-in policies; and those that have a bit of everything. */
static inline bool rcs_policies_load(int argument_count, char **arguments)
{
    static const char *const more[] = {"tests/unit/policies/plain.policy.md", "tests/unit/policies/rich_2.policy.md",
                                       "tests/policies/shared.policy.md"};
    char path[256];
    bool good = true;

    for (int i = 1; i < argument_count && policy_count + 3 < RCS_POLICIES_MAX; i++) {
        good = rcs_policies_add(arguments[i]) && good;
    }
    for (size_t i = 0; argument_count <= 1 && recourse_policy_builtin_name(i) != NULL; i++) {
        snprintf(path, sizeof path, "spec/%s.policy.md", recourse_policy_builtin_name(i));
        good = rcs_policies_add(path) && good;
    }
    for (size_t i = 0; i < RCS_COUNT(more); i++) {
        good = rcs_policies_add(more[i]) && good;
    }
    return good;
}

static inline void rcs_policies_clear(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        rcs_arena_clear(&policies[i].arena);
    }
}

/* Each of the ways in which a policy runs. */
static inline size_t rcs_policies_ways(const struct rcs_tested *at, const struct recourse_policy *ways[2])
{
    ways[0] = at->bound;
    ways[1] = at->ragel;
    return at->ragel == NULL ? 1 : 2;
}

#endif
