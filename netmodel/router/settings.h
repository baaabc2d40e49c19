/* What the network file says of the router, in cycles and phits. */
#ifndef VEF_NETMODEL_ROUTER_SETTINGS_H
#define VEF_NETMODEL_ROUTER_SETTINGS_H

#include "netmodel/router/arbiter.h"
#include "netmodel/router/link_classes.h"

typedef struct vef_router_settings {
    uint32_t queue_packets; /* 0: as the round trip of credits needs (buffers.h) */
    uint32_t injection_queues, injection_queue_packets, ejection_ports;
    const vef_arbiter *arbiter;
    uint32_t iterations; /* of an arbiter that iterates; at least 1 there */
    bool transit_first, virtual_output_queues;
    uint32_t unit_phits; /* of a place; 0: a place holds a packet of any length */
    uint32_t per_port_phits, per_router_phits; /* shared out; 0: as queue_packets says */
    uint32_t router_delay_cycles, link_delay_cycles, credit_delay_cycles;
    uint32_t packet_phits, phit_bytes;
    uint64_t bandwidth_bits_per_s, seed;
    const vef_link_class *link_classes; /* by class, in the topology's arena; NULL: none is named */
} vef_router_settings;

/* Where the limits of the core lie; the configuration is refused beyond them. */
enum {
    VEF_MOST_INPUTS = 4096, /* queues of one router */
    VEF_MOST_EJECTION_PORTS = 32,
    VEF_MOST_ITERATIONS = 64,
};

#endif
