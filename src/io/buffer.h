/* A growing run of bytes, with a limit. */
#ifndef RCS_IO_BUFFER_H
#define RCS_IO_BUFFER_H

#include <recourse/port.h>

/* Caller-owned. `data` is NULL while nothing was ever put in; afterwards data[size] is always 0, so that text can be
   read as a string. */
struct rcs_buffer {
    char *data;
    size_t size;
    size_t capacity;
    size_t limit; /* `size` never exceeds it */
    const struct recourse_allocator *allocator;
};

/* `allocator` may be NULL and must outlive the buffer. No memory is taken yet. */
void rcs_buffer_init(struct rcs_buffer *buffer, const struct recourse_allocator *allocator, size_t limit);
/* Gives the memory back; the buffer is empty and may be used again. */
void rcs_buffer_clear(struct rcs_buffer *buffer);
/* Empties it and keeps the memory. */
void rcs_buffer_reset(struct rcs_buffer *buffer);

/* Makes room for `more` bytes, so that appending them can't fail. Errors: RECOURSE_E_LIMIT, RECOURSE_E_MEMORY. */
RECOURSE_MUST_USE int rcs_buffer_reserve(struct rcs_buffer *buffer, size_t more);
/* The same, without more than that for what may follow. */
RECOURSE_MUST_USE int rcs_buffer_reserve_exactly(struct rcs_buffer *buffer, size_t more);
/* Appends all or nothing. Errors as above. `bytes` must not lie in the buffer itself. */
RECOURSE_MUST_USE int rcs_buffer_append(struct rcs_buffer *buffer, const void *bytes, size_t size);
RECOURSE_MUST_USE int rcs_buffer_append_text(struct rcs_buffer *buffer, const char *text);
RECOURSE_MUST_USE int rcs_buffer_append_byte(struct rcs_buffer *buffer, char byte);
/* As a JSON string: see rcs_json_quote. */
RECOURSE_MUST_USE int rcs_buffer_append_quoted(struct rcs_buffer *buffer, struct recourse_span text);

/* What is in it; valid until the next change. */
struct recourse_span rcs_buffer_span(const struct rcs_buffer *buffer);

#endif
