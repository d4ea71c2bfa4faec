/* Hosts: they start turns, cancel, fail, free, answer questions, replace policies; and step the runner, each in its way. */
#include "tests/sim/broken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_MS 60000u /* in which turns are started */
#define LONG_MS 14400000u
#define STEPS_MAX 400000u
#define IDLE_STEPS_MAX 3000u /* at one time */

static void plan_own(struct world *world, uint64_t delay_ms, void (*fire)(struct world *world, void *what), void *what)
{
    struct sim_event event = {world->now_ms + delay_ms, world->order++, fire, what};

    sim_heap_push(&world->own, event);
}

static uint64_t next_step(const struct world *world)
{
    return world->in_step ? world->step : world->step + 1;
}

/* ---- on other threads ---- */

static void cancel_turn(struct world *world, void *what)
{
    struct sim_turn *turn = what;

    if (turn->turn == NULL || turn->done || world->runner == NULL) {
        return;
    }
    recourse_turn_cancel(turn->turn);
    turn->cancel_step = turn->cancel_step < next_step(world) ? turn->cancel_step : next_step(world);
}

static void cancel_run(struct world *world, void *what)
{
    struct sim_run *run = what;

    if (run->run == NULL || world->runner == NULL) {
        return;
    }
    recourse_run_cancel(run->run);
    run->cancelled = true;
    run->fail_step = run->fail_step < next_step(world) ? run->fail_step : next_step(world);
}

/* ---- approval ---- */

struct answer {
    struct sim_call *call;
    bool yes;
    bool wrong;
};

static bool is_open(const struct world *world, const struct sim_call *call)
{
    const struct sim_turn *turn = &world->turns[call->turn];

    return call->answered == SIM_ASKED && !call->ended && !turn->freed && turn->cancel_step == SIM_NEVER &&
           world->runs[turn->run].fail_step == SIM_NEVER && world->now_ms < call->expires_ms &&
           world->now_ms < call->deadline_ms;
}

static void answer(struct world *world, void *what)
{
    struct answer given = *(struct answer *)what;
    struct sim_call *call = given.call;
    bool open = is_open(world, call);
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
    bool counted;

    free(what);
    if (world->runner == NULL) {
        return;
    }
    memcpy(digest, call->digest, sizeof digest);
    digest[5] ^= given.wrong;
    counted = recourse_call_approve(world->runner, call->approval, digest, given.yes);
    if (counted && (given.wrong || call->answered != SIM_ASKED)) {
        sim_fail(world, SIM_APPROVAL, "call %s: an answer counted that should not", call->id);
    } else if (!counted && open && !given.wrong) {
        sim_fail(world, SIM_APPROVAL, "call %s: an answer did not count although the question was open", call->id);
    }
    if (counted) {
        call->answered = given.yes ? SIM_YES : SIM_NO;
    }
}

static void plan_answer(struct world *world, struct sim_call *call, bool yes, bool wrong)
{
    static const uint32_t within[] = {1, 2000, 100000, 700000};
    struct answer *given = malloc(sizeof *given);

    if (given == NULL) {
        abort();
    }
    *given = (struct answer){call, yes, wrong};
    sim_after(world, sim_below(&world->random, within[sim_below(&world->random, 4)]), answer, given);
}

static struct sim_turn *turn_of(struct world *world, const struct recourse_turn *turn)
{
    for (size_t i = 0; i < world->turn_count; i++) {
        if (world->turns[i].turn == turn) {
            return &world->turns[i];
        }
    }
    return NULL;
}

static int answer_now(struct world *world, struct sim_call *call)
{
    static const int answers[] = {RECOURSE_APPROVED, RECOURSE_APPROVED, RECOURSE_APPROVED, RECOURSE_REFUSED,
                                  RECOURSE_E_SYSTEM, 77};
    int given = answers[sim_below(&world->random, 6)];

    call->answered = given == RECOURSE_APPROVED ? SIM_YES : SIM_NO;
    return sim_breaks(world, SIM_BROKEN_YES) ? RECOURSE_APPROVED : given;
}

int sim_approve(void *user, struct recourse_approval_request *request)
{
    struct world *world = user;
    struct sim_turn *turn = turn_of(world, request->turn);
    struct sim_call *call = turn != NULL && request->index < turn->count ? &world->calls[turn->first + request->index] : NULL;

    if (call == NULL || call->answered != SIM_UNASKED || call->expected != RECOURSE_EVENT_READY) {
        sim_fail(world, SIM_APPROVAL, "call %s: asked about, and should not be", call != NULL ? call->id : "?");
        return RECOURSE_REFUSED;
    }
    call->answered = SIM_ASKED;
    call->approval = request->approval;
    call->expires_ms = request->expires_ms;
    call->deadline_ms = turn->deadline_ms;
    memcpy(call->digest, request->digest, sizeof call->digest);
    if (request->arguments.size != call->arguments_size ||
        memcmp(request->arguments.data, call->arguments, call->arguments_size) != 0) {
        sim_fail(world, SIM_APPROVAL, "call %s: other arguments are asked about", call->id);
    }
    if (sim_chance(&world->random, 500)) {
        return answer_now(world, call);
    }
    if (sim_chance(&world->random, 200)) {
        plan_answer(world, call, true, true);
    }
    if (sim_chance(&world->random, 850)) {
        plan_answer(world, call, sim_chance(&world->random, 700), false);
    }
    if (sim_chance(&world->random, 200)) {
        plan_answer(world, call, sim_chance(&world->random, 500), false); /* a second time */
    }
    return RECOURSE_APPROVE_LATER;
}

/* ---- turns ---- */

static void free_turn(struct world *world, void *what)
{
    struct sim_turn *turn = what;

    if (turn->turn == NULL || world->runner == NULL) {
        return;
    }
    turn->freed = true;
    recourse_turn_free(turn->turn);
    turn->turn = NULL;
}

static void on_done(void *user, struct recourse_turn *which)
{
    struct sim_turn *turn = user;
    struct world *world = turn->world;

    if (turn->done || turn->freed || turn->turn != which) {
        sim_fail(world, SIM_ONE_RESULT, "turn %u ends a second time, or after it was freed", (unsigned)(turn - world->turns));
        return;
    }
    turn->done = true;
    if (turn->delivered != turn->count) {
        sim_fail(world, SIM_ONE_RESULT, "turn %u is done with %u results of %u", (unsigned)(turn - world->turns),
                 turn->delivered, turn->count);
    }
    if (turn->frees_itself) {
        free_turn(world, turn);
    }
}

static void on_result(void *user, struct recourse_turn *which, size_t index, const struct recourse_result *result)
{
    struct sim_turn *turn = user;

    if (sim_breaks(turn->world, SIM_BROKEN_NO_RESULT)) {
        return;
    }
    sim_on_result(turn, which, index, result);
    if (sim_breaks(turn->world, SIM_BROKEN_TWO_RESULTS)) {
        sim_on_result(turn, which, index, result);
    }
    if (turn->turn != NULL && sim_chance(&turn->world->random, 3)) {
        free_turn(turn->world, turn); /* from within a callback */
    }
}

static void init_turn(struct world *world, struct sim_turn *turn, uint16_t run)
{
    turn->world = world;
    turn->run = run;
    turn->cancel_step = SIM_NEVER;
    turn->deadline_ms = SIM_NEVER;
    turn->began_ms = world->now_ms;
}

static void plan_deadline(struct world *world, struct sim_turn *turn)
{
    if (sim_chance(&world->random, 500)) {
        turn->deadline_ms = world->now_ms + sim_below(&world->random, sim_chance(&world->random, 300) ? 2000 : 400000);
        turn->deadline_ms += turn->deadline_ms == 0;
    }
}

static void plan_end(struct world *world, struct sim_turn *turn)
{
    turn->frees_itself = sim_chance(&world->random, 400);
    if (sim_chance(&world->random, 120)) {
        sim_after(world, sim_below(&world->random, 20000), cancel_turn, turn);
    }
    if (sim_chance(&world->random, 40)) {
        plan_own(world, sim_below(&world->random, 20000), free_turn, turn);
    }
}

static void start_turn(struct world *world, void *what)
{
    struct sim_turn *turn = what;
    uint16_t index = (uint16_t)(turn - world->turns);
    struct recourse_call_request requests[SIM_TURN_CALLS_MAX];
    struct recourse_turn_options options = {
        .size = sizeof options, .calls = requests, .on_result = on_result, .on_done = on_done, .user = turn};
    struct sim_run *run;
    int code;

    init_turn(world, turn, (uint16_t)sim_below(&world->random, (uint32_t)world->host_runs));
    run = &world->runs[turn->run];
    if (run->run == NULL) {
        return;
    }
    plan_deadline(world, turn);
    sim_plan_turn(world, index);
    for (uint16_t i = 0; i < turn->count; i++) {
        const struct sim_call *call = &world->calls[turn->first + i];

        requests[i] = (struct recourse_call_request){
            .id = {call->id, strlen(call->id)},
            .name = {call->name, strlen(call->name)},
            .arguments = {call->arguments, call->arguments_size},
            .truncated = call->truncated,
        };
    }
    options.call_count = turn->count;
    options.deadline_ms = turn->deadline_ms == SIM_NEVER ? 0 : turn->deadline_ms;
    options.token_budget = sim_chance(&world->random, 100) ? sim_between(&world->random, 1, 500) : 0;
    code = recourse_turn_start(run->run, &options, &turn->turn, NULL);
    turn->started = code == 0;
    if (code == 0) {
        plan_end(world, turn);
    } else if (code == RECOURSE_E_STATE ? !run->failed && !run->cancelled
                                        : code != RECOURSE_E_AGAIN || world->memory_max == 0) {
        sim_fail(world, SIM_RUN, "turn %u can't be started: %s", index, recourse_code_text(code));
    }
}

/* ---- runs ---- */

static void fail_run(struct world *world, void *what)
{
    const struct recourse_run_failure failure = {.http = 529, .text = {"overloaded", 10}};
    struct sim_run *run = what;
    int code;

    if (run->run == NULL) {
        return;
    }
    code = recourse_run_fail(run->run, &failure);
    if (code == 0) {
        run->http = 529;
        run->failed = true;
        run->fail_step = run->fail_step < next_step(world) ? run->fail_step : next_step(world);
    } else if (code != RECOURSE_E_STATE || (!run->failed && !run->cancelled)) {
        sim_fail(world, SIM_RUN, "a run can't be failed: %s", recourse_code_text(code));
    }
}

static void free_run(struct world *world, void *what)
{
    struct sim_run *run = what;

    if (run->run == NULL) {
        return;
    }
    for (size_t i = 0; i < world->turn_count; i++) {
        if (world->turns[i].turn != NULL && &world->runs[world->turns[i].run] == run) {
            world->turns[i].freed = true;
            world->turns[i].turn = NULL;
        }
    }
    recourse_run_free(run->run);
    run->run = NULL;
}

static void replace_policy(struct world *world, void *what)
{
    const struct recourse_policy *policy =
        &world->policies[sim_below(&world->random, (uint32_t)world->policy_count)].policy;
    const struct sim_tool *tool = &world->tools[sim_below(&world->random, (uint32_t)world->tool_count)];
    int code;

    (void)what;
    if (sim_chance(&world->random, 500)) {
        code = recourse_runner_set_policy(world->runner, policy);
    } else {
        code = recourse_runner_set_tool_policy(world->runner, tool->name, sim_chance(&world->random, 300) ? NULL : policy);
        code = tool->unknown ? 0 : code;
    }
    if (code != 0) {
        sim_fail(world, SIM_RUN, "a policy can't be replaced: %s", recourse_code_text(code));
    }
}

/* ---- stepping ---- */

static void run_own(struct world *world)
{
    while (world->fault == SIM_HOLDS && sim_heap_next(&world->own) <= world->now_ms) {
        struct sim_event event = sim_heap_pop(&world->own);

        event.fire(world, event.what);
    }
}

static bool is_done(const struct world *world)
{
    for (size_t i = 0; i < world->turn_count; i++) {
        if (world->turns[i].turn != NULL && !world->turns[i].done) {
            return false;
        }
    }
    return world->own.count == 0;
}

/* Nothing more will happen, or has in hours, and somebody waits: for a yes that does not come, or a function that does not
   answer. For servers nobody has to wait so long. */
static void sweep(struct world *world)
{
    bool idle = sim_heap_next(&world->events) == SIM_NEVER && recourse_runner_wake_ms(world->runner) == RECOURSE_FOREVER;

    if (world->swept || sim_heap_next(&world->own) != SIM_NEVER || (!idle && world->now_ms - world->start_ms < LONG_MS) ||
        world->transfers > 0 || (!world->asks && sim_functions_running(world, false) == 0)) {
        return;
    }
    world->swept = true;
    for (size_t i = 0; i < world->turn_count; i++) {
        cancel_turn(world, &world->turns[i]);
    }
}

/* A host with a loop of its own asks when the runner wants to be called. */
static uint64_t sleep_as_host(struct world *world)
{
    uint64_t wake = recourse_runner_wake_ms(world->runner);

    if (wake > world->now_ms && !world->woken) {
        sim_settled(world);
        sim_port_move(world, wake);
    }
    return 0;
}

static void step(struct world *world)
{
    uint64_t own = sim_heap_next(&world->own);
    uint64_t timeout = own == SIM_NEVER ? SIM_NEVER : own - world->now_ms;

    if (world->host_loop) {
        timeout = sleep_as_host(world);
        run_own(world);
    }
    world->step++;
    world->in_step = true;
    if (world->fault == SIM_HOLDS && recourse_runner_step(world->runner, timeout) != 0) {
        sim_fail(world, SIM_STUCK, "a step fails");
    }
    world->in_step = false;
}

static void loop(struct world *world)
{
    uint64_t since = world->step;
    uint64_t at = world->now_ms;

    while (world->fault == SIM_HOLDS) {
        run_own(world);
        if (is_done(world)) {
            return;
        }
        sweep(world);
        step(world);
        if (world->now_ms != at) {
            at = world->now_ms;
            since = world->step;
        }
        if (world->step - since > IDLE_STEPS_MAX || world->step > STEPS_MAX) {
            sim_fail(world, SIM_STUCK, "the runner turns without end at %llu ms", (unsigned long long)world->now_ms);
        }
    }
}

/* The servers are asked for their tools first; those that do not tell have none. */
static void list_tools(struct world *world)
{
    struct recourse_turn_options options = {.size = sizeof options, .on_result = on_result, .on_done = on_done};

    for (unsigned i = 0; i < 3 && world->fault == SIM_HOLDS && !recourse_runner_tools_ready(world->runner); i++) {
        struct sim_turn *turn = &world->turns[world->turn_count++];
        struct sim_run *run = &world->runs[world->run_count++];

        run->fail_step = SIM_NEVER;
        if (recourse_run_new(world->runner, &run->run) != 0) {
            sim_fail(world, SIM_RUN, "no run can be begun");
            return;
        }
        init_turn(world, turn, (uint16_t)(run - world->runs));
        plan_deadline(world, turn);
        turn->lists = true;
        turn->first = (uint32_t)world->call_count;
        options.user = turn;
        options.deadline_ms = turn->deadline_ms == SIM_NEVER ? 0 : turn->deadline_ms;
        turn->started = recourse_run_list_tools(run->run, &options, &turn->turn, NULL) == 0;
        turn->count = turn->turn != NULL ? (uint16_t)recourse_turn_count(turn->turn) : 0;
        for (uint16_t call = 0; call < turn->count; call++) {
            world->calls[world->call_count] =
                (struct sim_call){.turn = (uint16_t)(turn - world->turns), .index = call, .tool = RECOURSE_NONE,
                                  .name = "", .listing = true, .expected = RECOURSE_EVENT_READY, .http = RECOURSE_NONE};
            world->call_count++;
        }
        loop(world);
    }
}

static void mark_unknown(struct world *world)
{
    for (size_t i = 0; i < world->tool_count; i++) {
        struct recourse_tool_info info;
        bool found = false;

        for (size_t at = 0; recourse_runner_tool_info(world->runner, at, &info); at++) {
            found = found || (info.name.size == strlen(world->tools[i].name) &&
                              memcmp(info.name.data, world->tools[i].name, info.name.size) == 0);
        }
        world->tools[i].unknown = !found;
    }
}

void sim_host_loop(struct world *world)
{
    size_t turns = world->turn_count;
    size_t runs = world->run_count;
    uint32_t replaced = sim_is_broken(world, SIM_BROKEN_ONCE_MORE) ? 0 : sim_below(&world->random, 4);

    for (size_t i = 0; i < world->policy_count; i++) {
        world->policies[i].bent = true;
    }
    list_tools(world);
    mark_unknown(world);
    for (size_t i = 0; i < turns; i++) {
        plan_own(world, sim_below(&world->random, SPAN_MS), start_turn, &world->turns[i]);
    }
    for (size_t i = 0; i < runs && sim_chance(&world->random, 500); i++) {
        static void (*const ends[])(struct world *world, void *what) = {fail_run, cancel_run, free_run};
        uint32_t which = sim_below(&world->random, 3);

        if (which == 1) {
            sim_after(world, sim_below(&world->random, 2 * SPAN_MS), cancel_run, &world->runs[i]);
        } else {
            plan_own(world, sim_below(&world->random, 2 * SPAN_MS), ends[which], &world->runs[i]);
        }
    }
    for (uint32_t i = replaced; i > 0; i--) {
        plan_own(world, sim_below(&world->random, SPAN_MS), replace_policy, NULL);
    }
    loop(world);
}

void sim_host_open(struct world *world)
{
    for (size_t i = 0; i < SIM_RUNS_MAX; i++) {
        world->runs[i].fail_step = SIM_NEVER;
    }
    for (size_t i = 0; i < world->run_count; i++) {
        if (recourse_run_new(world->runner, &world->runs[i].run) != 0) {
            sim_fail(world, SIM_RUN, "no run can be begun");
        }
    }
}

/* The runner goes first, and what its servers and functions do then is nobody's any more. */
void sim_host_close(struct world *world)
{
    struct recourse_runner *runner = world->runner;

    world->own.count = 0;
    world->in_step = true;
    recourse_runner_free(runner);
    world->runner = NULL;
    while (world->events.count > 0) {
        world->now_ms = sim_heap_next(&world->events) > world->now_ms ? sim_heap_next(&world->events) : world->now_ms;
        sim_port_fire(world);
    }
    sim_functions_end(world);
}
