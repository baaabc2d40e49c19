/* Barrier.
 *
 * dissemination: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization",
 * Int. J. Parallel Programming 17(1), 1988: in round k a rank signals the one 2^k further and
 * waits for the one 2^k before; after ceil(log2 p) rounds it has heard, through others, from all.
 */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_barrier_dissemination(const vef_collective *call, vef_plan *plan) {
    uint32_t size = call->size, rank = call->rank;
    for (uint32_t distance = 1; distance < size; distance *= 2) {
        uint32_t to = rank < size - distance ? rank + distance : rank + distance - size;
        uint32_t from = rank >= distance ? rank - distance : rank + size - distance;
        uint32_t now = vef_now(plan);
        vef_add_step(plan, VEF_STEP_RECEIVE, from, 0, now);
        vef_add_step(plan, VEF_STEP_SEND, to, 0, now);
    }
}
