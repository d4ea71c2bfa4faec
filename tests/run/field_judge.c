/* Whether a run of the command went as its line says: exit status, results, report, what it printed. */
#include "tests/run/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Notes that `what` is not as it should be, with both values. */
static void differs(struct rcs_field *field, const char *what, const cJSON *actual, const cJSON *expected)
{
    char *is = actual == NULL ? NULL : cJSON_PrintUnformatted(actual);
    char *should = cJSON_PrintUnformatted(expected);

    rcs_field_fault(field, "%s is %.300s, not %.300s", what, is == NULL ? "not there" : is, should);
    cJSON_free(is);
    cJSON_free(should);
}

static void check_equal(struct rcs_field *field, const char *what, const cJSON *actual, const cJSON *expected)
{
    if (!cJSON_Compare(actual, expected, true)) {
        differs(field, what, actual, expected);
    }
}

/* Each of the texts has to be in `text`, or, with `has` false, must not. */
static void check_texts(struct rcs_field *field, const char *what, const char *text, const cJSON *list, bool has)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list) {
        if ((strstr(text, item->valuestring) != NULL) != has) {
            rcs_field_fault(field, "'%s' is %s %s: %.600s", item->valuestring, has ? "not in" : "in", what, text);
        }
    }
}

static void check_between(struct rcs_field *field, const char *what, uint64_t actual, const cJSON *least,
                          const cJSON *most)
{
    if (least != NULL && (double)actual < least->valuedouble) {
        rcs_field_fault(field, "%s is %llu, less than %.0f", what, (unsigned long long)actual, least->valuedouble);
    }
    if (most != NULL && (double)actual > most->valuedouble) {
        rcs_field_fault(field, "%s is %llu, more than %.0f", what, (unsigned long long)actual, most->valuedouble);
    }
}

/* ---- one result ---- */

/* What the trail has under `name`, where it has something: "rows" and "scenarios" of a line are lists of it. */
static cJSON *list_of(const cJSON *trail, const char *name)
{
    cJSON *list = cJSON_CreateArray();
    const cJSON *step;

    cJSON_ArrayForEach(step, trail) {
        const cJSON *value = member(step, name);
        if (value != NULL && !cJSON_IsNull(value)) {
            cJSON_AddItemToArray(list, cJSON_Duplicate(value, true));
        }
    }
    return list;
}

static void check_list(struct rcs_field *field, const char *what, const cJSON *trail, const char *name,
                       const cJSON *expected)
{
    cJSON *list = list_of(trail, name);

    check_equal(field, what, list, expected);
    cJSON_Delete(list);
}

static void check_waits(struct rcs_field *field, const cJSON *trail, const cJSON *windows)
{
    cJSON *waits = list_of(trail, "wait_ms");
    const cJSON *wait = waits->child;
    const cJSON *window;

    if (cJSON_GetArraySize(waits) != cJSON_GetArraySize(windows)) {
        differs(field, "the list of waits", waits, windows);
        cJSON_Delete(waits);
        return;
    }
    cJSON_ArrayForEach(window, windows) {
        check_between(field, "a wait", (uint64_t)wait->valuedouble, window->child, window->child->next);
        wait = wait->next;
    }
    cJSON_Delete(waits);
}

static size_t count_characters(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xc0u) != 0x80u;
    }
    return count;
}

static void check_content(struct rcs_field *field, const cJSON *result, const cJSON *expected)
{
    const char *name = expected->string;
    const char *content = cJSON_GetStringValue(member(result, "content"));
    bool least = strcmp(name, "characters_min") == 0;

    if (content == NULL) {
        rcs_field_fault(field, "a result has no content");
    } else if (strcmp(name, "content_has") == 0 || strcmp(name, "content_has_not") == 0) {
        check_texts(field, "the content", content, expected, name[11] == '\0');
    } else {
        check_between(field, "the content's length", count_characters(content), least ? expected : NULL,
                      least ? NULL : expected);
    }
}

static void check_result_member(struct rcs_field *field, const cJSON *result, const cJSON *expected)
{
    const char *name = expected->string;
    const cJSON *trail = member(result, "trail");
    char what[160];

    snprintf(what, sizeof what, "%s of %.80s", name, cJSON_GetStringValue(member(result, "call")));
    if (strcmp(name, "rows") == 0) {
        check_list(field, what, trail, "row", expected);
    } else if (strcmp(name, "scenarios") == 0) {
        check_list(field, what, trail, "scenario", expected);
    } else if (strcmp(name, "waits_ms") == 0) {
        check_waits(field, trail, expected);
    } else if (strcmp(name, "words") == 0) {
        rcs_field_judge_words(field, result, cJSON_GetStringValue(expected));
    } else if (strncmp(name, "content_", 8) == 0 || strncmp(name, "characters_", 11) == 0) {
        check_content(field, result, expected);
    } else if (strcmp(name, "structured") != 0) {
        check_equal(field, what, member(result, name), expected);
    }
}

/* Numbers are compared as they are written: the report has to have the very bytes of the line. */
static void check_structured(struct rcs_field *field, struct recourse_span report, size_t index)
{
    char pointer[64];
    struct recourse_span expected;
    struct recourse_span actual;

    snprintf(pointer, sizeof pointer, "/expect/results/%zu/structured", index);
    expected = rcs_json_trim(rcs_json_at(field->text, pointer));
    snprintf(pointer, sizeof pointer, "/results/%zu/structured", index);
    actual = rcs_json_trim(rcs_json_at(report, pointer));
    if (expected.size > 0 &&
        (expected.size != actual.size || memcmp(expected.data, actual.data, expected.size) != 0)) {
        rcs_field_fault(field, "structured is %.*s, not %.*s", (int)actual.size, actual.data, (int)expected.size,
                        expected.data);
    }
}

/* What holds for every result, whatever a line says. */
static void check_always(struct rcs_field *field, const cJSON *result)
{
    static const char *const forbidden[] = {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\x7f", "\x08"};
    const char *content = cJSON_GetStringValue(member(result, "content"));
    bool success = strcmp(cJSON_GetStringValue(member(result, "status")), "success") == 0;
    const char *scenario = cJSON_GetStringValue(member(result, "scenario"));

    for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++) {
        if (content != NULL && strstr(content, forbidden[i]) != NULL) {
            rcs_field_fault(field, "a control character is in the content: %.200s", content);
        }
    }
    if (success != (scenario != NULL && strcmp(scenario, "ok") == 0)) {
        rcs_field_fault(field, "status and scenario contradict each other");
    }
}

/* ---- all results ---- */

static void check_distinct_waits(struct rcs_field *field, const cJSON *results, const cJSON *least)
{
    double seen[256];
    size_t count = 0;
    const cJSON *result;

    cJSON_ArrayForEach(result, results) {
        cJSON *waits = list_of(member(result, "trail"), "wait_ms");
        size_t i = 0;
        while (waits->child != NULL && i < count && seen[i] != waits->child->valuedouble) {
            i++;
        }
        if (waits->child != NULL && i == count && count < sizeof seen / sizeof seen[0]) {
            seen[count++] = waits->child->valuedouble;
        }
        cJSON_Delete(waits);
    }
    check_between(field, "the number of different first waits", count, least, NULL);
}

static void check_results(struct rcs_field *field, const cJSON *expect, const cJSON *report,
                          struct recourse_span report_text)
{
    const cJSON *results = member(report, "results");
    const cJSON *expected = member(expect, "results");
    const cJSON *each = member(expect, "each");
    const cJSON *count = member(expect, "count");
    int wanted = count != NULL ? (int)count->valuedouble : cJSON_GetArraySize(expected);
    size_t index = 0;
    const cJSON *result;
    const cJSON *one;

    if (cJSON_GetArraySize(results) != wanted) {
        rcs_field_fault(field, "there are %d results, not %d", cJSON_GetArraySize(results), wanted);
        return;
    }
    cJSON_ArrayForEach(result, results) {
        check_always(field, result);
        cJSON_ArrayForEach(one, each) {
            check_result_member(field, result, one);
        }
        cJSON_ArrayForEach(one, cJSON_GetArrayItem(expected, (int)index)) {
            check_result_member(field, result, one);
        }
        check_structured(field, report_text, index++);
    }
    check_distinct_waits(field, results, member(expect, "distinct_waits_min"));
}

/* ---- what it printed ---- */

/* A result as its dialect has it, and whether it is marked as an error where the dialect can say so. */
static void check_printed(struct rcs_field *field, const cJSON *printed, const cJSON *result, bool hidden)
{
    static const struct {
        const char *id;
        const char *content;
    } shapes[] = {{"tool_call_id", "content"}, {"tool_use_id", "content"}, {"call_id", "output"}, {"id", "result"}};
    const cJSON *wrapped = member(printed, "functionResponse");
    bool error = strcmp(cJSON_GetStringValue(member(result, "status")), "error") == 0;
    const cJSON *content = NULL;
    size_t i = 0;

    while (i < 3 && member(printed, shapes[i].id) == NULL) {
        i++;
    }
    content = wrapped != NULL ? member(member(wrapped, "response"), error ? "error" : "result")
                              : member(printed, shapes[i].content);
    check_equal(field, "a printed call id", member(wrapped != NULL ? wrapped : printed, shapes[i].id),
                member(result, "call"));
    if (!hidden) {
        check_equal(field, "a printed content", content, member(result, "content"));
    }
    if (strcmp(shapes[i].id, "tool_use_id") == 0 && cJSON_IsTrue(member(printed, "is_error")) != error) {
        rcs_field_fault(field, "is_error is not what the status says");
    }
}

/* Every call has one result on standard output, in the order of the calls; a run that failed has nothing there. */
static void check_output(struct rcs_field *field, const cJSON *expect, const cJSON *report)
{
    char path[96];
    size_t size = 0;
    char *text = rcs_field_read(rcs_field_path(field, "out", path), &size);
    cJSON *root = text == NULL ? NULL : cJSON_Parse(text);
    const cJSON *parts = member(root, "parts");
    const cJSON *list = cJSON_IsArray(root) ? root : parts != NULL ? parts : member(root, "content");
    const cJSON *has = member(expect, "printed_has"); /* then the report hides what is in it */
    const cJSON *result;
    int index = 0;

    check_texts(field, "standard output", text == NULL ? "" : text, has, true);
    if (field->status == 3 || field->status == 1) {
        if (size > 0) {
            rcs_field_fault(field, "standard output is not empty: %.300s", text);
        }
    } else if (cJSON_GetArraySize(list) != cJSON_GetArraySize(member(report, "results"))) {
        rcs_field_fault(field, "it printed no list with a result for each call: %.300s", text == NULL ? "" : text);
    } else {
        cJSON_ArrayForEach(result, member(report, "results")) {
            check_printed(field, cJSON_GetArrayItem(list, index++), result, has != NULL);
        }
    }
    cJSON_Delete(root);
    free(text);
}

/* What tools have left in the directory. */
static void check_files(struct rcs_field *field, const cJSON *files)
{
    const cJSON *file;

    cJSON_ArrayForEach(file, files) {
        char path[96];
        size_t size = 0;
        char *text = rcs_field_read(rcs_field_path(field, file->string, path), &size);
        if (strcmp(text == NULL ? "" : text, file->valuestring) != 0) {
            rcs_field_fault(field, "the file %s holds '%.300s', not '%.300s'", file->string, text == NULL ? "" : text,
                            file->valuestring);
        }
        free(text);
    }
}

/* ---- the whole ---- */

static void judge_report(struct rcs_field *field, const cJSON *expect, const char *text, size_t size)
{
    struct recourse_span span = {text, size};
    cJSON *report = cJSON_ParseWithLength(text, size);
    const cJSON *run = member(report, "run");
    const cJSON *one;

    if (report == NULL || rcs_json_check(span, true, NULL) != RCS_JSON_GOOD) {
        rcs_field_fault(field, "the report is not JSON");
        cJSON_Delete(report);
        return;
    }
    cJSON_ArrayForEach(one, member(expect, "run")) {
        check_equal(field, one->string, member(run, one->string), one);
    }
    check_texts(field, "the report", text, member(expect, "report_has_not"), false);
    check_results(field, expect, report, span);
    check_output(field, expect, report);
    rcs_field_judge_server(field, expect, report);
    rcs_field_judge_mcp(field, expect);
    cJSON_Delete(report);
}

static void judge(struct rcs_field *field, const cJSON *expect)
{
    const char *log = field->log.data == NULL ? "" : field->log.data;
    const cJSON *status = member(expect, "exit");
    char path[96];
    size_t size = 0;
    char *report = rcs_field_read(rcs_field_path(field, "report", path), &size);

    if (status == NULL || field->status != (int)status->valuedouble) {
        rcs_field_fault(field, "it exited with %d: %.600s", field->status, log);
    } else if (report != NULL) {
        judge_report(field, expect, report, size);
    } else if (field->status != 1) {
        rcs_field_fault(field, "it left no report");
    } else {
        rcs_field_judge_server(field, expect, NULL);
    }
    check_files(field, member(expect, "files"));
    check_texts(field, "standard error", log, member(expect, "errors_has"), true);
    check_texts(field, "standard error", log, member(expect, "errors_has_not"), false);
    check_between(field, "its time in ms", field->took_ms, member(expect, "took_min_ms"), member(expect, "took_max_ms"));
    free(report);
}

/* Whether the command refuses the line, or sees no calls in it: what it needs is not there yet. */
static bool is_too_early(struct rcs_field *field)
{
    char path[96];
    size_t size = 0;
    char *out = rcs_field_read(rcs_field_path(field, "out", path), &size);
    bool early = field->status == 1 || (field->status == 0 && out != NULL && strcmp(out, "[]\n") == 0);

    free(out);
    return early;
}

void rcs_field_judge(struct rcs_field *field)
{
    if (rcs_field_member(field, "needs") != NULL && is_too_early(field)) {
        rcs_bytes_clear(&field->faults);
        field->verdict = RCS_FIELD_WAITS;
        return;
    }
    judge(field, rcs_field_member(field, "expect"));
    field->verdict = field->faults.size == 0 ? RCS_FIELD_GOOD : RCS_FIELD_BAD;
}
