/* The throughput bound of a traffic pattern: the greatest factor by which all demands can be
 * multiplied so that they can be divided over paths, minimal ones or all, with no link above its
 * capacity in each direction (maximum concurrent flow; F. Shahrokhi, D. W.
 * Matula, "The Maximum Concurrent Flow Problem", JACM 37(2), 1990).
 *
 * N. Garg, J. Könemann, "Faster and Simpler Algorithms for Multicommodity Flow and Other Fractional
 * Packing Problems", FOCS 1998: links have lengths that grow exponentially with their flow, and
 * each demand takes the shortest of its paths again and again. Flows give a lower bound,
 * lengths an upper one (linear programming duality), and both are exact bounds whatever the number
 * of steps: the measurement ends when they are close. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_CONCURRENT_H
#define VEF_NETMODEL_ANALYSIS_LOADS_CONCURRENT_H

#include "netmodel/analysis/graph/graph.h"

typedef struct vef_demand {
    uint32_t from, to; /* routers; a demand inside a router loads no link */
    double phits;      /* per cycle, in any unit; more than 0 */
} vef_demand;

/* A division of the demands among paths. */
typedef struct vef_division {
    double factor; /* of all demands, that fits the links; infinite if none crosses a link */
    uint32_t busiest_router, busiest_port; /* the most loaded link */
} vef_division;

typedef struct vef_concurrent_flow {
    double lower, upper; /* the factor is between them; infinite if no demand crosses a link */
    double even; /* the factor if each router divides evenly among the ports that are nearer */
    uint32_t busiest_router, busiest_port; /* the most loaded link of the best division */
    uint32_t phases;                       /* that each demand was routed */
    /* Per arc of the graph: its share of the lengths x capacities that prove the upper bound (their
     * sum is 1).
     * The bound is that of these links alone: a link of share 0 could be wider without effect on
     * it. NULL if no demand crosses a link. From malloc, owned by the caller. */
    double *share;
} vef_concurrent_flow;

/* `all_paths`: beside those of fewest hops. `capacity`: of each arc, in phits per cycle, more than
 * 0 (vef_arc_capacities). `known`: a
 * division of the same demands, which is a lower bound; NULL: none, and so is a factor of NaN.
 * Ends when upper <= lower x (1 + precision), or after `most_phases`. Sorts the demands by
 * destination. VEF_INVALID if two routers of a demand are not connected. Time: phases x
 * destinations x links. */
vef_code vef_concurrent_flow_measure(const vef_graph *graph, bool all_paths, const double *capacity,
                                     vef_demand *demands, size_t count, const vef_division *known,
                                     double precision, uint32_t most_phases,
                                     vef_concurrent_flow *flow, vef_error *error);

/* ---- further bounds ---- */

/* A cut that limits the pattern: no routing at all, minimal or not, carries more across it. */
typedef struct vef_traffic_cut {
    uint32_t routers; /* on the near side; 0: no cut was found */
    uint32_t links;   /* directed, from there to the other side */
    double capacity;  /* of these links, in phits per cycle */
    double phits;     /* of the demands from there to the other side */
    double factor;    /* capacity / phits: the bound of the cut */
} vef_traffic_cut;

/* Finds the cut of the least factor among those that removing the links with a positive weight
 * leaves: the routers that some router still reaches. `capacity` and `weight`: per arc, such as
 * vef_concurrent_flow.share; those below `least` count as 0. Time: routers x (links + demands). */
vef_traffic_cut vef_traffic_cut_find(const vef_graph *graph, const double *capacity,
                                     const vef_demand *demands, size_t count, const double *weight,
                                     double least);

/* The bound of dimension-order routing: every demand follows its minimal records, in equal parts,
 * generator by generator in ascending order, as netmodel/routing/lattice/dimension_order.c draws
 * them. Links of lattices have no bandwidth of their own: the capacity of each is a phit per cycle.
 * Its factor is NaN if dimension order is not defined: not a lattice with minimal records. Time:
 * demands x records x hops. */
vef_division vef_dimension_order_bound(const vef_topology *topology, const vef_demand *demands,
                                       size_t count);

#endif
