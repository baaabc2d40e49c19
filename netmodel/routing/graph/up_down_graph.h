/* The directions of up-down routing (up*, then down*) and the ways that they allow.
 *
 * Schroeder et al. ("Autonet: A High-Speed, Self-Configuring Local Area Network Using
 * Point-to-Point Links", IEEE JSAC 1991): links are given a direction by a breadth-first search
 * from a root: up is towards the router of the lower level, of equal levels the one of the lower
 * number. A legal way goes up any number of times, then down any number of times, and every router
 * can reach every other by one (over the root). As no way goes up after it went down, waiting
 * cannot form a cycle. */
#ifndef VEF_NETMODEL_ROUTING_GRAPH_UP_DOWN_GRAPH_H
#define VEF_NETMODEL_ROUTING_GRAPH_UP_DOWN_GRAPH_H

#include "netmodel/routing/graph/shortest_paths.h"

typedef struct vef_up_down_graph {
    const vef_topology *topology;
    uint32_t root;   /* VEF_NO_ROUTER: levels are given */
    uint32_t *level; /* [routers]: hops from the root */
    /* [target * routers + router]: hops of the shortest legal way to go on, for a packet that may
     * still go up, and for one that may not (UINT16_MAX: none). */
    uint16_t *may_rise, *falling;
    uint32_t longest; /* of the shortest legal ways between targets; UINT16_MAX: a pair has none */
} vef_up_down_graph;

/* `root`: a router, or below 0 for one from which the farthest router is as near as possible.
 * `level`: NULL, or those of a tree, from its top, instead of a root: then a pair may have no legal
 * way. */
vef_code vef_up_down_graph_create(const vef_topology *topology, const vef_hops *hops, int64_t root,
                                  uint32_t *level, vef_arena *arena, vef_up_down_graph *legal,
                                  vef_error *error);

static inline bool vef_up_down_graph_is_up(const vef_up_down_graph *legal, uint32_t from,
                                           uint32_t to) {
    const uint32_t *level = legal->level;
    return level[to] != level[from] ? level[to] < level[from] : to < from;
}

/* Whether a packet that leaves `router` by `port` goes up. */
static inline bool vef_up_down_graph_rises(const vef_up_down_graph *legal, uint32_t router,
                                           uint32_t port) {
    const vef_topology *topology = legal->topology;
    const uint32_t next = vef_topology_next(topology, router, port);
    return vef_up_down_graph_is_up(legal, router, next);
}

/* Offers every link on a shortest legal way from `router` to target number `target`, on channels
 * `first` to `first` + `channels` - 1; `fell`: the packet went down before. Returns how many. */
uint32_t vef_up_down_graph_offer(const vef_up_down_graph *legal, uint32_t target, uint32_t router,
                                 bool fell, uint8_t first, uint32_t channels, uint8_t preference,
                                 vef_candidate *offered);

/* The state of a routing with adaptive channels over an up-down escape, which is channel 0 and
 * which packets do not leave again. */
typedef struct vef_over_up_down {
    vef_shortest_paths paths; /* first: shared with vef_shortest_paths_begin */
    vef_up_down_graph legal;
} vef_over_up_down;

/* Values of VEF_SHORTEST_PATHS_WORD: in adaptive channels (where routings may have more), or in the
 * escape. */
enum { VEF_OVER_ADAPTIVE, VEF_OVER_RISING, VEF_OVER_FALLING, VEF_OVER_MORE };
enum { VEF_OVER_ESCAPE_CHANNEL, VEF_OVER_ADAPTIVE_CHANNEL };

/* Sets what create has to, for packets that may be offered all links of a router (`all_links`), or
 * only those that lead nearer, with `adaptive_channels` each. */
vef_code vef_over_up_down_create(vef_routing *routing, int64_t adaptive_channels, int64_t root,
                                 bool all_links, vef_error *error);
/* Offers the escape, with preference 1. Returns the number of candidates. */
uint32_t vef_over_up_down_offer(const vef_routing *routing, const vef_route *route, uint32_t router,
                                vef_candidate *offered);
/* The packet leaves the router by the escape channel. */
void vef_over_up_down_advance(const vef_routing *routing, vef_route *route, uint32_t router,
                              uint32_t port);

static inline bool vef_over_up_down_escaped(const vef_route *route) {
    const int16_t phase = route->words[VEF_SHORTEST_PATHS_WORD];
    return phase == VEF_OVER_RISING || phase == VEF_OVER_FALLING;
}

/* The key of those that take a root, in a schema for `type`. */
#define VEF_LEGAL_ROOT(type)                                                                       \
    {                                                                                              \
        VEF_KEY(INT, type, root), .fallback = "-1", .minimum = -1, .maximum = VEF_MAX_ROUTERS,     \
                                  .help = "router at the root of the tree; -1: one in the middle"  \
    }

#endif
