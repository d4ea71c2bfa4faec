#include <string.h>

#include "call_internal.h"
#include "policy_internal.h"
#include "wait.h"

/*
 * A saved call, 96 bytes, numbers little-endian:
 *
 *    0  3  "RCL"
 *    3  1  version, "2"
 *    4 32  behaviour digest of the policy
 *   36  8  milliseconds left until the deadline; all ones: none
 *   44  8  milliseconds left until `wake_ms`; all ones: none
 *   52  8  waited_ms
 *   60  2  state
 *   62  2  event
 *   64  2  http
 *   66  1  try_number
 *   67  1  flags
 *   68 16  uses
 *   84  1  last_wait
 *   85  3  zero
 *   88  8  FNV-1a, 64 bits, of all the bytes before
 *
 * Times are what is left of them: another machine's clock begins elsewhere.
 */
enum offset {
    AT_VERSION = 3,
    AT_DIGEST = 4,
    AT_DEADLINE = 36,
    AT_WAKE = 44,
    AT_WAITED = 52,
    AT_STATE = 60,
    AT_EVENT = 62,
    AT_HTTP = 64,
    AT_TRY = 66,
    AT_FLAGS = 67,
    AT_USES = 68,
    AT_LAST = 84,
    AT_ZERO = 85,
    AT_SUM = 88
};

static const uint8_t magic[4] = {'R', 'C', 'L', '2'};

_Static_assert(AT_SUM + 8 == RECOURSE_CALL_SAVED_SIZE, "the sum ends a saved call");
_Static_assert(AT_USES + RECOURSE_WAITS_MAX == AT_LAST, "one byte for each wait");

static void put(uint8_t *bytes, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

static uint64_t get(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    return value;
}

static uint64_t sum_of(const uint8_t *bytes)
{
    uint64_t sum = 0xcbf29ce484222325u;

    for (size_t i = 0; i < AT_SUM; i++) {
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    }
    return sum;
}

static uint64_t left_until(uint64_t time_ms, uint64_t now_ms)
{
    if (time_ms == RECOURSE_FOREVER) {
        return RECOURSE_FOREVER;
    }
    return time_ms > now_ms ? time_ms - now_ms : 0;
}

/* Whether the call's fields can be those of a call that rests in this state. */
static bool is_sound(const struct recourse_call *call, const struct recourse_policy *policy)
{
    const unsigned place = recourse_call_place(call, policy);
    unsigned uses = 0;

    for (unsigned i = 0; i < RECOURSE_WAITS_MAX; i++) {
        if (i >= policy->wait_count && call->uses[i] != 0) {
            return false;
        }
        uses += call->uses[i];
    }
    if (call->state >= policy->state_count || call->event >= RECOURSE_EVENT_FAILURE + policy->failure_count ||
        (call->flags & RCS_CALL_BEGUN) == 0 || (call->flags & ~RCS_CALL_FLAGS) != 0 ||
        call->try_number > policy->settings.tries || call->last_wait > policy->wait_count ||
        (call->last_wait == 0 ? uses > 0 : call->uses[call->last_wait - 1] == 0) ||
        (place != RECOURSE_BACKOFF && (call->flags & RCS_CALL_NEW_SESSION) != 0)) {
        return false;
    }
    /* Each try but the first had one wait before it. */
    switch (place) {
    case RECOURSE_PRECONDITION:
        return call->try_number == 0 && uses == 0 && call->wake_ms == RECOURSE_FOREVER &&
               (call->flags & RCS_CALL_ACTED) == 0;
    case RECOURSE_ATTEMPT:
        return call->try_number == policy->states[call->state].try_number && uses + 1 == call->try_number &&
               call->wake_ms <= call->deadline_ms;
    case RECOURSE_BACKOFF:
        return call->try_number == policy->states[call->state].try_number && uses == call->try_number &&
               call->wake_ms <= call->deadline_ms;
    case RECOURSE_REPORTED:
        return call->wake_ms == RECOURSE_FOREVER && (uses == call->try_number || uses + 1 == call->try_number);
    default:
        return false; /* nobody rests in exhausted */
    }
}

int recourse_call_save(const struct recourse_call *call, const struct recourse_policy *policy, uint64_t now_ms,
                       uint8_t *bytes, size_t size)
{
    if (call == NULL || bytes == NULL || rcs_policy_check_format(policy) != RECOURSE_OK) {
        return RECOURSE_E_ARGUMENT;
    }
    if (size < RECOURSE_CALL_SAVED_SIZE) {
        return RECOURSE_E_LIMIT;
    }
    if (call->policy_tag != rcs_policy_tag(policy)) {
        return RECOURSE_E_POLICY;
    }
    if (!is_sound(call, policy)) {
        return RECOURSE_E_ARGUMENT;
    }
    memset(bytes, 0, RECOURSE_CALL_SAVED_SIZE);
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + AT_DIGEST, policy->behaviour_sha256, sizeof policy->behaviour_sha256);
    put(bytes + AT_DEADLINE, left_until(call->deadline_ms, now_ms), 8);
    put(bytes + AT_WAKE, left_until(call->wake_ms, now_ms), 8);
    put(bytes + AT_WAITED, call->waited_ms, 8);
    put(bytes + AT_STATE, call->state, 2);
    put(bytes + AT_EVENT, call->event, 2);
    put(bytes + AT_HTTP, call->http, 2);
    put(bytes + AT_TRY, call->try_number, 1);
    put(bytes + AT_FLAGS, call->flags, 1);
    memcpy(bytes + AT_USES, call->uses, sizeof call->uses);
    put(bytes + AT_LAST, call->last_wait, 1);
    put(bytes + AT_SUM, sum_of(bytes), 8);
    return RECOURSE_OK;
}

static int check_saved(const struct recourse_policy *policy, const uint8_t *bytes, size_t size)
{
    if (size != RECOURSE_CALL_SAVED_SIZE || memcmp(bytes, magic, AT_VERSION) != 0) {
        return RECOURSE_E_SYNTAX;
    }
    if (bytes[AT_VERSION] != magic[AT_VERSION]) {
        return RECOURSE_E_ABI; /* before the sum: another version may end otherwise */
    }
    if (get(bytes + AT_SUM, 8) != sum_of(bytes) || get(bytes + AT_ZERO, 3) != 0) {
        return RECOURSE_E_SYNTAX;
    }
    return memcmp(bytes + AT_DIGEST, policy->behaviour_sha256, sizeof policy->behaviour_sha256) != 0 ? RECOURSE_E_POLICY
                                                                                                     : RECOURSE_OK;
}

int recourse_call_load(struct recourse_call *call, const struct recourse_policy *policy, uint64_t now_ms,
                       const uint8_t *bytes, size_t size)
{
    struct recourse_call loaded = {0};
    int error;

    if (call == NULL || bytes == NULL || rcs_policy_check_format(policy) != RECOURSE_OK) {
        return RECOURSE_E_ARGUMENT;
    }
    error = check_saved(policy, bytes, size);
    if (error != RECOURSE_OK) {
        return error;
    }
    loaded.deadline_ms = rcs_add_ms(now_ms, get(bytes + AT_DEADLINE, 8));
    loaded.wake_ms = rcs_add_ms(now_ms, get(bytes + AT_WAKE, 8));
    loaded.waited_ms = get(bytes + AT_WAITED, 8);
    loaded.policy_tag = rcs_policy_tag(policy);
    loaded.state = (uint16_t)get(bytes + AT_STATE, 2);
    loaded.event = (uint16_t)get(bytes + AT_EVENT, 2);
    loaded.http = (uint16_t)get(bytes + AT_HTTP, 2);
    loaded.try_number = bytes[AT_TRY];
    loaded.flags = bytes[AT_FLAGS];
    memcpy(loaded.uses, bytes + AT_USES, sizeof loaded.uses);
    loaded.last_wait = bytes[AT_LAST];
    if (!is_sound(&loaded, policy)) {
        return RECOURSE_E_SYNTAX;
    }
    *call = loaded;
    return RECOURSE_OK;
}
