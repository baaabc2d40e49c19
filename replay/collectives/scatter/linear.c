/* Scatter and Scatterv in p-1 messages from the root (p ranks, b bytes a block).
 *
 * linear: all at once; for Scatterv, where only the root knows the counts, the only way; none to
 * ranks that get nothing. linear-in-turn: each when the one before has been sent. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

static void send_all(const vef_collective *call, vef_plan *plan, bool in_turn) {
    const uint32_t root = (uint32_t)call->root;
    if (call->rank != root) {
        if (call->bytes == 0)
            return;
        vef_add_step(plan, VEF_STEP_RECEIVE, root, call->bytes, 0);
        vef_note_block(plan, call->rank, 0, call->bytes);
        return;
    }
    for (uint32_t to = 0; to < call->size; to++) {
        const uint64_t bytes = call->send_bytes ? call->send_bytes[to] : call->bytes;
        if (to == root || bytes == 0)
            continue;
        vef_add_step(plan, VEF_STEP_SEND, to, bytes, in_turn ? vef_now(plan) : 0);
        vef_note_block(plan, to, 0, bytes);
    }
}

void vef_scatter_linear(const vef_collective *call, vef_plan *plan) {
    send_all(call, plan, false);
}

void vef_scatter_linear_in_turn(const vef_collective *call, vef_plan *plan) {
    send_all(call, plan, true);
}
