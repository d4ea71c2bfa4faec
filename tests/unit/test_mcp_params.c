/* Parameters of tools that travel as headers: which marks are good, and what lines come of arguments. */
#include <string.h>

#include "src/tools/mcp.h"
#include "tests/unit/purse.h"
#include "tests/unit/unit.h"

static struct recourse_span span(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* ---- marks ---- */

#define SCHEMA(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"
#define STRING(mark) "{\"type\":\"string\",\"x-mcp-header\":\"" mark "\"}"
#define NO_PROPERTY "it marks with x-mcp-header what is no property"
#define NO_NAME "an x-mcp-header of it is no name of a header"
#define NO_PRIMITIVE "it marks with x-mcp-header what is no string, integer or boolean"
#define TWICE "it has an x-mcp-header twice"
#define LETTERS_32 "abcdefghijklmnopqrstuvwxyzabcdef"

static const struct {
    const char *schema;
    const char *fault; /* NULL: none */
} marks[] = {
    {"", NULL},
    {"{}", NULL},
    {"true", NULL},
    {SCHEMA("\"a\":{\"type\":\"string\"}"), NULL},
    {SCHEMA("\"a\":" STRING("A")), NULL},
    {SCHEMA("\"a\":" STRING("A") ",\"b\":{\"type\":\"integer\",\"x-mcp-header\":\"B\"},\"c\":{\"type\":\"boolean\",\"x-mcp-header\":\"C\"}"), NULL},
    {SCHEMA("\"a\":{\"type\":\"object\",\"properties\":{\"b\":" STRING("B") "}}"), NULL},
    {SCHEMA("\"a\":{\"type\":[\"string\",\"null\"],\"x-mcp-header\":\"A\"}"), NULL},
    {SCHEMA("\"a\":" STRING("!#$%&'*+-.^_`|~09azAZ")), NULL},
    {SCHEMA("\"a\":" STRING(LETTERS_32 LETTERS_32 LETTERS_32 LETTERS_32)), NULL},
    /* what only looks like one */
    {SCHEMA("\"x-mcp-header\":{\"type\":\"number\"}"), NULL},
    {SCHEMA("\"a\":{\"type\":\"object\",\"default\":{\"x-mcp-header\":\"\"},\"const\":{\"x-mcp-header\":7}}"), NULL},
    {SCHEMA("\"a\":{\"enum\":[{\"x-mcp-header\":\"\"}],\"examples\":[{\"x-mcp-header\":\"\"}],\"title\":\"x-mcp-header\"}"), NULL},
    /* names */
    {SCHEMA("\"a\":" STRING("")), NO_NAME},
    {SCHEMA("\"a\":" STRING("a b")), NO_NAME},
    {SCHEMA("\"a\":" STRING("a:b")), NO_NAME},
    {SCHEMA("\"a\":" STRING("\\u0041")), NO_NAME},
    {SCHEMA("\"a\":" STRING("a\\r\\nb")), NO_NAME},
    {SCHEMA("\"a\":" STRING("\xc3\xa4")), NO_NAME},
    {SCHEMA("\"a\":" STRING(LETTERS_32 LETTERS_32 LETTERS_32 LETTERS_32 "a")), NO_NAME},
    {SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":7}"), NO_NAME},
    {SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":null}"), NO_NAME},
    {SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-\\u0068eader\":\"\"}"), NO_NAME},
    /* twice */
    {SCHEMA("\"a\":" STRING("A") ",\"b\":" STRING("A")), TWICE},
    {SCHEMA("\"a\":" STRING("Region") ",\"b\":{\"properties\":{\"c\":" STRING("rEGION") "}}"), TWICE},
    /* types */
    {SCHEMA("\"a\":{\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"type\":\"object\",\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"type\":\"array\",\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"type\":\"null\",\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"type\":[\"string\",\"integer\"],\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"type\":[\"string\",\"number\"],\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"type\":[],\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    {SCHEMA("\"a\":{\"$ref\":\"#/x\",\"type\":\"string\",\"x-mcp-header\":\"A\"}"), NO_PRIMITIVE},
    /* places */
    {"{\"type\":\"string\",\"x-mcp-header\":\"A\"}", NO_PROPERTY},
    {SCHEMA("\"a\":{\"type\":\"array\",\"items\":" STRING("A") "}"), NO_PROPERTY},
    {SCHEMA("\"a\":{\"prefixItems\":[" STRING("A") "]}"), NO_PROPERTY},
    {SCHEMA("\"a\":{\"items\":{\"properties\":{\"b\":" STRING("B") "}}}"), NO_PROPERTY},
    {SCHEMA("\"a\":{\"anyOf\":[" STRING("A") "]}"), NO_PROPERTY},
    {"{\"oneOf\":[" SCHEMA("\"a\":" STRING("A")) "]}", NO_PROPERTY},
    {"{\"allOf\":[" SCHEMA("\"a\":" STRING("A")) "]}", NO_PROPERTY},
    {"{\"not\":" SCHEMA("\"a\":" STRING("A")) "}", NO_PROPERTY},
    {"{\"if\":{},\"then\":" SCHEMA("\"a\":" STRING("A")) "}", NO_PROPERTY},
    {"{\"else\":" SCHEMA("\"a\":" STRING("A")) "}", NO_PROPERTY},
    {"{\"$defs\":{\"d\":" STRING("A") "}}", NO_PROPERTY},
    {"{\"definitions\":{\"d\":" SCHEMA("\"a\":" STRING("A")) "}}", NO_PROPERTY},
    {"{\"patternProperties\":{\"^a\":" STRING("A") "}}", NO_PROPERTY},
    {"{\"additionalProperties\":" STRING("A") "}", NO_PROPERTY},
    {"{\"dependentSchemas\":{\"properties\":" SCHEMA("\"a\":" STRING("A")) "}}", NO_PROPERTY},
};

static void test_marks(void)
{
    for (size_t i = 0; i < RCS_COUNT(marks); i++) {
        const char *fault = rcs_mcp_params_check(span(marks[i].schema));

        RCS_TEXT_EQUAL(fault != NULL ? fault : "", marks[i].fault != NULL ? marks[i].fault : "");
        if ((fault == NULL) != (marks[i].fault == NULL)) {
            fprintf(stderr, "in the schema: %s\n", marks[i].schema);
        }
    }
}

/* As many as there may be, and one more. */
static void test_many(void)
{
    static char schema[8192];
    size_t used;

    for (int count = 64; count <= 65; count++) {
        used = (size_t)snprintf(schema, sizeof schema, "{\"properties\":{");
        for (int i = 0; i < count; i++) {
            used += (size_t)snprintf(schema + used, sizeof schema - used, "%s\"p%d\":{\"type\":\"string\",\"x-mcp-header\":\"H%d\"}",
                                     i > 0 ? "," : "", i, i);
        }
        snprintf(schema + used, sizeof schema - used, "}}");
        CU_ASSERT_EQUAL(rcs_mcp_params_check(span(schema)) == NULL, count == 64);
    }
}

/* Schemas may be as deep as JSON may. */
static void test_deep(void)
{
    static char schema[32768];
    size_t used = 0;

    for (int i = 0; i < 250; i++) {
        used += (size_t)snprintf(schema + used, sizeof schema - used, "{\"properties\":{\"a\":");
    }
    used += (size_t)snprintf(schema + used, sizeof schema - used, "{\"x-mcp-header\":7}");
    for (int i = 0; i < 250; i++) {
        used += (size_t)snprintf(schema + used, sizeof schema - used, "}}");
    }
    CU_ASSERT_PTR_NULL(rcs_mcp_params_check(span(schema)));
}

/* ---- lines ---- */

#define TYPED(name, type) "\"" name "\":{\"type\":\"" type "\",\"x-mcp-header\":\"H-" name "\"}"
static const struct {
    const char *arguments;
    const char *lines; /* joined by "|" */
} values[] = {
    {"{}", ""},
    {"{\"u\":\"x\"}", ""},
    {"{\"s\":null,\"i\":null,\"b\":null}", ""},
    {"{\"s\":\"us-west1\"}", "Mcp-Param-H-s: us-west1"},
    {" {\"b\" : true , \"i\" : 42 , \"s\" : \"x\" } ", "Mcp-Param-H-s: x|Mcp-Param-H-i: 42|Mcp-Param-H-b: true"},
    {"{\"s\":\"\"}", "Mcp-Param-H-s: "},
    {"{\"s\":\"a b~!\"}", "Mcp-Param-H-s: a b~!"},
    {"{\"s\":\"Hello, \\u4e16\\u754c\"}", "Mcp-Param-H-s: =?base64?SGVsbG8sIOS4lueVjA==?="},
    {"{\"s\":\"Hello, \xe4\xb8\x96\xe7\x95\x8c\"}", "Mcp-Param-H-s: =?base64?SGVsbG8sIOS4lueVjA==?="},
    {"{\"s\":\" padded \"}", "Mcp-Param-H-s: =?base64?IHBhZGRlZCA=?="},
    {"{\"s\":\"a \"}", "Mcp-Param-H-s: =?base64?YSA=?="},
    {"{\"s\":\"line1\\nline2\"}", "Mcp-Param-H-s: =?base64?bGluZTEKbGluZTI=?="},
    {"{\"s\":\"a\\r\\nX: y\"}", "Mcp-Param-H-s: =?base64?YQ0KWDogeQ==?="},
    {"{\"s\":\"\\u0000\"}", "Mcp-Param-H-s: =?base64?AA==?="},
    {"{\"s\":\"\\t\"}", "Mcp-Param-H-s: =?base64?CQ==?="},
    {"{\"s\":\"\\u007f\"}", "Mcp-Param-H-s: =?base64?fw==?="},
    {"{\"s\":\"=?base64?literal?=\"}", "Mcp-Param-H-s: =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
    {"{\"s\":\"=?base64?\?=\"}", "Mcp-Param-H-s: =?base64?PT9iYXNlNjQ/Pz0=?="},
    {"{\"s\":\"=?base64?=\"}", "Mcp-Param-H-s: =?base64?="},
    {"{\"i\":-7}", "Mcp-Param-H-i: -7"},
    {"{\"i\":-0}", "Mcp-Param-H-i: 0"},
    {"{\"i\":1.0}", "Mcp-Param-H-i: 1"},
    {"{\"i\":1e3}", "Mcp-Param-H-i: 1000"},
    {"{\"i\":9007199254740993}", "Mcp-Param-H-i: 9007199254740993"},
    {"{\"i\":123456789012345678901234567890}", "Mcp-Param-H-i: 123456789012345678901234567890"},
    {"{\"i\":1.5}", "Mcp-Param-H-i: 1.5"},
    {"{\"i\":1e400}", "Mcp-Param-H-i: 1e400"},
    {"{\"b\":false}", "Mcp-Param-H-b: false"},
    {"{\"s\":{\"a\":1}}", ""},
    {"{\"s\":[\"x\"]}", ""},
    {"{\"s\":7}", "Mcp-Param-H-s: 7"},
    {"{\"o\":{\"n\":\"deep\"}}", "Mcp-Param-H-n: deep"},
    {"{\"n\":\"not there\"}", ""},
    {"{\"o\":7}", ""},
    {"{\"\\u0073\":\"escaped\"}", "Mcp-Param-H-s: escaped"},
    {"{\"s\":\"first\",\"s\":\"last\"}", "Mcp-Param-H-s: last"},
};

static void test_lines(void)
{
    static const char schema[] = SCHEMA(TYPED("s", "string") "," TYPED("i", "integer") "," TYPED("b", "boolean") ","
                                        "\"u\":{\"type\":\"string\"},\"o\":{\"type\":\"object\",\"properties\":{" TYPED("n", "string") "}}");

    for (size_t i = 0; i < RCS_COUNT(values); i++) {
        struct rcs_buffer lines;

        rcs_buffer_init(&lines, NULL, SIZE_MAX / 2);
        RCS_EQUAL(rcs_mcp_params_put(&lines, span(schema), span(values[i].arguments)), 0);
        for (size_t at = 0; at + 1 < lines.size; at++) {
            lines.data[at] = lines.data[at] == '\0' ? '|' : lines.data[at];
        }
        RCS_TEXT_EQUAL(lines.size > 0 ? lines.data : "", values[i].lines);
        rcs_buffer_clear(&lines);
    }
}

/* Names of properties are compared as they read. */
static void test_names(void)
{
    static const char schema[] = SCHEMA("\"k\\u00e4\":" STRING("K"));
    struct rcs_buffer lines;

    rcs_buffer_init(&lines, NULL, SIZE_MAX / 2);
    RCS_EQUAL(rcs_mcp_params_put(&lines, span(schema), span("{\"k\xc3\xa4\":\"v\"}")), 0);
    RCS_TEXT_EQUAL(lines.data, "Mcp-Param-K: v");
    rcs_buffer_clear(&lines);
}

static void test_bad(void)
{
    static char arguments[16384] = "{\"a\":\"";
    struct purse purse = {0, 0};
    struct recourse_allocator allocator = purse_allocator(&purse);
    struct rcs_buffer lines;

    rcs_buffer_init(&lines, &allocator, SIZE_MAX / 2);
    RCS_EQUAL(rcs_mcp_params_put(&lines, span(SCHEMA("\"a\":" STRING(""))), span("{}")), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(rcs_mcp_params_put(&lines, span(SCHEMA("\"a\":" STRING("A"))), span("{\"a\":\"x\"}")), RECOURSE_E_MEMORY);
    RCS_EQUAL(rcs_mcp_params_put(&lines, span(SCHEMA("\"a\":" STRING("A"))), span("{\"a\":1}")), RECOURSE_E_MEMORY);
    purse.left = 100;
    memset(arguments + 6, 'x', 8001);
    memcpy(arguments + 6 + 8001, "\"}", 3);
    RCS_EQUAL(rcs_mcp_params_put(&lines, span(SCHEMA("\"a\":" STRING("A"))), span(arguments)), RECOURSE_E_LIMIT);
    memcpy(arguments + 6 + 8000, "\"}", 3);
    RCS_EQUAL(rcs_mcp_params_put(&lines, span(SCHEMA("\"a\":" STRING("A"))), span(arguments)), 0);
    RCS_EQUAL(lines.size, strlen("Mcp-Param-A: ") + 8000 + 1);
    rcs_buffer_clear(&lines);
    RCS_EQUAL(purse.out, 0);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"marks", test_marks}, {"many", test_many},   {"deep", test_deep},
        {"lines", test_lines}, {"names", test_names}, {"bad", test_bad},
    };

    return rcs_unit_main("mcp_params", tests, RCS_COUNT(tests));
}
