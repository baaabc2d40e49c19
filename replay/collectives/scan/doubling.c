/* Scan and Exscan.
 *
 * recursive-doubling, as in MPICH (after W. D. Hillis, G. L. Steele, "Data Parallel Algorithms",
 * Comm. ACM 29(12), 1986): ranks at distance 1, 2, 4, … exchange the running total of their groups;
 * who is above its partner adds what came to its result as well. ceil(log2 p) rounds of n bytes. A
 * partner beyond the last rank is left out, which only ranks below it would have needed. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

enum { TOTAL = 0, RESULT = 1 }; /* pieces */

static void reduce(vef_plan *plan, uint32_t peer, uint64_t bytes, uint32_t piece) {
    vef_add_step(plan, VEF_STEP_REDUCE, peer, bytes, vef_now(plan));
    vef_note_block(plan, piece, 0, bytes);
}

static void scan(const vef_collective *call, vef_plan *plan, bool exclusive) {
    vef_parts whole = vef_parts_whole(call->bytes);
    bool empty = exclusive; /* the result holds nothing yet: what comes is copied */
    for (uint32_t distance = 1; distance < call->size; distance *= 2) {
        uint32_t peer = call->rank ^ distance;
        if (peer >= call->size)
            continue;
        uint32_t now = vef_now(plan);
        vef_add_parts(plan, VEF_STEP_RECEIVE, peer, &whole, 0, 1, now);
        vef_add_parts(plan, VEF_STEP_SEND, peer, &whole, 0, 1, now);
        reduce(plan, peer, call->bytes, TOTAL);
        if (peer > call->rank)
            continue;
        if (empty) {
            vef_add_step(plan, VEF_STEP_REDUCE, peer, 0, vef_now(plan));
            vef_note_block(plan, RESULT, 0, call->bytes);
        } else {
            reduce(plan, peer, call->bytes, RESULT);
        }
        empty = false;
    }
}

void vef_scan_doubling(const vef_collective *call, vef_plan *plan) {
    scan(call, plan, false);
}

void vef_exscan_doubling(const vef_collective *call, vef_plan *plan) {
    scan(call, plan, true);
}
