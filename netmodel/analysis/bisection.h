/* Cutting a network in two halves: across an axis of its grid, by a graph partitioner, and how much
 * of a cut serves the traffic between the halves. Links are counted once, not per direction. */
#ifndef VEF_NETMODEL_ANALYSIS_BISECTION_H
#define VEF_NETMODEL_ANALYSIS_BISECTION_H

#include "netmodel/analysis/graph/graph.h"

typedef struct vef_cut {
    uint64_t links;     /* between the halves */
    uint64_t near, far; /* endpoints on each side */
    uint32_t axis;      /* that it goes across; of the partitioner's cut: meaningless */
    /* Camara et al., TPDS 2010, section 5.2: the links that uniform traffic from one half to the
     * other has for itself, when minimal paths of pairs of one half cross the cut as well: links x
     * (crossings that pairs of different halves need) / (crossings). */
    double effective_links;
} vef_cut;

/* The cut between the routers for which `far_side` is 0 and the others ([routers]). */
void vef_cut_measure(const vef_graph *graph, const uint8_t *far_side, const double *load,
                     vef_cut *cut);

/* The cut across an axis with the fewest links, the first of equals; VEF_UNSUPPORTED where the
 * topology has no axes. `load` are loads of uniform traffic by arc (link_load.h), for
 * effective_links; NULL: left 0. */
vef_code vef_cut_across_axes(const vef_graph *graph, const double *load, vef_cut *cut,
                             vef_error *error);

/* A cut into halves of equal numbers of endpoints (they differ by no more than the most on a
 * router) found by Scotch: an upper bound of the bisection. Routers without endpoints lie on either
 * side. The same every time. VEF_UNSUPPORTED in a build without Scotch, saying how to have it, and
 * where one router has all endpoints. */
vef_code vef_cut_by_partitioner(const vef_graph *graph, const double *load, vef_cut *cut,
                                vef_error *error);
bool vef_has_partitioner(void);

#endif
