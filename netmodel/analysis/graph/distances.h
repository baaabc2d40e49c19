/* Distances of a network, in hops, over all ordered pairs of endpoints, counted per pair of routers
 * and weighted by their endpoints: diameter, mean, deviation, distribution.
 *
 * By breadth-first search from one router of each orbit, or without symmetries from every router,
 * in batches. Memory is proportional to the links. Sums are of integers, so the figures are exact
 * and do not depend on the number of threads. */
#ifndef VEF_NETMODEL_ANALYSIS_GRAPH_DISTANCES_H
#define VEF_NETMODEL_ANALYSIS_GRAPH_DISTANCES_H

#include "netmodel/analysis/graph/graph.h"

typedef struct vef_distances {
    uint32_t diameter;
    double average;         /* a router itself counted as 0, as the papers do */
    double average_without; /* without the pairs of one router; NAN if there are no others */
    double deviation;       /* standard deviation, a router itself counted */
    double *distribution;   /* [diameter + 1]: share of the pairs at that distance x routers with
                               endpoints. If these have equally many endpoints: how many of them are
                               at that distance from one, on average. Owned */
} vef_distances;

/* Refuses (VEF_INVALID) a network without endpoints, or a disconnected one, naming two endpoints.
 */
vef_code vef_check_connected(const vef_graph *graph, vef_error *error);

/* Refuses what vef_check_connected does. */
vef_code vef_distances_measure(const vef_graph *graph, vef_distances *distances, vef_error *error);
void vef_distances_release(vef_distances *distances);

/* Hops from `source` to every router ([routers], UINT32_MAX: not reached); `queue` has room for
 * [routers] numbers and receives the reached ones in the order of the search. Returns their number.
 */
uint32_t vef_distances_from(const vef_graph *graph, uint32_t source, uint32_t *distance,
                            uint32_t *queue);

/* The same from every source of the graph in batches (searches.c): adds to pairs[d] ([routers]
 * numbers) the pairs of endpoints that are d hops apart, times the number of routers that a source
 * represents. */
void vef_distances_batched(const vef_graph *graph, uint64_t *pairs);

/* The number of minimal paths from one router to another (path diversity), exact up to 2^53;
 * parallel links count separately. 1 for a router and itself; infinite beyond 10^308. VEF_INVALID
 * if there is no path. */
vef_code vef_minimal_paths(const vef_graph *graph, uint32_t from, uint32_t to, uint32_t *distance,
                           double *paths, vef_error *error);

#endif
