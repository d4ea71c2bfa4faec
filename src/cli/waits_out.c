#include "waits_out.h"

#include <stdio.h>

#include "cli.h"

unsigned rcs_windows_count(const struct rcs_spec *spec, const struct rcs_spec_wait *wait)
{
    unsigned most = spec->settings.tries - 1u;

    if (!wait->grows && wait->delay_count < most) {
        most = (unsigned)wait->delay_count;
    }
    return wait->times != 0 && wait->by_uses && wait->times < most ? wait->times : most;
}

const char *rcs_windows_text(struct rcs_arena *arena, const struct rcs_spec *spec, const struct rcs_spec_wait *wait,
                             unsigned max)
{
    unsigned count = rcs_windows_count(spec, wait);
    const char *text = "";

    for (unsigned index = 0; index < count && index < max; index++) {
        char least[RCS_DURATION_SIZE];
        char most[RCS_DURATION_SIZE];
        struct rcs_window window;
        bool drawn;

        rcs_model_window(spec, wait, index, 0, &window);
        drawn = window.min_ms != window.max_ms;
        rcs_duration_text(window.min_ms, least);
        rcs_duration_text(window.max_ms, most);
        text = rcs_arena_format(arena, "%s%s%s%s%s", text, index == 0 ? "" : ", ", least, drawn ? " to " : "",
                                drawn ? most : "");
    }
    return count > max ? rcs_arena_format(arena, "%s, ...", text) : text;
}

void rcs_windows_print(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned max)
{
    fputs(rcs_windows_text(spec->arena, spec, wait, max), stdout);
}

void rcs_out_worst(struct rcs_out *out, const struct rcs_worst *worst)
{
    rcs_out_open(out, '{');
    rcs_out_key(out, "tries");
    rcs_out_number(out, worst->tries);
    rcs_out_key(out, "requests");
    rcs_out_number(out, worst->requests);
    rcs_out_key(out, "wait_ms");
    rcs_out_number(out, worst->wait_ms);
    rcs_out_key(out, "wait_base_ms");
    rcs_out_number(out, worst->wait_base_ms);
    rcs_out_key(out, "witness");
    rcs_out_text(out, worst->witness);
    rcs_out_close(out, '}');
}
