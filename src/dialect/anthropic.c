/* Anthropic messages. */
#include "src/dialect/dialect.h"

static enum rcs_claim claim(const struct rcs_object *entry)
{
    static const char *const calls[] = {"tool_use", NULL};
    static const char *const function[] = {"function", NULL};
    /* What the provider ran itself (server_tool_use, mcp_tool_use) is none of our calls. */
    static const char *const others[] = {
        "text",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "mcp_tool_result",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "tool_search_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_result",
        "container_upload",
        "image",
        "document",
        "search_result",
        NULL,
    };
    struct recourse_span type = rcs_object_get(entry, "type");

    if (rcs_is_one_of(type, calls)) {
        return RCS_CLAIM_CALL;
    }
    if (rcs_is_one_of(type, others)) {
        return RCS_CLAIM_BESIDE;
    }
    if (rcs_object_raw(entry, "input").data != NULL && (type.data == NULL || rcs_is_one_of(type, function))) {
        return RCS_CLAIM_CALL; /* arguments under that name are nobody else's, and must not get lost */
    }
    return type.data != NULL ? RCS_CLAIM_MAYBE_BESIDE : RCS_CLAIM_NONE;
}

static bool is_list(struct recourse_span value)
{
    return value.data != NULL && rcs_json_type_of(value) == RCS_JSON_ARRAY;
}

static bool has_call(struct recourse_span content)
{
    struct rcs_object block;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (is_list(content) && rcs_json_next(content, &at, &key, &value)) {
        rcs_object_open(&block, value);
        if (claim(&block) == RCS_CLAIM_CALL) {
            return true;
        }
    }
    return false;
}

/* A message with blocks is taken for one of this dialect even if it has no calls, so that no call in it goes unseen. */
static enum rcs_claim recognise(const struct rcs_object *reply)
{
    static const char *const message[] = {"message", NULL};
    struct recourse_span content = rcs_object_get(reply, "content");

    if (has_call(content)) {
        return RCS_CLAIM_CALL;
    }
    if (is_list(content) && rcs_object_raw(reply, "tool_calls").data == NULL) {
        return RCS_CLAIM_BESIDE;
    }
    return rcs_is_one_of(rcs_object_get(reply, "type"), message) || rcs_object_raw(reply, "stop_reason").data != NULL
               ? RCS_CLAIM_BESIDE
               : RCS_CLAIM_NONE;
}

/*
 * A refusal ends a reply wherever it stands, and is not to be used: like a limit, it leaves calls that may be
 * incomplete. A stop sequence and a pause (of a tool that the provider runs) leave whole blocks.
 */
static void find(const struct rcs_object *reply, struct rcs_found *found)
{
    static const char *const cuts[] = {"max_tokens", "model_context_window_exceeded", "refusal", NULL};
    struct recourse_span content = rcs_object_get(reply, "content");

    found->cut_off = rcs_is_one_of(rcs_object_get(reply, "stop_reason"), cuts);
    if (!rcs_is_string(content)) { /* a content may be plain text */
        found->list = content;
        found->list_name = "content";
    }
}

static void read(const struct rcs_object *entry, struct rcs_store *store, struct recourse_call_request *request)
{
    request->id = rcs_keep_id(store, rcs_object_get(entry, "id"));
    request->name = rcs_keep_string(store, rcs_object_get(entry, "name"));
    request->arguments = rcs_keep(store, rcs_object_raw(entry, "input"));
}

/* The provider refuses an error without content. */
static void write(struct rcs_written *text, const struct recourse_result *result)
{
    static const struct recourse_span silent = {"error", 5};

    rcs_write_text(text, "{\"type\":\"tool_result\",\"tool_use_id\":");
    rcs_write_quoted(text, result->call);
    rcs_write_text(text, ",\"content\":");
    rcs_write_quoted(text, result->content.size == 0 && !result->success ? silent : result->content);
    rcs_write_text(text, result->success ? "}" : ",\"is_error\":true}");
}

const struct rcs_dialect rcs_anthropic = {
    .name = "Anthropic messages",
    .recognise = recognise,
    .claim = claim,
    .find = find,
    .read = read,
    .write = write,
    .opens = "{\"role\":\"user\",\"content\":[",
    .closes = "]}",
};
