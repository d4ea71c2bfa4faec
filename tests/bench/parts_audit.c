/* The record: writing it, verifying it, and a runner with it beside one without. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_SIZE 512
#define FEW "8000"
#define MANY "80000"

static char log_path[256];

static void run_audit(const char *word, const char *calls, struct samples *samples)
{
    char program[256];
    char line[LINE_MAX_SIZE];
    const char *const arguments[] = {program, word, log_path, calls, NULL};

    snprintf(program, sizeof program, "%s/audit", built());
    if (!run_program(arguments, line, sizeof line)) {
        bench_fail("%s %s has failed: '%s'", program, word, line);
    }
    samples_add(samples, value_of(line, "record_ns") / 1000);
}

/* Instructions for SHA-256 make the larger part of it cheap. */
static bool has_sha(void)
{
    const char *const arguments[] = {"grep", "-qwE", "sha_ni|sha2", "/proc/cpuinfo", NULL};
    char line[LINE_MAX_SIZE];

    return run_program(arguments, line, sizeof line);
}

static void measure_records(void)
{
    struct samples writing = {.count = 0};
    struct samples again = {.count = 0};
    struct samples few = {.count = 0};
    struct samples many = {.count = 0};

    for (unsigned i = 0; i < rounds(); i++) {
        run_audit("write", FEW, &again);
        run_audit("verify", NULL, &few);
        run_audit("write", MANY, &writing);
        run_audit("verify", NULL, &many);
    }
    table_row(&(struct row){"writing, no sync: a record", "us", &writing, NULL, NULL, 4});
    table_row(&(struct row){"verifying: a record", "us", &many, NULL, NULL, has_sha() ? 2 : 4});
    table_row(&(struct row){"of 400,000", "us", &many, "of 40,000", &few, 1.1});
}

static double cpu_of_a_call(bool with_log)
{
    char program[256];
    char line[LINE_MAX_SIZE];
    const char *const arguments[] = {program, server_url("/ok/20"), "256", "10000", "1024", NULL};

    snprintf(program, sizeof program, "%s/runner", built());
    unlink(log_path);
    if (with_log) {
        setenv("BENCH_AUDIT", log_path, 1);
    } else {
        unsetenv("BENCH_AUDIT");
    }
    if (!run_program(arguments, line, sizeof line)) {
        bench_fail("%s has failed: '%s'", program, line);
    }
    unsetenv("BENCH_AUDIT");
    return value_of(line, "cpu_us") / 10000;
}

static void measure_runner(void)
{
    struct samples with = {.count = 0};
    struct samples without = {.count = 0};

    server_start();
    for (unsigned i = 0; i < rounds(); i++) {
        double first = cpu_of_a_call(i % 2 == 0);
        double second = cpu_of_a_call(i % 2 != 0);

        samples_add(&with, i % 2 == 0 ? first : second);
        samples_add(&without, i % 2 == 0 ? second : first);
    }
    server_stop();
    table_row(&(struct row){"CPU of a call, 256 at once", "us", &with, "without a log", &without, 1.35});
}

void part_audit(void)
{
    snprintf(log_path, sizeof log_path, "%s/audit.log", built());
    table_title("audit: the record; the runner's with sync in batches");
    measure_records();
    measure_runner();
    unlink(log_path);
}
