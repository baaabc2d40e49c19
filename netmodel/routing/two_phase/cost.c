/* Costs of routes by the state of queues. See cost.h. */
#include "netmodel/routing/two_phase/cost.h"

void vef_two_phase_begin_alternative(const vef_routing *routing, const vef_travel *travel,
                                     uint32_t alternative, vef_draws *draws, vef_route *route) {
    if (alternative == 0)
        vef_two_phase_begin_minimal(routing, travel, draws, route);
    else
        vef_two_phase_begin_over(routing, travel, draws, route);
}

/* The first of the candidates of the port with the fewest places taken, and that number. `offered`:
 * in the order of ports. */
static vef_candidate least_taken(const vef_candidate *offered, uint32_t count, bool all_channels,
                                 uint32_t router, const vef_view *view, uint64_t *least) {
    vef_candidate chosen = offered[0];
    *least = UINT64_MAX;
    for (uint32_t i = 0, first = 0; i < count; first = i) {
        const uint16_t port = offered[first].port;
        uint32_t taken = vef_view_waiting(view, router, port);
        for (; i < count && offered[i].port == port; i++)
            if (!all_channels)
                taken += vef_view_queue(view, router, port, offered[i].channel).taken;
        if (all_channels)
            taken += vef_view_taken(view, router, port);
        if (taken < *least) {
            *least = taken;
            chosen = offered[first];
        }
    }
    return chosen;
}

uint64_t vef_two_phase_cost(const vef_routing *routing, const vef_travel *travel, vef_route route,
                            vef_route_cost cost, const vef_view *view) {
    uint64_t taken = 0, hops = 0;
    vef_place place = {travel->from, VEF_INJECTED, 0};
    while (!vef_routing_arrived(routing, &route, place.router, travel->to)) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        const uint32_t count = vef_two_phase_candidates(routing, &route, place, offered);
        vef_candidate by = offered[0];
        if (hops == 0 || cost.sum) {
            uint64_t here;
            by = least_taken(offered, count, cost.all_channels, place.router, view, &here);
            taken += here;
        }
        if (!cost.sum && taken == 0)
            return 0;
        vef_two_phase_advance(routing, &route, place, by.port, by.channel);
        place = vef_place_after(routing->topology, place, by.port, by.channel);
        hops++;
    }
    return cost.sum ? taken : taken * hops;
}
