/* The loads of a few links of a large network, by `paths`. See link_load.h.
 *
 * A link carries traffic of a pair of routers at hop a of a shortest path from its source, with b
 * hops left after it. Pairs with a <= b are found by searches from the sources at distance a of the
 * link, the others by searches from their destinations, against the direction of the links, since
 * all traffic has a counterpart in the other direction on the same paths. So searches from the
 * routers around a link up to (d - 1) / 2 hops find all its pairs up to d hops apart: in a random
 * graph of 65,536 routers with 6 links 312 searches find the pairs up to 8 hops apart, and 99.9 %
 * of all. The load without the other pairs is a lower bound.
 *
 * The links are those that promise the greatest loads: those with the most endpoints at some hops
 * behind either end, the product of both. In random graphs of 4,096 to 16,384 routers with 6 links
 * the correlation of this product with the loads is 0.7 to 0.8, and the most loaded of the first 16
 * links carries 98 % of the greatest load. */
#include "netmodel/analysis/loads/link_load.h"

#include "common/threads/pool.h"
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/loads/path_loads.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_AHEAD = 1024, /* routers that the search behind the end of a link visits */
    PIECES = 64,       /* of the routers, shared out among threads */
    LEAST_PART = 16,   /* the searches for all chosen links are at most a 16th of those for all */
    MOST_LINKS = 64,
};

/* A link, by its arc from the router with the lower number, and back. */
typedef struct candidate {
    uint64_t promise;
    uint32_t router, arc, back;
    double load; /* of both arcs */
} candidate;

/* Working memory of one thread. */
typedef struct room {
    uint32_t *stamp, *queue; /* [routers] */
    uint32_t *here, *there,
        *order;   /* [routers]: distances from both ends; the order of one search */
    double *load; /* [arcs] */
    vef_path_lanes *lanes;
    vef_path_single *single;
    uint32_t stamps;
} room;

typedef struct selection {
    const vef_graph *graph;
    vef_path_graph paths;
    uint32_t hops; /* pairs farther apart are not searched for */
    uint32_t depth;
    uint32_t *ahead; /* [arcs]: endpoints `depth` hops from the end of an arc, without its link */
    candidate *links;
    room *rooms;
} selection;

/* ---- which links ---- */

static void look_ahead(const selection *chosen, room *scratch, uint32_t router, uint32_t arc) {
    const vef_graph *graph = chosen->graph;
    const uint32_t stamp = ++scratch->stamps;
    uint32_t *queue = scratch->queue, count = 1, first = 0, endpoints = 0;
    queue[0] = graph->head[arc];
    scratch->stamp[router] = scratch->stamp[queue[0]] = stamp;
    for (uint32_t hop = 0; hop < chosen->depth; hop++)
        for (const uint32_t end = count; first < end; first++)
            for (uint32_t a = graph->first[queue[first]]; a < graph->first[queue[first] + 1]; a++)
                if (scratch->stamp[graph->head[a]] != stamp) {
                    scratch->stamp[graph->head[a]] = stamp;
                    queue[count++] = graph->head[a];
                }
    for (; first < count; first++)
        endpoints += graph->endpoints[queue[first]];
    chosen->ahead[arc] = endpoints;
}

static void look_from(void *context, uint32_t worker, uint32_t piece) {
    const selection *chosen = context;
    const vef_graph *graph = chosen->graph;
    for (uint32_t r = piece; r < graph->routers; r += PIECES)
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++)
            look_ahead(chosen, &chosen->rooms[worker], r, arc);
}

static uint32_t back_of(const vef_graph *graph, uint32_t router, uint32_t arc) {
    const vef_topology *topology = graph->topology;
    const size_t port = (size_t)router * topology->ports + graph->port[arc];
    uint32_t back = graph->first[graph->head[arc]];
    while (graph->port[back] != topology->reverse_port[port])
        back++;
    return back;
}

static int by_promise(const void *a, const void *b) {
    const candidate *one = a, *other = b;
    if (one->promise != other->promise)
        return one->promise > other->promise ? -1 : 1;
    return (one->arc > other->arc) - (one->arc < other->arc);
}

/* As deep as MOST_AHEAD routers around the first source, at least 1. */
static uint32_t choose_depth(const vef_graph *graph, room *scratch) {
    vef_distances_from(graph, graph->source[0], scratch->here, scratch->order);
    const uint32_t beyond = graph->routers > MOST_AHEAD ? MOST_AHEAD : graph->routers - 1;
    const uint32_t hops = scratch->here[scratch->order[beyond]];
    return hops > 1 ? hops - 1 : 1;
}

static void rank_links(selection *chosen, uint32_t workers) {
    const vef_graph *graph = chosen->graph;
    uint32_t count = 0;
    chosen->depth = choose_depth(graph, &chosen->rooms[0]);
    vef_workers_run(workers, PIECES, look_from, chosen);
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++) {
            const uint32_t back = back_of(graph, r, arc);
            if (arc < back)
                chosen->links[count++] = (candidate){
                    (uint64_t)chosen->ahead[arc] * chosen->ahead[back], r, arc, back, 0};
        }
    qsort(chosen->links, count, sizeof *chosen->links, by_promise);
}

/* ---- their loads ---- */

/* Searches from the routers nearer to one end of a link, in whose distances they are in order, for
 * the pairs of which they are nearer to the link than the other router, or by `ties` as near.
 * Returns their number, and adds the loads if `lanes`. */
static uint32_t search_around(const selection *chosen, room *scratch, const uint32_t *near,
                              const uint32_t *far, uint32_t reached, bool ties, bool measure) {
    const vef_graph *graph = chosen->graph;
    vef_path_source batch[VEF_PATH_LANES];
    uint32_t count = 0, searches = 0;
    for (uint32_t i = 0; i <= reached; i++) {
        const uint32_t router = i < reached ? scratch->order[i] : VEF_NO_ROUTER;
        const uint32_t least = i < reached ? 2 * near[router] + (ties ? 1 : 2) : UINT32_MAX;
        if (least <= chosen->hops && far[router] == near[router] + 1 &&
            graph->endpoints[router] > 0) {
            batch[count++] = (vef_path_source){
                router, (double)graph->endpoints[router] / graph->topology->endpoints, least};
            searches++;
        }
        const bool last = least > chosen->hops;
        if (measure && count > 0 && (count == VEF_PATH_LANES || last) &&
            !vef_path_lanes_add(scratch->lanes, batch, count, scratch->load))
            for (uint32_t s = 0; s < count; s++)
                vef_path_single_add(scratch->single, &batch[s], scratch->load);
        if (last)
            break;
        count = count == VEF_PATH_LANES ? 0 : count;
    }
    return searches;
}

/* Both directions carry the same. Returns the number of searches, and measures if wanted. */
static uint32_t measure_link(const selection *chosen, room *scratch, candidate *link,
                             bool measure) {
    const vef_graph *graph = chosen->graph;
    const uint32_t ends[] = {link->router, graph->head[link->arc]},
                   arcs[] = {link->arc, link->back};
    uint32_t searches = 0;
    for (int end = 0; end < 2; end++) {
        vef_distances_from(graph, ends[1 - end], scratch->there, scratch->order);
        const uint32_t reached =
            vef_distances_from(graph, ends[end], scratch->here, scratch->order);
        if (measure)
            memset(scratch->load, 0, graph->arcs * sizeof *scratch->load);
        searches += search_around(chosen, scratch, scratch->here, scratch->there, reached, end == 0,
                                  measure);
        link->load += measure ? scratch->load[arcs[end]] : 0;
    }
    return searches;
}

static void measure_one(void *context, uint32_t worker, uint32_t piece) {
    const selection *chosen = context;
    measure_link(chosen, &chosen->rooms[worker], &chosen->links[piece], true);
}

/* The number of links whose searches are few enough. */
static uint32_t count_affordable(const selection *chosen) {
    const uint32_t links = chosen->graph->arcs / 2;
    uint64_t searches = 0;
    uint32_t count = 0;
    while (count < links && count < MOST_LINKS) {
        searches += measure_link(chosen, &chosen->rooms[0], &chosen->links[count], false);
        if (searches > chosen->graph->sources / LEAST_PART)
            break;
        count++;
    }
    return count;
}

/* So that at most a thousandth of the pairs are farther apart. */
static uint32_t hops_of_most(const vef_distances *distances) {
    double left = 0, all = 0;
    uint32_t hops = distances->diameter;
    for (uint32_t d = 0; d <= hops; d++)
        all += distances->distribution[d];
    while ((left += distances->distribution[hops]) <= all / 1000)
        hops--;
    return hops;
}

uint32_t vef_few_links_measure(const vef_graph *graph, const vef_distances *distances, double *most,
                               uint32_t *router, uint32_t *port) {
    vef_arena arena = {0};
    selection chosen = {.graph = graph,
                        .paths = {graph->routers, graph->first, graph->head, graph->endpoints},
                        .hops = hops_of_most(distances)};
    const uint32_t workers = vef_workers_for(PIECES);
#define TAKE(field, count) field = vef_arena_alloc(&arena, count, sizeof *field)
    TAKE(chosen.ahead, graph->arcs);
    TAKE(chosen.links, graph->arcs / 2 + 1u);
    TAKE(chosen.rooms, workers);
    for (uint32_t w = 0; w < workers; w++) {
        room *scratch = &chosen.rooms[w];
        TAKE(scratch->stamp, graph->routers);
        TAKE(scratch->queue, graph->routers);
        TAKE(scratch->here, graph->routers);
        TAKE(scratch->there, graph->routers);
        TAKE(scratch->order, graph->routers);
        TAKE(scratch->load, graph->arcs);
        scratch->lanes = vef_path_lanes_make(&chosen.paths, &arena);
        scratch->single = vef_path_single_make(&chosen.paths, &arena);
    }
#undef TAKE
    rank_links(&chosen, workers);
    const uint32_t count = count_affordable(&chosen);
    vef_workers_run(workers, count, measure_one, &chosen);
    *most = 0;
    for (uint32_t i = 0; i < count; i++)
        if (chosen.links[i].load > *most) {
            *most = chosen.links[i].load;
            *router = chosen.links[i].router;
            *port = graph->port[chosen.links[i].arc];
        }
    vef_arena_release(&arena);
    return count;
}
