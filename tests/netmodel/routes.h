/* What tests of routings share: following a route by hand, and bursts through a network. */
#ifndef VEF_TESTS_NETMODEL_ROUTES_H
#define VEF_TESTS_NETMODEL_ROUTES_H

#include "netmodel/routing/routing.h"

/* What is offered at a place, found to be within the channels and within what the routing said. */
uint32_t offers(const vef_routing *routing, const vef_route *route, vef_place place,
                vef_candidate *offered);

/* Takes a candidate; the link must exist. Returns the packet's next position. */
vef_place step(const vef_routing *routing, vef_route *route, vef_place place, vef_candidate chosen);

/* Every endpoint of a network, two on a router, sends a burst to drawn others through queues of
 * `places` packets; fails unless all arrive. `topology` and `routing` are YAML mappings. */
void check_burst(const char *topology, const char *routing, const char *flow_control,
                 uint32_t places);

/* The candidates of dimension order where a ring is entered as if there were no bubble to keep: a
 * routing that deadlocks. */
uint32_t careless_candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                             vef_candidate *offered);

#endif
