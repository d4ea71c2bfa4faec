/* What the tests of the runner share: a runner on a simulated port with a policy that is the toy's, bent a little. */
#ifndef RCS_RUN_KIT_H
#define RCS_RUN_KIT_H

#include "tests/unit/sim_port.h"
#include "tests/unit/toy_policy.h"
#include "tests/unit/unit.h"

#define KIT_START_MS 1000u
#define KIT_CALLS_MAX 64u
#define REMINDER "Do not retry this exact tool call." /* of the toy policy */

/*
 * The toy policy, but a call that is cancelled tells the model, and calls that have failed before may be refused. A
 * test bends it further by its rows and settings.
 */
struct kit_policy {
    struct recourse_policy policy;
    struct recourse_row rows[TOY_ROW_COUNT];
};
void kit_policy_init(struct kit_policy *policy);

struct kit {
    struct sim sim;
    struct kit_policy policy;
    struct recourse_runner *runner;
    struct recourse_run *run;
    size_t order[KIT_CALLS_MAX]; /* indexes of results, as they came */
    uint64_t at_ms[KIT_CALLS_MAX];
    size_t results;
    unsigned done;
    char log[4096]; /* one word a decision: "id:row,row" */
};

/* Options with the kit's port and policy, and its observer. */
void kit_options(struct kit *kit, struct recourse_runner_options *options);
/* A clean kit at KIT_START_MS, with its options: a test sets more of them, and opens it. */
void kit_init(struct kit *kit, struct recourse_runner_options *options);
/* `options` NULL: those of kit_init, which is done first. */
void kit_open(struct kit *kit, const struct recourse_runner_options *options);
/* Opens it with these limits (0: the default) and four safe tools, named after what becomes of a try: "fine" after 10 ms,
   "silent", "unsent", "busy" at once. */
void kit_open_four(struct kit *kit, unsigned tries_at_once, unsigned calls_max, size_t memory_max, size_t body_max);
void kit_close(struct kit *kit);

/* A POST tool at "http://NAME/". */
void kit_http(struct kit *kit, const char *name, bool safe);
void kit_function(struct kit *kit, const char *name, recourse_function *function, void *user, bool blocking);

struct recourse_span kit_span(const char *text);
struct recourse_call_request kit_call(const char *id, const char *name, const char *arguments);
/* A turn with the kit's callbacks. */
struct recourse_turn_options kit_turn(struct kit *kit, const struct recourse_call_request *calls, size_t count);
struct recourse_turn *kit_start(struct kit *kit, const struct recourse_call_request *calls, size_t count);
struct recourse_turn *kit_start_one(struct kit *kit, const char *name, const char *arguments);
struct recourse_turn *kit_start_until(struct kit *kit, const struct recourse_call_request *calls, size_t count,
                                      uint64_t deadline_ms);
/* A kit with the unsafe tool "lookup", and one call of it with {"q":9007199254740993}, from start to end. */
struct recourse_turn *kit_run_one(struct kit *kit, const struct sim_answer *answers, size_t count);

/* Steps until the turn is done; fails the test if that never comes. */
void kit_finish(struct kit *kit, const struct recourse_turn *turn);
/* Steps until the clock shows `until_ms`. */
void kit_until(struct kit *kit, uint64_t until_ms);
/* Does what there is to do without moving the clock. */
void kit_settle(struct kit *kit);

/* Spans as text; a few can be in use at once. */
const char *kit_text(struct recourse_span span);
const char *kit_content(const struct recourse_turn *turn, size_t index);
/* The rows of the trail by their ids: "P1 A2 B1 A1". */
const char *kit_trail(const struct recourse_result *result);

#endif
