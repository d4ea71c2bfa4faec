#include "tests/unit/purse.h"
#include "tests/unit/unit.h"

#include "src/io/buffer.h"
#include "src/io/memory.h"
#include "src/io/timer.h"

struct alarm {
    int name;
    struct rcs_timer timer;
};

static int name_of(struct rcs_timer *timer)
{
    return timer != NULL ? RCS_OWNER(timer, struct alarm, timer)->name : -1;
}

static void test_none(void)
{
    struct rcs_timers timers;

    rcs_timers_init(&timers, NULL);
    CU_ASSERT_TRUE(rcs_timers_next(&timers) == RECOURSE_FOREVER);
    CU_ASSERT_PTR_NULL(rcs_timers_pop(&timers, UINT64_MAX));
    RCS_EQUAL(rcs_timers_run(&timers, UINT64_MAX, 5), 0);
    rcs_timers_clear(&timers);
}

static void test_order_and_never_early(void)
{
    static const uint64_t due[] = {30, 10, 20, 10, 0, 30};
    static const struct {
        uint64_t now;
        int name;
    } expected[] = {{0, 4}, {9, -1}, {10, 1}, {10, 3}, {19, -1}, {20, 2}, {29, -1}, {30, 0}, {31, 5}, {99, -1}};
    struct alarm alarms[6];
    struct rcs_timers timers;

    rcs_timers_init(&timers, NULL);
    for (int i = 0; i < 6; i++) {
        alarms[i].name = i;
        rcs_timer_init(&alarms[i].timer, NULL);
        RCS_EQUAL(rcs_timers_set(&timers, &alarms[i].timer, due[i]), 0);
    }
    RCS_EQUAL(rcs_timers_next(&timers), 0);
    for (size_t i = 0; i < RCS_COUNT(expected); i++) {
        RCS_EQUAL(name_of(rcs_timers_pop(&timers, expected[i].now)), expected[i].name);
    }
    rcs_timers_clear(&timers);
}

static void test_move_and_remove(void)
{
    struct alarm alarms[3];
    struct rcs_timers timers;

    rcs_timers_init(&timers, NULL);
    for (int i = 0; i < 3; i++) {
        alarms[i].name = i;
        rcs_timer_init(&alarms[i].timer, NULL);
        CU_ASSERT_FALSE(alarms[i].timer.place != 0);
        RCS_EQUAL(rcs_timers_set(&timers, &alarms[i].timer, 10 + (uint64_t)i), 0);
        CU_ASSERT_TRUE(alarms[i].timer.place != 0);
    }
    RCS_EQUAL(rcs_timers_set(&timers, &alarms[2].timer, 5), 0);
    RCS_EQUAL(rcs_timers_next(&timers), 5);
    RCS_EQUAL(rcs_timers_set(&timers, &alarms[2].timer, 50), 0);
    RCS_EQUAL(rcs_timers_next(&timers), 10);
    rcs_timers_remove(&timers, &alarms[0].timer);
    rcs_timers_remove(&timers, &alarms[0].timer);
    CU_ASSERT_FALSE(alarms[0].timer.place != 0);
    RCS_EQUAL(rcs_timers_next(&timers), 11);
    RCS_EQUAL(rcs_timers_set(&timers, &alarms[1].timer, RECOURSE_FOREVER), 0);
    CU_ASSERT_FALSE(alarms[1].timer.place != 0);
    RCS_EQUAL(rcs_timers_next(&timers), 50);
    RCS_EQUAL(name_of(rcs_timers_pop(&timers, 50)), 2);
    CU_ASSERT_FALSE(alarms[2].timer.place != 0);
    RCS_EQUAL(rcs_timers_set(&timers, &alarms[0].timer, UINT64_MAX - 1), 0);
    CU_ASSERT_PTR_NULL(rcs_timers_pop(&timers, UINT64_MAX - 2));
    rcs_timers_clear(&timers);
    CU_ASSERT_FALSE(alarms[0].timer.place != 0);
}

/* The heap against the plainest thing that is right: look at all. */
static void test_against_a_list(void)
{
    enum { COUNT = 300, STEPS = 20000 };
    static struct alarm alarms[COUNT];
    static uint64_t due[COUNT];
    static uint64_t since[COUNT];
    struct rcs_timers timers;
    uint64_t random = 42;
    uint64_t now = 0;
    unsigned wrong = 0;

    rcs_timers_init(&timers, NULL);
    for (int i = 0; i < COUNT; i++) {
        alarms[i].name = i;
        rcs_timer_init(&alarms[i].timer, NULL);
        due[i] = RECOURSE_FOREVER;
    }
    for (uint64_t step = 1; step <= STEPS; step++) {
        int at;
        int best = -1;

        random = random * 6364136223846793005u + 1442695040888963407u;
        at = (int)((random >> 33) % COUNT);
        if ((random >> 20) % 4 == 0) {
            rcs_timers_remove(&timers, &alarms[at].timer);
            due[at] = RECOURSE_FOREVER;
        } else {
            due[at] = now + (random >> 40) % 50;
            since[at] = step;
            wrong += rcs_timers_set(&timers, &alarms[at].timer, due[at]) != 0;
        }
        now += (random >> 12) % 2;
        for (int i = 0; i < COUNT; i++) {
            if (due[i] <= now &&
                (best < 0 || due[i] < due[best] || (due[i] == due[best] && since[i] < since[best]))) {
                best = i;
            }
        }
        wrong += name_of(rcs_timers_pop(&timers, now)) != best;
        if (best >= 0) {
            due[best] = RECOURSE_FOREVER;
        }
    }
    RCS_EQUAL(wrong, 0);
    rcs_timers_clear(&timers);
}

static struct rcs_timers running;
static unsigned fired;

static void once(struct rcs_timer *timer)
{
    (void)timer;
}

static void again(struct rcs_timer *timer)
{
    fired++;
    CU_ASSERT_FALSE(timer->place != 0);
    rcs_timers_set(&running, timer, 7);
}

/* A timer that always sets itself again fires once a run, and the others get their turn. */
static void test_run_is_bounded(void)
{
    struct rcs_timer timers[12];

    rcs_timers_init(&running, NULL);
    for (size_t i = 0; i < RCS_COUNT(timers); i++) {
        rcs_timer_init(&timers[i], i == 5 ? once : again);
        RCS_EQUAL(rcs_timers_set(&running, &timers[i], 7), 0);
    }
    RCS_EQUAL(rcs_timers_run(&running, 6, 10), 0);
    RCS_EQUAL(rcs_timers_run(&running, 7, 10), 10);
    RCS_EQUAL(fired, 9);
    CU_ASSERT_FALSE(rcs_timer_is_set(&timers[5]));
    RCS_EQUAL(rcs_timers_run(&running, 7, 100), 11);
    RCS_EQUAL(fired, 20);
    RCS_EQUAL(rcs_timers_next(&running), 7);
    rcs_timers_clear(&running);
}

static void test_timers_without_memory(void)
{
    struct purse purse = {.left = 1};
    struct recourse_allocator allocator = purse_allocator(&purse);
    struct rcs_timer timers[20];
    struct rcs_timers heap;

    rcs_timers_init(&heap, &allocator);
    RCS_EQUAL(rcs_timers_reserve(&heap, 10), 0);
    for (unsigned i = 0; i < 20; i++) {
        rcs_timer_init(&timers[i], NULL);
        RCS_EQUAL(rcs_timers_set(&heap, &timers[i], 20 - i), i < 16 ? 0 : RECOURSE_E_MEMORY);
    }
    RCS_EQUAL(heap.count, 16);
    CU_ASSERT_FALSE(timers[16].place != 0);
    RCS_EQUAL(rcs_timers_set(&heap, &timers[0], 1), 0);
    RCS_EQUAL(rcs_timers_next(&heap), 1);
    RCS_EQUAL(rcs_timers_reserve(&heap, SIZE_MAX), RECOURSE_E_MEMORY);
    rcs_timers_clear(&heap);
    RCS_EQUAL(purse.out, 0);
}

static void test_buffer(void)
{
    struct rcs_buffer buffer;

    rcs_buffer_init(&buffer, NULL, 10);
    CU_ASSERT_PTR_NULL(rcs_buffer_span(&buffer).data);
    rcs_buffer_reset(&buffer);
    RCS_EQUAL(rcs_buffer_append(&buffer, NULL, 0), 0);
    RCS_TEXT_EQUAL(buffer.data, "");
    RCS_EQUAL(rcs_buffer_append_text(&buffer, "abc"), 0);
    RCS_EQUAL(rcs_buffer_append_byte(&buffer, 'd'), 0);
    RCS_EQUAL(rcs_buffer_append(&buffer, "12xy", 4), 0);
    RCS_TEXT_EQUAL(buffer.data, "abcd12xy");
    RCS_EQUAL(rcs_buffer_append_text(&buffer, "123"), RECOURSE_E_LIMIT);
    RCS_EQUAL(rcs_buffer_append(&buffer, "123", 3), RECOURSE_E_LIMIT);
    RCS_TEXT_EQUAL(buffer.data, "abcd12xy");
    RCS_EQUAL(rcs_buffer_append_text(&buffer, "12"), 0);
    RCS_EQUAL(rcs_buffer_append_byte(&buffer, '.'), RECOURSE_E_LIMIT);
    RCS_EQUAL(rcs_buffer_span(&buffer).size, 10);
    rcs_buffer_reset(&buffer);
    RCS_EQUAL(buffer.size, 0);
    RCS_TEXT_EQUAL(buffer.data, "");
    rcs_buffer_clear(&buffer);
}

static void test_buffer_grows(void)
{
    struct rcs_buffer buffer;
    unsigned wrong = 0;

    rcs_buffer_init(&buffer, NULL, SIZE_MAX);
    for (int i = 0; i < 100000; i++) {
        wrong += rcs_buffer_append_byte(&buffer, (char)('a' + i % 26)) != 0;
    }
    RCS_EQUAL(wrong, 0);
    RCS_EQUAL(buffer.size, 100000);
    RCS_EQUAL(buffer.data[99999], 'a' + 99999 % 26);
    RCS_EQUAL(buffer.data[100000], 0);
    RCS_EQUAL(rcs_buffer_reserve(&buffer, SIZE_MAX - 100000), RECOURSE_E_MEMORY);
    RCS_EQUAL(rcs_buffer_reserve(&buffer, SIZE_MAX - 200000), RECOURSE_E_MEMORY);
    RCS_EQUAL(rcs_buffer_reserve(&buffer, SIZE_MAX), RECOURSE_E_LIMIT);
    rcs_buffer_clear(&buffer);
}

static void test_buffer_without_memory(void)
{
    struct purse purse = {.left = 1};
    struct recourse_allocator allocator = purse_allocator(&purse);
    struct rcs_buffer buffer;

    rcs_buffer_init(&buffer, &allocator, 1000);
    RCS_EQUAL(rcs_buffer_append_text(&buffer, "1234567"), 0);
    RCS_EQUAL(rcs_buffer_append_byte(&buffer, '8'), RECOURSE_E_MEMORY);
    RCS_TEXT_EQUAL(buffer.data, "1234567");
    rcs_buffer_clear(&buffer);
    RCS_EQUAL(purse.out, 0);
}

static void test_memory(void)
{
    struct purse purse = {.left = 2};
    struct recourse_allocator allocator = purse_allocator(&purse);
    unsigned char *bytes = rcs_alloc_zero(&allocator, 3);
    size_t capacity = 0;

    CU_ASSERT_TRUE(bytes != NULL && bytes[0] == 0 && bytes[2] == 0);
    rcs_free(&allocator, bytes);
    rcs_free(&allocator, NULL);
    RCS_EQUAL(purse.out, 0);
    bytes = rcs_grow(&allocator, NULL, &capacity, 9, 2);
    CU_ASSERT_PTR_NOT_NULL(bytes);
    RCS_EQUAL(capacity, 16);
    CU_ASSERT_PTR_EQUAL(rcs_grow(&allocator, bytes, &capacity, 16, 2), bytes);
    CU_ASSERT_PTR_NULL(rcs_grow(&allocator, bytes, &capacity, 17, 2));
    CU_ASSERT_PTR_NULL(rcs_grow(&allocator, bytes, &capacity, SIZE_MAX / 2 + 1, 2));
    RCS_EQUAL(capacity, 16);
    CU_ASSERT_PTR_NULL(rcs_alloc_zero(&allocator, 1));
    rcs_free(&allocator, bytes);
    bytes = rcs_alloc(NULL, 1);
    CU_ASSERT_PTR_NOT_NULL(bytes);
    rcs_free(NULL, bytes);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"none", test_none},
        {"order, and never early", test_order_and_never_early},
        {"moving and removing", test_move_and_remove},
        {"the heap agrees with a list", test_against_a_list},
        {"a run is bounded", test_run_is_bounded},
        {"timers without memory", test_timers_without_memory},
        {"buffer", test_buffer},
        {"buffer grows", test_buffer_grows},
        {"buffer without memory", test_buffer_without_memory},
        {"memory", test_memory},
    };

    return rcs_unit_main("timer", tests, RCS_COUNT(tests));
}
