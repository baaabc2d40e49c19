/* Alltoall (Thakur, Rabenseifner, Gropp 2005, section 4.4; p ranks, b bytes a pair).
 *
 * bruck (Bruck et al. 1997): the block for the rank j further travels by the bits of j: ceil(log2
 * p) rounds of b * (numbers below p with that bit), about (p/2) b log2 p bytes a rank.
 * scattered: p-1 sends and receives, from the own rank on, `degree` of them at a time, the own rank
 * counted; in MPICH MPIR_CVAR_ALLTOALL_THROTTLE, 32.
 * linear: all at a time.
 * pairwise: p-1 rounds with one partner each: rank xor i for a power of two, else to rank + i and
 * from rank - i. The two send b(p-1) bytes a rank.
 * in-place, in MPICH with MPI_IN_PLACE (alltoall_intra_pairwise_sendrecv_replace.c): for each pair
 * (i, j), i < j, in the order of i and then of j, its ranks exchange their blocks. */
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

static void add_send(vef_plan *plan, const vef_collective *call, uint32_t to, uint32_t after) {
    vef_add_step(plan, VEF_STEP_SEND, to, call->bytes, after);
    vef_note_block(plan, call->rank * call->size + to, 0, call->bytes);
}

static void add_receive(vef_plan *plan, const vef_collective *call, uint32_t from, uint32_t after) {
    vef_add_step(plan, VEF_STEP_RECEIVE, from, call->bytes, after);
    vef_note_block(plan, from * call->size + call->rank, 0, call->bytes);
}

static void windows(const vef_collective *call, vef_plan *plan, uint32_t window) {
    for (uint32_t begin = 0, end; begin < call->size; begin = end) {
        end = window < call->size - begin ? begin + window : call->size;
        uint32_t first = begin ? begin : 1, now = vef_now(plan);
        for (uint32_t i = first; i < end; i++)
            add_receive(plan, call, vef_rank_ahead(call, i), now);
        for (uint32_t i = first; i < end; i++)
            add_send(plan, call, vef_rank_behind(call, i), now);
    }
}

void vef_alltoall_scattered(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, plan->tuning.degree);
}

void vef_alltoall_linear(const vef_collective *call, vef_plan *plan) {
    windows(call, plan, call->size);
}

void vef_alltoall_pairwise(const vef_collective *call, vef_plan *plan) {
    bool power = vef_is_power(call->size);
    for (uint32_t i = 1; i < call->size; i++) {
        uint32_t now = vef_now(plan);
        add_receive(plan, call, power ? call->rank ^ i : vef_rank_behind(call, i), now);
        add_send(plan, call, power ? call->rank ^ i : vef_rank_ahead(call, i), now);
    }
}
