/* What sources put on the links when all minimal paths of a pair carry the same: the work inside
 * sharing_paths.c, one source at a time with path counts of any size, or several side by side.
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

/* A router that sends `weight` x e to each router, e being the endpoints there. */
typedef struct vef_path_source {
    uint32_t router;
    double weight;
} vef_path_source;

typedef struct vef_path_lanes vef_path_lanes;   /* path_loads_lanes.c */
typedef struct vef_path_single vef_path_single; /* path_loads_single.c */

/* Room for a thread to work in, out of `arena`; NULL when memory runs out. */
vef_path_lanes *vef_path_lanes_make(const vef_path_graph *graph, vef_arena *arena);
vef_path_single *vef_path_single_make(const vef_path_graph *graph, vef_arena *arena);

/* Bytes for each router that the two of them take at most. */
enum { VEF_PATH_ROOM_BYTES = 144 };

/* Adds to load[arc] what `count` sources, 1 to VEF_PATH_LANES, put on each arc; fastest where they
 * are near each other. False, with nothing added, where path counts outgrow a double: single
 * sources would do. */
bool vef_path_lanes_add(vef_path_lanes *own, const vef_path_source *sources, uint32_t count,
                        double *load);
void vef_path_single_add(vef_path_single *own, const vef_path_source *source, double *load);

#endif
