/* How tries end: facts and the failure that they are, the wait that is drawn from it, and where the call goes. */
#include "src/audit/verify_internal.h"

#include "src/core/wait.h"

/* How a try ended, as the model takes it. */
struct ending {
    struct rcs_case at;
    uint8_t effect;
    uint16_t fact_row;
    uint16_t failure;
};

static void end_stopped(const struct rcs_walked *call, struct ending *ending, uint16_t event, bool sent)
{
    ending->at = (struct rcs_case){.event = event, .safe = !sent || call->safe, .acted_now = sent};
    ending->effect = sent ? RECOURSE_EFFECT_UNKNOWN : RECOURSE_EFFECT_NONE;
}

static bool end_without_facts(struct rcs_verify *verify, const struct rcs_walked *call, struct ending *ending)
{
    const struct rcs_record *record = &verify->record;
    uint64_t at_ms = (uint64_t)rcs_record_get(record, RCS_KEY_AT);
    bool sent = rcs_record_true(record, RCS_KEY_SENT);

    if (call->late) {
        end_stopped(call, ending, RECOURSE_EVENT_DEADLINE, false);
        return rcs_expect_number(verify, RCS_KEY_AT, call->at_ms) && rcs_expect_flag(verify, RCS_KEY_SENT, false);
    }
    if (rcs_record_is(record, RCS_KEY_EVENT, "cancelled")) {
        end_stopped(call, ending, RECOURSE_EVENT_CANCELLED, sent);
        return true;
    }
    if (rcs_record_is(record, RCS_KEY_EVENT, "unrecorded")) { /* and later there was room for records again */
        end_stopped(call, ending, RECOURSE_EVENT_UNRECORDED, false);
        return rcs_expect_flag(verify, RCS_KEY_SENT, false);
    }
    end_stopped(call, ending, RECOURSE_EVENT_DEADLINE, sent);
    return rcs_walked_is_late(call, at_ms) ||
           rcs_diverges(verify, "a try without facts ends by a deadline or by being cancelled", NULL, NULL);
}

/* What the server has asked for; 0: nothing, and then there is no word of it. */
static bool expect_delay(struct rcs_verify *verify, uint64_t server_ms)
{
    return rcs_expect_number(verify, RCS_KEY_SERVER_DELAY, server_ms > 0 ? server_ms : RECOURSE_FOREVER);
}

static bool end_with_facts(struct rcs_verify *verify, const struct rcs_walked *call, struct ending *ending)
{
    const struct rcs_spec *spec = call->judge->spec;
    struct rcs_refacts seen;
    bool acted;

    if (call->late) {
        return rcs_diverges(verify, "nothing was tried: the deadline had come", NULL, NULL);
    }
    if (!rcs_refacts(verify, call, &seen)) {
        return false;
    }
    if (seen.facts.timeout == RECOURSE_TIMEOUT_TOTAL &&
        rcs_walked_is_late(call, (uint64_t)rcs_record_get(&verify->record, RCS_KEY_AT))) {
        end_stopped(call, ending, RECOURSE_EVENT_DEADLINE, !seen.facts.unsent);
        return expect_delay(verify, 0);
    }
    if (!expect_delay(verify, seen.server_delay_ms)) {
        return false;
    }
    if (seen.fact_row == RECOURSE_NONE) {
        ending->at = (struct rcs_case){.event = RECOURSE_EVENT_OK, .safe = true, .acted_now = true};
        ending->effect = RECOURSE_EFFECT_DONE;
        return true;
    }
    ending->fact_row = seen.fact_row;
    ending->failure = spec->fact_rows[seen.fact_row].failure;
    ending->effect = spec->failures[ending->failure].effect;
    acted = ending->effect != RECOURSE_EFFECT_NONE;
    ending->at = (struct rcs_case){.event = (uint16_t)(RECOURSE_EVENT_FAILURE + ending->failure),
                                   .safe = !acted || call->safe,
                                   .acted_now = acted};
    return true;
}

/* The wait that 64 random bits draw from a window, both ends included. */
static uint64_t drawn(uint64_t random, uint64_t low, uint64_t high)
{
    uint64_t size = high - low + 1;

    return low + ((random >> 32) * (size >> 32)) + ((random >> 32) * (size & 0xffffffffu) >> 32);
}

static uint64_t draw(const struct rcs_walked *call, const struct rcs_spec_wait *wait, unsigned index,
                     uint64_t server_ms, uint64_t random)
{
    struct rcs_window schedule;
    uint64_t wait_ms;

    if (wait->server != RECOURSE_SERVER_WITHIN || server_ms == 0) {
        return drawn(random, call->window.min_ms, call->window.max_ms);
    }
    rcs_model_window(call->judge->spec, wait, index, 0, &schedule);
    wait_ms = drawn(random, schedule.min_ms, schedule.max_ms);
    if (server_ms < wait_ms) {
        return wait_ms;
    }
    return server_ms < wait_ms + wait->server_ms ? server_ms : wait_ms + wait->server_ms;
}

static uint64_t random_of(const struct rcs_record *record)
{
    uint8_t bytes[8] = {0};
    uint64_t random = 0;

    (void)rcs_record_hex(record, RCS_KEY_RANDOM, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        random = random << 8 | bytes[i];
    }
    return random;
}

/* A wait is due, and one is left: draws it, and says why it can't be begun. */
static uint8_t plan_wait(struct rcs_verify *verify, struct rcs_walked *call, const struct rcs_spec_row *row)
{
    const struct rcs_record *record = &verify->record;
    const struct rcs_spec_wait *wait = &call->judge->spec->waits[row->wait];
    unsigned index = wait->by_uses ? call->history.uses[row->wait] : call->history.tries - 1u;
    uint64_t server_ms = (uint64_t)rcs_record_get(record, RCS_KEY_SERVER_DELAY);

    rcs_model_window(call->judge->spec, wait, index, server_ms, &call->window);
    if (call->window.stop) {
        return RECOURSE_REASON_ASKED_TOO_LONG;
    }
    if (!rcs_budgets_allow(verify, call->judge->spec, wait)) {
        return RECOURSE_REASON_OVER_BUDGET;
    }
    call->wait_ms = draw(call, wait, index, server_ms, random_of(record));
    call->wake_ms = rcs_add_ms((uint64_t)rcs_record_get(record, RCS_KEY_AT), call->wait_ms);
    return rcs_walked_is_late(call, call->wake_ms) ? RECOURSE_REASON_OUT_OF_TIME : RECOURSE_REASON_NONE;
}

static bool walk_failure(struct rcs_verify *verify, struct rcs_walked *call, struct rcs_case *at)
{
    struct rcs_hit hit = rcs_model_row(call->judge->spec, &call->history, at);
    struct rcs_history ahead = call->history;
    bool spent = false;

    at->may_wait = true;
    if (hit.count > 0 && call->judge->spec->rows[hit.row].next == RCS_NEXT_BACKOFF_OR_EXHAUSTED) {
        (void)rcs_model_move(call->judge->spec, &ahead, at, &spent);
        rcs_budgets_fail(verify, call->judge->spec, &call->judge->spec->waits[call->judge->spec->rows[hit.row].wait]);
        if (ahead.place == RECOURSE_BACKOFF) {
            call->reason = plan_wait(verify, call, &call->judge->spec->rows[hit.row]);
            at->may_wait = call->reason == RECOURSE_REASON_NONE;
            if (at->may_wait) {
                call->last_wait = call->judge->spec->rows[hit.row].wait;
                rcs_budgets_wait(verify, &call->judge->spec->waits[call->last_wait]);
            }
        }
    }
    return rcs_walked_move(verify, call, at);
}

bool rcs_expect_outcome(struct rcs_verify *verify, struct rcs_walked *call)
{
    const struct rcs_spec *spec = call->judge->spec;
    struct ending ending = {.fact_row = RECOURSE_NONE, .failure = RECOURSE_NONE};
    bool has_facts = !rcs_record_has(&verify->record, RCS_KEY_SENT);
    bool failed;

    call->reason = RECOURSE_REASON_NONE;
    if (!rcs_expect_try(verify, call) || !(has_facts ? end_with_facts(verify, call, &ending)
                                                 : end_without_facts(verify, call, &ending))) {
        return false;
    }
    failed = ending.failure != RECOURSE_NONE;
    if (!rcs_expect_text(verify, RCS_KEY_FACT_ROW, failed ? spec->fact_rows[ending.fact_row].id : NULL) ||
        !rcs_expect_text(verify, RCS_KEY_FAILURE, failed ? spec->failures[ending.failure].name : NULL) ||
        !rcs_expect_text(verify, RCS_KEY_EFFECT, recourse_effect_name(ending.effect))) {
        return false;
    }
    if (rcs_record_has(&verify->record, RCS_KEY_RANDOM) != failed) {
        return rcs_diverges(verify, "random", failed ? "a number" : "-", failed ? "-" : "a number");
    }
    if (has_facts && !rcs_budgets_begin(verify, spec)) {
        return false;
    }
    if (ending.at.event == RECOURSE_EVENT_OK) {
        rcs_budgets_give(verify, spec, call->last_wait);
    }
    if (!walk_failure(verify, call, &ending.at) || (has_facts && !rcs_budgets_end(verify, spec)) ||
        !rcs_expect_move(verify, call, call->event, call->row, RECOURSE_ATTEMPT, call->history.place)) {
        return false;
    }
    call->late = false;
    call->at_ms = (uint64_t)rcs_record_get(&verify->record, RCS_KEY_AT);
    call->want = call->history.place == RECOURSE_BACKOFF     ? RCS_KIND_WAIT
                 : call->history.place == RECOURSE_EXHAUSTED ? RCS_KIND_EXHAUSTED
                                                             : RCS_KIND_REPORTED;
    return true;
}
