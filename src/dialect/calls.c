/*
 * Reads the calls of a reply in the OpenAI chat format, told apart by shape.
 *
 * Two walks over the same entries: the first measures, so that one allocation holds the requests and all their text;
 * the second copies.
 */
#include <recourse/dialect.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "src/core/fail.h"
#include "src/core/json.h"
#include "src/io/memory.h"

#define CALLS_MAX 10000u

/* Where the calls of a reply stand. */
struct shape {
    struct recourse_span list;   /* array of calls; data NULL: none */
    struct recourse_span single; /* the older `function_call`; data NULL: none */
    bool truncated;
};

/* Room for the text of all calls. `at` NULL: only measured. */
struct store {
    char *at;
    size_t used;
};

static const struct recourse_span no_span = {NULL, 0};

static size_t offset_in(struct recourse_span reply, struct recourse_span part)
{
    return (size_t)(part.data - reply.data);
}

/* A member that is there and not null. */
static struct recourse_span member(struct recourse_span object, const char *name)
{
    struct recourse_span value = rcs_json_member(object, name);

    return value.data != NULL && rcs_json_type_of(value) == RCS_JSON_NULL ? no_span : value;
}

static bool is_object(struct recourse_span value)
{
    return value.data != NULL && rcs_json_type_of(value) == RCS_JSON_OBJECT;
}

static bool is_string(struct recourse_span value)
{
    return value.data != NULL && rcs_json_type_of(value) == RCS_JSON_STRING;
}

static bool cut_off(struct recourse_span choice)
{
    struct recourse_span why = member(choice, "finish_reason");

    return is_string(why) && (rcs_json_string_is(why, "length", 6) || rcs_json_string_is(why, "content_filter", 14));
}

static struct recourse_span first_of(struct recourse_span array)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    return rcs_json_next(array, &at, &key, &value) ? value : no_span;
}

static void find_in_message(struct recourse_span message, struct shape *shape)
{
    shape->list = member(message, "tool_calls");
    if (shape->list.data == NULL) {
        shape->single = member(message, "function_call");
    }
}

/* False if the reply is of none of the shapes. */
static bool find_shape(struct recourse_span reply, struct shape *shape)
{
    struct recourse_span part;

    if (rcs_json_type_of(reply) == RCS_JSON_ARRAY) {
        shape->list = reply;
        return true;
    }
    if (!is_object(reply)) {
        return false;
    }
    part = member(reply, "choices");
    if (part.data != NULL) {
        if (rcs_json_type_of(part) != RCS_JSON_ARRAY) {
            return false;
        }
        part = first_of(part);
        shape->truncated = cut_off(part);
        find_in_message(member(part, "message"), shape);
        return true;
    }
    find_in_message(reply, shape);
    return shape->list.data != NULL || shape->single.data != NULL || rcs_json_member(reply, "role").data != NULL ||
           rcs_json_member(reply, "tool_calls").data != NULL;
}

/* Kept as it is written. */
static struct recourse_span keep_verbatim(struct store *store, struct recourse_span token)
{
    struct recourse_span kept = {store->at, token.size};

    store->used += token.size;
    if (store->at != NULL) {
        memcpy(store->at, token.data, token.size);
        store->at += token.size;
    }
    return kept;
}

/* A string's text; anything else as it is written. */
static struct recourse_span keep(struct store *store, struct recourse_span token)
{
    struct recourse_span kept = {store->at, 0};

    if (token.data == NULL) {
        return no_span;
    }
    if (!is_string(token)) {
        return keep_verbatim(store, rcs_json_trim(token));
    }
    kept.size = rcs_json_unescape(token, NULL, 0);
    store->used += kept.size;
    if (store->at != NULL) {
        rcs_json_unescape(token, store->at, kept.size);
        store->at += kept.size;
    }
    return kept;
}

/*
 * An entry of a type that is not "function" keeps its name, and has its type, a JSON string, for arguments. That is
 * never an object, so the call is answered as one with bad arguments and nothing is run.
 */
static void read_foreign(struct recourse_span entry, struct recourse_span type, struct store *store,
                         struct recourse_call_request *request)
{
    static const struct recourse_span unknown = {"\"type\"", 6};
    char word[32];
    size_t size = 0;
    struct recourse_span name = member(entry, "name");

    if (is_string(type)) {
        size = rcs_json_unescape(type, word, sizeof word - 1);
    }
    if (name.data == NULL && size > 0 && size < sizeof word && memchr(word, '\0', size) == NULL) {
        word[size] = '\0';
        name = member(member(entry, word), "name");
    }
    if (name.data == NULL) {
        name = member(member(entry, "function"), "name");
    }
    request->name = is_string(name) ? keep(store, name) : no_span;
    request->arguments = keep_verbatim(store, is_string(type) ? rcs_json_trim(type) : unknown);
}

static void read_entry(const struct shape *shape, struct recourse_span entry, struct store *store,
                       struct recourse_call_request *request)
{
    struct recourse_span type = member(entry, "type");
    struct recourse_span function = member(entry, "function");
    struct recourse_span name;

    request->truncated = shape->truncated;
    request->id = keep(store, member(entry, "id"));
    if (type.data != NULL && !(is_string(type) && rcs_json_string_is(type, "function", 8))) {
        read_foreign(entry, type, store, request);
        return;
    }
    if (!is_object(function)) {
        function = entry; /* some servers leave the wrapping out */
    }
    name = member(function, "name");
    request->name = is_string(name) ? keep(store, name) : no_span;
    request->arguments = keep(store, rcs_json_member(function, "arguments"));
}

/* Reads all entries; `requests` NULL: only measures. */
static void read_entries(const struct shape *shape, struct store *store, struct recourse_call_request *requests)
{
    struct recourse_call_request measured;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;
    size_t index = 0;

    if (shape->list.data == NULL) {
        read_entry(shape, shape->single, store, requests == NULL ? &measured : requests);
        return;
    }
    while (rcs_json_next(shape->list, &at, &key, &value)) {
        read_entry(shape, value, store, requests == NULL ? &measured : &requests[index++]);
    }
}

static int count_calls(struct recourse_span reply, const struct shape *shape, size_t *count,
                       struct recourse_error *error)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    *count = 0;
    if (shape->list.data == NULL) {
        if (shape->single.data != NULL && !is_object(shape->single)) {
            return rcs_fail(error, RECOURSE_E_SYNTAX, "the function_call at byte %zu is no object",
                        offset_in(reply, shape->single));
        }
        *count = shape->single.data != NULL;
        return 0;
    }
    if (rcs_json_type_of(shape->list) != RCS_JSON_ARRAY) {
        return rcs_fail(error, RECOURSE_E_SYNTAX, "the tool_calls at byte %zu are no array", offset_in(reply, shape->list));
    }
    while (rcs_json_next(shape->list, &at, &key, &value)) {
        if (!is_object(value)) {
            return rcs_fail(error, RECOURSE_E_SYNTAX, "the call at byte %zu is no object", offset_in(reply, value));
        }
        if (++*count > CALLS_MAX) {
            return rcs_fail(error, RECOURSE_E_LIMIT, "more than %u calls in one reply", CALLS_MAX);
        }
    }
    return 0;
}

static int check_reply(struct recourse_span reply, struct shape *shape, struct recourse_error *error)
{
    static const char *const faults[] = {
        [RCS_JSON_BAD] = "unexpected byte",
        [RCS_JSON_UNENDED] = "it ends too early",
        [RCS_JSON_TOO_DEEP] = "nested too deep",
        [RCS_JSON_DUPLICATE] = "a key twice",
        [RCS_JSON_TOO_MANY] = "too many keys",
    };
    size_t offset = 0;
    enum rcs_json_fault fault = rcs_json_check(reply, false, &offset);

    if (fault != RCS_JSON_GOOD) {
        return rcs_fail(error, RECOURSE_E_SYNTAX, "the reply is not JSON: %s at byte %zu", faults[fault], offset);
    }
    if (!find_shape(rcs_json_trim(reply), shape)) {
        return rcs_fail(error, RECOURSE_E_SYNTAX,
                    "the reply at byte %zu is no response with choices, no message and no list of calls",
                    offset_in(reply, rcs_json_trim(reply)));
    }
    return 0;
}

int recourse_calls_read(struct recourse_span reply, const struct recourse_allocator *allocator,
                        struct recourse_calls *calls, struct recourse_error *error)
{
    struct shape shape = {{NULL, 0}, {NULL, 0}, false};
    struct store store = {NULL, 0};
    size_t count;
    int code;

    if (calls == NULL || (reply.data == NULL && reply.size > 0)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no reply, or nowhere to put its calls");
    }
    memset(calls, 0, sizeof *calls);
    calls->dialect = RECOURSE_DIALECT_OPENAI_CHAT;
    calls->allocator = allocator;
    code = check_reply(reply, &shape, error);
    if (code == 0) {
        code = count_calls(reply, &shape, &count, error);
    }
    if (code != 0 || count == 0) {
        return code;
    }
    read_entries(&shape, &store, NULL);
    calls->memory = rcs_alloc(allocator, count * sizeof *calls->requests + store.used);
    if (calls->memory == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory for %zu calls", count);
    }
    calls->requests = calls->memory;
    calls->count = count;
    store.at = (char *)(calls->requests + count);
    read_entries(&shape, &store, calls->requests);
    return 0;
}

void recourse_calls_clear(struct recourse_calls *calls)
{
    if (calls != NULL) {
        rcs_free(calls->allocator, calls->memory);
        memset(calls, 0, sizeof *calls);
    }
}
