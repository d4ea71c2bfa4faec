/* The simulator from the command line: many worlds, or one again. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/broken.h"

static volatile sig_atomic_t running; /* a world is */
static char banner[64];

static const char help[] =
    "usage: sim [--seed N] [--from N] [--seeds N] [--calls N] [--broken NAME] [--log]\n"
    "\n"
    "Runs worlds: the real runner and policies on a simulated port, all of it drawn from a seed.\n"
    "\n"
    "  --seed N       the world of this seed, and what happens in it\n"
    "  --from N       begins with this seed (1)\n"
    "  --seeds N      so many worlds (100)\n"
    "  --calls N      as many worlds as it takes for so many results\n"
    "  --broken NAME  with the port, the policies or the host broken on purpose; `list` names the ways\n"
    "  --log          every decision\n"
    "\n"
    "Exit status: 0 if everything held, 1 if something did not (the seed is printed), 2 for wrong usage.\n";

/* The seed is what matters, also where an assertion or a sanitizer ends the program. */
static void on_abort(int number)
{
    if (running) {
        (void)!write(STDERR_FILENO, banner, strlen(banner));
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void on_sanitizer(void)
{
    if (running) {
        (void)!write(STDERR_FILENO, banner, strlen(banner));
    }
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct wanted {
    uint64_t from;
    uint64_t seeds;
    uint64_t calls;
    const struct sim_broken *broken;
    bool log;
};

static bool read_number(const char *text, uint64_t *number)
{
    char *end;

    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static int list_broken(void)
{
    for (size_t i = 0; i < SIM_BROKEN_COUNT; i++) {
        printf("%-12s found by: %s\n", sim_broken[i].name, sim_invariant_name(sim_broken[i].found_by));
    }
    return 0;
}

/* 0: go on; otherwise the exit status and 1. */
static int read_options(int count, char **arguments, struct wanted *wanted)
{
    static const struct option options[] = {
        {"seed", 1, NULL, 's'}, {"from", 1, NULL, 'f'},   {"seeds", 1, NULL, 'n'}, {"calls", 1, NULL, 'c'},
        {"log", 0, NULL, 'l'},  {"broken", 1, NULL, 'b'}, {"help", 0, NULL, 'h'},  {0}};
    bool good = true;
    int option;

    while ((option = getopt_long(count, arguments, "", options, NULL)) != -1 && good) {
        switch (option) {
        case 's':
            wanted->seeds = 1;
            wanted->log = true;
            good = read_number(optarg, &wanted->from);
            break;
        case 'f': good = read_number(optarg, &wanted->from); break;
        case 'n': good = read_number(optarg, &wanted->seeds) && wanted->seeds > 0; break;
        case 'c': good = read_number(optarg, &wanted->calls) && wanted->calls > 0; break;
        case 'l': wanted->log = true; break;
        case 'b':
            if (strcmp(optarg, "list") == 0) {
                return 1 + list_broken();
            }
            wanted->broken = sim_broken_named(optarg);
            good = wanted->broken != NULL;
            break;
        case 'h': fputs(help, stdout); return 1;
        default: good = false; break;
        }
    }
    if (!good || optind < count) {
        fputs(help, stderr);
        return 1 + 2;
    }
    return 0;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool run(const struct wanted *wanted, uint64_t *worlds, uint64_t *results, uint64_t *tries)
{
    static struct world world;
    struct sim_options options = {.broken = wanted->broken, .log = wanted->log};
    bool holds = true;

    for (uint64_t seed = wanted->from; holds && (wanted->calls > 0 ? *results < wanted->calls : *worlds < wanted->seeds);
         seed++) {
        options.seed = seed;
        snprintf(banner, sizeof banner, "sim: seed %llu ends the program\n", (unsigned long long)seed);
        running = 1;
        holds = sim_run(&world, &options);
        running = 0;
        ++*worlds;
        *results += world.results;
        *tries += world.tries;
        if (!holds) {
            printf("sim: seed %llu, after %llu ms: %s: %s\n", (unsigned long long)seed,
                   (unsigned long long)(world.fault_ms - world.start_ms), sim_invariant_name(world.fault), world.fault_text);
            printf("again, with all decisions: sim --seed %llu%s%s\n", (unsigned long long)seed,
                   wanted->broken != NULL ? " --broken " : "", wanted->broken != NULL ? wanted->broken->name : "");
        }
    }
    return holds;
}

int main(int count, char **arguments)
{
    struct wanted wanted = {.from = 1, .seeds = 100};
    uint64_t worlds = 0;
    uint64_t results = 0;
    uint64_t tries = 0;
    int code = read_options(count, arguments, &wanted);
    double began = seconds();
    bool holds;

    if (code != 0) {
        return code - 1;
    }
    if (!sim_policies_load()) {
        return 2;
    }
    signal(SIGABRT, on_abort);
    signal(SIGSEGV, on_abort);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(on_sanitizer);
    }
    holds = run(&wanted, &worlds, &results, &tries);
    printf("sim: %llu worlds, %llu calls, %llu tries in %.1f s: %.0f calls a second\n", (unsigned long long)worlds,
           (unsigned long long)results, (unsigned long long)tries, seconds() - began,
           (double)results / (seconds() - began + 1e-9));
    sim_policies_clear();
    return holds ? 0 : 1;
}
