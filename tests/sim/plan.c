/* What there is in a world, and what is called in it. */
#include "tests/sim/broken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/policy/policies.h"

/* ---- policies ---- */

bool sim_policies_load(void)
{
    return rcs_policies_load(1, NULL);
}

void sim_policies_clear(void)
{
    rcs_policies_clear();
}

static void retain(const struct recourse_policy *policy)
{
    ((struct sim_policy *)(uintptr_t)policy)->references++;
}

static void release(const struct recourse_policy *policy)
{
    ((struct sim_policy *)(uintptr_t)policy)->references--;
}

/* Policies that walk the model find it beside themselves: they are asked by their own names. */
static struct recourse_move move(const struct recourse_policy *policy, uint16_t state, uint8_t symbol)
{
    const struct recourse_policy *right = ((const struct sim_policy *)(const void *)policy)->right;

    return right->move(right, state, symbol);
}

static void match(const struct recourse_policy *policy, uint32_t *matcher, const char *data, size_t size,
                  uint64_t hits[RECOURSE_PATTERNS_MAX / 64])
{
    const struct recourse_policy *right = ((const struct sim_policy *)(const void *)policy)->right;

    right->match(right, matcher, data, size, hits);
}

static void plan_policies(struct world *world)
{
    for (size_t i = 0; i < policy_count; i++) {
        const struct recourse_policy *ways[2];
        size_t count = rcs_policies_ways(&policies[i], ways);

        for (size_t way = 0; way < count && world->policy_count < SIM_POLICIES_MAX; way++) {
            struct sim_policy *policy = &world->policies[world->policy_count++];

            *policy = (struct sim_policy){.policy = *ways[way], .right = ways[way], .spec = policies[i].loaded.spec};
            policy->policy.move = move;
            policy->policy.match = match;
            policy->policy.retain = retain;
            policy->policy.release = release;
            sim_break_policy(world, policy);
        }
    }
}

static const struct recourse_policy *any_policy(struct world *world)
{
    return &world->policies[sim_below(&world->random, (uint32_t)world->policy_count)].policy;
}

static bool names(const char *rule, const char *name)
{
    size_t size = strlen(rule);

    if (size > 0 && rule[size - 1] == '*') {
        return strncmp(rule, name, size - 1) == 0;
    }
    return strcmp(rule, name) == 0;
}

bool sim_is_safe(const struct sim_policy *policy, const struct sim_tool *tool, bool dry_run)
{
    if (tool == NULL || tool->declared_unsafe) {
        return false;
    }
    for (size_t i = 0; i < policy->spec->tool_count; i++) {
        const struct rcs_spec_tool *rule = &policy->spec->tools[i];

        if (names(rule->name, tool->name)) {
            return rule->replay == RECOURSE_REPLAY_SAFE || (rule->replay == RECOURSE_REPLAY_SAFE_IF && dry_run);
        }
    }
    return tool->declared_safe;
}

/* ---- tools ---- */

static void plan_tool(struct world *world, const char *name, enum sim_tool_kind kind)
{
    static const char *const methods[] = {"POST", "POST", "PUT", "GET", "DELETE", "PATCH"};
    struct sim_random *random = &world->random;
    size_t index = world->tool_count++;
    struct sim_tool *tool = &world->tools[index];

    *tool = (struct sim_tool){.world = world, .kind = kind, .group = (uint16_t)index};
    snprintf(tool->name, sizeof tool->name, "%s", name);
    snprintf(tool->url, sizeof tool->url, "http://h%zu/", index);
    snprintf(tool->method, sizeof tool->method, "%s", methods[sim_below(random, 6)]);
    tool->declared_unsafe = sim_chance(random, 150);
    tool->declared_safe = !tool->declared_unsafe && sim_chance(random, 400);
    tool->read_only = sim_chance(random, 300);
    tool->approval = sim_chance(random, 150) ? (uint8_t)sim_below(random, RECOURSE_APPROVE_COUNT) : 0;
    tool->limit = sim_chance(random, 300) ? sim_between(random, 1, 4) : 0;
    tool->timeout_ms = sim_chance(random, 300) ? sim_between(random, 1, 20000) : 0;
    tool->twin = strcmp(name, "twin") == 0;
    world->groups[index] = (struct sim_group){.limit = tool->limit, .blind = kind == SIM_BLOCKING || kind == SIM_MCP};
}

static void plan_servers(struct world *world)
{
    world->server_count = sim_chance(&world->random, 400) ? sim_between(&world->random, 1, SIM_SERVERS_MAX) : 0;
    for (size_t i = 0; i < world->server_count; i++) {
        struct sim_server *server = &world->servers[i];
        unsigned limit = sim_chance(&world->random, 300) ? sim_between(&world->random, 1, 4) : 0;
        size_t first = world->tool_count;
        char name[48];

        snprintf(server->name, sizeof server->name, "m%zu", i);
        snprintf(server->url, sizeof server->url, "http://m%zu/", i);
        server->sessions = sim_chance(&world->random, 700);
        for (size_t tool = 0; tool < 2; tool++) {
            snprintf(name, sizeof name, "m%zu_%zu", i, tool);
            plan_tool(world, name, SIM_MCP);
            world->tools[first + tool].group = (uint16_t)first;
            world->tools[first + tool].limit = limit;
            world->tools[first + tool].timeout_ms = world->tools[first].timeout_ms;
            world->tools[first + tool].approval = 0;
            world->tools[first + tool].read_only = false;
            world->tools[first + tool].declared_unsafe = world->tools[first].declared_unsafe;
            world->tools[first + tool].declared_safe = world->tools[first].declared_safe;
            snprintf(world->tools[first + tool].url, sizeof world->tools[0].url, "%s", server->url);
        }
        world->groups[first].limit = limit;
    }
}

static void plan_tools(struct world *world)
{
    static const char *const known[] = {"lookup_a", "set", "drop", "old_x", "pay", "find", "send", "lookup_b"};
    uint32_t count = sim_between(&world->random, 2, 7);

    plan_tool(world, "twin", SIM_HTTP);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = known[(i + world->options->seed) % 8];

        if (sim_chance(&world->random, 30)) {
            name = known[(i + 1 + world->options->seed) % 8]; /* may become the second of that name */
        }
        plan_tool(world, name, sim_chance(&world->random, 600) ? SIM_HTTP : (enum sim_tool_kind)sim_between(&world->random, SIM_NOW, SIM_BLOCKING));
    }
    plan_servers(world);
    for (size_t i = 0; i < world->tool_count; i++) {
        world->all.blind = world->all.blind || (world->all.limit > 0 && world->groups[i].blind);
    }
    world->all.blind = world->all.blind || world->memory_max > 0; /* an answer may wait for room in it */
}

/* ---- the runner ---- */

static size_t one_of(struct world *world, uint32_t per_mille, uint32_t low, uint32_t high)
{
    return sim_chance(&world->random, per_mille) ? sim_between(&world->random, low, high) : 0;
}

void sim_plan(struct world *world)
{
    struct sim_random *random = &world->random;

    world->start_ms = world->now_ms = 1 + sim_below(random, 1000000);
    world->slack_ms = one_of(world, 300, 1, 40);
    world->trouble = sim_between(random, 50, 900);
    world->host_loop = sim_chance(random, 400);
    world->asks = sim_chance(random, 900);
    world->approval_mode = sim_chance(random, 300) ? (uint8_t)sim_below(random, RECOURSE_APPROVE_COUNT) : 0;
    world->memory_max = one_of(world, 200, 2000, 40000);
    world->body_max = one_of(world, 300, 1000, 10000);
    world->all.limit = (unsigned)one_of(world, 500, 1, 12);
    plan_policies(world);
    plan_tools(world);
    world->run_count = world->host_runs = sim_between(random, 1, 6);
    world->turn_count = sim_between(random, 1, SIM_TURNS_MAX - 4);
}

static int add_tool(struct world *world, struct sim_tool *tool, struct recourse_error *error)
{
    struct recourse_tool config = {
        .size = sizeof config,
        .name = tool->name,
        .kind = tool->kind == SIM_HTTP ? RECOURSE_TOOL_HTTP : RECOURSE_TOOL_FUNCTION,
        .declared_unsafe = tool->declared_unsafe,
        .declared_safe = tool->declared_safe,
        .read_only = tool->read_only,
        .approval = tool->approval,
        .limit = tool->limit,
        .timeout_ms = tool->timeout_ms,
        .policy = sim_chance(&world->random, 300) ? any_policy(world) : NULL,
        .url = tool->url,
        .method = tool->method,
        .function = sim_function,
        .blocking = tool->kind == SIM_BLOCKING,
        .user = tool,
    };

    if (sim_is_broken(world, SIM_BROKEN_LIMIT)) {
        config.limit = 0;
    }
    return recourse_runner_add_tool(world->runner, &config, error);
}

static int add_server(struct world *world, const struct sim_server *server, struct recourse_error *error)
{
    const struct sim_tool *tool = world->tools;
    struct recourse_mcp_server config = {
        .size = sizeof config,
        .name = server->name,
        .url = server->url,
        .era = RECOURSE_MCP_ERA_LEGACY,
        .policy = sim_chance(&world->random, 300) ? any_policy(world) : NULL,
    };

    while (strcmp(tool->url, server->url) != 0) {
        tool++;
    }
    config.limit = sim_is_broken(world, SIM_BROKEN_LIMIT) ? 0 : tool->limit;
    config.timeout_ms = tool->timeout_ms;
    config.declared_unsafe = tool->declared_unsafe;
    config.declared_safe = tool->declared_safe;
    return recourse_runner_add_mcp_server(world->runner, &config, error);
}

bool sim_plan_runner(struct world *world)
{
    struct recourse_runner_options options = {
        .size = sizeof options,
        .port = &world->port,
        .allocator = &world->allocator,
        .policy = any_policy(world),
        .tries_at_once = sim_is_broken(world, SIM_BROKEN_LIMIT) ? 0 : world->all.limit,
        .memory_max = sim_is_broken(world, SIM_BROKEN_HOARD) ? 0 : world->memory_max,
        .body_max = world->body_max,
        .approval_mode = world->approval_mode,
        .approve = world->asks ? sim_approve : NULL,
        .observe = sim_observe,
        .user = world,
    };
    struct recourse_error error = {RECOURSE_OK, ""};
    int code = recourse_runner_new(&options, &world->runner, &error);

    for (size_t i = 0; i < world->tool_count && code == 0; i++) {
        code = world->tools[i].kind != SIM_MCP ? add_tool(world, &world->tools[i], &error) : 0;
    }
    for (size_t i = 0; i < world->server_count && code == 0; i++) {
        code = add_server(world, &world->servers[i], &error);
    }
    if (code != 0) {
        sim_fail(world, SIM_STUCK, "the runner can't be set up: %s", error.text);
    }
    return code == 0;
}

/* ---- calls ---- */

static char *copy(const char *text, size_t size)
{
    char *made = malloc(size + 1);

    if (made == NULL) {
        abort();
    }
    memcpy(made, text, size);
    made[size] = '\0';
    return made;
}

static unsigned bearers(const struct world *world, const char *name)
{
    unsigned count = 0;

    for (size_t i = 0; i < world->tool_count; i++) {
        count += strcmp(world->tools[i].name, name) == 0 && !world->tools[i].unknown;
    }
    return count;
}

static void plan_name(struct world *world, struct sim_call *call)
{
    uint32_t tool = sim_between(&world->random, 1, (uint32_t)world->tool_count - 1);

    call->tool = RECOURSE_NONE;
    if (sim_chance(&world->random, 12)) {
        call->name = sim_chance(&world->random, 500) ? "" : " \t";
        call->expected = RECOURSE_EVENT_MISSING_NAME;
    } else if (sim_chance(&world->random, 12)) {
        call->name = "nowhere";
        call->expected = RECOURSE_EVENT_UNKNOWN_TOOL;
    } else {
        call->name = world->tools[tool].name;
        call->tool = (uint16_t)tool;
        if (bearers(world, call->name) != 1) {
            call->expected = world->tools[tool].unknown ? RECOURSE_EVENT_UNKNOWN_TOOL : RECOURSE_EVENT_AMBIGUOUS_TOOL;
            call->tool = RECOURSE_NONE;
        }
    }
}

/* An id that was there before in this turn. */
static void plan_duplicate(struct world *world, struct sim_turn *turn, struct sim_call *call)
{
    struct sim_call *first = &world->calls[turn->first];
    const struct sim_call *twin = &first[sim_below(&world->random, call->index)];

    for (uint16_t i = 0; i < call->index; i++) {
        if (strcmp(first[i].name, "twin") == 0 && strcmp(first[i].id, twin->id) == 0) {
            return; /* one twin only, so that the two can be told apart */
        }
    }
    memcpy(call->id, twin->id, sizeof call->id);
    call->name = "twin";
    call->tool = 0;
    call->expected = RECOURSE_EVENT_DUPLICATE_CALL;
}

static void plan_arguments(struct world *world, struct sim_call *call)
{
    static const char *const bad[] = {"{\"n\":%u", "[{\"n\":%u}]", "{\"n\":%u,\"n\":7}", "{\"n\":%u}x", "{'n':%u}",
                                      "\"%u\"", "{\"n\":%u,}"};
    struct sim_random *random = &world->random;
    char text[256];
    int size;

    if (sim_chance(random, 20) && call->expected != RECOURSE_EVENT_MISSING_NAME) {
        call->expected = RECOURSE_EVENT_BAD_ARGUMENTS;
        size = snprintf(text, sizeof text, bad[sim_below(random, sizeof bad / sizeof bad[0])], call->number);
    } else {
        call->dry_run = sim_chance(random, 300);
        call->sensitive = sim_chance(random, 20);
        size = snprintf(text, sizeof text, "{\"n\":%u, \"dry_run\":%s,\"q\":\"%s\",\"id\":9007199254740993%.*s}",
                        call->number, call->dry_run ? "true" : "false", call->sensitive ? "a SECRET" : "\\u00e4b",
                        (int)sim_below(random, 60), "                                                            ");
    }
    call->arguments = copy(text, (size_t)size);
    call->arguments_size = (size_t)size;
}

/* The same call as one before it in this run. */
static bool plan_repetition(struct world *world, struct sim_turn *turn, struct sim_call *call, uint32_t number)
{
    const struct sim_call *old = &world->calls[number - 1 - sim_between(&world->random, 1, number > 30 ? 30 : number - 1)];

    if (old->listing || world->turns[old->turn].run != turn->run || old->tool == RECOURSE_NONE || world->tools[old->tool].kind == SIM_MCP ||
        old->expected != RECOURSE_EVENT_READY) {
        return false;
    }
    call->name = old->name;
    call->tool = old->tool;
    call->number = old->number;
    call->dry_run = old->dry_run;
    call->sensitive = old->sensitive;
    call->arguments = copy(old->arguments, old->arguments_size);
    call->arguments_size = old->arguments_size;
    return true;
}

static void plan_call(struct world *world, struct sim_turn *turn, uint16_t index)
{
    uint32_t number = (uint32_t)++world->call_count;
    struct sim_call *call = &world->calls[number - 1];

    *call = (struct sim_call){.turn = (uint16_t)(turn - world->turns),
                              .index = index,
                              .expected = RECOURSE_EVENT_READY,
                              .http = RECOURSE_NONE,
                              .number = number};
    snprintf(call->id, sizeof call->id, "T%u-%u", (unsigned)(turn - world->turns) % 1000u, index % 1000u);
    if (number > 1 && sim_chance(&world->random, 150) && plan_repetition(world, turn, call, number)) {
        return;
    }
    plan_name(world, call);
    if (index > 0 && sim_chance(&world->random, 20)) {
        plan_duplicate(world, turn, call);
    }
    plan_arguments(world, call);
    if (sim_chance(&world->random, 10) && call->expected != RECOURSE_EVENT_MISSING_NAME) {
        call->truncated = true;
        call->expected = RECOURSE_EVENT_TRUNCATED_CALL;
    }
}

void sim_plan_turn(struct world *world, uint16_t index)
{
    struct sim_turn *turn = &world->turns[index];

    turn->first = (uint32_t)world->call_count;
    turn->count = (uint16_t)sim_between(&world->random, 1, SIM_TURN_CALLS_MAX);
    for (uint16_t i = 0; i < turn->count; i++) {
        plan_call(world, turn, i);
    }
}

void sim_plan_clear(struct world *world)
{
    for (size_t i = 0; i < world->call_count; i++) {
        free(world->calls[i].arguments);
    }
}
