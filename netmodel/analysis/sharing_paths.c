/* Sharing among all minimal paths of a pair alike.
 *
 * Brandes: "A Faster Algorithm for Betweenness Centrality", Journal of Mathematical Sociology
 * 25(2), 2001: a search from each source counts the minimal paths to every router; then, from the
 * farthest router inwards, what goes to or through a router is divided among the links that reach
 * it in proportion to the paths that they bring. Time is sources x arcs.
 *
 * With orbits, only one router of each is searched from. Symmetries take a source into the others
 * of its orbit and the links of one kind into each other, so the load over all links of a kind
 * together is the sum over those sources of what they put on that kind, times the routers that
 * each stands for; each link of the kind carries the mean.
 *
 * Sources are divided into a fixed number of shares that are added up in a fixed order, so that
 * rounding does not depend on the number of threads. */
#include "netmodel/analysis/link_load.h"

#include "netmodel/analysis/distances.h"
#include "netmodel/analysis/workers.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_SHARES = 8 };

/* Path counts are paths x (2^256)^scale, as they outgrow a double on large grids: C(2046, 1023)
 * paths join the corners of a mesh of 1024 x 1024. */
#define SCALE 0x1p256

typedef struct count {
    double paths;
    int32_t scale;
} count;

typedef struct share {
    double *load;       /* [arcs] */
    uint32_t *distance; /* the rest is [routers] */
    uint32_t *queue;
    count *counts;
    double *per_path; /* traffic to and through a router, over its number of paths (that is, over
                         count.paths; the scale comes on top) */
} share;

typedef struct spreading {
    const vef_graph *graph;
    share shares[MOST_SHARES];
    uint32_t count;
    atomic_uint_least32_t done; /* sources */
} spreading;

static void add_paths(count *to, count from) {
    if (to->scale == from.scale) {
        to->paths += from.paths;
        if (to->paths >= SCALE) {
            to->paths *= 1 / SCALE;
            to->scale++;
        }
    } else if (from.scale > to->scale) {
        to->paths = from.paths + (from.scale == to->scale + 1 ? to->paths / SCALE : 0);
        to->scale = from.scale;
    } else if (from.scale == to->scale - 1) {
        to->paths += from.paths / SCALE;
    }
}

/* Counts the minimal paths from `source`; returns how many routers it reaches. */
static uint32_t search(const vef_graph *graph, share *own, uint32_t source) {
    memset(own->distance, 0xff, graph->routers * sizeof *own->distance);
    own->distance[source] = 0;
    own->counts[source] = (count){.paths = 1};
    own->queue[0] = source;
    uint32_t reached = 1;
    for (uint32_t i = 0; i < reached; i++) {
        const uint32_t router = own->queue[i];
        const uint32_t farther = own->distance[router] + 1;
        const count paths = own->counts[router];
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t next = graph->head[arc];
            if (own->distance[next] == UINT32_MAX) {
                own->distance[next] = farther;
                own->queue[reached++] = next;
                own->counts[next] = paths;
            } else if (own->distance[next] == farther) {
                add_paths(&own->counts[next], paths);
            }
        }
    }
    return reached;
}

/* Adds `weight` x the traffic that one endpoint of the source sends when it sends one unit to each
 * endpoint. */
static void add_load(const vef_graph *graph, share *own, uint32_t reached, double weight) {
    for (uint32_t i = reached; i-- > 0;) {
        const uint32_t router = own->queue[i];
        const uint32_t farther = own->distance[router] + 1;
        const count paths = own->counts[router];
        double traffic = graph->endpoints[router];
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t next = graph->head[arc];
            if (own->distance[next] != farther)
                continue;
            double part = paths.paths * own->per_path[next];
            if (own->counts[next].scale != paths.scale) /* never less: it includes these paths */
                part = ldexp(part, 256 * (paths.scale - own->counts[next].scale));
            own->load[arc] += weight * part;
            traffic += part;
        }
        own->per_path[router] = traffic / paths.paths;
    }
}

static const char step_name[] = "measuring loads of links";

static void spread_share(void *context, uint32_t worker, uint32_t piece) {
    spreading *all = context;
    const vef_graph *graph = all->graph;
    const double endpoints = graph->topology->endpoints;
    for (uint32_t s = piece; s < graph->sources; s += all->count) {
        const uint32_t source = graph->source[s];
        const uint32_t reached = search(graph, &all->shares[piece], source);
        add_load(graph, &all->shares[piece], reached,
                 (double)graph->stands_for[s] * graph->endpoints[source] / endpoints);
        const uint32_t done = atomic_fetch_add(&all->done, 1) + 1;
        if (worker == 0)
            vef_graph_tell(graph, step_name, done, graph->sources);
    }
}

static vef_code make_shares(spreading *all, vef_arena *arena, vef_error *error) {
    const vef_graph *graph = all->graph;
    all->count = graph->sources < MOST_SHARES ? graph->sources : MOST_SHARES;
    for (uint32_t i = 0; i < all->count; i++) {
        share *own = &all->shares[i];
        own->load = vef_arena_alloc(arena, graph->arcs + 1u, sizeof *own->load);
        own->distance = vef_arena_alloc(arena, graph->routers, sizeof *own->distance);
        own->queue = vef_arena_alloc(arena, graph->routers, sizeof *own->queue);
        own->counts = vef_arena_alloc(arena, graph->routers, sizeof *own->counts);
        own->per_path = vef_arena_alloc(arena, graph->routers, sizeof *own->per_path);
        if (!own->load || !own->distance || !own->queue || !own->counts || !own->per_path)
            return vef_fail_memory(error, "the loads of links",
                                   graph->arcs * 8ull + graph->routers * 32ull);
    }
    return VEF_OK;
}

/* Gives every link the mean of those of its kind. */
static vef_code average_over_kinds(const vef_graph *graph, double *load, vef_error *error) {
    const vef_topology *topology = graph->topology;
    const size_t kinds = (size_t)topology->orbits * topology->ports;
    vef_arena scratch = {0};
    double *sum = vef_arena_alloc(&scratch, kinds, sizeof *sum);
    uint32_t *links = vef_arena_alloc(&scratch, kinds, sizeof *links);
    size_t *kind = vef_arena_alloc(&scratch, graph->arcs + 1u, sizeof *kind);
    vef_code code = VEF_OK;
    if (!sum || !links || !kind) {
        code = vef_fail_memory(error, "the kinds of links", kinds * 12ull + graph->arcs * 8ull);
    } else {
        for (uint32_t router = 0; router < graph->routers; router++)
            for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
                kind[arc] = (size_t)vef_topology_orbit(topology, router) * topology->ports +
                            vef_topology_port_kind(topology, router, graph->port[arc]);
                sum[kind[arc]] += load[arc];
                links[kind[arc]]++;
            }
        for (uint32_t arc = 0; arc < graph->arcs; arc++)
            load[arc] = sum[kind[arc]] / links[kind[arc]];
    }
    vef_arena_release(&scratch);
    return code;
}

static vef_code spread(const vef_graph *graph, double *load, vef_error *error) {
    spreading all = {.graph = graph};
    vef_arena arena = {0};
    vef_code code = make_shares(&all, &arena, error);
    if (code == VEF_OK) {
        vef_workers_run(vef_workers_for(all.count), all.count, spread_share, &all);
        vef_graph_tell(graph, step_name, graph->sources, graph->sources);
        memset(load, 0, graph->arcs * sizeof *load);
        for (uint32_t i = 0; i < all.count; i++)
            for (uint32_t arc = 0; arc < graph->arcs; arc++)
                load[arc] += all.shares[i].load[arc];
        if (graph->topology->orbits > 0)
            code = average_over_kinds(graph, load, error);
    }
    vef_arena_release(&arena);
    return code;
}

static bool applies(const vef_topology *topology) {
    (void)topology;
    return true;
}

const vef_sharing vef_sharing_paths = {
    .name = "paths",
    .summary = "all minimal paths of a pair equally likely",
    .applies = applies,
    .spread = spread,
};
