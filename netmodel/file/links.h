/* The links of a network in cycles (netmodel/MODEL.md, "Links that differ"): from the bandwidths
 * and delays of the network file, its classes of links, and the topology. */
#ifndef VEF_NETMODEL_FILE_LINKS_H
#define VEF_NETMODEL_FILE_LINKS_H

#include "netmodel/file/settings.h"
#include "netmodel/topology/topology.h"

/* A link, in cycles. */
typedef struct vef_link_rule {
    uint32_t hop_cycles; /* from the grant of a packet to the arrival of its head */
    uint32_t credit_delay_cycles;
    uint16_t cycles_per_phit;
    uint16_t pace; /* index of its pace in the network */
    /* Of the packet granted last. */
    uint32_t passing_phits, passing_cycles;
} vef_link_rule;

enum {
    VEF_MOST_PACES = 16, /* maximum number of different paces of a network */
    VEF_MOST_CYCLES_PER_PHIT = 4096,
    VEF_LONGEST_PASSAGE = 1 << 24, /* cycles of a largest packet over the slowest link */
};

/* The bandwidth of endpoints and of the fastest link of a topology, which defines the length of a
 * cycle: at least `others`, that of links without their own. Of the network without failures, so
 * that a cycle does not depend on them. */
uint64_t vef_links_fastest(const vef_topology *topology, uint64_t others_bits_per_s);

/* Reads what the section `link` (may be NULL) says of links that differ: classes, lengths, cables.
 * Stores the lengths and bandwidths of links in the topology, for its analysis too. Refuses unknown
 * classes, and classes or cables of a topology that sets the attributes of its links. */
vef_code vef_links_read(const vef_node *link, vef_network_settings *settings,
                        vef_topology *topology, vef_error *error);

/* Speed and delay of all links of a network. */
typedef struct vef_links {
    uint64_t fastest_bits_per_s;    /* a cycle is the time of this link for a phit */
    vef_link_rule alike;            /* of every link, if links are equal */
    vef_link_rule *rules;           /* [router * ports + port]; NULL: links are equal and simple */
    uint16_t paces[VEF_MOST_PACES]; /* cycles for a phit, of endpoints first */
    uint32_t pace_count;
} vef_links;

/* Plans the links of a network; rules are in `arena`. */
vef_code vef_links_plan(const vef_network_settings *settings, const vef_topology *topology,
                        vef_arena *arena, vef_links *links, vef_error *error);

/* The rule of the link out of `router` at `port`. */
static inline const vef_link_rule *vef_links_rule(const vef_links *links,
                                                  const vef_topology *topology, uint32_t router,
                                                  uint32_t port) {
    return links->rules ? &links->rules[(size_t)router * topology->ports + port] : &links->alike;
}

/* Cycles from the grant of a packet of `phits` to the return of the credit for its place at the
 * other end, without waiting. */
static inline uint64_t vef_links_round_trip(const vef_link_rule *rule, uint32_t phits) {
    return (uint64_t)phits * rule->cycles_per_phit + rule->hop_cycles + rule->credit_delay_cycles;
}

#endif
