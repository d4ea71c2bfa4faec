#include "gen/index.h"

#include <string.h>

static uint64_t hash(const unsigned char *key, size_t size)
{
    uint64_t value = 0xcbf29ce484222325u; /* FNV-1a: nobody who writes a policy gains by collisions */

    for (size_t i = 0; i < size; i++) {
        value = (value ^ key[i]) * 0x100000001b3u;
    }
    return value ^ value >> 29;
}

void *rcs_index_at(const struct rcs_index *index, size_t number)
{
    return index->items + number * index->item_size;
}

/* Where the key is, or would be. */
static uint32_t *slot_of(const struct rcs_index *index, const void *key)
{
    size_t at = (size_t)hash(key, index->key_size) & (index->slot_count - 1);

    while (index->slots[at] != 0 && memcmp(rcs_index_at(index, index->slots[at] - 1u), key, index->key_size) != 0) {
        at = (at + 1) & (index->slot_count - 1);
    }
    return &index->slots[at];
}

static void grow(struct rcs_index *index)
{
    index->slot_count = index->slot_count == 0 ? 16 : index->slot_count * 2;
    index->slots = rcs_arena_alloc(index->arena, index->slot_count * sizeof *index->slots);
    for (size_t i = 0; i < index->count; i++) {
        *slot_of(index, rcs_index_at(index, i)) = (uint32_t)i + 1;
    }
}

size_t rcs_index_put(struct rcs_index *index, const void *key, bool *fresh)
{
    uint32_t *slot;

    if (index->count * 2 >= index->slot_count) {
        grow(index);
    }
    slot = slot_of(index, key);
    *fresh = *slot == 0;
    if (*fresh) {
        memcpy(rcs_arena_push(index->arena, &index->items, &index->count, index->item_size), key, index->key_size);
        *slot = (uint32_t)index->count;
    }
    return *slot - 1u;
}
