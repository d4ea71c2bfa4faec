/* The port of a world: its clock, its loop, its threads. Nothing here runs at the same time as anything else. */
#include "tests/sim/broken.h"

#include <stdlib.h>
#include <string.h>

#define BREAK_EARLY_MS 7u
#define BREAK_SLEEP_MS 120000u

static uint64_t now_ms(void *self)
{
    struct world *world = self;

    return world->now_ms + (sim_is_broken(world, SIM_BROKEN_EARLY) ? BREAK_EARLY_MS * (world->step % 8) : 0);
}

static uint64_t wall_s(void *self)
{
    return 1700000000u + ((struct world *)self)->now_ms / 1000;
}

static int fill_random(void *self, void *bytes, size_t size)
{
    struct world *world = self;

    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = sim_next(&world->noise);
        size_t left = size - at;

        memcpy((char *)bytes + at, &word, left < sizeof word ? left : sizeof word);
    }
    return 0;
}

static int watch(void *self, int fd, unsigned events, void (*ready)(void *user, int fd, unsigned events), void *user)
{
    (void)self, (void)fd, (void)events, (void)ready, (void)user;
    return RECOURSE_E_SYSTEM;
}

static void unwatch(void *self, int fd)
{
    (void)self, (void)fd;
}

/* ---- threads ---- */

struct work {
    void (*run)(void *user);
    void *user;
};

static void run_work(struct world *world, void *what)
{
    struct work work = *(struct work *)what;

    free(what);
    world->submitted--;
    work.run(work.user);
}

static int submit(void *self, void (*run)(void *user), void *user)
{
    struct world *world = self;
    struct work *work;

    if (sim_chance(&world->random, 20)) {
        return sim_chance(&world->random, 500) ? RECOURSE_E_AGAIN : RECOURSE_E_SYSTEM;
    }
    work = malloc(sizeof *work);
    if (work == NULL) {
        return RECOURSE_E_AGAIN;
    }
    *work = (struct work){run, user};
    world->submitted++;
    sim_after(world, sim_chance(&world->random, 700) ? 0 : sim_below(&world->random, 3000), run_work, work);
    return 0;
}

/* ---- the loop ---- */

static void wake(void *self)
{
    ((struct world *)self)->woken = true;
}

void sim_port_fire(struct world *world)
{
    while (sim_heap_next(&world->events) <= world->now_ms) {
        struct sim_event event = sim_heap_pop(&world->events);

        event.fire(world, event.what);
    }
}

void sim_port_move(struct world *world, uint64_t until_ms)
{
    uint64_t next = sim_heap_next(&world->events);
    uint64_t own = sim_heap_next(&world->own);

    if (sim_is_broken(world, SIM_BROKEN_OVERSLEEP) && until_ms > world->now_ms && until_ms != SIM_NEVER) {
        until_ms = until_ms < SIM_NEVER - BREAK_SLEEP_MS ? until_ms + BREAK_SLEEP_MS : SIM_NEVER;
    }
    until_ms = next < until_ms ? next : until_ms;
    until_ms = own < until_ms ? own : until_ms;
    if (until_ms == SIM_NEVER) {
        sim_fail(world, SIM_STUCK, "the runner waits without end, and nothing will happen");
        return;
    }
    if (until_ms > world->now_ms) {
        world->now_ms = until_ms;
        if (world->slack_ms > 0 && sim_chance(&world->random, 300)) {
            world->now_ms += sim_below(&world->random, (uint32_t)world->slack_ms + 1);
        }
    }
}

static int poll_port(void *self, uint64_t timeout_ms)
{
    struct world *world = self;

    if (timeout_ms > 0 && !world->woken) {
        sim_settled(world);
        sim_port_move(world, timeout_ms < SIM_NEVER - world->now_ms ? world->now_ms + timeout_ms : SIM_NEVER);
    }
    world->woken = false;
    sim_port_fire(world);
    return 0;
}

static int descriptor(void *self)
{
    (void)self;
    return -1;
}

static uint64_t wake_ms(void *self)
{
    struct world *world = self;

    return world->woken ? world->now_ms : sim_heap_next(&world->events);
}

static int dispatch(void *self)
{
    return poll_port(self, 0);
}

void sim_port_open(struct world *world)
{
    world->port = (struct recourse_port){
        .size = sizeof world->port,
        .self = world,
        .now_ms = now_ms,
        .wall_s = wall_s,
        .random = fill_random,
        .watch = watch,
        .unwatch = unwatch,
        .http_start = sim_http_start,
        .http_cancel = sim_http_cancel,
        .submit = submit,
        .wake = wake,
        .poll = poll_port,
        .descriptor = descriptor,
        .wake_ms = wake_ms,
        .dispatch = dispatch,
    };
}
