/* Costs of routes by the state of queues, for routings that choose one at the source (ugal.c) or on
 * the way (../dragonfly/par.c). */
#ifndef VEF_NETMODEL_ROUTING_TWO_PHASE_COST_H
#define VEF_NETMODEL_ROUTING_TWO_PHASE_COST_H

#include "netmodel/routing/two_phase/two_phase.h"
#include "netmodel/routing/view.h"

typedef struct vef_route_cost {
    bool all_channels; /* queues: port */
    bool sum;          /* the sum over the links of the route, instead of the first one x hops */
} vef_route_cost;

/* Places taken in the queues by which the route leaves its source's router, times the number of
 * hops; or the sum of taken places over all links of the route. Where several ports lead on, those
 * of the port with the fewest places taken, the first among equals, and the hops along that port.
 */
uint64_t vef_two_phase_cost(const vef_routing *routing, const vef_travel *travel, vef_route route,
                            vef_route_cost cost, const vef_view *view);

/* As vef_choice.begin: alternative 0 is minimal, the others lead over intermediate routers. */
void vef_two_phase_begin_alternative(const vef_routing *routing, const vef_travel *travel,
                                     uint32_t alternative, vef_draws *draws, vef_route *route);

#endif
