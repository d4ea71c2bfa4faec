/* recourse mutants: every change of one cell or row of a policy, and whether a check or an example notices it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "gen/mutate.h"
#include "json_out.h"
#include "spec_open.h"

#define JOBS_MAX 64u
#define PENDING RCS_FATE_COUNT /* not judged yet */
#define TIMEOUT_MS 600000u     /* as a rule */

/* What the workers share. */
struct bench {
    const struct rcs_mutants *mutants;
    volatile uint8_t *fates;
    uint64_t end_ms; /* on our clock: what is not judged by then stays pending */
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int fail(const char *what)
{
    return rcs_cli_error("mutants", "%s: %s", what, strerror(errno));
}

/* Judges each `jobs`-th mutant, from the `first`, into memory that is shared with the parent. */
static void work(const struct bench *bench, size_t first, size_t jobs)
{
    for (size_t i = first; i < bench->mutants->count && now_ms() < bench->end_ms; i += jobs) {
        bench->fates[i] = (uint8_t)rcs_mutant_judge(bench->mutants, i);
    }
}

static size_t count_judged(const struct bench *bench)
{
    size_t judged = 0;

    for (size_t i = 0; i < bench->mutants->count; i++) {
        judged += bench->fates[i] != PENDING;
    }
    return judged;
}

static void show_progress(const struct bench *bench)
{
    fprintf(stderr, "\r%zu of %zu changes", count_judged(bench), bench->mutants->count);
    fflush(stderr);
}

/* Waits until all workers have ended. Returns whether all of them ended well. */
static bool await(const struct bench *bench, pid_t *workers, size_t jobs)
{
    bool progress = isatty(STDERR_FILENO) == 1;
    size_t left = jobs;
    bool good = true;

    while (left > 0) {
        for (size_t i = 0; i < jobs; i++) {
            int status = 0;
            pid_t ended = workers[i] == 0 ? 0 : waitpid(workers[i], &status, progress ? WNOHANG : 0);

            if (ended != 0) {
                good = good && ended > 0 && status == 0;
                workers[i] = 0;
                left--;
            }
        }
        if (progress) {
            show_progress(bench);
            usleep(100000);
        }
    }
    if (progress) {
        fputs("\r\033[K", stderr);
    }
    return good;
}

/* Judges all mutants, in as many processes as there are processors: each loads a policy thousands of times. */
static int judge_all(const struct bench *bench, size_t jobs)
{
    pid_t workers[JOBS_MAX];
    size_t started = 0;
    bool good;

    fflush(stdout);
    for (; started < jobs; started++) {
        workers[started] = fork();
        if (workers[started] == 0) {
            work(bench, started, jobs);
            _exit(0);
        }
        if (workers[started] < 0) {
            break;
        }
    }
    for (size_t i = started; i < jobs; i++) { /* where no more processes could be had */
        work(bench, i, jobs);
    }
    good = await(bench, workers, started);
    good = good && (count_judged(bench) == bench->mutants->count || now_ms() >= bench->end_ms);
    return good ? RCS_GO_ON : rcs_cli_error("mutants", "a worker ended before its work was done");
}

/* ---- output ---- */

/* A piece of the policy on one line; long cells are cut in the middle. */
static void print_piece(const char *text, size_t size)
{
    while (size > 0 && text[size - 1] == '\n') {
        size--;
    }
    if (size == 0) {
        fputs("nothing", stdout);
        return;
    }
    putchar('\'');
    for (size_t i = 0; i < size; i++) {
        putchar(text[i] == '\n' ? ' ' : text[i]);
    }
    putchar('\'');
}

/* The part in which two texts differ, with a little before it. */
static size_t common_begin(const char *one, size_t one_size, const char *two, size_t two_size)
{
    size_t at = 0;

    while (at < one_size && at < two_size && one[at] == two[at]) {
        at++;
    }
    while (at > 0 && one[at - 1] != ',' && one[at - 1] != '|') {
        at--;
    }
    return at < 100 ? 0 : at;
}

static void print_mutant(const struct rcs_mutants *mutants, const struct rcs_mutant *mutant)
{
    const char *old = mutants->text + mutant->begin;
    size_t old_size = mutant->end - mutant->begin;
    size_t new_size = strlen(mutant->with);
    size_t skip = common_begin(old, old_size, mutant->with, new_size);

    printf("%s:%u: unnoticed: %s of %s: ", mutants->path, mutant->line, mutant->column, mutant->row);
    print_piece(old + skip, old_size - skip);
    fputs(" becomes ", stdout);
    print_piece(mutant->with + skip, new_size - skip);
    putchar('\n');
}

static void count_fates(const struct rcs_mutants *mutants, const volatile uint8_t *fates, size_t counts[RCS_FATE_COUNT + 1])
{
    memset(counts, 0, (RCS_FATE_COUNT + 1) * sizeof *counts); /* those that are pending last */
    for (size_t i = 0; i < mutants->count; i++) {
        counts[fates[i]]++;
    }
}

static void print_text(const struct rcs_mutants *mutants, const volatile uint8_t *fates)
{
    size_t counts[RCS_FATE_COUNT + 1];

    count_fates(mutants, fates, counts);
    for (size_t i = 0; i < mutants->count; i++) {
        if (fates[i] == RCS_FATE_UNNOTICED) {
            print_mutant(mutants, &mutants->items[i]);
        }
    }
    printf("%s: %zu changes: %zu caught, %zu equivalent, %zu declared, %zu unnoticed\n", mutants->path, mutants->count,
           counts[RCS_FATE_CAUGHT], counts[RCS_FATE_EQUIVALENT], counts[RCS_FATE_DECLARED], counts[RCS_FATE_UNNOTICED]);
}

static void print_json(const struct rcs_mutants *mutants, const volatile uint8_t *fates)
{
    size_t counts[RCS_FATE_COUNT + 1];
    struct rcs_out out = {0};

    count_fates(mutants, fates, counts);
    rcs_out_open(&out, '{');
    rcs_out_key(&out, "path");
    rcs_out_text(&out, mutants->path);
    for (enum rcs_fate fate = 0; fate < RCS_FATE_COUNT; fate++) {
        rcs_out_key(&out, rcs_fate_name(fate));
        rcs_out_number(&out, counts[fate]);
    }
    rcs_out_key(&out, "mutants");
    rcs_out_open(&out, '[');
    for (size_t i = 0; i < mutants->count; i++) {
        const struct rcs_mutant *mutant = &mutants->items[i];

        if (fates[i] == RCS_FATE_CAUGHT || fates[i] == PENDING) {
            continue;
        }
        rcs_out_open(&out, '{');
        rcs_out_key(&out, "fate");
        rcs_out_text(&out, rcs_fate_name(fates[i]));
        rcs_out_key(&out, "row");
        rcs_out_text(&out, mutant->row);
        rcs_out_key(&out, "line");
        rcs_out_number(&out, mutant->line);
        rcs_out_key(&out, "column");
        rcs_out_text(&out, mutant->column);
        rcs_out_key(&out, "from");
        rcs_out_span(&out, (struct recourse_span){mutants->text + mutant->begin, mutant->end - mutant->begin});
        rcs_out_key(&out, "to");
        rcs_out_text(&out, mutant->with);
        rcs_out_close(&out, '}');
    }
    rcs_out_close(&out, ']');
    rcs_out_close(&out, '}');
    rcs_out_print(&out);
    rcs_out_clear(&out);
}

struct chosen {
    bool json;
    uint64_t jobs;
    uint64_t timeout_ms;
};

static int judge_and_print(const struct rcs_mutants *mutants, const struct chosen *chosen)
{
    size_t counts[RCS_FATE_COUNT + 1];
    uint8_t *fates = mmap(NULL, mutants->count + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct bench bench = {mutants, fates, now_ms() + chosen->timeout_ms};
    char text[RCS_DURATION_SIZE];
    int status;

    if (fates == MAP_FAILED) {
        return fail("memory for the results");
    }
    memset(fates, PENDING, mutants->count + 1);
    status = judge_all(&bench, (size_t)chosen->jobs);
    if (status == RCS_GO_ON) {
        if (chosen->json) {
            print_json(mutants, fates);
        } else {
            print_text(mutants, fates);
        }
        count_fates(mutants, fates, counts);
        status = counts[RCS_FATE_UNNOTICED] + counts[PENDING] == 0 ? RCS_EXIT_OK : RCS_EXIT_ERROR;
        if (counts[PENDING] > 0) {
            rcs_cli_error("mutants", "stopped after %s, with %zu of %zu changes not judged: --timeout gives it more",
                          rcs_duration_text(chosen->timeout_ms, text), counts[PENDING], mutants->count);
        }
    }
    munmap(fates, mutants->count + 1);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct rcs_spec_reader reader = {"mutants", "changed"};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct chosen chosen = {false, processors < 1 ? 1 : (uint64_t)processors, TIMEOUT_MS};
    const char *jobs_text = NULL;
    const char *timeout_text = NULL;
    const struct rcs_option options[] = {
        {.name = "--json", .flag = &chosen.json},
        {.name = "--jobs", .letter = "-j", .value = &jobs_text},
        {.name = "--timeout", .value = &timeout_text},
    };
    struct rcs_arena arena = {0};
    struct rcs_mutants mutants;
    struct rcs_loaded loaded;
    size_t count;
    int status = rcs_options_read(&rcs_command_mutants, argc, argv, options, sizeof options / sizeof options[0], &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count != 1) {
        return rcs_cli_error("mutants", "which policy? Give one file, such as spec/lightspeed.policy.md");
    }
    if (jobs_text != NULL && (!rcs_number_read(jobs_text, JOBS_MAX, &chosen.jobs) || chosen.jobs == 0)) {
        return rcs_cli_error("mutants", "--jobs takes a number from 1 to %u", JOBS_MAX);
    }
    if (timeout_text != NULL && !rcs_duration_read(timeout_text, &chosen.timeout_ms)) {
        return rcs_cli_error("mutants", "--timeout takes a time such as 90s or 10m, not '%s'", timeout_text);
    }
    chosen.jobs = chosen.jobs > JOBS_MAX ? JOBS_MAX : chosen.jobs;
    if (!rcs_spec_open(&reader, &arena, argv[1], argv[1], &loaded)) {
        rcs_arena_clear(&arena);
        return RCS_EXIT_ERROR;
    }
    rcs_mutants_make(&arena, &loaded, &mutants);
    status = judge_and_print(&mutants, &chosen);
    rcs_arena_clear(&arena);
    return status;
}

const struct rcs_command rcs_command_mutants = {
    .name = "mutants",
    .summary = "change a policy cell by cell: does a check or an example notice?",
    .run = run,
    .help =
        "Usage: recourse mutants [--json] [--jobs N] SPEC\n"
        "\n"
        "Changes one cell or row of a policy at a time and looks whether anything would\n"
        "notice. Where nothing does, an example is missing: the next person who changes\n"
        "that cell by mistake is told by nobody.\n"
        "\n"
        "A cell whose column knows few words takes each of them. Others have their\n"
        "neighbours: a list loses an entry, a number is one more or less, a delay is\n"
        "doubled, a text is looked for as a word. Rows are taken out and doubled, and\n"
        "rows of Failures change places.\n"
        "\n"
        "What becomes of a change:\n"
        "  caught      a check or an example finds it, as an error or a warning\n"
        "  equivalent  no run, no facts and no setting come out otherwise\n"
        "  declared    nothing finds it, and no example could: how long a try may take,\n"
        "              how a message reads, whom a scenario tells, jitter. Such a cell\n"
        "              is the only place that says so; recourse diff shows a change\n"
        "  unnoticed   an example is missing; each is printed with its line\n"
        "\n"
        "Options:\n"
        "      --json    one object: {\"path\",\"caught\",\"equivalent\",\"declared\",\n"
        "                \"unnoticed\",\"mutants\":[{\"fate\",\"row\",\"line\",\"column\",\n"
        "                \"from\",\"to\"}]}, without those that were caught\n"
        "  -j, --jobs N  in so many processes; as a rule one for each processor\n"
        "      --timeout DURATION\n"
        "                stops after so long, as a rule 10m, and says how many changes\n"
        "                are not judged. On a terminal it shows how far it is\n"
        "\n"
        "Example:\n"
        "  $ recourse mutants spec/lightspeed.policy.md\n"
        "  spec/lightspeed.policy.md: 867 changes: 819 caught, 9 equivalent,\n"
        "  39 declared, 0 unnoticed\n"
        "\n"
        "Exit status: 0; 1 if some are unnoticed or not judged, or the policy has\n"
        "errors.\n",
};
