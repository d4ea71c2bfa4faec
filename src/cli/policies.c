#include "policies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "findings_out.h"
#include "policy_cache.h"
#include "spec_open.h"

static bool ends_in(const char *source, const char *ending)
{
    size_t size = strlen(source);
    size_t length = strlen(ending);

    return size > length && strcmp(source + size - length, ending) == 0;
}

static const char *builtin_name(const void *user, size_t index)
{
    (void)user;
    return recourse_policy_builtin_name(index);
}

static void unknown_name(const char *source, char *text, size_t size)
{
    const char *near = rcs_nearest(source, builtin_name, NULL);
    size_t used;

    if (near != NULL) {
        snprintf(text, size, "there is no built-in policy '%s': did you mean '%s'?", source, near);
        return;
    }
    snprintf(text, size, "there is no built-in policy '%s'; there are:", source);
    for (size_t i = 0; recourse_policy_builtin_name(i) != NULL; i++) {
        used = strlen(text);
        snprintf(text + used, size - used, " %s", recourse_policy_builtin_name(i));
    }
    used = strlen(text);
    snprintf(text + used, size - used, " (or give the path of a .policy.md or .so)");
}

/* One policy's file on its way to a policy. */
struct file {
    struct rcs_policies *policies;
    const char *path;
    const char *content;
    size_t size;
    struct rcs_loaded loaded;
    struct rcs_findings findings;
    bool checked;
    bool good;
    bool examples_alone; /* are not: the model may be looked at, and nothing goes into the cache */
};

/* All checks, once. An object in the cache has gone through them already. */
static bool check_file(struct file *file)
{
    if (file->checked) {
        return file->good;
    }
    file->checked = true;
    file->good = rcs_load(&file->policies->arena, file->path, file->content, file->size, &file->findings,
                          &file->loaded);
    file->examples_alone = !file->good && file->policies->despite_examples && file->loaded.machine != NULL &&
                           rcs_only_examples(&file->findings);
    if (file->examples_alone) {
        rcs_examples_warn(file->policies->command, file->path, &file->findings);
    } else if (!file->good) {
        rcs_findings_print_errors(file->path, &file->findings);
    }
    return file->good;
}

/* Out of the cache, or into it. NULL: the file has errors, or `*why` says why it could not be compiled. */
static const struct recourse_policy *compiled(struct file *file, const char **why)
{
    struct rcs_arena *arena = &file->policies->arena;
    struct rcs_findings findings = {.arena = arena};
    struct rcs_spec *spec = rcs_spec_read(arena, file->path, file->content, file->size, &findings);
    const struct recourse_policy *policy = NULL;
    struct rcs_cache cache;

    if (spec == NULL || findings.by_severity[RCS_ERROR] > 0 || !rcs_cache_open(&cache, arena, spec, why)) {
        return NULL;
    }
    policy = rcs_cache_find(&cache);
    if (policy == NULL && check_file(file)) {
        policy = rcs_cache_build(&cache, file->loaded.machine, why);
    }
    rcs_cache_close(&cache);
    return policy;
}

static const struct recourse_policy *walked(struct file *file, const char *why)
{
    const struct recourse_policy *policy;

    if (!check_file(file) && !file->examples_alone) {
        return NULL;
    }
    policy = rcs_bind(&file->policies->arena, file->loaded.spec, file->loaded.machine, &file->findings);
    if (policy == NULL || recourse_policy_check(policy) != RECOURSE_OK) {
        rcs_findings_print_errors(file->path, &file->findings);
        return NULL;
    }
    if (why != NULL) {
        rcs_cli_error(file->policies->command, "%s is not compiled, its model is walked: %s", file->path, why);
    }
    return policy;
}

static bool cache_is_off(void)
{
    const char *setting = getenv("RECOURSE_CACHE");

    return setting != NULL && strcmp(setting, "off") == 0;
}

static const struct recourse_policy *read_file(struct rcs_policies *policies, const char *path, char *text, size_t size)
{
    struct file file = {.policies = policies, .path = path, .findings = {.arena = &policies->arena}};
    const struct recourse_policy *policy = NULL;
    const char *why = NULL;

    file.content = rcs_file_read(&policies->arena, path, &file.size, &why);
    if (file.content == NULL) {
        snprintf(text, size, "%s: the file can't be read: %s", path, why);
        return NULL;
    }
    if (!policies->no_cache && !cache_is_off()) {
        policy = compiled(&file, &why);
    }
    if (policy == NULL) {
        policy = walked(&file, why);
    }
    if (policy == NULL) {
        snprintf(text, size, "%s has errors", path);
    }
    return policy;
}

static const struct recourse_policy *open_object(const char *path, char *text, size_t size)
{
    const struct recourse_policy *policy = NULL;
    struct recourse_error error = {.code = RECOURSE_OK};

    if (recourse_policy_open(path, &policy, &error) != RECOURSE_OK) {
        snprintf(text, size, "%s", error.text);
        return NULL;
    }
    return policy;
}

/* `text` is set where it returns NULL. */
static const struct recourse_policy *open_source(struct rcs_policies *policies, const char *source, char *text,
                                                 size_t size)
{
    const struct recourse_policy *policy;

    if (ends_in(source, ".so")) {
        return open_object(source, text, size);
    }
    if (strchr(source, '/') != NULL || ends_in(source, ".md")) {
        return read_file(policies, source, text, size);
    }
    policy = recourse_policy_builtin(source);
    if (policy == NULL) {
        unknown_name(source, text, size);
    }
    return policy;
}

const struct recourse_policy *rcs_policies_open(struct rcs_policies *policies, const char *source, char *text,
                                                size_t size)
{
    const struct recourse_policy *policy;
    struct rcs_opened *opened;

    for (size_t i = 0; i < policies->count; i++) {
        if (strcmp(policies->items[i].source, source) == 0) {
            return policies->items[i].policy;
        }
    }
    policy = open_source(policies, source, text, size);
    if (policy == NULL) {
        return NULL;
    }
    opened = rcs_arena_push(&policies->arena, &policies->items, &policies->count, sizeof *opened);
    opened->source = rcs_arena_copy(&policies->arena, source, strlen(source));
    opened->policy = policy;
    return policy;
}

void rcs_policies_clear(struct rcs_policies *policies)
{
    for (size_t i = 0; i < policies->count; i++) {
        recourse_policy_release(policies->items[i].policy);
    }
    policies->items = NULL;
    policies->count = 0;
    rcs_arena_clear(&policies->arena);
}
