/* The runner itself: its options, its tools, its step. */
#include "src/run/run.h"

#include <assert.h>
#include <string.h>

#include "src/io/memory.h"
#include "src/spans/spans.h"
#include "src/tools/mcp.h"

#define TRIES_AT_ONCE 256u
#define CALLS_MAX 100000u
#define MEMORY_MAX ((size_t)1 << 30) /* 256 tries at once, and 4 MiB each */
#define BODY_MAX (4u << 20)
#define STEP_MAX 1024u /* of each kind of work in one step, so that it ends */

uint64_t rcs_runner_now(struct recourse_runner *runner)
{
    uint64_t now = runner->host.port->now_ms(runner->host.port->self);

    rcs_mailbox_set_now(runner->host.mailbox, now);
    return now;
}

/* SplitMix64, for when the system gives nothing: not secret, but never the same twice. */
static uint64_t fallback(struct recourse_runner *runner)
{
    uint64_t word = runner->fallback += 0x9e3779b97f4a7c15u;

    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

uint64_t rcs_runner_random(struct recourse_runner *runner)
{
    struct recourse_port *port = runner->host.port;
    uint64_t word;

    return port->random(port->self, &word, sizeof word) == 0 ? word : fallback(runner);
}

/* ---- tools ---- */

static bool starts_processes(const struct recourse_port *port)
{
    return port->process_start != NULL && port->process_end != NULL && port->process_cancel != NULL;
}

int recourse_runner_add_tool(struct recourse_runner *runner, const struct recourse_tool *config,
                             struct recourse_error *error)
{
    const struct recourse_span none = {NULL, 0};

    if (runner == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no runner");
    }
    if (config != NULL && config->size == sizeof *config && config->kind == RECOURSE_TOOL_MCP) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tools of an MCP server are the server's to name: add the server");
    }
    return rcs_runner_add(runner, config, NULL, none, error);
}

int rcs_runner_add(struct recourse_runner *runner, const struct recourse_tool *config, struct rcs_mcp_server *mcp,
                   struct recourse_span listed, struct recourse_error *error)
{
    struct rcs_tool *tool;
    int code = rcs_tool_new(runner->host.allocator, config, &tool, error);

    if (code != 0) {
        return code;
    }
    if (tool->kind->starts_processes && !starts_processes(runner->host.port)) {
        rcs_free(runner->host.allocator, tool);
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "tool '%s' is a command, and this port can't start any",
                        config->name);
    }
    code = rcs_limits_join(&runner->limits, config, &tool->limit, error);
    if (code != 0) {
        rcs_free(runner->host.allocator, tool);
        return code;
    }
    recourse_policy_retain(tool->config.policy);
    tool->mcp = mcp;
    tool->listed = listed;
    tool->remote = tool->config.name;
    if (mcp != NULL && mcp->config.prefix != NULL) {
        tool->remote += strlen(mcp->config.prefix);
    }
    *runner->tools_end = tool;
    runner->tools_end = &tool->next;
    return 0;
}

const struct rcs_tool *rcs_runner_tool(const struct recourse_runner *runner, struct recourse_span name, uint32_t *count)
{
    const struct rcs_tool *found = NULL;

    *count = 0;
    for (const struct rcs_tool *tool = runner->tools; tool != NULL; tool = tool->next) {
        if (tool->name_size == name.size && memcmp(tool->config.name, name.data, name.size) == 0) {
            found = tool;
            ++*count;
        }
    }
    return *count == 1 ? found : NULL;
}

/* ---- policies ---- */

/* In this order, since both may be one. */
static void replace_policy(const struct recourse_policy **held, const struct recourse_policy *policy)
{
    const struct recourse_policy *old = *held;

    recourse_policy_retain(policy);
    *held = policy;
    recourse_policy_release(old);
}

int recourse_runner_set_policy(struct recourse_runner *runner, const struct recourse_policy *policy)
{
    int code;

    if (runner == NULL || policy == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    code = recourse_policy_check(policy);
    if (code == 0) {
        replace_policy(&runner->policy, policy);
    }
    return code;
}

int recourse_runner_set_tool_policy(struct recourse_runner *runner, const char *name,
                                    const struct recourse_policy *policy)
{
    int code = policy != NULL ? recourse_policy_check(policy) : 0;
    bool found = false;

    if (runner == NULL || name == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    if (code != 0) {
        return code;
    }
    for (struct rcs_tool *tool = runner->tools; tool != NULL; tool = tool->next) {
        if (strcmp(tool->config.name, name) == 0) {
            replace_policy(&tool->config.policy, policy);
            found = true;
        }
    }
    return found ? 0 : RECOURSE_E_NOT_FOUND;
}

void rcs_call_hold_policy(struct rcs_call *call, const struct recourse_policy *policy)
{
    replace_policy(&call->result.policy, policy);
}

/* ---- making and freeing ---- */

static int check_options(const struct recourse_runner_options *options, struct recourse_error *error)
{
    const struct recourse_port *port;
    int code;

    if (options == NULL || options->size != sizeof *options) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no options, or options of another size");
    }
    port = options->port;
    if (port == NULL || port->size != sizeof *port) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no port, or a port of another size");
    }
    if (port->now_ms == NULL || port->wall_s == NULL || port->random == NULL || port->http_start == NULL ||
        port->http_cancel == NULL || port->submit == NULL || port->wake == NULL || port->poll == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "the port misses a function that the runner needs");
    }
    if (options->spans != NULL && (options->spans->held || options->spans->options.port != port)) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "the spans are another runner's, or another port's");
    }
    if (options->approval_mode >= RECOURSE_APPROVE_COUNT) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "no approval mode has number %u", options->approval_mode);
    }
    if (options->policy == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "a runner needs a policy");
    }
    code = recourse_policy_check(options->policy);
    if (code != 0) {
        return rcs_fail(error, (enum recourse_code)code, "the policy: %s", recourse_code_text(code));
    }
    return 0;
}

static void set_defaults(struct recourse_runner_options *options)
{
    options->tries_at_once = options->tries_at_once > 0 ? options->tries_at_once : TRIES_AT_ONCE;
    options->calls_max = options->calls_max > 0 ? options->calls_max : CALLS_MAX;
    options->memory_max = options->memory_max > 0 ? options->memory_max : MEMORY_MAX;
    options->body_max = options->body_max > 0 ? options->body_max : BODY_MAX;
    options->body_max = options->body_max < options->memory_max ? options->body_max : options->memory_max;
}

static void open_approvals(struct rcs_mail *mail)
{
    struct recourse_runner *runner = RCS_OWNER(mail, struct recourse_runner, approvals.mail);
    struct rcs_call *call;
    struct rcs_approval_answer answer;

    while ((call = rcs_approvals_take(&runner->approvals, &answer)) != NULL) {
        rcs_ask_answered(call, &answer);
    }
}

/* What needs the system: the mailbox, the approvals, a seed. */
static int open_runner(struct recourse_runner *runner)
{
    struct recourse_port *port = runner->host.port;
    int code;

    runner->host.mailbox = rcs_mailbox_new(port, runner->host.allocator, runner->options.memory_max);
    if (runner->host.mailbox == NULL) {
        return RECOURSE_E_MEMORY;
    }
    rcs_room_init(&runner->room, runner->host.mailbox, runner->options.memory_max, runner->options.body_max);
    runner->host.room = &runner->room;
    code = rcs_approvals_init(&runner->approvals, runner->host.allocator, runner->host.mailbox);
    if (code != 0) {
        rcs_mailbox_release(runner->host.mailbox);
        return code;
    }
    runner->approvals.mail.open = open_approvals;
    if (port->random(port->self, &runner->seed, sizeof runner->seed) != 0) {
        rcs_approvals_clear(&runner->approvals);
        rcs_mailbox_release(runner->host.mailbox);
        return RECOURSE_E_SYSTEM;
    }
    runner->fallback = runner->seed;
    return 0;
}

int recourse_runner_new(const struct recourse_runner_options *options, struct recourse_runner **out,
                        struct recourse_error *error)
{
    struct recourse_runner *runner;
    int code;

    if (out == NULL) {
        return rcs_fail(error, RECOURSE_E_ARGUMENT, "nowhere to put the runner");
    }
    code = check_options(options, error);
    if (code != 0) {
        return code;
    }
    runner = rcs_alloc_zero(options->allocator, sizeof *runner);
    if (runner == NULL) {
        return rcs_fail(error, RECOURSE_E_MEMORY, "no memory for a runner");
    }
    runner->options = *options;
    set_defaults(&runner->options);
    if (options->allocator != NULL) {
        runner->allocator = *options->allocator;
        runner->host.allocator = &runner->allocator;
    }
    runner->host.port = options->port;
    runner->host.body_max = runner->options.body_max;
    runner->host.note = runner->options.note;
    runner->host.note_user = runner->options.user;
    runner->policy = options->policy;
    runner->tools_end = &runner->tools;
    runner->servers_end = &runner->servers;
    code = open_runner(runner);
    if (code != 0) {
        rcs_free(options->allocator, runner);
        return rcs_fail(error, (enum recourse_code)code, "a runner could not be set up: %s",
                              recourse_code_text(code));
    }
    recourse_policy_retain(runner->policy);
    rcs_timers_init(&runner->timers, runner->host.allocator);
    rcs_timers_init(&runner->tool_timers, runner->host.allocator);
    runner->host.timers = &runner->tool_timers;
    rcs_link_init(&runner->runs);
    rcs_link_init(&runner->admission);
    rcs_link_init(&runner->empty);
    rcs_limits_init(&runner->limits, runner->host.allocator);
    runner->shared.allocator = runner->host.allocator;
    rcs_link_init(&runner->ended);
    rcs_link_init(&runner->dead_turns);
    rcs_link_init(&runner->dead_runs);
    if (runner->options.audit != NULL) {
        rcs_recording_open(runner);
    }
    if (runner->options.spans != NULL) {
        runner->options.spans->held = true;
    }
    (void)rcs_runner_now(runner);
    *out = runner;
    return 0;
}

void rcs_runner_free_tools(struct recourse_runner *runner, struct rcs_tool **tools)
{
    struct rcs_tool *tool;

    while ((tool = *tools) != NULL) {
        *tools = tool->next;
        recourse_policy_release(tool->config.policy);
        rcs_free(runner->host.allocator, tool);
    }
}

void recourse_runner_free(struct recourse_runner *runner)
{
    struct recourse_allocator allocator;
    struct rcs_mailbox *mailbox;
    struct rcs_mail *mail;
    bool own;

    if (runner == NULL) {
        return;
    }
    assert(!runner->stepping); /* never from a callback */
    while (!rcs_list_empty(&runner->runs)) {
        recourse_run_free(RCS_OWNER(runner->runs.next, struct recourse_run, link));
    }
    if (runner->options.audit != NULL) {
        rcs_recording_close(runner);
    }
    if (runner->options.spans != NULL) {
        runner->options.spans->held = false;
    }
    mailbox = runner->host.mailbox;
    rcs_approvals_clear(&runner->approvals);
    rcs_mailbox_close(mailbox);
    while ((mail = rcs_mailbox_take(mailbox)) != NULL) {
        mail->open(mail); /* late answers: nobody waits for them */
    }
    rcs_limits_clear(&runner->limits);
    rcs_shared_clear(&runner->shared);
    rcs_runner_free_tools(runner, &runner->tools);
    rcs_servers_free(runner);
    recourse_policy_release(runner->policy);
    rcs_timers_clear(&runner->timers);
    rcs_timers_clear(&runner->tool_timers);
    own = runner->host.allocator != NULL;
    allocator = runner->allocator;
    rcs_free(own ? &allocator : NULL, runner);
    rcs_mailbox_release(mailbox);
}

/* ---- stepping ---- */

/* One is always let on: what others hold may be in use as long as it is not begun. */
bool rcs_runner_has_room(const struct recourse_runner *runner)
{
    return runner->tries < runner->options.tries_at_once && (runner->tries == 0 || rcs_room_is_open(&runner->room));
}

/* Whether there is something to do that no descriptor and no timer tells. */
static bool has_work(const struct recourse_runner *runner)
{
    if (runner->options.audit != NULL && rcs_recording_has_work(runner)) {
        return true;
    }
    return !rcs_list_empty(&runner->admission) || !rcs_list_empty(&runner->empty) || !rcs_list_empty(&runner->ended) ||
           (!rcs_list_empty(&runner->limits.ready) && rcs_runner_has_room(runner)) || rcs_room_has_work(&runner->room);
}

static uint64_t next_timer(const struct recourse_runner *runner)
{
    uint64_t call = rcs_timers_next(&runner->timers);
    uint64_t tool = rcs_timers_next(&runner->tool_timers);
    uint64_t spans = runner->options.spans != NULL ? rcs_spans_wake_ms(runner->options.spans) : RECOURSE_FOREVER;
    uint64_t next = call < tool ? call : tool;

    return next < spans ? next : spans;
}

static uint64_t time_to_wait(struct recourse_runner *runner, uint64_t timeout_ms)
{
    uint64_t next = next_timer(runner);
    uint64_t now;

    if (rcs_mailbox_leave(runner->host.mailbox) || has_work(runner)) {
        return 0;
    }
    if (next == RECOURSE_FOREVER) {
        return timeout_ms;
    }
    now = rcs_runner_now(runner);
    next = next > now ? next - now : 0;
    return next < timeout_ms ? next : timeout_ms;
}

static void open_mail(struct recourse_runner *runner)
{
    struct rcs_mail *mail;

    for (size_t left = rcs_mailbox_count(runner->host.mailbox); left > 0; left--) {
        mail = rcs_mailbox_take(runner->host.mailbox);
        if (mail == NULL) {
            return;
        }
        mail->open(mail);
    }
}

int recourse_runner_step(struct recourse_runner *runner, uint64_t timeout_ms)
{
    struct recourse_port *port;
    int code;

    if (runner == NULL) {
        return RECOURSE_E_ARGUMENT;
    }
    if (runner->stepping) {
        return RECOURSE_E_STATE;
    }
    port = runner->host.port;
    runner->stepping = true;
    code = port->poll(port->self, time_to_wait(runner, timeout_ms));
    rcs_mailbox_attend(runner->host.mailbox);
    open_mail(runner);
    (void)rcs_timers_run(&runner->timers, rcs_runner_now(runner), STEP_MAX);
    (void)rcs_timers_run(&runner->tool_timers, rcs_runner_now(runner), STEP_MAX);
    rcs_turns_admit(runner, STEP_MAX);
    rcs_call_run_queue(runner, STEP_MAX);
    if (runner->options.audit != NULL) {
        rcs_recording_settle(runner);
    }
    rcs_turns_deliver(runner, STEP_MAX);
    rcs_room_serve(&runner->room); /* results have just made room */
    if (runner->options.spans != NULL) {
        rcs_spans_work(runner->options.spans, rcs_runner_now(runner));
    }
    runner->stepping = false;
    rcs_turns_reap(runner);
    (void)rcs_mailbox_leave(runner->host.mailbox);
    return code;
}

int recourse_runner_descriptor(const struct recourse_runner *runner)
{
    struct recourse_port *port = runner->host.port;

    return port->descriptor != NULL ? port->descriptor(port->self) : -1;
}

uint64_t recourse_runner_wake_ms(const struct recourse_runner *runner)
{
    struct recourse_port *port = runner->host.port;
    uint64_t next = next_timer(runner);
    uint64_t wake = port->wake_ms != NULL ? port->wake_ms(port->self) : RECOURSE_FOREVER;

    if (has_work(runner) || rcs_mailbox_count(runner->host.mailbox) > 0) {
        return port->now_ms(port->self);
    }
    return next < wake ? next : wake;
}

size_t recourse_runner_memory(const struct recourse_runner *runner)
{
    return rcs_mailbox_used(runner->host.mailbox);
}

bool recourse_call_approve(struct recourse_runner *runner, uint64_t approval,
                           const uint8_t digest[RECOURSE_APPROVAL_DIGEST_SIZE], bool approved)
{
    return digest != NULL && rcs_approvals_answer(&runner->approvals, approval, digest, approved);
}
