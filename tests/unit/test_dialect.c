/* Reading calls of the OpenAI chat format, and writing results to it. */
#include "tests/unit/dialect_kit.h"

#define CHAT RECOURSE_DIALECT_OPENAI_CHAT

#define CALL(id, name, arguments) \
    "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":" arguments "}}"
#define CHOICE(calls, finish)                                                                                        \
    "{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":" calls "},\"finish_reason\":" finish "}"

static void test_shapes(void)
{
    static const struct kit_reading readings[] = {
        {"{\"id\":\"x\",\"choices\":[" CHOICE(
             "[" CALL("a", "f", "\"{}\"") "," CALL("b", "g", "\"{\\\"k\\\":1}\"") "]", "\"tool_calls\"") "]}",
         "[a|f|{}][b|g|{\"k\":1}]"},
        {" {\"role\":\"assistant\",\"tool_calls\":[" CALL("a", "f", "\"{}\"") "]} ", "[a|f|{}]"},
        {"{\"tool_calls\":[" CALL("a", "f", "\"{}\"") "]}", "[a|f|{}]"},
        {"\n[" CALL("a", "f", "\"{}\"") "]\n", "[a|f|{}]"},
        /* only the first choice counts */
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]",
                                 "null") "," CHOICE("[" CALL("b", "g", "\"{}\"") "]", "null") "]}",
         "[a|f|{}]"},
        /* nothing to call */
        {"[]", ""},
        {"{\"choices\":[]}", ""},
        {"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}", ""},
        {"{\"choices\":[{}]}", ""},
        {"{\"choices\":[null]}", ""},
        {"{\"role\":\"assistant\",\"content\":\"hi\"}", ""},
        {"{\"role\":\"assistant\",\"tool_calls\":null}", ""},
        {"{\"tool_calls\":[]}", ""},
        {"{\"tool_calls\":null}", ""},
        /* the older form; the newer one wins */
        {"{\"role\":\"assistant\",\"function_call\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":2}\"}}",
         "[|f|{\"a\":2}]"},
        {"{\"choices\":[{\"message\":{\"tool_calls\":null,\"function_call\":{\"name\":\"f\"}},\"finish_reason\":"
         "\"length\"}]}",
         "[|f||T]"},
        {"{\"tool_calls\":[" CALL("a", "f", "\"{}\"") "],\"function_call\":{\"name\":\"g\"}}", "[a|f|{}]"},
    };

    kit_check_readings(CHAT, readings, RCS_COUNT(readings));
}

static void test_cut_off(void)
{
    static const struct kit_reading readings[] = {
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "\"length\"") "]}", "[a|f|{}|T]"},
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "\"content_filter\"") "]}", "[a|f|{}|T]"},
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "\"l\\u0065ngth\"") "]}", "[a|f|{}|T]"},
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "\"model_length\"") "]}", "[a|f|{}|T]"},
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "\"max_tokens\"") "]}", "[a|f|{}|T]"},
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "\"MAX_TOKENS\"") "]}", "[a|f|{}|T]"},
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "\"lengthy\"") "]}", "[a|f|{}]"},
        {"{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{}\"") "]", "5") "]}", "[a|f|{}]"},
    };

    kit_check_readings(CHAT, readings, RCS_COUNT(readings));
}

static void test_arguments(void)
{
    static const struct kit_reading readings[] = {
        /* as text: unescaped once, and not otherwise touched */
        {"[" CALL("a", "f", "\"{\\\"n\\\": 9007199254740993, \\\"x\\\":1.10}\"") "]",
         "[a|f|{\"n\": 9007199254740993, \"x\":1.10}]"},
        {"[" CALL("a", "f", "\"{\\\"s\\\":\\\"\\\\u0041\\\\n\\\"}\"") "]", "[a|f|{\"s\":\"\\u0041\\n\"}]"},
        {"[" CALL("a", "f", "\"\"") "]", "[a|f|]"},
        {"[" CALL("a", "f", "\"   \"") "]", "[a|f|   ]"},
        {"[" CALL("a", "f", "\"{\\\"path\"") "]", "[a|f|{\"path]"},
        {"[" CALL("a", "f", "\"\\ud83d\\ude00\\ud83d\"") "]", "[a|f|\xf0\x9f\x98\x80\xef\xbf\xbd]"},
        /* as values: their bytes */
        {"[" CALL("a", "f", "{\"n\" : 9007199254740993, \"x\":1.10}") "]",
         "[a|f|{\"n\" : 9007199254740993, \"x\":1.10}]"},
        {"[" CALL("a", "f", "null") "]", "[a|f|null]"},
        {"[" CALL("a", "f", "[1, 2]") "]", "[a|f|[1, 2]]"},
        {"[" CALL("a", "f", "17") "]", "[a|f|17]"},
        {"[{\"id\":\"a\",\"function\":{\"name\":\"f\"}}]", "[a|f|]"},
        /* the last of several counts, as in most readers */
        {"[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"1\",\"arguments\":\"2\"}}]", "[a|f|2]"},
    };

    kit_check_readings(CHAT, readings, RCS_COUNT(readings));
}

static void test_ids_and_names(void)
{
    static const struct kit_reading readings[] = {
        {"[" CALL("a", "f", "\"{}\"") "," CALL("a", "g", "\"{}\"") "]", "[a|f|{}][a|g|{}]"},
        {"[{\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]", "[|f|{}]"},
        {"[{\"id\":null,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]", "[|f|{}]"},
        {"[{\"id\":42,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]", "[42|f|{}]"},
        {"[{\"id\":\"\\u0061\\\"\",\"function\":{\"name\":\"\\u0066\",\"arguments\":\"{}\"}}]", "[a\"|f|{}]"},
        {"[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"arguments\":\"{}\"}}]", "[a||{}]"},
        {"[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":5,\"arguments\":\"{}\"}}]", "[a||{}]"},
        {"[{\"id\":\"a\",\"type\":null,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]", "[a|f|{}]"},
        {"[{\"id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\"}]", "[a|f|{}]"},
        {"[{\"id\":\"a\"}]", "[a||]"},
        {"[{}]", "[||]"},
    };

    kit_check_readings(CHAT, readings, RCS_COUNT(readings));
}

/* What is no function call is answered, but its arguments are never an object, so nothing is run. */
static void test_other_types(void)
{
    static const struct kit_reading readings[] = {
        {"[{\"id\":\"a\",\"type\":\"custom\",\"custom\":{\"name\":\"f\",\"input\":\"{}\"}}]", "[a|f|\"custom\"]"},
        {"[{\"id\":\"a\",\"type\":\"web\",\"name\":\"f\",\"arguments\":{}}]", "[a|f|\"web\"]"},
        {"[{\"id\":\"a\",\"type\":\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]", "[a|f|\"x\"]"},
        {"[{\"id\":\"a\",\"type\":{},\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]", "[a|f|\"type\"]"},
        {"[{\"id\":\"a\",\"type\":\"\"}]", "[a||\"\"]"},
        {"[{\"id\":\"a\",\"type\":\"a\\u0000b\"}]", "[a||\"a\\u0000b\"]"},
        {"[{\"id\":\"a\",\"type\":\"a word that is longer than any type may be\"}]",
         "[a||\"a word that is longer than any type may be\"]"},
        {"[{\"id\":\"a\",\"type\":\"custom\",\"custom\":{\"name\":7}}]", "[a||\"custom\"]"},
    };

    kit_check_readings(CHAT, readings, RCS_COUNT(readings));
}

static void test_errors(void)
{
    static const struct kit_reading readings[] = {
        {"", "E_SYNTAX: the reply is not JSON: it ends too early at byte 0"},
        {"{\"choices\":[", "E_SYNTAX: the reply is not JSON: it ends too early at byte 12"},
        {"[nope]", "E_SYNTAX: the reply is not JSON: unexpected byte at byte 2"},
        {"[] x", "E_SYNTAX: the reply is not JSON: unexpected byte at byte 3"},
        {" 17", "E_SYNTAX: the reply at byte 1 is no response, message or list of calls in a dialect that is known"},
        {"{\"error\":{\"message\":\"no\"}}",
         "E_SYNTAX: the reply at byte 0 is no response, message or list of calls in a dialect that is known"},
        {"{\"choices\":5}", "E_SYNTAX: the value of choices at byte 11 is no array"},
        {"{\"tool_calls\":{}}", "E_SYNTAX: the value of tool_calls at byte 14 is no array"},
        {"[" CALL("a", "f", "\"{}\"") ", 5]", "E_SYNTAX: the call at byte 72 is no object"},
        {"[" CALL("a", "f", "\"{}\"") "," CALL("a\xe9", "f", "\"{}\"") "]",
         "E_SYNTAX: the id of call 2 is no Unicode text, so no result could bear it"},
        {"[" CALL("\\ud83d", "f", "\"{}\"") "]", "E_SYNTAX: the id of call 1 is no Unicode text, so no result could bear it"},
        {"[" CALL("\\ud83d\\ud83d", "f", "\"{}\"") "]", "E_SYNTAX: the id of call 1 is no Unicode text, so no result could bear it"},
        {"[" CALL("\\uDE00x", "f", "\"{}\"") "]", "E_SYNTAX: the id of call 1 is no Unicode text, so no result could bear it"},
        {"[" CALL("\\ud83d\\uDE00\\\\ud83d\\ufffd", "f", "\"{}\"") "]", "[\xf0\x9f\x98\x80\\ud83d\xef\xbf\xbd|f|{}]"},
        {"{\"function_call\":\"f\"}", "E_SYNTAX: the value of function_call at byte 17 is no object"},
    };

    kit_check_readings(CHAT, readings, RCS_COUNT(readings));
}

static void test_misuse(void)
{
    struct recourse_calls calls;
    struct recourse_error error;

    RCS_EQUAL(recourse_calls_read(kit_span("[]"), NULL, NULL, &error), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_calls_read((struct recourse_span){NULL, 3}, NULL, &calls, NULL), RECOURSE_E_ARGUMENT);
    recourse_calls_clear(NULL);
}

static void *no_alloc(void *user, size_t size)
{
    (void)user, (void)size;
    return NULL;
}

static void test_no_memory(void)
{
    static const struct recourse_allocator none = {.alloc = no_alloc};
    struct recourse_calls calls;
    struct recourse_error error;

    RCS_EQUAL(recourse_calls_read(kit_span("[{\"id\":\"a\"}]"), &none, &calls, &error), RECOURSE_E_MEMORY);
    RCS_TEXT_EQUAL(error.text, "no memory for 1 calls");
    RCS_EQUAL(recourse_calls_read(kit_span("[]"), &none, &calls, &error), 0);
}

static void test_how_many(void)
{
    static char reply[2 + 3 * 10001];
    struct recourse_calls calls;
    struct recourse_error error;
    size_t size = 0;

    reply[size++] = '[';
    for (unsigned i = 0; i < 10000; i++) {
        memcpy(reply + size, i > 0 ? ",{}" : " {}", 3);
        size += 3;
    }
    reply[size] = ']';
    RCS_EQUAL(recourse_calls_read((struct recourse_span){reply, size + 1}, NULL, &calls, &error), 0);
    RCS_EQUAL(calls.count, 10000);
    recourse_calls_clear(&calls);
    memcpy(reply + size, ",{}", 3);
    reply[size + 3] = ']';
    RCS_EQUAL(recourse_calls_read((struct recourse_span){reply, size + 4}, NULL, &calls, &error), RECOURSE_E_LIMIT);
    RCS_TEXT_EQUAL(error.text, "more than 10000 calls in one reply");
}

/* Every beginning of a good reply: never a call more than it holds, never a byte outside. */
static void test_every_prefix(void)
{
    static const char reply[] =
        "{\"choices\":[" CHOICE("[" CALL("a", "f", "\"{\\\"k\\\":\\\"\\u00e9\\\"}\"") "]", "\"stop\"") "]}";

    for (size_t size = 0; size + 1 < sizeof reply; size++) {
        char *copy = malloc(size + (size == 0));

        CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
        memcpy(copy, reply, size);
        CU_ASSERT_PTR_NOT_NULL(strstr(kit_read_calls(copy, size, NULL), "E_SYNTAX: the reply is not JSON"));
        free(copy);
    }
    RCS_TEXT_EQUAL(kit_read_calls(reply, sizeof reply - 1, NULL), "[a|f|{\"k\":\"\xc3\xa9\"}]");
}

/* ---- writing ---- */

static const char *write_result(const char *id, const char *content, size_t content_size)
{
    struct recourse_result result = {.call = kit_span(id), .content = {content, content_size}};

    return kit_write(CHAT, &result);
}

static void test_write(void)
{
    RCS_TEXT_EQUAL(write_result("c1", "42", 2), "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"42\"}");
    RCS_TEXT_EQUAL(write_result("", "", 0), "{\"role\":\"tool\",\"tool_call_id\":\"\",\"content\":\"\"}");
    RCS_TEXT_EQUAL(write_result("\"\\", "a\nb\tc\"", 6),
                   "{\"role\":\"tool\",\"tool_call_id\":\"\\\"\\\\\",\"content\":\"a\\nb\\tc\\\"\"}");
    RCS_TEXT_EQUAL(write_result("\xff", "\xc3\x28\0", 3),
                   "{\"role\":\"tool\",\"tool_call_id\":\"\xef\xbf\xbd\",\"content\":\"\xef\xbf\xbd(\\u0000\"}");
}

static void test_write_sizes(void)
{
    struct recourse_result result = {.call = kit_span("c"), .content = kit_span("x")};
    char text[64];
    size_t size = recourse_result_write(CHAT, &result, NULL, 0);

    RCS_EQUAL(size, strlen("{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"x\"}"));
    memset(text, '#', sizeof text);
    RCS_EQUAL(recourse_result_write(CHAT, &result, text, size), size);
    RCS_EQUAL(text[0], '#');
    RCS_EQUAL(recourse_result_write(CHAT, &result, text, size + 1), size);
    RCS_EQUAL(text[size], '\0');
    RCS_EQUAL(text[size + 1], '#');
    RCS_EQUAL(recourse_result_write(RECOURSE_DIALECT_COUNT, &result, text, sizeof text), 0);
    RCS_EQUAL(recourse_result_write(CHAT, NULL, text, sizeof text), 0);
    RCS_EQUAL(recourse_results_write(RECOURSE_DIALECT_COUNT, NULL, text, sizeof text), 0);
    RCS_EQUAL(recourse_results_write(CHAT, NULL, text, sizeof text), 2);
    RCS_TEXT_EQUAL(text, "[]");
}

/* A turn from a reply to the results, in the order of the calls. */
static void test_there_and_back(void)
{
    static const struct sim_answer slow[] = {{.after_ms = 50, .status = 200, .body = "slow one"}};
    static const struct sim_answer fast[] = {{.after_ms = 5, .status = 200, .body = "fast one"}};
    static const char expected[] = "[{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"slow one\"},"
                                   "{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":\"fast one\"}]";
    struct recourse_calls calls;
    struct recourse_turn *turn;
    char text[256];
    static struct kit kit;

    kit_open(&kit, NULL);
    kit_http(&kit, "slow", true);
    kit_http(&kit, "fast", true);
    sim_route(&kit.sim, "http://slow/", slow, 1);
    sim_route(&kit.sim, "http://fast/", fast, 1);
    RCS_EQUAL(recourse_calls_read(kit_span("[" CALL("a", "slow", "\"{}\"") "," CALL("b", "fast", "\"{}\"") "]"), NULL,
                                  &calls, NULL),
              0);
    turn = kit_start(&kit, calls.requests, calls.count);
    recourse_calls_clear(&calls); /* the runner has its own copy */
    RCS_EQUAL(recourse_results_write(CHAT, turn, text, sizeof text), 2);
    RCS_TEXT_EQUAL(text, "[]"); /* none yet */
    kit_until(&kit, KIT_START_MS + 10);
    RCS_EQUAL(kit.results, 1);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_results_write(CHAT, turn, text, sizeof text), sizeof expected - 1);
    RCS_TEXT_EQUAL(text, expected);
    memset(text, '#', sizeof text);
    RCS_EQUAL(recourse_results_write(CHAT, turn, text, sizeof expected - 1),
              sizeof expected - 1);
    RCS_EQUAL(text[0], '#');
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"shapes", test_shapes},
        {"cut off", test_cut_off},
        {"arguments", test_arguments},
        {"ids and names", test_ids_and_names},
        {"other types", test_other_types},
        {"errors", test_errors},
        {"misuse", test_misuse},
        {"no memory", test_no_memory},
        {"how many", test_how_many},
        {"every prefix", test_every_prefix},
        {"write", test_write},
        {"write sizes", test_write_sizes},
        {"there and back", test_there_and_back},
    };

    return rcs_unit_main("dialect", tests, RCS_COUNT(tests));
}
