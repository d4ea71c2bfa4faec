#include "src/run/repeat.h"

#include <string.h>

#include "src/io/memory.h"

/* The finalizer of SplitMix64: every bit of the input moves about half of the output's. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t rcs_repeat_hash(uint64_t seed, struct recourse_span text)
{
    uint64_t hash = mix(seed ^ (text.size * 0x9e3779b97f4a7c15u));
    uint64_t word;

    for (size_t at = 0; at < text.size; at += sizeof word) {
        size_t left = text.size - at;

        word = 0;
        memcpy(&word, text.data + at, left < sizeof word ? left : sizeof word);
        hash = mix((hash + 0x9e3779b97f4a7c15u) ^ word) + seed;
    }
    return hash;
}

void rcs_repeat_init(struct rcs_repeat *repeat, const struct recourse_allocator *allocator)
{
    memset(repeat, 0, sizeof *repeat);
    repeat->allocator = allocator;
}

void rcs_repeat_clear(struct rcs_repeat *repeat)
{
    rcs_free(repeat->allocator, repeat->slots);
    rcs_repeat_init(repeat, repeat->allocator);
}

/* The slot of a key, or the free one where it would go. There is always a free one. */
static struct rcs_repeat_slot *find(const struct rcs_repeat *repeat, uint64_t hash)
{
    size_t mask = repeat->capacity - 1;
    size_t at = (size_t)hash & mask;

    while (repeat->slots[at].taken && repeat->slots[at].hash != hash) {
        at = (at + 1) & mask;
    }
    return &repeat->slots[at];
}

int rcs_repeat_reserve(struct rcs_repeat *repeat, size_t count)
{
    struct rcs_repeat grown = *repeat;
    size_t capacity = 16;

    while (capacity / 4 * 3 < count) {
        capacity *= 2;
    }
    if (capacity <= repeat->capacity) {
        return 0;
    }
    grown.slots = rcs_alloc_zero(repeat->allocator, capacity * sizeof *grown.slots);
    if (grown.slots == NULL) {
        return RECOURSE_E_MEMORY;
    }
    grown.capacity = capacity;
    for (size_t i = 0; i < repeat->capacity; i++) {
        if (repeat->slots[i].taken) {
            *find(&grown, repeat->slots[i].hash) = repeat->slots[i];
        }
    }
    rcs_free(repeat->allocator, repeat->slots);
    *repeat = grown;
    return 0;
}

uint32_t rcs_repeat_add(struct rcs_repeat *repeat, uint64_t hash)
{
    struct rcs_repeat_slot *slot;

    if (rcs_repeat_reserve(repeat, repeat->taken + 1) != 0) {
        return 0;
    }
    slot = find(repeat, hash);
    if (!slot->taken) {
        *slot = (struct rcs_repeat_slot){hash, 0, true};
        repeat->taken++;
    }
    slot->count += slot->count < UINT32_MAX;
    return slot->count;
}

uint32_t rcs_repeat_count(const struct rcs_repeat *repeat, uint64_t hash)
{
    return repeat->capacity == 0 ? 0 : find(repeat, hash)->count;
}

void rcs_repeat_forget(struct rcs_repeat *repeat, uint64_t hash)
{
    struct rcs_repeat_slot *slot;

    if (repeat->capacity == 0) {
        return;
    }
    slot = find(repeat, hash);
    if (slot->taken) {
        slot->count = 0;
    }
}
