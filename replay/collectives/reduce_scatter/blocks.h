/* The blocks of Reduce_scatter and Reduce_scatter_block. */
#ifndef VEF_REPLAY_COLLECTIVES_REDUCE_SCATTER_BLOCKS_H
#define VEF_REPLAY_COLLECTIVES_REDUCE_SCATTER_BLOCKS_H

#include "replay/collectives/patterns.h"

/* Part r is the block of rank r; false when all are empty. Those of Reduce_scatter are in the
 * plan's scratch. */
bool vef_reduce_scatter_blocks(const vef_collective *call, vef_plan *plan, vef_parts *parts);

#endif
