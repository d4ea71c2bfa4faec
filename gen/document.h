/*
 * A policy file as Markdown: headings, and tables with their cells, each with its place. It knows nothing of policies.
 *
 * What it accepts is narrower than Markdown, so that nobody can read a file differently from us: what GitHub shows as a
 * table is a table here, and the other way round; what could vanish or change there when shown is a finding.
 */
#ifndef RCS_DOCUMENT_H
#define RCS_DOCUMENT_H

#include <stdbool.h>

#include "finding.h"

#define RCS_COLUMNS_MAX 64u      /* of one table */
#define RCS_ROWS_MAX 1000u       /* likewise */
#define RCS_CELL_MAX 4096u       /* bytes of one cell */
#define RCS_COMPLAINTS_MAX 1000u /* about one file; then reading ends */
#define RCS_NO_HEADING SIZE_MAX

struct rcs_cell {
    size_t begin; /* bytes [begin, end) of the file, without the blanks around; equal: empty, and there is a finding */
    size_t end;
    struct rcs_place place;
};

struct rcs_table_row {
    struct rcs_cell *cells;
    size_t cell_count;
    size_t begin; /* bytes [begin, end) of the file: the line without its line end */
    size_t end;
    struct rcs_place place;
    bool bad; /* a finding was added about the row or one of its cells: it may have too few cells */
};

struct rcs_table {
    size_t heading; /* the heading that it stands under, or RCS_NO_HEADING */
    size_t begin;   /* bytes [begin, end) of the file: whole lines, the last line end included if there is one */
    size_t end;
    struct rcs_table_row header;
    struct rcs_table_row *rows; /* without the header and the delimiter row */
    size_t row_count;
    bool cut; /* it has more rows than are read */
};

struct rcs_heading {
    unsigned level; /* 1 to 6 */
    const char *title;
    struct rcs_place place;
    size_t parent; /* the heading of the next smaller level that it belongs to, or RCS_NO_HEADING */
};

struct rcs_document {
    struct rcs_arena *arena;
    const char *text; /* a copy of the file, NUL-terminated */
    size_t size;
    struct rcs_heading *headings;
    size_t heading_count;
    struct rcs_table *tables; /* in the order of the file */
    size_t table_count;
    bool is_binary; /* it has a byte 0: nothing else was read */
};

/* Reads a whole file; all findings are errors. The document holds what could be made out, also when there are some. */
void rcs_document_read(struct rcs_arena *arena, const char *text, size_t size, struct rcs_findings *findings,
                       struct rcs_document *document);

/* A copy of the cell's bytes, as written. */
char *rcs_cell_copy(const struct rcs_document *document, const struct rcs_cell *cell);

/* True if the cell's bytes are `text`. */
bool rcs_cell_is(const struct rcs_document *document, const struct rcs_cell *cell, const char *text);

/* Whether a column holds prose (`meaning`, `why`), which is no part of what a policy does. */
bool rcs_column_is_prose(const struct rcs_document *document, const struct rcs_table *table, size_t column);

/* The canonical spelling of a cell: single blanks, one after a comma and none before it. Prose keeps its commas. */
char *rcs_cell_canonical(struct rcs_arena *arena, const char *text, size_t size, bool prose);

/* The canonical line of a row, `| a | b |`, without a line end. `skip` (may be NULL) marks columns to be left out. */
char *rcs_row_canonical(struct rcs_arena *arena, const struct rcs_document *document, const struct rcs_table *table,
                        const struct rcs_table_row *row, const bool *skip);

/* ---- what a line or a cell may hold (markup.c) ---- */

struct rcs_fault {
    const char *code;
    size_t at; /* offset in the text */
    const char *text;
};

/* The first thing in a line of the file that may stand nowhere. */
bool rcs_line_fault(const char *text, size_t size, struct rcs_fault *fault);
/* The first thing in a line of prose or a heading that GitHub would show as something else. */
bool rcs_prose_fault(const char *text, size_t size, struct rcs_fault *fault);
/* The first thing in a cell that may not stand there, or that GitHub would show as something else. */
bool rcs_cell_fault(const char *text, size_t size, struct rcs_fault *fault);

/* What a message can quote of bytes from anywhere: printable ASCII, at most 40 bytes. */
const char *rcs_printable(struct rcs_arena *arena, const char *text, size_t size);

bool rcs_is_punctuation(unsigned char byte); /* of ASCII: what a backslash escapes in Markdown */

#endif
