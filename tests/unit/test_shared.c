/* What calls share: budgets on core, by published numbers, and in the runner; breakers by themselves and in the runner. */
#include "tests/unit/purse.h"
#include "tests/unit/run_kit.h"
#include "src/run/shared.h"

/* ---- core: tokens ---- */

/* Each row is one step: how a try of the call at hand ended, and what is in the budget after it. */
struct spent {
    int end; /* enum toy_failure; OK */
    bool new_call;
    uint32_t tokens;
    uint8_t action;
    uint8_t reason;
};

enum { OK = -1 };

/* Which row it was. */
#define ROW_EQUAL(what, index, actual, expected)                                                                    \
    do {                                                                                                               \
        if ((actual) != (expected)) {                                                                                  \
            printf("%s of row %zu:\n", what, index);                                                                  \
        }                                                                                                              \
        RCS_EQUAL(actual, expected);                                                                                   \
    } while (0)

static void spend(const struct recourse_budget *budget, uint32_t cost, uint16_t tries, uint32_t tokens,
                  const struct spent *rows, size_t count)
{
    static const struct recourse_facts ends[] = {
        {.http = 200}, {.http = 429}, {.http = 504, .phrase = {"timeout", 7}}, {.http = 400}};
    struct recourse_policy policy = toy_policy;
    struct recourse_wait waits[TOY_WAIT_COUNT];
    struct recourse_call call = {0};
    uint64_t now_ms = 0;

    memcpy(waits, toy_policy.waits, sizeof waits);
    waits[TOY_SHORT].budget = 1;
    waits[TOY_SHORT].cost = cost;
    policy.waits = waits;
    policy.budgets = budget;
    policy.budget_count = 1;
    policy.settings.tries = tries;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_OK);
    for (size_t i = 0; i < count; i++) {
        struct recourse_input input = {.now_ms = now_ms, .event = RECOURSE_EVENT_READY, .tokens = &tokens};
        struct recourse_decision decision;

        if (rows[i].new_call) {
            RCS_EQUAL(recourse_call_init(&call, &policy, now_ms, RECOURSE_FOREVER, true), RECOURSE_OK);
        } else {
            input.event = RECOURSE_EVENT_ELAPSED;
        }
        RCS_EQUAL(recourse_call_step(&call, &policy, &input, &decision), RECOURSE_OK);
        RCS_EQUAL(decision.tokens[0], tokens);
        input.event = RECOURSE_EVENT_OK;
        input.facts = &ends[rows[i].end + 1];
        RCS_EQUAL(recourse_call_step(&call, &policy, &input, &decision), RECOURSE_OK);
        tokens = decision.tokens[0];
        now_ms = decision.action == RECOURSE_ACTION_WAIT ? decision.wake_ms : now_ms;
        ROW_EQUAL("tokens", i, tokens, rows[i].tokens);
        ROW_EQUAL("action", i, decision.action, rows[i].action);
        ROW_EQUAL("reason", i, decision.reason, rows[i].reason);
    }
}

#define WAITS RECOURSE_ACTION_WAIT, RECOURSE_REASON_NONE
#define ENDS RECOURSE_ACTION_REPORT, RECOURSE_REASON_NONE
#define REFUSED RECOURSE_ACTION_REPORT, RECOURSE_REASON_OVER_BUDGET
#define SPENT_TRIES RECOURSE_ACTION_REPORT, RECOURSE_REASON_TRIES_SPENT

/* AWS, standard retries, revision 2.0: 500 tokens, 5 a retry; a success gives back what the last retry took, else 1. */
static void test_aws(void)
{
    static const struct recourse_budget budget = {
        .id = "retries", .holds = 500, .gives = 1, .gives_cost = true};
    static const struct spent succeeds[] = {{TOY_TRANSIENT, true, 495, WAITS},
                                            {TOY_TRANSIENT, false, 490, WAITS},
                                            {OK, false, 495, ENDS},
                                            {OK, true, 496, ENDS}};
    static const struct spent max[] = {{TOY_TRANSIENT, true, 495, WAITS},
                                       {TOY_TRANSIENT, false, 490, WAITS},
                                       {TOY_TRANSIENT, false, 490, SPENT_TRIES}};
    static const struct spent one[] = {{TOY_TRANSIENT, true, 0, WAITS}, {TOY_TRANSIENT, false, 0, REFUSED}};
    static const struct spent none[] = {{TOY_TRANSIENT, true, 0, REFUSED}};
    static const struct spent strict[] = {{TOY_TRANSIENT, true, 6, WAITS}, {TOY_TRANSIENT, false, 6, REFUSED}};
    static const struct spent two_calls[] = {{TOY_TRANSIENT, true, 16, WAITS},
                                             {TOY_TRANSIENT, false, 2, WAITS},
                                             {OK, false, 16, ENDS},
                                             {TOY_TRANSIENT, true, 2, WAITS},
                                             {OK, false, 16, ENDS}};
    static const struct spent full[] = {{OK, true, 500, ENDS}, {TOY_PERMANENT, true, 500, ENDS}};

    spend(&budget, 5, 3, 500, succeeds, RCS_COUNT(succeeds));
    spend(&budget, 5, 3, 500, max, RCS_COUNT(max));
    spend(&budget, 5, 3, 5, one, RCS_COUNT(one));
    spend(&budget, 5, 3, 0, none, RCS_COUNT(none));
    spend(&budget, 14, 3, 20, strict, RCS_COUNT(strict)); /* 2.1 */
    spend(&budget, 14, 3, 30, two_calls, RCS_COUNT(two_calls));
    spend(&budget, 5, 3, 500, full, RCS_COUNT(full));
}

/* gRPC A6 with 10 tokens and a ratio of 0.5, in tenths: more than half has to be left, each failure takes one. */
static void test_grpc(void)
{
    static const struct recourse_budget budget = {.id = "throttle", .holds = 100, .needs = 51, .takes = 10, .gives = 5};
    static const struct spent rows[] = {
        {OK, true, 100, ENDS},
        {TOY_TRANSIENT, true, 90, WAITS}, {TOY_TRANSIENT, false, 80, WAITS}, {OK, false, 85, ENDS},
        {TOY_TRANSIENT, true, 75, WAITS}, {TOY_TRANSIENT, false, 65, WAITS}, {OK, false, 70, ENDS},
        {TOY_TRANSIENT, true, 60, WAITS}, {TOY_TRANSIENT, false, 50, REFUSED}, {TOY_TRANSIENT, true, 40, REFUSED},
        {OK, true, 45, ENDS}, {OK, true, 50, ENDS}, {OK, true, 55, ENDS}, {OK, true, 60, ENDS}, {OK, true, 65, ENDS},
        {TOY_TRANSIENT, true, 55, WAITS}, {OK, false, 60, ENDS}, {TOY_TRANSIENT, true, 50, REFUSED},
        {TOY_PERMANENT, true, 50, ENDS},
    };
    static const struct spent empty[] = {{TOY_TRANSIENT, true, 0, REFUSED}, {TOY_TRANSIENT, true, 0, REFUSED}};

    spend(&budget, 0, 3, 100, rows, RCS_COUNT(rows));
    spend(&budget, 0, 3, 7, empty, RCS_COUNT(empty)); /* never less than nothing */
}

/* ---- breakers ---- */

enum { TRY, REFUSE, BAD, GOOD, NOTHING };

struct moment {
    uint64_t now_ms;
    int what; /* TRY and REFUSE ask; the others end the oldest try that began */
    uint8_t circuit;
};

static void live_through(const struct recourse_breaker *definition, const struct moment *moments, size_t count)
{
    struct recourse_policy policy = toy_policy;
    struct rcs_shared shared = {.allocator = NULL};
    struct rcs_breaker *breaker;
    uint32_t epochs[64];
    size_t first = 0;
    size_t begun = 0;

    policy.breakers = definition;
    policy.breaker_count = 1;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_OK);
    breaker = rcs_shared_breaker(&shared, &policy, 0, "");
    CU_ASSERT_FATAL(breaker != NULL);
    for (size_t i = 0; i < count; i++) {
        if (moments[i].what == TRY || moments[i].what == REFUSE) {
            bool allowed = rcs_breaker_allows(breaker, moments[i].now_ms);

            ROW_EQUAL("allowed", i, allowed, moments[i].what == TRY);
            if (allowed) {
                epochs[begun++] = rcs_breaker_begin(breaker);
            }
        } else {
            rcs_breaker_end(breaker, epochs[first++],
                            moments[i].what == BAD    ? RCS_EVIDENCE_BAD
                            : moments[i].what == GOOD ? RCS_EVIDENCE_GOOD
                                                      : RCS_EVIDENCE_NONE,
                            moments[i].now_ms);
        }
        ROW_EQUAL("circuit", i, breaker->circuit, moments[i].circuit);
    }
    rcs_shared_clear(&shared);
}

#define CLOSED RECOURSE_CIRCUIT_CLOSED
#define OPEN RECOURSE_CIRCUIT_OPEN
#define HALF RECOURSE_CIRCUIT_HALF_OPEN

static void test_in_a_row(void)
{
    static const struct recourse_breaker breaker = {
        .id = "b", .counts = 2, .opens_after = 2, .lets_through = 2, .stays_open_ms = 100};
    static const struct moment moments[] = {
        {0, TRY, CLOSED}, {0, BAD, CLOSED}, {0, TRY, CLOSED}, {1, GOOD, CLOSED}, {1, TRY, CLOSED}, {2, BAD, CLOSED},
        {2, TRY, CLOSED}, {2, NOTHING, CLOSED}, {3, TRY, CLOSED}, {3, TRY, CLOSED}, {10, BAD, OPEN}, {11, BAD, OPEN},
        {12, REFUSE, OPEN}, {109, REFUSE, OPEN}, {110, TRY, HALF}, {110, TRY, HALF}, {110, REFUSE, HALF},
        {111, NOTHING, HALF}, {112, TRY, HALF}, {113, GOOD, HALF}, {113, REFUSE, HALF}, {114, GOOD, CLOSED},
        {115, TRY, CLOSED}, {115, TRY, CLOSED}, {116, BAD, CLOSED}, {117, BAD, OPEN}, {217, TRY, HALF}, {217, TRY, HALF},
        {218, BAD, OPEN}, {219, GOOD, OPEN}, {317, REFUSE, OPEN}, {318, TRY, HALF},
    };

    live_through(&breaker, moments, RCS_COUNT(moments));
}

static void test_in_a_window(void)
{
    static const struct recourse_breaker breaker = {
        .id = "b", .counts = 2, .opens_after = 3, .lets_through = 1, .within_ms = 30, .stays_open_ms = 100};
    static const struct moment moments[] = {
        {0, TRY, CLOSED}, {0, BAD, CLOSED},  {10, TRY, CLOSED}, {10, BAD, CLOSED}, {20, TRY, CLOSED}, {20, GOOD, CLOSED},
        {31, TRY, CLOSED}, {31, BAD, CLOSED}, /* the first is older than the window */
        {40, TRY, CLOSED}, {40, BAD, OPEN}, {139, REFUSE, OPEN}, {140, TRY, HALF}, {141, GOOD, CLOSED},
        {142, TRY, CLOSED}, {142, BAD, CLOSED}, {143, TRY, CLOSED}, {143, BAD, CLOSED}, {144, TRY, CLOSED}, {144, BAD, OPEN},
    };

    live_through(&breaker, moments, RCS_COUNT(moments));
}

/* One for each definition and sharer; and none without memory. */
static void test_definitions(void)
{
    struct recourse_breaker rows[2] = {
        {.id = "b", .counts = 2, .opens_after = 3, .lets_through = 1, .within_ms = 30, .stays_open_ms = 100}};
    struct recourse_budget budget = {.id = "t", .holds = 10};
    struct recourse_policy policy = toy_policy;
    struct rcs_shared shared = {.allocator = NULL};

    policy.breakers = rows;
    rows[1] = rows[0];
    CU_ASSERT_PTR_EQUAL(rcs_shared_breaker(&shared, &policy, 0, "x"), rcs_shared_breaker(&shared, &policy, 1, "x"));
    CU_ASSERT_PTR_NOT_EQUAL(rcs_shared_breaker(&shared, &policy, 0, "x"), rcs_shared_breaker(&shared, &policy, 0, "y"));
    rows[1].counts = 6;
    CU_ASSERT_PTR_NOT_EQUAL(rcs_shared_breaker(&shared, &policy, 0, "x"), rcs_shared_breaker(&shared, &policy, 1, "x"));
    rows[1].counts = 2;
    rows[1].stays_open_ms = 101;
    CU_ASSERT_PTR_NOT_EQUAL(rcs_shared_breaker(&shared, &policy, 0, "x"), rcs_shared_breaker(&shared, &policy, 1, "x"));
    rcs_shared_budget(&shared, &budget, "")->tokens = 3;
    RCS_EQUAL(rcs_shared_budget(&shared, &budget, "")->tokens, 3);
    RCS_EQUAL(rcs_shared_budget(&shared, &budget, "x")->tokens, 10);
    budget.holds = 11;
    RCS_EQUAL(rcs_shared_budget(&shared, &budget, "")->tokens, 11);
    rcs_shared_clear(&shared);
    for (unsigned left = 0; left < 5; left++) {
        struct purse purse = {.left = left};
        struct recourse_allocator allocator = purse_allocator(&purse);

        shared.allocator = &allocator;
        CU_ASSERT_TRUE((rcs_shared_breaker(&shared, &policy, 0, "x") != NULL) == (left >= 3));
        CU_ASSERT_TRUE((rcs_shared_budget(&shared, &budget, "x") != NULL) == (left == 4));
        rcs_shared_clear(&shared);
        RCS_EQUAL(purse.out, 0);
    }
}

/* ---- the runner ---- */

static struct kit kit;
static struct recourse_wait waits[TOY_WAIT_COUNT];

static const struct sim_answer refused[] = {
    {.after_ms = 10, .network = RECOURSE_NETWORK_REFUSED, .unsent = true, .detail = "refused"}};

static void open_kit(const struct recourse_budget *budget, const struct recourse_breaker *breaker, uint32_t cost)
{
    struct recourse_runner_options options;

    kit_init(&kit, &options);
    memcpy(waits, toy_policy.waits, sizeof waits);
    waits[TOY_FRESH].budget = budget != NULL;
    waits[TOY_FRESH].cost = cost;
    kit.policy.policy.waits = waits;
    kit.policy.policy.budgets = budget;
    kit.policy.policy.budget_count = budget != NULL;
    kit.policy.policy.breakers = breaker;
    kit.policy.policy.breaker_count = breaker != NULL;
    kit_open(&kit, &options);
}

static struct recourse_turn *start_many(size_t count, const char *name)
{
    static char ids[KIT_CALLS_MAX][24];
    struct recourse_call_request calls[KIT_CALLS_MAX];

    for (size_t i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "c%zu", i);
        calls[i] = kit_call(ids[i], name, "{}");
    }
    return kit_start(&kit, calls, count);
}

/* Ten calls at once, and tokens for four waits. */
static void test_shared_budget(void)
{
    static const struct recourse_budget budget = {.id = "retries", .holds = 21, .gives = 2};
    struct recourse_budget_state state;
    struct recourse_turn *turn;
    unsigned over = 0;
    int taken = 0;

    open_kit(&budget, NULL, 5);
    kit_http(&kit, "lookup", false);
    sim_route(&kit.sim, "http://lookup/", refused, 1);
    turn = start_many(10, "lookup");
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.request_count, 14);
    for (size_t i = 0; i < 10; i++) {
        const struct recourse_result *result = recourse_turn_result(turn, i);

        over += result->reason == RECOURSE_REASON_OVER_BUDGET;
        for (size_t k = 0; k < result->trail_count; k++) {
            taken += result->trail[k].tokens[0];
        }
    }
    RCS_EQUAL(over, 10);
    RCS_EQUAL(taken, -20);
    CU_ASSERT_TRUE_FATAL(recourse_runner_budget(kit.runner, 0, &state));
    RCS_TEXT_EQUAL(state.id, "retries");
    RCS_TEXT_EQUAL(state.sharer, "");
    RCS_EQUAL(state.tokens, 1);
    RCS_EQUAL(state.least, 1);
    RCS_EQUAL(state.refused, 10);
    CU_ASSERT_FALSE(recourse_runner_budget(kit.runner, 1, &state));
    kit_close(&kit);
}

/* It opens, refuses without a request, lets one through, closes; another tool has its own. */
static void test_breaker_in_the_runner(void)
{
    static const struct recourse_breaker breaker = {.id = "down",
                                                    .shared_by = RECOURSE_SHARED_BY_TOOL,
                                                    .counts = 1u << TOY_UNREACHED,
                                                    .opens_after = 2,
                                                    .lets_through = 1,
                                                    .stays_open_ms = 20000};
    static const struct sim_answer answers[] = {
        {.after_ms = 10, .network = RECOURSE_NETWORK_REFUSED, .unsent = true, .detail = "refused"},
        {.after_ms = 10, .network = RECOURSE_NETWORK_REFUSED, .unsent = true, .detail = "refused"},
        {.after_ms = 10, .status = 200, .body = "fine"}};
    static const struct sim_answer fine[] = {{.after_ms = 10, .status = 200, .body = "fine"}};
    struct recourse_breaker_state state;
    struct recourse_turn *turn;

    open_kit(NULL, &breaker, 0);
    kit_http(&kit, "lookup", false);
    kit_http(&kit, "other", false);
    sim_route(&kit.sim, "http://lookup/", answers, RCS_COUNT(answers));
    sim_route(&kit.sim, "http://other/", fine, 1);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A6 B1 A6 B2");
    RCS_EQUAL(recourse_turn_result(turn, 0)->event, RECOURSE_EVENT_CIRCUIT_OPEN);
    RCS_EQUAL(kit.sim.request_count, 2);
    CU_ASSERT_TRUE_FATAL(recourse_runner_breaker(kit.runner, 0, &state));
    RCS_TEXT_EQUAL(state.sharer, "lookup");
    RCS_EQUAL(state.circuit, RECOURSE_CIRCUIT_OPEN);
    RCS_EQUAL(state.opened, 1);
    RCS_EQUAL(state.refused, 1);
    RCS_EQUAL(state.until_ms, KIT_START_MS + 20 + 20000);
    kit_close(&kit);

    open_kit(NULL, &breaker, 0); /* a run that a breaker ended by telling the host takes no more turns */
    kit.policy.rows[TOY_B2].scenario = TOY_3B;
    kit.policy.rows[TOY_B2].message = TOY_FAILED;
    kit_http(&kit, "lookup", false);
    kit_http(&kit, "other", false);
    sim_route(&kit.sim, "http://lookup/", answers, RCS_COUNT(answers));
    sim_route(&kit.sim, "http://other/", fine, 1);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    turn = kit_start_one(&kit, "lookup", "{}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P3");
    RCS_TEXT_EQUAL(kit_content(turn, 0), "Error: not tried, since too much has failed of late: breaker 'down'. " REMINDER);
    turn = kit_start_one(&kit, "other", "{}");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A1");
    kit.sim.now_ms = KIT_START_MS + 30000;
    turn = start_many(3, "lookup"); /* one of them is let through */
    kit_finish(&kit, turn);
    RCS_EQUAL(kit.sim.request_count, 4);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 0)), "P1 A1");
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 1)), "P3");
    CU_ASSERT_TRUE_FATAL(recourse_runner_breaker(kit.runner, 0, &state));
    RCS_EQUAL(state.circuit, RECOURSE_CIRCUIT_CLOSED);
    CU_ASSERT_TRUE_FATAL(recourse_runner_breaker(kit.runner, 1, &state));
    RCS_TEXT_EQUAL(state.sharer, "other");
    turn = start_many(3, "lookup");
    kit_finish(&kit, turn);
    RCS_TEXT_EQUAL(kit_trail(recourse_turn_result(turn, 2)), "P1 A1");
    kit_close(&kit);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"budget by AWS's numbers", test_aws},
        {"budget by gRPC's numbers", test_grpc},
        {"breaker that counts in a row", test_in_a_row},
        {"breaker that counts in a window", test_in_a_window},
        {"one for each definition", test_definitions},
        {"budget of many calls", test_shared_budget},
        {"breaker of a tool", test_breaker_in_the_runner},
    };

    return rcs_unit_main("shared", tests, RCS_COUNT(tests));
}
