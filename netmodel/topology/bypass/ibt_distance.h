/* Distances in interlaced bypass tori by formula. See ibt_distance.c for the derivation. */
#ifndef VEF_NETMODEL_TOPOLOGY_BYPASS_IBT_DISTANCE_H
#define VEF_NETMODEL_TOPOLOGY_BYPASS_IBT_DISTANCE_H

#include "netmodel/topology/topology.h"

/* The parameters of the family `ibt`. */
typedef struct vef_ibt {
    vef_int_list sizes;
    int64_t bypass_dimensions; /* the first of the dimensions */
    vef_int_list lengths;      /* in routers */
} vef_ibt;

/* Maximum number of bypass dimensions of the formula, which supports one length. */
enum { VEF_IBT_DISTANCE_DIMENSIONS = 3 };

/* Hops between two routers of an ibt network that the formula covers. */
uint32_t vef_ibt_distance(const vef_topology *topology, uint32_t from, uint32_t to);

#endif
