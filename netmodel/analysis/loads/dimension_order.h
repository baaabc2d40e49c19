/* The throughput bound of dimension-order routing: the load of each link if every demand follows
 * its minimal records, in equal parts, generator by generator in ascending order, as
 * netmodel/routing/lattice/dimension_order.c draws them. Links of lattices have no bandwidth of
 * their own: the capacity of each is a phit per cycle. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_DIMENSION_ORDER_H
#define VEF_NETMODEL_ANALYSIS_LOADS_DIMENSION_ORDER_H

#include "netmodel/analysis/loads/concurrent.h"

/* Its factor is NaN if dimension order is not defined: not a lattice with minimal records. Time:
 * demands x records x hops. */
vef_division vef_dimension_order_bound(const vef_topology *topology, const vef_demand *demands,
                                       size_t count);

#endif
