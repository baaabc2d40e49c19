/* A topology as a compact graph for the analysis: directed links ("arcs") by router, without
 * unconnected ports, and the routers to search from. */
#ifndef VEF_NETMODEL_ANALYSIS_GRAPH_GRAPH_H
#define VEF_NETMODEL_ANALYSIS_GRAPH_GRAPH_H

#include "netmodel/topology/topology.h"

/* Receiver of the progress of a long measurement. */
typedef struct vef_graph_watch {
    /* Called often from the measuring thread: `done` of `total` units of `step` are done. NULL: no
     * progress. */
    void (*report)(void *context, const char *step, uint64_t done, uint64_t total);
    void *context;
} vef_graph_watch;

typedef struct vef_graph {
    const vef_topology *topology;
    uint32_t routers;
    uint32_t arcs;         /* two per link; parallel links are separate arcs */
    const uint32_t *first; /* [routers + 1]: the arcs out of r are first[r] … first[r + 1] - 1, by
                              ascending port */
    const uint32_t *head;  /* [arcs]: the router at the other end */
    const uint16_t *port;  /* [arcs]: the outgoing port */

    /* Endpoints on each router; their sum is the topology's. Distances and loads are between
     * routers with endpoints. */
    const uint32_t *endpoints; /* [routers] */

    /* One router of each orbit with endpoints, and the number of routers that it represents;
     * without orbits every router with endpoints. */
    uint32_t sources;
    const uint32_t *source, *stands_for;

    vef_graph_watch watch; /* set by its owner */

    vef_arena arena;
} vef_graph;

/* `topology` must outlive the graph. */
vef_code vef_graph_create(const vef_topology *topology, vef_graph **graph, vef_error *error);
void vef_graph_destroy(vef_graph *graph); /* NULL is fine */

/* For measurements: reports the progress, if requested. */
void vef_graph_report(const vef_graph *graph, const char *step, uint64_t done, uint64_t total);

/* Cycles per phit of an arc out of a router: `nominal_bits_per_s` (of links without their own
 * bandwidth) / its own bandwidth. 1 for links without, and for all links if `nominal_bits_per_s` is
 * 0. */
double vef_arc_slowness(const vef_graph *graph, uint32_t router, uint32_t arc,
                        uint64_t nominal_bits_per_s);

/* The inverse per arc, in phits per cycle; from malloc, owned by the caller. */
double *vef_arc_capacities(const vef_graph *graph, uint64_t nominal_bits_per_s);

/* Symmetries (vef_topology.orbits) map links of one kind onto each other: 1 is an edge-symmetric
 * network; 0: the family claims nothing (or orbits x ports exceed 32 bits). Unclaimed symmetries
 * may reduce the number. */
uint32_t vef_count_link_kinds(const vef_graph *graph);

#endif
