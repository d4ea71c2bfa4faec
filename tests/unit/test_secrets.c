/* Values of variables, which are shown as their names. */
#include "src/cli/secrets.h"
#include "tests/unit/unit.h"

static struct rcs_arena arena;
static struct rcs_secrets secrets;

static void learn(void)
{
    secrets = (struct rcs_secrets){NULL, 0};
    rcs_secrets_add(&arena, &secrets, "KEY", "hunter2");
    rcs_secrets_add(&arena, &secrets, "LONG", "hunter2-and-more");
    rcs_secrets_add(&arena, &secrets, "PIN", "12345678");
    rcs_secrets_add(&arena, &secrets, "QUOTE", "a\",\"b\":\"");
    rcs_secrets_add(&arena, &secrets, "SHORT", "five5");
    rcs_secrets_add(&arena, &secrets, "EMPTY", "");
    rcs_secrets_add(&arena, &secrets, "KEY", "hunter2");
}

static void test_what_counts(void)
{
    learn();
    RCS_EQUAL(secrets.count, 4);
    rcs_arena_clear(&arena);
}

static void test_texts(void)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"nothing here", "nothing here"},
        {"hunter2", "${KEY}"},
        {"hunter2hunter2", "${KEY}${KEY}"},
        {"a hunter2-and-more b", "a ${LONG} b"},
        {"a hunter2-and-mor", "a ${KEY}-and-mor"},
        {"hunterhunter2 hunter", "hunter${KEY} hunter"},
        {"five5 and 12345678", "five5 and ${PIN}"},
        {"a hunter2-and-mo... b", "a ${LONG}... b"},
        {"a hunter2-and...", "a ${LONG}..."},
        {"123456\n[truncated: 6 of 8 characters shown]", "${PIN}\n[truncated: 6 of 8 characters shown]"},
        {"12345... 123456, hunter2... 123456..", "12345... 123456, ${KEY}... 123456.."},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        learn();
        RCS_TEXT_EQUAL(rcs_secrets_hide_text(&arena, &secrets, cases[i][0]), cases[i][1]);
        rcs_arena_clear(&arena);
    }
}

/* Bytes that are not text, and none at all. */
static void test_spans(void)
{
    struct recourse_span shown;

    learn();
    shown = rcs_secrets_hide(&arena, &secrets, (struct recourse_span){"\0hunter2\0\xff", 10});
    RCS_EQUAL(shown.size, 9);
    RCS_EQUAL(memcmp(shown.data, "\0${KEY}\0\xff", 9), 0);
    shown = rcs_secrets_hide(&arena, &secrets, (struct recourse_span){NULL, 0});
    RCS_EQUAL(shown.data == NULL && shown.size == 0, true);
    shown = rcs_secrets_hide(&arena, NULL, (struct recourse_span){"hunter2", 7});
    RCS_EQUAL(shown.size, 7);
    rcs_arena_clear(&arena);
}

static void expect_json(const char *json, const char *expected)
{
    struct recourse_span shown;

    learn();
    shown = rcs_secrets_hide_json(&arena, &secrets, (struct recourse_span){json, strlen(json)});
    RCS_TEXT_EQUAL(rcs_arena_copy(&arena, shown.data == NULL ? "" : shown.data, shown.size), expected);
    rcs_arena_clear(&arena);
}

static void test_json_stays_json(void)
{
    expect_json("{\"k\":\"is hunter2\"}", "{\"k\":\"is ${KEY}\"}");
    expect_json("{\"k\":\"12345678\"}", "{\"k\":\"${PIN}\"}");
    expect_json("{\"k\":12345678}", "");
    expect_json("{\"k\":\"a\",\"b\":\"c\"}", "{\"k\":\"${QUOTE}c\"}");
    expect_json("{\"a\",\"b\":\"c\"}", "");
    expect_json("{\"k\":1}", "{\"k\":1}");
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"values that are long enough, each once", test_what_counts},
        {"names in the place of values", test_texts},
        {"any bytes", test_spans},
        {"JSON stays JSON", test_json_stays_json},
    };

    return rcs_unit_main("secrets", tests, RCS_COUNT(tests));
}
