/* Distances of a network, in hops, over all ordered pairs of endpoints, counted once for each pair
 * of routers and weighed with their endpoints (which changes nothing where each router has the
 * same number): diameter, mean, deviation, distribution.
 *
 * By breadth-first search from one router of each orbit, or from every router in batches that share
 * a sweep where nothing is alike. Memory is proportional to the links. Sums are of integers, so the
 * figures are exact to the last digit and do not depend on the number of threads. */
#ifndef VEF_NETMODEL_ANALYSIS_GRAPH_DISTANCES_H
#define VEF_NETMODEL_ANALYSIS_GRAPH_DISTANCES_H

#include "netmodel/analysis/graph/graph.h"

typedef struct vef_distances {
    uint32_t diameter;
    double average;         /* a router itself counted as 0, as the papers do */
    double average_without; /* the pairs of one router left out; NAN where there are no others */
    double deviation;       /* standard deviation, a router itself counted */
    double *distribution;   /* [diameter + 1]: share of the pairs at that distance x routers with
                               endpoints. With as many endpoints on each of these: how many of them
                               are at that distance from one, on average. Owned */
} vef_distances;

/* Refuses (VEF_INVALID) a network without endpoints, or whose endpoints do not reach each other,
 * naming two. */
vef_code vef_check_connected(const vef_graph *graph, vef_error *error);

/* Refuses what vef_check_connected does. */
vef_code vef_distances_measure(const vef_graph *graph, vef_distances *distances, vef_error *error);
void vef_distances_release(vef_distances *distances);

/* Hops from `source` to every router ([routers], UINT32_MAX: not reached); `queue` is room for
 * [routers] numbers and holds those reached in the order of the search. Returns how many. */
uint32_t vef_distances_from(const vef_graph *graph, uint32_t source, uint32_t *distance,
                            uint32_t *queue);

/* The same from every source of the graph at once, in batches that share a sweep (searches.c):
 * adds to pairs[d] ([routers] numbers) the pairs of endpoints that are d hops apart, those of a
 * source as many times as it stands for routers. */
vef_code vef_distances_batched(const vef_graph *graph, uint64_t *pairs, vef_error *error);

/* The number of minimal paths from one router to another (path diversity), exact up to 2^53;
 * parallel links make paths of their own. 1 for a router and itself; infinite beyond 10^308.
 * VEF_INVALID where there is none. */
vef_code vef_minimal_paths(const vef_graph *graph, uint32_t from, uint32_t to, uint32_t *distance,
                           double *paths, vef_error *error);

#endif
