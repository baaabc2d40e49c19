/* Scatter and Scatterv (Thakur, Rabenseifner, Gropp 2005; p ranks, n bytes at the root).
 *
 * binomial: ceil(log2 p) rounds; n(p-1)/p bytes leave the root.
 * linear, for Scatterv, where only the root knows the counts: p-1 messages at once, none to ranks
 * that get nothing. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_scatter_binomial(const vef_collective *call, vef_plan *plan) {
    uint32_t root = (uint32_t)call->root;
    vef_circle circle = vef_circle_from(call, root);
    vef_parts parts = vef_parts_pieces(call->size, call->bytes, root);
    vef_tree_down(plan, &circle, &parts, false);
}

void vef_scatterv_linear(const vef_collective *call, vef_plan *plan) {
    uint32_t root = (uint32_t)call->root;
    if (call->rank != root) {
        if (call->bytes == 0)
            return;
        vef_add_step(plan, VEF_STEP_RECEIVE, root, call->bytes, 0);
        vef_note_block(plan, call->rank, 0, call->bytes);
        return;
    }
    for (uint32_t to = 0; to < call->size; to++) {
        if (to == root || call->send_bytes[to] == 0)
            continue;
        vef_add_step(plan, VEF_STEP_SEND, to, call->send_bytes[to], 0);
        vef_note_block(plan, to, 0, call->send_bytes[to]);
    }
}
