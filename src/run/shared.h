/*
 * What the calls of a runner share: budgets and breakers. One of each for every definition and sharer (the runner, a
 * server, a tool), however many policies declare it: a policy that is replaced by one with the same row goes on with what
 * there is. They stay until the runner is freed.
 */
#ifndef RCS_SHARED_H
#define RCS_SHARED_H

#include <recourse/runner.h>

#include "src/io/memory.h"

struct rcs_budget {
    struct rcs_budget *next; /* in the order in which they were first needed */
    struct recourse_budget definition; /* `id` is a copy; `line` is where it stood first */
    const char *sharer;      /* a server's or a tool's name; "" for the runner */
    uint32_t tokens;
    uint32_t least;          /* that it has ever held */
    uint64_t refused;        /* waits that were not begun */
};

struct rcs_breaker {
    struct rcs_breaker *next;
    struct recourse_breaker definition; /* without `counts`, whose bits are another policy's failures */
    const char *failures;    /* their names, each with a line feed: part of what tells definitions apart */
    const char *sharer;
    uint8_t circuit;         /* enum recourse_circuit */
    uint32_t epoch;          /* counts changes: what was begun before one is no evidence after it */
    uint16_t failed;         /* closed: that count now */
    uint16_t under_way;      /* half open: probes, */
    uint16_t passed;         /* and those that came back */
    uint64_t until_ms;       /* open: until then */
    uint64_t *times_ms;      /* of the last failures, a ring of opens_after; NULL where they count in a row */
    uint16_t at;
    uint64_t opened;
    uint64_t refused;        /* tries that were not begun */
};

/* What a try says of the other side. */
enum rcs_evidence { RCS_EVIDENCE_NONE = 0, RCS_EVIDENCE_GOOD = 1, RCS_EVIDENCE_BAD = 2 };

struct rcs_shared {
    const struct recourse_allocator *allocator;
    struct rcs_budget *budgets;
    struct rcs_breaker *breakers;
};

/* The one of that definition and sharer, made if it was not there. NULL: no memory. */
struct rcs_budget *rcs_shared_budget(struct rcs_shared *shared, const struct recourse_budget *definition,
                                     const char *sharer);
struct rcs_breaker *rcs_shared_breaker(struct rcs_shared *shared, const struct recourse_policy *policy, unsigned index,
                                       const char *sharer);
void rcs_shared_clear(struct rcs_shared *shared);

/* Whether a try may begin now. An open one that has stayed so for long enough is half open from now on. */
bool rcs_breaker_allows(struct rcs_breaker *breaker, uint64_t now_ms);
/* A try begins: returns what rcs_breaker_end wants to know about when. */
uint32_t rcs_breaker_begin(struct rcs_breaker *breaker);
/* It has ended, or touched nothing. */
void rcs_breaker_end(struct rcs_breaker *breaker, uint32_t epoch, enum rcs_evidence evidence, uint64_t now_ms);

#endif
