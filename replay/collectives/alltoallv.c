/* Alltoallv and Alltoallw.
 *
 * scattered: as in alltoall.c; no rank knows the others' counts, so MPICH has one way for all
 * sizes. Pairs with nothing to move exchange no message. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

enum { THROTTLE = 32 }; /* MPIR_CVAR_ALLTOALL_THROTTLE */

void vef_alltoallv_scattered(const vef_collective *call, vef_plan *plan) {
    uint32_t size = call->size, rank = call->rank;
    for (uint32_t begin = 0; begin < size; begin += THROTTLE) {
        uint32_t end = begin + THROTTLE < size ? begin + THROTTLE : size;
        uint32_t first = begin ? begin : 1, now = vef_now(plan);
        for (uint32_t i = first; i < end; i++) {
            uint32_t from = i < size - rank ? rank + i : rank + i - size;
            uint64_t bytes = call->receive_bytes[from];
            if (bytes == 0)
                continue;
            vef_add_step(plan, VEF_STEP_RECEIVE, from, bytes, now);
            vef_note_block(plan, from * size + rank, 0, bytes);
        }
        for (uint32_t i = first; i < end; i++) {
            uint32_t to = i <= rank ? rank - i : rank + size - i;
            uint64_t bytes = call->send_bytes[to];
            if (bytes == 0)
                continue;
            vef_add_step(plan, VEF_STEP_SEND, to, bytes, now);
            vef_note_block(plan, rank * size + to, 0, bytes);
        }
    }
}
