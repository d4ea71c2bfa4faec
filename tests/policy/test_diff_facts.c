/* Which failures of two policies go together: no facts made at random show a pair that the search has not found. */
#include "gen/diff.h"
#include "tests/policy/facts_for.h"
#include "tests/policy/policies.h"
#include "tests/unit/naive.h"

#define ROUNDS 4000u

static uint64_t seed = 11;

static unsigned below(unsigned bound)
{
    return rcs_naive_random(&seed) % bound;
}

static const struct recourse_atom *some_atom(const struct rcs_spec *spec)
{
    const struct rcs_spec_fact_row *row = &spec->fact_rows[below((unsigned)spec->fact_row_count)];

    return &row->atoms[below((unsigned)row->atom_count)].atom;
}

/* Conditions of both policies met, and some other facts beside. */
static struct recourse_facts some_facts(struct rcs_arena *arena, const struct rcs_spec *const specs[2])
{
    static const uint16_t statuses[] = {0, 0, 200, 204, 301, 400, 404, 409, 429, 500, 502, 503, 504, 599};
    static const char *const texts[] = {"", "", "busy", "rate limit", "x429x", "429", "1.429", "timeout"};
    struct recourse_facts facts = {.http = statuses[below(14)]};
    unsigned met = below(5);

    facts.text = rcs_span_of(texts[below(8)]);
    for (unsigned i = 0; i < met; i++) {
        rcs_facts_meet(arena, some_atom(specs[below(2)]), &facts);
    }
    facts.tool_error = facts.tool_error || below(6) == 0;
    facts.unsent = facts.unsent || below(6) == 0;
    facts.protocol = facts.protocol || below(12) == 0;
    facts.interrupted = facts.interrupted || below(12) == 0;
    return facts;
}

static uint16_t event_of(const struct rcs_spec *spec, const struct recourse_facts *facts)
{
    uint16_t row = rcs_model_classify(spec, facts);

    return row == RECOURSE_NONE ? (uint16_t)RECOURSE_EVENT_OK
                                : (uint16_t)(RECOURSE_EVENT_FAILURE + spec->fact_rows[row].failure);
}

static bool is_found(const struct rcs_facts_pair *pairs, size_t count, uint16_t old_event, uint16_t new_event)
{
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].old_event == old_event && pairs[i].new_event == new_event) {
            return true;
        }
    }
    return false;
}

static void compare(const struct rcs_spec *const specs[2])
{
    struct rcs_arena arena = {0};
    struct rcs_facts_pairs pairs;
    unsigned missed = 0;

    rcs_diff_facts(&arena, specs[0], specs[1], &pairs);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct rcs_arena own = {0};
        struct recourse_facts facts = some_facts(&own, specs);
        uint16_t old_event = event_of(specs[0], &facts);
        uint16_t new_event = event_of(specs[1], &facts);

        if (!is_found(pairs.items, pairs.count, old_event, new_event) && missed++ < 3) {
            fprintf(stderr, "%s, %s: %s and %s go together: http %u, text '%.*s'\n", specs[0]->name, specs[1]->name,
                    rcs_spec_event_name(specs[0], old_event), rcs_spec_event_name(specs[1], new_event), facts.http,
                    (int)facts.text.size, facts.text.data);
        }
        rcs_arena_clear(&own);
    }
    RCS_EQUAL(missed, 0);
    for (size_t i = 0; i < pairs.count; i++) {
        CU_ASSERT(pairs.items[i].facts[0] == '{');
        CU_ASSERT(specs[0] != specs[1] || pairs.items[i].old_event == pairs.items[i].new_event);
    }
    CU_ASSERT_EQUAL(specs[0] == specs[1], pairs.way_count == 0);
    rcs_arena_clear(&arena);
}

static void test_pairs(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        for (size_t j = 0; j < policy_count; j++) {
            compare((const struct rcs_spec *[]){policies[i].loaded.spec, policies[j].loaded.spec});
        }
    }
}

int main(int count, char **arguments)
{
    static const struct rcs_test tests[] = {{"failures that go together are found", test_pairs}};
    int status;

    if (!rcs_policies_load(count, arguments)) {
        return 1;
    }
    status = rcs_unit_main("diff_facts", tests, RCS_COUNT(tests));
    rcs_policies_clear();
    return status;
}
