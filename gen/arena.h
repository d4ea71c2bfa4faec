/* Memory that is freed all at once. The compiler reads one file, makes one report, and ends. */
#ifndef RCS_ARENA_H
#define RCS_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include <recourse/error.h>

struct rcs_arena {
    struct rcs_arena_block *last;
    size_t used; /* bytes given out, for the bound */
};

/* A zeroed arena is ready. Allocation never returns NULL: out of memory, it ends the compiler through `rcs_arena_panic`,
   which by default prints one line and exits with 1. The library never compiles on a host's behalf without saying so. */
void *rcs_arena_alloc(struct rcs_arena *arena, size_t size); /* zeroed, aligned for anything */
char *rcs_arena_copy(struct rcs_arena *arena, const char *text, size_t size); /* NUL-terminated */
char *rcs_arena_format(struct rcs_arena *arena, const char *format, ...) RECOURSE_PRINTF(2, 3);
char *rcs_arena_vformat(struct rcs_arena *arena, const char *format, va_list list);
void rcs_arena_clear(struct rcs_arena *arena);

/* Where memory ends: out of it, or past RCS_ARENA_MAX bytes in one arena. Weak, so that a host of the compiler (or a test)
   can put its own in place; it must not return. */
void rcs_arena_panic(size_t size);
#define RCS_ARENA_MAX ((size_t)1 << 30)

/* Grows the array `*items` (of `*count` elements, capacity a power of two) by one zeroed element and returns it. */
void *rcs_arena_push(struct rcs_arena *arena, void *items, size_t *count, size_t element_size);

/* Text that grows in an arena, NUL-terminated; `data` is NULL before the first byte. */
struct rcs_string {
    struct rcs_arena *arena;
    char *data;
    size_t size;
    size_t room;
};
void rcs_append(struct rcs_string *string, const char *text, size_t size);
void rcs_append_text(struct rcs_string *string, const char *text);

#endif
