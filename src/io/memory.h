/* Memory from the allocator of the options; malloc where there is none. */
#ifndef RCS_IO_MEMORY_H
#define RCS_IO_MEMORY_H

#include <recourse/port.h>

#include <stdlib.h>
#include <string.h>

static inline void *rcs_alloc(const struct recourse_allocator *allocator, size_t size)
{
    return allocator != NULL ? allocator->alloc(allocator->user, size) : malloc(size);
}

static inline void *rcs_alloc_zero(const struct recourse_allocator *allocator, size_t size)
{
    void *memory = rcs_alloc(allocator, size);

    return memory != NULL ? memset(memory, 0, size) : NULL;
}

/* Like realloc: NULL leaves the old memory as it is. `memory` may be NULL; `size` is not 0. */
static inline void *rcs_realloc(const struct recourse_allocator *allocator, void *memory, size_t size)
{
    return allocator != NULL ? allocator->realloc(allocator->user, memory, size) : realloc(memory, size);
}

/* `memory` may be NULL; an allocator of the host's is not asked then. */
static inline void rcs_free(const struct recourse_allocator *allocator, void *memory)
{
    if (memory == NULL) {
        return;
    }
    if (allocator != NULL) {
        allocator->free(allocator->user, memory);
    } else {
        free(memory);
    }
}

/*
 * Makes room for at least `count` items of `item_size` bytes in an array of `*capacity` of them, at least doubling it.
 * Returns the array, perhaps moved, or NULL (array and capacity are as before). The new items are not cleared.
 */
static inline void *rcs_grow(const struct recourse_allocator *allocator, void *array, size_t *capacity, size_t count,
                             size_t item_size)
{
    size_t wanted = *capacity < 8 ? 8 : *capacity;

    if (array != NULL && count <= *capacity) {
        return array;
    }
    while (wanted < count) {
        if (wanted > SIZE_MAX / 2) {
            return NULL;
        }
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / item_size) {
        return NULL;
    }
    array = rcs_realloc(allocator, array, wanted * item_size);
    if (array != NULL) {
        *capacity = wanted;
    }
    return array;
}

#endif
