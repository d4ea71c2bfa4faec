/* A call's trace context, which its tries pass on, and its spans. src/spans/README.md says what is in them. */
#include "src/run/run.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/audit/audit.h"
#include "src/core/hex.h"
#include "src/io/memory.h"
#include "src/spans/spans.h"
#include "src/spans/write.h"
#include "src/tools/mcp.h"

struct rcs_tracing {
    struct rcs_try_trace try; /* first: a try is told of this */
    struct rcs_trace_context call; /* its span; where there are none, the one that the host has given */
    struct rcs_trace_context attempt; /* the span of the try that was begun last */
    uint8_t parent[8];
    bool has_parent;
    bool makes_spans;
    uint64_t attempt_began_ms;
};

static struct recourse_runner *runner_of(const struct rcs_call *call)
{
    return call->turn->run->runner;
}

static struct recourse_span words(const char *text)
{
    return (struct recourse_span){text, strlen(text)};
}

/* ---- the context ---- */

/* An id of nothing but zeros is none. */
static void draw(struct recourse_runner *runner, uint8_t *id, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = rcs_runner_random(runner);

        memcpy(id + at, &word, sizeof word);
    }
    id[0] |= memcmp(id, (uint8_t[16]){0}, size) == 0;
}

static void set_parent_line(struct rcs_tracing *tracing, const struct rcs_trace_context *context)
{
    memcpy(tracing->try.traceparent, RCS_TRACEPARENT_NAME, sizeof RCS_TRACEPARENT_NAME - 1);
    rcs_traceparent_write(context, tracing->try.traceparent + sizeof RCS_TRACEPARENT_NAME - 1);
}

static void set_state_line(struct rcs_tracing *tracing, struct recourse_span state)
{
    char *line = tracing->try.tracestate;

    memcpy(line, RCS_TRACESTATE_NAME, sizeof RCS_TRACESTATE_NAME - 1);
    if (rcs_tracestate_read(state, line + sizeof RCS_TRACESTATE_NAME - 1) == 0) {
        line[0] = '\0';
    }
}

/* A span of ours below the host's, or the first of its trace; one that the host does not record is passed on as it is. */
static void begin_span(struct rcs_call *call, struct rcs_tracing *tracing, bool given)
{
    struct recourse_runner *runner = runner_of(call);

    tracing->makes_spans = runner->options.spans != NULL && (!given || (tracing->call.flags & RCS_TRACE_SAMPLED) != 0);
    if (!tracing->makes_spans) {
        return;
    }
    if (given) {
        tracing->has_parent = true;
        memcpy(tracing->parent, tracing->call.span_id, sizeof tracing->parent);
    } else {
        draw(runner, tracing->call.trace_id, sizeof tracing->call.trace_id);
        tracing->call.flags = RCS_TRACE_SAMPLED | RCS_TRACE_RANDOM;
    }
    draw(runner, tracing->call.span_id, sizeof tracing->call.span_id);
}

void rcs_tracing_begin(struct rcs_call *call, const struct recourse_call_request *request)
{
    struct recourse_runner *runner = runner_of(call);
    struct rcs_trace_context context = {.flags = 0};
    bool given = rcs_traceparent_read(request->traceparent, &context);
    struct rcs_tracing *tracing;

    if (!given && runner->options.spans == NULL) {
        return;
    }
    tracing = rcs_alloc_zero(runner->host.allocator, sizeof *tracing);
    if (tracing == NULL && runner->options.spans != NULL) {
        rcs_spans_lose(runner->options.spans);
    }
    if (tracing == NULL) {
        return;
    }
    call->tracing = tracing;
    tracing->call = context;
    if (given) {
        set_state_line(tracing, request->tracestate);
    }
    begin_span(call, tracing, given);
    set_parent_line(tracing, &tracing->call);
}

void rcs_tracing_drop(struct rcs_call *call)
{
    if (call->tracing != NULL) { /* one that was never taken in has no turn either */
        rcs_free(runner_of(call)->host.allocator, call->tracing);
        call->tracing = NULL;
    }
}

struct rcs_try_trace *rcs_tracing_of_try(struct rcs_call *call)
{
    return call->tracing != NULL ? &call->tracing->try : NULL;
}

/* ---- what spans have in common ---- */

static uint64_t unix_ns(const struct rcs_call *call, uint64_t at_ms)
{
    return call->turn->began_ns + (at_ms - call->turn->began_ms) * 1000000u;
}

static const char *state_of(const struct rcs_tracing *tracing)
{
    const char *state = rcs_try_tracestate(&tracing->try);

    return state != NULL ? state : "";
}

/* Scheme, host, port and path; what else stands in a URL may be a secret. */
static void put_url(struct rcs_span_writer *writer, const char *url, bool whole)
{
    const char *authority = url + strcspn(url, ":") + 3; /* it was checked when the tool was added */
    struct recourse_span host = {authority, strcspn(authority, "/?")};
    const char *colon = memrchr(authority, ':', host.size);
    long port = strncasecmp(url, "https:", 6) == 0 ? 443 : 80;

    if (colon != NULL && memchr(colon, ']', host.size - (size_t)(colon - authority)) == NULL) {
        host.size = (size_t)(colon - host.data);
        port = strtol(colon + 1, NULL, 10);
    }
    if (host.size > 2 && host.data[0] == '[') {
        host = (struct recourse_span){host.data + 1, host.size - 2};
    }
    rcs_span_bytes(writer, "server.address", host);
    rcs_span_number(writer, "server.port", port);
    if (whole) {
        rcs_span_bytes(writer, "url.full", (struct recourse_span){url, strcspn(url, "?")});
    }
}

static void put_mcp(struct rcs_span_writer *writer, const struct rcs_call *call)
{
    const struct rcs_try_trace *sent = &call->tracing->try;
    const struct rcs_mcp_server *server = call->tool != NULL ? call->tool->mcp : NULL;
    char id[24];

    if (server == NULL) {
        return;
    }
    rcs_span_text(writer, "mcp.method.name", "tools/call");
    if (sent->request_id != 0) {
        snprintf(id, sizeof id, "%lld", (long long)sent->request_id);
        rcs_span_text(writer, "jsonrpc.request.id", id);
    }
    rcs_span_text(writer, "mcp.protocol.version", sent->version[0] != '\0' ? sent->version : NULL);
    rcs_span_text(writer, "mcp.session.id", sent->session[0] != '\0' ? sent->session : NULL);
    rcs_span_text(writer, "network.transport", server->config.url != NULL ? "tcp" : "pipe");
    if (server->config.url != NULL) {
        put_url(writer, server->config.url, false);
    }
}

static const char *row_id(const struct rcs_call *call, uint16_t row)
{
    return row != RECOURSE_NONE ? call->result.policy->rows[row].id : NULL;
}

static const char *label(const struct rcs_call *call, uint16_t scenario)
{
    return scenario != RECOURSE_NONE ? call->result.policy->scenarios[scenario].label : NULL;
}

static const char *failure_name(const struct rcs_call *call, uint16_t failure)
{
    return failure != RECOURSE_NONE ? recourse_policy_event_name(call->result.policy, RECOURSE_EVENT_FAILURE + failure) : NULL;
}

/* ---- the span of a try ---- */

/* A class of errors, of which there are few: never a text of the tool's. */
static const char *error_type(const struct rcs_call *call, const struct recourse_decision *decision,
                              const struct recourse_facts *facts, char room[32])
{
    static const char *const networks[RECOURSE_NETWORK_COUNT] = {
        NULL,          "network_refused", "network_unreachable", "network_dns",
        "network_tls", "network_reset",   "network_closed",      "network_other",
    };

    if (decision->event == RECOURSE_EVENT_OK) {
        return NULL;
    }
    if (facts == NULL || recourse_facts_claim_success(facts)) {
        return recourse_policy_event_name(call->result.policy, decision->event);
    }
    if (facts->has_rpc) {
        snprintf(room, 32, "%lld", (long long)facts->rpc);
        return room;
    }
    if (facts->tool_error) {
        return "tool_error";
    }
    if (facts->timeout != RECOURSE_TIMEOUT_NONE) {
        return "timeout";
    }
    if (facts->network != RECOURSE_NETWORK_NONE) {
        return networks[facts->network];
    }
    if (facts->http >= 400) {
        snprintf(room, 32, "%u", facts->http);
        return room;
    }
    return recourse_policy_event_name(call->result.policy, decision->event);
}

/* Its path may have a secret in it, and may be shown otherwise for that. */
static const char *program_name(const struct recourse_tool *config)
{
    const char *path = config->shown_command != NULL ? config->shown_command : config->command[0];
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* By the conventions of its kind: HTTP, MCP, a program. Functions have none, and stay within this process. */
static void put_kind(struct rcs_span_writer *writer, const struct rcs_call *call, const struct recourse_facts *facts,
                     unsigned number)
{
    const struct recourse_tool *config = &call->tool->config;
    const char *program = config->kind == RECOURSE_TOOL_COMMAND ? program_name(config) : "";

    switch (config->kind) {
    case RECOURSE_TOOL_HTTP:
        rcs_span_name(writer, config->method, words(""));
        rcs_span_text(writer, "http.request.method", config->method);
        put_url(writer, config->url, true);
        break;
    case RECOURSE_TOOL_MCP:
        rcs_span_name(writer, "tools/call", words(call->tool->remote));
        rcs_span_text(writer, "gen_ai.operation.name", "execute_tool");
        rcs_span_text(writer, "gen_ai.tool.name", call->tool->remote);
        put_mcp(writer, call);
        break;
    case RECOURSE_TOOL_COMMAND:
        rcs_span_name(writer, "run", words(program));
        rcs_span_text(writer, "process.executable.name", program);
        break;
    default:
        rcs_span_name(writer, "try", words(config->name));
        break;
    }
    if (config->kind == RECOURSE_TOOL_HTTP && number > 1) {
        rcs_span_number(writer, "http.request.resend_count", (int64_t)number - 1);
    }
    if (facts != NULL && facts->http != 0) {
        rcs_span_number(writer, "http.response.status_code", facts->http);
    }
    if (facts != NULL && facts->has_rpc) {
        char code[24];

        snprintf(code, sizeof code, "%lld", (long long)facts->rpc);
        rcs_span_text(writer, "rpc.response.status_code", code);
    }
    if (facts != NULL && facts->has_exit) {
        rcs_span_number(writer, "process.exit.code", facts->exit_status);
    }
}

static void write_try(struct rcs_span_writer *writer, const struct rcs_call *call,
                      const struct recourse_decision *decision, const struct recourse_facts *facts, uint64_t now_ms)
{
    const struct rcs_tracing *tracing = call->tracing;
    const struct rcs_span_head head = {
        .context = &tracing->attempt,
        .parent = tracing->call.span_id,
        .state = state_of(tracing),
        .kind = call->tool->config.kind == RECOURSE_TOOL_FUNCTION ? RCS_SPAN_INTERNAL : RCS_SPAN_CLIENT,
        .start_ns = unix_ns(call, tracing->attempt_began_ms),
        .end_ns = unix_ns(call, now_ms),
    };
    char room[32];
    const char *error = error_type(call, decision, facts, room);

    rcs_span_begin(writer, &head);
    put_kind(writer, call, facts, decision->try_number);
    rcs_span_text(writer, "error.type", error);
    rcs_span_number(writer, "recourse.try", decision->try_number);
    rcs_span_text(writer, "recourse.row", row_id(call, decision->trace[0].row));
    rcs_span_text(writer, "recourse.failure", failure_name(call, decision->failure));
    rcs_span_text(writer, "recourse.effect", recourse_effect_name(decision->effect));
    if (decision->action == RECOURSE_ACTION_WAIT) {
        rcs_span_text(writer, "recourse.scenario", label(call, decision->scenario));
        rcs_span_number(writer, "recourse.wait_ms", (int64_t)decision->wait_ms);
    }
    rcs_span_end(writer, error != NULL);
}

/* ---- the span of a call ---- */

static void put_waits(struct rcs_span_writer *writer, const struct rcs_call *call)
{
    const struct recourse_result *result = &call->result;

    rcs_span_events(writer);
    for (size_t i = 0; i < result->trail_count; i++) {
        const struct recourse_trail_step *step = &result->trail[i];

        if (step->to == RECOURSE_BACKOFF) {
            rcs_span_event(writer, "recourse.wait", call->turn->began_ns + step->at_ms * 1000000u);
            rcs_span_number(writer, "recourse.try", step->try_number);
            rcs_span_text(writer, "recourse.row", row_id(call, step->row));
            rcs_span_text(writer, "recourse.scenario", label(call, step->scenario));
            rcs_span_text(writer, "recourse.failure", failure_name(call, step->failure));
            rcs_span_number(writer, "recourse.wait_ms", (int64_t)step->wait_ms);
            rcs_span_event_end(writer);
        }
    }
}

static void put_decision(struct rcs_span_writer *writer, const struct rcs_call *call)
{
    const struct recourse_result *result = &call->result;
    char digest[65] = "";

    rcs_hex_write(result->policy->file_sha256, sizeof result->policy->file_sha256, digest);
    digest[64] = '\0';
    rcs_span_text(writer, "recourse.policy.name", result->policy->name);
    rcs_span_text(writer, "recourse.policy.digest", digest);
    rcs_span_text(writer, "recourse.row", row_id(call, result->row));
    rcs_span_text(writer, "recourse.scenario", label(call, result->scenario));
    rcs_span_text(writer, "recourse.told", recourse_tell_name(result->tell));
    rcs_span_bool(writer, "recourse.reminder", result->reminder == RECOURSE_REMINDER_YES);
    rcs_span_text(writer, "recourse.failure", failure_name(call, result->failure));
    if (result->reason != RECOURSE_REASON_NONE) {
        rcs_span_text(writer, "recourse.reason", recourse_reason_name(result->reason));
    }
    rcs_span_number(writer, "recourse.tries", result->tries);
    rcs_span_number(writer, "recourse.wait_ms", (int64_t)call->machine.waited_ms);
}

static void write_call(struct rcs_span_writer *writer, const struct rcs_call *call, const char *error, uint64_t now_ms)
{
    const struct rcs_tracing *tracing = call->tracing;
    const struct rcs_span_head head = {
        .context = &tracing->call,
        .parent = tracing->has_parent ? tracing->parent : NULL,
        .remote = tracing->has_parent,
        .state = state_of(tracing),
        .kind = RCS_SPAN_INTERNAL,
        .start_ns = call->turn->began_ns,
        .end_ns = unix_ns(call, now_ms),
    };
    struct recourse_span tool = call->bearers > 0 ? call->result.tool : words("");

    rcs_span_begin(writer, &head);
    rcs_span_name(writer, "execute_tool", tool);
    rcs_span_text(writer, "gen_ai.operation.name", "execute_tool");
    if (tool.size > 0) {
        rcs_span_bytes(writer, "gen_ai.tool.name", tool);
    }
    if (call->result.call.size > 0 && rcs_audit_shows_id(call->result.call)) {
        rcs_span_bytes(writer, "gen_ai.tool.call.id", call->result.call);
    }
    rcs_span_text(writer, "gen_ai.tool.type", "function");
    put_mcp(writer, call);
    rcs_span_text(writer, "error.type", error);
    put_decision(writer, call);
    put_waits(writer, call);
    rcs_span_end(writer, error != NULL);
}

static void end_call(struct rcs_call *call, const char *error, uint64_t now_ms)
{
    struct recourse_spans *spans = runner_of(call)->options.spans;
    struct rcs_span_writer writer = {.out = rcs_spans_begin(spans, now_ms)};

    if (writer.out != NULL) {
        write_call(&writer, call, error, now_ms);
        rcs_spans_end(spans, writer.code, now_ms);
    }
}

static void end_try(struct rcs_call *call, const struct recourse_decision *decision, const struct recourse_facts *facts,
                    uint64_t now_ms)
{
    struct recourse_spans *spans = runner_of(call)->options.spans;
    struct rcs_span_writer writer = {.out = rcs_spans_begin(spans, now_ms)};

    if (writer.out != NULL) {
        write_try(&writer, call, decision, facts, now_ms);
        rcs_spans_end(spans, writer.code, now_ms);
    }
}

static void begin_try(struct rcs_call *call, uint64_t now_ms)
{
    struct rcs_tracing *tracing = call->tracing;

    tracing->attempt = tracing->call;
    draw(runner_of(call), tracing->attempt.span_id, sizeof tracing->attempt.span_id);
    tracing->attempt_began_ms = now_ms;
    tracing->try.request_id = 0;
    set_parent_line(tracing, &tracing->attempt);
}

void rcs_tracing_step(struct rcs_call *call, const struct recourse_decision *decision,
                      const struct recourse_facts *facts, uint64_t now_ms)
{
    const struct recourse_result *result = &call->result;

    if (call->tracing == NULL || !call->tracing->makes_spans) {
        return;
    }
    if (decision->trace[0].from == RECOURSE_ATTEMPT) {
        end_try(call, decision, facts, now_ms);
    }
    if (decision->action == RECOURSE_ACTION_ATTEMPT) {
        begin_try(call, now_ms);
    } else if (decision->action == RECOURSE_ACTION_REPORT) {
        end_call(call, result->success ? NULL : recourse_policy_event_name(result->policy, result->event), now_ms);
    }
}

void rcs_tracing_break(struct rcs_call *call, uint64_t now_ms)
{
    if (call->tracing != NULL && call->tracing->makes_spans) {
        end_call(call, "_OTHER", now_ms);
    }
}
