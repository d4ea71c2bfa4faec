/* Gemini. Replies are in camelCase from the server, in snake_case from its Python library; results are camelCase. */
#include "src/dialect/dialect.h"

/* The member under either of its names. */
static struct recourse_span get(const struct rcs_object *object, const char *name, const char *other)
{
    struct recourse_span value = rcs_object_get(object, name);

    return value.data != NULL ? value : rcs_object_get(object, other);
}

static struct recourse_span call_of(const struct rcs_object *part)
{
    struct recourse_span call = rcs_object_get(part, "functionCall");

    if (call.data != NULL || rcs_object_has(part, "role") || rcs_object_has(part, "type")) {
        return call; /* a message of OpenAI's has a function_call too */
    }
    return rcs_object_get(part, "function_call");
}

static enum rcs_claim recognise(const struct rcs_object *reply)
{
    if (rcs_object_has(reply, "candidates") || rcs_object_has(reply, "parts")) {
        return RCS_CLAIM_CALL;
    }
    return get(reply, "promptFeedback", "prompt_feedback").data != NULL ? RCS_CLAIM_BESIDE : RCS_CLAIM_NONE;
}

static enum rcs_claim claim(const struct rcs_object *entry)
{
    static const char *const function[] = {"function", NULL};
    static const char *const others[] = {
        "text",
        "thought",
        "inlineData",
        "inline_data",
        "fileData",
        "file_data",
        "functionResponse",
        "function_response",
        "executableCode",
        "executable_code",
        "codeExecutionResult",
        "code_execution_result",
    };
    struct recourse_span type = rcs_object_get(entry, "type");

    if (call_of(entry).data != NULL) {
        return RCS_CLAIM_CALL;
    }
    if (rcs_object_raw(entry, "args").data != NULL && (type.data == NULL || rcs_is_one_of(type, function))) {
        return RCS_CLAIM_CALL; /* the wrapping left out: libraries hand out such lists */
    }
    if (type.data != NULL) {
        return RCS_CLAIM_NONE;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (rcs_object_has(entry, others[i])) {
            return RCS_CLAIM_BESIDE;
        }
    }
    return rcs_object_has(entry, "name") ? RCS_CLAIM_MAYBE_CALL : RCS_CLAIM_MAYBE_BESIDE;
}

/* Ends that leave calls which may be incomplete, or were not to be given out. */
static bool is_cut_off(struct recourse_span reason)
{
    static const char *const cuts[] = {
        "MAX_TOKENS",
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MALFORMED_FUNCTION_CALL",
        "OTHER",
        NULL,
    };

    return rcs_is_one_of(reason, cuts);
}

static void find(const struct rcs_object *reply, struct rcs_found *found)
{
    struct recourse_span candidates = rcs_object_get(reply, "candidates");
    struct rcs_object part;

    if (candidates.data == NULL) {
        found->list = rcs_object_get(reply, "parts");
        found->list_name = "parts";
        return;
    }
    if (rcs_json_type_of(candidates) != RCS_JSON_ARRAY) {
        found->list = candidates;
        found->list_name = "candidates";
        return;
    }
    rcs_object_open(&part, rcs_first_of(candidates));
    found->cut_off = is_cut_off(get(&part, "finishReason", "finish_reason"));
    rcs_object_open(&part, rcs_object_get(&part, "content"));
    found->list = rcs_object_get(&part, "parts");
    found->list_name = "parts";
}

/* A streamed call comes in pieces; each says whether another one follows. */
static void read(const struct rcs_object *entry, struct rcs_store *store, struct recourse_call_request *request)
{
    struct recourse_span wrapped = call_of(entry);
    const struct rcs_object *call = entry;
    struct recourse_span more;
    struct rcs_object inner;

    if (wrapped.data != NULL) {
        rcs_object_open(&inner, wrapped);
        call = &inner;
    }
    more = get(call, "willContinue", "will_continue");
    request->truncated = (more.data != NULL && rcs_json_type_of(more) == RCS_JSON_TRUE) ||
                         get(call, "partialArgs", "partial_args").data != NULL;
    request->id = rcs_keep_id(store, rcs_object_get(call, "id"));
    request->name = rcs_keep_string(store, rcs_object_get(call, "name"));
    request->arguments = rcs_keep(store, rcs_object_raw(call, "args"));
}

/* Results without ids are told apart by their order and names. */
static void write(struct rcs_written *text, const struct recourse_result *result)
{
    rcs_write_text(text, "{\"functionResponse\":{");
    if (result->call.size > 0) {
        rcs_write_text(text, "\"id\":");
        rcs_write_quoted(text, result->call);
        rcs_write_text(text, ",");
    }
    rcs_write_text(text, "\"name\":");
    rcs_write_quoted(text, result->tool);
    rcs_write_text(text, result->success ? ",\"response\":{\"result\":" : ",\"response\":{\"error\":");
    rcs_write_quoted(text, result->content);
    rcs_write_text(text, "}}}");
}

const struct rcs_dialect rcs_gemini = {
    .name = "Gemini",
    .recognise = recognise,
    .claim = claim,
    .find = find,
    .read = read,
    .write = write,
    .opens = "{\"role\":\"user\",\"parts\":[",
    .closes = "]}",
};
