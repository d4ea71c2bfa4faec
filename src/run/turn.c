/* Runs and turns: taking calls in, handing results out, cancelling, failing. */
#include "src/run/run.h"

#include <string.h>

#include "src/io/memory.h"
#include "src/spans/spans.h"

/* Arguments of so many bytes stand behind the calls of their turn; longer ones go as soon as their call is done. */
#define ARGUMENTS_INSIDE_MAX 128u

static const struct recourse_allocator *allocator_of(const struct recourse_run *run)
{
    return run->runner->host.allocator;
}

bool rcs_run_ended(const struct recourse_run *run)
{
    return run->status == RECOURSE_RUN_FAILED || run->status == RECOURSE_RUN_CANCELLED;
}

static bool is_span(struct recourse_span span)
{
    return span.data != NULL || span.size == 0;
}

/* ---- cancelling ---- */

static void cancel_calls(struct recourse_turn *turn)
{
    for (size_t i = 0; i < turn->count; i++) {
        rcs_call_cancel(&turn->calls[i]);
    }
}

static void open_turn_cancel(struct rcs_mail *mail)
{
    cancel_calls(RCS_OWNER(mail, struct recourse_turn, cancel));
}

/* Cutting off a try that is not safe would only make another unknown outcome, unless it has not reached its tool. */
static bool may_finish(const struct rcs_call *call)
{
    const struct rcs_try *try = call->try;

    if (call->stage != RCS_STAGE_TRYING || call->safe) {
        return false;
    }
    return try == NULL || try->kind->waits == NULL || !try->kind->waits(try);
}

/* The run has failed: what is safe ends, no try is made any more. */
static void wind_up(struct recourse_run *run)
{
    for (struct rcs_link *link = run->turns.next; link != &run->turns; link = link->next) {
        struct recourse_turn *turn = RCS_OWNER(link, struct recourse_turn, link);

        for (size_t i = 0; i < turn->count; i++) {
            if (!may_finish(&turn->calls[i])) {
                rcs_call_cancel(&turn->calls[i]);
            }
        }
    }
}

static void open_run_cancel(struct rcs_mail *mail)
{
    struct recourse_run *run = RCS_OWNER(mail, struct recourse_run, cancel);

    if (run->status == RECOURSE_RUN_FAILED) {
        wind_up(run);
        return;
    }
    run->status = RECOURSE_RUN_CANCELLED;
    for (struct rcs_link *link = run->turns.next; link != &run->turns; link = link->next) {
        cancel_calls(RCS_OWNER(link, struct recourse_turn, link));
    }
}

void recourse_run_cancel(struct recourse_run *run)
{
    (void)rcs_mailbox_post(run->runner->host.mailbox, &run->cancel);
}

void recourse_turn_cancel(struct recourse_turn *turn)
{
    (void)rcs_mailbox_post(turn->run->runner->host.mailbox, &turn->cancel);
}

/* ---- a run that fails ---- */

static int keep_failure(struct recourse_run *run, const struct recourse_run_failure *failure)
{
    size_t tool = failure->tool.size;
    size_t text = failure->text.size;

    run->failure.http = failure->http;
    run->failure_memory = rcs_alloc(allocator_of(run), tool + text + 1);
    if (run->failure_memory == NULL) {
        return RECOURSE_E_MEMORY;
    }
    if (tool > 0) {
        memcpy(run->failure_memory, failure->tool.data, tool);
    }
    if (text > 0) {
        memcpy(run->failure_memory + tool, failure->text.data, text);
    }
    run->failure.tool = (struct recourse_span){run->failure_memory, tool};
    run->failure.text = (struct recourse_span){run->failure_memory + tool, text};
    return 0;
}

void rcs_run_fail(struct recourse_run *run, const struct rcs_call *failed)
{
    const struct recourse_result *result = &failed->result;
    const struct recourse_run_failure failure = {result->http, result->tool, result->detail};

    if (rcs_run_ended(run)) {
        return;
    }
    run->status = RECOURSE_RUN_FAILED;
    (void)keep_failure(run, &failure); /* the status is known without memory, too */
    wind_up(run);
}

int recourse_run_fail(struct recourse_run *run, const struct recourse_run_failure *failure)
{
    int code;

    if (run == NULL || failure == NULL || !is_span(failure->tool) || !is_span(failure->text)) {
        return RECOURSE_E_ARGUMENT;
    }
    if (rcs_run_ended(run)) {
        return RECOURSE_E_STATE;
    }
    run->status = RECOURSE_RUN_FAILED;
    code = keep_failure(run, failure);
    (void)rcs_mailbox_post(run->runner->host.mailbox, &run->cancel); /* callbacks come from steps only */
    return code;
}

/* ---- runs ---- */

int recourse_run_new(struct recourse_runner *runner, struct recourse_run **out)
{
    struct recourse_run *run;

    if (runner == NULL || out == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    run = rcs_alloc_zero(runner->host.allocator, sizeof *run);
    if (run == NULL) {
        return RECOURSE_E_MEMORY;
    }
    run->runner = runner;
    run->cancel.open = open_run_cancel;
    rcs_repeat_init(&run->failed, runner->host.allocator);
    rcs_link_init(&run->turns);
    rcs_link_init(&run->dead);
    rcs_list_append(&runner->runs, &run->link);
    *out = run;
    return 0;
}

enum recourse_run_status recourse_run_status(const struct recourse_run *run)
{
    return (enum recourse_run_status)run->status;
}

const struct recourse_run_failure *recourse_run_failure(const struct recourse_run *run)
{
    return run->status == RECOURSE_RUN_FAILED ? &run->failure : NULL;
}

static void reap_run(struct recourse_run *run)
{
    const struct recourse_allocator *allocator = allocator_of(run);

    rcs_list_remove(&run->link);
    rcs_repeat_clear(&run->failed);
    rcs_free(allocator, run->failure_memory);
    rcs_free(allocator, run);
}

void recourse_run_free(struct recourse_run *run)
{
    struct recourse_runner *runner;
    struct rcs_link *next;

    if (run == NULL || run->freed) {
        return;
    }
    runner = run->runner;
    run->freed = true;
    run->status = RECOURSE_RUN_CANCELLED;
    rcs_mailbox_remove(runner->host.mailbox, &run->cancel);
    for (struct rcs_link *link = run->turns.next; link != &run->turns; link = next) {
        next = link->next;
        recourse_turn_free(RCS_OWNER(link, struct recourse_turn, link));
    }
    if (runner->stepping) {
        rcs_list_append(&runner->dead_runs, &run->dead);
    } else {
        reap_run(run);
    }
}

/* ---- starting a turn ---- */

/* Whether the options can be taken now; adds up the bytes of what stands behind the calls, and of the arguments. */
static int check_turn(const struct recourse_run *run, const struct recourse_turn_options *options, size_t *text,
                      size_t *arguments, struct recourse_error *error)
{
    const struct recourse_runner *runner = run->runner;

    if (options == NULL || options->size != sizeof *options || (options->calls == NULL && options->call_count > 0)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no options, options of another size, or no calls");
    }
    if (rcs_run_ended(run)) {
        return rcs_fail(error, RECOURSE_E_STATE, "the run has ended: start another one");
    }
    if (options->call_count > runner->options.calls_max - runner->calls) {
        return rcs_fail(error, RECOURSE_E_AGAIN, "too many calls in flight: step the runner, then try again");
    }
    for (size_t i = 0; i < options->call_count; i++) {
        const struct recourse_call_request *request = &options->calls[i];

        if (!is_span(request->id) || !is_span(request->name) || !is_span(request->arguments) ||
            !is_span(request->traceparent) || !is_span(request->tracestate)) {
            return rcs_fail(error, RECOURSE_E_ARGUMENT, "a span without data has a size");
        }
        *text += request->id.size + request->name.size;
        *text += request->arguments.size <= ARGUMENTS_INSIDE_MAX ? request->arguments.size : 0;
        *arguments += request->arguments.size;
    }
    return 0;
}

static struct recourse_span keep(char **at, struct recourse_span span)
{
    struct recourse_span kept = {*at, span.size};

    if (span.size > 0) {
        memcpy(*at, span.data, span.size);
    }
    *at += span.size;
    return kept;
}

static int keep_arguments(struct rcs_call *call, char **text, struct recourse_span arguments)
{
    char *apart;

    if (arguments.size > ARGUMENTS_INSIDE_MAX) {
        apart = rcs_alloc(allocator_of(call->turn->run), arguments.size);
        if (apart == NULL) {
            return RECOURSE_E_MEMORY;
        }
        call->has_arguments_apart = true;
        text = &apart;
    }
    call->arguments = keep(text, arguments);
    return 0;
}

void rcs_call_drop_arguments(struct rcs_call *call)
{
    if (call->has_arguments_apart) {
        rcs_free(allocator_of(call->turn->run), (void *)(uintptr_t)call->arguments.data);
        call->has_arguments_apart = false;
    }
    call->arguments = (struct recourse_span){NULL, 0};
}

static int take_call(struct recourse_turn *turn, struct rcs_call *call, const struct recourse_call_request *request,
                     char **text)
{
    struct recourse_runner *runner = turn->run->runner;
    uint64_t key[2] = {rcs_runner_random(runner), rcs_runner_random(runner)};

    call->turn = turn;
    rcs_link_init(&call->link);
    rcs_timer_init(&call->timer, rcs_call_fire);
    rcs_call_hold_policy(call, runner->policy);
    call->result.call = keep(text, request->id);
    call->result.tool = keep(text, request->name);
    call->truncated = request->truncated;
    memcpy(call->key, key, sizeof call->key);
    rcs_tracing_begin(call, request);
    return keep_arguments(call, text, request->arguments);
}

/* An empty id is none: nothing can be confused by it. */
static int mark_duplicates(struct recourse_turn *turn)
{
    struct rcs_repeat seen;
    int code;

    rcs_repeat_init(&seen, allocator_of(turn->run));
    code = rcs_repeat_reserve(&seen, turn->count);
    for (size_t i = 0; i < turn->count && code == 0; i++) {
        struct recourse_span id = turn->calls[i].result.call;

        turn->calls[i].duplicate =
            id.size > 0 && rcs_repeat_add(&seen, rcs_repeat_hash(turn->run->runner->seed, id)) > 1;
    }
    rcs_repeat_clear(&seen);
    return code;
}

static void free_turn_memory(struct recourse_turn *turn)
{
    const struct rcs_tool_host *host = &turn->run->runner->host;

    for (size_t i = 0; i < turn->count; i++) {
        struct rcs_call *call = &turn->calls[i];

        recourse_policy_release(call->result.policy);
        rcs_tracing_drop(call);
        rcs_spend_drop(call);
        rcs_call_drop_arguments(call);
        rcs_free(host->allocator, call->kept);
        rcs_free(host->allocator, (void *)(uintptr_t)call->result.trail);
    }
    rcs_free(host->allocator, turn);
}

static int fill_turn(struct recourse_turn *turn, const struct recourse_turn_options *options)
{
    struct recourse_runner *runner = turn->run->runner;
    char *text = (char *)(turn->calls + options->call_count);
    int code = rcs_timers_reserve(&runner->timers, runner->calls + options->call_count);

    for (size_t i = 0; i < options->call_count && code == 0; i++) {
        code = take_call(turn, &turn->calls[i], &options->calls[i], &text);
    }
    return code != 0 ? code : mark_duplicates(turn);
}

static struct recourse_turn *make_turn(struct recourse_run *run, const struct recourse_turn_options *options,
                                       size_t text)
{
    size_t calls = options->call_count * sizeof(struct rcs_call);
    struct recourse_turn *turn = rcs_alloc(allocator_of(run), sizeof *turn + calls + text);

    if (turn == NULL) {
        return NULL;
    }
    memset(turn, 0, sizeof *turn + calls);
    turn->run = run;
    turn->calls = (struct rcs_call *)(turn + 1);
    turn->count = options->call_count;
    turn->undelivered = options->call_count;
    turn->cancel.open = open_turn_cancel;
    turn->began_ms = rcs_runner_now(run->runner);
    turn->began_ns = run->runner->options.spans != NULL ? rcs_spans_wall_ns(run->runner->host.port) : 0;
    turn->deadline_ms = options->deadline_ms == 0 ? RECOURSE_FOREVER : options->deadline_ms;
    turn->token_budget = options->token_budget;
    turn->on_result = options->on_result;
    turn->on_done = options->on_done;
    turn->user = options->user;
    rcs_link_init(&turn->link);
    rcs_link_init(&turn->admission);
    return turn;
}

int recourse_turn_start(struct recourse_run *run, const struct recourse_turn_options *options,
                        struct recourse_turn **out, struct recourse_error *error)
{
    struct recourse_runner *runner;
    struct recourse_turn *turn;
    size_t text = 0;
    size_t arguments = 0;
    int code;

    if (run == NULL || out == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no run, or nowhere to put the turn");
    }
    runner = run->runner;
    code = check_turn(run, options, &text, &arguments, error);
    if (code != 0) {
        return code;
    }
    if (!rcs_mailbox_reserve(runner->host.mailbox, arguments)) {
        return rcs_fail(error, RECOURSE_E_AGAIN, "the arguments are beyond the memory bound: free turns, then try again");
    }
    turn = make_turn(run, options, text);
    code = turn == NULL ? RECOURSE_E_MEMORY : fill_turn(turn, options);
    if (code != 0) {
        rcs_mailbox_give_back(runner->host.mailbox, arguments);
        if (turn != NULL) {
            free_turn_memory(turn);
        }
        return rcs_fail(error, (enum recourse_code)code, "out of memory");
    }
    runner->calls += turn->count;
    run->open_turns++;
    run->status = RECOURSE_RUN_OPEN;
    rcs_list_append(&run->turns, &turn->link);
    rcs_list_append(turn->count > 0 ? &runner->admission : &runner->empty, &turn->admission);
    *out = turn;
    return 0;
}

void rcs_turns_admit(struct recourse_runner *runner, size_t max)
{
    for (; max > 0 && !rcs_list_empty(&runner->admission); max--) {
        struct recourse_turn *turn = RCS_OWNER(runner->admission.next, struct recourse_turn, admission);
        struct rcs_call *call = &turn->calls[turn->begun++];

        if (turn->begun == turn->count) {
            rcs_list_remove(&turn->admission);
        }
        if (call->stage == RCS_STAGE_NEW) {
            rcs_call_begin(call);
        }
    }
}

/* ---- handing out ---- */

static void close_turn(struct recourse_turn *turn)
{
    struct recourse_run *run = turn->run;

    if (turn->done) {
        return;
    }
    turn->done = true;
    run->open_turns--;
    if (run->status == RECOURSE_RUN_OPEN && run->open_turns == 0) {
        run->status = RECOURSE_RUN_ANSWERED;
    }
}

static void end_turn(struct recourse_turn *turn)
{
    close_turn(turn);
    if (turn->on_done != NULL) {
        turn->on_done(turn->user, turn);
    }
}

/* A result that was handed over is no longer in flight: the host sees to it that turns are freed. */
static void uncount_result(struct rcs_call *call)
{
    rcs_mailbox_give_back(call->turn->run->runner->host.mailbox, call->kept_size);
    call->kept_size = 0;
}

static void deliver(struct rcs_call *call)
{
    struct recourse_turn *turn = call->turn;

    uncount_result(call);
    if (turn->on_result != NULL) {
        turn->on_result(turn->user, turn, (size_t)(call - turn->calls), &call->result);
    }
    if (!turn->freed && --turn->undelivered == 0) {
        end_turn(turn);
    }
}

void rcs_turns_deliver(struct recourse_runner *runner, unsigned most)
{
    for (; most > 0 && !rcs_list_empty(&runner->ended); most--) {
        struct rcs_call *call = RCS_OWNER(runner->ended.next, struct rcs_call, link);

        rcs_list_remove(&call->link);
        deliver(call);
    }
    for (; most > 0 && !rcs_list_empty(&runner->empty); most--) {
        struct recourse_turn *turn = RCS_OWNER(runner->empty.next, struct recourse_turn, admission);

        rcs_list_remove(&turn->admission);
        end_turn(turn);
    }
}

bool recourse_turn_done(const struct recourse_turn *turn)
{
    return turn->done;
}

size_t recourse_turn_count(const struct recourse_turn *turn)
{
    return turn->count;
}

const struct recourse_result *recourse_turn_result(const struct recourse_turn *turn, size_t index)
{
    if (index >= turn->count || turn->calls[index].stage != RCS_STAGE_DONE) {
        return NULL;
    }
    return &turn->calls[index].result;
}

/* ---- freeing ---- */

static void reap_turn(struct recourse_turn *turn)
{
    rcs_list_remove(&turn->link);
    free_turn_memory(turn);
}

void recourse_turn_free(struct recourse_turn *turn)
{
    struct recourse_runner *runner;

    if (turn == NULL || turn->freed) {
        return;
    }
    runner = turn->run->runner;
    turn->freed = true;
    rcs_mailbox_remove(runner->host.mailbox, &turn->cancel);
    rcs_list_remove(&turn->admission);
    for (size_t i = 0; i < turn->count; i++) {
        rcs_call_drop(&turn->calls[i]);
        uncount_result(&turn->calls[i]);
        rcs_list_remove(&turn->calls[i].link);
    }
    close_turn(turn);
    if (runner->stepping) {
        rcs_list_append(&runner->dead_turns, &turn->admission);
    } else {
        reap_turn(turn);
    }
}

void rcs_turns_reap(struct recourse_runner *runner)
{
    while (!rcs_list_empty(&runner->dead_turns)) {
        struct recourse_turn *turn = RCS_OWNER(runner->dead_turns.next, struct recourse_turn, admission);

        rcs_list_remove(&turn->admission);
        reap_turn(turn);
    }
    while (!rcs_list_empty(&runner->dead_runs)) {
        struct recourse_run *run = RCS_OWNER(runner->dead_runs.next, struct recourse_run, dead);

        rcs_list_remove(&run->dead);
        reap_run(run);
    }
}
