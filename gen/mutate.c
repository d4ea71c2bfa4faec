#include "gen/mutate.h"

#include <string.h>

#include "gen/check.h"
#include "gen/diff.h"
#include "gen/read.h"

static const char *cell_text(const struct rcs_mutants *mutants, const struct rcs_cell *cell)
{
    return rcs_cell_copy(&mutants->document, cell);
}

static void add(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column, size_t begin, size_t end,
                const char *with, bool declared)
{
    struct rcs_mutant *mutant = rcs_arena_push(mutants->arena, &mutants->items, &mutants->count, sizeof *mutant);

    mutant->begin = begin;
    mutant->end = end;
    mutant->with = with;
    mutant->line = row->place.line;
    mutant->row = cell_text(mutants, &row->cells[0]);
    mutant->column = column;
    mutant->declared = declared;
}

void rcs_mutate_cell(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                     const struct rcs_cell *cell, const char *with, bool declared)
{
    if (!rcs_cell_is(&mutants->document, cell, with)) {
        add(mutants, row, column, cell->begin, cell->end, with, declared);
    }
}

/* ---- cells that name something ---- */

struct words {
    const char *const *items;
    size_t count;
};

static void replace_by_words(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                             const struct rcs_cell *cell, struct words words, bool declared)
{
    for (size_t i = 0; i < words.count; i++) {
        rcs_mutate_cell(mutants, row, column, cell, words.items[i], declared);
    }
}

static void replace_by_names(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                             const struct rcs_cell *cell)
{
    const struct rcs_spec *spec = mutants->spec;
    bool scenario = strcmp(column, "scenario") == 0;
    bool wait = strcmp(column, "wait") == 0;
    size_t count = scenario ? spec->scenario_count : wait ? spec->wait_count : spec->message_count;

    rcs_mutate_cell(mutants, row, column, cell, "-", !scenario && !wait);
    for (size_t i = 0; i < count; i++) {
        const char *name = scenario ? spec->scenarios[i].label : wait ? spec->waits[i].id : spec->messages[i].id;

        /* Examples give scenarios and waits; how a message reads, nobody has put down a second time. */
        rcs_mutate_cell(mutants, row, column, cell, name, !scenario && !wait);
    }
}

void rcs_mutate_list(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                     const struct rcs_cell *cell, bool declared)
{
    const char *text = cell_text(mutants, cell);

    for (const char *entry = text; strchr(text, ',') != NULL && entry != NULL;) {
        const char *comma = strchr(entry, ',');
        const char *with = comma != NULL ? rcs_arena_format(mutants->arena, "%.*s%s", (int)(entry - text), text, comma + 2)
                                         : rcs_arena_copy(mutants->arena, text, (size_t)(entry - text) - 2);

        rcs_mutate_cell(mutants, row, column, cell, with, declared);
        entry = comma == NULL ? NULL : comma + 2;
    }
}

static void mutate_events(struct rcs_mutants *mutants, const struct rcs_table_row *row, const struct rcs_cell *cell)
{
    rcs_mutate_list(mutants, row, "on", cell, false);
    for (uint16_t event = 0; event < rcs_event_end(mutants->spec); event++) {
        rcs_mutate_cell(mutants, row, "on", cell, rcs_spec_event_name(mutants->spec, event), false);
    }
    rcs_mutate_cell(mutants, row, "on", cell, "other", false);
}

/* ---- rows ---- */

static const char *const nexts[] = {"attempt", "backoff or exhausted", "exhausted", "reported"};
static const char *const guards[] = {"-", "first try", "later try", "safe", "unsafe", "never acted", "may have acted",
                                     "tries spent", "asked too long", "out of time", "not tries spent",
                                     "not asked too long", "not out of time", "over budget",
                                     "not over budget"};
static const char *const tells[] = {"model", "host", "-"};
static const char *const reminders[] = {"yes", "no", "-"};
static const char *const replays[] = {"safe", "unsafe"};
static const char *const effects[] = {"none", "done", "unknown"};

#define WORDS(array) ((struct words){array, sizeof(array) / sizeof((array)[0])})

/* The row's line with another first cell, to stand behind the row itself; the cell `at` becomes `with`. */
static void double_row(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *id, size_t at,
                       const char *with, bool declared)
{
    struct rcs_string line = {.arena = mutants->arena};

    for (size_t c = 0; c < row->cell_count; c++) {
        rcs_append_text(&line, "| ");
        rcs_append_text(&line, c == 0 ? id : c == at ? with : cell_text(mutants, &row->cells[c]));
        rcs_append_text(&line, " ");
    }
    rcs_append_text(&line, "|\n");
    add(mutants, row, "row", row->end + 1, row->end + 1, line.data, declared);
}

static size_t column_of(const struct rcs_mutants *mutants, const struct rcs_table *table, const char *name)
{
    for (size_t c = 1; c < table->header.cell_count; c++) {
        if (rcs_cell_is(&mutants->document, &table->header.cells[c], name)) {
            return c;
        }
    }
    return 0;
}

static size_t conjunction_end(const struct rcs_spec_fact_row *row, size_t from)
{
    while (!row->atoms[from].atom.last_of_and) {
        from++;
    }
    return from + 1;
}

/* Whether some try can meet both conjunctions. */
static bool can_both_hold(const struct rcs_spec_fact_row *one, size_t i, const struct rcs_spec_fact_row *two, size_t j)
{
    for (size_t a = i; a < conjunction_end(one, i); a++) {
        for (size_t b = j; b < conjunction_end(two, j); b++) {
            if (rcs_atoms_exclude(&one->atoms[a].atom, &two->atoms[b].atom)) {
                return false;
            }
        }
    }
    return true;
}

/* Whether it matters which of two rows of Failures comes first. */
static bool order_matters(const struct rcs_spec_fact_row *one, const struct rcs_spec_fact_row *two)
{
    for (size_t i = 0; i < one->atom_count; i = conjunction_end(one, i)) {
        for (size_t j = 0; j < two->atom_count; j = conjunction_end(two, j)) {
            if (can_both_hold(one, i, two, j)) {
                return one->failure != two->failure;
            }
        }
    }
    return false;
}

static void swap_with_next(struct rcs_mutants *mutants, const struct rcs_table_row *row)
{
    const struct rcs_table_row *next = row + 1;
    const char *text = mutants->text;

    add(mutants, row, "row", row->begin, next->end,
        rcs_arena_format(mutants->arena, "%.*s\n%.*s", (int)(next->end - next->begin), text + next->begin,
                         (int)(row->end - row->begin), text + row->begin),
        false);
}

static void mutate_row(struct rcs_mutants *mutants, enum rcs_section section, const struct rcs_table *table, size_t index)
{
    const struct rcs_table_row *row = &table->rows[index];
    size_t next = column_of(mutants, table, "next");
    bool declared = section == RCS_SECTION_BREAKERS; /* it opens by what many calls do, and an example is one */

    add(mutants, row, "row", row->begin, row->end + 1, "", declared);
    if (section == RCS_SECTION_SETTINGS) {
        double_row(mutants, row, cell_text(mutants, &row->cells[0]), 0, NULL, false);
        return;
    }
    if (next == 0) {
        bool numbered = section == RCS_SECTION_FAILURES;

        double_row(mutants, row, numbered ? "Z99" : "z99", 0, NULL, declared);
        if (numbered && index + 1 < table->row_count &&
            order_matters(&mutants->spec->fact_rows[index], &mutants->spec->fact_rows[index + 1])) {
            swap_with_next(mutants, row);
        }
        return;
    }
    for (size_t n = 0; n < sizeof nexts / sizeof nexts[0]; n++) {
        double_row(mutants, row, "Z99", next, nexts[n], false);
    }
}

/* ---- cells ---- */

static void mutate_state_cell(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                              const struct rcs_cell *cell)
{
    if (strcmp(column, "on") == 0) {
        mutate_events(mutants, row, cell);
    } else if (strcmp(column, "if") == 0) {
        replace_by_words(mutants, row, column, cell, WORDS(guards), false);
    } else if (strcmp(column, "next") == 0) {
        replace_by_words(mutants, row, column, cell, WORDS(nexts), false);
    } else {
        replace_by_names(mutants, row, column, cell);
    }
}

static void mutate_failure_cell(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                                const struct rcs_cell *cell, size_t index)
{
    if (strcmp(column, "when") == 0) {
        rcs_mutate_when(mutants, row, cell, index);
    } else if (strcmp(column, "effect") == 0) {
        replace_by_words(mutants, row, column, cell, WORDS(effects), false);
    }
    for (size_t i = 0; strcmp(column, "failure") == 0 && i < mutants->spec->failure_count; i++) {
        rcs_mutate_cell(mutants, row, column, cell, mutants->spec->failures[i].name, false);
    }
}

/* A text without each of its placeholders. */
static void mutate_text(struct rcs_mutants *mutants, const struct rcs_table_row *row, const char *column,
                        const struct rcs_cell *cell)
{
    const char *text = cell_text(mutants, cell);

    for (const char *at = strchr(text, '{'); at != NULL; at = strchr(at + 1, '{')) {
        const char *end = strchr(at, '}');

        if (end != NULL) {
            rcs_mutate_cell(mutants, row, column, cell,
                            rcs_arena_format(mutants->arena, "%.*s%s", (int)(at - text), text, end + 1), true);
        }
    }
}

static void mutate_cell(struct rcs_mutants *mutants, enum rcs_section section, const struct rcs_table *table, size_t index,
                        size_t c)
{
    const struct rcs_table_row *row = &table->rows[index];
    const struct rcs_cell *cell = &row->cells[c];
    const char *column = cell_text(mutants, &table->header.cells[c]);

    if (section >= RCS_SECTION_PRECONDITION && section <= RCS_SECTION_EXHAUSTED) {
        mutate_state_cell(mutants, row, column, cell);
    } else if (section == RCS_SECTION_FAILURES) {
        mutate_failure_cell(mutants, row, column, cell, index);
    } else if (section == RCS_SECTION_WAITS) {
        rcs_mutate_wait(mutants, row, column, cell, &mutants->spec->waits[index]);
    } else if (section == RCS_SECTION_BUDGETS || section == RCS_SECTION_BREAKERS) {
        rcs_mutate_shared(mutants, row, column, cell);
    } else if (section == RCS_SECTION_SETTINGS) {
        rcs_mutate_setting(mutants, row);
    } else if (section == RCS_SECTION_MESSAGES) {
        mutate_text(mutants, row, column, cell);
    } else if (strcmp(column, "tell") == 0) {
        replace_by_words(mutants, row, column, cell, WORDS(tells), true);
    } else if (strcmp(column, "reminder") == 0) {
        replace_by_words(mutants, row, column, cell, WORDS(reminders), true);
    } else if (strcmp(column, "replay") == 0) {
        replace_by_words(mutants, row, column, cell, WORDS(replays), true);
    }
}

void rcs_mutants_make(struct rcs_arena *arena, const struct rcs_loaded *loaded, struct rcs_mutants *mutants)
{
    const struct rcs_spec *spec = loaded->spec;
    struct rcs_reader *reader = rcs_arena_alloc(arena, sizeof *reader);
    struct rcs_loaded again;

    memset(mutants, 0, sizeof *mutants);
    mutants->arena = arena;
    mutants->path = spec->path;
    mutants->text = spec->text;
    mutants->size = spec->size;
    mutants->spec = spec;
    mutants->findings.arena = arena;
    rcs_load(arena, spec->path, spec->text, spec->size, &mutants->findings, &again);
    reader->arena = arena;
    reader->findings = &mutants->findings;
    reader->spec = again.spec;
    rcs_document_read(arena, spec->text, spec->size, reader->findings, &reader->document);
    mutants->document = reader->document;
    rcs_read_sections(reader);
    for (enum rcs_section section = RCS_SECTION_SETTINGS; section < RCS_SECTION_EXAMPLES; section++) {
        const struct rcs_table *table = reader->tables[section];

        for (size_t r = 0; table != NULL && r < table->row_count; r++) {
            mutate_row(mutants, section, table, r);
            for (size_t c = 1; c < table->rows[r].cell_count; c++) {
                mutate_cell(mutants, section, table, r, c);
            }
        }
    }
}

/* ---- what becomes of them ---- */

static bool is_known(const struct rcs_findings *known, const struct rcs_finding *finding)
{
    for (size_t i = 0; i < known->count; i++) {
        const struct rcs_finding *own = &known->items[i];

        if (own->severity == finding->severity && strcmp(own->code, finding->code) == 0 &&
            strcmp(own->text, finding->text) == 0 &&
            strcmp(own->rows == NULL ? "" : own->rows, finding->rows == NULL ? "" : finding->rows) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a check or an example says what it does not say of the policy as it is. */
static bool is_caught(const struct rcs_mutants *mutants, const struct rcs_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity == RCS_ERROR && !is_known(&mutants->findings, &findings->items[i])) {
            return true;
        }
    }
    return findings->by_severity[RCS_WARNING] > mutants->findings.by_severity[RCS_WARNING];
}

enum rcs_fate rcs_mutant_judge(const struct rcs_mutants *mutants, size_t index)
{
    const struct rcs_mutant *mutant = &mutants->items[index];
    struct rcs_arena arena = {0};
    struct rcs_string text = {.arena = &arena};
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_loaded loaded;
    enum rcs_fate fate = RCS_FATE_UNNOTICED;

    rcs_append(&text, mutants->text, mutant->begin);
    rcs_append_text(&text, mutant->with);
    rcs_append(&text, mutants->text + mutant->end, mutants->size - mutant->end);
    rcs_load(&arena, mutants->path, text.data, text.size, &findings, &loaded);
    if (loaded.machine == NULL || is_caught(mutants, &findings)) {
        fate = RCS_FATE_CAUGHT;
    } else if (mutant->declared) {
        fate = RCS_FATE_DECLARED;
    } else if (rcs_diff_none(&arena, mutants->spec, loaded.spec)) {
        fate = RCS_FATE_EQUIVALENT;
    }
    rcs_arena_clear(&arena);
    return fate;
}

const char *rcs_fate_name(enum rcs_fate fate)
{
    static const char *const names[] = {"caught", "equivalent", "declared", "unnoticed"};

    _Static_assert(sizeof names / sizeof *names == RCS_FATE_COUNT, "a name for each fate");
    return fate < RCS_FATE_COUNT ? names[fate] : "?";
}
