/* What each row says to whom: labels, messages, reminders; and one wait for each failure. */
#include "gen/check.h"

static const char *next_words(uint8_t next)
{
    static const char *const words[RCS_NEXT_COUNT] = {"attempt", "backoff or exhausted", "exhausted", "reported"};

    return words[next];
}

/* A row that goes on tells nobody. */
static void check_going_on(const struct rcs_check *check, const struct rcs_spec_row *row)
{
    const struct rcs_spec *spec = check->spec;

    if (row->message != RECOURSE_NONE) {
        rcs_find(check->findings, RCS_ERROR, "message", row->message_place, row->id, NULL,
                 "row %s goes on to %s, so its message would never be read; write '-'", row->id, next_words(row->next));
    }
    if (row->next != RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
        if (row->scenario != RECOURSE_NONE) {
            rcs_find(check->findings, RCS_ERROR, "label", row->scenario_place, row->id, NULL,
                     "row %s goes on to %s, so it ends in no scenario; write '-'", row->id, next_words(row->next));
        }
        return;
    }
    if (row->scenario == RECOURSE_NONE) {
        rcs_find(check->findings, RCS_ERROR, "label", row->scenario_place, row->id, NULL,
                 "row %s waits and needs the label of a scenario that tells nobody", row->id);
    } else if (spec->scenarios[row->scenario].tell != RECOURSE_TELL_NOBODY) {
        rcs_find(check->findings, RCS_ERROR, "label", row->scenario_place, row->id, NULL,
                 "row %s waits, but scenario '%s' tells the %s; a label for waiting tells nobody", row->id,
                 spec->scenarios[row->scenario].label, recourse_tell_name(spec->scenarios[row->scenario].tell));
    }
}

static bool takes_only_ok(const struct rcs_spec_row *row)
{
    return !row->other && row->event_count == 1 && row->events[0] == RECOURSE_EVENT_OK;
}

static bool takes_ok(const struct rcs_spec_row *row)
{
    for (size_t i = 0; i < row->event_count; i++) {
        if (row->events[i] == RECOURSE_EVENT_OK) {
            return true;
        }
    }
    return false;
}

static void check_reminder(const struct rcs_check *check, const struct rcs_spec_row *row,
                           const struct rcs_spec_scenario *scenario)
{
    const struct rcs_spec_message *message = &check->spec->messages[row->message];

    if (scenario->reminder == RECOURSE_REMINDER_YES && !message->has_reminder) {
        rcs_find(check->findings, RCS_ERROR, "reminder", row->message_place, row->id, NULL,
                 "scenario '%s' has the reminder, message '%s' has no {reminder}", scenario->label, message->id);
    }
    if (scenario->reminder != RECOURSE_REMINDER_YES && message->has_reminder) {
        rcs_find(check->findings, RCS_ERROR, "reminder", row->message_place, row->id, NULL,
                 "scenario '%s' has no reminder, message '%s' has {reminder}", scenario->label, message->id);
    }
}

static void check_reporting(const struct rcs_check *check, const struct rcs_spec_row *row)
{
    const struct rcs_spec_scenario *scenario;

    if (row->scenario == RECOURSE_NONE) {
        rcs_find(check->findings, RCS_ERROR, "label", row->scenario_place, row->id, NULL,
                 "row %s reports and needs the label of a scenario", row->id);
        return;
    }
    scenario = &check->spec->scenarios[row->scenario];
    if (scenario->tell == RECOURSE_TELL_NOBODY) {
        rcs_find(check->findings, RCS_ERROR, "label", row->scenario_place, row->id, NULL,
                 "row %s reports, but scenario '%s' tells nobody", row->id, scenario->label);
        return;
    }
    if (takes_ok(row)) {
        if (!takes_only_ok(row)) {
            rcs_find(check->findings, RCS_ERROR, "label", row->on_place, row->id, NULL,
                     "row %s takes 'ok' and failures alike; give 'ok' a row of its own", row->id);
        } else if (scenario->reminder == RECOURSE_REMINDER_YES || scenario->tell != RECOURSE_TELL_MODEL) {
            rcs_find(check->findings, RCS_ERROR, "label", row->scenario_place, row->id, NULL,
                     "row %s is a success, but scenario '%s' does not simply tell the model", row->id, scenario->label);
        } else if (row->message != RECOURSE_NONE) {
            rcs_find(check->findings, RCS_ERROR, "message", row->message_place, row->id, NULL,
                     "row %s is a success: the model reads the tool's own answer; write '-'", row->id);
        }
        return;
    }
    if (row->scenario == 0) {
        rcs_find(check->findings, RCS_ERROR, "label", row->scenario_place, row->id, NULL,
                 "row %s is no success; scenario 'ok' is kept for the event ok", row->id);
        return;
    }
    if (row->message != RECOURSE_NONE) {
        check_reminder(check, row, scenario);
    } else if (scenario->tell == RECOURSE_TELL_MODEL || scenario->reminder == RECOURSE_REMINDER_YES) {
        rcs_find(check->findings, RCS_ERROR, "message", row->message_place, row->id, NULL,
                 "row %s tells the model and needs a message", row->id);
    }
}

/* A failure goes through one wait only: two schedules for one failure could not be told apart by a reader of a log. */
static void check_one_wait(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;

    for (size_t i = 0; i < spec->row_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct rcs_spec_row *a = &spec->rows[j];
            const struct rcs_spec_row *b = &spec->rows[i];

            if (a->wait == RECOURSE_NONE || b->wait == RECOURSE_NONE || a->wait == b->wait) {
                continue;
            }
            for (size_t e = 0; e < a->event_count * b->event_count; e++) {
                uint16_t event = a->events[e % a->event_count];

                if (event == b->events[e / a->event_count]) {
                    rcs_find(check->findings, RCS_ERROR, "one-wait", b->wait_place,
                             rcs_arena_format(check->findings->arena, "%s, %s", a->id, b->id), NULL,
                             "'%s' waits by '%s' here and by '%s' in row %s; a failure goes through one wait only",
                             rcs_spec_event_name(spec, event), spec->waits[b->wait].id, spec->waits[a->wait].id, a->id);
                }
            }
        }
    }
}

static void check_setting(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;

    for (size_t i = 0; i < spec->scenario_count; i++) {
        if (spec->scenarios[i].reminder == RECOURSE_REMINDER_YES && spec->settings.reminder[0] == '\0') {
            rcs_find(check->findings, RCS_ERROR, "reminder", spec->setting_places.reminder, NULL, NULL,
                     "scenario '%s' has the reminder, but the setting 'reminder' is none", spec->scenarios[i].label);
            return;
        }
    }
}

void rcs_check_rows(const struct rcs_check *check)
{
    for (size_t i = 0; i < check->spec->row_count; i++) {
        const struct rcs_spec_row *row = &check->spec->rows[i];

        if (row->next == RCS_NEXT_REPORTED) {
            check_reporting(check, row);
        } else {
            check_going_on(check, row);
        }
    }
    check_one_wait(check);
    check_setting(check);
}

/* ---- names that nothing uses ---- */

static void unused(const struct rcs_check *check, struct rcs_place place, const char *what, const char *name)
{
    rcs_find(check->findings, RCS_WARNING, "unused", place, NULL, NULL, "%s '%s' is used by no row", what, name);
}

void rcs_check_names(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;
    bool *scenarios = rcs_arena_alloc(check->findings->arena, spec->scenario_count + 1);
    bool *waits = rcs_arena_alloc(check->findings->arena, spec->wait_count + 1);
    bool *messages = rcs_arena_alloc(check->findings->arena, spec->message_count + 1);

    for (size_t i = 0; i < spec->row_count; i++) {
        const struct rcs_spec_row *row = &spec->rows[i];

        if (row->scenario != RECOURSE_NONE) {
            scenarios[row->scenario] = true;
        }
        if (row->wait != RECOURSE_NONE) {
            waits[row->wait] = true;
        }
        if (row->message != RECOURSE_NONE) {
            messages[row->message] = true;
        }
    }
    for (size_t i = 1; i < spec->scenario_count; i++) {
        if (!scenarios[i]) {
            unused(check, spec->scenarios[i].place, "scenario", spec->scenarios[i].label);
        }
    }
    for (size_t i = 0; i < spec->wait_count; i++) {
        if (!waits[i]) {
            unused(check, spec->waits[i].place, "wait", spec->waits[i].id);
        }
    }
    for (size_t i = 0; i < spec->message_count; i++) {
        if (!messages[i]) {
            unused(check, spec->messages[i].place, "message", spec->messages[i].id);
        }
    }
}
