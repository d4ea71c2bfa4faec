#include "src/io/threads.h"

#include "src/io/memory.h"

#include <signal.h>

int rcs_threads_init(struct rcs_threads *threads, const struct recourse_allocator *allocator, unsigned threads_max,
                     unsigned queue_max)
{
    size_t places = (size_t)threads_max + queue_max;

    *threads = (struct rcs_threads){.allocator = allocator, .threads_max = threads_max, .queue_max = queue_max};
    threads->threads = rcs_alloc(allocator, threads_max * sizeof *threads->threads);
    threads->ring = rcs_alloc(allocator, places * sizeof *threads->ring);
    if (threads->threads == NULL || threads->ring == NULL) {
        rcs_free(allocator, threads->threads);
        rcs_free(allocator, threads->ring);
        return RECOURSE_E_MEMORY;
    }
    pthread_mutex_init(&threads->lock, NULL);
    pthread_cond_init(&threads->wanted, NULL);
    return 0;
}

void rcs_threads_clear(struct rcs_threads *threads)
{
    pthread_mutex_lock(&threads->lock);
    threads->stopping = true;
    pthread_cond_broadcast(&threads->wanted);
    pthread_mutex_unlock(&threads->lock);
    for (unsigned i = 0; i < threads->thread_count; i++) {
        pthread_join(threads->threads[i], NULL);
    }
    pthread_cond_destroy(&threads->wanted);
    pthread_mutex_destroy(&threads->lock);
    rcs_free(threads->allocator, threads->threads);
    rcs_free(threads->allocator, threads->ring);
}

static void *run(void *user)
{
    struct rcs_threads *threads = user;
    unsigned places = threads->threads_max + threads->queue_max;

    pthread_mutex_lock(&threads->lock);
    for (;;) {
        struct rcs_job job;

        while (threads->queued == 0 && !threads->stopping) {
            pthread_cond_wait(&threads->wanted, &threads->lock);
        }
        if (threads->queued == 0) {
            break;
        }
        job = threads->ring[threads->first];
        threads->first = (threads->first + 1) % places;
        threads->queued--;
        threads->idle--;
        pthread_mutex_unlock(&threads->lock);
        job.work(job.user);
        pthread_mutex_lock(&threads->lock);
        threads->idle++;
    }
    pthread_mutex_unlock(&threads->lock);
    return NULL;
}

/* A thread inherits the mask of the one that starts it: the host's handlers never run on ours. */
static void start_one(struct rcs_threads *threads)
{
    sigset_t all;
    sigset_t old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&threads->threads[threads->thread_count], NULL, run, threads) == 0) {
        threads->thread_count++;
        threads->idle++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int rcs_threads_submit(struct rcs_threads *threads, void (*work)(void *user), void *user)
{
    unsigned places = threads->threads_max + threads->queue_max;
    int code = 0;

    pthread_mutex_lock(&threads->lock);
    if (threads->queued >= threads->idle && threads->thread_count < threads->threads_max) {
        start_one(threads);
    }
    if (threads->thread_count == 0) {
        code = RECOURSE_E_SYSTEM;
    } else if (threads->queued >= threads->queue_max + threads->idle) {
        code = RECOURSE_E_AGAIN;
    } else {
        threads->ring[(threads->first + threads->queued) % places] = (struct rcs_job){work, user};
        threads->queued++;
        pthread_cond_signal(&threads->wanted);
    }
    pthread_mutex_unlock(&threads->lock);
    return code;
}
