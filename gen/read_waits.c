#include <string.h>

#include "gen/read.h"

enum { ID, DELAYS, COUNTS, JITTER, SERVER_DELAY, TIMES, HOW, COST, COLUMN_COUNT };
static const struct rcs_column columns[] = {
    [ID] = {.name = "id"},
    [DELAYS] = {.name = "delays"},
    [COUNTS] = {.name = "counts"},
    [JITTER] = {.name = "jitter"},
    [SERVER_DELAY] = {.name = "server delay"},
    [TIMES] = {.name = "times", .optional = true},
    [HOW] = {.name = "how", .optional = true},
    [COST] = {.name = "cost", .optional = true},
};

static bool read_growth(struct rcs_cursor *cursor, struct rcs_spec_wait *wait)
{
    uint64_t last = wait->delays_ms[wait->delay_count - 1];

    wait->cap_ms = RECOURSE_FOREVER;
    if (!rcs_at(cursor, RCS_TOKEN_FACTOR)) {
        return true;
    }
    wait->grows = true;
    if (last == 0) {
        rcs_cursor_error(cursor, "range", "a delay of 0s does not grow: begin with more");
        return false;
    }
    if (!rcs_take_factor(cursor, &wait->growth_num, &wait->growth_den)) {
        return false;
    }
    return !rcs_accept_words(cursor, "up to") || rcs_take_duration(cursor, "a duration like 120s", last, &wait->cap_ms);
}

/* `0s, 400ms x2 up to 120s` */
static void read_delays(struct rcs_cursor *cursor, struct rcs_spec_wait *wait)
{
    do {
        uint64_t ms;

        if (wait->delay_count == RECOURSE_TRIES_MAX) {
            rcs_cursor_error(cursor, "too-many", "a wait has at most %u delays", RECOURSE_TRIES_MAX);
            return;
        }
        if (!rcs_take_duration(cursor, "a duration like 200ms", 0, &ms)) {
            return;
        }
        *(uint64_t *)rcs_arena_push(cursor->arena, &wait->delays_ms, &wait->delay_count, sizeof *wait->delays_ms) = ms;
    } while (rcs_accept(cursor, RCS_TOKEN_COMMA));
    if (read_growth(cursor, wait)) {
        rcs_take_end(cursor, wait->grows ? "'up to', or nothing: only the last delay grows"
                                         : "a comma, a factor like x2, or nothing");
    }
}

static void read_counts(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_wait *wait)
{
    static const char *const words[] = {"tries", "uses"};

    wait->by_uses = rcs_read_word(reader, cell, "counts", words, 2) == 1;
}

static void read_jitter(struct rcs_cursor *cursor, struct rcs_spec_wait *wait)
{
    static const struct {
        const char *word;
        uint16_t most; /* percent; 0: it has none */
    } jitters[] = {
        [RECOURSE_JITTER_NONE] = {"none", 0},     [RECOURSE_JITTER_FULL] = {"full", 0},
        [RECOURSE_JITTER_EQUAL] = {"equal", 0},   [RECOURSE_JITTER_PLUS] = {"plus", 1000},
        [RECOURSE_JITTER_MINUS] = {"minus", 100}, [RECOURSE_JITTER_WITHIN] = {"within", 100},
    };
    unsigned i = 0;

    _Static_assert(sizeof jitters / sizeof *jitters == RECOURSE_JITTER_COUNT, "an entry for each");
    while (i < RECOURSE_JITTER_COUNT && !rcs_accept_words(cursor, jitters[i].word)) {
        i++;
    }
    if (i == RECOURSE_JITTER_COUNT) {
        rcs_expected(cursor, "none, full, equal, plus 25%, minus 25% or within 25%");
        return;
    }
    wait->jitter = (uint8_t)i;
    if (jitters[i].most == 0 || rcs_take_percent(cursor, 1, jitters[i].most, &wait->jitter_percent)) {
        rcs_take_end(cursor, "nothing after it");
    }
}

/* `obey up to 60s plus 10%, else stop`, from after `obey` */
static bool read_obey(struct rcs_cursor *cursor, struct rcs_spec_wait *wait)
{
    if (!rcs_take_words(cursor, "up to") || !rcs_take_duration(cursor, "a duration like 60s", 1, &wait->server_ms)) {
        return false;
    }
    if (rcs_accept_words(cursor, "plus") && !rcs_take_percent(cursor, 1, 1000, &wait->server_percent)) {
        return false;
    }
    if (!rcs_accept(cursor, RCS_TOKEN_COMMA)) {
        return rcs_expected(cursor, "', else schedule' or ', else stop'");
    }
    if (rcs_accept_words(cursor, "else schedule")) {
        wait->server = RECOURSE_SERVER_OBEY_ELSE_SCHEDULE;
    } else if (rcs_accept_words(cursor, "else stop")) {
        wait->server = RECOURSE_SERVER_OBEY_ELSE_STOP;
    } else {
        return rcs_expected(cursor, "'else schedule' or 'else stop'");
    }
    return true;
}

static void read_server_delay(struct rcs_cursor *cursor, struct rcs_spec_wait *wait)
{
    if (rcs_accept_words(cursor, "ignore")) {
        wait->server = RECOURSE_SERVER_IGNORE;
    } else if (rcs_accept_words(cursor, "obey")) {
        if (!read_obey(cursor, wait)) {
            return;
        }
    } else if (rcs_accept_words(cursor, "within")) {
        wait->server = RECOURSE_SERVER_WITHIN;
        if (!rcs_take_duration(cursor, "a duration like 5s", 1, &wait->server_ms) ||
            !rcs_take_words(cursor, "above schedule")) {
            return;
        }
    } else {
        rcs_expected(
            cursor,
            "ignore, 'obey up to 60s, else schedule', 'obey up to 60s, else stop' or 'within 5s above schedule'");
        return;
    }
    rcs_take_end(cursor, "nothing after it");
}

static void read_times(struct rcs_cursor *cursor, struct rcs_spec_wait *wait)
{
    uint64_t number = 0;

    if (rcs_accept(cursor, RCS_TOKEN_DASH) ||
        rcs_take_number(cursor, "the number of uses (or '-')", 1, RECOURSE_TRIES_MAX, &number)) {
        rcs_take_end(cursor, "nothing after it");
    }
    wait->times = (uint16_t)number;
}

static void read_how(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_wait *wait)
{
    static const char *const words[] = {"again", "in a new session"};

    wait->new_session = rcs_read_word(reader, cell, "how", words, 2) == 1;
}

/* `5 of retries`, or `-` */
static void read_cost(struct rcs_reader *reader, const struct rcs_cell *cell, struct rcs_spec_wait *wait)
{
    struct rcs_cursor cursor;
    struct rcs_place place;
    const char *name;
    uint64_t number = 0;

    rcs_open_cell(reader, &cursor, cell);
    wait->cost_place = cell->place;
    if (rcs_accept(&cursor, RCS_TOKEN_DASH)) {
        rcs_take_end(&cursor, "nothing after '-'");
        return;
    }
    if (!rcs_take_number(&cursor, "tokens of a budget, like '5 of retries', or '-'", 0, RECOURSE_TOKENS_MAX, &number) ||
        !rcs_take_words(&cursor, "of")) {
        return;
    }
    place = rcs_here(&cursor);
    if (rcs_take_name(&cursor, "the name of a budget", &name) && rcs_take_end(&cursor, "nothing after it")) {
        wait->cost = (uint32_t)number;
        wait->budget = rcs_find_name(reader, RCS_SECTION_BUDGETS, name, place);
    }
}

static void read_row(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    struct rcs_spec *spec = reader->spec;
    const char *id = rcs_read_name_id(reader, &row->cells[at[ID]]);
    struct rcs_spec_wait *wait;
    struct rcs_cursor cursor;

    if (id == NULL || spec->wait_count == RECOURSE_WAITS_MAX) {
        if (id != NULL) {
            rcs_complain(reader, "too-many", row->place, "a policy has at most %u waits", RECOURSE_WAITS_MAX);
        }
        reader->broken[RCS_SECTION_WAITS] = true;
        return;
    }
    wait = rcs_arena_push(reader->arena, &spec->waits, &spec->wait_count, sizeof *spec->waits);
    wait->id = id;
    wait->place = row->place;
    wait->budget = RECOURSE_NONE;
    wait->delays_place = row->cells[at[DELAYS]].place;
    rcs_open_cell(reader, &cursor, &row->cells[at[DELAYS]]);
    read_delays(&cursor, wait);
    read_counts(reader, &row->cells[at[COUNTS]], wait);
    rcs_open_cell(reader, &cursor, &row->cells[at[JITTER]]);
    read_jitter(&cursor, wait);
    rcs_open_cell(reader, &cursor, &row->cells[at[SERVER_DELAY]]);
    read_server_delay(&cursor, wait);
    if (at[TIMES] != RCS_NO_COLUMN) {
        rcs_open_cell(reader, &cursor, &row->cells[at[TIMES]]);
        read_times(&cursor, wait);
    }
    if (at[HOW] != RCS_NO_COLUMN) {
        read_how(reader, &row->cells[at[HOW]], wait);
    }
    if (at[COST] != RCS_NO_COLUMN) {
        read_cost(reader, &row->cells[at[COST]], wait);
    }
}

void rcs_read_waits(struct rcs_reader *reader)
{
    rcs_read_table(reader, RCS_SECTION_WAITS, columns, COLUMN_COUNT, read_row);
}
