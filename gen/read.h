/*
 * Inside the reader: a cursor over the tokens of a cell, and what the readers of the sections share. Each function that
 * fails has added a finding, so that callers only stop reading the cell.
 */
#ifndef RCS_READ_H
#define RCS_READ_H

#include "gen/document.h"
#include "gen/grammar.h"
#include "gen/spec.h"

/* ---- one cell (read_cell.c) ---- */

struct rcs_cursor {
    struct rcs_arena *arena;
    struct rcs_findings *findings;
    const char *row; /* id of the row, for findings; NULL */
    const char *text;
    size_t size;
    struct rcs_place place; /* of the first byte; line 0: not in a file */
    struct rcs_token *tokens;
    size_t at;
};

void rcs_cursor_open(struct rcs_cursor *cursor, struct rcs_arena *arena, struct rcs_findings *findings, const char *row,
                     const char *text, size_t size, struct rcs_place place);

const struct rcs_token *rcs_peek(const struct rcs_cursor *cursor);
bool rcs_at(const struct rcs_cursor *cursor, enum rcs_token_kind kind);
bool rcs_at_end(const struct rcs_cursor *cursor);
/* Whether the current token follows the one before without a blank. */
bool rcs_is_adjacent(const struct rcs_cursor *cursor);
struct rcs_place rcs_here(const struct rcs_cursor *cursor);
const char *rcs_token_copy(const struct rcs_cursor *cursor, const struct rcs_token *token);

/* The words that are next, at most three: for suggestions. */
const char *rcs_words_here(const struct rcs_cursor *cursor);

/* Moves past the token, or past all words of `words` ("up to"), if they are next. */
bool rcs_accept(struct rcs_cursor *cursor, enum rcs_token_kind kind);
bool rcs_accept_words(struct rcs_cursor *cursor, const char *words);

/* An error at the current token. */
void rcs_cursor_error(struct rcs_cursor *cursor, const char *code, const char *format, ...) RECOURSE_PRINTF(3, 4);
/* The error `syntax`: "expected WHAT, found ...". Always false. */
bool rcs_expected(struct rcs_cursor *cursor, const char *what);

bool rcs_take_end(struct rcs_cursor *cursor, const char *what);
bool rcs_take_words(struct rcs_cursor *cursor, const char *words);
bool rcs_take_number(struct rcs_cursor *cursor, const char *what, uint64_t least, uint64_t most, uint64_t *number);
bool rcs_take_percent(struct rcs_cursor *cursor, uint64_t least, uint64_t most, uint16_t *percent);
bool rcs_take_duration(struct rcs_cursor *cursor, const char *what, uint64_t least_ms, uint64_t *ms);
/* `x2`, `x1.5`: lowest terms, greater than 1. */
bool rcs_take_factor(struct rcs_cursor *cursor, uint64_t *numerator, uint64_t *denominator);
/* A quoted string, its escapes resolved. An empty one is an error, but for the second. */
bool rcs_take_string(struct rcs_cursor *cursor, const char *what, const char **value);
bool rcs_take_string_or_empty(struct rcs_cursor *cursor, const char *what, const char **value);
/* A name of any kind, as written; `what` says which. */
bool rcs_take_name(struct rcs_cursor *cursor, const char *what, const char **name);

/* ---- names (read_names.c) ---- */

/* " (did you mean 'x')" if one of `names` is near, else "". */
const char *rcs_suggest(struct rcs_arena *arena, const char *wanted, const char *const *names, size_t count);
/* "a, b, c": the nearest to `wanted` first. */
const char *rcs_list_nearest(struct rcs_arena *arena, const char *wanted, const char *const *names, size_t count);
/* `[a-z][a-z0-9_]*`, at most 32 bytes. */
bool rcs_is_name(const char *text);
/* `[A-Za-z0-9][A-Za-z0-9_]*`, at most 32 bytes. */
bool rcs_is_label(const char *text);
/* `[A-Za-z][A-Za-z0-9_]*`, at most 8 bytes. */
bool rcs_is_row_id(const char *text);

/* ---- the file (read.c) ---- */

enum rcs_section {
    RCS_SECTION_TITLE = 0,
    RCS_SECTION_SETTINGS = 1,
    RCS_SECTION_SCENARIOS = 2,
    RCS_SECTION_TOOLS = 3,
    RCS_SECTION_FAILURES = 4,
    RCS_SECTION_WAITS = 5,
    RCS_SECTION_BUDGETS = 6,
    RCS_SECTION_BREAKERS = 7,
    RCS_SECTION_MESSAGES = 8,
    RCS_SECTION_STATES = 9,
    RCS_SECTION_PRECONDITION = 10,
    RCS_SECTION_ATTEMPT = 11,
    RCS_SECTION_BACKOFF = 12,
    RCS_SECTION_EXHAUSTED = 13,
    RCS_SECTION_EXAMPLES = 14,
    RCS_SECTION_RUNS = 15,
    RCS_SECTION_FACTS = 16,
    RCS_SECTION_COUNT = 17
};

struct rcs_used_id {
    const char *id;
    struct rcs_place place;
};

struct rcs_reader {
    struct rcs_arena *arena;
    struct rcs_spec *spec;
    struct rcs_findings *findings;
    struct rcs_document document;
    const struct rcs_table *tables[RCS_SECTION_COUNT]; /* NULL: there is none */
    struct rcs_place headings[RCS_SECTION_COUNT];      /* line 0: there is none */
    bool broken[RCS_SECTION_COUNT]; /* some of its names may be missing: references to them are not judged */
    struct rcs_used_id *ids;
    size_t id_count;
    const char *row; /* id of the row being read, or NULL */
};

/* An error about the file. */
void rcs_complain(struct rcs_reader *reader, const char *code, struct rcs_place place, const char *format, ...)
    RECOURSE_PRINTF(4, 5);

/* Finds sections and their tables: order, repetition, what is missing, what is unknown (read_sections.c). */
void rcs_read_sections(struct rcs_reader *reader);
const char *rcs_section_name(enum rcs_section section); /* "## Settings" */

/* ---- tables (read_table.c) ---- */

#define RCS_NO_COLUMN SIZE_MAX

struct rcs_column {
    const char *name;
    bool optional;
};

/* Reads one row. `at[i]` is the cell of the section's column i, or RCS_NO_COLUMN. */
typedef void rcs_row_reader(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at);

/*
 * Checks the columns and calls `read` for each row that is whole. Required columns stand in the order of `columns`;
 * optional ones anywhere after the first. A section that can't be read whole is marked as broken.
 */
void rcs_read_table(struct rcs_reader *reader, enum rcs_section section, const struct rcs_column *columns, size_t count,
                    rcs_row_reader *read);

void rcs_open_cell(struct rcs_reader *reader, struct rcs_cursor *cursor, const struct rcs_cell *cell);
/* The id in a row's first cell: form and uniqueness are checked. NULL if it is none. Becomes `reader->row`. */
const char *rcs_read_row_id(struct rcs_reader *reader, const struct rcs_cell *cell);
const char *rcs_read_name_id(struct rcs_reader *reader, const struct rcs_cell *cell);
/* Index of the cell's text in `words`; `count`, with a finding of `code`, if it is none of them. */
size_t rcs_read_word(struct rcs_reader *reader, const struct rcs_cell *cell, const char *code, const char *const *words,
                     size_t count);

/*
 * The index of `name` among what `section` (scenarios, failures, waits, budgets, messages) declares; RECOURSE_NONE, with a
 * finding `undeclared`, if it is not there. Broken sections add none.
 */
uint16_t rcs_find_name(struct rcs_reader *reader, enum rcs_section section, const char *name, struct rcs_place place);
/* The same for a whole cell that may be `-`: RECOURSE_NONE. */
uint16_t rcs_read_reference(struct rcs_reader *reader, enum rcs_section section, const struct rcs_cell *cell);

/* ---- sections ---- */

void rcs_read_settings(struct rcs_reader *reader);
void rcs_read_scenarios(struct rcs_reader *reader);
void rcs_read_tools(struct rcs_reader *reader);
void rcs_read_messages(struct rcs_reader *reader);
void rcs_read_failures(struct rcs_reader *reader);
void rcs_read_budgets(struct rcs_reader *reader);
void rcs_read_breakers(struct rcs_reader *reader);
void rcs_read_waits(struct rcs_reader *reader);
void rcs_read_states(struct rcs_reader *reader);
void rcs_read_examples(struct rcs_reader *reader);

/* A `when` cell (read_when.c). */
bool rcs_read_when(struct rcs_cursor *cursor, struct rcs_spec_atom **atoms, size_t *count);
/* An `if` cell (read_guard.c). `budgets`: there is a section for them. */
bool rcs_read_guard(struct rcs_cursor *cursor, uint8_t table, bool budgets, struct rcs_guard *guard);
void rcs_guard_all(struct rcs_guard *guard);
/* A `facts` cell (read_facts.c). */
bool rcs_read_facts(struct rcs_cursor *cursor, struct recourse_facts *facts);
/* Comma list of words (words.c), appended. */
bool rcs_read_words(struct rcs_cursor *cursor, const struct rcs_spec *spec, struct rcs_word **words, size_t *count);
/* The fixed event or failure of that name; RECOURSE_NONE. */
uint16_t rcs_event_of_name(const struct rcs_spec *spec, const char *name);
/* Whether a JSON pointer is one (RFC 6901). */
bool rcs_is_pointer(const char *text);

/* ---- digests (digest.c) ---- */

/* What the behaviour digest is taken of. */
const char *rcs_behaviour_text(const struct rcs_reader *reader);
void rcs_digest(const char *text, size_t size, uint8_t digest[32]);

#endif
