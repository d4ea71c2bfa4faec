/* The worst cases and all runs, on the page: what `recourse paths` says, with links. */
#include "explain_page.h"

#include <string.h>

#include "cli.h"
#include "paths_out.h"
#include "waits_out.h"

#define WINDOWS_READ 6u

static void add(struct rcs_string *out, const char *text)
{
    rcs_append_text(out, text);
}

static void add_count(struct rcs_string *out, unsigned count, const char *one, const char *more)
{
    add(out, rcs_arena_format(out->arena, "%u %s", count, count == 1 ? one : more));
}

static void add_range(struct rcs_string *out, unsigned min, unsigned max)
{
    if (min != max) {
        add(out, rcs_arena_format(out->arena, "%u to ", min));
    }
    add_count(out, max, "try", "tries");
}

static void add_waiting(struct rcs_string *out, uint64_t least_ms, uint64_t most_ms)
{
    char text[RCS_DURATION_SIZE];

    if (most_ms == 0) {
        add(out, "no waiting");
        return;
    }
    if (least_ms != most_ms) {
        add(out, rcs_duration_text(least_ms, text));
        add(out, " to ");
    }
    add(out, rcs_duration_text(most_ms, text));
    add(out, " of waiting");
}

static void add_events(struct rcs_string *out, const struct rcs_spec *spec, const uint8_t *events)
{
    const char *between = "<code>";

    for (uint16_t event = 0; event < rcs_event_end(spec); event++) {
        if (events[event] != 0) {
            add(out, between);
            rcs_page_text(out, rcs_spec_event_name(spec, event));
            add(out, rcs_form_text(event, events[event]));
            between = "</code> | <code>";
        }
    }
    add(out, "</code>");
}

static void add_report(struct rcs_string *out, const struct rcs_spec *spec, uint16_t scenario, uint16_t message)
{
    const struct rcs_spec_scenario *told = &spec->scenarios[scenario];

    add(out, "<strong>");
    rcs_page_text(out, told->label);
    add(out, "</strong> to ");
    add(out, recourse_tell_name(told->tell));
    add(out, rcs_reminder_text(told->reminder));
    if (message != RECOURSE_NONE) {
        add(out, ", message ");
        rcs_page_text(out, spec->messages[message].id);
    }
}

/* ---- the worst ---- */

static void add_twice(struct rcs_string *out, const struct rcs_paths *paths)
{
    add(out, "<h3>Done twice</h3>\n");
    if (paths->twice_count == 0) {
        add(out, "<p>Never: what is tried again did nothing, or the tool is safe.</p>\n");
        return;
    }
    add(out, "<ul>\n");
    for (size_t i = 0; i < paths->twice_count; i++) {
        add(out, "<li><code>");
        rcs_page_text(out, paths->spec->failures[paths->twice[i].failure].name);
        add(out, "</code>, tried again by ");
        rcs_page_row(out, paths->spec->rows[paths->twice[i].row].id);
        add(out, " although a tool that is not safe may have acted: ");
        rcs_page_run(out, paths->twice[i].witness);
        add(out, "</li>\n");
    }
    add(out, "</ul>\n");
}

static void add_retries(struct rcs_string *out, const struct rcs_paths *paths)
{
    add(out, paths->retry_count == 0 ? "<h3>Tried again</h3>\n<p>Nothing.</p>\n" : "<h3>Tried again</h3>\n<ul>\n");
    for (size_t i = 0; i < paths->retry_count; i++) {
        const struct rcs_spec_row *row = &paths->spec->rows[paths->retries[i].row];
        const struct rcs_spec_wait *wait = &paths->spec->waits[row->wait];

        add(out, "<li>");
        add_events(out, paths->spec, paths->retries[i].events);
        add(out, " ");
        rcs_page_row(out, row->id);
        add(out, ": wait ");
        rcs_page_text(out, wait->id);
        add(out, ", ");
        add(out, rcs_windows_text(out->arena, paths->spec, wait, WINDOWS_READ));
        add(out, "</li>\n");
    }
    add(out, paths->retry_count == 0 ? "" : "</ul>\n");
}

static void add_endings(struct rcs_string *out, const struct rcs_paths *paths)
{
    add(out, "<h3>Endings</h3>\n<ul>\n");
    for (size_t i = 0; i < paths->report_count; i++) {
        add(out, "<li>");
        add_report(out, paths->spec, paths->reports[i].scenario, paths->reports[i].message);
        add(out, ":");
        for (size_t row = 0; row < paths->spec->row_count; row++) {
            if (paths->reports[i].rows[row]) {
                add(out, " ");
                rcs_page_row(out, paths->spec->rows[row].id);
            }
        }
        add(out, "</li>\n");
    }
    add(out, "</ul>\n");
}

void rcs_page_worst(const struct rcs_paths *paths, struct rcs_string *out)
{
    const struct rcs_worst *worst = paths->worst;
    char text[RCS_DURATION_SIZE];

    add(out, "<p class=\"figures\">At most <strong>");
    add_count(out, worst->tries, "try", "tries");
    add(out, "</strong>, <strong>");
    add_count(out, worst->requests, "request", "requests");
    add(out, "</strong>, <strong>");
    add(out, rcs_duration_text(worst->wait_ms, text));
    add(out, "</strong> of waiting");
    if (*worst->witness != '\0') {
        add(out, ": ");
        rcs_page_run(out, worst->witness);
    }
    add(out, "</p>\n");
    add_twice(out, paths);
    add_retries(out, paths);
    add_endings(out, paths);
}

/* ---- all runs ---- */

static void add_runs(struct rcs_string *out, uint64_t runs)
{
    if (runs == UINT64_MAX) {
        add(out, "more runs than can be counted");
    } else {
        add(out, rcs_arena_format(out->arena, "%llu %s", (unsigned long long)runs, runs == 1 ? "run" : "runs"));
    }
}

/* Returns how many ends it has written as one. */
static size_t add_end(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_path_line *line, size_t at)
{
    const struct rcs_path_end *end = &line->ends[at];
    const char *between = ", ";
    size_t count = 0;

    add_events(out, spec, end->events);
    add(out, line->in_wait ? " in the wait " : " ");
    rcs_page_row(out, spec->rows[end->row].id);
    if (end->ended != RECOURSE_NONE) {
        add(out, " ");
        rcs_page_row(out, spec->rows[end->ended].id);
    }
    while (at + count < line->end_count && rcs_same_but_reason(spec, end, &line->ends[at + count])) {
        if (line->ends[at + count].reason != RECOURSE_REASON_NONE) {
            add(out, between);
            add(out, recourse_reason_name(line->ends[at + count].reason));
            between = " or ";
        }
        count++;
    }
    return count;
}

static void add_line(struct rcs_string *out, const struct rcs_spec *spec, const struct rcs_path_group *group,
                     const struct rcs_path_line *line)
{
    add(out, "<li>");
    add_report(out, spec, line->scenario, line->message);
    if (line->tries_min != group->tries_min || line->tries_max != group->tries_max) {
        add(out, ", after ");
        add_range(out, line->tries_min, line->tries_max);
    }
    if (line->least_ms != group->least_ms || line->most_ms != group->most_ms) {
        add(out, ", ");
        add_waiting(out, line->least_ms, line->most_ms);
    }
    for (size_t i = 0; i < line->end_count;) {
        add(out, i == 0 ? ": " : "; ");
        i += add_end(out, spec, line, i);
    }
    add(out, " <span class=\"runs\">(");
    add_runs(out, line->runs);
    add(out, ")</span></li>\n");
}

/* What the runs of a group have waited for. */
static void add_way(struct rcs_string *out, const struct rcs_paths *paths, const struct rcs_path_group *group)
{
    const struct rcs_spec *spec = paths->spec;
    const char *between = ": ";

    for (size_t w = 0; w < spec->wait_count && paths->fold == RCS_FOLD_WAITS; w++) {
        if (group->uses[w] > 0) {
            add(out, rcs_arena_format(out->arena, "%s%u %s", between, group->uses[w], spec->waits[w].id));
            between = " and ";
        }
    }
    for (size_t i = 0; i < group->step_count && paths->fold == RCS_FOLD_ROWS; i++) {
        add(out, between);
        add_events(out, spec, group->steps[i].events);
        add(out, " ");
        add(out, spec->rows[group->steps[i].row].id); /* no link: it stands in what is clicked to open */
        between = ", ";
    }
}

static void add_group(struct rcs_string *out, const struct rcs_paths *paths, size_t index)
{
    const struct rcs_path_group *group = &paths->groups[index];

    add(out, index < 2 ? "<details open><summary>" : "<details><summary>");
    if (index == 0) {
        add(out, "No try");
    } else {
        add_range(out, group->tries_min, group->tries_max);
        add(out, ", ");
        add_waiting(out, group->least_ms, group->most_ms);
    }
    add_way(out, paths, group);
    add(out, "</summary>\n<ul>\n");
    for (size_t i = 0; i < group->line_count; i++) {
        add_line(out, paths->spec, group, &group->lines[i]);
    }
    add(out, "</ul></details>\n");
}

void rcs_page_paths(const struct rcs_paths *paths, struct rcs_string *out)
{
    add(out, "<p>");
    add_runs(out, paths->runs);
    add(out, "; ");
    add(out, rcs_fold_text(paths->fold));
    add(out, paths->rough ? "; of times, bounds.</p>\n" : ".</p>\n");
    for (size_t g = 0; g < paths->group_count; g++) {
        if (paths->groups[g].line_count > 0) {
            add_group(out, paths, g);
        }
    }
}
