/* The routing algorithms of routings.def. */
#ifndef VEF_NETMODEL_ROUTING_ALGORITHMS_H
#define VEF_NETMODEL_ROUTING_ALGORITHMS_H

#include "netmodel/routing/routing.h"

#define ROUTING(name) extern const vef_routing_algorithm vef_routing_##name;
#include "netmodel/routing/routings.def"
#undef ROUTING

/* Checks what a plug-in made, as the tests check the rows of the table: refuses (VEF_INVALID) what
 * create may not set, and a routing that does not bring packets between up to 4,096 pairs of
 * routers to their destination by candidates that exist: each alternative, with the first outcome
 * of its draws, by the first escape. `vef verify` visits all states. */
vef_code vef_routing_check_sound(const vef_routing *routing, vef_error *error);

/* Why a routing that does not go round failures is refused: fails (VEF_UNSUPPORTED) with two
 * endpoints of `topology`, which has failures, and the link or router on their way that is down.
 * `routing` is the routing on the network without failures. */
vef_code vef_routing_refuse_failures(const vef_routing *routing, const vef_topology *topology,
                                     vef_error *error);

#endif
