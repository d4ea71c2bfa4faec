/* The programs: how they are run, what has to hold for each, and what they need. */
#include "tests/fault/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 20

const char *const fault_kinds[FAULT_KINDS] = {"alloc", "write", "sync", "spawn", "connect", "open"};

void fault_fail(const char *what)
{
    fprintf(stderr, "fault: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- files ---- */

void fault_path(const struct place *place, const char *name, char path[FAULT_PATH])
{
    snprintf(path, FAULT_PATH, "%s/%s", place->folder, name);
}

static void read_file(const char *path, char text[FAULT_OUTPUT])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, FAULT_OUTPUT - 1) : 0;

    text[size > 0 ? size : 0] = '\0';
    if (fd >= 0) {
        close(fd);
    }
}

static void write_file(const struct place *place, const char *name, const char *text)
{
    char path[FAULT_PATH];
    FILE *file;

    fault_path(place, name, path);
    file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        fault_fail(path);
    }
}

/* ---- running ---- */

static void become(const struct place *place, char *const words[], const char *plan)
{
    static const char *const names[] = {"out", "err"};
    char path[FAULT_PATH];
    int nothing = open("/dev/null", O_RDONLY);

    dup2(nothing, STDIN_FILENO);
    for (int i = 0; i < 2; i++) {
        fault_path(place, names[i], path);
        dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), i + 1);
    }
    setpgid(0, 0);
    if (plan != NULL) {
        fault_path(place, "counts", path);
        setenv("FAULT_OUT", path, 1);
        setenv("FAULT_PLAN", plan, 1);
        snprintf(path, sizeof path, "%s/tests/fault/preload.so", place->build);
        setenv("LD_PRELOAD", path, 1);
    }
    execv(words[0], words);
    _exit(127);
}

static void read_counts(const struct place *place, struct ended *ended)
{
    char path[FAULT_PATH];
    char text[FAULT_OUTPUT];
    const char *at = text;

    fault_path(place, "counts", path);
    read_file(path, text);
    unlink(path);
    ended->live = -1;
    ended->where[0] = '\0';
    for (size_t i = 0; i < FAULT_KINDS && (at = strchr(at, '=')) != NULL; i++) {
        ended->counts[i] = strtoul(++at, NULL, 10);
    }
    if (at != NULL && (at = strchr(at, '=')) != NULL) {
        ended->live = strtol(at + 1, NULL, 10);
        at = strchr(at + 1, '=');
        snprintf(ended->where, sizeof ended->where, "%.*s", at != NULL ? (int)strcspn(at + 1, "\n") : 0, at != NULL ? at + 1 : "");
    }
}

void fault_run(const struct place *place, char *const words[], const char *plan, struct ended *ended)
{
    char path[FAULT_PATH];
    pid_t child = fork();
    struct pollfd end = {.events = POLLIN};
    int status = 0;

    if (child == 0) {
        become(place, words, plan);
    }
    end.fd = (int)syscall(SYS_pidfd_open, child, 0);
    if (child < 0 || end.fd < 0) {
        fault_fail("fork");
    }
    ended->status = -1;
    if (poll(&end, 1, SECONDS * 1000) != 1) {
        kill(child, SIGKILL);
        ended->status = -2;
    }
    close(end.fd);
    waitpid(child, &status, 0);
    if (ended->status == -1 && WIFEXITED(status)) {
        ended->status = WEXITSTATUS(status);
    }
    fault_path(place, "out", path);
    read_file(path, ended->out);
    fault_path(place, "err", path);
    read_file(path, ended->err);
    if (plan != NULL) {
        read_counts(place, ended);
    }
    /* What it started is gone with it, or was never in its group. */
    if (kill(-child, 0) == 0 && ended->status >= 0) {
        kill(-child, SIGKILL);
        ended->status = -3;
    }
}

/* ---- fault_scenarios ---- */

static const char *one_line(const struct ended *ended)
{
    const char *end = strchr(ended->err, '\n');

    return ended->err[0] == '\0' ? "it failed, and says nothing" : end == NULL ? "what it says is no line" : NULL;
}

static void run_words(const struct place *place, char *words[], char text[][FAULT_PATH])
{
    static const char *const options[] = {"--no-cache", "--tools",   "--audit",  "--disclosure",
                                          "--report",   "--metrics", "--policy", "--approve=yes"};
    static const char *const names[] = {"", "tools.json", "log", "log-salts", "report", "metrics", "quick.policy.md", ""};
    const size_t last = sizeof options / sizeof options[0] + 1;
    char path[FAULT_PATH];
    size_t count = 0;

    snprintf(text[0], FAULT_PATH, "%s/recourse", place->build);
    words[count++] = text[0];
    words[count++] = "run";
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        fault_path(place, names[i], text[i + 1]);
        words[count++] = (char *)options[i];
        if (names[i][0] != '\0') {
            words[count++] = text[i + 1];
        }
    }
    fault_path(place, "calls.json", path);
    strcpy(text[last], path);
    words[count++] = text[last];
    words[count] = NULL;
}

static const char *judge_run(const struct place *place, const struct ended *ended)
{
    (void)place;
    if (ended->status == 0) {
        return strstr(ended->out, "\"tool_call_id\":\"a\"") != NULL && strstr(ended->out, "\"tool_call_id\":\"b\"") != NULL &&
                       strstr(ended->out, "\"tool_call_id\":\"c\"") != NULL && strchr(ended->out, ']') != NULL
                   ? NULL
                   : "a result is missing";
    }
    if (ended->status == 1 || ended->status == 3) {
        return one_line(ended);
    }
    return "its exit status is none that a run has";
}

static void host_words(const struct place *place, char *words[], char text[][FAULT_PATH])
{
    snprintf(text[0], FAULT_PATH, "%s/embed_poll", place->build);
    snprintf(text[1], FAULT_PATH, "http://127.0.0.1:%u/good", rcs_faulty_port(place->server));
    words[0] = text[0];
    words[1] = text[1];
    words[2] = NULL;
}

static const char *judge_host(const struct place *place, const struct ended *ended)
{
    (void)place;
    return ended->status == 0 ? (strstr(ended->out, "0 bytes of memory are left in use\n") != NULL
                                     ? NULL
                                     : "memory of its own is left in use")
           : ended->status == 1 ? one_line(ended)
                                : "its exit status is none that it has";
}

static void verify_words(const struct place *place, char *words[], char text[][FAULT_PATH])
{
    static const char *const fixed[] = {"audit", "verify", "--require", "complete", "--spec"};
    size_t count = 0;

    snprintf(text[0], FAULT_PATH, "%s/recourse", place->build);
    words[count++] = text[0];
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        words[count++] = (char *)fixed[i];
    }
    fault_path(place, "quick.policy.md", text[1]);
    fault_path(place, "good", text[2]);
    words[count++] = text[1];
    words[count++] = text[2];
    words[count] = NULL;
}

/* `recourse audit WORD ... LOG`. */
static void audit_words(const struct place *place, const char *const *fixed, char *words[], char text[][FAULT_PATH])
{
    size_t count = 0;

    snprintf(text[0], FAULT_PATH, "%s/recourse", place->build);
    words[count++] = text[0];
    words[count++] = "audit";
    while (*fixed != NULL) {
        words[count++] = (char *)*fixed++;
    }
    fault_path(place, "good", text[1]);
    words[count++] = text[1];
    words[count] = NULL;
}

static void page_words(const struct place *place, char *words[], char text[][FAULT_PATH])
{
    static const char *const fixed[] = {"show", "--html", NULL};

    audit_words(place, fixed, words, text);
}

static const char *judge_page(const struct place *place, const struct ended *ended)
{
    (void)place;
    if (ended->status == 0) {
        return strstr(ended->out, "<!doctype html>") == ended->out ? NULL : "there is no page";
    }
    return ended->status == 1 ? one_line(ended) : "its exit status is none that it has";
}

static void anchor_words(const struct place *place, char *words[], char text[][FAULT_PATH])
{
    static const char *const fixed[] = {"anchor", NULL};

    audit_words(place, fixed, words, text);
}

static const char *judge_anchor(const struct place *place, const struct ended *ended)
{
    (void)place;
    if (ended->status == 0) {
        return strncmp(ended->out, "recourse-audit/", 15) == 0 ? NULL : "there is no anchor";
    }
    return ended->status == 1 ? one_line(ended) : "its exit status is none that it has";
}

static const char *judge_verify(const struct place *place, const struct ended *ended)
{
    (void)place;
    if (ended->status == 0) {
        return strstr(ended->out, "complete") != NULL ? NULL : "it says nothing, and that all is well";
    }
    return ended->status == 1 || ended->status == 3 ? (ended->out[0] != '\0' ? NULL : one_line(ended))
                                                    : "its exit status is none that it has";
}

static void check_words(const struct place *place, char *words[], char text[][FAULT_PATH])
{
    snprintf(text[0], FAULT_PATH, "%s/recourse", place->build);
    fault_path(place, "quick.policy.md", text[1]);
    words[0] = text[0];
    words[1] = "check";
    words[2] = text[1];
    words[3] = NULL;
}

static const char *judge_check(const struct place *place, const struct ended *ended)
{
    (void)place;
    if (ended->status == 0) {
        return strstr(ended->out, ": ok, ") != NULL || strstr(ended->err, ": ok, ") != NULL ? NULL : "it says not what it found";
    }
    return ended->status != 1 && ended->status != 2 ? "its exit status is none that it has"
           : ended->out[0] != '\0'                  ? NULL
                                                    : one_line(ended);
}

static void tools_words(const struct place *place, char *words[], char text[][FAULT_PATH])
{
    snprintf(text[0], FAULT_PATH, "%s/recourse", place->build);
    fault_path(place, "tools.json", text[1]);
    words[0] = text[0];
    words[1] = "tools";
    words[2] = "--tools";
    words[3] = text[1];
    words[4] = NULL;
}

static const char *judge_tools(const struct place *place, const struct ended *ended)
{
    (void)place;
    if (ended->status == 0) {
        return strstr(ended->out, "search") != NULL ? NULL : "a tool is missing";
    }
    return ended->status == 1 || ended->status == 3 ? one_line(ended) : "its exit status is none that it has";
}

const struct scenario fault_scenarios[FAULT_SCENARIOS] = {
    /* name, words, judge, frees, logs */
    {"run", run_words, judge_run, false, true},
    {"host", host_words, judge_host, true, false},
    {"verify", verify_words, judge_verify, false, false},
    {"page", page_words, judge_page, false, false},
    {"anchor", anchor_words, judge_anchor, false, false},
    {"check", check_words, judge_check, false, false},
    {"tools", tools_words, judge_tools, false, false},
};
/* ---- the place where they run ---- */

/* The policy lightspeed with waits of some milliseconds: this is about failures, not about time. */
static void write_policy(const struct place *place)
{
    static const char *const changes[][2] = {{"200ms", "1ms"}, {"400ms", "2ms"}, {"1s", "1ms"}, {"2s", "2ms"}};
    static char text[FAULT_OUTPUT];
    static char changed[FAULT_OUTPUT];

    read_file("spec/lightspeed.policy.md", text);
    *strstr(text, "\n## Examples\n") = '\0'; /* which are those of the other waits */
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const char *from = text;
        char *to = changed;
        const char *at;

        while ((at = strstr(from, changes[i][0])) != NULL) {
            to += sprintf(to, "%.*s%s", (int)(at - from), from, changes[i][1]);
            from = at + strlen(changes[i][0]);
        }
        strcpy(to, from);
        strcpy(text, changed);
    }
    memcpy(changed, text, sizeof text);
    snprintf(text, sizeof text, "# quick%s", strchr(changed, '\n'));
    write_file(place, "quick.policy.md", text);
}

void fault_open(struct place *place)
{
    char text[1024];
    char why[128];

    snprintf(place->folder, sizeof place->folder, "%s/recourse-fault-XXXXXX", P_tmpdir);
    if (mkdtemp(place->folder) == NULL) {
        fault_fail(place->folder);
    }
    place->server = rcs_faulty_new();
    if (place->server == NULL || !rcs_faulty_script(place->server, "/good", "200 body=good", why, sizeof why) ||
        rcs_faulty_start(place->server) != 0) {
        fault_fail("the server");
    }
    snprintf(text, sizeof text,
             "{\"tools\":[{\"name\":\"cat\",\"command\":[\"cat\"],\"approval\":\"always\"},"
             "{\"name\":\"good\",\"http\":{\"url\":\"http://127.0.0.1:%u/good\"}}],"
             "\"mcpServers\":{\"m\":{\"command\":\"%s/mcp-server\",\"args\":[\"search\",\"text=three\"]}}}\n",
             rcs_faulty_port(place->server), place->build);
    write_file(place, "tools.json", text);
    write_file(place, "calls.json",
               "[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"cat\",\"arguments\":\"{}\"}},"
               "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"search\",\"arguments\":\"{}\"}},"
               "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"good\",\"arguments\":\"{}\"}}]\n");
    write_policy(place);
}

void fault_forget(const struct place *place, const char *begin)
{
    DIR *folder = opendir(place->folder);
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, begin, strlen(begin)) == 0) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
}

void fault_close(struct place *place)
{
    fault_forget(place, "");
    if (rmdir(place->folder) != 0) {
        fprintf(stderr, "fault: %s is not empty\n", place->folder);
    }
    rcs_faulty_free(place->server);
}
