/* Allreduce on a ring (P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters
 * of workstations", J. Parallel and Distributed Computing 69(2), 2009; p ranks, n bytes).
 *
 * ring: the buffer in p blocks goes round twice, first combining, then complete: 2(p-1) rounds,
 * 2n(p-1)/p bytes, the least possible.
 * segmented-ring: each block in segments; the first turn is made for one segment of every block
 * after the other, so that what is combined fits into a cache: s(p-1) + p-1 rounds of less bytes.
 */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

/* The first turn combines, one part of every block after the other, `phases` parts for each block.
 * After it a rank has the block of the one to its right. */
static void turn_twice(const vef_collective *call, vef_plan *plan, uint32_t phases) {
    const vef_circle circle = vef_circle_from(call, 0);
    const vef_parts parts = vef_parts_elements(call->size * phases, call->bytes, call->elements);
    vef_ring_blocks combine = {call->rank, phases, 0, 1, true};
    for (; combine.first < phases; combine.first++)
        vef_ring_turn(plan, &circle, &parts, combine);
    const vef_ring_blocks spread = {vef_rank_ahead(call, 1), phases, 0, phases, false};
    vef_ring_turn(plan, &circle, &parts, spread);
}

void vef_allreduce_ring(const vef_collective *call, vef_plan *plan) {
    turn_twice(call, plan, 1);
}

void vef_allreduce_segmented_ring(const vef_collective *call, vef_plan *plan) {
    const uint64_t block = (call->bytes - 1) / call->size + 1, segment = plan->tuning.segment_bytes;
    const uint64_t most = call->elements / call->size; /* a part has an element at least */
    const uint64_t phases = segment < block ? (block - 1) / segment + 1 : 1;
    turn_twice(call, plan, (uint32_t)(phases < most ? phases : most));
}
