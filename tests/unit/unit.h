/* What every test binary shares: a table of tests, and a main that can't report success about nothing. */
#ifndef RCS_UNIT_H
#define RCS_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>

struct rcs_test {
    const char *name;
    void (*run)(void);
};

/* Runs the tests under CUnit and prints one line per failure. Returns the exit status: 0 if and only if all `count` tests
   (at least one) ran and no assertion failed. The last line printed is "NAME: N passed, N failed", with ", N skipped"
   after it if there were any. */
int rcs_unit_main(const char *suite, const struct rcs_test *tests, size_t count);

/* The same for a suite that needs `program` in PATH: where it is missing, all its tests count as skipped. */
int rcs_unit_main_needs(const char *program, const char *suite, const struct rcs_test *tests, size_t count);

/* The same for a suite that uses the real port. */
int rcs_unit_main_with_port(const char *suite, const struct rcs_test *tests, size_t count);

/* Whether `program` is in PATH. If not, the test that asks counts as skipped, and returns at once. */
bool rcs_unit_needs(const char *program);

#define RCS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Asserts with both values in the message. */
#define RCS_EQUAL(actual, expected) rcs_unit_equal((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)
#define RCS_TEXT_EQUAL(actual, expected) rcs_unit_text_equal((actual), (expected), #actual, __FILE__, __LINE__)
void rcs_unit_equal(long long actual, long long expected, const char *what, const char *file, unsigned line);
void rcs_unit_text_equal(const char *actual, const char *expected, const char *what, const char *file, unsigned line);

#endif
