/* OpenAI chat completions, and the many servers that speak it. */
#include "src/dialect/dialect.h"

#include <string.h>

static const char *const of_function[] = {"function", NULL};

static enum rcs_claim recognise(const struct rcs_object *reply)
{
    if (rcs_object_has(reply, "choices") || rcs_object_has(reply, "tool_calls") ||
        rcs_object_has(reply, "function_call")) {
        return RCS_CLAIM_CALL;
    }
    return rcs_object_raw(reply, "tool_calls").data != NULL || rcs_object_raw(reply, "role").data != NULL
               ? RCS_CLAIM_BESIDE
               : RCS_CLAIM_NONE;
}

/* A list of this dialect holds nothing but calls, so whatever stands in one is answered. */
static enum rcs_claim claim(const struct rcs_object *entry)
{
    static const char *const types[] = {"function", "custom", NULL};
    struct recourse_span type = rcs_object_get(entry, "type");

    if (rcs_is_object(rcs_object_get(entry, "function")) || rcs_is_one_of(type, types)) {
        return RCS_CLAIM_CALL;
    }
    if (type.data == NULL && rcs_object_raw(entry, "arguments").data != NULL && !rcs_object_has(entry, "call_id")) {
        return RCS_CLAIM_CALL;
    }
    return RCS_CLAIM_MAYBE_CALL;
}

static void find_in_message(const struct rcs_object *message, struct rcs_found *found)
{
    found->list = rcs_object_get(message, "tool_calls");
    found->list_name = "tool_calls";
    if (found->list.data == NULL) {
        found->single = rcs_object_get(message, "function_call");
        found->single_name = "function_call";
    }
}

/* The last three are what other servers of this format say for `length`, or routers that pass on a provider's own word. */
static void find(const struct rcs_object *reply, struct rcs_found *found)
{
    static const char *const cuts[] = {"length", "content_filter", "model_length", "max_tokens", "MAX_TOKENS", NULL};
    struct recourse_span choices = rcs_object_get(reply, "choices");
    struct rcs_object part;

    if (choices.data == NULL) {
        find_in_message(reply, found);
        return;
    }
    if (rcs_json_type_of(choices) != RCS_JSON_ARRAY) {
        found->list = choices;
        found->list_name = "choices";
        return;
    }
    rcs_object_open(&part, rcs_first_of(choices));
    found->cut_off = rcs_is_one_of(rcs_object_get(&part, "finish_reason"), cuts);
    rcs_object_open(&part, rcs_object_get(&part, "message"));
    find_in_message(&part, found);
}

/*
 * An entry of a type that is not "function" keeps its name, and has its type, a JSON string, for arguments. That is
 * never an object, so the call is answered as one with bad arguments and nothing is run.
 */
static void read_foreign(const struct rcs_object *entry, struct recourse_span type, struct rcs_store *store,
                         struct recourse_call_request *request)
{
    static const struct recourse_span unknown = {"\"type\"", 6};
    char word[32];
    size_t size = 0;
    struct recourse_span name = rcs_object_get(entry, "name");

    if (rcs_is_string(type)) {
        size = rcs_json_unescape(type, word, sizeof word - 1);
    }
    if (name.data == NULL && size > 0 && size < sizeof word && memchr(word, '\0', size) == NULL) {
        word[size] = '\0';
        name = rcs_json_member(rcs_object_get(entry, word), "name");
    }
    if (name.data == NULL) {
        name = rcs_json_member(rcs_object_get(entry, "function"), "name");
    }
    request->name = rcs_keep_string(store, name);
    request->arguments = rcs_keep_verbatim(store, rcs_is_string(type) ? rcs_json_trim(type) : unknown);
}

static void read(const struct rcs_object *entry, struct rcs_store *store, struct recourse_call_request *request)
{
    struct recourse_span type = rcs_object_get(entry, "type");
    struct recourse_span wrapped = rcs_object_get(entry, "function");
    const struct rcs_object *function = entry; /* some servers leave the wrapping out */
    struct rcs_object inner;

    request->id = rcs_keep_id(store, rcs_object_get(entry, "id"));
    if (type.data != NULL && !rcs_is_one_of(type, of_function)) {
        read_foreign(entry, type, store, request);
        return;
    }
    if (rcs_is_object(wrapped)) {
        rcs_object_open(&inner, wrapped);
        function = &inner;
    }
    request->name = rcs_keep_string(store, rcs_object_get(function, "name"));
    request->arguments = rcs_keep(store, rcs_object_raw(function, "arguments"));
}

static void write(struct rcs_written *text, const struct recourse_result *result)
{
    rcs_write_result(text, result, "{\"role\":\"tool\",\"tool_call_id\":", ",\"content\":");
}

const struct rcs_dialect rcs_openai_chat = {
    .name = "OpenAI chat completions",
    .recognise = recognise,
    .claim = claim,
    .find = find,
    .read = read,
    .write = write,
    .opens = "[",
    .closes = "]",
};
