/* The functions of table.c's rows, grouped by file. */
#ifndef VEF_REPLAY_COLLECTIVES_ALGORITHMS_H
#define VEF_REPLAY_COLLECTIVES_ALGORITHMS_H

#include "replay/collectives/plan.h"

typedef void vef_algorithm_emit(const vef_collective *call, vef_plan *plan);

/* barrier.c, bcast.c, reduce.c, allreduce.c, scan.c */
vef_algorithm_emit vef_barrier_dissemination;
vef_algorithm_emit vef_bcast_hardware;
vef_algorithm_emit vef_bcast_binomial, vef_bcast_scatter_doubling, vef_bcast_scatter_ring;
vef_algorithm_emit vef_reduce_binomial, vef_reduce_scatter_gather;
vef_algorithm_emit vef_allreduce_doubling, vef_allreduce_halving;
vef_algorithm_emit vef_scan_doubling, vef_exscan_doubling;

/* gather.c, scatter.c, allgather.c */
vef_algorithm_emit vef_gather_binomial, vef_gatherv_linear;
vef_algorithm_emit vef_scatter_binomial, vef_scatterv_linear;
vef_algorithm_emit vef_allgather_doubling, vef_allgather_bruck, vef_allgather_ring;
vef_algorithm_emit vef_allgatherv_ring;

/* alltoall.c, alltoallv.c */
vef_algorithm_emit vef_alltoall_bruck, vef_alltoall_scattered, vef_alltoall_pairwise;
vef_algorithm_emit vef_alltoallv_scattered;

/* reduce_scatter.c */
vef_algorithm_emit vef_reduce_scatter_halving, vef_reduce_scatter_pairwise;
vef_algorithm_emit vef_reduce_scatter_butterfly, vef_reduce_scatter_doubling;

/* neighbours.c */
vef_algorithm_emit vef_neighbours_linear;

/* between.c */
uint64_t vef_between_rooted_bytes(const vef_collective *call); /* of a gather or scatter, in all */
vef_algorithm_emit vef_between_barrier, vef_between_bcast, vef_between_reduce;
vef_algorithm_emit vef_between_allreduce, vef_between_gather, vef_between_gather_linear;
vef_algorithm_emit vef_between_scatter, vef_between_scatter_linear;
vef_algorithm_emit vef_between_gatherv, vef_between_scatterv;
vef_algorithm_emit vef_between_allgather, vef_between_allgatherv, vef_between_alltoall;
vef_algorithm_emit vef_between_reduce_scatter;
vef_algorithm_emit vef_between_duplicate, vef_between_create, vef_between_split;
vef_algorithm_emit vef_between_merge, vef_between_connect;

/* communicator.c, window.c */
vef_algorithm_emit vef_comm_agree, vef_comm_split, vef_comm_dist_graph, vef_comm_connect;
vef_algorithm_emit vef_comm_connect_groups, vef_comm_local;
vef_algorithm_emit vef_window_create, vef_window_allocate, vef_window_share, vef_window_dynamic;
vef_algorithm_emit vef_window_free;

#endif
