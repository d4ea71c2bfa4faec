/* Event streams: every line ending, every cut. */
#include "src/tools/sse.h"
#include "tests/unit/unit.h"

#define TEXT_MAX 4096u

/* Reads `text` in pieces of `step` bytes; each event is written as "[name|data|id]". */
static int read_all(const char *text, size_t size, size_t step, size_t max, char *out, uint64_t *retry_ms)
{
    struct rcs_sse sse;
    size_t used = 0;
    int code = 0;

    rcs_sse_init(&sse, NULL, max);
    out[0] = '\0';
    for (size_t from = 0; from < size && code >= 0; from += step) {
        const char *at = text + from;
        const char *end = text + (size - from < step ? size : from + step);

        while ((code = rcs_sse_next(&sse, &at, end)) == 1) {
            used += (size_t)snprintf(out + used, TEXT_MAX - used, "[%.*s|%.*s|%.*s]", (int)sse.name.size,
                                     sse.name.size > 0 ? sse.name.data : "", (int)sse.data.size,
                                     sse.data.size > 0 ? sse.data.data : "", (int)sse.id.size,
                                     sse.id.size > 0 ? sse.id.data : "");
        }
        CU_ASSERT_TRUE(code < 0 || at == end);
    }
    *retry_ms = sse.retry_ms;
    rcs_sse_clear(&sse);
    return code;
}

static const struct {
    const char *text;
    const char *events;
    uint64_t retry_ms;
} cases[] = {
    {"", "", RECOURSE_FOREVER},
    {"data: a\n\n", "[|a|]", RECOURSE_FOREVER},
    {"data: a\r\n\r\n", "[|a|]", RECOURSE_FOREVER},
    {"data: a\r\r", "[|a|]", RECOURSE_FOREVER},
    {"data: a\r\n\n", "[|a|]", RECOURSE_FOREVER},
    {"data: a\r\rdata: b\r\r", "[|a|][|b|]", RECOURSE_FOREVER},
    {"data: a\r\n\r\ndata: b\r\n\r\n", "[|a|][|b|]", RECOURSE_FOREVER},
    {"data: a\n\r\ndata: b\r\n\r", "[|a|][|b|]", RECOURSE_FOREVER},
    {"data:a\n\n", "[|a|]", RECOURSE_FOREVER},
    {"data:  a \n\n", "[| a |]", RECOURSE_FOREVER},
    {"data\n\n", "[||]", RECOURSE_FOREVER},
    {"data:\n\n", "[||]", RECOURSE_FOREVER},
    {"data: \n\n", "[||]", RECOURSE_FOREVER},
    {"data:\ndata:\n\n", "[|\n|]", RECOURSE_FOREVER},
    {"data: {\ndata: \"a\": 1\ndata: }\n\n", "[|{\n\"a\": 1\n}|]", RECOURSE_FOREVER},
    {"data: a:b: c\n\n", "[|a:b: c|]", RECOURSE_FOREVER},
    {"\xef\xbb\xbf" "data: a\n\n", "[|a|]", RECOURSE_FOREVER},
    {"\xef\xbb\xbf\n\ndata: a\n\n", "[|a|]", RECOURSE_FOREVER},
    {"\xef\xbb\xbf\xef\xbb\xbf" "data: a\n\ndata: b\n\n", "[|b|]", RECOURSE_FOREVER},
    {"\n\xef\xbb\xbf" "data: a\n\n", "", RECOURSE_FOREVER},
    {"\xef\xbb" "data: a\n\ndata: b\n\n", "[|b|]", RECOURSE_FOREVER},
    {": comment\n\n:\n\ndata: a\n:more\n\n", "[|a|]", RECOURSE_FOREVER},
    {"event: message\ndata: a\n\ndata: b\n\n", "[message|a|][|b|]", RECOURSE_FOREVER},
    {"event: x\nevent: y\ndata: a\n\n", "[y|a|]", RECOURSE_FOREVER},
    {"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", "[|a|1][|b|1][|c|]", RECOURSE_FOREVER},
    {"id: 7\n\n", "[||7]", RECOURSE_FOREVER},
    {"id: 7\nretry: 500\ndata:\n\n", "[||7]", 500},
    {"retry: 12x\n\n", "[||]", RECOURSE_FOREVER},
    {"retry:\n\n", "[||]", RECOURSE_FOREVER},
    {"retry: -1\n\n", "[||]", RECOURSE_FOREVER},
    {"retry: 99999999999999999999999\n\n", "[||]", RECOURSE_FOREVER - 1},
    {"dat: a\ndatax: b\nDATA: c\n data: d\n\n", "", RECOURSE_FOREVER},
    {"dat\ndatab\ni\nidx: 1\nretry2: 3\neventx\n\ndata: a\n\n", "[|a|]", RECOURSE_FOREVER},
    {"data: a", "", RECOURSE_FOREVER},
    {"data: a\n", "", RECOURSE_FOREVER},
    {"data: a\n\ndata: b\n", "[|a|]", RECOURSE_FOREVER},
    {"{\"jsonrpc\":\"2.0\",\n\"data\": 1}\n\n", "", RECOURSE_FOREVER},
    {"data: gr\xc3\xbc\xc3\x9f\xff\n\n", "[|gr\xc3\xbc\xc3\x9f\xff|]", RECOURSE_FOREVER},
};

static void test_events(void)
{
    char out[TEXT_MAX];
    uint64_t retry_ms;

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        size_t size = strlen(cases[i].text);

        for (size_t step = 1; step <= size + 1; step++) {
            RCS_EQUAL(read_all(cases[i].text, size, step, 100, out, &retry_ms), 0);
            RCS_TEXT_EQUAL(out, cases[i].events);
            RCS_EQUAL(retry_ms, cases[i].retry_ms);
        }
    }
}

static void test_nul(void)
{
    static const char text[] = "id: 1\n\nid: a\0b\ndata: x\0y\n\n";
    struct rcs_sse sse;
    const char *at = text;

    rcs_sse_init(&sse, NULL, 100);
    RCS_EQUAL(rcs_sse_next(&sse, &at, text + sizeof text - 1), 1);
    RCS_EQUAL(rcs_sse_next(&sse, &at, text + sizeof text - 1), 1);
    RCS_EQUAL(sse.data.size, 3);
    RCS_TEXT_EQUAL(sse.id.data, "1");
    RCS_EQUAL(rcs_sse_next(&sse, &at, text + sizeof text - 1), 0);
    rcs_sse_clear(&sse);
}

static void test_bounds(void)
{
    char out[TEXT_MAX];
    char text[RCS_SSE_ID_MAX + 64];
    uint64_t retry_ms;
    int size;

    RCS_EQUAL(read_all("data: 0123456789\n\n", 18, 5, 10, out, &retry_ms), 0);
    RCS_TEXT_EQUAL(out, "[|0123456789|]");
    RCS_EQUAL(read_all("data: 0123456789x\n\n", 19, 5, 10, out, &retry_ms), RECOURSE_E_LIMIT);
    RCS_EQUAL(read_all("data: 01234\ndata: 6789x\n\n", 25, 5, 10, out, &retry_ms), RECOURSE_E_LIMIT);
    RCS_TEXT_EQUAL(out, "");
    size = snprintf(text, sizeof text, "id: 1\nid: %0*d\ndata: a\n\n", (int)RCS_SSE_ID_MAX + 1, 0);
    RCS_EQUAL(read_all(text, (size_t)size, 7, 10, out, &retry_ms), 0);
    RCS_TEXT_EQUAL(out, "[|a|1]");
    size = snprintf(text, sizeof text, "event: %0*d\ndata: a\n\n", (int)RCS_SSE_NAME_MAX + 9, 0);
    RCS_EQUAL(read_all(text, (size_t)size, 7, 10, out, &retry_ms), 0);
    RCS_EQUAL(strlen(out), RCS_SSE_NAME_MAX + 5);
}

/* A fault stays, whatever follows. */
static void test_fault_stays(void)
{
    static const char text[] = "data: 0123456789\n\ndata: a\n\n";
    struct rcs_sse sse;
    const char *at = text;

    rcs_sse_init(&sse, NULL, 4);
    RCS_EQUAL(rcs_sse_next(&sse, &at, text + sizeof text - 1), RECOURSE_E_LIMIT);
    RCS_EQUAL(rcs_sse_next(&sse, &at, text + sizeof text - 1), RECOURSE_E_LIMIT);
    rcs_sse_clear(&sse);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"events", test_events},
        {"nul", test_nul},
        {"bounds", test_bounds},
        {"fault stays", test_fault_stays},
    };

    return rcs_unit_main("sse", tests, RCS_COUNT(tests));
}
