/* Allreduce (Thakur, Rabenseifner, Gropp 2005, section 4.6; p ranks, n bytes).
 *
 * recursive-doubling: log2 p rounds of n bytes.
 * reduce-scatter-allgather (Rabenseifner): recursive halving and back: 2 log2 p rounds, 2n(p-1)/p
 * bytes. Where p is no power of two, even ranks of the first pairs are folded onto the odd ones:
 * two rounds of n bytes more. */
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
