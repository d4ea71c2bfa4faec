/* Anthropic messages, in and out. */
#include "tests/unit/dialect_kit.h"

#define ANTHROPIC RECOURSE_DIALECT_ANTHROPIC

#define USE(id, name, input) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":" input "}"
#define MESSAGE(content, stop)                                                                                         \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":" content               \
    ",\"stop_reason\":" stop ",\"stop_sequence\":null,\"usage\":{\"input_tokens\":5,\"output_tokens\":7}}"

static void check(const struct kit_reading *readings, size_t count)
{
    kit_check_readings(ANTHROPIC, readings, count);
}

static void test_shapes(void)
{
    static const struct kit_reading readings[] = {
        {MESSAGE("[" USE("a", "f", "{}") "," USE("b", "g", "{\"k\":1}") "]", "\"tool_use\""),
         "[a|f|{}][b|g|{\"k\":1}]"},
        {" {\"role\":\"assistant\",\"content\":[" USE("a", "f", "{}") "]}\n", "[a|f|{}]"},
        {"{\"content\":[" USE("a", "f", "{}") "]}", "[a|f|{}]"},
        {"[" USE("a", "f", "{}") "]", "[a|f|{}]"},
        {"{\"content\":[" USE("a", "f", "{}") "],\"tool_calls\":null}", "[a|f|{}]"},
        /* what is beside calls is passed over, known or not */
        {"[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"x\"},{\"type\":\"text\",\"text\":\"I'll "
         "look\"}," USE("a", "f", "{}") ",{\"type\":\"a_type_of_next_year\",\"id\":\"z\",\"name\":\"g\"}]",
         "[a|f|{}]"},
        {MESSAGE("[{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{}},"
                 "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s\",\"content\":[]}," USE("a", "f", "{}") "]",
                 "\"tool_use\""),
         "[a|f|{}]"},
        /* nothing to call */
        {MESSAGE("[]", "\"end_turn\""), ""},
        {MESSAGE("[{\"type\":\"text\",\"text\":\"hi\"}]", "\"end_turn\""), ""},
        {MESSAGE("\"hi\"", "\"end_turn\""), ""},
        {MESSAGE("null", "\"refusal\""), ""},
        {"{\"role\":\"assistant\",\"content\":\"hi\",\"stop_reason\":\"end_turn\"}", ""},
        {"[{\"type\":\"text\",\"text\":\"hi\"}]", ""},
        {"[{\"type\":\"redacted_thinking\",\"data\":\"x\"},{\"type\":\"new\"}]", ""},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_cut_off(void)
{
    static const struct {
        const char *stop;
        bool cut;
    } cases[] = {
        {"\"max_tokens\"", true},
        {"\"model_context_window_exceeded\"", true},
        {"\"refusal\"", true},
        {"\"max\\u005ftokens\"", true},
        {"\"tool_use\"", false},
        {"\"end_turn\"", false},
        {"\"stop_sequence\"", false},
        {"\"pause_turn\"", false},
        {"\"max_tokens_\"", false},
        {"\"a reason that is longer than any word that we would ever look for in such a place\"", false},
        {"null", false},
        {"5", false},
    };
    char reply[512];

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        snprintf(reply, sizeof reply, MESSAGE("[" USE("a", "f", "{}") "," USE("b", "g", "{}") "]", "%s"),
                 cases[i].stop);
        RCS_TEXT_EQUAL(kit_read_calls(reply, strlen(reply), NULL),
                       cases[i].cut ? "[a|f|{}|T][b|g|{}|T]" : "[a|f|{}][b|g|{}]");
    }
}

static void test_arguments(void)
{
    static const struct kit_reading readings[] = {
        {"[" USE("a", "f", "{\"n\" : 9007199254740993, \"x\":1.10,\n\t\"s\":\"\\u0041\\n\"}") "]",
         "[a|f|{\"n\" : 9007199254740993, \"x\":1.10,\n\t\"s\":\"\\u0041\\n\"}]"},
        {"[" USE("a", "f", "{\"k\":1,\"k\":2}") "]", "[a|f|{\"k\":1,\"k\":2}]"},
        {"[" USE("a", "f", "{\"s\":\"\\ud800\"}") "]", "[a|f|{\"s\":\"\\ud800\"}]"},
        {"[" USE("a", "f", "\"\"") "]", "[a|f|]"},
        {"[" USE("a", "f", "null") "]", "[a|f|null]"},
        {"[" USE("a", "f", "\"{\\\"k\\\":1}\"") "]", "[a|f|{\"k\":1}]"},
        {"[" USE("a", "f", "[1, 2]") "]", "[a|f|[1, 2]]"},
        {"[" USE("a", "f", "17") "]", "[a|f|17]"},
        {"[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\"}]", "[a|f|]"},
        /* without its type: the arguments must not get lost */
        {"[{\"id\":\"a\",\"name\":\"f\",\"input\":{\"k\":1}}]", "[a|f|{\"k\":1}]"},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_ids_and_names(void)
{
    static const struct kit_reading readings[] = {
        {"[" USE("a", "f", "{}") "," USE("a", "g", "{}") "]", "[a|f|{}][a|g|{}]"},
        {"[{\"type\":\"tool_use\",\"name\":\"f\",\"input\":{}}]", "[|f|{}]"},
        {"[{\"type\":\"tool_use\",\"id\":null,\"name\":\"f\",\"input\":{}}]", "[|f|{}]"},
        {"[{\"type\":\"tool_use\",\"id\":42,\"name\":\"f\",\"input\":{}}]", "[42|f|{}]"},
        {"[" USE("\\u0061\\\"", "\\u0066\\u001b[1m", "{}") "]", "[a\"|f\x1b[1m|{}]"},
        {"[" USE("a", "\\ud83d", "{}") "]", "[a|\xef\xbf\xbd|{}]"},
        {"[" USE("\\udc00", "f", "{}") "]", "E_SYNTAX: the id of call 1 is no Unicode text, so no result could bear it"},
        {"[{\"type\":\"tool_use\",\"id\":\"a\",\"input\":{}}]", "[a||{}]"},
        {"[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":[1],\"input\":{}}]", "[a||{}]"},
        {"[{\"type\":\"tool_use\"}]", "[||]"},
        {"[{\"ty\\u0070e\":\"tool\\u005fuse\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}]", "[a|f|{}]"},
    };

    check(readings, RCS_COUNT(readings));
}

static void test_errors(void)
{
    static const struct kit_reading readings[] = {
        {"{\"type\":\"message\",\"content\":5}", "E_SYNTAX: the value of content at byte 28 is no array"},
        {"{\"type\":\"message\",\"content\":{}}", "E_SYNTAX: the value of content at byte 28 is no array"},
        {"[" USE("a", "f", "{}") ",\"x\"]", "E_SYNTAX: the call at byte 52 is no object"},
        {"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
         "E_SYNTAX: the reply at byte 0 is no response, message or list of calls in a dialect that is known"},
    };

    check(readings, RCS_COUNT(readings));
}

/* ---- writing ---- */

static struct recourse_result result_of(const char *id, const char *content, size_t size, bool success)
{
    return (struct recourse_result){
        .call = kit_span(id), .tool = kit_span("f"), .success = success, .content = {content, size}};
}

static void test_write(void)
{
    struct recourse_result result = result_of("toolu_1", "42", 2, true);

    RCS_TEXT_EQUAL(kit_write(ANTHROPIC, &result),
                   "{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"42\"}");
    result = result_of("toolu_1", "no such pod", 11, false);
    RCS_TEXT_EQUAL(
        kit_write(ANTHROPIC, &result),
        "{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"no such pod\",\"is_error\":true}");
    result = result_of("", "", 0, true);
    RCS_TEXT_EQUAL(kit_write(ANTHROPIC, &result), "{\"type\":\"tool_result\",\"tool_use_id\":\"\",\"content\":\"\"}");
    /* the provider refuses an error without content */
    result = result_of("a", "", 0, false);
    RCS_TEXT_EQUAL(kit_write(ANTHROPIC, &result),
                   "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"error\",\"is_error\":true}");
    result = result_of("\"\\\x1b\xff", "a\nb\0\xed\xa0\x80", 7, true);
    RCS_TEXT_EQUAL(kit_write(ANTHROPIC, &result),
                   "{\"type\":\"tool_result\",\"tool_use_id\":\"\\\"\\\\\\u001b\xef\xbf\xbd\",\"content\":"
                   "\"a\\nb\\u0000\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}");
    RCS_TEXT_EQUAL(kit_write_all(ANTHROPIC, NULL), "{\"role\":\"user\",\"content\":[]}");
}

static void test_write_sizes(void)
{
    struct recourse_result result = result_of("c", "x", 1, true);
    size_t size = recourse_result_write(ANTHROPIC, &result, NULL, 0);
    char text[128];

    memset(text, '#', sizeof text);
    RCS_EQUAL(recourse_result_write(ANTHROPIC, &result, text, size), size);
    RCS_EQUAL(text[0], '#');
    RCS_EQUAL(recourse_result_write(ANTHROPIC, &result, text, size + 1), size);
    RCS_EQUAL(text[size], '\0');
    RCS_EQUAL(text[size + 1], '#');
}

#define ERROR ",\"is_error\":true"
#define RESULT(id, content, error)                                                                                     \
    "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"" content "\"" error "}"
#define RESULTS(results) "{\"role\":\"user\",\"content\":[" results "]}"

static struct kit kit;

static struct recourse_turn *start(const char *reply)
{
    struct recourse_calls calls;
    struct recourse_turn *turn;

    RCS_EQUAL(recourse_calls_read(kit_span(reply), NULL, &calls, NULL), 0);
    RCS_EQUAL(calls.dialect, ANTHROPIC);
    turn = kit_start(&kit, calls.requests, calls.count);
    recourse_calls_clear(&calls);
    return turn;
}

/* From a reply to one message, in the order of the calls, whatever came first. */
static void test_there_and_back(void)
{
    static const struct sim_answer slow[] = {{.after_ms = 50, .status = 200, .body = "slow \x1b[1mone\x1b[0m"}};
    static const struct sim_answer fast[] = {{.after_ms = 5, .status = 400, .body = "name is missing"}};
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_http(&kit, "slow", true);
    kit_http(&kit, "fast", true);
    sim_route(&kit.sim, "http://slow/", slow, 1);
    sim_route(&kit.sim, "http://fast/", fast, 1);
    turn = start(MESSAGE("[{\"type\":\"text\",\"text\":\"two\"}," USE("a", "slow", "{}") "," USE(
                             "b", "fast", "{}") "," USE("a", "slow", "{}") "]",
                         "\"tool_use\""));
    RCS_TEXT_EQUAL(kit_write_all(ANTHROPIC, turn), "{\"role\":\"user\",\"content\":[]}"); /* none yet */
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.order[2], 0); /* the slow one came last */
    RCS_TEXT_EQUAL(
        kit_write_all(ANTHROPIC, turn),
        RESULTS(RESULT("a", "slow one", "") "," RESULT(
            "b", "Tool 'fast' execution failed after 1 attempt(s): name is missing.",
            ERROR) "," RESULT("a",
                              "Error: call id 'a' was used before in this turn. Do not retry this exact tool call.",
                              ERROR)));
    kit_close(&kit);
}

/* Cancelled in every state that a call can be in: each id has its result, and each is marked as an error. */
static void test_cancelled(void)
{
    static const struct sim_answer busy[] = {{.after_ms = 1, .status = 503, .phrase = "timeout"}};
    static const struct sim_answer never[] = {{.after_ms = 1000000, .status = 200, .body = "late"}};
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_http(&kit, "busy", true);
    kit_http(&kit, "never", true);
    sim_route(&kit.sim, "http://busy/", busy, 1);
    sim_route(&kit.sim, "http://never/", never, 1);
    turn = start("[" USE("waits", "busy", "{}") "," USE("tries", "never", "{}") "]");
    kit_until(&kit, KIT_START_MS + 10);
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(
        kit_write_all(ANTHROPIC, turn),
        RESULTS(RESULT("waits",
                       "Tool 'busy' execution failed after 1 attempt(s): cancelled. Do not retry this exact tool call.",
                       ERROR) "," RESULT("tries",
                                         "Tool 'never' execution failed after 1 attempt(s): cancelled before the tool "
                                         "had answered. Do not retry this exact tool call.",
                                         ERROR)));
    kit_close(&kit);
}

/* A reply that was cut off runs nothing, and answers every id. */
static void test_truncated_is_answered(void)
{
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_http(&kit, "f", true);
    turn = start(MESSAGE("[" USE("a", "f", "{}") "]", "\"max_tokens\""));
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_TRUNCATED_CALL);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 0);
    RCS_TEXT_EQUAL(kit_write_all(ANTHROPIC, turn),
                   RESULTS(RESULT("a",
                                  "Tool 'f' execution failed after 0 attempt(s): the reply was cut off, so the call may be "
                   "incomplete; if it was too long, make it shorter.",
                                  ERROR)));
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"shapes", test_shapes},           {"cut off", test_cut_off},
        {"arguments", test_arguments},     {"ids and names", test_ids_and_names},
        {"errors", test_errors},           {"write", test_write},
        {"write sizes", test_write_sizes}, {"there and back", test_there_and_back},
        {"cancelled", test_cancelled},     {"truncated is answered", test_truncated_is_answered},
    };

    return rcs_unit_main("dialect_anthropic", tests, RCS_COUNT(tests));
}
