/* A little of `make load`: many calls open at once, and many messages to one program. */
#include <recourse/port.h>

#include "tests/run/load.h"
#include "tests/unit/unit.h"

#define CALLS 600u /* within the descriptors that everybody has */
#define MESSAGES 4000u

static void test_http(void)
{
    struct rcs_load_figures figures;
    unsigned long hard = 0;

    CU_ASSERT_TRUE_FATAL(rcs_load_descriptors(CALLS, &hard));
    CU_ASSERT_TRUE_FATAL(rcs_load_http(CALLS, &figures));
    RCS_EQUAL(figures.open_most, CALLS);
    RCS_EQUAL(figures.answered, CALLS);
    RCS_EQUAL(figures.lost, 0);
}

static void test_stdio(void)
{
    struct rcs_load_figures figures;
    char server[4096];

    rcs_load_find_server(server, sizeof server);
    CU_ASSERT_TRUE_FATAL(rcs_load_stdio(server, MESSAGES, 0, &figures));
    RCS_EQUAL(figures.answered, MESSAGES);
    RCS_EQUAL(figures.lost, 0);
    RCS_EQUAL(figures.twice, 0);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"calls open at once over HTTP", test_http},
        {"messages to one program", test_stdio},
    };

    return rcs_unit_main_with_port("load", tests, RCS_COUNT(tests));
}
