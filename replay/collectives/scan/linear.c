/* Scan and Exscan: linear: a rank receives what all before it combine to, combines it with its own
 * and sends that to the next: p-1 rounds of n bytes one after the other, the least work. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

enum { TOTAL = 0, RESULT = 1 }; /* pieces */

static void add(vef_plan *plan, vef_step_kind kind, uint32_t peer, uint64_t bytes, uint32_t piece,
                uint64_t noted_bytes) {
    vef_add_step(plan, kind, peer, bytes, vef_now(plan));
    vef_note_block(plan, piece, 0, noted_bytes);
}

void vef_scan_linear(const vef_collective *call, vef_plan *plan) {
    const uint64_t bytes = call->bytes;
    const uint32_t below = call->rank - 1;
    if (call->rank > 0) {
        add(plan, VEF_STEP_RECEIVE, below, bytes, RESULT, bytes);
        add(plan, VEF_STEP_REDUCE, below, bytes, RESULT, bytes);
    }
    if (call->rank + 1 < call->size)
        add(plan, VEF_STEP_SEND, call->rank + 1, bytes, RESULT, bytes);
}

void vef_exscan_linear(const vef_collective *call, vef_plan *plan) {
    const uint64_t bytes = call->bytes;
    const uint32_t below = call->rank - 1;
    if (call->rank > 0) {
        add(plan, VEF_STEP_RECEIVE, below, bytes, TOTAL, bytes);
        add(plan, VEF_STEP_REDUCE, below, 0, RESULT, bytes); /* a copy */
    }
    if (call->rank + 1 == call->size)
        return;
    if (call->rank > 0)
        add(plan, VEF_STEP_REDUCE, below, bytes, TOTAL, bytes);
    add(plan, VEF_STEP_SEND, call->rank + 1, bytes, TOTAL, bytes);
}
