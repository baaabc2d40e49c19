/* Reduce along trees, in segments (p ranks, n bytes, s segments): see trees.h for shapes and
 * rounds.
 *
 * linear: all others send to the root, which combines one message after the other, outwards from
 * its own rank: operands keep their order. chain, binary: as in bcast/trees.c, upwards; for
 * operations that commute, since places count from the root. in-order-binary: the binary tree that
 * keeps the order of ranks; its root, rank p-1, sends the result to the root. */
#include "replay/collectives/trees.h"
#include "replay/collectives/algorithms.h"

static vef_parts segments(const vef_collective *call, const vef_plan *plan) {
    return vef_parts_segments(call, plan->tuning.segment_bytes);
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

void vef_reduce_chain(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    const vef_tree tree = vef_tree_chains(plan, &circle, plan->tuning.degree);
    const vef_parts parts = segments(call, plan);
    vef_pipeline_up(plan, &tree, &parts);
}

void vef_reduce_binary(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    const vef_tree tree = vef_tree_balanced(plan, &circle, 2);
    const vef_parts parts = segments(call, plan);
    vef_pipeline_up(plan, &tree, &parts);
}

void vef_reduce_in_order_binary(const vef_collective *call, vef_plan *plan) {
    const uint32_t root = (uint32_t)call->root, top = call->size - 1;
    const vef_tree tree = vef_tree_in_order(plan, call);
    const vef_parts parts = segments(call, plan), whole = vef_parts_whole(call->bytes);
    vef_pipeline_up(plan, &tree, &parts);
    if (root == top)
        return;
    if (call->rank == top)
        vef_add_parts(plan, VEF_STEP_SEND, root, &whole, 0, 1, vef_now(plan));
    else if (call->rank == root)
        vef_add_parts(plan, VEF_STEP_RECEIVE, top, &whole, 0, 1, vef_now(plan));
}
