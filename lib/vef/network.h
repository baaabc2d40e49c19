/* vef's networks for other programs: messages in, deliveries out.
 *
 * A fabric is a network of a network file (`vef list networks`): the cycle-accurate routers, the
 * flow model, LogGP or the ideal network. The caller injects messages and advances the time; the
 * fabric returns what has arrived. It is the interface on which `vef replay` and `vef load` run. */
#ifndef VEF_NETWORK_H
#define VEF_NETWORK_H

#include <vef/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vef_fabric vef_fabric;

typedef struct vef_fabric_options {
    size_t size; /* sizeof(vef_fabric_options) */
    /* The path of a network file, or the network itself, in braces or in several lines:
     * "{topology: {family: torus, sizes: [8, 8]}}". `overrides` are keys as of `vef replay --set`,
     * "router.queue_packets=8". */
    const char *network;
    const char *const *overrides;
    size_t override_count;
    uint32_t threads; /* that may simulate it; 0: one. Results do not depend on it */
} vef_fabric_options;

typedef struct vef_fabric_message {
    uint64_t id;                  /* the caller's, returned with the delivery */
    uint64_t time_cycles;         /* when it enters the queue of its source; not in the past */
    uint64_t bytes;               /* 0 travels as a header, or, without headers, as one phit */
    uint32_t source, destination; /* endpoints; they may be equal */
    uint32_t traffic_class;       /* 0, or what the routing has */
} vef_fabric_message;

typedef struct vef_fabric_delivery {
    uint64_t id;
    uint64_t time_cycles; /* when the last phit has arrived */
    uint32_t endpoint;    /* the destination */
} vef_fabric_delivery;

/* Since the last vef_fabric_reset, or the beginning. Latencies are in cycles, of packets from their
 * injection queue to the arrival of their last phit, of messages from their time of injection on.
 */
typedef struct vef_fabric_figures {
    size_t size; /* sizeof(vef_fabric_figures) */
    uint64_t since_cycles;
    uint64_t messages, packets, packet_hops, phits; /* delivered */
    double packet_latency_mean, packet_latency_p99;
    double message_latency_mean, message_latency_p99;
    double link_utilization_mean, link_utilization_max; /* share of the time */
} vef_fabric_figures;

/* A link out of a router, since the last reset. */
typedef struct vef_fabric_link {
    uint32_t to_router, to_port; /* its other end */
    uint64_t phits, busy_cycles; /* phits that crossed it; cycles in which it was busy */
} vef_fabric_link;

/* Builds a network. The caller closes it. */
VEF_PUBLIC int vef_fabric_open(const vef_fabric_options *options, vef_fabric **fabric,
                               vef_failure *failure);
VEF_PUBLIC void vef_fabric_close(vef_fabric *fabric); /* NULL is fine */

VEF_PUBLIC uint32_t vef_fabric_endpoints(const vef_fabric *fabric); /* UINT32_MAX: any number */
VEF_PUBLIC uint32_t vef_fabric_routers(const vef_fabric *fabric);   /* 0: a model without */
VEF_PUBLIC uint32_t vef_fabric_ports(const vef_fabric *fabric);     /* of a router */
/* The length of a cycle, the unit of all times of the fabric: one of `*parts` parts of `*ps`
 * picoseconds, as in vef_feed_options. With routers it is the time of a phit on the fastest
 * link; models ideal, loggp and flow have cycles of 1 ps. */
VEF_PUBLIC void vef_fabric_cycle(const vef_fabric *fabric, uint64_t *ps, uint64_t *parts);
/* Warnings about the configuration, one a line; "": none. Lives as long as the fabric. */
VEF_PUBLIC const char *vef_fabric_warnings(const vef_fabric *fabric);

VEF_PUBLIC int vef_fabric_inject(vef_fabric *fabric, const vef_fabric_message *message,
                                 vef_failure *failure);
/* Advances to the first time up to `limit_cycles` at which something arrives, and returns all that
 * arrives then, or, if nothing does, to the limit, with `*count` 0. With VEF_NEVER and nothing
 * under way it stays where it is. `*deliveries` is valid until the next call. */
VEF_PUBLIC int vef_fabric_advance(vef_fabric *fabric, uint64_t limit_cycles,
                                  const vef_fabric_delivery **deliveries, size_t *count,
                                  vef_failure *failure);
VEF_PUBLIC uint64_t vef_fabric_now(const vef_fabric *fabric);
/* Messages of an endpoint that are, partly or wholly, still in its source. */
VEF_PUBLIC uint32_t vef_fabric_waiting(const vef_fabric *fabric, uint32_t endpoint);
/* Whether packets are known to be deadlocked; then `text` names the cycle of virtual channels. */
VEF_PUBLIC int vef_fabric_deadlock(const vef_fabric *fabric, char *text, size_t text_bytes);

/* Fills in `figures`, whose `size` is set. */
VEF_PUBLIC int vef_fabric_measure(const vef_fabric *fabric, vef_fabric_figures *figures,
                                  vef_failure *failure);
VEF_PUBLIC void vef_fabric_reset(vef_fabric *fabric);
/* The link out of a router by a port; 0: there is none. */
VEF_PUBLIC int vef_fabric_get_link(const vef_fabric *fabric, uint32_t router, uint32_t port,
                                   vef_fabric_link *link);

#ifdef __cplusplus
}
#endif

#endif
