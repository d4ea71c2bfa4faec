/* What will happen, in the order of time; at one time, in the order in which it was planned. */
#include "tests/sim/world.h"

#include <stdlib.h>

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

static void swap(struct sim_event *a, struct sim_event *b)
{
    struct sim_event kept = *a;

    *a = *b;
    *b = kept;
}

void sim_heap_push(struct sim_heap *heap, struct sim_event event)
{
    size_t at = heap->count++;

    if (heap->count > heap->room) {
        heap->room = heap->room == 0 ? 64 : 2 * heap->room;
        heap->events = realloc(heap->events, heap->room * sizeof *heap->events);
        if (heap->events == NULL) {
            abort();
        }
    }
    heap->events[at] = event;
    while (at > 0 && before(&heap->events[at], &heap->events[(at - 1) / 2])) {
        swap(&heap->events[at], &heap->events[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

struct sim_event sim_heap_pop(struct sim_heap *heap)
{
    struct sim_event first = heap->events[0];
    size_t at = 0;

    heap->events[0] = heap->events[--heap->count];
    for (;;) {
        size_t least = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap->count; child++) {
            if (before(&heap->events[child], &heap->events[least])) {
                least = child;
            }
        }
        if (least == at) {
            return first;
        }
        swap(&heap->events[at], &heap->events[least]);
        at = least;
    }
}

uint64_t sim_heap_next(const struct sim_heap *heap)
{
    return heap->count > 0 ? heap->events[0].due_ms : SIM_NEVER;
}

void sim_heap_clear(struct sim_heap *heap)
{
    free(heap->events);
    *heap = (struct sim_heap){0};
}

void sim_after(struct world *world, uint64_t delay_ms, void (*fire)(struct world *world, void *what), void *what)
{
    struct sim_event event = {world->now_ms + delay_ms, world->order++, fire, what};

    sim_heap_push(&world->events, event);
}
