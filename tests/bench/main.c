/*
 * bench BUILD [PART...]: all parts, or those that are named.
 *
 * BENCH_ROUNDS: how many rounds instead of 11. Exits with 0 also where a limit is missed: it measures, and tests nothing.
 */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define ROUNDS 11u

static const struct {
    const char *name;
    void (*measure)(void);
} parts[] = {
    {"runner", part_runner},   {"scale", part_scale},     {"waiting", part_waiting}, {"machine", part_machine},  {"matcher", part_matcher},
    {"peers", part_peers},     {"mcp", part_mcp},         {"start", part_start},   {"audit", part_audit},
    {"compiler", part_compiler},
};

#define PARTS (sizeof parts / sizeof parts[0])

static const char *build;

const char *built(void)
{
    return build;
}

unsigned rounds(void)
{
    const char *text = getenv("BENCH_ROUNDS");
    unsigned long count = text != NULL ? strtoul(text, NULL, 10) : 0;

    return count == 0 ? ROUNDS : count > SAMPLES_MAX ? SAMPLES_MAX : (unsigned)count;
}

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

static void check_names(int count, char **names)
{
    for (int i = 0; i < count; i++) {
        bool known = false;

        for (size_t j = 0; j < PARTS; j++) {
            known = known || strcmp(parts[j].name, names[i]) == 0;
        }
        if (!known) {
            bench_fail("no part '%s'; there are runner, scale, waiting, machine, matcher, peers, mcp, start, audit, compiler", names[i]);
        }
    }
}

/* 8,000 connections want as many descriptors, here and in the server. */
static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int count, char **arguments)
{
    struct utsname system;

    if (count < 2) {
        fputs("usage: bench BUILD [PART...]\n", stderr);
        return 1;
    }
    build = arguments[1];
    check_names(count - 2, arguments + 2);
    raise_limit();
    uname(&system);
    printf("Medians of %u interleaved rounds [quartiles]; ratios are ours to the peer's, round by round.\n"
           "%s %s, %ld processors.\n",
           rounds(), system.sysname, system.machine, sysconf(_SC_NPROCESSORS_ONLN));
    for (size_t i = 0; i < PARTS; i++) {
        if (is_wanted(parts[i].name, count - 2, arguments + 2)) {
            parts[i].measure();
        }
    }
    printf("\n%u over their limit\n", table_over());
    return 0;
}
