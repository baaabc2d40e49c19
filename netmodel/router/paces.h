/* When the phits of a packet cross links that are not equally fast (netmodel/MODEL.md, "Links that
 * differ"). */
#ifndef VEF_NETMODEL_ROUTER_PACES_H
#define VEF_NETMODEL_ROUTER_PACES_H

#include "netmodel/router/network.h"

/* Of a network with several paces: packet `number` stands at its source, all of it. */
void vef_paces_begin(vef_network *network, uint32_t number);
/* Packet `copy` has its phits where `number` has them. */
void vef_paces_copy(vef_network *network, uint32_t copy, uint32_t number);
/* Packet `number`, its head at the front of a queue, is granted
 * an output of this pace now (an ejection port: pace 0). Returns the time at which its tail has
 * crossed. `vef_paces_forward` then says that its phits come in at the other end `hop_cycles` after
 * they began to cross here. */
uint64_t vef_paces_cross(vef_network *network, uint32_t number, uint32_t pace);
void vef_paces_forward(vef_network *network, uint32_t number, uint32_t hop_cycles);
/* After vef_paces_cross: the time at which phit `phit` has crossed. */
uint64_t vef_paces_crossed(const vef_network *network, uint32_t number, uint32_t pace,
                           uint32_t phit);

#endif
