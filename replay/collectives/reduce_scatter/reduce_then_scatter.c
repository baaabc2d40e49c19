/* Reduce_scatter and Reduce_scatter_block: reduce of all blocks to rank 0 along a binomial tree,
 * which keeps the order of operands, then a message from there to every other rank (p ranks, n
 * bytes in all): ceil(log2 p) rounds of n bytes and one of p-1 messages. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/reduce_scatter/blocks.h"

void vef_reduce_scatter_reduce_then_scatter(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, 0);
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    vef_tree_up(plan, &circle, &parts, true);
    const uint32_t now = vef_now(plan);
    if (call->rank > 0 && vef_parts_bytes(&parts, call->rank, 1))
        vef_add_parts(plan, VEF_STEP_RECEIVE, 0, &parts, call->rank, 1, now);
    for (uint32_t to = 1; call->rank == 0 && to < call->size; to++)
        if (vef_parts_bytes(&parts, to, 1))
            vef_add_parts(plan, VEF_STEP_SEND, to, &parts, to, 1, now);
}
