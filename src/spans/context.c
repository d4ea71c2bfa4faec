#include "src/spans/context.h"

#include <string.h>

#include "src/core/hex.h"
#include "src/core/text.h"

#define MEMBERS_MAX 32u
#define LARGE_MEMBER 128u
#define KEY_MAX 256u
#define VALUE_MAX 256u

/* ---- traceparent ---- */

static bool read_bytes(struct recourse_span text, size_t at, uint8_t *bytes, size_t size)
{
    return rcs_hex_read((struct recourse_span){text.data + at, 2 * size}, bytes, size);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    uint8_t any = 0;

    for (size_t i = 0; i < size; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

bool rcs_traceparent_read(struct recourse_span text, struct rcs_trace_context *context)
{
    uint8_t version;
    uint8_t flags;
    struct rcs_trace_context read;

    if (text.size < RCS_TRACEPARENT_SIZE || !read_bytes(text, 0, &version, 1) || version == 0xff) {
        return false;
    }
    if (text.size > RCS_TRACEPARENT_SIZE && (version == 0 || text.data[RCS_TRACEPARENT_SIZE] != '-')) {
        return false;
    }
    if (text.data[2] != '-' || text.data[35] != '-' || text.data[52] != '-' ||
        !read_bytes(text, 3, read.trace_id, sizeof read.trace_id) ||
        !read_bytes(text, 36, read.span_id, sizeof read.span_id) || !read_bytes(text, 53, &flags, 1) ||
        is_zero(read.trace_id, sizeof read.trace_id) || is_zero(read.span_id, sizeof read.span_id)) {
        return false;
    }
    read.flags = flags & (RCS_TRACE_SAMPLED | RCS_TRACE_RANDOM);
    *context = read;
    return true;
}

void rcs_traceparent_write(const struct rcs_trace_context *context, char text[RCS_TRACEPARENT_SIZE + 1])
{
    memcpy(text, "00-", 3);
    rcs_hex_write(context->trace_id, sizeof context->trace_id, text + 3);
    text[35] = '-';
    rcs_hex_write(context->span_id, sizeof context->span_id, text + 36);
    text[52] = '-';
    rcs_hex_write(&context->flags, 1, text + 53);
    text[RCS_TRACEPARENT_SIZE] = '\0';
}

/* ---- tracestate ---- */

static bool is_small(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Of a key, or of one of the two parts of "tenant@system". */
static bool is_name(struct recourse_span name, size_t max, bool digit_first)
{
    if (name.size == 0 || name.size > max || !(is_small(name.data[0]) || (digit_first && is_digit(name.data[0])))) {
        return false;
    }
    for (size_t i = 0; i < name.size; i++) {
        char byte = name.data[i];

        if (!is_small(byte) && !is_digit(byte) && byte != '_' && byte != '-' && byte != '*' && byte != '/') {
            return false;
        }
    }
    return true;
}

static bool is_key(struct recourse_span key)
{
    const char *at = key.size > 0 ? memchr(key.data, '@', key.size) : NULL;
    size_t tenant = at != NULL ? (size_t)(at - key.data) : 0;

    if (at == NULL) {
        return is_name(key, KEY_MAX, false);
    }
    return is_name((struct recourse_span){key.data, tenant}, 241, true) &&
           is_name((struct recourse_span){at + 1, key.size - tenant - 1}, 14, false);
}

/* Printable, without commas and equal signs; blanks are none at its end, which was trimmed. */
static bool is_value(struct recourse_span value)
{
    for (size_t i = 0; i < value.size; i++) {
        char byte = value.data[i];

        if (byte < ' ' || byte > '~' || byte == ',' || byte == '=') {
            return false;
        }
    }
    return value.size > 0 && value.size <= VALUE_MAX;
}

struct member {
    struct recourse_span whole;
    size_t key_size;
};

static bool same_key(const struct member *one, const struct member *other)
{
    return one->key_size == other->key_size && memcmp(one->whole.data, other->whole.data, one->key_size) == 0;
}

static bool read_member(struct recourse_span text, struct member *member)
{
    const char *equal = memchr(text.data, '=', text.size);

    if (equal == NULL) {
        return false;
    }
    *member = (struct member){text, (size_t)(equal - text.data)};
    return is_key((struct recourse_span){text.data, member->key_size}) &&
           is_value((struct recourse_span){equal + 1, text.size - member->key_size - 1});
}

/* -1: malformed. Members that are empty are allowed, and none. */
static int read_members(struct recourse_span text, struct member members[MEMBERS_MAX])
{
    size_t count = 0;

    for (size_t at = 0; at < text.size;) {
        const char *comma = memchr(text.data + at, ',', text.size - at);
        size_t size = comma != NULL ? (size_t)(comma - text.data) - at : text.size - at;
        struct recourse_span one = rcs_text_trim((struct recourse_span){text.data + at, size});

        at += size + 1;
        if (one.size == 0) {
            continue;
        }
        if (count == MEMBERS_MAX || !read_member(one, &members[count])) {
            return -1;
        }
        for (size_t i = 0; i < count; i++) {
            if (same_key(&members[i], &members[count])) {
                return -1;
            }
        }
        count++;
    }
    return (int)count;
}

static size_t whole_size(const struct member *members, int count)
{
    size_t size = 0;

    for (int i = 0; i < count; i++) {
        size += members[i].whole.size + (i > 0);
    }
    return size;
}

/* Drops the last member that is larger than `above`; false: there is none. */
static bool drop_last(struct member *members, int *count, size_t above)
{
    for (int i = *count - 1; i >= 0; i--) {
        if (members[i].whole.size > above) {
            memmove(&members[i], &members[i + 1], (size_t)(*count - 1 - i) * sizeof *members);
            --*count;
            return true;
        }
    }
    return false;
}

size_t rcs_tracestate_read(struct recourse_span text, char out[RCS_TRACESTATE_MAX + 1])
{
    struct member members[MEMBERS_MAX];
    int count = text.size > 0 ? read_members(text, members) : 0;
    size_t size = 0;

    while (whole_size(members, count) > RCS_TRACESTATE_MAX &&
           (drop_last(members, &count, LARGE_MEMBER) || drop_last(members, &count, 0))) {
    }
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            out[size++] = ',';
        }
        memcpy(out + size, members[i].whole.data, members[i].whole.size);
        size += members[i].whole.size;
    }
    out[size] = '\0';
    return size;
}
