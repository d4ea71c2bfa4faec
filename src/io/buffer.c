#include "src/io/buffer.h"

#include "src/core/json.h"
#include "src/io/memory.h"

void rcs_buffer_init(struct rcs_buffer *buffer, const struct recourse_allocator *allocator, size_t limit)
{
    *buffer = (struct rcs_buffer){.limit = limit, .allocator = allocator};
}

void rcs_buffer_clear(struct rcs_buffer *buffer)
{
    rcs_free(buffer->allocator, buffer->data);
    rcs_buffer_init(buffer, buffer->allocator, buffer->limit);
}

void rcs_buffer_reset(struct rcs_buffer *buffer)
{
    buffer->size = 0;
    if (buffer->data != NULL) {
        buffer->data[0] = '\0';
    }
}

int rcs_buffer_reserve(struct rcs_buffer *buffer, size_t more)
{
    char *data;

    if (more > buffer->limit - buffer->size) {
        return RECOURSE_E_LIMIT;
    }
    if (more == SIZE_MAX - buffer->size) {
        return RECOURSE_E_MEMORY;
    }
    data = rcs_grow(buffer->allocator, buffer->data, &buffer->capacity, buffer->size + more + 1, 1);
    if (data == NULL) {
        return RECOURSE_E_MEMORY;
    }
    buffer->data = data;
    data[buffer->size] = '\0';
    return 0;
}

int rcs_buffer_reserve_exactly(struct rcs_buffer *buffer, size_t more)
{
    char *data;

    if (more > buffer->limit - buffer->size) {
        return RECOURSE_E_LIMIT;
    }
    if (buffer->capacity > buffer->size && more < buffer->capacity - buffer->size) {
        return 0;
    }
    data = more < SIZE_MAX - buffer->size ? rcs_realloc(buffer->allocator, buffer->data, buffer->size + more + 1) : NULL;
    if (data == NULL) {
        return RECOURSE_E_MEMORY;
    }
    buffer->data = data;
    buffer->capacity = buffer->size + more + 1;
    data[buffer->size] = '\0';
    return 0;
}

int rcs_buffer_append(struct rcs_buffer *buffer, const void *bytes, size_t size)
{
    int code = rcs_buffer_reserve(buffer, size);

    if (code != 0) {
        return code;
    }
    if (size > 0) {
        memcpy(buffer->data + buffer->size, bytes, size);
    }
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
    return 0;
}

int rcs_buffer_append_text(struct rcs_buffer *buffer, const char *text)
{
    return rcs_buffer_append(buffer, text, strlen(text));
}

int rcs_buffer_append_byte(struct rcs_buffer *buffer, char byte)
{
    return rcs_buffer_append(buffer, &byte, 1);
}

int rcs_buffer_append_quoted(struct rcs_buffer *buffer, struct recourse_span text)
{
    size_t size = rcs_json_quote(text, NULL, 0);
    int code = rcs_buffer_reserve(buffer, size);

    if (code == 0) {
        rcs_json_quote(text, buffer->data + buffer->size, size);
        buffer->size += size;
        buffer->data[buffer->size] = '\0';
    }
    return code;
}

struct recourse_span rcs_buffer_span(const struct rcs_buffer *buffer)
{
    return (struct recourse_span){buffer->data, buffer->size};
}
