/* How many places the queues at the ends of links have: enough for the round trip of credits over
 * their link, or a given number of packets' worth, or a share of what a port or a router has in all
 * (netmodel/MODEL.md, "Buffers"). */
#ifndef VEF_NETMODEL_ROUTER_BUFFERS_H
#define VEF_NETMODEL_ROUTER_BUFFERS_H

#include "netmodel/router/links.h"
#include "netmodel/routing/routing.h"

enum {
    VEF_MOST_PLACES = UINT16_MAX, /* of one queue, and phits of a packet */
    VEF_LEAST_DEFAULT_PACKETS = 4,
};

/* What the network file says of them. */
typedef struct vef_buffer_settings {
    uint32_t queue_packets; /* of each queue, where the other two are 0; 0: as the round trip of
                               credits needs: */
    uint32_t per_port_phits, per_router_phits;
    uint32_t unit_phits, packet_phits;
} vef_buffer_settings;

typedef struct vef_buffers {
    vef_buffer_settings is;
    const vef_topology *topology;
    const vef_routing *routing;
    const vef_links *links;
    uint32_t place_phits;    /* of a place */
    uint32_t largest_places; /* that the largest packet takes */
    uint32_t least, most;    /* places of a queue that packets can use */
    uint64_t all;            /* places of all these queues */
    uint32_t sharers;        /* the queues that the shortest shares a buffer with, itself too */
    /* Of the links' round trips (vef_links_round_trip) of a largest packet, in phits of that link,
     * the shortest and the longest, rounded up. */
    uint32_t least_round_trip_phits, most_round_trip_phits;
    /* The link whose queues hold the smallest part of their round trip: that part in phits, and
     * how many phits a queue holds; equal where every queue holds its round trip. */
    uint32_t throttled_phits, throttled_round_trip_phits;
    uint32_t throttled_router, throttled_port;
} vef_buffers;

/* Refuses places of less than a packet where the routing rests on bubbles. `topology`, `routing`
 * and `links` must outlive `buffers`. */
vef_code vef_buffers_plan(const vef_buffer_settings *settings, const vef_topology *topology,
                          const vef_routing *routing, const vef_links *links, vef_buffers *buffers,
                          vef_error *error);

/* Whether queues follow the round trips of links and these make them differ. */
bool vef_buffers_differ_by_default(const vef_buffers *buffers);

enum { VEF_BUFFERS_WARNING_BYTES = VEF_MESSAGE_BYTES };
/* Whether queues are shorter than the round trip of their link, so that credits and not the link
 * limit what a virtual channel carries; `text` (VEF_BUFFERS_WARNING_BYTES) says so with the
 * numbers. */
bool vef_buffers_warn(const vef_buffers *buffers, char *text);

/* Refuses queues that are too short for the routing, with the least that would do. */
vef_code vef_buffers_check(const vef_buffers *buffers, vef_error *error);

/* Places of the queue at the other end of a link out of `router`; 0 where no packet comes. */
uint32_t vef_buffers_places(const vef_buffers *buffers, uint32_t router, uint32_t port,
                            uint32_t channel);

#endif
