/* The rows of the field: which of them have lines, and why the others have none. */
#include "tests/run/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 256u

struct row {
    cJSON *root;
    unsigned number;
    size_t run;      /* lines of it that were judged */
    size_t waits;    /* lines that need what is not there yet */
    char needs[128]; /* what they need */
};

static size_t read_rows(const char *path, struct row rows[ROWS_MAX])
{
    size_t size = 0;
    char *text = rcs_field_read(path, &size);
    size_t count = 0;
    char *rest = NULL;

    for (char *line = text == NULL ? NULL : strtok_r(text, "\n", &rest); line != NULL && count < ROWS_MAX;
         line = strtok_r(NULL, "\n", &rest)) {
        cJSON *root = cJSON_Parse(line);
        const cJSON *number = cJSON_GetObjectItemCaseSensitive(root, "row");
        rows[count++] = (struct row){.root = root, .number = number == NULL ? 0 : (unsigned)number->valuedouble};
    }
    free(text);
    return count;
}

static struct row *row_of(struct row *rows, size_t count, const struct rcs_field *field)
{
    const cJSON *number = rcs_field_member(field, "row");

    for (size_t i = 0; i < count; i++) {
        if (number != NULL && (double)rows[i].number == number->valuedouble) {
            return &rows[i];
        }
    }
    return NULL;
}

static void note_need(struct row *row, const char *need)
{
    size_t used = strlen(row->needs);

    row->waits++;
    if (strstr(row->needs, need) == NULL) {
        snprintf(row->needs + used, sizeof row->needs - used, "%s%s", used > 0 ? ", " : "", need);
    }
}

static unsigned count_lines(struct row *rows, size_t count, const struct rcs_field *fields, size_t field_count)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < field_count; i++) {
        struct row *row = row_of(rows, count, &fields[i]);
        if (row == NULL) {
            printf("%s:%u: a line of a row that is none\n", fields[i].file, fields[i].number);
            wrong++;
        } else if (fields[i].verdict == RCS_FIELD_WAITS) {
            note_need(row, cJSON_GetStringValue(rcs_field_member(&fields[i], "needs")));
        } else {
            row->run++;
        }
    }
    return wrong;
}

/* A row that is not run as a whole says why; one that says nothing has to have lines. */
static unsigned print_row(const char *path, const struct row *row)
{
    const char *seen = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row->root, "seen"));
    const char *later = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row->root, "later"));

    if (row->number == 0 || seen == NULL) {
        printf("%s: a row without its number, or without what was seen\n", path);
        return 1;
    }
    if (later != NULL || row->waits > 0) {
        printf("  %2u  %s\n      %s%s", row->number, seen, row->run > 0 ? "in part; the rest: " : "",
               later == NULL ? "" : later);
        if (row->waits > 0) {
            printf("%s%zu line%s that need%s %s", later == NULL ? "" : "; ", row->waits, row->waits == 1 ? "" : "s",
                   row->waits == 1 ? "s" : "", row->needs);
        }
        printf("\n");
    }
    if (later == NULL && row->run + row->waits == 0) {
        printf("  %2u  %s: has no line, and nothing says why\n", row->number, seen);
        return 1;
    }
    return 0;
}

unsigned rcs_field_rows(const char *path, const struct rcs_field *fields, size_t field_count)
{
    struct row rows[ROWS_MAX];
    size_t count = read_rows(path, rows);
    unsigned wrong = count_lines(rows, count, fields, field_count);
    size_t run = 0;
    size_t lines = 0;

    for (size_t i = 0; i < count; i++) {
        run += rows[i].run > 0;
        lines += rows[i].run;
    }
    printf("%zu of the %zu rows of the field run, with %zu lines. Not yet, or not as a whole:\n", run, count, lines);
    for (size_t i = 0; i < count; i++) {
        wrong += print_row(path, &rows[i]);
        cJSON_Delete(rows[i].root);
    }
    if (count == 0) {
        printf("%s has no rows\n", path);
        wrong++;
    }
    return wrong;
}
