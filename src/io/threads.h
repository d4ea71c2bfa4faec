/* Worker threads of one port: started when needed, fed from a bounded queue, joined at the end. */
#ifndef RCS_IO_THREADS_H
#define RCS_IO_THREADS_H

#include <recourse/port.h>

#include <pthread.h>

struct rcs_job {
    void (*work)(void *user);
    void *user;
};

struct rcs_threads {
    const struct recourse_allocator *allocator;
    unsigned threads_max;
    unsigned queue_max;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t wanted;
    pthread_t *threads;
    unsigned thread_count;
    unsigned idle; /* threads that have no job, started ones included */
    struct rcs_job *ring; /* threads_max + queue_max places */
    unsigned first;
    unsigned queued;
    bool stopping;
};

/* `allocator` may be NULL and must outlive the threads. Errors: RECOURSE_E_MEMORY, RECOURSE_E_SYSTEM. */
RECOURSE_MUST_USE int rcs_threads_init(struct rcs_threads *threads, const struct recourse_allocator *allocator,
                                       unsigned threads_max, unsigned queue_max);
/* Does all that is queued, waits for it, and ends the threads. */
void rcs_threads_clear(struct rcs_threads *threads);
/*
 * Runs `work(user)` on a thread, in which all signals are blocked. Up to `queue_max` jobs wait for one.
 * Errors: RECOURSE_E_AGAIN (the queue is full), RECOURSE_E_SYSTEM (there is no thread and none can be started).
 */
RECOURSE_MUST_USE int rcs_threads_submit(struct rcs_threads *threads, void (*work)(void *user), void *user);

#endif
