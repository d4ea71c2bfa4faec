/* The parts that make calls: the runner, waiting calls, the peers. */
#include "tests/bench/bench.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_SIZE 512

/* A program of ours, or one that somebody would use instead. */
struct program {
    const char *name;
    const char *words[4]; /* before its arguments; a first "@x" stands for BUILD/x */
};

/* Numbers as the programs want them. */
struct load {
    const char *path;
    unsigned at_once;
    unsigned calls;
    unsigned warm_up;
};

static void run_with(const struct program *program, const char *const *more, char line[LINE_MAX_SIZE])
{
    const char *arguments[12];
    char first[256];
    size_t count = 0;

    for (size_t i = 0; i < 4 && program->words[i] != NULL; i++) {
        arguments[count++] = program->words[i];
    }
    for (size_t i = 0; more[i] != NULL && count < 11; i++) {
        arguments[count++] = more[i];
    }
    arguments[count] = NULL;
    if (arguments[0][0] == '@') {
        snprintf(first, sizeof first, "%s/%s", built(), arguments[0] + 1);
        arguments[0] = first;
    }
    if (!run_program(arguments, line, LINE_MAX_SIZE)) {
        bench_fail("%s has failed: '%s'", program->name, line);
    }
}

static void make_calls(const struct program *program, const struct load *load, char line[LINE_MAX_SIZE])
{
    char at_once[16];
    char calls[16];
    char warm_up[16];
    const char *const more[] = {server_url(load->path), at_once, calls, warm_up, NULL};

    snprintf(at_once, sizeof at_once, "%u", load->at_once);
    snprintf(calls, sizeof calls, "%u", load->calls);
    snprintf(warm_up, sizeof warm_up, "%u", load->warm_up);
    run_with(program, more, line);
}

static double cpu_of_a_call(const struct program *program, const struct load *load)
{
    char line[LINE_MAX_SIZE];

    make_calls(program, load, line);
    return value_of(line, "cpu_us") / load->calls;
}

/* ---- the runner ---- */

static const struct program runner = {"the runner", {"@runner"}};
static const struct program bare = {"the bare loop", {"@bare"}};

/* The two take turns in going first. */
static void measure_pair(const struct load *load, struct samples *ours, struct samples *peer)
{
    for (unsigned i = 0; i < rounds(); i++) {
        double first = cpu_of_a_call(i % 2 == 0 ? &runner : &bare, load);
        double second = cpu_of_a_call(i % 2 == 0 ? &bare : &runner, load);

        samples_add(ours, i % 2 == 0 ? first : second);
        samples_add(peer, i % 2 == 0 ? second : first);
    }
}

static void measure_many(void)
{
    static const struct load few = {"/ok/20", 64, 4000, 512};
    static const struct load many = {"/ok/20", 8000, 24000, 12000};
    struct samples at_many = {.count = 0};
    struct samples at_few = {.count = 0};

    for (unsigned i = 0; i < rounds(); i++) {
        samples_add(&at_many, cpu_of_a_call(&runner, &many));
        samples_add(&at_few, cpu_of_a_call(&runner, &few));
    }
    table_row(&(struct row){"8,000 at once", "us", &at_many, "the runner, 64 at once", &at_few, 1.5});
}

void part_runner(void)
{
    static const struct {
        const char *name;
        struct load load;
    } rows[] = {
        {"1 at once", {"/ok/20", 1, 120, 20}},
        {"64 at once", {"/ok/20", 64, 4000, 512}},
        {"256 at once", {"/ok/20", 256, 10000, 1024}},
        {"1,024 at once", {"/ok/20", 1024, 20000, 4096}},
    };

    table_title("runner: CPU of a call over HTTP, the server answering after 20 ms");
    server_start();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct samples ours = {.count = 0};
        struct samples peer = {.count = 0};

        measure_pair(&rows[i].load, &ours, &peer);
        table_row(&(struct row){rows[i].name, "us", &ours, "bare loop", &peer, 1.15});
    }
    measure_many();
    server_stop();
}

/* ---- waiting calls ---- */

static const struct program waiting = {"waiting", {"@waiting"}};

void part_waiting(void)
{
    static const char *const memory[] = {"memory", "100000", NULL};
    static const char *const timers[] = {"timers", "10000", NULL};
    struct samples bytes = {.count = 0};
    struct samples early = {.count = 0};
    struct samples late = {.count = 0};
    struct samples median = {.count = 0};
    struct samples longest = {.count = 0};
    char line[LINE_MAX_SIZE];

    table_title("waiting: calls between two tries");
    for (unsigned i = 0; i < rounds(); i++) {
        run_with(&waiting, memory, line);
        samples_add(&bytes, value_of(line, "bytes"));
        run_with(&waiting, timers, line);
        samples_add(&early, value_of(line, "early"));
        samples_add(&late, value_of(line, "late_us") / 1000);
        samples_add(&median, value_of(line, "median_us") / 1000);
        samples_add(&longest, value_of(line, "longest_us") / 1000);
    }
    table_row(&(struct row){"each of 100,000", "bytes", &bytes, NULL, NULL, 600});
    table_row(&(struct row){"of 10,000, ended early", "", &early, NULL, NULL, 0});
    if (samples_part(&early, 1) > 0) {
        table_note("over: none may end early");
    }
    table_row(&(struct row){"wakes late by, at most", "ms", &late, NULL, NULL, 2});
    table_row(&(struct row){"next try late by, median", "ms", &median, NULL, NULL, 0});
    table_row(&(struct row){"at most, with the loop's lag", "ms", &longest, NULL, NULL, 0});
}

/* ---- what a user would pick instead ---- */

struct peer {
    struct program program;
    struct program waits;    /* prints rss= for calls that wait */
    const char *wait_calls;
    const char *probe[5];    /* ends with 0 where it can be run */
    double cpu_limit;
};

static const struct peer peers[] = {
    {.program = {"urllib3 Retry", {"/usr/bin/python3", "tests/bench/peer_python.py", "retry"}},
     .probe = {"/usr/bin/python3", "-c", "import urllib3, tenacity"},
     .cpu_limit = 0.2},
    {.program = {"tenacity", {"/usr/bin/python3", "tests/bench/peer_python.py", "tenacity"}},
     .waits = {"tenacity", {"/usr/bin/python3", "tests/bench/peer_python.py", "waiting"}},
     .wait_calls = "1000",
     .probe = {"/usr/bin/python3", "-c", "import urllib3, tenacity"},
     .cpu_limit = 0.2},
    {.program = {"undici, p-retry", {"node", "tests/bench/peer_undici.mjs"}},
     .waits = {"p-retry", {"node", "--expose-gc", "tests/bench/peer_undici.mjs", "waiting"}},
     .wait_calls = "100000",
     .probe = {"node", "-e",
               "require('module').createRequire(process.env.BENCH_NODE_MODULES + '/package.json').resolve('undici')"},
     .cpu_limit = 1},
};

#define PEERS (sizeof peers / sizeof peers[0])

static bool can_be_run(const struct peer *peer)
{
    const char *const which[] = {"sh", "-c", "command -v \"$0\" >/dev/null && exec \"$0\" \"$@\" 2>/dev/null",
                                 peer->probe[0], peer->probe[1], peer->probe[2], NULL};
    char line[LINE_MAX_SIZE];

    return run_program(which, line, sizeof line);
}

struct measured {
    struct samples cpu;
    struct samples grown; /* the most that was resident, above what there was before the first call */
    struct samples peak;
    struct samples own; /* what no file backs, after the calls */
    struct samples waits;
};

static void measure_one(const struct program *program, const struct load *load, struct measured *measured)
{
    char line[LINE_MAX_SIZE];

    make_calls(program, load, line);
    samples_add(&measured->cpu, value_of(line, "cpu_us") / load->calls);
    samples_add(&measured->grown, (value_of(line, "peak_kb") - value_of(line, "idle_kb")) / 1024);
    samples_add(&measured->peak, value_of(line, "peak_kb") / 1024);
    samples_add(&measured->own, value_of(line, "own_kb") / 1024);
}

static void measure_wait(const struct program *program, const char *calls, struct measured *measured)
{
    const char *const more[] = {calls, NULL};
    char line[LINE_MAX_SIZE];

    run_with(program, more, line);
    samples_add(&measured->waits, value_of(line, "rss"));
}

static void measure_peers(const bool *there, struct measured *ours, struct measured *least, struct measured *theirs)
{
    static const struct load load = {"/third/20", 64, 2000, 2000};
    static const struct load without_failures = {"/ok/20", 64, 2000, 2000};
    static const struct program waits = {"waiting", {"@waiting", "memory"}};

    for (unsigned round = 0; round < rounds(); round++) {
        measure_one(&runner, &load, ours);
        measure_one(&bare, &without_failures, least);
        measure_wait(&waits, "100000", ours);
        for (size_t i = 0; i < PEERS; i++) {
            if (there[i]) {
                measure_one(&peers[i].program, &load, &theirs[i]);
            }
            if (there[i] && peers[i].wait_calls != NULL) {
                measure_wait(&peers[i].waits, peers[i].wait_calls, &theirs[i]);
            }
        }
    }
}

/* A line for each peer; `at` is where the samples are in what was measured. A limit below 0 is the peer's own. */
static void show(const char *name, const char *unit, const bool *there, const struct measured *first,
                 const struct measured *theirs, size_t at, double limit)
{
    for (size_t i = 0; i < PEERS; i++) {
        const struct samples *ours = (const struct samples *)((const char *)first + at);
        const struct samples *peer = (const struct samples *)((const char *)&theirs[i] + at);
        const struct program *who = at == offsetof(struct measured, waits) ? &peers[i].waits : &peers[i].program;

        if (there[i] && peer->count > 0) {
            table_row(&(struct row){name, unit, ours, who->name, peer, limit < 0 ? peers[i].cpu_limit : limit});
        }
    }
}

static void show_peers(const bool *there, const struct measured *ours, const struct measured *least,
                       const struct measured *theirs)
{
    show("CPU of a call", "us", there, ours, theirs, offsetof(struct measured, cpu), -1);
    show("memory of a waiting call", "bytes", there, ours, theirs, offsetof(struct measured, waits), 0.2);
    show("own memory", "MiB", there, ours, theirs, offsetof(struct measured, own), 0.2);
    show("memory, with libraries", "MiB", there, ours, theirs, offsetof(struct measured, peak), 0.2);
    show("- the bare loop's", "MiB", there, least, theirs, offsetof(struct measured, peak), 0);
    show("memory, grown by the calls", "MiB", there, ours, theirs, offsetof(struct measured, grown), 0.2);
    show("- the bare loop's", "MiB", there, least, theirs, offsetof(struct measured, grown), 0);
}

void part_peers(void)
{
    struct measured ours = {.cpu.count = 0};
    struct measured least = {.cpu.count = 0};
    struct measured theirs[PEERS] = {{.cpu.count = 0}};
    bool there[PEERS];
    char modules[512];
    char *whole = realpath(built(), NULL);

    snprintf(modules, sizeof modules, "%s/node", whole != NULL ? whole : built());
    free(whole);
    setenv("BENCH_NODE_MODULES", modules, 1);
    table_title("peers: 64 calls at once, after 20 ms, every third answered 429 once and tried again");
    for (size_t i = 0; i < PEERS; i++) {
        there[i] = can_be_run(&peers[i]);
        if (!there[i]) {
            table_note("%s is not there, and left out: see make bench-deps", peers[i].program.name);
        }
    }
    server_start();
    measure_peers(there, &ours, &least, theirs);
    server_stop();
    show_peers(there, &ours, &least, theirs);
}
