/* Common functions of routings on arbitrary graphs: the route has the target router, and hops.h the
 * distances to it. */
#ifndef VEF_NETMODEL_ROUTING_GRAPH_SHORTEST_PATHS_H
#define VEF_NETMODEL_ROUTING_GRAPH_SHORTEST_PATHS_H

#include "netmodel/routing/hops.h"
#include "netmodel/routing/routing.h"

#include <string.h>

/* The state of such a routing, or the beginning of it. */
typedef struct vef_shortest_paths {
    vef_hops hops;
    uint32_t most_links; /* maximum number of connected ports of a router */
} vef_shortest_paths;

/* Words of the route: the target (vef_hops), and one that each routing defines, 0 at the start. */
enum { VEF_SHORTEST_PATHS_TARGET_WORD, VEF_SHORTEST_PATHS_WORD = 2 };

/* Refuses topologies that no such routing supports. As vef_routing_algorithm.supports. */
vef_code vef_shortest_paths_supports(const vef_topology *topology, vef_flow_control flow_control,
                                     const void *parameters, vef_error *error);

/* Creates the routing's state, which is just this, or fills in this part of it; refuse what
 * vef_hops_create refuses. */
vef_code vef_shortest_paths_create(vef_routing *routing, vef_shortest_paths **paths,
                                   vef_error *error);
vef_code vef_shortest_paths_fill(vef_routing *routing, vef_shortest_paths *paths, vef_error *error);

/* The maximum number of candidates of a packet that may take every link that leads nearer, each
 * with `channels`; or with `each` of every one of `classes` classes of channels but those that it
 * keeps for the hops after this one, of which there are at most diameter - 1. */
uint32_t vef_shortest_paths_most(const vef_shortest_paths *paths, uint32_t channels);
uint32_t vef_shortest_paths_most_rising(const vef_shortest_paths *paths, uint32_t classes,
                                        uint32_t each);

/* Refuses a routing whose most_candidates, derived from its channels, exceed VEF_MAX_CANDIDATES. */
vef_code vef_shortest_paths_check_candidates(const vef_routing *routing, vef_error *error);

/* Maximum number of connected ports of a router. */
uint32_t vef_shortest_paths_most_links(const vef_topology *topology);

static inline uint32_t vef_shortest_paths_target(const vef_route *route) {
    return vef_route_uint32(route, VEF_SHORTEST_PATHS_TARGET_WORD);
}

static inline void vef_shortest_paths_set_target(vef_route *route, uint32_t target) {
    memset(route, 0, sizeof *route);
    vef_route_set_uint32(route, VEF_SHORTEST_PATHS_TARGET_WORD, target);
}

/* Offers every link from `router` that leads nearer to the target, on channels `first` to `end` -
 * 1, with preference 0. Returns their number. */
uint32_t vef_shortest_paths_offer(const vef_shortest_paths *paths, uint32_t target, uint32_t router,
                                  uint32_t first, uint32_t end, bool escape,
                                  vef_candidate *offered);

/* As vef_routing_algorithm.begin, for routings whose state begins with a vef_shortest_paths. */
void vef_shortest_paths_begin(const vef_routing *routing, const vef_travel *travel,
                              vef_draws *draws, vef_route *route);

/* The schema row of adaptive channels, for `type`. */
#define VEF_TOWARDS_ADAPTIVE_CHANNELS(type)                                                        \
    {                                                                                              \
        VEF_KEY(INT, type, adaptive_channels),                                                     \
            .fallback = "2", .minimum = 1, .maximum = VEF_MAX_CHANNELS - 1,                        \
            .help = "virtual channels per link beside the escape channel"                          \
    }

#endif
