#include <string.h>

#include "gen/read.h"

/* ---- runs ---- */

enum { RUN_ID, RUN_EVENTS, RUN_SCENARIOS, RUN_TRIES, RUN_WAITS, RUN_COLUMN_COUNT };
static const struct rcs_column run_columns[] = {
    [RUN_ID] = {.name = "id"},       [RUN_EVENTS] = {.name = "events"}, [RUN_SCENARIOS] = {.name = "scenarios"},
    [RUN_TRIES] = {.name = "tries"}, [RUN_WAITS] = {.name = "waits"},
};

static void read_scenarios(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_run *run)
{
    struct rcs_cursor cursor;

    rcs_open_cell(reader, &cursor, cell);
    if (rcs_accept(&cursor, RCS_TOKEN_DASH)) {
        rcs_take_end(&cursor, "nothing after '-'");
        return;
    }
    do {
        struct rcs_place place = rcs_here(&cursor);
        const char *label;

        if (!rcs_take_name(&cursor, "a scenario, or '-'", &label)) {
            return;
        }
        *(uint16_t *)rcs_arena_push(reader->arena, &run->scenarios, &run->scenario_count, sizeof *run->scenarios) =
            rcs_find_name(reader, RCS_SECTION_SCENARIOS, label, place);
    } while (rcs_accept(&cursor, RCS_TOKEN_COMMA));
    rcs_take_end(&cursor, "a comma, or nothing");
}

static void read_waits(struct rcs_cursor *cursor, struct rcs_spec_run *run)
{
    uint64_t ms;

    if (rcs_accept(cursor, RCS_TOKEN_DASH)) {
        rcs_take_end(cursor, "nothing after '-'");
        return;
    }
    do {
        if (!rcs_take_duration(cursor, "a duration like 200ms, or '-'", 0, &ms)) {
            return;
        }
        *(uint64_t *)rcs_arena_push(cursor->arena, &run->waits_ms, &run->wait_count, sizeof *run->waits_ms) = ms;
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    rcs_take_end(cursor, "a comma, or nothing");
}

static void read_run(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    struct rcs_spec_run *run = rcs_arena_push(reader->arena, &spec->runs, &spec->run_count, sizeof *spec->runs);
    struct rcs_cursor cursor;
    uint64_t tries = 0;

    run->place = row->place;
    run->events_place = row->cells[at[RUN_EVENTS]].place;
    run->scenarios_place = row->cells[at[RUN_SCENARIOS]].place;
    run->tries_place = row->cells[at[RUN_TRIES]].place;
    run->waits_place = row->cells[at[RUN_WAITS]].place;
    run->id = rcs_read_row_id(reader, &row->cells[at[RUN_ID]]);
    if (!reader->broken[RCS_SECTION_FAILURES]) {
        rcs_open_cell(reader, &cursor, &row->cells[at[RUN_EVENTS]]);
        rcs_read_words(&cursor, spec, &run->words, &run->word_count);
    }
    read_scenarios(reader, &row->cells[at[RUN_SCENARIOS]], run);
    rcs_open_cell(reader, &cursor, &row->cells[at[RUN_TRIES]]);
    if (rcs_take_number(&cursor, "the number of tries", 0, RECOURSE_TRIES_MAX, &tries)) {
        rcs_take_end(&cursor, "nothing after it");
    }
    run->tries = (unsigned)tries;
    rcs_open_cell(reader, &cursor, &row->cells[at[RUN_WAITS]]);
    read_waits(&cursor, run);
}

/* ---- facts ---- */

enum { FACT_ID, FACT_FACTS, FACT_FAILURE, FACT_EFFECT, FACT_COLUMN_COUNT };
static const struct rcs_column fact_columns[] = {
    [FACT_ID] = {.name = "id"},
    [FACT_FACTS] = {.name = "facts"},
    [FACT_FAILURE] = {.name = "failure"},
    [FACT_EFFECT] = {.name = "effect"},
};

static void read_effect(struct rcs_reader *reader, const struct rcs_cell *cell, bool is_ok, struct rcs_spec_fact *fact)
{
    static const char *const effects[] = {
        [RECOURSE_EFFECT_NONE] = "none",
        [RECOURSE_EFFECT_DONE] = "done",
        [RECOURSE_EFFECT_UNKNOWN] = "unknown",
    };
    size_t effect = rcs_read_word(reader, cell, "effect", effects, RECOURSE_EFFECT_COUNT);

    if (is_ok && effect < RECOURSE_EFFECT_COUNT && effect != RECOURSE_EFFECT_DONE) {
        rcs_complain(reader, "effect", cell->place, "what is ok has the effect done");
    }
    fact->effect = (uint8_t)effect;
}

static void read_fact(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    struct rcs_spec_fact *fact = rcs_arena_push(reader->arena, &spec->facts, &spec->fact_count, sizeof *spec->facts);
    const struct rcs_cell *failure = &row->cells[at[FACT_FAILURE]];
    bool is_ok = rcs_cell_is(&reader->document, failure, "ok");
    struct rcs_cursor cursor;

    fact->place = row->place;
    fact->failure_place = failure->place;
    fact->effect_place = row->cells[at[FACT_EFFECT]].place;
    fact->id = rcs_read_row_id(reader, &row->cells[at[FACT_ID]]);
    rcs_open_cell(reader, &cursor, &row->cells[at[FACT_FACTS]]);
    rcs_read_facts(&cursor, &fact->facts);
    fact->failure = RECOURSE_NONE;
    if (rcs_cell_is(&reader->document, failure, "-")) {
        rcs_complain(reader, "syntax", failure->place, "expected a failure, or ok; found '-'");
    } else if (!is_ok) {
        fact->failure = rcs_read_reference(reader, RCS_SECTION_FAILURES, failure);
    }
    read_effect(reader, &row->cells[at[FACT_EFFECT]], is_ok, fact);
}

void rcs_read_examples(struct rcs_reader *reader)
{
    rcs_read_table(reader, RCS_SECTION_RUNS, run_columns, RUN_COLUMN_COUNT, read_run);
    rcs_read_table(reader, RCS_SECTION_FACTS, fact_columns, FACT_COLUMN_COUNT, read_fact);
}
