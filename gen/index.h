/* A set of equal-sized items, each found again by the bytes that it begins with. */
#ifndef RCS_INDEX_H
#define RCS_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

/* `arena`, `key_size` and `item_size` are given; zeroed otherwise, it is ready. Items keep the order in which they came. */
struct rcs_index {
    struct rcs_arena *arena;
    size_t key_size;
    size_t item_size;
    unsigned char *items;
    size_t count;
    uint32_t *slots; /* index + 1; 0: empty */
    size_t slot_count;
};

/* The number of the item with this key, added (zeroed but for the key) if there was none: then `*fresh`. Items may move. */
size_t rcs_index_put(struct rcs_index *index, const void *key, bool *fresh);
void *rcs_index_at(const struct rcs_index *index, size_t number);

#endif
