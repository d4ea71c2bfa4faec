/*
 * Processes: started in a group of their own, fed, listened to within bounds, ended with a grace, and reaped one by one by
 * their pidfd, so that the host's own children and its handler of SIGCHLD are left alone.
 */
#ifndef RCS_IO_PROCESS_H
#define RCS_IO_PROCESS_H

#include "src/io/buffer.h"
#include "src/io/loop.h"

#include <sys/types.h>

struct recourse_process {
    struct rcs_processes *all;
    struct recourse_process *previous;
    struct recourse_process *next;
    const struct recourse_process_request *request; /* the caller's; NULL once it was cancelled */
    void (*done)(void *user, const struct recourse_process_result *result);
    void *user;
    struct rcs_timer timer; /* the next of: deadline, SIGKILL, the end of listening to what a process has left behind */
    uint64_t grace_ms;
    uint64_t quit_ms;
    uint64_t step_ms;    /* while it is being ended: when SIGTERM or SIGKILL is due */
    uint64_t listens_ms; /* once it has gone */
    pid_t pid;
    int pidfd;
    int input; /* our sides; -1: closed */
    int output;
    int errors;
    size_t input_sent;
    struct rcs_buffer output_kept;
    struct rcs_buffer errors_kept;
    size_t granted; /* bytes of both that there is room for, those that came included */
    int start_error;
    int how; /* CLD_EXITED and its like, once it has gone */
    int status;
    bool paused;    /* there is no room for its output now: it is not read */
    bool gone;      /* it has ended, but its number is kept until it is reaped */
    bool lost;      /* somebody else has reaped it: the number may be another's */
    bool reaped;
    bool talks;     /* see recourse_process_request.data */
    bool ending;
    bool asked;     /* by SIGTERM */
    bool killed;
    bool timed_out;
    bool too_large;
    bool no_memory; /* for the output: counts as too large */
    bool cancelled;
    bool finishing; /* `done` runs */
    char detail[200];
};

struct rcs_processes {
    struct rcs_loop *loop;
    const struct recourse_allocator *allocator;
    struct recourse_process *first;
    size_t count;
    size_t timer_room; /* see rcs_loop_reserve_timers */
};

void rcs_processes_init(struct rcs_processes *all, struct rcs_loop *loop);
/* Lets those that are being ended have the rest of their grace, kills the others, and reaps all, without `done`. */
void rcs_processes_clear(struct rcs_processes *all);
/* See recourse_port_kill: the list can be walked at any moment. */
void rcs_processes_kill(const struct rcs_processes *all);
/* As process_start, process_end, process_cancel and process_resume of the port. */
RECOURSE_MUST_USE int rcs_process_start(struct rcs_processes *all, const struct recourse_process_request *request,
                                        void (*done)(void *user, const struct recourse_process_result *result),
                                        void *user, struct recourse_process **process);
bool rcs_process_end(struct recourse_process *process);
bool rcs_process_cancel(struct recourse_process *process);
void rcs_process_resume(struct recourse_process *process);

/* ---- process.c, for the other two ---- */

void rcs_process_close_stream(struct recourse_process *process, int *fd);
void rcs_process_begin_end(struct recourse_process *process);
/* Only as the last thing: it is freed then. */
void rcs_process_finish_if_over(struct recourse_process *process);

/* ---- process_output.c ---- */

/* Reads its outputs when there is something, or leaves them alone. False: one can't be watched, and is closed. */
bool rcs_process_listen(struct recourse_process *process, bool reads);
/* Reads what lies in the pipes of one that has gone, as far as there is room. */
void rcs_process_take_rest(struct recourse_process *process);

/* ---- process_talk.c ---- */

/* As process_write of the port. */
RECOURSE_MUST_USE int rcs_process_write(struct recourse_process *process, const char *bytes, size_t size, size_t *taken);
/* Keeps the last bytes of standard error, as many as may be kept. For want of memory it is fewer. */
void rcs_process_keep_last(struct rcs_buffer *kept, const char *bytes, size_t size);

#endif
