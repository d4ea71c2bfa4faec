/* Policies in shared objects, for tests: built, opened, looked for in this process. */
#ifndef RCS_POLICY_OBJECT_KIT_H
#define RCS_POLICY_OBJECT_KIT_H

#include "tests/unit/policy_load.h"

#define INCLUDE "include"

static struct rcs_arena arena;
static char *directory;

static inline const char *in_directory(const char *name)
{
    return rcs_arena_format(&arena, "%s/%s", directory, name);
}

static inline void begin(void)
{
    memset(&arena, 0, sizeof arena);
    directory = rcs_scratch(&arena);
}

static inline void end(void)
{
    (void)rcs_scratch_remove(&arena, directory);
    rcs_arena_clear(&arena);
}

/* Builds `name`.so from the policy `plain` with one text put in the place of another. */
static inline const char *build(const char *name, const char *was, const char *is)
{
    char *text = rcs_policy_text(&arena, RCS_PLAIN);
    char *at = strstr(text, was);
    const char *target = in_directory(name);
    struct rcs_loaded_policy policy;

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    text = rcs_arena_format(&arena, "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&policy, RCS_PLAIN, text));
    CU_ASSERT_TRUE(rcs_compile_shared(&policy.arena, policy.loaded.spec, policy.loaded.machine, directory, INCLUDE,
                                      &policy.findings));
    rcs_print_errors(&policy.findings);
    RCS_EQUAL(rename(in_directory("plain.so"), target), 0);
    rcs_clear_policy(&policy);
    return target;
}

static inline const char *build_plain(const char *name)
{
    return build(name, "plain", "plain");
}

static inline const struct recourse_policy *open_policy(const char *path)
{
    const struct recourse_policy *policy = NULL;
    struct recourse_error error = {RECOURSE_OK, ""};

    RCS_EQUAL(recourse_policy_open(path, &policy, &error), RECOURSE_OK);
    RCS_TEXT_EQUAL(error.text, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(policy);
    return policy;
}

/* Whether an object that was loaded from a file of that name is in this process. */
static inline bool is_mapped(const char *name)
{
    struct rcs_arena own = {0};
    const char *why = NULL;
    size_t size;
    char *maps = rcs_file_read(&own, "/proc/self/maps", &size, &why);
    bool found;

    CU_ASSERT_PTR_NOT_NULL_FATAL(maps);
    found = strstr(maps, rcs_arena_format(&own, "recourse:%s ", name)) != NULL;
    rcs_arena_clear(&own);
    return found;
}

#endif
