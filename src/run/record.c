/* The record: what the log is told, and which tries wait until it has been written. */
#include "src/run/run.h"

#include "src/audit/audit.h"

static struct recourse_runner *runner_of(const struct rcs_call *call)
{
    return call->turn->run->runner;
}

/* A sync has ended: what comes of it is looked at when the step settles. */
static void open_synced(struct rcs_mail *mail)
{
    (void)mail;
}

static void tell_synced(void *user)
{
    struct recourse_runner *runner = user;

    (void)rcs_mailbox_post(runner->host.mailbox, &runner->recording.synced);
}

void rcs_recording_open(struct recourse_runner *runner)
{
    struct rcs_recording *recording = &runner->recording;

    rcs_link_init(&recording->appended);
    rcs_link_init(&recording->written);
    recording->synced.open = open_synced;
    rcs_audit_listen(runner->options.audit, tell_synced, runner);
}

void rcs_recording_close(struct recourse_runner *runner)
{
    rcs_audit_deafen(runner->options.audit);
    (void)!rcs_audit_flush(runner->options.audit, NULL); /* what is lost, closing the log tells of */
}

bool rcs_recording_add(struct rcs_call *call, const struct recourse_decision *decision,
                       const struct recourse_input *input)
{
    struct recourse_audit *audit = runner_of(call)->options.audit;
    const struct recourse_tool *config = call->tool != NULL ? &call->tool->config : NULL;
    struct rcs_audited what = {
        .policy = call->result.policy,
        .decision = decision,
        .input = input,
        .result = decision->action == RECOURSE_ACTION_REPORT ? &call->result : NULL,
        .call = &call->audited,
        .id = call->result.call,
        .tool = call->result.tool,
        .arguments = rcs_call_arguments(call),
        .tool_known = call->bearers > 0,
        .safe = call->safe,
        .declared_safe = config != NULL && config->declared_safe,
        .declared_unsafe = config != NULL && config->declared_unsafe,
        .began_ms = call->turn->began_ms,
        .deadline_ms = call->turn->deadline_ms,
    };

    return rcs_audit_record(audit, &what) == 0 || !call->result.policy->settings.audit_refuse;
}

void rcs_recording_break(struct rcs_call *call, int code)
{
    struct recourse_runner *runner = runner_of(call);

    (void)!rcs_audit_broken(runner->options.audit, &call->audited, call->machine.try_number, &call->result, code,
                            rcs_runner_now(runner)); /* what is lost, the log counts */
}

bool rcs_recording_holds(struct rcs_call *call)
{
    struct recourse_runner *runner = runner_of(call);

    if (!rcs_audit_holds(runner->options.audit, call->result.policy, call->safe)) {
        return false;
    }
    call->stage = RCS_STAGE_RECORDING;
    rcs_list_append(&runner->recording.appended, &call->link);
    return true;
}

/* Those that are in the list now: what they bring about may add others. Not recorded, a try is made if its policy says
 * so. */
static void touch_all(struct rcs_link *list, bool recorded)
{
    struct rcs_link now;

    if (rcs_list_empty(list)) {
        return;
    }
    now = *list;
    now.next->previous = &now;
    now.previous->next = &now;
    rcs_link_init(list);
    while (!rcs_list_empty(&now)) {
        struct rcs_call *call = RCS_OWNER(now.next, struct rcs_call, link);

        rcs_call_touch(call, recorded || !call->result.policy->settings.audit_refuse);
    }
}

static void move_all(struct rcs_link *from, struct rcs_link *to)
{
    while (!rcs_list_empty(from)) {
        struct rcs_link *link = from->next;

        rcs_list_remove(link);
        rcs_list_append(to, link);
    }
}

/* Those whose record is in the file begin as soon as it has to be on the disk, and is. */
static void settle_written(struct recourse_runner *runner)
{
    struct rcs_recording *recording = &runner->recording;
    struct recourse_audit *audit = runner->options.audit;
    bool synced = false;

    if (rcs_list_empty(&recording->written)) {
        return;
    }
    if (rcs_audit_synced(audit, recording->mark, &synced) != 0) {
        touch_all(&recording->written, false);
    } else if (synced) {
        touch_all(&recording->written, true);
    }
}

void rcs_recording_settle(struct recourse_runner *runner)
{
    struct rcs_recording *recording = &runner->recording;
    struct recourse_audit *audit = runner->options.audit;
    uint64_t mark;

    settle_written(runner);
    if (rcs_audit_flush(audit, &mark) != 0) {
        touch_all(&recording->appended, false);
    } else if (rcs_list_empty(&recording->written) && !rcs_list_empty(&recording->appended)) {
        move_all(&recording->appended, &recording->written);
        recording->mark = mark;
        settle_written(runner);
    }
    if (rcs_audit_has_more(audit)) {
        (void)!rcs_audit_flush(audit, NULL); /* tries that began wait for a later one */
    }
}

bool rcs_recording_has_work(const struct recourse_runner *runner)
{
    const struct rcs_recording *recording = &runner->recording;

    return !rcs_list_empty(&recording->appended) && rcs_list_empty(&recording->written);
}
