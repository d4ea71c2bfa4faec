/* A policy's file as HTML: what GitHub shows of it. Its Markdown is narrow (gen/README.md), and so is what is read here. */
#include "explain_page.h"

#include <string.h>

#include "gen/document.h"

struct writer {
    const struct rcs_spec *spec;
    struct rcs_document document;
    struct rcs_string *out;
    const char *open; /* the block that is open: "p", "ul", or NULL; its last paragraph or item is bytes [begin, end) */
    size_t begin;
    size_t end;
};

/* ---- within a line ---- */

/* Where the mark that closes the one at `at` begins; 0: nowhere. `*` closes behind a letter only. */
static size_t closing(const char *text, size_t size, size_t at, const char *mark)
{
    size_t length = strlen(mark);

    if (at + length >= size || text[at + length] == ' ') {
        return 0;
    }
    for (size_t end = at + length + 1; end + length <= size; end++) {
        if (text[end - 1] != '\\' && text[end - 1] != ' ' && memcmp(text + end, mark, length) == 0) {
            return end;
        }
    }
    return 0;
}

static bool is_link_target(const char *text, size_t size)
{
    static const char *const schemes[] = {"https://", "http://"};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (size > strlen(schemes[i]) && memcmp(text, schemes[i], strlen(schemes[i])) == 0) {
            return memchr(text, ' ', size) == NULL;
        }
    }
    return false;
}

/* `[text](target)` at `at`: returns where it ends, or 0. Targets other than of the web are not linked to. */
static size_t write_link(struct rcs_string *out, const char *text, size_t size, size_t at)
{
    const char *middle = memchr(text + at, ']', size - at);
    const char *end;

    if (middle == NULL || middle + 1 >= text + size || middle[1] != '(') {
        return 0;
    }
    end = memchr(middle, ')', (size_t)(text + size - middle));
    if (end == NULL || !is_link_target(middle + 2, (size_t)(end - middle - 2))) {
        return 0;
    }
    rcs_append_text(out, "<a rel=\"noreferrer\" href=\"");
    rcs_append_escaped(out, middle + 2, (size_t)(end - middle - 2));
    rcs_append_text(out, "\">");
    rcs_append_escaped(out, text + at + 1, (size_t)(middle - text) - at - 1);
    rcs_append_text(out, "</a>");
    return (size_t)(end - text) + 1;
}

/* Marks of emphasis and code at `at`: returns where they end, or 0. */
static size_t write_marked(struct rcs_string *out, const char *text, size_t size, size_t at)
{
    static const struct {
        const char *mark, *element;
    } marks[] = {{"`", "code"}, {"**", "strong"}, {"*", "em"}};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i].mark);
        size_t end;

        if (at + length > size || memcmp(text + at, marks[i].mark, length) != 0) {
            continue;
        }
        end = closing(text, size, at, marks[i].mark);
        if (end == 0) {
            return 0;
        }
        rcs_append_text(out, "<");
        rcs_append_text(out, marks[i].element);
        rcs_append_text(out, ">");
        rcs_append_escaped(out, text + at + length, end - at - length);
        rcs_append_text(out, "</");
        rcs_append_text(out, marks[i].element);
        rcs_append_text(out, ">");
        return end + length;
    }
    return 0;
}

static void write_line(struct rcs_string *out, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t end = 0;

        if (text[at] == '\\' && at + 1 < size && rcs_is_punctuation((unsigned char)text[at + 1])) {
            rcs_append_escaped(out, text + at + 1, 1);
            at += 2;
            continue;
        }
        if (text[at] == '`' || text[at] == '*') {
            end = write_marked(out, text, size, at);
        } else if (text[at] == '[') {
            end = write_link(out, text, size, at);
        }
        if (end == 0) {
            rcs_append_escaped(out, text + at, 1);
            end = at + 1;
        }
        at = end;
    }
}

/* ---- blocks ---- */

/* Marks may begin on one line and end on another. */
static void flush(struct writer *writer)
{
    write_line(writer->out, writer->document.text + writer->begin, writer->end - writer->begin);
}

static void close_block(struct writer *writer)
{
    if (writer->open != NULL) {
        flush(writer);
        rcs_append_text(writer->out, strcmp(writer->open, "ul") == 0 ? "</li></ul>\n" : "</p>\n");
        writer->open = NULL;
    }
}

static void write_heading(struct writer *writer, const struct rcs_heading *heading)
{
    unsigned level = heading->level < 5 ? heading->level + 1 : 6;

    close_block(writer);
    if (heading->level == 1) {
        return; /* the page has it */
    }
    rcs_append_text(writer->out, rcs_arena_format(writer->out->arena, "<h%u>", level));
    write_line(writer->out, heading->title, strlen(heading->title));
    rcs_append_text(writer->out, rcs_arena_format(writer->out->arena, "</h%u>\n", level));
}

static const struct rcs_spec_run *run_of(const struct rcs_spec *spec, const char *id)
{
    for (size_t i = 0; i < spec->run_count; i++) {
        if (strcmp(spec->runs[i].id, id) == 0) {
            return &spec->runs[i];
        }
    }
    return NULL;
}

static void write_cell(struct writer *writer, const struct rcs_cell *cell, const struct rcs_spec_run *run)
{
    struct rcs_string *out = writer->out;

    rcs_append_text(out, "<td>");
    if (run != NULL) {
        rcs_page_run(out, rcs_page_words(out->arena, writer->spec, run));
    } else {
        write_line(out, writer->document.text + cell->begin, cell->end - cell->begin);
    }
    rcs_append_text(out, "</td>");
}

static void write_row(struct writer *writer, const struct rcs_table *table, const struct rcs_table_row *row)
{
    struct rcs_string *out = writer->out;
    bool named = rcs_cell_is(&writer->document, &table->header.cells[0], "id");
    char *first = rcs_cell_copy(&writer->document, &row->cells[0]);
    const struct rcs_spec_run *run = named ? run_of(writer->spec, first) : NULL;

    rcs_append_text(out, "<tr");
    if (named) {
        rcs_append_text(out, " id=\"row-");
        rcs_page_text(out, first);
        rcs_append_text(out, "\"");
    }
    rcs_append_text(out, "><th scope=\"row\">");
    write_line(out, first, strlen(first));
    rcs_append_text(out, "</th>");
    for (size_t i = 1; i < row->cell_count; i++) {
        bool events = run != NULL && rcs_cell_is(&writer->document, &table->header.cells[i], "events");

        write_cell(writer, &row->cells[i], events ? run : NULL);
    }
    rcs_append_text(out, "</tr>\n");
}

static void write_table(struct writer *writer, const struct rcs_table *table)
{
    struct rcs_string *out = writer->out;
    const char *title = table->heading == RCS_NO_HEADING ? "table" : writer->document.headings[table->heading].title;

    close_block(writer);
    rcs_append_text(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table: ");
    rcs_page_text(out, title);
    rcs_append_text(out, "\"><table><thead><tr>");
    for (size_t i = 0; i < table->header.cell_count; i++) {
        rcs_append_text(out, "<th scope=\"col\">");
        write_line(out, writer->document.text + table->header.cells[i].begin,
                   table->header.cells[i].end - table->header.cells[i].begin);
        rcs_append_text(out, "</th>");
    }
    rcs_append_text(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < table->row_count; i++) {
        write_row(writer, table, &table->rows[i]);
    }
    rcs_append_text(out, "</tbody></table></div>\n");
}

/* A line of prose, bytes [at, at + size) of the file. */
static void write_prose(struct writer *writer, size_t at, size_t size)
{
    const char *text = writer->document.text + at;
    bool item = size > 2 && (text[0] == '-' || text[0] == '*') && text[1] == ' ';
    bool in_list = writer->open != NULL && strcmp(writer->open, "ul") == 0;

    if (size == 0) {
        close_block(writer);
        return;
    }
    if (item && in_list) {
        flush(writer);
        rcs_append_text(writer->out, "</li>\n<li>");
    } else if (item || writer->open == NULL) {
        close_block(writer);
        rcs_append_text(writer->out, item ? "<ul>\n<li>" : "<p>");
        writer->open = item ? "ul" : "p";
    } else {
        writer->end = at + size;
        return;
    }
    writer->begin = at + (item ? 2 : 0);
    writer->end = at + size;
}

void rcs_page_policy(const struct rcs_spec *spec, struct rcs_string *out)
{
    struct rcs_findings findings = {.arena = out->arena};
    struct writer writer = {.spec = spec, .out = out};
    size_t table = 0;
    size_t heading = 0;
    uint32_t line = 1;

    rcs_document_read(out->arena, spec->text, spec->size, &findings, &writer.document);
    for (size_t at = 0; at < writer.document.size; line++) {
        const char *text = writer.document.text + at;
        size_t size = strcspn(text, "\n");

        if (table < writer.document.table_count && at >= writer.document.tables[table].end) {
            table++;
        }
        if (heading < writer.document.heading_count && writer.document.headings[heading].place.line == line) {
            write_heading(&writer, &writer.document.headings[heading++]);
        } else if (table < writer.document.table_count && at >= writer.document.tables[table].begin) {
            if (at == writer.document.tables[table].begin) {
                write_table(&writer, &writer.document.tables[table]);
            }
        } else {
            write_prose(&writer, at, size);
        }
        at += size + (text[size] == '\n');
    }
    close_block(&writer);
}
