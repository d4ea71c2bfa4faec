/* Two models side by side: pairs of spots, from the shortest run on. */
#include <string.h>

#include "gen/diff.h"
#include "gen/index.h"

#define PAIRS_MAX 300000u
#define NO_PARENT UINT32_MAX

/* What each of the policies takes a tool for, in the order in which witnesses are looked for. */
static const struct {
    uint8_t bit; /* of rcs_diff_tools */
    bool safe[2];
} tools[] = {{2, {false, false}}, {1, {true, true}}, {4, {false, true}}, {8, {true, false}}};

enum { OLD = 0, NEW = 1 };

/* A pair of spots, and how it is reached first. `ended`: the run has been reported in the old policy. */
struct pair {
    struct {
        struct rcs_spot spots[2];
        uint8_t tool;
        bool ended;
    } key;
    uint16_t letter; /* events[] */
    uint32_t parent;
};

/* Two waits compared, each at one place of its schedule. */
struct waits {
    struct {
        uint16_t waits[2];
        uint16_t indexes[2];
    } key;
    bool done;
    struct rcs_windows_differ differ;
};

/* What tells two differences of one kind apart: the rows, why a wait that was due was not begun, and for waits whether a
   server asked for one. */
struct known {
    uint8_t change;
    uint8_t reasons[2];
    uint16_t rows[2], ended[2];
    bool in_wait, asked;
};

struct walk {
    struct rcs_arena *arena;
    struct rcs_diff *diff;
    struct rcs_turns turns[2];
    const struct rcs_facts_pair *events; /* the letters: events of both */
    size_t event_count;
    struct rcs_index pairs;
    struct rcs_index waits;
    struct rcs_index known;
};

/* One step of both. */
struct step {
    size_t from;
    uint16_t event; /* index of the letter */
    struct rcs_letter letters[2];
    struct rcs_turn turns[2];
    bool in_wait; /* cancelled there, or ended by a breaker: */
    uint16_t wait_event;
    bool before;  /* the first try */
};

static const struct pair *pair_at(const struct walk *walk, size_t number)
{
    return rcs_index_at(&walk->pairs, number);
}

/* ---- witnesses ---- */

static struct rcs_letter letter_of(const struct walk *walk, uint16_t event, int side, uint8_t tool)
{
    uint16_t own = side == OLD ? walk->events[event].old_event : walk->events[event].new_event;
    const struct rcs_spec *spec = walk->turns[side].spec;
    struct rcs_letter letter = {.event = own, .safe = true, .acted = true};

    if (own >= RECOURSE_EVENT_FAILURE) {
        letter.acted = spec->failures[own - RECOURSE_EVENT_FAILURE].effect != RECOURSE_EFFECT_NONE;
        letter.safe = !letter.acted || tools[tool].safe[side];
    }
    return letter;
}

static bool named_elsewhere(uint16_t event)
{
    return event == RECOURSE_EVENT_DEADLINE || event == RECOURSE_EVENT_CANCELLED;
}

static void add_word(const struct walk *walk, struct rcs_diff_side *side, struct rcs_word word)
{
    *(struct rcs_word *)rcs_arena_push(walk->arena, &side->words, &side->word_count, sizeof word) = word;
}

/* The letters that lead to a pair, the last one first; for the old policy those up to its report. */
static size_t letters_to(const struct walk *walk, size_t at, int side, uint16_t events[RECOURSE_TRIES_MAX + 1])
{
    size_t length = 0;

    for (; pair_at(walk, at)->parent != NO_PARENT; at = pair_at(walk, at)->parent) {
        if (side == NEW || !pair_at(walk, pair_at(walk, at)->parent)->key.ended) {
            events[length++] = pair_at(walk, at)->letter;
        }
    }
    return length;
}

/* The words of the run up to a pair, and then of one letter more. */
static void witness(const struct walk *walk, const struct step *step, int side, struct rcs_diff_side *out)
{
    const struct pair *from = pair_at(walk, step->from);
    uint16_t events[RECOURSE_TRIES_MAX + 1];
    size_t length = letters_to(walk, step->from, side, events);

    for (size_t i = length; i-- > 0;) {
        struct rcs_letter letter = letter_of(walk, events[i], side, from->key.tool);

        add_word(walk, out, rcs_letter_word(&letter));
    }
    if (side == OLD && from->key.ended) {
        return;
    }
    if (!step->in_wait && !step->before && named_elsewhere(step->letters[side].event)) {
        uint16_t event = length > 0 ? RECOURSE_EVENT_ELAPSED : RECOURSE_EVENT_READY;

        add_word(walk, out, (struct rcs_word){.event = event});
    }
    add_word(walk, out, rcs_letter_word(&step->letters[side]));
    if (step->in_wait) {
        add_word(walk, out, (struct rcs_word){.event = step->wait_event});
    }
}

/* ---- differences ---- */

/* Whether no difference of this kind has had these rows; from now on one has. */
static bool is_new(struct walk *walk, const struct step *step, uint8_t change)
{
    struct known known;
    bool fresh;

    memset(&known, 0, sizeof known);
    known.change = change;
    known.in_wait = step->in_wait;
    known.asked = (change == RCS_CHANGE_WAIT_LONGER || change == RCS_CHANGE_WAIT_SHORTER) &&
                  step->letters[NEW].delay_ms != 0;
    for (int side = OLD; side <= NEW; side++) {
        known.rows[side] = step->turns[side].row;
        known.ended[side] = step->turns[side].ended;
        if (step->turns[OLD].reason != step->turns[NEW].reason) { /* the same one on both sides is none of the difference */
            known.reasons[side] = step->turns[side].reason;
        }
    }
    rcs_index_put(&walk->known, &known, &fresh);
    return fresh;
}

/* A new difference; NULL if there is one. */
static struct rcs_difference *differ(struct walk *walk, const struct step *step, uint8_t change, uint8_t leans)
{
    struct rcs_difference *item;

    if (!is_new(walk, step, change)) {
        return NULL;
    }
    item = rcs_diff_add(walk->arena, walk->diff, change, leans);
    for (int side = OLD; side <= NEW; side++) {
        witness(walk, step, side, side == OLD ? &item->old_side : &item->new_side);
    }
    return item;
}

static const char *message_of(const struct rcs_spec *spec, const struct rcs_spec_row *row)
{
    return row->message == RECOURSE_NONE ? "" : spec->messages[row->message].text;
}

/* Both report. */
static void compare_reports(struct walk *walk, const struct step *step)
{
    const struct rcs_spec_row *rows[2];
    const struct rcs_spec_scenario *told[2];
    bool reminds[2];

    for (int side = OLD; side <= NEW; side++) {
        rows[side] = &walk->turns[side].spec->rows[rcs_turn_report(&step->turns[side])];
        told[side] = &walk->turns[side].spec->scenarios[rows[side]->scenario];
        reminds[side] = told[side]->reminder == RECOURSE_REMINDER_YES;
    }
    if (reminds[OLD] != reminds[NEW]) {
        differ(walk, step, reminds[OLD] ? RCS_CHANGE_REMINDER_LOST : RCS_CHANGE_REMINDER_GAINED,
               reminds[OLD] ? RCS_LOOSER : RCS_STRICTER);
    }
    if (told[OLD]->tell != told[NEW]->tell) {
        bool to_model = told[NEW]->tell == RECOURSE_TELL_MODEL;

        differ(walk, step, to_model ? RCS_CHANGE_TO_MODEL : RCS_CHANGE_TO_HOST, to_model ? RCS_LOOSER : RCS_STRICTER);
    }
    if (reminds[OLD] != reminds[NEW] || told[OLD]->tell != told[NEW]->tell) {
        return;
    }
    if (strcmp(told[OLD]->label, told[NEW]->label) != 0 || told[OLD]->reminder != told[NEW]->reminder) {
        differ(walk, step, RCS_CHANGE_ENDING, 0);
    } else if (strcmp(message_of(walk->turns[OLD].spec, rows[OLD]), message_of(walk->turns[NEW].spec, rows[NEW])) != 0) {
        differ(walk, step, RCS_CHANGE_MESSAGE, 0);
    }
}

static const struct rcs_spec_wait *wait_of(const struct walk *walk, const struct step *step, int side)
{
    return &walk->turns[side].spec->waits[step->turns[side].wait];
}

static void differ_by_wait(struct walk *walk, const struct step *step, bool longer, uint64_t asked_ms)
{
    struct step shown = *step;
    struct rcs_difference *item;

    for (int side = OLD; side <= NEW; side++) {
        shown.letters[side].delay_ms = step->letters[side].event >= RECOURSE_EVENT_FAILURE ? asked_ms : 0;
    }
    item = differ(walk, &shown, longer ? RCS_CHANGE_WAIT_LONGER : RCS_CHANGE_WAIT_SHORTER, 0);
    if (item != NULL) {
        item->longer = longer;
    }
}

static void compare_waits(struct walk *walk, const struct step *step)
{
    const struct rcs_spec_wait *own[2] = {wait_of(walk, step, OLD), wait_of(walk, step, NEW)};
    bool asks = step->letters[OLD].event >= RECOURSE_EVENT_FAILURE && step->letters[NEW].event >= RECOURSE_EVENT_FAILURE;
    struct rcs_windows_differ differs;
    struct waits waits;
    struct waits *found;
    bool fresh;

    memset(&waits, 0, sizeof waits);
    for (int side = OLD; side <= NEW; side++) {
        waits.key.waits[side] = step->turns[side].wait;
        waits.key.indexes[side] = (uint16_t)step->turns[side].index;
    }
    found = rcs_index_at(&walk->waits, rcs_index_put(&walk->waits, &waits.key, &fresh));
    if (!found->done) {
        rcs_diff_windows(walk->diff, own, (const unsigned[]){step->turns[OLD].index, step->turns[NEW].index}, &found->differ);
        found->done = true;
    }
    differs = found->differ;
    for (int by = RCS_BY_SCHEDULE; by <= (asks ? RCS_BY_SERVER : RCS_BY_SCHEDULE); by++) {
        if (differs.longer[by]) {
            differ_by_wait(walk, step, true, differs.longer_ms[by]);
        }
        if (differs.shorter[by]) {
            differ_by_wait(walk, step, false, differs.shorter_ms[by]);
        }
    }
    if (own[OLD]->new_session != own[NEW]->new_session) {
        differ(walk, step, RCS_CHANGE_SESSION, 0);
    }
}

static const char *label_of(const struct walk *walk, const struct step *step, int side)
{
    const struct rcs_spec *spec = walk->turns[side].spec;
    uint16_t scenario = spec->rows[step->turns[side].row].scenario;

    return scenario == RECOURSE_NONE ? "" : spec->scenarios[scenario].label;
}

/* Whether one of the policies says that the step's try may have acted, for a tool that is not safe to it. */
static bool may_act(const struct step *step, int side)
{
    return step->letters[side].acted && !step->letters[side].safe;
}

static bool replays(const struct step *step, int side)
{
    return step->turns[side].waits && may_act(step, side);
}

/* Both wait. */
static void compare_waiting(struct walk *walk, const struct step *step)
{
    struct step ended = *step;

    compare_waits(walk, step);
    if (strcmp(label_of(walk, step, OLD), label_of(walk, step, NEW)) != 0) {
        differ(walk, step, RCS_CHANGE_LABEL, 0);
    }
    ended.in_wait = true;
    ended.wait_event = RECOURSE_EVENT_CANCELLED;
    for (int side = OLD; side <= NEW; side++) {
        ended.turns[side] = (struct rcs_turn){.row = walk->turns[side].cancelled[step->turns[side].next.acted],
                                               .ended = RECOURSE_NONE};
    }
    compare_reports(walk, &ended);
    if (walk->turns[OLD].circuit_open[0] == RECOURSE_NONE || walk->turns[NEW].circuit_open[0] == RECOURSE_NONE) {
        return; /* that one has breakers and the other none stands among the settings */
    }
    ended.wait_event = RECOURSE_EVENT_CIRCUIT_OPEN;
    for (int side = OLD; side <= NEW; side++) {
        ended.turns[side].row = walk->turns[side].circuit_open[step->turns[side].next.acted];
    }
    compare_reports(walk, &ended);
}

static void differ_by_replay(struct walk *walk, const struct step *step)
{
    struct rcs_difference *item = differ(walk, step, RCS_CHANGE_REPLAY, 0);

    if (item != NULL) {
        item->unsafe = true;
        item->claimed = !may_act(step, NEW);
    }
}

static bool takes_time(const struct walk *walk, const struct step *step)
{
    uint64_t least;
    uint64_t most;

    rcs_turn_bounds(&walk->turns[NEW], &step->turns[NEW], &least, &most);
    return most > 0;
}

/* The new policy tries again, the old one reports. */
static void compare_more(struct walk *walk, const struct step *step, bool unsafe)
{
    struct rcs_difference *item = differ(walk, step, RCS_CHANGE_TRIES_MORE, RCS_LOOSER);

    if (item == NULL) {
        if (unsafe) {
            differ_by_replay(walk, step);
        }
        return;
    }
    item->longer = takes_time(walk, step);
    item->unsafe = unsafe && is_new(walk, step, RCS_CHANGE_REPLAY);
    item->claimed = item->unsafe && !may_act(step, NEW);
}

/* What the step shows. */
static void compare(struct walk *walk, const struct step *step, bool ended)
{
    /* What the old policy calls unsafe stays so where the new one claims that it does no harm: nobody has proved that. */
    bool again = step->turns[NEW].waits && (may_act(step, NEW) || may_act(step, OLD)) && (ended || !replays(step, OLD));

    if (!ended && !step->turns[OLD].waits && step->turns[NEW].waits) {
        compare_more(walk, step, again);
        return;
    }
    if (again) {
        differ_by_replay(walk, step);
    }
    if (ended) {
        return;
    }
    if (step->turns[OLD].waits && step->turns[NEW].waits) {
        compare_waiting(walk, step);
    } else if (step->turns[OLD].waits) {
        differ(walk, step, RCS_CHANGE_TRIES_FEWER, RCS_STRICTER);
    } else {
        compare_reports(walk, step);
    }
}

/* ---- the walk ---- */

static void put_pair(struct walk *walk, const struct step *step, uint8_t tool, bool ended)
{
    struct pair pair;
    size_t number;
    bool fresh;

    if (walk->pairs.count >= PAIRS_MAX) {
        walk->diff->complete = false;
        return;
    }
    memset(&pair, 0, sizeof pair);
    if (!ended) {
        pair.key.spots[OLD] = step->turns[OLD].next;
    }
    pair.key.spots[NEW] = step->turns[NEW].next;
    pair.key.tool = tool;
    pair.key.ended = ended;
    number = rcs_index_put(&walk->pairs, &pair.key, &fresh);
    if (fresh) {
        struct pair *own = rcs_index_at(&walk->pairs, number);

        own->letter = step->event;
        own->parent = (uint32_t)step->from;
    }
}

/* Takes the step of both letters. False if one of the policies has no row for it: the checks have found the gap. */
static bool take(struct walk *walk, const struct pair *pair, struct step *step)
{
    memset(step->turns, 0, sizeof step->turns);
    step->turns[OLD].row = step->turns[OLD].ended = RECOURSE_NONE;
    for (int side = pair->key.ended ? NEW : OLD; side <= NEW; side++) {
        rcs_turn_take(&walk->turns[side], &pair->key.spots[side], &step->letters[side], &step->turns[side]);
        if (step->turns[side].row == RECOURSE_NONE) {
            return false;
        }
    }
    return true;
}

/* A wait that draws on a budget on both sides, or on one of them. */
static void read_over_budget(struct walk *walk, const struct pair *pair, const struct step *step)
{
    struct step shown = *step;
    bool any = false;

    for (int side = OLD; side <= NEW; side++) {
        bool draws = step->turns[side].waits && wait_of(walk, step, side)->budget != RECOURSE_NONE;

        shown.letters[side].no_budget = draws;
        any = any || draws;
    }
    if (any && take(walk, pair, &shown)) {
        compare(walk, &shown, pair->key.ended);
    }
}

/* The same with no time and no budget for a wait, and with a server that asks for more than one of the waits obeys. */
static void read_refusals(struct walk *walk, const struct pair *pair, const struct step *step)
{
    struct step shown = *step;

    for (int side = OLD; side <= NEW; side++) {
        shown.letters[side].no_time = step->letters[side].event >= RECOURSE_EVENT_FAILURE;
    }
    if (take(walk, pair, &shown)) {
        compare(walk, &shown, pair->key.ended);
    }
    read_over_budget(walk, pair, step);
    for (int stop = OLD; stop <= NEW; stop++) {
        if (!step->turns[stop].waits || wait_of(walk, step, stop)->server != RECOURSE_SERVER_OBEY_ELSE_STOP) {
            continue;
        }
        for (int side = OLD; side <= NEW; side++) {
            shown.letters[side] = step->letters[side];
            if (step->letters[side].event >= RECOURSE_EVENT_FAILURE) {
                shown.letters[side].delay_ms = wait_of(walk, step, stop)->server_ms + 1;
            }
        }
        if (take(walk, pair, &shown)) {
            compare(walk, &shown, pair->key.ended);
        }
    }
}

static void read_letter(struct walk *walk, const struct pair *pair, struct step *step)
{
    if (!take(walk, pair, step)) {
        return;
    }
    compare(walk, step, pair->key.ended);
    if (!step->turns[NEW].waits && !step->turns[OLD].waits) {
        return;
    }
    if (step->turns[NEW].waits) {
        put_pair(walk, step, pair->key.tool, pair->key.ended || !step->turns[OLD].waits);
    }
    if (!pair->key.ended) {
        read_refusals(walk, pair, step);
    }
}

static void read_pair(struct walk *walk, size_t number)
{
    static const uint16_t fixed[] = {RECOURSE_EVENT_DEADLINE, RECOURSE_EVENT_CANCELLED};
    const struct pair pair = *pair_at(walk, number);
    struct step step = {.from = number};

    for (size_t i = 0; i < walk->event_count; i++) {
        step.event = (uint16_t)i;
        for (int side = OLD; side <= NEW; side++) {
            step.letters[side] = letter_of(walk, step.event, side, pair.key.tool);
        }
        read_letter(walk, &pair, &step);
    }
    if (rcs_event_is_live(walk->turns[OLD].spec, RECOURSE_EVENT_UNRECORDED) &&
        rcs_event_is_live(walk->turns[NEW].spec, RECOURSE_EVENT_UNRECORDED)) {
        step.letters[OLD] = (struct rcs_letter){.event = RECOURSE_EVENT_UNRECORDED, .safe = true};
        step.letters[NEW] = step.letters[OLD];
        read_letter(walk, &pair, &step);
    }
    for (size_t i = 0; i < 4; i++) {
        struct rcs_letter letter = {.event = fixed[i / 2], .safe = i % 2 == 0, .acted = i % 2 == 1};

        step.letters[OLD] = letter;
        step.letters[NEW] = letter;
        read_letter(walk, &pair, &step);
    }
}

/* A call that one policy looks at before its first try, and the other does not, goes on to it there. */
static void read_preconditions(struct walk *walk)
{
    const struct rcs_spec *specs[2] = {walk->diff->old_spec, walk->diff->new_spec};

    for (uint16_t event = RECOURSE_EVENT_READY + 1; event < RECOURSE_EVENT_ELAPSED; event++) {
        struct step step = {.before = true};
        bool live[2];

        for (int side = OLD; side <= NEW; side++) {
            live[side] = rcs_event_is_live(specs[side], event) &&
                         rcs_event_in_table(specs[side], RECOURSE_PRECONDITION, event);
            step.letters[side].event = live[side] ? event : RECOURSE_EVENT_READY;
            step.letters[side].acted = live[side]; /* no word of these is `:safe` */
            step.turns[side] = (struct rcs_turn){
                .row = live[side] ? rcs_turns_before(&walk->turns[side], event) : walk->turns[side].ready,
                .ended = RECOURSE_NONE};
        }
        if ((!live[OLD] && !live[NEW]) || step.turns[OLD].row == RECOURSE_NONE ||
            step.turns[NEW].row == RECOURSE_NONE) {
            continue;
        }
        if (live[OLD] && live[NEW]) {
            compare_reports(walk, &step);
        } else if (event != RECOURSE_EVENT_CIRCUIT_OPEN) {
            differ(walk, &step, live[OLD] ? RCS_CHANGE_TRIES_MORE : RCS_CHANGE_TRIES_FEWER,
                   live[OLD] ? RCS_LOOSER : RCS_STRICTER);
        }
    }
}

void rcs_diff_runs(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pair *pairs, size_t pair_count,
                   unsigned kinds)
{
    struct walk walk = {.arena = arena, .diff = diff, .events = pairs, .event_count = pair_count};

    rcs_turns_open(&walk.turns[OLD], arena, diff->old_spec);
    rcs_turns_open(&walk.turns[NEW], arena, diff->new_spec);
    walk.pairs = (struct rcs_index){
        .arena = arena, .key_size = sizeof ((struct pair *)0)->key, .item_size = sizeof(struct pair)};
    walk.waits = (struct rcs_index){
        .arena = arena, .key_size = sizeof ((struct waits *)0)->key, .item_size = sizeof(struct waits)};
    walk.known = (struct rcs_index){.arena = arena, .key_size = sizeof(struct known), .item_size = sizeof(struct known)};
    for (uint8_t tool = 0; tool < sizeof tools / sizeof *tools; tool++) {
        struct step first = {.from = NO_PARENT, .turns = {{.next = {.tries = 1}}, {.next = {.tries = 1}}}};

        if ((kinds & tools[tool].bit) != 0) {
            put_pair(&walk, &first, tool, false);
        }
    }
    read_preconditions(&walk);
    for (size_t i = 0; i < walk.pairs.count && !(diff->first_only && diff->count > 0); i++) {
        read_pair(&walk, i);
    }
}
