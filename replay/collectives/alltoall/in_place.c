/* Alltoall, Alltoallv and Alltoallw with MPI_IN_PLACE: what is sent makes room for what is
 * received.
 *
 * pairs-in-place, in MPICH (alltoall_intra_pairwise_sendrecv_replace.c): for each pair of ranks in
 * the order of the lower and then of the higher one, an exchange, also of nothing.
 * rounds-in-place, in Open MPI (ompi/mca/coll/base/coll_base_alltoall.c, intra_basic_inplace): in
 * round i a block goes to the rank i before, while the one of the rank i further comes, then the
 * other way round. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

/* The block between this rank and a peer in one direction. */
static void add(const vef_collective *call, vef_plan *plan, vef_step_kind kind, uint32_t peer,
                uint32_t after) {
    const bool sends = kind == VEF_STEP_SEND;
    const uint64_t *each = sends ? call->send_bytes : call->receive_bytes;
    const uint64_t bytes = each ? each[peer] : call->bytes;
    const uint32_t from = sends ? call->rank : peer, to = sends ? peer : call->rank;
    vef_add_step(plan, kind, peer, bytes, after);
    vef_note_block(plan, from * call->size + to, 0, bytes);
}

void vef_alltoall_pairs_in_place(const vef_collective *call, vef_plan *plan) {
    for (uint32_t peer = 0; peer < call->size; peer++) {
        const uint32_t now = vef_now(plan);
        if (peer == call->rank)
            continue;
        add(call, plan, VEF_STEP_RECEIVE, peer, now);
        add(call, plan, VEF_STEP_SEND, peer, now);
    }
}

/* Whether a block of the pair exists in a direction; in place both directions are alike. */
static bool sends_to(const vef_collective *call, uint32_t peer) {
    return !call->send_bytes || call->send_bytes[peer] > 0;
}
static bool receives_from(const vef_collective *call, uint32_t peer) {
    return !call->receive_bytes || call->receive_bytes[peer] > 0;
}

void vef_alltoall_rounds_in_place(const vef_collective *call, vef_plan *plan) {
    for (uint32_t i = 1; i <= call->size / 2; i++) {
        const uint32_t right = vef_rank_ahead(call, i), left = vef_rank_behind(call, i);
        uint32_t now = vef_now(plan);
        if (receives_from(call, right))
            add(call, plan, VEF_STEP_RECEIVE, right, now);
        if (left != right && sends_to(call, left))
            add(call, plan, VEF_STEP_SEND, left, now);
        now = left != right ? vef_now(plan) : now;
        if (left != right && receives_from(call, left))
            add(call, plan, VEF_STEP_RECEIVE, left, now);
        if (sends_to(call, right))
            add(call, plan, VEF_STEP_SEND, right, now);
    }
}
