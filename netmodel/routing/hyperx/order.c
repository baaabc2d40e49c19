/* Dimension order on HyperX networks. See order.h. */
#include "netmodel/routing/hyperx/order.h"

#include "netmodel/topology/families.h"

const vef_hyperx *vef_hyperx_of(const vef_topology *topology) {
    return topology->family == &vef_topology_hyperx || topology->family == &vef_topology_complete
               ? topology->details
               : NULL;
}

vef_code vef_hyperx_supports(const vef_topology *topology, vef_flow_control flow_control,
                             const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    if (vef_hyperx_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "it routes along the dimensions of a HyperX network: expected topology %s or "
                    "%s, not %s",
                    vef_topology_hyperx.name, vef_topology_complete.name, topology->family->name);
}

uint32_t vef_order_most_links(const vef_hyperx *hyperx) {
    uint32_t most = 1;
    for (uint32_t d = 0; d < hyperx->dimensions; d++)
        most = hyperx->weights[d] > most ? hyperx->weights[d] : most;
    return most;
}

/* One more than the first of the ports of the next hop; 0: there is none. */
static int16_t next_hop(const vef_hyperx *hyperx, uint32_t from, uint32_t to) {
    for (uint32_t d = 0; d < hyperx->dimensions; d++) {
        const uint32_t offset = vef_hyperx_offset(hyperx, from, to, d);
        if (offset > 0)
            return (int16_t)(vef_hyperx_port(hyperx, d, offset, 0) + 1);
    }
    return 0;
}

void vef_order_begin(const vef_hyperx *hyperx, uint32_t from, uint32_t to, vef_route *route) {
    vef_hyperx_set_destination(route, to);
    route->words[VEF_ORDER_NEXT_WORD] = next_hop(hyperx, from, to);
}

uint32_t vef_order_offer(const vef_hyperx *hyperx, const vef_route *route, uint32_t first,
                         uint32_t channels, vef_candidate *offered) {
    const uint32_t next = (uint32_t)route->words[VEF_ORDER_NEXT_WORD];
    if (next == 0)
        return 0;
    const uint32_t links = hyperx->weights[vef_hyperx_dimension_of(hyperx, next - 1)];
    uint32_t count = 0;
    for (uint32_t link = 0; link < links; link++)
        count += vef_offer_escapes(next - 1 + link, first, channels, offered + count);
    return count;
}

uint32_t vef_order_signature(const vef_routing *routing, const vef_route *route) {
    (void)routing;
    const uint32_t next = (uint32_t)route->words[VEF_ORDER_NEXT_WORD];
    return next == 0 ? 0 : next - 1;
}

void vef_order_advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                       uint8_t channel) {
    (void)channel;
    const vef_topology *topology = routing->topology;
    const uint32_t next = vef_topology_next(topology, place.router, port);
    route->words[VEF_ORDER_NEXT_WORD] =
        next_hop(vef_hyperx_of(topology), next, vef_hyperx_destination(route));
}
