/* The keys of a router network's file: read, checked, and turned into settings in cycles. */
#ifndef VEF_NETMODEL_ROUTER_CONFIGURATION_H
#define VEF_NETMODEL_ROUTER_CONFIGURATION_H

#include "netmodel/router/network.h"

typedef struct vef_root_parameters {
    const char *model;
    int64_t endpoints_per_router;
    uint64_t seed;
} vef_root_parameters;

typedef struct vef_router_parameters {
    int switching, flow_control;
    int64_t queue_packets; /* 0: as the round trip of credits needs */
    int64_t injection_queues, injection_queue_packets, ejection_ports;
    const char *arbiter;
    int64_t iterations;
    bool transit_first, virtual_output_queues;
    vef_delay delay;
} vef_router_parameters;

typedef struct vef_buffer_parameters {
    int64_t unit_phits, per_port_phits, per_router_phits;
} vef_buffer_parameters;

typedef struct vef_link_section {
    uint64_t bandwidth, phit;
    vef_delay delay, credit_delay;
} vef_link_section;

typedef struct vef_packet_parameters {
    int64_t phits;
    uint64_t bytes; /* 0: not given */
} vef_packet_parameters;

typedef struct vef_configuration {
    vef_root_parameters root;
    vef_router_parameters router;
    vef_buffer_parameters buffer;
    vef_link_section link;
    vef_packet_parameters packet;
    const vef_arbiter *arbiter;
} vef_configuration;

/* Reads all sections but topology, routing and link.classes. Texts are in `arena`. */
vef_code vef_configuration_read(const vef_node *root, vef_configuration *read, vef_arena *arena,
                                vef_error *error);
/* Reads the root's own keys and `link` alone, for those who want only the topology. */
vef_code vef_configuration_read_links(const vef_node *root, vef_configuration *read,
                                      vef_arena *arena, vef_error *error);

/* Turns all times into cycles, those of `classes` (may be NULL) too: on `topology` a cycle is what
 * its fastest link needs for a phit. `root` gives places for messages. */
vef_code vef_configuration_resolve(const vef_node *root, vef_configuration *read,
                                   const vef_topology *topology, vef_link_class *classes,
                                   vef_error *error);

/* After vef_configuration_resolve. */
vef_router_settings vef_configuration_settings(const vef_configuration *read,
                                               const vef_link_class *classes);

/* All keys, for help, those of topology and routing too. */
void vef_configuration_describe(FILE *out);
/* A network file with every key of the router's, and its default. */
void vef_configuration_example(FILE *out);
/* The resolved configuration of a network as YAML. */
void vef_configuration_write(const vef_network *network, FILE *out);

#endif
