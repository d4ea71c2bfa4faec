/* Waits: can they be computed, can they be begun, and how long can a call take at the worst? */
#include <string.h>

#include "gen/check.h"

#define WAYS_MAX 20000u

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > RECOURSE_FOREVER - b ? RECOURSE_FOREVER : a + b;
}

void rcs_check_waits(const struct rcs_check *check)
{
    const struct rcs_spec *spec = check->spec;
    uint64_t deadline = spec->settings.call_deadline_ms;

    for (size_t i = 0; i < spec->wait_count; i++) {
        const struct rcs_spec_wait *wait = &spec->waits[i];
        struct rcs_window window;
        uint16_t count = 0;
        bool ends;

        if (rcs_schedule(check->findings->arena, spec, wait, &count, &ends, check->findings) == NULL) {
            continue;
        }
        for (unsigned index = 0; index < count && index + 1u < spec->settings.tries; index++) {
            rcs_model_window(spec, wait, index, 0, &window);
            if (window.min_ms >= deadline) {
                rcs_find(check->findings, RCS_WARNING, "dead-wait", wait->delays_place, wait->id, NULL,
                         "delay %u of wait '%s' is at least %llu ms, and the call deadline is %llu ms: it is never begun",
                         index + 1, wait->id, (unsigned long long)window.min_ms, (unsigned long long)deadline);
                break;
            }
        }
    }
}

/* One way through the policy so far: where it stands and the most that it has waited. */
struct way {
    struct rcs_history history;
    uint64_t wait_ms;
    uint64_t base_ms;
    size_t from; /* the way before; itself for the first */
    uint16_t failure;
    bool safe;
};

struct ways {
    struct way *items;
    size_t count;
    bool full;
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

static struct way *way_to(struct ways *ways, const struct rcs_history *history)
{
    for (size_t i = ways->count; i-- > 0 && ways->items[i].history.tries >= history->tries;) {
        if (memcmp(&ways->items[i].history, history, sizeof *history) == 0) {
            return &ways->items[i];
        }
    }
    if (ways->count == WAYS_MAX) {
        ways->full = true;
        return NULL;
    }
    ways->items[ways->count].history = *history;
    return &ways->items[ways->count++];
}

/* The most that a wait can be: a server that asks for as much as it may counts, too. */
static uint64_t longest(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned index)
{
    struct rcs_window plain;
    struct rcs_window asked;

    rcs_model_window(spec, wait, index, 0, &plain);
    rcs_model_window(spec, wait, index, wait->server == RECOURSE_SERVER_WITHIN ? 1 : wait->server_ms, &asked);
    return plain.max_ms > asked.max_ms ? plain.max_ms : asked.max_ms;
}

/* Goes on from way `from` by one failure that is tried again, if it is. */
static void go_on(const struct rcs_check *check, struct ways *ways, size_t from, uint16_t failure, bool safe)
{
    const struct rcs_spec *spec = check->spec;
    struct rcs_history history = ways->items[from].history;
    struct rcs_case at = {.event = (uint16_t)(RECOURSE_EVENT_FAILURE + failure), .safe = safe, .may_wait = true};
    struct rcs_case elapsed = {.event = RECOURSE_EVENT_ELAPSED};
    const struct rcs_spec_wait *wait;
    struct rcs_window window;
    struct way *way;
    unsigned index;
    uint64_t total;
    uint16_t row;
    bool spent;

    at.acted_now = spec->failures[failure].effect != RECOURSE_EFFECT_NONE;
    row = rcs_model_move(spec, &history, &at, &spent);
    if (row == RECOURSE_NONE || history.place != RECOURSE_BACKOFF) {
        return;
    }
    wait = &spec->waits[spec->rows[row].wait];
    index = wait->by_uses ? history.uses[spec->rows[row].wait] - 1u : history.tries - 1u;
    rcs_model_window(spec, wait, index, 0, &window);
    if (rcs_model_move(spec, &history, &elapsed, &spent) == RECOURSE_NONE) {
        return;
    }
    forget_uses(spec, &history);
    total = add(ways->items[from].wait_ms, longest(spec, wait, index));
    way = way_to(ways, &history);
    if (way == NULL || (way->from != 0 && way->wait_ms >= total)) {
        return;
    }
    way->wait_ms = total;
    way->base_ms = add(ways->items[from].base_ms, window.base_ms);
    way->from = from + 1; /* 0: none */
    way->failure = failure;
    way->safe = safe;
}

static const char *words_to(const struct rcs_check *check, const struct ways *ways, size_t at)
{
    struct rcs_arena *arena = check->findings->arena;
    const char *text = "";

    while (ways->items[at].from != 0) {
        const struct way *way = &ways->items[at];

        text = rcs_arena_format(arena, "%s%s%s%s", check->spec->failures[way->failure].name, way->safe ? ":safe" : "",
                                *text ? ", " : "", text);
        at = way->from - 1;
    }
    return text;
}

void rcs_worst_case(const struct rcs_check *check, struct rcs_worst *worst)
{
    const struct rcs_spec *spec = check->spec;
    struct ways ways = {rcs_arena_alloc(check->findings->arena, WAYS_MAX * sizeof *ways.items), 0, false};
    struct rcs_history first = {.place = RECOURSE_PRECONDITION};
    struct rcs_case ready = {.event = RECOURSE_EVENT_READY};
    size_t longest_way = 0;
    bool spent;

    memset(worst, 0, sizeof *worst);
    worst->witness = "";
    if (rcs_model_move(spec, &first, &ready, &spent) == RECOURSE_NONE || first.place != RECOURSE_ATTEMPT) {
        return;
    }
    way_to(&ways, &first);
    for (size_t i = 0; i < ways.count; i++) {
        const struct way *way = &ways.items[i];

        if (way->history.tries > worst->tries) {
            worst->tries = way->history.tries;
        }
        if (way->wait_ms > ways.items[longest_way].wait_ms ||
            (way->wait_ms == ways.items[longest_way].wait_ms &&
             way->history.tries > ways.items[longest_way].history.tries)) {
            longest_way = i;
        }
        for (uint16_t failure = 0; failure < spec->failure_count; failure++) {
            go_on(check, &ways, i, failure, false);
            go_on(check, &ways, i, failure, true);
        }
    }
    if (ways.full) {
        rcs_find(check->findings, RCS_NOTICE, "worst-case", spec->setting_places.tries, NULL, NULL,
                 "more than %u ways to wait: the longest of them is at least what is said", WAYS_MAX);
    }
    worst->wait_ms = ways.items[longest_way].wait_ms;
    worst->wait_base_ms = ways.items[longest_way].base_ms;
    worst->witness = words_to(check, &ways, longest_way);
}
