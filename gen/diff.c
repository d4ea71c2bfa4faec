#include "gen/diff.h"

#include <stdlib.h>
#include <string.h>

const char *rcs_change_name(uint8_t change)
{
    static const char *const names[RCS_CHANGE_COUNT] = {
        "more-tries", "fewer-tries", "unsafe-replay", "reminder-lost", "reminder-gained", "told-model", "told-host",
        "ending", "message", "longer-wait", "shorter-wait", "session", "label", "failure", "effect", "tool", "setting"};

    return names[change];
}

const char *rcs_verdict_name(uint8_t verdict)
{
    static const char *const names[] = {"same", "looser", "stricter", "different"};

    return names[verdict];
}

struct rcs_difference *rcs_diff_add(struct rcs_arena *arena, struct rcs_diff *diff, uint8_t change, uint8_t leans)
{
    struct rcs_difference *item = rcs_arena_push(arena, &diff->items, &diff->count, sizeof *item);

    item->change = change;
    item->leans = leans;
    item->old_side.rows = "";
    item->new_side.rows = "";
    return item;
}

/* ---- failures ---- */

static const char *failure_name(const struct rcs_spec *spec, uint16_t event) { return rcs_spec_event_name(spec, event); }

/* The only event of the other policy that goes with this one; RECOURSE_NONE if there are several. */
static uint16_t only_partner(const struct rcs_facts_pair *pairs, size_t count, uint16_t event, bool of_old)
{
    uint16_t partner = RECOURSE_NONE;

    for (size_t i = 0; i < count; i++) {
        uint16_t own = of_old ? pairs[i].old_event : pairs[i].new_event;
        uint16_t other = of_old ? pairs[i].new_event : pairs[i].old_event;

        if (own != event) {
            continue;
        }
        if (partner != RECOURSE_NONE && partner != other) {
            return RECOURSE_NONE;
        }
        partner = other;
    }
    return partner;
}

static bool has_failure(const struct rcs_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->failure_count; i++) {
        if (strcmp(spec->failures[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *fact_row(const struct rcs_spec *spec, uint16_t row)
{
    return row == RECOURSE_NONE ? "" : spec->fact_rows[row].id;
}

static const char *effect_of(const struct rcs_spec *spec, uint16_t event)
{
    return event < RECOURSE_EVENT_FAILURE ? recourse_effect_name(RECOURSE_EFFECT_DONE)
                                          : recourse_effect_name(spec->failures[event - RECOURSE_EVENT_FAILURE].effect);
}

static void add_fact(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pair *pair, uint8_t change)
{
    struct rcs_difference *item = rcs_diff_add(arena, diff, change, 0);

    item->about = pair->facts;
    item->old_side.rows = fact_row(diff->old_spec, pair->old_row);
    item->new_side.rows = fact_row(diff->new_spec, pair->new_row);
    item->old_side.value = rcs_arena_format(arena, "%s (effect %s)", failure_name(diff->old_spec, pair->old_event),
                                            effect_of(diff->old_spec, pair->old_event));
    item->new_side.value = rcs_arena_format(arena, "%s (effect %s)", failure_name(diff->new_spec, pair->new_event),
                                            effect_of(diff->new_spec, pair->new_event));
}

/* All ways in which facts of the one failure are taken for the other. */
static void add_ways(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pairs *pairs,
                     const struct rcs_facts_pair *pair)
{
    for (size_t i = 0; i < pairs->way_count; i++) {
        if (pairs->ways[i].old_event == pair->old_event && pairs->ways[i].new_event == pair->new_event) {
            add_fact(arena, diff, &pairs->ways[i], RCS_CHANGE_FAILURE);
        }
    }
}

static bool is_renamed(const struct rcs_diff *diff, const struct rcs_facts_pairs *pairs, const struct rcs_facts_pair *pair)
{
    return pair->old_event >= RECOURSE_EVENT_FAILURE && pair->new_event >= RECOURSE_EVENT_FAILURE &&
           !has_failure(diff->new_spec, failure_name(diff->old_spec, pair->old_event)) &&
           !has_failure(diff->old_spec, failure_name(diff->new_spec, pair->new_event)) &&
           only_partner(pairs->items, pairs->count, pair->old_event, true) == pair->new_event &&
           only_partner(pairs->items, pairs->count, pair->new_event, false) == pair->old_event;
}

static void compare_failures(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const struct rcs_facts_pair *pair = &pairs->items[i];
        const char *old_name = failure_name(diff->old_spec, pair->old_event);
        const char *new_name = failure_name(diff->new_spec, pair->new_event);
        bool same_name = strcmp(old_name, new_name) == 0;
        bool renamed = !same_name && is_renamed(diff, pairs, pair);

        if (renamed) {
            *(struct rcs_rename *)rcs_arena_push(arena, &diff->renames, &diff->rename_count, sizeof *diff->renames) =
                (struct rcs_rename){old_name, new_name};
        }
        if (!same_name && !renamed) {
            add_ways(arena, diff, pairs, pair);
        } else if (strcmp(effect_of(diff->old_spec, pair->old_event), effect_of(diff->new_spec, pair->new_event)) != 0) {
            add_fact(arena, diff, pair, RCS_CHANGE_EFFECT);
        }
    }
}

/* ---- all of it ---- */

static size_t tries_shown(const struct rcs_difference *item)
{
    size_t old_count = item->old_side.word_count;

    return item->new_side.word_count > old_count ? item->new_side.word_count : old_count;
}

/* Kinds in their order, in each the shortest first; what is equal keeps the order in which it was found. */
static bool comes_before(const struct rcs_difference *a, const struct rcs_difference *b)
{
    if (a->change != b->change) {
        return a->change < b->change;
    }
    return a->change == RCS_CHANGE_FAILURE ? strlen(a->about) < strlen(b->about) : tries_shown(a) < tries_shown(b);
}

static void put_in_order(struct rcs_diff *diff)
{
    for (size_t i = 1; i < diff->count; i++) {
        struct rcs_difference item = diff->items[i];
        size_t at = i;

        for (; at > 0 && comes_before(&item, &diff->items[at - 1]); at--) {
            diff->items[at] = diff->items[at - 1];
        }
        diff->items[at] = item;
    }
}

static uint8_t verdict_of(const struct rcs_diff *diff)
{
    uint8_t leans = 0;

    for (size_t i = 0; i < diff->count; i++) {
        leans |= diff->items[i].leans;
    }
    if (diff->count == 0 && diff->complete) {
        return RCS_SAME;
    }
    if (!diff->complete) {
        return RCS_DIFFERENT;
    }
    return leans == RCS_LOOSER     ? RCS_VERDICT_LOOSER
           : leans == RCS_STRICTER ? RCS_VERDICT_STRICTER
                                   : RCS_DIFFERENT;
}

/* False: there is nothing to look for. */
static bool begin(struct rcs_diff *diff, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec)
{
    memset(diff, 0, sizeof *diff);
    diff->old_spec = old_spec;
    diff->new_spec = new_spec;
    diff->complete = true;
    diff->prose_only = memcmp(old_spec->behaviour_sha256, new_spec->behaviour_sha256, 32) == 0;
    return !diff->prose_only;
}

void rcs_diff_find(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec,
                   struct rcs_diff *diff)
{
    struct rcs_facts_pairs pairs;
    unsigned tools;

    if (!begin(diff, old_spec, new_spec)) {
        return;
    }
    rcs_diff_facts(arena, old_spec, new_spec, &pairs);
    compare_failures(arena, diff, &pairs);
    tools = rcs_diff_tools(arena, diff);
    rcs_diff_runs(arena, diff, pairs.items, pairs.count, tools);
    rcs_diff_settings(arena, diff);
    rcs_diff_shared(arena, diff, &pairs);
    put_in_order(diff);
    diff->verdict = verdict_of(diff);
}

bool rcs_diff_none(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec)
{
    struct rcs_facts_pairs pairs;
    struct rcs_diff diff;
    unsigned tools;

    if (!begin(&diff, old_spec, new_spec)) {
        return true;
    }
    diff.first_only = true;
    rcs_diff_settings(arena, &diff);
    tools = rcs_diff_tools(arena, &diff);
    if (diff.count == 0) {
        rcs_diff_facts(arena, old_spec, new_spec, &pairs);
        compare_failures(arena, &diff, &pairs);
    }
    if (diff.count == 0) {
        rcs_diff_runs(arena, &diff, pairs.items, pairs.count, tools);
    }
    return diff.count == 0 && diff.complete;
}
