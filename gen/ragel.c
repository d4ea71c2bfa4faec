#include "gen/ragel.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "gen/program.h"

#define ARGUMENTS_MAX 16u

#define INSTALL "install Ragel " RCS_RAGEL_VERSION " (the package `ragel` of Debian, Ubuntu, Fedora and Homebrew)"

static void fail(struct rcs_findings *findings, const char *text)
{
    rcs_find(findings, RCS_ERROR, "ragel", (struct rcs_place){0, 0}, NULL, NULL, "%s", text);
}

/* Returns the exit status, or -1 with a finding; `*output` is what it wrote to stdout and stderr. */
static int run(struct rcs_arena *arena, const char *const *arguments, char **output, struct rcs_findings *findings)
{
    const char *all[ARGUMENTS_MAX] = {"ragel"};
    int error = 0;
    int status;

    for (size_t i = 0; arguments[i] != NULL && i + 2 < ARGUMENTS_MAX; i++) {
        all[i + 1] = arguments[i];
    }
    status = rcs_program_run(arena, all, output, &error);
    if (status >= 0) {
        return status;
    }
    if (error == ENOENT) {
        fail(findings, "`ragel` is not in PATH: " INSTALL);
    } else if (error != 0) {
        fail(findings, rcs_arena_format(arena, "Ragel can't be run: %s", strerror(error)));
    } else {
        fail(findings, "Ragel ended abnormally");
    }
    return -1;
}

bool rcs_ragel_check(struct rcs_arena *arena, struct rcs_findings *findings)
{
    static const char *const arguments[] = {"--version", NULL};
    char *output = NULL;
    int status = run(arena, arguments, &output, findings);

    if (status < 0) {
        return false;
    }
    if (status != 0 || strstr(output, "version " RCS_RAGEL_VERSION " ") == NULL) {
        fail(findings,
             rcs_arena_format(arena, "the `ragel` in PATH is another version (\"%s\"): " INSTALL, rcs_program_first_line(output)));
        return false;
    }
    return true;
}

bool rcs_ragel_run(struct rcs_arena *arena, const char *const *arguments, struct rcs_findings *findings)
{
    char *output = NULL;
    int status = run(arena, arguments, &output, findings);

    if (status > 0) {
        fail(findings,
             rcs_arena_format(arena, "Ragel refuses the state chart (exit %d): %s", status, rcs_program_first_line(output)));
    }
    return status == 0;
}
