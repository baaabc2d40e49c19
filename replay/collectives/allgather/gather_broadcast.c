/* Allgather and Allgatherv: all others send their blocks to rank 0 at once, which broadcasts all of
 * them by the bcast that is chosen for so many bytes. Open MPI does so for short blocks of
 * different lengths. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

void vef_allgather_gather_broadcast(const vef_collective *call, vef_plan *plan) {
    vef_parts parts = vef_allgather_parts(call, plan);
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
    const uint32_t first = vef_now(plan);
    vef_collective spread = *call;
    spread.call = VEF_CALL_Bcast;
    spread.root = 0;
    spread.bytes = vef_parts_bytes(&parts, 0, parts.count);
    spread.receive_bytes = NULL;
    vef_add_noted(plan, &spread);
    parts = vef_allgather_parts(call, plan); /* the bcast has used their scratch */
    vef_note_as_pieces(plan, first, &parts);
}
