/* Runs: words walked on the model, step by step. */
#include <string.h>

#include "gen/model.h"

struct walk {
    struct rcs_arena *arena;
    const struct rcs_spec *spec;
    struct rcs_history history;
    struct rcs_run *run;
};

static struct rcs_step *add_step(struct walk *walk, uint8_t from, uint16_t event, uint16_t row)
{
    struct rcs_step *step = rcs_arena_push(walk->arena, &walk->run->steps, &walk->run->step_count, sizeof *step);
    const struct rcs_spec_row *used = &walk->spec->rows[row];

    step->from = from;
    step->to = walk->history.place;
    step->event = event;
    step->row = row;
    step->scenario = RECOURSE_NONE;
    if (step->to == RECOURSE_REPORTED) {
        step->scenario = used->scenario;
        walk->run->scenario = used->scenario;
        if (used->scenario != RECOURSE_NONE) {
            walk->run->tell = walk->spec->scenarios[used->scenario].tell;
            walk->run->reminder = walk->spec->scenarios[used->scenario].reminder;
        }
    }
    walk->run->tries = walk->history.tries;
    return step;
}

/* The window of the wait that a row would begin now; `stop` where the server asks for too long. */
static void window_of(const struct walk *walk, const struct rcs_spec_row *row, const struct rcs_word *word,
                      struct rcs_window *window)
{
    const struct rcs_spec_wait *wait = &walk->spec->waits[row->wait];
    unsigned index = wait->by_uses ? walk->history.uses[row->wait] : walk->history.tries - 1u;

    rcs_model_window(walk->spec, wait, index, word->server_delay_ms, window);
}

static bool move_exhausted(struct walk *walk, uint16_t event)
{
    struct rcs_case at = {.event = event, .reason = walk->run->reason};
    bool spent;
    uint16_t row = rcs_model_move(walk->spec, &walk->history, &at, &spent);

    if (row == RECOURSE_NONE) {
        return false;
    }
    add_step(walk, RECOURSE_EXHAUSTED, event, row);
    return true;
}

static struct rcs_case case_of(const struct walk *walk, const struct rcs_word *word)
{
    struct rcs_case at = {.event = word->event, .safe = word->safe, .may_wait = true};

    if (word->event >= RECOURSE_EVENT_FAILURE) {
        at.acted_now = walk->spec->failures[word->event - RECOURSE_EVENT_FAILURE].effect != RECOURSE_EFFECT_NONE;
        at.safe = word->safe || !at.acted_now;
    } else if (word->event == RECOURSE_EVENT_OK) {
        at.safe = true;
        at.acted_now = true;
    } else if (word->event == RECOURSE_EVENT_UNRECORDED) {
        at.safe = true;
    } else {
        at.acted_now = !word->safe; /* deadline and cancelled: `:safe` says that nothing had been sent */
    }
    return at;
}

/* Whether the row that the word meets in an attempt leads to a wait that has a cost. */
static bool draws_on_budget(const struct walk *walk, const struct rcs_word *word)
{
    struct rcs_case at = case_of(walk, word);
    struct rcs_history history = walk->history;
    struct rcs_hit hit;

    if (history.place != RECOURSE_ATTEMPT) { /* `ready` or `elapsed` is put in */
        history.place = RECOURSE_ATTEMPT;
        history.tries++;
    }
    hit = rcs_model_row(walk->spec, &history, &at);
    return hit.count > 0 && walk->spec->rows[hit.row].wait != RECOURSE_NONE &&
           walk->spec->waits[walk->spec->rows[hit.row].wait].budget != RECOURSE_NONE;
}

static bool move_attempt(struct walk *walk, const struct rcs_word *word)
{
    struct rcs_case at = case_of(walk, word);
    struct rcs_hit hit = rcs_model_row(walk->spec, &walk->history, &at);
    const struct rcs_spec_row *row;
    struct rcs_window window = {0};
    struct rcs_step *step;
    uint8_t reason = RECOURSE_REASON_NONE;
    bool spent;

    if (hit.count == 0) {
        return false;
    }
    row = &walk->spec->rows[hit.row];
    if (row->next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
        window_of(walk, row, word, &window);
        reason = window.stop         ? RECOURSE_REASON_ASKED_TOO_LONG
                 : word->over_budget ? RECOURSE_REASON_OVER_BUDGET
                 : word->out_of_time ? RECOURSE_REASON_OUT_OF_TIME
                                     : RECOURSE_REASON_NONE;
        at.may_wait = reason == RECOURSE_REASON_NONE;
    }
    rcs_model_move(walk->spec, &walk->history, &at, &spent);
    step = add_step(walk, RECOURSE_ATTEMPT, word->event, hit.row);
    if (walk->history.place == RECOURSE_BACKOFF) {
        step->scenario = row->scenario;
        step->waits = true;
        step->wait_ms = window.base_ms;
        step->wait_min_ms = window.min_ms;
        step->wait_max_ms = window.max_ms;
        *(uint64_t *)rcs_arena_push(walk->arena, &walk->run->waits_ms, &walk->run->wait_count, sizeof(uint64_t)) =
            window.base_ms;
    }
    if (walk->history.place != RECOURSE_EXHAUSTED) {
        return true;
    }
    walk->run->reason = spent ? (uint8_t)RECOURSE_REASON_TRIES_SPENT : reason;
    return move_exhausted(walk, word->event);
}

static bool move_plain(struct walk *walk, uint16_t event)
{
    struct rcs_case at = {.event = event};
    uint8_t from = walk->history.place;
    bool spent;
    uint16_t row = rcs_model_move(walk->spec, &walk->history, &at, &spent);

    if (row == RECOURSE_NONE) {
        return false;
    }
    add_step(walk, from, event, row);
    return true;
}

static bool move(struct walk *walk, const struct rcs_word *word)
{
    if (!rcs_event_in_table(walk->spec, walk->history.place, word->event)) {
        if (walk->history.place == RECOURSE_PRECONDITION &&
            rcs_event_in_table(walk->spec, RECOURSE_ATTEMPT, word->event)) {
            move_plain(walk, RECOURSE_EVENT_READY);
        } else if (walk->history.place == RECOURSE_BACKOFF &&
                   rcs_event_in_table(walk->spec, RECOURSE_ATTEMPT, word->event)) {
            move_plain(walk, RECOURSE_EVENT_ELAPSED);
        }
    }
    if (walk->history.place == RECOURSE_ATTEMPT && rcs_event_in_table(walk->spec, RECOURSE_ATTEMPT, word->event)) {
        return move_attempt(walk, word);
    }
    return walk->history.place != RECOURSE_REPORTED &&
           rcs_event_in_table(walk->spec, walk->history.place, word->event) && move_plain(walk, word->event);
}

void rcs_model_run(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_word *words, size_t word_count,
                   struct rcs_run *run)
{
    struct walk walk = {arena, spec, {.place = RECOURSE_PRECONDITION}, run};

    memset(run, 0, sizeof *run);
    run->scenario = RECOURSE_NONE;
    while (run->used < word_count) {
        const char *event = rcs_spec_event_name(spec, words[run->used].event);

        if (walk.history.place == RECOURSE_REPORTED) {
            run->stuck = rcs_arena_format(arena, "'%s' can't follow: the call has been reported", event);
            break;
        }
        if (words[run->used].over_budget && !draws_on_budget(&walk, &words[run->used])) {
            run->stuck = rcs_arena_format(arena, "'%s!budget' can't be: no wait that would begin here draws on a budget",
                                          event);
            break;
        }
        if (!rcs_event_is_live(spec, words[run->used].event)) {
            run->stuck = rcs_arena_format(arena, "'%s' can't happen: the policy's settings switch it off", event);
            break;
        }
        if (!move(&walk, &words[run->used])) {
            run->stuck = rcs_arena_format(arena, "'%s' can't follow: there is no row for it in state %s", event,
                                          recourse_place_name(walk.history.place));
            break;
        }
        run->used++;
    }
    run->end = walk.history.place;
}
