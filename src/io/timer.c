#include "src/io/timer.h"

#include "src/io/memory.h"

#include <assert.h>

/* Four children a node: half the depth of a binary heap, and siblings share a cache line of pointers. */
#define CHILDREN 4u

void rcs_timers_init(struct rcs_timers *timers, const struct recourse_allocator *allocator)
{
    *timers = (struct rcs_timers){.allocator = allocator};
}

void rcs_timers_clear(struct rcs_timers *timers)
{
    for (size_t i = 0; i < timers->count; i++) {
        timers->heap[i]->place = 0;
    }
    rcs_free(timers->allocator, timers->heap);
    rcs_timers_init(timers, timers->allocator);
}

void rcs_timer_init(struct rcs_timer *timer, void (*fire)(struct rcs_timer *timer))
{
    *timer = (struct rcs_timer){.fire = fire};
}

static bool before(const struct rcs_timer *a, const struct rcs_timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void put(struct rcs_timers *timers, size_t at, struct rcs_timer *timer)
{
    timers->heap[at] = timer;
    timer->place = at + 1;
}

static void rise(struct rcs_timers *timers, size_t at, struct rcs_timer *timer)
{
    while (at > 0 && before(timer, timers->heap[(at - 1) / CHILDREN])) {
        put(timers, at, timers->heap[(at - 1) / CHILDREN]);
        at = (at - 1) / CHILDREN;
    }
    put(timers, at, timer);
}

static size_t least_child(const struct rcs_timers *timers, size_t at)
{
    size_t first = at * CHILDREN + 1;
    size_t least = first;

    for (size_t i = first + 1; i < first + CHILDREN && i < timers->count; i++) {
        if (before(timers->heap[i], timers->heap[least])) {
            least = i;
        }
    }
    return least;
}

static void sink(struct rcs_timers *timers, size_t at, struct rcs_timer *timer)
{
    while (at * CHILDREN + 1 < timers->count) {
        size_t child = least_child(timers, at);

        if (!before(timers->heap[child], timer)) {
            break;
        }
        put(timers, at, timers->heap[child]);
        at = child;
    }
    put(timers, at, timer);
}

/* Puts a timer where it belongs, from a place that it may have outgrown in either direction. */
static void settle(struct rcs_timers *timers, size_t at, struct rcs_timer *timer)
{
    if (at > 0 && before(timer, timers->heap[(at - 1) / CHILDREN])) {
        rise(timers, at, timer);
    } else {
        sink(timers, at, timer);
    }
}

int rcs_timers_reserve(struct rcs_timers *timers, size_t count)
{
    void *heap = rcs_grow(timers->allocator, timers->heap, &timers->capacity, count, sizeof(struct rcs_timer *));

    if (heap == NULL) {
        return RECOURSE_E_MEMORY;
    }
    timers->heap = heap;
    return 0;
}

int rcs_timers_set(struct rcs_timers *timers, struct rcs_timer *timer, uint64_t due_ms)
{
    if (due_ms == RECOURSE_FOREVER) {
        rcs_timers_remove(timers, timer);
        return 0;
    }
    if (timer->place == 0 && rcs_timers_reserve(timers, timers->count + 1) != 0) {
        return RECOURSE_E_MEMORY;
    }
    timer->due_ms = due_ms;
    timer->order = timers->order++;
    if (timer->place == 0) {
        rise(timers, timers->count++, timer);
    } else {
        settle(timers, timer->place - 1, timer);
    }
    return 0;
}

void rcs_timers_remove(struct rcs_timers *timers, struct rcs_timer *timer)
{
    struct rcs_timer *last;
    size_t at;

    if (timer->place == 0) {
        return;
    }
    at = timer->place - 1;
    assert(at < timers->count && timers->heap[at] == timer);
    last = timers->heap[--timers->count];
    timer->place = 0;
    if (last != timer) {
        settle(timers, at, last);
    }
}

uint64_t rcs_timers_next(const struct rcs_timers *timers)
{
    return timers->count > 0 ? timers->heap[0]->due_ms : RECOURSE_FOREVER;
}

struct rcs_timer *rcs_timers_pop(struct rcs_timers *timers, uint64_t now_ms)
{
    struct rcs_timer *timer;

    if (timers->count == 0 || timers->heap[0]->due_ms > now_ms) {
        return NULL;
    }
    timer = timers->heap[0];
    rcs_timers_remove(timers, timer);
    return timer;
}

size_t rcs_timers_run(struct rcs_timers *timers, uint64_t now_ms, size_t max)
{
    const uint64_t first_new = timers->order;
    size_t fired = 0;

    while (fired < max && timers->count > 0 && timers->heap[0]->order < first_new) {
        struct rcs_timer *timer = rcs_timers_pop(timers, now_ms);

        if (timer == NULL) {
            break;
        }
        fired++;
        timer->fire(timer);
    }
    return fired;
}

bool rcs_timer_is_set(const struct rcs_timer *timer)
{
    return timer->place != 0;
}
