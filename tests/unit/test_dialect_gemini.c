/* Gemini, in and out. */
#include "tests/unit/dialect_kit.h"

#define GEMINI RECOURSE_DIALECT_GEMINI

#define CALL(name, args) "{\"functionCall\":{\"name\":\"" name "\",\"args\":" args "}}"
#define REPLY(parts, finish)                                                                                           \
    "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":" parts "},\"finishReason\":" finish                  \
    ",\"index\":0}],\"usageMetadata\":{\"totalTokenCount\":3},\"modelVersion\":\"m\"}"

static void check(const struct kit_reading *readings, size_t count)
{
    kit_check_readings(GEMINI, readings, count);
}

static void test_shapes(void)
{
    static const struct kit_reading readings[] = {
        {REPLY("[" CALL("f", "{}") "," CALL("g", "{\"k\":1}") "]", "\"STOP\""), "[|f|{}][|g|{\"k\":1}]"},
        {"{\"role\":\"model\",\"parts\":[" CALL("f", "{}") "]}", "[|f|{}]"},
        {"{\"parts\":[" CALL("f", "{}") "]}", "[|f|{}]"},
        {"[" CALL("f", "{}") "]", "[|f|{}]"},
        {"[{\"thoughtSignature\":\"x\",\"functionCall\":{\"id\":\"a\",\"name\":\"f\",\"args\":{}}}]", "[a|f|{}]"},
        {"[{\"text\":\"I'll look\",\"thought\":true}," CALL("f", "{}") ",{\"executableCode\":{\"code\":\"1\"}},{}]",
         "[|f|{}]"},
        /* as the Python library dumps it */
        {"{\"candidates\":[{\"content\":{\"parts\":[{\"function_call\":{\"args\":{\"k\":1},\"name\":\"f\"}}],\"role\":"
         "\"model\"},\"finish_reason\":\"MAX_TOKENS\"}]}",
         "[|f|{\"k\":1}|T]"},
        {"[{\"function_call\":{\"name\":\"f\",\"args\":{}}}]", "[|f|{}]"},
        /* as the libraries list calls */
        {"[{\"name\":\"f\",\"args\":{\"k\":1}},{\"name\":\"g\"}]", "[|f|{\"k\":1}][|g|]"},
        /* only the first candidate counts */
        {"{\"candidates\":[{\"content\":{\"parts\":[" CALL("f", "{}") "]}},{\"content\":{\"parts\":[" CALL(
             "g", "{}") "]}}]}",
         "[|f|{}]"},
        /* nothing to call */
        {REPLY("[{\"text\":\"hi\"}]", "\"STOP\""), ""},
        {"{\"candidates\":[]}", ""},
        {"{\"candidates\":[{\"finishReason\":\"MALFORMED_FUNCTION_CALL\"}]}", ""},
        {"{\"candidates\":[{\"content\":{\"role\":\"model\"},\"finishReason\":\"MAX_TOKENS\"}]}", ""},
        {"{\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usageMetadata\":{}}", ""},
        {"[{\"text\":\"hi\"}]", ""},
        {"[{\"inlineData\":{}},{\"codeExecutionResult\":{}},{\"code_execution_result\":{}}]", ""},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_cut_off(void)
{
    static const struct {
        const char *finish;
        bool cut;
    } cases[] = {
        {"\"MAX_TOKENS\"", true},
        {"\"SAFETY\"", true},
        {"\"RECITATION\"", true},
        {"\"LANGUAGE\"", true},
        {"\"BLOCKLIST\"", true},
        {"\"PROHIBITED_CONTENT\"", true},
        {"\"SPII\"", true},
        {"\"MALFORMED_FUNCTION_CALL\"", true},
        {"\"OTHER\"", true},
        {"\"STOP\"", false},
        {"\"stop\"", false},
        {"\"FINISH_REASON_UNSPECIFIED\"", false},
        {"\"TOO_MANY_TOOL_CALLS\"", false},
        {"2", false},
        {"null", false},
    };
    static const struct kit_reading readings[] = {
        {"[{\"functionCall\":{\"name\":\"f\",\"args\":{},\"willContinue\":true}}]", "[|f|{}|T]"},
        {"[{\"functionCall\":{\"name\":\"f\",\"args\":{},\"willContinue\":false}}]", "[|f|{}]"},
        {"[{\"functionCall\":{\"name\":\"f\",\"args\":{},\"willContinue\":null,\"partialArgs\":null}}]", "[|f|{}]"},
        {"[{\"functionCall\":{\"name\":\"f\",\"partialArgs\":[{\"jsonPath\":\"$.k\"}]}}," CALL("g", "{}") "]",
         "[|f||T][|g|{}]"},
        {"[{\"function_call\":{\"name\":\"f\",\"will_continue\":true}}]", "[|f||T]"},
    };
    char reply[512];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        snprintf(reply, sizeof reply, REPLY("[" CALL("f", "{}") "]", "%s"), cases[i].finish);
        RCS_TEXT_EQUAL(kit_read_calls(reply, strlen(reply), NULL), cases[i].cut ? "[|f|{}|T]" : "[|f|{}]");
    }
    check(readings, RCS_COUNT(readings));
}

static void test_entries(void)
{
    static const struct kit_reading readings[] = {
        {"[" CALL("f", "{\"n\": 9007199254740993 }") "]", "[|f|{\"n\": 9007199254740993 }]"},
        {"[" CALL("f", "null") "]", "[|f|null]"},
        {"[" CALL("f", "\"\"") "]", "[|f|]"},
        {"[{\"functionCall\":{\"name\":\"f\"}}]", "[|f|]"},
        {"[{\"functionCall\":{\"name\":5,\"id\":5}}]", "[5||]"},
        {"[{\"functionCall\":{}}]", "[||]"},
        {"[{\"functionCall\":\"f\"}]", "[||]"},
        {"[" CALL("f", "{}") "," CALL("f", "{}") "]", "[|f|{}][|f|{}]"},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_errors(void)
{
    static const struct kit_reading readings[] = {
        {"{\"candidates\":{}}", "E_SYNTAX: the value of candidates at byte 14 is no array"},
        {"{\"parts\":\"hi\"}", "E_SYNTAX: the value of parts at byte 9 is no array"},
        {"{\"parts\":[null]}", "E_SYNTAX: the call at byte 10 is no object"},
        /* as a stream without SSE comes */
        {"[" REPLY("[]", "null") "]",
         "E_SYNTAX: the entry at byte 1 is no call but a whole reply of Gemini: give one at a time"},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_write(void)
{
    struct recourse_result result = {.tool = kit_span("f\xff\x01"), .success = true, .content = {"a\0\"", 3}};

    RCS_TEXT_EQUAL(kit_write(GEMINI, &result), "{\"functionResponse\":{\"name\":\"f\xef\xbf\xbd\\u0001\",\"response\":"
                                               "{\"result\":\"a\\u0000\\\"\"}}}");
    result.success = false;
    result.call = kit_span("c1");
    RCS_TEXT_EQUAL(kit_write(GEMINI, &result), "{\"functionResponse\":{\"id\":\"c1\",\"name\":\"f\xef\xbf\xbd\\u0001\","
                                               "\"response\":{\"error\":\"a\\u0000\\\"\"}}}");
    RCS_TEXT_EQUAL(kit_write_all(GEMINI, NULL), "{\"role\":\"user\",\"parts\":[]}");
}

/* Calls of one name and without ids are none of each other's: each is run, and answered in its place. */
static void test_there_and_back(void)
{
    static const struct sim_answer answers[] = {{.after_ms = 5, .status = 200, .body = "one"},
                                                {.after_ms = 1, .status = 400, .body = "two"}};
    static struct kit kit;
    struct recourse_calls calls;
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_http(&kit, "f", true);
    sim_route(&kit.sim, "http://f/", answers, 2);
    RCS_EQUAL(recourse_calls_read(kit_span(REPLY("[" CALL("f", "{}") "," CALL("f", "{}") "]", "\"STOP\"")), NULL,
                                  &calls, NULL),
              0);
    turn = kit_start(&kit, calls.requests, calls.count);
    recourse_calls_clear(&calls);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.order[0], 1);
    RCS_TEXT_EQUAL(
        kit_write_all(GEMINI, turn),
        "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"f\",\"response\":{\"result\":\"one\"}}},"
        "{\"functionResponse\":{\"name\":\"f\",\"response\":{\"error\":"
        "\"Tool 'f' execution failed after 1 attempt(s): two.\"}}}]}");
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"shapes", test_shapes}, {"cut off", test_cut_off}, {"entries", test_entries},
        {"errors", test_errors}, {"write", test_write},     {"there and back", test_there_and_back},
    };

    return rcs_unit_main("dialect_gemini", tests, RCS_COUNT(tests));
}
