#include "src/tools/sse.h"

#include <string.h>

#define LINE_MAX RCS_SSE_ID_MAX

void rcs_sse_init(struct rcs_sse *sse, const struct recourse_allocator *allocator, size_t data_max)
{
    *sse = (struct rcs_sse){.state = rcs_sse_first_state(), .retry_ms = RECOURSE_FOREVER};
    rcs_buffer_init(&sse->data, allocator, data_max < SIZE_MAX / 2 ? data_max + 1 : data_max); /* and the last LF */
    rcs_buffer_init(&sse->id, allocator, RCS_SSE_ID_MAX);
    rcs_buffer_init(&sse->name, allocator, RCS_SSE_NAME_MAX);
    rcs_buffer_init(&sse->line, allocator, LINE_MAX);
}

void rcs_sse_clear(struct rcs_sse *sse)
{
    rcs_buffer_clear(&sse->data);
    rcs_buffer_clear(&sse->id);
    rcs_buffer_clear(&sse->name);
    rcs_buffer_clear(&sse->line);
}

static void begin_event(struct rcs_sse *sse)
{
    rcs_buffer_reset(&sse->data);
    rcs_buffer_reset(&sse->name);
    sse->returned = false;
    sse->seen = false;
}

int rcs_sse_restart(struct rcs_sse *sse, struct recourse_span id)
{
    begin_event(sse);
    rcs_buffer_reset(&sse->line);
    rcs_buffer_reset(&sse->id);
    sse->line_is_long = false;
    sse->state = rcs_sse_first_state();
    sse->field = RCS_SSE_NONE;
    return id.size > 0 ? rcs_buffer_append(&sse->id, id.data, id.size) : 0;
}

static void fail(struct rcs_sse *sse, int code)
{
    sse->fault = sse->fault != 0 ? sse->fault : code;
}

/* Digits and nothing else; what does not fit is as long as it gets. */
static void take_retry(struct rcs_sse *sse)
{
    uint64_t number = 0;

    for (size_t i = 0; i < sse->line.size; i++) {
        unsigned char byte = (unsigned char)sse->line.data[i];

        if (byte < '0' || byte > '9') {
            return;
        }
        number = number > (UINT64_MAX - 9) / 10 ? RECOURSE_FOREVER - 1 : number * 10 + (uint64_t)(byte - '0');
    }
    if (sse->line.size > 0 && !sse->line_is_long) {
        sse->retry_ms = number;
    }
}

static void take_id(struct rcs_sse *sse)
{
    if (sse->line_is_long || (sse->line.size > 0 && memchr(sse->line.data, '\0', sse->line.size) != NULL)) {
        return;
    }
    rcs_buffer_reset(&sse->id);
    fail(sse, sse->line.size > 0 ? rcs_buffer_append(&sse->id, sse->line.data, sse->line.size) : 0);
}

static void take_name(struct rcs_sse *sse)
{
    size_t size = sse->line.size < RCS_SSE_NAME_MAX ? sse->line.size : RCS_SSE_NAME_MAX;

    rcs_buffer_reset(&sse->name);
    fail(sse, size > 0 ? rcs_buffer_append(&sse->name, sse->line.data, size) : 0);
}

static void end_line(struct rcs_sse *sse)
{
    switch (sse->field) {
    case RCS_SSE_DATA:
        fail(sse, rcs_buffer_append_byte(&sse->data, '\n'));
        break;
    case RCS_SSE_ID:
        take_id(sse);
        break;
    case RCS_SSE_RETRY:
        take_retry(sse);
        break;
    case RCS_SSE_EVENT:
        take_name(sse);
        break;
    default:
        break;
    }
    sse->seen = sse->seen || sse->field != RCS_SSE_NONE;
    rcs_buffer_reset(&sse->line);
    sse->line_is_long = false;
}

static void take_value(struct rcs_sse *sse, const struct rcs_sse_scanned *found)
{
    size_t room = sse->line.limit - sse->line.size;
    size_t size = found->value_size < room ? found->value_size : room;

    if (found->value_size == 0 || sse->field == RCS_SSE_NONE) {
        return;
    }
    if (sse->field == RCS_SSE_DATA) {
        fail(sse, rcs_buffer_append(&sse->data, found->value, found->value_size));
        return;
    }
    sse->line_is_long = sse->line_is_long || size < found->value_size;
    fail(sse, size > 0 ? rcs_buffer_append(&sse->line, found->value, size) : 0);
}

/* Up to and with the first byte that ends a line. */
static size_t piece_size(const char *at, const char *end)
{
    size_t size = (size_t)(end - at);
    const char *feed = memchr(at, '\n', size);
    const char *carriage = memchr(at, '\r', feed != NULL ? (size_t)(feed - at) : size);
    const char *last = carriage != NULL ? carriage : feed;

    return last != NULL ? (size_t)(last - at) + 1 : size;
}

static bool scan_piece(struct rcs_sse *sse, const char *bytes, size_t size)
{
    struct rcs_sse_scanned found = {.value = NULL};

    rcs_sse_scan(sse, bytes, size, &found);
    if (found.blank) {
        return sse->seen;
    }
    take_value(sse, &found);
    if (found.ended) {
        end_line(sse);
    }
    return false;
}

int rcs_sse_next(struct rcs_sse *sse, const char **at, const char *end)
{
    if (sse->returned) {
        begin_event(sse);
    }
    while (sse->fault == 0 && *at < end) {
        size_t size = piece_size(*at, end);
        bool complete = scan_piece(sse, *at, size);

        *at += size;
        if (complete && sse->fault == 0) {
            sse->data.size -= sse->data.size > 0; /* the last LF */
            sse->returned = true;
            return 1;
        }
    }
    return sse->fault;
}
