#include "gen/document.h"

#include <string.h>

#include "gen/grammar.h"

struct scanner {
    struct rcs_document *document;
    struct rcs_findings *findings;
    const char *line; /* the current one, without its line end */
    size_t size;
    size_t begin; /* its offset in the file */
    uint32_t number;
    uint32_t table_lines; /* lines of the table that the line before belongs to; 0: it belongs to none */
    bool blank_before;
    bool cr_reported;
    bool too_many_reported;
};

static struct rcs_place place_at(const struct scanner *scanner, size_t offset)
{
    return (struct rcs_place){.line = scanner->number, .column = (uint32_t)offset + 1};
}

static void complain(struct scanner *scanner, const char *code, size_t offset, const char *text)
{
    rcs_find(scanner->findings, RCS_ERROR, code, place_at(scanner, offset), NULL, NULL, "%s", text);
}

static size_t leading_blanks(const char *text, size_t size)
{
    size_t count = 0;

    while (count < size && text[count] == ' ') {
        count++;
    }
    return count;
}

/* The length of `text` without the blanks at its end. */
static size_t trimmed(const char *text, size_t size)
{
    while (size > 0 && text[size - 1] == ' ') {
        size--;
    }
    return size;
}

/* ---- tables ---- */

static void add_cell(struct scanner *scanner, struct rcs_table_row *row, size_t from, size_t to)
{
    struct rcs_arena *arena = scanner->document->arena;
    struct rcs_fault fault;
    struct rcs_cell *cell;

    if (row->cell_count == RCS_COLUMNS_MAX) {
        if (!row->bad) {
            complain(scanner, "too-many", from, "a table has at most 64 columns");
        }
        row->bad = true;
        return;
    }
    from += leading_blanks(scanner->line + from, to - from);
    to = from + trimmed(scanner->line + from, to - from);
    cell = rcs_arena_push(arena, &row->cells, &row->cell_count, sizeof *row->cells);
    cell->begin = scanner->begin + from;
    cell->end = scanner->begin + to;
    cell->place = place_at(scanner, from);
    if (to - from > RCS_CELL_MAX) {
        complain(scanner, "too-long", from, "a cell has at most 4096 bytes");
        cell->end = cell->begin;
        row->bad = true;
    } else if (from == to) {
        complain(scanner, "empty-cell", from, "an empty cell: write '-' for nothing");
        row->bad = true;
    } else if (rcs_cell_fault(scanner->line + from, to - from, &fault)) {
        complain(scanner, fault.code, from + fault.at, fault.text);
        row->bad = true;
    }
}

static void read_row(struct scanner *scanner, struct rcs_table_row *row)
{
    struct rcs_bars bars;
    size_t after;

    rcs_row_bars(scanner->document->arena, scanner->line, scanner->size, &bars);
    row->begin = scanner->begin;
    row->end = scanner->begin + scanner->size;
    row->place = place_at(scanner, 0);
    if (bars.has_doubtful) {
        complain(scanner, "bar", bars.doubtful,
                 "a bar after two backslashes can be read in two ways: put something between");
        row->bad = true;
    }
    for (size_t i = 0; i + 1 < bars.count; i++) {
        add_cell(scanner, row, bars.at[i] + 1, bars.at[i + 1]);
    }
    after = bars.at[bars.count - 1] + 1;
    if (after + leading_blanks(scanner->line + after, scanner->size - after) < scanner->size) {
        add_cell(scanner, row, after, scanner->size);
        complain(scanner, "row-end", scanner->size, "a row ends with a bar: expected ' |'");
        row->bad = true;
    }
}

static struct rcs_table *last_table(struct scanner *scanner)
{
    return &scanner->document->tables[scanner->document->table_count - 1];
}

static void read_header(struct scanner *scanner)
{
    struct rcs_document *document = scanner->document;
    struct rcs_table *table =
        rcs_arena_push(document->arena, &document->tables, &document->table_count, sizeof *document->tables);

    table->heading = document->heading_count > 0 ? document->heading_count - 1 : RCS_NO_HEADING;
    table->begin = scanner->begin;
    read_row(scanner, &table->header);
}

static bool is_made_of(const char *text, size_t size, const char *bytes)
{
    for (size_t i = 0; i < size; i++) {
        if (strchr(bytes, text[i]) == NULL) {
            return false;
        }
    }
    return true;
}

/* The second line of a table. Returns false if it is none of its kind, but a row like others. */
static bool read_delimiter(struct scanner *scanner)
{
    size_t columns = last_table(scanner)->header.cell_count;
    size_t size = trimmed(scanner->line, scanner->size);
    struct rcs_bars bars;

    if (!is_made_of(scanner->line, size, "|-: ")) {
        complain(scanner, "delimiter", 0, "expected the row of '---' that parts the header from the rows: |---|---|");
        return false;
    }
    rcs_row_bars(scanner->document->arena, scanner->line, size, &bars);
    for (size_t i = 0; i + 1 < bars.count; i++) {
        size_t from = bars.at[i] + 1;
        size_t to = from + trimmed(scanner->line + from, bars.at[i + 1] - from);

        from += leading_blanks(scanner->line + from, to - from);
        if (from == to || !is_made_of(scanner->line + from, to - from, "-")) {
            complain(scanner, "delimiter", from, "expected '---' in each cell under the header, without colons");
            return true;
        }
    }
    if (bars.at[bars.count - 1] + 1 != size) {
        complain(scanner, "row-end", size, "a row ends with a bar: expected '|'");
    } else if (bars.count - 1 != columns) {
        rcs_find(scanner->findings, RCS_ERROR, "delimiter", place_at(scanner, 0), NULL, NULL,
                 "this row has %zu cells and the header has %zu: GitHub would show no table", bars.count - 1, columns);
    }
    return true;
}

static void read_body_row(struct scanner *scanner)
{
    struct rcs_table *table = last_table(scanner);
    struct rcs_table_row *row;

    if (table->row_count == RCS_ROWS_MAX) {
        if (!scanner->too_many_reported) {
            complain(scanner, "too-many", 0, "a table has at most 1000 rows");
        }
        scanner->too_many_reported = true;
        table->cut = true;
        return;
    }
    row = rcs_arena_push(scanner->document->arena, &table->rows, &table->row_count, sizeof *table->rows);
    read_row(scanner, row);
    if (row->cell_count != table->header.cell_count && !row->bad) {
        rcs_find(scanner->findings, RCS_ERROR, "ragged", row->place, NULL, NULL,
                 "this row has %zu cells and the header has %zu (a bar inside a cell is written \\|)", row->cell_count,
                 table->header.cell_count);
    }
    row->bad = row->bad || row->cell_count != table->header.cell_count;
}

static void read_table_line(struct scanner *scanner)
{
    if (scanner->table_lines == 0) {
        if (!scanner->blank_before) {
            complain(scanner, "blank-line", 0, "a table has a blank line before it");
        }
        read_header(scanner);
    } else if (scanner->table_lines > 1 || !read_delimiter(scanner)) {
        read_body_row(scanner);
    }
    scanner->table_lines++;
}

static void end_table(struct scanner *scanner)
{
    struct rcs_table *table = last_table(scanner);

    table->end = scanner->begin;
    if (scanner->table_lines == 1) {
        rcs_find(scanner->findings, RCS_ERROR, "delimiter", table->header.place, NULL, NULL,
                 "this is no table yet: expected a row like |---|---| below, and rows");
    } else if (table->row_count == 0) {
        rcs_find(scanner->findings, RCS_ERROR, "no-rows", table->header.place, NULL, NULL,
                 "a table without rows: write one, or leave the section out if it is optional");
    }
    scanner->table_lines = 0;
}

/* ---- headings and prose ---- */

static void add_heading(struct scanner *scanner, unsigned level, const char *title, size_t size)
{
    struct rcs_document *document = scanner->document;
    size_t parent = document->heading_count;
    struct rcs_heading *heading =
        rcs_arena_push(document->arena, &document->headings, &document->heading_count, sizeof *document->headings);

    while (parent > 0 && document->headings[parent - 1].level >= level) {
        parent--;
    }
    heading->level = level;
    heading->title = rcs_arena_copy(document->arena, title, size);
    heading->place = place_at(scanner, 0);
    heading->parent = parent > 0 ? parent - 1 : RCS_NO_HEADING;
}

/* A line that begins with `#`. */
static void read_heading(struct scanner *scanner)
{
    const char *line = scanner->line;
    size_t size = scanner->size;
    size_t level = 0;
    size_t title;

    while (level < size && line[level] == '#') {
        level++;
    }
    title = level + leading_blanks(line + level, size - level);
    if (level > 6 || title != level + 1 || title == size) {
        complain(scanner, "heading", 0, "a heading is one to six '#', one blank, and its text");
        if (level > 6 || title == size || title == level) {
            return;
        }
    }
    if (line[size - 1] == ' ') {
        complain(scanner, "heading", trimmed(line, size), "a heading ends without blanks");
    } else if (line[size - 1] == '#') {
        complain(scanner, "heading", size - 1, "a heading ends without '#'");
    }
    add_heading(scanner, (unsigned)level, line + title, trimmed(line + title, size - title));
}

/* The length of the mark of a list or a quotation at the begin of `text`, blanks included; 0: there is none. */
static size_t list_mark(const char *text, size_t size)
{
    size_t at = 0;

    if (size > 0 && strchr("-+*>", text[0]) != NULL) {
        at = 1;
    } else {
        while (at < size && at < 9 && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        at = at > 0 && at < size && strchr(".)", text[at]) != NULL ? at + 1 : 0;
    }
    if (at == 0 || (text[0] != '>' && at < size && text[at] != ' ')) {
        return 0;
    }
    return at + leading_blanks(text + at, size - at);
}

/* What GitHub would read as a heading, hidden behind blanks, in a list, or underlined. */
static bool hidden_heading(struct scanner *scanner)
{
    size_t at = leading_blanks(scanner->line, scanner->size);
    size_t size = trimmed(scanner->line, scanner->size);
    size_t level = 0;

    for (size_t mark = 1; mark > 0 && at < size; at += mark) {
        if (is_made_of(scanner->line + at, size - at, "-") || is_made_of(scanner->line + at, size - at, "=")) {
            complain(scanner, "heading", at,
                     "a line of '-' or '=' makes a heading of what is above: write '## ' before the text instead");
            return true;
        }
        mark = list_mark(scanner->line + at, size - at);
    }
    while (at + level < size && scanner->line[at + level] == '#') {
        level++;
    }
    if (level > 0 && level <= 6 && (at + level == size || scanner->line[at + level] == ' ')) {
        complain(scanner, "heading", at, "a heading starts in column 1");
        return true;
    }
    return false;
}

static void read_prose(struct scanner *scanner)
{
    struct rcs_fault fault;
    const char *bar = memchr(scanner->line, '|', scanner->size);

    if (bar != NULL) {
        complain(scanner, "bar", (size_t)(bar - scanner->line),
                 "a line with a bar is a row, and starts with one in column 1: prose has none");
        return;
    }
    if (scanner->line[0] == '#') {
        read_heading(scanner);
    } else if (hidden_heading(scanner)) {
        return;
    }
    if (rcs_prose_fault(scanner->line, scanner->size, &fault)) {
        complain(scanner, fault.code, fault.at, fault.text);
    }
}

/* ---- lines ---- */

static void read_line(struct scanner *scanner)
{
    struct rcs_fault fault;

    if (scanner->size > 0 && scanner->line[scanner->size - 1] == '\r') {
        scanner->size--;
        if (!scanner->cr_reported) {
            complain(scanner, "line-end", scanner->size,
                     "lines end with a line feed alone: this file has carriage returns");
        }
        scanner->cr_reported = true;
    }
    if (rcs_line_fault(scanner->line, scanner->size, &fault)) {
        complain(scanner, fault.code, fault.at, fault.text);
    }
    if (scanner->size > 0 && scanner->line[0] == '|') {
        read_table_line(scanner);
        return;
    }
    if (scanner->table_lines > 0) {
        end_table(scanner);
        if (trimmed(scanner->line, scanner->size) > 0) {
            complain(scanner, "blank-line", 0,
                     "a table has a blank line after it: GitHub would take this line for a row");
        }
    }
    scanner->blank_before = trimmed(scanner->line, scanner->size) == 0;
    if (!scanner->blank_before) {
        read_prose(scanner);
    }
}

/* One line instead of hundreds about a file that was never meant to be read. */
static void complain_binary(struct scanner *scanner)
{
    const char *text = scanner->document->text;
    size_t begin = 0;

    scanner->number = 1;
    for (size_t at = 0; text[at] != '\0'; at++) {
        if (text[at] == '\n') {
            scanner->number++;
            begin = at + 1;
        }
    }
    complain(scanner, "not-text", strlen(text) - begin, "the file is not a text: it has a byte 0 here");
}

void rcs_document_read(struct rcs_arena *arena, const char *text, size_t size, struct rcs_findings *findings,
                       struct rcs_document *document)
{
    struct scanner scanner = {.document = document, .findings = findings, .blank_before = true};
    size_t errors = findings->by_severity[RCS_ERROR];
    size_t at = 0;

    *document = (struct rcs_document){.arena = arena, .text = rcs_arena_copy(arena, text, size), .size = size};
    text = document->text;
    document->is_binary = memchr(text, '\0', size) != NULL;
    if (document->is_binary) {
        complain_binary(&scanner);
        return;
    }
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        scanner.number = 1;
        complain(&scanner, "bom", 0, "the file begins with a byte order mark: save it without");
        at = 3;
    }
    for (scanner.number = 1; at < size; scanner.number++) {
        const char *end = memchr(text + at, '\n', size - at);

        scanner.line = text + at;
        scanner.begin = at;
        scanner.size = end == NULL ? size - at : (size_t)(end - scanner.line);
        at += scanner.size + (end != NULL);
        if (end == NULL) {
            complain(&scanner, "final-newline", scanner.size, "the last line has no line end: add one");
        }
        read_line(&scanner);
        if (findings->by_severity[RCS_ERROR] - errors >= RCS_COMPLAINTS_MAX) {
            complain(&scanner, "too-many", 0, "too many errors: the rest of the file was not read");
            break;
        }
    }
    scanner.begin = at;
    if (scanner.table_lines > 0) {
        end_table(&scanner);
    }
}

char *rcs_cell_copy(const struct rcs_document *document, const struct rcs_cell *cell)
{
    return rcs_arena_copy(document->arena, document->text + cell->begin, cell->end - cell->begin);
}

bool rcs_cell_is(const struct rcs_document *document, const struct rcs_cell *cell, const char *text)
{
    size_t size = strlen(text);

    return cell->end - cell->begin == size && memcmp(document->text + cell->begin, text, size) == 0;
}

bool rcs_column_is_prose(const struct rcs_document *document, const struct rcs_table *table, size_t column)
{
    return column < table->header.cell_count && (rcs_cell_is(document, &table->header.cells[column], "meaning") ||
                                                 rcs_cell_is(document, &table->header.cells[column], "why"));
}
