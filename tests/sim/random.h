/* SplitMix64: one number is all its state, so that a seed says everything. */
#ifndef RCS_SIM_RANDOM_H
#define RCS_SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct sim_random {
    uint64_t state;
};

static inline uint64_t sim_mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static inline uint64_t sim_next(struct sim_random *random)
{
    return sim_mix(random->state += 0x9e3779b97f4a7c15u);
}

/* From 0 to `count` - 1; `count` is at least 1. */
static inline uint32_t sim_below(struct sim_random *random, uint32_t count)
{
    return (uint32_t)((sim_next(random) >> 32) * count >> 32);
}

static inline uint32_t sim_between(struct sim_random *random, uint32_t low, uint32_t high)
{
    return low + sim_below(random, high - low + 1u);
}

/* True so many times out of 1000. */
static inline bool sim_chance(struct sim_random *random, uint32_t per_mille)
{
    return sim_below(random, 1000) < per_mille;
}

#endif
