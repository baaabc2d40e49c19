/* Allgather and Allgatherv (Thakur, Rabenseifner, Gropp 2005, section 4.1; p ranks, n bytes in
 * all).
 *
 * recursive-doubling (p a power of two) and bruck (any p; Bruck et al. 1997): ceil(log2 p) rounds,
 * n(p-1)/p bytes a rank.
 * ring: p-1 rounds between neighbours, n(p-1)/p bytes a rank. For Allgatherv, MPICH sends blocks
 * above MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE in chunks, the segments of the tuning, unless the
 * call is non-blocking, and nothing for empty ones. linear: every rank sends its block to all
 * others at once, as Open MPI's non-blocking calls do. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

vef_parts vef_allgather_parts(const vef_collective *call, vef_plan *plan) {
    if (vef_call_has(call->call, VEF_FACT_RECEIVES_EACH))
        return vef_parts_vector(call->size, call->receive_bytes, plan);
    return vef_parts_pieces(call->size, call->bytes, 0);
}

/* Whether there is anything to transfer: the pieces of Allgatherv may all be empty. */
static bool empty(const vef_parts *parts) {
    return vef_parts_bytes(parts, 0, parts->count) == 0;
}

void vef_allgather_doubling(const vef_collective *call, vef_plan *plan) {
    vef_circle circle = vef_circle_from(call, 0);
    vef_parts parts = vef_allgather_parts(call, plan);
    if (!empty(&parts))
        vef_doubling(plan, &circle, &parts);
}

void vef_allgather_bruck(const vef_collective *call, vef_plan *plan) {
    vef_circle circle = vef_circle_from(call, 0);
    vef_parts parts = vef_allgather_parts(call, plan);
    if (!empty(&parts))
        vef_bruck(plan, &circle, &parts);
}

void vef_allgather_ring(const vef_collective *call, vef_plan *plan) {
    vef_circle circle = vef_circle_from(call, 0);
    vef_parts parts = vef_parts_pieces(call->size, call->bytes, 0);
    vef_ring(plan, &circle, &parts);
}

/* The position of one direction of the chunked ring: `blocks` blocks remain, of `block` from `done`
 * on.
 */
typedef struct cursor {
    uint32_t block, blocks;
    uint64_t done_bytes, chunk_bytes;
} cursor;

/* Adds the next chunk in that direction, if it is not empty, and advances. */
static void advance(vef_plan *plan, vef_step_kind kind, uint32_t peer, const vef_collective *call,
                    uint32_t after, cursor *next) {
    if (next->blocks == 0)
        return;
    uint64_t left = call->receive_bytes[next->block] - next->done_bytes;
    uint64_t chunk = left < next->chunk_bytes ? left : next->chunk_bytes;
    if (chunk) {
        vef_add_step(plan, kind, peer, chunk, after);
        vef_note_block(plan, next->block, next->done_bytes, next->done_bytes + chunk);
    }
    next->done_bytes += chunk;
    if (next->done_bytes == call->receive_bytes[next->block]) {
        next->block = next->block ? next->block - 1 : call->size - 1;
        next->blocks--;
        next->done_bytes = 0;
    }
}

/* Chunks are as long as the shortest block, or the segments of the tuning, in a non-blocking call.
 */
static uint64_t chunk_bytes_of(const vef_collective *call, uint64_t segment_bytes) {
    uint64_t shortest = UINT64_MAX;
    for (uint32_t rank = 0; call->nonblocking && rank < call->size; rank++)
        if (call->receive_bytes[rank] < shortest)
            shortest = call->receive_bytes[rank];
    return call->nonblocking && shortest > segment_bytes ? shortest : segment_bytes;
}

void vef_allgatherv_ring(const vef_collective *call, vef_plan *plan) {
    const uint32_t size = call->size, rank = call->rank;
    const uint32_t right = vef_rank_ahead(call, 1), left = vef_rank_behind(call, 1);
    const uint64_t chunk_bytes = chunk_bytes_of(call, plan->tuning.segment_bytes);
    cursor sends = {rank, size - 1, 0, chunk_bytes}, receives = {left, size - 1, 0, chunk_bytes};
    while (sends.blocks || receives.blocks) {
        uint32_t now = vef_now(plan);
        advance(plan, VEF_STEP_RECEIVE, left, call, now, &receives);
        advance(plan, VEF_STEP_SEND, right, call, now, &sends);
    }
}

void vef_allgather_linear(const vef_collective *call, vef_plan *plan) {
    const vef_parts parts = vef_allgather_parts(call, plan);
    if (empty(&parts))
        return;
    for (uint32_t i = 1; i < call->size; i++) {
        const uint32_t from = vef_rank_ahead(call, i);
        vef_add_parts(plan, VEF_STEP_RECEIVE, from, &parts, from, 1, 0);
    }
    for (uint32_t i = 1; i < call->size; i++)
        vef_add_parts(plan, VEF_STEP_SEND, vef_rank_behind(call, i), &parts, call->rank, 1, 0);
}
