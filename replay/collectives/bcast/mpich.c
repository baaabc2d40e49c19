/* Bcast (Thakur, Rabenseifner, Gropp 2005, section 4.3; p ranks, n bytes).
 *
 * binomial: ceil(log2 p) rounds of n bytes.
 * scatter-doubling, scatter-ring: a binomial scatter of ceil(n/p) bytes a rank and an allgather
 * (van de Geijn's way): 2n(p-1)/p bytes a rank, in 2 log2 p or log2 p + p - 1 rounds.
 * hardware: the root sends one message of n bytes to all; routers send on the copies. Not MPICH's:
 * taken where the network has it and the user asks for it. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_bcast_hardware(const vef_collective *call, vef_plan *plan) {
    const uint32_t root = (uint32_t)call->root;
    const vef_step_kind kind = call->rank == root ? VEF_STEP_BROADCAST : VEF_STEP_RECEIVE;
    vef_add_step(plan, kind, root, call->bytes, 0);
    vef_note_block(plan, 0, 0, call->bytes);
}

void vef_bcast_binomial(const vef_collective *call, vef_plan *plan) {
    vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    vef_parts whole = vef_parts_whole(call->bytes);
    vef_tree_down(plan, &circle, &whole, true);
}

void vef_bcast_scatter_doubling(const vef_collective *call, vef_plan *plan) {
    vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    vef_parts parts = vef_parts_ceiling(call->size, call->bytes);
    vef_tree_down(plan, &circle, &parts, false);
    vef_doubling(plan, &circle, &parts);
}

void vef_bcast_scatter_ring(const vef_collective *call, vef_plan *plan) {
    vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    vef_parts parts = vef_parts_ceiling(call->size, call->bytes);
    vef_tree_down(plan, &circle, &parts, false);
    vef_ring(plan, &circle, &parts);
}
