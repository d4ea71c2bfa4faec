/*
 * A process on the simulated port, for servers on standard input and output: what is written to it is kept, and what it
 * says comes with the next poll. One runs at a time; those before it are only counted.
 */
#ifndef RCS_SIM_PROCESS_H
#define RCS_SIM_PROCESS_H

#include "tests/unit/sim_port.h"

#define SIM_TEXT_MAX 65536u

struct sim_process {
    struct sim *sim;
    const struct recourse_process_request *request;
    void (*done)(void *user, const struct recourse_process_result *result);
    void *user;
    /* Called for each line that was written, without its end; may be NULL. */
    void (*line)(struct sim_process *process, const char *line);
    int start_error;  /* of the next one: errno */
    int start_code;   /* what process_start answers, if not 0 */
    int write_code;   /* what process_write answers, if not 0 */
    size_t room;      /* bytes that it takes before it reads again */
    size_t piece;     /* bytes that come at once; 0: all */
    bool blocked;     /* it has taken less than it was given */
    bool running;
    bool ending;      /* process_end was called */
    bool gone;        /* `result` is to be told */
    struct recourse_process_result result;
    struct recourse_span errors; /* what it has written to standard error while it runs */
    char written[SIM_TEXT_MAX]; /* by all of them together */
    size_t written_size;
    size_t line_begin;
    char said[SIM_TEXT_MAX];
    size_t said_size;
    bool end_said;    /* its output has ended */
    unsigned starts;
    unsigned ends;
    unsigned cancels;
};

void sim_process_init(struct sim_process *process, struct sim *sim);
/* It writes this. */
void sim_process_say(struct sim_process *process, const char *text);
/* It exits, or dies of a signal. */
void sim_process_die(struct sim_process *process, int status, int signal);
/* It reads so much more. */
void sim_process_read(struct sim_process *process, size_t size);

#endif
