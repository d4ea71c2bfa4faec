/*
 * `diff` against all runs up to a bound, walked one by one on both models: policies and what random changes of their cells
 * make of them. The kinds of change agree, so does the verdict; no run with fewer tries shows a kind than the witness does;
 * and each witness shows what it is said to show.
 */
#include "gen/compile.h"
#include "gen/diff.h"
#include "gen/document.h"
#include "tests/unit/unit.h"

#define TRIES_BOUND 3u
#define CHANGES_WANTED 14u
#define CHANGES_TRIED 4000u

static const char *const *paths;
static size_t path_count;

/* ---- all runs ---- */

enum { OLD = 0, NEW = 1 };

struct pair {
    struct rcs_arena arena; /* of one run */
    const struct rcs_spec *specs[2];
    struct rcs_word words[64];
    size_t count;
    unsigned shortest[RCS_CHANGE_COUNT]; /* tries of the shortest run that shows it; 0: none, else one more */
    unsigned unsafe;
};

static void saw(struct pair *pair, uint8_t change, unsigned tries)
{
    if (pair->shortest[change] == 0 || tries + 1 < pair->shortest[change]) {
        pair->shortest[change] = tries + 1;
    }
}

static const char *message_of(const struct rcs_spec *spec, const struct rcs_run *run)
{
    uint16_t message = spec->rows[run->steps[run->step_count - 1].row].message;

    return message == RECOURSE_NONE ? "" : spec->messages[message].text;
}

static const struct rcs_spec_row *last_row(const struct rcs_spec *spec, const struct rcs_run *run)
{
    return &spec->rows[run->steps[run->step_count - 1].row];
}

static void compare_reports(struct pair *pair, const struct rcs_run runs[2])
{
    const struct rcs_spec_scenario *told[2];
    bool reminds[2];

    for (int side = OLD; side <= NEW; side++) {
        told[side] = &pair->specs[side]->scenarios[runs[side].scenario];
        reminds[side] = told[side]->reminder == RECOURSE_REMINDER_YES;
    }
    if (reminds[OLD] != reminds[NEW]) {
        saw(pair, reminds[OLD] ? RCS_CHANGE_REMINDER_LOST : RCS_CHANGE_REMINDER_GAINED, runs[NEW].tries);
    }
    if (told[OLD]->tell != told[NEW]->tell) {
        saw(pair, told[NEW]->tell == RECOURSE_TELL_MODEL ? RCS_CHANGE_TO_MODEL : RCS_CHANGE_TO_HOST, runs[NEW].tries);
    } else if (reminds[OLD] == reminds[NEW]) {
        if (strcmp(told[OLD]->label, told[NEW]->label) != 0 || told[OLD]->reminder != told[NEW]->reminder) {
            saw(pair, RCS_CHANGE_ENDING, runs[NEW].tries);
        } else if (strcmp(message_of(pair->specs[OLD], &runs[OLD]), message_of(pair->specs[NEW], &runs[NEW])) != 0) {
            saw(pair, RCS_CHANGE_MESSAGE, runs[NEW].tries);
        }
    }
}

static void compare_waits(struct pair *pair, const struct rcs_run runs[2])
{
    const struct rcs_step *steps[2];
    const char *labels[2];
    bool sessions[2];

    for (int side = OLD; side <= NEW; side++) {
        const struct rcs_spec *spec = pair->specs[side];

        steps[side] = &runs[side].steps[runs[side].step_count - 1];
        labels[side] = spec->scenarios[last_row(spec, &runs[side])->scenario].label;
        sessions[side] = spec->waits[last_row(spec, &runs[side])->wait].new_session;
    }
    if (steps[NEW]->wait_max_ms > steps[OLD]->wait_max_ms || steps[NEW]->wait_min_ms > steps[OLD]->wait_min_ms) {
        saw(pair, RCS_CHANGE_WAIT_LONGER, runs[NEW].tries);
    }
    if (steps[NEW]->wait_max_ms < steps[OLD]->wait_max_ms || steps[NEW]->wait_min_ms < steps[OLD]->wait_min_ms) {
        saw(pair, RCS_CHANGE_WAIT_SHORTER, runs[NEW].tries);
    }
    if (sessions[OLD] != sessions[NEW]) {
        saw(pair, RCS_CHANGE_SESSION, runs[NEW].tries);
    }
    if (strcmp(labels[OLD], labels[NEW]) != 0) {
        saw(pair, RCS_CHANGE_LABEL, runs[NEW].tries);
    }
}

static bool acts(const struct rcs_spec *spec, uint16_t event)
{
    return event >= RECOURSE_EVENT_FAILURE &&
           spec->failures[event - RECOURSE_EVENT_FAILURE].effect != RECOURSE_EFFECT_NONE;
}

static bool replays(const struct rcs_spec *spec, const struct rcs_word *word, const struct rcs_run *run)
{
    return run->end == RECOURSE_BACKOFF && !word->safe && acts(spec, word->event);
}

/* What the new policy calls harmless, and the old one did not, is as good as new. */
static bool replays_now(const struct pair *pair, const struct rcs_word *word, const struct rcs_run *run)
{
    return replays(pair->specs[NEW], word, run) || replays(pair->specs[OLD], word, run);
}

/* Walks the words on both. `ended`: the old policy has reported before. */
static void compare(struct pair *pair, bool ended, struct rcs_run runs[2])
{
    const struct rcs_word *last = &pair->words[pair->count - 1];

    rcs_arena_clear(&pair->arena);
    memset(runs, 0, 2 * sizeof *runs);
    for (int side = ended ? NEW : OLD; side <= NEW; side++) {
        rcs_model_run(&pair->arena, pair->specs[side], pair->words, pair->count, &runs[side]);
        CU_ASSERT_EQUAL_FATAL(runs[side].used, pair->count);
    }
    if (replays_now(pair, last, &runs[NEW]) && (ended || !replays(pair->specs[OLD], last, &runs[OLD])) &&
        (pair->unsafe == 0 || runs[NEW].tries + 1 < pair->unsafe)) {
        pair->unsafe = runs[NEW].tries + 1;
    }
    if (ended) {
        return;
    }
    if (runs[OLD].end == RECOURSE_BACKOFF && runs[NEW].end == RECOURSE_BACKOFF) {
        compare_waits(pair, runs);
    } else if (runs[NEW].end == RECOURSE_BACKOFF) {
        saw(pair, RCS_CHANGE_TRIES_MORE, runs[NEW].tries);
    } else if (runs[OLD].end == RECOURSE_BACKOFF) {
        saw(pair, RCS_CHANGE_TRIES_FEWER, runs[NEW].tries);
    } else {
        compare_reports(pair, runs);
    }
}

static void walk_tries(struct pair *pair, bool safe, bool ended, unsigned tries);

static void walk_word(struct pair *pair, struct rcs_word word, bool safe, bool ended, unsigned tries)
{
    struct rcs_run runs[2];
    bool waits[2];

    pair->words[pair->count++] = word;
    compare(pair, ended, runs);
    waits[OLD] = runs[OLD].end == RECOURSE_BACKOFF;
    waits[NEW] = runs[NEW].end == RECOURSE_BACKOFF;
    if (waits[OLD] && waits[NEW]) {
        pair->words[pair->count++] = (struct rcs_word){.event = RECOURSE_EVENT_CANCELLED};
        compare(pair, false, runs);
        pair->count--;
    }
    if (waits[NEW] && tries < TRIES_BOUND && word.server_delay_ms == 0) {
        walk_tries(pair, safe, ended || !waits[OLD], tries + 1);
    }
    pair->count--;
}

/* A failure with each delay that a wait of one of them could ask about, and without time. */
static void walk_failure(struct pair *pair, struct rcs_word word, bool safe, bool ended, unsigned tries)
{
    struct rcs_word asked = word;

    walk_word(pair, word, safe, ended, tries);
    word.out_of_time = true;
    walk_word(pair, word, safe, ended, tries);
    for (int side = OLD; side <= NEW; side++) {
        for (size_t w = 0; w < pair->specs[side]->wait_count; w++) {
            const uint64_t delays[] = {1, pair->specs[side]->waits[w].server_ms, pair->specs[side]->waits[w].server_ms + 1};

            for (size_t i = 0; i < RCS_COUNT(delays) && delays[i] != 0; i++) {
                asked.server_delay_ms = delays[i];
                walk_word(pair, asked, safe, ended, tries);
            }
        }
    }
}

static void walk_tries(struct pair *pair, bool safe, bool ended, unsigned tries)
{
    const struct rcs_spec *spec = pair->specs[OLD];

    pair->words[pair->count++] = (struct rcs_word){.event = tries == 1 ? RECOURSE_EVENT_READY : RECOURSE_EVENT_ELAPSED};
    walk_word(pair, (struct rcs_word){.event = RECOURSE_EVENT_OK}, safe, ended, tries);
    for (unsigned unsent = 0; unsent < 2; unsent++) {
        walk_word(pair, (struct rcs_word){.event = RECOURSE_EVENT_DEADLINE, .safe = unsent}, safe, ended, tries);
        walk_word(pair, (struct rcs_word){.event = RECOURSE_EVENT_CANCELLED, .safe = unsent}, safe, ended, tries);
    }
    for (uint16_t i = 0; i < spec->failure_count; i++) {
        uint16_t event = (uint16_t)(RECOURSE_EVENT_FAILURE + i);
        bool any = acts(spec, event) || acts(pair->specs[NEW], event);

        walk_failure(pair, (struct rcs_word){.event = event, .safe = safe && any}, safe, ended, tries);
    }
    pair->count--;
}

static void walk_all(struct pair *pair)
{
    struct rcs_run runs[2];

    for (uint16_t event = RECOURSE_EVENT_READY + 1; event < RECOURSE_EVENT_ELAPSED; event++) {
        if (rcs_event_is_live(pair->specs[OLD], event)) {
            pair->words[0] = (struct rcs_word){.event = event};
            pair->count = 1;
            compare(pair, false, runs);
        }
    }
    pair->count = 0;
    walk_tries(pair, false, false, 1);
    walk_tries(pair, true, false, 1);
}

/* ---- against diff ---- */

static unsigned tries_of(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_diff_side *side)
{
    struct rcs_run run;

    rcs_model_run(arena, spec, side->words, side->word_count, &run);
    CU_ASSERT_EQUAL(run.used, side->word_count);
    return run.tries;
}

/* The words of a witness, walked on both, show what it is said to show. */
static void confirm(struct pair *pair, const struct rcs_difference *item)
{
    struct pair own = {.specs = {pair->specs[OLD], pair->specs[NEW]}, .count = item->new_side.word_count};
    bool ended = item->old_side.word_count < item->new_side.word_count;
    struct rcs_run runs[2];

    CU_ASSERT_FATAL(own.count <= RCS_COUNT(own.words));
    memcpy(own.words, item->new_side.words, own.count * sizeof *own.words);
    for (size_t i = 0; i < item->old_side.word_count && i < own.count; i++) {
        own.words[i].safe = own.words[i].safe || item->old_side.words[i].safe; /* of a tool that is, where one policy asks */
    }
    compare(&own, ended, runs);
    CU_ASSERT(item->change == RCS_CHANGE_REPLAY || own.shortest[item->change] != 0);
    CU_ASSERT(!item->unsafe || own.unsafe != 0);
    rcs_arena_clear(&own.arena);
}

static uint8_t expected_verdict(const unsigned *shortest, bool any)
{
    bool looser = shortest[RCS_CHANGE_TRIES_MORE] || shortest[RCS_CHANGE_REMINDER_LOST] || shortest[RCS_CHANGE_TO_MODEL];
    bool stricter = shortest[RCS_CHANGE_TRIES_FEWER] || shortest[RCS_CHANGE_REMINDER_GAINED] ||
                    shortest[RCS_CHANGE_TO_HOST];

    return !any                  ? RCS_SAME
           : looser && !stricter ? RCS_VERDICT_LOOSER
           : stricter && !looser ? RCS_VERDICT_STRICTER
                                 : RCS_DIFFERENT;
}

static void judge(const struct rcs_spec *old_spec, const struct rcs_spec *new_spec, unsigned counts[4])
{
    static struct pair pair;
    struct rcs_arena arena = {0};
    unsigned shortest[RCS_CHANGE_COUNT] = {0};
    unsigned unsafe = 0;
    struct rcs_diff diff;
    bool beyond = false;
    bool effects = false;

    memset(&pair, 0, sizeof pair);
    pair.specs[OLD] = old_spec;
    pair.specs[NEW] = new_spec;
    walk_all(&pair);
    rcs_diff_find(&arena, old_spec, new_spec, &diff);
    CU_ASSERT(diff.complete);
    for (size_t i = 0; i < diff.count; i++) {
        const struct rcs_difference *item = &diff.items[i];
        unsigned tries;

        if (item->change == RCS_CHANGE_EFFECT) {
            effects = true;
            continue;
        }
        CU_ASSERT(item->change < RCS_CHANGE_FAILURE);
        confirm(&pair, item);
        tries = tries_of(&arena, new_spec, &item->new_side) + 1;
        shortest[item->change] = shortest[item->change] == 0 || tries < shortest[item->change] ? tries : shortest[item->change];
        unsafe = item->unsafe && (unsafe == 0 || tries < unsafe) ? tries : unsafe;
        beyond = beyond || tries > TRIES_BOUND + 1;
    }
    for (unsigned change = 0; change < RCS_CHANGE_COUNT; change++) {
        if (change != RCS_CHANGE_REPLAY) {
            RCS_EQUAL(shortest[change] > TRIES_BOUND + 1 ? 0 : shortest[change], pair.shortest[change]);
        }
    }
    RCS_EQUAL(unsafe > TRIES_BOUND + 1 ? 0 : unsafe, pair.unsafe);
    if (!beyond) {
        bool any = effects || pair.unsafe != 0;

        for (unsigned change = 0; change < RCS_CHANGE_COUNT; change++) {
            any = any || pair.shortest[change] != 0;
        }
        RCS_EQUAL(diff.verdict, expected_verdict(pair.shortest, any));
    }
    counts[diff.verdict]++;
    rcs_arena_clear(&pair.arena);
    rcs_arena_clear(&arena);
}

/* ---- changes ---- */

static uint64_t seed = 20240607;

static size_t below(size_t bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % bound;
}

struct policy {
    struct rcs_arena arena;
    const char *path;
    const char *text;
    size_t size;
    struct rcs_document document;
    struct rcs_loaded loaded;
};

/* Without its examples, which would notice most changes before diff sees them. */
static void load(struct policy *policy, const char *path)
{
    struct rcs_findings findings = {.arena = &policy->arena};
    const char *examples;
    const char *why;

    memset(policy, 0, sizeof *policy);
    findings.arena = &policy->arena;
    policy->path = path;
    policy->text = rcs_file_read(&policy->arena, path, &policy->size, &why);
    CU_ASSERT_FATAL(policy->text != NULL);
    examples = strstr(policy->text, "\n## Examples\n");
    policy->size = examples == NULL ? policy->size : (size_t)(examples - policy->text);
    CU_ASSERT_FATAL(rcs_load(&policy->arena, path, policy->text, policy->size, &findings, &policy->loaded));
    rcs_document_read(&policy->arena, policy->text, policy->size, &findings, &policy->document);
}

static const char *heading_of(const struct policy *policy, const struct rcs_table *table)
{
    const struct rcs_heading *heading = &policy->document.headings[table->heading];

    return heading->parent == RCS_NO_HEADING || heading->level < 3 ? heading->title
                                                                   : policy->document.headings[heading->parent].title;
}

/* What stands in for a cell: that of another row, another word for a state's cell, another number of tries, another effect. */
static const char *other_cell(struct policy *policy, struct rcs_arena *arena, const struct rcs_table *table, size_t row,
                              size_t column)
{
    static const char *const guards[] = {"-", "first try", "later try", "safe", "unsafe", "never acted", "may have acted"};
    static const char *const tries[] = {"2", "3", "4", "5", "6"};
    static const char *const effects[] = {"none", "unknown"};
    const char *name = rcs_cell_copy(&policy->document, &table->header.cells[column]);

    (void)arena;
    if (strcmp(heading_of(policy, table), "Settings") == 0) {
        return rcs_cell_is(&policy->document, &table->rows[row].cells[0], "tries") ? tries[below(RCS_COUNT(tries))] : NULL;
    }
    if (strcmp(heading_of(policy, table), "Failures") == 0) {
        return strcmp(name, "effect") == 0 ? effects[below(RCS_COUNT(effects))] : NULL;
    }
    if (strcmp(name, "if") == 0 && below(2) == 0) {
        return guards[below(RCS_COUNT(guards))];
    }
    return rcs_cell_copy(&policy->document, &table->rows[below(table->row_count)].cells[column]);
}

static char *with_cell(const struct policy *policy, struct rcs_arena *arena, const struct rcs_cell *cell, const char *with,
                       size_t *size)
{
    char *text;

    *size = policy->size - (cell->end - cell->begin) + strlen(with);
    text = rcs_arena_alloc(arena, *size + 1);
    memcpy(text, policy->text, cell->begin);
    memcpy(text + cell->begin, with, strlen(with));
    memcpy(text + cell->begin + strlen(with), policy->text + cell->end, policy->size - cell->end);
    return text;
}

/* Changes one cell of the tables that runs depend on. NULL if the choice was none. */
static char *changed(struct policy *policy, struct rcs_arena *arena, size_t *size)
{
    static const char *const sections[] = {"Settings", "Scenarios", "Failures", "Waits", "Messages", "States"};
    const struct rcs_table *table = &policy->document.tables[below(policy->document.table_count)];
    size_t row = below(table->row_count);
    size_t column = 1 + below(table->rows[row].cell_count - 1);
    const struct rcs_cell *cell = &table->rows[row].cells[column];
    const char *with = other_cell(policy, arena, table, row, column);
    bool counts = false;

    for (size_t i = 0; i < RCS_COUNT(sections); i++) {
        counts = counts || strcmp(heading_of(policy, table), sections[i]) == 0;
    }
    if (!counts || with == NULL || rcs_cell_is(&policy->document, cell, with)) {
        return NULL;
    }
    return with_cell(policy, arena, cell, with, size);
}

/* One effect after the other called `none`, where the checks let it pass: what is tried again by that is as good as unsafe. */
static unsigned claim_effects(struct policy *policy, const struct rcs_table *table, unsigned counts[4])
{
    unsigned judged = 0;

    for (size_t row = 0; row < table->row_count; row++) {
        const struct rcs_cell *cell = &table->rows[row].cells[table->rows[row].cell_count - 1];
        struct rcs_arena arena = {0};
        struct rcs_findings findings = {.arena = &arena};
        struct rcs_loaded loaded;
        size_t size;
        char *text;

        if (rcs_cell_is(&policy->document, cell, "none")) {
            continue;
        }
        text = with_cell(policy, &arena, cell, "none", &size);
        if (rcs_load(&arena, policy->path, text, size, &findings, &loaded)) {
            judge(policy->loaded.spec, loaded.spec, counts);
            judge(loaded.spec, policy->loaded.spec, counts);
            judged++;
        }
        rcs_arena_clear(&arena);
    }
    return judged;
}

static void test_claims(void)
{
    unsigned judged = 0;

    for (size_t p = 0; p < path_count; p++) {
        struct policy policy;
        unsigned counts[4] = {0};

        load(&policy, paths[p]);
        for (size_t t = 0; t < policy.document.table_count; t++) {
            if (strcmp(heading_of(&policy, &policy.document.tables[t]), "Failures") == 0) {
                judged += claim_effects(&policy, &policy.document.tables[t], counts);
            }
        }
        rcs_arena_clear(&policy.arena);
    }
    CU_ASSERT(judged >= 2);
}

static void test_changes(void)
{
    for (size_t p = 0; p < path_count; p++) {
        struct policy policy;
        unsigned counts[4] = {0};
        unsigned judged = 0;

        load(&policy, paths[p]);
        for (size_t i = 0; i < CHANGES_TRIED && judged < CHANGES_WANTED; i++) {
            struct rcs_arena arena = {0};
            struct rcs_findings findings = {.arena = &arena};
            struct rcs_loaded loaded;
            size_t size;
            char *text = changed(&policy, &arena, &size);

            if (text != NULL && rcs_load(&arena, policy.path, text, size, &findings, &loaded) &&
                memcmp(loaded.spec->behaviour_sha256, policy.loaded.spec->behaviour_sha256, 32) != 0) {
                judge(policy.loaded.spec, loaded.spec, counts);
                judge(loaded.spec, policy.loaded.spec, counts);
                judged++;
            }
            rcs_arena_clear(&arena);
        }
        printf("  %s: %u changes; same %u, looser %u, stricter %u, different %u\n", policy.loaded.spec->name, judged,
               counts[RCS_SAME], counts[RCS_VERDICT_LOOSER], counts[RCS_VERDICT_STRICTER], counts[RCS_DIFFERENT]);
        CU_ASSERT(judged >= CHANGES_WANTED / 2);
        RCS_EQUAL(counts[RCS_VERDICT_LOOSER], counts[RCS_VERDICT_STRICTER]);
        rcs_arena_clear(&policy.arena);
    }
}

int main(int count, char **arguments)
{
    static const struct rcs_test tests[] = {{"the verdict is that of all runs", test_changes},
                                            {"what is only claimed to be harmless", test_claims}};

    paths = (const char *const *)arguments + 1;
    path_count = (size_t)count - 1;
    if (path_count == 0) {
        fprintf(stderr, "test_diff: name the policies\n");
        return 1;
    }
    return rcs_unit_main("diff", tests, RCS_COUNT(tests));
}
