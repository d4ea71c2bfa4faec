/* Calls, one record after the other: what the policy says, computed on the model, against what the record says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/audit/facts.h"
#include "src/audit/verify_internal.h"
#include "src/core/json.h"
#include "src/core/wait.h"

/* ---- calls that are open ---- */

static struct rcs_walked **slot_of(struct rcs_verify *verify, uint64_t number)
{
    struct rcs_walked **slot = &verify->calls[number % RCS_BUCKETS];

    while (*slot != NULL && (*slot)->number != number) {
        slot = &(*slot)->next;
    }
    return slot;
}

void rcs_replay_forget(struct rcs_verify *verify, struct rcs_walked *call)
{
    struct rcs_walked **slot = slot_of(verify, call->number);

    *slot = call->next;
    verify->open--;
    free(call);
}

static struct rcs_walked *add_call(struct rcs_verify *verify, uint64_t number)
{
    bool named = rcs_record_has(&verify->record, RCS_KEY_TOOL);
    struct recourse_span tool = named ? verify->record.value[RCS_KEY_TOOL].text : (struct recourse_span){"\"\"", 2};
    struct rcs_walked **slot = slot_of(verify, number);
    struct rcs_walked *call = verify->open < RCS_OPEN_MAX ? calloc(1, sizeof *call + tool.size + 1) : NULL;

    if (call == NULL) {
        rcs_diverges(verify, "too many calls are open at once", NULL, NULL);
        return NULL;
    }
    call->tool[rcs_json_unescape(tool, call->tool, tool.size)] = '\0';
    call->number = number;
    *slot = call;
    verify->open++;
    return call;
}

/* ---- small things ---- */

static uint64_t number_or_forever(const struct rcs_record *record, enum rcs_key key)
{
    return rcs_record_has(record, key) ? (uint64_t)rcs_record_get(record, key) : RECOURSE_FOREVER;
}

bool rcs_walked_is_late(const struct rcs_walked *call, uint64_t at_ms)
{
    return call->deadline_ms != RECOURSE_FOREVER && at_ms >= call->deadline_ms;
}

static uint16_t event_of(const struct rcs_verify *verify, const struct rcs_spec *spec)
{
    for (unsigned event = 0; event < rcs_event_end(spec); event++) {
        if (rcs_record_is(&verify->record, RCS_KEY_EVENT, rcs_spec_event_name(spec, (uint16_t)event))) {
            return (uint16_t)event;
        }
    }
    return RECOURSE_NONE;
}

/* What the policy's row is called, for the report of a divergence. */
static void note_row(struct rcs_verify *verify, const struct rcs_spec *spec, uint16_t row)
{
    struct rcs_divergence *to = &verify->verdict.divergence;

    if (to->found && to->expected_row[0] == '\0' && to->line == verify->line && to->file == verify->file) {
        snprintf(to->expected_row, sizeof to->expected_row, "%.40s, line %u", spec->rows[row].id,
                 spec->rows[row].place.line);
    }
}

/* The fields that every record of a move has. */
bool rcs_expect_move(struct rcs_verify *verify, const struct rcs_walked *call, uint16_t event, uint16_t row,
                        uint8_t from, uint8_t to)
{
    const struct rcs_spec *spec = call->judge->spec;
    bool good = rcs_expect_text(verify, RCS_KEY_EVENT, rcs_spec_event_name(spec, event)) &&
                rcs_expect_text(verify, RCS_KEY_STATE, recourse_place_name(from)) &&
                rcs_expect_text(verify, RCS_KEY_ROW, spec->rows[row].id) &&
                rcs_expect_text(verify, RCS_KEY_NEXT, recourse_place_name(to));

    if (!good) {
        note_row(verify, spec, row);
    }
    return good;
}

bool rcs_expect_try(struct rcs_verify *verify, const struct rcs_walked *call)
{
    return rcs_expect_number(verify, RCS_KEY_TRY, call->history.tries);
}

/* Moves the model; false: there is no such row. */
bool rcs_walked_move(struct rcs_verify *verify, struct rcs_walked *call, const struct rcs_case *at)
{
    uint8_t from = call->history.place;
    bool spent;
    uint16_t row = rcs_model_move(call->judge->spec, &call->history, at, &spent);

    if (row == RECOURSE_NONE) {
        return rcs_diverges(verify, "the policy has no row for this", NULL, NULL);
    }
    if (spent) {
        call->reason = RECOURSE_REASON_TRIES_SPENT;
    }
    call->from = from;
    call->row = row;
    call->event = at->event;
    call->judge->rows[row]++;
    return true;
}

/* ---- precondition ---- */

static bool name_fits(const char *name, const char *tool)
{
    size_t size = strlen(name);

    return size > 0 && name[size - 1] == '*' ? strncmp(tool, name, size - 1) == 0 : strcmp(tool, name) == 0;
}

/* Whether the arguments, where they were disclosed, say what the record does. An argument given twice says nothing. */
static bool expect_safe_if(struct rcs_verify *verify, const struct rcs_walked *call, const char *pointer)
{
    struct rcs_arena arena = {0};
    struct recourse_span arguments;
    bool safe;
    bool good = true;

    switch (rcs_reveal_arguments(verify, call, &arena, &arguments)) {
    case RCS_REVEALED:
        safe = rcs_json_check(arguments, true, NULL) == RCS_JSON_GOOD &&
               rcs_json_type_of(rcs_json_at(arguments, pointer)) == RCS_JSON_TRUE;
        good = rcs_expect_flag(verify, RCS_KEY_SAFE, safe);
        break;
    case RCS_REVEALED_OTHER:
        good = rcs_diverges(verify, "what was disclosed is not what the hash stands for", NULL, NULL);
        break;
    default:
        break;
    }
    rcs_arena_clear(&arena);
    return good;
}

/* Who speaks for the tool: the policy, or else the host; and the host may always be stricter. */
static bool expect_safe(struct rcs_verify *verify, const struct rcs_walked *call)
{
    const struct rcs_spec *spec = call->judge->spec;
    const struct rcs_record *record = &verify->record;
    bool declared_safe = rcs_record_is(record, RCS_KEY_DECLARED, "safe");

    if (rcs_record_is(record, RCS_KEY_DECLARED, "unsafe") || call->tool[0] == '\0') {
        return rcs_expect_flag(verify, RCS_KEY_SAFE, false);
    }
    for (size_t i = 0; i < spec->tool_count; i++) {
        if (name_fits(spec->tools[i].name, call->tool)) {
            return spec->tools[i].replay == RECOURSE_REPLAY_SAFE_IF
                       ? expect_safe_if(verify, call, spec->tools[i].pointer)
                       : rcs_expect_flag(verify, RCS_KEY_SAFE, spec->tools[i].replay == RECOURSE_REPLAY_SAFE);
        }
    }
    return rcs_expect_flag(verify, RCS_KEY_SAFE, declared_safe);
}

static void read_salt(struct rcs_verify *verify, struct rcs_walked *call)
{
    struct recourse_span salt = rcs_disclosure_find(verify->disclosure, verify->writer, call->number, 0, "salt");

    call->has_salt = salt.size == 2 * RCS_HASH_SIZE + 2 &&
                     rcs_hex_read((struct recourse_span){salt.data + 1, salt.size - 2}, call->salt, RCS_HASH_SIZE);
}

static bool expect_precondition(struct rcs_verify *verify, struct rcs_walked *call)
{
    const struct rcs_record *record = &verify->record;
    const struct rcs_spec *spec = call->judge->spec;
    uint64_t began = (uint64_t)rcs_record_get(record, RCS_KEY_BEGAN);
    uint64_t own = rcs_add_ms(began, spec->settings.call_deadline_ms);
    uint64_t host = number_or_forever(record, RCS_KEY_DEADLINE);
    struct rcs_case at = {.event = event_of(verify, spec)};

    call->deadline_ms = own < host ? own : host;
    call->at_ms = (uint64_t)rcs_record_get(record, RCS_KEY_AT);
    call->safe = rcs_record_true(record, RCS_KEY_SAFE);
    read_salt(verify, call);
    if (at.event == RECOURSE_NONE || !rcs_event_in_table(spec, RECOURSE_PRECONDITION, at.event) ||
        !rcs_event_is_live(spec, at.event)) {
        return rcs_diverges(verify, "no call begins with such an event", NULL, NULL);
    }
    if (call->at_ms < began) {
        return rcs_diverges(verify, "the call was looked at before it began", NULL, NULL);
    }
    if ((at.event == RECOURSE_EVENT_READY && rcs_walked_is_late(call, call->at_ms)) ||
        (at.event == RECOURSE_EVENT_DEADLINE && !rcs_walked_is_late(call, call->at_ms))) {
        return rcs_expect_text(verify, RCS_KEY_EVENT, at.event == RECOURSE_EVENT_READY ? "deadline" : "ready");
    }
    call->history.place = RECOURSE_PRECONDITION;
    if (!rcs_expect_number(verify, RCS_KEY_TRY, 0) || !expect_safe(verify, call) ||
        !rcs_walked_move(verify, call, &at)) {
        return false;
    }
    call->want = call->history.place == RECOURSE_ATTEMPT ? RCS_KIND_ATTEMPT : RCS_KIND_REPORTED;
    return rcs_expect_move(verify, call, call->event, call->row, call->from, call->history.place);
}

static void begin_call(struct rcs_verify *verify)
{
    const struct rcs_record *record = &verify->record;
    uint64_t number = (uint64_t)rcs_record_get(record, RCS_KEY_CALL);
    uint64_t policy = (uint64_t)rcs_record_get(record, RCS_KEY_POLICY);
    struct rcs_walked *call;

    if (number <= verify->last_call) {
        rcs_diverges(verify, "a call begins for the second time", NULL, NULL);
        return;
    }
    if (number != verify->last_call + 1 && verify->verdict.incomplete[0] == '\0') {
        snprintf(verify->verdict.incomplete, sizeof verify->verdict.incomplete, "calls are missing before call %llu",
                 (unsigned long long)number);
    }
    verify->last_call = number;
    verify->verdict.calls++;
    if (policy >= RCS_POLICIES_PER_LOG || !verify->known[policy]) {
        if (!verify->has_holes) {
            rcs_diverges(verify, "the log does not say which policy this is", NULL, NULL);
        }
        return;
    }
    call = add_call(verify, number);
    if (call == NULL) {
        return;
    }
    call->last_wait = RECOURSE_NONE;
    call->judge = verify->of_number[policy];
    if (call->judge == NULL) {
        verify->verdict.unjudged++;
    } else if (!expect_precondition(verify, call)) {
        call->judge = NULL;
    }
}

/* ---- attempt ---- */

static bool expect_first_attempt(struct rcs_verify *verify, const struct rcs_walked *call)
{
    return rcs_expect_number(verify, RCS_KEY_AT, call->at_ms) &&
           rcs_expect_move(verify, call, call->event, call->row, RECOURSE_PRECONDITION, RECOURSE_ATTEMPT);
}

static bool expect_later_attempt(struct rcs_verify *verify, struct rcs_walked *call, uint64_t at_ms)
{
    struct rcs_case at = {.event = RECOURSE_EVENT_ELAPSED};
    char texts[2][32];

    if (at_ms < call->wake_ms) {
        snprintf(texts[0], sizeof texts[0], "%llu or later", (unsigned long long)call->wake_ms);
        snprintf(texts[1], sizeof texts[1], "%llu", (unsigned long long)at_ms);
        return rcs_diverges(verify, "the wait was cut short: at", texts[0], texts[1]);
    }
    if (!rcs_walked_move(verify, call, &at)) {
        return false;
    }
    call->late = rcs_walked_is_late(call, at_ms);
    return rcs_expect_move(verify, call, call->event, call->row, RECOURSE_BACKOFF, call->history.place);
}

static bool expect_attempt(struct rcs_verify *verify, struct rcs_walked *call)
{
    uint64_t at_ms = (uint64_t)rcs_record_get(&verify->record, RCS_KEY_AT);
    uint64_t end = rcs_add_ms(at_ms, call->judge->spec->settings.try_timeout_ms);
    bool good = call->history.place == RECOURSE_ATTEMPT ? expect_first_attempt(verify, call)
                                                        : expect_later_attempt(verify, call, at_ms);

    if (!good) {
        return false;
    }
    end = end < call->deadline_ms ? end : call->deadline_ms;
    call->want = RCS_KIND_OUTCOME;
    call->at_ms = at_ms;
    good = rcs_expect_try(verify, call) &&
           rcs_expect_number(verify, RCS_KEY_END, call->late ? RECOURSE_FOREVER : end) &&
           rcs_expect_flag(verify, RCS_KEY_NEW_SESSION, !call->late && call->new_session);
    call->new_session = false;
    return good;
}

/* ---- what follows ---- */

static const char *label_of(const struct rcs_spec *spec, uint16_t scenario)
{
    return scenario == RECOURSE_NONE ? NULL : spec->scenarios[scenario].label;
}

static bool expect_wait(struct rcs_verify *verify, struct rcs_walked *call)
{
    const struct rcs_spec *spec = call->judge->spec;
    const struct rcs_spec_row *row = &spec->rows[call->row];

    call->new_session = spec->waits[row->wait].new_session;
    call->want = RCS_KIND_ATTEMPT;
    return rcs_expect_number(verify, RCS_KEY_AT, call->at_ms) && rcs_expect_try(verify, call) &&
           rcs_expect_move(verify, call, call->event, call->row, RECOURSE_ATTEMPT, RECOURSE_BACKOFF) &&
           rcs_expect_text(verify, RCS_KEY_WAIT, spec->waits[row->wait].id) &&
           rcs_expect_number(verify, RCS_KEY_WAIT_MIN, call->window.min_ms) &&
           rcs_expect_number(verify, RCS_KEY_WAIT_MAX, call->window.max_ms) &&
           rcs_expect_number(verify, RCS_KEY_WAIT_BASE, call->window.base_ms) &&
           rcs_expect_number(verify, RCS_KEY_WAIT_MS, call->wait_ms) &&
           rcs_expect_number(verify, RCS_KEY_END, call->wake_ms) &&
           rcs_expect_text(verify, RCS_KEY_SCENARIO, label_of(spec, row->scenario));
}

static const char *reason_text(const struct rcs_walked *call)
{
    return call->reason == RECOURSE_REASON_NONE ? NULL : recourse_reason_name(call->reason);
}

static bool expect_exhausted(struct rcs_verify *verify, struct rcs_walked *call)
{
    struct rcs_case at = {.event = call->event, .reason = call->reason};

    if (!rcs_expect_text(verify, RCS_KEY_REASON, reason_text(call)) || !rcs_walked_move(verify, call, &at)) {
        return false;
    }
    call->want = RCS_KIND_REPORTED;
    return rcs_expect_number(verify, RCS_KEY_AT, call->at_ms) && rcs_expect_try(verify, call) &&
           rcs_expect_move(verify, call, call->event, call->row, RECOURSE_EXHAUSTED, RECOURSE_REPORTED);
}

static bool expect_told(struct rcs_verify *verify, const struct rcs_walked *call)
{
    const struct rcs_spec *spec = call->judge->spec;
    const struct rcs_spec_row *row = &spec->rows[call->row];
    const struct rcs_spec_message *message = row->message == RECOURSE_NONE ? NULL : &spec->messages[row->message];
    uint8_t tell = RECOURSE_TELL_MODEL;
    uint8_t reminder = RECOURSE_REMINDER_NONE;

    if (row->scenario != RECOURSE_NONE) {
        tell = spec->scenarios[row->scenario].tell;
        reminder = spec->scenarios[row->scenario].reminder;
    }
    if (!rcs_expect_text(verify, RCS_KEY_SCENARIO, label_of(spec, row->scenario)) ||
        !rcs_expect_text(verify, RCS_KEY_TELL, recourse_tell_name(tell)) ||
        !rcs_expect_text(verify, RCS_KEY_REMINDER, rcs_reminder_name(reminder)) ||
        !rcs_expect_text(verify, RCS_KEY_MESSAGE, message == NULL ? NULL : message->id) ||
        !rcs_expect_text(verify, RCS_KEY_REASON, reason_text(call))) {
        return false;
    }
    return reminder != RECOURSE_REMINDER_YES || message == NULL || !message->has_reminder ||
           *spec->settings.reminder == '\0' || rcs_expect_flag(verify, RCS_KEY_REMINDED, true);
}

static bool expect_reported(struct rcs_verify *verify, struct rcs_walked *call)
{
    struct rcs_case at = {.event = RECOURSE_EVENT_CANCELLED};
    uint64_t at_ms = (uint64_t)rcs_record_get(&verify->record, RCS_KEY_AT);

    if (call->want == RCS_KIND_ATTEMPT) { /* out of a wait, or when it is over and a breaker is open */
        call->reason = RECOURSE_REASON_NONE;
        if (rcs_event_is_live(call->judge->spec, RECOURSE_EVENT_CIRCUIT_OPEN) && at_ms >= call->wake_ms &&
            rcs_record_is(&verify->record, RCS_KEY_EVENT, "circuit_open")) {
            at.event = RECOURSE_EVENT_CIRCUIT_OPEN;
        }
        if (!rcs_expect_text(verify, RCS_KEY_EVENT, rcs_spec_event_name(call->judge->spec, at.event)) ||
            !rcs_walked_move(verify, call, &at)) {
            return false;
        }
    } else if (!rcs_expect_number(verify, RCS_KEY_AT, call->at_ms)) {
        return false;
    }
    return rcs_expect_try(verify, call) &&
           rcs_expect_move(verify, call, call->event, call->row, call->from, RECOURSE_REPORTED) &&
           expect_told(verify, call);
}

/* ---- one record ---- */

static bool fits(const struct rcs_walked *call, enum rcs_kind kind)
{
    return call->want == kind || (call->want == RCS_KIND_ATTEMPT && kind == RCS_KIND_REPORTED &&
                                  call->history.place == RECOURSE_BACKOFF);
}

static bool replay(struct rcs_verify *verify, struct rcs_walked *call)
{
    if (!fits(call, verify->record.kind)) {
        return rcs_diverges(verify, "kind", rcs_kind_name(call->want), rcs_kind_name(verify->record.kind));
    }
    switch (verify->record.kind) {
    case RCS_KIND_ATTEMPT: return expect_attempt(verify, call);
    case RCS_KIND_OUTCOME: return rcs_expect_outcome(verify, call);
    case RCS_KIND_WAIT: return expect_wait(verify, call);
    case RCS_KIND_EXHAUSTED: return expect_exhausted(verify, call);
    default: return expect_reported(verify, call);
    }
}

void rcs_replay_give_up(struct rcs_verify *verify)
{
    verify->has_holes = true;
    rcs_budgets_forget(verify);
    for (unsigned i = 0; verify->open > 0 && i < RCS_BUCKETS; i++) {
        for (struct rcs_walked *call = verify->calls[i]; call != NULL; call = call->next) {
            call->judge = NULL;
        }
    }
}

/* An end that no policy has: a program that fails calls by itself may do so with any. */
static void replay_broken(struct rcs_verify *verify, uint64_t number, struct rcs_walked *call)
{
    char reason[RCS_VERIFY_TEXT_MAX];
    struct recourse_span raw = rcs_record_raw(&verify->record, RCS_KEY_REASON);

    if (call == NULL && number <= verify->last_call && !verify->has_holes) {
        rcs_diverges(verify, "the call has ended already", NULL, NULL);
        return;
    }
    if (number > verify->last_call) {
        verify->last_call = number;
        verify->verdict.calls++;
    }
    snprintf(reason, sizeof reason, "%.*s", (int)(raw.size < 200 ? raw.size : 200), raw.data);
    rcs_diverges(verify, "the program broke the call off", "a row", reason);
    if (call != NULL) {
        rcs_replay_forget(verify, call);
    }
}

void rcs_replay(struct rcs_verify *verify)
{
    uint64_t number = (uint64_t)rcs_record_get(&verify->record, RCS_KEY_CALL);
    struct rcs_walked *call;

    if (verify->record.kind == RCS_KIND_PRECONDITION) {
        begin_call(verify);
        return;
    }
    call = *slot_of(verify, number);
    if (verify->record.kind == RCS_KIND_OUTCOME && (call == NULL || call->judge == NULL)) {
        rcs_budgets_forget(verify); /* what it took, nobody has followed */
    }
    if (verify->record.kind == RCS_KIND_BROKEN) {
        replay_broken(verify, number, call);
        return;
    }
    if (call == NULL) {
        if (!verify->has_holes) {
            rcs_diverges(verify, "the call has not begun, or has ended already", NULL, NULL);
        }
        return;
    }
    if (call->judge != NULL && !replay(verify, call)) {
        call->judge = NULL; /* the first divergence is enough */
    }
    if (verify->record.kind == RCS_KIND_REPORTED) {
        rcs_replay_forget(verify, call);
    }
}
