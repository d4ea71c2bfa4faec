/* Waits: can they be computed, can they be begun, and how long can a call take at the worst? */
#include <string.h>

#include "gen/check.h"
#include "gen/index.h"
#include "gen/turn.h"

#define WAYS_MAX 300000u

void rcs_check_waits(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;
    uint16_t count = 0;
    bool ends;

    for (size_t i = 0; i < spec->wait_count; i++) {
        (void)rcs_schedule(check->findings->arena, spec, &spec->waits[i], &count, &ends, check->findings);
    }
}

/* One way through the policy so far: where it stands, and how long it has waited. */
struct way {
    struct rcs_history history; /* what tells ways apart */
    uint64_t least_ms; /* with the luckiest draws */
    uint64_t most_ms;  /* with the unluckiest, and servers that ask for as much as they may */
    uint64_t base_ms;  /* the schedule alone, on the way with the most */
    uint64_t sum_ms;   /* the schedule alone, on the way where it is longest */
    size_t from;       /* the way before, + 1; 0: none */
    uint16_t failure;
    bool safe;
};

/* One delay of one wait: how long it is, was it ever due, and could it ever be begun? */
struct due {
    uint64_t least_ms; /* this and the next two hold once it was due */
    uint64_t most_ms;
    uint64_t base_ms;
    bool begun;
    size_t from; /* the first way on which it was due, + 1; 0: none */
    uint16_t failure;
    bool safe;
};

struct ways {
    const struct rcs_check *check;
    struct rcs_index index;
    bool full;
    struct due *due; /* [wait * tries + index] */
    struct due late;      /* the first wait by which the schedules alone come to the deadline; the times are totals */
    struct due late_most; /* likewise, with jitter and what servers may ask for */
};

/* Forgets uses that no schedule asks for, so that ways which differ in nothing else are one. */
static void forget_uses(const struct rcs_spec *spec, struct rcs_history *history)
{
    for (size_t w = 0; w < spec->wait_count; w++) {
        if (!spec->waits[w].by_uses && spec->waits[w].times == 0) {
            history->uses[w] = 0;
        }
    }
}

static struct way *way_at(const struct ways *ways, size_t number)
{
    return rcs_index_at(&ways->index, number);
}

/* NULL if there are too many to add one. */
static struct way *way_to(struct ways *ways, const struct rcs_history *history)
{
    struct way *way;
    size_t number;
    bool fresh;

    if (ways->index.count >= WAYS_MAX) {
        ways->full = true;
        return NULL;
    }
    number = rcs_index_put(&ways->index, history, &fresh);
    way = way_at(ways, number);
    if (fresh) {
        way->least_ms = RECOURSE_FOREVER;
    }
    return way;
}

/* The words of a way, and of one failure more where there is one. */
static const char *words_to(const struct ways *ways, size_t at, const struct due *last)
{
    const struct rcs_spec *spec = ways->check->spec;
    struct rcs_string words = {.arena = ways->check->findings->arena};
    size_t path[RECOURSE_TRIES_MAX + 1];
    size_t length = 0;

    for (; way_at(ways, at)->from != 0 && length < sizeof path / sizeof path[0]; at = way_at(ways, at)->from - 1) {
        path[length++] = at;
    }
    while (length > 0) {
        const struct way *way = way_at(ways, path[--length]);

        rcs_append_text(&words, spec->failures[way->failure].name);
        rcs_append_text(&words, way->safe ? ":safe" : "");
        rcs_append_text(&words, length > 0 || last != NULL ? ", " : "");
    }
    if (last != NULL) {
        rcs_append_text(&words, spec->failures[last->failure].name);
        rcs_append_text(&words, last->safe ? ":safe" : "");
    }
    return words.data != NULL ? words.data : "";
}

/* The delay that is due after way `from` and one failure more. Looked at once: growth is computed step by step. */
static struct due *due_after(struct ways *ways, size_t from, uint16_t w, unsigned index, const struct rcs_case *at)
{
    const struct rcs_spec *spec = ways->check->spec;
    struct due *due = &ways->due[w * spec->settings.tries + index];

    if (due->from == 0) {
        struct rcs_window window;

        rcs_model_window(spec, &spec->waits[w], index, 0, &window);
        rcs_model_bounds(spec, &spec->waits[w], index, &due->least_ms, &due->most_ms);
        due->base_ms = window.base_ms;
        due->from = from + 1;
        due->failure = (uint16_t)(at->event - RECOURSE_EVENT_FAILURE);
        due->safe = at->safe;
    }
    return due;
}

/* Notes the first run whose waits add up to more than the deadline allows. */
static void note_late(struct ways *ways, size_t from, uint64_t sum_ms, uint64_t most_ms, const struct rcs_case *at)
{
    uint64_t deadline_ms = ways->check->spec->settings.call_deadline_ms;
    struct due *late = sum_ms >= deadline_ms ? &ways->late : &ways->late_most;

    if (most_ms >= deadline_ms && late->from == 0) {
        late->from = from + 1;
        late->failure = (uint16_t)(at->event - RECOURSE_EVENT_FAILURE);
        late->safe = at->safe;
        late->base_ms = sum_ms;
        late->most_ms = most_ms;
    }
}

/* Goes on from way `from` by one failure that is tried again, if it is. */
static void go_on(struct ways *ways, size_t from, uint16_t failure, bool safe)
{
    const struct rcs_spec *spec = ways->check->spec;
    struct rcs_history history = way_at(ways, from)->history;
    struct rcs_case at = {.event = (uint16_t)(RECOURSE_EVENT_FAILURE + failure), .safe = safe, .may_wait = true};
    struct rcs_case elapsed = {.event = RECOURSE_EVENT_ELAPSED};
    const struct rcs_spec_wait *wait;
    struct due *due;
    struct way *way;
    unsigned index;
    uint64_t least;
    uint64_t most;
    uint64_t sum;
    uint16_t row;
    bool spent;

    at.acted_now = spec->failures[failure].effect != RECOURSE_EFFECT_NONE;
    row = rcs_model_move(spec, &history, &at, &spent);
    if (row == RECOURSE_NONE || history.place != RECOURSE_BACKOFF) {
        return;
    }
    wait = &spec->waits[spec->rows[row].wait];
    index = wait->by_uses ? history.uses[spec->rows[row].wait] - 1u : history.tries - 1u;
    due = due_after(ways, from, spec->rows[row].wait, index, &at);
    least = rcs_add_ms(way_at(ways, from)->least_ms, due->least_ms);
    most = rcs_add_ms(way_at(ways, from)->most_ms, due->most_ms);
    sum = rcs_add_ms(way_at(ways, from)->sum_ms, due->base_ms);
    note_late(ways, from, sum, most, &at);
    due->begun = due->begun || least < spec->settings.call_deadline_ms;
    if (least >= spec->settings.call_deadline_ms || rcs_model_move(spec, &history, &elapsed, &spent) == RECOURSE_NONE) {
        return;
    }
    forget_uses(spec, &history);
    if (most >= spec->settings.call_deadline_ms) {
        most = spec->settings.call_deadline_ms - 1;
    }
    way = way_to(ways, &history);
    if (way == NULL) {
        return;
    }
    if (least < way->least_ms) {
        way->least_ms = least;
    }
    way->sum_ms = sum > way->sum_ms ? sum : way->sum_ms;
    if (way->from != 0 && way->most_ms >= most) {
        return;
    }
    way->most_ms = most;
    way->base_ms = rcs_add_ms(way_at(ways, from)->base_ms, due->base_ms);
    way->from = from + 1;
    way->failure = failure;
    way->safe = safe;
}

/* Returns whether there were any. */
static bool find_dead_waits(const struct ways *ways)
{
    const struct rcs_spec *spec = ways->check->spec;
    bool found = false;

    for (size_t w = 0; w < spec->wait_count; w++) {
        for (unsigned index = 0; index < spec->settings.tries; index++) {
            const struct due *due = &ways->due[w * spec->settings.tries + index];

            if (due->from != 0 && !due->begun) {
                rcs_find(ways->check->findings, RCS_WARNING, "dead-wait", spec->waits[w].delays_place,
                         spec->waits[w].id, words_to(ways, due->from - 1, due),
                         "delay %u of wait '%s' is never begun: it would end after the call deadline of %llu ms",
                         index + 1, spec->waits[w].id, (unsigned long long)spec->settings.call_deadline_ms);
                found = true;
                break;
            }
        }
    }
    return found;
}

/* Waits that add up to more than the deadline: by themselves they promise a try that is not made. */
static void tell_late(const struct ways *ways)
{
    const struct rcs_spec *spec = ways->check->spec;
    bool alone = ways->late.from != 0;
    const struct due *late = alone ? &ways->late : &ways->late_most;

    if (late->from != 0) {
        rcs_find(ways->check->findings, alone ? RCS_WARNING : RCS_NOTICE, "past-deadline",
                 spec->setting_places.call_deadline, NULL, words_to(ways, late->from - 1, late),
                 "waits add up to %llu ms%s, and the call deadline is %llu ms: the try after them is not made",
                 (unsigned long long)(alone ? late->base_ms : late->most_ms),
                 alone ? "" : ", with jitter and what servers may ask for",
                 (unsigned long long)spec->settings.call_deadline_ms);
    }
}

/* All ways from the first try, each a failure longer than the one before. Returns the one that waits longest. */
static size_t walk_ways(struct ways *ways)
{
    const struct rcs_spec *spec = ways->check->spec;
    size_t longest_way = 0;

    for (size_t i = 0; i < ways->index.count; i++) {
        const struct way *way = way_at(ways, i);
        const struct way *most = way_at(ways, longest_way);

        if (way->most_ms > most->most_ms ||
            (way->most_ms == most->most_ms && way->history.tries > most->history.tries)) {
            longest_way = i;
        }
        for (uint16_t failure = 0; failure < spec->failure_count; failure++) {
            go_on(ways, i, failure, false);
            go_on(ways, i, failure, true);
        }
    }
    return longest_way;
}

void rcs_worst_case(const struct rcs_check *check, struct rcs_worst *worst)
{
    const struct rcs_spec *spec = check->spec;
    struct rcs_arena *arena = check->findings->arena;
    struct ways ways = {.check = check};
    struct rcs_history first = {.place = RECOURSE_PRECONDITION};
    struct rcs_case ready = {.event = RECOURSE_EVENT_READY};
    size_t at;
    bool spent;

    memset(worst, 0, sizeof *worst);
    worst->witness = "";
    if (rcs_model_move(spec, &first, &ready, &spent) == RECOURSE_NONE || first.place != RECOURSE_ATTEMPT) {
        return;
    }
    ways.index = (struct rcs_index){
        .arena = arena, .key_size = sizeof(struct rcs_history), .item_size = sizeof(struct way)};
    ways.due = rcs_arena_alloc(arena, (spec->wait_count * spec->settings.tries + 1) * sizeof *ways.due);
    way_to(&ways, &first)->least_ms = 0;
    at = walk_ways(&ways);
    if (!find_dead_waits(&ways)) {
        tell_late(&ways);
    }
    if (ways.full) {
        rcs_find(check->findings, RCS_NOTICE, "worst-case", spec->setting_places.tries, NULL, NULL,
                 "more than %u ways to wait: the longest of them is at least what is said", WAYS_MAX);
    }
    for (size_t i = 0; i < ways.index.count; i++) {
        worst->tries = way_at(&ways, i)->history.tries > worst->tries ? way_at(&ways, i)->history.tries : worst->tries;
    }
    worst->requests = worst->tries; /* a try is one request at most */
    worst->wait_ms = way_at(&ways, at)->most_ms;
    worst->wait_base_ms = way_at(&ways, at)->base_ms;
    worst->witness = words_to(&ways, at, NULL);
}
