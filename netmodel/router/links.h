/* Links whose bandwidth and delay are their own (netmodel/MODEL.md, "Links that differ"): what the
 * network file says of classes of links, what the topology says of single ones, and when the phits
 * of a packet cross where links are not equally fast. */
#ifndef VEF_NETMODEL_ROUTER_LINKS_H
#define VEF_NETMODEL_ROUTER_LINKS_H

#include "common/config.h"
#include "netmodel/topology/topology.h"

/* How a link is. */
typedef struct vef_link_parameters {
    uint64_t bandwidth_bits_per_s;
    int64_t delay_cycles, credit_delay_cycles;
} vef_link_parameters;

/* A class of links, as link.classes says. */
typedef struct vef_link_class {
    bool named; /* the network file has it */
    vef_link_parameters is;
} vef_link_class;

/* A link, in cycles. */
typedef struct vef_link_rule {
    uint32_t hop_cycles; /* from the grant of a packet to the arrival of its head */
    uint32_t credit_delay_cycles;
    uint16_t cycles_per_phit;
    uint16_t pace; /* which of the network's paces that is */
    /* Of the packet granted last. */
    uint32_t passing_phits, passing_cycles;
} vef_link_rule;

enum {
    VEF_MOST_PACES = 16, /* that links of one network differ in */
    VEF_MOST_CYCLES_PER_PHIT = 4096,
    VEF_LONGEST_PASSAGE = 1 << 24, /* cycles of a largest packet over the slowest link */
};

/* Reads `classes` of the section `link` (which may be NULL) for the classes of links of `topology`:
 * [topology->link_classes], in the topology's arena; NULL when the section says nothing. What a
 * class does not say is as `others`. Notes the bandwidths in the topology, for its analysis.
 * Refuses names that no class has, and a topology that itself says how its links are. */
vef_code vef_link_classes_read(const vef_node *link, const vef_link_parameters *others,
                               vef_topology *topology, vef_link_class **classes, vef_error *error);

/* The keys of a class, for help. */
void vef_link_classes_describe(FILE *out, int indent);
/* The classes that the network file had, as YAML within the section `link`. */
void vef_link_classes_write(const vef_topology *topology, const vef_link_class *classes, FILE *out);

struct vef_network;

/* Finds out how fast and how long links are: the network's cycle, and a rule for each link where
 * they are not alike. */
vef_code vef_links_set(struct vef_network *network, vef_error *error);

/* Of a network with several paces: packet `number` stands at its source, all of it. */
void vef_links_begin(struct vef_network *network, uint32_t number);
/* Packet `copy` has its phits where `number` has them. */
void vef_links_copy(struct vef_network *network, uint32_t copy, uint32_t number);
/* Packet `number`, its head at the front of a queue, is granted
 * an output of this pace now (an ejection port: pace 0). Returns the time at which its tail has
 * crossed. `vef_links_forward` then says that its phits come in at the other end `hop_cycles` after
 * they began to cross here. */
uint64_t vef_links_cross(struct vef_network *network, uint32_t number, uint32_t pace);
void vef_links_forward(struct vef_network *network, uint32_t number, uint32_t hop_cycles);
/* After vef_links_cross: the time at which phit `phit` has crossed. */
uint64_t vef_links_crossed(const struct vef_network *network, uint32_t number, uint32_t pace,
                           uint32_t phit);

#endif
