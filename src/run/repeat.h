/* Counting what is the same: the ids of a turn, the failed calls of a run. Keys are hashes with a secret seed. */
#ifndef RCS_REPEAT_H
#define RCS_REPEAT_H

#include <recourse/port.h>

struct rcs_repeat_slot {
    uint64_t hash;
    uint32_t count; /* 0: the slot is free, or was forgotten */
    bool taken;
};

struct rcs_repeat {
    struct rcs_repeat_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t taken;
    const struct recourse_allocator *allocator;
};

void rcs_repeat_init(struct rcs_repeat *repeat, const struct recourse_allocator *allocator);
void rcs_repeat_clear(struct rcs_repeat *repeat);
/* Makes room for `count` keys. Errors: RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_repeat_reserve(struct rcs_repeat *repeat, size_t count);
/* Counts a key once more and returns its new count; 0: no memory was left for it. */
uint32_t rcs_repeat_add(struct rcs_repeat *repeat, uint64_t hash);
uint32_t rcs_repeat_count(const struct rcs_repeat *repeat, uint64_t hash);
void rcs_repeat_forget(struct rcs_repeat *repeat, uint64_t hash);

/* Hashes `text`, going on from `seed`. */
uint64_t rcs_repeat_hash(uint64_t seed, struct recourse_span text);

#endif
