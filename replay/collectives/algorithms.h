/* The functions of the rows of algorithms.def: each adds the steps of `call->rank` to the plan. */
#ifndef VEF_REPLAY_COLLECTIVES_ALGORITHMS_H
#define VEF_REPLAY_COLLECTIVES_ALGORITHMS_H

#include "replay/collectives/plan.h"

#define ALGORITHM(call, name, function, needs, segment, degree, summary)                           \
    void function(const vef_collective *call, vef_plan *plan);
#define BETWEEN(call, name, function, summary)                                                     \
    void function(const vef_collective *call, vef_plan *plan);
#include "replay/collectives/algorithms.def"
#undef ALGORITHM
#undef BETWEEN

#endif
