#include "tests/unit/unit.h"

#include <setjmp.h>

#include "gen/document.h"
#include "gen/grammar.h"

static struct rcs_arena arena;
static struct rcs_findings findings;
static struct rcs_document document;

static void read_bytes(const char *text, size_t size)
{
    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
    rcs_document_read(&arena, text, size, &findings, &document);
}

/* "code line:column, ..." of all findings, sorted. */
static const char *findings_text(void)
{
    const char *text = "";

    rcs_findings_sort(&findings);
    for (size_t i = 0; i < findings.count; i++) {
        const struct rcs_finding *finding = &findings.items[i];

        RCS_EQUAL(finding->severity, RCS_ERROR);
        text = rcs_arena_format(&arena, "%s%s%s %u:%u", text, i == 0 ? "" : ", ", finding->code, finding->place.line,
                                finding->place.column);
    }
    return text;
}

static void test_structure(void)
{
    const char *text = "# one\n"
                       "\n"
                       "prose\n"
                       "\n"
                       "## two\n"
                       "  \n"
                       "| a | b c |\n"
                       "|---| - |\n"
                       "|  x \\| y|-|  \n"
                       "| \"\\|\" | z |\n"
                       "\n"
                       "### three\n"
                       "## four\n"
                       "\n"
                       "|z|\n"
                       "|-|\n"
                       "|1|\n";
    static const struct {
        unsigned level;
        const char *title;
        unsigned line;
        size_t parent;
    } headings[] = {{1, "one", 1, RCS_NO_HEADING}, {2, "two", 5, 0}, {3, "three", 12, 1}, {2, "four", 13, 0}};
    const struct rcs_table *table;
    const struct rcs_cell *cell;

    read_bytes(text, strlen(text));
    RCS_TEXT_EQUAL(findings_text(), "");
    RCS_EQUAL(document.heading_count, RCS_COUNT(headings));
    for (size_t i = 0; i < RCS_COUNT(headings); i++) {
        RCS_EQUAL(document.headings[i].level, headings[i].level);
        RCS_TEXT_EQUAL(document.headings[i].title, headings[i].title);
        RCS_EQUAL(document.headings[i].place.line, headings[i].line);
        RCS_EQUAL(document.headings[i].parent, headings[i].parent);
    }
    RCS_EQUAL(document.table_count, 2);
    table = &document.tables[0];
    RCS_EQUAL(table->heading, 1);
    RCS_EQUAL(table->begin, strstr(text, "| a |") - text);
    RCS_EQUAL(table->end, strstr(text, "\n### three") - text);
    RCS_EQUAL(table->header.cell_count, 2);
    RCS_TEXT_EQUAL(rcs_cell_copy(&document, &table->header.cells[1]), "b c");
    RCS_EQUAL(table->row_count, 2);
    cell = &table->rows[0].cells[0];
    RCS_EQUAL(cell->begin, strstr(text, "x \\|") - text);
    RCS_EQUAL(cell->end, cell->begin + 6);
    RCS_EQUAL(cell->place.line, 9);
    RCS_EQUAL(cell->place.column, 4);
    RCS_TEXT_EQUAL(rcs_cell_copy(&document, cell), "x \\| y");
    CU_ASSERT_TRUE(rcs_cell_is(&document, &table->rows[0].cells[1], "-"));
    CU_ASSERT_FALSE(rcs_cell_is(&document, &table->rows[0].cells[1], "--"));
    CU_ASSERT_FALSE(table->rows[0].bad);
    RCS_EQUAL(table->rows[1].place.line, 10);
    RCS_EQUAL(text[table->rows[1].end], '\n');
    RCS_EQUAL(document.tables[1].heading, 3);
    RCS_EQUAL(document.tables[1].end, strlen(text));
}

#define TABLE(row) "|a|b|\n|---|---|\n" row "\n"

/* What is expected stands in order of place. */
static const struct {
    const char *text;
    const char *findings;
} documents[] = {
    {"", ""},
    {"\n", ""},
    {"prose", "final-newline 1:6"},
    {"\xef\xbb\xbfprose\n", "bom 1:1"},
    {"one\r\ntwo\r\n", "line-end 1:4"},
    {"one\rtwo\n", "control 1:4"},
    {"a\tb\n", "control 1:2"},
    {"a \xc2\x85\n", "control 1:3"},
    {"ok \xff\n", "utf8 1:4"},
    {"\xc3\n", "utf8 1:1"},
    {"\xc0\x80\n", "utf8 1:1"},
    {"\xe0\x80\x80\n", "utf8 1:1"},
    {"\xed\xa0\x80\n", "utf8 1:1"},
    {"\xf4\x90\x80\x80\n", "utf8 1:1"},
    {"\xf0\x8f\xbf\xbf\n", "utf8 1:1"},
    {"\xf4\x8f\xbf\xbf \xee\x80\x80 \xdf\xbf\n", ""},
    {"turn \xe2\x80\xae now\n", "invisible 1:6"},
    {"warning \xe2\x9a\xa0\xef\xb8\x8f sign\n", ""},
    /* headings */
    {"#one\n", "heading 1:1"},
    {"#  one\n", "heading 1:1"},
    {"#\n", "heading 1:1"},
    {"# \n", "heading 1:1"},
    {"####### seven\n", "heading 1:1"},
    {"# one \n", "heading 1:6"},
    {"# one #\n", "heading 1:7"},
    {" # one\n", "heading 1:2"},
    {"- # one\n", "heading 1:3"},
    {"> ## one\n", "heading 1:3"},
    {"12. # one\n", "heading 1:5"},
    {"- 1) > # one\n", "heading 1:8"},
    {" #tag\n", ""},
    {"one\n---\n", "heading 2:1"},
    {"one\n===  \n", "heading 2:1"},
    {"one\n  -\n", "heading 2:3"},
    {"> one\n> ---\n", "heading 2:3"},
    {"- - -\n", "heading 1:5"},
    {"***\n\n+ a\n* b\n- c\n", ""},
    {"# a <b>\n", "html 1:5"},
    /* prose */
    {"a <!-- hidden -->\n", "html 1:3"},
    {"<b>\n", "html 1:1"},
    {"</b>\n", "html 1:1"},
    {"<?x\n", "html 1:1"},
    {"see <https://example.org>\n", "html 1:5"},
    {"1 < 2 and a <\n", ""},
    {"\\<b> \\&amp; \\\\\n", ""},
    {"a &amp; b\n", "entity 1:3"},
    {"a &#124; b\n", "entity 1:3"},
    {"a & b; &; &# &x\n", ""},
    {"```\n", "code-fence 1:1"},
    {"- ~~~ c\n", "code-fence 1:3"},
    {"[hidden]: /url\n", "link-definition 1:8"},
    {"[^1]: note\n", "link-definition 1:4"},
    {"see [this](x): good\n", ""},
    {"a | b\n", "bar 1:3"},
    {"a \\| b\n", "bar 1:4"},
    {" | a |\n", "bar 1:2"},
    {"> | a |\n", "bar 1:3"},
    {"# a | b\n", "bar 1:5"},
    /* tables */
    {TABLE("|1|2|"), ""},
    {"x\n" TABLE("|1|2|"), "blank-line 2:1"},
    {"# x\n" TABLE("|1|2|"), "blank-line 2:1"},
    {TABLE("|1|2|") "x\n", "blank-line 4:1"},
    {TABLE("|1|2|") "## x\n", "blank-line 4:1"},
    {TABLE("|1|2|") "1|2\n", "blank-line 4:1, bar 4:2"},
    {TABLE("|1|2|") " |1|2|\n", "blank-line 4:1, bar 4:2"},
    {TABLE("|1|2"), "row-end 3:5"},
    {"|a|b\n|---|---|\n|1|2|\n", "row-end 1:5"},
    {"|a|b|\n|---|---\n|1|2|\n", "row-end 2:9"},
    {TABLE("|1|2|3|"), "ragged 3:1"},
    {TABLE("|1|"), "ragged 3:1"},
    {TABLE("|"), "ragged 3:1"},
    {TABLE("|\"a|b\"|2|"), "ragged 3:1"},
    {TABLE("|1||"), "empty-cell 3:4"},
    {TABLE("|  |2|"), "empty-cell 3:4"},
    {"||b|\n|---|---|\n|1|2|\n", "empty-cell 1:2"},
    {TABLE("|a\\\\|2|"), "bar 3:5"},
    {TABLE("|a\\\\\\|b|2|"), "bar 3:6"},
    {TABLE("|a\\\\ |2|"), ""},
    {"|a|b|\n", "delimiter 1:1"},
    {"|a|b|\n|1|2|\n", "delimiter 2:1"},
    {"|a|b|\n|---|\n|1|2|\n", "delimiter 2:1"},
    {"|a|b|\n|---|---|---|\n|1|2|\n", "delimiter 2:1"},
    {"|a|b|\n|:---|---|\n|1|2|\n", "delimiter 2:2"},
    {"|a|b|\n|---| |\n|1|2|\n", "delimiter 2:6"},
    {"|a|b|\n|---|- -|\n|1|2|\n", "delimiter 2:6"},
    {"|a|b|\n|---|---|\n", "no-rows 1:1"},
    {"|a|b|\n\n|---|---|\n", "delimiter 1:1, delimiter 3:1"},
    {"|a|b|\n| - | --- |  \n| 1 |2|   \n", ""},
    /* cells */
    {TABLE("|\xc3\xbc|2|"), "characters 3:2"},
    {TABLE("|\"\xc3\xbc\"|2|"), ""},
    {TABLE("|\"a\" \xd0\xb0|2|"), "characters 3:6"},
    {TABLE("|\"a\\\" \xc3\xbc\"|2|"), ""},
    {TABLE("|\"\xc2\xa0\"|2|"), "invisible 3:3"},
    {TABLE("|\"\xe2\x80\x8b\"|2|"), "invisible 3:3"},
    {TABLE("|\"\xff\"|2|"), "utf8 3:3"},
    {TABLE("|\"https://example.org/a\\|b\"|2|"), ""},
    {TABLE("|\"https://example.org\\\"\"|2|"), "markup 3:22"},
    {TABLE("|\"www.example.org \\\"\"|2|"), ""},
    {TABLE("|\"WWW.example.org\\!\"|2|"), "markup 3:18"},
    {TABLE("|\"\t\"|2|"), "control 3:3"},
    {TABLE("|\"<b>\"|2|"), "html 3:3"},
    {TABLE("|\"&lt;\"|2|"), "entity 3:3"},
    {TABLE("|`1`|2|"), "markup 3:2"},
    {TABLE("|[a](b)|2|"), "markup 3:4"},
    {TABLE("|[a][b]|2|"), "markup 3:4"},
    {TABLE("|[1, 2]|2|"), ""},
    {TABLE("|*a*|2|"), "markup 3:2"},
    {TABLE("|a*|2|"), ""},
    {TABLE("|\"a*\", \"b*\"|2|"), ""},
    {TABLE("|\"a_*\", \"b_*\"|2|"), "markup 3:5"},
    {TABLE("|a * b * c|2|"), ""},
    {TABLE("|\\*a\\*|2|"), ""},
    {TABLE("|_a_|2|"), "markup 3:2"},
    {TABLE("|a_b_c|2|"), ""},
    {TABLE("|__init__|2|"), "markup 3:2"},
    {TABLE("|\"\xc3\xbc_a_\xc3\xbc\"|2|"), "markup 3:5"},
    {TABLE("|~a~|2|"), "markup 3:2"},
    {TABLE("|a~1b|2|"), ""},
    {TABLE("|$1 $2|2|"), "markup 3:2"},
    {TABLE("|$$|2|"), "markup 3:2"},
    {TABLE("|$1|2|"), ""},
    {TABLE("|a :smile: b|2|"), "markup 3:4"},
    {TABLE("|a:safe, b:safe|2|"), ""},
};

static void test_documents(void)
{
    for (size_t i = 0; i < RCS_COUNT(documents); i++) {
        const char *found;

        read_bytes(documents[i].text, strlen(documents[i].text));
        found = findings_text();
        if (strcmp(found, documents[i].findings) != 0) {
            printf("document %zu: %s\n", i, documents[i].text);
        }
        RCS_TEXT_EQUAL(found, documents[i].findings);
    }
}

static void test_nul(void)
{
    read_bytes("a\0b\n", 4);
    RCS_TEXT_EQUAL(findings_text(), "not-text 1:2");
    read_bytes("|a|\0|\n|-|-|\n|1|2|\n", 18);
    RCS_TEXT_EQUAL(findings_text(), "not-text 1:4");
    read_bytes("#x\n#y\n\0#\n", 9); /* and of the lines before it nothing */
    RCS_TEXT_EQUAL(findings_text(), "not-text 3:1");
}

static const char *repeated(const char *head, const char *piece, size_t count, const char *tail)
{
    static struct rcs_arena texts;
    struct rcs_string buffer = {.arena = &texts};

    rcs_arena_clear(&texts);
    if (head == NULL) {
        return NULL;
    }
    rcs_append_text(&buffer, head);
    for (size_t i = 0; i < count; i++) {
        rcs_append_text(&buffer, piece);
    }
    rcs_append_text(&buffer, tail);
    return buffer.data;
}

static void test_limits(void)
{
    const char *text = repeated("|a|\n|---|\n", "|1|\n", RCS_ROWS_MAX, "");

    read_bytes(text, strlen(text));
    RCS_TEXT_EQUAL(findings_text(), "");
    RCS_EQUAL(document.tables[0].row_count, RCS_ROWS_MAX);
    text = repeated("|a|\n|---|\n", "|1|\n", RCS_ROWS_MAX + 5, "");
    read_bytes(text, strlen(text));
    RCS_TEXT_EQUAL(findings_text(), "too-many 1003:1");
    text = repeated("|a|\n|---|\n|", "x", RCS_CELL_MAX, "|\n");
    read_bytes(text, strlen(text));
    RCS_TEXT_EQUAL(findings_text(), "");
    text = repeated("|a|\n|---|\n|", "x", RCS_CELL_MAX + 1, "|\n");
    read_bytes(text, strlen(text));
    RCS_TEXT_EQUAL(findings_text(), "too-long 3:2");
    text = repeated("|a|\n|---|\n|", "1|", RCS_COLUMNS_MAX + 3, "\n");
    read_bytes(text, strlen(text));
    RCS_TEXT_EQUAL(findings_text(), "too-many 3:130");
    text = repeated("", "#x\n", RCS_COMPLAINTS_MAX + 3, "");
    read_bytes(text, strlen(text));
    RCS_EQUAL(findings.count, RCS_COMPLAINTS_MAX + 1);
    RCS_TEXT_EQUAL(findings.items[RCS_COMPLAINTS_MAX].code, "too-many");
    RCS_EQUAL(findings.items[RCS_COMPLAINTS_MAX].place.line, RCS_COMPLAINTS_MAX);
    repeated(NULL, "", 0, "");
}

static void test_tokens(void)
{
    static const struct {
        const char *text;
        const char *tokens; /* kind and text of each */
    } cells[] = {
        {"", ""},
        {"   ", ""},
        {"http 500-599", "1<http> 3<500> 12<-> 3<599>"},
        {"200ms 1.5s 2m 1h 3d", "5<200ms> 5<1.5s> 5<2m> 5<1h> 1<3d>"},
        {"5sx s5 x2 x1.5 x2y x", "1<5sx> 1<s5> 7<x2> 7<x1.5> 1<x2y> 1<x>"},
        {"25% 1.5 1. 3a 3", "6<25%> 4<1.5> 3<1> 14<.> 1<3a> 3<3>"},
        {"a:safe@5s!time,b", "1<a> 9<:> 1<safe> 10<@> 5<5s> 11<!> 1<time> 8<,> 1<b>"},
        {"\"a\\\"b\" \"\\\\\"", "2<\"a\\\"b\"> 2<\"\\\\\">"},
        {"x \"open \\\" end", "1<x> 13<\"open \\\" end>"},
        {"\"a\\", "13<\"a\\>"},
        {"\xc3\xbc\xe2\x82\xac (", "14<\xc3\xbc\xe2\x82\xac> 14<(>"},
    };

    rcs_arena_clear(&arena);
    for (size_t i = 0; i < RCS_COUNT(cells); i++) {
        struct rcs_token *tokens;
        size_t count = rcs_tokens(&arena, cells[i].text, strlen(cells[i].text), &tokens);
        const char *text = "";

        for (size_t j = 0; j < count; j++) {
            text = rcs_arena_format(&arena, "%s%s%u<%.*s>", text, j == 0 ? "" : " ", tokens[j].kind,
                                    (int)(tokens[j].end - tokens[j].begin), cells[i].text + tokens[j].begin);
        }
        RCS_TEXT_EQUAL(text, cells[i].tokens);
        RCS_EQUAL(tokens[count].kind, RCS_TOKEN_END);
        RCS_EQUAL(tokens[count].begin, strlen(cells[i].text));
    }
}

static void test_bars(void)
{
    struct rcs_bars bars;

    rcs_arena_clear(&arena);
    rcs_row_bars(&arena, "|a\\|b|\\x|", 9, &bars);
    RCS_EQUAL(bars.count, 3);
    RCS_EQUAL(bars.at[0], 0);
    RCS_EQUAL(bars.at[1], 5);
    RCS_EQUAL(bars.at[2], 8);
    CU_ASSERT_FALSE(bars.has_doubtful);
    rcs_row_bars(&arena, "|\\\\|\\\\\\|", 8, &bars);
    RCS_EQUAL(bars.count, 1);
    CU_ASSERT_TRUE(bars.has_doubtful);
    RCS_EQUAL(bars.doubtful, 3);
}

static void test_printable(void)
{
    rcs_arena_clear(&arena);
    RCS_TEXT_EQUAL(rcs_printable(&arena, "a\x01\xff~ ", 5), "a??~ ");
    RCS_TEXT_EQUAL(rcs_printable(&arena, "a\0b", 3), "a?b");
    RCS_TEXT_EQUAL(rcs_printable(&arena, "1234567890123456789012345678901234567890", 40),
                   "1234567890123456789012345678901234567890");
    RCS_TEXT_EQUAL(rcs_printable(&arena, "12345678901234567890123456789012345678901", 41),
                   "1234567890123456789012345678901234567890...");
}

static jmp_buf panicked;

void rcs_arena_panic(size_t size)
{
    CU_ASSERT_TRUE(size > 0);
    longjmp(panicked, 1);
}

static void test_arena(void)
{
    uint64_t *numbers = NULL;
    size_t count = 0;
    char *large;

    rcs_arena_clear(&arena);
    RCS_EQUAL(arena.used, 0);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t *number = rcs_arena_push(&arena, &numbers, &count, sizeof *numbers);

        RCS_EQUAL(*number, 0);
        *number = i;
    }
    RCS_EQUAL(count, 1000);
    RCS_EQUAL(numbers[0], 0);
    RCS_EQUAL(numbers[511], 511);
    RCS_EQUAL(numbers[999], 999);
    large = rcs_arena_alloc(&arena, 1 << 20);
    RCS_EQUAL(large[0] + large[(1 << 20) - 1], 0);
    CU_ASSERT_TRUE((uintptr_t)rcs_arena_alloc(&arena, 0) % _Alignof(max_align_t) == 0);
    RCS_TEXT_EQUAL(rcs_arena_copy(&arena, "abc", 2), "ab");
    RCS_TEXT_EQUAL(rcs_arena_copy(&arena, NULL, 0), "");
    RCS_TEXT_EQUAL(rcs_arena_format(&arena, "%s-%d", "x", 7), "x-7");
    if (setjmp(panicked) == 0) {
        rcs_arena_alloc(&arena, RCS_ARENA_MAX);
        CU_FAIL("past the bound");
    }
    if (setjmp(panicked) == 0) {
        rcs_arena_alloc(&arena, SIZE_MAX);
        CU_FAIL("past the bound");
    }
    if (setjmp(panicked) == 0) {
        rcs_arena_push(&arena, &(void *){NULL}, &(size_t){0}, RCS_ARENA_MAX + 1);
        CU_FAIL("past the bound");
    }
    rcs_arena_clear(&arena);
    CU_ASSERT_PTR_NULL(arena.last);
}

static void test_findings(void)
{
    static const struct rcs_place places[] = {{3, 1}, {1, 9}, {1, 2}, {3, 1}, {0, 0}};
    static const char *const order[] = {"4", "2", "1", "0", "3"};

    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
    rcs_findings_sort(&findings);
    for (size_t i = 0; i < RCS_COUNT(places); i++) {
        rcs_find(&findings, (enum rcs_severity)(i % 3), "code", places[i], i == 0 ? "A1, A2" : NULL,
                 i == 1 ? "a, b" : NULL, "%zu", i);
    }
    rcs_findings_sort(&findings);
    for (size_t i = 0; i < RCS_COUNT(order); i++) {
        RCS_TEXT_EQUAL(findings.items[i].text, order[i]);
    }
    RCS_TEXT_EQUAL(findings.items[3].rows, "A1, A2");
    RCS_TEXT_EQUAL(findings.items[0].rows, "");
    RCS_TEXT_EQUAL(findings.items[2].witness, "a, b");
    CU_ASSERT_PTR_NULL(findings.items[0].witness);
    RCS_EQUAL(findings.by_severity[RCS_NOTICE], 2);
    RCS_EQUAL(findings.by_severity[RCS_WARNING], 2);
    RCS_EQUAL(findings.by_severity[RCS_ERROR], 1);
    RCS_TEXT_EQUAL(rcs_severity_name(RCS_NOTICE), "notice");
    RCS_TEXT_EQUAL(rcs_severity_name(RCS_WARNING), "warning");
    RCS_TEXT_EQUAL(rcs_severity_name(RCS_ERROR), "error");
    RCS_TEXT_EQUAL(rcs_severity_name(RCS_SEVERITY_COUNT), "?");
}

static const struct rcs_test tests[] = {
    {"structure", test_structure}, {"documents", test_documents}, {"NUL", test_nul},
    {"limits", test_limits},       {"tokens", test_tokens},       {"bars", test_bars},
    {"printable", test_printable}, {"arena", test_arena},         {"findings", test_findings},
};

int main(void)
{
    int status = rcs_unit_main("document", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
