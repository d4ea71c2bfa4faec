/* Dialects told apart by shape, and what holds of all of them. */
#include "tests/unit/dialect_kit.h"
#include "tests/unit/naive.h"
#include "tests/unit/strict.h"

#define CHAT RECOURSE_DIALECT_OPENAI_CHAT
#define ANTHROPIC RECOURSE_DIALECT_ANTHROPIC
#define RESPONSES RECOURSE_DIALECT_OPENAI_RESPONSES
#define GEMINI RECOURSE_DIALECT_GEMINI
#define MCP RECOURSE_DIALECT_MCP

/* One call of each dialect, to tool f with {"k":1}. */
static const char *const calls_of[] = {
    [CHAT] = "{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"k\\\":1}\"}}",
    [ANTHROPIC] = "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{\"k\":1}}",
    [RESPONSES] = "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"{\\\"k\\\":1}\"}",
    [GEMINI] = "{\"functionCall\":{\"id\":\"a\",\"name\":\"f\",\"args\":{\"k\":1}}}",
    [MCP] = "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"f\",\"arguments\":{\"k\":1}}}",
};

/* Where calls can stand: whole responses, messages, bare lists. */
static const struct {
    enum recourse_dialect dialect;
    const char *before;
    const char *after;
} places[] = {
    {CHAT, "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[", "]}}]}"},
    {CHAT, "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"tool_calls\":[", "]}"},
    {CHAT, "[", "]"},
    {ANTHROPIC, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[", "],\"stop_reason\":\"tool_use\"}"},
    {ANTHROPIC, "{\"role\":\"assistant\",\"content\":[", "]}"},
    {ANTHROPIC, "[", "]"},
    {RESPONSES, "{\"object\":\"response\",\"output\":[", "]}"},
    {RESPONSES, "[", "]"},
    {GEMINI, "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[", "]}}]}"},
    {GEMINI, "{\"role\":\"model\",\"parts\":[", "]}"},
    {GEMINI, "[", "]"},
    {MCP, "[", "]"},
};

static const char *place(size_t i, const char *call)
{
    static char reply[2048];

    snprintf(reply, sizeof reply, "%s%s%s", places[i].before, call, places[i].after);
    return reply;
}

static bool is_error(const char *text, const char *part)
{
    return strncmp(text, "E_SYNTAX: ", 10) == 0 && strstr(text, part) != NULL;
}

/* Every call in every place: where it belongs it is read in its dialect; elsewhere nothing is ever read in part. */
static void test_every_call_in_every_place(void)
{
    char error[256];

    for (size_t i = 0; i < RCS_COUNT(places); i++) {
        for (unsigned d = 0; d < RECOURSE_DIALECT_COUNT; d++) {
            enum recourse_dialect dialect = RECOURSE_DIALECT_COUNT;
            const char *reply = place(i, calls_of[d]);
            const char *read = kit_read_calls(reply, strlen(reply), &dialect);

            if (places[i].before[0] == '[' || d == places[i].dialect) {
                RCS_TEXT_EQUAL(read, "[a|f|{\"k\":1}]");
                RCS_EQUAL(dialect, d);
                continue;
            }
            snprintf(error, sizeof error, "E_SYNTAX: the call at byte %zu is of %s, in a reply of %s",
                     strlen(places[i].before), recourse_dialect_name((enum recourse_dialect)d),
                     recourse_dialect_name(places[i].dialect));
            RCS_TEXT_EQUAL(read, error);
        }
    }
}

static void test_mixtures(void)
{
    char reply[1024];
    char part[128];

    for (unsigned a = 0; a < RECOURSE_DIALECT_COUNT; a++) {
        for (unsigned b = 0; b < RECOURSE_DIALECT_COUNT; b++) {
            const char *read;

            snprintf(reply, sizeof reply, "[%s,%s]", calls_of[a], calls_of[b]);
            read = kit_read_calls(reply, strlen(reply), NULL);
            snprintf(part, sizeof part,
                     "E_SYNTAX: the list mixes dialects: the entry at byte 1 is of %s, the one at byte %zu of %s",
                     recourse_dialect_name((enum recourse_dialect)a), 2 + strlen(calls_of[a]),
                     recourse_dialect_name((enum recourse_dialect)b));
            RCS_TEXT_EQUAL(read, a == b ? "[a|f|{\"k\":1}][a|f|{\"k\":1}]" : part);
        }
    }
}

static void test_told_apart(void)
{
    static const struct {
        const char *reply;
        const char *read;
        enum recourse_dialect dialect;
    } cases[] = {
        {"[]", "", CHAT},
        {" [ ] ", "", CHAT},
        {"[{}]", "[||]", CHAT},
        {"[{\"id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\"}]", "[a|f|{}]", CHAT},
        {"[{\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\"}]", "[a|f|{}]", RESPONSES},
        {"[{\"id\":\"a\",\"name\":\"f\",\"input\":{}}]", "[a|f|{}]", ANTHROPIC},
        {"[{\"id\":\"a\",\"name\":\"f\",\"args\":{}}]", "[a|f|{}]", GEMINI},
        {"[{\"id\":\"a\",\"name\":\"f\"}]", "[a|f|]", CHAT},
        {"[{\"type\":\"unheard_of\",\"id\":\"a\",\"name\":\"f\"}]", "[a|f|\"unheard_of\"]", CHAT},
        {"[{\"type\":\"compaction\"},{\"type\":\"unheard_of\"}]", "", RESPONSES},
        {"{\"role\":\"assistant\",\"content\":\"hi\"}", "", CHAT},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}", "", ANTHROPIC},
        {"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\"}],\"tool_calls\":null}", "", CHAT},
        {"{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}", "",
         ANTHROPIC},
        {"{\"role\":\"assistant\",\"function_call\":{\"name\":\"f\",\"args\":{}}}", "[|f|]", CHAT},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        enum recourse_dialect dialect = RECOURSE_DIALECT_COUNT;

        RCS_TEXT_EQUAL(kit_read_calls(cases[i].reply, strlen(cases[i].reply), &dialect), cases[i].read);
        RCS_EQUAL(dialect, cases[i].dialect);
    }
}

static void test_could_be_two(void)
{
    static const struct kit_reading readings[] = {
        {"{\"choices\":[],\"candidates\":[]}",
         "E_SYNTAX: the reply at byte 0 could be of OpenAI chat completions or of Gemini"},
        {"  {\"tool_calls\":[],\"content\":[{\"type\":\"tool_use\"}]}",
         "E_SYNTAX: the reply at byte 2 could be of OpenAI chat completions or of Anthropic messages"},
        {"{\"object\":\"response\",\"parts\":[]}",
         "E_SYNTAX: the reply at byte 0 could be of OpenAI responses or of Gemini"},
        {"[{\"type\":\"tool_use\",\"function\":{\"name\":\"f\"}}]",
         "E_SYNTAX: the call at byte 1 could be of OpenAI chat completions or of Anthropic messages"},
        {"[{\"id\":\"a\",\"name\":\"f\",\"input\":{},\"args\":{}}]",
         "E_SYNTAX: the call at byte 1 could be of Anthropic messages or of Gemini"},
        {"[{\"id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\",\"input\":{}}]",
         "E_SYNTAX: the call at byte 1 could be of OpenAI chat completions or of Anthropic messages"},
        {"{\"tool_calls\":[{\"type\":\"function\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}]}",
         "E_SYNTAX: the call at byte 15 could be of OpenAI chat completions or of Anthropic messages"},
        {"{\"tool_calls\":[{},{\"id\":\"a\",\"name\":\"f\",\"args\":{}}]}",
         "E_SYNTAX: the call at byte 18 is of Gemini, in a reply of OpenAI chat completions"},
        /* what stands beside calls mixes as well */
        {"[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"reasoning\"}]",
         "E_SYNTAX: the list mixes dialects: the entry at byte 1 is of Anthropic messages, the one at byte 29 of "
         "OpenAI responses"},
        {"[{\"type\":\"new\"},{\"type\":\"tool_use\"},{\"id\":\"b\",\"name\":\"g\"}]",
         "E_SYNTAX: the list mixes dialects: the entry at byte 16 is of Anthropic messages, the one at byte 36 of "
         "OpenAI chat completions"},
        /* conversations are no lists of calls */
        {"[{\"role\":\"assistant\",\"content\":\"hi\"}]",
         "E_SYNTAX: the entry at byte 1 is no call but a whole reply of OpenAI chat completions: give one at a time"},
        {"[{\"type\":\"message\",\"content\":[{\"type\":\"tool_use\"}]}]",
         "E_SYNTAX: the entry at byte 1 is no call but a whole reply of Anthropic messages: give one at a time"},
    };

    kit_check_readings(CHAT, readings, RCS_COUNT(readings));
}

static void test_names(void)
{
    RCS_TEXT_EQUAL(recourse_dialect_name(ANTHROPIC), "Anthropic messages");
    RCS_TEXT_EQUAL(recourse_dialect_name(RECOURSE_DIALECT_COUNT), "unknown");
}

/* 10,000 calls are read, one more is refused; what is no call doesn't count. */
static void test_how_many(void)
{
    for (unsigned d = 0; d < RECOURSE_DIALECT_COUNT; d++) {
        size_t length = strlen(calls_of[d]) + 1;
        char *reply = malloc(10001 * length + 64);
        struct recourse_calls calls;
        size_t size = 1;

        CU_ASSERT_PTR_NOT_NULL_FATAL(reply);
        reply[0] = '[';
        for (unsigned i = 0; i < 10000; i++) {
            memcpy(reply + size, calls_of[d], length - 1);
            size += length;
            reply[size - 1] = ',';
        }
        reply[size - 1] = ']';
        RCS_EQUAL(recourse_calls_read((struct recourse_span){reply, size}, NULL, &calls, NULL), 0);
        RCS_EQUAL(calls.count, 10000);
        RCS_TEXT_EQUAL(kit_text(calls.requests[9999].arguments), "{\"k\":1}");
        recourse_calls_clear(&calls);
        reply[size - 1] = ',';
        memcpy(reply + size, calls_of[d], length - 1);
        reply[size + length - 1] = ']';
        RCS_EQUAL(recourse_calls_read((struct recourse_span){reply, size + length}, NULL, &calls, NULL),
                  RECOURSE_E_LIMIT);
        free(reply);
    }
}

/* Every beginning of a reply is an error, and no byte behind it is read. */
static void test_every_prefix(void)
{
    for (size_t i = 0; i < RCS_COUNT(places); i++) {
        const char *reply = place(i, calls_of[places[i].dialect]);
        size_t whole = strlen(reply);

        for (size_t size = 0; size < whole; size++) {
            char *copy = malloc(size + (size == 0));

            CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
            memcpy(copy, reply, size);
            CU_ASSERT_TRUE(is_error(kit_read_calls(copy, size, NULL), "the reply is not JSON"));
            free(copy);
        }
    }
}

static void fill(uint64_t *seed, char *bytes, size_t size)
{
    static const char pieces[] = "\"\\\0\x1b\x7f\n\xed\xa0\x80\xf4\x90\xc0\xc3\xa9\xf0\x9f\x98\x80u{}[]";

    for (size_t i = 0; i < size; i++) {
        uint32_t random = rcs_naive_random(seed);

        bytes[i] = random % 2 == 0 ? (char)(random >> 8) : pieces[(random >> 8) % (sizeof pieces - 1)];
    }
}

/* Whatever bytes a result is made of, what is written is strict JSON in strict UTF-8. */
static void test_random_bytes(void)
{
    uint64_t seed = 3;
    char id[16], tool[16], content[64], text[2048];

    for (unsigned i = 0; i < 20000; i++) {
        struct recourse_result result = {
            .call = {id, rcs_naive_random(&seed) % sizeof id},
            .tool = {tool, rcs_naive_random(&seed) % sizeof tool},
            .content = {content, rcs_naive_random(&seed) % sizeof content},
            .success = rcs_naive_random(&seed) % 2 == 0,
        };
        size_t size;

        fill(&seed, id, sizeof id);
        fill(&seed, tool, sizeof tool);
        fill(&seed, content, sizeof content);
        size = recourse_result_write((enum recourse_dialect)(i % RECOURSE_DIALECT_COUNT), &result, text, sizeof text);
        if (size >= sizeof text || !rcs_strict_json(text, size) || memchr(text, '\n', size) != NULL) {
            RCS_TEXT_EQUAL(text, "strict JSON");
        }
    }
}

/* The checker that the test above leans on. */
static void test_strict(void)
{
    static const char *const good[] = {
        "{}", "[]", "[0,-1,20.05e+3,1E9]", "\"\"", "[\"\\ud83d\\ude00\\n\",true]", "{\"a\":[{}]}", "\"\xf4\x8f\xbf\xbf\""};
    static const char *const bad[] = {"",
                                      "{",
                                      "[,]",
                                      "01",
                                      "-",
                                      "1.",
                                      ".5",
                                      "1e",
                                      "+1",
                                      "\"\n\"",
                                      "\"\\ud800\"",
                                      "\"\\udc00\"",
                                      "\"\\x\"",
                                      "\"\xff\"",
                                      "\"\xed\xa0\x80\"",
                                      "\"\xc3\"",
                                      "[] ",
                                      "{\"a\"}",
                                      "\"\\u12\"",
                                      "\"\xc0\x80\"",
                                      "\"\xf4\x90\x80\x80\"",
                                      "\"\xe0\x9f\xbf\"",
                                      "\"",
                                      "\"\\"};

    for (size_t i = 0; i < RCS_COUNT(good); i++) {
        CU_ASSERT_TRUE(rcs_strict_json(good[i], strlen(good[i])));
    }
    for (size_t i = 0; i < RCS_COUNT(bad); i++) {
        CU_ASSERT_FALSE(rcs_strict_json(bad[i], strlen(bad[i])));
    }
    CU_ASSERT_FALSE(rcs_strict_json("\"a\0b\"", 5));
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"every call in every place", test_every_call_in_every_place},
        {"mixtures", test_mixtures},
        {"told apart", test_told_apart},
        {"could be two", test_could_be_two},
        {"names", test_names},
        {"how many", test_how_many},
        {"every prefix", test_every_prefix},
        {"strict", test_strict},
        {"random bytes", test_random_bytes},
    };

    return rcs_unit_main("dialect_shapes", tests, RCS_COUNT(tests));
}
