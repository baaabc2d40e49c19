/* Allreduce (Thakur, Rabenseifner, Gropp 2005, section 4.6; p ranks, n bytes).
 *
 * recursive-doubling: log2 p rounds of n bytes.
 * reduce-scatter-allgather (Rabenseifner): recursive halving and back: 2 log2 p rounds, 2n(p-1)/p
 * bytes. Where p is no power of two, even ranks of the first pairs are folded onto the odd ones:
 * two rounds of n bytes more.
 * halves-scatter-allgather, in Open MPI (coll_base_allreduce.c, redscat_allgather): the same, but
 * of each pair that is folded each rank reduces a half of the buffer before the even one gets both.
 */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_allreduce_doubling(const vef_collective *call, vef_plan *plan) {
    vef_fold fold = vef_fold_of(call, false);
    vef_parts whole = vef_parts_whole(call->bytes);
    vef_fold_in(plan, &fold, &whole);
    if (fold.stays)
        vef_doubling_reduce(plan, &fold, &whole);
    vef_fold_out(plan, &fold, &whole, 0, 1);
}

void vef_allreduce_halving(const vef_collective *call, vef_plan *plan) {
    vef_fold fold = vef_fold_of(call, false);
    vef_parts parts = vef_parts_elements(fold.power, call->bytes, call->elements);
    vef_fold_in(plan, &fold, &parts);
    if (fold.stays) {
        uint32_t part = vef_halving(plan, &fold, &parts);
        vef_halving_back(plan, &fold, &parts, part);
    }
    vef_fold_out(plan, &fold, &parts, 0, parts.count);
}

/* The two ranks of a pair exchange halves and combine them; the one that stays gets both. */
static void fold_by_halves(vef_plan *plan, const vef_fold *fold, const vef_collective *call) {
    const vef_parts halves = vef_parts_elements(2, call->bytes, call->elements);
    const uint32_t mine = fold->stays ? 0 : 1;
    vef_exchange(plan, &halves, fold->partner, 1 - mine, 1, fold->partner, mine, 1);
    vef_add_parts(plan, VEF_STEP_REDUCE, fold->partner, &halves, mine, 1, vef_now(plan));
    vef_add_parts(plan, fold->stays ? VEF_STEP_RECEIVE : VEF_STEP_SEND, fold->partner, &halves, 1,
                  1, vef_now(plan));
}

void vef_allreduce_halves(const vef_collective *call, vef_plan *plan) {
    const vef_fold fold = vef_fold_of(call, true);
    const vef_parts parts = vef_parts_elements(fold.power, call->bytes, call->elements);
    if (fold.pair)
        fold_by_halves(plan, &fold, call);
    if (fold.stays)
        vef_halving_back(plan, &fold, &parts, vef_halving(plan, &fold, &parts));
    vef_fold_out(plan, &fold, &parts, 0, parts.count);
}
