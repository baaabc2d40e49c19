/* Equal sharing among all minimal paths of a pair: the sum of the loads of each source
 * (path_loads.h). Time is sources x arcs.
 *
 * With orbits, only one router of each is searched from. Symmetries map a source onto the others of
 * its orbit and the links of one kind onto each other, so the load over all links of a kind
 * together is the sum over those sources of their load on that kind, times the routers that each
 * represents; each link of the kind has the mean.
 *
 * Sources are not sampled: those nearest to a link dominate its load (next to it, one source puts
 * 1/links of all its traffic on it), and the figures depend on the most loaded link, which the
 * greatest of many uncertain loads overestimates by far.
 *
 * Routers are renumbered in the order of a breadth-first search, so that neighbours are close in
 * memory, and nearby sources are searched from together. These batches are divided into a fixed
 * number of shares that are added in a fixed order, so that rounding does not depend on the number
 * of threads. */
#include "netmodel/analysis/loads/link_load.h"

#include "common/threads/pool.h"
#include "netmodel/analysis/loads/path_loads.h"

#include <stdatomic.h>
#include <string.h>

enum {
    MOST_SHARES = 8,
    FEW_SOURCES = 2,     /* number of sources up to which single searches are as fast as a batch */
    FAR_FOR_A_BATCH = 64 /* routers that a search for nearby sources visits */
};

typedef struct batch {
    uint32_t first, count; /* of `sources` */
} batch;

typedef struct room {
    vef_path_lanes *lanes;
    vef_path_single *single;
} room;

typedef struct spreading {
    const vef_graph *graph;
    vef_path_graph near; /* the renumbered graph */
    uint32_t *place;     /* [arcs]: the arc of `graph` of an arc of `near` */
    vef_path_source *sources;
    batch *batches;
    uint32_t batch_count;
    room *rooms;               /* of each thread */
    double *load[MOST_SHARES]; /* [arcs of `near`] each */
    uint32_t shares;
    atomic_uint_least32_t done; /* sources */
} spreading;

/* ---- numbering ---- */

/* Fills in the routers in the order of a breadth-first search, and the number of each in it. */
static void put_in_order(const vef_graph *graph, uint32_t *order, uint32_t *number) {
    memset(number, 0xff, graph->routers * sizeof *number);
    uint32_t count = 0;
    for (uint32_t start = 0; start < graph->routers; start++) {
        if (number[start] != UINT32_MAX)
            continue;
        number[start] = count;
        order[count++] = start;
        for (uint32_t i = number[start]; i < count; i++)
            for (uint32_t arc = graph->first[order[i]]; arc < graph->first[order[i] + 1]; arc++) {
                const uint32_t next = graph->head[arc];
                if (number[next] != UINT32_MAX)
                    continue;
                number[next] = count;
                order[count++] = next;
            }
    }
}

static void make_near(spreading *shared, const uint32_t *order, const uint32_t *number,
                      vef_arena *arena) {
    const vef_graph *graph = shared->graph;
    uint32_t *first = vef_arena_alloc(arena, graph->routers + 1u, sizeof *first);
    uint32_t *head = vef_arena_alloc(arena, graph->arcs + 1u, sizeof *head);
    uint32_t *endpoints = vef_arena_alloc(arena, graph->routers, sizeof *endpoints);
    shared->place = vef_arena_alloc(arena, graph->arcs + 1u, sizeof *shared->place);
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->routers; i++) {
        first[i] = count;
        endpoints[i] = graph->endpoints[order[i]];
        for (uint32_t arc = graph->first[order[i]]; arc < graph->first[order[i] + 1]; arc++) {
            head[count] = number[graph->head[arc]];
            shared->place[count++] = arc;
        }
    }
    first[graph->routers] = count;
    shared->near = (vef_path_graph){graph->routers, first, head, endpoints};
}

/* ---- batches ---- */

/* Working memory of the division of the sources into batches, [routers] each. */
typedef struct division {
    double *weight;   /* of the sources without a batch, 0 for other routers */
    uint32_t *looked; /* number of the search, from 1, that visited a router */
    uint32_t *queue;
} division;

static void take(spreading *shared, division *left, batch *taken, uint32_t router) {
    if (left->weight[router] == 0)
        return;
    shared->sources[taken->first + taken->count++] =
        (vef_path_source){router, left->weight[router], 0};
    left->weight[router] = 0;
}

/* Takes the sources nearest to `source`, then the next ones by number. */
static void gather(spreading *shared, division *left, batch *taken, uint32_t source) {
    const vef_path_graph *graph = &shared->near;
    const uint32_t stamp = shared->batch_count;
    uint32_t count = 1;
    left->queue[0] = source;
    left->looked[source] = stamp;
    for (uint32_t i = 0; i < count && taken->count < VEF_PATH_LANES; i++) {
        const uint32_t router = left->queue[i];
        take(shared, left, taken, router);
        for (uint32_t arc = graph->first[router];
             arc < graph->first[router + 1] && count < FAR_FOR_A_BATCH; arc++) {
            const uint32_t next = graph->head[arc];
            if (left->looked[next] == stamp)
                continue;
            left->looked[next] = stamp;
            left->queue[count++] = next;
        }
    }
    for (uint32_t r = source; r < graph->routers && taken->count < VEF_PATH_LANES; r++)
        take(shared, left, taken, r);
}

static void make_batches(spreading *shared, const uint32_t *number, vef_arena *arena,
                         vef_arena *scratch) {
    const vef_graph *graph = shared->graph;
    division left = {
        vef_arena_alloc(scratch, graph->routers, sizeof *left.weight),
        vef_arena_alloc(scratch, graph->routers, sizeof *left.looked),
        vef_arena_alloc(scratch, graph->routers + FAR_FOR_A_BATCH, sizeof *left.queue)};
    shared->sources = vef_arena_alloc(arena, graph->sources, sizeof *shared->sources);
    shared->batches = vef_arena_alloc(arena, graph->sources, sizeof *shared->batches);
    const double endpoints = graph->topology->endpoints;
    for (uint32_t s = 0; s < graph->sources; s++) {
        const uint32_t source = graph->source[s];
        left.weight[number[source]] =
            (double)graph->stands_for[s] * graph->endpoints[source] / endpoints;
    }
    uint32_t first = 0;
    for (uint32_t r = 0; r < graph->routers; r++) {
        if (left.weight[r] == 0)
            continue;
        batch *taken = &shared->batches[shared->batch_count++];
        taken->first = first;
        gather(shared, &left, taken, r);
        first += taken->count;
    }
}

static void prepare(spreading *shared, vef_arena *arena) {
    const vef_graph *graph = shared->graph;
    vef_arena scratch = {0};
    uint32_t *order = vef_arena_alloc(&scratch, graph->routers, sizeof *order);
    uint32_t *number = vef_arena_alloc(&scratch, graph->routers, sizeof *number);
    put_in_order(graph, order, number);
    make_near(shared, order, number, arena);
    make_batches(shared, number, arena, &scratch);
    vef_arena_release(&scratch);
}

/* ---- shares ---- */

static const char step_name[] = "measuring loads of links";

static void spread_share(void *context, uint32_t worker, uint32_t piece) {
    spreading *shared = context;
    const room *scratch = &shared->rooms[worker];
    for (uint32_t b = piece; b < shared->batch_count; b += shared->shares) {
        const vef_path_source *sources = &shared->sources[shared->batches[b].first];
        const uint32_t count = shared->batches[b].count;
        if (count <= FEW_SOURCES ||
            !vef_path_lanes_add(scratch->lanes, sources, count, shared->load[piece]))
            for (uint32_t i = 0; i < count; i++)
                vef_path_single_add(scratch->single, &sources[i], shared->load[piece]);
        const uint32_t done = atomic_fetch_add(&shared->done, count) + count;
        if (worker == 0)
            vef_graph_report(shared->graph, step_name, done, shared->graph->sources);
    }
}

static void make_shares(spreading *shared, uint32_t workers, vef_arena *arena) {
    const vef_graph *graph = shared->graph;
    shared->rooms = vef_arena_alloc(arena, workers, sizeof *shared->rooms);
    for (uint32_t w = 0; w < workers; w++) {
        shared->rooms[w].lanes = vef_path_lanes_make(&shared->near, arena);
        shared->rooms[w].single = vef_path_single_make(&shared->near, arena);
    }
    for (uint32_t i = 0; i < shared->shares; i++)
        shared->load[i] = vef_arena_alloc(arena, graph->arcs + 1u, sizeof *shared->load[i]);
}

/* Gives every link the mean of its kind. */
static void average_over_kinds(const vef_graph *graph, double *load) {
    const vef_topology *topology = graph->topology;
    const size_t kinds = (size_t)topology->orbits * topology->ports;
    vef_arena scratch = {0};
    double *sum = vef_arena_alloc(&scratch, kinds, sizeof *sum);
    uint32_t *links = vef_arena_alloc(&scratch, kinds, sizeof *links);
    size_t *kind = vef_arena_alloc(&scratch, graph->arcs + 1u, sizeof *kind);
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            kind[arc] = (size_t)vef_topology_orbit(topology, router) * topology->ports +
                        vef_topology_port_kind(topology, router, graph->port[arc]);
            sum[kind[arc]] += load[arc];
            links[kind[arc]]++;
        }
    for (uint32_t arc = 0; arc < graph->arcs; arc++)
        load[arc] = sum[kind[arc]] / links[kind[arc]];
    vef_arena_release(&scratch);
}

static void spread(const vef_graph *graph, double *load) {
    spreading shared = {.graph = graph};
    vef_arena arena = {0};
    prepare(&shared, &arena);
    shared.shares = shared.batch_count < MOST_SHARES ? shared.batch_count : MOST_SHARES;
    const uint32_t workers = vef_workers_for(shared.shares);
    make_shares(&shared, workers, &arena);
    vef_workers_run(workers, shared.shares, spread_share, &shared);
    vef_graph_report(graph, step_name, graph->sources, graph->sources);
    memset(load, 0, graph->arcs * sizeof *load);
    for (uint32_t i = 0; i < shared.shares; i++)
        for (uint32_t arc = 0; arc < graph->arcs; arc++)
            load[shared.place[arc]] += shared.load[i][arc];
    if (graph->topology->orbits > 0)
        average_over_kinds(graph, load);
    vef_arena_release(&arena);
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
