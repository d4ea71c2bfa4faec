/* How long a wait is: the schedule written out, and the window that jitter and the server's delay make of one entry. */
#include <string.h>

#include "gen/model.h"

/* One more step of growth: d * num / den, cut at the end only, so the exact numerator is carried. */
struct growth {
    uint64_t high; /* the exact value is (high:low) / denominator */
    uint64_t low;
};

static bool multiply(struct growth *value, uint64_t factor)
{
    uint64_t parts[4] = {value->low & 0xffffffffu, value->low >> 32, value->high & 0xffffffffu, value->high >> 32};
    uint64_t carry = 0;

    for (int i = 0; i < 4; i++) {
        parts[i] = parts[i] * factor + carry;
        carry = parts[i] >> 32;
        parts[i] &= 0xffffffffu;
    }
    value->low = parts[0] | parts[1] << 32;
    value->high = parts[2] | parts[3] << 32;
    return carry == 0;
}

static void divide(struct growth *value, uint64_t divisor)
{
    uint64_t parts[4] = {value->high >> 32, value->high & 0xffffffffu, value->low >> 32, value->low & 0xffffffffu};
    uint64_t rest = 0;

    for (int i = 0; i < 4; i++) {
        uint64_t at = rest << 32 | parts[i];

        parts[i] = at / divisor;
        rest = at % divisor;
    }
    value->high = parts[0] << 32 | parts[1];
    value->low = parts[2] << 32 | parts[3];
}

/* base * (num / den)^power, cut to whole milliseconds; false if the exact value does not fit in 128 bits on the way. */
static bool grown(uint64_t base, uint64_t num, uint64_t den, unsigned power, uint64_t *out)
{
    struct growth value = {0, base};

    for (unsigned i = 0; i < power; i++) {
        if (!multiply(&value, num)) {
            return false;
        }
    }
    for (unsigned i = 0; i < power; i++) { /* floor(floor(x / a) / b) is floor(x / (a * b)): cut once, in effect */
        divide(&value, den);
    }
    *out = value.high != 0 ? RECOURSE_FOREVER : value.low;
    return true;
}

static uint64_t capped(const struct rcs_spec_wait *wait, uint64_t delay_ms)
{
    return delay_ms < wait->cap_ms ? delay_ms : wait->cap_ms;
}

uint64_t *rcs_schedule(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_spec_wait *wait,
                       uint16_t *count, bool *ends, struct rcs_findings *findings)
{
    size_t length = wait->grows && spec->settings.tries > wait->delay_count ? spec->settings.tries : wait->delay_count;
    uint64_t *delays = rcs_arena_alloc(arena, length * sizeof *delays);
    uint64_t last = wait->delays_ms[wait->delay_count - 1];

    *ends = !wait->grows;
    for (size_t i = 0; i < wait->delay_count; i++) {
        delays[i] = capped(wait, wait->delays_ms[i]);
    }
    for (size_t i = wait->delay_count; i < length; i++) {
        if (delays[i - 1] == wait->cap_ms) {
            delays[i] = wait->cap_ms;
            continue;
        }
        if (!grown(last, wait->growth_num, wait->growth_den, (unsigned)(i + 1 - wait->delay_count), &delays[i])) {
            rcs_find(findings, RCS_ERROR, "arithmetic", wait->delays_place, wait->id, NULL,
                     "delay %zu of wait '%s' can't be computed exactly; give an 'up to' that is reached before", i + 1,
                     wait->id);
            return NULL;
        }
        delays[i] = capped(wait, delays[i]);
        if (delays[i] > RECOURSE_DURATION_MAX_MS) {
            rcs_find(findings, RCS_ERROR, "arithmetic", wait->delays_place, wait->id, NULL,
                     "delay %zu of wait '%s' is longer than 30 days; give an 'up to', or fewer tries", i + 1, wait->id);
            return NULL;
        }
    }
    *count = (uint16_t)length;
    return delays;
}

static uint64_t percent_of(uint64_t delay_ms, unsigned percent)
{
    return delay_ms * percent / 100; /* a delay is at most 30 days: no overflow */
}

static void jitter(const struct rcs_spec_wait *wait, uint64_t d, struct rcs_window *out)
{
    out->min_ms = d;
    out->max_ms = d;
    switch ((enum recourse_jitter)wait->jitter) {
    case RECOURSE_JITTER_FULL:
        out->min_ms = 0;
        break;
    case RECOURSE_JITTER_EQUAL:
        out->min_ms = d / 2;
        break;
    case RECOURSE_JITTER_PLUS:
        out->max_ms = percent_of(d, 100u + wait->jitter_percent);
        break;
    case RECOURSE_JITTER_MINUS:
        out->min_ms = percent_of(d, 100u - wait->jitter_percent);
        break;
    case RECOURSE_JITTER_WITHIN:
        out->min_ms = percent_of(d, 100u - wait->jitter_percent);
        out->max_ms = percent_of(d, 100u + wait->jitter_percent);
        break;
    case RECOURSE_JITTER_NONE:
    case RECOURSE_JITTER_COUNT:
        break;
    }
}

static uint64_t scheduled(const struct rcs_spec_wait *wait, unsigned index)
{
    uint64_t delay = RECOURSE_FOREVER;

    if (index < wait->delay_count) {
        return capped(wait, wait->delays_ms[index]);
    }
    if (!wait->grows) {
        return capped(wait, wait->delays_ms[wait->delay_count - 1]);
    }
    if (!grown(wait->delays_ms[wait->delay_count - 1], wait->growth_num, wait->growth_den,
               index + 1 - (unsigned)wait->delay_count, &delay)) {
        delay = RECOURSE_FOREVER; /* rcs_schedule lets this through only where the cap was reached before */
    }
    return capped(wait, delay);
}

static uint64_t clamped(uint64_t drawn_ms, uint64_t server_delay_ms, uint64_t width_ms)
{
    uint64_t above = drawn_ms + width_ms;

    return server_delay_ms < drawn_ms ? drawn_ms : server_delay_ms > above ? above : server_delay_ms;
}

void rcs_model_window(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned index,
                      uint64_t server_delay_ms, struct rcs_window *out)
{
    uint64_t d = scheduled(wait, index);

    (void)spec;
    memset(out, 0, sizeof *out);
    out->base_ms = d;
    jitter(wait, d, out);
    if (server_delay_ms == 0 || wait->server == RECOURSE_SERVER_IGNORE) {
        return;
    }
    if (wait->server == RECOURSE_SERVER_WITHIN) {
        out->base_ms = clamped(out->base_ms, server_delay_ms, wait->server_ms);
        out->min_ms = clamped(out->min_ms, server_delay_ms, wait->server_ms);
        out->max_ms = clamped(out->max_ms, server_delay_ms, wait->server_ms);
        return;
    }
    if (server_delay_ms > wait->server_ms) {
        out->stop = wait->server == RECOURSE_SERVER_OBEY_ELSE_STOP;
        return;
    }
    out->base_ms = server_delay_ms;
    out->min_ms = server_delay_ms;
    out->max_ms = percent_of(server_delay_ms, 100u + wait->server_percent);
}

void rcs_model_bounds(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned index, uint64_t *least_ms,
                      uint64_t *most_ms)
{
    bool obeys = wait->server == RECOURSE_SERVER_OBEY_ELSE_SCHEDULE || wait->server == RECOURSE_SERVER_OBEY_ELSE_STOP;
    struct rcs_window plain;
    struct rcs_window asked;

    rcs_model_window(spec, wait, index, 0, &plain);
    rcs_model_window(spec, wait, index, wait->server == RECOURSE_SERVER_WITHIN ? RECOURSE_DURATION_MAX_MS : wait->server_ms,
                     &asked);
    *least_ms = obeys && plain.min_ms > 1 ? 1 : plain.min_ms; /* a server that is obeyed may ask for a millisecond */
    *most_ms = plain.max_ms > asked.max_ms ? plain.max_ms : asked.max_ms;
}
