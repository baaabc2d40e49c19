/* Gather, Gatherv, Scatter and Scatterv (p ranks, b bytes a block, n bytes at the root).
 *
 * binomial (Thakur, Rabenseifner, Gropp 2005): ceil(log2 p) rounds; n(p-1)/p bytes reach the root,
 * or leave it.
 * linear: p-1 messages, all at once. The only way for Gatherv and Scatterv, where a rank knows no
 * count but its own and so no tree can be agreed on; none with ranks that give or get nothing.
 * (MPICH sends synchronously in Gatherv from 32 ranks on; plans have one kind of send.)
 * linear-in-turn: the root sends each message when the one before has been sent.
 * linear-synchronised: the root asks each rank in turn by a message without data; a rank answers
 * with the first segment of its block, and sends the rest meanwhile. The root asks the next one
 * when the first segment has arrived: no more than two ranks send at a time. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

static vef_parts blocks_of(const vef_collective *call) {
    return vef_parts_pieces(call->size, call->bytes, (uint32_t)call->root);
}

void vef_gather_binomial(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    const vef_parts parts = blocks_of(call);
    vef_tree_up(plan, &circle, &parts, false);
}

void vef_scatter_binomial(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    const vef_parts parts = blocks_of(call);
    vef_tree_down(plan, &circle, &parts, false);
}

/* One message between the root and each other rank. `kind`: what the root does; `vector`: the bytes
 * of each rank, at the root of a call with vectors. */
static void add_linear(const vef_collective *call, vef_plan *plan, vef_step_kind kind,
                       const uint64_t *vector, bool in_turn) {
    const uint32_t root = (uint32_t)call->root;
    if (call->rank != root) {
        if (call->bytes == 0)
            return;
        vef_add_step(plan, kind == VEF_STEP_SEND ? VEF_STEP_RECEIVE : VEF_STEP_SEND, root,
                     call->bytes, 0);
        vef_note_block(plan, call->rank, 0, call->bytes);
        return;
    }
    for (uint32_t peer = 0; peer < call->size; peer++) {
        const uint64_t bytes = vector ? vector[peer] : call->bytes;
        if (peer == root || bytes == 0)
            continue;
        vef_add_step(plan, kind, peer, bytes, in_turn ? vef_now(plan) : 0);
        vef_note_block(plan, peer, 0, bytes);
    }
}

void vef_gather_linear(const vef_collective *call, vef_plan *plan) {
    add_linear(call, plan, VEF_STEP_RECEIVE, call->receive_bytes, false);
}

void vef_scatter_linear(const vef_collective *call, vef_plan *plan) {
    add_linear(call, plan, VEF_STEP_SEND, call->send_bytes, false);
}

void vef_scatter_linear_in_turn(const vef_collective *call, vef_plan *plan) {
    add_linear(call, plan, VEF_STEP_SEND, call->send_bytes, true);
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
