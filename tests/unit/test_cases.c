/* The lines of tests/cases, on the built-in policy (src/core and Ragel's code) and on the model of its file. */
#include <cjson/cJSON.h>

#include "gen/compile.h"
#include "src/cli/facts_read.h"
#include "tests/unit/unit.h"

#include <recourse/call.h>

static struct rcs_arena arena;

static const struct rcs_spec *spec_of(const char *policy)
{
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;
    const char *path = rcs_arena_format(&arena, "spec/%s.policy.md", policy);
    const char *why;
    size_t size;
    char *text = rcs_file_read(&arena, path, &size, &why);

    CU_ASSERT_FATAL(text != NULL);
    CU_ASSERT_FATAL(rcs_load(&arena, path, text, size, &findings, &loaded));
    return loaded.spec;
}

static const char *text_of(const cJSON *line, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, key));

    return text == NULL ? "null" : text;
}

/* Calls `run` for each line of a file; prints the line where an assertion failed. */
static void each_line(const char *path, void (*run)(const cJSON *line))
{
    const char *why;
    size_t size;
    char *text = rcs_file_read(&arena, path, &size, &why);
    unsigned lines = 0;
    char *rest;

    CU_ASSERT_FATAL(text != NULL);
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        cJSON *object = cJSON_Parse(line);
        unsigned before = CU_get_number_of_failures();

        CU_ASSERT_FATAL(object != NULL);
        run(object);
        if (CU_get_number_of_failures() != before) {
            printf("    %s: %s\n", path, text_of(object, "about"));
        }
        cJSON_Delete(object);
        lines++;
    }
    CU_ASSERT(lines > 10);
    rcs_arena_clear(&arena);
}

/* ---- classify ---- */

static void classify(const cJSON *line)
{
    const struct recourse_policy *policy = recourse_policy_builtin(text_of(line, "policy"));
    const struct rcs_spec *spec = spec_of(text_of(line, "policy"));
    char *json = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(line, "facts"));
    struct recourse_judgement judgement;
    struct recourse_facts facts;
    char why[256];

    CU_ASSERT_FATAL(policy != NULL && json != NULL);
    CU_ASSERT_FATAL(rcs_facts_read(&arena, (struct recourse_span){json, strlen(json)}, &facts, why, sizeof why));
    recourse_classify(policy, &facts, &judgement);
    RCS_TEXT_EQUAL(judgement.failure == RECOURSE_NONE ? "ok" : policy->failures[judgement.failure].name,
                   text_of(line, "failure"));
    RCS_TEXT_EQUAL(recourse_effect_name(judgement.effect), text_of(line, "effect"));
    RCS_TEXT_EQUAL(judgement.fact_row == RECOURSE_NONE ? "null" : policy->fact_rows[judgement.fact_row].id,
                   text_of(line, "row"));
    RCS_EQUAL(judgement.server_delay_ms,
              cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(line, "server_delay_ms")));
    RCS_EQUAL(rcs_model_classify(spec, &facts), judgement.fact_row);
    cJSON_free(json);
}

static void test_classify(void)
{
    each_line("tests/cases/classify.jsonl", classify);
}

/* ---- runs ---- */

static const char *reminder_text(uint8_t reminder)
{
    return reminder == RECOURSE_REMINDER_YES ? "true" : reminder == RECOURSE_REMINDER_NO ? "false" : "null";
}

static void walk(const cJSON *line)
{
    const struct rcs_spec *spec = spec_of(text_of(line, "policy"));
    struct rcs_findings findings = {.arena = &arena};
    const char *words_text = text_of(line, "words");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(line, "rows");
    const cJSON *waits = cJSON_GetObjectItemCaseSensitive(line, "waits_ms");
    const cJSON *reminder = cJSON_GetObjectItemCaseSensitive(line, "reminder");
    struct rcs_word *words;
    size_t word_count;
    struct rcs_run run;

    CU_ASSERT_FATAL(rcs_words_read(spec, &words_text, 1, &words, &word_count, &findings));
    rcs_model_run(&arena, spec, words, word_count, &run);
    CU_ASSERT(run.stuck == NULL);
    RCS_EQUAL(run.step_count, cJSON_GetArraySize(rows));
    for (size_t i = 0; i < run.step_count; i++) {
        const char *row = cJSON_GetStringValue(cJSON_GetArrayItem(rows, (int)i));

        RCS_TEXT_EQUAL(spec->rows[run.steps[i].row].id, row == NULL ? "none" : row);
    }
    RCS_EQUAL(run.tries, cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(line, "tries")));
    RCS_EQUAL(run.wait_count, cJSON_GetArraySize(waits));
    for (size_t i = 0; i < run.wait_count; i++) {
        RCS_EQUAL(run.waits_ms[i], cJSON_GetNumberValue(cJSON_GetArrayItem(waits, (int)i)));
    }
    RCS_EQUAL(run.end, RECOURSE_REPORTED);
    RCS_TEXT_EQUAL(spec->scenarios[run.scenario].label, text_of(line, "scenario"));
    RCS_TEXT_EQUAL(reminder_text(run.reminder), cJSON_IsTrue(reminder) ? "true" : cJSON_IsFalse(reminder) ? "false" : "null");
    RCS_TEXT_EQUAL(run.reason == RECOURSE_REASON_NONE ? "null" : recourse_reason_name(run.reason), text_of(line, "reason"));
}

static void test_runs(void)
{
    each_line("tests/cases/runs.jsonl", walk);
}

int main(void)
{
    static const struct rcs_test tests[] = {{"what facts are taken for", test_classify}, {"how runs go", test_runs}};

    return rcs_unit_main("cases", tests, RCS_COUNT(tests));
}
