/*
 * Programs of this project in which calls of libc fail (preload.c): each call of each kind once, and from then on for ever.
 * Whatever fails: the program ends by itself and in time, says in one line what is wrong or gives every result, leaves no
 * process behind, no memory (the host), and a log that can be gone on with and verifies.
 *
 *   fault BUILD              all plans, long rows of them thinned out
 *   fault BUILD --full       each plan
 *   fault BUILD SCENARIO KIND:N[+]   one, and what it prints
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/fault.h"

#define WORKERS 4u
#define DENSE 150u /* so many plans of a kind are all tried; beyond, each STRIDE-th */
#define STRIDE 23u

static void start(const struct place *place, const struct scenario *scenario, const char *plan, struct ended *ended)
{
    char text[10][FAULT_PATH];
    char *words[24];

    scenario->words(place, words, text);
    fault_run(place, words, plan, ended);
}

/* The log that is left can be gone on with, and all of it verifies. */
static const char *judge_log(const struct place *place)
{
    static struct ended ended;
    char logs[3][FAULT_PATH];
    char recourse[FAULT_PATH];
    char *verify[9] = {recourse, "audit", "verify", "--require", "intact"};
    size_t count = 5;

    start(place, &fault_scenarios[0], NULL, &ended);
    if (ended.status != 0) {
        return "its log can't be gone on with";
    }
    snprintf(recourse, sizeof recourse, "%s/recourse", place->build);
    fault_path(place, "log.1", logs[0]); /* where a segment has ended, the older ones */
    fault_path(place, "log.2", logs[1]);
    fault_path(place, "log", logs[2]);
    for (size_t i = 0; i < 3; i++) {
        if (access(logs[i], F_OK) == 0) {
            verify[count++] = logs[i];
        }
    }
    fault_run(place, verify, NULL, &ended);
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

    fault_forget(place, "log");
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

    fault_forget(place, "log");
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
    char log[FAULT_PATH];
    char good[FAULT_PATH];

    measure(place, &fault_scenarios[0], &ended);
    fault_path(place, "log", log);
    fault_path(place, "good", good);
    if (rename(log, good) != 0) {
        fault_fail(good);
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
    for (size_t kind = 0; kind < FAULT_KINDS; kind++) {
        unsigned long most = ended.counts[kind];

        for (unsigned long n = 1; n <= most; n += full || n < DENSE ? 1 : STRIDE) {
            for (int for_ever = 0; for_ever < 2; for_ever++) {
                if (number++ % WORKERS != worker) {
                    continue;
                }
                snprintf(plan, sizeof plan, "%s:%lu%s", fault_kinds[kind], n, for_ever ? "+" : "");
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
    struct tally tallies[FAULT_SCENARIOS] = {{0, 0}};

    fault_open(&place);
    make_log(&place);
    for (size_t i = 0; i < FAULT_SCENARIOS; i++) {
        work(&place, &fault_scenarios[i], worker, full, &tallies[i]);
    }
    fault_close(&place);
    if (write(out, tallies, sizeof tallies) != (ssize_t)sizeof tallies) {
        fault_fail("pipe");
    }
    exit(0);
}

static int sweep(const char *build, bool full)
{
    struct tally all[FAULT_SCENARIOS] = {{0, 0}};
    struct tally sum = {0, 0};
    int ends[2];

    if (pipe(ends) != 0) {
        fault_fail("pipe");
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        if (fork() == 0) {
            close(ends[0]);
            work_all(build, i, full, ends[1]);
        }
    }
    close(ends[1]);
    for (unsigned i = 0; i < WORKERS; i++) {
        struct tally one[FAULT_SCENARIOS];

        if (read(ends[0], one, sizeof one) != (ssize_t)sizeof one) {
            fprintf(stderr, "fault: a worker has failed\n");
            return 1;
        }
        for (size_t s = 0; s < FAULT_SCENARIOS; s++) {
            all[s].passed += one[s].passed;
            all[s].failed += one[s].failed;
        }
    }
    while (wait(NULL) > 0) {
    }
    for (size_t s = 0; s < FAULT_SCENARIOS; s++) {
        printf("  %s: %lu plans\n", fault_scenarios[s].name, all[s].passed + all[s].failed);
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

    fault_open(&place);
    make_log(&place);
    for (size_t i = 0; i < FAULT_SCENARIOS; i++) {
        if (strcmp(fault_scenarios[i].name, name) == 0) {
            known = true;
            measure(&place, &fault_scenarios[i], &ended);
            good = try_plan(&place, &fault_scenarios[i], plan, ended.live, true);
        }
    }
    fault_close(&place);
    if (!known) {
        fprintf(stderr, "fault: there is no scenario '%s'\n", name);
    }
    return good ? 0 : 1;
}

int main(int count, char **arguments)
{
    char build[FAULT_PATH];

    if (count < 2 || count > 4 || realpath(arguments[1], build) == NULL) {
        fprintf(stderr, "usage: fault BUILD [--full | SCENARIO KIND:N[+]]\n");
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    return count == 4 ? show(build, arguments[2], arguments[3]) : sweep(build, count == 3);
}
