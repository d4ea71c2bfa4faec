#include "gen/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX 4096u

extern char **environ;

/* Reads all there is and keeps the beginning, so that the program is never held up by a full pipe. */
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
        error = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int rcs_program_run(struct rcs_arena *arena, const char *const *arguments, char **output, int *error)
{
    char **copies;
    size_t count = 0;
    int ends[2];
    pid_t child;

    while (arguments[count] != NULL) {
        count++;
    }
    copies = rcs_arena_alloc(arena, (count + 1) * sizeof *copies);
    for (size_t i = 0; i < count; i++) {
        copies[i] = rcs_arena_copy(arena, arguments[i], strlen(arguments[i]));
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = errno;
        return -1;
    }
    *error = spawn(&child, ends[1], copies);
    close(ends[1]);
    if (*error != 0) {
        close(ends[0]);
        return -1;
    }
    *output = drain(arena, ends[0]);
    close(ends[0]);
    return wait_for(child);
}

char *rcs_program_first_line(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    return text;
}
