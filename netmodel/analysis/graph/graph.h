/* A topology as a compact graph, for the analysis: directed links ("arcs") by router, without the
 * ports that are unconnected, and which routers have to be searched from. */
#ifndef VEF_NETMODEL_ANALYSIS_GRAPH_GRAPH_H
#define VEF_NETMODEL_ANALYSIS_GRAPH_GRAPH_H

#include "netmodel/topology/topology.h"

/* Who wants to know how far a long measurement is. */
typedef struct vef_graph_watch {
    /* Called often from the thread that measures: of what `step` names, `done` of `total` is done.
     * NULL: nobody wants to know. */
    void (*tell)(void *context, const char *step, uint64_t done, uint64_t total);
    void *context;
} vef_graph_watch;

typedef struct vef_graph {
    const vef_topology *topology;
    uint32_t routers;
    uint32_t arcs;         /* two for each link; parallel links are arcs of their own */
    const uint32_t *first; /* [routers + 1]: the arcs out of r are first[r] … first[r + 1] - 1, by
                              ascending port */
    const uint32_t *head;  /* [arcs]: the router at the other end */
    const uint16_t *port;  /* [arcs]: the port that it leaves by */

    /* Endpoints on each router; their sum is the topology's. Traffic runs between endpoints, so
     * distances and loads go from and to routers that have some. */
    const uint32_t *endpoints; /* [routers] */

    /* One router of each orbit that has endpoints, and how many routers it stands for; without
     * orbits every router that has endpoints, each for itself. */
    uint32_t sources;
    const uint32_t *source, *stands_for;

    vef_graph_watch watch; /* its owner's to set */

    vef_arena arena;
} vef_graph;

/* `topology` must outlive the graph. */
vef_code vef_graph_create(const vef_topology *topology, vef_graph **graph, vef_error *error);
void vef_graph_destroy(vef_graph *graph); /* NULL is fine */

/* For measurements: tells the watch, if there is one. */
void vef_graph_tell(const vef_graph *graph, const char *step, uint64_t done, uint64_t total);

#endif
