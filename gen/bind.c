#include "gen/emit.h"
#include "gen/search.h"

#include <string.h>

/* The policy comes first, so that `move` and `match` get from it to what they need. */
struct bound {
    struct recourse_policy policy;
    const struct rcs_machine *machine;
    const struct rcs_search *search;
};

static struct recourse_move move_bound(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    return rcs_machine_move(((const struct bound *)(const void *)policy)->machine, state, symbol);
}

static void match_bound(const struct recourse_policy *policy, uint32_t *matcher, const char *data, size_t size,
                        uint64_t hits[RECOURSE_PATTERNS_MAX / 64])
{
    rcs_search_feed(((const struct bound *)(const void *)policy)->search, matcher, data, size, hits);
}

/* Every index of a compiled policy has 16 bits, and the last value says "none". */
static bool counts_fit(const struct rcs_spec *spec, const struct rcs_machine *machine, size_t pattern_count,
                       struct rcs_findings *findings)
{
    const struct {
        const char *what;
        size_t count, max;
    } counts[] = {
        {"scenarios", spec->scenario_count, RECOURSE_NONE - 1u},
        {"rows of Tools", spec->tool_count, RECOURSE_NONE - 1u},
        {"failures", spec->failure_count, RECOURSE_FAILURES_MAX},
        {"rows of Failures", spec->fact_row_count, RECOURSE_NONE - 1u},
        {"waits", spec->wait_count, RECOURSE_WAITS_MAX},
        {"budgets", spec->budget_count, RECOURSE_BUDGETS_MAX},
        {"breakers", spec->breaker_count, RECOURSE_BREAKERS_MAX},
        {"messages", spec->message_count, RECOURSE_NONE - 1u},
        {"rows of States", spec->row_count, RECOURSE_NONE - 1u},
        {"states", machine->state_count, RECOURSE_STATES_MAX},
        {"texts and words", pattern_count, RECOURSE_PATTERNS_MAX},
    };
    bool fit = true;

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].count > counts[i].max) {
            rcs_find(findings, RCS_ERROR, "too-large", (struct rcs_place){0, 0}, NULL, NULL,
                     "the policy has %zu %s, and may have %zu at most", counts[i].count, counts[i].what, counts[i].max);
            fit = false;
        }
    }
    return fit;
}

static void bind_scenarios(struct rcs_arena *arena, const struct rcs_spec *spec, struct recourse_policy *policy)
{
    struct recourse_scenario *scenarios = rcs_arena_alloc(arena, (spec->scenario_count + 1) * sizeof *scenarios);

    for (size_t i = 0; i < spec->scenario_count; i++) {
        const struct rcs_spec_scenario *from = &spec->scenarios[i];

        scenarios[i] = (struct recourse_scenario){.label = from->label, .tell = from->tell, .reminder = from->reminder};
    }
    policy->scenarios = scenarios;
    policy->scenario_count = (uint16_t)spec->scenario_count;
}

static void bind_tools(struct rcs_arena *arena, const struct rcs_spec *spec, struct recourse_policy *policy)
{
    struct recourse_tool_rule *tools = rcs_arena_alloc(arena, (spec->tool_count + 1) * sizeof *tools);

    for (size_t i = 0; i < spec->tool_count; i++) {
        const struct rcs_spec_tool *from = &spec->tools[i];

        tools[i] = (struct recourse_tool_rule){
            .name = from->name, .replay = from->replay, .pointer = from->pointer, .line = from->place.line};
    }
    policy->tools = tools;
    policy->tool_count = (uint16_t)spec->tool_count;
}

static bool bind_failures(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_pattern *patterns,
                          size_t pattern_count, struct recourse_policy *policy)
{
    struct recourse_failure *failures = rcs_arena_alloc(arena, (spec->failure_count + 1) * sizeof *failures);
    struct recourse_fact_row *rows = rcs_arena_alloc(arena, (spec->fact_row_count + 1) * sizeof *rows);
    struct recourse_atom *atoms = NULL;
    size_t atom_count = 0;

    for (size_t i = 0; i < spec->failure_count; i++) {
        failures[i] = (struct recourse_failure){.name = spec->failures[i].name, .effect = spec->failures[i].effect};
    }
    for (size_t i = 0; i < spec->fact_row_count; i++) {
        const struct rcs_spec_fact_row *from = &spec->fact_rows[i];

        rows[i] = (struct recourse_fact_row){.id = from->id, .line = from->place.line, .failure = from->failure,
                                             .atom = (uint16_t)atom_count, .atom_count = (uint16_t)from->atom_count};
        for (size_t j = 0; j < from->atom_count; j++) {
            struct recourse_atom *atom = rcs_arena_push(arena, &atoms, &atom_count, sizeof *atom);

            *atom = from->atoms[j].atom;
            atom->pattern = rcs_pattern_of(arena, patterns, pattern_count, atom);
        }
    }
    policy->failures = failures;
    policy->failure_count = (uint16_t)spec->failure_count;
    policy->fact_rows = rows;
    policy->fact_row_count = (uint16_t)spec->fact_row_count;
    policy->atoms = atoms;
    policy->atom_count = (uint16_t)atom_count;
    policy->pattern_count = (uint16_t)pattern_count;
    return atom_count < RECOURSE_NONE;
}

static bool bind_waits(struct rcs_arena *arena, const struct rcs_spec *spec, struct recourse_policy *policy,
                       struct rcs_findings *findings)
{
    struct recourse_wait *waits = rcs_arena_alloc(arena, (spec->wait_count + 1) * sizeof *waits);
    bool good = true;

    for (size_t i = 0; i < spec->wait_count; i++) {
        const struct rcs_spec_wait *from = &spec->waits[i];
        struct recourse_wait *to = &waits[i];

        *to = (struct recourse_wait){.id = from->id, .line = from->place.line, .by_uses = from->by_uses,
                                     .times = from->times, .jitter = from->jitter, .server = from->server,
                                     .jitter_percent = from->jitter_percent, .server_percent = from->server_percent,
                                     .server_ms = from->server_ms, .new_session = from->new_session,
                                     .budget = from->budget == RECOURSE_NONE ? 0 : (uint8_t)(from->budget + 1),
                                     .cost = from->cost};
        to->delays_ms = rcs_schedule(arena, spec, from, &to->delay_count, &to->ends, findings);
        good = good && to->delays_ms != NULL;
    }
    policy->waits = waits;
    policy->wait_count = (uint16_t)spec->wait_count;
    return good;
}

static void bind_shared(struct rcs_arena *arena, const struct rcs_spec *spec, struct recourse_policy *policy)
{
    struct recourse_budget *budgets = rcs_arena_alloc(arena, (spec->budget_count + 1) * sizeof *budgets);
    struct recourse_breaker *breakers = rcs_arena_alloc(arena, (spec->breaker_count + 1) * sizeof *breakers);

    for (size_t i = 0; i < spec->budget_count; i++) {
        budgets[i] = spec->budgets[i].budget;
    }
    for (size_t i = 0; i < spec->breaker_count; i++) {
        breakers[i] = spec->breakers[i].breaker;
    }
    policy->budgets = budgets;
    policy->budget_count = (uint16_t)spec->budget_count;
    policy->breakers = breakers;
    policy->breaker_count = (uint16_t)spec->breaker_count;
}

static void bind_rows(struct rcs_arena *arena, const struct rcs_spec *spec, struct recourse_policy *policy)
{
    struct recourse_message *messages = rcs_arena_alloc(arena, (spec->message_count + 1) * sizeof *messages);
    struct recourse_row *rows = rcs_arena_alloc(arena, (spec->row_count + 1) * sizeof *rows);

    for (size_t i = 0; i < spec->message_count; i++) {
        messages[i] = (struct recourse_message){.id = spec->messages[i].id, .text = spec->messages[i].text};
    }
    for (size_t i = 0; i < spec->row_count; i++) {
        const struct rcs_spec_row *from = &spec->rows[i];

        rows[i] = (struct recourse_row){.id = from->id, .line = from->place.line, .place = from->table,
                                        .scenario = from->scenario, .wait = from->wait, .message = from->message};
    }
    policy->messages = messages;
    policy->message_count = (uint16_t)spec->message_count;
    policy->rows = rows;
    policy->row_count = (uint16_t)spec->row_count;
}

static void bind_states(struct rcs_arena *arena, const struct rcs_machine *machine, struct recourse_policy *policy)
{
    struct recourse_state *states = rcs_arena_alloc(arena, (machine->state_count + 1) * sizeof *states);

    for (size_t i = 0; i < machine->state_count; i++) {
        const struct rcs_history *from = &machine->states[i];
        bool later = from->place == RECOURSE_EXHAUSTED && from->tries > 1;

        states[i] = (struct recourse_state){
            .place = from->place, .try_number = later ? UINT8_MAX : from->tries, .acted = from->acted};
    }
    policy->states = states;
    policy->state_count = (uint16_t)machine->state_count;
    policy->start = 0;
}

const struct recourse_policy *rcs_bind(struct rcs_arena *arena, const struct rcs_spec *spec,
                                       const struct rcs_machine *machine, struct rcs_findings *findings)
{
    struct bound *bound = rcs_arena_alloc(arena, sizeof *bound);
    struct recourse_policy *policy = &bound->policy;
    struct rcs_pattern *patterns;
    size_t pattern_count = rcs_patterns(arena, spec, &patterns);

    if (!counts_fit(spec, machine, pattern_count, findings)) {
        return NULL;
    }
    policy->abi = RECOURSE_POLICY_ABI;
    policy->size = sizeof *policy;
    policy->name = spec->name;
    policy->file = spec->name;
    memcpy(policy->file_sha256, spec->file_sha256, sizeof policy->file_sha256);
    memcpy(policy->behaviour_sha256, spec->behaviour_sha256, sizeof policy->behaviour_sha256);
    policy->settings = spec->settings;
    policy->move = move_bound;
    policy->match = match_bound;
    bound->machine = machine;
    bound->search = rcs_search_new(arena, patterns, pattern_count);
    bind_scenarios(arena, spec, policy);
    bind_tools(arena, spec, policy);
    bind_shared(arena, spec, policy);
    bind_rows(arena, spec, policy);
    bind_states(arena, machine, policy);
    if (bound->search == NULL || !bind_failures(arena, spec, patterns, pattern_count, policy)) {
        rcs_find(findings, RCS_ERROR, "too-large", (struct rcs_place){0, 0}, NULL, NULL,
                 "the conditions of Failures are too many, or their texts too long, to be looked for in one pass");
        return NULL;
    }
    return bind_waits(arena, spec, policy, findings) ? policy : NULL;
}
