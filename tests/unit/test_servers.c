/* Limits by tool and by server: how many at once, who comes next, and whom a full one holds up. */
#include "tests/unit/run_kit.h"

static struct kit kit;

static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};
static const struct sim_answer slow[] = {{.after_ms = 1000, .status = 200, .body = "slow"}};
static const struct sim_answer silent[] = {{.after_ms = 0}};
static const struct sim_answer mends[] = {{.status = 503, .phrase = "timeout"},
                                          {.after_ms = 10, .status = 200, .body = "fine"}};

static void open_kit(unsigned tries_at_once)
{
    struct recourse_runner_options options;

    kit_init(&kit, &options);
    options.tries_at_once = tries_at_once;
    kit_open(&kit, &options);
    sim_route(&kit.sim, "http://fine/", fine, 1);
    sim_route(&kit.sim, "http://slow/", slow, 1);
    sim_route(&kit.sim, "http://silent/", silent, 1);
}

static int add_tool(const char *name, const char *url, const char *server, unsigned limit,
                    struct recourse_error *error)
{
    struct recourse_tool tool = {.size = sizeof tool, .name = name, .url = url, .server = server, .limit = limit,
                                 .declared_safe = true};

    return recourse_runner_add_tool(kit.runner, &tool, error);
}

/* One call for each letter of `word`: the letter is the name of its tool, its place the call's id. */
static struct recourse_turn *start_word(const char *word, uint64_t deadline_ms)
{
    static char ids[KIT_CALLS_MAX][24];
    static char names[KIT_CALLS_MAX][2];
    struct recourse_call_request calls[KIT_CALLS_MAX];
    struct recourse_turn_options options;
    struct recourse_turn *turn = NULL;
    size_t count = strlen(word);

    for (size_t i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "%zu", i);
        names[i][0] = word[i];
        calls[i] = kit_call(ids[i], names[i], "{}");
    }
    options = kit_turn(&kit, calls, count);
    options.deadline_ms = deadline_ms;
    RCS_EQUAL(recourse_turn_start(kit.run, &options, &turn, NULL), 0);
    return turn;
}

/* "0 2 1": calls in the order in which they ended. */
static const char *order(void)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < kit.results; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", i > 0 ? " " : "", kit.order[i]);
    }
    return text;
}

static uint64_t took(const struct recourse_turn *turn, size_t index)
{
    return recourse_turn_result(turn, index)->duration_ms;
}

/* ---- how many at once ---- */

static void test_of_a_tool(void)
{
    struct recourse_turn *turn;

    open_kit(0);
    RCS_EQUAL(add_tool("a", "http://fine/", NULL, 2, NULL), 0);
    RCS_EQUAL(add_tool("b", "http://fine/", NULL, 0, NULL), 0);
    turn = start_word("aaaaabbb", 0);
    kit_settle(&kit);
    RCS_EQUAL(kit.sim.in_flight, 5); /* two of a, all of b */
    kit_finish(&kit, turn);
    RCS_EQUAL(took(turn, 1), 10);
    RCS_EQUAL(took(turn, 2), 20);
    RCS_EQUAL(took(turn, 4), 30);
    RCS_EQUAL(took(turn, 7), 10);
    RCS_TEXT_EQUAL(order() + strlen("0 1 5 6 7 "), "2 3 4");
    kit_close(&kit);
}

/* Tools of one server share its limit, first come, first served, whichever of them names it. */
static void test_of_a_server(void)
{
    struct recourse_turn *turn;

    open_kit(0);
    RCS_EQUAL(add_tool("a", "http://fine/", "one", 0, NULL), 0);
    RCS_EQUAL(add_tool("b", "http://fine/", "one", 1, NULL), 0);
    RCS_EQUAL(add_tool("c", "http://fine/", "one", 1, NULL), 0);
    RCS_EQUAL(add_tool("d", "http://fine/", "two", 1, NULL), 0);
    turn = start_word("abcad", 0);
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.in_flight_max, 2);
    for (size_t i = 0; i < 4; i++) {
        RCS_EQUAL(took(turn, i), 10 * (i + 1));
    }
    RCS_EQUAL(took(turn, 4), 10);
    kit_close(&kit);
}

static void test_configurations(void)
{
    struct recourse_error error = {RECOURSE_OK, ""};

    open_kit(0);
    RCS_EQUAL(add_tool("a", "http://fine/", "one", 4, &error), 0);
    RCS_EQUAL(add_tool("b", "http://fine/", "one", 5, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "tool 'b': server 'one' has the limit 4 already, not 5: its tools share one");
    RCS_EQUAL(add_tool("b", "http://fine/", "", 5, &error), RECOURSE_E_ARGUMENT);
    RCS_TEXT_EQUAL(error.text, "tool 'b': a server's name can't be empty");
    RCS_EQUAL(add_tool("b", "http://fine/", "One", 5, &error), 0); /* another one */
    RCS_EQUAL(add_tool("c", "http://fine/", "one", 0, &error), 0);
    kit_close(&kit);
}

/* ---- who comes next ---- */

/* Calls that hang fill their server, and hold up nobody else's. */
static void test_no_head_of_line(void)
{
    struct recourse_turn *turn;

    open_kit(3);
    RCS_EQUAL(add_tool("s", "http://silent/", "dead", 1, NULL), 0);
    RCS_EQUAL(add_tool("f", "http://fine/", "live", 2, NULL), 0);
    turn = start_word("sssssssfff", 0);
    kit_until(&kit, KIT_START_MS + 100);
    RCS_TEXT_EQUAL(order(), "7 8 9");
    RCS_EQUAL(took(turn, 8), 10);
    RCS_EQUAL(took(turn, 9), 20);
    kit_close(&kit);
}

/* Where the runner's own limit is what is short, servers take turns: many calls to one don't starve another. */
static void test_turns(void)
{
    struct recourse_turn *turn;

    open_kit(1);
    RCS_EQUAL(add_tool("a", "http://fine/", "a", 0, NULL), 0);
    RCS_EQUAL(add_tool("b", "http://fine/", "b", 0, NULL), 0);
    RCS_EQUAL(add_tool("c", "http://fine/", "c", 0, NULL), 0);
    turn = start_word("aaaabbc", 0);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(order(), "0 1 4 6 2 5 3");
    RCS_EQUAL(kit.sim.in_flight_max, 1);
    kit_close(&kit);
}

/* A wait gives its place back, and its end queues again, behind those that came meanwhile. */
static void test_waits_hold_no_place(void)
{
    struct recourse_turn *turn;

    open_kit(0);
    sim_route(&kit.sim, "http://mends/", mends, 2);
    RCS_EQUAL(add_tool("m", "http://mends/", "one", 1, NULL), 0);
    RCS_EQUAL(add_tool("s", "http://slow/", "one", 0, NULL), 0);
    turn = start_word("mss", 0);
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(order(), "1 2 0");
    RCS_EQUAL(took(turn, 1), 1000);
    RCS_EQUAL(took(turn, 2), 2000);
    RCS_EQUAL(took(turn, 0), 2010);
    kit_close(&kit);
}

/* Deadlines, cancels and freed turns reach calls that wait for their server; the next one moves up. */
static void test_queued_ends(void)
{
    struct recourse_turn *turns[4];

    open_kit(0);
    RCS_EQUAL(add_tool("s", "http://slow/", NULL, 1, NULL), 0);
    turns[0] = start_word("s", 0);
    turns[1] = start_word("ss", 0);
    turns[2] = start_word("s", KIT_START_MS + 500);
    turns[3] = start_word("s", 0);
    kit_until(&kit, KIT_START_MS + 100);
    recourse_turn_free(turns[1]);
    kit_until(&kit, KIT_START_MS + 600);
    RCS_EQUAL(recourse_turn_result(turns[2], 0)->event, RECOURSE_EVENT_DEADLINE);
    RCS_EQUAL(took(turns[2], 0), 500);
    recourse_turn_cancel(turns[0]);
    kit_finish(&kit, turns[3]);
    RCS_EQUAL(took(turns[3], 0), 1600);
    RCS_EQUAL(kit.sim.request_count, 2);
    turns[0] = start_word("sss", 0);
    kit_settle(&kit);
    recourse_run_cancel(kit.run);
    kit_finish(&kit, turns[0]);
    RCS_EQUAL(kit.sim.request_count, 3);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), RECOURSE_FOREVER); /* nothing is left over */
    kit_close(&kit);
}

/* A host's loop is told to come back only for what can go on. */
static void test_wake_times(void)
{
    open_kit(0);
    RCS_EQUAL(add_tool("s", "http://slow/", NULL, 1, NULL), 0);
    (void)start_word("ss", 0);
    kit_settle(&kit);
    RCS_EQUAL(recourse_runner_wake_ms(kit.runner), KIT_START_MS + 1000);
    kit_close(&kit);
}

/* ---- tools that run on ---- */

static struct recourse_invocation *kept[16];
static size_t kept_count;

static void keep(void *user, struct recourse_invocation *invocation)
{
    (void)user;
    kept[kept_count++ % RCS_COUNT(kept)] = invocation;
}

static void open_functions(unsigned limit)
{
    struct recourse_tool tool = {.size = sizeof tool, .name = "f", .kind = RECOURSE_TOOL_FUNCTION, .function = keep,
                                 .timeout_ms = 100, .limit = limit};

    kept_count = 0;
    open_kit(0);
    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
}

static void complete(size_t index)
{
    struct recourse_completion completion = {.content = kit_span("done")};

    recourse_invocation_complete(kept[index], &completion);
}

/* A function that was cancelled runs on: until it has ended, it takes its place, although its call is gone. */
static void test_lingers(void)
{
    struct recourse_turn *turn;
    struct recourse_turn *next;

    open_functions(1);
    turn = start_word("f", 0);
    kit_settle(&kit);
    recourse_turn_cancel(turn);
    kit_finish(&kit, turn);
    recourse_turn_free(turn);
    next = start_word("f", 0);
    kit_until(&kit, KIT_START_MS + 50);
    RCS_EQUAL(kept_count, 1);
    complete(0);
    kit_settle(&kit);
    RCS_EQUAL(kept_count, 2);
    complete(1);
    kit_finish(&kit, next);
    RCS_TEXT_EQUAL(kit_content(next, 0), "done");
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

/* The same while the call waits for its next try; then it queues behind who waits already. */
static void test_lingers_while_waiting(void)
{
    struct recourse_turn *turn;

    open_functions(1);
    turn = start_word("ff", 0);
    kit_until(&kit, KIT_START_MS + 350); /* timed out at 100, held since 300 */
    RCS_EQUAL(kept_count, 1);
    complete(0);
    kit_settle(&kit);
    RCS_EQUAL(kept_count, 2);
    complete(1);
    kit_settle(&kit);
    RCS_TEXT_EQUAL(kit_content(turn, 1), "done");
    RCS_EQUAL(kept_count, 3);
    complete(2);
    kit_finish(&kit, turn);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 2);
    kit_close(&kit);
}

/* It never ends: its own call gives up in time, and the others with theirs. No try begins meanwhile. */
static void test_lingers_for_ever(void)
{
    struct recourse_turn *turn;

    open_functions(1);
    turn = start_word("ff", KIT_START_MS + 9000);
    kit_finish(&kit, turn);
    RCS_EQUAL(kept_count, 1);
    RCS_EQUAL(recourse_turn_result(turn, 0)->tries, 3);
    RCS_EQUAL(recourse_turn_result(turn, 1)->tries, 0);
    RCS_EQUAL(recourse_turn_result(turn, 1)->event, RECOURSE_EVENT_DEADLINE);
    complete(0);
    kit_settle(&kit);
    kit_close(&kit);
}

/* Without a limit nobody waits for it. */
static void test_lingers_without_a_limit(void)
{
    struct recourse_turn *turn;

    open_functions(0);
    turn = start_word("f", 0);
    kit_settle(&kit);
    recourse_turn_free(turn);
    turn = start_word("f", 0);
    kit_settle(&kit);
    RCS_EQUAL(kept_count, 2);
    complete(0);
    complete(1);
    kit_finish(&kit, turn);
    kit_close(&kit);
}

/* The runner goes while three linger: one answers before, one with its letter on the way, one after. */
static void test_lingers_beyond_the_runner(void)
{
    struct recourse_turn *turn;

    open_functions(3);
    turn = start_word("fff", 0);
    kit_settle(&kit);
    recourse_turn_free(turn);
    complete(0);
    kit_settle(&kit);
    complete(1);
    kit_close(&kit);
    CU_ASSERT_TRUE(recourse_invocation_cancelled(kept[2]));
    complete(2);
}

/* ---- many ---- */

#define MANY 5000u
#define SERVERS 7u

static struct many {
    struct recourse_invocation *open[MANY];
    size_t server[MANY];
    size_t open_count;
    size_t at_once[SERVERS];
    size_t at_once_max[SERVERS];
    size_t all_max;
    size_t begun;
    unsigned order_faults;
    uint64_t last[SERVERS];
} many;

static void begin_one(void *user, struct recourse_invocation *invocation)
{
    size_t server = (size_t)(uintptr_t)user;
    uint64_t id = strtoull(kit_text(recourse_invocation_call_id(invocation)), NULL, 10);

    many.order_faults += many.last[server] >= id;
    many.last[server] = id;
    many.open[many.open_count] = invocation;
    many.server[many.open_count++] = server;
    many.begun++;
    if (++many.at_once[server] > many.at_once_max[server]) {
        many.at_once_max[server] = many.at_once[server];
    }
    many.all_max = many.open_count > many.all_max ? many.open_count : many.all_max;
}

static void end_one(size_t index)
{
    struct recourse_invocation *invocation = many.open[index];
    struct recourse_completion completion = {.content = kit_span("{\"done\":true}")};

    many.at_once[many.server[index]]--;
    many.open_count--;
    many.open[index] = many.open[many.open_count];
    many.server[index] = many.server[many.open_count];
    recourse_invocation_complete(invocation, &completion);
}

/* Server i takes i at once (0: all); the runner takes 20. Each call has its one result, and none was overtaken. */
static void test_many(void)
{
    static struct recourse_call_request calls[MANY];
    static char ids[MANY][24];
    static const char *const servers[SERVERS] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6"};
    struct recourse_turn *turn;
    uint32_t random = 1;

    memset(&many, 0, sizeof many);
    open_kit(20);
    for (size_t i = 0; i < SERVERS; i++) {
        struct recourse_tool tool = {.size = sizeof tool, .name = servers[i], .kind = RECOURSE_TOOL_FUNCTION,
                                     .function = begin_one, .user = (void *)(uintptr_t)i, .server = servers[i],
                                     .limit = (unsigned)i};

        RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
    }
    for (size_t i = 0; i < MANY; i++) {
        snprintf(ids[i], sizeof ids[i], "%zu", i + 1);
        random = random * 1664525u + 1013904223u;
        calls[i] = kit_call(ids[i], servers[(random >> 16) % SERVERS], "{\"some\":\"arguments\"}");
    }
    turn = kit_start(&kit, calls, MANY);
    while (!recourse_turn_done(turn)) {
        RCS_EQUAL(recourse_runner_step(kit.runner, 0), 0);
        random = random * 1664525u + 1013904223u;
        if (many.open_count > 0) {
            end_one((random >> 16) % many.open_count);
        }
    }
    RCS_EQUAL(many.begun, MANY);
    RCS_EQUAL(kit.results, MANY);
    RCS_EQUAL(many.all_max, 20);
    RCS_EQUAL(many.order_faults, 0);
    for (size_t i = 1; i < SERVERS; i++) {
        RCS_EQUAL(many.at_once_max[i], i);
    }
    RCS_EQUAL(recourse_runner_memory(kit.runner), 0);
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"of a tool", test_of_a_tool},
        {"of a server", test_of_a_server},
        {"configurations", test_configurations},
        {"no head of line", test_no_head_of_line},
        {"turns", test_turns},
        {"waits hold no place", test_waits_hold_no_place},
        {"queued ends", test_queued_ends},
        {"wake times", test_wake_times},
        {"lingers", test_lingers},
        {"lingers while waiting", test_lingers_while_waiting},
        {"lingers for ever", test_lingers_for_ever},
        {"lingers without a limit", test_lingers_without_a_limit},
        {"lingers beyond the runner", test_lingers_beyond_the_runner},
        {"many", test_many},
    };

    return rcs_unit_main("servers", tests, RCS_COUNT(tests));
}
