/* Examples that do not come out as the policy says they do. */
#include "gen/check.h"

static const char *scenario_list(struct rcs_arena *arena, const struct rcs_spec *spec, const uint16_t *labels, size_t count)
{
    const char *text = count == 0 ? "-" : "";

    for (size_t i = 0; i < count; i++) {
        text = rcs_arena_format(arena, "%s%s%s", text, i ? ", " : "", spec->scenarios[labels[i]].label);
    }
    return text;
}

static const char *wait_list(struct rcs_arena *arena, const uint64_t *waits_ms, size_t count)
{
    const char *text = count == 0 ? "-" : "";

    for (size_t i = 0; i < count; i++) {
        unsigned long long ms = waits_ms[i];

        text = ms % 1000 == 0 ? rcs_arena_format(arena, "%s%s%llus", text, i ? ", " : "", ms / 1000)
                              : rcs_arena_format(arena, "%s%s%llums", text, i ? ", " : "", ms);
    }
    return text;
}

/* The labels that a run came by, in order. */
static size_t labels_of(struct rcs_arena *arena, const struct rcs_run *run, uint16_t **labels)
{
    size_t count = 0;

    *labels = NULL;
    for (size_t i = 0; i < run->step_count; i++) {
        if (run->steps[i].scenario != RECOURSE_NONE) {
            *(uint16_t *)rcs_arena_push(arena, labels, &count, sizeof **labels) = run->steps[i].scenario;
        }
    }
    return count;
}

static void differ(const struct rcs_check *check, const char *id, struct rcs_place place, const char *what,
                   const char *actual)
{
    rcs_find(check->findings, RCS_ERROR, "example", place, id, NULL, "example %s comes out otherwise: %s %s", id, what,
             actual);
}

static void check_run(const struct rcs_check *check, const struct rcs_spec_run *example)
{
    struct rcs_arena *arena = check->findings->arena;
    struct rcs_run run;
    uint16_t *labels;
    size_t label_count;
    bool same;

    rcs_model_run(arena, check->spec, example->words, example->word_count, &run);
    if (run.stuck != NULL) {
        rcs_find(check->findings, RCS_ERROR, "example", example->words[run.used].place, example->id, NULL,
                 "example %s can't be walked: %s", example->id, run.stuck);
        return;
    }
    if (run.end != RECOURSE_REPORTED) {
        differ(check, example->id, example->events_place, "it does not end, but stops in state",
               recourse_place_name(run.end));
        return;
    }
    label_count = labels_of(arena, &run, &labels);
    same = label_count == example->scenario_count;
    for (size_t i = 0; same && i < label_count; i++) {
        same = labels[i] == example->scenarios[i];
    }
    if (!same) {
        differ(check, example->id, example->scenarios_place, "scenarios",
               scenario_list(arena, check->spec, labels, label_count));
    }
    if (run.tries != example->tries) {
        differ(check, example->id, example->tries_place, "tries", rcs_arena_format(arena, "%u", run.tries));
    }
    same = run.wait_count == example->wait_count;
    for (size_t i = 0; same && i < run.wait_count; i++) {
        same = run.waits_ms[i] == example->waits_ms[i];
    }
    if (!same) {
        differ(check, example->id, example->waits_place, "waits", wait_list(arena, run.waits_ms, run.wait_count));
    }
}

static void check_fact(const struct rcs_check *check, const struct rcs_spec_fact *example)
{
    const struct rcs_spec *spec = check->spec;
    uint16_t row = rcs_model_classify(spec, &example->facts);
    uint16_t failure = row == RECOURSE_NONE ? RECOURSE_NONE : spec->fact_rows[row].failure;
    uint8_t effect = row == RECOURSE_NONE ? (uint8_t)RECOURSE_EFFECT_DONE : spec->fact_rows[row].effect;
    const char *name = failure == RECOURSE_NONE ? "ok" : spec->failures[failure].name;
    const char *by = row == RECOURSE_NONE ? "no row" : spec->fact_rows[row].id;

    if (failure != example->failure) {
        differ(check, example->id, example->failure_place, "failure",
               rcs_arena_format(check->findings->arena, "%s (%s)", name, by));
    } else if (effect != example->effect) {
        differ(check, example->id, example->effect_place, "effect", recourse_effect_name(effect));
    }
}

void rcs_check_examples(const struct rcs_check *check)
{
    for (size_t i = 0; i < check->spec->run_count; i++) {
        check_run(check, &check->spec->runs[i]);
    }
    for (size_t i = 0; i < check->spec->fact_count; i++) {
        check_fact(check, &check->spec->facts[i]);
    }
}
