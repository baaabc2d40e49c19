/* Creation of communicators, as in MPICH among the ranks of the calling communicator.
 *
 * The context id of the new communicator is agreed on by an allreduce (bitwise and) of each rank's
 * mask of free ids: 64 words of 32 bits and one flag word, 260 bytes
 * (MPIR_Get_contextid_sparse_group in src/mpi/comm/contextid.c; MPIR_MAX_CONTEXT_MASK is 2^(16-5) /
 * 32 = 64). It succeeds at the first attempt unless threads create communicators concurrently; one
 * attempt is assumed. Then rank 0 of the new communicator broadcasts its sequence number to it, one
 * int (init_comm_seq in src/mpi/comm/commutil.c). Neither depends on nodes.
 *
 * agree: these two: Comm_dup, Comm_idup, Comm_create, Cart_create and Graph_create (which
 * split if ranks may be reordered; a trace does not store that, and MPICH's default mapping never
 * reorders), and Comm_create_group and Comm_create_from_group, with the group's rank and size.
 * split: first an allgather of (color, key), two ints: Comm_split, Comm_split_type, Cart_sub.
 * distributed graph: then a reduce_scatter_block of the numbers of neighbours, two ints a rank; the
 * edges, which MPICH sends between ranks, are not in the trace and left out.
 * ids, split-ids: the same in Open MPI 4.1 (ompi/communicator/comm_cid.c): three allreduces of one
 * int, non-blocking ones: the greatest free id, whether all can use it, and the activation.
 * connect, for intercommunicators: then the leader broadcasts what it received from the other side
 * (one int); the exchange between leaders is outside this communicator and left out.
 * connect groups: Intercomm_create_from_groups first creates a communicator of its own group.
 * local: freeing sends nothing. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

enum { MASK_WORDS = 65, WORD_BYTES = 4 };

/* The allreduce of the ids. */
static void find_id(const vef_collective *call, vef_plan *plan) {
    vef_collective flat = *call;
    flat.nodes = NULL;
    flat.nonblocking =
        call->call == VEF_CALL_Comm_idup || call->call == VEF_CALL_Comm_idup_with_info;
    vef_add_phase(plan, &flat, VEF_CALL_Allreduce, MASK_WORDS * WORD_BYTES, MASK_WORDS);
}

/* The broadcast in the new communicator. */
static void number(const vef_collective *call, vef_plan *plan) {
    const uint32_t first = vef_now(plan);
    vef_collective made = *call;
    if (call->made_size == 0)
        return;
    made.nodes = NULL;
    made.rank = call->made_rank;
    made.size = call->made_size;
    vef_add_phase(plan, &made, VEF_CALL_Bcast, WORD_BYTES, 1);
    for (size_t i = first; call->made_ranks && i < plan->count; i++)
        plan->steps[i].peer = call->made_ranks[plan->steps[i].peer];
}

void vef_comm_agree(const vef_collective *call, vef_plan *plan) {
    find_id(call, plan);
    number(call, plan);
}

void vef_comm_split(const vef_collective *call, vef_plan *plan) {
    vef_add_phase(plan, call, VEF_CALL_Allgather, 2 * WORD_BYTES, 2);
    vef_comm_agree(call, plan);
}

void vef_comm_dist_graph(const vef_collective *call, vef_plan *plan) {
    vef_comm_agree(call, plan);
    vef_add_phase(plan, call, VEF_CALL_Reduce_scatter_block, 2 * WORD_BYTES, 2);
}

void vef_comm_connect(const vef_collective *call, vef_plan *plan) {
    find_id(call, plan);
    vef_add_phase(plan, call, VEF_CALL_Bcast, WORD_BYTES, 1);
}

void vef_comm_connect_groups(const vef_collective *call, vef_plan *plan) {
    find_id(call, plan);
    vef_comm_connect(call, plan);
}

void vef_comm_local(const vef_collective *call, vef_plan *plan) {
    (void)call;
    (void)plan;
}

void vef_comm_ids(const vef_collective *call, vef_plan *plan) {
    vef_collective part = *call;
    part.nonblocking = true;
    for (int i = 0; i < 3; i++)
        vef_add_phase(plan, &part, VEF_CALL_Allreduce, WORD_BYTES, 1);
}

void vef_comm_split_ids(const vef_collective *call, vef_plan *plan) {
    vef_add_phase(plan, call, VEF_CALL_Allgather, 2 * WORD_BYTES, 2);
    vef_comm_ids(call, plan);
}
