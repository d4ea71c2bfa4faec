#include "gen/paths.h"

#include <stdlib.h>
#include <string.h>

#include "gen/index.h"

#define GROUPS_MAX 260u
#define LINES_READ 64u   /* what is read line by line; */
#define LINES_MAX 128u   /* what is still skimmed */
#define SPOTS_MAX 300000u

enum tool { TOOL_ANY = 0, TOOL_SAFE = 1, TOOL_UNSAFE = 2 }; /* what the run so far says of its tool */

/* A spot, and the runs of one group that come to it. */
struct place {
    struct {
        struct rcs_spot spot;
        uint8_t tool;
    } key;
    uint64_t runs, least_ms, most_ms;
};

/* What the runs of a group have in common; which of these counts is the fold's to say. */
struct group_key {
    uint16_t before; /* the group that they were in a wait ago */
    uint16_t row;
    uint8_t uses[RECOURSE_WAITS_MAX];
    uint8_t tries;
};

struct group {
    struct rcs_index places;
    uint8_t seen; /* RCS_SEEN_SAFE, RCS_SEEN_UNSAFE: tools of its runs */
};

struct work {
    struct rcs_arena *arena;
    struct rcs_turns turns;
    struct rcs_paths *paths;
    struct rcs_index keys;
    struct group *groups; /* as paths->groups */
    size_t lines;
    size_t lines_max;
    size_t spots;
    bool full;     /* too many lines or groups: fold more */
    bool too_wide; /* too many spots: tell less of the waits */
};

static void widen(uint64_t *least, uint64_t *most, uint64_t low, uint64_t high)
{
    *least = low < *least ? low : *least;
    *most = high > *most ? high : *most;
}

static uint8_t *new_events(const struct work *work)
{
    return rcs_arena_alloc(work->arena, rcs_event_end(work->turns.spec));
}

/* ---- groups, lines, ends ---- */

static size_t add_group(struct work *work, unsigned tries)
{
    struct rcs_path_group *group;
    struct group *own;
    size_t count = work->paths->group_count;

    group = rcs_arena_push(work->arena, &work->paths->groups, &work->paths->group_count, sizeof *group);
    own = rcs_arena_push(work->arena, &work->groups, &count, sizeof *own);
    group->tries_min = tries;
    group->tries_max = tries;
    group->least_ms = RECOURSE_FOREVER;
    own->places = (struct rcs_index){
        .arena = work->arena, .key_size = sizeof ((struct place *)0)->key, .item_size = sizeof(struct place)};
    return work->paths->group_count - 1;
}

static struct rcs_path_line *line_of(struct work *work, size_t number, const struct rcs_spec_row *report, bool in_wait)
{
    struct rcs_path_group *group = &work->paths->groups[number];
    struct rcs_path_line *line;

    for (size_t i = 0; i < group->line_count; i++) {
        line = &group->lines[i];
        if (line->scenario == report->scenario && line->message == report->message && line->in_wait == in_wait) {
            return line;
        }
    }
    line = rcs_arena_push(work->arena, &group->lines, &group->line_count, sizeof *line);
    line->scenario = report->scenario;
    line->message = report->message;
    line->in_wait = in_wait;
    line->tries_min = RECOURSE_NONE;
    line->least_ms = RECOURSE_FOREVER;
    work->full = work->full || ++work->lines > work->lines_max;
    return line;
}

static struct rcs_path_end *end_of(struct work *work, struct rcs_path_line *line, const struct rcs_turn *turn)
{
    struct rcs_path_end *end;

    for (size_t i = 0; i < line->end_count; i++) {
        end = &line->ends[i];
        if (end->row == turn->row && end->ended == turn->ended && end->reason == turn->reason) {
            return end;
        }
    }
    end = rcs_arena_push(work->arena, &line->ends, &line->end_count, sizeof *end);
    *end = (struct rcs_path_end){turn->row, turn->ended, turn->reason, new_events(work)};
    return end;
}

static uint8_t seen_of(const struct rcs_letter *letter)
{
    bool may_act = letter->event == RECOURSE_EVENT_DEADLINE || letter->event == RECOURSE_EVENT_CANCELLED;

    if (may_act) {
        return letter->acted ? RCS_SEEN_UNSAFE : RCS_SEEN_SAFE;
    }
    return letter->event < RECOURSE_EVENT_FAILURE || !letter->acted ? RCS_SEEN_ALWAYS
           : letter->safe                                           ? RCS_SEEN_SAFE
                                                                    : RCS_SEEN_UNSAFE;
}

/* Notes that runs of a group end: `runs` of them, after so many tries and so long. */
static void note_end(struct work *work, size_t number, const struct rcs_turn *turn, const struct rcs_letter *letter,
                     const struct place *place, bool in_wait)
{
    const struct rcs_spec_row *report = &work->turns.spec->rows[rcs_turn_report(turn)];
    struct rcs_path_line *line = line_of(work, number, report, in_wait);
    unsigned tries = place->key.spot.tries;

    line->runs = rcs_add_ms(line->runs, place->runs);
    line->tries_min = tries < line->tries_min ? tries : line->tries_min;
    line->tries_max = tries > line->tries_max ? tries : line->tries_max;
    widen(&line->least_ms, &line->most_ms, place->least_ms, place->most_ms);
    end_of(work, line, turn)->events[letter->event] |= in_wait || tries == 0 ? RCS_SEEN_ALWAYS : seen_of(letter);
    work->paths->runs = rcs_add_ms(work->paths->runs, place->runs);
}

/* The step of a row, among those from `first` on; a new one behind them all if there is none. */
static struct rcs_path_step *step_of(struct work *work, struct rcs_path_group *group, size_t first, uint16_t row)
{
    struct rcs_path_step *step;

    for (size_t i = first; i < group->step_count; i++) {
        if (group->steps[i].row == row) {
            return &group->steps[i];
        }
    }
    step = rcs_arena_push(work->arena, &group->steps, &group->step_count, sizeof *step);
    *step = (struct rcs_path_step){row, new_events(work)};
    return step;
}

/* All steps of one group are steps of another, too: in their order, or each row once. */
static void take_over_steps(struct work *work, size_t from, size_t to)
{
    bool in_order = work->paths->fold == RCS_FOLD_ROWS;

    for (size_t i = 0; from != to && i < work->paths->groups[from].step_count; i++) {
        const struct rcs_path_step *step = &work->paths->groups[from].steps[i];
        struct rcs_path_group *group = &work->paths->groups[to];
        struct rcs_path_step *own = step_of(work, group, in_order ? group->step_count : 0, step->row);

        for (unsigned event = 0; event < rcs_event_end(work->turns.spec); event++) {
            own->events[event] |= step->events[event];
        }
    }
}

/* ---- from one group to the next ---- */

/* The group that a wait leads to. */
static size_t group_after(struct work *work, size_t number, const struct rcs_turn *turn)
{
    uint8_t fold = work->paths->fold;
    struct group_key key;
    size_t after;
    bool fresh;

    memset(&key, 0, sizeof key);
    if (fold == RCS_FOLD_ROWS) {
        key.before = (uint16_t)number;
        key.row = turn->row;
    } else if (fold == RCS_FOLD_WAITS) {
        memcpy(key.uses, work->paths->groups[number].uses, sizeof key.uses);
        key.uses[turn->wait]++;
    } else if (fold == RCS_FOLD_TRIES) {
        key.tries = turn->next.tries;
    }
    after = rcs_index_put(&work->keys, &key, &fresh) + 2; /* before the first try, and the first try */
    if (fresh) {
        add_group(work, turn->next.tries);
        memcpy(work->paths->groups[after].uses, work->paths->groups[number].uses, sizeof key.uses);
        work->paths->groups[after].uses[turn->wait]++;
        if (fold == RCS_FOLD_ROWS) {
            take_over_steps(work, number, after);
            step_of(work, &work->paths->groups[after], work->paths->groups[after].step_count, turn->row);
        }
        work->full = work->full || work->paths->group_count > GROUPS_MAX;
    }
    return after;
}

static uint8_t tool_after(uint8_t tool, const struct rcs_letter *letter)
{
    bool shows = letter->event >= RECOURSE_EVENT_FAILURE && letter->acted;

    return !shows ? tool : letter->safe ? TOOL_SAFE : TOOL_UNSAFE;
}

static void put_place(struct work *work, size_t number, const struct place *place)
{
    struct rcs_path_group *group = &work->paths->groups[number];
    struct rcs_index *places = &work->groups[number].places;
    bool fresh;
    struct place *own = rcs_index_at(places, rcs_index_put(places, &place->key, &fresh));

    if (fresh) {
        own->least_ms = RECOURSE_FOREVER;
        work->too_wide = work->too_wide || ++work->spots > SPOTS_MAX;
    }
    own->runs = rcs_add_ms(own->runs, place->runs);
    widen(&own->least_ms, &own->most_ms, place->least_ms, place->most_ms);
    widen(&group->least_ms, &group->most_ms, place->least_ms, place->most_ms);
    group->tries_max = place->key.spot.tries > group->tries_max ? place->key.spot.tries : group->tries_max;
    work->groups[number].seen |= place->key.tool == TOOL_ANY    ? RCS_SEEN_SAFE | RCS_SEEN_UNSAFE
                                 : place->key.tool == TOOL_SAFE ? RCS_SEEN_SAFE
                                                                : RCS_SEEN_UNSAFE;
}

/* A try ends in a wait: on to the next, or the call is cancelled there, or a breaker ends it. Returns the group, 0 if the wait can't be begun. */
static size_t wait(struct work *work, size_t number, const struct place *from, const struct rcs_turn *turn,
                   const struct rcs_letter *letter)
{
    static const struct rcs_letter cancel = {.event = RECOURSE_EVENT_CANCELLED};
    static const struct rcs_letter open = {.event = RECOURSE_EVENT_CIRCUIT_OPEN};
    struct rcs_turn cancelled = {.row = work->turns.cancelled[turn->next.acted], .ended = RECOURSE_NONE};
    struct rcs_turn circuit = {.row = work->turns.circuit_open[turn->next.acted], .ended = RECOURSE_NONE};
    uint64_t deadline_ms = work->turns.spec->settings.call_deadline_ms;
    struct place place;
    uint64_t least;
    uint64_t most;
    size_t after;

    rcs_turn_bounds(&work->turns, turn, &least, &most);
    least = rcs_add_ms(from->least_ms, least);
    most = rcs_add_ms(from->most_ms, most);
    if (least >= deadline_ms) {
        return 0;
    }
    memset(&place, 0, sizeof place);
    place.key.spot = turn->next;
    place.key.tool = tool_after(from->key.tool, letter);
    place.runs = from->runs;
    place.least_ms = least;
    place.most_ms = most < deadline_ms ? most : deadline_ms - (deadline_ms != RECOURSE_FOREVER);
    after = group_after(work, number, turn);
    put_place(work, after, &place);
    step_of(work, &work->paths->groups[after],
            work->paths->fold == RCS_FOLD_ROWS ? work->paths->groups[after].step_count - 1 : 0, turn->row)
        ->events[letter->event] |= seen_of(letter);
    place.key.spot.tries--;
    if (circuit.row != RECOURSE_NONE) { /* when it is over */
        note_end(work, after, &circuit, &open, &place, true);
    }
    place.least_ms = from->least_ms; /* it may be cancelled as soon as it has begun */
    note_end(work, after, &cancelled, &cancel, &place, true);
    return after;
}

/* A letter, and the same where the wait that it leads to can't be begun. */
static void read_letter(struct work *work, size_t number, const struct place *place, struct rcs_letter letter,
                        bool *after)
{
    struct rcs_turn turn;

    rcs_turn_take(&work->turns, &place->key.spot, &letter, &turn);
    if (turn.row == RECOURSE_NONE) {
        return; /* the checks have found the gap */
    }
    if (!turn.waits) {
        note_end(work, number, &turn, &letter, place, false);
        return;
    }
    after[wait(work, number, place, &turn, &letter)] = true;
    letter.no_time = true;
    rcs_turn_take(&work->turns, &place->key.spot, &letter, &turn);
    note_end(work, number, &turn, &letter, place, false);
    letter.no_time = false;
    if (work->turns.spec->waits[turn.wait].budget != RECOURSE_NONE) {
        letter.no_budget = true;
        rcs_turn_take(&work->turns, &place->key.spot, &letter, &turn);
        note_end(work, number, &turn, &letter, place, false);
        letter.no_budget = false;
    }
    if (work->turns.spec->waits[turn.wait].server == RECOURSE_SERVER_OBEY_ELSE_STOP) {
        letter.delay_ms = work->turns.spec->waits[turn.wait].server_ms + 1;
        rcs_turn_take(&work->turns, &place->key.spot, &letter, &turn);
        note_end(work, number, &turn, &letter, place, false);
    }
}

static void read_letters(struct work *work, size_t number, const struct place *place, bool *after)
{
    static const struct rcs_letter fixed[] = {{.event = RECOURSE_EVENT_OK, .safe = true, .acted = true},
                                              {.event = RECOURSE_EVENT_UNRECORDED, .safe = true},
                                              {.event = RECOURSE_EVENT_DEADLINE, .safe = true},
                                              {.event = RECOURSE_EVENT_DEADLINE, .acted = true},
                                              {.event = RECOURSE_EVENT_CANCELLED, .safe = true},
                                              {.event = RECOURSE_EVENT_CANCELLED, .acted = true}};
    const struct rcs_spec *spec = work->turns.spec;

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (rcs_event_is_live(spec, fixed[i].event)) {
            read_letter(work, number, place, fixed[i], after);
        }
    }
    for (uint16_t i = 0; i < spec->failure_count && !work->full && !work->too_wide; i++) {
        struct rcs_letter letter = {.event = (uint16_t)(RECOURSE_EVENT_FAILURE + i),
                                    .acted = spec->failures[i].effect != RECOURSE_EFFECT_NONE};

        if (letter.acted && place->key.tool != TOOL_SAFE) {
            read_letter(work, number, place, letter, after);
        }
        letter.safe = true;
        if (!letter.acted || place->key.tool != TOOL_UNSAFE) {
            read_letter(work, number, place, letter, after);
        }
    }
}

static void read_group(struct work *work, size_t number)
{
    bool after[GROUPS_MAX + 2] = {false};

    for (size_t i = 0; i < work->groups[number].places.count && !work->full && !work->too_wide; i++) {
        struct place place = *(struct place *)rcs_index_at(&work->groups[number].places, i);

        read_letters(work, number, &place, after);
    }
    for (size_t i = 2; i < GROUPS_MAX && work->paths->fold != RCS_FOLD_ROWS; i++) {
        if (after[i]) {
            take_over_steps(work, number, i);
        }
    }
}

/* Calls that end before their first try. */
static void read_preconditions(struct work *work)
{
    struct place none = {.runs = 1};

    for (uint16_t event = RECOURSE_EVENT_READY + 1; event < RECOURSE_EVENT_ELAPSED; event++) {
        struct rcs_letter letter = {.event = event};
        struct rcs_turn turn = {.row = rcs_turns_before(&work->turns, event), .ended = RECOURSE_NONE};

        if (rcs_event_in_table(work->turns.spec, RECOURSE_PRECONDITION, event) &&
            rcs_event_is_live(work->turns.spec, event) && turn.row != RECOURSE_NONE) {
            note_end(work, 0, &turn, &letter, &none, false);
        }
    }
}

/* ---- what a reader sees ---- */

static int by_report(const void *left, const void *right)
{
    const struct rcs_path_line *a = left;
    const struct rcs_path_line *b = right;
    int order = (a->scenario > b->scenario) - (a->scenario < b->scenario);

    order = order != 0 ? order : (a->message > b->message) - (a->message < b->message);
    return order != 0 ? order : a->in_wait - b->in_wait;
}

static int by_row(const void *left, const void *right)
{
    const struct rcs_path_end *a = left;
    const struct rcs_path_end *b = right;
    int order = (a->row > b->row) - (a->row < b->row);

    order = order != 0 ? order : (a->ended > b->ended) - (a->ended < b->ended);
    return order != 0 ? order : a->reason - b->reason;
}

/* Forms of an event that say nothing: both of them were seen, or the group has no others. */
static void forget_forms(const struct work *work, uint8_t *events, uint8_t seen)
{
    for (unsigned event = 0; event < rcs_event_end(work->turns.spec); event++) {
        uint8_t forms = event < RECOURSE_EVENT_FAILURE ? RCS_SEEN_SAFE | RCS_SEEN_UNSAFE : seen;

        if (events[event] != 0 && (events[event] & forms) == forms) {
            events[event] = RCS_SEEN_ALWAYS;
        }
    }
}

static void put_in_order(struct work *work)
{
    for (size_t g = 0; g < work->paths->group_count; g++) {
        struct rcs_path_group *group = &work->paths->groups[g];
        uint8_t seen = work->groups[g].seen;

        if (group->line_count > 0) {
            qsort(group->lines, group->line_count, sizeof *group->lines, by_report);
        }
        for (size_t i = 0; i < group->line_count; i++) {
            qsort(group->lines[i].ends, group->lines[i].end_count, sizeof *group->lines[i].ends, by_row);
            for (size_t e = 0; e < group->lines[i].end_count; e++) {
                forget_forms(work, group->lines[i].ends[e].events, seen);
            }
        }
        for (size_t i = 0; i < group->step_count; i++) {
            forget_forms(work, group->steps[i].events, RCS_SEEN_SAFE | RCS_SEEN_UNSAFE);
        }
    }
}

static bool read_runs(struct work *work, uint8_t fold, size_t lines_max)
{
    struct rcs_paths *paths = work->paths;
    struct place first = {.key = {.spot = {.tries = 1}}, .runs = 1};

    memset(paths, 0, sizeof *paths);
    paths->spec = work->turns.spec;
    paths->fold = fold;
    paths->rough = work->turns.rough;
    work->keys = (struct rcs_index){
        .arena = work->arena, .key_size = sizeof(struct group_key), .item_size = sizeof(struct group_key)};
    work->groups = NULL;
    work->lines = 0;
    work->lines_max = lines_max;
    work->spots = 0;
    work->full = false;
    work->too_wide = false;
    add_group(work, 0);
    add_group(work, 1);
    paths->groups[0].least_ms = 0;
    read_preconditions(work);
    if (work->turns.ready != RECOURSE_NONE) {
        put_place(work, 1, &first);
    }
    for (size_t g = 1; g < paths->group_count && !work->full && !work->too_wide; g++) {
        read_group(work, g);
    }
    return !work->full && !work->too_wide;
}

static void find_reports(struct work *work)
{
    struct rcs_paths *paths = work->paths;

    for (size_t g = 0; g < paths->group_count; g++) {
        for (size_t i = 0; i < paths->groups[g].line_count; i++) {
            const struct rcs_path_line *line = &paths->groups[g].lines[i];
            struct rcs_path_report *report = NULL;

            for (size_t r = 0; r < paths->report_count && report == NULL; r++) {
                report = paths->reports[r].scenario == line->scenario && paths->reports[r].message == line->message
                             ? &paths->reports[r] : NULL;
            }
            if (report == NULL) {
                report = rcs_arena_push(work->arena, &paths->reports, &paths->report_count, sizeof *report);
                *report = (struct rcs_path_report){line->scenario, line->message,
                                                   rcs_arena_alloc(work->arena, paths->spec->row_count)};
            }
            for (size_t e = 0; e < line->end_count; e++) {
                const struct rcs_path_end *end = &line->ends[e];

                report->rows[end->ended != RECOURSE_NONE ? end->ended : end->row] = true;
            }
        }
    }
}

static int by_step(const void *left, const void *right)
{
    const struct rcs_path_step *a = left;
    const struct rcs_path_step *b = right;

    return (a->row > b->row) - (a->row < b->row);
}

static void find_retries(struct work *work)
{
    struct rcs_paths *paths = work->paths;
    struct rcs_path_group all = {.steps = NULL};

    for (size_t g = 0; g < paths->group_count; g++) {
        for (size_t i = 0; i < paths->groups[g].step_count; i++) {
            const struct rcs_path_step *step = &paths->groups[g].steps[i];
            struct rcs_path_step *own = step_of(work, &all, 0, step->row);

            for (unsigned event = 0; event < rcs_event_end(paths->spec); event++) {
                own->events[event] |= step->events[event];
            }
        }
    }
    if (all.step_count > 0) {
        qsort(all.steps, all.step_count, sizeof *all.steps, by_step);
    }
    paths->retries = all.steps;
    paths->retry_count = all.step_count;
}

/* Replays of calls that may have acted, of tools that are not safe: each row and failure once. */
static void find_twice(struct work *work, const struct rcs_machine *machine)
{
    const struct rcs_spec *spec = work->turns.spec;
    struct rcs_paths *paths = work->paths;
    bool *found = rcs_arena_alloc(work->arena, spec->row_count * RECOURSE_FAILURES_MAX);

    for (uint16_t state = 0; state < machine->state_count; state++) {
        for (uint16_t i = 0; i < spec->failure_count && machine->states[state].place == RECOURSE_ATTEMPT; i++) {
            struct rcs_case at = {.event = (uint16_t)(RECOURSE_EVENT_FAILURE + i), .acted_now = true, .may_wait = true};
            uint8_t symbol = rcs_symbol(spec, RECOURSE_ATTEMPT, &at);
            const struct recourse_move *move = &machine->moves[state * machine->symbol_count + symbol];
            struct rcs_path_twice *twice;

            if (spec->failures[i].effect == RECOURSE_EFFECT_NONE || move->row == RECOURSE_NONE ||
                machine->states[move->state].place != RECOURSE_BACKOFF ||
                found[move->row * RECOURSE_FAILURES_MAX + i]) {
                continue;
            }
            found[move->row * RECOURSE_FAILURES_MAX + i] = true;
            twice = rcs_arena_push(work->arena, &paths->twice, &paths->twice_count, sizeof *twice);
            *twice = (struct rcs_path_twice){move->row, i, rcs_witness(machine, state, symbol)};
        }
    }
}

void rcs_paths_find(struct rcs_arena *arena, const struct rcs_machine *machine, const struct rcs_worst *worst,
                    struct rcs_paths *paths)
{
    static const size_t lines[RCS_FOLD_COUNT] = {LINES_READ, LINES_READ, LINES_MAX, SIZE_MAX};
    struct work work = {.arena = arena, .paths = paths};

    rcs_turns_open(&work.turns, arena, machine->spec);
    for (uint8_t fold = RCS_FOLD_ROWS; fold < RCS_FOLD_COUNT; fold++) {
        bool done = read_runs(&work, fold, lines[fold]);

        if (!done && work.too_wide && fold >= RCS_FOLD_TRIES) {
            work.turns.rough = true; /* the states of the machine alone: they are few */
            done = read_runs(&work, fold, lines[fold]);
        }
        if (done) {
            break;
        }
    }
    paths->worst = worst;
    put_in_order(&work);
    find_reports(&work);
    find_retries(&work);
    find_twice(&work, machine);
}
