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

void rcs_windows_print(const struct rcs_spec *spec, const struct rcs_spec_wait *wait, unsigned max)
{
    unsigned count = rcs_windows_count(spec, wait);

    for (unsigned index = 0; index < count && index < max; index++) {
        char least[RCS_DURATION_SIZE];
        char most[RCS_DURATION_SIZE];
        struct rcs_window window;

        rcs_model_window(spec, wait, index, 0, &window);
        rcs_duration_text(window.min_ms, least);
        rcs_duration_text(window.max_ms, most);
        printf(window.min_ms == window.max_ms ? "%s%s" : "%s%s to %s", index == 0 ? "" : ", ", least, most);
    }
    if (count > max) {
        fputs(", ...", stdout);
    }
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
