/* The demo: a turn of tool calls that go wrong in as many ways, and what became of each. */
#ifndef RCS_DEMO_H
#define RCS_DEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/server/faulty.h"

#define RCS_DEMO_DECISIONS_MAX 8

/* One call of the turn, and what has to come of it. */
struct rcs_demo_call {
    const char *tool;      /* NULL: the model forgot the name */
    const char *story;     /* what the server does, or what is wrong with the call */
    const char *script;    /* of the faulty server; NULL: no such tool is configured */
    const char *timeout;   /* of a try; NULL: the policy's */
    const char *arguments;
    const char *scenarios; /* expected, in order */
    unsigned tries;        /* likewise */
};

extern const struct rcs_demo_call rcs_demo_calls[];
extern const size_t rcs_demo_call_count;

/* Where things are: a directory of our own, made and removed by main. */
struct rcs_demo_paths {
    char directory[64];
    char tools[96];
    char calls[96];
    char report[96];
    char out[96];
    char errors[96];
};

/* demo_turn.c: what goes in. False, with one line on stderr, if it can't be written. */
bool rcs_demo_script(struct rcs_faulty *server);
bool rcs_demo_write_tools(const char *path, unsigned port);
bool rcs_demo_write_calls(const char *path);

/* A decision that bears a label: a wait, or the report. */
struct rcs_demo_decision {
    char scenario[8];
    char row[8];
    unsigned line;
    bool waits;
    uint64_t wait_ms;
};

/* What the report says about one call. */
struct rcs_demo_outcome {
    char *content;
    unsigned tries;
    struct rcs_demo_decision decisions[RCS_DEMO_DECISIONS_MAX];
    size_t decision_count;
    char scenarios[64]; /* of the decisions, with blanks between them */
};

struct rcs_demo_report {
    char policy[64];
    char digest[65]; /* of its behaviour */
    char status[16];
    struct rcs_demo_outcome *outcomes; /* one for each call */
};

/* demo_report.c: what came out. False, with one line on stderr, if the report isn't what it should be. */
bool rcs_demo_read_report(const char *path, struct rcs_demo_report *report);
void rcs_demo_clear_report(struct rcs_demo_report *report);

/* What the server says about one call: its own count and the gaps between arrivals. */
struct rcs_demo_witness {
    size_t requests;
    uint64_t gaps_ms[RCS_DEMO_DECISIONS_MAX]; /* in whole milliseconds of the clock, as the policy counts */
    size_t gap_count;
};
void rcs_demo_ask_server(struct rcs_faulty *server, const struct rcs_demo_call *call, struct rcs_demo_witness *witness);

/* Compares the report with the server's log and with what was expected. Prints a line to `out` for each difference and
   returns how many there are. */
unsigned rcs_demo_compare(const struct rcs_demo_report *report, struct rcs_faulty *server, FILE *out);

/* demo_table.c: what people read. */
void rcs_demo_print_table(const struct rcs_demo_report *report, struct rcs_faulty *server, FILE *out);

#endif
