/* Barrier: recursive doubling (p ranks): ranks at distance 1, 2, 4, … exchange messages without
 * data: log2 p rounds. Where p is no power of two, the ranks above it report to the lower ones
 * first and hear from them last: two rounds more. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_barrier_doubling(const vef_collective *call, vef_plan *plan) {
    const uint32_t power = vef_power_below(call->size), rank = call->rank;
    const uint32_t extra = call->size - power;
    if (rank >= power) {
        vef_add_step(plan, VEF_STEP_SEND, rank - power, 0, vef_now(plan));
        vef_add_step(plan, VEF_STEP_RECEIVE, rank - power, 0, vef_now(plan));
        return;
    }
    if (rank < extra)
        vef_add_step(plan, VEF_STEP_RECEIVE, rank + power, 0, vef_now(plan));
    for (uint32_t distance = 1; distance < power; distance *= 2) {
        const uint32_t now = vef_now(plan);
        vef_add_step(plan, VEF_STEP_RECEIVE, rank ^ distance, 0, now);
        vef_add_step(plan, VEF_STEP_SEND, rank ^ distance, 0, now);
    }
    if (rank < extra)
        vef_add_step(plan, VEF_STEP_SEND, rank + power, 0, vef_now(plan));
}
