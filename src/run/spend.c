/* A call and what it shares with others: its budgets and breakers. */
#include "src/run/run.h"

#include <stdio.h>
#include <string.h>

#include "src/tools/mcp.h"

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

    if (call->tool == NULL) {
        return 0; /* no try is made */
    }
    for (unsigned i = 0; i < policy->budget_count; i++) {
        const struct recourse_budget *budget = &policy->budgets[i];

        call->budgets[i] = rcs_shared_budget(shared_of(call), budget, sharer_of(call, budget->shared_by));
        if (call->budgets[i] == NULL) {
            return RECOURSE_E_MEMORY;
        }
    }
    for (unsigned i = 0; i < policy->breaker_count; i++) {
        call->breakers[i] =
            rcs_shared_breaker(shared_of(call), policy, i, sharer_of(call, policy->breakers[i].shared_by));
        if (call->breakers[i] == NULL) {
            return RECOURSE_E_MEMORY;
        }
    }
    return 0;
}

bool rcs_spend_admit(struct rcs_call *call, uint64_t now_ms, char *text, size_t size)
{
    const struct recourse_policy *policy = call->result.policy;

    for (unsigned i = 0; i < policy->breaker_count; i++) {
        struct rcs_breaker *breaker = call->breakers[i];

        if (!rcs_breaker_allows(breaker, now_ms)) {
            breaker->refused++;
            snprintf(text, size, "not tried, since too much has failed of late: breaker '%s'", breaker->definition.id);
            return false;
        }
    }
    for (unsigned i = 0; i < policy->breaker_count; i++) {
        call->epochs[i] = rcs_breaker_begin(call->breakers[i]);
    }
    call->admitted = true;
    call->touched = false;
    return true;
}

const uint32_t *rcs_spend_tokens(const struct rcs_call *call, uint32_t tokens[RECOURSE_BUDGETS_MAX])
{
    const unsigned count = call->tool != NULL ? call->result.policy->budget_count : 0u;

    for (unsigned i = 0; i < count; i++) {
        tokens[i] = call->budgets[i]->tokens;
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

    for (unsigned i = 0; i < policy->breaker_count && call->admitted; i++) {
        bool counts = (policy->breakers[i].counts & failed) != 0;

        rcs_breaker_end(call->breakers[i], call->epochs[i],
                        evidence == RCS_EVIDENCE_GOOD && counts ? RCS_EVIDENCE_BAD : evidence, now_ms);
    }
    call->admitted = false;
}

void rcs_spend_settle(struct rcs_call *call, const struct recourse_decision *decision, uint64_t now_ms)
{
    const struct recourse_policy *policy = call->result.policy;
    const uint32_t failed = decision->failure < policy->failure_count ? 1u << decision->failure : 0u;
    const struct recourse_wait *wait;
    uint16_t row = decision->trace[0].row;
    bool judged = decision->trace[0].from == RECOURSE_ATTEMPT &&
                  (decision->event == RECOURSE_EVENT_OK || decision->event >= RECOURSE_EVENT_FAILURE);

    for (unsigned i = 0; i < policy->budget_count && call->tool != NULL; i++) {
        struct rcs_budget *budget = call->budgets[i];

        budget->tokens = decision->tokens[i];
        budget->least = budget->tokens < budget->least ? budget->tokens : budget->least;
    }
    if (decision->reason == RECOURSE_REASON_OVER_BUDGET && call->tool != NULL) {
        wait = &policy->waits[policy->rows[row].wait];
        call->budgets[wait->budget - 1]->refused++;
    }
    if (decision->action != RECOURSE_ACTION_ATTEMPT) {
        end_try(call, judged && call->touched ? RCS_EVIDENCE_GOOD : RCS_EVIDENCE_NONE, failed, now_ms);
    }
}

void rcs_spend_leave(struct rcs_call *call)
{
    end_try(call, RCS_EVIDENCE_NONE, 0, 0);
}
