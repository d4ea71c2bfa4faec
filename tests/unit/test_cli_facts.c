/* Facts as `recourse classify` reads them. */
#include "src/cli/facts_read.h"
#include "tests/unit/unit.h"

static struct rcs_arena arena;
static struct recourse_facts facts;
static char message[256];
static char line[2048];

static bool read(const char *json)
{
    struct recourse_span span = {line, strlen(json)};

    rcs_arena_clear(&arena);
    message[0] = '\0';
    snprintf(line, sizeof line, "%s", json);
    return rcs_facts_read(&arena, span, &facts, message, sizeof message);
}

static void expect_span(struct recourse_span span, const char *text)
{
    char copy[256];

    snprintf(copy, sizeof copy, "%.*s", (int)span.size, span.data == NULL ? "" : span.data);
    RCS_TEXT_EQUAL(copy, text);
    RCS_EQUAL(span.size, strlen(text));
}

static void expect_refused(const char *json, const char *text)
{
    RCS_EQUAL(read(json), false);
    RCS_TEXT_EQUAL(message, text);
}

static void test_nothing(void)
{
    static const struct recourse_facts none;

    RCS_EQUAL(read("{}"), true);
    RCS_EQUAL(memcmp(&facts, &none, sizeof none), 0);
    RCS_EQUAL(read(" {\"http\":null,\"text\":null,\"result\":null,\"timeout\":null,\"headers\":null} \n"), true);
    RCS_EQUAL(memcmp(&facts, &none, sizeof none), 0);
}

static void test_scalars(void)
{
    RCS_EQUAL(read("{\"http\":429,\"rpc\":-32602,\"exit\":75,\"signal\":9,\"wall_s\":1700000000,"
                   "\"tool\":\"m\\u0065raki\"}"),
              true);
    RCS_EQUAL(facts.http, 429);
    RCS_EQUAL(facts.has_rpc, true);
    RCS_EQUAL(facts.rpc, -32602);
    RCS_EQUAL(facts.has_exit, true);
    RCS_EQUAL(facts.exit_status, 75);
    RCS_EQUAL(facts.signal, 9);
    RCS_EQUAL(facts.wall_s, 1700000000);
    RCS_TEXT_EQUAL(facts.tool, "meraki");
    RCS_EQUAL(read("{\"rpc\":-9223372036854775808,\"exit\":0}"), true);
    RCS_EQUAL(facts.rpc, INT64_MIN);
    RCS_EQUAL(facts.has_exit, true);
}

static void test_flags(void)
{
    RCS_EQUAL(read("{\"unsent\":true,\"interrupted\":true,\"tool_error\":true,\"session_expired\":true,"
                   "\"protocol\":true,\"too_large\":true,\"spawn\":true}"),
              true);
    RCS_EQUAL(facts.unsent && facts.interrupted && facts.tool_error && facts.session_expired && facts.protocol &&
                  facts.too_large && facts.spawn,
              true);
    RCS_EQUAL(read("{\"unsent\":false,\"interrupted\":false,\"tool_error\":false,\"session_expired\":false,"
                   "\"protocol\":false,\"too_large\":false,\"spawn\":false}"),
              true);
    RCS_EQUAL(facts.unsent || facts.interrupted || facts.tool_error || facts.session_expired || facts.protocol ||
                  facts.too_large || facts.spawn,
              false);
}

static void test_kinds(void)
{
    static const struct {
        const char *json;
        unsigned network;
        unsigned timeout;
    } cases[] = {
        {"{\"network\":\"refused\"}", RECOURSE_NETWORK_REFUSED, 0},
        {"{\"network\":\"unreachable\"}", RECOURSE_NETWORK_UNREACHABLE, 0},
        {"{\"network\":\"dns\"}", RECOURSE_NETWORK_DNS, 0},
        {"{\"network\":\"tls\"}", RECOURSE_NETWORK_TLS, 0},
        {"{\"network\":\"reset\"}", RECOURSE_NETWORK_RESET, 0},
        {"{\"network\":\"closed\"}", RECOURSE_NETWORK_CLOSED, 0},
        {"{\"network\":\"other\"}", RECOURSE_NETWORK_OTHER, 0},
        {"{\"network\":true}", RECOURSE_NETWORK_OTHER, 0},
        {"{\"network\":false}", RECOURSE_NETWORK_NONE, 0},
        {"{\"timeout\":\"connect\"}", 0, RECOURSE_TIMEOUT_CONNECT},
        {"{\"timeout\":\"read\"}", 0, RECOURSE_TIMEOUT_READ},
        {"{\"timeout\":\"total\"}", 0, RECOURSE_TIMEOUT_TOTAL},
        {"{\"timeout\":true}", 0, RECOURSE_TIMEOUT_OTHER},
        {"{\"timeout\":false}", 0, RECOURSE_TIMEOUT_NONE},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(read(cases[i].json), true);
        RCS_EQUAL(facts.network, cases[i].network);
        RCS_EQUAL(facts.timeout, cases[i].timeout);
    }
}

static void test_headers(void)
{
    RCS_EQUAL(read("{\"headers\":{\"Retry-After\":[\"5\",\"6\"],\"x\":\"a\\tb\",\"none\":[]}}"), true);
    RCS_EQUAL(facts.header_count, 3);
    expect_span(facts.headers[0].name, "Retry-After");
    expect_span(facts.headers[0].value, "5");
    expect_span(facts.headers[1].name, "Retry-After");
    expect_span(facts.headers[1].value, "6");
    expect_span(facts.headers[2].name, "x");
    expect_span(facts.headers[2].value, "a\tb");
}

static void test_phrases_come_by_themselves(void)
{
    RCS_EQUAL(read("{\"http\":504}"), true);
    expect_span(facts.phrase, "Gateway Timeout");
    RCS_EQUAL(read("{\"http\":504,\"phrase\":\"Slow\"}"), true);
    expect_span(facts.phrase, "Slow");
    RCS_EQUAL(read("{\"phrase\":\"\",\"http\":504}"), true);
    expect_span(facts.phrase, "");
    RCS_EQUAL(read("{\"http\":599}"), true);
    expect_span(facts.phrase, "");
    RCS_EQUAL(read("{\"timeout\":true}"), true);
    expect_span(facts.phrase, "");
}

static void test_texts(void)
{
    RCS_EQUAL(read("{\"text\":\"a\\u0000b\\ud800c\\n\"}"), true);
    RCS_EQUAL(facts.text.size, 8);
    RCS_EQUAL(memcmp(facts.text.data, "a\0b\xef\xbf\xbd" "c\n", 8), 0);
    RCS_EQUAL(read("{\"json\": [1, 2] }"), true);
    expect_span(facts.json, "[1, 2]");
}

static void test_results(void)
{
    RCS_EQUAL(read("{\"result\":\"three \\\"pods\\\"\"}"), true);
    expect_span(facts.result, "three \"pods\"");
    expect_span(facts.structured, "");
    RCS_EQUAL(read("{\"result\":{\"n\":9007199254740993}}"), true);
    expect_span(facts.result, "{\"n\":9007199254740993}");
    expect_span(facts.structured, "{\"n\":9007199254740993}");
    RCS_EQUAL(read("{\"result\":{\"a\":1,\"a\":2},\"structured\":{\"b\":1}}"), true);
    expect_span(facts.result, "{\"a\":1,\"a\":2}");
    expect_span(facts.structured, "{\"b\":1}");
    RCS_EQUAL(read("{\"structured\":{\"b\":1},\"result\":{\"a\":1}}"), true);
    expect_span(facts.structured, "{\"b\":1}");
    RCS_EQUAL(read("{\"result\":[1]}"), true);
    expect_span(facts.result, "[1]");
    expect_span(facts.structured, "");
    RCS_EQUAL(read("{\"result\":12}"), true);
    expect_span(facts.result, "12");
}

static void test_a_body_of_2xx_is_the_result(void)
{
    RCS_EQUAL(read("{\"http\":200,\"text\":\"fine\"}"), true);
    expect_span(facts.result, "fine");
    RCS_EQUAL(read("{\"http\":299,\"text\":\"fine\"}"), true);
    expect_span(facts.result, "fine");
    RCS_EQUAL(read("{\"http\":200,\"text\":\"fine\",\"result\":\"r\"}"), true);
    expect_span(facts.result, "r");
    RCS_EQUAL(read("{\"http\":300,\"text\":\"moved\"}"), true);
    expect_span(facts.result, "");
    RCS_EQUAL(read("{\"text\":\"no status\"}"), true);
    expect_span(facts.result, "");
}

static void test_what_is_refused(void)
{
    static const struct {
        const char *json;
        const char *text;
    } cases[] = {
        {"", "not JSON at column 1"},
        {"{\"http\":429", "not JSON at column 12"},
        {"{\"http\":429}}", "not JSON at column 13"},
        {"[]", "facts are an object, such as {\"http\":429}"},
        {"7", "facts are an object, such as {\"http\":429}"},
        {"{\"htpp\":429}", "unknown key \"htpp\": did you mean \"http\"?"},
        {"{\"tool-error\":true}", "unknown key \"tool-error\": did you mean \"tool_error\"?"},
        {"{\"colour\":1}", "unknown key \"colour\": see recourse classify --help"},
        {"{\"HTTP\":1}", "unknown key \"HTTP\": see recourse classify --help"},
        {"{\"http\":429,\"h\\u0074tp\":500}", "\"http\" is there twice"},
        {"{\"http\":99}", "\"http\" wants a whole number from 100 to 999"},
        {"{\"http\":1000}", "\"http\" wants a whole number from 100 to 999"},
        {"{\"http\":\"429\"}", "\"http\" wants a whole number from 100 to 999"},
        {"{\"http\":4.29e2}", "\"http\" wants a whole number from 100 to 999"},
        {"{\"exit\":256}", "\"exit\" wants a whole number from 0 to 255"},
        {"{\"exit\":-1}", "\"exit\" wants a whole number from 0 to 255"},
        {"{\"signal\":0}", "\"signal\" wants a whole number from 1 to 127"},
        {"{\"wall_s\":-1}", "\"wall_s\" wants a whole number from 0 to 9223372036854775807"},
        {"{\"rpc\":9223372036854775808}",
          "\"rpc\" wants a whole number from -9223372036854775808 to 9223372036854775807"},
        {"{\"timeout\":\"slow\"}", "\"timeout\" wants true, or one of connect, read, total"},
        {"{\"timeout\":5}", "\"timeout\" wants true, or one of connect, read, total"},
        {"{\"network\":\"\"}", "\"network\" wants true, or one of refused, unreachable, dns, tls, reset, closed"},
        {"{\"spawn\":1}", "\"spawn\" wants true or false"},
        {"{\"text\":5}", "\"text\" wants a string"},
        {"{\"tool\":\"a\\u0000b\"}", "\"tool\" has a NUL in it"},
        {"{\"tool\":[]}", "\"tool\" wants a string"},
        {"{\"structured\":[]}", "\"structured\" wants an object"},
        {"{\"headers\":[]}", "\"headers\" wants an object of names and values"},
        {"{\"headers\":{\"a\":5}}",
          "\"headers\" wants each value to be a string, or a list of strings for a header that is repeated"},
        {"{\"headers\":{\"a\":[5]}}",
          "\"headers\" wants each value to be a string, or a list of strings for a header that is repeated"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        expect_refused(cases[i].json, cases[i].text);
    }
}

static void test_a_long_key_is_cut(void)
{
    char json[256];

    memset(json, 'x', sizeof json);
    memcpy(json, "{\"", 2);
    memcpy(json + 200, "\":1}", 5);
    RCS_EQUAL(read(json), false);
    RCS_EQUAL(strncmp(message, "unknown key \"xxxx", 16), 0);
    RCS_TEXT_EQUAL(message + strlen(message) - 32, "x\": see recourse classify --help");
}

static const struct rcs_test tests[] = {
    {"nothing", test_nothing},
    {"scalars", test_scalars},
    {"flags", test_flags},
    {"kinds", test_kinds},
    {"headers", test_headers},
    {"phrases come by themselves", test_phrases_come_by_themselves},
    {"texts", test_texts},
    {"results", test_results},
    {"the body of a 2xx is the result", test_a_body_of_2xx_is_the_result},
    {"what is refused", test_what_is_refused},
    {"a long key is cut", test_a_long_key_is_cut},
};

int main(void)
{
    int status = rcs_unit_main("cli_facts", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
