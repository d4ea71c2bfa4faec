/* Answers of MCP tools that are several blocks: joined, and at a turn's budget left out whole, but the first is cut. */
#include "tests/unit/mcp_client_kit.h"

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}"
#define CUT(shown, all) "\n[truncated: " #shown " of " #all " characters shown]"

static const struct {
    const char *blocks;
    uint32_t limit; /* characters; 0: none */
    const char *content;
} cases[] = {
    {TEXT("one"), 0, "one"},
    {TEXT("one") "," TEXT("two") "," TEXT("three"), 0, "one\ntwo\nthree"},
    {TEXT("one") "," TEXT("two") "," TEXT("three"), 13, "one\ntwo\nthree"},
    {TEXT("one") "," TEXT("two") "," TEXT("three"), 12, "one\ntwo" CUT(7, 13)},
    {TEXT("one") "," TEXT("two") "," TEXT("three"), 7, "one\ntwo" CUT(7, 13)},
    {TEXT("one") "," TEXT("two") "," TEXT("three"), 6, "one" CUT(3, 13)},
    {TEXT("one") "," TEXT("two") "," TEXT("three"), 3, "one" CUT(3, 13)},
    {TEXT("one") "," TEXT("two") "," TEXT("three"), 2, "on" CUT(2, 13)},
    {TEXT("one\\nline") "," TEXT("two"), 6, "one" CUT(3, 12)},
    /* what fits behind one that does not is left out, too: there are no holes */
    {TEXT("one") "," TEXT("twentytwo") "," TEXT("x"), 8, "one" CUT(3, 15)},
    {TEXT("one") "," TEXT("two\\nlines"), 9, "one" CUT(3, 13)},
    {TEXT("") "," TEXT("two"), 3, "[truncated: 0 of 4 characters shown]"},
    {TEXT("") "," TEXT(""), 1, "\n"},
    {TEXT("\\u00e9\\u00e9") "," TEXT("\\u00e9\\u00e9"), 5, "\xc3\xa9\xc3\xa9\n\xc3\xa9\xc3\xa9"},
    {TEXT("\\u00e9\\u00e9") "," TEXT("\\u00e9\\u00e9"), 4, "\xc3\xa9\xc3\xa9" CUT(2, 5)},
    /* an escape sequence that does not end is its block's, and its block's alone */
    {TEXT("a\\u001b[31") "," TEXT("b"), 0, "a\nb"},
    {TEXT("a\\u001b[31mx") "," TEXT("b\\u0007"), 4, "ax" CUT(2, 5)},
    {IMAGE "," TEXT("seen"), 32, "[image: image/png, 3 bytes]\nseen"},
    {IMAGE "," TEXT("seen."), 32, "[image: image/png, 3 bytes]" CUT(27, 33)},
};

static void check(const char *blocks, uint32_t limit, const char *content)
{
    static char answer[65536];
    struct mcp_kit mcp;
    struct sim_answer answers[] = {MCP_JSON(MCP_HELLO), MCP_ACCEPTED, MCP_JSON(MCP_LIST(MCP_TOOL("find"))),
                                   MCP_JSON(answer)};
    struct recourse_turn *turn;

    snprintf(answer, sizeof answer, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[%s]}}", blocks);
    mcp_open(&mcp);
    mcp.kit.policy.policy.settings.output_limit = limit;
    sim_route(&mcp.kit.sim, "http://s/", answers, RCS_COUNT(answers));
    mcp_add(&mcp, "s");
    (void)mcp_list(&mcp);
    turn = mcp_call(&mcp, "find", "{}");
    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    RCS_TEXT_EQUAL(kit_content(turn, 0), content);
    RCS_EQUAL(recourse_turn_result(turn, 0)->truncated, strstr(content, "truncated") != NULL);
    mcp_close(&mcp);
}

static void test_cases(void)
{
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        check(cases[i].blocks, cases[i].limit, cases[i].content);
    }
}

/* Of more than 1,024 the ones behind are one with the last. */
static void test_many(void)
{
    static char blocks[65536];
    static char content[8192];
    size_t used = 0;
    size_t kept = 0;

    for (unsigned i = 0; i < 1100; i++) {
        used += (size_t)snprintf(blocks + used, sizeof blocks - used, "%s" TEXT("x"), i > 0 ? "," : "");
        kept += (size_t)snprintf(content + kept, sizeof content - kept, "%sx", i > 0 ? "\n" : "");
    }
    check(blocks, 0, content);
    check(blocks, 2199, content);
    snprintf(content + 2045, sizeof content - 2045, CUT(2045, 2199));
    check(blocks, 2198, content);
    check(blocks, 2045, content);
    snprintf(content + 2043, sizeof content - 2043, CUT(2043, 2199));
    check(blocks, 2044, content);
}

int main(void)
{
    static const struct rcs_test tests[] = {{"cases", test_cases}, {"many", test_many}};

    return rcs_unit_main("mcp_blocks", tests, RCS_COUNT(tests));
}
