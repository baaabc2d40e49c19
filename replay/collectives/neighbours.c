/* Neighbourhood collectives.
 *
 * linear, MPICH 4.0.2's (src/mpi/coll/ineighbor_*_allcomm_sched_linear.c, which the blocking calls
 * wait for): one message to each outgoing neighbour and one from each incoming one, all at once, of
 * no bytes too. A repeated neighbour gets a message for each occurrence, distinguished by their
 * order. In a grid of two, or one, around a periodic dimension the ranks below and above are the
 * same, and what was sent downwards arrives as from above (MPI 4.0, section 8.6): receives go
 * through the list backwards. MPICH 4.0.2 does so in Neighbor_alltoall, and forgets it in
 * Neighbor_alltoallv and _alltoallw; here all do. In graphs both lists are gone through in order.
 */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_grid_neighbours(const vef_communicator *communicator, uint32_t rank, uint32_t *list) {
    uint32_t stride = 1;
    for (uint32_t d = communicator->dimensions; d-- > 0;) {
        uint32_t extent = communicator->extents[d], coordinate = rank / stride % extent;
        bool around = communicator->periodic[d];
        uint32_t end = (extent - 1) * stride; /* from the first of a row to its last */
        list[2 * d] = coordinate > 0 ? rank - stride : around ? rank + end : VEF_NO_NEIGHBOUR;
        list[2 * d + 1] = coordinate + 1 < extent ? rank + stride
                          : around                ? rank - end
                                                  : VEF_NO_NEIGHBOUR;
        stride *= extent;
    }
}

static bool is_real(const vef_collective *call, uint32_t neighbour) {
    return neighbour != VEF_NO_NEIGHBOUR && neighbour != call->rank;
}

static uint64_t bytes_of(const vef_collective *call, const uint64_t *vector, uint32_t index) {
    return vector ? vector[index] : call->bytes;
}

/* Records the data of the last step: a pair's messages are consecutive in its piece. */
static void note_block(const vef_collective *call, vef_plan *plan, vef_step_kind kind,
                       uint32_t peer, uint64_t bytes) {
    uint64_t begin = 0;
    for (size_t i = 0; plan->note_blocks && i + 1 < plan->count; i++)
        if (plan->steps[i].kind == kind && plan->steps[i].peer == peer)
            begin += plan->steps[i].bytes;
    uint32_t piece =
        kind == VEF_STEP_SEND ? call->rank * call->size + peer : peer * call->size + call->rank;
    vef_note_block(plan, piece, begin, begin + bytes);
}

static void add(const vef_collective *call, vef_plan *plan, vef_step_kind kind, uint32_t peer,
                uint64_t bytes) {
    if (!is_real(call, peer))
        return;
    vef_add_step(plan, kind, peer, bytes, 0);
    note_block(call, plan, kind, peer, bytes);
}

void vef_neighbours_linear(const vef_collective *call, vef_plan *plan) {
    const vef_neighbours *beside = call->neighbours;
    for (uint32_t i = 0; i < beside->out_count; i++)
        add(call, plan, VEF_STEP_SEND, beside->out[i], bytes_of(call, call->send_bytes, i));
    for (uint32_t i = 0; i < beside->in_count; i++) {
        uint32_t from = call->grid ? beside->in_count - 1 - i : i;
        add(call, plan, VEF_STEP_RECEIVE, beside->in[from],
            bytes_of(call, call->receive_bytes, from));
    }
}
