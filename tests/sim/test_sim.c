/* A few worlds of the simulator; that a seed says everything; and that what is broken on purpose is found. */
#include "tests/sim/broken.h"
#include "tests/unit/unit.h"

#define WORLDS 60u
#define BROKEN_WORLDS 400u /* at most: most are found in the first few */

static struct world world;

static void holds(uint64_t seed)
{
    const struct sim_options options = {.seed = seed};

    if (!sim_run(&world, &options)) {
        printf("    seed %llu: %s: %s\n", (unsigned long long)seed, sim_invariant_name(world.fault), world.fault_text);
        CU_FAIL("an invariant does not hold");
    }
}

static void test_worlds(void)
{
    uint64_t results = 0;

    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        holds(seed);
        results += world.results;
    }
    CU_ASSERT_TRUE(results > 50u * WORLDS);
}

/* Worlds in which something did not hold once. */
static void test_found(void)
{
    static const uint64_t seeds[] = {
        21066, /* a call that waited to read its stream on kept its request, and what it had of an event */
    };

    for (size_t i = 0; i < RCS_COUNT(seeds); i++) {
        holds(seeds[i]);
    }
}

static void test_replay(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const struct sim_options options = {.seed = seed};
        uint64_t digest;

        (void)sim_run(&world, &options);
        digest = world.digest;
        (void)sim_run(&world, &options);
        CU_ASSERT_EQUAL(world.digest, digest);
        CU_ASSERT_TRUE(digest != 0);
    }
}

static void test_broken(void)
{
    for (size_t i = 0; i < SIM_BROKEN_COUNT; i++) {
        struct sim_options options = {.seed = 1, .broken = &sim_broken[i]};

        while (options.seed < BROKEN_WORLDS && sim_run(&world, &options)) {
            options.seed++;
        }
        RCS_TEXT_EQUAL(sim_invariant_name(world.fault), sim_invariant_name(sim_broken[i].found_by));
        if (world.fault != sim_broken[i].found_by) {
            printf("    %s, seed %llu: %s\n", sim_broken[i].name, (unsigned long long)options.seed, world.fault_text);
        }
    }
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"worlds", test_worlds},
        {"found", test_found},
        {"replay", test_replay},
        {"broken", test_broken},
    };
    int status;

    if (!sim_policies_load()) {
        return 2;
    }
    status = rcs_unit_main("sim", tests, RCS_COUNT(tests));
    sim_policies_clear();
    return status;
}
