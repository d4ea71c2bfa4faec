/* What facts are taken for: the model's plain searches against core with the matcher, on facts made at random. */
#include <recourse/call.h>

#include "tests/policy/facts_for.h"
#include "tests/policy/policies.h"
#include "tests/unit/naive.h"

#define ROUNDS 20000u

static uint64_t seed = 5;

static unsigned below(unsigned bound)
{
    return rcs_naive_random(&seed) % bound;
}

/* A condition of the policy, at random. */
static const struct recourse_atom *some_atom(const struct rcs_spec *spec)
{
    const struct rcs_spec_fact_row *row = &spec->fact_rows[below((unsigned)spec->fact_row_count)];

    return &row->atoms[below((unsigned)row->atom_count)].atom;
}

/* A condition's value with something before and behind it, in any case. */
static struct recourse_span disturbed(struct rcs_arena *arena, struct recourse_span text)
{
    static const char *const around[] = {"", " ", "1", "1.", "x", ".", "\n", "\xc3", "_", ",5", " and then "};
    const char *before = around[below(11)];
    const char *behind = around[below(11)];
    const char *data = text.data == NULL ? "" : text.data;
    char *made = rcs_arena_format(arena, "%s%.*s%s", before, (int)text.size, data, behind);
    size_t size = strlen(made);

    for (size_t i = 0; i < size && below(4) == 0; i++) {
        made[i] = made[i] >= 'a' && made[i] <= 'z' ? (char)(made[i] - 'a' + 'A') : made[i];
    }
    return (struct recourse_span){made, size};
}

/* Some conditions met, some nearly, and some other facts beside. */
static struct recourse_facts some_facts(struct rcs_arena *arena, const struct rcs_spec *spec)
{
    static const uint16_t statuses[] = {0, 0, 200, 204, 301, 400, 404, 429, 500, 503, 504, 599};
    struct recourse_facts facts = {.http = statuses[below(12)]};
    unsigned met = below(4);

    for (unsigned i = 0; i < met; i++) {
        rcs_facts_meet(arena, some_atom(spec), &facts);
    }
    if (below(3) == 0) {
        facts.text = disturbed(arena, facts.text);
    }
    if (below(3) == 0) {
        facts.phrase = disturbed(arena, facts.text);
        facts.text = below(2) == 0 ? facts.text : (struct recourse_span){NULL, 0};
    }
    if (below(3) == 0) {
        facts.result = disturbed(arena, facts.result);
    }
    facts.tool_error = facts.tool_error || below(6) == 0;
    facts.unsent = facts.unsent || below(6) == 0;
    facts.json = below(5) == 0 ? disturbed(arena, facts.json) : facts.json;
    facts.structured = below(5) == 0 ? disturbed(arena, facts.structured) : facts.structured;
    return facts;
}

static void test_random_facts(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct rcs_spec *spec = policies[i].loaded.spec;
        const struct recourse_policy *ways[2];
        size_t way_count = rcs_policies_ways(&policies[i], ways);
        unsigned *hits = calloc(spec->fact_row_count + 1, sizeof *hits);
        unsigned wrong = 0;

        for (unsigned round = 0; round < ROUNDS; round++) {
            struct rcs_arena arena = {0};
            struct recourse_facts facts = some_facts(&arena, spec);
            uint16_t wanted = rcs_model_classify(spec, &facts);

            hits[wanted == RECOURSE_NONE ? spec->fact_row_count : wanted]++;
            for (size_t way = 0; way < way_count; way++) {
                struct recourse_judgement got;

                recourse_classify(ways[way], &facts, &got);
                if (got.fact_row != wanted && wrong++ < 5) {
                    fprintf(stderr, "%s: row %d, not %d: http %u, tool error %d, phrase '%.*s', text '%.*s', "
                                    "json '%.*s', result '%.*s', structured '%.*s'\n",
                            spec->name, (int16_t)got.fact_row, (int16_t)wanted, facts.http, facts.tool_error,
                            (int)facts.phrase.size, facts.phrase.data, (int)facts.text.size, facts.text.data,
                            (int)facts.json.size, facts.json.data, (int)facts.result.size, facts.result.data,
                            (int)facts.structured.size, facts.structured.data);
                }
            }
            rcs_arena_clear(&arena);
        }
        RCS_EQUAL(wrong, 0);
        for (size_t row = 0; row <= spec->fact_row_count; row++) {
            CU_ASSERT_TRUE(hits[row] > 0); /* each row was met, and so was success */
        }
        free(hits);
    }
}

/* The examples of a policy, on its compiled form. */
static void test_examples(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct rcs_spec *spec = policies[i].loaded.spec;
        const struct recourse_policy *ways[2];
        size_t way_count = rcs_policies_ways(&policies[i], ways);

        for (size_t at = 0; at < spec->fact_count * way_count; at++) {
            const struct rcs_spec_fact *example = &spec->facts[at / way_count];
            struct recourse_judgement got;

            recourse_classify(ways[at % way_count], &example->facts, &got);
            RCS_EQUAL(got.failure, example->failure);
            RCS_EQUAL(got.effect, example->effect);
        }
    }
}

/* Longer than what is looked at: a text that begins before the end of it counts only if all of it is within. */
static void test_long_texts(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct rcs_spec *spec = policies[i].loaded.spec;
        const struct recourse_policy *ways[2];
        size_t way_count = rcs_policies_ways(&policies[i], ways);
        struct rcs_pattern *patterns = NULL;
        size_t count = rcs_patterns(&policies[i].arena, spec, &patterns);
        char *text = malloc(RECOURSE_TEXT_MAX + 200);

        for (size_t at = 0; at < count; at++) {
            size_t length = strlen(patterns[at].text);

            for (size_t end = RECOURSE_TEXT_MAX - 2; end <= RECOURSE_TEXT_MAX + 2; end++) {
                struct recourse_facts facts = {.tool_error = true, .text = {text, RECOURSE_TEXT_MAX + 200}};
                struct recourse_judgement got;
                uint16_t wanted;

                memset(text, ' ', RECOURSE_TEXT_MAX + 200);
                memcpy(text + end - length, patterns[at].text, length);
                text[end] = '7'; /* ends a word only where it is beyond what is looked at */
                wanted = rcs_model_classify(spec, &facts);
                for (size_t way = 0; way < way_count; way++) {
                    recourse_classify(ways[way], &facts, &got);
                    RCS_EQUAL(got.fact_row, wanted);
                }
            }
        }
        free(text);
    }
}

static void test_matchers(void)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct recourse_policy *ways[2];
        size_t way_count = rcs_policies_ways(&policies[i], ways);
        struct rcs_pattern *patterns = NULL;
        size_t count = rcs_patterns(&policies[i].arena, policies[i].loaded.spec, &patterns);
        unsigned wrong = 0;

        for (unsigned round = 0; count > 0 && round < ROUNDS; round++) {
            char text[300];
            size_t size = rcs_naive_text(&seed, patterns, count, text, sizeof text);
            size_t block = 1 + below(round % 3 == 0 ? 9 : sizeof text);
            uint64_t hits[RECOURSE_PATTERNS_MAX / 64] = {0};
            const struct recourse_policy *policy = ways[round % way_count];
            uint32_t matcher = 0;

            for (size_t from = 0; from < size; from += block) {
                policy->match(policy, &matcher, text + from, size - from < block ? size - from : block, hits);
            }
            policy->match(policy, &matcher, NULL, 0, hits);
            for (size_t at = 0; at < count; at++) {
                wrong += (hits[at / 64] >> at % 64 & 1) != rcs_naive_find(&patterns[at], text, size);
            }
        }
        RCS_EQUAL(wrong, 0);
    }
}

int main(int argument_count, char **arguments)
{
    static const struct rcs_test tests[] = {
        {"random facts", test_random_facts},
        {"examples", test_examples},
        {"long texts", test_long_texts},
        {"matchers", test_matchers},
    };
    int status;

    if (!rcs_policies_load(argument_count, arguments)) {
        return 1;
    }
    status = rcs_unit_main("classify", tests, RCS_COUNT(tests));
    rcs_policies_clear();
    return status;
}
