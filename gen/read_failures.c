#include <string.h>

#include "gen/read.h"

enum { ID, WHEN, FAILURE, EFFECT, COLUMN_COUNT };
static const struct rcs_column columns[] = {
    [ID] = {.name = "id"},
    [WHEN] = {.name = "when"},
    [FAILURE] = {.name = "failure"},
    [EFFECT] = {.name = "effect"},
};

static const char *const effects[] = {
    [RECOURSE_EFFECT_NONE] = "none",
    [RECOURSE_EFFECT_DONE] = "done",
    [RECOURSE_EFFECT_UNKNOWN] = "unknown",
};
_Static_assert(sizeof effects / sizeof *effects == RECOURSE_EFFECT_COUNT, "a word for each");

static bool is_reserved(const struct rcs_spec *spec, const char *name)
{
    static const char *const words[] = {"other", "none", "and", "not"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], name) == 0) {
            return true;
        }
    }
    for (uint16_t event = 0; event < RECOURSE_EVENT_FAILURE; event++) {
        if (strcmp(rcs_spec_event_name(spec, event), name) == 0) {
            return true;
        }
    }
    return false;
}

/* The failure that a row names: a new one, or one of a row before. RECOURSE_NONE if it is none. */
static uint16_t read_failure(struct rcs_reader *reader, const struct rcs_cell *cell, const struct rcs_cell *effect_cell,
                             uint8_t effect)
{
    struct rcs_spec *spec = reader->spec;
    const char *name = rcs_cell_copy(&reader->document, cell);
    struct rcs_spec_failure *failure;

    if (!rcs_is_name(name)) {
        rcs_complain(
            reader, "id", cell->place,
            "expected a failure's name: a small letter, then small letters, digits or '_', at most 32 in all; found "
            "'%s'",
            rcs_printable(reader->arena, name, strlen(name)));
        return RECOURSE_NONE;
    }
    if (is_reserved(spec, name)) {
        rcs_complain(reader, "reserved", cell->place, "'%s' is a word of the language: name the failure otherwise",
                     name);
        return RECOURSE_NONE;
    }
    for (size_t i = 0; i < spec->failure_count; i++) {
        if (strcmp(spec->failures[i].name, name) != 0) {
            continue;
        }
        if (effect < RECOURSE_EFFECT_COUNT && spec->failures[i].effect != effect) {
            rcs_complain(reader, "two-effects", effect_cell->place,
                         "'%s' has the effect %s in line %u: a failure has one effect", name,
                         effects[spec->failures[i].effect], spec->failures[i].place.line);
        }
        return (uint16_t)i;
    }
    if (spec->failure_count == RECOURSE_FAILURES_MAX) {
        rcs_complain(reader, "too-many", cell->place, "a policy has at most %u failures", RECOURSE_FAILURES_MAX);
        return RECOURSE_NONE;
    }
    failure = rcs_arena_push(reader->arena, &spec->failures, &spec->failure_count, sizeof *spec->failures);
    *failure = (struct rcs_spec_failure){.name = name, .place = cell->place, .effect = effect % RECOURSE_EFFECT_COUNT};
    return (uint16_t)(spec->failure_count - 1);
}

static void read_row(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    const struct rcs_cell *when = &row->cells[at[WHEN]];
    const struct rcs_cell *failure = &row->cells[at[FAILURE]];
    const struct rcs_cell *effect = &row->cells[at[EFFECT]];
    struct rcs_spec_fact_row *out = rcs_arena_push(reader->arena, &spec->fact_rows, &spec->fact_row_count, sizeof *out);
    struct rcs_cursor cursor;

    out->id = rcs_read_row_id(reader, &row->cells[at[ID]]);
    out->place = row->place;
    out->when_place = when->place;
    out->failure_place = failure->place;
    out->effect_place = effect->place;
    rcs_open_cell(reader, &cursor, when);
    if (!rcs_read_when(&cursor, &out->atoms, &out->atom_count)) {
        out->atom_count = 0;
    }
    out->effect = (uint8_t)rcs_read_word(reader, effect, "effect", effects, RECOURSE_EFFECT_COUNT);
    out->failure = read_failure(reader, failure, effect, out->effect);
    if (out->failure == RECOURSE_NONE) {
        reader->broken[RCS_SECTION_FAILURES] = true;
    }
}

static bool is_other(const struct rcs_spec_fact_row *row)
{
    return row->atom_count == 1 && row->atoms[0].atom.kind == RECOURSE_ATOM_OTHER;
}

/* `other` takes what no row names: it is the last one. */
static void check_other(struct rcs_reader *reader)
{
    const struct rcs_spec *spec = reader->spec;
    size_t count = spec->fact_row_count;

    for (size_t i = 0; i + 1 < count; i++) {
        if (is_other(&spec->fact_rows[i])) {
            reader->row = spec->fact_rows[i].id;
            rcs_complain(reader, "other-last", spec->fact_rows[i].when_place,
                         "'other' is the last row: those after it would never hold");
        }
    }
    reader->row = NULL;
    if (reader->tables[RCS_SECTION_FAILURES] == NULL || reader->tables[RCS_SECTION_FAILURES]->cut) {
        return; /* nobody knows how it ends */
    }
    if (count > 0 && spec->fact_rows[count - 1].atom_count > 0 && !is_other(&spec->fact_rows[count - 1])) {
        rcs_complain(reader, "no-other", spec->fact_rows[count - 1].place,
                     "the last row of Failures is 'other', which takes what no row names: add it");
    }
}

void rcs_read_failures(struct rcs_reader *reader)
{
    rcs_read_table(reader, RCS_SECTION_FAILURES, columns, COLUMN_COUNT, read_row);
    check_other(reader);
}
