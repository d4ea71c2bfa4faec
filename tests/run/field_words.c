/* Whether the trail of a result is what `recourse simulate` makes of the words of its line. */
#include "tests/run/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_MAX 65536u

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* "a, b@5s" as words of a shell: words have no quotes in them. False if they have. */
static bool quote_words(const char *words, struct rcs_bytes *line)
{
    if (strchr(words, '\'') != NULL) {
        return false;
    }
    rcs_bytes_format(line, " '");
    for (; *words != '\0'; words++) {
        if (*words == ',') {
            rcs_bytes_format(line, "' '");
            words += words[1] == ' ';
        } else {
            rcs_bytes_add(line, words, 1);
        }
    }
    rcs_bytes_format(line, "'");
    return true;
}

static cJSON *simulate(const struct rcs_field *field, const char *words)
{
    const char *policy = cJSON_GetStringValue(rcs_field_member(field, "policy"));
    bool is_file = strchr(policy, '/') != NULL;
    struct rcs_bytes line = {0};
    char *text = rcs_must_alloc(NULL, REPORT_MAX);
    cJSON *report = NULL;
    FILE *from;

    rcs_bytes_format(&line, "'%s' simulate --json '%s%s%s'", field->command, is_file ? "" : "spec/", policy,
                     is_file ? "" : ".policy.md");
    from = quote_words(words, &line) ? popen(line.data, "r") : NULL;
    if (from != NULL) {
        report = cJSON_ParseWithLength(text, fread(text, 1, REPORT_MAX, from));
        pclose(from);
    }
    rcs_bytes_clear(&line);
    free(text);
    return report;
}

/* A null and a member that isn't there are the same. */
static bool same(const cJSON *one, const cJSON *other)
{
    bool no_one = one == NULL || cJSON_IsNull(one);
    bool no_other = other == NULL || cJSON_IsNull(other);

    return no_one || no_other ? no_one && no_other : cJSON_Compare(one, other, true);
}

static void check_members(struct rcs_field *field, const char *what, const cJSON *is, const cJSON *should,
                          const char *const *names)
{
    for (; *names != NULL; names++) {
        if (!same(member(is, *names), member(should, *names))) {
            char *one = cJSON_PrintUnformatted(member(is, *names));
            char *other = cJSON_PrintUnformatted(member(should, *names));
            rcs_field_fault(field, "%s of %s is %s, simulated %s", *names, what, one == NULL ? "not there" : one,
                            other == NULL ? "not there" : other);
            cJSON_free(one);
            cJSON_free(other);
        }
    }
}

static void check_wait(struct rcs_field *field, const cJSON *step, const cJSON *simulated)
{
    const cJSON *wait = member(step, "wait_ms");
    const cJSON *least = member(simulated, "wait_min_ms");
    const cJSON *most = member(simulated, "wait_max_ms");

    if (cJSON_IsNumber(wait) != cJSON_IsNumber(least)) {
        rcs_field_fault(field, "a step waits that does not in the simulation, or the other way round");
    } else if (cJSON_IsNumber(wait) &&
               (wait->valuedouble < least->valuedouble || wait->valuedouble > most->valuedouble)) {
        rcs_field_fault(field, "a wait of %.0f ms is not within %.0f to %.0f", wait->valuedouble, least->valuedouble,
                        most->valuedouble);
    }
}

void rcs_field_judge_words(struct rcs_field *field, const cJSON *result, const char *words)
{
    static const char *const of_step[] = {"state", "event", "row", "line", "next", "scenario", NULL};
    static const char *const of_result[] = {"scenario", "tell", "reminder", "reason", "tries", NULL};
    cJSON *report = simulate(field, words);
    const cJSON *simulated = report == NULL ? NULL : member(report, "steps")->child;
    const cJSON *step;

    if (report == NULL) {
        rcs_field_fault(field, "these are no words to simulate: %s", words);
        return;
    }
    check_members(field, "the result", result, report, of_result);
    cJSON_ArrayForEach(step, member(result, "trail")) {
        if (simulated == NULL) {
            rcs_field_fault(field, "the trail is longer than the run of the words %s", words);
            break;
        }
        check_members(field, "a step", step, simulated, of_step);
        check_wait(field, step, simulated);
        simulated = simulated->next;
    }
    if (simulated != NULL) {
        rcs_field_fault(field, "the trail is shorter than the run of the words %s", words);
    }
    cJSON_Delete(report);
}
