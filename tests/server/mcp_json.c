/* Finds what the server needs to know in a message. It looks for members and copies tokens; it checks little. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/server/mcp_parts.h"

#define DEPTH_MAX 64

static const char *blanks(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at) != NULL && *at != '\0') {
        at++;
    }
    return at;
}

static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        at += *at == '\\';
    }
    return at < end ? at + 1 : NULL;
}

static const char *value_end(const char *at, const char *end, int depth);

/* The end of an object or array whose bracket stands at `at`. */
static const char *list_end(const char *at, const char *end, int depth)
{
    char close = *at == '{' ? '}' : ']';
    bool named = *at == '{';

    at = blanks(at + 1, end);
    if (at < end && *at == close) {
        return at + 1;
    }
    while (at != NULL && at < end && depth < DEPTH_MAX) {
        if (named) {
            at = *at == '"' ? string_end(at, end) : NULL;
            at = at == NULL ? NULL : blanks(at, end);
            if (at == NULL || at == end || *at != ':') {
                return NULL;
            }
            at = blanks(at + 1, end);
        }
        at = value_end(at, end, depth + 1);
        at = at == NULL ? NULL : blanks(at, end);
        if (at == NULL || at == end || (*at != ',' && *at != close)) {
            return NULL;
        }
        if (*at == close) {
            return at + 1;
        }
        at = blanks(at + 1, end);
    }
    return NULL;
}

static const char *value_end(const char *at, const char *end, int depth)
{
    const char *begin = at;

    if (at >= end) {
        return NULL;
    }
    if (*at == '{' || *at == '[') {
        return list_end(at, end, depth);
    }
    if (*at == '"') {
        return string_end(at, end);
    }
    while (at < end && (isalnum((unsigned char)*at) || strchr("+-.", *at) != NULL) && *at != '\0') {
        at++;
    }
    return at == begin ? NULL : at;
}

bool rcs_json_whole(struct rcs_json_text text)
{
    const char *end = text.data == NULL ? NULL : text.data + text.size;
    const char *at = text.data == NULL ? NULL : value_end(blanks(text.data, end), end, 0);

    return at != NULL && blanks(at, end) == end;
}

bool rcs_json_step(struct rcs_json_text object, size_t *at, struct rcs_json_text *key, struct rcs_json_text *value)
{
    const char *end = object.data == NULL ? NULL : object.data + object.size;
    const char *from = object.data == NULL ? NULL : blanks(object.data + *at, end);
    const char *after;
    const char *to;

    if (from != NULL && *at == 0 && from < end && *from == '{') {
        from = blanks(from + 1, end);
    } else if (*at == 0) {
        return false;
    }
    after = from < end && *from == '"' ? string_end(from, end) : NULL;
    if (after == NULL) {
        return false;
    }
    *key = (struct rcs_json_text){from, (size_t)(after - from)};
    after = blanks(after, end);
    after = after < end ? blanks(after + 1, end) : end;
    to = value_end(after, end, 0);
    if (to == NULL) {
        return false;
    }
    *value = (struct rcs_json_text){after, (size_t)(to - after)};
    to = blanks(to, end);
    *at = (size_t)((to < end ? to + 1 : end) - object.data);
    return true;
}

struct rcs_json_text rcs_json_find(struct rcs_json_text object, const char *name)
{
    static const struct rcs_json_text none = {NULL, 0};
    struct rcs_json_text key;
    struct rcs_json_text value;
    size_t at = 0;

    while (rcs_json_step(object, &at, &key, &value)) {
        if (key.size - 2 == strlen(name) && memcmp(key.data + 1, name, strlen(name)) == 0) {
            return value;
        }
    }
    return none;
}

char *rcs_json_plain(struct rcs_json_text value)
{
    if (value.data == NULL) {
        return rcs_must_copy("", 0);
    }
    if (value.data[0] == '"') {
        return rcs_must_copy(value.data + 1, value.size - 2);
    }
    return rcs_must_copy(value.data, value.size);
}

static char *token(struct rcs_json_text value)
{
    return rcs_must_copy(value.data == NULL ? "" : value.data, value.size);
}

void rcs_message_read(struct rcs_message *message, const char *data, size_t size)
{
    struct rcs_json_text all = {data, size};
    bool whole = rcs_json_whole(all) && blanks(data, data + size)[0] == '{';
    struct rcs_json_text object = whole ? all : (struct rcs_json_text){NULL, 0};
    struct rcs_json_text meta;
    bool has_id;

    message->params = rcs_json_find(object, "params");
    meta = rcs_json_find(message->params, "_meta");
    message->method = rcs_json_plain(rcs_json_find(object, "method"));
    message->id = token(rcs_json_find(object, "id"));
    message->tool = rcs_json_plain(rcs_json_find(message->params, "name"));
    message->progress_token = token(rcs_json_find(meta, "progressToken"));
    has_id = message->id[0] != '\0';
    message->kind = !whole                       ? RCS_MESSAGE_BAD
                    : message->method[0] != '\0' ? (has_id ? RCS_MESSAGE_REQUEST : RCS_MESSAGE_NOTIFICATION)
                    : has_id                     ? RCS_MESSAGE_RESPONSE
                                                 : RCS_MESSAGE_BAD;
    if (strcmp(message->method, "tools/call") != 0) {
        message->tool[0] = '\0';
    }
}

void rcs_message_clear(struct rcs_message *message)
{
    free(message->method);
    free(message->id);
    free(message->tool);
    free(message->progress_token);
}

void rcs_base64_add(struct rcs_bytes *out, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t at = 0; at < size; at += 3) {
        size_t left = size - at;
        unsigned block = (unsigned)(at & 0xff) << 16 | (left > 1 ? (unsigned)((at + 1) & 0xff) << 8 : 0) |
                         (left > 2 ? (unsigned)((at + 2) & 0xff) : 0);
        char four[4] = {digits[block >> 18], digits[block >> 12 & 63], left > 1 ? digits[block >> 6 & 63] : '=',
                        left > 2 ? digits[block & 63] : '='};
        rcs_bytes_add(out, four, 4);
    }
}
