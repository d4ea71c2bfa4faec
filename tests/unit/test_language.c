/* What spec/README.md says of conditions: each row of its table holds, or does not, on the model and in src/core. */
#include <recourse/call.h>

#include "gen/compile.h"
#include "tests/unit/unit.h"

#define PAGE "spec/README.md"
#define PROBE "tests/cli/probe.policy.md"
#define HEADER "| condition | facts | holds |\n"

static struct rcs_arena arena;

struct claim {
    const char *condition;
    const char *facts;
    const char *holds;
};

static char *read_file(const char *path)
{
    const char *why;
    size_t size;
    char *text = rcs_file_read(&arena, path, &size, &why);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    return text;
}

/* Cuts the next cell out of a row: without the bar, the blanks, and the marks of code around it. */
static char *next_cell(char **row)
{
    char *cell = *row + strspn(*row, "| `");
    char *end = strstr(cell, " |");

    CU_ASSERT_PTR_NOT_NULL_FATAL(end);
    *row = end + 1;
    if (end > cell && end[-1] == '`') {
        end--;
    }
    *end = '\0';
    return cell;
}

static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    return rcs_arena_format(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void judge(const struct claim *claim, const char *probe)
{
    struct rcs_findings findings = {.arena = &arena};
    char *text = replaced(probe, "| F1 | http 429 |", rcs_arena_format(&arena, "| F1 | %s |", claim->condition));
    const bool expected = strcmp(claim->holds, "yes") == 0;
    struct recourse_judgement judgement;
    struct rcs_machine *machine;
    struct rcs_spec *spec;

    text = replaced(text, "| Y1 | http 404 |", rcs_arena_format(&arena, "| Y1 | %s |", claim->facts));
    spec = rcs_spec_read(&arena, PROBE, text, strlen(text), &findings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
    machine = rcs_unroll(&arena, spec, &findings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    recourse_classify(rcs_bind(&arena, spec, machine, &findings), &spec->facts[0].facts, &judgement);
    if ((rcs_model_classify(spec, &spec->facts[0].facts) == 0) != expected || (judgement.fact_row == 0) != expected) {
        printf("%s / %s\n", claim->condition, claim->facts);
    }
    CU_ASSERT(expected || strcmp(claim->holds, "no") == 0);
    RCS_EQUAL(rcs_model_classify(spec, &spec->facts[0].facts) == 0, expected);
    RCS_EQUAL(judgement.fact_row == 0, expected);
}

static void test_conditions(void)
{
    const char *probe = read_file(PROBE);
    char *row = strstr(read_file(PAGE), HEADER);
    unsigned count = 0;
    char *rest;

    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    row = strchr(row + strlen(HEADER), '\n') + 1;
    *strstr(row, "\n\n") = '\0';
    for (row = strtok_r(row, "\n", &rest); row != NULL; row = strtok_r(NULL, "\n", &rest)) {
        struct claim claim;

        claim.condition = next_cell(&row);
        row++;
        claim.facts = next_cell(&row);
        row++;
        claim.holds = next_cell(&row);
        judge(&claim, probe);
        count++;
    }
    CU_ASSERT(count > 30);
    rcs_arena_clear(&arena);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"conditions are as spec/README.md says", test_conditions},
    };

    return rcs_unit_main("language", tests, RCS_COUNT(tests));
}
