/* Starting a program: its descriptors, its environment, posix_spawn. What becomes of it is the business of `process`. */
#ifndef RCS_IO_SPAWN_H
#define RCS_IO_SPAWN_H

#include <recourse/port.h>

#include <signal.h>
#include <sys/types.h>

/* Both sides of the three standard descriptors; -1: closed. Ours do not block. */
struct rcs_pipes {
    int input;
    int output;
    int errors;
    int child[3];
};

/* A request that can be carried out: 0 or RECOURSE_E_ARGUMENT. */
RECOURSE_MUST_USE int rcs_spawn_check(const struct recourse_process_request *request);
/* Opens all six. Returns 0 or errno; then none is open. */
RECOURSE_MUST_USE int rcs_pipes_open(struct rcs_pipes *pipes);
void rcs_pipes_close_child(struct rcs_pipes *pipes);

/*
 * Starts the program. Returns 0 or errno; then nothing of it has run. `*pidfd` is -1 where the system gives none: the
 * program runs nevertheless.
 */
RECOURSE_MUST_USE int rcs_spawn(const struct recourse_process_request *request,
                                const struct recourse_allocator *allocator, const struct rcs_pipes *pipes, pid_t *pid,
                                int *pidfd);

/* Whether the system knows descriptors of processes (Linux 5.4 and later; a sandbox may forbid them). */
bool rcs_spawn_supported(void);
/* waitid on a child by its pidfd, or where there is none by its number. */
int rcs_spawn_wait(pid_t pid, int pidfd, int options, siginfo_t *info);
/* A signal for that process alone; for its group see kill(2). */
void rcs_spawn_signal(int pidfd, int signal);

#endif
