/*
 * The loop: epoll, a table of watches by descriptor, a heap of timers, and a wake from other threads.
 *
 * epoll is told as little as possible. A watch that no longer asks for READABLE stays registered for it until that
 * makes an event which nobody wants; so a kept-alive connection costs no system call between its requests.
 */
#ifndef RCS_IO_LOOP_H
#define RCS_IO_LOOP_H

#include <recourse/port.h>

#include "src/io/timer.h"

typedef void rcs_ready(void *user, int fd, unsigned events);

struct rcs_watch {
    rcs_ready *ready;
    void *user;
    uint32_t generation; /* an event of an older watch of this descriptor is not for this one */
    bool used;
    bool in_epoll;
    uint8_t wanted;      /* RECOURSE_READABLE | RECOURSE_WRITABLE */
    uint8_t registered;  /* what epoll has been told */
};

/* Work for after the events: zero but for `run`, which is called once for each time that it was noted. */
struct rcs_after {
    void (*run)(struct rcs_after *after);
    struct rcs_after *next;
    bool noted;
};

struct rcs_loop {
    const struct recourse_allocator *allocator;
    struct rcs_timers timers;
    struct rcs_watch *watches; /* by descriptor */
    size_t watch_capacity;
    uint32_t generation;
    int epoll;
    int wake;
    bool polling;
    struct rcs_after *after; /* noted */
    size_t timers_reserved; /* by all parts of the port together */
};

/* Milliseconds of CLOCK_MONOTONIC, cut. */
uint64_t rcs_now_ms(void);

/* `allocator` may be NULL and must outlive the loop. Errors: RECOURSE_E_MEMORY, RECOURSE_E_SYSTEM. */
RECOURSE_MUST_USE int rcs_loop_init(struct rcs_loop *loop, const struct recourse_allocator *allocator,
                                    struct recourse_error *error);
void rcs_loop_clear(struct rcs_loop *loop);

/*
 * Watches `fd`, or changes the watch that it has. `ready` gets those of `events` that hold; an error or a hang-up
 * counts as all that were asked for. Errors: RECOURSE_E_ARGUMENT (no descriptor that can be watched), RECOURSE_E_MEMORY,
 * RECOURSE_E_SYSTEM; what was watched before stays as it was.
 */
RECOURSE_MUST_USE int rcs_loop_watch(struct rcs_loop *loop, int fd, unsigned events, rcs_ready *ready, void *user);
/* Whether `fd` is watched, and by this function. */
bool rcs_loop_is_watched_by(const struct rcs_loop *loop, int fd, rcs_ready *ready);
/* The same, and nothing is wanted of it now. */
bool rcs_loop_is_quiet(const struct rcs_loop *loop, int fd, rcs_ready *ready);
/* Ends a watch, before `fd` is closed. */
void rcs_loop_unwatch(struct rcs_loop *loop, int fd);
/* Ends the watch of a descriptor that is closed next, by its only owner: closing takes it out of epoll. */
void rcs_loop_forget(struct rcs_loop *loop, int fd);

/*
 * Makes room for `count` timers of one part of the port, so that setting them can't fail whatever the other parts do.
 * `*reserved` is that part's own note of what it has; 0 at first. Errors: RECOURSE_E_MEMORY.
 */
RECOURSE_MUST_USE int rcs_loop_reserve_timers(struct rcs_loop *loop, size_t *reserved, size_t count);

/*
 * From a callback of a watch: has `after` run once what epoll has reported is delivered, before any timer. Noted again
 * before that, it runs once.
 */
void rcs_loop_after(struct rcs_loop *loop, struct rcs_after *after);
/* Takes it back, if it is noted: before its memory goes. */
void rcs_loop_forget_after(struct rcs_loop *loop, struct rcs_after *after);

/* Waits up to `timeout_ms` or the next timer, then delivers a bounded number of events, what they left for after them, and
   timers, in this order. A signal ends the waiting early. Errors: RECOURSE_E_STATE (called from a callback), RECOURSE_E_SYSTEM. */
int rcs_loop_poll(struct rcs_loop *loop, uint64_t timeout_ms);
/* [any thread] */
void rcs_loop_wake(struct rcs_loop *loop);

#endif
