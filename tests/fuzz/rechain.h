/* Logs made of other bytes, for the targets that read them. */
#ifndef RCS_RECHAIN_H
#define RCS_RECHAIN_H

#include <stdlib.h>
#include <string.h>

#include "src/audit/record.h"

static inline void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Takes what comes before the next line "%%" off `*text`; without one, all. */
static inline struct recourse_span rechain_part(struct recourse_span *text)
{
    const char *stop = text->size > 0 ? memmem(text->data, text->size, "%%\n", 3) : NULL;
    struct recourse_span part = {text->data, stop != NULL ? (size_t)(stop - text->data) : text->size};
    size_t skip = stop != NULL ? part.size + 3 : part.size;

    *text = (struct recourse_span){text->size > 0 ? text->data + skip : text->data, text->size - skip};
    return part;
}

static inline void rechain_put(struct rcs_buffer *log, const char *text, size_t size)
{
    demand(size == 0 || rcs_buffer_append(log, text, size) == 0);
}

/* A line with the hash that it ought to have; a header with that of the line before it, too. */
static inline void rechain_line(struct rcs_buffer *log, uint8_t hash[RCS_HASH_SIZE], struct recourse_span line)
{
    static const char begin[] = "{\"body\":";
    static const char previous[] = "\"previous\":\"";
    size_t frame = sizeof begin - 1 + sizeof ",\"hash\":\"\"}" - 1 + 2 * RCS_HASH_SIZE;
    struct recourse_span body = line;
    char text[2 * RCS_HASH_SIZE];
    size_t at = log->size + sizeof begin - 1;
    char *named;

    if (line.size > frame && memcmp(line.data, begin, sizeof begin - 1) == 0) {
        body = (struct recourse_span){line.data + sizeof begin - 1, line.size - frame};
    }
    rechain_put(log, begin, sizeof begin - 1);
    rechain_put(log, body.data, body.size);
    named = memmem(log->data + at, body.size, previous, sizeof previous - 1);
    if (named != NULL && body.size - (size_t)(named - (log->data + at)) >= sizeof previous - 1 + sizeof text) {
        rcs_hex_write(hash, RCS_HASH_SIZE, text);
        memcpy(named + sizeof previous - 1, text, sizeof text);
    }
    rcs_chain_next(hash, (struct recourse_span){log->data + at, body.size});
    rcs_hex_write(hash, RCS_HASH_SIZE, text);
    rechain_put(log, ",\"hash\":\"", 9);
    rechain_put(log, text, sizeof text);
    rechain_put(log, "\"}\n", 3);
}

/* The same lines with a chain that holds; what comes behind the last line feed as it is. `*hash` goes on with it. */
static inline void rechain_from(struct recourse_span text, struct rcs_buffer *log, uint8_t hash[RCS_HASH_SIZE])
{
    const char *newline;

    rcs_buffer_init(log, NULL, (size_t)1 << 24);
    while (text.size > 0 && (newline = memchr(text.data, '\n', text.size)) != NULL) {
        size_t size = (size_t)(newline - text.data);

        rechain_line(log, hash, (struct recourse_span){text.data, size});
        text = (struct recourse_span){newline + 1, text.size - size - 1};
    }
    rechain_put(log, text.data, text.size);
}

static inline void rechain(struct recourse_span text, struct rcs_buffer *log)
{
    uint8_t hash[RCS_HASH_SIZE] = {0};

    rechain_from(text, log, hash);
}

#endif
