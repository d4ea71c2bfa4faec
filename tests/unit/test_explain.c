/* The pages of `check --explain`: each code has one, and its example really comes to that finding. */
#include "gen/compile.h"
#include "src/cli/explain.h"
#include "tests/unit/unit.h"

#define SPEC "spec/lightspeed.policy.md"

static struct rcs_arena arena;

static char *changed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);

    if (at == NULL) {
        printf("    not in the policy: %s\n", from);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    return rcs_arena_format(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static bool comes_to(const char *code, const char *path, const char *text)
{
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;

    rcs_load(&arena, path, text, strlen(text), &findings, &loaded);
    for (size_t i = 0; i < findings.count; i++) {
        if (strcmp(findings.items[i].code, code) == 0) {
            return true;
        }
    }
    printf("    the example of %s comes to\n", code);
    for (size_t i = 0; i < findings.count; i++) {
        printf("      %s[%s] %s\n", rcs_severity_name(findings.items[i].severity), findings.items[i].code,
               findings.items[i].text);
    }
    return false;
}

static const char *lightspeed(void)
{
    size_t size;
    const char *why;
    const char *text = rcs_file_read(&arena, SPEC, &size, &why);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    return text;
}

static void test_examples(void)
{
    const struct rcs_code_example *example;
    unsigned count = 0;

    for (size_t i = 0; (example = rcs_example_at(i)) != NULL; i++) {
        const char *text;

        if (example->shown != NULL) {
            CU_ASSERT_PTR_NULL(example->from);
            continue;
        }
        text = lightspeed();
        if (example->to == NULL) {
            CU_ASSERT_PTR_NOT_NULL(strstr(text, example->from));
        } else {
            text = changed(text, example->from, example->to);
            text = example->also_from == NULL ? text : changed(text, example->also_from, example->also_to);
        }
        CU_ASSERT(comes_to(example->code, SPEC, text));
        count++;
        rcs_arena_clear(&arena);
    }
    CU_ASSERT(count > 80);
}

/* Those that are told in words. What a program that is missing comes to is tested with the command. */
static void test_shown(void)
{
    static const char *const by_programs[] = {"cc", "endless", "io", "not-text", "ragel", "ragel-differs", "worst-case"};
    char *letters = rcs_arena_alloc(&arena, 5001);
    char *bars = rcs_arena_alloc(&arena, 66 * 2 + 2);
    const struct rcs_code_example *example;
    unsigned shown = 0;
    const char *text;
    const char *end;

    for (size_t i = 0; (example = rcs_example_at(i)) != NULL; i++) {
        shown += example->shown != NULL;
    }
    RCS_EQUAL(shown, RCS_COUNT(by_programs) + 5);
    for (size_t i = 0; i < RCS_COUNT(by_programs); i++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(rcs_example_of(by_programs[i]));
        CU_ASSERT_PTR_NOT_NULL(rcs_example_of(by_programs[i])->shown);
    }
    memset(letters, 'x', 5000);
    CU_ASSERT(comes_to("too-long", SPEC, changed(lightspeed(), "Error: {reason}", letters)));
    for (size_t i = 0; i < 65; i++) {
        strcat(bars, "|a");
    }
    strcat(bars, "|\n");
    CU_ASSERT(comes_to("too-many", SPEC, changed(lightspeed(), "| id | text |\n", bars)));
    CU_ASSERT(comes_to("file-name", "spec/lightspeed.md", lightspeed()));
    text = lightspeed();
    CU_ASSERT(comes_to("final-newline", SPEC, rcs_arena_copy(&arena, text, strlen(text) - 1)));
    end = strstr(text, "\n## Examples");
    CU_ASSERT_PTR_NOT_NULL_FATAL(end);
    CU_ASSERT(comes_to("no-examples", SPEC, rcs_arena_copy(&arena, text, (size_t)(end - text))));
    rcs_arena_clear(&arena);
}

static void test_pages(void)
{
    const char *code;
    size_t count = 0;

    for (; (code = rcs_explain_code(count)) != NULL; count++) {
        CU_ASSERT_PTR_NOT_NULL(rcs_example_of(code));
        CU_ASSERT(count == 0 || strcmp(rcs_explain_code(count - 1), code) < 0);
        RCS_EQUAL(rcs_explain(code), 0);
    }
    CU_ASSERT(count > 90);
    CU_ASSERT_PTR_NULL(rcs_example_at(count)); /* and none is without a page */
    CU_ASSERT_PTR_NULL(rcs_example_of("overlpa"));
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"examples come to their findings", test_examples},
        {"those told in words", test_shown},
        {"every code has a page", test_pages},
    };

    return rcs_unit_main("explain", tests, RCS_COUNT(tests));
}
