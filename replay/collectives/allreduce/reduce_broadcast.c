/* Allreduce: to rank 0, then back.
 *
 * reduce-broadcast: a reduce and a bcast, each with the algorithm that is chosen for it. Keeps the
 * order of operands where the chosen reduce does. linear: p-1 messages to rank 0, combined in
 * order, then p-1 messages back at once. binomial: a binomial tree, and a mirrored one back, as in
 * Open MPI's non-blocking Allreduce. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/trees.h"
#include "traces/event.h"

void vef_allreduce_reduce_broadcast(const vef_collective *call, vef_plan *plan) {
    vef_collective part = *call;
    part.root = 0;
    part.call = VEF_CALL_Reduce;
    vef_add_noted(plan, &part);
    part.call = VEF_CALL_Bcast;
    vef_add_noted(plan, &part);
}

void vef_allreduce_linear(const vef_collective *call, vef_plan *plan) {
    const vef_parts whole = vef_parts_whole(call->bytes);
    if (call->rank > 0) {
        vef_add_parts(plan, VEF_STEP_SEND, 0, &whole, 0, 1, vef_now(plan));
        vef_add_parts(plan, VEF_STEP_RECEIVE, 0, &whole, 0, 1, vef_now(plan));
        return;
    }
    for (uint32_t from = 1; from < call->size; from++) {
        vef_add_parts(plan, VEF_STEP_RECEIVE, from, &whole, 0, 1, vef_now(plan));
        vef_add_parts(plan, VEF_STEP_REDUCE, from, &whole, 0, 1, vef_now(plan));
    }
    const uint32_t now = vef_now(plan);
    for (uint32_t to = 1; to < call->size; to++)
        vef_add_parts(plan, VEF_STEP_SEND, to, &whole, 0, 1, now);
}

void vef_allreduce_binomial(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, 0);
    const vef_parts whole = vef_parts_whole(call->bytes);
    vef_tree_up(plan, &circle, &whole, true);
    const vef_tree back = vef_tree_mirrored(plan, &circle);
    vef_pipeline_down(plan, &back, &whole);
}
