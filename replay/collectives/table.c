/* The collective algorithms, one row each; the rows of a call stand together, in the order in which
 * MPICH considers them, and the last of a call takes whatever the others leave.
 *
 * In summaries p is the number of ranks, n the bytes of the buffer (of all blocks together), b the
 * bytes of one block; rounds and bytes are those of the busiest rank. */
#include "replay/collectives/algorithms.h"
#include "traces/event.h"

#include <stddef.h>

#define ROW(name) VEF_CALL_##name

/* clang-format off */
const vef_algorithm vef_algorithms[] = {
    {ROW(Barrier), "dissemination", "Hensgen et al. 1988: ceil(log2 p) rounds, no data",
     vef_always, vef_always, vef_barrier_dissemination},

    {ROW(Bcast), "hardware",
     "with --hardware-broadcast: one message to all in the network; it sends on the copies",
     vef_bcast_has_hardware, vef_always, vef_bcast_hardware},
    {ROW(Bcast), "binomial", "tree: ceil(log2 p) rounds of n bytes",
     vef_always, vef_bcast_is_short, vef_bcast_binomial},
    {ROW(Bcast), "scatter-doubling",
     "van de Geijn: binomial scatter, recursive doubling: 2 log2 p rounds, 2n(p-1)/p bytes",
     vef_power_of_two, vef_bcast_is_medium, vef_bcast_scatter_doubling},
    {ROW(Bcast), "scatter-ring",
     "van de Geijn: binomial scatter, ring: log2 p + p-1 rounds, 2n(p-1)/p bytes",
     vef_always, vef_always, vef_bcast_scatter_ring},

    {ROW(Reduce), "reduce-scatter-gather",
     "Rabenseifner 2004: 2 log2 p rounds, 2n(p-1)/p bytes",
     vef_reduce_can_cut, vef_reduce_is_long, vef_reduce_scatter_gather},
    {ROW(Reduce), "binomial", "tree: ceil(log2 p) rounds of n bytes",
     vef_always, vef_always, vef_reduce_binomial},

    {ROW(Allreduce), "reduce-scatter-allgather",
     "Rabenseifner 2004: 2 log2 p rounds, 2n(p-1)/p bytes",
     vef_allreduce_can_cut, vef_allreduce_is_long, vef_allreduce_halving},
    {ROW(Allreduce), "recursive-doubling", "Thakur et al. 2005: log2 p rounds of n bytes",
     vef_always, vef_always, vef_allreduce_doubling},

    {ROW(Gather), "binomial", "tree: ceil(log2 p) rounds, n(p-1)/p bytes",
     vef_always, vef_always, vef_gather_binomial},
    {ROW(Gatherv), "linear", "p-1 messages to the root at once",
     vef_always, vef_always, vef_gatherv_linear},
    {ROW(Scatter), "binomial", "tree: ceil(log2 p) rounds, n(p-1)/p bytes",
     vef_always, vef_always, vef_scatter_binomial},
    {ROW(Scatterv), "linear", "p-1 messages from the root at once",
     vef_always, vef_always, vef_scatterv_linear},

    {ROW(Allgather), "recursive-doubling", "Thakur et al. 2005: log2 p rounds, n(p-1)/p bytes",
     vef_power_of_two, vef_allgather_takes_doubling, vef_allgather_doubling},
    {ROW(Allgather), "bruck", "Bruck et al. 1997: ceil(log2 p) rounds, n(p-1)/p bytes",
     vef_always, vef_allgather_takes_bruck, vef_allgather_bruck},
    {ROW(Allgather), "ring", "neighbours: p-1 rounds, n(p-1)/p bytes",
     vef_always, vef_always, vef_allgather_ring},

    {ROW(Allgatherv), "recursive-doubling", "Thakur et al. 2005: log2 p rounds, up to n bytes",
     vef_power_of_two, vef_allgather_takes_doubling, vef_allgather_doubling},
    {ROW(Allgatherv), "bruck", "Bruck et al. 1997: ceil(log2 p) rounds, up to n bytes",
     vef_always, vef_allgather_takes_bruck, vef_allgather_bruck},
    {ROW(Allgatherv), "ring", "neighbours: p-1 rounds, up to n bytes in chunks of 32 KiB",
     vef_always, vef_always, vef_allgatherv_ring},

    {ROW(Alltoall), "bruck", "Bruck et al. 1997: ceil(log2 p) rounds, about (p/2) b log2 p bytes",
     vef_always, vef_alltoall_is_short, vef_alltoall_bruck},
    {ROW(Alltoall), "scattered", "p-1 messages, 32 at a time: b(p-1) bytes",
     vef_always, vef_alltoall_is_medium, vef_alltoall_scattered},
    {ROW(Alltoall), "pairwise", "p-1 rounds of one exchange: b(p-1) bytes",
     vef_always, vef_always, vef_alltoall_pairwise},
    {ROW(Alltoallv), "scattered", "up to p-1 messages, 32 at a time",
     vef_always, vef_always, vef_alltoallv_scattered},
    {ROW(Alltoallw), "scattered", "up to p-1 messages, 32 at a time",
     vef_always, vef_always, vef_alltoallv_scattered},

    {ROW(Reduce_scatter), "recursive-halving", "Thakur et al. 2005: log2 p rounds, n(p-1)/p bytes",
     vef_reduce_scatter_commutes, vef_reduce_scatter_is_short, vef_reduce_scatter_halving},
    {ROW(Reduce_scatter), "pairwise", "Thakur et al. 2005: p-1 rounds, n(p-1)/p bytes",
     vef_reduce_scatter_commutes, vef_always, vef_reduce_scatter_pairwise},
    {ROW(Reduce_scatter), "butterfly", "Traeff 2005: log2 p rounds, n(p-1)/p bytes, in order",
     vef_reduce_scatter_is_regular, vef_reduce_scatter_keeps_order, vef_reduce_scatter_butterfly},
    {ROW(Reduce_scatter), "recursive-doubling",
     "Thakur et al. 2005: log2 p rounds, n(log2 p - (p-1)/p) bytes, in order",
     vef_always, vef_always, vef_reduce_scatter_doubling},

    {ROW(Reduce_scatter_block), "recursive-halving",
     "Thakur et al. 2005: log2 p rounds, n(p-1)/p bytes",
     vef_reduce_scatter_commutes, vef_reduce_scatter_is_short, vef_reduce_scatter_halving},
    {ROW(Reduce_scatter_block), "pairwise", "Thakur et al. 2005: p-1 rounds, n(p-1)/p bytes",
     vef_reduce_scatter_commutes, vef_always, vef_reduce_scatter_pairwise},
    {ROW(Reduce_scatter_block), "butterfly", "Traeff 2005: log2 p rounds, n(p-1)/p bytes, in order",
     vef_reduce_scatter_is_regular, vef_reduce_scatter_keeps_order, vef_reduce_scatter_butterfly},
    {ROW(Reduce_scatter_block), "recursive-doubling",
     "Thakur et al. 2005: log2 p rounds, n(log2 p - (p-1)/p) bytes, in order",
     vef_always, vef_always, vef_reduce_scatter_doubling},

    {ROW(Scan), "recursive-doubling", "Hillis, Steele 1986: ceil(log2 p) rounds of n bytes",
     vef_always, vef_always, vef_scan_doubling},
    {ROW(Exscan), "recursive-doubling", "Hillis, Steele 1986: ceil(log2 p) rounds of n bytes",
     vef_always, vef_always, vef_exscan_doubling},

    {ROW(Comm_dup), "agree", "allreduce of 260 bytes", vef_always, vef_always, vef_comm_agree},
    {ROW(Comm_dup_with_info), "agree", "allreduce of 260 bytes",
     vef_always, vef_always, vef_comm_agree},
    {ROW(Comm_create), "agree", "allreduce of 260 bytes", vef_always, vef_always, vef_comm_agree},
    {ROW(Comm_create_group), "agree", "allreduce of 260 bytes in the group",
     vef_always, vef_always, vef_comm_agree},
    {ROW(Cart_create), "agree", "allreduce of 260 bytes", vef_always, vef_always, vef_comm_agree},
    {ROW(Graph_create), "agree", "allreduce of 260 bytes", vef_always, vef_always, vef_comm_agree},
    {ROW(Dist_graph_create_adjacent), "agree", "allreduce of 260 bytes",
     vef_always, vef_always, vef_comm_agree},
    {ROW(Dist_graph_create), "distributed-graph",
     "allreduce of 260 bytes, reduce_scatter of 8 bytes a rank",
     vef_always, vef_always, vef_comm_dist_graph},
    {ROW(Comm_split), "split", "allgather of 8 bytes a rank, allreduce of 260 bytes",
     vef_always, vef_always, vef_comm_split},
    {ROW(Comm_split_type), "split", "allgather of 8 bytes a rank, allreduce of 260 bytes",
     vef_always, vef_always, vef_comm_split},
    {ROW(Cart_sub), "split", "allgather of 8 bytes a rank, allreduce of 260 bytes",
     vef_always, vef_always, vef_comm_split},
    {ROW(Intercomm_create), "connect", "allreduce of 260 bytes, bcast of 4 bytes",
     vef_always, vef_always, vef_comm_connect},
    {ROW(Intercomm_merge), "connect", "allreduce of 260 bytes, bcast of 4 bytes",
     vef_always, vef_always, vef_comm_connect},
    {ROW(Comm_free), "local", "no message", vef_always, vef_always, vef_comm_local},
    {ROW(Comm_disconnect), "local", "no message", vef_always, vef_always, vef_comm_local},

    {0, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */
