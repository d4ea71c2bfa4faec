/* Where text is written to: counts all of it, keeps what fits. */
#ifndef RCS_SINK_H
#define RCS_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "text.h"

struct rcs_sink {
    char *out;
    size_t size;
    size_t used;  /* bytes written */
    size_t whole; /* bytes that there would be with room for all */
    bool full;    /* a unit did not fit: nothing is written after it, so that no hole comes to be */
    char last;    /* last byte put, whether it fitted or not */
};

static inline struct rcs_sink rcs_sink_of(char *out, size_t size)
{
    return (struct rcs_sink){.out = out, .size = size};
}

/* Puts a unit: all of it or nothing. */
static inline void rcs_sink_put(struct rcs_sink *sink, const char *bytes, size_t size)
{
    if (size == 0) {
        return;
    }
    sink->whole += size;
    sink->last = bytes[size - 1];
    if (sink->full || size > sink->size - sink->used) {
        sink->full = true;
        return;
    }
    memcpy(sink->out + sink->used, bytes, size);
    sink->used += size;
}

/* Puts ASCII, where each byte is a unit: as much of it as there is room for. */
static inline void rcs_sink_ascii(struct rcs_sink *sink, const char *bytes, size_t size)
{
    const size_t room = sink->full ? 0 : sink->size - sink->used;
    const size_t fits = size < room ? size : room;

    if (size == 0) {
        return;
    }
    if (fits > 0) {
        memcpy(sink->out + sink->used, bytes, fits);
    }
    sink->used += fits;
    sink->whole += size;
    sink->last = bytes[size - 1];
    sink->full = sink->full || fits < size;
}

static inline void rcs_sink_point(struct rcs_sink *sink, uint32_t code_point)
{
    char bytes[4];
    size_t size = rcs_utf8_put(code_point, bytes);

    rcs_sink_put(sink, bytes, size);
}

/* Puts a text code point by code point: as much of it as there is room for, and well-formed whatever it is. */
static inline void rcs_sink_text(struct rcs_sink *sink, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        rcs_sink_point(sink, rcs_utf8_next(text, size, &at));
    }
}

/* Ends: a NUL if there is room. Returns the length when whole. */
static inline size_t rcs_sink_end(struct rcs_sink *sink)
{
    if (sink->used < sink->size) {
        sink->out[sink->used] = '\0';
    }
    return sink->whole;
}

/* As rcs_text_reason, into a sink that may hold something already. */
void rcs_text_put_reason(struct rcs_sink *sink, struct recourse_span text, uint32_t max);

#endif
