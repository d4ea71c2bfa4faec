#include "tests/unit/unit.h"

#include <unistd.h>

#include <CUnit/Automated.h>
#include <CUnit/Basic.h>

#include <recourse/port.h>

static unsigned skipped;

void rcs_unit_equal(long long actual, long long expected, const char *what, const char *file, unsigned line)
{
    char text[512];

    snprintf(text, sizeof text, "%s is %lld, not %lld", what, actual, expected);
    CU_assertImplementation(actual == expected, line, text, file, "", CU_FALSE);
}

void rcs_unit_text_equal(const char *actual, const char *expected, const char *what, const char *file, unsigned line)
{
    char text[2048];

    if (actual == NULL) {
        actual = "(null)";
    }
    snprintf(text, sizeof text, "%s is \"%s\", not \"%s\"", what, actual, expected);
    CU_assertImplementation(strcmp(actual, expected) == 0, line, text, file, "", CU_FALSE);
}

static bool is_in_path(const char *program)
{
    const char *path = getenv("PATH");

    while (path != NULL && *path != '\0') {
        size_t size = strcspn(path, ":");
        char file[4096];

        snprintf(file, sizeof file, "%.*s/%s", (int)size, path, program);
        if (access(file, X_OK) == 0) {
            return true;
        }
        path += size + (path[size] == ':');
    }
    return false;
}

bool rcs_unit_needs(const char *program)
{
    static CU_pTest asked;

    if (is_in_path(program)) {
        return true;
    }
    if (CU_get_current_test() != asked) {
        asked = CU_get_current_test();
        printf("skipped, since %s is not in PATH: %s\n", program, asked->pName);
        skipped++;
    }
    return false;
}

int rcs_unit_main(const char *suite, const struct rcs_test *tests, size_t count)
{
    CU_pSuite added;
    unsigned failed;
    unsigned ran;
    char skips[32] = "";

    if (CU_initialize_registry() != CUE_SUCCESS || (added = CU_add_suite(suite, NULL, NULL)) == NULL) {
        fprintf(stderr, "%s: CUnit can't start\n", suite);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (CU_add_test(added, tests[i].name, tests[i].run) == NULL) {
            fprintf(stderr, "%s: CUnit refuses the test %s\n", suite, tests[i].name);
            return 1;
        }
    }
    CU_basic_set_mode(CU_BRM_SILENT);
    CU_basic_run_tests();
    CU_basic_show_failures(CU_get_failure_list());
    ran = CU_get_number_of_tests_run();
    failed = CU_get_number_of_tests_failed();
    if (skipped > 0) {
        snprintf(skips, sizeof skips, ", %u skipped", skipped);
    }
    printf("\n%s: %u passed, %u failed%s (%u assertions)\n", suite, ran - failed - skipped, failed, skips,
           CU_get_number_of_asserts());
    CU_cleanup_registry();
    return count > 0 && ran == count && failed == 0 ? 0 : 1;
}

int rcs_unit_main_needs(const char *program, const char *suite, const struct rcs_test *tests, size_t count)
{
    if (is_in_path(program)) {
        return rcs_unit_main(suite, tests, count);
    }
    printf("%s: 0 passed, 0 failed, %zu skipped, since %s is not in PATH\n", suite, count, program);
    return count > 0 ? 0 : 1;
}

int rcs_unit_main_with_port(const char *suite, const struct rcs_test *tests, size_t count)
{
    int status;

    if (recourse_global_init() != 0) {
        return 2;
    }
    status = rcs_unit_main(suite, tests, count);
    recourse_global_cleanup();
    return status;
}
