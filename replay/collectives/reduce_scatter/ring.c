/* Reduce_scatter and Reduce_scatter_block on a ring (p ranks, n bytes in all): each block goes once
 * round and is combined on the way, until it is where it belongs: p-1 rounds of one block, between
 * neighbours; for operations that commute. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_reduce_scatter_ring(const vef_collective *call, vef_plan *plan) {
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    const uint32_t size = call->size, right = vef_rank_ahead(call, 1),
                   left = vef_rank_behind(call, 1);
    for (uint32_t round = 1, held = left; round < size; round++) {
        const uint32_t taken = held ? held - 1 : size - 1;
        vef_exchange(plan, &parts, right, held, 1, left, taken, 1);
        vef_add_parts(plan, VEF_STEP_REDUCE, left, &parts, taken, 1, vef_now(plan));
        held = taken;
    }
}
