/* Messages a line: in pieces of every size, too long, without end, and what is not UTF-8. */
#include "src/core/text.h"
#include "src/tools/mcp_lines.h"
#include "tests/unit/purse.h"
#include "tests/unit/unit.h"

#define LINE_MAX 100u
#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X100 X50 X50

static struct rcs_mcp_lines lines;
static char seen[2000]; /* "[line]", or "!id" for one that is too long */

static void open_lines(const struct recourse_allocator *allocator)
{
    rcs_mcp_lines_init(&lines, allocator, LINE_MAX);
    seen[0] = '\0';
}

static void close_lines(void)
{
    rcs_mcp_lines_clear(&lines);
}

static void note(const struct rcs_mcp_line *line)
{
    size_t used = strlen(seen);

    if (line->fault != 0) {
        snprintf(seen + used, sizeof seen - used, "!%d", (int)line->id);
    } else {
        snprintf(seen + used, sizeof seen - used, "[%.*s]", (int)line->text.size,
                 line->text.size > 0 ? line->text.data : "");
    }
}

static void feed(const char *text, size_t size, size_t piece)
{
    struct rcs_mcp_line line;

    for (size_t begin = 0; begin < size; begin += piece) {
        size_t left = size - begin < piece ? size - begin : piece;
        char *copy = malloc(left); /* so that reading past its end is seen */
        const char *at = copy;

        memcpy(copy, text + begin, left);
        while (rcs_mcp_lines_next(&lines, &at, copy + left, &line)) {
            note(&line);
        }
        RCS_EQUAL(at == copy + left, true);
        free(copy);
    }
}

static const struct {
    const char *text;
    const char *seen;
} cases[] = {
    {"", ""},
    {"a", ""},
    {"a\n", "[a]"},
    {"a\nb\n\nc", "[a][b][]"},
    {"a\r\nb\r\r\n\r\n", "[a][b\r][]"},
    {"\xff\x01\n", "[\xff\x01]"},
    {X100 "\na\n", "[" X100 "][a]"},
    {X100 "x\na\n", "!0[a]"},
    /* which request a long one answers */
    {"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":\"" X100 "\"}}\nb\n", "!7[b]"},
    {"{\"id\":7,\"error\":\"" X100 "\"}\n", "!7"},
    {"{ \"id\" : 7 , \"result\":{\"a\":\"" X100 "\"}}\n", "!7"},
    {"{\"result\":{\"a\":\"" X100 "\"},\"jsonrpc\":\"2.0\",\"id\":12}\r\n", "!12"},
    {"{\"result\":{\"a\":\"" X100 "\"} , \"id\" : 12 }\n", "!12"},
    {"{\"result\":{\"a\":\"" X100 "\",\"id\":12}}\n", "!0"},
    {"{\"result\":{\"a\":\"" X100 ",\\\"id\\\":12}\"}}\n", "!0"},
    {"{\"id\":7,\"method\":\"m\",\"params\":\"" X100 "\"}\n", "!0"},
    {"{\"params\":\"" X100 "\",\"id\":7}\n", "!0"},
    {"{\"id\":\"7\",\"result\":\"" X100 "\"}\n", "!0"},
    {"{\"id\":7.0,\"result\":\"" X100 "\"}\n", "!0"},
    {"{\"id\":-7,\"result\":\"" X100 "\"}\n", "!0"},
    {"{\"id\":07,\"result\":\"" X100 "\"}\n", "!0"},
    {"{\"id\":1234567890123456789012,\"result\":\"" X100 "\"}\n", "!0"},
    {"{\"result\":\"" X100 "\",\"id\":}\n", "!0"},
    {"{\"result\":\"" X100 "\",\"id\":99999999999999999999999999999999999999999999999999999999999999999999}\n", "!0"},
    {"{\"result\":\"" X100 "\"}\n", "!0"},
    {"[" X100 X100 X100 "\n[]\n", "!0[[]]"},
};

static void test_cases(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        size_t size = strlen(cases[i].text);

        for (size_t piece = 1; piece <= size + 1; piece++) {
            open_lines(NULL);
            feed(cases[i].text, size, piece);
            RCS_TEXT_EQUAL(seen, cases[i].seen);
            close_lines();
        }
    }
}

static void test_last(void)
{
    struct rcs_mcp_line line;

    open_lines(NULL);
    CU_ASSERT_FALSE(rcs_mcp_lines_last(&lines, &line));
    feed("a\nb", 3, 3);
    CU_ASSERT_TRUE(rcs_mcp_lines_last(&lines, &line));
    note(&line);
    RCS_TEXT_EQUAL(seen, "[a][b]");
    CU_ASSERT_FALSE(rcs_mcp_lines_last(&lines, &line));
    feed("{\"id\":7,\"result\":\"" X100, 118, 118);
    CU_ASSERT_TRUE(rcs_mcp_lines_last(&lines, &line));
    note(&line);
    RCS_TEXT_EQUAL(seen, "[a][b]!7");
    close_lines();
}

/* A line without end takes no memory beyond the bound. */
static void test_bounds(void)
{
    char *text = malloc(1u << 20);

    memset(text, 'x', 1u << 20);
    open_lines(NULL);
    for (unsigned i = 0; i < 16; i++) {
        feed(text, 1u << 20, 1000);
    }
    CU_ASSERT_TRUE(lines.begun.capacity <= 2 * LINE_MAX);
    feed("\na\n", 3, 3);
    RCS_TEXT_EQUAL(seen, "!0[a]");
    close_lines();
    free(text);
}

static void test_no_memory(void)
{
    struct purse purse = {.left = 0};
    const struct recourse_allocator allocator = purse_allocator(&purse);

    open_lines(&allocator);
    feed("a\n{\"result\":{},\"id\":3}\n", 23, 10);
    RCS_TEXT_EQUAL(seen, "[a]!3");
    purse.left = 10;
    feed("b\n", 2, 1);
    RCS_TEXT_EQUAL(seen, "[a]!3[b]");
    close_lines();
    RCS_EQUAL(purse.out, 0);
}

static void test_utf8(void)
{
    static const struct {
        const char *text;
        bool good;
    } texts[] = {
        {"", true},          {"plain", true},         {"\xc3\xa4", true},         {"\xef\xbf\xbd", true},
        {"\xff", false},     {"a\xc3", false},        {"\xc0\x80", false},        {"\xed\xa0\x80", false},
        {"\x80", false},     {"\xf0\x9f\x98\x80", true}, {"\xf4\x90\x80\x80", false}, {"a\xe2\x82z", false},
    };

    for (size_t i = 0; i < RCS_COUNT(texts); i++) {
        RCS_EQUAL(rcs_utf8_is_good((struct recourse_span){texts[i].text, strlen(texts[i].text)}), texts[i].good);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"cases", test_cases}, {"last", test_last}, {"bounds", test_bounds}, {"no memory", test_no_memory}, {"utf8", test_utf8},
    };

    return rcs_unit_main("mcp_lines", tests, RCS_COUNT(tests));
}
