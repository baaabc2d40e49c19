/* How many places the queues at the ends of links have: each so many packets' worth, or shares of
 * what a port or a router has in all (netmodel/MODEL.md, "Buffers"). */
#ifndef VEF_NETMODEL_ROUTER_BUFFERS_H
#define VEF_NETMODEL_ROUTER_BUFFERS_H

#include "netmodel/routing/routing.h"

/* What the network file says of them. */
typedef struct vef_buffer_settings {
    uint32_t queue_packets; /* of each queue, where the other two are 0: */
    uint32_t per_port_phits, per_router_phits;
    uint32_t unit_phits, packet_phits;
} vef_buffer_settings;

typedef struct vef_buffers {
    vef_buffer_settings is;
    const vef_topology *topology;
    const vef_routing *routing;
    uint32_t place_phits;    /* of a place */
    uint32_t largest_places; /* that the largest packet takes */
    uint32_t least, most;    /* places of a queue that packets can use */
    uint64_t all;            /* places of all these queues */
    uint32_t sharers;        /* the queues that the shortest shares a buffer with, itself too */
} vef_buffers;

/* Refuses places of less than a packet where the routing rests on bubbles. */
vef_code vef_buffers_plan(const vef_buffer_settings *settings, const vef_topology *topology,
                          const vef_routing *routing, vef_buffers *buffers, vef_error *error);

/* Refuses queues that are too short for the routing, with the least that would do. */
vef_code vef_buffers_check(const vef_buffers *buffers, vef_error *error);

/* Places of the queue at the other end of a link out of `router`; 0 where no packet comes. */
uint32_t vef_buffers_places(const vef_buffers *buffers, uint32_t router, uint32_t port,
                            uint32_t channel);

#endif
