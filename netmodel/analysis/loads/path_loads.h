/* The loads that sources put on the links when all minimal paths of a pair have equal load: the
 * kernels of sharing_paths.c, for one source with path counts of any size, or for several at once.
 *
 * Brandes: "A Faster Algorithm for Betweenness Centrality", Journal of Mathematical Sociology
 * 25(2), 2001: a search from each source counts the minimal paths to every router; then, from the
 * farthest router inwards, what goes to or through a router is divided among the links that reach
 * it in proportion to the paths that they bring. Time is sources x arcs. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_PATH_LOADS_H
#define VEF_NETMODEL_ANALYSIS_LOADS_PATH_LOADS_H

#include "common/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { VEF_PATH_LANES = 8 };

/* The arcs by router, as in a vef_graph; every link has an arc each way. Not owned. */
typedef struct vef_path_graph {
    uint32_t routers;
    const uint32_t *first, *head, *endpoints;
} vef_path_graph;

/* A router that sends `weight` x e to each router at least so many hops away, with e endpoints
 * there. */
typedef struct vef_path_source {
    uint32_t router;
    double weight;
    uint32_t least_hops;
} vef_path_source;

typedef struct vef_path_lanes vef_path_lanes;   /* path_loads_lanes.c */
typedef struct vef_path_single vef_path_single; /* path_loads_single.c */

/* Working memory of a thread, from `arena`. */
vef_path_lanes *vef_path_lanes_make(const vef_path_graph *graph, vef_arena *arena);
vef_path_single *vef_path_single_make(const vef_path_graph *graph, vef_arena *arena);

/* Adds to load[arc] the load of `count` sources, 1 to VEF_PATH_LANES, on each arc; fastest for
 * nearby sources. False, with nothing added, if path counts exceed a double: use single sources
 * then. */
bool vef_path_lanes_add(vef_path_lanes *state, const vef_path_source *sources, uint32_t count,
                        double *load);
void vef_path_single_add(vef_path_single *state, const vef_path_source *source, double *load);

#endif
