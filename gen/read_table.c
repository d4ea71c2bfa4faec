#include <string.h>

#include "gen/read.h"

#define COLUMNS_MAX 12u /* of any section */

static size_t column_of(const struct rcs_reader *reader, const struct rcs_cell *cell, const struct rcs_column *columns,
                        size_t count)
{
    const char *name =
        rcs_cell_canonical(reader->arena, reader->document.text + cell->begin, cell->end - cell->begin, false);
    size_t i = 0;

    while (i < count && strcmp(columns[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void unknown_column(struct rcs_reader *reader, const struct rcs_cell *cell, const struct rcs_column *columns,
                           size_t count)
{
    const char *names[COLUMNS_MAX];
    const char *found = rcs_printable(reader->arena, reader->document.text + cell->begin, cell->end - cell->begin);
    size_t known = 0;

    for (size_t i = 0; i < count; i++) {
        names[known++] = columns[i].name;
    }
    rcs_complain(reader, "column", cell->place, "unknown column '%s'%s: expected %s", found,
                 rcs_suggest(reader->arena, found, names, known), rcs_list_nearest(reader->arena, "", names, known));
}

static void wrong_order(struct rcs_reader *reader, const struct rcs_cell *cell, const struct rcs_column *columns,
                        size_t count)
{
    struct rcs_string order = {.arena = reader->arena};

    for (size_t i = 0; i < count; i++) {
        if (!columns[i].optional) {
            rcs_append_text(&order, i == 0 ? "" : ", ");
            rcs_append_text(&order, columns[i].name);
        }
    }
    rcs_complain(reader, "column-order", cell->place, "this column is not in its place: expected the order %s",
                 order.data);
}

/* One cell of the header. Returns false if it is not what the section has. */
static bool find_column(struct rcs_reader *reader, const struct rcs_cell *cell, size_t number,
                        const struct rcs_column *columns, size_t count, size_t *at)
{
    size_t column = column_of(reader, cell, columns, count);

    if (column == count) {
        unknown_column(reader, cell, columns, count);
        return false;
    }
    if (at[column] != RCS_NO_COLUMN) {
        rcs_complain(reader, "repeated-column", cell->place, "the column '%s' stands here twice: remove one",
                     columns[column].name);
        return false;
    }
    at[column] = number;
    for (size_t i = column + 1; i < count && !columns[column].optional; i++) {
        if (at[i] != RCS_NO_COLUMN && !columns[i].optional) {
            wrong_order(reader, cell, columns, count);
            return false;
        }
    }
    if (number == 0 && column != 0) {
        wrong_order(reader, cell, columns, count);
        return false;
    }
    return true;
}

/* Finds which cell of a row belongs to which column. Returns false if they are not what the section has. */
static bool find_columns(struct rcs_reader *reader, const struct rcs_table_row *header,
                         const struct rcs_column *columns, size_t count, size_t *at)
{
    bool good = !header->bad;

    for (size_t i = 0; i < count; i++) {
        at[i] = RCS_NO_COLUMN;
    }
    for (size_t i = 0; i < header->cell_count; i++) {
        const struct rcs_cell *cell = &header->cells[i];

        if (cell->begin < cell->end) { /* an empty one is reported already */
            good = find_column(reader, cell, i, columns, count, at) && good;
        }
    }
    return good;
}

static bool check_missing(struct rcs_reader *reader, const struct rcs_table_row *header,
                          const struct rcs_column *columns, size_t count, const size_t *at)
{
    bool good = true;

    for (size_t i = 0; i < count; i++) {
        if (at[i] == RCS_NO_COLUMN && !columns[i].optional) {
            rcs_complain(reader, "missing-column", header->place, "the column '%s' is missing", columns[i].name);
            good = false;
        }
    }
    return good;
}

void rcs_read_table(struct rcs_reader *reader, enum rcs_section section, const struct rcs_column *columns, size_t count,
                    rcs_row_reader *read)
{
    const struct rcs_table *table = reader->tables[section];
    size_t at[COLUMNS_MAX];
    bool good;

    if (table == NULL) {
        return;
    }
    reader->broken[section] = reader->broken[section] || table->cut;
    good = find_columns(reader, &table->header, columns, count, at);
    if (!check_missing(reader, &table->header, columns, count, at) || !good) {
        reader->broken[section] = true;
        return;
    }
    for (size_t i = 0; i < table->row_count; i++) {
        if (table->rows[i].bad) {
            reader->broken[section] = true;
        } else {
            reader->row = NULL;
            read(reader, &table->rows[i], at);
        }
    }
    reader->row = NULL;
}

void rcs_open_cell(struct rcs_reader *reader, struct rcs_cursor *cursor, const struct rcs_cell *cell)
{
    rcs_cursor_open(cursor, reader->arena, reader->findings, reader->row, reader->document.text + cell->begin,
                    cell->end - cell->begin, cell->place);
}

static const char *read_id(struct rcs_reader *reader, const struct rcs_cell *cell, bool (*has_form)(const char *),
                           const char *form)
{
    const char *id = rcs_cell_copy(&reader->document, cell);
    struct rcs_used_id *used;

    if (!has_form(id)) {
        rcs_complain(reader, "id", cell->place, "expected %s, found '%s'", form,
                     rcs_printable(reader->arena, id, strlen(id)));
        return NULL;
    }
    reader->row = id;
    for (size_t i = 0; i < reader->id_count; i++) {
        if (strcmp(reader->ids[i].id, id) == 0) {
            rcs_complain(reader, "repeated-id", cell->place,
                         "'%s' names a row in line %u already: ids are unique in the file", id,
                         reader->ids[i].place.line);
            return id;
        }
    }
    used = rcs_arena_push(reader->arena, &reader->ids, &reader->id_count, sizeof *reader->ids);
    used->id = id;
    used->place = cell->place;
    return id;
}

const char *rcs_read_row_id(struct rcs_reader *reader, const struct rcs_cell *cell)
{
    return read_id(reader, cell, rcs_is_row_id, "an id: a letter, then letters, digits or '_', at most 8 in all");
}

const char *rcs_read_name_id(struct rcs_reader *reader, const struct rcs_cell *cell)
{
    return read_id(reader, cell, rcs_is_name,
                   "a name: a small letter, then small letters, digits or '_', at most 32 in all");
}

size_t rcs_read_word(struct rcs_reader *reader, const struct rcs_cell *cell, const char *code, const char *const *words,
                     size_t count)
{
    const char *found = rcs_cell_copy(&reader->document, cell);
    const char *text = rcs_cell_canonical(reader->arena, found, strlen(found), false);
    size_t i = 0;

    while (i < count && strcmp(text, words[i]) != 0) {
        i++;
    }
    if (i == count) {
        rcs_complain(reader, code, cell->place, "expected one of %s; found '%s'",
                     rcs_list_nearest(reader->arena, found, words, count),
                     rcs_printable(reader->arena, found, strlen(found)));
    }
    return i;
}

static const char *name_at(const struct rcs_spec *spec, enum rcs_section section, size_t index)
{
    switch (section) {
    case RCS_SECTION_SCENARIOS:
        return index < spec->scenario_count ? spec->scenarios[index].label : NULL;
    case RCS_SECTION_FAILURES:
        return index < spec->failure_count ? spec->failures[index].name : NULL;
    case RCS_SECTION_WAITS:
        return index < spec->wait_count ? spec->waits[index].id : NULL;
    case RCS_SECTION_BUDGETS:
        return index < spec->budget_count ? spec->budgets[index].budget.id : NULL;
    default:
        return index < spec->message_count ? spec->messages[index].id : NULL;
    }
}

uint16_t rcs_find_name(struct rcs_reader *reader, enum rcs_section section, const char *name, struct rcs_place place)
{
    const char **names = NULL;
    const char *declared;
    size_t count = 0;

    for (size_t i = 0; (declared = name_at(reader->spec, section, i)) != NULL; i++) {
        if (strcmp(declared, name) == 0) {
            return (uint16_t)i;
        }
    }
    if (reader->broken[section]) {
        return RECOURSE_NONE;
    }
    if (reader->headings[section].line == 0) { /* one that may be left out, where nothing needs it */
        rcs_complain(reader, "missing-section", place, "'%s' is missing: '%s' has to be in its table",
                     rcs_section_name(section), name);
        reader->broken[section] = true;
        return RECOURSE_NONE;
    }
    for (size_t i = 0; (declared = name_at(reader->spec, section, i)) != NULL; i++) {
        *(const char **)rcs_arena_push(reader->arena, &names, &count, sizeof *names) = declared;
    }
    rcs_complain(reader, "undeclared", place, "'%s' is not in the table of '%s'%s", name, rcs_section_name(section),
                 rcs_suggest(reader->arena, name, names, count));
    return RECOURSE_NONE;
}

uint16_t rcs_read_reference(struct rcs_reader *reader, enum rcs_section section, const struct rcs_cell *cell)
{
    struct rcs_cursor cursor;
    const char *name;

    if (rcs_cell_is(&reader->document, cell, "-")) {
        return RECOURSE_NONE;
    }
    rcs_open_cell(reader, &cursor, cell);
    if (!rcs_take_name(&cursor, "one name, or '-'", &name) || !rcs_take_end(&cursor, "nothing after the name")) {
        return RECOURSE_NONE;
    }
    return rcs_find_name(reader, section, name, cell->place);
}
