/* The moves of a routing from those of its unrolled form (vef_routing_unroll). */
#ifndef VEF_NETMODEL_DEADLOCK_UNROLLED_H
#define VEF_NETMODEL_DEADLOCK_UNROLLED_H

#include "netmodel/deadlock/moves.h"

/* Adds to `to`, of `routing`, what the channels of all moves and arrivals of `from`, of `unrolled`,
 * stand for at each router. */
void vef_unrolled_fold(const vef_routing *routing, const vef_routing *unrolled,
                       const vef_moves *from, const vef_moves *to);

#endif
