#include "src/tools/mcp_message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ID_MAX 1024u /* bytes of a server's id that is sent back */

/* ---- reading ---- */

static struct recourse_span member(struct recourse_span object, const char *name)
{
    return rcs_json_trim(rcs_json_member(object, name));
}

static bool is_string(struct recourse_span value, const char *text)
{
    return rcs_json_type_of(value) == RCS_JSON_STRING && rcs_json_string_is(value, text, strlen(text));
}

/* The members of a message, of which the last counts where one is there twice. */
struct members {
    struct recourse_span version, id, method, params, result, error;
};

static struct members members_of(struct recourse_span object)
{
    struct members found = {.id = {NULL, 0}};
    const struct {
        const char *name;
        struct recourse_span *value;
    } names[] = {
        {"jsonrpc", &found.version}, {"id", &found.id},         {"method", &found.method},
        {"params", &found.params},   {"result", &found.result}, {"error", &found.error},
    };
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (rcs_json_next(object, &at, &key, &value)) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (rcs_json_string_is(key, names[i].name, strlen(names[i].name))) {
                *names[i].value = rcs_json_trim(value);
            }
        }
    }
    return found;
}

static bool read_error(struct recourse_span error, struct rcs_mcp_message *out)
{
    struct recourse_span text = member(error, "message");

    if (!rcs_json_integer(member(error, "code"), &out->code)) {
        return false;
    }
    if (rcs_json_type_of(text) == RCS_JSON_STRING) {
        out->message = text;
    }
    out->data = member(error, "data");
    out->kind = RCS_MCP_ERROR;
    return true;
}

/* `object` is good JSON. */
static struct rcs_mcp_message read_object(struct recourse_span object)
{
    struct rcs_mcp_message out = {.kind = RCS_MCP_NONE};
    struct members found;
    enum rcs_json_type id;

    if (rcs_json_type_of(object) != RCS_JSON_OBJECT) {
        return out;
    }
    found = members_of(object);
    id = rcs_json_type_of(found.id);
    if (!is_string(found.version, "2.0") ||
        (id != RCS_JSON_NONE && id != RCS_JSON_NULL && id != RCS_JSON_NUMBER && id != RCS_JSON_STRING)) {
        return out;
    }
    if (id == RCS_JSON_NUMBER || id == RCS_JSON_STRING) {
        out.id = found.id;
    }
    if (rcs_json_type_of(found.method) == RCS_JSON_STRING) {
        out.method = found.method;
        out.params = found.params;
        out.kind = out.id.size > 0 ? RCS_MCP_REQUEST : RCS_MCP_NOTIFICATION;
    } else if (rcs_json_type_of(found.error) == RCS_JSON_OBJECT) {
        (void)read_error(found.error, &out);
    } else if (found.result.size > 0) {
        out.result = found.result;
        out.kind = RCS_MCP_RESULT;
    }
    return out;
}

struct rcs_mcp_message rcs_mcp_message_read(struct recourse_span text)
{
    if (rcs_json_check(text, false, NULL) != RCS_JSON_GOOD) {
        return (struct rcs_mcp_message){.kind = RCS_MCP_NONE};
    }
    return read_object(rcs_json_trim(text));
}

bool rcs_mcp_message_answers(const struct rcs_mcp_message *message, int64_t id)
{
    char text[24];
    size_t size = (size_t)snprintf(text, sizeof text, "%" PRId64, id);

    if (message->kind == RCS_MCP_ERROR && message->id.size == 0) {
        return true;
    }
    return (message->kind == RCS_MCP_RESULT || message->kind == RCS_MCP_ERROR) && message->id.size == size &&
           memcmp(message->id.data, text, size) == 0;
}

struct rcs_mcp_message rcs_mcp_message_find(struct recourse_span text, int64_t id)
{
    struct rcs_mcp_message found = {.kind = RCS_MCP_NONE};
    struct rcs_mcp_message message;
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    if (rcs_json_check(text, false, NULL) != RCS_JSON_GOOD) {
        return found;
    }
    text = rcs_json_trim(text);
    if (rcs_json_type_of(text) != RCS_JSON_ARRAY) {
        message = read_object(text);
        return rcs_mcp_message_answers(&message, id) ? message : found;
    }
    while (rcs_json_next(text, &at, &key, &value)) {
        message = read_object(rcs_json_trim(value));
        if (rcs_mcp_message_answers(&message, id) && (found.kind == RCS_MCP_NONE || message.id.size > 0)) {
            found = message; /* one without an id counts where there is no other */
        }
        if (found.id.size > 0) {
            break;
        }
    }
    return found;
}

bool rcs_mcp_message_asks(const struct rcs_mcp_message *message)
{
    return message->kind == RCS_MCP_REQUEST && !is_string(message->method, "ping");
}

int64_t rcs_mcp_message_progress(const struct rcs_mcp_message *message)
{
    int64_t id = 0;

    if (message->kind != RCS_MCP_NOTIFICATION || !is_string(message->method, "notifications/progress") ||
        !rcs_json_integer(member(message->params, "progressToken"), &id)) {
        return 0;
    }
    return id;
}

/* ---- writing ---- */

/* For what is short, whatever stands in it. */
static int put_format(struct rcs_buffer *body, const char *format, ...) RECOURSE_PRINTF(2, 3);
static int put_format(struct rcs_buffer *body, const char *format, ...)
{
    char text[512];
    va_list list;
    int size;

    va_start(list, format);
    size = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return size < 0 || (size_t)size >= sizeof text ? RECOURSE_E_LIMIT : rcs_buffer_append(body, text, (size_t)size);
}

static int put_begin(struct rcs_buffer *body, int64_t id, const char *method)
{
    return put_format(body, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\",\"params\":{", id, method);
}

int rcs_mcp_put_initialize(struct rcs_buffer *body, int64_t id, const char *version, bool elicits)
{
    int code = put_begin(body, id, "initialize");

    return code != 0 ? code
                     : put_format(body,
                                         "\"protocolVersion\":\"%s\",\"capabilities\":{%s},"
                                         "\"clientInfo\":{\"name\":\"recourse\",\"version\":\"" RECOURSE_VERSION "\"}}}",
                                         version, elicits ? "\"elicitation\":{\"form\":{}}" : "");
}

int rcs_mcp_put_initialized(struct rcs_buffer *body)
{
    return rcs_buffer_append_text(body, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* A member that isn't the first one, if it has a value. */
static int put_member(struct rcs_buffer *body, const char *name, struct recourse_span value)
{
    int code = value.size > 0 ? put_format(body, ",\"%s\":", name) : 0;

    return code == 0 ? rcs_buffer_append(body, value.data, value.size) : code;
}

#define PREFIX "io.modelcontextprotocol/"

static int put_meta(struct rcs_buffer *body, int64_t id, const struct rcs_mcp_meta *meta)
{
    int code = rcs_buffer_append_text(body, "\"_meta\":{");

    if (code == 0 && meta->version != NULL) {
        code = put_format(body,
                          "\"" PREFIX "protocolVersion\":\"%s\",\"" PREFIX "clientInfo\":{\"name\":\"recourse\","
                          "\"version\":\"" RECOURSE_VERSION "\"},\"" PREFIX "clientCapabilities\":%s%s",
                          meta->version, meta->capabilities, meta->key != NULL ? "," : "");
    }
    if (code == 0 && meta->key != NULL) {
        code = put_format(body, "\"progressToken\":%" PRId64 ",\"recourse/idempotencyKey\":\"%s\",\"recourse/try\":%u", id,
                          meta->key, meta->number);
    }
    if (code == 0 && meta->traceparent != NULL) { /* a call's, so something stands before it */
        code = put_format(body, ",\"traceparent\":\"%s\"", meta->traceparent);
    }
    if (code == 0 && meta->tracestate != NULL) {
        code = rcs_buffer_append_text(body, ",\"tracestate\":");
        code = code == 0 ? rcs_buffer_append_quoted(body, (struct recourse_span){meta->tracestate, strlen(meta->tracestate)}) : code;
    }
    return code == 0 ? rcs_buffer_append_byte(body, '}') : code;
}

int rcs_mcp_put_discover(struct rcs_buffer *body, int64_t id, const struct rcs_mcp_meta *meta)
{
    int code = put_begin(body, id, "server/discover");

    code = code == 0 ? put_meta(body, id, meta) : code;
    return code == 0 ? rcs_buffer_append_text(body, "}}") : code;
}

int rcs_mcp_put_list(struct rcs_buffer *body, int64_t id, struct recourse_span cursor, const struct rcs_mcp_meta *meta)
{
    int code = put_begin(body, id, "tools/list");

    if (code == 0 && meta->version != NULL) {
        code = put_meta(body, id, meta);
        code = code == 0 ? put_member(body, "cursor", cursor) : code;
    } else if (code == 0 && cursor.size > 0) {
        code = rcs_buffer_append_text(body, "\"cursor\":");
        code = code == 0 ? rcs_buffer_append(body, cursor.data, cursor.size) : code;
    }
    return code == 0 ? rcs_buffer_append_text(body, "}}") : code;
}

int rcs_mcp_put_call(struct rcs_buffer *body, int64_t id, const struct rcs_mcp_call *call, const struct rcs_mcp_meta *meta)
{
    int code = put_begin(body, id, "tools/call");

    code = code == 0 ? rcs_buffer_append_text(body, "\"name\":") : code;
    code = code == 0 ? rcs_buffer_append_quoted(body, (struct recourse_span){call->name, strlen(call->name)}) : code;
    code = code == 0 ? put_member(body, "arguments", call->arguments) : code;
    code = code == 0 ? put_member(body, "inputResponses", call->responses) : code;
    code = code == 0 ? put_member(body, "requestState", call->state) : code;
    code = code == 0 ? rcs_buffer_append_byte(body, ',') : code;
    code = code == 0 ? put_meta(body, id, meta) : code;
    return code == 0 ? rcs_buffer_append_text(body, "}}") : code;
}

int rcs_mcp_put_cancelled(struct rcs_buffer *body, int64_t id)
{
    return put_format(body,
                             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%" PRId64
                             ",\"reason\":\"nobody waits for the answer any more\"}}",
                             id);
}

int rcs_mcp_put_answer_begin(struct rcs_buffer *body, const struct rcs_mcp_message *request)
{
    int code = request->id.size > ID_MAX ? RECOURSE_E_LIMIT : rcs_buffer_append_text(body, "{\"jsonrpc\":\"2.0\",\"id\":");

    return code == 0 ? rcs_buffer_append(body, request->id.data, request->id.size) : code;
}

int rcs_mcp_put_answer(struct rcs_buffer *body, const struct rcs_mcp_message *request)
{
    int code = rcs_mcp_put_answer_begin(body, request);

    if (code != 0) {
        return code;
    }
    return rcs_buffer_append_text(body, is_string(request->method, "ping")
                                            ? ",\"result\":{}}"
                                            : ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
}

/* ---- results ---- */

enum rcs_mcp_result_type rcs_mcp_result_type(struct recourse_span result)
{
    struct recourse_span type = member(result, "resultType");

    if (type.size == 0 || is_string(type, "complete")) {
        return RCS_MCP_COMPLETE;
    }
    return is_string(type, "input_required") ? RCS_MCP_INPUT_REQUIRED : RCS_MCP_UNKNOWN_TYPE;
}

int rcs_mcp_put_string(struct rcs_buffer *text, struct recourse_span string)
{
    size_t size = rcs_json_unescape(string, NULL, 0);
    int code = rcs_buffer_reserve(text, size);

    if (code == 0) {
        rcs_json_unescape(string, text->data + text->size, size);
        text->size += size;
        text->data[text->size] = '\0';
    }
    return code;
}

/* Bytes behind a base64 string (with its quotes); escapes of `/` are not four characters of it. */
static size_t base64_size(struct recourse_span string)
{
    size_t digits = 0;

    for (size_t i = 1; i + 1 < string.size; i++) {
        char byte = string.data[i];

        digits += byte != '=' && byte != '\\';
    }
    return digits / 4 * 3 + (digits % 4 > 1 ? digits % 4 - 1 : 0);
}

static int put_part(struct rcs_buffer *text, const char *before, struct recourse_span string)
{
    int code = 0;

    if (rcs_json_type_of(string) == RCS_JSON_STRING) {
        code = rcs_buffer_append_text(text, before);
        code = code == 0 ? rcs_mcp_put_string(text, string) : code;
    }
    return code;
}

/* "[image: image/png, 1234 bytes]" */
static int put_bytes(struct rcs_buffer *text, struct recourse_span kind, struct recourse_span block, const char *data)
{
    int code = rcs_buffer_append_byte(text, '[');

    code = code == 0 ? rcs_mcp_put_string(text, kind) : code;
    code = code == 0 ? put_part(text, ": ", member(block, "mimeType")) : code;
    return code == 0 ? put_format(text, ", %zu bytes]", base64_size(member(block, data))) : code;
}

static int put_link(struct rcs_buffer *text, struct recourse_span block)
{
    int code = rcs_buffer_append_text(text, "[link");

    code = code == 0 ? put_part(text, ": ", member(block, "name")) : code;
    code = code == 0 ? put_part(text, " ", member(block, "uri")) : code;
    return code == 0 ? rcs_buffer_append_byte(text, ']') : code;
}

static int put_block(struct rcs_buffer *text, struct recourse_span block)
{
    struct recourse_span kind = member(block, "type");
    struct recourse_span words = member(block, "text");

    if (is_string(kind, "resource")) {
        struct recourse_span resource = member(block, "resource");

        words = member(resource, "text");
        if (rcs_json_type_of(member(resource, "blob")) == RCS_JSON_STRING) {
            return put_bytes(text, kind, resource, "blob");
        }
    }
    if ((is_string(kind, "text") || is_string(kind, "resource")) && rcs_json_type_of(words) == RCS_JSON_STRING) {
        return rcs_mcp_put_string(text, words);
    }
    if (is_string(kind, "image") || is_string(kind, "audio")) {
        return put_bytes(text, kind, block, "data");
    }
    if (is_string(kind, "resource_link")) {
        return put_link(text, block);
    }
    return rcs_buffer_append(text, block.data, block.size); /* unknown: as it is */
}

static int note_end(const struct rcs_buffer *text, struct rcs_buffer *ends, size_t blocks)
{
    uint32_t end = (uint32_t)text->size;

    if (blocks > RCS_MCP_BLOCKS_MAX) { /* one with the last */
        memcpy(ends->data + ends->size - sizeof end, &end, sizeof end);
        return 0;
    }
    return rcs_buffer_append(ends, &end, sizeof end);
}

int rcs_mcp_put_content(struct rcs_buffer *text, struct rcs_buffer *ends, struct recourse_span result)
{
    struct recourse_span content = member(result, "content");
    struct recourse_span structured = member(result, "structuredContent");
    struct recourse_span key;
    struct recourse_span block;
    size_t at = 0;
    size_t blocks = 0;
    int code = 0;

    while (code == 0 && rcs_json_type_of(content) == RCS_JSON_ARRAY && rcs_json_next(content, &at, &key, &block)) {
        code = blocks++ > 0 ? rcs_buffer_append_byte(text, '\n') : 0;
        code = code == 0 ? put_block(text, rcs_json_trim(block)) : code;
        code = code == 0 ? note_end(text, ends, blocks) : code;
    }
    if (code == 0 && blocks == 0 && structured.size > 0) {
        code = rcs_buffer_append(text, structured.data, structured.size);
    }
    return code;
}

bool rcs_mcp_result_is_error(struct recourse_span result)
{
    return rcs_json_type_of(member(result, "isError")) == RCS_JSON_TRUE;
}
