/* MCP: JSON-RPC requests for tools/call, one or a list of them, and the responses to them. */
#include "src/dialect/dialect.h"

#include <string.h>

#include "src/core/text.h"

/* What has no id wants no answer, so it is no call. */
static bool is_call(const struct rcs_object *message)
{
    static const char *const method[] = {"tools/call", NULL};

    return rcs_is_one_of(rcs_object_get(message, "method"), method) && rcs_object_has(message, "id");
}

static enum rcs_claim claim(const struct rcs_object *message)
{
    if (!rcs_object_has(message, "jsonrpc")) {
        return RCS_CLAIM_NONE;
    }
    return is_call(message) ? RCS_CLAIM_CALL : RCS_CLAIM_BESIDE;
}

static void find(const struct rcs_object *reply, struct rcs_found *found)
{
    if (is_call(reply)) {
        found->single = reply->text;
        found->single_name = "the request";
    }
}

static bool is_number(struct recourse_span text)
{
    return rcs_json_check(text, false, NULL) == RCS_JSON_GOOD && rcs_json_type_of(text) == RCS_JSON_NUMBER &&
           rcs_json_trim(text).size == text.size;
}

/* 7 and "7" are two ids: a string that would read as the other, or as quoted, keeps its quotes. */
static struct recourse_span keep_id(struct rcs_store *store, struct recourse_span id)
{
    char text[64];
    size_t size = rcs_is_string(id) ? rcs_json_unescape(id, text, sizeof text) : 0;
    bool quoted = size > 0 && (text[0] == '"' || (size <= sizeof text && is_number((struct recourse_span){text, size})));
    struct recourse_span kept = rcs_keep_id(store, quoted ? (struct recourse_span){NULL, 0} : id);

    return quoted ? rcs_keep_verbatim(store, rcs_json_trim(id)) : kept;
}

static void read(const struct rcs_object *entry, struct rcs_store *store, struct recourse_call_request *request)
{
    struct rcs_object params;

    rcs_object_open(&params, rcs_object_get(entry, "params"));
    request->id = keep_id(store, rcs_object_get(entry, "id"));
    request->name = rcs_keep_string(store, rcs_object_get(&params, "name"));
    request->arguments = rcs_keep_verbatim(store, rcs_json_trim(rcs_object_get(&params, "arguments")));
}

static void put(struct rcs_written *text, struct recourse_span raw)
{
    if (text->data != NULL && raw.size > 0) {
        memcpy(text->data + text->used, raw.data, raw.size);
    }
    text->used += raw.size;
}

static bool is_quoted(struct recourse_span id)
{
    return id.size > 1 && id.data[0] == '"' && memchr(id.data, '\\', id.size) == NULL && rcs_utf8_is_good(id) &&
           rcs_json_check(id, false, NULL) == RCS_JSON_GOOD && rcs_json_trim(id).size == id.size;
}

static void write(struct rcs_written *text, const struct recourse_result *result)
{
    rcs_write_text(text, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (is_number(result->call) || is_quoted(result->call)) {
        put(text, result->call);
    } else {
        rcs_write_quoted(text, result->call);
    }
    rcs_write_text(text, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    rcs_write_quoted(text, result->content);
    rcs_write_text(text, "}]");
    if (result->success && result->structured.size > 0) {
        rcs_write_text(text, ",\"structuredContent\":");
        put(text, result->structured);
    }
    rcs_write_text(text, result->success ? "}}" : ",\"isError\":true}}");
}

const struct rcs_dialect rcs_mcp = {
    .name = "MCP",
    .recognise = claim,
    .claim = claim,
    .find = find,
    .read = read,
    .write = write,
    .opens = "[",
    .closes = "]",
};
