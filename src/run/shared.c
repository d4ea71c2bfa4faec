/* Budgets and breakers: what the calls of a runner share. */
#include "src/run/shared.h"

#include <string.h>

#include "src/core/wait.h"

/* ---- budgets ---- */

static bool same_budget(const struct recourse_budget *a, const struct recourse_budget *b)
{
    return strcmp(a->id, b->id) == 0 && a->shared_by == b->shared_by && a->holds == b->holds && a->needs == b->needs &&
           a->takes == b->takes && a->gives == b->gives && a->gives_cost == b->gives_cost;
}

/* A struct of `size` with copies of texts behind it. `*copies` are where they stand. NULL: no memory. */
static void *new_with(const struct rcs_shared *shared, size_t size, const char *const texts[3], const char *copies[3])
{
    size_t sizes[3];
    size_t whole = size;
    char *block;

    for (unsigned i = 0; i < 3; i++) {
        sizes[i] = strlen(texts[i]) + 1;
        whole += sizes[i];
    }
    block = rcs_alloc_zero(shared->allocator, whole);
    if (block == NULL) {
        return NULL;
    }
    for (unsigned i = 0, at = (unsigned)size; i < 3; at += (unsigned)sizes[i], i++) {
        copies[i] = memcpy(block + at, texts[i], sizes[i]);
    }
    return block;
}

struct rcs_budget *rcs_shared_budget(struct rcs_shared *shared, const struct recourse_budget *definition,
                                     const char *sharer)
{
    const char *const texts[3] = {definition->id, sharer, ""};
    struct rcs_budget **end = &shared->budgets;
    const char *copies[3];
    struct rcs_budget *budget;

    for (; *end != NULL; end = &(*end)->next) {
        if (same_budget(&(*end)->definition, definition) && strcmp((*end)->sharer, sharer) == 0) {
            return *end;
        }
    }
    budget = new_with(shared, sizeof *budget, texts, copies);
    if (budget == NULL) {
        return NULL;
    }
    budget->definition = *definition;
    budget->definition.id = copies[0];
    budget->sharer = copies[1];
    budget->tokens = definition->holds;
    budget->least = definition->holds;
    *end = budget;
    return budget;
}

/* ---- breakers ---- */

static bool counts_same(const char *failures, const struct recourse_policy *policy, uint32_t counts)
{
    for (unsigned i = 0; i < policy->failure_count; i++) {
        size_t size = strlen(policy->failures[i].name);

        if ((counts >> i & 1u) == 0) {
            continue;
        }
        if (strncmp(failures, policy->failures[i].name, size) != 0 || failures[size] != '\n') {
            return false;
        }
        failures += size + 1;
    }
    return *failures == '\0';
}

static bool same_breaker(const struct rcs_breaker *breaker, const struct recourse_policy *policy,
                         const struct recourse_breaker *b)
{
    const struct recourse_breaker *a = &breaker->definition;

    return strcmp(a->id, b->id) == 0 && a->shared_by == b->shared_by && a->opens_after == b->opens_after &&
           a->lets_through == b->lets_through && a->within_ms == b->within_ms && a->stays_open_ms == b->stays_open_ms &&
           counts_same(breaker->failures, policy, b->counts);
}

/* The names of the failures that are counted; NULL: no memory. */
static char *names_of(const struct rcs_shared *shared, const struct recourse_policy *policy, uint32_t counts)
{
    size_t size = 1;
    size_t at = 0;
    char *names;

    for (unsigned i = 0; i < policy->failure_count; i++) {
        size += (counts >> i & 1u) != 0 ? strlen(policy->failures[i].name) + 1 : 0;
    }
    names = rcs_alloc_zero(shared->allocator, size);
    for (unsigned i = 0; i < policy->failure_count && names != NULL; i++) {
        if ((counts >> i & 1u) != 0) {
            size = strlen(policy->failures[i].name);
            memcpy(names + at, policy->failures[i].name, size);
            names[at + size] = '\n';
            at += size + 1;
        }
    }
    return names;
}

static struct rcs_breaker *new_breaker(struct rcs_shared *shared, const struct recourse_breaker *definition,
                                       const char *failures, const char *sharer)
{
    const char *const texts[3] = {definition->id, sharer, failures};
    const char *copies[3];
    struct rcs_breaker *breaker = new_with(shared, sizeof *breaker, texts, copies);

    if (breaker == NULL) {
        return NULL;
    }
    breaker->definition = *definition;
    breaker->definition.counts = 0;
    breaker->definition.id = copies[0];
    breaker->sharer = copies[1];
    breaker->failures = copies[2];
    if (definition->within_ms > 0) {
        breaker->times_ms = rcs_alloc_zero(shared->allocator, definition->opens_after * sizeof *breaker->times_ms);
        if (breaker->times_ms == NULL) {
            rcs_free(shared->allocator, breaker);
            return NULL;
        }
    }
    return breaker;
}

struct rcs_breaker *rcs_shared_breaker(struct rcs_shared *shared, const struct recourse_policy *policy, unsigned index,
                                       const char *sharer)
{
    const struct recourse_breaker *definition = &policy->breakers[index];
    struct rcs_breaker **end = &shared->breakers;
    char *failures;

    for (; *end != NULL; end = &(*end)->next) {
        if (same_breaker(*end, policy, definition) && strcmp((*end)->sharer, sharer) == 0) {
            return *end;
        }
    }
    failures = names_of(shared, policy, definition->counts);
    if (failures != NULL) {
        *end = new_breaker(shared, definition, failures, sharer);
        rcs_free(shared->allocator, failures);
    }
    return *end;
}

void rcs_shared_clear(struct rcs_shared *shared)
{
    while (shared->budgets != NULL) {
        struct rcs_budget *budget = shared->budgets;

        shared->budgets = budget->next;
        rcs_free(shared->allocator, budget);
    }
    while (shared->breakers != NULL) {
        struct rcs_breaker *breaker = shared->breakers;

        shared->breakers = breaker->next;
        rcs_free(shared->allocator, breaker->times_ms);
        rcs_free(shared->allocator, breaker);
    }
}

/* ---- what a breaker does: one function changes its circuit ---- */

static void change(struct rcs_breaker *breaker, uint8_t circuit, uint64_t now_ms)
{
    breaker->circuit = circuit;
    breaker->epoch++;
    breaker->failed = 0;
    breaker->under_way = 0;
    breaker->passed = 0;
    if (circuit == RECOURSE_CIRCUIT_OPEN) {
        breaker->until_ms = rcs_add_ms(now_ms, breaker->definition.stays_open_ms);
        breaker->opened++;
    }
}

bool rcs_breaker_allows(struct rcs_breaker *breaker, uint64_t now_ms)
{
    if (breaker->circuit == RECOURSE_CIRCUIT_OPEN && now_ms >= breaker->until_ms) {
        change(breaker, RECOURSE_CIRCUIT_HALF_OPEN, now_ms);
    }
    switch (breaker->circuit) {
    case RECOURSE_CIRCUIT_OPEN:
        return false;
    case RECOURSE_CIRCUIT_HALF_OPEN:
        return breaker->under_way + breaker->passed < breaker->definition.lets_through;
    default:
        return true;
    }
}

uint32_t rcs_breaker_begin(struct rcs_breaker *breaker)
{
    if (breaker->circuit == RECOURSE_CIRCUIT_HALF_OPEN) {
        breaker->under_way++;
    }
    return breaker->epoch;
}

/* One failure more while it is closed; in a window those count that are not older than it. */
static bool is_too_much(struct rcs_breaker *breaker, uint64_t now_ms)
{
    const struct recourse_breaker *definition = &breaker->definition;

    if (breaker->failed < definition->opens_after) {
        breaker->failed++;
    }
    if (breaker->times_ms == NULL) {
        return breaker->failed == definition->opens_after;
    }
    breaker->times_ms[breaker->at] = now_ms;
    breaker->at = (uint16_t)((breaker->at + 1u) % definition->opens_after);
    return breaker->failed == definition->opens_after &&
           now_ms - breaker->times_ms[breaker->at] <= definition->within_ms;
}

static void end_closed(struct rcs_breaker *breaker, enum rcs_evidence evidence, uint64_t now_ms)
{
    if (evidence == RCS_EVIDENCE_BAD && is_too_much(breaker, now_ms)) {
        change(breaker, RECOURSE_CIRCUIT_OPEN, now_ms);
    } else if (evidence == RCS_EVIDENCE_GOOD && breaker->times_ms == NULL) {
        breaker->failed = 0;
    }
}

void rcs_breaker_end(struct rcs_breaker *breaker, uint32_t epoch, enum rcs_evidence evidence, uint64_t now_ms)
{
    if (epoch != breaker->epoch) {
        return;
    }
    if (breaker->circuit == RECOURSE_CIRCUIT_CLOSED) {
        end_closed(breaker, evidence, now_ms);
        return;
    }
    breaker->under_way--; /* a try of this epoch that is not of a closed one is a probe */
    if (evidence == RCS_EVIDENCE_BAD) {
        change(breaker, RECOURSE_CIRCUIT_OPEN, now_ms);
    } else if (evidence == RCS_EVIDENCE_GOOD && ++breaker->passed == breaker->definition.lets_through) {
        change(breaker, RECOURSE_CIRCUIT_CLOSED, now_ms);
    }
}
