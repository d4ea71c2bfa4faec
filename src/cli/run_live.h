/* The live display of `run`: a line per call on a terminal, redrawn in place, gone when the run has ended. */
#ifndef RCS_RUN_LIVE_H
#define RCS_RUN_LIVE_H

#include <recourse/runner.h>

#define RCS_LIVE_INTERVAL_MS 100u /* it is drawn no oftener */

struct rcs_live;

/* A display on descriptor `fd` for these calls. NULL if `fd` is no terminal that can do it (TERM=dumb, or none). */
struct rcs_live *rcs_live_new(int fd, const struct recourse_call_request *calls, size_t count);
void rcs_live_free(struct rcs_live *live);

/* The functions below do nothing with NULL. */
void rcs_live_observe(struct rcs_live *live, const struct recourse_observation *observation);
void rcs_live_result(struct rcs_live *live, size_t index, const struct recourse_result *result);
/* Draws, unless that was done within the interval. */
void rcs_live_draw(struct rcs_live *live, uint64_t now_ms);
/* Takes the display away, until it is drawn again. */
void rcs_live_hide(struct rcs_live *live);

/* ---- for tests ---- */

/* The lines as they would be drawn, each cut to `width` columns and ended by a line break; at most `height` of them,
   open calls first. To be freed. */
char *rcs_live_text(const struct rcs_live *live, uint64_t now_ms, unsigned width, unsigned height);
/* A display that is never written anywhere. */
struct rcs_live *rcs_live_new_hidden(const struct recourse_call_request *calls, size_t count);

#endif
