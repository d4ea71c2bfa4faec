#include "gen/emit.h"

#include <inttypes.h>

/* The names of the public headers, so that the tables read as the policy does. */
static const char *const place_names[] = {
    [RECOURSE_PRECONDITION] = "PRECONDITION", [RECOURSE_ATTEMPT] = "ATTEMPT",   [RECOURSE_BACKOFF] = "BACKOFF",
    [RECOURSE_EXHAUSTED] = "EXHAUSTED",       [RECOURSE_REPORTED] = "REPORTED",
};
_Static_assert(sizeof place_names / sizeof *place_names == RECOURSE_PLACE_COUNT, "a name for each place");

static const char *const effect_names[] = {
    [RECOURSE_EFFECT_NONE] = "NONE", [RECOURSE_EFFECT_DONE] = "DONE", [RECOURSE_EFFECT_UNKNOWN] = "UNKNOWN",
};
_Static_assert(sizeof effect_names / sizeof *effect_names == RECOURSE_EFFECT_COUNT, "a name for each effect");

static const char *const tell_names[] = {
    [RECOURSE_TELL_NOBODY] = "NOBODY", [RECOURSE_TELL_MODEL] = "MODEL", [RECOURSE_TELL_HOST] = "HOST",
};
_Static_assert(sizeof tell_names / sizeof *tell_names == RECOURSE_TELL_COUNT, "a name for each audience");

static const char *const reminder_names[] = {
    [RECOURSE_REMINDER_NONE] = "NONE", [RECOURSE_REMINDER_NO] = "NO", [RECOURSE_REMINDER_YES] = "YES",
};
_Static_assert(sizeof reminder_names / sizeof *reminder_names == RECOURSE_REMINDER_COUNT, "a name for each reminder");

static const char *const replay_names[] = {
    [RECOURSE_REPLAY_UNSAFE] = "UNSAFE", [RECOURSE_REPLAY_SAFE] = "SAFE", [RECOURSE_REPLAY_SAFE_IF] = "SAFE_IF",
};

static const char *const jitter_names[] = {
    [RECOURSE_JITTER_NONE] = "NONE", [RECOURSE_JITTER_FULL] = "FULL",   [RECOURSE_JITTER_EQUAL] = "EQUAL",
    [RECOURSE_JITTER_PLUS] = "PLUS", [RECOURSE_JITTER_MINUS] = "MINUS", [RECOURSE_JITTER_WITHIN] = "WITHIN",
};
_Static_assert(sizeof jitter_names / sizeof *jitter_names == RECOURSE_JITTER_COUNT, "a name for each jitter");

static const char *const server_names[] = {
    [RECOURSE_SERVER_IGNORE] = "IGNORE",
    [RECOURSE_SERVER_OBEY_ELSE_SCHEDULE] = "OBEY_ELSE_SCHEDULE",
    [RECOURSE_SERVER_OBEY_ELSE_STOP] = "OBEY_ELSE_STOP",
    [RECOURSE_SERVER_WITHIN] = "WITHIN",
};
_Static_assert(sizeof server_names / sizeof *server_names == RECOURSE_SERVER_COUNT, "a name for each server delay");

static const char *const sharer_names[] = {
    [RECOURSE_SHARED_BY_RUNNER] = "RUNNER", [RECOURSE_SHARED_BY_SERVER] = "SERVER", [RECOURSE_SHARED_BY_TOOL] = "TOOL",
};
_Static_assert(sizeof sharer_names / sizeof *sharer_names == RECOURSE_SHARED_BY_COUNT, "a name for each sharer");

static const char *const atom_names[] = {
    [RECOURSE_ATOM_HTTP] = "HTTP",
    [RECOURSE_ATOM_NETWORK] = "NETWORK",
    [RECOURSE_ATOM_TIMEOUT] = "TIMEOUT",
    [RECOURSE_ATOM_UNSENT] = "UNSENT",
    [RECOURSE_ATOM_INTERRUPTED] = "INTERRUPTED",
    [RECOURSE_ATOM_RPC] = "RPC",
    [RECOURSE_ATOM_TOOL_ERROR] = "TOOL_ERROR",
    [RECOURSE_ATOM_SESSION_EXPIRED] = "SESSION_EXPIRED",
    [RECOURSE_ATOM_PROTOCOL] = "PROTOCOL",
    [RECOURSE_ATOM_TOO_LARGE] = "TOO_LARGE",
    [RECOURSE_ATOM_SPAWN] = "SPAWN",
    [RECOURSE_ATOM_EXIT] = "EXIT",
    [RECOURSE_ATOM_SIGNAL] = "SIGNAL",
    [RECOURSE_ATOM_HEADER_IS] = "HEADER_IS",
    [RECOURSE_ATOM_HEADER_HAS] = "HEADER_HAS",
    [RECOURSE_ATOM_TOOL] = "TOOL",
    [RECOURSE_ATOM_TEXT] = "TEXT",
    [RECOURSE_ATOM_WORD] = "WORD",
    [RECOURSE_ATOM_JSON_IS] = "JSON_IS",
    [RECOURSE_ATOM_JSON_HAS] = "JSON_HAS",
    [RECOURSE_ATOM_RESULT_TEXT] = "RESULT_TEXT",
    [RECOURSE_ATOM_RESULT_WORD] = "RESULT_WORD",
    [RECOURSE_ATOM_RESULT_JSON_IS] = "RESULT_JSON_IS",
    [RECOURSE_ATOM_RESULT_JSON_HAS] = "RESULT_JSON_HAS",
    [RECOURSE_ATOM_OTHER] = "OTHER",
};
_Static_assert(sizeof atom_names / sizeof *atom_names == RECOURSE_ATOM_COUNT, "a name for each atom");

static void put_field(struct rcs_string *out, const char *field, const char *text)
{
    rcs_put(out, ", .%s = ", field);
    rcs_put_string(out, text);
}

static void put_index(struct rcs_string *out, const char *before, const char *field, uint16_t index)
{
    if (index == RECOURSE_NONE) {
        rcs_put(out, "%s.%s = RECOURSE_NONE", before, field);
    } else {
        rcs_put(out, "%s.%s = %u", before, field, index);
    }
}

static void put_u64(struct rcs_string *out, uint64_t value)
{
    if (value == RECOURSE_FOREVER) {
        rcs_put(out, "RECOURSE_FOREVER");
    } else {
        rcs_put(out, "UINT64_C(%" PRIu64 ")", value);
    }
}

/* The least 64-bit number has no literal of its own. */
static void put_i64(struct rcs_string *out, const char *field, int64_t value)
{
    if (value == INT64_MIN) {
        rcs_put(out, ", .%s = INT64_MIN", field);
    } else if (value != 0) {
        rcs_put(out, ", .%s = INT64_C(%" PRId64 ")", field, value);
    }
}

static void put_scenarios(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_scenario scenarios[] = {\n");
    for (size_t i = 0; i < policy->scenario_count; i++) {
        const struct recourse_scenario *at = &policy->scenarios[i];

        rcs_put(out, "    [%zu] = {.label = ", i);
        rcs_put_string(out, at->label);
        rcs_put(out, ", .tell = RECOURSE_TELL_%s, .reminder = RECOURSE_REMINDER_%s},\n", tell_names[at->tell],
                reminder_names[at->reminder]);
    }
    rcs_put(out, "};\n");
}

static void put_tools(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_tool_rule tools[] = {\n");
    for (size_t i = 0; i < policy->tool_count; i++) {
        const struct recourse_tool_rule *at = &policy->tools[i];

        rcs_put(out, "    [%zu] = {.name = ", i);
        rcs_put_string(out, at->name);
        rcs_put(out, ", .replay = RECOURSE_REPLAY_%s", replay_names[at->replay]);
        put_field(out, "pointer", at->pointer);
        rcs_put(out, ", .line = %" PRIu32 "},\n", at->line);
    }
    rcs_put(out, "};\n");
}

static void put_failures(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_failure failures[] = {\n");
    for (size_t i = 0; i < policy->failure_count; i++) {
        rcs_put(out, "    [%zu] = {.name = ", i);
        rcs_put_string(out, policy->failures[i].name);
        rcs_put(out, ", .effect = RECOURSE_EFFECT_%s},\n", effect_names[policy->failures[i].effect]);
    }
    rcs_put(out, "};\n");
}

static void put_fact_rows(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_fact_row fact_rows[] = {\n");
    for (size_t i = 0; i < policy->fact_row_count; i++) {
        const struct recourse_fact_row *at = &policy->fact_rows[i];

        rcs_put(out, "    [%zu] = {.id = ", i);
        rcs_put_string(out, at->id);
        rcs_put(out, ", .line = %" PRIu32 ", .failure = %u, .atom = %u, .atom_count = %u},\n", at->line, at->failure,
                at->atom, at->atom_count);
    }
    rcs_put(out, "};\n");
}

static void put_atoms(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_atom atoms[] = {\n");
    for (size_t i = 0; i < policy->atom_count; i++) {
        const struct recourse_atom *at = &policy->atoms[i];

        rcs_put(out, "    [%zu] = {.kind = RECOURSE_ATOM_%s, .last_of_and = %s", i, atom_names[at->kind],
                at->last_of_and ? "true" : "false");
        put_index(out, ", ", "pattern", at->pattern);
        put_i64(out, "low", at->low);
        put_i64(out, "high", at->high);
        if (at->name != NULL) {
            put_field(out, "name", at->name);
        }
        if (at->value != NULL) {
            put_field(out, "value", at->value);
        }
        rcs_put(out, "},\n");
    }
    rcs_put(out, "};\n");
}

static void put_delays(struct rcs_string *out, const struct recourse_policy *policy)
{
    for (size_t i = 0; i < policy->wait_count; i++) {
        rcs_put(out, "\nstatic const uint64_t delays_%zu[] = {", i);
        for (size_t j = 0; j < policy->waits[i].delay_count; j++) {
            rcs_put(out, "%s%" PRIu64 "u", j == 0 ? "" : j % 10 == 0 ? ",\n    " : ", ", policy->waits[i].delays_ms[j]);
        }
        rcs_put(out, "};\n");
    }
}

static void put_waits(struct rcs_string *out, const struct recourse_policy *policy)
{
    put_delays(out, policy);
    rcs_put(out, "\nstatic const struct recourse_wait waits[] = {\n");
    for (size_t i = 0; i < policy->wait_count; i++) {
        const struct recourse_wait *at = &policy->waits[i];

        rcs_put(out, "    [%zu] = {.id = ", i);
        rcs_put_string(out, at->id);
        rcs_put(out, ", .line = %" PRIu32 ", .delays_ms = delays_%zu, .delay_count = %u", at->line, i, at->delay_count);
        rcs_put(out, ",\n           .by_uses = %s, .ends = %s, .times = %u", at->by_uses ? "true" : "false",
                at->ends ? "true" : "false", at->times);
        rcs_put(out, ",\n           .jitter = RECOURSE_JITTER_%s, .jitter_percent = %u", jitter_names[at->jitter],
                at->jitter_percent);
        rcs_put(out, ",\n           .server = RECOURSE_SERVER_%s, .server_percent = %u, .server_ms = ",
                server_names[at->server], at->server_percent);
        put_u64(out, at->server_ms);
        rcs_put(out, ", .new_session = %s", at->new_session ? "true" : "false");
        if (at->budget != 0) {
            rcs_put(out, ", .budget = %u, .cost = %" PRIu32, at->budget, at->cost);
        }
        rcs_put(out, "},\n");
    }
    rcs_put(out, "};\n");
}

static void put_budgets(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_budget budgets[] = {\n");
    for (size_t i = 0; i < policy->budget_count; i++) {
        const struct recourse_budget *at = &policy->budgets[i];

        rcs_put(out, "    [%zu] = {.id = ", i);
        rcs_put_string(out, at->id);
        rcs_put(out, ", .line = %" PRIu32 ", .shared_by = RECOURSE_SHARED_BY_%s", at->line, sharer_names[at->shared_by]);
        rcs_put(out, ",\n           .holds = %" PRIu32 ", .needs = %" PRIu32 ", .takes = %" PRIu32, at->holds, at->needs,
                at->takes);
        rcs_put(out, ", .gives = %" PRIu32 ", .gives_cost = %s},\n", at->gives, at->gives_cost ? "true" : "false");
    }
    rcs_put(out, "};\n");
}

static void put_breakers(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_breaker breakers[] = {\n");
    for (size_t i = 0; i < policy->breaker_count; i++) {
        const struct recourse_breaker *at = &policy->breakers[i];

        rcs_put(out, "    [%zu] = {.id = ", i);
        rcs_put_string(out, at->id);
        rcs_put(out, ", .line = %" PRIu32 ", .shared_by = RECOURSE_SHARED_BY_%s", at->line, sharer_names[at->shared_by]);
        rcs_put(out, ",\n           .counts = 0x%" PRIx32 "u, .opens_after = %u, .lets_through = %u, .within_ms = ",
                at->counts, at->opens_after, at->lets_through);
        put_u64(out, at->within_ms);
        rcs_put(out, ", .stays_open_ms = ");
        put_u64(out, at->stays_open_ms);
        rcs_put(out, "},\n");
    }
    rcs_put(out, "};\n");
}

static void put_messages(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_message messages[] = {\n");
    for (size_t i = 0; i < policy->message_count; i++) {
        rcs_put(out, "    [%zu] = {.id = ", i);
        rcs_put_string(out, policy->messages[i].id);
        put_field(out, "text", policy->messages[i].text);
        rcs_put(out, "},\n");
    }
    rcs_put(out, "};\n");
}

static void put_rows(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_row rows[] = {\n");
    for (size_t i = 0; i < policy->row_count; i++) {
        const struct recourse_row *at = &policy->rows[i];

        rcs_put(out, "    [%zu] = {.id = ", i);
        rcs_put_string(out, at->id);
        rcs_put(out, ", .line = %" PRIu32 ", .place = RECOURSE_%s", at->line, place_names[at->place]);
        put_index(out, ",\n           ", "scenario", at->scenario);
        put_index(out, ", ", "wait", at->wait);
        put_index(out, ", ", "message", at->message);
        rcs_put(out, "},\n");
    }
    rcs_put(out, "};\n");
}

static void put_states(struct rcs_string *out, const struct recourse_policy *policy)
{
    rcs_put(out, "\nstatic const struct recourse_state states[] = {\n");
    for (size_t i = 0; i < policy->state_count; i++) {
        const struct recourse_state *at = &policy->states[i];

        rcs_put(out, "    [%zu] = {.place = RECOURSE_%s, .try_number = %u, .acted = %s},\n", i, place_names[at->place],
                at->try_number, at->acted ? "true" : "false");
    }
    rcs_put(out, "};\n");
}

static void put_list(struct rcs_string *out, const char *name, const char *const *list)
{
    if (list == NULL) {
        return;
    }
    rcs_put(out, "\nstatic const char *const %s[] = {", name);
    for (; *list != NULL; list++) {
        rcs_put_string(out, *list);
        rcs_put(out, ", ");
    }
    rcs_put(out, "NULL};\n");
}

static void put_setting_u64(struct rcs_string *out, const char *name, uint64_t value)
{
    rcs_put(out, "        .%s = ", name);
    put_u64(out, value);
    rcs_put(out, ",\n");
}

static void put_settings(struct rcs_string *out, const struct recourse_settings *settings)
{
    rcs_put(out, "    .settings = {\n");
    rcs_put(out, "        .tries = %u,\n", settings->tries);
    put_setting_u64(out, "try_timeout_ms", settings->try_timeout_ms);
    put_setting_u64(out, "call_deadline_ms", settings->call_deadline_ms);
    rcs_put(out, "        .reminder = ");
    rcs_put_string(out, settings->reminder);
    rcs_put(out, ",\n        .reason_characters = %" PRIu32 "u,\n", settings->reason_characters);
    rcs_put(out, "        .sensitive_values = %s,\n", settings->sensitive_values != NULL ? "sensitive_values" : "NULL");
    rcs_put(out, "        .sensitive_names = %s,\n", settings->sensitive_names != NULL ? "sensitive_names" : "NULL");
    put_setting_u64(out, "approval_timeout_ms", settings->approval_timeout_ms);
    rcs_put(out, "        .repeated_failures = %" PRIu32 "u,\n", settings->repeated_failures);
    rcs_put(out, "        .output_limit = %" PRIu32 "u,\n", settings->output_limit);
    rcs_put(out, "        .output_tokens = %s,\n", settings->output_tokens ? "true" : "false");
    rcs_put(out, "        .resumes = %" PRIu32 "u,\n", settings->resumes);
    rcs_put(out, "        .rounds = %" PRIu32 "u,\n", settings->rounds);
    rcs_put(out, "        .audit_refuse = %s,\n    },\n", settings->audit_refuse ? "true" : "false");
}

static void put_digest(struct rcs_string *out, const char *field, const uint8_t digest[32])
{
    rcs_put(out, "    .%s = {", field);
    for (size_t i = 0; i < 32; i++) {
        rcs_put(out, "%s0x%02x", i == 0 ? "" : i == 16 ? ",\n        " : ", ", digest[i]);
    }
    rcs_put(out, "},\n");
}

/* C has no empty arrays: a table without rows is NULL. */
static void put_policy(struct rcs_string *out, const struct recourse_policy *policy, const char *const *tables,
                       const size_t *counts, size_t table_count)
{
    rcs_put(out, "\nconst struct recourse_policy recourse_policy_%s = {\n", rcs_c_name(out->arena, policy->name));
    rcs_put(out, "    .abi = %uu,\n    .size = sizeof(struct recourse_policy),\n    .name = ", policy->abi);
    rcs_put_string(out, policy->name);
    rcs_put(out, ",\n    .file = ");
    rcs_put_string(out, policy->file);
    rcs_put(out, ",\n");
    put_digest(out, "file_sha256", policy->file_sha256);
    put_digest(out, "behaviour_sha256", policy->behaviour_sha256);
    put_settings(out, &policy->settings);
    for (size_t i = 0; i < table_count; i++) {
        rcs_put(out, "    .%ss = %s%s,\n", tables[i], counts[i] == 0 ? "NULL" : tables[i], counts[i] == 0 ? "" : "s");
        rcs_put(out, "    .%s_count = %zu,\n", tables[i], counts[i]);
    }
    rcs_put(out, "    .pattern_count = %u,\n    .start = %u,\n    .move = move,\n    .match = match,\n};\n",
            policy->pattern_count, policy->start);
}

void rcs_emit_tables(struct rcs_string *out, const struct recourse_policy *policy)
{
    static const char *const names[] = {"scenario", "tool",    "failure", "fact_row", "atom",
                                        "wait",     "budget",  "breaker", "message",  "row",
                                        "state"};
    static void (*const put[])(struct rcs_string *, const struct recourse_policy *) = {
        put_scenarios, put_tools,    put_failures, put_fact_rows, put_atoms,
        put_waits,     put_budgets,  put_breakers, put_messages,  put_rows,
        put_states};
    const size_t counts[] = {policy->scenario_count, policy->tool_count,    policy->failure_count,
                             policy->fact_row_count, policy->atom_count,    policy->wait_count,
                             policy->budget_count,   policy->breaker_count, policy->message_count,
                             policy->row_count,      policy->state_count};

    rcs_put(out, "\n/* A message may be longer than every C compiler must take. */\n"
                 "#pragma GCC diagnostic push\n"
                 "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n");
    put_list(out, "sensitive_values", policy->settings.sensitive_values);
    put_list(out, "sensitive_names", policy->settings.sensitive_names);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i] > 0) {
            put[i](out, policy);
        }
    }
    put_policy(out, policy, names, counts, sizeof counts / sizeof *counts);
    rcs_put(out, "#pragma GCC diagnostic pop\n");
}
