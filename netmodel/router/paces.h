/* When the phits of a packet cross links that are not equally fast (netmodel/MODEL.md, "Links that
 * differ"). */
#ifndef VEF_NETMODEL_ROUTER_PACES_H
#define VEF_NETMODEL_ROUTER_PACES_H

#include "netmodel/router/network.h"

/* In a network with several paces: all of packet `number` is at its source. */
void vef_paces_begin(vef_network *network, uint32_t number);
/* Packet `copy` has the phit times of `number`. */
void vef_paces_copy(vef_network *network, uint32_t copy, uint32_t number);
/* Packet `number`, with its head at the front of a queue, is granted an output of this pace now (an
 * ejection port: pace 0). Returns when its tail has crossed. `vef_paces_forward` then sets that its
 * phits arrive at the other end `hop_cycles` after they began to cross here. */
uint64_t vef_paces_cross(vef_network *network, uint64_t now_cycles, uint32_t number, uint32_t pace);
void vef_paces_forward(vef_network *network, uint32_t number, uint32_t hop_cycles);
/* After vef_paces_cross: when phit `phit` has crossed. */
uint64_t vef_paces_crossed(const vef_network *network, uint32_t number, uint32_t pace,
                           uint32_t phit);

#endif
