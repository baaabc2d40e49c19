/* The flow model: messages share the bandwidth of links, without packets or queues.
 *
 * Each endpoint sends its messages one after another, in the order of their injection
 * (flow.sources: by-destination: those to one destination, until the former is through, and those
 * to different ones at once, as the connections of TCP and queue pairs do). Links can have token
 * buckets (link.burst), as those of virtual machines and of `tc tbf` have. A message is one flow
 * along one path (paths.h), or is divided among several, its parts. The rates of all flows are
 * max-min fair (shares.h) on the links of their paths and on the ways of endpoints into and out of
 * the network, which carry one phit in a cycle for each injection queue and each ejection port; a
 * part counts by its share of its message. Rates change when flows begin and end. Time is in ps and
 * real: nothing waits for a cycle; shares are in phits per cycle.
 *
 * The phits of a message are those of its packets, headers included. A part is through when all its
 * phits are, and has arrived later by the delays of its path. Alone in the network, a message thus
 * takes as long as in the router model (netmodel/MODEL.md, "Latency"), to 1 ps, unless queues are
 * shorter than the round trip of credits, or its packets could choose between faster and slower
 * links. A part is out of its source when the queues on its path hold the phits that are not
 * through, of each link its share; before that, the next message of the source does not begin. (If
 * it waited for the end, short messages would block their sources as they do in no router.)
 * docs/results/flow.md compares this model with that of routers under load.
 *
 *   model.c     as a row of the table of models    messages.c   messages into flows
 *   advance.c   the course of time                 figures.c    statistics */
#ifndef VEF_NETMODEL_FLOW_FLOW_H
#define VEF_NETMODEL_FLOW_FLOW_H

#include "common/containers/map64.h"
#include "netmodel/file/buffers.h"
#include "netmodel/flow/finishes.h"
#include "netmodel/flow/paths.h"
#include "netmodel/flow/shares.h"
#include "netmodel/kinds.h"
#include "netmodel/latency.h"
#include "netmodel/pending.h"

#define VEF_NO_FLOW UINT32_MAX
enum { VEF_MOST_PATHS = 64 };
enum { VEF_FLOW_ONE_BY_ONE, VEF_FLOW_BY_DESTINATION }; /* the key `sources` */

/* The keys of the section `flow`. */
typedef struct vef_flow_settings {
    uint32_t paths; /* greatest number of parts of a message */
    int sources;
    double tolerance;
} vef_flow_settings;

extern const vef_param vef_flow_schema[];

typedef struct vef_flow_message {
    uint64_t id, time_ps;
    uint64_t phits, packets;
    uint32_t source, destination;
    uint32_t next; /* behind it at its source, or of its pair, or in the list of unused ones */
    uint32_t parts_in_source; /* not yet out of it */
    uint32_t parts_under_way; /* not yet through */
    uint64_t arrival_ps;      /* of the last of those that are, which has a path of */
    uint32_t path_cycles, slowest_cycles_per_phit;
    uint8_t traffic_class;
} vef_flow_message;

/* A flow; the number is that of vef_shares. */
typedef struct vef_flow_part {
    uint32_t message; /* or the next unused part */
    uint32_t hops;
    uint64_t phits, packets;
    double held;       /* phits that the queues on its path hold */
    uint64_t least_ps; /* when it may be out of the source at the earliest */
    bool in_source;
    double left;       /* phits, at the time */
    uint64_t since_ps; /* when it got its present rate; */
    double rate;       /* phits per ps */
    uint64_t begun_ps;
    int64_t tail_cycles;  /* from the end at its source to the arrival */
    uint32_t path_cycles; /* delays of its routers and links */
    uint32_t slowest_cycles_per_phit;
} vef_flow_part;

typedef struct vef_flow_source {
    uint32_t first_message, last_message; /* those that have not begun */
    uint32_t router;
    uint32_t sending; /* messages that have begun and are not out of it */
    uint32_t waiting; /* messages that are not out of it */
    vef_rng rng;
} vef_flow_source;

/* Messages and their parts, in lists that only grow; unused ones are linked. */
typedef struct vef_flow_traffic {
    vef_flow_source *sources; /* [endpoints] */
    /* By destination: for each pair (source x 2^32 + destination) with a message that has begun and
     * is not through, the last of those that wait, in a circle by `next`; VEF_NO_FLOW: none. */
    vef_map64 pairs;
    vef_flow_message *messages;
    size_t message_room;
    uint32_t message_count, free_message;
    vef_flow_part *parts;
    size_t part_room;
    uint32_t part_count, free_part;
} vef_flow_traffic;

/* The token bucket of a resource (link.burst): it fills at the rate of the resource up to the
 * burst, and each flow takes its phits when it begins; so it is empty, or in debt, while flows that
 * use all of the resource are under way. What all buckets of a path hold passes at once. */
typedef struct vef_flow_bucket {
    double phits; /* at `since_ps`; may be less than 0 */
    uint64_t since_ps;
} vef_flow_bucket;

/* Figures since a moment. */
typedef struct vef_flow_figures {
    uint64_t since_ps;
    uint64_t delivered_phits, delivered_hops;
    uint64_t message_latency_ps; /* the sum; in message_latency, in whole cycles */
    uint64_t *link_phits;        /* [link]: of parts that are through, since the beginning */
    uint64_t *link_since;        /* the figure of each link at since_ps */
    vef_latency *latency, *message_latency;
} vef_flow_figures;

typedef struct vef_flow_network {
    vef_netmodel base;
    vef_topology *topology; /* owned, as is the routing */
    vef_routing *routing;
    vef_network_settings settings;
    vef_flow_settings parameters;
    vef_links links;
    vef_buffers buffers;
    vef_shares shares;
    vef_flow_paths paths;
    uint32_t *queue_phits;    /* [link]: of the queues at its end */
    vef_flow_bucket *buckets; /* [resource]; NULL: no bursts */
    double cycle_ps;
    uint64_t now_ps;
    vef_flow_traffic traffic;
    vef_flow_figures figures;
    bool unsolved;            /* flows have begun or ended since the rates were computed */
    vef_finishes finishes;    /* of parts */
    vef_pending later;        /* messages of later times */
    vef_pending arriving;     /* messages that are through */
    vef_net_delivery *handed; /* the deliveries of the last advance */
    size_t handed_room;
    const vef_net_watch *watch; /* of links; NULL: none */
    vef_arena arena;
} vef_flow_network;

vef_code vef_flow_inject(vef_netmodel *base, const vef_net_message *message, vef_error *error);
vef_code vef_flow_advance(vef_netmodel *base, uint64_t limit_ps,
                          const vef_net_delivery **deliveries, size_t *count, vef_error *error);

/* ---- messages.c ---- */

/* A message that is due joins its source, and begins if it may. */
vef_code vef_flow_enqueue(vef_flow_network *flow, uint32_t message, vef_error *error);
/* A message is out of its source: the next one begins. */
vef_code vef_flow_leave_source(vef_flow_network *flow, uint32_t source, vef_error *error);
/* By destination: a message is through, and the next one of its pair begins. */
vef_code vef_flow_leave_pair(vef_flow_network *flow, uint32_t message, vef_error *error);
void vef_flow_free_message(vef_flow_network *flow, uint32_t message);

/* ---- figures.c ---- */

/* A part is through; one is delivered with its message. */
void vef_flow_count_part(vef_flow_network *flow, uint32_t part);
/* The phits of a part that are through the source now. */
double vef_flow_sent(const vef_flow_network *flow, uint32_t part);

void vef_flow_statistics(const vef_netmodel *base, vef_net_statistics *statistics);
void vef_flow_counts(const vef_netmodel *base, vef_net_counts *counts);
void vef_flow_begin_figures(vef_netmodel *base);
uint64_t vef_flow_link_phits(const vef_netmodel *base, uint32_t router, uint32_t port);
uint64_t vef_flow_link_busy_cycles(const vef_netmodel *base, uint32_t router, uint32_t port);

#endif
