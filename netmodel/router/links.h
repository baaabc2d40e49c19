/* The links of a network in cycles (netmodel/MODEL.md, "Links that differ"): from the bandwidths
 * and delays of the network file, its classes of links, and the topology. */
#ifndef VEF_NETMODEL_ROUTER_LINKS_H
#define VEF_NETMODEL_ROUTER_LINKS_H

#include "netmodel/router/settings.h"
#include "netmodel/topology/topology.h"

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

/* The bandwidth of the fastest link of a topology, which sets the length of a cycle; `others` is
 * that of links without one of their own. */
uint64_t vef_links_fastest(const vef_topology *topology, uint64_t others_bits_per_s);

/* How fast and how long all links of a network are. */
typedef struct vef_links {
    uint64_t fastest_bits_per_s;    /* a cycle is what this one needs for a phit */
    vef_link_rule alike;            /* of every link, where links are alike */
    vef_link_rule *rules;           /* [router * ports + port]; NULL: links are alike */
    uint16_t paces[VEF_MOST_PACES]; /* cycles for a phit, of endpoints first */
    uint32_t pace_count;
} vef_links;

/* Plans the links of a network; rules are in `arena`. */
vef_code vef_links_plan(const vef_router_settings *settings, const vef_topology *topology,
                        vef_arena *arena, vef_links *links, vef_error *error);

/* The rule of the link out of `router` at `port`. */
static inline const vef_link_rule *vef_links_rule(const vef_links *links,
                                                  const vef_topology *topology, uint32_t router,
                                                  uint32_t port) {
    return links->rules ? &links->rules[(size_t)router * topology->ports + port] : &links->alike;
}

/* Cycles from the grant of a packet of `phits` to the return of the credit for the place that it
 * takes at the other end, when it never waits. */
static inline uint64_t vef_links_round_trip(const vef_link_rule *rule, uint32_t phits) {
    return (uint64_t)phits * rule->cycles_per_phit + rule->hop_cycles + rule->credit_delay_cycles;
}

#endif
