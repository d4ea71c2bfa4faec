#include "src/run/same.h"

#include <string.h>

#include "src/core/json.h"
#include "src/io/buffer.h"
#include "src/run/repeat.h"

/* An object or array that is open. Members of an object are added up, so that their order has no part in it. */
struct frame {
    uint64_t hash;
    uint64_t key;
    bool is_object;
    bool has_key;
};

struct walk {
    uint64_t seed;
    const char *at;
    const char *end;
    struct rcs_buffer scratch;
    uint64_t whole;
    size_t depth;
    struct frame frames[RCS_JSON_DEPTH_MAX];
};

static uint64_t hash_of(const struct walk *walk, char kind, struct recourse_span text)
{
    return rcs_repeat_hash(walk->seed + (unsigned char)kind, text);
}

static uint64_t hash_pair(const struct walk *walk, char kind, uint64_t first, uint64_t second)
{
    uint64_t pair[2] = {first, second};

    return hash_of(walk, kind, (struct recourse_span){(const char *)pair, sizeof pair});
}

static void add_value(struct walk *walk, uint64_t hash)
{
    struct frame *frame;

    if (walk->depth == 0) {
        walk->whole = hash;
        return;
    }
    frame = &walk->frames[walk->depth - 1];
    if (frame->is_object) {
        frame->hash += hash_pair(walk, ':', frame->key, hash);
        frame->has_key = false;
    } else {
        frame->hash = hash_pair(walk, ',', frame->hash, hash);
    }
}

static void open_frame(struct walk *walk, bool is_object)
{
    if (walk->depth < RCS_JSON_DEPTH_MAX) {
        walk->frames[walk->depth++] = (struct frame){.is_object = is_object};
    }
}

static void close_frame(struct walk *walk)
{
    struct frame *frame;

    if (walk->depth > 0) {
        frame = &walk->frames[--walk->depth];
        add_value(walk, hash_pair(walk, frame->is_object ? '{' : '[', frame->hash, 0));
    }
}

static struct recourse_span take_string(struct walk *walk)
{
    const char *begin = walk->at++;

    while (walk->at < walk->end && *walk->at != '"') {
        walk->at += *walk->at == '\\' && walk->at + 1 < walk->end ? 2 : 1;
    }
    walk->at += walk->at < walk->end;
    return (struct recourse_span){begin, (size_t)(walk->at - begin)};
}

static void add_string(struct walk *walk)
{
    struct recourse_span string = take_string(walk);
    struct recourse_span text = {string.data + 1, string.size - 2};
    struct frame *frame = walk->depth > 0 ? &walk->frames[walk->depth - 1] : NULL;
    size_t size;
    uint64_t hash;

    if (memchr(text.data, '\\', text.size) != NULL) {
        size = rcs_json_unescape(string, NULL, 0);
        rcs_buffer_reset(&walk->scratch);
        if (rcs_buffer_reserve(&walk->scratch, size) == 0) { /* without memory it counts as it is written */
            rcs_json_unescape(string, walk->scratch.data, size);
            text = (struct recourse_span){walk->scratch.data, size};
        }
    }
    hash = hash_of(walk, '"', text);
    if (frame != NULL && frame->is_object && !frame->has_key) {
        frame->key = hash;
        frame->has_key = true;
    } else {
        add_value(walk, hash);
    }
}

static void add_scalar(struct walk *walk)
{
    const char *begin = walk->at;

    do {
        walk->at++;
    } while (walk->at < walk->end && strchr(" \t\r\n,:[]{}\"", *walk->at) == NULL);
    add_value(walk, hash_of(walk, '0', (struct recourse_span){begin, (size_t)(walk->at - begin)}));
}

static void take_token(struct walk *walk)
{
    switch (*walk->at) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case ':':
        walk->at++;
        break;
    case '{':
    case '[':
        open_frame(walk, *walk->at++ == '{');
        break;
    case '}':
    case ']':
        walk->at++;
        close_frame(walk);
        break;
    case '"':
        add_string(walk);
        break;
    default:
        add_scalar(walk);
        break;
    }
}

uint64_t rcs_same_call(const struct recourse_allocator *allocator, uint64_t seed, struct recourse_span tool,
                       struct recourse_span arguments)
{
    struct walk walk;
    uint64_t hash;

    walk.seed = seed;
    walk.at = arguments.data;
    walk.end = arguments.data + arguments.size;
    walk.whole = 0;
    walk.depth = 0;
    rcs_buffer_init(&walk.scratch, allocator, SIZE_MAX / 2);
    while (walk.at < walk.end) {
        take_token(&walk);
    }
    rcs_buffer_clear(&walk.scratch);
    hash = hash_pair(&walk, 't', hash_of(&walk, 't', tool), walk.whole);
    return hash != 0 ? hash : 1;
}
