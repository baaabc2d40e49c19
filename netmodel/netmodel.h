/* The interface to a network model: inject messages at a time, advance time, receive deliveries.
 *
 * This is the narrow waist between replay (or a traffic source) and the network: the router
 * simulator, an ideal network, or another simulator. Time is in cycles of the model's clock
 * (clock.h): of the router model the time that its fastest link needs for one phit; of exact models
 * 1 ps, so that they round nothing. Figures in cycles (latencies, busy_cycles, path_cycles) are in
 * times of a phit for all models.
 *
 * The meaning of a time: everything that happens in cycle t happens after time t and before time t
 * + 1. A delivery at time d means that the last phit was consumed in cycle d - 1; its receiver may
 * inject at time d, and that message takes part in cycle d. */
#ifndef VEF_NETMODEL_NETMODEL_H
#define VEF_NETMODEL_NETMODEL_H

#include "common/config/config.h"
#include "common/status.h"
#include "netmodel/packets.h"
#include "netmodel/ranks.h"
#include "netmodel/topology/topology.h"

#include <stdint.h>
#include <string.h>

struct vef_result; /* common/report/result.h */

#define VEF_FOREVER UINT64_MAX
#define VEF_TO_ALL UINT32_MAX

typedef struct vef_net_message {
    uint32_t source, destination; /* endpoints; they may be equal. VEF_TO_ALL: every endpoint but
                                     the source, if the network supports it (can_broadcast), or of
                                     `group`, if that is not 0, every other member */
    uint64_t bytes;               /* 0 travels as a header, or, without headers, as one phit */
    uint64_t time_cycles;  /* when it enters the source's queue; not before the current time */
    uint64_t id;           /* the caller's, returned with the delivery */
    uint8_t traffic_class; /* 0 if the network or its routing has no others */
    bool confirmed;        /* with an agent that allows it: its delivery is reported to the part of
                              its source, too */
    bool contribution; /* to the reduction `id` of the group, to which every member contributes as
                          many bytes, for `destination`: a member, or VEF_TO_ALL: every member */
    uint32_t group;    /* of add_group, of which the source is a member */
} vef_net_message;

/* Without interference a message of M phits arrives path_cycles + (M - 1) x cycles_per_phit + 1
 * times of a phit after its injection (netmodel/MODEL.md, Latency). */
typedef struct vef_net_delivery {
    uint64_t id;
    uint64_t time_cycles;
    uint32_t endpoint; /* the receiver: a broadcast has one delivery for each, or, if all receive it
                          at once, one for VEF_TO_ALL */
    uint32_t path_cycles;     /* delays of the routers and links on the way of its last packet */
    uint32_t cycles_per_phit; /* of the slowest of these links; 0: phits take no time */
    uint32_t source;          /* as in the message, and */
    uint64_t bytes;           /* its size */
    bool confirmation; /* a report to the part of the source, `endpoint`, of a delivery in another
                          part */
} vef_net_delivery;

/* Deliveries since the last reset of the figures; cheap to query. Latencies are sums over packets,
 * from entering the injection queue to the cycle that consumes the tail. A broadcast counts at
 * every endpoint that it reaches. */
typedef struct vef_net_counts {
    uint64_t messages, packets, packet_hops, phits, latency_cycles;
} vef_net_counts;

/* Figures of all deliveries and link traffic since time 0, or since the last reset. Packets in the
 * network at a reset count with their whole latency. */
typedef struct vef_net_statistics {
    uint64_t since_cycles;                          /* time of the last reset, by its clock */
    uint64_t messages, packets, packet_hops, phits; /* delivered */
    double average_hops;                            /* links crossed, mean over delivered packets */
    double
        latency_mean_cycles; /* from entering the injection queue to the cycle that consumes the
                                tail: hops x (router + link delay) + phits - 1 without contention */
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
    bool pauses;                     /* they pause their senders, who have no credits */
    char warning[VEF_MESSAGE_BYTES]; /* that queues are shorter than the round trip of credits, or
                                        empty */
} vef_net_queues;

typedef struct vef_netmodel vef_netmodel;
struct vef_routing; /* netmodel/routing/routing.h */

/* Watches the links of a network: called for each packet that is granted a link out of `router` at
 * `port` (in the flow model when a flow has crossed it), with the id of its message. */
typedef struct vef_net_watch {
    void *context;
    void (*crosses)(void *context, uint32_t router, uint32_t port, uint64_t id, uint64_t phits);
} vef_net_watch;

/* Injects and receives messages within the steps of a network, which so needs not come back for
 * each: an agent has as many parts as the network (vef_netmodel_kind.parts), and each works on the
 * thread that simulates that part, side by side with the others. The result must not depend on the
 * parts: a part acts for its own endpoints, at times that follow from what these have received.
 * Deliveries go to the part of the receiver. All functions return the next time at which the part
 * wants to act, VEF_FOREVER if none before its next delivery. */
typedef struct vef_net_agent {
    void *context;
    uint32_t packet_phits; /* of the shortest packet of its messages; 0: unknown */
    /* The network has reached the time at which the part wants to act: it may inject messages of
     * its endpoints into `model` for this time or later. */
    uint64_t (*act)(void *context, vef_netmodel *model, uint32_t part, uint64_t now_cycles);
    /* Deliveries of one time, to endpoints of the part; it may act at this time still. */
    uint64_t (*receive)(void *context, uint32_t part, const vef_net_delivery *deliveries,
                        size_t count);
    bool confirms; /* messages may have `confirmed` set */
    /* With ranks, of an agent that confirms: what a part has to tell that of another rank about
     * messages to it, before the first of them is delivered; NULL: nothing. `put` adds it to what
     * goes to the peer (vef_net_put), and `take` reads that there. */
    void (*put)(void *context, vef_net_peer *peer);
    void (*take)(void *context, uint32_t rank, const unsigned char *from, size_t bytes);
} vef_net_agent;

/* One kind of network model: a row of vef_netmodel_kinds in netmodel/table.c. */
typedef struct vef_netmodel_kind {
    const char *name;    /* as after `model:` in a network file */
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    /* Describes the keys of a network file of this kind, for help and docs. */
    void (*describe)(FILE *out);
    /* Writes a network file with all keys and their defaults. NULL: none. */
    void (*example)(FILE *out);
    /* Builds a model from the root of a network file. */
    vef_code (*create)(const vef_node *root, vef_netmodel **model, vef_error *error);
    /* Builds only the topology of a network file, whether or not the rest could be simulated, and
     * returns the bandwidth of links without their own. NULL: models of this kind have no topology.
     */
    vef_code (*create_topology)(const vef_node *root, vef_topology **topology,
                                uint64_t *bandwidth_bits_per_s, vef_error *error);
    /* Builds the topology and its routing, which the caller destroys (the routing first), and
     * describes the queues. NULL: models of this kind have no routing. */
    vef_code (*create_routing)(const vef_node *root, vef_topology **topology,
                               struct vef_routing **routing, vef_net_queues *queues,
                               vef_error *error);
    void (*destroy)(vef_netmodel *model);
    /* Lets that many threads simulate the model, or as many as are of use to it, before the first
     * message or group. Results are the same. NULL: one thread does. */
    void (*split)(vef_netmodel *model, uint32_t threads);
    /* The same with a process for each part (ranks.h), for an agent alone. The agent acts in the
     * part of this rank. `counts`, `statistics`, `deadlock`, whose results are those of the whole
     * network, and `advance` are collective, and so are failures of this; `link_phits` and
     * `link_busy_cycles` are of the time of the last `statistics`; there are no watchers. Results
     * are the same, but for the text of a deadlock, which names no cycle. NULL: not supported. The
     * caller keeps `ranks`. */
    vef_code (*spread)(vef_netmodel *model, const vef_net_ranks *ranks, vef_error *error);
    /* The number of parts that threads simulate, and unless part_of is NULL the part of each
     * endpoint. NULL: attend is NULL. */
    uint32_t (*parts)(const vef_netmodel *model, uint32_t *part_of);
    /* Lets an agent inject and receive all messages, of which none is a broadcast, from time 0 on;
     * every part acts at once. Advances then have no deliveries. The caller keeps the agent. NULL:
     * not supported. */
    void (*attend)(vef_netmodel *model, const vef_net_agent *agent);
    /* Ends that: nothing is inside the network, and it is that time now, even if an advance has
     * gone further. Together with attend, or NULL where messages would miss a decorator. */
    void (*dismiss)(vef_netmodel *model, uint64_t now_cycles);
    vef_code (*inject)(vef_netmodel *model, const vef_net_message *message, vef_error *error);
    /* Counts a message that is injected and delivered at once, without inject and advance. NULL:
     * messages take time, or influence each other. */
    void (*pass)(vef_netmodel *model, uint64_t bytes);
    /* Whether broadcasts are supported; if not, refuses (VEF_UNSUPPORTED) as inject would, with the
     * reason. NULL: never. */
    vef_code (*can_broadcast)(const vef_netmodel *model, vef_error *error);
    /* Adds a group of `count` endpoints, at least two, numbered from 1, for messages to its members
     * and, if it `reduces`, for reductions; with count 0 only checks whether the network supports
     * such groups. Refuses (VEF_UNSUPPORTED) one for which switches have no slots left. NULL:
     * never. */
    vef_code (*add_group)(vef_netmodel *model, const uint32_t *endpoints, uint32_t count,
                          bool reduces, uint32_t *group, vef_error *error);
    /* Advances to the first time d <= limit with deliveries and returns every delivery of time d
     * (valid until the next call; in a deterministic order) or, if there is none, to `limit`
     * without deliveries. With limit VEF_FOREVER and nothing left to do it returns no delivery at
     * the time of the last event. */
    vef_code (*advance)(vef_netmodel *model, uint64_t limit_cycles,
                        const vef_net_delivery **deliveries, size_t *count, vef_error *error);
    uint64_t (*now)(const vef_netmodel *model);
    void (*statistics)(const vef_netmodel *model, vef_net_statistics *statistics);
    void (*counts)(const vef_netmodel *model, vef_net_counts *counts);
    /* Resets all figures, so that a warm-up can be discarded. */
    void (*begin_figures)(vef_netmodel *model);
    /* Phits that have crossed the link out of `router` at `port` since the last reset. NULL if
     * there are no links. */
    uint64_t (*link_phits)(const vef_netmodel *model, uint32_t router, uint32_t port);
    /* Likewise the cycles in which phits crossed it: more on slower links. */
    uint64_t (*link_busy_cycles)(const vef_netmodel *model, uint32_t router, uint32_t port);
    /* Begins to watch the links, before the first message, of a model that was not split. NULL if
     * there are no links. */
    void (*watch)(vef_netmodel *model, const vef_net_watch *watch);
    /* Number of injected messages of `endpoint` that are, partly or wholly, still in its source.
     * NULL if nothing ever waits there. */
    uint32_t (*waiting)(const vef_netmodel *model, uint32_t endpoint);
    /* Whether packets in the network are known to be deadlocked, and then the cycle of virtual
     * channels as `text`. Detection takes a number of cycles that the model bounds. Cheap enough to
     * call after every advance. NULL: never. */
    bool (*deadlock)(const vef_netmodel *model, char *text, size_t text_bytes);
    /* Adds the resolved configuration, without `plugins`. */
    void (*put_config)(const vef_netmodel *model, vef_node *into);
} vef_netmodel_kind;

/* The minimum and the maximum over links. */
typedef struct vef_net_range {
    uint32_t least, most;
} vef_net_range;

static inline void vef_net_range_add(vef_net_range *range, uint32_t value, bool first) {
    if (first || value < range->least)
        range->least = value;
    if (first || value > range->most)
        range->most = value;
}

/* Links of one class and, with link.cables, one cable. */
typedef struct vef_net_links {
    uint32_t link_class;
    const char *cable; /* "up to 3 m"; "": none */
    uint64_t links;    /* both directions are one */
    uint64_t least_bits_per_s, most_bits_per_s;
    double least_m, most_m; /* lengths; 0: not given */
    vef_net_range delay_cycles, credit_delay_cycles, cycles_per_phit;
    vef_net_range queue_phits, round_trip_phits; /* as below */
} vef_net_links;

/* The times and sizes of a network file in cycles and phits. */
typedef struct vef_net_timing {
    double cycle_ns;
    uint32_t packet_phits; /* of the largest packet; 0: no packets, and the following fields are
                              unused */
    uint32_t router_delay_cycles;
    vef_net_range link_delay_cycles, credit_delay_cycles; /* over all links */
    vef_net_range queue_phits;                            /* length of a virtual channel's queue */
    vef_net_range round_trip_phits; /* phits that a link carries between the grant of a largest
                                       packet and the return of its credit */
    uint32_t total_channels;        /* of a port with the most, escape channels included */
    double port_buffer_phits;       /* of the queues at the end of a link, the mean over links */
    const vef_net_links *links;     /* what these ranges are of, by class and cable */
    size_t link_count;
} vef_net_timing;

/* The LogGOPS parameters of loggops, which a replay charges to processors and network interfaces
 * (replay/engine/processor.c). s is the size of a message in bytes. */
typedef struct vef_net_loggops {
    uint64_t latency_ps;           /* L */
    uint64_t overhead_ps;          /* o, of a processor for each send and each arrival */
    uint64_t overhead_per_byte_ps; /* O, besides o: (s - 1) O */
    uint64_t gap_ps;               /* g, of an interface after each send or arrival */
    uint64_t gap_per_byte_ps;      /* G, besides g: (s - 1) G */
    uint64_t eager_bytes;          /* S: larger messages use a rendezvous */
} vef_net_loggops;

/* The common part of all models. */
struct vef_netmodel {
    const vef_netmodel_kind *kind;
    uint32_t endpoints;             /* UINT32_MAX: unlimited */
    bool exact;                     /* a cycle of its clock is 1 ps */
    const vef_net_ranks *ranks;     /* that simulate it together; NULL: this process alone */
    const vef_topology *topology;   /* NULL where there is none (ideal) */
    uint64_t bandwidth_bits_per_s;  /* of a link, and */
    uint32_t phit_bytes;            /* with it the length of a cycle: phit_bytes x 8 / bandwidth */
    uint32_t packet_phits;          /* of the largest packet, and its largest */
    uint64_t payload_bytes;         /* payload; both 0: packets of any length */
    uint64_t header_bytes;          /* of each packet */
    uint32_t injection_phits;       /* that an endpoint can send in a cycle; 0: unlimited */
    const vef_net_loggops *loggops; /* costs of hosts for each message; NULL: none */
    uint32_t traffic_classes;       /* that messages may be of; 0: it knows of none */
    uint32_t reduction_packets; /* of one member in all reductions of a group that are not complete,
                                   at most */
    bool seeded;                /* the key `seed` of a network file, set here before its use */
    uint64_t seed;
    vef_net_timing timing;
    const char
        *defaults[4]; /* "link.delay 1 cycle", …, which the file does not give; ended by NULL */
    vef_text_list warnings; /* warnings about the configuration */
    vef_arena plugin_arena;
    vef_node *plugins; /* the key `plugins` of its file, in a mapping */
};

extern const vef_netmodel_kind *const vef_netmodel_kinds[]; /* ended by NULL */

/* Whether a network is given as its text instead of the path of its file: in braces, or in several
 * lines. */
static inline bool vef_netmodel_is_text(const char *network) {
    return *network == '{' || strchr(network, '\n');
}

/* Reads the file of a network and applies `overrides` ("router.queue_packets=8", `override_count`
 * of them) to its tree, whose nodes are in `arena`. `network` is the path of a network file or the
 * network itself: {topology: {family: rtt, a: 16}, endpoints_per_router: 2}, or only the content of
 * `topology:`. The caller reads sections that describe the rest of a machine (kinds.h). */
vef_code vef_netmodel_read(const char *network, const char *const *overrides, size_t override_count,
                           vef_arena *arena, vef_node **root, vef_error *error);
/* Builds the model given by the key `model` of a network (default: router); _open reads it as well.
 */
vef_code vef_netmodel_create(const vef_node *root, vef_netmodel **model, vef_error *error);
vef_code vef_netmodel_open(const char *network, const char *const *overrides, size_t override_count,
                           vef_netmodel **model, vef_error *error);
void vef_netmodel_destroy(vef_netmodel *model); /* NULL is fine */

/* Only the topology of a network, owned by the caller. VEF_UNSUPPORTED for a model without one. */
vef_code vef_netmodel_create_topology(const vef_node *root, vef_topology **topology,
                                      uint64_t *bandwidth_bits_per_s, vef_error *error);

/* Likewise the routing of a network and its topology (destroy the routing first). VEF_UNSUPPORTED
 * for a model without one. */
vef_code vef_netmodel_create_routing(const vef_node *root, vef_topology **topology,
                                     struct vef_routing **routing, vef_net_queues *queues,
                                     vef_error *error);

/* split, of whatever kind the model is. */
void vef_netmodel_split(vef_netmodel *model, uint32_t threads);

/* spread, of whatever kind the model is: VEF_UNSUPPORTED. */
vef_code vef_netmodel_spread(vef_netmodel *model, const vef_net_ranks *ranks, vef_error *error);

/* deadlock, of whatever kind the model is; else `text` is empty. */
bool vef_netmodel_deadlock(const vef_netmodel *model, char *text, size_t text_bytes);

/* can_broadcast and add_group, of whatever kind the model is. */
vef_code vef_netmodel_can_broadcast(const vef_netmodel *model, vef_error *error);
vef_code vef_netmodel_add_group(vef_netmodel *model, const uint32_t *endpoints, uint32_t count,
                                bool reduces, uint32_t *group, vef_error *error);

/* Adds the resolved configuration; _write_config writes it as YAML. */
void vef_netmodel_put_config(const vef_netmodel *model, vef_node *into);
void vef_netmodel_write_config(const vef_netmodel *model, FILE *out);

/* The time of a phit on the fastest link, in ns: a cycle of the router model. */
double vef_netmodel_cycle_ns(const vef_netmodel *model);

/* How the model divides messages into packets. */
static inline vef_packets vef_netmodel_packets(const vef_netmodel *model) {
    return (vef_packets){
        .phit_bytes = model->phit_bytes,
        .header_bytes = model->header_bytes,
        .payload_bytes = model->payload_bytes > 0 ? model->payload_bytes : UINT64_MAX,
    };
}

/* What a fair comparison of routings or networks holds equal: the virtual channels of a port, and
 * its buffers. */
typedef struct vef_net_hardware {
    const char *name;        /* of the network in the comparison */
    uint32_t total_channels; /* 0: of a model without channels, which is not compared */
    double port_buffer_bytes;
} vef_net_hardware;
enum { VEF_HARDWARE_BYTES = 1024 };
vef_net_hardware vef_netmodel_hardware(const vef_netmodel *model, const char *name);
/* Whether they differ among the networks; `text`, of VEF_HARDWARE_BYTES, says how, for the warning
 * of every comparison: `vef compare`, and rankings of studies, whose results have both values
 * ("resolved" in the document of a point). */
bool vef_net_hardware_differs(const vef_net_hardware *list, size_t count, char *text);

/* model->timing as one line for people (without a line break), and as the values "resolved" and
 * "warnings" in the map that is open. */
void vef_netmodel_write_timing(const vef_netmodel *model, FILE *out);
/* Sets model->defaults. */
void vef_netmodel_note_defaults(vef_netmodel *model, const vef_node *root);
void vef_netmodel_put_timing(const vef_netmodel *model, struct vef_result *into);

#endif
