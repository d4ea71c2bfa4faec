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

static void compare_failures(struct rcs_arena *arena, struct rcs_diff *diff, const struct rcs_facts_pair *pairs,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *old_name = failure_name(diff->old_spec, pairs[i].old_event);
        const char *new_name = failure_name(diff->new_spec, pairs[i].new_event);
        bool same_name = strcmp(old_name, new_name) == 0;
        bool renamed = !same_name && pairs[i].old_event >= RECOURSE_EVENT_FAILURE &&
                       pairs[i].new_event >= RECOURSE_EVENT_FAILURE && !has_failure(diff->new_spec, old_name) &&
                       !has_failure(diff->old_spec, new_name) &&
                       only_partner(pairs, count, pairs[i].old_event, true) == pairs[i].new_event &&
                       only_partner(pairs, count, pairs[i].new_event, false) == pairs[i].old_event;

        if (renamed) {
            *(struct rcs_rename *)rcs_arena_push(arena, &diff->renames, &diff->rename_count, sizeof *diff->renames) =
                (struct rcs_rename){old_name, new_name};
        }
        if (!same_name && !renamed) {
            add_fact(arena, diff, &pairs[i], RCS_CHANGE_FAILURE);
        } else if (strcmp(effect_of(diff->old_spec, pairs[i].old_event), effect_of(diff->new_spec, pairs[i].new_event)) !=
                   0) {
            add_fact(arena, diff, &pairs[i], RCS_CHANGE_EFFECT);
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
    return a->change != b->change ? a->change < b->change : tries_shown(a) < tries_shown(b);
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

void rcs_diff_find(struct rcs_arena *arena, const struct rcs_spec *old_spec, const struct rcs_spec *new_spec,
                   struct rcs_diff *diff)
{
    struct rcs_facts_pair *pairs;
    size_t pair_count;
    unsigned tools;

    memset(diff, 0, sizeof *diff);
    diff->old_spec = old_spec;
    diff->new_spec = new_spec;
    diff->complete = true;
    diff->prose_only = memcmp(old_spec->behaviour_sha256, new_spec->behaviour_sha256, 32) == 0;
    if (diff->prose_only) {
        return;
    }
    pair_count = rcs_diff_facts(arena, old_spec, new_spec, &pairs);
    compare_failures(arena, diff, pairs, pair_count);
    tools = rcs_diff_tools(arena, diff);
    rcs_diff_runs(arena, diff, pairs, pair_count, tools);
    rcs_diff_settings(arena, diff);
    put_in_order(diff);
    diff->verdict = verdict_of(diff);
}
