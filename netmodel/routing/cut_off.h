/* Why a routing that does not go round failures is refused: a pair of endpoints that it would cut
 * off. */
#ifndef VEF_NETMODEL_ROUTING_CUT_OFF_H
#define VEF_NETMODEL_ROUTING_CUT_OFF_H

#include "netmodel/routing/routing.h"

/* Fails (VEF_UNSUPPORTED) with two endpoints of `topology`, which has failures, and the link or
 * router on their way that is down. `routing` is the routing on the network without failures. */
vef_code vef_routing_refuse_failures(const vef_routing *routing, const vef_topology *topology,
                                     vef_error *error);

#endif
