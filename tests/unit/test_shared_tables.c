/* The tables Budgets and Breakers, the column `cost`, and what is found wrong with them: one change at a time. */
#include "tests/unit/policy_load.h"

#define PATH "tests/policies/shared.policy.md"

#define RETRIES "| retries | runner | 500 | - | - | cost, else 1 |"
#define DOWN "| down | server | unavailable, unreachable | 5 in 30s | 20s | 2 |"
#define SLOW "| obey up to 30s, else stop | 5 of retries |"

static const struct {
    const char *was;
    const char *is;
    const char *code; /* the first finding of this severity; NULL: there is none */
    const char *text; /* is in it */
    uint8_t severity;
} changes[] = {
    {RETRIES, "| retries | runner | 500 | 500 | - | cost |", NULL, NULL, RCS_ERROR},
    {RETRIES, "| retries | tool | 1000000 | - | - | - |", NULL, NULL, RCS_ERROR},
    {RETRIES, "| retries | host | 500 | - | - | 1 |", "shared-by", "runner", RCS_ERROR},
    {RETRIES, "| retries | runner | 0 | - | - | 1 |", "range", "", RCS_ERROR},
    {RETRIES, "| retries | runner | 1000001 | - | - | 1 |", "range", "", RCS_ERROR},
    {RETRIES, "| retries | runner | 500 | 501 | - | 1 |", "range", "", RCS_ERROR},
    {RETRIES, "| retries | runner | 500 | - | 501 | 1 |", "range", "", RCS_ERROR},
    {RETRIES, "| retries | runner | 500 | - | - | cost else 1 |", "syntax", "', else 1'", RCS_ERROR},
    {RETRIES, "| retries | runner | 500 | - | - | cost, 1 |", "syntax", "else", RCS_ERROR},
    {RETRIES, "| retries | runner | 500 | - | - | half |", "syntax", "a number of tokens", RCS_ERROR},
    {RETRIES, RETRIES "\n| b1 | tool | 1 | - | - | - |\n| b2 | tool | 1 | - | - | - |\n| b3 | tool | 1 | - | - | - |",
     "too-many", "at most 4 rows", RCS_ERROR},
    {RETRIES, "| retries | runner | 13 | - | - | 1 |", "over-cost", "can never begin", RCS_ERROR},
    {RETRIES, "| retries | runner | 500 | - | 490 | 1 |", "over-cost", "a failure takes 490", RCS_ERROR},
    {RETRIES, RETRIES "\n| spare | tool | 1 | - | - | - |", "unused", "no wait draws on the budget 'spare'", RCS_WARNING},
    {SLOW, "| obey up to 30s, else stop | 0 of retries |", "idle-cost", "never over budget", RCS_WARNING},
    {SLOW, "| obey up to 30s, else stop | - |", "example", "'limited!budget' can't be", RCS_ERROR},
    {SLOW, "| obey up to 30s, else stop | 5 of retry |", "undeclared", "'retry' is not in the table of '## Budgets'", RCS_ERROR},
    {SLOW, "| obey up to 30s, else stop | 5 retries |", "syntax", "of", RCS_ERROR},
    {SLOW, "| obey up to 30s, else stop | retries |", "syntax", "5 of retries", RCS_ERROR},
    {DOWN, "| down | runner | unavailable | 100 | 720h | 100 |", NULL, NULL, RCS_ERROR},
    {DOWN, "| down | server | failed | 5 | 20s | 2 |", "breaker-counts", "row F4", RCS_ERROR},
    {DOWN, "| down | server | limited | 5 | 20s | 2 |", "breaker-counts", "row F1", RCS_ERROR},
    {DOWN, "| down | server | unavailable, unavailable | 5 | 20s | 2 |", "repeated-name", "twice", RCS_ERROR},
    {DOWN, "| down | server | gone | 5 | 20s | 2 |", "undeclared", "'gone'", RCS_ERROR},
    {DOWN, "| down | server | unavailable | 0 | 20s | 2 |", "range", "", RCS_ERROR},
    {DOWN, "| down | server | unavailable | 101 | 20s | 2 |", "range", "", RCS_ERROR},
    {DOWN, "| down | server | unavailable | 5 within 30s | 20s | 2 |", "syntax", "'in' and a duration", RCS_ERROR},
    {DOWN, "| down | server | unavailable | 5 | none | 2 |", "syntax", "a duration like 20s", RCS_ERROR},
    {DOWN, "| down | server | unavailable | 5 | 20s | 0 |", "range", "", RCS_ERROR},
    {DOWN, "| retries | server | unavailable | 5 | 20s | 2 |", "repeated-id", "'retries'", RCS_ERROR},
    {"| P2 | circuit_open | reported |", "| P2 | circuit_open | attempt |", "next", "only 'ready'", RCS_ERROR},
    {"| B2 | circuit_open | reported |", "| B2 | circuit_open | attempt |", "next", "only 'elapsed'", RCS_ERROR},
    {"| A7 | unrecorded | - | reported | - | unwritten | - |", "| A7 | unrecorded | - | exhausted | - | - | - |", "next",
     "was not tried", RCS_ERROR},
    {"| A7 | unrecorded | - | reported | - | unwritten | - |\n", "", "gap", "'unrecorded'", RCS_ERROR},
    {"| B2 | circuit_open | reported | spared | over |\n", "", "gap", "'circuit_open'", RCS_ERROR},
    {"| audit | refuse |\n", "", "never-used", "switch off", RCS_WARNING},
    {"| E1 | other | over budget |", "| E1 | other | out of time |", "gap", "over budget", RCS_ERROR},
};

static const struct rcs_finding *first_of(const struct rcs_findings *findings, uint8_t severity, const char *code)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity == severity && (code == NULL || strcmp(findings->items[i].code, code) == 0)) {
            return &findings->items[i];
        }
    }
    return NULL;
}

static void test_changes(void)
{
    for (size_t i = 0; i < RCS_COUNT(changes); i++) {
        struct rcs_arena arena = {0};
        struct rcs_findings findings = {.arena = &arena};
        const char *text = rcs_policy_text(&arena, PATH);
        const char *at = strstr(text, changes[i].was);
        const struct rcs_finding *found;
        struct rcs_loaded loaded;

        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
        text = rcs_arena_format(&arena, "%.*s%s%s", (int)(at - text), text, changes[i].is, at + strlen(changes[i].was));
        rcs_load(&arena, PATH, text, strlen(text), &findings, &loaded);
        found = first_of(&findings, changes[i].severity, changes[i].code);
        if ((found == NULL) != (changes[i].code == NULL) ||
            (found != NULL && strstr(found->text, changes[i].text) == NULL)) {
            printf("%s: %s: %s\n", changes[i].is, found == NULL ? "nothing" : found->code,
                   found == NULL ? "" : found->text);
            CU_FAIL("another finding");
        }
        rcs_arena_clear(&arena);
    }
}

static void test_values(void)
{
    struct rcs_loaded_policy at;
    const struct recourse_policy *policy;

    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&at, PATH, NULL));
    policy = at.policy;
    RCS_EQUAL(policy->budget_count, 2);
    RCS_TEXT_EQUAL(policy->budgets[0].id, "retries");
    RCS_EQUAL(policy->budgets[0].shared_by, RECOURSE_SHARED_BY_RUNNER);
    RCS_EQUAL(policy->budgets[0].holds, 500);
    RCS_EQUAL(policy->budgets[0].needs, 0);
    RCS_EQUAL(policy->budgets[0].takes, 0);
    RCS_EQUAL(policy->budgets[0].gives, 1);
    RCS_EQUAL(policy->budgets[0].gives_cost, true);
    RCS_EQUAL(policy->budgets[1].shared_by, RECOURSE_SHARED_BY_SERVER);
    RCS_EQUAL(policy->budgets[1].needs, 51);
    RCS_EQUAL(policy->budgets[1].takes, 10);
    RCS_EQUAL(policy->budgets[1].gives_cost, false);
    RCS_EQUAL(policy->waits[1].budget, 1);
    RCS_EQUAL(policy->waits[1].cost, 14);
    RCS_EQUAL(policy->waits[2].budget, 2);
    RCS_EQUAL(policy->waits[2].cost, 0);
    RCS_EQUAL(policy->breaker_count, 2);
    RCS_EQUAL(policy->breakers[0].counts, 6);
    RCS_EQUAL(policy->breakers[0].opens_after, 5);
    CU_ASSERT_EQUAL(policy->breakers[0].within_ms, 30000);
    CU_ASSERT_EQUAL(policy->breakers[0].stays_open_ms, 20000);
    RCS_EQUAL(policy->breakers[0].lets_through, 2);
    RCS_EQUAL(policy->breakers[1].shared_by, RECOURSE_SHARED_BY_TOOL);
    CU_ASSERT_EQUAL(policy->breakers[1].within_ms, 0);
    rcs_clear_policy(&at);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"one change at a time", test_changes},
        {"values", test_values},
    };

    return rcs_unit_main("shared_tables", tests, RCS_COUNT(tests));
}
