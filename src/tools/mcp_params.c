/*
 * Parameters that a tool's schema marks with `x-mcp-header` (2026-07-28, "Custom Headers from Tool Parameters"): whether it
 * does so where it may, and the header lines that come of a call's arguments.
 */
#include "src/tools/mcp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/text.h"
#include "src/io/header.h"

#define MARK "x-mcp-header"
#define PREFIX "Mcp-Param-"
#define PARAMS_MAX 64u
#define NAME_MAX_BYTES 128u
#define DEPTH_MAX 32u       /* of schemas; what is below is not looked at */
#define LINE_MAX_BYTES 8000u
#define SAFE_INTEGER 9007199254740991.0

struct param {
    struct recourse_span name;  /* without quotes */
    struct recourse_span value; /* among the arguments; empty: none */
};

struct walk {
    struct param params[PARAMS_MAX];
    size_t count;
    const char *fault;
};

/* Where a schema stands. */
struct place {
    struct recourse_span schema;
    struct recourse_span value; /* of the arguments, where only names of properties lead there */
    bool is_property;           /* and nothing else */
    bool is_root;
    unsigned depth;
};

static bool is(struct recourse_span string, const char *text)
{
    return rcs_json_string_is(string, text, strlen(text));
}

static struct recourse_span member(struct recourse_span object, const char *name)
{
    return rcs_json_trim(rcs_json_member(object, name));
}

/* ---- one mark ---- */

/* `text` stands in quotes, where a token ends. */
static bool is_token(struct recourse_span text)
{
    return text.size > 0 && rcs_header_token_size(text.data) == text.size;
}

static bool is_primitive(struct recourse_span type)
{
    return rcs_json_type_of(type) == RCS_JSON_STRING && (is(type, "string") || is(type, "integer") || is(type, "boolean"));
}

/* One of them, or one of them and null. */
static bool has_primitive_type(struct recourse_span schema)
{
    struct recourse_span type = member(schema, "type");
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;
    size_t primitives = 0;

    if (rcs_json_type_of(type) != RCS_JSON_ARRAY) {
        return is_primitive(type);
    }
    while (rcs_json_next(type, &at, &key, &value)) {
        value = rcs_json_trim(value);
        if (is_primitive(value)) {
            primitives++;
        } else if (rcs_json_type_of(value) != RCS_JSON_STRING || !is(value, "null")) {
            return false;
        }
    }
    return primitives == 1;
}

static bool equal_folded(struct recourse_span one, struct recourse_span other)
{
    char text[NAME_MAX_BYTES + 1];

    memcpy(text, other.data, other.size);
    text[other.size] = '\0';
    return rcs_text_equal_folded(one, text);
}

static const char *take_mark(struct walk *walk, const struct place *place, struct recourse_span mark)
{
    struct recourse_span name = {mark.data + 1, mark.size - 2};

    if (!place->is_property || place->is_root) {
        return "it marks with " MARK " what is no property";
    }
    if (rcs_json_type_of(mark) != RCS_JSON_STRING || !is_token(name) || name.size > NAME_MAX_BYTES) {
        return "an " MARK " of it is no name of a header";
    }
    if (!has_primitive_type(place->schema) || member(place->schema, "$ref").size > 0) {
        return "it marks with " MARK " what is no string, integer or boolean";
    }
    for (size_t i = 0; i < walk->count; i++) {
        if (equal_folded(name, walk->params[i].name)) {
            return "it has an " MARK " twice";
        }
    }
    if (walk->count == PARAMS_MAX) {
        return "it marks more than 64 parameters with " MARK;
    }
    walk->params[walk->count++] = (struct param){name, place->value};
    return NULL;
}

/* ---- the walk ---- */

static struct recourse_span value_of(struct recourse_span object, struct recourse_span name)
{
    struct recourse_span found = {NULL, 0};
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (rcs_json_type_of(object) == RCS_JSON_OBJECT && rcs_json_next(object, &at, &key, &value)) {
        if (rcs_mcp_same_name(key, name)) {
            found = rcs_json_trim(value);
        }
    }
    return found;
}

/* Most schemas, and most of what is in them, have no mark: those are not walked. */
static bool may_have_mark(struct recourse_span schema)
{
    return schema.size > 0 && (memmem(schema.data, schema.size, MARK, strlen(MARK)) != NULL ||
                               memmem(schema.data, schema.size, "\\u", 2) != NULL);
}

static void walk_schema(struct walk *walk, const struct place *place);

/* The schemas in an object of names, or in a list. */
static void walk_each(struct walk *walk, const struct place *parent, struct recourse_span container, bool are_properties)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    while (walk->fault == NULL && rcs_json_next(container, &at, &key, &value)) {
        struct place place = {.schema = rcs_json_trim(value), .depth = parent->depth + 1};

        if (!may_have_mark(place.schema)) {
            continue;
        }
        if (are_properties) {
            place.is_property = parent->is_property;
            place.value = value_of(parent->value, key);
        }
        walk_schema(walk, &place);
    }
}

enum content { SCHEMA, NAMED_SCHEMAS, PROPERTIES, DATA };

static enum content content_of(struct recourse_span keyword)
{
    static const struct {
        const char *keyword;
        enum content content;
    } keywords[] = {
        {"properties", PROPERTIES}, {"patternProperties", NAMED_SCHEMAS}, {"dependentSchemas", NAMED_SCHEMAS},
        {"$defs", NAMED_SCHEMAS},   {"definitions", NAMED_SCHEMAS},       {"default", DATA},
        {"const", DATA},            {"enum", DATA},                       {"examples", DATA},
    };

    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (is(keyword, keywords[i].keyword)) {
            return keywords[i].content;
        }
    }
    return SCHEMA;
}

static void walk_keyword(struct walk *walk, const struct place *place, struct recourse_span key, struct recourse_span value)
{
    struct place below = {.schema = value, .depth = place->depth + 1};
    enum content content = content_of(key);
    enum rcs_json_type type = rcs_json_type_of(value);

    if (is(key, MARK)) {
        walk->fault = take_mark(walk, place, value);
    } else if (content == DATA || (type != RCS_JSON_OBJECT && type != RCS_JSON_ARRAY)) {
        return;
    } else if (type == RCS_JSON_ARRAY || content != SCHEMA) {
        walk_each(walk, place, value, content == PROPERTIES && type == RCS_JSON_OBJECT);
    } else {
        walk_schema(walk, &below);
    }
}

static void walk_schema(struct walk *walk, const struct place *place)
{
    struct recourse_span key;
    struct recourse_span value;
    size_t at = 0;

    if (rcs_json_type_of(place->schema) != RCS_JSON_OBJECT || place->depth > DEPTH_MAX) {
        return;
    }
    while (walk->fault == NULL && rcs_json_next(place->schema, &at, &key, &value)) {
        walk_keyword(walk, place, key, rcs_json_trim(value));
    }
}

static void walk_all(struct walk *walk, struct recourse_span schema, struct recourse_span arguments)
{
    struct place root = {.schema = schema, .value = arguments, .is_property = true, .is_root = true};

    walk->count = 0;
    walk->fault = NULL;
    if (may_have_mark(schema)) {
        walk_schema(walk, &root);
    }
}

const char *rcs_mcp_params_check(struct recourse_span schema)
{
    struct walk walk;

    walk_all(&walk, schema, (struct recourse_span){NULL, 0});
    return walk.fault;
}

/* ---- lines ---- */

/* Visible ASCII and blanks, but not at an end, and not what reads as base64. */
static bool is_plain(struct recourse_span value)
{
    for (size_t i = 0; i < value.size; i++) {
        if ((unsigned char)value.data[i] < 0x20 || (unsigned char)value.data[i] > 0x7e) {
            return false;
        }
    }
    return value.size == 0 || (value.data[0] != ' ' && value.data[value.size - 1] != ' ' &&
                               !(value.size >= 11 && memcmp(value.data, "=?base64?", 9) == 0 &&
                                 memcmp(value.data + value.size - 2, "?=", 2) == 0));
}

static int put_base64(struct rcs_buffer *out, struct recourse_span bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int code = 0;

    for (size_t i = 0; i < bytes.size && code == 0; i += 3) {
        size_t left = bytes.size - i;
        uint32_t word = (uint32_t)(unsigned char)bytes.data[i] << 16;
        char text[4];

        word |= left > 1 ? (uint32_t)(unsigned char)bytes.data[i + 1] << 8 : 0;
        word |= left > 2 ? (uint32_t)(unsigned char)bytes.data[i + 2] : 0;
        for (size_t n = 0; n < 4; n++) {
            text[n] = n > left ? '=' : digits[word >> (18 - 6 * n) & 63];
        }
        code = rcs_buffer_append(out, text, sizeof text);
    }
    return code;
}

int rcs_mcp_params_put_line(struct rcs_buffer *lines, const char *name, struct recourse_span value)
{
    bool plain = is_plain(value);
    int code;

    if (value.size > (plain ? LINE_MAX_BYTES : LINE_MAX_BYTES / 4 * 3)) {
        return RECOURSE_E_LIMIT;
    }
    code = rcs_buffer_append_text(lines, name);
    code = code == 0 ? rcs_buffer_append_text(lines, plain ? ": " : ": =?base64?") : code;
    if (code == 0) {
        code = plain ? rcs_buffer_append(lines, value.data, value.size) : put_base64(lines, value);
    }
    code = code == 0 && !plain ? rcs_buffer_append_text(lines, "?=") : code;
    return code == 0 ? rcs_buffer_append_byte(lines, '\0') : code;
}

/* Whole numbers in decimal; anything else as it was written. */
static struct recourse_span number_text(struct recourse_span number, char text[32])
{
    char *end = NULL;
    int64_t whole;
    double value;

    if (rcs_json_integer(number, &whole)) {
        return (struct recourse_span){text, (size_t)snprintf(text, 32, "%" PRId64, whole)};
    }
    if (number.size >= 32) {
        return number;
    }
    memcpy(text, number.data, number.size);
    text[number.size] = '\0';
    value = strtod(text, &end);
    if (*end != '\0' || !(value >= -SAFE_INTEGER && value <= SAFE_INTEGER) || value != (double)(int64_t)value) {
        return number;
    }
    return (struct recourse_span){text, (size_t)snprintf(text, 32, "%" PRId64, (int64_t)value)};
}

static int put_param(struct rcs_buffer *lines, const struct param *param, struct rcs_buffer *text)
{
    char name[sizeof PREFIX + NAME_MAX_BYTES];
    char number[32];
    struct recourse_span value = param->value;

    snprintf(name, sizeof name, PREFIX "%.*s", (int)param->name.size, param->name.data);
    switch (rcs_json_type_of(value)) {
    case RCS_JSON_STRING:
        rcs_buffer_reset(text);
        if (rcs_mcp_put_string(text, value) != 0) {
            return RECOURSE_E_MEMORY;
        }
        value = rcs_buffer_span(text);
        break;
    case RCS_JSON_NUMBER:
        value = number_text(value, number);
        break;
    case RCS_JSON_TRUE:
    case RCS_JSON_FALSE:
        break;
    default:
        return 0; /* null and none: no header. Else the arguments don't fit the schema, which the server will say */
    }
    return rcs_mcp_params_put_line(lines, name, value);
}

int rcs_mcp_params_put(struct rcs_buffer *lines, struct recourse_span schema, struct recourse_span arguments)
{
    struct rcs_buffer text;
    struct walk walk;
    int code = 0;

    walk_all(&walk, schema, rcs_json_trim(arguments));
    if (walk.fault != NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    rcs_buffer_init(&text, lines->allocator, SIZE_MAX / 2);
    for (size_t i = 0; i < walk.count && code == 0; i++) {
        code = put_param(lines, &walk.params[i], &text);
    }
    rcs_buffer_clear(&text);
    return code;
}
