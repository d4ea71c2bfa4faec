/* recourse paths: every run that a policy allows. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json_out.h"
#include "paths_out.h"
#include "spec_open.h"
#include "waits_out.h"

#define WINDOWS_READ 6u

/* ---- for people ---- */

const char *rcs_form_text(uint16_t event, uint8_t form)
{
    if ((form & RCS_SEEN_ALWAYS) != 0 || form == 0) {
        return "";
    }
    if (event < RECOURSE_EVENT_FAILURE) {
        return form == RCS_SEEN_SAFE ? ":unsent" : ":sent";
    }
    return form == RCS_SEEN_SAFE ? ":safe" : ":unsafe";
}

static void print_events(const struct rcs_spec *spec, const uint8_t *events)
{
    const char *between = "";

    for (uint16_t event = 0; event < rcs_event_end(spec); event++) {
        if (events[event] != 0) {
            printf("%s%s%s", between, rcs_spec_event_name(spec, event), rcs_form_text(event, events[event]));
            between = " | ";
        }
    }
}

static void print_waiting(uint64_t least_ms, uint64_t most_ms)
{
    char least[RCS_DURATION_SIZE];
    char most[RCS_DURATION_SIZE];

    if (most_ms == 0) {
        fputs("no waiting", stdout);
    } else if (least_ms == most_ms) {
        printf("%s of waiting", rcs_duration_text(most_ms, most));
    } else {
        printf("%s to %s of waiting", rcs_duration_text(least_ms, least), rcs_duration_text(most_ms, most));
    }
}

const char *rcs_reminder_text(uint8_t reminder)
{
    static const char *const texts[RECOURSE_REMINDER_COUNT] = {"", ", no reminder", ", reminder"};

    return texts[reminder];
}

static void print_report(const struct rcs_spec *spec, uint16_t scenario, uint16_t message)
{
    const struct rcs_spec_scenario *told = &spec->scenarios[scenario];

    printf("%s to %s%s%s%s", told->label, recourse_tell_name(told->tell), rcs_reminder_text(told->reminder),
           message == RECOURSE_NONE ? "" : ", message ", message == RECOURSE_NONE ? "" : spec->messages[message].id);
}

static void print_summary(const struct rcs_paths *paths)
{
    const struct rcs_worst *worst = paths->worst;
    char text[RCS_DURATION_SIZE];

    printf("%s: what can become of a call\n\n", paths->spec->name);
    printf("At most %u %s, %u %s, %s of waiting", worst->tries, worst->tries == 1 ? "try" : "tries", worst->requests,
           worst->requests == 1 ? "request" : "requests", rcs_duration_text(worst->wait_ms, text));
    printf("%s%s\n", *worst->witness == '\0' ? "" : ": ", worst->witness);
    puts("\nDone twice");
    if (paths->twice_count == 0) {
        puts("- never: what is tried again did nothing, or the tool is safe");
    }
    for (size_t i = 0; i < paths->twice_count; i++) {
        printf("- %s, tried again by %s although a tool that is not safe may have acted: %s\n",
               paths->spec->failures[paths->twice[i].failure].name, paths->spec->rows[paths->twice[i].row].id,
               paths->twice[i].witness);
    }
}

static void print_retries(const struct rcs_paths *paths)
{
    const struct rcs_spec *spec = paths->spec;

    puts("\nTried again");
    if (paths->retry_count == 0) {
        puts("- nothing");
    }
    for (size_t i = 0; i < paths->retry_count; i++) {
        const struct rcs_spec_row *row = &spec->rows[paths->retries[i].row];

        fputs("- ", stdout);
        print_events(spec, paths->retries[i].events);
        printf(" [%s]: wait %s, ", row->id, spec->waits[row->wait].id);
        rcs_windows_print(spec, &spec->waits[row->wait], WINDOWS_READ);
        putchar('\n');
    }
}

static void print_endings(const struct rcs_paths *paths)
{
    puts("\nEndings");
    for (size_t i = 0; i < paths->report_count; i++) {
        fputs("- ", stdout);
        print_report(paths->spec, paths->reports[i].scenario, paths->reports[i].message);
        putchar(':');
        for (uint16_t row = 0; row < paths->spec->row_count; row++) {
            if (paths->reports[i].rows[row]) {
                printf(" %s", paths->spec->rows[row].id);
            }
        }
        putchar('\n');
    }
}

/* "transient [A2], rate_limited [A3]", or how many waits of which kind. */
static void print_way(const struct rcs_paths *paths, const struct rcs_path_group *group)
{
    const struct rcs_spec *spec = paths->spec;
    const char *between = ": ";

    for (size_t w = 0; w < spec->wait_count && paths->fold == RCS_FOLD_WAITS; w++) {
        if (group->uses[w] > 0) {
            printf("%s%u %s", between, group->uses[w], spec->waits[w].id);
            between = " and ";
        }
    }
    for (size_t i = 0; i < group->step_count && paths->fold == RCS_FOLD_ROWS; i++) {
        fputs(between, stdout);
        print_events(spec, group->steps[i].events);
        printf(" [%s]", spec->rows[group->steps[i].row].id);
        between = ", ";
    }
}

static void print_tries(unsigned min, unsigned max)
{
    if (min != max) {
        printf("%u to ", min);
    }
    printf("%u %s", max, max == 1 ? "try" : "tries");
}

static void print_runs(uint64_t runs)
{
    if (runs == UINT64_MAX) {
        fputs("more runs than can be counted", stdout);
    } else {
        printf("%llu %s", (unsigned long long)runs, runs == 1 ? "run" : "runs");
    }
}

bool rcs_same_but_reason(const struct rcs_spec *spec, const struct rcs_path_end *a, const struct rcs_path_end *b)
{
    return a->row == b->row && a->ended == b->ended && memcmp(a->events, b->events, rcs_event_end(spec)) == 0;
}

/* Returns how many ends it has printed as one. */
static size_t print_end(const struct rcs_spec *spec, const struct rcs_path_line *line, size_t at)
{
    const struct rcs_path_end *end = &line->ends[at];
    const char *between = ", ";
    size_t count = 0;

    print_events(spec, end->events);
    printf("%s [%s", line->in_wait ? " in the wait" : "", spec->rows[end->row].id);
    if (end->ended != RECOURSE_NONE) {
        printf(" %s", spec->rows[end->ended].id);
    }
    while (at + count < line->end_count && rcs_same_but_reason(spec, end, &line->ends[at + count])) {
        if (line->ends[at + count].reason != RECOURSE_REASON_NONE) {
            printf("%s%s", between, recourse_reason_name(line->ends[at + count].reason));
            between = " or ";
        }
        count++;
    }
    putchar(']');
    return count;
}

static void print_line(const struct rcs_spec *spec, const struct rcs_path_group *group, const struct rcs_path_line *line)
{
    fputs("- ", stdout);
    print_report(spec, line->scenario, line->message);
    if (line->tries_min != group->tries_min || line->tries_max != group->tries_max) {
        fputs(", after ", stdout);
        print_tries(line->tries_min, line->tries_max);
    }
    if (line->least_ms != group->least_ms || line->most_ms != group->most_ms) {
        fputs(", ", stdout);
        print_waiting(line->least_ms, line->most_ms);
    }
    for (size_t i = 0; i < line->end_count;) {
        fputs(i == 0 ? ": " : "; ", stdout);
        i += print_end(spec, line, i);
    }
    fputs(" (", stdout);
    print_runs(line->runs);
    puts(")");
}

const char *rcs_fold_text(uint8_t fold)
{
    static const char *const texts[RCS_FOLD_COUNT] = {
        "one paragraph for each way to wait", "one paragraph for as many waits of each kind",
        "one paragraph for as many tries", "all that are tried again in one paragraph"};

    return texts[fold];
}

static void print_groups(const struct rcs_paths *paths)
{
    fputs("\nRuns: ", stdout);
    print_runs(paths->runs);
    printf("; %s%s\n", rcs_fold_text(paths->fold), paths->rough ? "; of times, bounds" : "");
    for (size_t g = 0; g < paths->group_count; g++) {
        const struct rcs_path_group *group = &paths->groups[g];

        if (group->line_count == 0) {
            continue;
        }
        putchar('\n');
        if (g == 0) {
            fputs("No try", stdout);
        } else {
            print_tries(group->tries_min, group->tries_max);
            fputs(", ", stdout);
            print_waiting(group->least_ms, group->most_ms);
        }
        print_way(paths, group);
        putchar('\n');
        for (size_t i = 0; i < group->line_count; i++) {
            print_line(paths->spec, group, &group->lines[i]);
        }
    }
}

static void print_text(const struct rcs_paths *paths)
{
    print_summary(paths);
    print_retries(paths);
    print_endings(paths);
    print_groups(paths);
}

/* ---- for programs ---- */

static void write_events(struct rcs_out *out, const struct rcs_spec *spec, const uint8_t *events)
{
    rcs_out_key(out, "events");
    rcs_out_open(out, '[');
    for (uint16_t event = 0; event < rcs_event_end(spec); event++) {
        char name[64];

        if (events[event] != 0) {
            snprintf(name, sizeof name, "%s%s", rcs_spec_event_name(spec, event), rcs_form_text(event, events[event]));
            rcs_out_text(out, name);
        }
    }
    rcs_out_close(out, ']');
}

static void write_report(struct rcs_out *out, const struct rcs_spec *spec, uint16_t scenario, uint16_t message)
{
    const struct rcs_spec_scenario *told = &spec->scenarios[scenario];

    rcs_out_key(out, "scenario");
    rcs_out_text(out, told->label);
    rcs_out_key(out, "tell");
    rcs_out_text(out, recourse_tell_name(told->tell));
    rcs_out_key(out, "reminder");
    if (told->reminder == RECOURSE_REMINDER_NONE) {
        rcs_out_null(out);
    } else {
        rcs_out_bool(out, told->reminder == RECOURSE_REMINDER_YES);
    }
    rcs_out_key(out, "message");
    rcs_out_text(out, message == RECOURSE_NONE ? NULL : spec->messages[message].id);
}

static void write_range(struct rcs_out *out, const char *key, uint64_t least, uint64_t most)
{
    rcs_out_key(out, key);
    rcs_out_open(out, '[');
    rcs_out_number(out, least);
    rcs_out_number(out, most);
    rcs_out_close(out, ']');
}

static void write_row_ids(struct rcs_out *out, const struct rcs_spec *spec, uint16_t row, uint16_t ended)
{
    rcs_out_key(out, "rows");
    rcs_out_open(out, '[');
    rcs_out_text(out, spec->rows[row].id);
    if (ended != RECOURSE_NONE) {
        rcs_out_text(out, spec->rows[ended].id);
    }
    rcs_out_close(out, ']');
}

static void write_line(struct rcs_out *out, const struct rcs_spec *spec, const struct rcs_path_line *line)
{
    rcs_out_open(out, '{');
    write_report(out, spec, line->scenario, line->message);
    write_range(out, "tries", line->tries_min, line->tries_max);
    write_range(out, "wait_ms", line->least_ms, line->most_ms);
    rcs_out_key(out, "in_wait");
    rcs_out_bool(out, line->in_wait);
    rcs_out_key(out, "runs");
    rcs_out_number(out, line->runs);
    rcs_out_key(out, "ends");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < line->end_count; i++) {
        const struct rcs_path_end *end = &line->ends[i];

        rcs_out_open(out, '{');
        write_events(out, spec, end->events);
        write_row_ids(out, spec, end->row, end->ended);
        rcs_out_key(out, "reason");
        rcs_out_text(out, end->reason == RECOURSE_REASON_NONE ? NULL : recourse_reason_name(end->reason));
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
    rcs_out_close(out, '}');
}

static void write_steps(struct rcs_out *out, const char *key, const struct rcs_spec *spec,
                        const struct rcs_path_step *steps, size_t count)
{
    rcs_out_key(out, key);
    rcs_out_open(out, '[');
    for (size_t i = 0; i < count; i++) {
        rcs_out_open(out, '{');
        rcs_out_key(out, "row");
        rcs_out_text(out, spec->rows[steps[i].row].id);
        rcs_out_key(out, "wait");
        rcs_out_text(out, spec->waits[spec->rows[steps[i].row].wait].id);
        write_events(out, spec, steps[i].events);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void write_groups(struct rcs_out *out, const struct rcs_paths *paths)
{
    rcs_out_key(out, "groups");
    rcs_out_open(out, '[');
    for (size_t g = 0; g < paths->group_count; g++) {
        const struct rcs_path_group *group = &paths->groups[g];

        if (group->line_count == 0) {
            continue;
        }
        rcs_out_open(out, '{');
        write_range(out, "tries", group->tries_min, group->tries_max);
        write_range(out, "wait_ms", group->least_ms, group->most_ms);
        write_steps(out, "waited", paths->spec, group->steps, group->step_count);
        rcs_out_key(out, "lines");
        rcs_out_open(out, '[');
        for (size_t i = 0; i < group->line_count; i++) {
            write_line(out, paths->spec, &group->lines[i]);
        }
        rcs_out_close(out, ']');
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void write_twice(struct rcs_out *out, const struct rcs_paths *paths)
{
    rcs_out_key(out, "twice");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < paths->twice_count; i++) {
        rcs_out_open(out, '{');
        rcs_out_key(out, "failure");
        rcs_out_text(out, paths->spec->failures[paths->twice[i].failure].name);
        rcs_out_key(out, "row");
        rcs_out_text(out, paths->spec->rows[paths->twice[i].row].id);
        rcs_out_key(out, "witness");
        rcs_out_text(out, paths->twice[i].witness);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void write_endings(struct rcs_out *out, const struct rcs_paths *paths)
{
    rcs_out_key(out, "endings");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < paths->report_count; i++) {
        rcs_out_open(out, '{');
        write_report(out, paths->spec, paths->reports[i].scenario, paths->reports[i].message);
        rcs_out_key(out, "rows");
        rcs_out_open(out, '[');
        for (uint16_t row = 0; row < paths->spec->row_count; row++) {
            if (paths->reports[i].rows[row]) {
                rcs_out_text(out, paths->spec->rows[row].id);
            }
        }
        rcs_out_close(out, ']');
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void print_json(const struct rcs_paths *paths)
{
    static const char *const folds[RCS_FOLD_COUNT] = {"rows", "waits", "tries", "all"};
    const struct rcs_worst *worst = paths->worst;
    struct rcs_out out = {0};

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "policy");
    rcs_out_text(&out, paths->spec->name);
    rcs_out_key(&out, "worst");
    rcs_out_worst(&out, worst);
    write_twice(&out, paths);
    write_steps(&out, "retries", paths->spec, paths->retries, paths->retry_count);
    write_endings(&out, paths);
    rcs_out_key(&out, "runs");
    rcs_out_number(&out, paths->runs);
    rcs_out_key(&out, "folded_by");
    rcs_out_text(&out, folds[paths->fold]);
    rcs_out_key(&out, "bounds");
    rcs_out_bool(&out, paths->rough);
    write_groups(&out, paths);
    rcs_out_close(&out, '}');
    rcs_out_print(&out);
}

static int run(int argc, char **argv)
{
    static const struct rcs_spec_reader reader = {"paths", "read"};
    bool json = false;
    const struct rcs_option options[] = {{.name = "--json", .flag = &json}};
    struct rcs_arena arena = {0};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    struct rcs_paths paths;
    size_t count;
    int status = rcs_options_read(&rcs_command_paths, argc, argv, options, 1, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count != 1) {
        return rcs_cli_error("paths", count == 0 ? "which policy? Give its file, such as spec/lightspeed.policy.md"
                                                 : "one policy at a time");
    }
    if (!rcs_spec_open(&reader, &arena, argv[1], argv[1], &loaded)) {
        rcs_arena_clear(&arena);
        return RCS_EXIT_ERROR;
    }
    rcs_paths_find(&arena, loaded.machine, &loaded.worst, &paths);
    if (json) {
        print_json(&paths);
    } else {
        print_text(&paths);
    }
    rcs_arena_clear(&arena);
    return RCS_EXIT_OK;
}

const struct rcs_command rcs_command_paths = {
    .name = "paths",
    .summary = "every run that a policy allows, and the worst of them",
    .run = run,
    .help =
        "Usage: recourse paths [--json] SPEC\n"
        "\n"
        "Walks every run of a policy and prints them in groups that can be read: how\n"
        "often the tool is touched at most and how long a call waits, every way a call\n"
        "can be done twice, what is tried again, every ending, and all runs. The same\n"
        "policy gives the same text, and one changed cell few changed lines.\n"
        "\n"
        "Runs of one paragraph have begun the same waits. Each line of it is an ending:\n"
        "label, whom it tells, message; then what led there, with the rows in brackets,\n"
        "and how many runs the line stands for. Events that end a call by the same rows\n"
        "are told apart by | only. Where paragraphs would be too many, those with as\n"
        "many waits of each kind are one, or those with as many tries.\n"
        "\n"
        "  NAME:safe     a failure of a tool that may safely be run twice\n"
        "  NAME:unsafe   ... of one that may not; NAME alone is either\n"
        "  NAME:unsent   deadline or cancelled before anything had been sent\n"
        "  NAME:sent     ... and after that\n"
        "\n"
        "Waiting is given from the least to the most: jitter, and servers that ask for\n"
        "as little or as much as the policy obeys.\n"
        "\n"
        "Options:\n"
        "  --json  one object: {\"policy\",\"worst\",\n"
        "          \"twice\":[{\"failure\",\"row\",\"witness\"}],\n"
        "          \"retries\":[{\"row\",\"wait\",\"events\"}],\n"
        "          \"endings\":[{\"scenario\",\"tell\",\"reminder\",\n"
        "          \"message\",\"rows\"}],\"runs\",\"folded_by\",\"bounds\",\n"
        "          \"groups\":[{\"tries\",\"wait_ms\",\"waited\",\"lines\"}]};\n"
        "          ranges are [least,most]; folded_by is rows, waits, tries or all;\n"
        "          bounds is true where times are no more than bounds, since there are\n"
        "          too many ways to wait\n"
        "\n"
        "Example:\n"
        "  $ recourse paths spec/lightspeed.policy.md\n"
        "  lightspeed: what can become of a call\n"
        "  ...\n"
        "  1 try, no waiting\n"
        "  - ok to model: ok [A1] (1 run)\n"
        "  - 3a to model, no reminder, message corrected: permanent [A4] (2 runs)\n"
        "  ...\n"
        "\n"
        "Exit status: 0; 1 if the policy has errors.\n",
};
