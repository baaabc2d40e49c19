/* A cut that limits a traffic pattern: no routing at all, minimal or not, carries more across it.
 */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_CUT_H
#define VEF_NETMODEL_ANALYSIS_LOADS_CUT_H

#include "netmodel/analysis/loads/concurrent.h"

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

#endif
