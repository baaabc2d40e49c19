/* Bcast and Reduce along trees, in segments (p ranks, n bytes, s segments): see trees.h for shapes
 * and rounds.
 *
 * Of both, down from the root or up to it:
 * chain: `degree` chains: (p-1) / degree + s - 1 rounds. With one chain about n bytes a rank,
 * however many there are: the best for long messages. binary: two children each: about log2 p + s -
 * 1 rounds, 2n bytes a rank. Reductions along them are for operations that commute, since places
 * count from the root.
 *
 * Of Bcast:
 * linear: p-1 messages of the root at once.
 * binomial-pipelined: the mirrored binomial tree: depth floor(log2 p) + s - 1 rounds.
 * k-nomial: ceil(log_k p) rounds of n bytes to `degree` - 1 children each.
 *
 * Of Reduce, in the order of operands:
 * linear: all others send to the root, which combines one message after the other, outwards from
 * its own rank. in-order-binary: the binary tree that keeps the order of ranks; its root, rank p-1,
 * sends the result to the root. */
#include "replay/collectives/trees.h"
#include "replay/collectives/algorithms.h"
#include "traces/event.h"

static vef_circle circle_of(const vef_collective *call) {
    return vef_circle_from(call, (uint32_t)call->root);
}

static void pipeline(const vef_collective *call, vef_plan *plan, vef_tree tree) {
    const vef_parts parts = vef_parts_segments(call, plan->tuning.segment_bytes);
    if (call->call == VEF_CALL_Bcast)
        vef_pipeline_down(plan, &tree, &parts);
    else
        vef_pipeline_up(plan, &tree, &parts);
}

void vef_chain(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = circle_of(call);
    pipeline(call, plan, vef_tree_chains(plan, &circle, plan->tuning.degree));
}

void vef_binary(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = circle_of(call);
    pipeline(call, plan, vef_tree_balanced(plan, &circle, 2));
}

void vef_bcast_linear(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = circle_of(call);
    plan->tuning.segment_bytes = VEF_WHOLE;
    pipeline(call, plan, vef_tree_flat(plan, &circle));
}

void vef_bcast_binomial_pipelined(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = circle_of(call);
    pipeline(call, plan, vef_tree_mirrored(plan, &circle));
}

void vef_bcast_k_nomial(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = circle_of(call);
    pipeline(call, plan, vef_tree_k_nomial(plan, &circle, plan->tuning.degree));
}

static void take(vef_plan *plan, uint32_t from, const vef_parts *whole) {
    vef_add_parts(plan, VEF_STEP_RECEIVE, from, whole, 0, 1, vef_now(plan));
    vef_add_parts(plan, VEF_STEP_REDUCE, from, whole, 0, 1, vef_now(plan));
}

void vef_reduce_linear(const vef_collective *call, vef_plan *plan) {
    const uint32_t root = (uint32_t)call->root;
    const vef_parts whole = vef_parts_whole(call->bytes);
    if (call->rank != root) {
        vef_add_parts(plan, VEF_STEP_SEND, root, &whole, 0, 1, vef_now(plan));
        return;
    }
    for (uint32_t from = root + 1; from < call->size; from++)
        take(plan, from, &whole);
    for (uint32_t from = root; from-- > 0;)
        take(plan, from, &whole);
}

void vef_reduce_in_order_binary(const vef_collective *call, vef_plan *plan) {
    const uint32_t root = (uint32_t)call->root, top = call->size - 1;
    const vef_parts whole = vef_parts_whole(call->bytes);
    pipeline(call, plan, vef_tree_in_order(plan, call));
    if (root == top)
        return;
    if (call->rank == top)
        vef_add_parts(plan, VEF_STEP_SEND, root, &whole, 0, 1, vef_now(plan));
    else if (call->rank == root)
        vef_add_parts(plan, VEF_STEP_RECEIVE, top, &whole, 0, 1, vef_now(plan));
}
