/* The rows of routings.def. */
#include "netmodel/routing/algorithms.h"

const vef_routing_algorithm *const vef_routings[] = {
#define ROUTING(name) &vef_routing_##name,
#include "netmodel/routing/routings.def"
#undef ROUTING
    NULL,
};
