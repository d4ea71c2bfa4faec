/*
 * If Ragel made another machine than the chart says, would it be noticed? The chart itself is damaged here instead: a row
 * twice, a row gone, another row, another target, another symbol. Ragel takes nearly all of that in silence; what it made
 * has to be told apart from the model each time.
 */
#include "tests/unit/policy_load.h"
#include "gen/chart_xml.h"
#include "gen/emit.h"
#include "gen/ragel.h"

#define ROWS 16u /* transitions by a row in the chart of `plain` */

static struct rcs_loaded_policy at;
static char *scratch;
static char *source;

struct tally {
    unsigned found;
    unsigned refused; /* by Ragel itself */
    unsigned missed; /* taken for the model's own machine */
};

static bool open_policy(const char *path)
{
    struct rcs_string text = {0};

    if (!rcs_load_policy(&at, path, NULL)) {
        return false;
    }
    scratch = rcs_scratch(&at.arena);
    text.arena = &at.arena;
    rcs_emit_source(&text, at.loaded.machine, at.policy, NULL);
    source = text.data;
    return true;
}

static void close_policy(void)
{
    rcs_scratch_remove(&at.arena, scratch);
    rcs_clear_policy(&at);
}

static void write_chart(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    CU_ASSERT_TRUE_FATAL(file != NULL);
    CU_ASSERT_TRUE(fputs(text, file) >= 0);
    CU_ASSERT_TRUE(fclose(file) == 0);
}

/* What becomes of a chart; all that is found must say so with the right code. */
static void judge(const char *text, struct tally *tally)
{
    struct rcs_arena arena = {0};
    struct rcs_findings findings = {.arena = &arena};
    const char *arguments[] = {"-C", "-x", "-o", rcs_arena_format(&arena, "%s/x.xml", scratch),
                               rcs_arena_format(&arena, "%s/x.rl", scratch), NULL};
    struct rcs_chart *chart = NULL;
    const char *why;
    size_t size;
    char *xml;

    write_chart(arguments[4], text);
    if (!rcs_ragel_run(&arena, arguments, &findings)) {
        RCS_TEXT_EQUAL(findings.items[0].code, "ragel");
        tally->refused++;
        rcs_arena_clear(&arena);
        return;
    }
    xml = rcs_file_read(&arena, arguments[3], &size, &why);
    CU_ASSERT_TRUE_FATAL(xml != NULL);
    chart = rcs_chart_read(&arena, xml, size, &findings);
    if (chart != NULL && rcs_chart_compare(&arena, chart, at.loaded.machine, &findings) != NULL) {
        tally->missed++;
    } else {
        tally->found++;
        CU_ASSERT_TRUE_FATAL(findings.count > 0);
        RCS_TEXT_EQUAL(findings.items[0].code, "ragel-differs");
    }
    rcs_arena_clear(&arena);
}

/* The chart with `size` bytes at `place` replaced. */
static void judge_with(const char *place, size_t size, const char *with, struct tally *tally)
{
    judge(rcs_arena_format(&at.arena, "%.*s%s%s", (int)(place - source), source, with, place + size), tally);
}

/* The next transition by a row, `(SYMBOLS) @row_N_ID -> TARGET`, behind `from`; NULL: there is none. `*end` is its end. */
static const char *next_row(const char *from, const char **end)
{
    const char *action = strstr(from, ") @row_");
    const char *begin = action;

    if (action == NULL) {
        return NULL;
    }
    while (*begin != '(') {
        begin--;
    }
    *end = action + strcspn(action, "\n");
    return begin;
}

static const char *chart_begin(void)
{
    const char *begin = strstr(source, "main := (");

    CU_ASSERT_TRUE_FATAL(begin != NULL);
    return begin;
}

static void for_each_row(void (*damage)(const char *row, const char *end, struct tally *tally), struct tally *tally)
{
    const char *end = NULL;

    for (const char *row = next_row(chart_begin(), &end); row != NULL; row = next_row(end, &end)) {
        damage(row, end, tally);
    }
}

/* A row's symbols once more, for another row, or for the same one with another target: Ragel would do both. */
static void double_row(const char *row, const char *end, struct tally *tally)
{
    const char *action = strstr(row, "@row_");
    bool first = strncmp(action, "@row_0_", 7) == 0;
    const char *other = rcs_row_action(&at.arena, at.loaded.spec, first ? 1 : 0);

    judge_with(end, 0, rcs_arena_format(&at.arena, "\n      | %.*s@%s -> start", (int)(action - row), row, other), tally);
    judge_with(end, 0, rcs_arena_format(&at.arena, "\n      | %.*s-> %s", (int)(action - row), row, first ? "start" : "S_1"),
               tally);
}

/* The very same line twice is the same machine, and no fault. */
static void repeat_row(const char *row, const char *end, struct tally *tally)
{
    judge_with(end, 0, rcs_arena_format(&at.arena, "\n      | %.*s", (int)(end - row), row), tally);
}

/* Gone, so that its symbols lead nowhere; and gone, and its symbols left to the transition that stays where it is. */
static void drop_row(const char *row, const char *end, struct tally *tally)
{
    const char *rest = strstr(end, "(any - (");
    const char *rest_end = rest == NULL ? NULL : strstr(rest, ")) -> ");
    size_t symbols = strcspn(row, "@");

    CU_ASSERT_TRUE_FATAL(rest_end != NULL);
    judge_with(row, (size_t)(end - row), "(any - any) -> start", tally);
    judge(rcs_arena_format(&at.arena, "%.*s(any - any) -> start%.*s(%.*s)) | %.*s%s", (int)(row - source), source,
                           (int)(rest - end), end, (int)(rest_end - rest), rest, (int)symbols, row,
                           rcs_arena_format(&at.arena, ")%s", rest_end + 2)),
          tally);
}

static void change_row(const char *row, const char *end, struct tally *tally)
{
    const char *action = strstr(row, "@row_");
    size_t size = strcspn(action, " ");

    (void)end;
    for (size_t other = 0; other < at.loaded.spec->row_count; other++) {
        const char *name = rcs_arena_format(&at.arena, "@%s", rcs_row_action(&at.arena, at.loaded.spec, other));

        if (strlen(name) != size || strncmp(name, action, size) != 0) {
            judge_with(action, size, name, tally);
        }
    }
}

static void change_target(const char *row, const char *end, struct tally *tally)
{
    const char *target = strstr(row, "-> ") + 3;
    size_t size = (size_t)(end - target);

    for (size_t other = 0; other < at.loaded.machine->state_count; other++) {
        const char *name = other == 0 ? "start" : rcs_arena_format(&at.arena, "S_%zu", other);

        if (strlen(name) != size || strncmp(name, target, size) != 0) {
            judge_with(target, size, name, tally);
        }
    }
}

/* One symbol more, which the row that stays takes as well, and another symbol in place of all. */
static void change_symbols(const char *row, const char *end, struct tally *tally)
{
    (void)end;
    judge_with(row, 1, "(255 | ", tally);
    judge_with(row, strcspn(row, "@"), "(255) ", tally);
}

/* Each row damaged; nothing may be missed, and `count` must have been found after Ragel took it without a word. */
static void damage_all(void (*damage)(const char *row, const char *end, struct tally *tally), unsigned count)
{
    struct tally tally = {0, 0, 0};

    if (open_policy(RCS_PLAIN)) {
        for_each_row(damage, &tally);
        RCS_EQUAL(tally.missed, 0);
        RCS_EQUAL(tally.refused, 0);
        RCS_EQUAL(tally.found, count);
    }
    close_policy();
}

static void test_as_it_is(void)
{
    struct tally tally = {0, 0, 0};

    if (open_policy(RCS_PLAIN)) {
        judge(source, &tally);
        RCS_EQUAL(tally.missed, 1); /* nothing is wrong, so nothing is found */
        for_each_row(repeat_row, &tally);
        RCS_EQUAL(tally.missed, 1 + ROWS);
        RCS_EQUAL(tally.found + tally.refused, 0);
    }
    close_policy();
}

static void test_doubled(void)
{
    damage_all(double_row, 2 * ROWS);
}

static void test_gone(void)
{
    damage_all(drop_row, 2 * ROWS);
}

static void test_other_rows(void)
{
    damage_all(change_row, 9 * ROWS);
}

static void test_other_targets(void)
{
    damage_all(change_target, 6 * ROWS);
}

static void test_other_symbols(void)
{
    damage_all(change_symbols, 2 * ROWS);
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"as it is", test_as_it_is},
        {"a row twice", test_doubled},
        {"a row gone", test_gone},
        {"another row", test_other_rows},
        {"another target", test_other_targets},
        {"other symbols", test_other_symbols},
    };

    return rcs_unit_main_needs("ragel", "chart_faults", tests, RCS_COUNT(tests));
}
