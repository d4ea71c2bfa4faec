#include <string.h>

#include "gen/document.h"
#include "gen/grammar.h"
#include "gen/spec.h"

static char *prose_canonical(struct rcs_arena *arena, const char *text, size_t size)
{
    char *copy = rcs_arena_alloc(arena, size + 1);
    size_t length = 0;

    for (size_t i = 0; i < size; i++) {
        if (text[i] != ' ' || (length > 0 && copy[length - 1] != ' ' && i + 1 < size)) {
            copy[length++] = text[i];
        }
    }
    while (length > 0 && copy[length - 1] == ' ') {
        copy[--length] = '\0';
    }
    return copy;
}

char *rcs_cell_canonical(struct rcs_arena *arena, const char *text, size_t size, bool prose)
{
    struct rcs_token *tokens;
    size_t count;
    char *copy;
    size_t length = 0;

    if (prose) {
        return prose_canonical(arena, text, size);
    }
    count = rcs_tokens(arena, text, size, &tokens);
    copy = rcs_arena_alloc(arena, size + count + 1); /* a blank more for each comma, at most */
    for (size_t i = 0; i < count; i++) {
        const struct rcs_token *token = &tokens[i];
        bool after_comma = i > 0 && tokens[i - 1].kind == RCS_TOKEN_COMMA;
        bool parted = i > 0 && tokens[i - 1].end < token->begin;

        if (token->kind != RCS_TOKEN_COMMA && (after_comma || parted)) {
            copy[length++] = ' ';
        }
        memcpy(copy + length, text + token->begin, token->end - token->begin);
        length += token->end - token->begin;
    }
    return copy;
}

char *rcs_row_canonical(struct rcs_arena *arena, const struct rcs_document *document, const struct rcs_table *table,
                        const struct rcs_table_row *row, const bool *skip)
{
    struct rcs_string buffer = {.arena = arena};

    rcs_append_text(&buffer, "|");
    for (size_t i = 0; i < row->cell_count; i++) {
        const struct rcs_cell *cell = &row->cells[i];
        bool prose = row != &table->header && rcs_column_is_prose(document, table, i);
        const char *text;

        if (skip != NULL && skip[i]) {
            continue;
        }
        text = rcs_cell_canonical(arena, document->text + cell->begin, cell->end - cell->begin, prose);
        rcs_append_text(&buffer, " ");
        rcs_append_text(&buffer, text);
        rcs_append_text(&buffer, " |");
    }
    return buffer.data;
}

static void append_table(struct rcs_string *buffer, const struct rcs_document *document, const struct rcs_table *table)
{
    const char *line = rcs_row_canonical(buffer->arena, document, table, &table->header, NULL);

    rcs_append_text(buffer, line);
    rcs_append_text(buffer, "\n|");
    for (size_t i = 0; i < table->header.cell_count; i++) {
        rcs_append_text(buffer, "---|");
    }
    rcs_append_text(buffer, "\n");
    for (size_t i = 0; i < table->row_count; i++) {
        line = rcs_row_canonical(buffer->arena, document, table, &table->rows[i], NULL);
        rcs_append_text(buffer, line);
        rcs_append_text(buffer, "\n");
    }
}

/* Moves `begin` past blank lines, and `end` before them: what is between is prose, byte for byte. */
static void strip_blank_lines(const char *text, size_t *begin, size_t *end)
{
    size_t last = *end;

    for (size_t at = *begin; at < *end && (text[at] == ' ' || text[at] == '\n'); at++) {
        if (text[at] == '\n') {
            *begin = at + 1;
        }
    }
    while (last > *begin && (text[last - 1] == ' ' || text[last - 1] == '\n')) {
        last--;
        if (text[last] == '\n') {
            *end = last + 1; /* the line end of the last line that is not blank */
        }
    }
    if (last == *begin) {
        *end = *begin;
    }
}

/* The prose between two tables: blank lines next to a table become one. */
static void append_prose(struct rcs_string *buffer, const char *text, size_t begin, size_t end, bool first, bool last)
{
    size_t from = begin;
    size_t to = end;

    strip_blank_lines(text, &from, &to);
    if (first && last) {
        rcs_append(buffer, text + begin, end - begin);
        return;
    }
    if (!first && (from < to || !last)) {
        rcs_append_text(buffer, "\n");
    }
    if (from >= to) {
        return;
    }
    from = first ? begin : from; /* no table next to it: blank lines are prose as well */
    to = last ? end : to;
    rcs_append(buffer, text + from, to - from);
    if (!last) {
        rcs_append_text(buffer, "\n");
    }
}

char *rcs_spec_format(struct rcs_arena *arena, const char *path, const char *text, size_t size,
                      struct rcs_findings *findings)
{
    size_t errors = findings->by_severity[RCS_ERROR];
    struct rcs_string buffer = {.arena = arena};
    struct rcs_document document;
    size_t at = 0;

    (void)path;
    rcs_document_read(arena, text, size, findings, &document);
    if (findings->by_severity[RCS_ERROR] > errors) {
        return NULL;
    }
    rcs_append(&buffer, "", 0);
    for (size_t i = 0; i < document.table_count; i++) {
        append_prose(&buffer, document.text, at, document.tables[i].begin, i == 0, false);
        append_table(&buffer, &document, &document.tables[i]);
        at = document.tables[i].end;
    }
    append_prose(&buffer, document.text, at, size, document.table_count == 0, true);
    return buffer.data == NULL ? rcs_arena_copy(arena, "", 0) : buffer.data;
}
