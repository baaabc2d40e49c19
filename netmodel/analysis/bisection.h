/* Dividing a network into two halves: across an axis of its grid, or by a graph partitioner; and
 * the share of a cut's links that serves the traffic between the halves. Links are counted once,
 * not per direction. */
#ifndef VEF_NETMODEL_ANALYSIS_BISECTION_H
#define VEF_NETMODEL_ANALYSIS_BISECTION_H

#include "netmodel/analysis/graph/graph.h"

typedef struct vef_cut {
    uint64_t links;     /* between the halves */
    uint64_t near, far; /* endpoints on each side */
    uint32_t axis;      /* the axis; of the partitioner's cut: meaningless */
    /* Camara et al., TPDS 2010, section 5.2: the links left to uniform traffic from one half to the
     * other, when minimal paths of pairs of one half cross the cut as well: links x (crossings that
     * pairs of different halves need) / (crossings). */
    double effective_links;
} vef_cut;

/* The cut between the routers for which `far_side` is 0 and the others ([routers]). */
void vef_cut_measure(const vef_graph *graph, const uint8_t *far_side, const double *load,
                     vef_cut *cut);

/* Whether the endpoints of both sides differ by at most the maximum on a router. */
bool vef_cut_is_balanced(const vef_graph *graph, const vef_cut *cut);

/* The bisection itself, of small networks: a cut into balanced halves with the fewest links. False:
 * the network has more routers, or no two halves. */
enum { VEF_EXACT_ROUTERS = 24 };
bool vef_cut_exactly(const vef_graph *graph, const double *load, vef_cut *cut);

/* The cut across an axis with the fewest links, the first of equals; of the balanced ones alone if
 * `balanced`. VEF_UNSUPPORTED if the topology has no such axis. `load` is the loads of uniform
 * traffic by arc (link_load.h), for effective_links; NULL: left 0. */
vef_code vef_cut_across_axes(const vef_graph *graph, const double *load, bool balanced,
                             vef_cut *cut, vef_error *error);

/* A cut into halves of equal numbers of endpoints (they differ by at most the maximum on a router)
 * found by Scotch: an upper bound of the bisection. Routers without endpoints are on either side.
 * Deterministic. VEF_UNSUPPORTED in a build without Scotch, with the remedy, and if one router has
 * all endpoints. */
vef_code vef_cut_by_partitioner(const vef_graph *graph, const double *load, vef_cut *cut,
                                vef_error *error);
bool vef_has_partitioner(void);

#endif
