/* For the tests of processes: a port, shell scripts that it runs, and what became of them. */
#ifndef RCS_CHILD_H
#define RCS_CHILD_H

#include "tests/unit/unit.h"

#include <recourse/policy.h>
#include <recourse/port.h>

/* No process takes this long; it ends a test that hangs. */
#define LONG_MS 20000
#define GRACE_MS 60
#define OUTPUT_MAX (2u << 20)
#define ERRORS_MAX 1000u

extern struct recourse_port *child_port;

/* One process, and a copy of what came of it. */
struct child {
    struct recourse_process_request request;
    const char *words[8];
    char script[600];
    struct recourse_process *process;
    void (*then)(struct child *child); /* called from `done`; may be NULL */
    struct child *other;
    unsigned done;
    struct recourse_process_result result; /* its pointers are the copies */
    char *output;
    char errors[ERRORS_MAX + 1];
    char detail[256];
    uint64_t took_ms;
};

/* Opens a port and notes which descriptors are open; closes it and asserts that none more is, and no child is left. */
void child_open(const struct recourse_port_options *options);
void child_close(void);

/* A request for `sh -c SCRIPT`, where $1 is the path of a file that is not there: see child_ready. */
void child_init(struct child *child, const char *script);
int child_start(struct child *child);
/* Polls until it is done, and asserts that it was once. */
void child_finish(struct child *child);
void child_run(struct child *child);
/* Polls until the script has made the file $1, and removes it. */
void child_ready(void);
bool child_has_file(void);
void child_remove_file(void);
void child_clear(struct child *child);

/* The number that the output begins with. */
int child_number(const struct child *child);
/* The signal that ended a process which has been left to us; 0: it exited. Waits for it. */
int child_orphan_signal(int number);

#endif
