#include "diff_out.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json_out.h"
#include "waits_out.h"

#define KIND_READ 6u /* differences of one kind that are printed */

/* What a change is called. */
static const char *const titles[RCS_CHANGE_COUNT] = {
    [RCS_CHANGE_TRIES_MORE] = "tried again, and was not before",
    [RCS_CHANGE_TRIES_FEWER] = "no longer tried again",
    [RCS_CHANGE_REPLAY] = "may be done twice, and was not before",
    [RCS_CHANGE_REMINDER_LOST] = "reminder lost",
    [RCS_CHANGE_REMINDER_GAINED] = "reminder gained",
    [RCS_CHANGE_TO_MODEL] = "told to the model, no longer to the host",
    [RCS_CHANGE_TO_HOST] = "told to the host, no longer to the model",
    [RCS_CHANGE_ENDING] = "ends under another label",
    [RCS_CHANGE_MESSAGE] = "another message",
    [RCS_CHANGE_WAIT_LONGER] = "waits longer",
    [RCS_CHANGE_WAIT_SHORTER] = "waits less",
    [RCS_CHANGE_SESSION] = "another session for the next try",
    [RCS_CHANGE_LABEL] = "waits under another label",
    [RCS_CHANGE_FAILURE] = "facts taken for another failure",
    [RCS_CHANGE_EFFECT] = "facts taken to have another effect",
    [RCS_CHANGE_TOOL] = "another word on a tool",
    [RCS_CHANGE_SETTING] = "setting changed",
};

static const char *lean_text(uint8_t leans)
{
    return leans == RCS_LOOSER ? "looser" : leans == RCS_STRICTER ? "stricter" : leans != 0 ? "both" : NULL;
}

static const char *twice_text(const struct rcs_difference *item)
{
    if (!item->unsafe || item->change == RCS_CHANGE_REPLAY) {
        return "";
    }
    return item->claimed ? "; by the old policy it may be done twice" : "; it may be done twice";
}

static const char *title_of(const struct rcs_compared *compared, const struct rcs_difference *item)
{
    const char *lean = item->leans == (RCS_LOOSER | RCS_STRICTER) ? "may be both looser and stricter" : lean_text(item->leans);
    const char *title = item->change == RCS_CHANGE_REPLAY && item->claimed ? "may be done twice by the old policy, and was not before"
                                                                           : titles[item->change];

    return rcs_arena_format(compared->arena, "%s%s%s%s%s", title, twice_text(item), lean == NULL ? "" : " (",
                            lean == NULL ? "" : lean, lean == NULL ? "" : ")");
}

/* ---- one side ---- */

static const char *words_text(const struct rcs_compared *compared, const struct rcs_spec *spec,
                              const struct rcs_diff_side *side)
{
    const char *text = "";

    for (size_t i = 0; i < side->word_count; i++) {
        text = rcs_arena_format(compared->arena, "%s%s%s", text, *text == '\0' ? "" : ", ",
                                rcs_word_text(compared->arena, spec, &side->words[i]));
    }
    return text;
}

static const char *rows_text(const struct rcs_compared *compared, const struct rcs_spec *spec, const struct rcs_run *run)
{
    const char *text = "";

    for (size_t i = 0; i < run->step_count; i++) {
        text = rcs_arena_format(compared->arena, "%s%s%s", text, *text == '\0' ? "" : " ",
                                spec->rows[run->steps[i].row].id);
    }
    return text;
}

/* "200 ms", or "0 s to 200 ms" where it is drawn. */
static const char *wait_text(const struct rcs_compared *compared, const struct rcs_step *step)
{
    char least[RCS_DURATION_SIZE];
    char most[RCS_DURATION_SIZE];

    rcs_duration_text(step->wait_min_ms, least);
    rcs_duration_text(step->wait_max_ms, most);
    return rcs_arena_format(compared->arena, step->wait_min_ms == step->wait_max_ms ? "%s" : "%s to %s", least, most);
}

static const char *report_text(const struct rcs_compared *compared, const struct rcs_spec *spec, const struct rcs_run *run)
{
    static const char *const reminders[] = {"", ", no reminder", ", reminder"};
    const struct rcs_spec_row *row = &spec->rows[run->steps[run->step_count - 1].row];
    const char *message = row->message == RECOURSE_NONE ? NULL : spec->messages[row->message].text;

    return rcs_arena_format(compared->arena, "%s to %s%s%s%s%s", spec->scenarios[run->scenario].label,
                            recourse_tell_name(run->tell), reminders[run->reminder], message == NULL ? "" : ": \"",
                            message == NULL ? "" : message, message == NULL ? "" : "\"");
}

/* What becomes of the run: up to where the two part. */
static const char *outcome_text(const struct rcs_compared *compared, const struct rcs_spec *spec,
                                const struct rcs_run *run)
{
    const struct rcs_step *last = &run->steps[run->step_count - 1];
    const char *reason = run->reason == RECOURSE_REASON_NONE ? "" : recourse_reason_name(run->reason);
    const char *how;

    if (run->end == RECOURSE_BACKOFF) {
        const struct rcs_spec_wait *wait = &spec->waits[spec->rows[last->row].wait];

        how = rcs_arena_format(compared->arena, "waits %s%s, for try %u", wait_text(compared, last),
                               wait->new_session ? " for a new session" : "", run->tries + 1);
    } else if (run->end == RECOURSE_REPORTED) {
        how = report_text(compared, spec, run);
    } else {
        how = rcs_arena_format(compared->arena, "goes on to try %u", run->tries);
    }
    return rcs_arena_format(compared->arena, "%s; %u %s%s%s", how, run->tries, run->tries == 1 ? "try" : "tries",
                            *reason == '\0' ? "" : "; ", reason);
}

static void walk(const struct rcs_compared *compared, const struct rcs_spec *spec, const struct rcs_diff_side *side,
                 struct rcs_run *run)
{
    rcs_model_run(compared->arena, spec, side->words, side->word_count, run);
}

static const char *run_text(const struct rcs_compared *compared, const struct rcs_spec *spec,
                            const struct rcs_diff_side *side)
{
    struct rcs_run run;

    walk(compared, spec, side, &run);
    return rcs_arena_format(compared->arena, "%s [%s]", outcome_text(compared, spec, &run),
                            rows_text(compared, spec, &run));
}

static const char *side_text(const struct rcs_compared *compared, const struct rcs_spec *spec,
                             const struct rcs_diff_side *side)
{
    if (side->value == NULL) {
        return run_text(compared, spec, side);
    }
    if (side->word_count > 0) { /* a setting, and a run of one call that shows it */
        return rcs_arena_format(compared->arena, "%s; one call by itself, %s: %s", side->value, words_text(compared, spec, side),
                                run_text(compared, spec, side));
    }
    return *side->rows == '\0' ? side->value : rcs_arena_format(compared->arena, "%s [%s]", side->value, side->rows);
}

/* What shows the difference, one for both policies or each its own. */
struct shown {
    const char *run[2];
    const char *side[2];
    bool same_run;
};

static struct shown show(const struct rcs_compared *compared, const struct rcs_difference *item)
{
    const struct rcs_diff *diff = compared->diff;
    struct shown shown = {{words_text(compared, diff->old_spec, &item->old_side),
                           words_text(compared, diff->new_spec, &item->new_side)},
                          {side_text(compared, diff->old_spec, &item->old_side),
                           side_text(compared, diff->new_spec, &item->new_side)},
                          false};

    if (item->about != NULL) {
        shown.run[0] = item->about;
        shown.run[1] = item->about;
    }
    shown.same_run = strcmp(shown.run[0], shown.run[1]) == 0;
    return shown;
}

static bool breaks_gate(const struct rcs_compared *compared, size_t number)
{
    for (size_t i = 0; i < compared->gate_count; i++) {
        if (!compared->gates[i].kept && compared->gates[i].broken_by == number) {
            return true;
        }
    }
    return false;
}

/* The first differences of each kind, and those that break a gate; of the others, how many there are. */
static void print_each(const struct rcs_compared *compared,
                       void (*print)(const struct rcs_compared *compared, size_t number))
{
    const struct rcs_diff *diff = compared->diff;
    size_t of_kind = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < diff->count; i++) {
        of_kind = i > 0 && diff->items[i].change == diff->items[i - 1].change ? of_kind + 1 : 0;
        if (of_kind < KIND_READ || breaks_gate(compared, i)) {
            print(compared, i);
        } else {
            left_out++;
        }
        if (left_out > 0 && (i + 1 == diff->count || diff->items[i + 1].change != diff->items[i].change)) {
            printf("\nand %zu more: %s (all of them: --json)\n", left_out, titles[diff->items[i].change]);
            left_out = 0;
        }
    }
}

/* ---- text ---- */

static const char *quiet_reason(const struct rcs_diff *diff)
{
    if (memcmp(diff->old_spec->file_sha256, diff->new_spec->file_sha256, 32) == 0) {
        return "the files are the same";
    }
    return diff->prose_only ? "only prose, meanings or examples changed"
                            : "what changed is how it is written: names or order of rows, or cells that say the same";
}

static void print_worst(const struct rcs_compared *compared)
{
    const struct rcs_worst *a = &compared->old_loaded->worst;
    const struct rcs_worst *b = &compared->new_loaded->worst;
    char before[RCS_DURATION_SIZE];
    char after[RCS_DURATION_SIZE];

    printf("at most: %u -> %u tries, %u -> %u requests, %s -> %s of waiting\n", a->tries, b->tries, a->requests,
           b->requests, rcs_duration_text(a->wait_ms, before), rcs_duration_text(b->wait_ms, after));
}

static void print_difference(const struct rcs_compared *compared, size_t number)
{
    const struct rcs_difference *item = &compared->diff->items[number];
    struct shown shown = show(compared, item);

    printf("\n%zu. %s", number + 1, title_of(compared, item));
    if (shown.same_run) {
        printf(": %s\n", shown.run[0]);
    } else {
        printf("\n   old run: %s\n   new run: %s\n", shown.run[0], shown.run[1]);
    }
    printf("   old: %s\n   new: %s\n", shown.side[0], shown.side[1]);
}

static void print_gates(const struct rcs_compared *compared, const char *before, const char *after)
{
    for (size_t i = 0; i < compared->gate_count; i++) {
        const struct rcs_gate *gate = &compared->gates[i];

        printf("%sgate %s: ", before, gate->name);
        if (gate->kept) {
            printf("kept%s", after);
        } else if (gate->broken_by < compared->diff->count) {
            printf("broken by %zu%s", gate->broken_by + 1, after);
        } else {
            printf("broken: there are too many runs to compare%s", after);
        }
    }
}

void rcs_diff_print(const struct rcs_compared *compared)
{
    const struct rcs_diff *diff = compared->diff;

    printf("%s: %s -> %s\n", rcs_verdict_name(diff->verdict), compared->old_path, compared->new_path);
    if (diff->verdict == RCS_SAME) {
        printf("%s\n", quiet_reason(diff));
    } else {
        print_worst(compared);
    }
    for (size_t i = 0; i < diff->rename_count; i++) {
        printf("failure %s is now called %s\n", diff->renames[i].old_name, diff->renames[i].new_name);
    }
    if (!diff->complete) {
        puts("there are too many runs to compare them all: there may be more differences");
    }
    print_each(compared, print_difference);
    if (compared->gate_count > 0) {
        putchar('\n');
        print_gates(compared, "", "\n");
    }
}

/* ---- Markdown ---- */

/* Text that a Markdown table shows as it is. */
static void print_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_[]<>|~&#$@!", *text) != NULL) {
            putchar('\\');
        }
        putchar(*text == '\n' ? ' ' : *text);
    }
}

static void print_cells(const char *head, const char *old_text, const char *new_text)
{
    printf("| %s | ", head);
    print_plain(old_text);
    fputs(" | ", stdout);
    print_plain(new_text);
    fputs(" |\n", stdout);
}

static void print_worst_table(const struct rcs_compared *compared)
{
    const struct rcs_worst *worst[2] = {&compared->old_loaded->worst, &compared->new_loaded->worst};
    char waits[2][RCS_DURATION_SIZE];

    for (int side = 0; side < 2; side++) {
        rcs_duration_text(worst[side]->wait_ms, waits[side]);
    }
    fputs("\n| at most | old | new |\n|---|---|---|\n", stdout);
    printf("| tries | %u | %u |\n| requests | %u | %u |\n", worst[0]->tries, worst[1]->tries, worst[0]->requests,
           worst[1]->requests);
    print_cells("waiting", waits[0], waits[1]);
}

static void print_difference_table(const struct rcs_compared *compared, size_t number)
{
    const struct rcs_difference *item = &compared->diff->items[number];
    struct shown shown = show(compared, item);

    printf("\n**%zu. %s**\n\n| | old | new |\n|---|---|---|\n", number + 1, title_of(compared, item));
    print_cells(item->about != NULL ? "what" : "run", shown.run[0], shown.run[1]);
    print_cells("then", shown.side[0], shown.side[1]);
}

void rcs_diff_print_markdown(const struct rcs_compared *compared)
{
    const struct rcs_diff *diff = compared->diff;

    fputs("### ", stdout);
    print_plain(diff->new_spec->name);
    printf(": %s\n\n", rcs_verdict_name(diff->verdict));
    print_plain(compared->old_path);
    fputs(" -> ", stdout);
    print_plain(compared->new_path);
    putchar('\n');
    if (diff->verdict == RCS_SAME) {
        printf("\nNothing behaves differently: %s.\n", quiet_reason(diff));
    } else {
        print_worst_table(compared);
    }
    for (size_t i = 0; i < diff->rename_count; i++) {
        fputs("\nFailure ", stdout);
        print_plain(diff->renames[i].old_name);
        fputs(" is now called ", stdout);
        print_plain(diff->renames[i].new_name);
        fputs(".\n", stdout);
    }
    if (!diff->complete) {
        puts("\nThere are too many runs to compare them all: there may be more differences.");
    }
    print_each(compared, print_difference_table);
    if (compared->gate_count > 0) {
        putchar('\n');
        print_gates(compared, "- ", "\n");
    }
}

/* ---- JSON ---- */

static void write_policy(struct rcs_out *out, const char *key, const char *path, const struct rcs_loaded *loaded)
{
    rcs_out_key(out, key);
    rcs_out_open(out, '{');
    rcs_out_key(out, "name");
    rcs_out_text(out, loaded->spec->name);
    rcs_out_key(out, "path");
    rcs_out_text(out, path);
    rcs_out_key(out, "behaviour_sha256");
    rcs_out_hex(out, loaded->spec->behaviour_sha256, 32);
    rcs_out_key(out, "worst");
    rcs_out_worst(out, &loaded->worst);
    rcs_out_close(out, '}');
}

static void write_side(struct rcs_out *out, const struct rcs_compared *compared, const char *key,
                       const struct rcs_spec *spec, const struct rcs_diff_side *side)
{
    const char *what = side->value;
    struct rcs_run run;

    rcs_out_key(out, key);
    rcs_out_open(out, '{');
    rcs_out_key(out, "words");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < side->word_count; i++) {
        rcs_out_text(out, rcs_word_text(compared->arena, spec, &side->words[i]));
    }
    rcs_out_close(out, ']');
    rcs_out_key(out, "rows");
    rcs_out_open(out, '[');
    if (side->word_count > 0) {
        walk(compared, spec, side, &run);
        for (size_t i = 0; i < run.step_count; i++) {
            rcs_out_text(out, spec->rows[run.steps[i].row].id);
        }
        what = side->value == NULL ? outcome_text(compared, spec, &run) : side->value;
    } else if (*side->rows != '\0') {
        rcs_out_text(out, side->rows);
    }
    rcs_out_close(out, ']');
    rcs_out_key(out, "what");
    rcs_out_text(out, what);
    rcs_out_close(out, '}');
}

static void write_difference(struct rcs_out *out, const struct rcs_compared *compared, const struct rcs_difference *item)
{
    rcs_out_open(out, '{');
    rcs_out_key(out, "change");
    rcs_out_text(out, rcs_change_name(item->change));
    rcs_out_key(out, "leans");
    rcs_out_text(out, lean_text(item->leans));
    rcs_out_key(out, "unsafe_replay");
    rcs_out_bool(out, item->unsafe);
    rcs_out_key(out, "claimed_harmless");
    rcs_out_bool(out, item->claimed);
    rcs_out_key(out, "longer");
    rcs_out_bool(out, item->longer);
    rcs_out_key(out, "about");
    rcs_out_text(out, item->about);
    write_side(out, compared, "old", compared->diff->old_spec, &item->old_side);
    write_side(out, compared, "new", compared->diff->new_spec, &item->new_side);
    rcs_out_close(out, '}');
}

static void write_gate(struct rcs_out *out, const struct rcs_compared *compared, const struct rcs_gate *gate)
{
    rcs_out_open(out, '{');
    rcs_out_key(out, "gate");
    rcs_out_text(out, gate->name);
    rcs_out_key(out, "kept");
    rcs_out_bool(out, gate->kept);
    rcs_out_key(out, "broken_by");
    if (gate->kept || gate->broken_by >= compared->diff->count) {
        rcs_out_null(out);
    } else {
        rcs_out_number(out, gate->broken_by);
    }
    rcs_out_close(out, '}');
}

static void write_renames(struct rcs_out *out, const struct rcs_diff *diff)
{
    rcs_out_key(out, "renamed");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < diff->rename_count; i++) {
        rcs_out_open(out, '{');
        rcs_out_key(out, "old");
        rcs_out_text(out, diff->renames[i].old_name);
        rcs_out_key(out, "new");
        rcs_out_text(out, diff->renames[i].new_name);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

void rcs_diff_print_json(const struct rcs_compared *compared)
{
    const struct rcs_diff *diff = compared->diff;
    struct rcs_out out = {0};

    rcs_out_open(&out, '{');
    rcs_out_key(&out, "verdict");
    rcs_out_text(&out, rcs_verdict_name(diff->verdict));
    rcs_out_key(&out, "prose_only");
    rcs_out_bool(&out, diff->prose_only);
    rcs_out_key(&out, "complete");
    rcs_out_bool(&out, diff->complete);
    write_policy(&out, "old", compared->old_path, compared->old_loaded);
    write_policy(&out, "new", compared->new_path, compared->new_loaded);
    write_renames(&out, diff);
    rcs_out_key(&out, "differences");
    rcs_out_open(&out, '[');
    for (size_t i = 0; i < diff->count; i++) {
        write_difference(&out, compared, &diff->items[i]);
    }
    rcs_out_close(&out, ']');
    rcs_out_key(&out, "gates");
    rcs_out_open(&out, '[');
    for (size_t i = 0; i < compared->gate_count; i++) {
        write_gate(&out, compared, &compared->gates[i]);
    }
    rcs_out_close(&out, ']');
    rcs_out_close(&out, '}');
    rcs_out_print(&out);
}
