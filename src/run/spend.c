/* A call and what it shares with others: its budgets and breakers. */
#include "src/run/run.h"

#include <stdio.h>
#include <string.h>

#include "src/tools/mcp.h"

/* Those of its policy, as far as there are some. */
struct rcs_spending {
    struct rcs_budget *budgets[RECOURSE_BUDGETS_MAX];
    struct rcs_breaker *breakers[RECOURSE_BREAKERS_MAX];
    uint32_t epochs[RECOURSE_BREAKERS_MAX];
    bool admitted; /* a try of it is counted by its breakers */
};

static struct rcs_shared *shared_of(struct rcs_call *call)
{
    return &call->turn->run->runner->shared;
}

static const char *sharer_of(const struct rcs_call *call, uint8_t shared_by)
{
    switch (shared_by) {
    case RECOURSE_SHARED_BY_RUNNER:
        return "";
    case RECOURSE_SHARED_BY_SERVER:
        return call->tool->mcp != NULL ? call->tool->mcp->config.name : call->tool->config.name;
    default:
        return call->tool->config.name;
    }
}

int rcs_spend_join(struct rcs_call *call)
{
    const struct recourse_policy *policy = call->result.policy;
    struct rcs_spending *spending;

    if (call->tool == NULL || policy->budget_count + policy->breaker_count == 0) {
        return 0; /* no try is made, or nothing is shared */
    }
    spending = rcs_alloc_zero(call->turn->run->runner->host.allocator, sizeof *spending);
    if (spending == NULL) {
        return RECOURSE_E_MEMORY;
    }
    call->spending = spending;
    for (unsigned i = 0; i < policy->budget_count; i++) {
        const struct recourse_budget *budget = &policy->budgets[i];

        spending->budgets[i] = rcs_shared_budget(shared_of(call), budget, sharer_of(call, budget->shared_by));
        if (spending->budgets[i] == NULL) {
            return RECOURSE_E_MEMORY;
        }
    }
    for (unsigned i = 0; i < policy->breaker_count; i++) {
        spending->breakers[i] =
            rcs_shared_breaker(shared_of(call), policy, i, sharer_of(call, policy->breakers[i].shared_by));
        if (spending->breakers[i] == NULL) {
            return RECOURSE_E_MEMORY;
        }
    }
    return 0;
}

void rcs_spend_drop(struct rcs_call *call)
{
    if (call->spending != NULL) {
        rcs_free(call->turn->run->runner->host.allocator, call->spending);
        call->spending = NULL;
    }
}

bool rcs_spend_admit(struct rcs_call *call, uint64_t now_ms, char *text, size_t size)
{
    const struct recourse_policy *policy = call->result.policy;
    struct rcs_spending *spending = call->spending;

    if (spending == NULL) {
        return true;
    }
    for (unsigned i = 0; i < policy->breaker_count; i++) {
        struct rcs_breaker *breaker = spending->breakers[i];

        if (!rcs_breaker_allows(breaker, now_ms)) {
            breaker->refused++;
            snprintf(text, size, "not tried, since too much has failed of late: breaker '%s'", breaker->definition.id);
            return false;
        }
    }
    for (unsigned i = 0; i < policy->breaker_count; i++) {
        spending->epochs[i] = rcs_breaker_begin(spending->breakers[i]);
    }
    spending->admitted = true;
    call->touched = false;
    return true;
}

const uint32_t *rcs_spend_tokens(const struct rcs_call *call, uint32_t tokens[RECOURSE_BUDGETS_MAX])
{
    const unsigned count = call->spending != NULL ? call->result.policy->budget_count : 0u;

    for (unsigned i = 0; i < count; i++) {
        tokens[i] = call->spending->budgets[i]->tokens;
    }
    return count > 0 ? tokens : NULL;
}

bool recourse_runner_budget(const struct recourse_runner *runner, size_t index, struct recourse_budget_state *state)
{
    const struct rcs_budget *at = runner->shared.budgets;

    for (; index > 0 && at != NULL; index--) {
        at = at->next;
    }
    if (at != NULL) {
        *state = (struct recourse_budget_state){.id = at->definition.id,
                                                .shared_by = at->definition.shared_by,
                                                .sharer = at->sharer,
                                                .holds = at->definition.holds,
                                                .tokens = at->tokens,
                                                .least = at->least,
                                                .refused = at->refused};
    }
    return at != NULL;
}

bool recourse_runner_breaker(const struct recourse_runner *runner, size_t index, struct recourse_breaker_state *state)
{
    const struct rcs_breaker *at = runner->shared.breakers;

    for (; index > 0 && at != NULL; index--) {
        at = at->next;
    }
    if (at != NULL) {
        *state = (struct recourse_breaker_state){.id = at->definition.id,
                                                 .shared_by = at->definition.shared_by,
                                                 .sharer = at->sharer,
                                                 .circuit = at->circuit,
                                                 .until_ms = at->until_ms,
                                                 .opened = at->opened,
                                                 .refused = at->refused};
    }
    return at != NULL;
}

/* `failed`: the bit of the failure that it ended as; 0: none. */
static void end_try(struct rcs_call *call, enum rcs_evidence evidence, uint32_t failed, uint64_t now_ms)
{
    const struct recourse_policy *policy = call->result.policy;
    struct rcs_spending *spending = call->spending;

    if (spending == NULL || !spending->admitted) {
        return;
    }
    for (unsigned i = 0; i < policy->breaker_count; i++) {
        bool counts = (policy->breakers[i].counts & failed) != 0;

        rcs_breaker_end(spending->breakers[i], spending->epochs[i],
                        evidence == RCS_EVIDENCE_GOOD && counts ? RCS_EVIDENCE_BAD : evidence, now_ms);
    }
    spending->admitted = false;
}

void rcs_spend_settle(struct rcs_call *call, const struct recourse_decision *decision, uint64_t now_ms)
{
    const struct recourse_policy *policy = call->result.policy;
    const uint32_t failed = decision->failure < policy->failure_count ? 1u << decision->failure : 0u;
    const struct recourse_wait *wait;
    uint16_t row = decision->trace[0].row;
    bool judged = decision->trace[0].from == RECOURSE_ATTEMPT &&
                  (decision->event == RECOURSE_EVENT_OK || decision->event >= RECOURSE_EVENT_FAILURE);

    if (call->spending == NULL) {
        return;
    }
    for (unsigned i = 0; i < policy->budget_count; i++) {
        struct rcs_budget *budget = call->spending->budgets[i];

        budget->tokens = decision->tokens[i];
        budget->least = budget->tokens < budget->least ? budget->tokens : budget->least;
    }
    if (decision->reason == RECOURSE_REASON_OVER_BUDGET) {
        wait = &policy->waits[policy->rows[row].wait];
        call->spending->budgets[wait->budget - 1]->refused++;
    }
    if (decision->action != RECOURSE_ACTION_ATTEMPT) {
        end_try(call, judged && call->touched ? RCS_EVIDENCE_GOOD : RCS_EVIDENCE_NONE, failed, now_ms);
    }
}

void rcs_spend_leave(struct rcs_call *call)
{
    end_try(call, RCS_EVIDENCE_NONE, 0, 0);
}
