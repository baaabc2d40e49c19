/* Reduce (Thakur, Rabenseifner, Gropp 2005, section 4.5; p ranks, n bytes).
 *
 * binomial: ceil(log2 p) rounds of n bytes; an operation that does not commute is reduced to rank 0
 * and sent to the root from there.
 * reduce-scatter-gather (Rabenseifner): recursive halving, then a binomial gather of the parts to
 * the root: 2 log2 p rounds, 2n(p-1)/p bytes. What is no power of two is folded first, odd ranks
 * onto even ones; a root that was folded away takes the place of the first rank for the gather. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_reduce_binomial(const vef_collective *call, vef_plan *plan) {
    uint32_t root = (uint32_t)call->root, top = call->commutative ? root : 0;
    vef_circle circle = vef_circle_from(call, top);
    vef_parts whole = vef_parts_whole(call->bytes);
    vef_tree_up(plan, &circle, &whole, true);
    if (top == root)
        return;
    if (call->rank == top)
        vef_add_parts(plan, VEF_STEP_SEND, root, &whole, 0, 1, vef_now(plan));
    else if (call->rank == root)
        vef_add_parts(plan, VEF_STEP_RECEIVE, top, &whole, 0, 1, vef_now(plan));
}

/* The ranks of the gather: those of the fold, except that a root that was folded away replaces
 * number 0. */
static uint32_t gather_rank(const vef_fold *fold, uint32_t root, bool root_folded,
                            uint32_t number) {
    return root_folded && number == 0 ? root : vef_fold_rank(fold, number);
}

void vef_reduce_scatter_gather(const vef_collective *call, vef_plan *plan) {
    uint32_t root = (uint32_t)call->root;
    vef_fold fold = vef_fold_of(call, true);
    vef_parts parts = vef_parts_elements(fold.power, call->bytes, call->elements);
    vef_fold_in(plan, &fold, &parts);
    uint32_t part = fold.stays ? vef_halving(plan, &fold, &parts) : 0;

    bool root_folded = root < 2 * fold.extra && root % 2 == 1;
    bool gathers = fold.stays;
    uint32_t place = fold.place, top = root < 2 * fold.extra ? root / 2 : root - fold.extra;
    if (root_folded) {
        top = 0;
        if (call->rank == root) {
            vef_add_parts(plan, VEF_STEP_RECEIVE, 0, &parts, 0, 1, vef_now(plan));
            gathers = true;
            place = 0;
        } else if (call->rank == 0) {
            vef_add_parts(plan, VEF_STEP_SEND, root, &parts, 0, 1, vef_now(plan));
            gathers = false;
        }
    }
    if (!gathers)
        return;
    /* Back along the halving: of each two, the one on the root's side takes both halves. */
    for (uint32_t held = 1; held < fold.power; held *= 2) {
        uint32_t distance = fold.power / (2 * held);
        uint32_t peer = gather_rank(&fold, root, root_folded, place ^ distance);
        uint32_t first = part & ~(held - 1);
        if ((place & distance) != (top & distance)) {
            vef_add_parts(plan, VEF_STEP_SEND, peer, &parts, first, held, vef_now(plan));
            return;
        }
        vef_add_parts(plan, VEF_STEP_RECEIVE, peer, &parts, first ^ held, held, vef_now(plan));
    }
}
