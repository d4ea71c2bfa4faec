/* Runs the measured programs and the server. */
#include "tests/bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pid_t server;
static int server_input;
static char server_port[16];

void bench_fail(const char *format, ...)
{
    va_list list;

    fflush(stdout);
    fputs("bench: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    server_stop();
    exit(1);
}

/* `input` and `output`: -1 for /dev/null. Standard error stays ours where the output is wanted. */
static pid_t spawn(const char *const *arguments, int input, int output)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int error;

    posix_spawn_file_actions_init(&actions);
    if (input >= 0) {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    if (output >= 0) {
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    error = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        bench_fail("%s can't be run: %s", arguments[0], strerror(error));
    }
    return child;
}

static int status_of(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads to the end; keeps what comes before a line ends. */
static void read_line(int fd, char *line, size_t size)
{
    FILE *file = fdopen(fd, "r");
    char rest[256];

    line[0] = '\0';
    if (file == NULL) {
        bench_fail("no memory");
    }
    if (fgets(line, (int)size, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
    }
    while (fgets(rest, sizeof rest, file) != NULL) {
    }
    fclose(file);
}

bool run_program(const char *const *arguments, char *line, size_t size)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        bench_fail("no pipe: %s", strerror(errno));
    }
    child = spawn(arguments, -1, ends[1]);
    close(ends[1]);
    read_line(ends[0], line, size);
    return status_of(child) == 0;
}

double value_of(const char *line, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = line; (at = strstr(at, name)) != NULL; at += size) {
        if (at[size] == '=' && (at == line || at[-1] == ' ')) {
            return strtod(at + size + 1, NULL);
        }
    }
    bench_fail("no %s in '%s'", name, line);
}

double time_program(const char *const *arguments, int status)
{
    struct timespec begin;
    struct timespec end;
    int got;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    got = status_of(spawn(arguments, -1, -1));
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (got != status) {
        bench_fail("%s %s ended with %d", arguments[0], arguments[1] != NULL ? arguments[1] : "", got);
    }
    return (double)(end.tv_sec - begin.tv_sec) * 1000 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

void server_start(void)
{
    char program[256];
    const char *const arguments[] = {program, NULL};

    snprintf(program, sizeof program, "%s/server", built());
    server_start_program(arguments);
}

void server_start_program(const char *const *arguments)
{
    int to[2];
    int from[2];
    ssize_t got;

    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        bench_fail("no pipe: %s", strerror(errno));
    }
    server = spawn(arguments, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    got = read(from[0], server_port, sizeof server_port - 1);
    close(from[0]);
    if (got <= 0) {
        bench_fail("the server does not begin");
    }
    server_port[got] = '\0';
    server_port[strcspn(server_port, "\n")] = '\0';
    server_input = to[1];
}

void server_stop(void)
{
    if (server == 0) {
        return;
    }
    close(server_input);
    (void)status_of(server);
    server = 0;
}

const char *server_url(const char *path)
{
    static char url[128];

    snprintf(url, sizeof url, "http://127.0.0.1:%s%s", server_port, path);
    return url;
}
