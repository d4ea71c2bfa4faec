#include "tests/unit/unit.h"

#include "src/core/wait.h"

#define DAYS_30 ((uint64_t)RECOURSE_DURATION_MAX_MS)
#define TOO_LONG (DAYS_30 + 1)

static const uint64_t schedule[] = {200, 400, 1001};

static const struct recourse_wait plain = {.id = "w", .delays_ms = schedule, .delay_count = 3};

static void check_window(const struct recourse_wait *wait, unsigned index, uint64_t server_ms, struct recourse_window expected)
{
    struct recourse_window window;

    recourse_wait_window(wait, index, server_ms, &window);
    RCS_EQUAL(window.base_ms, expected.base_ms);
    RCS_EQUAL(window.min_ms, expected.min_ms);
    RCS_EQUAL(window.max_ms, expected.max_ms);
    RCS_EQUAL(window.obeyed, expected.obeyed);
    RCS_EQUAL(window.stop, expected.stop);
}

static void the_last_delay_stays_unless_it_ends(void)
{
    struct recourse_wait ends = plain;

    ends.ends = true;
    check_window(&plain, 0, 0, (struct recourse_window){200, 200, 200, false, false});
    check_window(&plain, 1, 0, (struct recourse_window){400, 400, 400, false, false});
    check_window(&plain, 2, 0, (struct recourse_window){1001, 1001, 1001, false, false});
    check_window(&plain, 3, 0, (struct recourse_window){1001, 1001, 1001, false, false});
    check_window(&plain, UINT32_MAX, 0, (struct recourse_window){1001, 1001, 1001, false, false});
    check_window(&ends, 2, 0, (struct recourse_window){1001, 1001, 1001, false, false});
    check_window(&ends, 3, 0, (struct recourse_window){0, 0, 0, false, true});
}

/* Each kind of jitter: the window, and both of its ends are drawn. */
static void jitter_windows_are_cut_at_both_ends(void)
{
    static const struct {
        uint8_t jitter;
        uint16_t percent;
        unsigned index;
        uint64_t min_ms;
        uint64_t max_ms;
    } cases[] = {
        {RECOURSE_JITTER_NONE, 0, 2, 1001, 1001},   {RECOURSE_JITTER_NONE, 50, 0, 200, 200},
        {RECOURSE_JITTER_FULL, 0, 0, 0, 200},       {RECOURSE_JITTER_FULL, 0, 2, 0, 1001},
        {RECOURSE_JITTER_EQUAL, 0, 0, 100, 200},    {RECOURSE_JITTER_EQUAL, 0, 2, 500, 1001},
        {RECOURSE_JITTER_PLUS, 25, 0, 200, 250},    {RECOURSE_JITTER_PLUS, 25, 2, 1001, 1251},
        {RECOURSE_JITTER_PLUS, 0, 2, 1001, 1001},   {RECOURSE_JITTER_PLUS, 300, 1, 400, 1600},
        {RECOURSE_JITTER_MINUS, 25, 0, 150, 200},   {RECOURSE_JITTER_MINUS, 25, 2, 750, 1001},
        {RECOURSE_JITTER_MINUS, 100, 2, 0, 1001},   {RECOURSE_JITTER_MINUS, 150, 2, 0, 1001},
        {RECOURSE_JITTER_WITHIN, 20, 0, 160, 240},  {RECOURSE_JITTER_WITHIN, 20, 2, 800, 1201},
        {RECOURSE_JITTER_WITHIN, 100, 1, 0, 800},   {RECOURSE_JITTER_COUNT, 20, 1, 400, 400},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_wait wait = plain;
        struct recourse_window window;

        wait.jitter = cases[i].jitter;
        wait.jitter_percent = cases[i].percent;
        recourse_wait_window(&wait, cases[i].index, 0, &window);
        RCS_EQUAL(window.base_ms, schedule[cases[i].index]);
        RCS_EQUAL(window.min_ms, cases[i].min_ms);
        RCS_EQUAL(window.max_ms, cases[i].max_ms);
        RCS_EQUAL(rcs_wait_draw(&wait, cases[i].index, 0, 0), cases[i].min_ms);
        RCS_EQUAL(rcs_wait_draw(&wait, cases[i].index, 0, UINT64_MAX), cases[i].max_ms);
        RCS_EQUAL(rcs_wait_draw(&wait, cases[i].index, 5000, UINT64_MAX), cases[i].max_ms); /* ignored */
    }
}

static void server_delays_are_obeyed_or_not(void)
{
    static const struct {
        uint8_t server;
        uint16_t percent;
        uint64_t bound_ms;
        uint64_t server_ms;
        struct recourse_window window;
    } cases[] = {
        {RECOURSE_SERVER_IGNORE, 0, 60000, 5000, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_IGNORE, 0, 60000, TOO_LONG, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_OBEY_ELSE_SCHEDULE, 0, 60000, 0, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_OBEY_ELSE_SCHEDULE, 0, 60000, 1, {1, 1, 1, true, false}},
        {RECOURSE_SERVER_OBEY_ELSE_SCHEDULE, 0, 60000, 60000, {60000, 60000, 60000, true, false}},
        {RECOURSE_SERVER_OBEY_ELSE_SCHEDULE, 0, 60000, 60001, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_OBEY_ELSE_SCHEDULE, 0, DAYS_30, TOO_LONG, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_OBEY_ELSE_STOP, 10, 60000, 0, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_OBEY_ELSE_STOP, 10, 60000, 5000, {5000, 5000, 5500, true, false}},
        {RECOURSE_SERVER_OBEY_ELSE_STOP, 10, 60000, 60000, {60000, 60000, 66000, true, false}},
        {RECOURSE_SERVER_OBEY_ELSE_STOP, 10, 60000, 19, {19, 19, 20, true, false}},
        {RECOURSE_SERVER_OBEY_ELSE_STOP, 10, 60000, 60001, {0, 0, 0, false, true}},
        {RECOURSE_SERVER_OBEY_ELSE_STOP, 10, DAYS_30, TOO_LONG, {0, 0, 0, false, true}},
        {RECOURSE_SERVER_OBEY_ELSE_STOP, 100, DAYS_30, DAYS_30, {DAYS_30, DAYS_30, 2 * DAYS_30, true, false}},
        {RECOURSE_SERVER_WITHIN, 0, 5000, 0, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_WITHIN, 0, 5000, 1, {400, 200, 400, false, false}},
        {RECOURSE_SERVER_WITHIN, 0, 5000, TOO_LONG, {5400, 5200, 5400, false, false}},
    };

    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        struct recourse_wait wait = plain;

        wait.jitter = RECOURSE_JITTER_EQUAL;
        wait.server = cases[i].server;
        wait.server_percent = cases[i].percent;
        wait.server_ms = cases[i].bound_ms;
        check_window(&wait, 1, cases[i].server_ms, cases[i].window);
    }
}

/* The server's delay is clamped to [d, d + 5 s], d drawn from [200, 400]. */
static void a_width_above_the_schedule_clamps(void)
{
    static const struct {
        uint64_t server_ms;
        uint64_t random;
        uint64_t wait_ms;
    } cases[] = {
        {0, 0, 200},           {0, UINT64_MAX, 400},      {1, 0, 200},          {1, UINT64_MAX, 400},
        {300, 0, 300},         {300, UINT64_MAX, 400},    {3000, 0, 3000},      {3000, UINT64_MAX, 3000},
        {5200, 0, 5200},       {5300, 0, 5200},           {5300, UINT64_MAX, 5300}, {5401, UINT64_MAX, 5400},
        {TOO_LONG, 0, 5200},   {TOO_LONG, UINT64_MAX, 5400},
    };
    struct recourse_wait wait = plain;

    wait.jitter = RECOURSE_JITTER_EQUAL;
    wait.server = RECOURSE_SERVER_WITHIN;
    wait.server_ms = 5000;
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        RCS_EQUAL(rcs_wait_draw(&wait, 1, cases[i].server_ms, cases[i].random), cases[i].wait_ms);
    }
}

static void draws_map_the_high_bits(void)
{
    RCS_EQUAL(rcs_draw(0, 10, 19), 10);
    RCS_EQUAL(rcs_draw(UINT64_MAX, 10, 19), 19);
    RCS_EQUAL(rcs_draw((uint64_t)1 << 63, 10, 19), 15);
    RCS_EQUAL(rcs_draw(((uint64_t)1 << 63) - 1, 10, 19), 14);
    RCS_EQUAL(rcs_draw(0xffffffff, 10, 19), 10); /* the low half has no say */
    RCS_EQUAL(rcs_draw(12345, 7, 7), 7);
    /* beyond 32 bits: the same formula, without overflow */
    RCS_EQUAL(rcs_draw((uint64_t)1 << 63, 0, ((uint64_t)1 << 40) - 1), (uint64_t)1 << 39);
    RCS_EQUAL(rcs_draw(UINT64_MAX, 0, ((uint64_t)1 << 40) - 1), ((uint64_t)1 << 40) - 256);
    CU_ASSERT_TRUE(rcs_draw(UINT64_MAX, 0, UINT64_MAX) == UINT64_MAX - UINT32_MAX - 1);
    CU_ASSERT_TRUE(rcs_draw(UINT64_MAX, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
}

/* All random numbers of 16 bits, spread: each of 100 values comes up as often as any other, give or take one. */
static void draws_are_even(void)
{
    unsigned counts[100] = {0};
    unsigned low = UINT32_MAX, high = 0;

    for (uint64_t i = 0; i < 65536; i++) {
        const uint64_t drawn = rcs_draw(i << 48, 500, 599);

        if (drawn < 500 || drawn > 599) {
            CU_FAIL("outside of the window");
            return;
        }
        counts[drawn - 500]++;
    }
    for (size_t i = 0; i < RCS_COUNT(counts); i++) {
        low = counts[i] < low ? counts[i] : low;
        high = counts[i] > high ? counts[i] : high;
    }
    RCS_EQUAL(low, 655);
    RCS_EQUAL(high, 656);
}

static void arithmetic_saturates(void)
{
    static const uint64_t huge[] = {UINT64_MAX};
    struct recourse_wait wait = {.id = "w", .delays_ms = huge, .delay_count = 1, .jitter = RECOURSE_JITTER_WITHIN,
                                 .jitter_percent = 50};
    struct recourse_window window;

    CU_ASSERT_TRUE(rcs_add_ms(UINT64_MAX, 1) == UINT64_MAX);
    CU_ASSERT_TRUE(rcs_add_ms(UINT64_MAX - 1, 1) == UINT64_MAX);
    CU_ASSERT_TRUE(rcs_add_ms(1, UINT64_MAX - 2) == UINT64_MAX - 1);
    recourse_wait_window(&wait, 0, 0, &window);
    CU_ASSERT_TRUE(window.max_ms == UINT64_MAX);
    CU_ASSERT_TRUE(window.min_ms == UINT64_MAX / 2);
    wait.jitter = RECOURSE_JITTER_NONE;
    wait.server = RECOURSE_SERVER_WITHIN;
    wait.server_ms = DAYS_30;
    recourse_wait_window(&wait, 0, 1, &window);
    CU_ASSERT_TRUE(window.max_ms == UINT64_MAX);
    check_window(&(struct recourse_wait){.id = "w"}, 0, 0, (struct recourse_window){0, 0, 0, false, true});
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"the last delay stays unless it ends", the_last_delay_stays_unless_it_ends},
        {"jitter windows are cut at both ends", jitter_windows_are_cut_at_both_ends},
        {"server delays are obeyed or not", server_delays_are_obeyed_or_not},
        {"a width above the schedule clamps", a_width_above_the_schedule_clamps},
        {"draws map the high bits", draws_map_the_high_bits},
        {"draws are even", draws_are_even},
        {"arithmetic saturates", arithmetic_saturates},
    };

    return rcs_unit_main("wait", tests, RCS_COUNT(tests));
}
