/*
 * Timers: a heap of nodes that live in the caller's own structs, over whatever clock the caller reads.
 *
 * Nothing here asks for the time: `now_ms` is handed in, so that tests and simulations own it. A timer never fires
 * before its time; timers of one moment fire in the order in which they were set. Adding, moving and removing cost
 * O(log n); memory is one pointer a timer, in one array that grows and is given back by rcs_timers_clear only.
 */
#ifndef RCS_IO_TIMER_H
#define RCS_IO_TIMER_H

#include <recourse/policy.h> /* RECOURSE_FOREVER */
#include <recourse/port.h>

struct rcs_timer {
    void (*fire)(struct rcs_timer *timer); /* the caller's; for rcs_timers_run */
    uint64_t due_ms;
    uint64_t order;
    size_t place; /* 1-based, in the heap; 0: not set */
};

struct rcs_timers {
    struct rcs_timer **heap;
    size_t count;
    size_t capacity;
    uint64_t order;
    const struct recourse_allocator *allocator;
};

/* The struct of type `type` whose member `member` is `*pointer`. */
#define RCS_OWNER(pointer, type, member) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

/* `allocator` may be NULL and must outlive the timers. */
void rcs_timers_init(struct rcs_timers *timers, const struct recourse_allocator *allocator);
/* Forgets all timers (none fires) and gives the memory back. The nodes may be set again. */
void rcs_timers_clear(struct rcs_timers *timers);

/* A node that is not set. `fire` may be NULL where only rcs_timers_pop is used. */
void rcs_timer_init(struct rcs_timer *timer, void (*fire)(struct rcs_timer *timer));

/* Whether it is in a heap. */
bool rcs_timer_is_set(const struct rcs_timer *timer);

/* Makes room, so that setting can't fail while no more than `count` are set. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_timers_reserve(struct rcs_timers *timers, size_t count);
/*
 * Sets a timer, or moves one that is set, to `due_ms`. RECOURSE_FOREVER takes it out. The node must stay where it is
 * until it has fired or was removed. Errors: RECOURSE_E_MEMORY; moving, and setting within what was reserved, never
 * fail.
 */
int rcs_timers_set(struct rcs_timers *timers, struct rcs_timer *timer, uint64_t due_ms);
/* Takes a timer out; nothing happens if it is not set. */
void rcs_timers_remove(struct rcs_timers *timers, struct rcs_timer *timer);

/* When the next one is due; RECOURSE_FOREVER: none is set. */
uint64_t rcs_timers_next(const struct rcs_timers *timers);
/* Takes out the next timer that is due, or returns NULL. */
struct rcs_timer *rcs_timers_pop(struct rcs_timers *timers, uint64_t now_ms);
/* Takes out and fires due timers, no more than `max`, up to one that was set meanwhile: it is for the next time, or one that
   always sets itself again would hold up all others. Returns how many. A timer may set, move and remove any timer, itself
   included, and free its own struct. */
size_t rcs_timers_run(struct rcs_timers *timers, uint64_t now_ms, size_t max);

#endif
