/* MCP: requests for tools/call, and the responses to them. */
#include "tests/unit/dialect_kit.h"

#define MCP RECOURSE_DIALECT_MCP
#define CALL(id, params) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":" params "}"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

static void test_readings(void)
{
    static const struct kit_reading readings[] = {
        {CALL("\"a\"", "{\"name\":\"f\",\"arguments\":{\"n\": 9007199254740993}}"), "[a|f|{\"n\": 9007199254740993}]"},
        {"[" CALL("1", "{\"name\":\"f\"}") "," NOTE "," CALL("\"b\"", "{\"name\":\"g\",\"arguments\":null}") "]", "[1|f|][b|g|]"},
        /* 7 and "7" are two ids */
        {"[" CALL("7", "{\"name\":\"f\"}") "," CALL("\"7\"", "{\"name\":\"f\"}") "]", "[7|f|][\"7\"|f|]"},
        {CALL("\"\\\"a\\\"\"", "{\"name\":\"f\"}"), "[\"\\\"a\\\"\"|f|]"},
        {CALL("\"7a\"", "{\"name\":\"f\"}"), "[7a|f|]"},
        {CALL("\"\\ud800\"", "{\"name\":\"f\"}"), "E_SYNTAX: the id of call 1 is no Unicode text, so no result could bear it"},
        /* what no server would take is a call all the same, and no object to be run with */
        {CALL("1", "{\"name\":\"f\",\"arguments\":\"{}\"}"), "[1|f|\"{}\"]"},
        {CALL("1", "{\"name\":7}"), "[1||]"},
        {CALL("1", "[]"), "[1||]"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", "[1||]"},
        /* no calls */
        {"{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"f\"}}", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/call\",\"params\":{\"name\":\"f\"}}", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", ""},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}", ""},
        {"[" NOTE "]", ""},
        {"{\"jsonrpc\":\"2.0\",\"choices\":[]}", ""},
    };

    kit_check_readings(MCP, readings, RCS_COUNT(readings) - 1);
    kit_check_readings(RECOURSE_DIALECT_OPENAI_CHAT, readings + RCS_COUNT(readings) - 1, 1);
}

static void test_results(void)
{
    static const struct {
        const char *call, *content, *structured;
        bool success;
        const char *written;
    } cases[] = {
        {"a", "three\n", "", true, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"three\\n\"}]}}"},
        {"7", "x", "{\"n\":9007199254740993}", true,
         "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"structuredContent\":{\"n\":"
         "9007199254740993}}}"},
        {"\"7\"", "no", "{}", false,
         "{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}}"},
        {"-0.5e3", "", "", true, "{\"jsonrpc\":\"2.0\",\"id\":-0.5e3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}}"},
        {"7 ", "", "", true, "{\"jsonrpc\":\"2.0\",\"id\":\"7 \",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}}"},
        {"\"7", "", "", true, "{\"jsonrpc\":\"2.0\",\"id\":\"\\\"7\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}}"},
        {"", "", "", true, "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}}"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        const struct recourse_result result = {.call = kit_span(cases[i].call),
                                               .content = kit_span(cases[i].content),
                                               .structured = kit_span(cases[i].structured),
                                               .success = cases[i].success};

        RCS_TEXT_EQUAL(kit_write(MCP, &result), cases[i].written);
    }
    RCS_TEXT_EQUAL(kit_write_all(MCP, NULL), "[]");
    RCS_TEXT_EQUAL(recourse_dialect_name(MCP), "MCP");
}

int main(void)
{
    static const struct rcs_test tests[] = {{"readings", test_readings}, {"results", test_results}};

    return rcs_unit_main("dialect_mcp", tests, RCS_COUNT(tests));
}
