/* OpenAI responses, in and out. */
#include "tests/unit/dialect_kit.h"

#define RESPONSES RECOURSE_DIALECT_OPENAI_RESPONSES

#define CALL(id, name, arguments)                                                                                      \
    "{\"type\":\"function_call\",\"id\":\"fc_" id "\",\"call_id\":\"" id "\",\"name\":\"" name                         \
    "\",\"arguments\":" arguments ",\"status\":\"completed\"}"
#define RESPONSE(status, output)                                                                                       \
    "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":" status ",\"error\":null,\"output\":" output               \
    ",\"tools\":["                                                                                                     \
    "{\"type\":\"function\",\"name\":\"f\",\"parameters\":{}}],\"text\":{\"format\":{\"type\":\"text\"}}}"

static void check(const struct kit_reading *readings, size_t count)
{
    kit_check_readings(RESPONSES, readings, count);
}

static void test_shapes(void)
{
    static const struct kit_reading readings[] = {
        {RESPONSE("\"completed\"", "[" CALL("a", "f", "\"{}\"") "," CALL("b", "g", "\"{\\\"k\\\":1}\"") "]"),
         "[a|f|{}][b|g|{\"k\":1}]"},
        {"{\"output\":[" CALL("a", "f", "\"{}\"") "]}", "[a|f|{}]"},
        {"[" CALL("a", "f", "\"{}\"") "]", "[a|f|{}]"},
        /* other items are passed over, known or not; also those that are the host's to answer */
        {"[{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[]}," CALL(
             "a", "f", "\"{}\"") ",{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
                                 "\"text\":\"hi\"}]},{\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"g\","
                                 "\"input\":\"x\"},{\"type\":\"next_years_call\",\"call_id\":\"d\"}]",
         "[a|f|{}]"},
        /* nothing to call */
        {RESPONSE("\"completed\"", "[]"), ""},
        {RESPONSE("\"completed\"", "null"), ""},
        {RESPONSE("\"failed\"", "[]"), ""},
        {"[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}]",
         ""},
        {"[{\"type\":\"computer_call\",\"call_id\":\"c\"}]", ""},
        {"[{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":[{\"type\":\"input_text\"}]}]", ""},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_cut_off(void)
{
    static const struct {
        const char *status;
        bool cut;
    } cases[] = {
        {"incomplete", true}, {"in_progress", true}, {"queued", true}, {"cancelled", true},
        {"failed", true},     {"completed", false},  {"", false},
    };
    char reply[1024];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        snprintf(reply, sizeof reply, RESPONSE("\"%s\"", "[" CALL("a", "f", "\"{}\"") "]"), cases[i].status);
        RCS_TEXT_EQUAL(kit_read_calls(reply, strlen(reply), NULL), cases[i].cut ? "[a|f|{}|T]" : "[a|f|{}]");
        snprintf(reply, sizeof reply,
                 "[{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\",\"status\":\"%s\"}"
                 "," CALL("b", "g", "\"{}\"") "]",
                 cases[i].status);
        RCS_TEXT_EQUAL(kit_read_calls(reply, strlen(reply), NULL),
                       cases[i].cut ? "[a|f|{}|T][b|g|{}]" : "[a|f|{}][b|g|{}]");
    }
}

static void test_entries(void)
{
    static const struct kit_reading readings[] = {
        {"[" CALL("a", "f", "\"{\\\"n\\\": 9007199254740993}\"") "]", "[a|f|{\"n\": 9007199254740993}]"},
        {"[" CALL("a", "f", "\"\"") "]", "[a|f|]"},
        {"[" CALL("a", "f", "null") "]", "[a|f|null]"},
        {"[" CALL("a", "f", "\"{\\\"k\"") "]", "[a|f|{\"k]"},
        {"[" CALL("a", "f", "{\"k\" :1}") "]", "[a|f|{\"k\" :1}]"},
        {"[{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\"}]", "[a|f|]"},
        {"[{\"type\":\"function_call\",\"id\":\"fc\",\"name\":\"f\",\"arguments\":\"\"}]", "[fc|f|]"},
        {"[{\"type\":\"function_call\",\"call_id\":7,\"name\":7,\"arguments\":\"\"}]", "[7||]"},
        {"[{\"type\":\"function_call\"}]", "[||]"},
        {"[{\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\"}]", "[a|f|{}]"},
        {"[" CALL("a", "f", "\"{}\"") "," CALL("a", "g", "\"{}\"") "]", "[a|f|{}][a|g|{}]"},
    };

    check(readings, RCS_COUNT(readings));
}

/* A response has many members; those behind the room for them are found all the same, and the last one counts. */
static void test_many_members(void)
{
    char reply[2048] = "{\"object\":\"response\",\"output\":5";
    size_t used = strlen(reply);

    for (unsigned i = 0; i < 60; i++) {
        used += (size_t)snprintf(reply + used, sizeof reply - used, ",\"k%u\":%u", i, i);
    }
    snprintf(reply + used, sizeof reply - used,
             ",\"output\":[" CALL("a", "f", "\"{}\"") "],\"status\":\"incomplete\"}");
    RCS_TEXT_EQUAL(kit_read_calls(reply, strlen(reply), NULL), "[a|f|{}|T]");
}

static void test_errors(void)
{
    static const struct kit_reading readings[] = {
        {"{\"object\":\"response\",\"output\":5}", "E_SYNTAX: the value of output at byte 30 is no array"},
        {"{\"object\":\"response\",\"output\":[5]}", "E_SYNTAX: the call at byte 31 is no object"},
        {"{\"object\":\"list\",\"data\":[]}",
         "E_SYNTAX: the reply at byte 0 is no response, message or list of calls in a dialect that is known"},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_write(void)
{
    struct recourse_result result = {.call = kit_span("call_\x1b"), .success = false, .content = {"a\0\xff", 3}};

    RCS_TEXT_EQUAL(kit_write(RESPONSES, &result), "{\"type\":\"function_call_output\",\"call_id\":\"call_\\u001b\","
                                                  "\"output\":\"a\\u0000\xef\xbf\xbd\"}");
    RCS_TEXT_EQUAL(kit_write_all(RESPONSES, NULL), "[]");
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"shapes", test_shapes},   {"cut off", test_cut_off},
        {"entries", test_entries}, {"many members", test_many_members},
        {"errors", test_errors},   {"write", test_write},
    };

    return rcs_unit_main("dialect_responses", tests, RCS_COUNT(tests));
}
