#include "gen/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct rcs_arena_block {
    struct rcs_arena_block *before;
    size_t size;
    size_t used;
    max_align_t data[];
};

__attribute__((weak)) void rcs_arena_panic(size_t size)
{
    fprintf(stderr, "recourse: the compiler is out of memory (%zu bytes wanted)\n", size);
    exit(EXIT_FAILURE);
}

static struct rcs_arena_block *add_block(struct rcs_arena *arena, size_t size)
{
    size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct rcs_arena_block *block = calloc(1, sizeof *block + room);

    if (block == NULL) {
        rcs_arena_panic(size);
        abort();
    }
    block->before = arena->last;
    block->size = room;
    arena->last = block;
    return block;
}

void *rcs_arena_alloc(struct rcs_arena *arena, size_t size)
{
    struct rcs_arena_block *block = arena->last;
    void *memory;

    if (size > RCS_ARENA_MAX || arena->used > RCS_ARENA_MAX - size) {
        rcs_arena_panic(size);
        abort();
    }
    size = (size + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
    if (size == 0) {
        size = _Alignof(max_align_t);
    }
    if (block == NULL || block->size - block->used < size) {
        block = add_block(arena, size);
    }
    memory = (char *)block->data + block->used;
    block->used += size;
    arena->used += size;
    return memory;
}

char *rcs_arena_copy(struct rcs_arena *arena, const char *text, size_t size)
{
    char *copy = rcs_arena_alloc(arena, size + 1);

    if (size > 0) {
        memcpy(copy, text, size);
    }
    return copy;
}

char *rcs_arena_vformat(struct rcs_arena *arena, const char *format, va_list list)
{
    va_list again;
    char *text;
    int size;

    va_copy(again, list);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0) {
        return rcs_arena_copy(arena, "", 0);
    }
    text = rcs_arena_alloc(arena, (size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, list);
    return text;
}

char *rcs_arena_format(struct rcs_arena *arena, const char *format, ...)
{
    va_list list;
    char *text;

    va_start(list, format);
    text = rcs_arena_vformat(arena, format, list);
    va_end(list);
    return text;
}

void rcs_arena_clear(struct rcs_arena *arena)
{
    while (arena->last != NULL) {
        struct rcs_arena_block *before = arena->last->before;

        free(arena->last);
        arena->last = before;
    }
    arena->used = 0;
}

/* `items` is the address of an array's pointer, whatever its type: read and written as bytes, for the aliasing rules. */
void *rcs_arena_push(struct rcs_arena *arena, void *items, size_t *count, size_t element_size)
{
    char *array;

    memcpy(&array, items, sizeof array);
    if ((*count & (*count - 1)) == 0) { /* full: 0, or a power of two */
        size_t room = *count == 0 ? 1 : *count * 2;
        char *grown;

        if (room > RCS_ARENA_MAX / element_size) {
            rcs_arena_panic(room);
            abort();
        }
        grown = rcs_arena_alloc(arena, room * element_size);
        if (*count > 0) {
            memcpy(grown, array, *count * element_size);
        }
        array = grown;
        memcpy(items, &array, sizeof array);
    }
    return array + element_size * (*count)++;
}

void rcs_append(struct rcs_string *string, const char *text, size_t size)
{
    if (string->room - string->size < size) {
        char *grown;

        string->room = (string->size + size) * 2;
        grown = rcs_arena_alloc(string->arena, string->room + 1); /* ends in NUL */
        if (string->size > 0) {
            memcpy(grown, string->data, string->size);
        }
        string->data = grown;
    }
    if (size > 0) {
        memcpy(string->data + string->size, text, size);
    }
    string->size += size;
}

void rcs_append_text(struct rcs_string *string, const char *text)
{
    rcs_append(string, text, strlen(text));
}
