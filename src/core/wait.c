#include "wait.h"

/* Floor of `ms` * `percent` / 100, saturating. */
static uint64_t percent_of(uint64_t ms, uint64_t percent)
{
    const uint64_t hundreds = ms / 100;
    const uint64_t rest = ms % 100 * percent / 100;

    if (percent != 0 && hundreds > UINT64_MAX / percent) {
        return UINT64_MAX;
    }
    return rcs_add_ms(hundreds * percent, rest);
}

static void set_jitter(const struct recourse_wait *wait, uint64_t base_ms, struct recourse_window *out)
{
    const uint64_t percent = wait->jitter_percent;
    const uint64_t less = percent < 100 ? percent_of(base_ms, 100 - percent) : 0;
    const uint64_t more = percent_of(base_ms, 100 + percent);
    const struct {
        uint64_t min_ms, max_ms;
    } windows[RECOURSE_JITTER_COUNT] = {
        [RECOURSE_JITTER_NONE] = {base_ms, base_ms},      [RECOURSE_JITTER_FULL] = {0, base_ms},
        [RECOURSE_JITTER_EQUAL] = {base_ms / 2, base_ms}, [RECOURSE_JITTER_PLUS] = {base_ms, more},
        [RECOURSE_JITTER_MINUS] = {less, base_ms},        [RECOURSE_JITTER_WITHIN] = {less, more},
    };
    const unsigned kind = wait->jitter < RECOURSE_JITTER_COUNT ? wait->jitter : RECOURSE_JITTER_NONE;

    out->base_ms = base_ms;
    out->min_ms = windows[kind].min_ms;
    out->max_ms = windows[kind].max_ms;
}

/* The server's delay, not below what the schedule says and not above that by more than the width. */
static uint64_t clamp(uint64_t server_delay_ms, uint64_t schedule_ms, uint64_t width_ms)
{
    const uint64_t latest = rcs_add_ms(schedule_ms, width_ms);

    if (server_delay_ms < schedule_ms) {
        return schedule_ms;
    }
    return server_delay_ms < latest ? server_delay_ms : latest;
}

void recourse_wait_window(const struct recourse_wait *wait, unsigned index, uint64_t server_delay_ms,
                          struct recourse_window *out)
{
    const bool obeys = wait->server == RECOURSE_SERVER_OBEY_ELSE_SCHEDULE ||
                       wait->server == RECOURSE_SERVER_OBEY_ELSE_STOP;

    *out = (struct recourse_window){0};
    if (wait->delay_count == 0 || (index >= wait->delay_count && wait->ends)) {
        out->stop = true; /* an ended wait: the machine never gets here */
        return;
    }
    if (obeys && server_delay_ms > 0 && server_delay_ms <= wait->server_ms) {
        out->obeyed = true;
        out->base_ms = out->min_ms = server_delay_ms;
        out->max_ms = percent_of(server_delay_ms, 100u + wait->server_percent);
        return;
    }
    if (wait->server == RECOURSE_SERVER_OBEY_ELSE_STOP && server_delay_ms > 0) {
        out->stop = true;
        return;
    }
    set_jitter(wait, wait->delays_ms[index < wait->delay_count ? index : wait->delay_count - 1u], out);
    if (wait->server == RECOURSE_SERVER_WITHIN && server_delay_ms > 0) { /* clamping keeps the order of what is drawn */
        out->base_ms = clamp(server_delay_ms, out->base_ms, wait->server_ms);
        out->min_ms = clamp(server_delay_ms, out->min_ms, wait->server_ms);
        out->max_ms = clamp(server_delay_ms, out->max_ms, wait->server_ms);
    }
}

uint64_t rcs_draw(uint64_t random, uint64_t low, uint64_t high)
{
    const uint64_t draw = random >> 32;
    const uint64_t size = rcs_add_ms(high - low, 1);

    /* draw * size >> 32, in two halves so that no product overflows */
    return low + draw * (size >> 32) + (draw * (size & 0xffffffffu) >> 32);
}

uint64_t rcs_wait_draw(const struct recourse_wait *wait, unsigned index, uint64_t server_delay_ms, uint64_t random)
{
    const bool clamps = wait->server == RECOURSE_SERVER_WITHIN && server_delay_ms > 0;
    struct recourse_window window;
    uint64_t drawn_ms;

    recourse_wait_window(wait, index, clamps ? 0 : server_delay_ms, &window);
    drawn_ms = rcs_draw(random, window.min_ms, window.max_ms);
    return clamps ? clamp(server_delay_ms, drawn_ms, wait->server_ms) : drawn_ms;
}
