/* The tables Budgets and Breakers: what calls share. */
#include "gen/read.h"

static const char *const sharers[] = {
    [RECOURSE_SHARED_BY_RUNNER] = "runner",
    [RECOURSE_SHARED_BY_SERVER] = "server",
    [RECOURSE_SHARED_BY_TOOL] = "tool",
};
_Static_assert(sizeof sharers / sizeof *sharers == RECOURSE_SHARED_BY_COUNT, "a word for each");

static uint8_t read_shared_by(struct rcs_reader *reader, const struct rcs_cell *cell)
{
    return (uint8_t)rcs_read_word(reader, cell, "shared-by", sharers, RECOURSE_SHARED_BY_COUNT);
}

/* The name in a row's first cell; NULL, and the section is broken, if it is none or there are too many rows. */
static const char *read_id(struct rcs_reader *reader, const struct rcs_table_row *row, const struct rcs_cell *cell,
                           enum rcs_section section, bool full, unsigned most)
{
    const char *id = rcs_read_name_id(reader, cell);

    if (id != NULL && full) {
        rcs_complain(reader, "too-many", row->place, "'%s' has at most %u rows", rcs_section_name(section), most);
        id = NULL;
    }
    reader->broken[section] = reader->broken[section] || id == NULL;
    return id;
}

/* ---- budgets ---- */

enum { BUDGET_ID, BUDGET_SHARED_BY, HOLDS, NEEDS, TAKES, GIVES, BUDGET_COLUMNS };
static const struct rcs_column budget_columns[] = {
    [BUDGET_ID] = {.name = "id"},       [BUDGET_SHARED_BY] = {.name = "shared by"},
    [HOLDS] = {.name = "holds"},        [NEEDS] = {.name = "a wait needs"},
    [TAKES] = {.name = "a failure takes"}, [GIVES] = {.name = "an ok gives back"},
};

/* A number up to what the budget holds, or `-` for 0. */
static uint32_t read_tokens(struct rcs_cursor *cursor, const char *what, uint32_t most)
{
    uint64_t number = 0;

    if (rcs_accept(cursor, RCS_TOKEN_DASH) || rcs_take_number(cursor, what, 1, most, &number)) {
        rcs_take_end(cursor, "nothing after it");
    }
    return (uint32_t)number;
}

/* `1`, `cost`, `cost, else 1` or `-` */
static void read_gives(struct rcs_cursor *cursor, struct recourse_budget *budget)
{
    budget->gives_cost = rcs_accept_words(cursor, "cost");
    if (!budget->gives_cost) {
        budget->gives = read_tokens(cursor, "a number of tokens, cost, 'cost, else 1' or '-'", budget->holds);
    } else if (!rcs_accept(cursor, RCS_TOKEN_COMMA)) {
        rcs_take_end(cursor, "', else 1', or nothing");
    } else if (rcs_take_words(cursor, "else")) {
        budget->gives = read_tokens(cursor, "a number of tokens", budget->holds);
    }
}

static void read_budget(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    const char *id = read_id(reader, row, &row->cells[at[BUDGET_ID]], RCS_SECTION_BUDGETS,
                             spec->budget_count == RECOURSE_BUDGETS_MAX, RECOURSE_BUDGETS_MAX);
    struct rcs_spec_budget *added;
    struct recourse_budget *budget;
    struct rcs_cursor cursor;
    uint64_t holds = RECOURSE_TOKENS_MAX;

    if (id == NULL) {
        return;
    }
    added = rcs_arena_push(reader->arena, &spec->budgets, &spec->budget_count, sizeof *spec->budgets);
    added->place = row->place;
    budget = &added->budget;
    budget->id = id;
    budget->line = row->place.line;
    budget->shared_by = read_shared_by(reader, &row->cells[at[BUDGET_SHARED_BY]]);
    rcs_open_cell(reader, &cursor, &row->cells[at[HOLDS]]);
    if (rcs_take_number(&cursor, "a number of tokens", 1, RECOURSE_TOKENS_MAX, &holds)) {
        rcs_take_end(&cursor, "nothing after it");
    }
    budget->holds = (uint32_t)holds;
    rcs_open_cell(reader, &cursor, &row->cells[at[NEEDS]]);
    budget->needs = read_tokens(&cursor, "a number of tokens, or '-' for no more than the cost", budget->holds);
    rcs_open_cell(reader, &cursor, &row->cells[at[TAKES]]);
    budget->takes = read_tokens(&cursor, "a number of tokens, or '-'", budget->holds);
    rcs_open_cell(reader, &cursor, &row->cells[at[GIVES]]);
    read_gives(&cursor, budget);
}

void rcs_read_budgets(struct rcs_reader *reader)
{
    rcs_read_table(reader, RCS_SECTION_BUDGETS, budget_columns, BUDGET_COLUMNS, read_budget);
}

/* ---- breakers ---- */

enum { BREAKER_ID, BREAKER_SHARED_BY, COUNTS, OPENS_AFTER, STAYS_OPEN, LETS_THROUGH, BREAKER_COLUMNS };
static const struct rcs_column breaker_columns[] = {
    [BREAKER_ID] = {.name = "id"},             [BREAKER_SHARED_BY] = {.name = "shared by"},
    [COUNTS] = {.name = "counts"},             [OPENS_AFTER] = {.name = "opens after"},
    [STAYS_OPEN] = {.name = "stays open"},     [LETS_THROUGH] = {.name = "lets through"},
};

static void read_counts(struct rcs_reader *reader, struct rcs_cursor *cursor, struct recourse_breaker *breaker)
{
    do {
        struct rcs_place place = rcs_here(cursor);
        const char *name;
        uint16_t failure;

        if (!rcs_take_name(cursor, "a failure", &name)) {
            return;
        }
        failure = rcs_find_name(reader, RCS_SECTION_FAILURES, name, place);
        if (failure != RECOURSE_NONE && (breaker->counts >> failure & 1u) != 0) {
            rcs_complain(reader, "repeated-name", place, "'%s' stands here twice", name);
        }
        breaker->counts |= failure == RECOURSE_NONE ? 0u : 1u << failure;
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    rcs_take_end(cursor, "a comma, or nothing");
}

/* `5` or `5 in 30s` */
static void read_opens_after(struct rcs_cursor *cursor, struct recourse_breaker *breaker)
{
    uint64_t number = 1;

    if (rcs_take_number(cursor, "a number of failures, like 5 or '5 in 30s'", 1, RECOURSE_BREAKER_COUNT_MAX, &number) &&
        (!rcs_accept_words(cursor, "in") ||
         rcs_take_duration(cursor, "a duration like 30s", 1, &breaker->within_ms))) {
        rcs_take_end(cursor, "'in' and a duration, or nothing");
    }
    breaker->opens_after = (uint16_t)number;
}

static void read_breaker(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    const char *id = read_id(reader, row, &row->cells[at[BREAKER_ID]], RCS_SECTION_BREAKERS,
                             spec->breaker_count == RECOURSE_BREAKERS_MAX, RECOURSE_BREAKERS_MAX);
    struct rcs_spec_breaker *added;
    struct rcs_cursor cursor;
    uint64_t through = 1;

    if (id == NULL) {
        return;
    }
    added = rcs_arena_push(reader->arena, &spec->breakers, &spec->breaker_count, sizeof *spec->breakers);
    added->place = row->place;
    added->counts_place = row->cells[at[COUNTS]].place;
    added->breaker.id = id;
    added->breaker.line = row->place.line;
    added->breaker.shared_by = read_shared_by(reader, &row->cells[at[BREAKER_SHARED_BY]]);
    rcs_open_cell(reader, &cursor, &row->cells[at[COUNTS]]);
    read_counts(reader, &cursor, &added->breaker);
    rcs_open_cell(reader, &cursor, &row->cells[at[OPENS_AFTER]]);
    read_opens_after(&cursor, &added->breaker);
    rcs_open_cell(reader, &cursor, &row->cells[at[STAYS_OPEN]]);
    if (rcs_take_duration(&cursor, "a duration like 20s", 1, &added->breaker.stays_open_ms)) {
        rcs_take_end(&cursor, "nothing after it");
    }
    rcs_open_cell(reader, &cursor, &row->cells[at[LETS_THROUGH]]);
    if (rcs_take_number(&cursor, "a number of tries", 1, RECOURSE_BREAKER_COUNT_MAX, &through)) {
        rcs_take_end(&cursor, "nothing after it");
    }
    added->breaker.lets_through = (uint16_t)through;
}

void rcs_read_breakers(struct rcs_reader *reader)
{
    rcs_read_table(reader, RCS_SECTION_BREAKERS, breaker_columns, BREAKER_COLUMNS, read_breaker);
}
