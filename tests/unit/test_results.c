/* Results: cut, cleaned, structured, and in which order they come. */
#include "tests/unit/run_kit.h"

static struct kit kit;

static void test_truncated(void)
{
    static const struct {
        uint32_t budget; /* of a turn of two calls */
        uint32_t limit;
        bool tokens;
        const char *body;
        const char *content;
    } cases[] = {
        {0, 0, false, "0123456789abcdef", "0123456789abcdef"},
        {8, 0, false, "0123456789abcdef", "0123456789abcdef"},
        {8, 0, false, "0123456789abcdefg", "0123456789abcdef\n[truncated: 16 of 17 characters shown]"},
        {5, 0, false, "0123\n6789abcdefg", "0123\n[truncated: 4 of 16 characters shown]"},
        {1, 0, false, "01234", "0123\n[truncated: 4 of 5 characters shown]"},
        {0, 6, false, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n[truncated: 6 of 7 characters shown]"},
        {0, 2, true, "012345678", "01234567\n[truncated: 8 of 9 characters shown]"},
        {8, 3, false, "0123456789abcdefg", "012\n[truncated: 3 of 17 characters shown]"},
        {2, 100, true, "0123456789", "0123\n[truncated: 4 of 10 characters shown]"},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct sim_answer answers[] = {{.status = 200, .body = cases[i].body}};
        struct recourse_call_request calls[] = {kit_call("a", "lookup", "{}"), kit_call("b", "lookup", "[")};
        struct recourse_turn_options options;
        struct recourse_turn *turn;

        kit_open(&kit, NULL);
        kit.policy.policy.settings.output_limit = cases[i].limit;
        kit.policy.policy.settings.output_tokens = cases[i].tokens;
        kit_http(&kit, "lookup", true);
        sim_route(&kit.sim, "http://lookup/", answers, 1);
        options = kit_turn(&kit, calls, 2);
        options.token_budget = cases[i].budget;
        RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, NULL), 0);
        kit_finish(&kit, turn);
        RCS_TEXT_EQUAL(kit_content(turn, 0), cases[i].content);
        RCS_EQUAL(recourse_turn_result(turn, 0)->truncated, strstr(cases[i].content, "truncated") != NULL);
        /* what a model is told about a failure is never cut */
        CU_ASSERT_FALSE(recourse_turn_result(turn, 1)->truncated);
        kit_close(&kit);
    }
}

/* Where a row has no message the model reads the tool's own words, bounded as a success is. */
static void test_words_of_a_failure(void)
{
    static char body[RECOURSE_TEXT_MAX + 64];
    struct sim_answer answers[] = {{.status = 400, .body = body}};
    const struct recourse_result *result;
    struct recourse_turn *turn;

    for (unsigned round = 0; round < 4; round++) {
        kit_open(&kit, NULL);
        kit.policy.policy.settings.output_limit = round == 1 ? 10 : 0;
        kit.policy.rows[TOY_A4].message = RECOURSE_NONE;
        kit_http(&kit, "lookup", true);
        memset(body, 'x', sizeof body - 1);
        strcpy(body, round < 2 ? "no such field\nnor any other" : "");
        memset(body + strlen(body), 'x', round < 2 ? 0 : sizeof body - 1);
        if (round == 3) { /* a code point of three bytes lies across the bound */
            memcpy(body + RECOURSE_TEXT_MAX - 1, "\xe2\x82\xac", 3);
        }
        sim_route(&kit.sim, "http://lookup/", answers, 1);
        turn = kit_start_one(&kit, "lookup", "{}");
        kit_finish(&kit, turn);
        result = recourse_turn_result(turn, 0);
        CU_ASSERT_FALSE(result->success);
        RCS_EQUAL(result->truncated, round == 1);
        if (round < 2) {
            RCS_TEXT_EQUAL(kit_text(result->detail), "no such field\nnor any other");
            RCS_TEXT_EQUAL(kit_content(turn, 0), round == 0 ? "no such field\nnor any other"
                                                            : "no such fi\n[truncated: 10 of 27 characters shown]");
        } else {
            RCS_EQUAL(result->detail.size, RECOURSE_TEXT_MAX - (round == 3));
            RCS_EQUAL(result->detail.data[result->detail.size - 1], 'x');
        }
        RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
        kit_close(&kit);
    }
}

/* A budget is shared by all calls of the turn, each with a token at least; a policy's limit may be less. */
static void test_budget_of_many(void)
{
    static const struct sim_answer answers[] = {{.status = 200, .body = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and more"}};
    struct recourse_call_request calls[5];
    struct recourse_turn_options options;
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_http(&kit, "lookup", true);
    sim_route(&kit.sim, "http://lookup/", answers, 1);
    for (size_t i = 0; i < 5; i++) {
        calls[i] = kit_call("", "lookup", "{}");
    }
    options = kit_turn(&kit, calls, 5);
    options.token_budget = 4;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, NULL), 0);
    kit_finish(&kit, turn);
    for (size_t i = 0; i < 5; i++) {
        RCS_TEXT_EQUAL(kit_content(turn, i),
                       "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \n[truncated: 4 of 12 characters shown]");
    }
    kit_close(&kit);
}

static void test_structured(void)
{
    static const struct {
        const char *body;
        const char *structured;
        const char *content;
    } cases[] = {
        {"{\"a\":1}", "{\"a\":1}", "{\"a\":1}"},
        {" {\"a\":1}\n", "{\"a\":1}", " {\"a\":1}\n"},
        {"{\"a\":\"\x7f\"}", "{\"a\":\"\x7f\"}", "{\"a\":\"\xef\xbf\xbd\"}"},
        {"[1]", "", "[1]"},
        {"{\"a\":1", "", "{\"a\":1"},
        {"{}x", "", "{}x"},
        {"", "", ""},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct sim_answer answers[] = {{.status = 200, .body = cases[i].body}};
        struct recourse_turn *turn = kit_run_one(&kit, answers, 1);

        RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->structured), cases[i].structured);
        RCS_TEXT_EQUAL(kit_content(turn, 0), cases[i].content);
        kit_close(&kit);
    }
}

/* The whole object stays, also where what the model reads was cut. */
static void test_structured_and_cut(void)
{
    static const struct sim_answer answers[] = {{.status = 200, .body = "{\"a\":\"0123456789\"}"}};
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit.policy.policy.settings.output_limit = 4;
    kit_http(&kit, "lookup", true);
    sim_route(&kit.sim, "http://lookup/", answers, 1);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->structured), "{\"a\":\"0123456789\"}");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "{\"a\"\n[truncated: 4 of 18 characters shown]");
    kit_close(&kit);
}

/* Results come as they come; the turn keeps the order of the calls. */
static void test_at_once(void)
{
    static const struct sim_answer slow[] = {{.after_ms = 90, .status = 200, .body = "slow"}};
    static const struct sim_answer fast[] = {{.after_ms = 10, .status = 200, .body = "fast"}};
    static const struct sim_answer broken[] = {{.status = 503, .phrase = "timeout"},
                                               {.after_ms = 5, .status = 200, .body = "ok"}};
    struct recourse_call_request calls[] = {kit_call("a", "slow", "{}"), kit_call("b", "broken", "{}"),
                                            kit_call("c", "fast", "{}"), kit_call("d", "fast", "{")};
    static const size_t order[] = {3, 2, 0, 1};
    static const uint64_t at_ms[] = {0, 10, 90, 205};
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    kit_http(&kit, "slow", true);
    kit_http(&kit, "fast", true);
    kit_http(&kit, "broken", true);
    sim_route(&kit.sim, "http://slow/", slow, 1);
    sim_route(&kit.sim, "http://fast/", fast, 1);
    sim_route(&kit.sim, "http://broken/", broken, 2);
    turn = kit_start(&kit, calls, 4);
    RCS_EQUAL(recourse_turn_count(turn), 4);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_OPEN);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.results, 4);
    RCS_EQUAL(kit.done, 1);
    for (size_t i = 0; i < 4; i++) {
        RCS_EQUAL(kit.order[i], order[i]);
        RCS_EQUAL(kit.at_ms[i], KIT_START_MS + at_ms[i]);
    }
    CU_ASSERT_PTR_NULL(recourse_turn_result(turn, 4));
    kit_close(&kit);
}

static void test_empty_turn(void)
{
    struct recourse_turn *turn;

    kit_open(&kit, NULL);
    turn = kit_start(&kit, NULL, 0);
    CU_ASSERT_FALSE(recourse_turn_done(turn));
    RCS_EQUAL(kit.done, 0);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.done, 1);
    RCS_EQUAL(kit.results, 0);
    RCS_EQUAL(recourse_run_status(kit.run), RECOURSE_RUN_ANSWERED);
    recourse_turn_free(kit_start(&kit, NULL, 0));
    kit_settle(&kit);
    RCS_EQUAL(kit.done, 1);
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"truncated", test_truncated},
        {"words of a failure", test_words_of_a_failure},
        {"budget of many", test_budget_of_many},
        {"structured", test_structured},
        {"structured and cut", test_structured_and_cut},
        {"at once", test_at_once},
        {"empty turn", test_empty_turn},
    };

    return rcs_unit_main("results", tests, RCS_COUNT(tests));
}
