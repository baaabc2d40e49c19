/* A network as its users see it: messages go in at a time, deliveries come out, time is run on.
 *
 * This is the narrow waist between replay (or a traffic source) and whatever carries the messages:
 * the router simulator, an ideal network, somebody else's simulator. Time is in cycles; a cycle is
 * what a link needs for one phit.
 *
 * What a time means: everything that happens in cycle t happens after time t and before time t + 1.
 * A delivery at time d means that the last phit was consumed in cycle d - 1; whoever is told may
 * inject at time d, and that message takes part in cycle d. */
#ifndef VEF_NETMODEL_NETMODEL_H
#define VEF_NETMODEL_NETMODEL_H

#include "common/config/config.h"
#include "common/json.h"
#include "common/status.h"
#include "netmodel/topology/topology.h"

#include <stdint.h>

#define VEF_FOREVER UINT64_MAX
#define VEF_TO_ALL UINT32_MAX

typedef struct vef_net_message {
    uint32_t source, destination; /* endpoints; they may be equal. VEF_TO_ALL: every endpoint but
                                     the source, where the network can (can_broadcast) */
    uint64_t bytes;               /* 0 travels as one phit */
    uint64_t time_cycles;  /* when it enters the source's queue; not before the time reached */
    uint64_t id;           /* the caller's, handed back with the delivery */
    uint8_t traffic_class; /* 0 where the network or its routing knows of no others */
} vef_net_message;

typedef struct vef_net_delivery {
    uint64_t id;
    uint64_t time_cycles;
    uint32_t endpoint; /* who has it: of a message to all there is one for each, or, where all have
                          it at once, one for VEF_TO_ALL */
} vef_net_delivery;

/* What has been delivered since the figures began, the last time; cheap to ask for. Latencies are
 * sums over packets, from entering the injection queue to the cycle that consumes the tail. What
 * goes to all counts at every endpoint that it reaches. */
typedef struct vef_net_counts {
    uint64_t messages, packets, packet_hops, phits, latency_cycles;
} vef_net_counts;

/* Figures of all that was delivered, and of all that crossed links, since they began: at time 0, or
 * when they were last begun again. What was inside at that time counts with all its latency. */
typedef struct vef_net_statistics {
    uint64_t since_cycles;                          /* when the figures began */
    uint64_t messages, packets, packet_hops, phits; /* delivered */
    double average_hops;                            /* links crossed, mean over delivered packets */
    double latency_mean_cycles; /* from entering the injection queue to the cycle that consumes the
                                   tail: hops x (router + link delay) + phits - 1 when nothing
                                   interferes */
    double latency_median_cycles, latency_p99_cycles, latency_p999_cycles;
    double message_latency_mean_cycles; /* from injection of the message to its delivery */
    double message_latency_median_cycles, message_latency_p99_cycles, message_latency_p999_cycles;
    double link_utilization_mean,
        link_utilization_max; /* busy share of the time since, over directed links */
    uint32_t busiest_router, busiest_port;
    uint64_t memory_bytes; /* held by the model */
} vef_net_statistics;

/* The queues of a routing's virtual channels. */
typedef struct vef_net_queues {
    uint32_t shortest_packets;       /* largest packets that the shortest queue holds */
    char warning[VEF_MESSAGE_BYTES]; /* that queues are shorter than the round trip of credits, or
                                        empty */
} vef_net_queues;

typedef struct vef_netmodel vef_netmodel;
struct vef_routing; /* netmodel/routing/routing.h */

/* One kind of network model: a row of vef_netmodel_kinds in netmodel/table.c. */
typedef struct vef_netmodel_kind {
    const char *name;    /* as after `model:` in a network file */
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    /* Describes the keys that a network file of this kind may have, for help and docs. */
    void (*describe)(FILE *out);
    /* Writes a network file that has all keys, with their defaults. NULL: there is none. */
    void (*example)(FILE *out);
    /* Builds a model from the root of a network file. */
    vef_code (*create)(const vef_node *root, vef_netmodel **model, vef_error *error);
    /* Builds the topology alone that the root of a network file describes, whether or not the rest
     * could be simulated, and tells the bandwidth of links that do not say their own. NULL: models
     * of this kind have no topology. */
    vef_code (*create_topology)(const vef_node *root, vef_topology **topology,
                                uint64_t *bandwidth_bits_per_s, vef_error *error);
    /* Builds the topology and the routing of packets on it, to be destroyed by the caller (the
     * routing first), and describes the queues. NULL: models of this kind have no routing. */
    vef_code (*create_routing)(const vef_node *root, vef_topology **topology,
                               struct vef_routing **routing, vef_net_queues *queues,
                               vef_error *error);
    void (*destroy)(vef_netmodel *model);
    vef_code (*inject)(vef_netmodel *model, const vef_net_message *message, vef_error *error);
    /* Whether messages to all are carried; if not, refuses (VEF_UNSUPPORTED) as inject would, with
     * the reason and what would do. NULL: never. */
    vef_code (*can_broadcast)(const vef_netmodel *model, vef_error *error);
    /* Runs until the first time d <= limit at which something is delivered and hands out every
     * delivery of time d (valid until the next call; in an order that depends on the simulation
     * alone), or, when there is none, until `limit` with no delivery. limit VEF_FOREVER with
     * nothing left to do returns no delivery at the time of the last event. */
    vef_code (*advance)(vef_netmodel *model, uint64_t limit_cycles,
                        const vef_net_delivery **deliveries, size_t *count, vef_error *error);
    uint64_t (*now)(const vef_netmodel *model);
    void (*statistics)(const vef_netmodel *model, vef_net_statistics *statistics);
    void (*counts)(const vef_netmodel *model, vef_net_counts *counts);
    /* Begins all figures again from now, so that a warm-up can be left out. */
    void (*begin_figures)(vef_netmodel *model);
    /* Phits that have crossed the link out of `router` at `port` since the figures began. NULL
     * where there are no links. */
    uint64_t (*link_phits)(const vef_netmodel *model, uint32_t router, uint32_t port);
    /* Likewise the cycles in which phits crossed it: more where it is slower than others. */
    uint64_t (*link_busy_cycles)(const vef_netmodel *model, uint32_t router, uint32_t port);
    /* Messages of `endpoint` that were injected and stand, in part or whole, in its source still.
     * NULL where nothing ever waits there. */
    uint32_t (*waiting)(const vef_netmodel *model, uint32_t endpoint);
    /* When packets are inside that can never move again, whatever else goes on: the cycle of
     * virtual channels, for people, into `text`; returns whether that is known. It is within a
     * number of cycles that the model bounds. Cheap enough to be asked after every advance. */
    bool (*deadlock)(const vef_netmodel *model, char *text, size_t text_bytes);
    /* The resolved configuration as YAML. */
    void (*write_config)(const vef_netmodel *model, FILE *out);
} vef_netmodel_kind;

/* The least and the greatest of what links have. */
typedef struct vef_net_range {
    uint32_t least, most;
} vef_net_range;

static inline void vef_net_range_add(vef_net_range *range, uint32_t value, bool first) {
    if (first || value < range->least)
        range->least = value;
    if (first || value > range->most)
        range->most = value;
}

/* What the times and sizes of a network file come to in cycles and phits. */
typedef struct vef_net_timing {
    double cycle_ns;
    uint32_t packet_phits; /* of the largest packet; 0: there are no packets, nor what follows */
    uint32_t router_delay_cycles;
    vef_net_range link_delay_cycles, credit_delay_cycles; /* over all links */
    vef_net_range queue_phits;                            /* room of a virtual channel's queue */
    vef_net_range round_trip_phits; /* phits that a link carries between the grant of a largest
                                       packet and the return of its credit */
} vef_net_timing;

/* What every model starts with. */
struct vef_netmodel {
    const vef_netmodel_kind *kind;
    uint32_t endpoints;            /* UINT32_MAX: as many as anybody asks for */
    const vef_topology *topology;  /* NULL where there is none (ideal) */
    uint64_t bandwidth_bits_per_s; /* of a link, and */
    uint32_t phit_bytes;           /* with it the length of a cycle: phit_bytes x 8 / bandwidth */
    uint32_t packet_phits;         /* of the largest packet; 0: packets of any length */
    uint32_t injection_phits;      /* that an endpoint can send in a cycle; 0: no bound */
    uint32_t traffic_classes;      /* that messages may be of; 0: it knows of none */
    bool seeded;                   /* the key `seed` of a network file sets its draws; here to */
    uint64_t seed;
    vef_net_timing timing;
    vef_text_list warnings; /* about the configuration: it works, but hardly as meant */
};

extern const vef_netmodel_kind *const vef_netmodel_kinds[]; /* ended by NULL */

/* Reads the file of a network and applies `overrides` ("router.queue_packets=8", `override_count`
 * of them) to its tree, whose nodes live in `arena`. `network` is the path of a network file or,
 * where it begins with '{', the network itself: {topology: {family: rtt, a: 16},
 * endpoints_per_router: 2}, or only what stands after `topology:`. Sections that describe the rest
 * of a machine (kinds.h) are for the caller to read. */
vef_code vef_netmodel_read(const char *network, const char *const *overrides, size_t override_count,
                           vef_arena *arena, vef_node **root, vef_error *error);
/* Builds the model that the key `model` of a network names (default: router); _open reads it as
 * well. */
vef_code vef_netmodel_create(const vef_node *root, vef_netmodel **model, vef_error *error);
vef_code vef_netmodel_open(const char *network, const char *const *overrides, size_t override_count,
                           vef_netmodel **model, vef_error *error);
void vef_netmodel_destroy(vef_netmodel *model); /* NULL is fine */

/* The topology of a network alone, to be destroyed by the caller. VEF_UNSUPPORTED for a model that
 * has none. */
vef_code vef_netmodel_create_topology(const vef_node *root, vef_topology **topology,
                                      uint64_t *bandwidth_bits_per_s, vef_error *error);

/* Likewise the routing of a network, and the topology that it is on (destroy the routing first).
 * VEF_UNSUPPORTED for a model that has none. */
vef_code vef_netmodel_create_routing(const vef_node *root, vef_topology **topology,
                                     struct vef_routing **routing, vef_net_queues *queues,
                                     vef_error *error);

/* can_broadcast, of whatever kind the model is. */
vef_code vef_netmodel_can_broadcast(const vef_netmodel *model, vef_error *error);

/* The length of a cycle in ns. */
double vef_netmodel_cycle_ns(const vef_netmodel *model);

/* model->timing as one line for people (without a line break), and as the members "resolved" and
 * "warnings" of the JSON object that is open. */
void vef_netmodel_write_timing(const vef_netmodel *model, FILE *out);
void vef_netmodel_write_timing_json(const vef_netmodel *model, vef_json *json);

#endif
