/*
 * demo RECOURSE: starts the faulty server, lets the command run a turn of calls against it, and prints what the report
 * says beside what the server saw. Exits 1 where the two disagree, or where a call did not end as it should.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fcntl.h>

#include "tests/demo/demo.h"

#define RUN_SECONDS_MAX 30

extern char **environ;

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

static bool make_paths(struct rcs_demo_paths *paths)
{
    snprintf(paths->directory, sizeof paths->directory, P_tmpdir "/recourse-demo-XXXXXX");
    if (mkdtemp(paths->directory) == NULL) {
        fprintf(stderr, "demo: no directory under %s: %s\n", P_tmpdir, strerror(errno));
        return false;
    }
    snprintf(paths->tools, sizeof paths->tools, "%s/tools.json", paths->directory);
    snprintf(paths->calls, sizeof paths->calls, "%s/calls.json", paths->directory);
    snprintf(paths->report, sizeof paths->report, "%s/report.json", paths->directory);
    snprintf(paths->out, sizeof paths->out, "%s/out.json", paths->directory);
    snprintf(paths->errors, sizeof paths->errors, "%s/errors.txt", paths->directory);
    return true;
}

static void remove_paths(const struct rcs_demo_paths *paths)
{
    const char *const files[] = {paths->tools, paths->calls, paths->report, paths->out, paths->errors};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        unlink(files[i]);
    }
    rmdir(paths->directory);
}

/* What the command said, where it did not do its work. */
static void print_file(const char *path)
{
    FILE *file = fopen(path, "r");
    int byte;

    while (file != NULL && (byte = fgetc(file)) != EOF) {
        fputc(byte, stderr);
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* Waits for the child; kills it when it takes far too long. Returns its exit status, or -1. */
static int wait_for(pid_t child)
{
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
    bool late = ended.fd >= 0 && poll(&ended, 1, RUN_SECONDS_MAX * 1000) == 0;
    int status;

    if (late) {
        fprintf(stderr, "demo: no end after %d s\n", RUN_SECONDS_MAX);
        kill(child, SIGKILL);
    }
    if (ended.fd >= 0) {
        close(ended.fd);
    }
    return waitpid(child, &status, 0) == child && !late && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool run_command(const char *command, struct rcs_demo_paths *paths)
{
    char run[] = "run", policy[] = "--policy", lightspeed[] = "lightspeed", tools[] = "--tools", report[] = "--report";
    char name[] = "recourse";
    char *arguments[] = {name, run, policy, lightspeed, tools, paths->tools, report, paths->report, paths->calls, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int why;
    int status;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, paths->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, paths->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    why = posix_spawn(&child, command, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (why != 0) {
        fprintf(stderr, "demo: %s can't be started: %s\n", command, strerror(why));
        return false;
    }
    status = wait_for(child);
    if (status != 0) {
        fprintf(stderr, "demo: %s exited with %d\n", command, status);
        print_file(paths->errors);
    }
    return status == 0;
}

static void print_head(const struct rcs_demo_report *report, const char *command, unsigned port)
{
    printf("%zu tool calls of one model's reply, and what became of each\n\n", rcs_demo_call_count);
    printf("  policy   %s, behaviour %.12s (spec/%s.policy.md)\n", report->policy, report->digest, report->policy);
    printf("  server   http://127.0.0.1:%u, which fails as it is told to\n", port);
    printf("  command  %s run --policy lightspeed --tools TOOLS --report REPORT CALLS\n\n", command);
}

/* Each of the four has to be seen. */
static unsigned missing_scenarios(const struct rcs_demo_report *report)
{
    static const char *const labels[] = {"1", "2", "3a", "3b"};
    unsigned missing = 0;

    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        bool seen = false;
        for (size_t c = 0; c < rcs_demo_call_count && !seen; c++) {
            char padded[80], label[8];
            snprintf(padded, sizeof padded, " %s ", report->outcomes[c].scenarios);
            snprintf(label, sizeof label, " %s ", labels[i]);
            seen = strstr(padded, label) != NULL;
        }
        if (!seen) {
            printf("scenario %s was not seen\n", labels[i]);
            missing++;
        }
    }
    return missing;
}

static bool print_verdict(const struct rcs_demo_report *report, struct rcs_faulty *server, uint64_t took_ms)
{
    unsigned tries = 0;
    unsigned wrong;

    printf("1: could not be valid. 2: waits and is tried again, nobody is told. 3a: the model may correct it. "
           "3b: any other failure.\n"
           "row (with its line), wait and tries stand in the report; gap and requests are the server's own log.\n\n");
    wrong = rcs_demo_compare(report, server, stdout) + missing_scenarios(report);
    for (size_t i = 0; i < rcs_demo_call_count; i++) {
        tries += report->outcomes[i].tries;
    }
    if (wrong > 0) {
        printf("They disagree: %u time%s, see above.\n", wrong, wrong == 1 ? "" : "s");
        return false;
    }
    printf("They agree: %u tries, %zu requests, no gap shorter than its wait, every body what the model wrote, "
           "byte for byte.\n"
           "All four scenarios were seen, in %.1f s.\n",
           tries, rcs_faulty_count(server, NULL), (double)took_ms / 1000.0);
    return true;
}

static bool demo(const char *command, struct rcs_faulty *server, struct rcs_demo_paths *paths)
{
    struct rcs_demo_report report;
    uint64_t began = now_ms();
    bool good;

    if (!rcs_demo_script(server) || !rcs_demo_write_tools(paths->tools, rcs_faulty_port(server)) ||
        !rcs_demo_write_calls(paths->calls) || !run_command(command, paths)) {
        return false;
    }
    good = rcs_demo_read_report(paths->report, &report);
    if (good) {
        uint64_t took_ms = now_ms() - began;
        print_head(&report, command, rcs_faulty_port(server));
        rcs_demo_print_table(&report, server, stdout);
        good = print_verdict(&report, server, took_ms);
    }
    rcs_demo_clear_report(&report);
    return good;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "build/recourse";
    struct rcs_demo_paths paths;
    struct rcs_faulty *server;
    bool good = false;

    if (access(command, X_OK) != 0) {
        fprintf(stderr, "demo: %s is not there: `make` builds it\n", command);
        return 1;
    }
    server = rcs_faulty_new();
    if (server == NULL || rcs_faulty_start(server) != 0) {
        fprintf(stderr, "demo: the server can't be started: %s\n", strerror(errno));
        rcs_faulty_free(server);
        return 1;
    }
    if (make_paths(&paths)) {
        good = demo(command, server, &paths);
        remove_paths(&paths);
    }
    rcs_faulty_free(server);
    return good ? 0 : 1;
}
