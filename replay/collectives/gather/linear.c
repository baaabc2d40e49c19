/* Gather and Gatherv in p-1 messages to the root (p ranks, b bytes a block).
 *
 * linear: all at once. The only way for Gatherv, where a rank knows no count but its own and so no
 * tree can be agreed on; ranks with nothing to give send none. (MPICH sends synchronously there
 * from 32 ranks on; plans have one kind of send.) linear-synchronised: the root asks each rank in
 * turn by a message without data; a rank answers with the first segment of its block, and sends the
 * rest meanwhile. The root asks the next one when the first segment has arrived: no more than two
 * ranks send at a time. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_gather_linear(const vef_collective *call, vef_plan *plan) {
    const uint32_t root = (uint32_t)call->root;
    if (call->rank != root) {
        if (call->bytes == 0)
            return;
        vef_add_step(plan, VEF_STEP_SEND, root, call->bytes, 0);
        vef_note_block(plan, call->rank, 0, call->bytes);
        return;
    }
    for (uint32_t from = 0; from < call->size; from++) {
        const uint64_t bytes = call->receive_bytes ? call->receive_bytes[from] : call->bytes;
        if (from == root || bytes == 0)
            continue;
        vef_add_step(plan, VEF_STEP_RECEIVE, from, bytes, 0);
        vef_note_block(plan, from, 0, bytes);
    }
}

void vef_gather_linear_synchronised(const vef_collective *call, vef_plan *plan) {
    const uint32_t root = (uint32_t)call->root;
    const uint64_t segment = plan->tuning.segment_bytes, bytes = call->bytes;
    const uint64_t first = segment < bytes ? segment : bytes;
    if (call->rank != root) {
        vef_add_step(plan, VEF_STEP_RECEIVE, root, 0, 0);
        vef_add_step(plan, VEF_STEP_SEND, root, first, vef_now(plan));
        vef_note_block(plan, call->rank, 0, first);
        vef_add_step(plan, VEF_STEP_SEND, root, bytes - first, vef_now(plan));
        vef_note_block(plan, call->rank, first, bytes);
        return;
    }
    uint32_t after = 0; /* the first segment of the last rank: what follows may be under way */
    for (uint32_t from = 0; from < call->size; from++) {
        if (from == root)
            continue;
        vef_add_step(plan, VEF_STEP_SEND, from, 0, after);
        vef_add_step(plan, VEF_STEP_RECEIVE, from, first, after);
        vef_note_block(plan, from, 0, first);
        after = vef_now(plan);
        vef_add_step(plan, VEF_STEP_RECEIVE, from, bytes - first, after);
        vef_note_block(plan, from, first, bytes);
    }
}
