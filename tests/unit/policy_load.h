/* Loads a policy for a test, and a directory to put files into. */
#ifndef RCS_POLICY_LOAD_H
#define RCS_POLICY_LOAD_H

#include <dirent.h>
#include <unistd.h>

#include "gen/compile.h"
#include "tests/unit/unit.h"

struct rcs_loaded_policy {
    struct rcs_arena arena;
    struct rcs_findings findings;
    struct rcs_loaded loaded;
    const struct recourse_policy *policy;
};

static inline void rcs_print_errors(const struct rcs_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct rcs_finding *at = &findings->items[i];

        if (at->severity == RCS_ERROR) {
            fprintf(stderr, "%u:%u [%s] %s\n", at->place.line, at->place.column, at->code, at->text);
        }
    }
}

/* Small policies: `plain` has as little of everything as a policy can have, and looks for no texts; `rich_2` has every
   kind of thing once, and texts that mean something to C, to Ragel and to the preprocessor. */
#define RCS_PLAIN "tests/unit/policies/plain.policy.md"
#define RCS_RICH "tests/unit/policies/rich_2.policy.md"

/* Reads a whole file; the test ends where that can't be done. */
static inline char *rcs_policy_text(struct rcs_arena *arena, const char *path)
{
    const char *why = NULL;
    size_t size;
    char *text = rcs_file_read(arena, path, &size, &why);

    if (text == NULL) {
        fprintf(stderr, "%s: %s (the tests are run from the root)\n", path, why);
        exit(1);
    }
    return text;
}

/* Reads, unrolls and binds `text`, or the file if that is NULL; the test fails where that can't be done. */
static inline bool rcs_load_policy(struct rcs_loaded_policy *at, const char *path, const char *text)
{
    bool good;

    memset(at, 0, sizeof *at);
    at->findings.arena = &at->arena;
    text = text != NULL ? text : rcs_policy_text(&at->arena, path);
    good = rcs_load(&at->arena, path, text, strlen(text), &at->findings, &at->loaded);
    if (good) {
        at->policy = rcs_bind(&at->arena, at->loaded.spec, at->loaded.machine, &at->findings);
    }
    rcs_print_errors(&at->findings);
    CU_ASSERT_TRUE(at->policy != NULL);
    return at->policy != NULL;
}

static inline void rcs_clear_policy(struct rcs_loaded_policy *at)
{
    rcs_arena_clear(&at->arena);
}

static inline char *rcs_scratch(struct rcs_arena *arena)
{
    const char *base = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : P_tmpdir;
    char *path = rcs_arena_format(arena, "%s/recourse-test.XXXXXX", base);

    if (mkdtemp(path) == NULL) {
        perror(path);
        exit(1);
    }
    return path;
}

/* Removes a directory of files; returns how many there were. */
static inline unsigned rcs_scratch_remove(struct rcs_arena *arena, const char *path)
{
    DIR *directory = opendir(path);
    unsigned count = 0;
    struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            unlink(rcs_arena_format(arena, "%s/%s", path, entry->d_name));
            count++;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    rmdir(path);
    return count;
}

#endif
