/* Bcast along trees, in segments (p ranks, n bytes, s segments): see trees.h for shapes and rounds.
 *
 * linear: p-1 messages of the root at once.
 * binomial-pipelined: the mirrored binomial tree: depth floor(log2 p) + s - 1 rounds.
 * k-nomial: ceil(log_k p) rounds of n bytes to `degree` - 1 children each.
 * chain: `degree` chains: (p-1) / degree + s - 1 rounds. With one chain about n bytes a rank,
 * however many there are: the best for long messages. binary: two children each: about log2 p + s -
 * 1 rounds, 2n bytes a rank. */
#include "replay/collectives/trees.h"
#include "replay/collectives/algorithms.h"

typedef vef_tree shape(vef_plan *plan, const vef_circle *circle, uint32_t degree);

static vef_circle circle_of(const vef_collective *call) {
    return vef_circle_from(call, (uint32_t)call->root);
}

static void send_down(const vef_collective *call, vef_plan *plan, shape *make) {
    const vef_circle circle = circle_of(call);
    const vef_tree tree = make(plan, &circle, plan->tuning.degree);
    const vef_parts parts = vef_parts_segments(call, plan->tuning.segment_bytes);
    vef_pipeline_down(plan, &tree, &parts);
}

static vef_tree flat(vef_plan *plan, const vef_circle *circle, uint32_t degree) {
    (void)degree;
    return vef_tree_flat(plan, circle);
}

static vef_tree mirrored(vef_plan *plan, const vef_circle *circle, uint32_t degree) {
    (void)degree;
    return vef_tree_mirrored(plan, circle);
}

static vef_tree binary(vef_plan *plan, const vef_circle *circle, uint32_t degree) {
    (void)degree;
    return vef_tree_balanced(plan, circle, 2);
}

void vef_bcast_linear(const vef_collective *call, vef_plan *plan) {
    plan->tuning.segment_bytes = VEF_WHOLE;
    send_down(call, plan, flat);
}

void vef_bcast_binomial_pipelined(const vef_collective *call, vef_plan *plan) {
    send_down(call, plan, mirrored);
}

void vef_bcast_k_nomial(const vef_collective *call, vef_plan *plan) {
    send_down(call, plan, vef_tree_k_nomial);
}

void vef_bcast_chain(const vef_collective *call, vef_plan *plan) {
    send_down(call, plan, vef_tree_chains);
}

void vef_bcast_binary(const vef_collective *call, vef_plan *plan) {
    send_down(call, plan, binary);
}
