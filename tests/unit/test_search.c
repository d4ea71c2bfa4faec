#include "gen/search.h"
#include "tests/unit/naive.h"
#include "tests/unit/unit.h"

#define HITS (RECOURSE_PATTERNS_MAX / 64)

static struct rcs_arena arena;

/* The hits of a text that is fed in blocks of `block` bytes, as a string of 0 and 1. */
static const char *feed(const struct rcs_search *search, size_t count, const char *text, size_t size, size_t block)
{
    char *found = rcs_arena_alloc(&arena, count + 1);
    uint64_t hits[HITS] = {0};
    uint32_t matcher = 0;

    for (size_t at = 0; at < size; at += block) {
        rcs_search_feed(search, &matcher, text + at, size - at < block ? size - at : block, hits);
    }
    rcs_search_feed(search, &matcher, NULL, 0, hits);
    RCS_EQUAL(matcher, 0);
    for (size_t i = 0; i < count; i++) {
        found[i] = (hits[i / 64] >> i % 64 & 1) != 0 ? '1' : '0';
    }
    return found;
}

static const char *naive(const struct rcs_pattern *patterns, size_t count, const char *text, size_t size)
{
    char *found = rcs_arena_alloc(&arena, count + 1);

    for (size_t i = 0; i < count; i++) {
        found[i] = rcs_naive_find(&patterns[i], text, size) ? '1' : '0';
    }
    return found;
}

static const struct {
    const char *pattern;
    bool word;
    const char *text;
    bool found;
} boundaries[] = {
    {"429", false, "1429", true},
    {"429", true, "429", true},
    {"429", true, "1429", false},
    {"429", true, "4290", false},
    {"429", true, "a429", false},
    {"429", true, "429a", false},
    {"429", true, "_429", false},
    {"429", true, "429_", false},
    {"429", true, "-429-", true},
    {"429", true, "1.429", false},
    {"429", true, "1,429", false},
    {"429", true, "429.1", false},
    {"429", true, "429,1", false},
    {"429", true, ".429", true},
    {"429", true, "a.429", true},
    {"429", true, "..429", true},
    {"429", true, "429.", true},
    {"429", true, "429.a", true},
    {"429", true, "429..1", true},
    {"429", true, "429, 1", true},
    {"429", true, "1429 429", true},
    {"429", true, "429429 429.429", false},
    {"429", true, "429.429 429", true},
    {"429", true, "429 429.1", true},
    {"429", true, "\xc3" "429\xa9", true},
    {"429", true, "", false},
    {"429", true, "42", false},
    {"busy", true, "BUSY", true},
    {"busy", true, "busybody", false},
    {"busy", true, "1.busy", true},
    {"busy", true, "busy.1", true},
    {"busy", true, "so busy", true},
    {"busy", true, "busy2", false},
    {"e 429", true, "1.e 429", true},
    {"e 429", true, "e 429.5", false},
    {"429 e", true, "1.429 e", false},
    {"429 e", true, "429 e.5", true},
    {"1.5", true, "1.5", true},
    {"1.5", true, "11.5", false},
    {"1.5", true, "1.5.1", false},
    {"1.1", true, "1.1.1.1", false},
    {"(429)", true, "1(429)1", false},
    {"(429)", true, "x (429) y", true},
    {"e", true, "e", true},
    {"5", true, "5", true},
    {"5", true, "5,5", false},
    {"rate limit", false, "xRATE LIMITx", true},
    {"aab", false, "aaab", true},
};

static void test_boundaries(void)
{
    for (size_t i = 0; i < RCS_COUNT(boundaries); i++) {
        const struct rcs_pattern pattern = {.text = boundaries[i].pattern, .word = boundaries[i].word};
        const struct rcs_search *search = rcs_search_new(&arena, &pattern, 1);
        const char *expected = boundaries[i].found ? "1" : "0";
        size_t size = strlen(boundaries[i].text);

        RCS_TEXT_EQUAL(feed(search, 1, boundaries[i].text, size, 1000), expected);
        RCS_TEXT_EQUAL(feed(search, 1, boundaries[i].text, size, 1), expected);
        RCS_TEXT_EQUAL(naive(&pattern, 1, boundaries[i].text, size), expected);
    }
    rcs_arena_clear(&arena);
}

static void test_random_texts(void)
{
    static const struct rcs_pattern patterns[] = {
        {"429", false}, {"429", true},   {"a", true},   {"1", true},    {"14", false},  {"a.1", true}, {"1.a", true},
        {"1,4", true},  {"aab", false},  {"abab", true}, {"b a", true}, {"_1", true},   {"a_", true},  {"2.9", true},
        {"e", false},   {"-1", true},    {"1-", true},  {".", true},    {".4", true},   {"4.", true},  {", ", false},
    };
    const struct rcs_search *search = rcs_search_new(&arena, patterns, RCS_COUNT(patterns));
    uint64_t seed = 7;
    char text[200];

    for (unsigned i = 0; i < 4000; i++) {
        size_t size = rcs_naive_text(&seed, patterns, RCS_COUNT(patterns), text, i % 2 == 0 ? 76 : sizeof text);
        size_t block = 1 + rcs_naive_random(&seed) % 9;
        const char *expected = naive(patterns, RCS_COUNT(patterns), text, size);

        RCS_TEXT_EQUAL(feed(search, RCS_COUNT(patterns), text, size, block), expected);
    }
    rcs_arena_clear(&arena);
}

static void test_hits_are_only_added_to(void)
{
    static const struct rcs_pattern patterns[] = {{"x", false}, {"y", false}};
    const struct rcs_search *search = rcs_search_new(&arena, patterns, 2);
    uint64_t hits[HITS] = {UINT64_C(1) << 40, 0, 0, 5};
    uint32_t matcher = 0;

    rcs_search_feed(search, &matcher, "y", 1, hits);
    RCS_EQUAL(hits[0], (INT64_C(1) << 40) + 2);
    RCS_EQUAL(hits[3], 5);
    rcs_search_feed(search, &matcher, NULL, 0, hits);
    RCS_EQUAL(matcher, 0);

    matcher = 12345678; /* nobody's state: nothing is read, nothing is found */
    rcs_search_feed(search, &matcher, "x", 1, hits);
    RCS_EQUAL(hits[0], (INT64_C(1) << 40) + 2);
    RCS_EQUAL(matcher, 12345678);
    rcs_arena_clear(&arena);
}

static void test_high_numbers(void)
{
    struct rcs_pattern patterns[RECOURSE_PATTERNS_MAX];
    const struct rcs_search *search;
    char expected[RECOURSE_PATTERNS_MAX + 1];

    for (size_t i = 0; i < RECOURSE_PATTERNS_MAX; i++) {
        patterns[i].text = rcs_arena_format(&arena, "p%zu", i);
        patterns[i].word = true;
        expected[i] = i == 0 || i == 63 || i == 64 || i == 255 ? '1' : '0';
    }
    expected[RECOURSE_PATTERNS_MAX] = '\0';
    search = rcs_search_new(&arena, patterns, RECOURSE_PATTERNS_MAX);
    RCS_TEXT_EQUAL(feed(search, RECOURSE_PATTERNS_MAX, "p0 p63,p64;p255 p256", 20, 3), expected);
    rcs_arena_clear(&arena);
}

static void test_nothing_to_look_for(void)
{
    const struct rcs_pattern empty = {.text = "", .word = true};

    RCS_TEXT_EQUAL(feed(rcs_search_new(&arena, NULL, 0), 0, "text", 4, 4), "");
    RCS_TEXT_EQUAL(feed(rcs_search_new(&arena, &empty, 1), 1, "text", 4, 4), "0");
    rcs_arena_clear(&arena);
}

/* Long texts that differ early need a state for each byte of each. */
static void test_too_many_states(void)
{
    struct rcs_pattern patterns[RECOURSE_PATTERNS_MAX];

    for (size_t i = 0; i < RECOURSE_PATTERNS_MAX; i++) {
        char *text = rcs_arena_alloc(&arena, 301);

        for (size_t j = 0; j < 300; j++) {
            text[j] = (char)('a' + ((i >> j % 8 & 1) ^ (j / 8 & 1)));
        }
        patterns[i].text = text;
        patterns[i].word = false;
    }
    CU_ASSERT_PTR_NULL(rcs_search_new(&arena, patterns, RECOURSE_PATTERNS_MAX));
    CU_ASSERT_PTR_NOT_NULL(rcs_search_new(&arena, patterns, 8));
    rcs_arena_clear(&arena);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"boundaries", test_boundaries},
        {"random texts", test_random_texts},
        {"hits are only added to", test_hits_are_only_added_to},
        {"high numbers", test_high_numbers},
        {"nothing to look for", test_nothing_to_look_for},
        {"too many states", test_too_many_states},
    };

    return rcs_unit_main("search", tests, RCS_COUNT(tests));
}
