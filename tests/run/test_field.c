/*
 * test_field [FILE]: every line of tests/cases/field.jsonl and mcp.jsonl, or of FILE, goes through the real command,
 * $RECOURSE or build/recourse, over real sockets and pipes. Without FILE, the rows that are not run yet are listed, and why.
 */
#include "tests/run/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_FILE "tests/cases/field.jsonl"
#define MCP_FILE "tests/cases/mcp.jsonl"
#define ROWS_FILE "tests/cases/field-rows.jsonl"
#define LINES_MAX 4096u

static bool known(const cJSON *object, const char *const *names)
{
    const cJSON *one;

    cJSON_ArrayForEach(one, object) {
        size_t i = 0;
        while (names[i] != NULL && strcmp(names[i], one->string) != 0) {
            i++;
        }
        if (names[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* Whether the line has all that it needs, and nothing that nobody would look at. */
static bool is_case(const struct rcs_field *field)
{
    static const char *const names[] = {"row",    "about",     "policy", "needs", "tools",  "server", "mcp", "calls",
                                        "options", "environment", "interrupt", "expect", NULL};
    static const char *const expected[] = {"exit",        "run",         "results",        "each",
                                           "count",       "server",      "errors_has",     "errors_has_not", "printed_has",
                                           "took_min_ms", "took_max_ms", "report_has_not", "distinct_waits_min",
                                           "files",       "mcp",         NULL};
    const cJSON *expect = rcs_field_member(field, "expect");
    const cJSON *needs = rcs_field_member(field, "needs");
    const cJSON *row = rcs_field_member(field, "row");

    return (needs == NULL || cJSON_IsString(needs)) && cJSON_IsObject(expect) && known(field->root, names) &&
           known(expect, expected) && cJSON_IsString(rcs_field_member(field, "about")) &&
           (row == NULL || cJSON_IsNumber(row));
}

static void clear(struct rcs_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rcs_bytes_clear(&fields[i].faults);
        cJSON_Delete(fields[i].root);
    }
}

/* Reads the lines of a file, none if one of them can't be used; their text stays in `text`. */
static struct rcs_field *read_lines(const char *path, char *text, size_t size, size_t *count)
{
    struct rcs_field *fields = rcs_must_alloc(NULL, LINES_MAX * sizeof *fields);
    unsigned number = 0;

    *count = 0;
    for (char *line = text, *end; line < text + size && *count < LINES_MAX; line = end + 1) {
        struct rcs_field *field = &fields[*count];
        end = strchr(line, '\n');
        end = end == NULL ? text + size : end;
        number++;
        if (end == line) {
            continue;
        }
        memset(field, 0, sizeof *field);
        field->file = path;
        field->number = number;
        field->text = (struct recourse_span){line, (size_t)(end - line)};
        field->root = cJSON_ParseWithLength(line, field->text.size);
        if (field->root == NULL || rcs_json_check(field->text, true, NULL) != RCS_JSON_GOOD || !is_case(field)) {
            printf("%s:%u: this is no case\n", path, number);
            cJSON_Delete(field->root);
            clear(fields, *count);
            *count = 0;
            break;
        }
        ++*count;
    }
    return fields;
}

static void print_faults(const struct rcs_field *field)
{
    const cJSON *row = rcs_field_member(field, "row");

    printf("%s:%u: ", field->file, field->number);
    if (row != NULL) {
        printf("row %.0f, ", row->valuedouble);
    }
    printf("%s\n%s", cJSON_GetStringValue(rcs_field_member(field, "about")), field->faults.data);
}

static unsigned print_verdicts(const struct rcs_field *fields, size_t count, unsigned *passed)
{
    unsigned failed = 0;

    for (size_t i = 0; i < count; i++) {
        if (fields[i].verdict == RCS_FIELD_BAD) {
            print_faults(&fields[i]);
        }
        failed += fields[i].verdict == RCS_FIELD_BAD;
        *passed += fields[i].verdict == RCS_FIELD_GOOD;
    }
    return failed;
}

/* Runs the lines of a file, and counts their rows if there are rows. Returns how many failed. */
static unsigned run_file(const char *path, const char *rows, unsigned *passed)
{
    const char *command = getenv("RECOURSE");
    size_t size = 0;
    char *text = rcs_field_read(path, &size);
    struct rcs_field *fields;
    size_t count;
    unsigned failed;

    if (text == NULL) {
        printf("cases: %s can't be read\n", path);
        return 1;
    }
    fields = read_lines(path, text, size, &count);
    rcs_field_run_all(fields, count, command == NULL ? "build/recourse" : command);
    failed = print_verdicts(fields, count, passed) + (count == 0);
    if (rows != NULL) {
        failed += rcs_field_rows(rows, fields, count);
    }
    clear(fields, count);
    free(fields);
    free(text);
    return failed;
}

int main(int argc, char **argv)
{
    unsigned passed = 0;
    unsigned failed;

    if (argc > 1) {
        failed = run_file(argv[1], NULL, &passed);
    } else {
        failed = run_file(FIELD_FILE, ROWS_FILE, &passed);
        failed += run_file(MCP_FILE, NULL, &passed);
    }
    printf("cases: %u passed, %u failed\n", passed, failed);
    return passed > 0 && failed == 0 ? 0 : 1;
}
