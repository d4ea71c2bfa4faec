/* Shared objects: how the C compiler is found and run, and what is said where that fails. */
#include "tests/unit/policy_object.h"

static void find(const char *code, const char *text, const struct rcs_findings *findings)
{
    CU_ASSERT_TRUE_FATAL(findings->count > 0);
    RCS_TEXT_EQUAL(findings->items[findings->count - 1].code, code);
    if (strstr(findings->items[findings->count - 1].text, text) == NULL) {
        RCS_TEXT_EQUAL(findings->items[findings->count - 1].text, text);
    }
}

static bool compile_plain(struct rcs_loaded_policy *policy, const char *include)
{
    return rcs_compile_shared(&policy->arena, policy->loaded.spec, policy->loaded.machine, directory, include,
                              &policy->findings);
}

static void test_compiler(void)
{
    const char *before = getenv("CC");
    struct rcs_loaded_policy policy;

    begin();
    before = before != NULL ? rcs_arena_copy(&arena, before, strlen(before)) : NULL;
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&policy, RCS_PLAIN, NULL));
    setenv("CC", "  no-such-compiler -m64 ", 1);
    CU_ASSERT_FALSE(compile_plain(&policy, INCLUDE));
    find("cc", "the C compiler `no-such-compiler` is not in PATH: install one, or name yours in CC", &policy.findings);
    setenv("CC", directory, 1);
    CU_ASSERT_FALSE(compile_plain(&policy, INCLUDE));
    find("cc", "can't be run: Permission denied", &policy.findings);
    setenv("CC", "sh -c 'exit", 1); /* no shell reads it: the quote is a letter */
    CU_ASSERT_FALSE(compile_plain(&policy, INCLUDE));
    find("cc", "the C compiler `sh` fails (exit 2): ", &policy.findings);
    setenv("CC", " \t", 1); /* none: cc */
    CU_ASSERT_FALSE(compile_plain(&policy, directory));
    find("cc", "the C compiler `cc` fails (exit 1): ", &policy.findings);
    CU_ASSERT_TRUE(access(in_directory("plain.c"), F_OK) != 0); /* all, or nothing */
    RCS_EQUAL(rcs_scratch_remove(&arena, directory), 0);
    setenv("CC", "cc -O0", 1);
    CU_ASSERT_TRUE(compile_plain(&policy, INCLUDE));
    RCS_EQUAL(access(in_directory("plain.so"), R_OK), 0);
    RCS_EQUAL(rcs_scratch_remove(&arena, directory), 4);
    if (before != NULL) {
        setenv("CC", before, 1);
    } else {
        unsetenv("CC");
    }
    rcs_clear_policy(&policy);
    end();
}

static void test_names_of_the_library(void)
{
    char *text;
    struct rcs_loaded_policy policy;

    begin();
    text = rcs_policy_text(&arena, RCS_PLAIN);
    text = rcs_arena_format(&arena, "# open%s", text + strlen("# plain"));
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&policy, "open.policy.md", text));
    CU_ASSERT_FALSE(compile_plain(&policy, INCLUDE));
    find("reserved", "recourse_policy_open is a function of the library", &policy.findings);
    RCS_EQUAL(rcs_scratch_remove(&arena, directory), 0);
    rcs_clear_policy(&policy);
    end();
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"compiler", test_compiler},
        {"names of the library", test_names_of_the_library},
    };

    return rcs_unit_main_needs("ragel", "cc", tests, RCS_COUNT(tests));
}
