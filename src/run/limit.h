/*
 * Limits on tries at once. Each tool has one, or each server whose tools name it; over all of them stands the runner's.
 * Within one the calls that wait are served in the order in which they came; the limits take turns.
 */
#ifndef RCS_LIMIT_H
#define RCS_LIMIT_H

#include "src/core/list.h"
#include "src/tools/tools.h"

struct rcs_limit {
    struct rcs_limit *next;
    unsigned max;            /* 0: none */
    unsigned tries;          /* under way; those that were stopped and whose tool still runs count, too */
    struct rcs_link queue;   /* of what waits for leave, oldest first */
    struct rcs_link ready;   /* in rcs_limits.ready exactly while something waits here and there is room */
    struct rcs_link lingers; /* tries that still run although their calls are gone */
    char server[];           /* "": of one tool */
};

struct rcs_limits {
    struct rcs_limit *first;
    struct rcs_link ready; /* limits, in the order of their turns */
    const struct recourse_allocator *allocator;
};

void rcs_limits_init(struct rcs_limits *limits, const struct recourse_allocator *allocator);
/* Forgets the tries that linger. Nothing may be under way or wait. */
void rcs_limits_clear(struct rcs_limits *limits);
/* The limit for a tool of this configuration. Errors: RECOURSE_E_MEMORY, RECOURSE_E_ARGUMENT (another number for a server
   that has one). */
RECOURSE_MUST_USE int rcs_limits_join(struct rcs_limits *limits, const struct recourse_tool *config,
                                      struct rcs_limit **limit, struct recourse_error *error);

/* Whether one who comes now need not wait: there is room, and nobody stands before them. */
bool rcs_limits_pass(const struct rcs_limits *limits, const struct rcs_limit *limit);
void rcs_limits_wait(struct rcs_limits *limits, struct rcs_limit *limit, struct rcs_link *link);
void rcs_limits_give_up(struct rcs_limits *limits, struct rcs_limit *limit, struct rcs_link *link);
/* Takes out the one whose turn it is; NULL: nobody waits where there is room. */
struct rcs_link *rcs_limits_take(struct rcs_limits *limits);

void rcs_limits_begin(struct rcs_limits *limits, struct rcs_limit *limit);
void rcs_limits_end(struct rcs_limits *limits, struct rcs_limit *limit);
/* A call goes while the tool of its stopped try still runs: the try counts until that has ended. */
void rcs_limits_linger(struct rcs_limits *limits, struct rcs_limit *limit, struct rcs_try *try);

#endif
