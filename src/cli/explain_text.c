/* A policy in sentences, row by row. */
#include "explain_page.h"

#include <string.h>

#include "cli.h"
#include "gen/diff.h"
#include "waits_out.h"

#define WINDOWS_READ 6u

static const char *const headings[] = {
    [RECOURSE_PRECONDITION] = "precondition: before the tool is touched",
    [RECOURSE_ATTEMPT] = "attempt: what the tool came to",
    [RECOURSE_BACKOFF] = "backoff: while the call waits for its next try",
    [RECOURSE_EXHAUSTED] = "exhausted: no further try",
};

static const char *const effects[RECOURSE_EFFECT_COUNT] = {
    [RECOURSE_EFFECT_NONE] = "nothing was done",
    [RECOURSE_EFFECT_DONE] = "the tool has acted",
    [RECOURSE_EFFECT_UNKNOWN] = "the tool may have acted",
};

static void add_report(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_spec_row *row)
{
    static const char *const told[RECOURSE_TELL_COUNT] = {"nobody is told", "the model is told", "the run fails, and the host is told"};
    static const char *const reminded[RECOURSE_REMINDER_COUNT] = {"", ", without the reminder", ", with the reminder"};
    const struct rcs_spec_scenario *scenario = &spec->scenarios[row->scenario];

    rcs_append_text(out, rcs_arena_format(out->arena, "%s (%s)%s", told[scenario->tell], scenario->label,
                                          reminded[scenario->reminder]));
    if (row->message != RECOURSE_NONE) {
        rcs_append_text(out, rcs_arena_format(out->arena, ": \"%s\"", spec->messages[row->message].text));
    }
}

static const char *cost_text(struct rcs_arena *arena, const struct rcs_spec *spec, uint16_t wait)
{
    const struct rcs_spec_wait *own = &spec->waits[wait];

    return own->budget == RECOURSE_NONE ? ""
                                        : rcs_arena_format(arena, " for %u %s of budget %s", own->cost,
                                                           own->cost == 1 ? "token" : "tokens",
                                                           spec->budgets[own->budget].budget.id);
}

static void add_next(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_spec_row *row)
{
    switch ((enum rcs_next)row->next) {
    case RCS_NEXT_ATTEMPT:
        rcs_append_text(out, row->table == RECOURSE_BACKOFF ? "the tool is called again" : "the tool is called");
        break;
    case RCS_NEXT_BACKOFF_OR_EXHAUSTED:
        rcs_append_text(out, rcs_arena_format(out->arena, "tried again (%s) after %s [wait %s]%s; where that can't be, exhausted",
                                              spec->scenarios[row->scenario].label,
                                              rcs_windows_text(out->arena, spec, &spec->waits[row->wait], WINDOWS_READ),
                                              spec->waits[row->wait].id, cost_text(out->arena, spec, row->wait)));
        break;
    case RCS_NEXT_EXHAUSTED:
        rcs_append_text(out, "not tried again: exhausted");
        break;
    case RCS_NEXT_REPORTED:
    case RCS_NEXT_COUNT:
        add_report(out, spec, row);
        break;
    }
}

void rcs_explain_row(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_spec_row *row)
{
    for (size_t i = 0; i < row->event_count && !row->other; i++) {
        rcs_append_text(out, i == 0 ? "" : ", ");
        rcs_append_text(out, rcs_spec_event_name(spec, row->events[i]));
    }
    rcs_append_text(out, row->other ? "anything else" : "");
    if (strcmp(row->guard_text, "-") != 0) {
        rcs_append_text(out, rcs_arena_format(out->arena, ", if %s", row->guard_text));
    }
    rcs_append_text(out, ": ");
    add_next(out, spec, row);
}

/* Conditions with commas and `and` between them, as they stand in the file. */
void rcs_explain_failure(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_spec_fact_row *row)
{
    for (size_t i = 0; i < row->atom_count; i++) {
        rcs_append_text(out, i == 0 ? "" : row->atoms[i - 1].atom.last_of_and ? ", " : " and ");
        rcs_append_text(out, row->atoms[i].text);
    }
    rcs_append_text(out, rcs_arena_format(out->arena, ": %s; %s",
                                          row->failure == RECOURSE_NONE ? "ok" : spec->failures[row->failure].name,
                                          effects[row->effect]));
}

static void add_id(struct rcs_string *out, const char *id)
{
    rcs_append_text(out, rcs_arena_format(out->arena, "  %-4s ", id));
}

static void add_shared(struct rcs_string *out, const struct rcs_spec *spec)
{
    if (spec->budget_count > 0) {
        rcs_append_text(out, "\nbudgets: tokens that calls share, and waits take\n");
    }
    for (size_t i = 0; i < spec->budget_count; i++) {
        add_id(out, spec->budgets[i].budget.id);
        rcs_append_text(out, rcs_budget_text(out->arena, &spec->budgets[i].budget));
        rcs_append_text(out, "\n");
    }
    if (spec->breaker_count > 0) {
        rcs_append_text(out, "\nbreakers: when no try is made for a while\n");
    }
    for (size_t i = 0; i < spec->breaker_count; i++) {
        add_id(out, spec->breakers[i].breaker.id);
        rcs_append_text(out, rcs_breaker_text(out->arena, spec, &spec->breakers[i].breaker));
        rcs_append_text(out, "\n");
    }
}

void rcs_explain_text(const struct rcs_loaded *loaded, struct rcs_string *out)
{
    const struct rcs_spec *spec = loaded->spec;
    const struct rcs_worst *worst = &loaded->worst;
    char waiting[RCS_DURATION_SIZE];

    rcs_append_text(out, rcs_arena_format(out->arena, "%s: what becomes of a call, row by row\n\nAt most %u %s, %u %s, %s of waiting%s%s\n",
                                          spec->name, worst->tries, worst->tries == 1 ? "try" : "tries", worst->requests,
                                          worst->requests == 1 ? "request" : "requests",
                                          rcs_duration_text(worst->wait_ms, waiting), *worst->witness == '\0' ? "" : ": ",
                                          worst->witness));
    for (uint8_t place = RECOURSE_PRECONDITION; place < RECOURSE_REPORTED; place++) {
        rcs_append_text(out, rcs_arena_format(out->arena, "\n%s\n", headings[place]));
        for (size_t i = 0; i < spec->row_count; i++) {
            if (spec->rows[i].table == place) {
                add_id(out, spec->rows[i].id);
                rcs_explain_row(out, spec, &spec->rows[i]);
                rcs_append_text(out, "\n");
            }
        }
    }
    rcs_append_text(out, "\nfailures: what an answer is taken for, by the first row that holds\n");
    for (size_t i = 0; i < spec->fact_row_count; i++) {
        add_id(out, spec->fact_rows[i].id);
        rcs_explain_failure(out, spec, &spec->fact_rows[i]);
        rcs_append_text(out, "\n");
    }
    add_shared(out, spec);
}
