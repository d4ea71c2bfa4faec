/* A wait drawn anew from what an outcome says, and why it can't be begun. */
#include "src/audit/verify_internal.h"

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
uint8_t rcs_plan_wait(struct rcs_verify *verify, struct rcs_walked *call, const struct rcs_spec_row *row)
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
    call->wake_ms = rcs_later((uint64_t)rcs_record_get(record, RCS_KEY_AT), call->wait_ms);
    return rcs_is_late(call, call->wake_ms) ? RECOURSE_REASON_OUT_OF_TIME : RECOURSE_REASON_NONE;
}
