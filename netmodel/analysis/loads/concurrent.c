/* The throughput bound of a traffic pattern. See concurrent.h.
 *
 * Steps of decreasing size: with each, the flows begin anew, and the lengths go on from the step
 * before, so that the first, coarse paths do not stay in the flows. */
#include "netmodel/analysis/loads/concurrent.h"

#include "common/containers/order.h"
#include "common/memory.h"
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/topology/lattice/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The growth of a length by a flow of its capacity, and how many phases use it; the last step goes
 * on to the end. Bounds are compared every CHECK phases. */
static const struct {
    double growth;
    uint32_t phases;
} steps[] = {{0.5, 30}, {0.2, 60}, {0.1, 120}, {0.05, 240}, {0.02, 600}, {0.01, UINT32_MAX}};
enum { STEPS = sizeof steps / sizeof *steps, CHECK = 10 };

/* Above LONGEST all lengths are divided by it; below SHORTEST they do not count, but have to grow.
 */
static const double LONGEST = 1e150, SHORTEST = 1e-250;

/* The most load of a link in a phase, in capacities, if routers divide evenly. With more, as of
 * uniform traffic on many routers, lengths would grow too coarsely to converge. */
static const double LOAD_OF_PHASE = 16;

typedef struct measuring {
    const vef_graph *graph;
    bool all_paths;            /* not only minimal ones */
    const double *capacity;    /* per arc */
    const vef_demand *demands; /* by destination */
    size_t count;
    double
        unit; /* demands are multiplied by it: at most the widest link each, LOAD_OF_PHASE a link */
    double *length;  /* per arc */
    double *flow;    /* per arc, since the step began */
    double *way;     /* per router: length of the shortest path to the destination */
    double *arrived; /* per router: what is there of the demands, for even division */
    uint32_t *next;  /* per router: the first arc of that path */
    uint32_t *hops, *queue;
    uint32_t phases; /* since the step began */
} measuring;

VEF_ORDER_BY(compare, vef_demand, to, from)

/* The demands to the destination of the first. */
static size_t same_destination(const measuring *measure, size_t first) {
    size_t end = first;
    while (end < measure->count && measure->demands[end].to == measure->demands[first].to)
        end++;
    return end;
}

/* One pass over the routers by ascending hops: the shortest minimal paths, or shorter ones over any
 * neighbour than those known. Returns whether a path became shorter. Inlined, so that each kind of
 * pass has a loop of its own. */
static inline __attribute__((always_inline)) bool shorten_ways(measuring *measure, uint32_t reached,
                                                               bool minimal) {
    const vef_graph *graph = measure->graph;
    bool shorter = false;
    for (uint32_t i = 1; i < reached; i++) {
        const uint32_t router = measure->queue[i];
        const uint32_t farther = minimal ? measure->hops[router] : UINT32_MAX;
        const double before = minimal ? INFINITY : measure->way[router];
        double shortest = before;
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t near = graph->head[arc];
            if (measure->hops[near] >= farther ||
                measure->way[near] + measure->length[arc] >= shortest)
                continue;
            shortest = measure->way[near] + measure->length[arc];
            measure->next[router] = arc;
        }
        measure->way[router] = shortest;
        shorter |= shortest < before;
    }
    return shorter;
}

/* The shortest paths to a router; returns how many routers have one. Minimal paths are known after
 * one pass, others when a pass finds no shorter one (Bellman, Ford). */
static uint32_t find_ways(measuring *measure, uint32_t to) {
    const uint32_t reached = vef_distances_from(measure->graph, to, measure->hops, measure->queue);
    measure->way[to] = 0;
    shorten_ways(measure, reached, true);
    while (measure->all_paths && shorten_ways(measure, reached, false))
        ;
    return reached;
}

static void shrink_lengths(measuring *measure) {
    for (uint32_t arc = 0; arc < measure->graph->arcs; arc++)
        measure->length[arc] = fmax(measure->length[arc] / LONGEST, SHORTEST);
}

/* Every demand takes its shortest path once. */
static void route_all(measuring *measure, double growth) {
    for (size_t first = 0, end; first < measure->count; first = end) {
        const uint32_t to = measure->demands[first].to;
        end = same_destination(measure, first);
        find_ways(measure, to);
        for (size_t i = first; i < end; i++) {
            const double amount = measure->demands[i].phits * measure->unit;
            for (uint32_t router = measure->demands[i].from; router != to;) {
                const uint32_t arc = measure->next[router];
                measure->flow[arc] += amount;
                measure->length[arc] *= 1 + growth * amount / measure->capacity[arc];
                if (measure->length[arc] > LONGEST) /* at once: a phase may overflow */
                    shrink_lengths(measure);
                router = measure->graph->head[arc];
            }
        }
    }
    measure->phases++;
}

static void set_busiest(const vef_graph *graph, uint32_t arc, vef_concurrent_flow *flow) {
    uint32_t router = 0;
    while (graph->first[router + 1] <= arc)
        router++;
    flow->busiest_router = router;
    flow->busiest_port = graph->port[arc];
}

/* The arc with the most flow of its capacity, which is `*most`. */
static uint32_t find_busiest(const measuring *measure, double *most) {
    uint32_t busiest = 0;
    *most = 0;
    for (uint32_t arc = 0; arc < measure->graph->arcs; arc++)
        if (measure->flow[arc] / measure->capacity[arc] > *most) {
            *most = measure->flow[arc] / measure->capacity[arc];
            busiest = arc;
        }
    return busiest;
}

/* What the flows, and the lengths, prove. */
static void find_bounds(measuring *measure, vef_concurrent_flow *flow) {
    double most, volume = 0, ways = 0;
    const uint32_t busiest = find_busiest(measure, &most);
    for (uint32_t arc = 0; arc < measure->graph->arcs; arc++)
        volume += measure->length[arc] * measure->capacity[arc];
    for (size_t first = 0, end; first < measure->count; first = end) {
        end = same_destination(measure, first);
        find_ways(measure, measure->demands[first].to);
        for (size_t i = first; i < end; i++)
            ways +=
                measure->demands[i].phits * measure->unit * measure->way[measure->demands[i].from];
    }
    const double lower = measure->phases / most * measure->unit,
                 upper = volume / ways * measure->unit;
    if (lower > flow->lower) {
        flow->lower = lower;
        set_busiest(measure->graph, busiest, flow);
    }
    if (upper < flow->upper) {
        flow->upper = upper;
        for (uint32_t arc = 0; arc < measure->graph->arcs; arc++)
            flow->share[arc] = measure->length[arc] * measure->capacity[arc] / volume;
    }
}

/* Even division: from the farthest router on, each passes on what it has. It is the first lower
 * bound. */
static void divide_evenly(measuring *measure, vef_concurrent_flow *flow) {
    const vef_graph *graph = measure->graph;
    double most;
    memset(measure->flow, 0, graph->arcs * sizeof *measure->flow);
    for (size_t first = 0, end; first < measure->count; first = end) {
        end = same_destination(measure, first);
        memset(measure->arrived, 0, graph->routers * sizeof *measure->arrived);
        for (size_t i = first; i < end; i++)
            measure->arrived[measure->demands[i].from] += measure->demands[i].phits;
        for (uint32_t i = find_ways(measure, measure->demands[first].to); i-- > 1;) {
            const uint32_t router = measure->queue[i];
            uint32_t nearer = 0;
            for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
                nearer += measure->hops[graph->head[arc]] < measure->hops[router];
            for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
                if (measure->hops[graph->head[arc]] < measure->hops[router]) {
                    measure->flow[arc] += measure->arrived[router] / nearer;
                    measure->arrived[graph->head[arc]] += measure->arrived[router] / nearer;
                }
        }
    }
    const uint32_t busiest = find_busiest(measure, &most);
    flow->even = flow->lower = 1 / most;
    set_busiest(graph, busiest, flow);
}

static vef_code check_demands(measuring *measure, vef_error *error) {
    const vef_topology *topology = measure->graph->topology;
    double most = 0;
    for (size_t first = 0, end; first < measure->count; first = end) {
        end = same_destination(measure, first);
        vef_distances_from(measure->graph, measure->demands[first].to, measure->hops,
                           measure->queue);
        for (size_t i = first; i < end; i++) {
            most = fmax(most, measure->demands[i].phits);
            if (measure->hops[measure->demands[i].from] == UINT32_MAX)
                return vef_fail(error, VEF_INVALID, "no path from router %u to router %u",
                                vef_topology_router_number(topology, measure->demands[i].from),
                                vef_topology_router_number(topology, measure->demands[i].to));
        }
    }
    double widest = 0;
    for (uint32_t arc = 0; arc < measure->graph->arcs; arc++)
        widest = fmax(widest, measure->capacity[arc]);
    measure->unit = most > 0 ? widest / most : 1;
    return VEF_OK;
}

static void approach(measuring *measure, double precision, uint32_t most_phases,
                     vef_concurrent_flow *flow) {
    for (uint32_t arc = 0; arc < measure->graph->arcs; arc++)
        measure->length[arc] = 1 / measure->capacity[arc];
    flow->upper = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        memset(measure->flow, 0, measure->graph->arcs * sizeof *measure->flow);
        measure->phases = 0;
        while (measure->phases < steps[step].phases && flow->phases < most_phases) {
            vef_graph_report(measure->graph, "dividing traffic", flow->phases, most_phases);
            route_all(measure, steps[step].growth);
            flow->phases++;
            if (measure->phases % CHECK == 0)
                find_bounds(measure, flow);
            if (flow->upper <= flow->lower * (1 + precision))
                return;
        }
    }
}

vef_code vef_concurrent_flow_measure(const vef_graph *graph, bool all_paths, const double *capacity,
                                     vef_demand *demands, size_t count, const vef_division *known,
                                     double precision, uint32_t most_phases,
                                     vef_concurrent_flow *flow, vef_error *error) {
    measuring measure = {
        .graph = graph, .all_paths = all_paths, .capacity = capacity, .demands = demands};
    vef_arena arena = {0};
    *flow = (vef_concurrent_flow){.lower = INFINITY, .upper = INFINITY, .even = INFINITY};
    for (size_t i = 0; i < count; i++) /* those inside a router load no link */
        if (demands[i].from != demands[i].to)
            demands[measure.count++] = demands[i];
    if (measure.count == 0)
        return VEF_OK;
    qsort(demands, measure.count, sizeof *demands, compare);
    measure.length = vef_arena_alloc(&arena, graph->arcs, sizeof *measure.length);
    measure.flow = vef_arena_alloc(&arena, graph->arcs, sizeof *measure.flow);
    measure.way = vef_arena_alloc(&arena, graph->routers, sizeof *measure.way);
    measure.arrived = vef_arena_alloc(&arena, graph->routers, sizeof *measure.arrived);
    measure.next = vef_arena_alloc(&arena, graph->routers, sizeof *measure.next);
    measure.hops = vef_arena_alloc(&arena, graph->routers, sizeof *measure.hops);
    measure.queue = vef_arena_alloc(&arena, graph->routers, sizeof *measure.queue);
    flow->share = vef_calloc(graph->arcs, sizeof *flow->share);
    const vef_code code = check_demands(&measure, error);
    if (code == VEF_OK) {
        for (uint32_t arc = 0; arc < graph->arcs; arc++)
            measure.length[arc] = 1;
        divide_evenly(&measure, flow);
        if (known && known->factor > flow->lower) {
            flow->lower = known->factor;
            flow->busiest_router = known->busiest_router;
            flow->busiest_port = known->busiest_port;
        }
        measure.unit = fmin(measure.unit, LOAD_OF_PHASE * flow->even);
        approach(&measure, precision, most_phases, flow);
    }
    vef_arena_release(&arena);
    return code;
}

/* ---- cuts ---- */

/* More routers than this are sampled evenly as starting points. */
enum { MOST_STARTS = 1024 };

/* Marks the routers that one reaches over arcs without weight; returns how many. */
static uint32_t reach(const vef_graph *graph, uint32_t from, const double *weight, double least,
                      uint8_t *reached, uint32_t *queue) {
    uint32_t count = 1;
    memset(reached, 0, graph->routers);
    reached[from] = 1;
    queue[0] = from;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t arc = graph->first[queue[i]]; arc < graph->first[queue[i] + 1]; arc++) {
            const uint32_t to = graph->head[arc];
            if (weight[arc] >= least || reached[to])
                continue;
            reached[to] = 1;
            queue[count++] = to;
        }
    return count;
}

static vef_traffic_cut measure_cut(const vef_graph *graph, const double *capacity,
                                   const vef_demand *demands, size_t count, const uint8_t *near,
                                   uint32_t routers) {
    vef_traffic_cut cut = {.routers = routers};
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
            if (near[router] && !near[graph->head[arc]]) {
                cut.links++;
                cut.capacity += capacity[arc];
            }
    for (size_t d = 0; d < count; d++)
        if (near[demands[d].from] && !near[demands[d].to])
            cut.phits += demands[d].phits;
    cut.factor = cut.phits > 0 ? cut.capacity / cut.phits : INFINITY;
    return cut;
}

vef_traffic_cut vef_traffic_cut_find(const vef_graph *graph, const double *capacity,
                                     const vef_demand *demands, size_t count, const double *weight,
                                     double least) {
    uint8_t *reached = vef_calloc(graph->routers, 1);
    uint32_t *queue = vef_calloc(graph->routers, sizeof *queue);
    vef_traffic_cut cut = {.factor = INFINITY};
    const uint32_t step = graph->routers / MOST_STARTS + 1;
    for (uint32_t from = 0; from < graph->routers; from += step) {
        const uint32_t routers = reach(graph, from, weight, least, reached, queue);
        if (routers == graph->routers)
            continue;
        const vef_traffic_cut found =
            measure_cut(graph, capacity, demands, count, reached, routers);
        if (found.factor < cut.factor)
            cut = found;
    }
    free(reached);
    free(queue);
    return cut;
}

/* ---- dimension order ---- */

/* Adds `phits` to the links of one record, from a router on. */
static void follow(const vef_topology *topology, const vef_minimal *minimal, uint32_t row,
                   uint32_t router, double phits, double *load) {
    const uint32_t generators = topology->lattice->generators;
    for (uint32_t g = 0; g < generators; g++) {
        const int hops = minimal->straight[g] + minimal->records[row * generators + g];
        const uint32_t port = 2 * g + (hops < 0);
        for (int h = abs(hops); h > 0; h--) {
            const size_t link = (size_t)router * topology->ports + port;
            load[link] += phits;
            router = topology->neighbour[link];
        }
    }
}

vef_division vef_dimension_order_bound(const vef_topology *topology, const vef_demand *demands,
                                       size_t count) {
    const vef_lattice *lattice = topology->lattice;
    const size_t links = (size_t)topology->routers * topology->ports;
    size_t busiest = 0;
    if (!lattice || !lattice->first || !lattice->any_order)
        return (vef_division){.factor = NAN};
    double *load = vef_calloc(links + 1, sizeof *load);
    for (size_t d = 0; d < count; d++) {
        vef_minimal minimal;
        if (demands[d].from == demands[d].to)
            continue;
        vef_lattice_minimal(lattice, demands[d].from, demands[d].to, &minimal);
        for (uint32_t row = 0; row < minimal.count; row++)
            follow(topology, &minimal, row, demands[d].from, demands[d].phits / minimal.count,
                   load);
    }
    for (size_t link = 0; link < links; link++)
        if (load[link] > load[busiest])
            busiest = link;
    const vef_division division = {.factor = load[busiest] > 0 ? 1 / load[busiest] : INFINITY,
                                   .busiest_router = (uint32_t)(busiest / topology->ports),
                                   .busiest_port = (uint32_t)(busiest % topology->ports)};
    free(load);
    return division;
}
