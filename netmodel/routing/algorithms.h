/* The routing algorithms of routings.def. */
#ifndef VEF_NETMODEL_ROUTING_ALGORITHMS_H
#define VEF_NETMODEL_ROUTING_ALGORITHMS_H

#include "netmodel/routing/routing.h"

#define ROUTING(name) extern const vef_routing_algorithm vef_routing_##name;
#include "netmodel/routing/routings.def"
#undef ROUTING

#endif
