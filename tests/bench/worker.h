/*
 * What the measured programs have in common. Each makes the same calls of the same server, and prints one line:
 *
 *   cpu_us=N wall_us=N idle_kb=N peak_kb=N own_kb=N
 *
 * CPU is the process's own, all threads and the system's part included, without the start and the first calls.
 * idle_kb is the memory that the process held before the first call, with all its libraries loaded; peak_kb the most. own_kb,
 * after the last call, is what of it no file backs: pages of programs and libraries are every process's that has them.
 */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct worker {
    const char *url;
    unsigned at_once;
    unsigned calls;   /* that are measured */
    unsigned warm_up; /* before */
    uint64_t cpu_us;
    uint64_t wall_us;
    long idle_kb;
};

static inline uint64_t worker_clock_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* A line of /proc/self/status, KiB: VmRSS is what is resident now, RssAnon what of it no file backs,
   VmHWM the most so far. (ru_maxrss would do for neither: it
   remembers the program that started this one.) */
static inline long worker_status_kb(const char *name)
{
    char line[256];
    size_t size = strlen(name);
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, size) == 0 && line[size] == ':') {
            value = strtol(line + size + 1, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return value;
}

__attribute__((noreturn)) static inline void worker_fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static inline struct worker worker_arguments(int count, char **arguments)
{
    struct worker worker = {0};

    if (count != 5) {
        worker_fail("usage: PROGRAM URL AT-ONCE CALLS WARM-UP");
    }
    worker.url = arguments[1];
    worker.at_once = (unsigned)strtoul(arguments[2], NULL, 10);
    worker.calls = (unsigned)strtoul(arguments[3], NULL, 10);
    worker.warm_up = (unsigned)strtoul(arguments[4], NULL, 10);
    return worker;
}

static inline void worker_begin(struct worker *worker)
{
    worker->cpu_us = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID);
    worker->wall_us = worker_clock_us(CLOCK_MONOTONIC);
}

static inline void worker_end(struct worker *worker)
{
    uint64_t cpu = worker_clock_us(CLOCK_PROCESS_CPUTIME_ID) - worker->cpu_us;
    uint64_t wall = worker_clock_us(CLOCK_MONOTONIC) - worker->wall_us;

    printf("cpu_us=%" PRIu64 " wall_us=%" PRIu64 " idle_kb=%ld peak_kb=%ld own_kb=%ld\n", cpu, wall, worker->idle_kb,
           worker_status_kb("VmHWM"), worker_status_kb("RssAnon"));
}

#endif
