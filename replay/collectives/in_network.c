/* Allreduce, Reduce and Barrier by reductions in the network (netmodel/MODEL.md, "Reduction"), as
 * SHARP and NVLS do (Graham et al., "Scalable Hierarchical Aggregation Protocol (SHARP)", COMHPC
 * 2016; Klenk et al., ISCA 2020): every rank sends its n bytes once, to the switches, and receives
 * the result once; a barrier is a reduction of nothing. The data are cut into segments for which
 * the switches reserve memory; all are sent at once, as far as they fit. The bcast is in
 * bcast/mpich.c. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

static void combine(const vef_collective *call, vef_plan *plan, const vef_parts *parts,
                    uint32_t receiver) {
    for (uint32_t i = 0; i < parts->count; i++) {
        vef_add_parts(plan, VEF_STEP_COMBINE, receiver, parts, i, 1, 0);
        if (receiver == VEF_EVERY_RANK || receiver == call->rank)
            vef_add_parts(plan, VEF_STEP_RECEIVE, call->rank, parts, i, 1, 0);
    }
}

void vef_allreduce_hardware(const vef_collective *call, vef_plan *plan) {
    const vef_parts parts = vef_parts_segments(call, call->reduction_bytes);
    combine(call, plan, &parts, VEF_EVERY_RANK);
}

void vef_reduce_hardware(const vef_collective *call, vef_plan *plan) {
    const vef_parts parts = vef_parts_segments(call, call->reduction_bytes);
    combine(call, plan, &parts, (uint32_t)call->root);
}

void vef_barrier_hardware(const vef_collective *call, vef_plan *plan) {
    const vef_parts nothing = vef_parts_whole(0);
    combine(call, plan, &nothing, VEF_EVERY_RANK);
}
