#include "gen/ragel.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX 4096u
#define ARGUMENTS_MAX 16u

#define INSTALL "install Ragel " RCS_RAGEL_VERSION " (the package `ragel` of Debian, Ubuntu, Fedora and Homebrew)"

extern char **environ;

static void fail(struct rcs_findings *findings, const char *text)
{
    rcs_find(findings, RCS_ERROR, "ragel", (struct rcs_place){0, 0}, NULL, NULL, "%s", text);
}

/* Reads all there is and keeps the beginning, so that Ragel is never held up by a full pipe. */
static char *drain(struct rcs_arena *arena, int descriptor)
{
    char *kept = rcs_arena_alloc(arena, OUTPUT_MAX + 1);
    char block[4096];
    size_t size = 0;
    ssize_t got;

    while ((got = read(descriptor, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
        size_t take = got > 0 ? (size_t)got : 0;

        take = take < OUTPUT_MAX - size ? take : OUTPUT_MAX - size;
        memcpy(kept + size, block, take);
        size += take;
    }
    return kept;
}

static int wait_for(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int spawn(pid_t *child, int output, char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    }
    if (error == 0) {
        error = posix_spawnp(child, "ragel", &actions, NULL, arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Returns the exit status, or -1 with a finding; `*output` is what it wrote to stdout and stderr. */
static int run(struct rcs_arena *arena, const char *const *arguments, char **output, struct rcs_findings *findings)
{
    char *copies[ARGUMENTS_MAX] = {rcs_arena_copy(arena, "ragel", 5)};
    int ends[2];
    pid_t child;
    int error;
    int status;

    for (size_t i = 0; arguments[i] != NULL && i + 2 < ARGUMENTS_MAX; i++) {
        copies[i + 1] = rcs_arena_copy(arena, arguments[i], strlen(arguments[i]));
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fail(findings, rcs_arena_format(arena, "Ragel can't be run: %s", strerror(errno)));
        return -1;
    }
    error = spawn(&child, ends[1], copies);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        fail(findings, error == ENOENT ? "`ragel` is not in PATH: " INSTALL
                                       : rcs_arena_format(arena, "Ragel can't be run: %s", strerror(error)));
        return -1;
    }
    *output = drain(arena, ends[0]);
    close(ends[0]);
    status = wait_for(child);
    if (status < 0) {
        fail(findings, "Ragel ended abnormally");
    }
    return status;
}

static char *first_line(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    return text;
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
             rcs_arena_format(arena, "the `ragel` in PATH is another version (\"%s\"): " INSTALL, first_line(output)));
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
             rcs_arena_format(arena, "Ragel refuses the state chart (exit %d): %s", status, first_line(output)));
    }
    return status == 0;
}
