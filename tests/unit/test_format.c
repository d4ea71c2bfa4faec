#include "tests/unit/unit.h"

#include "gen/document.h"
#include "gen/spec.h"
#include "tests/unit/sample_policy.h"

static struct rcs_arena arena;
static struct rcs_findings findings;

static void reset(void)
{
    rcs_arena_clear(&arena);
    findings = (struct rcs_findings){.arena = &arena};
}

static char *format(const char *text)
{
    return rcs_spec_format(&arena, "x.policy.md", text, strlen(text), &findings);
}

static void test_canonical(void)
{
    static const struct {
        const char *text;
        const char *canonical;
    } files[] = {
        {"", ""},
        {"\n", "\n"},
        {"  \n\n", "  \n\n"},
        {"prose  \n\n\n\nmore\n\n\n", "prose  \n\n\n\nmore\n\n\n"},
        {"|a|\n|-|\n|1|\n", "| a |\n|---|\n| 1 |\n"},
        {"\n \n|a|\n|-|\n|1|\n\n\n", "| a |\n|---|\n| 1 |\n"},
        {"# x\n\n\n|  a|b  |\n| ----- | - |  \n|1 |   x  y|  \n\n\n\n## y\n",
         "# x\n\n| a | b |\n|---|---|\n| 1 | x y |\n\n## y\n"},
        {"x  \n  \n|a|\n|-|\n|1|\n  \n   indented\n\nx\n", "x  \n\n| a |\n|---|\n| 1 |\n\n   indented\n\nx\n"},
        {"|a|\n|-|\n|1|\n\n|b|\n|-|\n|2|\n", "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n"},
        {"|a|\n|-|\n|1|\n\n \n\n|b|\n|-|\n|2|\n\ny\n\n\n", "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n\ny\n\n\n"},
        {"\n\nfirst\n\n|a|\n|-|\n|1|\n", "\n\nfirst\n\n| a |\n|---|\n| 1 |\n"},
        {"|when|\n|-|\n|http 429,text  \"a,  b\" ,word \"\\|\"and  spawn|\n",
         "| when |\n|---|\n| http 429, text \"a,  b\", word \"\\|\"and spawn |\n"},
        {"|events|meaning|why|\n|-|-|-|\n|a:safe@5s!time ,b|1,000  \"x  y\" ,z|-1,2|\n",
         "| events | meaning | why |\n|---|---|---|\n| a:safe@5s!time, b | 1,000 \"x y\" ,z | -1,2 |\n"},
        {"|tool|\n|-|\n|a.b-c_*|\n", "| tool |\n|---|\n| a.b-c_* |\n"},
        {"|x|\n|-|\n|\"open  ,|\n", "| x |\n|---|\n| \"open  , |\n"},
    };

    for (size_t i = 0; i < RCS_COUNT(files); i++) {
        char *once;

        reset();
        once = format(files[i].text);
        RCS_TEXT_EQUAL(once, files[i].canonical);
        if (once != NULL) {
            RCS_TEXT_EQUAL(format(once), once);
        }
        RCS_EQUAL(findings.count, 0);
    }
}

static void test_refused(void)
{
    reset();
    CU_ASSERT_PTR_NULL(format("|a|b|\n|---|---|\n|1|\n"));
    RCS_EQUAL(findings.count, 1);
    RCS_TEXT_EQUAL(findings.items[0].code, "ragged");
    CU_ASSERT_PTR_NULL(format("x"));
    RCS_TEXT_EQUAL(findings.items[1].code, "final-newline");
    RCS_TEXT_EQUAL(format("x\n"), "x\n"); /* findings of another file do not count */
}

/* The sample, spread out with blanks wherever they mean nothing. */
static char *spread(const char *text, unsigned seed)
{
    char *copy = rcs_arena_alloc(&arena, strlen(text) * 8 + 1);
    bool quoted = false;
    bool row = false;
    bool delimiter = false;
    size_t length = 0;

    for (const char *at = text; *at != '\0'; at++) {
        if (at == text || at[-1] == '\n') {
            row = *at == '|';
            delimiter = strncmp(at, "|---", 4) == 0;
            quoted = false;
        }
        copy[length++] = *at;
        quoted = quoted != (*at == '"' && at[-1] != '\\');
        seed = seed * 1103515245u + 12345u;
        for (unsigned i = seed >> 16 & 3; row && !quoted && i > 0 && at[-1] != '\\' && strchr("| ", *at) != NULL; i--) {
            copy[length++] = ' ';
        }
        if (delimiter && *at == '-' && (seed >> 20 & 1) != 0) {
            copy[length++] = '-';
        }
        if (*at == '\n' && at[1] == '\n' && (row || at[2] == '|')) {
            copy[length++] = '\n';
        }
    }
    return copy;
}

static void test_sample(void)
{
    const char *text;
    struct rcs_spec *spec;

    reset();
    text = sample_policy(&arena);
    RCS_TEXT_EQUAL(format(text), text);
    spec = rcs_spec_read(&arena, SAMPLE_PATH, text, strlen(text), &findings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(spec);
    for (unsigned seed = 1; seed <= 20; seed++) {
        const char *wide = spread(text, seed);
        struct rcs_spec *other = rcs_spec_read(&arena, SAMPLE_PATH, wide, strlen(wide), &findings);

        CU_ASSERT_TRUE(strlen(wide) > strlen(text));
        CU_ASSERT_PTR_NOT_NULL_FATAL(other);
        RCS_EQUAL(memcmp(other->behaviour_sha256, spec->behaviour_sha256, 32), 0);
        CU_ASSERT_TRUE(memcmp(other->file_sha256, spec->file_sha256, 32) != 0);
        CU_ASSERT_TRUE(strcmp(format(wide), text) == 0);
    }
    RCS_EQUAL(findings.count, 0);
}

/* One cell changed in place, by its range of bytes: what a tool that changes policies does. */
static void test_changed_cell(void)
{
    struct rcs_document document;
    const struct rcs_cell *cell;
    const char *text;
    const char *changed;

    reset();
    text = sample_policy(&arena);
    rcs_document_read(&arena, text, strlen(text), &findings, &document);
    cell = &document.tables[0].rows[1].cells[1];
    RCS_TEXT_EQUAL(rcs_cell_copy(&document, cell), "3");
    changed = rcs_arena_format(&arena, "%.*s%s%s", (int)cell->begin, document.text, "4", document.text + cell->end);
    RCS_EQUAL(rcs_spec_read(&arena, SAMPLE_PATH, changed, strlen(changed), &findings)->settings.tries, 4);
    RCS_TEXT_EQUAL(rcs_row_canonical(&arena, &document, &document.tables[0], &document.tables[0].rows[1], NULL),
                   "| tries | 3 |");
    RCS_TEXT_EQUAL(rcs_row_canonical(&arena, &document, &document.tables[0], &document.tables[0].rows[1],
                                     (const bool[]){true, false}),
                   "| 3 |");
}

/* All lines that are neither blank nor of a table, byte for byte. */
static const char *prose_of(const char *text)
{
    struct rcs_string prose = {.arena = &arena};

    rcs_append_text(&prose, "");
    while (*text != '\0') {
        size_t size = strcspn(text, "\n") + 1;

        if (*text != '|' && strspn(text, " ") + 1 < size) {
            rcs_append(&prose, text, size);
        }
        text += size;
    }
    return prose.data;
}

/* Prose and tables by chance: prose comes out as it went in, and what came out comes out again. */
static void test_prose_stays(void)
{
    static const char *const lines[] = {
        "words\n", "two  blanks,and ,commas  \n", "   indented\n", "- a list\n", "1. first\n", "**bold** and `code  x`\n", "\n",
        "  \n", "\n\n", "# one\n", "## two\n", "a [link](https://example.org)\n", "5 < 6 \\| 7\n", "\xc3\xa4\xe2\x82\xac\n",
    };
    static const char *const tables[] = {"\n|a|  b|\n|-|---|\n|1 ,2|\"x  y\"|\n\n", "\n| meaning |\n|---|\n| a,b |\n \n\n"};
    uint32_t state = 3;
    unsigned good = 0;

    for (unsigned round = 0; round < 2000; round++) {
        struct rcs_string text = {.arena = &arena};
        const char *once;

        reset();
        for (unsigned i = 0; i < 12; i++) {
            state = state * 1664525u + 1013904223u;
            rcs_append_text(&text, (state >> 8) % 5 == 0 ? tables[(state >> 16) % RCS_COUNT(tables)]
                                                         : lines[(state >> 16) % RCS_COUNT(lines)]);
        }
        once = format(text.data);
        if (once == NULL) {
            continue; /* such as a second heading of the first level */
        }
        good++;
        RCS_TEXT_EQUAL(prose_of(once), prose_of(text.data));
        RCS_TEXT_EQUAL(format(once), once);
    }
    CU_ASSERT(good > 200);
}

static void test_buffer(void)
{
    struct rcs_string buffer = {.arena = &arena};

    reset();
    rcs_append(&buffer, "", 0);
    CU_ASSERT_PTR_NULL(buffer.data);
    for (int i = 0; i < 100; i++) {
        rcs_append_text(&buffer, "ab");
    }
    rcs_append(&buffer, "xyz", 1);
    RCS_EQUAL(buffer.size, 201);
    RCS_EQUAL(strlen(buffer.data), 201);
    RCS_TEXT_EQUAL(buffer.data + 196, "ababx");
}

static const struct rcs_test tests[] = {
    {"canonical", test_canonical},       {"refused", test_refused}, {"sample", test_sample},
    {"changed cell", test_changed_cell}, {"buffer", test_buffer},
    {"prose stays", test_prose_stays},
};

int main(void)
{
    int status = rcs_unit_main("format", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
