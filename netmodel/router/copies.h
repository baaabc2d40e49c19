/* Broadcast packets in the core (netmodel/MODEL.md, "Broadcast"): at the front of its queue such a
 * packet requests every output that still needs a copy, and stays until the last copy has left. */
#ifndef VEF_NETMODEL_ROUTER_COPIES_H
#define VEF_NETMODEL_ROUTER_COPIES_H

#include "netmodel/router/network.h"

/* Refuses (VEF_UNSUPPORTED) a network that does not support broadcast. */
vef_code vef_network_can_broadcast(const vef_netmodel *base, vef_error *error);

/* Allocates the state of broadcast packets on first use. */
vef_code vef_copies_create(vef_network *network, vef_error *error);
void vef_copies_destroy(vef_network *network);
uint64_t vef_copies_bytes(const vef_network *network);

/* Broadcast packet `number` is at the front of `input`. Its queue's offer is then
 * network->copies_offer. */
void vef_copies_begin(vef_network *network, uint32_t router, uint32_t input, uint32_t number);
/* Requests every output to which the front packet of `input` can send a copy now. */
void vef_copies_request(vef_network *network, vef_partition *part, vef_router *state,
                        uint32_t input);
/* The front packet of `input` is granted `output`. */
void vef_copies_move(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                     uint32_t input, uint32_t output);
/* The tail of a copy of packet `number` has left. Returns whether that was the last, and the packet
 * is removed. */
bool vef_copies_end(vef_network *network, vef_partition *part, uint32_t number);

#endif
