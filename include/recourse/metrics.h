/*
 * Counters of what was decided, as Prometheus has them in its text format (version 0.0.4):
 *
 *   recourse_calls_total{policy,digest,row,event,scenario,tell}    calls that were reported
 *   recourse_tries_total{policy,digest,row,event,scenario,effect}  tries that ended
 *   recourse_waits_total{policy,digest,row,event,scenario,wait}    waits that began
 *   recourse_wait_seconds_total{...}                               and how long they are
 *
 * `event` is the failure's name, or "ok", "cancelled", "unknown_tool" ...; `row` the policy's row; `digest` the first 16 digits
 * of the SHA-256 of its file, since two may have one name; a try's `scenario` that of what came of it. Nothing of a call, a tool or
 * a server is in them, so that their number is bounded by the policies. All of it belongs to one thread, the runner's.
 */
#ifndef RECOURSE_METRICS_H
#define RECOURSE_METRICS_H

#include <recourse/runner.h>

#ifdef __cplusplus
extern "C" {
#endif

struct recourse_metrics;

/* NULL: no memory. `allocator` (NULL: malloc) must outlive it. */
struct recourse_metrics *recourse_metrics_new(const struct recourse_allocator *allocator);
void recourse_metrics_free(struct recourse_metrics *metrics);

/* Counts a decision: to be called from the runner's `observe`. Where memory is short it is left out, and counted in
   recourse_metrics_lost_total. */
void recourse_metrics_observe(struct recourse_metrics *metrics, const struct recourse_observation *observation);

/* Hands over the text, in pieces; they live until `write` returns. */
void recourse_metrics_write(const struct recourse_metrics *metrics, void (*write)(void *user, struct recourse_span text),
                            void *user);

#ifdef __cplusplus
}
#endif
#endif
