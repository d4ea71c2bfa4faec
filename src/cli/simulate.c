/* recourse simulate: one run on the model, step by step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json_out.h"
#include "spec_open.h"

static const char *scenario_label(const struct rcs_spec *spec, uint16_t scenario)
{
    return scenario == RECOURSE_NONE ? NULL : spec->scenarios[scenario].label;
}

static void write_number_if(struct rcs_out *out, const char *key, bool there, uint64_t number)
{
    rcs_out_key(out, key);
    if (there) {
        rcs_out_number(out, number);
    } else {
        rcs_out_null(out);
    }
}

static void write_step(struct rcs_out *out, const struct rcs_spec *spec, const struct rcs_step *step)
{
    const struct rcs_spec_row *row = step->row == RECOURSE_NONE ? NULL : &spec->rows[step->row];

    rcs_out_open(out, '{');
    rcs_out_key(out, "state");
    rcs_out_text(out, recourse_place_name(step->from));
    rcs_out_key(out, "event");
    rcs_out_text(out, rcs_spec_event_name(spec, step->event));
    rcs_out_key(out, "row");
    rcs_out_text(out, row == NULL ? NULL : row->id);
    write_number_if(out, "line", row != NULL, row == NULL ? 0 : row->place.line);
    rcs_out_key(out, "next");
    rcs_out_text(out, recourse_place_name(step->to));
    write_number_if(out, "wait_ms", step->waits, step->wait_ms);
    write_number_if(out, "wait_min_ms", step->waits, step->wait_min_ms);
    write_number_if(out, "wait_max_ms", step->waits, step->wait_max_ms);
    rcs_out_key(out, "scenario");
    rcs_out_text(out, scenario_label(spec, step->scenario));
    rcs_out_close(out, '}');
}

static void print_json(const struct rcs_spec *spec, const struct rcs_run *run)
{
    bool reported = run->end == RECOURSE_REPORTED;
    struct rcs_out out = {0};

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "steps");
    rcs_out_open(&out, '[');
    for (size_t i = 0; i < run->step_count; i++) {
        write_step(&out, spec, &run->steps[i]);
    }
    rcs_out_close(&out, ']');
    rcs_out_key(&out, "end");
    rcs_out_text(&out, recourse_place_name(run->end));
    rcs_out_key(&out, "scenario");
    rcs_out_text(&out, scenario_label(spec, run->scenario));
    rcs_out_key(&out, "tell");
    rcs_out_text(&out, reported ? recourse_tell_name(run->tell) : NULL);
    rcs_out_key(&out, "reminder");
    if (!reported || run->reminder == RECOURSE_REMINDER_NONE) {
        rcs_out_null(&out);
    } else {
        rcs_out_bool(&out, run->reminder == RECOURSE_REMINDER_YES);
    }
    rcs_out_key(&out, "reason");
    rcs_out_text(&out, run->reason == RECOURSE_REASON_NONE ? NULL : recourse_reason_name(run->reason));
    rcs_out_key(&out, "tries");
    rcs_out_number(&out, run->tries);
    rcs_out_key(&out, "waits_ms");
    rcs_out_open(&out, '[');
    for (size_t i = 0; i < run->wait_count; i++) {
        rcs_out_number(&out, run->waits_ms[i]);
    }
    rcs_out_close(&out, ']');
    rcs_out_close(&out, '}');
    rcs_out_print(&out);
}

/* "200 ms", or "d (low to high)" where it is drawn. */
static void wait_text(const struct rcs_step *step, char *text, size_t size)
{
    char base[RCS_DURATION_SIZE];
    char low[RCS_DURATION_SIZE];
    char high[RCS_DURATION_SIZE];

    if (!step->waits) {
        snprintf(text, size, "-");
    } else if (step->wait_min_ms == step->wait_max_ms) {
        snprintf(text, size, "%s", rcs_duration_text(step->wait_ms, base));
    } else {
        snprintf(text, size, "%s (%s to %s)", rcs_duration_text(step->wait_ms, base),
                 rcs_duration_text(step->wait_min_ms, low), rcs_duration_text(step->wait_max_ms, high));
    }
}

static void print_table(const struct rcs_spec *spec, const struct rcs_run *run)
{
    int event_width = 5;
    int wait_width = 4;

    for (size_t i = 0; i < run->step_count; i++) {
        char wait[128];
        int width = (int)strlen(rcs_spec_event_name(spec, run->steps[i].event));

        wait_text(&run->steps[i], wait, sizeof wait);
        event_width = width > event_width ? width : event_width;
        wait_width = (int)strlen(wait) > wait_width ? (int)strlen(wait) : wait_width;
    }
    printf("%-12s  %-*s  %-4s  %5s  %-12s  %-*s  %s\n", "state", event_width, "event", "row", "line", "next",
           wait_width, "wait", "scenario");
    for (size_t i = 0; i < run->step_count; i++) {
        const struct rcs_step *step = &run->steps[i];
        const struct rcs_spec_row *row = step->row == RECOURSE_NONE ? NULL : &spec->rows[step->row];
        const char *scenario = scenario_label(spec, step->scenario);
        char wait[128];

        wait_text(step, wait, sizeof wait);
        printf("%-12s  %-*s  %-4s  %5u  %-12s  %-*s  %s\n", recourse_place_name(step->from), event_width,
               rcs_spec_event_name(spec, step->event), row == NULL ? "-" : row->id, row == NULL ? 0 : row->place.line,
               recourse_place_name(step->to), wait_width, wait, scenario == NULL ? "-" : scenario);
    }
}

static void print_summary(const struct rcs_spec *spec, const struct rcs_run *run)
{
    static const char *const reminders[] = {"", ", without the reminder", ", with the reminder"};
    const char *reason = run->reason == RECOURSE_REASON_NONE ? NULL : recourse_reason_name(run->reason);
    const char *scenario = scenario_label(spec, run->scenario);
    char text[RCS_DURATION_SIZE];

    if (run->end == RECOURSE_REPORTED) {
        printf("reported as %s to %s%s", scenario == NULL ? "-" : scenario,
               run->tell == RECOURSE_TELL_NOBODY ? "nobody" : recourse_tell_name(run->tell), reminders[run->reminder]);
    } else {
        printf("not ended: in %s", recourse_place_name(run->end));
    }
    printf("; %u %s", run->tries, run->tries == 1 ? "try" : "tries");
    for (size_t i = 0; i < run->wait_count; i++) {
        printf("%s%s", i == 0 ? ", waits " : ", ", rcs_duration_text(run->waits_ms[i], text));
    }
    printf("%s%s\n", reason == NULL ? "" : "; not tried again: ", reason == NULL ? "" : reason);
}

/* A word that cannot follow: which one, where, and what could. */
static int complain_stuck(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_run *run)
{
    const char *list = "";

    for (uint16_t event = 0; event < rcs_event_end(spec); event++) {
        if (rcs_event_in_table(spec, run->end, event) && rcs_event_is_live(spec, event)) {
            list = rcs_arena_format(arena, "%s%s%s", list, *list == '\0' ? "; here could follow: " : ", ",
                                    rcs_spec_event_name(spec, event));
        }
    }
    return rcs_cli_error("simulate", "word %zu: %s%s", run->used + 1,
                         run->stuck == NULL ? "it can't follow" : run->stuck, list);
}

static int walk(struct rcs_arena *arena, const struct rcs_spec *spec, char **arguments, size_t count, bool json)
{
    struct rcs_findings findings = {.arena = arena};
    struct rcs_word *words = NULL;
    size_t word_count = 0;
    struct rcs_run run = {0};

    if (!rcs_words_read(spec, (const char *const *)arguments, count, &words, &word_count, &findings)) {
        return rcs_cli_error("simulate", "%s", findings.count > 0 ? findings.items[0].text : "a wrong word");
    }
    rcs_model_run(arena, spec, words, word_count, &run);
    if (run.used < word_count) {
        return complain_stuck(arena, spec, &run);
    }
    if (json) {
        print_json(spec, &run);
    } else {
        print_table(spec, &run);
        print_summary(spec, &run);
    }
    return RCS_EXIT_OK;
}

static int simulate(const char *path, char **words, size_t word_count, bool json)
{
    static const struct rcs_spec_reader reader = {"simulate", "walked"};
    struct rcs_arena arena = {0};
    struct rcs_loaded loaded = {NULL, NULL, {0}};
    int status = RCS_EXIT_ERROR;

    if (rcs_spec_open(&reader, &arena, path, path, &loaded)) {
        status = walk(&arena, loaded.spec, words, word_count, json);
    }
    rcs_arena_clear(&arena);
    return status;
}

static int run_command(int argc, char **argv)
{
    bool json = false;
    const struct rcs_option options[] = {{.name = "--json", .flag = &json}};
    size_t count;
    int status = rcs_options_read(&rcs_command_simulate, argc, argv, options, 1, &count);

    if (status != RCS_GO_ON) {
        return status;
    }
    if (count == 0) {
        return rcs_cli_error("simulate", "which policy? Give its file, and then the words of a run");
    }
    if (count == 1) {
        return rcs_cli_error("simulate", "no words: what happens? For example: ok");
    }
    return simulate(argv[1], argv + 2, count - 1, json);
}

const struct rcs_command rcs_command_simulate = {
    .name = "simulate",
    .summary = "walk one run of a policy, step by step",
    .run = run_command,
    .help =
        "Usage: recourse simulate [--json] SPEC WORD...\n"
        "\n"
        "Walks the model of a policy: what it would do if this happened. SPEC is a\n"
        "policy's file, or the name of a built-in policy where there is no such file.\n"
        "Words are events, in order; `ready` and `elapsed` are put in where the next\n"
        "word belongs to the next state.\n"
        "\n"
        "  NAME         an event of a state, or a failure of the policy, or ok\n"
        "  NAME:safe    ... of a tool that may safely be run twice\n"
        "  NAME@5s      ... with a delay that the server asked for\n"
        "  NAME!time    ... with no time left for a wait\n"
        "  NAME!budget  ... with no budget left for a wait\n"
        "\n"
        "Some shells want the ones with ! in quotes.\n"
        "\n"
        "Options:\n"
        "  --json  one object: {\"steps\":[{\"state\",\"event\",\"row\",\"line\",\"next\",\n"
        "          \"wait_ms\",\"wait_min_ms\",\"wait_max_ms\",\"scenario\"}],\"end\",\"scenario\",\n"
        "          \"tell\",\"reminder\",\"reason\",\"tries\",\"waits_ms\"}; null where there is\n"
        "          nothing; wait_ms and waits_ms are before jitter\n"
        "\n"
        "Example:\n"
        "  $ recourse simulate spec/lightspeed.policy.md transient permanent\n"
        "  state         event      row    line  next          wait    scenario\n"
        "  precondition  ready      P1       90  attempt       -       -\n"
        "  attempt       transient  A2      105  backoff       200 ms  2\n"
        "  backoff       elapsed    B1      116  attempt       -       -\n"
        "  attempt       permanent  A5      108  reported      -       3b\n"
        "  reported as 3b to model, with the reminder; 2 tries, waits 200 ms\n"
        "\n"
        "Exit status: 0; 1 if the policy has errors or a word can't follow.\n",
};
