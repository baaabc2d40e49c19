/* The blocks of Allgather and Allgatherv. */
#ifndef VEF_REPLAY_COLLECTIVES_ALLGATHER_PARTS_H
#define VEF_REPLAY_COLLECTIVES_ALLGATHER_PARTS_H

#include "replay/collectives/patterns.h"

/* Part r is the block of rank r. Of Allgatherv in the plan's scratch. */
vef_parts vef_allgather_parts(const vef_collective *call, vef_plan *plan);

#endif
