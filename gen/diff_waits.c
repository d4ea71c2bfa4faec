/* Two waits side by side. */
#include <string.h>

#include "gen/diff.h"

static bool same_window(const struct rcs_window *a, const struct rcs_window *b)
{
    return a->min_ms == b->min_ms && a->max_ms == b->max_ms;
}

static void look_at(const struct rcs_window windows[2], int by, uint64_t asked_ms, struct rcs_windows_differ *out)
{
    if (!out->longer[by] && (windows[1].max_ms > windows[0].max_ms || windows[1].min_ms > windows[0].min_ms)) {
        out->longer[by] = true;
        out->longer_ms[by] = asked_ms;
    }
    if (!out->shorter[by] && (windows[1].max_ms < windows[0].max_ms || windows[1].min_ms < windows[0].min_ms)) {
        out->shorter[by] = true;
        out->shorter_ms[by] = asked_ms;
    }
}

/* Servers ask for a little, for a lot, and on both sides of each bound that one of the policies sets. */
void rcs_diff_windows(const struct rcs_diff *diff, const struct rcs_spec_wait *const waits[2], const unsigned indexes[2],
                      struct rcs_windows_differ *out)
{
    const struct rcs_spec *specs[2] = {diff->old_spec, diff->new_spec};
    const uint64_t asked[] = {waits[0]->server_ms,     waits[1]->server_ms, waits[0]->server_ms + 1,
                              waits[1]->server_ms + 1, 1,                   RECOURSE_DURATION_MAX_MS};
    struct rcs_window unasked[2];

    memset(out, 0, sizeof *out);
    for (int side = 0; side < 2; side++) {
        rcs_model_window(specs[side], waits[side], indexes[side], 0, &unasked[side]);
    }
    look_at(unasked, RCS_BY_SCHEDULE, 0, out);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct rcs_window windows[2];

        for (int side = 0; side < 2; side++) {
            rcs_model_window(specs[side], waits[side], indexes[side], asked[i], &windows[side]);
        }
        if (!windows[0].stop && !windows[1].stop &&
            !(same_window(&windows[0], &unasked[0]) && same_window(&windows[1], &unasked[1]))) {
            look_at(windows, RCS_BY_SERVER, asked[i], out);
        }
    }
}
