/* An allocator that gives `left` times, and counts what it has out. */
#ifndef RCS_PURSE_H
#define RCS_PURSE_H

#include <stdlib.h>

#include <recourse/port.h>

struct purse {
    unsigned left;
    long out;
};

static void *purse_realloc(void *user, void *memory, size_t size)
{
    struct purse *purse = user;

    if (purse->left == 0) {
        return NULL;
    }
    purse->left--;
    purse->out += memory == NULL;
    return realloc(memory, size);
}

static void *purse_alloc(void *user, size_t size)
{
    return purse_realloc(user, NULL, size);
}

static void purse_free(void *user, void *memory)
{
    struct purse *purse = user;

    purse->out--;
    free(memory);
}

static inline struct recourse_allocator purse_allocator(struct purse *purse)
{
    return (struct recourse_allocator){purse_alloc, purse_realloc, purse_free, purse};
}

#endif
