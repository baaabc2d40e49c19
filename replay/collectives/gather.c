/* Gather and Gatherv (Thakur, Rabenseifner, Gropp 2005; p ranks, n bytes at the root).
 *
 * binomial: ceil(log2 p) rounds; n(p-1)/p bytes reach the root.
 * linear, for Gatherv, where a rank knows no count but its own and so no tree can be agreed on: all
 * receives posted at once, p-1 messages; ranks with nothing to give send none. (MPICH sends
 * synchronously here from 32 ranks on; plans have one kind of send.) */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_gather_binomial(const vef_collective *call, vef_plan *plan) {
    uint32_t root = (uint32_t)call->root;
    vef_circle circle = vef_circle_from(call, root);
    vef_parts parts = vef_parts_pieces(call->size, call->bytes, root);
    vef_tree_up(plan, &circle, &parts, false);
}

void vef_gatherv_linear(const vef_collective *call, vef_plan *plan) {
    uint32_t root = (uint32_t)call->root;
    if (call->rank != root) {
        if (call->bytes == 0)
            return;
        vef_add_step(plan, VEF_STEP_SEND, root, call->bytes, 0);
        vef_note_block(plan, call->rank, 0, call->bytes);
        return;
    }
    for (uint32_t from = 0; from < call->size; from++) {
        if (from == root || call->receive_bytes[from] == 0)
            continue;
        vef_add_step(plan, VEF_STEP_RECEIVE, from, call->receive_bytes[from], 0);
        vef_note_block(plan, from, 0, call->receive_bytes[from]);
    }
}
