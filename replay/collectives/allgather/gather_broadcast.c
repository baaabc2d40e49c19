/* Allgather and Allgatherv: all others send their blocks to rank 0 at once, which broadcasts all of
 * them along a binomial tree: ceil(log2 p) + 1 rounds; rank 0 sends n ceil(log2 p) bytes. Open MPI
 * does so for short blocks of different lengths. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/allgather/parts.h"

void vef_allgather_gather_broadcast(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, 0);
    const vef_parts parts = vef_allgather_parts(call, plan);
    if (vef_parts_bytes(&parts, 0, parts.count) == 0)
        return;
    if (call->rank != 0) {
        if (vef_parts_bytes(&parts, call->rank, 1))
            vef_add_parts(plan, VEF_STEP_SEND, 0, &parts, call->rank, 1, vef_now(plan));
    } else {
        const uint32_t now = vef_now(plan);
        for (uint32_t from = 1; from < call->size; from++)
            if (vef_parts_bytes(&parts, from, 1))
                vef_add_parts(plan, VEF_STEP_RECEIVE, from, &parts, from, 1, now);
    }
    vef_tree_down(plan, &circle, &parts, true);
}
