/* Reduce_scatter and Reduce_scatter_block: reduce of all blocks to rank 0, then a scatter of
 * them.
 *
 * reduce-scatter: both as chosen for so many bytes. Keeps the order of operands where the reduce
 * does. binomial-linear, in Open MPI's non-blocking calls: along a binomial tree, then a message to
 * every other rank. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

void vef_reduce_scatter_reduce_then_scatter(const vef_collective *call, vef_plan *plan) {
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    const uint32_t first = vef_now(plan);
    const bool equal = !vef_call_has(call->call, VEF_FACT_RECEIVES_EACH);
    vef_collective part = *call;
    part.call = VEF_CALL_Reduce;
    part.root = 0;
    part.bytes = vef_parts_bytes(&parts, 0, parts.count);
    part.elements = equal ? call->elements * call->size : call->elements;
    part.receive_bytes = NULL;
    vef_add_noted(plan, &part);
    if (!vef_reduce_scatter_blocks(call, plan, &parts)) /* the reduce has used their scratch */
        return;
    vef_note_as_pieces(plan, first, &parts);
    part.call = equal ? VEF_CALL_Scatter : VEF_CALL_Scatterv;
    part.bytes = equal ? call->bytes : call->receive_bytes[call->rank];
    part.send_bytes = equal ? NULL : call->receive_bytes;
    vef_add_noted(plan, &part);
}

void vef_reduce_scatter_binomial_linear(const vef_collective *call, vef_plan *plan) {
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
