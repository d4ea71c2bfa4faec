/* One decision beside the model: `seen` has to be what the model says of `call`. */
#ifndef RCS_SIM_WALK_H
#define RCS_SIM_WALK_H

#include "tests/sim/world.h"

void sim_walk(struct world *world, struct sim_call *call, const struct recourse_observation *seen);

#endif
