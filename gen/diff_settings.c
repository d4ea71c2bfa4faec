/* What is compared as it is written: settings, and the table Tools. */
#include <string.h>

#include "gen/diff.h"

#define TOOL_SAFE 1u
#define TOOL_UNSAFE 2u

/* ---- settings ---- */

static struct rcs_difference *set(struct rcs_arena *arena, struct rcs_diff *diff, const char *name,
                                  const char *old_value, const char *new_value, uint8_t leans)
{
    struct rcs_difference *item;

    if (strcmp(old_value, new_value) == 0) {
        return NULL;
    }
    item = rcs_diff_add(arena, diff, RCS_CHANGE_SETTING, leans);
    item->about = name;
    item->old_side.value = old_value;
    item->new_side.value = new_value;
    return item;
}

static const char *duration(struct rcs_arena *arena, uint64_t ms)
{
    if (ms == RECOURSE_FOREVER) {
        return "none";
    }
    return ms % 1000 == 0 ? rcs_arena_format(arena, "%llus", (unsigned long long)ms / 1000)
                          : rcs_arena_format(arena, "%llums", (unsigned long long)ms);
}

static const char *number(struct rcs_arena *arena, uint32_t value, uint32_t none, const char *unit)
{
    return value == none ? "none" : rcs_arena_format(arena, "%u%s", value, unit);
}

static bool has(const char *const *texts, const char *text)
{
    for (; *texts != NULL; texts++) {
        if (strcmp(*texts, text) == 0) {
            return true;
        }
    }
    return false;
}

/* Texts of the one that the other has not; with `all`, all of them. */
static const char *texts_of(struct rcs_arena *arena, const char *const *texts, const char *const *other, bool all)
{
    const char *list = "";

    for (; texts != NULL && *texts != NULL; texts++) {
        if (all || other == NULL || !has(other, *texts)) {
            list = rcs_arena_format(arena, "%s%s\"%s\"", list, *list == '\0' ? "" : ", ", *texts);
        }
    }
    return *list == '\0' ? "none" : list;
}

static void set_texts(struct rcs_arena *arena, struct rcs_diff *diff, const char *name, const char *const *old_texts,
                      const char *const *new_texts)
{
    bool gone = strcmp(texts_of(arena, old_texts, new_texts, false), "none") != 0;
    bool come = strcmp(texts_of(arena, new_texts, old_texts, false), "none") != 0;

    if (gone || come) { /* in another order they mean the same */
        set(arena, diff, name, texts_of(arena, old_texts, NULL, true), texts_of(arena, new_texts, NULL, true),
            (uint8_t)((gone ? RCS_LOOSER : 0u) | (come ? RCS_STRICTER : 0u)));
    }
}

static uint8_t more_is_looser(uint64_t old_value, uint64_t new_value)
{
    return new_value > old_value ? RCS_LOOSER : new_value < old_value ? RCS_STRICTER : 0;
}

/* ---- budgets and breakers ---- */

static const char *tokens(struct rcs_arena *arena, uint32_t number)
{
    return number == 0 ? "-" : rcs_arena_format(arena, "%u", number);
}

const char *rcs_budget_text(struct rcs_arena *arena, const struct recourse_budget *at)
{
    const char *gives = tokens(arena, at->gives);

    if (at->gives_cost) {
        gives = at->gives == 0 ? "cost" : rcs_arena_format(arena, "cost, else %u", at->gives);
    }
    return rcs_arena_format(arena, "of each %s, holds %u, a wait needs %s, a failure takes %s, an ok gives back %s",
                            recourse_shared_by_name(at->shared_by), at->holds, tokens(arena, at->needs),
                            tokens(arena, at->takes), gives);
}

const char *rcs_breaker_text(struct rcs_arena *arena, const struct rcs_spec *spec, const struct recourse_breaker *at)
{
    const char *failures = "";

    for (size_t i = 0; i < spec->failure_count; i++) {
        if ((at->counts >> i & 1u) != 0) {
            failures = rcs_arena_format(arena, "%s%s%s", failures, *failures == '\0' ? "" : ", ", spec->failures[i].name);
        }
    }
    return rcs_arena_format(arena, "of each %s, counts %s, opens after %u%s%s, stays open %s, lets through %u",
                            recourse_shared_by_name(at->shared_by), failures, at->opens_after,
                            at->within_ms == 0 ? "" : " in ", at->within_ms == 0 ? "" : duration(arena, at->within_ms),
                            duration(arena, at->stays_open_ms), at->lets_through);
}

static const char *budget_of(struct rcs_arena *arena, const struct rcs_spec *spec, const char *id)
{
    for (size_t i = 0; i < spec->budget_count; i++) {
        if (strcmp(spec->budgets[i].budget.id, id) == 0) {
            return rcs_budget_text(arena, &spec->budgets[i].budget);
        }
    }
    return "none";
}

static const char *breaker_of(struct rcs_arena *arena, const struct rcs_spec *spec, const char *id)
{
    for (size_t i = 0; i < spec->breaker_count; i++) {
        if (strcmp(spec->breakers[i].breaker.id, id) == 0) {
            return rcs_breaker_text(arena, spec, &spec->breakers[i].breaker);
        }
    }
    return "none";
}

static const char *cost_of(struct rcs_arena *arena, const struct rcs_spec *spec, const char *id)
{
    for (size_t i = 0; i < spec->wait_count; i++) {
        if (strcmp(spec->waits[i].id, id) == 0 && spec->waits[i].budget != RECOURSE_NONE) {
            return rcs_arena_format(arena, "%u of %s", spec->waits[i].cost, spec->budgets[spec->waits[i].budget].budget.id);
        }
    }
    return "none";
}

/* What is gone is looser, what has come is stricter; of what has changed, one can't say. */
static uint8_t leans_of(const char *old_value, const char *new_value)
{
    bool gone = strcmp(new_value, "none") == 0;
    bool come = strcmp(old_value, "none") == 0;

    return (uint8_t)((come ? 0u : RCS_LOOSER) | (gone ? 0u : RCS_STRICTER));
}

static void set_shared(struct rcs_arena *arena, struct rcs_diff *diff, const char *what, const char *id,
                       const char *old_value, const char *new_value)
{
    for (size_t i = 0; i < diff->count; i++) {
        if (diff->items[i].about != NULL &&
            strcmp(diff->items[i].about, rcs_arena_format(arena, "%s %s", what, id)) == 0) {
            return; /* the other side has it, too */
        }
    }
    set(arena, diff, rcs_arena_format(arena, "%s %s", what, id), old_value, new_value, leans_of(old_value, new_value));
}

static void compare_shared(struct rcs_arena *arena, struct rcs_diff *diff)
{
    const struct rcs_spec *specs[2] = {diff->old_spec, diff->new_spec};

    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < specs[side]->budget_count; i++) {
            const char *id = specs[side]->budgets[i].budget.id;

            set_shared(arena, diff, "budget", id, budget_of(arena, specs[0], id), budget_of(arena, specs[1], id));
        }
        for (size_t i = 0; i < specs[side]->breaker_count; i++) {
            const char *id = specs[side]->breakers[i].breaker.id;

            set_shared(arena, diff, "breaker", id, breaker_of(arena, specs[0], id), breaker_of(arena, specs[1], id));
        }
        for (size_t i = 0; i < specs[side]->wait_count; i++) {
            const char *id = specs[side]->waits[i].id;

            set_shared(arena, diff, "cost of wait", id, cost_of(arena, specs[0], id), cost_of(arena, specs[1], id));
        }
    }
}

/* ---- all of them ---- */

void rcs_diff_settings(struct rcs_arena *arena, struct rcs_diff *diff)
{
    const struct recourse_settings *a = &diff->old_spec->settings;
    const struct recourse_settings *b = &diff->new_spec->settings;
    struct rcs_difference *deadline;
    uint64_t repeated[2] = {a->repeated_failures == 0 ? UINT64_MAX : a->repeated_failures,
                            b->repeated_failures == 0 ? UINT64_MAX : b->repeated_failures};

    set(arena, diff, "try timeout", duration(arena, a->try_timeout_ms), duration(arena, b->try_timeout_ms), 0);
    deadline = set(arena, diff, "call deadline", duration(arena, a->call_deadline_ms),
                   duration(arena, b->call_deadline_ms), more_is_looser(a->call_deadline_ms, b->call_deadline_ms));
    if (deadline != NULL) {
        deadline->longer = deadline->leans == RCS_LOOSER; /* waits that did not fit in now do */
    }
    set(arena, diff, "reminder", *a->reminder == '\0' ? "none" : a->reminder, *b->reminder == '\0' ? "none" : b->reminder, 0);
    set(arena, diff, "reason", number(arena, a->reason_characters, UINT32_MAX, " characters"),
        number(arena, b->reason_characters, UINT32_MAX, " characters"), 0);
    set_texts(arena, diff, "sensitive values", a->sensitive_values, b->sensitive_values);
    set_texts(arena, diff, "sensitive names", a->sensitive_names, b->sensitive_names);
    set(arena, diff, "approval timeout", duration(arena, a->approval_timeout_ms), duration(arena, b->approval_timeout_ms),
        0);
    set(arena, diff, "repeated failures", number(arena, a->repeated_failures, 0, ""),
        number(arena, b->repeated_failures, 0, ""), more_is_looser(repeated[0], repeated[1]));
    set(arena, diff, "output", number(arena, a->output_limit, 0, a->output_tokens ? " tokens" : " characters"),
        number(arena, b->output_limit, 0, b->output_tokens ? " tokens" : " characters"), 0);
    set(arena, diff, "audit", a->audit_refuse ? "refuse" : "continue", b->audit_refuse ? "refuse" : "continue",
        a->audit_refuse ? RCS_LOOSER : RCS_STRICTER);
    compare_shared(arena, diff);
}

/* ---- tools ---- */

static const struct rcs_spec_tool *rule_of(const struct rcs_spec *spec, const char *tool)
{
    for (size_t i = 0; i < spec->tool_count; i++) {
        const char *name = spec->tools[i].name;
        size_t length = strlen(name);

        if (name[length - 1] == '*' ? strncmp(name, tool, length - 1) == 0 : strcmp(name, tool) == 0) {
            return &spec->tools[i];
        }
    }
    return NULL;
}

static unsigned kinds_of(const struct rcs_spec_tool *rule)
{
    if (rule == NULL) {
        return TOOL_SAFE | TOOL_UNSAFE; /* the configuration says */
    }
    return rule->replay == RECOURSE_REPLAY_SAFE     ? TOOL_SAFE
           : rule->replay == RECOURSE_REPLAY_UNSAFE ? TOOL_UNSAFE
                                                    : TOOL_SAFE | TOOL_UNSAFE;
}

static const char *rule_text(struct rcs_arena *arena, const struct rcs_spec_tool *rule)
{
    if (rule == NULL) {
        return "no row";
    }
    return rule->replay == RECOURSE_REPLAY_SAFE     ? "safe"
           : rule->replay == RECOURSE_REPLAY_UNSAFE ? "unsafe"
                                                    : rcs_arena_format(arena, "safe if \"%s\"", rule->pointer);
}

/* A tool of this name: what both take it for. */
static unsigned compare_tool(struct rcs_arena *arena, struct rcs_diff *diff, const char *tool)
{
    const struct rcs_spec_tool *rules[2] = {rule_of(diff->old_spec, tool), rule_of(diff->new_spec, tool)};
    const char *texts[2] = {rule_text(arena, rules[0]), rule_text(arena, rules[1])};
    unsigned kinds[2] = {kinds_of(rules[0]), kinds_of(rules[1])};
    struct rcs_difference *item;

    if (strcmp(texts[0], texts[1]) == 0) {
        return 0;
    }
    item = rcs_diff_add(arena, diff, RCS_CHANGE_TOOL, 0);
    item->about = tool;
    item->old_side.value = texts[0];
    item->new_side.value = texts[1];
    return ((kinds[0] & TOOL_UNSAFE) && (kinds[1] & TOOL_SAFE) ? 4u : 0u) |
           ((kinds[0] & TOOL_SAFE) && (kinds[1] & TOOL_UNSAFE) ? 8u : 0u);
}

unsigned rcs_diff_tools(struct rcs_arena *arena, struct rcs_diff *diff)
{
    const struct rcs_spec *specs[2] = {diff->old_spec, diff->new_spec};
    const char **names = NULL;
    size_t count = 0;
    unsigned kinds = 3; /* safe to both, and unsafe to both: configurations say that */

    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < specs[side]->tool_count; i++) {
            const char *name = specs[side]->tools[i].name;
            bool known = false;

            for (size_t j = 0; j < count && !known; j++) {
                known = strcmp(names[j], name) == 0;
            }
            if (!known) {
                *(const char **)rcs_arena_push(arena, &names, &count, sizeof name) = name;
                kinds |= compare_tool(arena, diff, name);
            }
        }
    }
    return kinds;
}
