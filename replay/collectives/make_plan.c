/* Making plans: memory, and checks common to all algorithms. */
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

/* The input that an algorithm needs of a call. */
typedef struct needs {
    bool root, send, receive, neighbours;
} needs;

static needs needs_of(const vef_collective *call) {
    bool between = call->remote_size;
    bool at_root = call->root == (between ? VEF_ROOT_HERE : (int32_t)call->rank);
    const bool root = vef_call_has(call->call, VEF_FACT_ROOTED), lists = !root || at_root;
    return (needs){.root = root,
                   .send = lists && vef_call_has(call->call, VEF_FACT_SENDS_EACH),
                   .receive = lists && vef_call_has(call->call, VEF_FACT_RECEIVES_EACH),
                   .neighbours = vef_call_has(call->call, VEF_FACT_NEIGHBOURS)};
}

static bool has_root(const vef_collective *call) {
    if (call->remote_size)
        return call->root == VEF_ROOT_HERE || call->root == VEF_ROOT_BESIDE ||
               (call->root >= 0 && (uint32_t)call->root < call->remote_size);
    return call->root >= 0 && (uint32_t)call->root < call->size;
}

static bool in_range(const uint32_t *ranks, uint32_t count, uint32_t size) {
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] != VEF_NO_NEIGHBOUR && ranks[i] >= size)
            return false;
    return true;
}

/* The fault of a call, or NULL. */
static const char *fault_of(const vef_collective *call) {
    if (call->size == 0 || call->rank >= call->size)
        return "the rank is not below the size of the communicator";
    needs needed = needs_of(call);
    const vef_neighbours *beside = call->neighbours;
    if (needed.root && !has_root(call))
        return "the root is not a rank of the communicator";
    if (needed.neighbours && !beside)
        return "the communicator has no neighbours: expected a grid or a graph";
    if (needed.neighbours && !(in_range(beside->in, beside->in_count, call->size) &&
                               in_range(beside->out, beside->out_count, call->size)))
        return "neighbours are not ranks of the communicator";
    if (needed.send && !call->send_bytes && !(beside && beside->out_count == 0))
        return "missing the bytes to send to each rank";
    if (needed.receive && !call->receive_bytes && !(beside && beside->in_count == 0))
        return "missing the bytes to receive from each rank";
    return NULL;
}

uint64_t vef_own_bytes(const vef_collective *call) {
    uint64_t sum = 0;
    if (call->remote_size || vef_call_kind(call->call) != VEF_KIND_COLLECTIVE ||
        vef_call_has(call->call, VEF_FACT_NO_DATA) ||
        vef_call_has(call->call, VEF_FACT_NEIGHBOURS) || call->call == VEF_CALL_Bcast)
        return 0;
    if (call->call == VEF_CALL_Reduce_scatter_block)
        return call->bytes * call->size;
    if (vef_call_has(call->call, VEF_FACT_REDUCES)) {
        if (!call->receive_bytes)
            return call->bytes;
        for (uint32_t rank = 0; rank < call->size; rank++)
            sum += call->receive_bytes[rank];
        return sum;
    }
    if (vef_call_has(call->call, VEF_FACT_ROOTED) && call->root != (int32_t)call->rank)
        return 0;
    return call->send_bytes ? call->send_bytes[call->rank] : call->bytes;
}

vef_code vef_plan_make(vef_tuned choice, const vef_collective *call, vef_plan *plan,
                       vef_error *error) {
    assert(choice.algorithm->call == call->call);
    plan->choose = vef_algorithm_choose;
    plan->tuning = choice.tuning;
    plan->count = 0;
    plan->blocks_used = 0;
    const char *fault = fault_of(call);
    if (fault)
        return vef_fail(error, VEF_INVALID, "collective %s, rank %u of %u: %s",
                        choice.algorithm->name, call->rank, call->size, fault);
    if (!vef_moves_nothing(call))
        choice.algorithm->emit(call, plan);
    return VEF_OK;
}

/* Where the messages of a step's kind with its peer are counted; NULL: it has no message. */
static uint32_t *count_of(const vef_step *step, uint32_t *combined, uint32_t *counts) {
    return step->kind == VEF_STEP_COMBINE   ? combined
           : step->kind == VEF_STEP_SEND    ? &counts[2 * (size_t)step->peer]
           : step->kind == VEF_STEP_RECEIVE ? &counts[2 * (size_t)step->peer + 1]
                                            : NULL;
}

void vef_plan_number(vef_plan *plan, uint32_t *counts) {
    uint32_t combined = 0;
    for (int number = 0; number < 2; number++)
        for (size_t i = 0; i < plan->count; i++) {
            uint32_t *count = count_of(&plan->steps[i], &combined, counts);
            if (!count)
                continue;
            if (number)
                plan->steps[i].nth = (*count)++;
            else
                *count = 0;
        }
}
