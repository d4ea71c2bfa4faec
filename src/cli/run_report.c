#include "run_report.h"

#include <stddef.h>

const char *rcs_report_status(enum recourse_run_status status)
{
    static const char *const names[RECOURSE_RUN_STATUS_COUNT] = {
        [RECOURSE_RUN_OPEN] = "answered", /* no turn, so nothing that was not answered */
        [RECOURSE_RUN_ANSWERED] = "answered",
        [RECOURSE_RUN_FAILED] = "failed",
        [RECOURSE_RUN_CANCELLED] = "cancelled",
    };

    return names[status];
}

static void text(struct rcs_out *out, const char *key, const char *value)
{
    rcs_out_key(out, key);
    rcs_out_text(out, value);
}

static void span(struct rcs_out *out, const char *key, struct recourse_span value)
{
    rcs_out_key(out, key);
    rcs_out_span(out, value);
}

static void number(struct rcs_out *out, const char *key, uint64_t value)
{
    rcs_out_key(out, key);
    rcs_out_number(out, value);
}

/* null for 0 */
static void number_or_null(struct rcs_out *out, const char *key, uint64_t value)
{
    rcs_out_key(out, key);
    if (value == 0) {
        rcs_out_null(out);
    } else {
        rcs_out_number(out, value);
    }
}

static void write_row(struct rcs_out *out, const struct recourse_policy *policy, uint16_t row)
{
    text(out, "row", row == RECOURSE_NONE ? NULL : policy->rows[row].id);
    number_or_null(out, "line", row == RECOURSE_NONE ? 0 : policy->rows[row].line);
}

static const char *scenario(const struct recourse_policy *policy, uint16_t index)
{
    return index == RECOURSE_NONE ? NULL : policy->scenarios[index].label;
}

static const char *failure(const struct recourse_policy *policy, uint16_t index)
{
    return index == RECOURSE_NONE ? NULL : policy->failures[index].name;
}

/* Where there are budgets: what the step gave to each; less than 0: took. */
static void write_tokens(struct rcs_out *out, const struct recourse_policy *policy,
                         const struct recourse_trail_step *step)
{
    if (policy->budget_count == 0) {
        return;
    }
    rcs_out_key(out, "tokens");
    rcs_out_open(out, '{');
    for (size_t i = 0; i < policy->budget_count; i++) {
        if (step->tokens[i] != 0) {
            rcs_out_key(out, policy->budgets[i].id);
            rcs_out_signed(out, step->tokens[i]);
        }
    }
    rcs_out_close(out, '}');
}

static void write_step(struct rcs_out *out, const struct recourse_policy *policy,
                       const struct recourse_trail_step *step)
{
    rcs_out_open(out, '{');
    number(out, "try", step->try_number);
    text(out, "state", recourse_place_name(step->from));
    text(out, "event", recourse_policy_event_name(policy, step->event));
    write_row(out, policy, step->row);
    text(out, "next", recourse_place_name(step->to));
    text(out, "failure", failure(policy, step->failure));
    text(out, "effect", step->from == RECOURSE_ATTEMPT ? recourse_effect_name(step->effect) : NULL);
    rcs_out_key(out, "wait_ms");
    if (step->to == RECOURSE_BACKOFF) {
        rcs_out_number(out, step->wait_ms);
    } else {
        rcs_out_null(out);
    }
    text(out, "scenario", scenario(policy, step->scenario));
    write_tokens(out, policy, step);
    rcs_out_close(out, '}');
}

static void write_reminder(struct rcs_out *out, uint8_t reminder)
{
    rcs_out_key(out, "reminder");
    if (reminder == RECOURSE_REMINDER_NONE) {
        rcs_out_null(out);
    } else {
        rcs_out_bool(out, reminder == RECOURSE_REMINDER_YES);
    }
}

static void write_content(struct rcs_out *out, const struct recourse_result *result, const struct rcs_secrets *secrets)
{
    struct rcs_arena arena = {0};

    span(out, "content", rcs_secrets_hide(&arena, secrets, result->content));
    rcs_out_key(out, "structured");
    rcs_out_raw(out, rcs_secrets_hide_json(&arena, secrets, result->structured));
    rcs_arena_clear(&arena);
}

static void write_result(struct rcs_out *out, const struct recourse_result *result, const struct rcs_secrets *secrets)
{
    const struct recourse_policy *policy = result->policy;

    rcs_out_open(out, '{');
    span(out, "call", result->call);
    span(out, "tool", result->tool);
    text(out, "status", result->success ? "success" : "error");
    text(out, "scenario", scenario(policy, result->scenario));
    write_reminder(out, result->reminder);
    text(out, "tell", recourse_tell_name(result->tell));
    text(out, "reason", result->reason == RECOURSE_REASON_NONE ? NULL : recourse_reason_name(result->reason));
    number(out, "tries", result->tries);
    write_row(out, policy, result->row);
    text(out, "failure", failure(policy, result->failure));
    text(out, "effect", recourse_effect_name(result->effect));
    number_or_null(out, "http_status", result->http);
    number(out, "resumes", result->resumes);
    number(out, "rounds", result->rounds);
    rcs_out_key(out, "truncated");
    rcs_out_bool(out, result->truncated);
    number(out, "duration_ms", result->duration_ms);
    write_content(out, result, secrets);
    rcs_out_key(out, "trail");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < result->trail_count; i++) {
        write_step(out, policy, &result->trail[i]);
    }
    rcs_out_close(out, ']');
    rcs_out_close(out, '}');
}

static void write_run(struct rcs_out *out, const struct rcs_report *report)
{
    struct rcs_arena arena = {0};

    rcs_out_key(out, "run");
    rcs_out_open(out, '{');
    text(out, "status", rcs_report_status(report->status));
    number_or_null(out, "http_status", report->failure == NULL ? 0 : report->failure->http);
    if (report->failure == NULL) {
        text(out, "tool", NULL);
        text(out, "text", NULL);
    } else {
        span(out, "tool", report->failure->tool);
        span(out, "text", rcs_secrets_hide(&arena, report->secrets, report->failure->text));
    }
    rcs_out_close(out, '}');
    rcs_arena_clear(&arena);
}

static void write_budgets(struct rcs_out *out, const struct recourse_runner *runner)
{
    struct recourse_budget_state state;

    rcs_out_key(out, "budgets");
    rcs_out_open(out, '[');
    for (size_t i = 0; runner != NULL && recourse_runner_budget(runner, i, &state); i++) {
        rcs_out_open(out, '{');
        text(out, "id", state.id);
        text(out, "shared_by", recourse_shared_by_name(state.shared_by));
        text(out, "sharer", *state.sharer == '\0' ? NULL : state.sharer);
        number(out, "holds", state.holds);
        number(out, "tokens", state.tokens);
        number(out, "least", state.least);
        number(out, "refused", state.refused);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

static void write_breakers(struct rcs_out *out, const struct recourse_runner *runner)
{
    static const char *const circuits[] = {
        [RECOURSE_CIRCUIT_CLOSED] = "closed", [RECOURSE_CIRCUIT_OPEN] = "open", [RECOURSE_CIRCUIT_HALF_OPEN] = "half_open"};
    struct recourse_breaker_state state;

    rcs_out_key(out, "breakers");
    rcs_out_open(out, '[');
    for (size_t i = 0; runner != NULL && recourse_runner_breaker(runner, i, &state); i++) {
        rcs_out_open(out, '{');
        text(out, "id", state.id);
        text(out, "shared_by", recourse_shared_by_name(state.shared_by));
        text(out, "sharer", *state.sharer == '\0' ? NULL : state.sharer);
        text(out, "state", circuits[state.circuit]);
        number(out, "opened", state.opened);
        number(out, "refused", state.refused);
        rcs_out_close(out, '}');
    }
    rcs_out_close(out, ']');
}

void rcs_report_write(struct rcs_out *out, const struct rcs_report *report)
{
    size_t count = report->turn == NULL ? 0 : recourse_turn_count(report->turn);

    rcs_out_open(out, '{');
    rcs_out_key(out, "policy");
    rcs_out_open(out, '{');
    text(out, "name", report->policy->name);
    rcs_out_key(out, "file_sha256");
    rcs_out_hex(out, report->policy->file_sha256, sizeof report->policy->file_sha256);
    rcs_out_key(out, "behaviour_sha256");
    rcs_out_hex(out, report->policy->behaviour_sha256, sizeof report->policy->behaviour_sha256);
    rcs_out_close(out, '}');
    write_run(out, report);
    rcs_out_key(out, "results");
    rcs_out_open(out, '[');
    for (size_t i = 0; i < count; i++) {
        const struct recourse_result *result = recourse_turn_result(report->turn, i);

        if (result != NULL) {
            write_result(out, result, report->secrets);
        }
    }
    rcs_out_close(out, ']');
    write_budgets(out, report->runner);
    write_breakers(out, report->runner);
    rcs_out_close(out, '}');
}
