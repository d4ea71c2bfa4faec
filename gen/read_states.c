#include <string.h>

#include "gen/read.h"

enum { ID, ON, IF, NEXT, WAIT, SCENARIO, MESSAGE, COLUMN_COUNT };

/* Where a column is optional, every one of its cells is `-`. */
static const struct rcs_column columns[RECOURSE_REPORTED][COLUMN_COUNT] = {
    [RECOURSE_PRECONDITION] = {{.name = "id"},
                               {.name = "on"},
                               {.name = "if", .optional = true},
                               {.name = "next"},
                               {.name = "wait", .optional = true},
                               {.name = "scenario"},
                               {.name = "message"}},
    [RECOURSE_ATTEMPT] = {{.name = "id"},
                          {.name = "on"},
                          {.name = "if"},
                          {.name = "next"},
                          {.name = "wait"},
                          {.name = "scenario"},
                          {.name = "message"}},
    [RECOURSE_BACKOFF] = {{.name = "id"},
                          {.name = "on"},
                          {.name = "if", .optional = true},
                          {.name = "next"},
                          {.name = "wait", .optional = true},
                          {.name = "scenario"},
                          {.name = "message"}},
    [RECOURSE_EXHAUSTED] = {{.name = "id"},
                            {.name = "on"},
                            {.name = "if"},
                            {.name = "next"},
                            {.name = "wait", .optional = true},
                            {.name = "scenario"},
                            {.name = "message"}},
};

static const char *const nexts[] = {
    [RCS_NEXT_ATTEMPT] = "attempt",
    [RCS_NEXT_BACKOFF_OR_EXHAUSTED] = "backoff or exhausted",
    [RCS_NEXT_EXHAUSTED] = "exhausted",
    [RCS_NEXT_REPORTED] = "reported",
};
_Static_assert(sizeof nexts / sizeof *nexts == RCS_NEXT_COUNT, "a word for each");

/* ---- on ---- */

static void unknown_event(struct rcs_reader *reader, uint8_t table, const char *name, struct rcs_place place)
{
    const struct rcs_spec *spec = reader->spec;
    const char *names[RECOURSE_EVENT_FAILURE + RECOURSE_FAILURES_MAX + 1];
    size_t count = 0;

    for (unsigned event = 0; event < rcs_event_end(spec); event++) {
        if (rcs_event_in_table(spec, table, (uint16_t)event)) {
            names[count++] = rcs_spec_event_name(spec, (uint16_t)event);
        }
    }
    names[count++] = "other";
    rcs_complain(reader, "event", place, "'%s' is no event of %s: there are %s", name,
                 rcs_section_name((enum rcs_section)(RCS_SECTION_PRECONDITION + table)) + 4,
                 rcs_list_nearest(reader->arena, name, names, count));
}

static bool has_event(const struct rcs_spec_row *row, uint16_t event)
{
    for (size_t i = 0; i < row->event_count; i++) {
        if (row->events[i] == event) {
            return true;
        }
    }
    return false;
}

/* One word of an `on` cell. Returns false where reading the cell makes no more sense. */
static bool read_event(struct rcs_reader *reader, struct rcs_cursor *cursor, struct rcs_spec_row *row)
{
    struct rcs_place place = rcs_here(cursor);
    const char *name;
    uint16_t event;

    if (!rcs_take_name(cursor, "an event, or other", &name)) {
        return false;
    }
    event = rcs_event_of_name(reader->spec, name);
    if (strcmp(name, "other") == 0) {
        if (row->event_count > 0 || rcs_at(cursor, RCS_TOKEN_COMMA)) {
            rcs_complain(reader, "other-alone", place, "'other' stands alone in its cell");
            return false;
        }
        row->other = true;
    } else if (event == RECOURSE_NONE && reader->broken[RCS_SECTION_FAILURES] &&
               (row->table == RECOURSE_ATTEMPT || row->table == RECOURSE_EXHAUSTED)) {
        return false; /* it may be a failure whose row can't be read */
    } else if (event == RECOURSE_NONE || !rcs_event_in_table(reader->spec, row->table, event)) {
        unknown_event(reader, row->table, name, place);
        return false;
    } else if (has_event(row, event)) {
        rcs_complain(reader, "repeated-name", place, "'%s' stands here twice", name);
        return false;
    } else {
        *(uint16_t *)rcs_arena_push(reader->arena, &row->events, &row->event_count, sizeof *row->events) = event;
    }
    return true;
}

static bool read_on(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_row *row)
{
    struct rcs_cursor cursor;

    rcs_open_cell(reader, &cursor, cell);
    do {
        if (!read_event(reader, &cursor, row)) {
            return false;
        }
    } while (rcs_accept(&cursor, RCS_TOKEN_COMMA));
    return rcs_take_end(&cursor, "a comma, or nothing");
}

/* ---- if ---- */

static bool only_ok(const struct rcs_spec_row *row)
{
    return row->event_count == 1 && row->events[0] == RECOURSE_EVENT_OK;
}

static void read_if(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_row *row)
{
    struct rcs_guard all;
    struct rcs_cursor cursor;

    rcs_guard_all(&all);
    rcs_open_cell(reader, &cursor, cell);
    row->if_place = cell->place;
    row->guard_text = rcs_cell_canonical(reader->arena, cursor.text, cursor.size, false);
    if (row->table == RECOURSE_PRECONDITION || has_event(row, RECOURSE_EVENT_ELAPSED)) {
        if (strcmp(row->guard_text, "-") != 0) {
            rcs_complain(reader, "guard", cell->place,
                         row->table == RECOURSE_PRECONDITION ? "there are no guards in this table: expected '-'"
                                                             : "'elapsed' leads to attempt in any case: expected '-'");
        }
        return;
    }
    if (rcs_read_guard(&cursor, row->table, reader->headings[RCS_SECTION_BUDGETS].line > 0, &row->guard) &&
        only_ok(row) &&
        (row->guard.safety != all.safety || row->guard.acted != all.acted)) {
        rcs_complain(
            reader, "guard", cell->place,
            "a success is neither safe nor unsafe to try again, and whether it acted is not asked: expected '-', first "
            "try or later try");
    }
}

/* ---- next ---- */

/* Why `event` may not lead to `next`; NULL if it may. */
static const char *forbids(uint8_t table, uint16_t event, uint8_t next)
{
    switch (next) {
    case RCS_NEXT_ATTEMPT:
        if (table == RECOURSE_PRECONDITION) {
            return event == RECOURSE_EVENT_READY ? NULL : "in precondition, only 'ready' leads to attempt";
        }
        if (table == RECOURSE_BACKOFF) {
            return event == RECOURSE_EVENT_ELAPSED ? NULL : "in backoff, only 'elapsed' leads to attempt";
        }
        return "attempt follows precondition and backoff only: expected reported, or from attempt exhausted or "
               "'backoff or "
               "exhausted'";
    case RCS_NEXT_REPORTED:
        return NULL;
    default:
        if (table != RECOURSE_ATTEMPT) {
            return "exhausted and 'backoff or exhausted' follow attempt only: expected reported";
        }
        if (event == RECOURSE_EVENT_OK || event == RECOURSE_EVENT_CANCELLED) {
            return "'ok' and 'cancelled' lead to reported";
        }
        if (event == RECOURSE_EVENT_UNRECORDED) {
            return "what can't be recorded was not tried, and is not tried again: expected reported";
        }
        if (event == RECOURSE_EVENT_DEADLINE && next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
            return "after the deadline nothing is tried again: expected exhausted or reported";
        }
        return NULL;
    }
}

static void check_next(struct rcs_reader *reader, const struct rcs_spec_row *row)
{
    const char *why = row->other ? forbids(row->table, RECOURSE_EVENT_FAILURE, row->next) : NULL;

    for (size_t i = 0; i < row->event_count && why == NULL; i++) {
        why = forbids(row->table, row->events[i], row->next);
    }
    if (why != NULL) {
        rcs_complain(reader, "next", row->next_place, "%s", why);
    }
}

static void check_wait(struct rcs_reader *reader, const struct rcs_spec_row *row, const struct rcs_cell *cell)
{
    bool waits = row->next == RCS_NEXT_BACKOFF_OR_EXHAUSTED;
    bool written = cell != NULL && !rcs_cell_is(&reader->document, cell, "-");

    if (waits && !written) {
        rcs_complain(reader, "wait", row->wait_place,
                     "'backoff or exhausted' needs a wait: name one of the table Waits");
    } else if (!waits && written) {
        rcs_complain(reader, "wait", row->wait_place, "only 'backoff or exhausted' waits: expected '-'");
    }
}

static void read_next(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_row *row,
                      bool events_known)
{
    size_t next = rcs_read_word(reader, cell, "next", nexts, RCS_NEXT_COUNT);

    row->next = (uint8_t)next;
    if (next < RCS_NEXT_COUNT && events_known) {
        check_next(reader, row);
    }
}

/* ---- rows ---- */

static const struct rcs_cell *cell_at(const struct rcs_table_row *row, size_t at)
{
    return at == RCS_NO_COLUMN ? NULL : &row->cells[at];
}

static void read_wait(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_row *row)
{
    row->wait_place = cell == NULL ? row->place : cell->place;
    row->wait = RECOURSE_NONE;
    if (row->next < RCS_NEXT_COUNT) {
        check_wait(reader, row, cell);
    }
    if (cell != NULL && row->next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
        row->wait = rcs_read_reference(reader, RCS_SECTION_WAITS, cell);
    }
}

static void read_row(struct rcs_reader *reader, const struct rcs_table_row *in, const size_t *at, uint8_t table)
{
    struct rcs_spec *spec = reader->spec;
    struct rcs_spec_row *row = rcs_arena_push(reader->arena, &spec->rows, &spec->row_count, sizeof *spec->rows);
    const struct rcs_cell *guard = cell_at(in, at[IF]);
    const struct rcs_cell *scenario = &in->cells[at[SCENARIO]];
    const struct rcs_cell *message = &in->cells[at[MESSAGE]];
    bool events_known;

    row->table = table;
    row->place = row->if_place = in->place;
    row->on_place = in->cells[at[ON]].place;
    row->next_place = in->cells[at[NEXT]].place;
    row->scenario_place = scenario->place;
    row->message_place = message->place;
    row->guard_text = "-";
    rcs_guard_all(&row->guard);
    row->id = rcs_read_row_id(reader, &in->cells[at[ID]]);
    events_known = read_on(reader, &in->cells[at[ON]], row);
    if (guard != NULL) {
        read_if(reader, guard, row);
    }
    read_next(reader, &in->cells[at[NEXT]], row, events_known);
    read_wait(reader, cell_at(in, at[WAIT]), row);
    row->scenario = rcs_read_reference(reader, RCS_SECTION_SCENARIOS, scenario);
    row->message = rcs_read_reference(reader, RCS_SECTION_MESSAGES, message);
}

static void read_precondition(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    read_row(reader, row, at, RECOURSE_PRECONDITION);
}

static void read_attempt(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    read_row(reader, row, at, RECOURSE_ATTEMPT);
}

static void read_backoff(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    read_row(reader, row, at, RECOURSE_BACKOFF);
}

static void read_exhausted(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    read_row(reader, row, at, RECOURSE_EXHAUSTED);
}

/* In attempt, `other` takes `deadline` where no row names it: then it can't lead to a wait. */
static void check_other(struct rcs_reader *reader)
{
    const struct rcs_spec *spec = reader->spec;
    const char *why = forbids(RECOURSE_ATTEMPT, RECOURSE_EVENT_DEADLINE, RCS_NEXT_BACKOFF_OR_EXHAUSTED);
    bool named = false;

    for (size_t i = 0; i < spec->row_count; i++) {
        named =
            named || (spec->rows[i].table == RECOURSE_ATTEMPT && has_event(&spec->rows[i], RECOURSE_EVENT_DEADLINE));
    }
    for (size_t i = 0; i < spec->row_count && !named; i++) {
        const struct rcs_spec_row *row = &spec->rows[i];

        if (row->table == RECOURSE_ATTEMPT && row->other && row->next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
            reader->row = row->id;
            rcs_complain(reader, "next", row->next_place, "'other' takes in deadline, which no row names, and %s", why);
        }
    }
    reader->row = NULL;
}

void rcs_read_states(struct rcs_reader *reader)
{
    static rcs_row_reader *const readers[] = {
        [RECOURSE_PRECONDITION] = read_precondition,
        [RECOURSE_ATTEMPT] = read_attempt,
        [RECOURSE_BACKOFF] = read_backoff,
        [RECOURSE_EXHAUSTED] = read_exhausted,
    };

    for (unsigned table = 0; table < RECOURSE_REPORTED; table++) {
        enum rcs_section section = (enum rcs_section)(RCS_SECTION_PRECONDITION + table);

        reader->spec->state_places[table] = reader->headings[section];
        rcs_read_table(reader, section, columns[table], COLUMN_COUNT, readers[table]);
    }
    if (!reader->broken[RCS_SECTION_ATTEMPT]) {
        check_other(reader);
    }
}
