/* The paths of flows, by the routing of the network.
 *
 * A path begins at the source like a packet, and at each router takes one of the candidates of the
 * least preference value: by the port whose link has the least weight of flows for its bandwidth,
 * any of these if they are several. So adaptive routings go round links in use, as their packets do
 * round queues that fill up. Channels and queues do not matter, and candidates of higher preference
 * values, for packets that find none of these free, are not taken.
 *
 * Routings that choose a route at the source by the state of queues see an estimate of it: of n
 * flows that share a link, n - 1 wait at any time, so that each queue there has (n - 1) / n of its
 * places taken. */
#ifndef VEF_NETMODEL_FLOW_PATHS_H
#define VEF_NETMODEL_FLOW_PATHS_H

#include "netmodel/file/links.h"
#include "netmodel/flow/shares.h"
#include "netmodel/routing/routing.h"

enum { VEF_LONGEST_PATH = 1 << 16 }; /* hops */

/* Where the resources of the network are in vef_shares: the link out of a router by a port, then
 * the way into the network of each endpoint, then its way out. */
typedef struct vef_flow_paths {
    const vef_topology *topology;
    const vef_routing *routing;
    const vef_links *links;
    const vef_shares *shares;
    uint32_t queue_places; /* of a channel, for routings that look at them */
    uint32_t first_injection, first_ejection;
    vef_candidate *candidates; /* scratch, [routing->most_candidates] */
    uint32_t *least_loaded;    /* scratch, [routing->most_candidates]: indices of candidates */
    uint32_t *seen;            /* [link]: the path, by `stamp`, that used it last */
    uint32_t stamp;

    /* The path found last. */
    uint32_t *resources; /* each once, also if it crosses a link twice */
    size_t room;
    uint32_t count, hops;
    uint32_t slowest_cycles_per_phit;
    uint64_t delay_cycles; /* of the head, of all hops */
    bool chosen;           /* it might have been another one */
} vef_flow_paths;

/* Fills in the path of a message with these ends; draws from `rng` where there are equal choices.
 * VEF_INVALID if the routing does not arrive. */
vef_code vef_flow_paths_find(vef_flow_paths *paths, const vef_travel *travel, vef_rng *rng,
                             vef_error *error);

#endif
