/* Limits, the queue they make, the times at which a host has to come back, and memory that runs out. */
#include "tests/unit/run_kit.h"

static struct kit kit;

static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};

/* ---- limits ---- */

/* Two at once: the others wait in the order in which they came, and a wait gives its place back. */
static void test_tries_at_once(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "fine", "{}"), kit_call("b", "busy", "{}"),
                                            kit_call("c", "fine", "{}"), kit_call("d", "fine", "{}"),
                                            kit_call("e", "fine", "{}")};
    static const uint64_t ended_at[] = {10, 600, 10, 20, 20};
    struct recourse_turn *turn;

    kit_open_four(&kit, 2, 0, 0, 0);
    turn = kit_start(&kit, calls, 5);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.in_flight_max, 2);
    for (size_t i = 0; i < 5; i++) {
        RCS_EQUAL(recourse_turn_result(turn, kit.order[i])->duration_ms, ended_at[kit.order[i]]);
    }
    RCS_EQUAL(kit.order[0], 0);
    RCS_EQUAL(kit.order[1], 2);
    RCS_EQUAL(kit.order[2], 3);
    RCS_EQUAL(kit.order[3], 4);
    RCS_EQUAL(kit.order[4], 1);
    kit_close(&kit);
}

/* The time of a try does not run while the call waits in the queue. */
static void test_queue_takes_no_time(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "silent", "{}"), kit_call("b", "fine", "{}")};
    struct recourse_turn *turn;

    kit_open_four(&kit, 1, 0, 0, 0);
    turn = kit_start(&kit, calls, 2);
    kit_until(&kit, KIT_START_MS + 100);
    RCS_EQUAL(kit.sim.request_count, 1);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.requests[0].deadline_ms, KIT_START_MS + 60000);
    RCS_EQUAL(kit.sim.requests[1].at_ms, KIT_START_MS + 60000);
    RCS_EQUAL(kit.sim.requests[1].deadline_ms, KIT_START_MS + 120000);
    kit_close(&kit);
}

/* A deadline and a cancel reach a call in the queue, before its first try and before a later one. */
static void test_queued_ends(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "busy", "{}"), kit_call("b", "silent", "{}"),
                                            kit_call("c", "fine", "{}")};
    struct recourse_turn *turn;

    kit_open_four(&kit, 1, 0, 0, 0);
    turn = kit_start_until(&kit, calls, 3, KIT_START_MS + 5000);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 5000);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B1 A7 E1"); /* waited 200 ms, then for b */
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 2);
    RCS_EQUAL(recourse_turn_result(turn, 0)->trail[3].effect, RECOURSE_EFFECT_NONE);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 1)), "P1 A7 E1");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 2)), "P3");
    RCS_EQUAL(recourse_turn_result(turn, 2)->event, RECOURSE_EVENT_DEADLINE);
    RCS_TEXT_EQUAL(kit_content(turn, 2), "Error: no time was left. " REMINDER);
    RCS_EQUAL(kit.sim.request_count, 2);
    turn = kit_start(&kit, calls, 3);
    kit_until(&kit, KIT_START_MS + 5000 + 1000);
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A2 B2");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 1)), "P1 A8");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 2)), "P4");
    RCS_EQUAL(kit.sim.now_ms, KIT_START_MS + 6000);
    kit_close(&kit);
}

static void test_calls_max(void)
{
    struct recourse_call_request calls[] = {kit_call("a", "fine", "{}"), kit_call("b", "fine", "{}"),
                                            kit_call("c", "fine", "{}")};
    struct recourse_turn_options options;
    struct recourse_error error = {RECOURSE_OK, ""};
    struct recourse_turn *turn;
    struct recourse_turn *more;

    kit_open_four(&kit, 0, 3, 0, 0);
    turn = kit_start(&kit, calls, 2);
    options = kit_turn(&kit, calls, 2);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &more, &error), RECOURSE_E_AGAIN);
    RCS_EQUAL(error.code, RECOURSE_E_AGAIN);
    options.call_count = 1;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &more, &error), 0);
    kit_finish(&kit, turn);
    kit_finish(&kit, more);
    options.call_count = 3;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &more, &error), 0);
    kit_finish(&kit, more);
    kit_close(&kit);
}

static void test_memory_of_arguments(void)
{
    struct recourse_call_request call = kit_call("a", "fine", "{\"k\":\"0123456789\"}"); /* 18 bytes */
    struct recourse_turn_options options;
    struct recourse_error error;
    struct recourse_turn *turn;
    struct recourse_turn *more;

    kit_open_four(&kit, 0, 0, 40, 0);
    turn = kit_start(&kit, &call, 1);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 18);
    options = kit_turn(&kit, &call, 1);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &more, &error), 0);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 36);
    call.arguments.size = 5;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &more, &error), RECOURSE_E_AGAIN);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 36);
    kit_finish(&kit, turn);
    kit_finish(&kit, more); /* begun when there was room for its answer */
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &more, &error), 0);
    recourse_turn_free(more);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

/* The bound is passed on to the port. Answers wait for room in it, and none is lost. */
static void test_memory_of_replies(void)
{
    static const struct sim_answer twenty[] = {{.after_ms = 10, .status = 200, .body = "01234567890123456789"}};
    struct recourse_call_request calls[] = {kit_call("a", "big", "{}"), kit_call("b", "big", "{}"),
                                            kit_call("c", "big", "{}")};
    struct recourse_turn *turn;

    kit_open_four(&kit, 0, 0, 126, 30);
    kit_http(&kit, "big", false);
    sim_route(&kit.sim, "http://big/", twenty, 1);
    turn = kit_start(&kit, calls, 3);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.requests[0].body_max, 30);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 1)->success);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 2)->success);
    kit_close(&kit);
    kit_open_four(&kit, 0, 0, 19, 30);
    kit_http(&kit, "big", false);
    sim_route(&kit.sim, "http://big/", twenty, 1);
    turn = kit_start(&kit, calls, 1);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.requests[0].body_max, 19); /* one that is larger than all the memory */
    RCS_TEXT_EQUAL(kit_text(recourse_turn_result(turn, 0)->detail), "the answer is over the bound");
    kit_close(&kit);
    kit_open_four(&kit, 0, 0, 60, 0);
    kit_http(&kit, "big", false);
    sim_route(&kit.sim, "http://big/", twenty, 1);
    turn = kit_start(&kit, calls, 3);
    kit_finish(&kit, turn);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 0)->success);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 1)->success);
    CU_ASSERT_TRUE(recourse_turn_result(turn, 2)->success);
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

/* A step is bounded: what a cancelled turn of thousands has to say comes in several. */
static void test_bounded_step(void)
{
    enum { CALLS = 3000, AT_ONCE = 1024 };
    static struct recourse_call_request calls[CALLS];
    static char ids[CALLS][8];
    unsigned steps = 0;

    for (unsigned i = 0; i < CALLS; i++) {
        snprintf(ids[i], sizeof ids[i], "%u", i);
        calls[i] = kit_call(ids[i], "big", "{}");
    }
    kit_open_four(&kit, 0, 0, 0, 0);
    kit_http(&kit, "big", false);
    recourse_turn_cancel(kit_start(&kit, calls, CALLS));
    for (unsigned before = 0; kit.results < CALLS && steps < 10; steps++, before = (unsigned)kit.results) {
        RCS_EQUAL(recourse_runner_step(kit.runner, 0), 0);
        CU_ASSERT_TRUE(kit.results - before <= AT_ONCE);
    }
    RCS_EQUAL(kit.results, CALLS);
    RCS_EQUAL(steps, 3);
    kit_close(&kit);
}

/* ---- a host's loop ---- */

static void test_wake_times(void)
{
    struct recourse_turn *turn;

    kit_open_four(&kit, 0, 0, 0, 0);
    RCS_EQUAL(recourse_runner_descriptor(kit.runner), 7);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), RECOURSE_FOREVER);
    turn = kit_start_one(&kit, "busy", "{}");
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), KIT_START_MS); /* at once */
    kit_settle(&kit);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), KIT_START_MS + 200);
    recourse_turn_cancel(turn);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), KIT_START_MS);
    kit_settle(&kit);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), RECOURSE_FOREVER);
    (void)kit_start_one(&kit, "fine", "{}");
    kit_settle(&kit);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), KIT_START_MS + 10); /* the port's */
    kit.sim.port.descriptor = NULL;
    kit.sim.port.wake_ms = NULL;
    RCS_EQUAL(recourse_runner_descriptor(kit.runner), -1);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), RECOURSE_FOREVER);
    kit_close(&kit);
}

/* A clock that shows whole milliseconds of a finer one: waits are that much longer, so that none is too short. */
static void test_lagging_clock(void)
{
    struct recourse_turn *turn;

    kit_open_four(&kit, 0, 0, 0, 0);
    kit.sim.port.lag_ms = 1;
    turn = kit_start_one(&kit, "busy", "{}");
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.requests[1].at_ms, KIT_START_MS + 201);
    RCS_EQUAL(kit.sim.requests[2].at_ms, KIT_START_MS + 201 + 401);
    RCS_EQUAL(recourse_turn_result(turn, 0)->trail[1].wait_ms, 200);
    kit_close(&kit);
}

/* ---- memory that runs out ---- */

static struct {
    size_t left; /* allocations that are still granted */
    bool once;   /* only the next one fails */
    size_t held;
} heap;

static void *grant(void *memory, size_t size)
{
    if (heap.left == 0) {
        heap.left = heap.once ? SIZE_MAX : 0;
        return NULL;
    }
    heap.left--;
    heap.held += memory == NULL;
    return realloc(memory, size);
}

static void *heap_alloc(void *user, size_t size)
{
    (void)user;
    return grant(NULL, size);
}

static void *heap_realloc(void *user, void *memory, size_t size)
{
    (void)user;
    return grant(memory, size);
}

static void heap_free(void *user, void *memory)
{
    (void)user;
    heap.held -= memory != NULL;
    free(memory);
}

static const struct recourse_allocator heap_allocator = {heap_alloc, heap_realloc, heap_free, NULL};

/* A whole life; returns whether all allocations were granted. */
static bool live(size_t granted, bool once)
{
    struct recourse_call_request calls[] = {kit_call("a", "fine", "{\"a\":\"\\u0041\"}"), kit_call("b", "busy", "{}"),
                                            kit_call("c", "x", "{}"), kit_call("d", "query", "{\"q\":\"x\"}")};
    static const char *const values[] = {"secret", NULL};
    struct recourse_tool tool = {.size = sizeof tool, .name = "fine", .url = "http://fine/"};
    struct recourse_tool query = {.size = sizeof query, .name = "query", .url = "http://fine/", .method = "GET"};
    struct recourse_runner_options options;
    struct recourse_turn_options turn_options;
    struct recourse_turn *turn = NULL;

    kit_init(&kit, &options);
    kit.policy.policy.settings.sensitive_values = values;
    kit.policy.policy.settings.repeated_failures = 2;
    options.allocator = &heap_allocator;
    heap.left = granted;
    heap.once = once;
    heap.held = 0;
    turn_options = kit_turn(&kit, calls, 4);
    sim_route(&kit.sim, "http://fine/", fine, 1);
    if (recourse_runner_new(&options, &kit.runner, NULL) == 0) {
        if (recourse_runner_add_tool(kit.runner, &tool, NULL) == 0 &&
            recourse_runner_add_tool(kit.runner, &query, NULL) == 0 && recourse_run_new(kit.runner, &kit.run) == 0 &&
            recourse_turn_start(kit.run, &turn_options, &turn, NULL) == 0) {
            kit_finish(&kit, turn);
            RCS_EQUAL(kit.results, 4); /* each call has its one result, whatever could not be had */
            RCS_EQUAL(kit.done, 1);
            for (size_t i = 0; i < 4; i++) {
                CU_ASSERT_TRUE(recourse_turn_result(turn, i)->content.size > 0);
            }
        }
        recourse_runner_free(kit.runner);
    }
    sim_clear(&kit.sim);
    RCS_EQUAL(heap.held, 0);
    return heap.left > 0 && heap.left != SIZE_MAX && (granted == SIZE_MAX - 1 || heap.left < granted);
}

static void test_out_of_memory(void)
{
    size_t needed = 0;

    CU_ASSERT_TRUE(live(SIZE_MAX - 1, false));
    needed = SIZE_MAX - 1 - heap.left;
    CU_ASSERT_TRUE(needed > 15 && needed < 200);
    for (size_t granted = 0; granted < needed; granted++) {
        (void)live(granted, false);
        (void)live(granted, true);
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"tries at once", test_tries_at_once},
        {"queue takes no time", test_queue_takes_no_time},
        {"queued ends", test_queued_ends},
        {"calls max", test_calls_max},
        {"memory of arguments", test_memory_of_arguments},
        {"a step is bounded", test_bounded_step},
        {"memory of replies", test_memory_of_replies},
        {"wake times", test_wake_times},
        {"lagging clock", test_lagging_clock},
        {"out of memory", test_out_of_memory},
    };

    return rcs_unit_main("limits", tests, RCS_COUNT(tests));
}
