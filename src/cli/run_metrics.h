/* `recourse run --metrics`. */
#ifndef RCS_RUN_METRICS_H
#define RCS_RUN_METRICS_H

#include <recourse/metrics.h>

/* Puts the counters in the place of what is in the file, and frees them. False, with a line on stderr, if that fails. `path`
   NULL: nothing is wanted. */
bool rcs_run_metrics_write(struct recourse_metrics *metrics, const char *path);

#endif
