#include "policies.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "findings_out.h"

static bool is_path(const char *source)
{
    size_t size = strlen(source);

    return strchr(source, '/') != NULL || (size > 3 && strcmp(source + size - 3, ".md") == 0);
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
    snprintf(text + used, size - used, " (or give the path of a .policy.md)");
}

static const struct recourse_policy *read_file(struct rcs_policies *policies, const char *path, char *text, size_t size)
{
    struct rcs_findings findings = {.arena = &policies->arena};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    const struct recourse_policy *policy = NULL;
    const char *why = NULL;
    size_t file_size = 0;
    char *file = rcs_file_read(&policies->arena, path, &file_size, &why);

    if (file == NULL) {
        snprintf(text, size, "%s: the file can't be read: %s", path, why);
        return NULL;
    }
    if (rcs_load(&policies->arena, path, file, file_size, &findings, &loaded)) {
        policy = rcs_bind(&policies->arena, loaded.spec, loaded.machine, &findings);
    }
    if (policy == NULL || findings.by_severity[RCS_ERROR] > 0 || recourse_policy_check(policy) != RECOURSE_OK) {
        rcs_findings_sort(&findings);
        rcs_findings_print_errors(path, &findings);
        snprintf(text, size, "%s has errors", path);
        return NULL;
    }
    if (!policies->quiet) {
        fprintf(stderr, "recourse %s: %s is not compiled: its model is walked\n", policies->command, path);
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
    if (is_path(source)) {
        policy = read_file(policies, source, text, size);
    } else {
        policy = recourse_policy_builtin(source);
        if (policy == NULL) {
            unknown_name(source, text, size);
        }
    }
    if (policy == NULL) {
        return NULL;
    }
    opened = rcs_arena_push(&policies->arena, &policies->items, &policies->count, sizeof *opened);
    opened->source = rcs_arena_copy(&policies->arena, source, strlen(source));
    opened->policy = policy;
    return policy;
}
