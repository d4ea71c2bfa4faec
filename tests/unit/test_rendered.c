/*
 * The table that people see is the one that is compiled: what the reader takes is held, cell by cell, against what GitHub's
 * own renderer (cmark-gfm, with the extensions that GitHub switches on) makes of the same file. Policies are read as they
 * are, and with cells and prose made to differ; what the reader refuses, it may.
 */
#include <stdio.h>

#include "gen/document.h"
#include "tests/unit/policy_load.h"
#include "tests/unit/sample_policy.h"
#include "tests/unit/unit.h"

static struct rcs_arena arena;
static char *scratch;

struct tally {
    unsigned same;
    unsigned refused;
    unsigned cells;
};

/* What cmark-gfm makes of a text, as HTML. */
static char *render(const char *text)
{
    const char *path = rcs_arena_format(&arena, "%s/x.md", scratch);
    struct rcs_string html = {.arena = &arena};
    char block[4096];
    size_t got;
    FILE *file = fopen(path, "wb");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT(fputs(text, file) >= 0);
    CU_ASSERT(fclose(file) == 0);
    file = popen(rcs_arena_format(&arena, "cmark-gfm -e table -e strikethrough -e autolink -e tagfilter '%s'", path), "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        rcs_append(&html, block, got);
    }
    RCS_EQUAL(pclose(file), 0);
    rcs_append_text(&html, "");
    return html.data;
}

/*
 * `begin` to `end` of HTML as the characters that are seen. A tag is told of, so that it can't be taken for text; but for
 * that of an address that becomes a link by itself, which is shown as it was written.
 */
static const char *seen_text(const char *begin, const char *end)
{
    static const char *const entities[][2] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
    struct rcs_string text = {.arena = &arena};

    while (begin < end) {
        const char *with = NULL;
        size_t size = 1;

        for (size_t i = 0; i < RCS_COUNT(entities); i++) {
            if (strncmp(begin, entities[i][0], strlen(entities[i][0])) == 0) {
                size = strlen(entities[i][0]);
                with = entities[i][1];
            }
        }
        if (strncmp(begin, "<a href=", 8) == 0 || strncmp(begin, "</a>", 4) == 0) {
            size = strcspn(begin, ">") + 1;
            with = "";
        } else if (*begin == '<') {
            with = "<tag>";
        }
        rcs_append(&text, with == NULL ? begin : with, with == NULL ? 1 : strlen(with));
        begin += size;
    }
    rcs_append_text(&text, "");
    return text.data;
}

/* What a line of cells says: backslashes before punctuation are gone. */
static const char *meant_text(const struct rcs_document *document, const struct rcs_cell *cell)
{
    char *text = rcs_cell_copy(document, cell);
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        from += *from == '\\' && rcs_is_punctuation((unsigned char)from[1]);
        *to++ = *from;
    }
    *to = '\0';
    return text;
}

/* All of a rendered page's tables: "[" a table, "(" a row, each cell in lines of its own. */
static const char *rendered_tables(const char *html)
{
    struct rcs_string out = {.arena = &arena};

    rcs_append_text(&out, "");
    while ((html = strchr(html, '<')) != NULL) {
        if (strncmp(html, "<table>", 7) == 0) {
            rcs_append_text(&out, "[\n");
        } else if (strncmp(html, "<tr>", 4) == 0) {
            rcs_append_text(&out, "(\n");
        } else if (strncmp(html, "<td", 3) == 0 || strncmp(html, "<th>", 4) == 0 || strncmp(html, "<th ", 4) == 0) {
            const char *begin = strchr(html, '>') + 1;
            const char *end = strstr(begin, html[2] == 'd' ? "</td>" : "</th>");

            CU_ASSERT_PTR_NOT_NULL_FATAL(end);
            rcs_append_text(&out, seen_text(begin, end));
            rcs_append_text(&out, "\n");
        }
        html++;
    }
    return out.data;
}

static void append_row(struct rcs_string *out, const struct rcs_document *document, const struct rcs_table_row *row,
                       struct tally *tally)
{
    rcs_append_text(out, "(\n");
    for (size_t c = 0; c < row->cell_count; c++) {
        rcs_append_text(out, meant_text(document, &row->cells[c]));
        rcs_append_text(out, "\n");
        tally->cells++;
    }
}

static const char *read_tables(const struct rcs_document *document, struct tally *tally)
{
    struct rcs_string out = {.arena = &arena};

    rcs_append_text(&out, "");
    for (size_t t = 0; t < document->table_count; t++) {
        rcs_append_text(&out, "[\n");
        append_row(&out, document, &document->tables[t].header, tally);
        for (size_t r = 0; r < document->tables[t].row_count; r++) {
            append_row(&out, document, &document->tables[t].rows[r], tally);
        }
    }
    return out.data;
}

static void hold_against(const char *text, struct tally *tally)
{
    struct rcs_findings findings = {.arena = &arena};
    struct rcs_document document;

    rcs_document_read(&arena, text, strlen(text), &findings, &document);
    if (findings.count > 0) {
        tally->refused++;
        return;
    }
    RCS_TEXT_EQUAL(read_tables(&document, tally), rendered_tables(render(text)));
    tally->same++;
}

/* ---- the policies ---- */

static void test_policies(void)
{
    static const char *const paths[] = {"spec/default.policy.md", "spec/lightspeed.policy.md", "spec/pageindex.policy.md",
                                        RCS_PLAIN, RCS_RICH};
    struct tally tally = {0, 0, 0};

    if (!rcs_unit_needs("cmark-gfm")) {
        return;
    }
    scratch = rcs_scratch(&arena);
    for (size_t i = 0; i < RCS_COUNT(paths); i++) {
        hold_against(rcs_policy_text(&arena, paths[i]), &tally);
    }
    hold_against(sample_policy(&arena), &tally);
    RCS_EQUAL(tally.same, 6);
    CU_ASSERT(tally.cells > 2000);
    rcs_scratch_remove(&arena, scratch);
    rcs_arena_clear(&arena);
}

/* ---- made to differ ---- */

static const char *const pieces[] = {
    "a", "x", " ", "  ", "|", "\\|", "\\\\|", "\\\\\\|", "`", "``", "\\`", "\\", "\\\\", "\"", "\\\"", "*", "\\*", "**", "_", "a_b",
    "__", "~", "~~", "\\~", "<", ">", "\\<", "<b>", "&", "&amp;", "&#42;", "\\&", "[", "]", "(", ")", "[l](u)", "![i](u)",
    "[^1]", "https://example.org", "www.example.org", "me@example.org", "http://", "$", "$$", ":", ":x:", "#", "# ", "- ", "+ ",
    "1. ", "> ", "---", "===", ",", ".", "!", "\"a|b\"", "\"a\\|b\"", "\xc3\xa4", "\xe2\x80\x8b", "\t", "{reason}", "\\n", "\\.",
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Some pieces in a row. */
static const char *make_cell(uint32_t *state)
{
    const char *cell = "";

    for (uint32_t left = 1 + next_random(state) % 4; left > 0; left--) {
        cell = rcs_arena_format(&arena, "%s%s", cell, pieces[next_random(state) % RCS_COUNT(pieces)]);
    }
    return next_random(state) % 3 == 0 ? rcs_arena_format(&arena, "\"%s\"", cell) : cell;
}

static const char *make_document(uint32_t *state)
{
    static const char *const blanks[] = {"\n", "\n", "\n", " \n", ""};
    static const char *const ends[] = {"|\n", "|\n", "|\n", "|  \n", "\n"};
    const char *cell = make_cell(state);
    bool prose = next_random(state) % 3 == 0;

    return rcs_arena_format(&arena, "# t\n\n%s\n%s| a | b |\n|---|---|\n| %s | y %s| p | q |\n%smore\n",
                            prose ? make_cell(state) : "words", blanks[next_random(state) % 5], prose ? "x" : cell,
                            ends[next_random(state) % 5], blanks[next_random(state) % 5]);
}

/* Each piece alone in a cell, inside of quotes and out, and then by chance. */
static void test_made_to_differ(void)
{
    struct tally tally = {0, 0, 0};
    uint32_t state = 7;

    if (!rcs_unit_needs("cmark-gfm")) {
        return;
    }
    for (size_t i = 0; i < 2 * RCS_COUNT(pieces) + 500; i++) {
        const char *quote = i % 2 == 0 ? "\"" : "";

        scratch = rcs_scratch(&arena);
        hold_against(i < 2 * RCS_COUNT(pieces)
                         ? rcs_arena_format(&arena, "p\n\n| a | b |\n|---|---|\n| %sv%sw%s | z |  \n\nq\n", quote, pieces[i / 2],
                                            quote)
                         : make_document(&state),
                     &tally);
        rcs_scratch_remove(&arena, scratch);
        rcs_arena_clear(&arena);
    }
    printf("  %u rendered as they are read, %u refused by the reader\n", tally.same, tally.refused);
    CU_ASSERT(tally.same > 50);
    CU_ASSERT(tally.refused > 100);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"policies", test_policies},
        {"cells and prose made to differ", test_made_to_differ},
    };

    return rcs_unit_main("rendered", tests, RCS_COUNT(tests));
}
