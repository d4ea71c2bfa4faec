/*
 * Changes one cell or row of a policy's state tables at a time: each row removed, each doubled with every other `next`, each
 * `on`, `if`, `next`, `wait` and `scenario` replaced by every other word. A check or an example has to notice, unless the
 * behaviour digest says that nothing has changed.
 */
#include "gen/compile.h"
#include "gen/document.h"
#include "tests/unit/unit.h"

struct tally {
    unsigned caught;
    unsigned equivalent;
    unsigned missed;
};

struct policy {
    struct rcs_arena arena;
    const char *path;
    const char *text;
    size_t size;
    struct rcs_document document;
    struct rcs_spec *spec;
    size_t warnings; /* that the policy has as it is */
    struct tally tally;
};

static const char *const *paths;
static size_t path_count;

/* Judges the text with [begin, end) replaced. */
static void judge(struct policy *policy, size_t begin, size_t end, const char *with, const char *what)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded = {0};
    size_t length = strlen(with);
    size_t size = policy->size - (end - begin) + length;
    char *text = rcs_arena_alloc(&arena, size + 1);

    memcpy(text, policy->text, begin);
    memcpy(text + begin, with, length);
    memcpy(text + begin + length, policy->text + end, policy->size - end);
    rcs_load(&arena, policy->path, text, size, &findings, &loaded);
    if (loaded.spec != NULL &&
        memcmp(loaded.spec->behaviour_sha256, policy->spec->behaviour_sha256, sizeof loaded.spec->behaviour_sha256) == 0) {
        policy->tally.equivalent++;
    } else if (findings.by_severity[RCS_ERROR] > 0 || findings.by_severity[RCS_WARNING] > policy->warnings) {
        policy->tally.caught++;
    } else {
        policy->tally.missed++;
        printf("    missed: %s with '%.*s' replaced by '%s'\n", what, (int)(end - begin), policy->text + begin, with);
    }
    rcs_arena_clear(&arena);
}

static void replace_by_each(struct policy *policy, const struct rcs_cell *cell, const char *const *words, size_t count,
                            const char *what)
{
    for (size_t i = 0; i < count; i++) {
        if (!rcs_cell_is(&policy->document, cell, words[i])) {
            judge(policy, cell->begin, cell->end, words[i], what);
        }
    }
}

static const char *const nexts[] = {"attempt", "backoff or exhausted", "exhausted", "reported"};
static const char *const guards[] = {"-", "first try", "later try", "safe", "unsafe", "never acted", "may have acted",
                                     "tries spent", "asked too long", "out of time", "not tries spent",
                                     "not asked too long", "not out of time", "over budget",
                                     "not over budget"};

static void mutate_events(struct policy *policy, const struct rcs_cell *cell, const char *what)
{
    for (uint16_t event = 0; event < rcs_event_end(policy->spec); event++) {
        const char *name = rcs_spec_event_name(policy->spec, event);

        replace_by_each(policy, cell, &name, 1, what);
    }
}

static void mutate_labels(struct policy *policy, const struct rcs_cell *cell, const char *what)
{
    replace_by_each(policy, cell, (const char *const[]){"-"}, 1, what);
    for (size_t i = 0; i < policy->spec->scenario_count; i++) {
        replace_by_each(policy, cell, &policy->spec->scenarios[i].label, 1, what);
    }
}

static void mutate_waits(struct policy *policy, const struct rcs_cell *cell, const char *what)
{
    replace_by_each(policy, cell, (const char *const[]){"-"}, 1, what);
    for (size_t i = 0; i < policy->spec->wait_count; i++) {
        replace_by_each(policy, cell, &policy->spec->waits[i].id, 1, what);
    }
}

static void mutate_cell(struct policy *policy, const struct rcs_table *table, const struct rcs_table_row *row, size_t column)
{
    const struct rcs_cell *cell = &row->cells[column];
    const char *name = rcs_cell_copy(&policy->document, &table->header.cells[column]);
    const char *what = rcs_arena_format(&policy->arena, "%s of %s", name,
                                        rcs_cell_copy(&policy->document, &row->cells[0]));

    if (strcmp(name, "on") == 0) {
        mutate_events(policy, cell, what);
    } else if (strcmp(name, "if") == 0) {
        replace_by_each(policy, cell, guards, RCS_COUNT(guards), what);
    } else if (strcmp(name, "next") == 0) {
        replace_by_each(policy, cell, nexts, RCS_COUNT(nexts), what);
    } else if (strcmp(name, "wait") == 0) {
        mutate_waits(policy, cell, what);
    } else if (strcmp(name, "scenario") == 0) {
        mutate_labels(policy, cell, what);
    }
}

/* The row's line with another id and `next`, to stand behind the row itself. */
static void double_row(struct policy *policy, const struct rcs_table *table, const struct rcs_table_row *row)
{
    for (size_t n = 0; n < RCS_COUNT(nexts); n++) {
        char line[1024] = "";
        size_t length = 0;

        for (size_t c = 0; c < row->cell_count; c++) {
            const char *text = rcs_cell_copy(&policy->document, &row->cells[c]);

            text = c == 0 ? "Z99" : rcs_cell_is(&policy->document, &table->header.cells[c], "next") ? nexts[n] : text;
            length += (size_t)snprintf(line + length, sizeof line - length, "| %s ", text);
        }
        snprintf(line + length, sizeof line - length, "|\n");
        judge(policy, row->end + 1, row->end + 1, line, "a row doubled");
    }
}

static void mutate_table(struct policy *policy, const struct rcs_table *table)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const struct rcs_table_row *row = &table->rows[r];

        judge(policy, row->begin, row->end + 1, "", rcs_cell_copy(&policy->document, &row->cells[0]));
        double_row(policy, table, row);
        for (size_t c = 1; c < row->cell_count; c++) {
            mutate_cell(policy, table, row, c);
        }
    }
}

static bool of_states(const struct rcs_document *document, const struct rcs_table *table)
{
    const struct rcs_heading *heading = &document->headings[table->heading];

    return heading->parent != RCS_NO_HEADING && strcmp(document->headings[heading->parent].title, "States") == 0;
}

static void mutate(const char *path)
{
    struct policy policy = {.path = path};
    struct rcs_findings findings = {.arena = &policy.arena};
    struct rcs_loaded loaded;
    const char *why;

    policy.text = rcs_file_read(&policy.arena, path, &policy.size, &why);
    CU_ASSERT_FATAL(policy.text != NULL);
    CU_ASSERT_FATAL(rcs_load(&policy.arena, path, policy.text, policy.size, &findings, &loaded));
    policy.spec = loaded.spec;
    policy.warnings = findings.by_severity[RCS_WARNING];
    rcs_document_read(&policy.arena, policy.text, policy.size, &findings, &policy.document);
    for (size_t i = 0; i < policy.document.table_count; i++) {
        if (of_states(&policy.document, &policy.document.tables[i])) {
            mutate_table(&policy, &policy.document.tables[i]);
        }
    }
    printf("  %s: %u mutants caught, %u equivalent, %u missed\n", policy.spec->name, policy.tally.caught,
           policy.tally.equivalent, policy.tally.missed);
    RCS_EQUAL(policy.tally.missed, 0);
    CU_ASSERT(policy.tally.caught > 100);
    rcs_arena_clear(&policy.arena);
}

static void test_mutants(void)
{
    for (size_t i = 0; i < path_count; i++) {
        mutate(paths[i]);
    }
}

int main(int count, char **arguments)
{
    static const struct rcs_test tests[] = {{"every change of a state table is noticed", test_mutants}};

    paths = (const char *const *)arguments + 1;
    path_count = (size_t)count - 1;
    if (path_count == 0) {
        fprintf(stderr, "test_mutants: name the policies\n");
        return 1;
    }
    return rcs_unit_main("mutants", tests, RCS_COUNT(tests));
}
