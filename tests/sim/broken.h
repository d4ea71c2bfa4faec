/*
 * Worlds that are broken on purpose: at the port, at the policy's tables, at what the host is called with. Each has to be
 * found, and by the invariant that is named beside it; or else the simulator sees less than it claims.
 */
#ifndef RCS_SIM_BROKEN_H
#define RCS_SIM_BROKEN_H

#include "tests/sim/world.h"

enum sim_breakage {
    SIM_BROKEN_EARLY,     /* the port's clock runs ahead */
    SIM_BROKEN_OVERSLEEP, /* a poll wakes long after it was asked to */
    SIM_BROKEN_DROPS,     /* an answer is dropped in silence, and no deadline ends the exchange */
    SIM_BROKEN_RESEND,    /* a request that was cut off is sent a second time within its try */
    SIM_BROKEN_UNSENT,    /* of a request that is cancelled, that nothing of it was sent */
    SIM_BROKEN_INVENTS,   /* another status than the server's */
    SIM_BROKEN_BODY,      /* a byte of the arguments is another one */
    SIM_BROKEN_KEY,       /* each try has a key of its own */
    SIM_BROKEN_ONCE_MORE, /* the compiled policy tries once more than the written one */
    SIM_BROKEN_UNSAFE,    /* the compiled policy takes every tool for a safe one */
    SIM_BROKEN_REVIVE,    /* the compiled policy goes on trying after cancelling */
    SIM_BROKEN_LONGER,    /* its waits are longer than written */
    SIM_BROKEN_ROW,       /* it cites another row */
    SIM_BROKEN_TWO_RESULTS, /* a result is delivered twice */
    SIM_BROKEN_NO_RESULT, /* a result is not delivered */
    SIM_BROKEN_LEAK,      /* memory that is given back does not come back */
    SIM_BROKEN_HOARD,     /* the runner is given a larger bound than it should keep */
    SIM_BROKEN_LIMIT,     /* likewise of tries at once */
    SIM_BROKEN_YES,       /* a refusal is taken for a yes */
    SIM_BROKEN_COUNT
};

struct sim_broken {
    const char *name;
    enum sim_breakage what;
    enum sim_invariant found_by;
};
extern const struct sim_broken sim_broken[SIM_BROKEN_COUNT];
const struct sim_broken *sim_broken_named(const char *name);

/* True if this world is broken so, and now: it is right most of the time. */
bool sim_breaks(struct world *world, enum sim_breakage what);
bool sim_is_broken(const struct world *world, enum sim_breakage what);

/* Alters a policy before the runner gets it. */
void sim_break_policy(struct world *world, struct sim_policy *policy);

#endif
