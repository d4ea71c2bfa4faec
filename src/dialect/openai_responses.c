/* OpenAI responses. */
#include "src/dialect/dialect.h"

/* A state in which a response, or an item of it, is not (or never became) whole. */
static bool is_unfinished(const struct rcs_object *object)
{
    static const char *const states[] = {"incomplete", "in_progress", "queued", "cancelled", "failed", NULL};

    return rcs_is_one_of(rcs_object_get(object, "status"), states);
}

static enum rcs_claim recognise(const struct rcs_object *reply)
{
    static const char *const response[] = {"response", NULL};
    struct recourse_span output = rcs_object_get(reply, "output");

    if (rcs_is_one_of(rcs_object_get(reply, "object"), response)) {
        return RCS_CLAIM_CALL;
    }
    /* items have a type, and some of them an output */
    return output.data != NULL && rcs_json_type_of(output) == RCS_JSON_ARRAY && !rcs_object_has(reply, "type")
               ? RCS_CLAIM_CALL
               : RCS_CLAIM_NONE;
}

/* Calls of other types are the provider's own, or wait for outputs of types of their own: the host's to answer. */
static enum rcs_claim claim(const struct rcs_object *entry)
{
    static const char *const calls[] = {"function_call", NULL};
    static const char *const others[] = {
        "message",
        "reasoning",
        "compaction",
        "item_reference",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "computer_call",
        "computer_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "web_search_call",
        "file_search_call",
        "image_generation_call",
        "code_interpreter_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        NULL,
    };
    struct recourse_span type = rcs_object_get(entry, "type");

    if (rcs_is_one_of(type, calls)) {
        return RCS_CLAIM_CALL;
    }
    if (rcs_is_one_of(type, others)) {
        return RCS_CLAIM_BESIDE;
    }
    if (type.data == NULL && rcs_object_has(entry, "call_id") && !rcs_object_has(entry, "function")) {
        return RCS_CLAIM_CALL;
    }
    return type.data != NULL ? RCS_CLAIM_MAYBE_BESIDE : RCS_CLAIM_NONE;
}

static void find(const struct rcs_object *reply, struct rcs_found *found)
{
    found->cut_off = is_unfinished(reply);
    found->list = rcs_object_get(reply, "output");
    found->list_name = "output";
}

/* An item has an id of its own besides that of the call; outputs go by that of the call. */
static void read(const struct rcs_object *entry, struct rcs_store *store, struct recourse_call_request *request)
{
    struct recourse_span id = rcs_object_get(entry, "call_id");

    request->id = rcs_keep_id(store, id.data != NULL ? id : rcs_object_get(entry, "id"));
    request->name = rcs_keep_string(store, rcs_object_get(entry, "name"));
    request->arguments = rcs_keep(store, rcs_object_raw(entry, "arguments"));
    request->truncated = is_unfinished(entry);
}

static void write(struct rcs_written *text, const struct recourse_result *result)
{
    rcs_write_result(text, result, "{\"type\":\"function_call_output\",\"call_id\":", ",\"output\":");
}

const struct rcs_dialect rcs_openai_responses = {
    .name = "OpenAI responses",
    .recognise = recognise,
    .claim = claim,
    .find = find,
    .read = read,
    .write = write,
    .opens = "[",
    .closes = "]",
};
