/*
 * Each cell and row of the policies changed, one at a time (gen/mutate.h): a check or an example has to notice, unless
 * nothing comes out otherwise, or no example could speak of it.
 */
#include "gen/mutate.h"
#include "tests/unit/unit.h"

/* All of them where that takes seconds; some where sanitizers or the want of an optimizer make it minutes. */
#if defined __SANITIZE_ADDRESS__ || !defined __OPTIMIZE__
#define STEP 13u
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define STEP 13u
#endif
#endif
#ifndef STEP
#define STEP 1u
#endif

static const char *const *paths;
static size_t path_count;

static void print(const struct rcs_mutants *mutants, const struct rcs_mutant *mutant)
{
    printf("    unnoticed: %s:%u, %s of %s: '%.*s' -> '%s'\n", mutants->path, mutant->line, mutant->column, mutant->row,
           (int)(mutant->end - mutant->begin), mutants->text + mutant->begin, mutant->with);
}

static void mutate(const char *path)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    size_t tally[RCS_FATE_COUNT] = {0};
    struct rcs_mutants mutants;
    struct rcs_loaded loaded;
    const char *why;
    size_t size;
    const char *text = rcs_file_read(&arena, path, &size, &why);

    CU_ASSERT_FATAL(text != NULL);
    CU_ASSERT_FATAL(rcs_load(&arena, path, text, size, &findings, &loaded));
    rcs_mutants_make(&arena, &loaded, &mutants);
    for (size_t i = 0; i < mutants.count; i += STEP) {
        enum rcs_fate fate = rcs_mutant_judge(&mutants, i);

        tally[fate]++;
        if (fate == RCS_FATE_UNNOTICED) {
            print(&mutants, &mutants.items[i]);
        }
    }
    printf("  %s: of %zu changes %zu caught, %zu equivalent, %zu declared, %zu unnoticed\n", path, mutants.count,
           tally[RCS_FATE_CAUGHT], tally[RCS_FATE_EQUIVALENT], tally[RCS_FATE_DECLARED], tally[RCS_FATE_UNNOTICED]);
    RCS_EQUAL(tally[RCS_FATE_UNNOTICED], 0);
    CU_ASSERT(mutants.count > 500);
    CU_ASSERT(tally[RCS_FATE_CAUGHT] * STEP > mutants.count * 3 / 4);
    rcs_arena_clear(&arena);
}

static void test_mutants(void)
{
    for (size_t i = 0; i < path_count; i++) {
        mutate(paths[i]);
    }
}

int main(int count, char **arguments)
{
    static const struct rcs_test tests[] = {{"every change of a policy is noticed", test_mutants}};

    paths = (const char *const *)arguments + 1;
    path_count = (size_t)count - 1;
    if (path_count == 0) {
        fprintf(stderr, "test_mutants: name the policies\n");
        return 1;
    }
    return rcs_unit_main("mutants", tests, RCS_COUNT(tests));
}
