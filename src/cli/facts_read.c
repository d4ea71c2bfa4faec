#include "facts_read.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "gen/spec.h"
#include "src/core/phrase.h"
#include "src/core/json.h"

struct reader {
    struct rcs_arena *arena;
    struct recourse_facts *facts;
    const char *key;
    char *text;
    size_t size;
};

static bool wrong(struct reader *reader, const char *format, ...) RECOURSE_PRINTF(2, 3);

static bool wrong(struct reader *reader, const char *format, ...)
{
    int used = snprintf(reader->text, reader->size, "\"%s\" ", reader->key);
    va_list list;

    if (used > 0 && (size_t)used < reader->size) {
        va_start(list, format);
        vsnprintf(reader->text + used, reader->size - (size_t)used, format, list);
        va_end(list);
    }
    return false;
}

/* A string, unescaped, with a NUL behind it. */
static bool take_string(struct reader *reader, struct recourse_span value, struct recourse_span *out)
{
    char *text;

    if (rcs_json_type_of(value) != RCS_JSON_STRING) {
        return wrong(reader, "wants a string");
    }
    out->size = rcs_json_unescape(value, NULL, 0);
    text = rcs_arena_alloc(reader->arena, out->size + 1);
    rcs_json_unescape(value, text, out->size);
    out->data = text;
    return true;
}

static bool take_integer(struct reader *reader, struct recourse_span value, int64_t low, int64_t high, int64_t *out)
{
    if (rcs_json_type_of(value) != RCS_JSON_NUMBER || !rcs_json_integer(value, out) || *out < low || *out > high) {
        return wrong(reader, "wants a whole number from %" PRId64 " to %" PRId64, low, high);
    }
    return true;
}

static bool take_flag(struct reader *reader, struct recourse_span value, bool *out)
{
    enum rcs_json_type type = rcs_json_type_of(value);

    *out = type == RCS_JSON_TRUE;
    return type == RCS_JSON_TRUE || type == RCS_JSON_FALSE || wrong(reader, "wants true or false");
}

/* One of `kinds` (by number, from 1), or true for the kind `any`. */
static bool take_kind(struct reader *reader, struct recourse_span value, const char *const *kinds, uint8_t any,
                      const char *list, uint8_t *out)
{
    enum rcs_json_type type = rcs_json_type_of(value);

    if (type == RCS_JSON_TRUE || type == RCS_JSON_FALSE) {
        *out = type == RCS_JSON_TRUE ? any : 0;
        return true;
    }
    for (uint8_t i = 1; type == RCS_JSON_STRING && kinds[i] != NULL; i++) {
        if (rcs_json_string_is(value, kinds[i], strlen(kinds[i]))) {
            *out = i;
            return true;
        }
    }
    return wrong(reader, "wants true, or one of %s", list);
}

static bool read_http(struct reader *reader, struct recourse_span value)
{
    int64_t status;

    if (!take_integer(reader, value, 100, 999, &status)) {
        return false;
    }
    reader->facts->http = (uint16_t)status;
    return true;
}

static bool read_network(struct reader *reader, struct recourse_span value)
{
    static const char *const kinds[] = {"", "refused", "unreachable", "dns", "tls", "reset", "closed", "other", NULL};

    return take_kind(reader, value, kinds, RECOURSE_NETWORK_OTHER, "refused, unreachable, dns, tls, reset, closed",
                     &reader->facts->network);
}

static bool read_timeout(struct reader *reader, struct recourse_span value)
{
    static const char *const kinds[] = {"", "connect", "read", "total", "other", NULL};

    return take_kind(reader, value, kinds, RECOURSE_TIMEOUT_OTHER, "connect, read, total", &reader->facts->timeout);
}

static bool read_rpc(struct reader *reader, struct recourse_span value)
{
    reader->facts->has_rpc = true;
    return take_integer(reader, value, INT64_MIN, INT64_MAX, &reader->facts->rpc);
}

static bool read_exit(struct reader *reader, struct recourse_span value)
{
    int64_t status = 0;

    if (!take_integer(reader, value, 0, 255, &status)) {
        return false;
    }
    reader->facts->has_exit = true;
    reader->facts->exit_status = (int)status;
    return true;
}

static bool read_signal(struct reader *reader, struct recourse_span value)
{
    int64_t number = 0;

    if (!take_integer(reader, value, 1, 127, &number)) {
        return false;
    }
    reader->facts->signal = (int)number;
    return true;
}

static bool read_wall(struct reader *reader, struct recourse_span value)
{
    int64_t seconds = 0;

    if (!take_integer(reader, value, 0, INT64_MAX, &seconds)) {
        return false;
    }
    reader->facts->wall_s = (uint64_t)seconds;
    return true;
}

static bool read_unsent(struct reader *reader, struct recourse_span value)
{
    return take_flag(reader, value, &reader->facts->unsent);
}

static bool read_interrupted(struct reader *reader, struct recourse_span value)
{
    return take_flag(reader, value, &reader->facts->interrupted);
}

static bool read_tool_error(struct reader *reader, struct recourse_span value)
{
    return take_flag(reader, value, &reader->facts->tool_error);
}

static bool read_session_expired(struct reader *reader, struct recourse_span value)
{
    return take_flag(reader, value, &reader->facts->session_expired);
}

static bool read_protocol(struct reader *reader, struct recourse_span value)
{
    return take_flag(reader, value, &reader->facts->protocol);
}

static bool read_too_large(struct reader *reader, struct recourse_span value)
{
    return take_flag(reader, value, &reader->facts->too_large);
}

static bool read_spawn(struct reader *reader, struct recourse_span value)
{
    return take_flag(reader, value, &reader->facts->spawn);
}

static bool read_tool(struct reader *reader, struct recourse_span value)
{
    struct recourse_span name;

    if (!take_string(reader, value, &name)) {
        return false;
    }
    if (memchr(name.data, '\0', name.size) != NULL) {
        return wrong(reader, "has a NUL in it");
    }
    reader->facts->tool = name.data;
    return true;
}

static bool read_phrase(struct reader *reader, struct recourse_span value)
{
    return take_string(reader, value, &reader->facts->phrase);
}

static bool read_text(struct reader *reader, struct recourse_span value)
{
    return take_string(reader, value, &reader->facts->text);
}

static bool read_json(struct reader *reader, struct recourse_span value)
{
    reader->facts->json = value;
    return true;
}

static bool read_result(struct reader *reader, struct recourse_span value)
{
    if (rcs_json_type_of(value) == RCS_JSON_STRING) {
        return take_string(reader, value, &reader->facts->result);
    }
    reader->facts->result = value;
    if (rcs_json_type_of(value) == RCS_JSON_OBJECT && reader->facts->structured.size == 0) {
        reader->facts->structured = value;
    }
    return true;
}

static bool read_structured(struct reader *reader, struct recourse_span value)
{
    if (rcs_json_type_of(value) != RCS_JSON_OBJECT) {
        return wrong(reader, "wants an object");
    }
    reader->facts->structured = value;
    return true;
}

struct header_list {
    struct recourse_header *items;
    size_t count;
};

static bool add_header(struct reader *reader, struct header_list *list, struct recourse_span name,
                       struct recourse_span value)
{
    struct recourse_header *header = rcs_arena_push(reader->arena, &list->items, &list->count, sizeof *header);

    if (rcs_json_type_of(value) != RCS_JSON_STRING) {
        return wrong(reader, "wants each value to be a string, or a list of strings for a header that is repeated");
    }
    return take_string(reader, name, &header->name) && take_string(reader, value, &header->value);
}

static bool read_headers(struct reader *reader, struct recourse_span value)
{
    struct header_list list = {NULL, 0};
    struct recourse_span name;
    struct recourse_span member;
    size_t at = 0;

    if (rcs_json_type_of(value) != RCS_JSON_OBJECT) {
        return wrong(reader, "wants an object of names and values");
    }
    while (rcs_json_next(value, &at, &name, &member)) {
        struct recourse_span no_key;
        struct recourse_span item;
        size_t item_at = 0;

        if (rcs_json_type_of(member) != RCS_JSON_ARRAY) {
            if (!add_header(reader, &list, name, member)) {
                return false;
            }
            continue;
        }
        while (rcs_json_next(member, &item_at, &no_key, &item)) {
            if (!add_header(reader, &list, name, item)) {
                return false;
            }
        }
    }
    reader->facts->headers = list.items;
    reader->facts->header_count = list.count;
    return true;
}

static const struct {
    const char *name;
    bool (*read)(struct reader *reader, struct recourse_span value);
} keys[] = {
    {"http", read_http},
    {"phrase", read_phrase},
    {"headers", read_headers},
    {"text", read_text},
    {"json", read_json},
    {"result", read_result},
    {"structured", read_structured},
    {"timeout", read_timeout},
    {"network", read_network},
    {"unsent", read_unsent},
    {"interrupted", read_interrupted},
    {"rpc", read_rpc},
    {"tool_error", read_tool_error},
    {"session_expired", read_session_expired},
    {"protocol", read_protocol},
    {"too_large", read_too_large},
    {"spawn", read_spawn},
    {"exit", read_exit},
    {"signal", read_signal},
    {"tool", read_tool},
    {"wall_s", read_wall},
};

#define KEY_COUNT (sizeof keys / sizeof keys[0])
#define KEY_HTTP 0
#define KEY_PHRASE 1
#define KEY_TEXT 3
#define KEY_RESULT 5

_Static_assert(KEY_COUNT <= 32, "a bit for each key");

static const char *key_name(const void *user, size_t index)
{
    (void)user;
    return index < KEY_COUNT ? keys[index].name : NULL;
}

static bool unknown_key(struct reader *reader, struct recourse_span key)
{
    char name[64];
    size_t size = rcs_json_unescape(key, name, sizeof name - 1);
    const char *near = NULL;

    name[size < sizeof name ? size : sizeof name - 1] = '\0';
    if (size < sizeof name) {
        near = rcs_nearest(name, key_name, NULL);
    }
    if (near != NULL) {
        snprintf(reader->text, reader->size, "unknown key \"%s\": did you mean \"%s\"?", name, near);
    } else {
        snprintf(reader->text, reader->size, "unknown key \"%s\": see recourse classify --help", name);
    }
    return false;
}

static bool read_member(struct reader *reader, struct recourse_span key, struct recourse_span value, uint32_t *seen)
{
    size_t i = 0;

    while (i < KEY_COUNT && !rcs_json_string_is(key, keys[i].name, strlen(keys[i].name))) {
        i++;
    }
    if (i == KEY_COUNT) {
        return unknown_key(reader, key);
    }
    reader->key = keys[i].name;
    if ((*seen & (1u << i)) != 0) {
        return wrong(reader, "is there twice");
    }
    if (rcs_json_type_of(value) == RCS_JSON_NULL) {
        return true; /* as if it were not there */
    }
    *seen |= 1u << i;
    return keys[i].read(reader, value);
}

/* What an HTTP answer says without being told. */
static void complete(struct recourse_facts *facts, uint32_t seen)
{
    if ((seen & (1u << KEY_HTTP)) == 0) {
        return;
    }
    if ((seen & (1u << KEY_PHRASE)) == 0) {
        const char *phrase = rcs_http_phrase(facts->http);

        facts->phrase.data = phrase;
        facts->phrase.size = phrase == NULL ? 0 : strlen(phrase);
    }
    if (facts->http >= 200 && facts->http < 300 && (seen & (1u << KEY_RESULT)) == 0 && (seen & (1u << KEY_TEXT)) != 0) {
        facts->result = facts->text;
    }
}

bool rcs_facts_read(struct rcs_arena *arena, struct recourse_span json, struct recourse_facts *facts, char *text,
                    size_t size)
{
    struct reader reader = {arena, facts, NULL, text, size};
    struct recourse_span object = rcs_json_trim(json);
    struct recourse_span key;
    struct recourse_span value;
    uint32_t seen = 0;
    size_t offset = 0;
    size_t at = 0;

    memset(facts, 0, sizeof *facts);
    if (rcs_json_check(json, false, &offset) != RCS_JSON_GOOD) {
        snprintf(text, size, "not JSON at column %zu", offset + 1);
        return false;
    }
    if (rcs_json_type_of(object) != RCS_JSON_OBJECT) {
        snprintf(text, size, "facts are an object, such as {\"http\":429}");
        return false;
    }
    while (rcs_json_next(object, &at, &key, &value)) {
        if (!read_member(&reader, key, value, &seen)) {
            return false;
        }
    }
    complete(facts, seen);
    return true;
}
