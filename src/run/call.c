/* The one door: a call's machine is stepped here and nowhere else, and what it decides is carried out. */
#include "src/run/run.h"

#include <assert.h>
#include <string.h>

#include "src/core/text.h"
#include "src/core/wait.h"
#include "src/io/memory.h"

#define DETAIL_MAX 4096u /* bytes of a reason that an observer is shown at most */

static struct recourse_runner *runner_of(const struct rcs_call *call)
{
    return call->turn->run->runner;
}

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

static void set_timer(struct rcs_call *call, uint64_t due_ms)
{
    int code = rcs_timers_set(&runner_of(call)->timers, &call->timer, due_ms);

    assert(code == 0); /* room for one timer a call was made when the turn was started */
    (void)code;
}

/* A tool that runs on after its try was stopped still takes a place of its limit. */
static void leave_try(struct rcs_call *call)
{
    struct recourse_runner *runner = runner_of(call);

    if (call->in_try) {
        call->in_try = false;
        runner->tries--;
    }
    if (call->in_limit && call->try == NULL) {
        call->in_limit = false;
        rcs_limits_end(&runner->limits, call->tool->limit);
    }
}

static void leave_queue(struct rcs_call *call)
{
    if (call->stage == RCS_STAGE_QUEUED && call->tool != NULL) {
        rcs_limits_give_up(&runner_of(call)->limits, call->tool->limit, &call->link);
    }
}

/* ---- the end ---- */

void rcs_call_drop(struct rcs_call *call)
{
    struct recourse_runner *runner = runner_of(call);

    if (call->stage == RCS_STAGE_DONE) {
        return;
    }
    if (call->stage == RCS_STAGE_ASKING) {
        rcs_ask_withdraw(call);
    }
    if (call->stage == RCS_STAGE_RECORDING) {
        rcs_list_remove(&call->link);
    }
    if (call->try != NULL && call->stage == RCS_STAGE_TRYING &&
        call->try->kind->stop(call->try) != RCS_STOPPED_RUNNING) {
        call->try = NULL;
    }
    if (call->try != NULL) {
        rcs_limits_linger(&runner->limits, call->tool->limit, call->try);
        call->try = NULL;
        call->in_limit = false;
    }
    leave_try(call);
    rcs_spend_leave(call);
    leave_queue(call);
    rcs_timers_remove(&runner->timers, &call->timer);
    rcs_mailbox_give_back(runner->host.mailbox, call->arguments.size);
    rcs_call_drop_arguments(call);
    rcs_spend_drop(call);
    rcs_tracing_drop(call);
    call->stage = RCS_STAGE_DONE;
    runner->calls--;
}

static void count_repetition(struct rcs_call *call)
{
    struct rcs_repeat *failed = &call->turn->run->failed;

    if (call->result.policy->settings.repeated_failures == 0 || call->result.tries == 0) {
        return;
    }
    if (call->result.success) {
        rcs_repeat_forget(failed, call->same);
    } else if (call->result.event != RECOURSE_EVENT_CANCELLED) {
        (void)rcs_repeat_add(failed, call->same);
    }
}

static void finish(struct rcs_call *call, uint64_t now_ms)
{
    struct recourse_runner *runner = runner_of(call);
    bool has_listed;

    call->result.duration_ms = now_ms - call->turn->began_ms;
    count_repetition(call);
    has_listed = call->lists && call->result.success && rcs_servers_learn(runner, call->tool->mcp) == 0;
    rcs_call_drop(call);
    rcs_list_append(&runner->ended, &call->link);
    if (call->result.tell == RECOURSE_TELL_HOST ||
        (call->lists && !has_listed && call->result.event != RECOURSE_EVENT_CANCELLED)) {
        rcs_run_fail(call->turn->run, call);
    }
}

static void break_off(struct rcs_call *call, int code)
{
    rcs_result_broken(call, code);
    if (runner_of(call)->options.audit != NULL) {
        rcs_recording_break(call, code);
    }
    rcs_tracing_break(call, rcs_runner_now(runner_of(call)));
    finish(call, rcs_runner_now(runner_of(call)));
}

/* ---- tries ---- */

static void try_ended(void *user, const struct recourse_facts *facts);
static void step_ended(struct rcs_call *call, const struct rcs_event *event);

static const char *start_failure(int code)
{
    switch (code) {
    case RECOURSE_E_MEMORY:
        return "the try could not be started: out of memory";
    case RECOURSE_E_AGAIN:
        return "the try could not be started: too much is waiting already";
    case RECOURSE_E_LIMIT:
        return "the try could not be started: the arguments are too long for a query or a header";
    default:
        return "the try could not be started";
    }
}

/* A try that can't be started never reached the tool. */
static void try_not_started(struct rcs_call *call, int code)
{
    struct recourse_facts facts = {.unsent = true, .detail = words(start_failure(code))};
    struct rcs_event event = {.event = RECOURSE_EVENT_OK, .facts = &facts};

    if (code == RECOURSE_E_LIMIT || code == RECOURSE_E_ARGUMENT) {
        facts.protocol = true; /* another try would end the same */
    } else {
        facts.spawn = true;
    }
    facts.tool = call->tool->config.name;
    call->touched = false;
    leave_try(call);
    rcs_call_step(call, &event);
}

/* The function of an earlier try still runs: this one has spent its time waiting for that, and touches nothing. */
static void try_held_up(struct rcs_call *call)
{
    struct recourse_facts facts = {
        .timeout = RECOURSE_TIMEOUT_TOTAL,
        .unsent = true,
        .tool = call->tool->config.name,
        .detail = words("an earlier attempt at it still runs"),
    };
    struct rcs_event event = {.event = RECOURSE_EVENT_OK, .facts = &facts};

    leave_try(call);
    rcs_call_step(call, &event);
}

/* When a try that begins now ends at the latest: by the policy or the tool, whichever is stricter. */
static uint64_t try_end(const struct rcs_call *call, uint64_t wake_ms, uint64_t now_ms)
{
    uint64_t own_ms = call->tool->config.timeout_ms;
    uint64_t end_ms = rcs_add_ms(now_ms, own_ms);

    return own_ms > 0 && end_ms < wake_ms ? end_ms : wake_ms;
}

/* What can't be recorded is not done. */
static void try_not_recorded(struct rcs_call *call)
{
    struct rcs_event event = {
        .event = RECOURSE_EVENT_UNRECORDED,
        .reason = words("the try was not made: its record can't be written"),
    };

    leave_try(call);
    step_ended(call, &event);
}

/* Touches the tool. */
static void make_try(struct rcs_call *call, uint64_t now_ms)
{
    struct recourse_runner *runner = runner_of(call);
    struct rcs_try_order order = {
        .tool = call->tool,
        .policy = call->result.policy,
        .call_id = call->result.call,
        .arguments = rcs_call_arguments(call),
        .number = call->machine.try_number,
        .new_session = call->new_session,
        .session = &call->session,
        .deadline_ms = try_end(call, call->machine.wake_ms, now_ms),
        .trace = rcs_tracing_of_try(call),
        .ended = try_ended,
        .user = call,
    };
    int code;

    memcpy(order.key, call->key, sizeof order.key);
    call->touched = true;
    set_timer(call, call->tool->kind->keeps_deadline ? RECOURSE_FOREVER : order.deadline_ms);
    code = call->tool->kind->start(&runner->host, &order, &call->try);
    if (code != 0 && call->stage == RCS_STAGE_TRYING) {
        try_not_started(call, code);
    }
}

static void start_try(struct rcs_call *call, bool new_session, bool recorded, uint64_t now_ms)
{
    struct recourse_runner *runner = runner_of(call);

    call->stage = RCS_STAGE_TRYING;
    call->in_try = true;
    call->new_session = new_session;
    runner->tries++;
    if (call->try != NULL) {
        try_held_up(call);
        return;
    }
    call->in_limit = true;
    rcs_limits_begin(&runner->limits, call->tool->limit);
    if (!recorded) {
        try_not_recorded(call);
    } else if (runner->options.audit != NULL && rcs_recording_holds(call)) {
        set_timer(call, try_end(call, call->machine.wake_ms, now_ms));
    } else {
        make_try(call, now_ms);
    }
}

void rcs_call_touch(struct rcs_call *call, bool allowed)
{
    struct recourse_runner *runner = runner_of(call);

    if (rcs_run_ended(call->turn->run)) {
        rcs_call_cancel(call);
        return;
    }
    rcs_list_remove(&call->link);
    rcs_timers_remove(&runner->timers, &call->timer);
    call->stage = RCS_STAGE_TRYING;
    if (allowed) {
        make_try(call, rcs_runner_now(runner));
    } else {
        try_not_recorded(call);
    }
}

/* The machine hears how a try ended. A run that has ended lets a call finish its try, and no more. */
static void step_ended(struct rcs_call *call, const struct rcs_event *event)
{
    rcs_call_step(call, event);
    if (call->stage == RCS_STAGE_WAITING && rcs_run_ended(call->turn->run)) {
        rcs_call_cancel(call);
    }
}

/* Returns whether the tool may have been touched. */
static bool stop_try(struct rcs_call *call)
{
    enum rcs_stopped stopped;

    if (call->stage == RCS_STAGE_RECORDING) {
        rcs_list_remove(&call->link);
        leave_try(call);
        call->stage = RCS_STAGE_WAITING;
        return false;
    }
    stopped = call->try->kind->stop(call->try);
    if (stopped != RCS_STOPPED_RUNNING) {
        call->try = NULL;
    }
    leave_try(call);
    call->stage = RCS_STAGE_WAITING; /* until the machine has said what comes of it */
    return stopped != RCS_STOPPED_UNTOUCHED;
}

/* Why a try that touched nothing has come no further. */
static const char *standing_of(const struct rcs_call *call, char room[RCS_STANDING_MAX])
{
    const struct rcs_kind *kind = call->tool->kind;
    bool known = call->stage != RCS_STAGE_RECORDING && kind->standing != NULL && kind->standing(call->try, room);

    return known ? room : "timed out before it was begun";
}

static void try_timed_out(struct rcs_call *call)
{
    struct recourse_facts facts = {.timeout = RECOURSE_TIMEOUT_TOTAL, .tool = call->tool->config.name};
    struct rcs_event event = {.event = RECOURSE_EVENT_OK, .facts = &facts};
    char room[RCS_STANDING_MAX];

    const char *standing = standing_of(call, room);

    facts.unsent = !stop_try(call);
    facts.detail = words(!facts.unsent ? "timed out" : standing);
    step_ended(call, &event);
}

/* ---- leave to make a try ---- */

static void step_queued(struct rcs_call *call)
{
    struct rcs_event event = {.event = RECOURSE_EVENT_ELAPSED};
    char text[RCS_REASON_MAX];

    if (!call->elapsed) {
        event = rcs_precondition_check_again(call, text);
    }
    if ((call->elapsed || event.event == RECOURSE_EVENT_READY) &&
        !rcs_spend_admit(call, rcs_runner_now(runner_of(call)), text, sizeof text)) {
        event.event = RECOURSE_EVENT_CIRCUIT_OPEN;
        event.reason = words(text);
    }
    if (event.reason.size == 0) {
        event.reason = words("no time was left"); /* where the machine finds that the deadline has come */
    }
    rcs_timers_remove(&runner_of(call)->timers, &call->timer);
    rcs_call_step(call, &event);
}

static void queue(struct rcs_call *call, bool elapsed)
{
    struct recourse_runner *runner = runner_of(call);

    call->elapsed = elapsed;
    if (rcs_run_ended(call->turn->run)) {
        call->stage = elapsed ? RCS_STAGE_WAITING : RCS_STAGE_QUEUED;
        rcs_call_cancel(call);
        return;
    }
    if (rcs_runner_has_room(runner) && rcs_limits_pass(&runner->limits, call->tool->limit)) {
        step_queued(call);
        return;
    }
    call->stage = RCS_STAGE_QUEUED;
    rcs_limits_wait(&runner->limits, call->tool->limit, &call->link);
    set_timer(call, call->machine.deadline_ms);
}

void rcs_call_admit(struct rcs_call *call)
{
    queue(call, false);
}

void rcs_call_run_queue(struct recourse_runner *runner, unsigned most)
{
    struct rcs_link *link;

    while (most-- > 0 && rcs_runner_has_room(runner) &&
           (link = rcs_limits_take(&runner->limits)) != NULL) {
        step_queued(RCS_OWNER(link, struct rcs_call, link));
    }
}

/*
 * A wait is over. No try is made while the function of an earlier one still runs: the call is held for as long as that try
 * could have taken. A kind that is sure to be over soon is waited for instead.
 */
static void wait_ended(struct rcs_call *call)
{
    const struct recourse_settings *settings = &call->result.policy->settings;
    uint64_t now = rcs_runner_now(runner_of(call));
    uint64_t end = rcs_add_ms(now, settings->try_timeout_ms);

    if (call->try == NULL) {
        queue(call, true);
        return;
    }
    call->elapsed = true;
    call->stage = RCS_STAGE_HELD;
    if (call->tool->kind->ends_soon) {
        set_timer(call, call->machine.deadline_ms);
        return;
    }
    set_timer(call, try_end(call, end < call->machine.deadline_ms ? end : call->machine.deadline_ms, now));
}

static void try_ended(void *user, const struct recourse_facts *told)
{
    struct rcs_call *call = user;
    struct recourse_runner *runner = runner_of(call);
    struct recourse_facts facts;
    struct rcs_event event = {.event = RECOURSE_EVENT_OK, .facts = &facts};

    call->try = NULL;
    if (told == NULL) {
        leave_try(call);
        if (call->stage == RCS_STAGE_HELD) {
            queue(call, true);
        }
        return;
    }
    facts = *told;
    facts.tool = call->tool->config.name;
    if (facts.wall_s == 0) {
        facts.wall_s = runner->host.port->wall_s(runner->host.port->self);
    }
    rcs_timers_remove(&runner->timers, &call->timer);
    leave_try(call);
    step_ended(call, &event);
    rcs_call_run_queue(runner, 1); /* at once, while the connection that this try has left is there to be used */
}

/* ---- the door ---- */

static void observe(const struct rcs_call *call, const struct recourse_decision *decision,
                    const struct rcs_event *event, uint64_t now_ms)
{
    struct recourse_runner *runner = runner_of(call);
    struct recourse_observation seen = {
        .policy = call->result.policy,
        .call = call->result.call,
        .tool = call->result.tool,
        .decision = decision,
        .facts = event->facts,
        .now_ms = now_ms,
    };
    char room[32];
    char detail[DETAIL_MAX];

    if (runner->options.observe == NULL) {
        return;
    }
    if (decision->event != RECOURSE_EVENT_OK && decision->action != RECOURSE_ACTION_ATTEMPT) {
        (void)rcs_text_reason(rcs_result_reason(event, room), call->result.policy->settings.reason_characters, detail,
                              sizeof detail - 1);
        detail[sizeof detail - 1] = '\0';
        seen.detail = words(detail);
    }
    runner->options.observe(runner->options.user, &seen);
}

static void carry_out(struct rcs_call *call, const struct recourse_decision *decision, const struct rcs_event *event,
                      const struct recourse_input *input)
{
    bool recorded = true;

    if (decision->action == RECOURSE_ACTION_REPORT) {
        rcs_result_make(call, decision, event);
    }
    if (runner_of(call)->options.audit != NULL) {
        recorded = rcs_recording_add(call, decision, input);
    }
    rcs_tracing_step(call, decision, event->facts, input->now_ms);
    switch (decision->action) {
    case RECOURSE_ACTION_ATTEMPT:
        start_try(call, decision->new_session, recorded, input->now_ms);
        break;
    case RECOURSE_ACTION_WAIT:
        call->stage = RCS_STAGE_WAITING;
        set_timer(call, rcs_add_ms(decision->wake_ms, runner_of(call)->host.port->lag_ms));
        break;
    default:
        finish(call, input->now_ms);
        break;
    }
}

void rcs_call_step(struct rcs_call *call, const struct rcs_event *event)
{
    struct recourse_runner *runner = runner_of(call);
    struct recourse_decision decision;
    uint32_t tokens[RECOURSE_BUDGETS_MAX];
    struct recourse_input input = {
        .now_ms = rcs_runner_now(runner),
        .random = rcs_runner_random(runner),
        .event = event->event,
        .sent = event->sent,
        .facts = event->facts,
        .tokens = rcs_spend_tokens(call, tokens),
    };
    int code;

    assert(call->stage != RCS_STAGE_DONE);
    code = recourse_call_step(&call->machine, call->result.policy, &input, &decision);
    if (code != 0) {
        break_off(call, code);
        return;
    }
    rcs_result_record(call, &decision, event, input.now_ms);
    rcs_spend_settle(call, &decision, input.now_ms);
    if (decision.trace[0].from == RECOURSE_ATTEMPT) {
        call->result.effect = decision.effect;
        call->result.resumes += event->facts != NULL ? event->facts->resumes : 0;
        call->result.rounds += event->facts != NULL ? event->facts->rounds : 0;
    }
    observe(call, &decision, event, input.now_ms);
    if (call->stage != RCS_STAGE_DONE) { /* the observer may have freed the turn */
        carry_out(call, &decision, event, &input);
    }
}

/* ---- what comes from outside ---- */

void rcs_call_begin(struct rcs_call *call)
{
    char text[RCS_REASON_MAX];
    struct rcs_event event;
    int code = rcs_precondition_prepare(call);

    if (code != 0) {
        break_off(call, code);
        return;
    }
    event = rcs_precondition_check(call, text);
    if (event.event != RECOURSE_EVENT_READY) {
        rcs_call_step(call, &event);
    } else if (rcs_ask_needed(call)) {
        rcs_ask(call);
    } else {
        queue(call, false);
    }
}

void rcs_call_cancel(struct rcs_call *call)
{
    struct recourse_runner *runner = runner_of(call);
    struct rcs_event event = {.event = RECOURSE_EVENT_CANCELLED, .reason = words("cancelled")};
    int code = 0;

    switch (call->stage) {
    case RCS_STAGE_DONE:
        return;
    case RCS_STAGE_NEW:
        code = rcs_precondition_prepare(call);
        break;
    case RCS_STAGE_ASKING:
        rcs_ask_withdraw(call);
        call->stage = RCS_STAGE_QUEUED;
        break;
    case RCS_STAGE_TRYING:
    case RCS_STAGE_RECORDING:
        event.sent = stop_try(call);
        event.reason =
            words(event.sent ? "cancelled before the tool had answered" : "cancelled before anything was sent");
        break;
    default:
        leave_queue(call);
        break;
    }
    rcs_timers_remove(&runner->timers, &call->timer);
    if (code == 0) {
        rcs_call_step(call, &event);
    } else {
        break_off(call, code);
    }
}

void rcs_call_fire(struct rcs_timer *timer)
{
    struct rcs_call *call = RCS_OWNER(timer, struct rcs_call, timer);

    switch (call->stage) {
    case RCS_STAGE_ASKING:
        rcs_ask_timed_out(call);
        break;
    case RCS_STAGE_TRYING:
    case RCS_STAGE_RECORDING:
        try_timed_out(call);
        break;
    case RCS_STAGE_WAITING:
        wait_ended(call);
        break;
    case RCS_STAGE_QUEUED:
    case RCS_STAGE_HELD: /* the deadline: the machine sees it by itself */
        leave_queue(call);
        step_queued(call);
        break;
    default:
        assert(false);
        break;
    }
}
