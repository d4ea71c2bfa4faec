/* Policies that are replaced while calls are in flight. */
#include "tests/unit/policy_object.h"
#include "tests/unit/run_kit.h"

static struct kit kit;

static const struct sim_answer away_then_fine[] = {
    {.after_ms = 10, .network = RECOURSE_NETWORK_REFUSED, .unsent = true, .detail = "refused"},
    {.after_ms = 10, .network = RECOURSE_NETWORK_REFUSED, .unsent = true, .detail = "refused"},
    {.after_ms = 10, .status = 200, .body = "fine"},
};

static void open_kit(const struct recourse_policy *policy)
{
    struct recourse_runner_options options;

    kit_init(&kit, &options);
    options.policy = policy;
    kit_open(&kit, &options);
}

static void add_own(const char *name, const struct recourse_policy *policy)
{
    struct recourse_tool tool = {.size = sizeof tool,
                                 .name = name,
                                 .kind = RECOURSE_TOOL_HTTP,
                                 .url = "http://own/",
                                 .policy = policy};

    RCS_EQUAL(recourse_runner_add_tool(kit.runner, &tool, NULL), 0);
}

static uint64_t first_wait(const struct recourse_turn *turn)
{
    return recourse_turn_result(turn, 0)->trail[1].wait_ms;
}

/* A call waits, and its policy is replaced under it: it goes on by the old one, and the next goes by the new one. */
static void test_replaced_in_flight(void)
{
    const struct recourse_policy *one;
    const struct recourse_policy *two;
    struct recourse_turn *first;
    struct recourse_turn *second;

    begin();
    one = open_policy(build_plain("one.so"));
    two = open_policy(build("two.so", "| 1s |", "| 3s |"));
    open_kit(one);
    kit_http(&kit, "lookup", false);
    sim_route(&kit.sim, "http://lookup/", away_then_fine, RCS_COUNT(away_then_fine));
    recourse_policy_release(one);
    first = kit_start_one(&kit, "lookup", "{}");
    kit_until(&kit, KIT_START_MS + 20);
    RCS_EQUAL(kit.results, 0);
    RCS_EQUAL(recourse_runner_set_policy(kit.runner, two), 0);
    recourse_policy_release(two);
    second = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, first);
    kit_finish(&kit, second);
    RCS_EQUAL(kit.sim.requests[2].at_ms, KIT_START_MS + 10 + 1000);
    RCS_EQUAL(kit.sim.requests[3].at_ms, KIT_START_MS + 20 + 10 + 3000);
    RCS_EQUAL(first_wait(first), 1000);
    RCS_EQUAL(first_wait(second), 3000);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(first, 0)), "P1 A2 B1 A1");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(second, 0)), "P1 A2 B1 A1");
    CU_ASSERT_TRUE(recourse_turn_result(first, 0)->policy == one);
    CU_ASSERT_TRUE(recourse_turn_result(second, 0)->policy == two);
    CU_ASSERT_TRUE(is_mapped("one.so"));
    recourse_turn_free(first);
    CU_ASSERT_FALSE(is_mapped("one.so"));
    CU_ASSERT_TRUE(is_mapped("two.so"));
    recourse_turn_free(second);
    CU_ASSERT_TRUE(is_mapped("two.so"));
    kit_close(&kit);
    CU_ASSERT_FALSE(is_mapped("two.so"));
    end();
}

/* Calls that have not begun are later ones. Those that are cut short let go as well. */
static void test_before_and_cut_short(void)
{
    const struct recourse_policy *one;
    const struct recourse_policy *two;
    struct recourse_turn *first;
    struct recourse_turn *second;

    begin();
    one = open_policy(build_plain("one.so"));
    two = open_policy(build("two.so", "| 1s |", "| 3s |"));
    open_kit(one);
    kit_http(&kit, "lookup", false);
    sim_route(&kit.sim, "http://lookup/", away_then_fine, RCS_COUNT(away_then_fine));
    recourse_policy_release(one);
    first = kit_start_one(&kit, "lookup", "{}");
    RCS_EQUAL(recourse_runner_set_policy(kit.runner, two), 0);
    CU_ASSERT_TRUE(is_mapped("one.so"));
    kit_settle(&kit);
    CU_ASSERT_FALSE(is_mapped("one.so"));
    kit_finish(&kit, first);
    RCS_EQUAL(first_wait(first), 3000);
    recourse_turn_free(first);
    second = kit_start_one(&kit, "lookup", "{}");
    kit_settle(&kit);
    recourse_turn_free(second);
    recourse_policy_release(two);
    CU_ASSERT_TRUE(is_mapped("two.so"));
    (void)kit_start_one(&kit, "lookup", "{}");
    kit_close(&kit);
    CU_ASSERT_FALSE(is_mapped("two.so"));
    end();
}

static void test_tool_policy(void)
{
    const struct recourse_policy *one;
    const struct recourse_policy *two;
    struct recourse_turn *first;
    struct recourse_turn *second;
    struct recourse_turn *third;

    begin();
    one = open_policy(build_plain("one.so"));
    two = open_policy(build("two.so", "| 1s |", "| 3s |"));
    open_kit(&toy_policy);
    add_own("own", one);
    sim_route(&kit.sim, "http://own/", away_then_fine, RCS_COUNT(away_then_fine));
    recourse_policy_release(one);
    first = kit_start_one(&kit, "own", "{}");
    kit_until(&kit, KIT_START_MS + 20);
    RCS_EQUAL(recourse_runner_set_policy(kit.runner, two), 0); /* not the tool's */
    CU_ASSERT_TRUE(is_mapped("one.so"));
    RCS_EQUAL(recourse_runner_set_tool_policy(kit.runner, "own", two), 0);
    RCS_EQUAL(recourse_runner_set_tool_policy(kit.runner, "own", two), 0); /* one and the same */
    RCS_EQUAL(recourse_runner_set_policy(kit.runner, &toy_policy), 0);
    recourse_policy_release(two);
    second = kit_start_one(&kit, "own", "{}");
    kit_finish(&kit, first);
    kit_finish(&kit, second);
    RCS_EQUAL(first_wait(first), 1000);
    RCS_EQUAL(first_wait(second), 3000);
    RCS_EQUAL(recourse_runner_set_tool_policy(kit.runner, "own", NULL), 0);
    third = kit_start_one(&kit, "own", "{}");
    kit_finish(&kit, third);
    CU_ASSERT_TRUE(recourse_turn_result(third, 0)->policy == &toy_policy);
    recourse_turn_free(first);
    CU_ASSERT_FALSE(is_mapped("one.so"));
    recourse_turn_free(second);
    CU_ASSERT_FALSE(is_mapped("two.so"));
    kit_close(&kit);
    end();
}

static void test_refused_replacements(void)
{
    struct recourse_policy other = toy_policy;
    struct recourse_policy broken = toy_policy;

    other.abi++;
    broken.move = NULL;
    open_kit(&toy_policy);
    kit_http(&kit, "lookup", false);
    RCS_EQUAL(recourse_runner_set_policy(NULL, &toy_policy), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_set_policy(kit.runner, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_set_policy(kit.runner, &other), RECOURSE_E_ABI);
    RCS_EQUAL(recourse_runner_set_policy(kit.runner, &broken), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_set_tool_policy(NULL, "lookup", NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_set_tool_policy(kit.runner, NULL, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_runner_set_tool_policy(kit.runner, "lookup", &other), RECOURSE_E_ABI);
    RCS_EQUAL(recourse_runner_set_tool_policy(kit.runner, "look", &toy_policy), RECOURSE_E_NOT_FOUND);
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"replaced in flight", test_replaced_in_flight},
        {"before a call begins, and cut short", test_before_and_cut_short},
        {"tool policy", test_tool_policy},
        {"refused replacements", test_refused_replacements},
    };

    return rcs_unit_main_needs("ragel", "policy_replace", tests, RCS_COUNT(tests));
}
