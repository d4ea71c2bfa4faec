/* What the watcher is told: by the observer, the servers, the results, and at the end. */
#include "tests/sim/walk.h"

#include <stdlib.h>
#include <string.h>

#include "tests/sim/broken.h"

#define REQUEST_MAX 700u /* bytes of one that is under way: counted in the bound, and made even where there is no room */
#define ULL(number) ((unsigned long long)(number))

static void note(struct world *world, uint64_t word)
{
    world->digest = sim_mix(world->digest ^ word) + 0x9e3779b97f4a7c15u;
}

static const struct sim_tool *tool_of(const struct world *world, const struct sim_call *call)
{
    return call->tool != RECOURSE_NONE ? &world->tools[call->tool] : NULL;
}

static uint64_t later(uint64_t time_ms, uint64_t by_ms)
{
    return by_ms < SIM_NEVER - time_ms ? time_ms + by_ms : SIM_NEVER;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- decisions ---- */

static bool needs_approval(const struct world *world, const struct sim_call *call)
{
    const struct sim_tool *tool = tool_of(world, call);
    uint8_t mode = tool == NULL || tool->approval == RECOURSE_APPROVE_DEFAULT ? world->approval_mode : tool->approval;

    if (tool == NULL || mode == RECOURSE_APPROVE_DEFAULT) {
        return false;
    }
    return mode == RECOURSE_APPROVE_ALWAYS || (mode == RECOURSE_APPROVE_BY_ANNOTATION && !tool->read_only);
}

static void begin(struct world *world, struct sim_call *call, const struct recourse_observation *seen)
{
    const struct sim_turn *turn = &world->turns[call->turn];
    bool known = false;

    for (size_t i = 0; i < world->policy_count; i++) {
        known = known || &world->policies[i].policy == seen->policy;
    }
    if (!known) {
        sim_fail(world, SIM_MODEL, "call %s: a policy that nobody gave", call->id);
        return;
    }
    call->policy = (const struct sim_policy *)(const void *)seen->policy;
    call->safe = call->listing || sim_is_safe(call->policy, tool_of(world, call), call->dry_run);
    call->deadline_ms =
        least(turn->deadline_ms, later(turn->began_ms, call->policy->spec->settings.call_deadline_ms));
}

/* Calls that repeat each other share a count, at the one that came first. */
static struct sim_call *counter(struct world *world, struct sim_call *call)
{
    return call->listing ? call : sim_call_at(world, call->number);
}

static uint16_t expected_of(const struct sim_call *call)
{
    bool earlier = call->expected == RECOURSE_EVENT_MISSING_NAME || call->expected == RECOURSE_EVENT_TRUNCATED_CALL ||
                   call->expected == RECOURSE_EVENT_BAD_ARGUMENTS || call->expected == RECOURSE_EVENT_DUPLICATE_CALL;

    return !earlier && call->sensitive && call->policy->spec->settings.sensitive_values != NULL
               ? (uint16_t)RECOURSE_EVENT_SENSITIVE_ARGUMENTS
               : call->expected;
}

/* Whether the answers allow this event, in a call that has nothing else against it. */
static bool may_be(struct world *world, struct sim_call *call, uint16_t event)
{
    uint32_t most = call->policy->spec->settings.repeated_failures;
    bool asked = needs_approval(world, call);

    switch (event) {
    case RECOURSE_EVENT_READY:
        return (!asked || call->answered == SIM_YES) && (most == 0 || counter(world, call)->failures < most);
    case RECOURSE_EVENT_REPEATED_FAILURE:
        return most > 0 && counter(world, call)->failures >= most;
    case RECOURSE_EVENT_REFUSED:
        return asked && (!world->asks || call->answered == SIM_NO);
    case RECOURSE_EVENT_CIRCUIT_OPEN:
        return call->policy->spec->breaker_count > 0 && (!asked || call->answered == SIM_YES) &&
               (most == 0 || counter(world, call)->failures < most);
    case RECOURSE_EVENT_UNANSWERED_APPROVAL:
        return asked && call->answered == SIM_ASKED && world->now_ms >= call->expires_ms;
    default:
        return false;
    }
}

static void check_precondition(struct world *world, struct sim_call *call, uint16_t event)
{
    uint16_t expected = expected_of(call);

    if (event == RECOURSE_EVENT_CANCELLED || call->listing) {
        return;
    }
    if (event == RECOURSE_EVENT_DEADLINE) {
        if (world->now_ms < call->deadline_ms || expected != RECOURSE_EVENT_READY) {
            sim_fail(world, SIM_CHECKED, "call %s: a deadline before its time", call->id);
        }
        return;
    }
    if (expected == RECOURSE_EVENT_READY ? !may_be(world, call, event) : event != expected) {
        bool approval = event == RECOURSE_EVENT_REFUSED || event == RECOURSE_EVENT_UNANSWERED_APPROVAL ||
                        (event == RECOURSE_EVENT_READY && needs_approval(world, call) && call->answered != SIM_YES);

        sim_fail(world, approval ? SIM_APPROVAL : SIM_CHECKED,
                 "call %s: event %u before its first try, and %u was expected", call->id, event, expected);
    }
}

/* A wait that is over: not too early, and not later than something stood in its way. */
static void check_wake(struct world *world, const struct sim_call *call, const struct recourse_observation *seen)
{
    const struct sim_tool *tool = tool_of(world, call);
    const struct sim_group *group = tool != NULL ? &world->groups[tool->group] : NULL;

    if (seen->decision->trace[0].event != RECOURSE_EVENT_ELAPSED) {
        return;
    }
    if (world->now_ms < call->wake_ms) {
        sim_fail(world, SIM_EARLY, "call %s: wakes %llu ms early", call->id, ULL(call->wake_ms - world->now_ms));
    }
    if (tool != NULL && (tool->kind == SIM_HTTP || tool->kind == SIM_NOW) && !world->all.blind &&
        group->room_ms >= call->wake_ms && group->room > call->waits_since) {
        sim_fail(world, SIM_LATE, "call %s: should have gone on at %llu ms", call->id, ULL(call->wake_ms - world->start_ms));
    }
}

static void check_times(struct world *world, const struct sim_call *call, const struct recourse_observation *seen)
{
    if (call->trying && world->now_ms > later(call->end_ms, world->slack_ms)) {
        sim_fail(world, SIM_LATE, "call %s: its try ends %llu ms late", call->id, ULL(world->now_ms - call->end_ms));
    }
    if (world->now_ms > later(call->deadline_ms, world->slack_ms)) {
        sim_fail(world, SIM_LATE, "call %s: goes on %llu ms after its deadline", call->id,
                 ULL(world->now_ms - call->deadline_ms));
    }
    if (call->waits) {
        check_wake(world, call, seen);
    }
}

static void begin_try(struct world *world, struct sim_call *call, const struct recourse_observation *seen)
{
    const struct sim_turn *turn = &world->turns[call->turn];
    const struct sim_run *run = &world->runs[turn->run];
    const struct sim_tool *tool = tool_of(world, call);
    const struct rcs_spec *spec = call->policy->spec;
    uint64_t end_ms = least(later(seen->now_ms, spec->settings.try_timeout_ms), call->deadline_ms);

    call->tries++;
    world->tries++;
    if (call->tries > spec->settings.tries) {
        sim_fail(world, SIM_TRIES, "call %s: try %u of %u", call->id, call->tries, spec->settings.tries);
    }
    if (world->step > turn->cancel_step || world->step > run->fail_step || (run->told && !call->listing)) {
        sim_fail(world, SIM_CANCELLED, "call %s: a try after its turn or run has ended", call->id);
    }
    if (seen->decision->wake_ms != end_ms) {
        sim_fail(world, SIM_LATE, "call %s: a try that ends at another time than the policy says", call->id);
    }
    call->trying = true;
    call->touched = false;
    call->http = RECOURSE_NONE;
    call->retry_ms = 0;
    call->end_ms = least(end_ms, tool != NULL && tool->timeout_ms > 0 ? later(seen->now_ms, tool->timeout_ms) : SIM_NEVER);
    if (tool != NULL && tool->kind != SIM_MCP && tool->kind != SIM_BLOCKING) {
        world->current = call;
    }
}

static void end_call(struct world *world, struct sim_call *call, const struct recourse_decision *decision)
{
    struct sim_run *run = &world->runs[world->turns[call->turn].run];
    struct sim_call *first = counter(world, call);

    call->ended = true;
    call->tell = decision->tell;
    call->claims_nothing = !decision->acted;
    if (decision->tell == RECOURSE_TELL_HOST && !run->failed && !run->cancelled) {
        run->failed = true;
        run->told = true;
        run->http = decision->http;
    }
    if (call->policy->spec->settings.repeated_failures > 0 && decision->try_number > 0) {
        if (decision->event == RECOURSE_EVENT_OK) {
            first->failures = 0;
        } else if (decision->event != RECOURSE_EVENT_CANCELLED) {
            first->failures++;
        }
    }
}

static void check_decision(struct world *world, struct sim_call *call, const struct recourse_observation *seen)
{
    const struct recourse_decision *decision = seen->decision;

    if (call->ended || world->turns[call->turn].freed) {
        sim_fail(world, SIM_TRIES, "call %s: a decision after its end", call->id);
        return;
    }
    if (call->policy == NULL) {
        begin(world, call, seen);
    }
    if (world->fault != SIM_HOLDS || &call->policy->policy != seen->policy) {
        sim_fail(world, SIM_MODEL, "call %s: another policy than it began with", call->id);
        return;
    }
    check_times(world, call, seen);
    if (call->history.place == RECOURSE_PRECONDITION) {
        check_precondition(world, call, decision->trace[0].event);
    }
    sim_walk(world, call, seen);
    call->trying = false;
    call->waits = false;
    if (world->fault != SIM_HOLDS) {
        return;
    }
    if (decision->action == RECOURSE_ACTION_ATTEMPT) {
        begin_try(world, call, seen);
    } else if (decision->action == RECOURSE_ACTION_WAIT) {
        call->waits = true;
        call->wake_ms = decision->wake_ms;
        call->waits_since = world->pauses;
    } else {
        end_call(world, call, decision);
    }
}

void sim_observe(void *user, const struct recourse_observation *seen)
{
    struct world *world = user;
    struct sim_call *call = sim_find(world, seen->call, seen->tool);

    if (world->fault != SIM_HOLDS) {
        return;
    }
    note(world, world->now_ms);
    note(world, (uint64_t)seen->decision->event << 32 | seen->decision->trace[seen->decision->trace_count - 1].row);
    if (call == NULL) {
        sim_fail(world, SIM_MODEL, "a decision about a call that nobody made");
        return;
    }
    sim_log(world, "%s %.*s: %s, try %u, %s %llu ms", call->id, (int)seen->tool.size, seen->tool.data,
            recourse_policy_event_name(seen->policy, seen->decision->event), seen->decision->try_number,
            seen->decision->action == RECOURSE_ACTION_WAIT ? "waits" : seen->decision->action == RECOURSE_ACTION_REPORT ? "ends"
                                                                                                                      : "tries",
            ULL(seen->decision->wait_ms));
    check_decision(world, call, seen);
}

/* ---- servers ---- */

static bool is_request_good(const struct sim_call *call, struct recourse_span arguments, const char *key, unsigned number)
{
    return arguments.size == call->arguments_size && memcmp(arguments.data, call->arguments, arguments.size) == 0 &&
           number == call->tries && key != NULL && strlen(key) == 32 && (call->key[0] == '\0' || strcmp(call->key, key) == 0);
}

void sim_touched(struct world *world, struct sim_call *call, const struct sim_tool *tool, struct recourse_span arguments,
                 const char *key, unsigned number)
{
    const struct sim_turn *turn = call != NULL ? &world->turns[call->turn] : NULL;
    const struct sim_run *run;
    bool finishes;

    if (call == NULL || tool == NULL || tool != tool_of(world, call)) {
        sim_fail(world, SIM_TRIES, "tool %s is touched for no call of it", tool != NULL ? tool->name : "?");
        return;
    }
    /* A try of an unsafe tool that a failing run finds waiting for a thread or a session finishes, as others in flight do. */
    run = &world->runs[turn->run];
    finishes = run->run != NULL && recourse_run_status(run->run) == RECOURSE_RUN_FAILED && !call->safe && (tool->kind == SIM_BLOCKING || tool->kind == SIM_MCP);
    sim_log(world, "%s reaches %s, try %u", call->id, tool->name, number);
    call->touches++;
    if (call->ended || turn->freed || !call->trying || call->touched || call->touches > call->tries) {
        sim_fail(world, SIM_TRIES, "call %s: its tool is touched outside of a try, or twice in one", call->id);
    }
    if (world->step > turn->cancel_step || (world->step > run->fail_step && !finishes)) {
        sim_fail(world, SIM_CANCELLED, "call %s: its tool is touched after its turn or run has ended", call->id);
    }
    if (needs_approval(world, call) && call->answered != SIM_YES) {
        sim_fail(world, SIM_APPROVAL, "call %s: run without a yes", call->id);
    }
    if (expected_of(call) != RECOURSE_EVENT_READY) {
        sim_fail(world, SIM_CHECKED, "call %s: run although event %u stands against it", call->id, call->expected);
    }
    if (!is_request_good(call, arguments, key, number)) {
        sim_fail(world, SIM_REQUEST, "call %s: arguments, key or number (%u of try %u) are wrong", call->id, number, call->tries);
        return;
    }
    memcpy(call->key, key, sizeof call->key);
    call->touched = true;
}

void sim_acted(struct world *world, struct sim_call *call, unsigned number)
{
    uint64_t bit = UINT64_C(1) << (number % 64);

    call->acts++;
    if (!call->safe && (call->acted_in & bit) != 0) {
        sim_fail(world, SIM_TWICE, "call %s: its tool is not safe, and acts twice in try %u", call->id, number);
    }
    if (!call->safe && (call->acted_in & call->unowned & ~bit) != 0) {
        sim_fail(world, SIM_TWICE, "call %s: its tool is not safe, and acts again in try %u", call->id, number);
    }
    call->acted_in |= bit;
}

void sim_begin(struct world *world, const struct sim_tool *tool)
{
    struct sim_group *group = &world->groups[tool->group];
    bool http = tool->kind == SIM_HTTP || tool->kind == SIM_MCP;

    group->running++;
    world->all.running += http;
    if (group->limit > 0 && group->running > group->limit) {
        sim_fail(world, SIM_LIMIT, "%s: %u tries at once, and %u are allowed", tool->name, group->running, group->limit);
    }
    if (world->all.limit > 0 && world->all.running + sim_functions_running(world, true) > world->all.limit) {
        sim_fail(world, SIM_LIMIT, "%zu tries at once, and %u are allowed",
                 world->all.running + sim_functions_running(world, true), world->all.limit);
    }
}

void sim_end(struct world *world, const struct sim_tool *tool)
{
    world->groups[tool->group].running--;
    world->all.running -= tool->kind == SIM_HTTP || tool->kind == SIM_MCP;
}

void sim_settled(struct world *world)
{
    size_t all = world->all.running + world->submitted + sim_functions_running(world, true);
    size_t requests = world->transfers + world->submitted + sim_functions_running(world, false);
    size_t used;

    if (world->runner == NULL) {
        return;
    }
    world->pauses++;
    used = recourse_runner_memory(world->runner);
    if (world->memory_max > 0 && used > world->memory_max + REQUEST_MAX * requests) {
        sim_fail(world, SIM_MEMORY, "%zu bytes in flight, and %zu are allowed", used, world->memory_max);
    }
    for (size_t i = 0; i < world->tool_count; i++) {
        struct sim_group *group = &world->groups[i];

        if (!group->blind && (group->limit == 0 || group->running < group->limit) &&
            (world->all.limit == 0 || all < world->all.limit)) {
            group->room_ms = world->now_ms;
            group->room = world->pauses;
        }
    }
}

/* ---- results ---- */

static bool is_trail_good(const struct sim_call *call, const struct recourse_result *result)
{
    if (result->trail_count != call->step_count) {
        return false;
    }
    for (size_t i = 0; i < result->trail_count; i++) {
        const struct recourse_trail_step *step = &result->trail[i];
        const struct sim_step *seen = &call->steps[i];

        if (step->event != seen->event || step->row != seen->row || step->from != seen->from || step->to != seen->to) {
            return false;
        }
    }
    return true;
}

static bool is_result_good(const struct sim_call *call, const struct recourse_result *result)
{
    const struct sim_step *last = call->step_count > 0 ? &call->steps[call->step_count - 1] : NULL;

    return last != NULL && result->row == last->row && result->event == last->event && result->tell == call->tell &&
           result->tries == call->history.tries && result->success == (last->event == RECOURSE_EVENT_OK) &&
           result->content.data != NULL && (call->policy == NULL || result->policy == &call->policy->policy) &&
           (call->listing || (result->call.size == strlen(call->id) && memcmp(result->call.data, call->id, result->call.size) == 0));
}

static void check_result(struct world *world, struct sim_call *call, const struct recourse_result *result)
{
    const struct sim_turn *turn = &world->turns[call->turn];

    if (!call->ended) {
        sim_fail(world, SIM_ONE_RESULT, "call %s: a result without a decision", call->id);
    } else if (!is_result_good(call, result)) {
        sim_fail(world, SIM_MODEL, "call %s: its result is not what was decided", call->id);
    } else if (!is_trail_good(call, result)) {
        sim_fail(world, SIM_MODEL, "call %s: its trail of %u steps is not what was decided", call->id, result->trail_count);
    }
    if (world->now_ms > later(call->deadline_ms, world->slack_ms)) {
        sim_fail(world, SIM_LATE, "call %s: its result comes %llu ms after its deadline", call->id,
                 ULL(world->now_ms - call->deadline_ms));
    }
    if (world->step > later(turn->cancel_step, 1)) {
        sim_fail(world, SIM_CANCELLED, "call %s: its result comes long after it was cancelled", call->id);
    }
}

void sim_on_result(void *user, struct recourse_turn *which, size_t index, const struct recourse_result *result)
{
    struct sim_turn *turn = user;
    struct world *world = turn->world;
    struct sim_call *call = index < turn->count ? &world->calls[turn->first + index] : NULL;

    if (world->fault != SIM_HOLDS) {
        return;
    }
    if (call == NULL || turn->freed || turn->turn != which || call->delivered) {
        sim_fail(world, SIM_ONE_RESULT, "call %s: a second result, or one after its turn was freed", call != NULL ? call->id : "?");
        return;
    }
    call->delivered = true;
    turn->delivered++;
    world->results++;
    note(world, result->content.size);
    check_result(world, call, result);
}

/* ---- the end ---- */

static void check_run(struct world *world, const struct sim_run *run)
{
    enum recourse_run_status status = recourse_run_status(run->run);
    const struct recourse_run_failure *failure = recourse_run_failure(run->run);
    bool lists = false;

    for (size_t i = 0; i < world->turn_count; i++) {
        lists = lists || (world->turns[i].lists && &world->runs[world->turns[i].run] == run);
    }
    if (lists) {
        return; /* fails where a list can't be had, whomever the policy tells */
    }
    if (status == RECOURSE_RUN_FAILED ? !run->failed : status != RECOURSE_RUN_CANCELLED && (run->failed || run->cancelled)) {
        sim_fail(world, SIM_RUN, "run %zu ends with status %d", (size_t)(run - world->runs), (int)status);
    }
    if (status == RECOURSE_RUN_CANCELLED && !run->cancelled) {
        sim_fail(world, SIM_RUN, "run %zu is cancelled, and nobody did that", (size_t)(run - world->runs));
    }
    if (failure != NULL && run->failed && failure->http != run->http) {
        sim_fail(world, SIM_RUN, "run %zu failed with status %u, not %u", (size_t)(run - world->runs), failure->http, run->http);
    }
}

void sim_check_end(struct world *world)
{
    for (size_t i = 0; i < world->run_count && world->fault == SIM_HOLDS; i++) {
        if (world->runs[i].run != NULL) {
            check_run(world, &world->runs[i]);
        }
    }
}
