/* Dimension order on HyperX networks (hyperx.h), for dor and for legs (two_phase.h): one hop in
 * each dimension in which source and destination differ, dimension 0 first, by any of the parallel
 * links.
 *
 * The route has the destination and the next hop, so that packets with the same next hop share
 * their candidates, at every router. */
#ifndef VEF_NETMODEL_ROUTING_HYPERX_ORDER_H
#define VEF_NETMODEL_ROUTING_HYPERX_ORDER_H

#include "netmodel/routing/routing.h"
#include "netmodel/topology/hyperx.h"

#include <string.h>

/* Words of a route: the destination, then those of each routing. */
enum { VEF_HYPERX_DESTINATION_WORD, VEF_HYPERX_OWN_WORD = 2 };

/* NULL for a topology that is not a HyperX network. A complete graph is one of one dimension. */
const vef_hyperx *vef_hyperx_of(const vef_topology *topology);

/* Refuses topologies that are not HyperX networks. As vef_routing_algorithm.supports. */
vef_code vef_hyperx_supports(const vef_topology *topology, vef_flow_control flow_control,
                             const void *parameters, vef_error *error);

static inline uint32_t vef_hyperx_destination(const vef_route *route) {
    return vef_route_uint32(route, VEF_HYPERX_DESTINATION_WORD);
}

static inline void vef_hyperx_set_destination(vef_route *route, uint32_t destination) {
    vef_route_set_uint32(route, VEF_HYPERX_DESTINATION_WORD, destination);
}

/* In dimension order: one more than the port of the next hop, that of the first of the parallel
 * links; 0 at the destination. */
enum { VEF_ORDER_NEXT_WORD = VEF_HYPERX_OWN_WORD, VEF_ORDER_WORDS };

/* Maximum number of parallel links between two routers. */
uint32_t vef_order_most_links(const vef_hyperx *hyperx);

/* Sets the words of a route between two routers. */
void vef_order_begin(const vef_hyperx *hyperx, uint32_t from, uint32_t to, vef_route *route);

/* Offers the links of the next hop, each with channels `first` to `first` + `channels` - 1. Returns
 * the number of candidates: 0 at the destination. */
uint32_t vef_order_offer(const vef_hyperx *hyperx, const vef_route *route, uint32_t first,
                         uint32_t channels, vef_candidate *offered);

/* As in vef_routing_algorithm. There are as many signatures as ports. */
uint32_t vef_order_signature(const vef_routing *routing, const vef_route *route);
void vef_order_advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                       uint8_t channel);

#endif
