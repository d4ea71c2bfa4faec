#include <string.h>

#include "gen/read.h"

enum { SCENARIO, TELL, REMINDER, MEANING, COLUMN_COUNT };
static const struct rcs_column columns[] = {
    [SCENARIO] = {.name = "scenario"},
    [TELL] = {.name = "tell"},
    [REMINDER] = {.name = "reminder"},
    [MEANING] = {.name = "meaning"},
};

static const char *const tells[] = {
    [RECOURSE_TELL_NOBODY] = "-",
    [RECOURSE_TELL_MODEL] = "model",
    [RECOURSE_TELL_HOST] = "host",
};
_Static_assert(sizeof tells / sizeof *tells == RECOURSE_TELL_COUNT, "a word for each");

static const char *const reminders[] = {
    [RECOURSE_REMINDER_NONE] = "-",
    [RECOURSE_REMINDER_NO] = "no",
    [RECOURSE_REMINDER_YES] = "yes",
};
_Static_assert(sizeof reminders / sizeof *reminders == RECOURSE_REMINDER_COUNT, "a word for each");

static const char *read_label(struct rcs_reader *reader, const struct rcs_cell *cell)
{
    const char *label = rcs_cell_copy(&reader->document, cell);

    if (!rcs_is_label(label)) {
        rcs_complain(reader, "id", cell->place,
                     "expected a label: letters, digits or '_', at most 32 in all; found '%s'",
                     rcs_printable(reader->arena, label, strlen(label)));
        return NULL;
    }
    return label;
}

/* The entry that `label` goes to; NULL if it is taken. `ok` is built in, and may be written out once. */
static struct rcs_spec_scenario *entry_of(struct rcs_reader *reader, const char *label, struct rcs_place place)
{
    struct rcs_spec *spec = reader->spec;

    for (size_t i = 0; i < spec->scenario_count; i++) {
        struct rcs_spec_scenario *scenario = &spec->scenarios[i];

        if (strcmp(scenario->label, label) != 0) {
            continue;
        }
        if (scenario->place.line == 0) {
            return scenario;
        }
        rcs_complain(reader, "repeated-name", place, "the scenario '%s' stands in line %u already", label,
                     scenario->place.line);
        return NULL;
    }
    return rcs_arena_push(reader->arena, &spec->scenarios, &spec->scenario_count, sizeof *spec->scenarios);
}

/* Whether the reminder goes with whom the scenario tells. */
static void check_reminder(struct rcs_reader *reader, const struct rcs_spec_scenario *scenario,
                           const struct rcs_table_row *row, const size_t *at)
{
    bool is_ok = strcmp(scenario->label, "ok") == 0;
    struct rcs_place tell = row->cells[at[TELL]].place;
    struct rcs_place reminder = row->cells[at[REMINDER]].place;

    if (is_ok && scenario->tell != RECOURSE_TELL_MODEL) {
        rcs_complain(reader, "tell", tell, "the scenario 'ok' is a success, which tells the model: expected 'model'");
    } else if (is_ok && scenario->reminder == RECOURSE_REMINDER_YES) {
        rcs_complain(reader, "reminder", reminder, "a success carries no reminder: expected '-'");
    } else if (scenario->tell == RECOURSE_TELL_NOBODY && scenario->reminder != RECOURSE_REMINDER_NONE) {
        rcs_complain(reader, "reminder", reminder, "nobody is told, so nobody is reminded: expected '-'");
    } else if (!is_ok && scenario->tell == RECOURSE_TELL_MODEL && scenario->reminder == RECOURSE_REMINDER_NONE) {
        rcs_complain(reader, "reminder", reminder, "the model is told: expected 'yes' or 'no'");
    }
}

static void read_row(struct rcs_reader *reader, const struct rcs_table_row *row, const size_t *at)
{
    const char *label = read_label(reader, &row->cells[at[SCENARIO]]);
    struct rcs_spec_scenario *scenario;
    size_t tell;
    size_t reminder;

    if (label == NULL) {
        reader->broken[RCS_SECTION_SCENARIOS] = true;
        return;
    }
    scenario = entry_of(reader, label, row->place);
    if (scenario == NULL) {
        return;
    }
    scenario->label = label;
    scenario->place = row->place;
    scenario->meaning = rcs_cell_copy(&reader->document, &row->cells[at[MEANING]]);
    tell = rcs_read_word(reader, &row->cells[at[TELL]], "tell", tells, RECOURSE_TELL_COUNT);
    reminder = rcs_read_word(reader, &row->cells[at[REMINDER]], "reminder", reminders, RECOURSE_REMINDER_COUNT);
    if (tell < RECOURSE_TELL_COUNT && reminder < RECOURSE_REMINDER_COUNT) {
        scenario->tell = (uint8_t)tell;
        scenario->reminder = (uint8_t)reminder;
        check_reminder(reader, scenario, row, at);
    }
}

void rcs_read_scenarios(struct rcs_reader *reader)
{
    struct rcs_spec *spec = reader->spec;
    struct rcs_spec_scenario *ok =
        rcs_arena_push(reader->arena, &spec->scenarios, &spec->scenario_count, sizeof *spec->scenarios);

    *ok = (struct rcs_spec_scenario){.label = "ok", .tell = RECOURSE_TELL_MODEL, .meaning = ""};
    rcs_read_table(reader, RCS_SECTION_SCENARIOS, columns, COLUMN_COUNT, read_row);
}
