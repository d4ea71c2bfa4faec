/* One decision as records: one for each move of the machine, and one for each thing that follows from it. */
#include <stdio.h>
#include <string.h>

#include "src/audit/log.h"

#define ID_MAX 128u

/* What the records of one decision share. */
struct telling {
    struct recourse_audit *audit;
    const struct rcs_audited *what;
    uint8_t salt[RCS_HASH_SIZE];
    struct rcs_salted salted;
};

bool rcs_audit_holds(const struct recourse_audit *audit, const struct recourse_policy *policy, bool safe)
{
    return !safe || policy->settings.audit_refuse || audit->options.sync == RECOURSE_AUDIT_EVERY;
}

/* ---- the disclosure ---- */

static int disclose_line(struct recourse_audit *audit, uint64_t call, unsigned try_number, const char *name,
                         struct recourse_span json)
{
    char writer[2 * sizeof audit->writer];
    char text[128];
    size_t before = audit->disclosed.size;
    int size = snprintf(text, sizeof text, "{\"call\":%llu,\"%s\":", (unsigned long long)call, name);
    int code = rcs_buffer_append(&audit->disclosed, text, (size_t)size);

    rcs_hex_write(audit->writer, sizeof audit->writer, writer);
    code = code == 0 ? rcs_buffer_append(&audit->disclosed, json.data, json.size) : code;
    size = snprintf(text, sizeof text, ",\"try\":%u,\"writer\":\"%.*s\"}\n", try_number, (int)sizeof writer, writer);
    code = code == 0 ? rcs_buffer_append(&audit->disclosed, text, (size_t)size) : code;
    if (code != 0) {
        audit->disclosed.size = before;
    }
    return code;
}

static int disclose_salt(struct telling *telling)
{
    char text[2 * RCS_HASH_SIZE + 2];

    if (telling->audit->disclosure < 0) {
        return 0;
    }
    text[0] = '"';
    rcs_hex_write(telling->salt, RCS_HASH_SIZE, text + 1);
    text[sizeof text - 1] = '"';
    return disclose_line(telling->audit, *telling->what->call, 0, "salt", (struct recourse_span){text, sizeof text});
}

static int append_hex(struct rcs_buffer *buffer, struct recourse_span bytes)
{
    int code = rcs_buffer_reserve(buffer, 2 * bytes.size + 2);

    if (code == 0) {
        (void)!rcs_buffer_append_byte(buffer, '"');
        rcs_hex_write((const uint8_t *)bytes.data, bytes.size, buffer->data + buffer->size);
        buffer->size += 2 * bytes.size;
        (void)!rcs_buffer_append_byte(buffer, '"');
    }
    return code;
}

/* Content is written in hex: any bytes, each of them as it came. */
static int capture(struct telling *telling, unsigned try_number, const char *name, struct recourse_span bytes)
{
    struct rcs_buffer hex;
    int code;

    if (!telling->audit->options.capture || bytes.size == 0) {
        return 0;
    }
    rcs_buffer_init(&hex, telling->audit->options.allocator, SIZE_MAX / 4);
    code = append_hex(&hex, bytes);
    if (code == 0) {
        code = disclose_line(telling->audit, *telling->what->call, try_number, name, rcs_buffer_span(&hex));
    }
    rcs_buffer_clear(&hex);
    return code;
}

static int capture_headers(struct telling *telling, unsigned try_number, const struct recourse_facts *facts)
{
    struct rcs_buffer list;
    int code;

    if (!telling->audit->options.capture || facts->header_count == 0) {
        return 0;
    }
    rcs_buffer_init(&list, telling->audit->options.allocator, SIZE_MAX / 4);
    code = rcs_buffer_append_byte(&list, '[');
    for (size_t i = 0; i < facts->header_count && code == 0; i++) {
        code = i > 0 ? rcs_buffer_append_byte(&list, ',') : 0;
        code = code == 0 ? append_hex(&list, facts->headers[i].name) : code;
        code = code == 0 ? rcs_buffer_append_byte(&list, ',') : code;
        code = code == 0 ? append_hex(&list, facts->headers[i].value) : code;
    }
    code = code == 0 ? rcs_buffer_append_byte(&list, ']') : code;
    if (code == 0) {
        code = disclose_line(telling->audit, *telling->what->call, try_number, "headers", rcs_buffer_span(&list));
    }
    rcs_buffer_clear(&list);
    return code;
}

static int capture_facts(struct telling *telling, unsigned try_number, const struct recourse_facts *facts)
{
    int code = capture_headers(telling, try_number, facts);

    for (unsigned i = 0; i < RCS_CONTENT_COUNT && code == 0; i++) {
        code = capture(telling, try_number, rcs_key_name(rcs_content_key((enum rcs_content)i)),
                       rcs_content_of(facts, (enum rcs_content)i));
    }
    return code;
}

/* ---- fields ---- */

/* What every record of a call has. */
static void begin(struct telling *telling, enum rcs_kind kind, const struct recourse_trace *trace, unsigned try_number)
{
    struct rcs_record *record = &telling->audit->record;
    const struct rcs_audited *what = telling->what;
    const struct recourse_policy *policy = what->policy;

    rcs_record_init(record, kind, what->input->now_ms);
    rcs_record_number(record, RCS_KEY_CALL, *what->call);
    rcs_record_number(record, RCS_KEY_TRY, try_number);
    rcs_record_text(record, RCS_KEY_EVENT, recourse_policy_event_name(policy, trace->event));
    rcs_record_text(record, RCS_KEY_ROW, policy->rows[trace->row].id);
    rcs_record_text(record, RCS_KEY_STATE, recourse_place_name(trace->from));
    rcs_record_text(record, RCS_KEY_NEXT, recourse_place_name(trace->to));
}

static const char *scenario_of(const struct rcs_audited *what)
{
    uint16_t scenario = what->decision->scenario;

    return scenario == RECOURSE_NONE ? NULL : what->policy->scenarios[scenario].label;
}

/* For records that have hashes in them. */
static void salt(struct telling *telling)
{
    rcs_salt_of(&telling->audit->secret, *telling->what->call, telling->salt);
    rcs_salted_init(&telling->salted, telling->salt);
}

static void hash_into(struct telling *telling, enum rcs_key key, const char *name, struct recourse_span text,
                      char hex[64])
{
    uint8_t mac[RCS_HASH_SIZE];

    rcs_mac(&telling->salted, name, text, mac);
    rcs_hex_write(mac, sizeof mac, hex);
    rcs_record_span(&telling->audit->record, key, (struct recourse_span){hex, 64});
}

/* Ids that look like ids are written as they are: nobody keeps secrets in letters and digits that a provider made up.
 */
bool rcs_audit_shows_id(struct recourse_span id)
{
    for (size_t i = 0; i < id.size; i++) {
        char byte = id.data[i];
        bool good = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                    byte == '_' || byte == '-' || byte == '.' || byte == ':';

        if (!good) {
            return false;
        }
    }
    return id.size <= ID_MAX;
}

static int tell_precondition(struct telling *telling, const struct recourse_trace *trace)
{
    const struct rcs_audited *what = telling->what;
    struct recourse_audit *audit = telling->audit;
    struct rcs_record *record = &audit->record;
    char arguments[64];
    char tool[64];
    char id[64];
    uint64_t policy;
    int code = rcs_log_policy(audit, what->policy, what->input->now_ms, &policy);

    if (code != 0) {
        return code;
    }
    salt(telling);
    begin(telling, RCS_KIND_PRECONDITION, trace, 0);
    rcs_record_number(record, RCS_KEY_POLICY, policy);
    rcs_record_number(record, RCS_KEY_BEGAN, what->began_ms);
    rcs_record_number(record, RCS_KEY_DEADLINE, what->deadline_ms);
    rcs_record_bool(record, RCS_KEY_SAFE, what->safe);
    rcs_record_text(record, RCS_KEY_DECLARED, what->declared_unsafe ? "unsafe" : what->declared_safe ? "safe" : NULL);
    hash_into(telling, RCS_KEY_ARGUMENTS, "arguments", what->arguments, arguments);
    if (what->tool_known) {
        rcs_record_span(record, RCS_KEY_TOOL, what->tool);
    } else {
        hash_into(telling, RCS_KEY_TOOL_HASH, "tool", what->tool, tool);
    }
    if (rcs_audit_shows_id(what->id)) {
        rcs_record_span(record, RCS_KEY_ID, what->id);
    } else {
        hash_into(telling, RCS_KEY_ID_HASH, "id", what->id, id);
    }
    code = rcs_log_append(audit);
    code = code == 0 ? disclose_salt(telling) : code;
    code = code == 0 ? capture(telling, 0, "arguments", what->arguments) : code;
    return code == 0 && !what->tool_known ? capture(telling, 0, "tool", what->tool) : code;
}

static int tell_attempt(struct telling *telling, const struct recourse_trace *trace, unsigned try_number)
{
    const struct recourse_decision *decision = telling->what->decision;
    struct rcs_record *record = &telling->audit->record;

    begin(telling, RCS_KIND_ATTEMPT, trace, try_number);
    if (decision->action == RECOURSE_ACTION_ATTEMPT) {
        rcs_record_number(record, RCS_KEY_END, decision->wake_ms);
        rcs_record_flag(record, RCS_KEY_NEW_SESSION, decision->new_session);
    }
    return rcs_log_append(telling->audit);
}

/* `id before after` of each budget. */
static void record_budgets(struct rcs_record *record, const struct rcs_audited *what, char text[RCS_BUDGETS_TEXT])
{
    const struct recourse_policy *policy = what->policy;
    size_t at = 0;

    for (unsigned i = 0; i < policy->budget_count; i++) {
        const struct recourse_budget *budget = &policy->budgets[i];
        const uint32_t before = what->input->tokens != NULL ? what->input->tokens[i] : budget->holds;

        at += (size_t)snprintf(text + at, RCS_BUDGETS_TEXT - at, "%s%s %u %u", i == 0 ? "" : ", ", budget->id, before,
                               what->decision->tokens[i]);
    }
    rcs_record_text(record, RCS_KEY_BUDGETS, at > 0 ? text : NULL);
}

static int tell_outcome(struct telling *telling, const struct recourse_trace *trace)
{
    const struct rcs_audited *what = telling->what;
    const struct recourse_decision *decision = what->decision;
    const struct recourse_policy *policy = what->policy;
    const struct recourse_facts *facts = what->input->facts;
    struct recourse_audit *audit = telling->audit;
    struct rcs_record *record = &audit->record;
    char random[17];
    char budgets[RCS_BUDGETS_TEXT];

    begin(telling, RCS_KIND_OUTCOME, trace, decision->try_number);
    rcs_record_text(record, RCS_KEY_EFFECT, recourse_effect_name(decision->effect));
    if (decision->failure != RECOURSE_NONE) {
        rcs_record_text(record, RCS_KEY_FAILURE, policy->failures[decision->failure].name);
        rcs_record_text(record, RCS_KEY_FACT_ROW, policy->fact_rows[decision->fact_row].id);
        snprintf(random, sizeof random, "%016llx", (unsigned long long)what->input->random);
        rcs_record_text(record, RCS_KEY_RANDOM, random);
    }
    if (decision->server_delay_ms > 0) {
        rcs_record_number(record, RCS_KEY_SERVER_DELAY, decision->server_delay_ms);
    }
    if (facts == NULL) {
        rcs_record_bool(record, RCS_KEY_SENT, what->input->sent);
        return rcs_log_append(audit);
    }
    record_budgets(record, what, budgets);
    salt(telling);
    if (!rcs_facts_record(record, &telling->salted, policy, facts, decision->fact_row, &audit->room)) {
        return RECOURSE_E_LIMIT;
    }
    return rcs_log_append(audit) == 0 ? capture_facts(telling, decision->try_number, facts) : RECOURSE_E_LIMIT;
}

static int tell_wait(struct telling *telling, const struct recourse_trace *trace)
{
    const struct recourse_decision *decision = telling->what->decision;
    struct rcs_record *record = &telling->audit->record;

    begin(telling, RCS_KIND_WAIT, trace, decision->try_number);
    rcs_record_text(record, RCS_KEY_WAIT, telling->what->policy->waits[decision->wait].id);
    rcs_record_number(record, RCS_KEY_WAIT_MS, decision->wait_ms);
    rcs_record_number(record, RCS_KEY_WAIT_MIN, decision->wait_min_ms);
    rcs_record_number(record, RCS_KEY_WAIT_MAX, decision->wait_max_ms);
    rcs_record_number(record, RCS_KEY_WAIT_BASE, decision->wait_base_ms);
    rcs_record_number(record, RCS_KEY_END, decision->wake_ms);
    rcs_record_text(record, RCS_KEY_SCENARIO, scenario_of(telling->what));
    return rcs_log_append(telling->audit);
}

static const char *reason_of(const struct recourse_decision *decision)
{
    return decision->reason == RECOURSE_REASON_NONE ? NULL : recourse_reason_name(decision->reason);
}

static int tell_exhausted(struct telling *telling, const struct recourse_trace *trace)
{
    begin(telling, RCS_KIND_EXHAUSTED, trace, telling->what->decision->try_number);
    rcs_record_text(&telling->audit->record, RCS_KEY_REASON, reason_of(telling->what->decision));
    return rcs_log_append(telling->audit);
}

static bool holds_reminder(const struct rcs_audited *what)
{
    const char *reminder = what->policy->settings.reminder;
    struct recourse_span content = what->result->content;

    return *reminder != '\0' && content.size > 0 &&
           memmem(content.data, content.size, reminder, strlen(reminder)) != NULL;
}

/* Who is told, and what, is taken from what is handed over, not from what was decided. */
static int tell_reported(struct telling *telling, const struct recourse_trace *trace)
{
    const struct rcs_audited *what = telling->what;
    const struct recourse_decision *decision = what->decision;
    struct rcs_record *record = &telling->audit->record;

    begin(telling, RCS_KIND_REPORTED, trace, decision->try_number);
    rcs_record_text(record, RCS_KEY_SCENARIO, scenario_of(what));
    rcs_record_text(record, RCS_KEY_TELL, recourse_tell_name(what->result->tell));
    rcs_record_text(record, RCS_KEY_REMINDER, rcs_reminder_name(what->result->reminder));
    rcs_record_flag(record, RCS_KEY_REMINDED, decision->event != RECOURSE_EVENT_OK && holds_reminder(what));
    rcs_record_text(record, RCS_KEY_REASON, reason_of(decision));
    if (decision->message != RECOURSE_NONE) {
        rcs_record_text(record, RCS_KEY_MESSAGE, what->policy->messages[decision->message].id);
    }
    return rcs_log_append(telling->audit);
}

/* ---- a decision ---- */

static int tell_move(struct telling *telling, const struct recourse_trace *trace)
{
    unsigned try_number = telling->what->decision->try_number;
    int code;

    switch (trace->from) {
    case RECOURSE_PRECONDITION:
        code = tell_precondition(telling, trace);
        return code == 0 && trace->to == RECOURSE_ATTEMPT ? tell_attempt(telling, trace, try_number) : code;
    case RECOURSE_BACKOFF:
        return trace->to == RECOURSE_ATTEMPT ? tell_attempt(telling, trace, try_number) : 0;
    case RECOURSE_ATTEMPT:
        code = tell_outcome(telling, trace);
        return code == 0 && trace->to == RECOURSE_BACKOFF ? tell_wait(telling, trace) : code;
    default:
        return tell_exhausted(telling, trace);
    }
}

static int tell(struct telling *telling)
{
    const struct recourse_decision *decision = telling->what->decision;
    int code = 0;

    for (unsigned i = 0; i < decision->trace_count && code == 0; i++) {
        code = tell_move(telling, &decision->trace[i]);
    }
    if (code == 0 && decision->action == RECOURSE_ACTION_REPORT) {
        code = tell_reported(telling, &decision->trace[decision->trace_count - 1]);
    }
    return code;
}

int rcs_audit_record(struct recourse_audit *audit, const struct rcs_audited *what)
{
    struct telling telling = {.audit = audit, .what = what};
    int code;

    if (*what->call == 0) {
        *what->call = ++audit->calls;
    }
    code = rcs_log_ready(audit, what->input->now_ms);
    code = code == 0 ? tell(&telling) : code;
    if (code != 0) {
        rcs_log_lose(audit, 1);
    }
    return code;
}

int rcs_audit_broken(struct recourse_audit *audit, uint64_t *call, unsigned try_number,
                     const struct recourse_result *result, int code, uint64_t now_ms)
{
    struct rcs_record *record = &audit->record;
    int error = rcs_log_ready(audit, now_ms);

    if (*call == 0) {
        *call = ++audit->calls;
    }
    if (error == 0) {
        rcs_record_init(record, RCS_KIND_BROKEN, now_ms);
        rcs_record_number(record, RCS_KEY_CALL, *call);
        rcs_record_number(record, RCS_KEY_TRY, try_number);
        rcs_record_text(record, RCS_KEY_TELL, recourse_tell_name(result->tell));
        rcs_record_text(record, RCS_KEY_REASON, recourse_code_text(code));
        error = rcs_log_append(audit);
    }
    if (error != 0) {
        rcs_log_lose(audit, 1);
    }
    return error;
}
