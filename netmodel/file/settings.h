/* The router settings of the network file, in cycles and phits. */
#ifndef VEF_NETMODEL_FILE_SETTINGS_H
#define VEF_NETMODEL_FILE_SETTINGS_H

#include "netmodel/file/cables.h"
#include "netmodel/file/policies.h"
#include "netmodel/packets.h"

/* What holds back the sender of a link (netmodel/MODEL.md, "Pause frames"). */
typedef enum vef_backpressure { VEF_CREDITS, VEF_PAUSE } vef_backpressure;

/* The fields of the rows of configuration.c's schemas, and derived values. */
typedef struct vef_network_settings {
    const char *model;             /* "router" */
    uint32_t endpoints_per_router; /* as configured, here or in the topology */
    uint32_t rails, pods;
    vef_int_list endpoint_order; /* numbers of the family; none: in its order */
    uint64_t seed;
    int switching, flow_control; /* the latter: vef_flow_control */
    uint32_t queue_packets;      /* 0: for the round trip of credits (buffers.h) */
    uint32_t injection_queues, injection_queue_packets, ejection_ports;
    const char *injection_name;
    const vef_policy_name *injection; /* looked up by that name */
    const char *arbiter_name;
    const vef_policy_name *arbiter; /* looked up by that name */
    uint32_t iterations;            /* of an iterative arbiter; at least 1 there */
    bool transit_first, virtual_output_queues;
    vef_delay router_delay;
    uint32_t unit_phits; /* of a place; 0: a place holds a packet of any length */
    uint32_t per_port_phits, per_router_phits;       /* shared buffers; 0: queue_packets applies */
    int backpressure;                                /* vef_backpressure */
    uint32_t pause_at_packets, pause_resume_packets; /* 0: by the round trip (buffers.h) */
    uint32_t reduction_slots, reduction_group_slots; /* of a router; and of a group there */
    vef_link_parameters link;
    double delay_per_metre_ns;
    vef_link_layout layout;
    vef_cables cables;
    uint64_t burst_bytes;         /* that the token bucket of a link holds */
    vef_link_class *link_classes; /* by class, in the topology's arena; NULL: none */
    uint64_t phit_bytes;          /* 0: chosen by default, until resolved; */
    uint64_t clock_hz;            /* 0 once converted to phit_bytes */
    uint32_t packet_phits;        /* of the largest packet, its header included */
    uint64_t packet_bytes;        /* 0 once converted to packet_phits */
    uint64_t mtu_bytes;           /* its payload; 0: all that the header leaves */
    uint64_t header_bytes;        /* of each packet */
    vef_congestion congestion;
} vef_network_settings;

/* How messages are divided, by resolved settings. */
static inline vef_packets vef_settings_packets(const vef_network_settings *settings) {
    const uint64_t bytes = settings->packet_phits * settings->phit_bytes;
    return (vef_packets){
        .phit_bytes = settings->phit_bytes,
        .header_bytes = settings->header_bytes,
        .payload_bytes =
            settings->mtu_bytes > 0 ? settings->mtu_bytes : bytes - settings->header_bytes,
    };
}

/* Limits of the core, checked with the configuration. */
enum {
    VEF_MOST_INPUTS = 4096, /* queues of one router */
    VEF_MOST_EJECTION_PORTS = 32,
    VEF_MOST_ITERATIONS = 64,
};

#endif
