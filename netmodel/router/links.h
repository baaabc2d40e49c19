/* Links whose bandwidth and delay are their own (netmodel/MODEL.md, "Links that differ"): what the
 * network file says of classes of links, what the topology says of single ones, and when the phits
 * of a packet cross where links are not equally fast. */
#ifndef VEF_NETMODEL_ROUTER_LINKS_H
#define VEF_NETMODEL_ROUTER_LINKS_H

#include "common/config.h"
#include "netmodel/topology/topology.h"

/* A delay as the network file gives it. vef_delay_resolve turns a time into cycles. */
typedef struct vef_delay {
    int64_t cycles;
    double ns; /* VEF_NOT_GIVEN_NS: in cycles */
} vef_delay;

/* Properties of a link. */
typedef struct vef_link_parameters {
    uint64_t bandwidth_bits_per_s;
    vef_delay delay, credit_delay;
} vef_link_parameters;

/* A class of links, as link.classes says. */
typedef struct vef_link_class {
    bool named; /* the network file has it */
    vef_link_parameters is;
} vef_link_class;

/* Rows of a schema for one delay: as cycles, and as a time instead. */
#define VEF_DELAY_ROWS(type, name, default_, text, other_names)                                    \
    {.key = #name "_cycles",                                                                       \
     .kind = VEF_PARAM_INT,                                                                        \
     .offset = offsetof(type, name.cycles),                                                        \
     .fallback = default_,                                                                         \
     .maximum = VEF_LONGEST_DELAY,                                                                 \
     .help = text},                                                                                \
    {                                                                                              \
        .key = #name, .kind = VEF_PARAM_TIME, .offset = offsetof(type, name.ns),                   \
        .help = "the same as a time, rounded up to whole cycles", .instead_of = #name "_cycles",   \
        .aliases = other_names                                                                     \
    }

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
    VEF_LONGEST_DELAY = 1 << 20,   /* cycles */
    VEF_LONGEST_PASSAGE = 1 << 24, /* cycles of a largest packet over the slowest link */
};

/* Reads `classes` of the section `link` (which may be NULL) for the classes of links of `topology`:
 * [topology->link_classes], in the topology's arena; NULL when the section says nothing. What a
 * class does not say is as `others`. Notes the bandwidths in the topology, for its analysis.
 * Refuses names that no class has, and a topology that itself says how its links are. */
vef_code vef_link_classes_read(const vef_node *link, const vef_link_parameters *others,
                               vef_topology *topology, vef_link_class **classes, vef_error *error);

/* The bandwidth of the fastest link of a topology, which sets the length of a cycle; `others` is
 * that of links without one of their own. */
uint64_t vef_links_fastest(const vef_topology *topology, uint64_t others_bits_per_s);

/* Whole cycles of a time, rounded up. The only place that converts a time of the network file. */
double vef_cycles_of_ns(double time_ns, double cycle_ns);

/* Turns a delay given as a time into cycles. `key` names it in the message; VEF_INVALID when it is
 * longer than VEF_LONGEST_DELAY cycles. */
vef_code vef_delay_resolve(vef_delay *delay, double cycle_ns, const char *key, vef_error *error);
/* The same for the delays of all classes of links (`classes` may be NULL). */
vef_code vef_link_classes_resolve(const vef_topology *topology, vef_link_class *classes,
                                  double cycle_ns, vef_error *error);

/* The keys of a class, for help. */
void vef_link_classes_describe(FILE *out, int indent);
/* The classes that the network file had, as YAML within the section `link`. */
void vef_link_classes_write(const vef_topology *topology, const vef_link_class *classes, FILE *out);

struct vef_router_settings;

/* How fast and how long all links of a network are. */
typedef struct vef_links {
    uint64_t fastest_bits_per_s;    /* a cycle is what this one needs for a phit */
    vef_link_rule alike;            /* of every link, where links are alike */
    vef_link_rule *rules;           /* [router * ports + port]; NULL: links are alike */
    uint16_t paces[VEF_MOST_PACES]; /* cycles for a phit, of endpoints first */
    uint32_t pace_count;
} vef_links;

/* Plans the links of a network; rules are in `arena`. */
vef_code vef_links_plan(const struct vef_router_settings *settings, const vef_topology *topology,
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

struct vef_network;

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
