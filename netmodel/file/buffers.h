/* The length of the queues at the ends of links: enough for the round trip of credits over their
 * link, or a given number of packets, or a share of the buffer of a port or a router
 * (netmodel/MODEL.md, "Buffers"). */
#ifndef VEF_NETMODEL_FILE_BUFFERS_H
#define VEF_NETMODEL_FILE_BUFFERS_H

#include "netmodel/file/links.h"
#include "netmodel/routing/routing.h"

enum {
    VEF_MOST_PLACES = UINT16_MAX, /* of one queue, and phits of a packet */
    VEF_LEAST_DEFAULT_PACKETS = 4,
};

/* The settings of the network file. */
typedef struct vef_buffer_settings {
    uint32_t queue_packets; /* of each queue, if the other two are 0; 0: for the round trip of
                               credits: */
    uint32_t per_port_phits, per_router_phits;
    uint32_t unit_phits, packet_phits;
    bool pauses; /* senders, instead of giving them credits; at these thresholds, 0: the default */
    uint32_t pause_at_packets, pause_resume_packets;
    uint32_t least_phits; /* by which grants of a link follow each other */
} vef_buffer_settings;

static inline vef_buffer_settings vef_buffer_settings_of(const vef_network_settings *settings) {
    const vef_packets sizes = vef_settings_packets(settings);
    return (vef_buffer_settings){
        .queue_packets = settings->queue_packets,
        .per_port_phits = settings->per_port_phits,
        .per_router_phits = settings->per_router_phits,
        .unit_phits = settings->unit_phits,
        .packet_phits = settings->packet_phits,
        .pauses = settings->backpressure == VEF_PAUSE,
        .pause_at_packets = settings->pause_at_packets,
        .pause_resume_packets = settings->pause_resume_packets,
        .least_phits = settings->burst_bytes > 0 ? 1 : (uint32_t)vef_packets_phits_with(&sizes, 0),
    };
}

typedef struct vef_buffers {
    vef_buffer_settings settings;
    const vef_topology *topology;
    const vef_routing *routing;
    const vef_links *links;
    uint32_t place_phits;    /* of a place */
    uint32_t largest_places; /* of the largest packet */
    uint32_t least, most;    /* usable places of a queue */
    uint64_t total;          /* places of all these queues */
    uint32_t
        sharers; /* number of queues that share a buffer with the shortest one, including itself */
    /* The shortest and the longest round trip of a largest packet over a link
     * (vef_links_round_trip), in phits of that link, rounded up. */
    uint32_t least_round_trip_phits, most_round_trip_phits;
    /* The link whose queues cover the smallest part of their round trip: that part in phits, and
     * the length of a queue; equal if every queue covers its round trip. */
    uint32_t throttled_phits, throttled_round_trip_phits;
    uint32_t throttled_router, throttled_port;
} vef_buffers;

/* Refuses places smaller than a packet, and pauses, if the routing relies on bubbles; and
 * thresholds and lengths of queues with which a queue that pauses its sender could overflow.
 * `topology`, `routing` and `links` must outlive `buffers`. */
vef_code vef_buffers_plan(const vef_buffer_settings *settings, const vef_topology *topology,
                          const vef_routing *routing, const vef_links *links, vef_buffers *buffers,
                          vef_error *error);

/* Phits that a link carries during a round trip of a largest packet, rounded up. */
uint64_t vef_buffers_round_trip_phits(const vef_buffers *buffers, const vef_link_rule *rule);

/* Thresholds of the queues at the end of a link that pause their sender, and the length that these
 * need so that no packet is lost (netmodel/MODEL.md, "Pause frames"). */
typedef struct vef_pause {
    uint64_t at_packets, resume_packets, queue_packets;
} vef_pause;
vef_pause vef_buffers_pause(const vef_buffers *buffers, const vef_link_rule *rule);

/* Whether the lengths of queues follow the round trips of links and differ. */
bool vef_buffers_differ_by_default(const vef_buffers *buffers);

enum { VEF_BUFFERS_WARNING_BYTES = VEF_MESSAGE_BYTES };
/* Whether queues are shorter than the round trip of their link, so that credits limit the bandwidth
 * of a virtual channel; the warning goes to `text` (VEF_BUFFERS_WARNING_BYTES). */
bool vef_buffers_warn(const vef_buffers *buffers, char *text);

/* Refuses queues that are too short for the routing, with the required length. */
vef_code vef_buffers_check(const vef_buffers *buffers, vef_error *error);

/* Places of the queue at the other end of a link out of `router`; 0 if no packet arrives there. */
uint32_t vef_buffers_places(const vef_buffers *buffers, uint32_t router, uint32_t port,
                            uint32_t channel);

#endif
