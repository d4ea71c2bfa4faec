/* The programs in which calls of libc fail, and the place where they run. */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/server/faulty.h"

#define FAULT_OUTPUT 65536u
#define FAULT_PATH 256u
#define FAULT_KINDS 6u
#define FAULT_SCENARIOS 7u

extern const char *const fault_kinds[FAULT_KINDS]; /* of calls, in the order in which preload.c counts them */

/* How a program ended. */
struct ended {
    int status; /* -1: it did not exit by itself; -2: not in time; -3: a process that it started is still there */
    char out[FAULT_OUTPUT];
    char err[FAULT_OUTPUT];
    unsigned long counts[FAULT_KINDS];
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
    void (*words)(const struct place *place, char *words[], char text[][FAULT_PATH]);
    /* What is wrong with how it ended; NULL: nothing. */
    const char *(*judge)(const struct place *place, const struct ended *ended);
    bool frees; /* all of its memory, however it ends */
    bool logs;  /* and its log is gone on with afterwards */
};

extern const struct scenario fault_scenarios[FAULT_SCENARIOS];

/* Ends this program. */
void fault_fail(const char *what);
void fault_path(const struct place *place, const char *name, char path[FAULT_PATH]);
/* Runs `words`; `plan` NULL: as it is, and nothing is counted. */
void fault_run(const struct place *place, char *const words[], const char *plan, struct ended *ended);

/* `build` is set; a folder with what the programs need, and a server. */
void fault_open(struct place *place);
/* The files whose names begin so go. */
void fault_forget(const struct place *place, const char *begin);
void fault_close(struct place *place);

#endif
