/* Reduce_scatter and Reduce_scatter_block on a ring (p ranks, n bytes in all): each block goes once
 * round and is combined on the way, until it is where it belongs: p-1 rounds of one block, between
 * neighbours; for operations that commute. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_reduce_scatter_ring(const vef_collective *call, vef_plan *plan) {
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    const vef_circle circle = vef_circle_from(call, 0);
    const vef_ring_blocks turn = {vef_rank_behind(call, 1), 1, 0, 1, true};
    vef_ring_turn(plan, &circle, &parts, turn);
}
