/* Alltoall, Alltoallv and Alltoallw (Thakur, Rabenseifner, Gropp 2005, section 4.4; p ranks, b
 * bytes a pair). With vectors no rank knows the others' counts, so nothing depends on sizes.
 *
 * bruck (Bruck et al. 1997): the block for the rank j further travels by the bits of j: ceil(log2
 * p) rounds of b * (numbers below p with that bit), about (p/2) b log2 p bytes a rank.
 * scattered: p-1 sends and receives, from the own rank on, `degree` of them at a time, the own rank
 * counted; in MPICH MPIR_CVAR_ALLTOALL_THROTTLE, 32. No message of nothing.
 * linear: all at a time; of Alltoallv also messages of nothing.
 * pairwise: p-1 rounds with one partner each: of Alltoall rank xor i for a power of two, else to
 * rank + i and from rank - i. The two send b(p-1) bytes a rank.
 *
 * With MPI_IN_PLACE, where what is sent makes room for what is received:
 * pairs-in-place, in MPICH (alltoall_intra_pairwise_sendrecv_replace.c): for each pair of ranks in
 * the order of the lower and then of the higher one, an exchange, also of nothing.
 * rounds-in-place, in Open MPI (ompi/mca/coll/base/coll_base_alltoall.c, intra_basic_inplace): in
 * round i a block goes to the rank i before, while the one of the rank i further comes, then the
 * other way round. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

/* The blocks that `holder` passes on in the round of `bit`: of each distance j with that bit, the
 * block that has come from j's lower bits behind and goes j from there. */
static void note_bruck(vef_plan *plan, const vef_collective *call, uint32_t holder, uint32_t bit) {
    uint32_t size = call->size;
    for (uint32_t j = 1; plan->note_blocks && j < size; j++) {
        if (!(j & bit))
            continue;
        uint32_t source = (holder + size - (j & (bit - 1))) % size;
        vef_note_block(plan, source * size + (source + j) % size, 0, call->bytes);
    }
}

void vef_alltoall_bruck(const vef_collective *call, vef_plan *plan) {
    uint32_t size = call->size;
    for (uint32_t bit = 1; bit < size; bit *= 2) {
        uint64_t period = 2 * (uint64_t)bit, rest = size % period;
        uint64_t blocks = size / period * bit + (rest > bit ? rest - bit : 0);
        uint32_t now = vef_now(plan), from = vef_rank_behind(call, bit);
        vef_add_step(plan, VEF_STEP_RECEIVE, from, blocks * call->bytes, now);
        note_bruck(plan, call, from, bit);
        vef_add_step(plan, VEF_STEP_SEND, vef_rank_ahead(call, bit), blocks * call->bytes, now);
        note_bruck(plan, call, call->rank, bit);
    }
}

static void windows(const vef_collective *call, vef_plan *plan, uint32_t window, bool empty) {
    for (uint32_t begin = 0, end; begin < call->size; begin = end) {
        end = window < call->size - begin ? begin + window : call->size;
        const uint32_t first = begin ? begin : 1, now = vef_now(plan);
        for (uint32_t i = first; i < end; i++)
            vef_add_pair(call, plan, VEF_STEP_RECEIVE, vef_rank_ahead(call, i), empty, now);
        for (uint32_t i = first; i < end; i++)
            vef_add_pair(call, plan, VEF_STEP_SEND, vef_rank_behind(call, i), empty, now);
    }
}

void vef_alltoall_scattered(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, plan->tuning.degree, false);
}

void vef_alltoall_linear(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, call->size, true);
}

void vef_alltoallw_linear(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, call->size, false);
}

void vef_alltoall_pairwise(const vef_collective *call, vef_plan *plan) {
    const bool power = !call->send_bytes && vef_is_power(call->size);
    for (uint32_t i = 1; i < call->size; i++) {
        const uint32_t from = power ? call->rank ^ i : vef_rank_behind(call, i);
        const uint32_t to = power ? call->rank ^ i : vef_rank_ahead(call, i), now = vef_now(plan);
        vef_add_pair(call, plan, VEF_STEP_RECEIVE, from, true, now);
        vef_add_pair(call, plan, VEF_STEP_SEND, to, true, now);
    }
}

void vef_alltoall_pairs_in_place(const vef_collective *call, vef_plan *plan) {
    for (uint32_t peer = 0; peer < call->size; peer++) {
        const uint32_t now = vef_now(plan);
        if (peer == call->rank)
            continue;
        vef_add_pair(call, plan, VEF_STEP_RECEIVE, peer, true, now);
        vef_add_pair(call, plan, VEF_STEP_SEND, peer, true, now);
    }
}

void vef_alltoall_rounds_in_place(const vef_collective *call, vef_plan *plan) {
    for (uint32_t i = 1; i <= call->size / 2; i++) {
        const uint32_t right = vef_rank_ahead(call, i), left = vef_rank_behind(call, i);
        uint32_t now = vef_now(plan);
        vef_add_pair(call, plan, VEF_STEP_RECEIVE, right, false, now);
        if (left != right) {
            vef_add_pair(call, plan, VEF_STEP_SEND, left, false, now);
            now = vef_now(plan);
            vef_add_pair(call, plan, VEF_STEP_RECEIVE, left, false, now);
        }
        vef_add_pair(call, plan, VEF_STEP_SEND, right, false, now);
    }
}
