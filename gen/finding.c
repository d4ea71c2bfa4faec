#include "gen/finding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void rcs_find(struct rcs_findings *findings, enum rcs_severity severity, const char *code, struct rcs_place place,
              const char *rows, const char *witness, const char *format, ...)
{
    struct rcs_arena *arena = findings->arena;
    struct rcs_finding *finding;
    va_list list;

    assert(severity < RCS_SEVERITY_COUNT);
    finding = rcs_arena_push(arena, &findings->items, &findings->count, sizeof *findings->items);
    finding->code = code;
    finding->severity = severity;
    finding->place = place;
    finding->rows = rows == NULL ? "" : rcs_arena_copy(arena, rows, strlen(rows));
    finding->witness = witness == NULL ? NULL : rcs_arena_copy(arena, witness, strlen(witness));
    va_start(list, format);
    finding->text = rcs_arena_vformat(arena, format, list);
    va_end(list);
    findings->by_severity[severity]++;
}

struct numbered {
    struct rcs_finding finding;
    size_t number; /* keeps the sort stable */
};

static int compare(const void *left, const void *right)
{
    const struct numbered *a = left;
    const struct numbered *b = right;

    if (a->finding.place.line != b->finding.place.line) {
        return a->finding.place.line < b->finding.place.line ? -1 : 1;
    }
    if (a->finding.place.column != b->finding.place.column) {
        return a->finding.place.column < b->finding.place.column ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

void rcs_findings_sort(struct rcs_findings *findings)
{
    struct numbered *sorted;

    if (findings->count < 2) {
        return;
    }
    sorted = rcs_arena_alloc(findings->arena, findings->count * sizeof *sorted);
    for (size_t i = 0; i < findings->count; i++) {
        sorted[i].finding = findings->items[i];
        sorted[i].number = i;
    }
    qsort(sorted, findings->count, sizeof *sorted, compare);
    for (size_t i = 0; i < findings->count; i++) {
        findings->items[i] = sorted[i].finding;
    }
}

const char *rcs_severity_name(enum rcs_severity severity)
{
    static const char *const names[] = {"notice", "warning", "error"};

    _Static_assert(sizeof names / sizeof *names == RCS_SEVERITY_COUNT, "a name for each severity");
    return severity < RCS_SEVERITY_COUNT ? names[severity] : "?";
}
