/* Whether two compiled policies are the same, table by table. */
#ifndef RCS_SAME_POLICY_H
#define RCS_SAME_POLICY_H

#include <recourse/policy.h>

#include "tests/unit/unit.h"

static inline void same_text(const char *one, const char *two)
{
    if (one == NULL || two == NULL) {
        CU_ASSERT_TRUE(one == two);
    } else {
        RCS_TEXT_EQUAL(one, two);
    }
}

static inline void same_list(const char *const *one, const char *const *two)
{
    CU_ASSERT_EQUAL((one == NULL), (two == NULL));
    for (; one != NULL && two != NULL; one++, two++) {
        same_text(*one, *two);
        if (*one == NULL || *two == NULL) {
            return;
        }
    }
}

static inline void same_settings(const struct recourse_settings *one, const struct recourse_settings *two)
{
    RCS_EQUAL(one->tries, two->tries);
    CU_ASSERT_EQUAL(one->try_timeout_ms, two->try_timeout_ms);
    CU_ASSERT_EQUAL(one->call_deadline_ms, two->call_deadline_ms);
    same_text(one->reminder, two->reminder);
    RCS_EQUAL(one->reason_characters, two->reason_characters);
    same_list(one->sensitive_values, two->sensitive_values);
    same_list(one->sensitive_names, two->sensitive_names);
    CU_ASSERT_EQUAL(one->approval_timeout_ms, two->approval_timeout_ms);
    RCS_EQUAL(one->repeated_failures, two->repeated_failures);
    RCS_EQUAL(one->output_limit, two->output_limit);
    RCS_EQUAL(one->output_tokens, two->output_tokens);
    RCS_EQUAL(one->resumes, two->resumes);
    RCS_EQUAL(one->rounds, two->rounds);
    RCS_EQUAL(one->audit_refuse, two->audit_refuse);
}

static inline void same_facts(const struct recourse_policy *one, const struct recourse_policy *two)
{
    for (size_t i = 0; i < one->failure_count; i++) {
        same_text(one->failures[i].name, two->failures[i].name);
        RCS_EQUAL(one->failures[i].effect, two->failures[i].effect);
    }
    for (size_t i = 0; i < one->fact_row_count; i++) {
        same_text(one->fact_rows[i].id, two->fact_rows[i].id);
        RCS_EQUAL(one->fact_rows[i].line, two->fact_rows[i].line);
        RCS_EQUAL(one->fact_rows[i].failure, two->fact_rows[i].failure);
        RCS_EQUAL(one->fact_rows[i].atom, two->fact_rows[i].atom);
        RCS_EQUAL(one->fact_rows[i].atom_count, two->fact_rows[i].atom_count);
    }
    for (size_t i = 0; i < one->atom_count; i++) {
        RCS_EQUAL(one->atoms[i].kind, two->atoms[i].kind);
        RCS_EQUAL(one->atoms[i].last_of_and, two->atoms[i].last_of_and);
        RCS_EQUAL(one->atoms[i].pattern, two->atoms[i].pattern);
        RCS_EQUAL(one->atoms[i].low, two->atoms[i].low);
        RCS_EQUAL(one->atoms[i].high, two->atoms[i].high);
        same_text(one->atoms[i].name, two->atoms[i].name);
        same_text(one->atoms[i].value, two->atoms[i].value);
    }
}

static inline void same_waits(const struct recourse_policy *one, const struct recourse_policy *two)
{
    for (size_t i = 0; i < one->wait_count; i++) {
        const struct recourse_wait *a = &one->waits[i];
        const struct recourse_wait *b = &two->waits[i];

        same_text(a->id, b->id);
        RCS_EQUAL(a->line, b->line);
        RCS_EQUAL(a->delay_count, b->delay_count);
        for (size_t j = 0; j < a->delay_count && j < b->delay_count; j++) {
            CU_ASSERT_EQUAL(a->delays_ms[j], b->delays_ms[j]);
        }
        RCS_EQUAL(a->by_uses, b->by_uses);
        RCS_EQUAL(a->ends, b->ends);
        RCS_EQUAL(a->times, b->times);
        RCS_EQUAL(a->jitter, b->jitter);
        RCS_EQUAL(a->server, b->server);
        RCS_EQUAL(a->jitter_percent, b->jitter_percent);
        RCS_EQUAL(a->server_percent, b->server_percent);
        CU_ASSERT_EQUAL(a->server_ms, b->server_ms);
        RCS_EQUAL(a->new_session, b->new_session);
        RCS_EQUAL(a->budget, b->budget);
        RCS_EQUAL(a->cost, b->cost);
    }
}

static inline void same_shared(const struct recourse_policy *one, const struct recourse_policy *two)
{
    RCS_EQUAL(one->budget_count, two->budget_count);
    RCS_EQUAL(one->breaker_count, two->breaker_count);
    for (size_t i = 0; i < one->budget_count && i < two->budget_count; i++) {
        const struct recourse_budget *a = &one->budgets[i];
        const struct recourse_budget *b = &two->budgets[i];

        same_text(a->id, b->id);
        RCS_EQUAL(a->line, b->line);
        RCS_EQUAL(a->shared_by, b->shared_by);
        RCS_EQUAL(a->holds, b->holds);
        RCS_EQUAL(a->needs, b->needs);
        RCS_EQUAL(a->takes, b->takes);
        RCS_EQUAL(a->gives, b->gives);
        RCS_EQUAL(a->gives_cost, b->gives_cost);
    }
    for (size_t i = 0; i < one->breaker_count && i < two->breaker_count; i++) {
        const struct recourse_breaker *a = &one->breakers[i];
        const struct recourse_breaker *b = &two->breakers[i];

        same_text(a->id, b->id);
        RCS_EQUAL(a->line, b->line);
        RCS_EQUAL(a->shared_by, b->shared_by);
        RCS_EQUAL(a->counts, b->counts);
        RCS_EQUAL(a->opens_after, b->opens_after);
        RCS_EQUAL(a->lets_through, b->lets_through);
        CU_ASSERT_EQUAL(a->within_ms, b->within_ms);
        CU_ASSERT_EQUAL(a->stays_open_ms, b->stays_open_ms);
    }
}

static inline void same_rows(const struct recourse_policy *one, const struct recourse_policy *two)
{
    for (size_t i = 0; i < one->scenario_count; i++) {
        same_text(one->scenarios[i].label, two->scenarios[i].label);
        RCS_EQUAL(one->scenarios[i].tell, two->scenarios[i].tell);
        RCS_EQUAL(one->scenarios[i].reminder, two->scenarios[i].reminder);
    }
    for (size_t i = 0; i < one->tool_count; i++) {
        same_text(one->tools[i].name, two->tools[i].name);
        same_text(one->tools[i].pointer, two->tools[i].pointer);
        RCS_EQUAL(one->tools[i].replay, two->tools[i].replay);
        RCS_EQUAL(one->tools[i].line, two->tools[i].line);
    }
    for (size_t i = 0; i < one->message_count; i++) {
        same_text(one->messages[i].id, two->messages[i].id);
        same_text(one->messages[i].text, two->messages[i].text);
    }
    for (size_t i = 0; i < one->row_count; i++) {
        same_text(one->rows[i].id, two->rows[i].id);
        RCS_EQUAL(one->rows[i].line, two->rows[i].line);
        RCS_EQUAL(one->rows[i].place, two->rows[i].place);
        RCS_EQUAL(one->rows[i].scenario, two->rows[i].scenario);
        RCS_EQUAL(one->rows[i].wait, two->rows[i].wait);
        RCS_EQUAL(one->rows[i].message, two->rows[i].message);
    }
    for (size_t i = 0; i < one->state_count; i++) {
        RCS_EQUAL(one->states[i].place, two->states[i].place);
        RCS_EQUAL(one->states[i].try_number, two->states[i].try_number);
        RCS_EQUAL(one->states[i].acted, two->states[i].acted);
    }
}

static inline bool same_counts(const struct recourse_policy *one, const struct recourse_policy *two)
{
    RCS_EQUAL(one->abi, RECOURSE_POLICY_ABI);
    RCS_EQUAL(two->abi, RECOURSE_POLICY_ABI);
    RCS_EQUAL(one->size, sizeof(struct recourse_policy));
    RCS_EQUAL(two->size, sizeof(struct recourse_policy));
    same_text(one->name, two->name);
    same_text(one->file, two->file);
    RCS_EQUAL(memcmp(one->file_sha256, two->file_sha256, 32), 0);
    RCS_EQUAL(memcmp(one->behaviour_sha256, two->behaviour_sha256, 32), 0);
    RCS_EQUAL(one->pattern_count, two->pattern_count);
    RCS_EQUAL(one->start, two->start);
    return one->scenario_count == two->scenario_count && one->tool_count == two->tool_count &&
           one->failure_count == two->failure_count && one->fact_row_count == two->fact_row_count &&
           one->atom_count == two->atom_count && one->wait_count == two->wait_count &&
           one->message_count == two->message_count && one->row_count == two->row_count &&
           one->state_count == two->state_count;
}

static inline void same_policy(const struct recourse_policy *one, const struct recourse_policy *two)
{
    bool same = same_counts(one, two);

    CU_ASSERT_TRUE_FATAL(same);
    same_settings(&one->settings, &two->settings);
    same_facts(one, two);
    same_waits(one, two);
    same_shared(one, two);
    same_rows(one, two);
}

#endif
