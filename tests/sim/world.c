/* A world from start to end, and the memory that its runner gets. */
#include "tests/sim/broken.h"

#include <stdlib.h>
#include <string.h>

#define CALLS_MAX (SIM_TURNS_MAX * SIM_TURN_CALLS_MAX + 64u)

/* ---- memory ---- */

struct block {
    size_t size;
    size_t magic; /* keeps what comes after it aligned for anything */
};

static void *change(void *user, void *memory, size_t size)
{
    struct world *world = user;
    struct block *block = memory != NULL ? (struct block *)memory - 1 : NULL;
    size_t before = block != NULL ? block->size : 0;

    world->blocks += block == NULL;
    block = realloc(block, sizeof *block + size);
    if (block == NULL) {
        abort();
    }
    block->size = size;
    world->memory += size - before;
    return block + 1;
}

static void *take(void *user, size_t size)
{
    return change(user, NULL, size);
}

static void give_back(void *user, void *memory)
{
    struct world *world = user;
    struct block *block = (struct block *)memory - 1;

    if (!sim_breaks(world, SIM_BROKEN_LEAK)) {
        world->memory -= block->size;
        world->blocks--;
    }
    free(block);
}

/* ---- the end ---- */

static void check_given_back(struct world *world)
{
    if (world->memory != 0 || world->blocks != 0) {
        sim_fail(world, SIM_MEMORY, "%zu blocks of %zu bytes were not given back", world->blocks, world->memory);
    }
    if (world->transfers > 0 || world->submitted > 0) {
        sim_fail(world, SIM_MEMORY, "%zu exchanges and %zu works were left behind", world->transfers, world->submitted);
    }
    for (size_t i = 0; i < world->policy_count; i++) {
        if (world->policies[i].references != 0) {
            sim_fail(world, SIM_MEMORY, "%ld references to policy %s were kept", world->policies[i].references,
                     world->policies[i].policy.name);
        }
    }
}

/* What was told has to be true also of what happened later. */
static void check_claims(struct world *world)
{
    for (size_t i = 0; i < world->call_count; i++) {
        const struct sim_call *call = &world->calls[i];

        if (call->ended && call->claims_nothing && call->acts > 0) {
            sim_fail(world, SIM_EFFECT, "call %s: nothing was done, it says, and its tool acted %u time(s)", call->id, call->acts);
        }
    }
}

bool sim_run(struct world *world, const struct sim_options *options)
{
    struct sim_call *calls = malloc(CALLS_MAX * sizeof *calls);

    if (calls == NULL) {
        abort();
    }
    memset(world, 0, sizeof *world);
    world->options = options;
    world->calls = calls;
    world->random.state = sim_mix(options->seed + 1);
    world->noise.state = sim_mix(options->seed + 0x5851f42d4c957f2du);
    world->allocator = (struct recourse_allocator){take, change, give_back, world};
    sim_plan(world);
    sim_port_open(world);
    if (sim_plan_runner(world)) {
        sim_host_open(world);
        sim_host_loop(world);
        sim_check_end(world);
        sim_host_close(world);
        check_claims(world);
        check_given_back(world);
    }
    sim_plan_clear(world);
    sim_heap_clear(&world->events);
    sim_heap_clear(&world->own);
    free(calls);
    return world->fault == SIM_HOLDS;
}
