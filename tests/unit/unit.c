#include "tests/unit/unit.h"

#include <CUnit/Automated.h>
#include <CUnit/Basic.h>

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

int rcs_unit_main(const char *suite, const struct rcs_test *tests, size_t count)
{
    CU_pSuite added;
    unsigned failed;
    unsigned ran;

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
    printf("\n%s: %u passed, %u failed (%u assertions)\n", suite, ran - failed, failed, CU_get_number_of_asserts());
    CU_cleanup_registry();
    return count > 0 && ran == count && failed == 0 ? 0 : 1;
}
