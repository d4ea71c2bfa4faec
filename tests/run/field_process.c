/* The command, many times at once: started, listened to, interrupted where a line asks for it, and waited for. */
#include "tests/run/field.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 24u
#define WORDS_MAX 32u
#define TICK_MS 10
#define GIVE_UP_MS 60000u

extern char **environ;

/* ---- starting ---- */

/* What the line asks for besides: `options` are further words, `environment` further variables. */
static size_t add_texts(const cJSON *list, char **words, size_t used)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list) {
        if (cJSON_IsString(item) && used + 1 < WORDS_MAX) {
            words[used++] = item->valuestring;
        }
    }
    return used;
}

static char **make_environment(const struct rcs_field *field)
{
    const cJSON *extra = rcs_field_member(field, "environment");
    size_t count = 0;
    char **all;

    while (environ[count] != NULL) {
        count++;
    }
    all = rcs_must_alloc(NULL, (count + WORDS_MAX + 1) * sizeof *all);
    memcpy(all, environ, count * sizeof *all);
    count += add_texts(extra, all + count, 0);
    all[count] = NULL;
    return all;
}

static int spawn(struct rcs_field *field, int errors)
{
    char tools[96], calls[96], report[96], out[96];
    char run[] = "run", name[] = "recourse", policy_word[] = "--policy", tools_word[] = "--tools";
    char report_word[] = "--report", log_word[] = "--log";
    char *policy = cJSON_GetStringValue(rcs_field_member(field, "policy"));
    char *words[WORDS_MAX] = {name, run, policy_word, policy, tools_word, tools, report_word, report, log_word};
    char **environment = make_environment(field);
    posix_spawn_file_actions_t actions;
    size_t used = add_texts(rcs_field_member(field, "options"), words, 9);
    int why;

    rcs_field_path(field, "tools", tools);
    rcs_field_path(field, "report", report);
    rcs_field_path(field, "out", out);
    rcs_field_path(field, "calls", calls);
    words[used++] = calls;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    why = posix_spawn(&field->child, field->command, &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return why;
}

static bool start(struct rcs_field *field)
{
    int ends[2];
    int why;

    if (cJSON_GetStringValue(rcs_field_member(field, "policy")) == NULL) {
        rcs_field_fault(field, "it names no policy");
        return false;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        rcs_field_fault(field, "no pipe: %s", strerror(errno));
        return false;
    }
    why = spawn(field, ends[1]);
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* what the command leaves running may hold the other end */
    field->errors = ends[0];
    field->began_ms = rcs_field_now_ms();
    if (why != 0) {
        field->child = 0;
        rcs_field_fault(field, "%s can't be started: %s", field->command, strerror(why));
    }
    return why == 0;
}

/* ---- while it runs ---- */

/* Whether all that the line waits for has come: a text in the log, so many requests to each path, or messages to
   each MCP server, files that tools have written to. */
static bool has_come(const struct rcs_field *field, const cJSON *interrupt)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(interrupt, "log_has"));
    const cJSON *server;
    const cJSON *count;
    const cJSON *file;
    struct stat about;
    char path[96];

    if (text != NULL && (field->log.data == NULL || strstr(field->log.data, text) == NULL)) {
        return false;
    }
    cJSON_ArrayForEach(count, cJSON_GetObjectItemCaseSensitive(interrupt, "requests")) {
        if ((double)rcs_faulty_count(field->server, count->string) < count->valuedouble) {
            return false;
        }
    }
    cJSON_ArrayForEach(server, cJSON_GetObjectItemCaseSensitive(interrupt, "mcp")) {
        cJSON_ArrayForEach(count, server) {
            if ((double)rcs_field_mcp_count(field, server->string, count->string) < count->valuedouble) {
                return false;
            }
        }
    }
    cJSON_ArrayForEach(file, cJSON_GetObjectItemCaseSensitive(interrupt, "files")) {
        if (stat(rcs_field_path(field, file->valuestring, path), &about) != 0 || about.st_size == 0) {
            return false; /* a shell makes it before it writes */
        }
    }
    return true;
}

static void interrupt_if_due(struct rcs_field *field)
{
    const cJSON *interrupt = rcs_field_member(field, "interrupt");
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(interrupt, "signal"));

    if (interrupt == NULL || field->interrupted || !has_come(field, interrupt)) {
        return;
    }
    field->interrupted = true;
    field->began_ms = rcs_field_now_ms(); /* how long it takes is counted from here */
    kill(field->child, name != NULL && strcmp(name, "TERM") == 0 ? SIGTERM : SIGINT);
}

static void listen_to(struct rcs_field *field)
{
    char block[8192];
    ssize_t got = read(field->errors, block, sizeof block);

    if (got > 0) {
        rcs_bytes_add(&field->log, block, (size_t)got);
    } else if (got == 0 || errno != EINTR) {
        close(field->errors);
        field->errors = -1;
    }
}

/* Whether the command has gone. */
static bool reap(struct rcs_field *field)
{
    uint64_t now = rcs_field_now_ms();
    int status = 0;

    if (waitpid(field->child, &status, WNOHANG) != field->child) {
        if (now - field->began_ms <= GIVE_UP_MS) {
            return false;
        }
        rcs_field_fault(field, "no end after %u s", GIVE_UP_MS / 1000u);
        kill(field->child, SIGKILL);
        waitpid(field->child, &status, 0);
    }
    field->child = 0;
    field->took_ms = now - field->began_ms;
    field->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    while (field->errors >= 0) {
        listen_to(field);
    }
    return true;
}

/* ---- all of them ---- */

static void step(struct rcs_field **running, size_t count)
{
    struct pollfd polled[AT_ONCE];

    for (size_t i = 0; i < count; i++) {
        polled[i] = (struct pollfd){.fd = running[i]->errors, .events = POLLIN};
    }
    if (poll(polled, count, TICK_MS) < 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (polled[i].revents != 0) {
            listen_to(running[i]);
        }
        interrupt_if_due(running[i]);
    }
}

static void end(struct rcs_field *field)
{
    if (rcs_field_member(field, "interrupt") != NULL && !field->interrupted) {
        rcs_field_fault(field, "it ended before it was interrupted");
    }
    rcs_field_judge(field);
    rcs_field_close(field);
}

void rcs_field_run_all(struct rcs_field *fields, size_t count, const char *command)
{
    struct rcs_field *running[AT_ONCE];
    size_t used = 0;
    size_t next = 0;

    while (next < count || used > 0) {
        size_t kept = 0;

        while (next < count && used < AT_ONCE) {
            struct rcs_field *field = &fields[next++];
            field->command = command;
            if (rcs_field_open(field) && start(field)) {
                running[used++] = field;
            } else {
                field->verdict = RCS_FIELD_BAD;
                rcs_field_close(field);
            }
        }
        step(running, used);
        for (size_t i = 0; i < used; i++) {
            if (reap(running[i])) {
                end(running[i]);
            } else {
                running[kept++] = running[i];
            }
        }
        used = kept;
    }
}
