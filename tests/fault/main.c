/*
 * Programs of this project in which calls of libc fail (preload.c): each call of each kind once, and from then on for ever.
 * Whatever fails: the program ends by itself and in time, says in one line what is wrong or gives every result, leaves no
 * process behind, no memory (the host), and a log that can be gone on with and verifies.
 *
 *   fault BUILD              all plans, long rows of them thinned out
 *   fault BUILD --full       each plan
 *   fault BUILD SCENARIO KIND:N[+]   one, and what it prints
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/server/faulty.h"

#define WORKERS 4u
#define SECONDS 20
#define OUTPUT_MAX 65536u
#define PATH_MAX_SIZE 256u
#define DENSE 150u /* so many plans of a kind are all tried; beyond, each STRIDE-th */
#define STRIDE 23u

static const char *const kinds[] = {"alloc", "write", "sync", "spawn", "connect", "open"};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* How a program ended. */
struct ended {
    int status; /* -1: it did not exit by itself; -2: not in time */
    char out[OUTPUT_MAX];
    char err[OUTPUT_MAX];
    unsigned long counts[KINDS];
    long live; /* blocks of memory in use at its end */
    char where[64]; /* the object whose call was the first to fail */
};

struct place {
    const char *build;
    char folder[64];
    struct rcs_faulty *server;
};

struct scenario {
    const char *name;
    void (*words)(const struct place *place, char *words[], char text[][PATH_MAX_SIZE]);
    /* What is wrong with how it ended; NULL: nothing. */
    const char *(*judge)(const struct place *place, const struct ended *ended);
    bool frees; /* all of its memory, however it ends */
    bool logs;  /* and its log is gone on with afterwards */
};

static void fail(const char *what)
{
    fprintf(stderr, "fault: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- files ---- */

static void path_in(const struct place *place, const char *name, char path[PATH_MAX_SIZE])
{
    snprintf(path, PATH_MAX_SIZE, "%s/%s", place->folder, name);
}

static void read_file(const char *path, char text[OUTPUT_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, OUTPUT_MAX - 1) : 0;

    text[size > 0 ? size : 0] = '\0';
    if (fd >= 0) {
        close(fd);
    }
}

static void write_file(const struct place *place, const char *name, const char *text)
{
    char path[PATH_MAX_SIZE];
    FILE *file;

    path_in(place, name, path);
    file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        fail(path);
    }
}

/* ---- running ---- */

static void become(const struct place *place, char *const words[], const char *plan)
{
    static const char *const names[] = {"out", "err"};
    char path[PATH_MAX_SIZE];
    int nothing = open("/dev/null", O_RDONLY);

    dup2(nothing, STDIN_FILENO);
    for (int i = 0; i < 2; i++) {
        path_in(place, names[i], path);
        dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), i + 1);
    }
    setpgid(0, 0);
    if (plan != NULL) {
        path_in(place, "counts", path);
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
    char path[PATH_MAX_SIZE];
    char text[OUTPUT_MAX];
    const char *at = text;

    path_in(place, "counts", path);
    read_file(path, text);
    unlink(path);
    ended->live = -1;
    ended->where[0] = '\0';
    for (size_t i = 0; i < KINDS && (at = strchr(at, '=')) != NULL; i++) {
        ended->counts[i] = strtoul(++at, NULL, 10);
    }
    if (at != NULL && (at = strchr(at, '=')) != NULL) {
        ended->live = strtol(at + 1, NULL, 10);
        at = strchr(at + 1, '=');
        snprintf(ended->where, sizeof ended->where, "%.*s", at != NULL ? (int)strcspn(at + 1, "\n") : 0, at != NULL ? at + 1 : "");
    }
}

static void run(const struct place *place, char *const words[], const char *plan, struct ended *ended)
{
    char path[PATH_MAX_SIZE];
    pid_t child = fork();
    struct pollfd end = {.events = POLLIN};
    int status = 0;

    if (child == 0) {
        become(place, words, plan);
    }
    end.fd = (int)syscall(SYS_pidfd_open, child, 0);
    if (child < 0 || end.fd < 0) {
        fail("fork");
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
    path_in(place, "out", path);
    read_file(path, ended->out);
    path_in(place, "err", path);
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

/* ---- scenarios ---- */

static const char *one_line(const struct ended *ended)
{
    const char *end = strchr(ended->err, '\n');

    return ended->err[0] == '\0' ? "it failed, and says nothing" : end == NULL ? "what it says is no line" : NULL;
}

static void run_words(const struct place *place, char *words[], char text[][PATH_MAX_SIZE])
{
    static const char *const options[] = {"--no-cache", "--tools", "--audit", "--report", "--metrics", "--policy"};
    static const char *const names[] = {"", "tools.json", "log", "report", "metrics", "quick.policy.md"};
    char path[PATH_MAX_SIZE];
    size_t count = 0;

    snprintf(text[0], PATH_MAX_SIZE, "%s/recourse", place->build);
    words[count++] = text[0];
    words[count++] = "run";
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        path_in(place, names[i], text[i + 1]);
        words[count++] = (char *)options[i];
        if (names[i][0] != '\0') {
            words[count++] = text[i + 1];
        }
    }
    path_in(place, "calls.json", path);
    strcpy(text[7], path);
    words[count++] = text[7];
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

static void host_words(const struct place *place, char *words[], char text[][PATH_MAX_SIZE])
{
    snprintf(text[0], PATH_MAX_SIZE, "%s/embed_poll", place->build);
    snprintf(text[1], PATH_MAX_SIZE, "http://127.0.0.1:%u/good", rcs_faulty_port(place->server));
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

static void verify_words(const struct place *place, char *words[], char text[][PATH_MAX_SIZE])
{
    static const char *const fixed[] = {"audit", "verify", "--require", "complete", "--spec"};
    size_t count = 0;

    snprintf(text[0], PATH_MAX_SIZE, "%s/recourse", place->build);
    words[count++] = text[0];
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        words[count++] = (char *)fixed[i];
    }
    path_in(place, "quick.policy.md", text[1]);
    path_in(place, "good", text[2]);
    words[count++] = text[1];
    words[count++] = text[2];
    words[count] = NULL;
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

static void check_words(const struct place *place, char *words[], char text[][PATH_MAX_SIZE])
{
    snprintf(text[0], PATH_MAX_SIZE, "%s/recourse", place->build);
    path_in(place, "quick.policy.md", text[1]);
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

static void tools_words(const struct place *place, char *words[], char text[][PATH_MAX_SIZE])
{
    snprintf(text[0], PATH_MAX_SIZE, "%s/recourse", place->build);
    path_in(place, "tools.json", text[1]);
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

static const struct scenario scenarios[] = {
    /* name, words, judge, frees, logs */
    {"run", run_words, judge_run, false, true},
    {"host", host_words, judge_host, true, false},
    {"verify", verify_words, judge_verify, false, false},
    {"check", check_words, judge_check, false, false},
    {"tools", tools_words, judge_tools, false, false},
};
#define SCENARIOS (sizeof scenarios / sizeof scenarios[0])

/* ---- the place where they run ---- */

/* The policy lightspeed with waits of some milliseconds: this is about failures, not about time. */
static void write_policy(const struct place *place)
{
    static const char *const changes[][2] = {{"200ms", "1ms"}, {"400ms", "2ms"}, {"1s", "1ms"}, {"2s", "2ms"}};
    static char text[OUTPUT_MAX];
    static char changed[OUTPUT_MAX];

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

static void open_place(struct place *place)
{
    char text[1024];
    char why[128];

    snprintf(place->folder, sizeof place->folder, "%s/recourse-fault-XXXXXX", P_tmpdir);
    if (mkdtemp(place->folder) == NULL) {
        fail(place->folder);
    }
    place->server = rcs_faulty_new();
    if (place->server == NULL || !rcs_faulty_script(place->server, "/good", "200 body=good", why, sizeof why) ||
        rcs_faulty_start(place->server) != 0) {
        fail("the server");
    }
    snprintf(text, sizeof text,
             "{\"tools\":[{\"name\":\"cat\",\"command\":[\"cat\"]},"
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

/* The files whose names begin so go. */
static void forget(const struct place *place, const char *begin)
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

static void close_place(struct place *place)
{
    forget(place, "");
    if (rmdir(place->folder) != 0) {
        fprintf(stderr, "fault: %s is not empty\n", place->folder);
    }
    rcs_faulty_free(place->server);
}

/* ---- plans ---- */

static void start(const struct place *place, const struct scenario *scenario, const char *plan, struct ended *ended)
{
    char text[8][PATH_MAX_SIZE];
    char *words[24];

    scenario->words(place, words, text);
    run(place, words, plan, ended);
}

/* The log that is left can be gone on with, and all of it verifies. */
static const char *judge_log(const struct place *place)
{
    static struct ended ended;
    char logs[3][PATH_MAX_SIZE];
    char recourse[PATH_MAX_SIZE];
    char *verify[9] = {recourse, "audit", "verify", "--require", "intact"};
    size_t count = 5;

    start(place, &scenarios[0], NULL, &ended);
    if (ended.status != 0) {
        return "its log can't be gone on with";
    }
    snprintf(recourse, sizeof recourse, "%s/recourse", place->build);
    path_in(place, "log.1", logs[0]); /* where a segment has ended, the older ones */
    path_in(place, "log.2", logs[1]);
    path_in(place, "log", logs[2]);
    for (size_t i = 0; i < 3; i++) {
        if (access(logs[i], F_OK) == 0) {
            verify[count++] = logs[i];
        }
    }
    run(place, verify, NULL, &ended);
    return ended.status == 0 ? NULL : "its log does not verify";
}

/* What libraries do where memory ends, and nobody outside of them can help. */
static bool is_excepted(const struct ended *ended)
{
    /* OpenSSL 3.0 loads its default provider at the first use: it does not look whether it has got the memory for all of it, and
       where it looks it keeps what it has got so far. */
    return strncmp(ended->where, "libcrypto.so", 12) == 0;
}

static const char *judge(const struct place *place, const struct scenario *scenario, const struct ended *ended, long live)
{
    const char *fault = ended->status == -1 && is_excepted(ended) ? NULL
                        : ended->status == -3 ? "a process that it started is left behind"
                        : ended->status == -2 ? "it does not end"
                        : ended->status == -1 ? "a signal has ended it"
                                              : scenario->judge(place, ended);

    if (fault == NULL && scenario->frees && ended->live > live && !is_excepted(ended)) {
        fault = "memory is left in use";
    }
    return fault == NULL && scenario->logs ? judge_log(place) : fault;
}

/* Whether all is well. */
static bool try_plan(const struct place *place, const struct scenario *scenario, const char *plan, long live, bool shown)
{
    static struct ended ended;
    const char *fault;

    forget(place, "log");
    start(place, scenario, plan, &ended);
    fault = judge(place, scenario, &ended, live);
    if (shown) {
        printf("exit status %d, %ld blocks of memory in use (%ld without failures)\n%s%s", ended.status, ended.live, live,
               ended.out, ended.err);
    }
    if (fault != NULL) {
        printf("fault: FAILED: %s %s: %s (in %s; exit status %d: %.*s)\n", scenario->name, plan, fault, ended.where,
               ended.status, (int)strcspn(ended.err, "\n"), ended.err);
    }
    return fault == NULL;
}

/* How often each kind is called, and how much memory is in use at the end, where nothing fails. */
static void measure(const struct place *place, const struct scenario *scenario, struct ended *ended)
{
    const char *fault;

    forget(place, "log");
    start(place, scenario, "none", ended);
    fault = scenario->judge(place, ended);
    if (fault != NULL || ended->status != 0) {
        fprintf(stderr, "fault: %s fails where nothing else does: %s (exit status %d: %s)\n", scenario->name,
                fault != NULL ? fault : "it says so", ended->status, ended->err);
        exit(1);
    }
}

/* A log that is good, for those that read one. */
static void make_log(const struct place *place)
{
    static struct ended ended;
    char log[PATH_MAX_SIZE];
    char good[PATH_MAX_SIZE];

    measure(place, &scenarios[0], &ended);
    path_in(place, "log", log);
    path_in(place, "good", good);
    if (rename(log, good) != 0) {
        fail(good);
    }
}

struct tally {
    unsigned long passed;
    unsigned long failed;
};

/* The plans of one scenario that are this worker's. */
static void work(const struct place *place, const struct scenario *scenario, unsigned worker, bool full, struct tally *tally)
{
    static struct ended ended;
    unsigned long number = 0;
    char plan[64];

    measure(place, scenario, &ended);
    for (size_t kind = 0; kind < KINDS; kind++) {
        unsigned long most = ended.counts[kind];

        for (unsigned long n = 1; n <= most; n += full || n < DENSE ? 1 : STRIDE) {
            for (int for_ever = 0; for_ever < 2; for_ever++) {
                if (number++ % WORKERS != worker) {
                    continue;
                }
                snprintf(plan, sizeof plan, "%s:%lu%s", kinds[kind], n, for_ever ? "+" : "");
                if (try_plan(place, scenario, plan, ended.live, false)) {
                    tally->passed++;
                } else {
                    tally->failed++;
                }
                fflush(stdout);
            }
        }
    }
}

static void work_all(const char *build, unsigned worker, bool full, int out)
{
    struct place place = {.build = build};
    struct tally tallies[SCENARIOS] = {{0, 0}};

    open_place(&place);
    make_log(&place);
    for (size_t i = 0; i < SCENARIOS; i++) {
        work(&place, &scenarios[i], worker, full, &tallies[i]);
    }
    close_place(&place);
    if (write(out, tallies, sizeof tallies) != (ssize_t)sizeof tallies) {
        fail("pipe");
    }
    exit(0);
}

static int sweep(const char *build, bool full)
{
    struct tally all[SCENARIOS] = {{0, 0}};
    struct tally sum = {0, 0};
    int ends[2];

    if (pipe(ends) != 0) {
        fail("pipe");
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        if (fork() == 0) {
            close(ends[0]);
            work_all(build, i, full, ends[1]);
        }
    }
    close(ends[1]);
    for (unsigned i = 0; i < WORKERS; i++) {
        struct tally one[SCENARIOS];

        if (read(ends[0], one, sizeof one) != (ssize_t)sizeof one) {
            fprintf(stderr, "fault: a worker has failed\n");
            return 1;
        }
        for (size_t s = 0; s < SCENARIOS; s++) {
            all[s].passed += one[s].passed;
            all[s].failed += one[s].failed;
        }
    }
    while (wait(NULL) > 0) {
    }
    for (size_t s = 0; s < SCENARIOS; s++) {
        printf("  %s: %lu plans\n", scenarios[s].name, all[s].passed + all[s].failed);
        sum.passed += all[s].passed;
        sum.failed += all[s].failed;
    }
    printf("fault: %lu passed, %lu failed\n", sum.passed, sum.failed);
    return sum.failed == 0 && sum.passed > 0 ? 0 : 1;
}

static int show(const char *build, const char *name, const char *plan)
{
    static struct ended ended;
    struct place place = {.build = build};
    bool good = false;
    bool known = false;

    open_place(&place);
    make_log(&place);
    for (size_t i = 0; i < SCENARIOS; i++) {
        if (strcmp(scenarios[i].name, name) == 0) {
            known = true;
            measure(&place, &scenarios[i], &ended);
            good = try_plan(&place, &scenarios[i], plan, ended.live, true);
        }
    }
    close_place(&place);
    if (!known) {
        fprintf(stderr, "fault: there is no scenario '%s'\n", name);
    }
    return good ? 0 : 1;
}

int main(int count, char **arguments)
{
    char build[PATH_MAX_SIZE];

    if (count < 2 || count > 4 || realpath(arguments[1], build) == NULL) {
        fprintf(stderr, "usage: fault BUILD [--full | SCENARIO KIND:N[+]]\n");
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    return count == 4 ? show(build, arguments[2], arguments[3]) : sweep(build, count == 3);
}
