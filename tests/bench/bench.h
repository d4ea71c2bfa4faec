/*
 * The bench: runs the measured programs in turn, and prints medians with their spread, each beside its peer of the same
 * run and beside its limit.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

#define SAMPLES_MAX 101u

/* One number of each round. */
struct samples {
    double values[SAMPLES_MAX];
    unsigned count;
};

void samples_add(struct samples *samples, double value);
/* The value below which `part` of all lie: 0.5 is the median. */
double samples_part(const struct samples *samples, double part);

/* How many rounds there are: of each pair, and as many of all that is measured. */
unsigned rounds(void);
/* Where the built programs are, "build/bench". */
const char *built(void);

/* ---- table.c ---- */

/* What a row says: the smaller, the better. */
struct row {
    const char *what;
    const char *unit;  /* of both; "" for none */
    const struct samples *ours;
    const char *peer_name; /* NULL: no peer */
    const struct samples *peer;
    double limit;      /* of ours / peer, by rounds; without a peer of ours itself. 0: none */
};

void table_title(const char *format, ...) __attribute__((format(printf, 1, 2)));
void table_row(const struct row *row);
/* A line of text, for what is left out and why. */
void table_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* How many rows were over their limit so far. */
unsigned table_over(void);

/* ---- process.c ---- */

/* Runs a program to its end and keeps its first line. Arguments are NULL-terminated, the program first. Returns false if it
   failed. */
bool run_program(const char *const *arguments, char *line, size_t size);
/* The value of `name=` in such a line. Ends the bench where there is none. */
double value_of(const char *line, const char *name);
/* Runs it and throws its output away; returns the time that passes, in ms. Ends the bench where the exit status is another
   one than `status`. */
double time_program(const char *const *arguments, int status);

/* A server, a process of its own that prints its port and ends with its input. One at a time: server_start for that of the
   bench, or another one. */
void server_start(void);
void server_start_program(const char *const *arguments);
void server_stop(void);
/* "http://127.0.0.1:PORT" and `path`. In static memory, until the next call. */
const char *server_url(const char *path);

void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- the parts ---- */

void part_runner(void);
void part_scale(void);
void part_waiting(void);
void part_machine(void);
void part_matcher(void);
void part_peers(void);
void part_mcp(void);
void part_start(void);
void part_audit(void);
void part_compiler(void);

#endif
