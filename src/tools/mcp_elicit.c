/* What the server asks of this client, and the answers: elicitations by the defaults of their schema, if it is configured so. */
#include "src/tools/mcp.h"

#include <string.h>

static struct recourse_span member(struct recourse_span object, const char *name)
{
    return rcs_json_trim(rcs_json_member(object, name));
}

static bool is_string(struct recourse_span value, const char *text)
{
    return rcs_json_type_of(value) == RCS_JSON_STRING && rcs_json_string_is(value, text, strlen(text));
}

bool rcs_mcp_same_name(struct recourse_span one, struct recourse_span two)
{
    char text[256];
    size_t size = rcs_json_unescape(one, NULL, 0);

    if (size > sizeof text) {
        return one.size == two.size && memcmp(one.data, two.data, one.size) == 0;
    }
    rcs_json_unescape(one, text, sizeof text);
    return rcs_json_string_is(two, text, size);
}

/* The default of a property; empty: it has none. */
static struct recourse_span default_of(struct recourse_span properties, struct recourse_span name)
{
    struct recourse_span found = {NULL, 0};
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (rcs_json_next(properties, &at, &key, &value)) {
        if (rcs_mcp_same_name(name, key)) {
            found = member(rcs_json_trim(value), "default");
        }
    }
    return found;
}

/* Whether the form can be filled in with its defaults. */
static bool has_defaults(struct recourse_span schema)
{
    struct recourse_span properties = member(schema, "properties");
    struct recourse_span required = member(schema, "required");
    struct recourse_span key;
    struct recourse_span name;
    size_t at = 0;

    if (rcs_json_type_of(properties) != RCS_JSON_OBJECT ||
        (required.size > 0 && rcs_json_type_of(required) != RCS_JSON_ARRAY)) {
        return false;
    }
    while (required.size > 0 && rcs_json_next(required, &at, &key, &name)) {
        name = rcs_json_trim(name);
        if (rcs_json_type_of(name) != RCS_JSON_STRING || default_of(properties, name).size == 0) {
            return false;
        }
    }
    return true;
}

static int put_defaults(struct rcs_buffer *out, struct recourse_span properties)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;
    size_t count = 0;
    int code = rcs_buffer_append_text(out, "{\"action\":\"accept\",\"content\":{");

    while (code == 0 && rcs_json_next(properties, &at, &key, &value)) {
        struct recourse_span text = member(rcs_json_trim(value), "default");

        if (text.size == 0) {
            continue;
        }
        code = count++ > 0 ? rcs_buffer_append_byte(out, ',') : 0;
        code = code == 0 ? rcs_buffer_append(out, key.data, key.size) : code;
        code = code == 0 ? rcs_buffer_append_byte(out, ':') : code;
        code = code == 0 ? rcs_buffer_append(out, text.data, text.size) : code;
    }
    return code == 0 ? rcs_buffer_append_text(out, "}}") : code;
}

int rcs_mcp_put_elicited(struct rcs_buffer *out, struct recourse_span params)
{
    struct recourse_span mode = member(params, "mode");
    struct recourse_span schema = member(params, "requestedSchema");

    if ((mode.size == 0 || is_string(mode, "form")) && has_defaults(schema)) {
        return put_defaults(out, member(schema, "properties"));
    }
    return rcs_buffer_append_text(out, "{\"action\":\"decline\"}");
}

int rcs_mcp_put_reply(const struct rcs_mcp_server *server, struct rcs_buffer *body,
                      const struct rcs_mcp_message *request)
{
    int code;

    if (!server->config.elicit_defaults || !is_string(request->method, "elicitation/create")) {
        return rcs_mcp_put_answer(body, request);
    }
    code = rcs_mcp_put_answer_begin(body, request);
    code = code == 0 ? rcs_buffer_append_text(body, ",\"result\":") : code;
    code = code == 0 ? rcs_mcp_put_elicited(body, request->params) : code;
    return code == 0 ? rcs_buffer_append_byte(body, '}') : code;
}
