/* Alltoallv and Alltoallw.
 *
 * scattered, linear, pairwise, in-place: as in alltoall.c. No rank knows the others' counts, so
 * none depends on sizes. Pairs with nothing to move exchange no message, except in place. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

static void add_receive(vef_plan *plan, const vef_collective *call, uint32_t from, uint32_t after) {
    const uint64_t bytes = call->receive_bytes[from];
    vef_add_step(plan, VEF_STEP_RECEIVE, from, bytes, after);
    vef_note_block(plan, from * call->size + call->rank, 0, bytes);
}

static void add_send(vef_plan *plan, const vef_collective *call, uint32_t to, uint32_t after) {
    const uint64_t bytes = call->send_bytes[to];
    vef_add_step(plan, VEF_STEP_SEND, to, bytes, after);
    vef_note_block(plan, call->rank * call->size + to, 0, bytes);
}

static void windows(const vef_collective *call, vef_plan *plan, uint32_t window, bool empty) {
    for (uint32_t begin = 0, end; begin < call->size; begin = end) {
        end = window < call->size - begin ? begin + window : call->size;
        const uint32_t first = begin ? begin : 1, now = vef_now(plan);
        for (uint32_t i = first; i < end; i++)
            if (empty || call->receive_bytes[vef_rank_ahead(call, i)])
                add_receive(plan, call, vef_rank_ahead(call, i), now);
        for (uint32_t i = first; i < end; i++)
            if (empty || call->send_bytes[vef_rank_behind(call, i)])
                add_send(plan, call, vef_rank_behind(call, i), now);
    }
}

void vef_alltoallv_scattered(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, plan->tuning.degree, false);
}

void vef_alltoallv_linear(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, call->size, true);
}

void vef_alltoallw_linear(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, call->size, false);
}

void vef_alltoallv_pairwise(const vef_collective *call, vef_plan *plan) {
    for (uint32_t i = 1; i < call->size; i++) {
        const uint32_t now = vef_now(plan);
        add_receive(plan, call, vef_rank_behind(call, i), now);
        add_send(plan, call, vef_rank_ahead(call, i), now);
    }
}
