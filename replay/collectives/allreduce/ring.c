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

/* The part of block b: `phases` parts for each block. */
static uint32_t part_of(uint32_t block, uint32_t phase, uint32_t phases) {
    return block * phases + phase;
}

static void combine_round(const vef_collective *call, vef_plan *plan, const vef_parts *parts,
                          uint32_t phase, uint32_t phases) {
    const uint32_t size = call->size, right = vef_rank_ahead(call, 1),
                   left = vef_rank_behind(call, 1);
    for (uint32_t round = 1, held = call->rank; round < size; round++) {
        const uint32_t next = held ? held - 1 : size - 1;
        const uint32_t taken = part_of(next, phase, phases);
        vef_exchange(plan, parts, right, part_of(held, phase, phases), 1, left, taken, 1);
        vef_add_parts(plan, VEF_STEP_REDUCE, left, parts, taken, 1, vef_now(plan));
        held = next;
    }
}

/* After the first turn a rank has the block of the one to its right. */
static void turn_twice(const vef_collective *call, vef_plan *plan, uint32_t phases) {
    const uint32_t size = call->size;
    const vef_parts parts = vef_parts_elements(size * phases, call->bytes, call->elements);
    for (uint32_t phase = 0; phase < phases; phase++)
        combine_round(call, plan, &parts, phase, phases);
    for (uint32_t round = 1, held = vef_rank_ahead(call, 1); round < size; round++) {
        const uint32_t next = held ? held - 1 : size - 1;
        vef_exchange(plan, &parts, vef_rank_ahead(call, 1), part_of(held, 0, phases), phases,
                     vef_rank_behind(call, 1), part_of(next, 0, phases), phases);
        held = next;
    }
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
