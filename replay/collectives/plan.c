/* Making plans: memory, and what is the same for every algorithm. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

#include <assert.h>
#include <stdlib.h>

void vef_plan_release(vef_plan *plan) {
    free(plan->steps);
    free(plan->blocks);
    free(plan->scratch);
    *plan = (vef_plan){0};
}

bool vef_always(const vef_collective *call) {
    (void)call;
    return true;
}

bool vef_power_of_two(const vef_collective *call) {
    return vef_is_power(call->size);
}

const vef_algorithm *vef_algorithm_choose(const vef_collective *call) {
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        if (row->call == call->call && row->applies(call) && row->preferred(call))
            return row;
    return NULL;
}

/* Whether all ranks know from their own counts that no data moves; MPICH returns at once then. */
static bool moves_nothing(const vef_collective *call) {
    switch (call->call) {
    case VEF_CALL_Bcast:
    case VEF_CALL_Reduce:
    case VEF_CALL_Allreduce:
    case VEF_CALL_Gather:
    case VEF_CALL_Scatter:
    case VEF_CALL_Allgather:
    case VEF_CALL_Alltoall:
    case VEF_CALL_Reduce_scatter_block:
    case VEF_CALL_Scan:
    case VEF_CALL_Exscan:
        return call->bytes == 0;
    default:
        return false;
    }
}

/* What is wrong with a call, NULL for nothing. */
static const char *fault_of(const vef_collective *call) {
    if (call->size == 0 || call->rank >= call->size)
        return "a rank must be below the size of its communicator";
    bool root = false, send = false, receive = false;
    switch (call->call) {
    case VEF_CALL_Bcast:
    case VEF_CALL_Reduce:
    case VEF_CALL_Gather:
    case VEF_CALL_Scatter:
        root = true;
        break;
    case VEF_CALL_Gatherv:
        root = true;
        receive = call->root == (int32_t)call->rank;
        break;
    case VEF_CALL_Scatterv:
        root = true;
        send = call->root == (int32_t)call->rank;
        break;
    case VEF_CALL_Allgatherv:
    case VEF_CALL_Reduce_scatter:
        receive = true;
        break;
    case VEF_CALL_Alltoallv:
    case VEF_CALL_Alltoallw:
        send = receive = true;
        break;
    default:
        break;
    }
    if (root && (call->root < 0 || (uint32_t)call->root >= call->size))
        return "the root must be a rank of the communicator";
    if (send && !call->send_bytes)
        return "the bytes to send to each rank are needed";
    if (receive && !call->receive_bytes)
        return "the bytes to receive from each rank are needed";
    return NULL;
}

vef_code vef_plan_make(const vef_algorithm *algorithm, const vef_collective *call, vef_plan *plan,
                       vef_error *error) {
    assert(algorithm->call == call->call);
    plan->count = 0;
    plan->blocks_used = 0;
    plan->out_of_memory = false;
    const char *fault = fault_of(call);
    if (fault)
        return vef_fail(error, VEF_INVALID, "collective %s, rank %u of %u: %s", algorithm->name,
                        call->rank, call->size, fault);
    if (call->size > 1 && !moves_nothing(call))
        algorithm->emit(call, plan);
    if (plan->out_of_memory)
        return vef_fail_memory(error, "the plan of a collective",
                               plan->count * sizeof *plan->steps);
    return VEF_OK;
}
