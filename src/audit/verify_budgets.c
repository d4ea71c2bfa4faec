/* The tokens of budgets: what an outcome says of them, computed anew. */
#include "src/audit/verify_internal.h"

#include <stdio.h>
#include <string.h>

/* `id before after`, joined by commas, in the order of the policy. */
static void render(char *text, size_t size, const struct rcs_spec *spec, const uint32_t *before, const uint32_t *after)
{
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < spec->budget_count && at < size; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s%s %u %u", i == 0 ? "" : ", ", spec->budgets[i].budget.id,
                               before[i], after[i]);
    }
}

/* What stood in each budget before, as the record says; of the form, no more than that is asked here. */
static bool read_before(struct rcs_verify *verify, const struct rcs_spec *spec)
{
    struct recourse_span raw = rcs_record_raw(&verify->record, RCS_KEY_BUDGETS);
    size_t at = 0;

    for (size_t i = 0; i < spec->budget_count; i++) {
        const struct recourse_budget *budget = &spec->budgets[i].budget;
        size_t id = strlen(budget->id);
        uint64_t number = 0;

        if (raw.size - at < id + 1 || memcmp(raw.data + at, budget->id, id) != 0) {
            return false;
        }
        for (at += id + 1; at < raw.size && raw.data[at] >= '0' && raw.data[at] <= '9' && number <= budget->holds; at++) {
            number = number * 10 + (uint64_t)(raw.data[at] - '0');
        }
        if (number > budget->holds) {
            return false;
        }
        verify->before[i] = (uint32_t)number;
        while (at < raw.size && raw.data[at] != ',') { /* what is there after is compared as a whole */
            at++;
        }
        at += at + 2 < raw.size ? 2 : 0;
    }
    return true;
}

/* ---- from one outcome to the next ---- */

static bool same(const struct recourse_budget *a, const struct recourse_budget *b)
{
    return strcmp(a->id, b->id) == 0 && a->holds == b->holds && a->needs == b->needs && a->takes == b->takes &&
           a->gives == b->gives && a->gives_cost == b->gives_cost;
}

/* The one that all calls of the runner share, by its definition; NULL: it is not followed. */
static struct rcs_followed *followed(struct rcs_verify *verify, const struct recourse_budget *budget)
{
    size_t i = 0;

    if (budget->shared_by != RECOURSE_SHARED_BY_RUNNER) {
        return NULL; /* which server a tool belongs to is not in the log */
    }
    while (i < RCS_FOLLOWED_MAX && verify->followed[i].budget != NULL && !same(verify->followed[i].budget, budget)) {
        i++;
    }
    if (i == RCS_FOLLOWED_MAX) {
        return NULL;
    }
    verify->followed[i].budget = budget;
    return &verify->followed[i];
}

void rcs_budgets_forget(struct rcs_verify *verify)
{
    memset(verify->followed, 0, sizeof verify->followed);
}

/* ---- one outcome ---- */

bool rcs_budgets_begin(struct rcs_verify *verify, const struct rcs_spec *spec)
{
    char texts[2][32];

    if (spec->budget_count == 0) {
        return rcs_expect_text(verify, RCS_KEY_BUDGETS, NULL);
    }
    if (!read_before(verify, spec)) {
        return rcs_diverges(verify, "budgets", "each budget, with what was in it before and after", NULL);
    }
    for (size_t i = 0; i < spec->budget_count; i++) {
        const struct rcs_followed *last = followed(verify, &spec->budgets[i].budget);

        verify->tokens[i] = verify->before[i];
        if (last != NULL && last->known && last->tokens != verify->before[i]) {
            snprintf(texts[0], sizeof texts[0], "%u", last->tokens);
            snprintf(texts[1], sizeof texts[1], "%u", verify->before[i]);
            return rcs_diverges(verify, "a budget has other tokens than it was left with", texts[0], texts[1]);
        }
    }
    return true;
}

void rcs_budgets_fail(struct rcs_verify *verify, const struct rcs_spec *spec, const struct rcs_spec_wait *wait)
{
    uint32_t takes;

    if (wait->budget != RECOURSE_NONE) {
        takes = spec->budgets[wait->budget].budget.takes;
        verify->tokens[wait->budget] -= takes < verify->tokens[wait->budget] ? takes : verify->tokens[wait->budget];
    }
}

bool rcs_budgets_allow(struct rcs_verify *verify, const struct rcs_spec *spec, const struct rcs_spec_wait *wait)
{
    return wait->budget == RECOURSE_NONE || (verify->tokens[wait->budget] >= wait->cost &&
                                             verify->tokens[wait->budget] >= spec->budgets[wait->budget].budget.needs);
}

void rcs_budgets_wait(struct rcs_verify *verify, const struct rcs_spec_wait *wait)
{
    if (wait->budget != RECOURSE_NONE) {
        verify->tokens[wait->budget] -= wait->cost;
    }
}

void rcs_budgets_give(struct rcs_verify *verify, const struct rcs_spec *spec, uint16_t last_wait)
{
    for (size_t i = 0; i < spec->budget_count; i++) {
        const struct recourse_budget *budget = &spec->budgets[i].budget;
        bool cost = budget->gives_cost && last_wait != RECOURSE_NONE && spec->waits[last_wait].budget == i;
        uint64_t tokens = (uint64_t)verify->tokens[i] + (cost ? spec->waits[last_wait].cost : budget->gives);

        verify->tokens[i] = tokens > budget->holds ? budget->holds : (uint32_t)tokens;
    }
}

bool rcs_budgets_end(struct rcs_verify *verify, const struct rcs_spec *spec)
{
    char text[RCS_BUDGETS_TEXT];

    if (spec->budget_count == 0) {
        return true;
    }
    for (size_t i = 0; i < spec->budget_count; i++) {
        struct rcs_followed *last = followed(verify, &spec->budgets[i].budget);

        if (last != NULL) {
            last->known = true;
            last->tokens = verify->tokens[i];
        }
    }
    render(text, sizeof text, spec, verify->before, verify->tokens);
    return rcs_expect_text(verify, RCS_KEY_BUDGETS, text);
}
