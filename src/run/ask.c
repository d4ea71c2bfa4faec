/* Approval: asking before a call is run, and what comes of the answer. */
#include "src/run/run.h"

#include <assert.h>
#include <string.h>

#include "src/core/wait.h"

static struct recourse_runner *runner_of(const struct rcs_call *call)
{
    return call->turn->run->runner;
}

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

bool rcs_ask_needed(const struct rcs_call *call)
{
    uint8_t mode = call->tool->config.approval;

    if (mode == RECOURSE_APPROVE_DEFAULT) {
        mode = runner_of(call)->options.approval_mode;
    }
    switch (mode) {
    case RECOURSE_APPROVE_DEFAULT:
    case RECOURSE_APPROVE_NEVER:
        return false;
    case RECOURSE_APPROVE_BY_ANNOTATION:
        return !call->tool->config.read_only;
    default:
        return true;
    }
}

static int digest_of(const struct rcs_call *call, uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE])
{
    return recourse_approval_digest(call->result.tool, rcs_call_arguments(call), digest);
}

/* No question is open any more. */
static void settle(struct rcs_call *call, bool approved, const char *reason)
{
    struct rcs_event event = {.event = RECOURSE_EVENT_REFUSED, .reason = words(reason)};

    assert(call->stage == RCS_STAGE_ASKING);
    rcs_timers_remove(&runner_of(call)->timers, &call->timer);
    call->stage = RCS_STAGE_QUEUED;
    if (approved) {
        rcs_call_admit(call);
    } else {
        rcs_call_step(call, &event);
    }
}

/* What is run is what was asked about: somebody may have written into the arguments meanwhile. */
static void settle_approved(struct rcs_call *call, const uint8_t asked[RECOURSE_APPROVAL_DIGEST_SIZE])
{
    uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE];
    bool same = digest_of(call, digest) == 0 && memcmp(digest, asked, sizeof digest) == 0;

    settle(call, same, "the arguments are no longer those that were approved");
}

static const char *refusal(const struct rcs_call *call, int answer, const char *reason)
{
    if (runner_of(call)->options.approve == NULL) {
        return "the call needs approval, and nobody can be asked";
    }
    if (reason != NULL) {
        return reason;
    }
    return answer < 0 ? "asking whether the call is approved failed, so it was refused" : "the call was refused";
}

static void open_question(struct rcs_call *call, struct recourse_approval_request *request)
{
    struct recourse_runner *runner = runner_of(call);
    uint64_t patience = call->result.policy->settings.approval_timeout_ms;
    uint64_t now = rcs_runner_now(runner);
    uint64_t due = rcs_add_ms(now, patience);

    *request = (struct recourse_approval_request){
        .turn = call->turn,
        .index = (size_t)(call - call->turn->calls),
        .call = call->result.call,
        .tool = call->result.tool,
        .arguments = rcs_call_arguments(call),
        .read_only = call->tool->config.read_only,
        .expires_ms = due < call->machine.deadline_ms ? due : call->machine.deadline_ms,
    };
    call->approval = 0;
    if (digest_of(call, request->digest) == 0) {
        call->approval = rcs_approvals_open(&runner->approvals, call, request->digest);
    }
    request->approval = call->approval;
}

void rcs_ask(struct rcs_call *call)
{
    struct recourse_runner *runner = runner_of(call);
    struct recourse_approval_request request; /* what the callback may write into */
    struct recourse_approval_request asked;
    int answer = RECOURSE_E_MEMORY;
    int code;

    call->stage = RCS_STAGE_ASKING;
    open_question(call, &request);
    asked = request;
    if (call->approval != 0 && runner->options.approve != NULL) {
        answer = runner->options.approve(runner->options.user, &request);
    }
    if (call->stage != RCS_STAGE_ASKING) {
        return; /* freed meanwhile */
    }
    if (answer == RECOURSE_APPROVE_LATER) {
        code = rcs_timers_set(&runner->timers, &call->timer, asked.expires_ms);
        assert(code == 0); /* room for one timer a call was made when the turn was started */
        (void)code;
        return;
    }
    rcs_ask_withdraw(call);
    if (answer == RECOURSE_APPROVED) {
        settle_approved(call, asked.digest);
    } else {
        settle(call, false, refusal(call, answer, request.reason));
    }
}

void rcs_ask_answered(struct rcs_call *call, const struct rcs_approval_answer *answer)
{
    if (answer->approved) {
        settle_approved(call, answer->digest);
    } else {
        settle(call, false, "the call was refused");
    }
}

void rcs_ask_withdraw(struct rcs_call *call)
{
    struct rcs_approval_answer late;

    (void)rcs_approvals_close(&runner_of(call)->approvals, call->approval, &late);
}

void rcs_ask_timed_out(struct rcs_call *call)
{
    struct recourse_runner *runner = runner_of(call);
    struct rcs_event event = {
        .event = RECOURSE_EVENT_UNANSWERED_APPROVAL,
        .reason = words("nobody answered in time whether the call is approved"),
    };
    struct rcs_approval_answer answer;

    if (rcs_approvals_close(&runner->approvals, call->approval, &answer)) {
        rcs_ask_answered(call, &answer); /* it had come, and whoever gave it was told that it counts */
        return;
    }
    call->stage = RCS_STAGE_QUEUED;
    if (rcs_runner_now(runner) >= call->machine.deadline_ms) {
        event.event = RECOURSE_EVENT_DEADLINE;
    }
    rcs_call_step(call, &event);
}
