/* The throughput bound of a traffic pattern. See concurrent.h.
 *
 * Steps of decreasing size: with each, the flows begin anew, and the lengths go on from the step
 * before, so that the first, coarse paths do not stay in the flows. */
#include "netmodel/analysis/loads/concurrent.h"

#include "common/memory.h"
#include "netmodel/analysis/graph/distances.h"

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
    const double *capacity;    /* per arc */
    const vef_demand *demands; /* by destination */
    size_t count;
    double
        unit; /* demands are multiplied by it: at most the widest link each, LOAD_OF_PHASE a link */
    double *length; /* per arc */
    double *flow;   /* per arc, since the step began */
    double *way;    /* per router: length of the shortest minimal path to the destination */
    double *at;     /* per router: what is there of the demands, for even division */
    uint32_t *next; /* per router: the first arc of that path */
    uint32_t *hops, *queue;
    uint32_t phases; /* since the step began */
} measuring;

static int compare(const void *a, const void *b) {
    const vef_demand *p = a, *q = b;
    if (p->to != q->to)
        return p->to < q->to ? -1 : 1;
    return (p->from > q->from) - (p->from < q->from);
}

/* The demands to the destination of the first. */
static size_t same_destination(const measuring *self, size_t first) {
    size_t end = first;
    while (end < self->count && self->demands[end].to == self->demands[first].to)
        end++;
    return end;
}

/* The shortest minimal paths to a router; returns how many routers have one. */
static uint32_t find_ways(measuring *self, uint32_t to) {
    const vef_graph *graph = self->graph;
    const uint32_t reached = vef_distances_from(graph, to, self->hops, self->queue);
    self->way[to] = 0;
    for (uint32_t i = 1; i < reached; i++) {
        const uint32_t router = self->queue[i];
        self->way[router] = INFINITY;
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t near = graph->head[arc];
            if (self->hops[near] >= self->hops[router] ||
                self->way[near] + self->length[arc] >= self->way[router])
                continue;
            self->way[router] = self->way[near] + self->length[arc];
            self->next[router] = arc;
        }
    }
    return reached;
}

static void shrink_lengths(measuring *self) {
    for (uint32_t arc = 0; arc < self->graph->arcs; arc++)
        self->length[arc] = fmax(self->length[arc] / LONGEST, SHORTEST);
}

/* Every demand takes its shortest path once. */
static void route_all(measuring *self, double growth) {
    for (size_t first = 0, end; first < self->count; first = end) {
        const uint32_t to = self->demands[first].to;
        end = same_destination(self, first);
        find_ways(self, to);
        for (size_t i = first; i < end; i++) {
            const double amount = self->demands[i].phits * self->unit;
            for (uint32_t router = self->demands[i].from; router != to;) {
                const uint32_t arc = self->next[router];
                self->flow[arc] += amount;
                self->length[arc] *= 1 + growth * amount / self->capacity[arc];
                if (self->length[arc] > LONGEST) /* at once: a phase may overflow */
                    shrink_lengths(self);
                router = self->graph->head[arc];
            }
        }
    }
    self->phases++;
}

static void set_busiest(const vef_graph *graph, uint32_t arc, vef_concurrent_flow *flow) {
    uint32_t router = 0;
    while (graph->first[router + 1] <= arc)
        router++;
    flow->busiest_router = router;
    flow->busiest_port = graph->port[arc];
}

/* What the flows, and the lengths, prove. */
static void find_bounds(measuring *self, vef_concurrent_flow *flow) {
    double most = 0, volume = 0, ways = 0;
    uint32_t busiest = 0;
    for (uint32_t arc = 0; arc < self->graph->arcs; arc++) {
        volume += self->length[arc] * self->capacity[arc];
        if (self->flow[arc] / self->capacity[arc] > most) {
            most = self->flow[arc] / self->capacity[arc];
            busiest = arc;
        }
    }
    for (size_t first = 0, end; first < self->count; first = end) {
        end = same_destination(self, first);
        find_ways(self, self->demands[first].to);
        for (size_t i = first; i < end; i++)
            ways += self->demands[i].phits * self->unit * self->way[self->demands[i].from];
    }
    const double lower = self->phases / most * self->unit, upper = volume / ways * self->unit;
    if (lower > flow->lower) {
        flow->lower = lower;
        set_busiest(self->graph, busiest, flow);
    }
    if (upper < flow->upper) {
        flow->upper = upper;
        for (uint32_t arc = 0; arc < self->graph->arcs; arc++)
            flow->share[arc] = self->length[arc] * self->capacity[arc] / volume;
    }
}

/* Even division: from the farthest router on, each passes on what it has. It is the first lower
 * bound. */
static void divide_evenly(measuring *self, vef_concurrent_flow *flow) {
    const vef_graph *graph = self->graph;
    uint32_t busiest = 0;
    double most = 0;
    memset(self->flow, 0, graph->arcs * sizeof *self->flow);
    for (size_t first = 0, end; first < self->count; first = end) {
        end = same_destination(self, first);
        memset(self->at, 0, graph->routers * sizeof *self->at);
        for (size_t i = first; i < end; i++)
            self->at[self->demands[i].from] += self->demands[i].phits;
        for (uint32_t i = find_ways(self, self->demands[first].to); i-- > 1;) {
            const uint32_t router = self->queue[i];
            uint32_t nearer = 0;
            for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
                nearer += self->hops[graph->head[arc]] < self->hops[router];
            for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
                if (self->hops[graph->head[arc]] < self->hops[router]) {
                    self->flow[arc] += self->at[router] / nearer;
                    self->at[graph->head[arc]] += self->at[router] / nearer;
                }
        }
    }
    for (uint32_t arc = 0; arc < graph->arcs; arc++)
        if (self->flow[arc] / self->capacity[arc] > most) {
            most = self->flow[arc] / self->capacity[arc];
            busiest = arc;
        }
    flow->even = flow->lower = 1 / most;
    set_busiest(graph, busiest, flow);
}

static vef_code check_demands(measuring *self, vef_error *error) {
    const vef_topology *topology = self->graph->topology;
    double most = 0;
    for (size_t first = 0, end; first < self->count; first = end) {
        end = same_destination(self, first);
        vef_distances_from(self->graph, self->demands[first].to, self->hops, self->queue);
        for (size_t i = first; i < end; i++) {
            most = fmax(most, self->demands[i].phits);
            if (self->hops[self->demands[i].from] == UINT32_MAX)
                return vef_fail(error, VEF_INVALID, "no path from router %u to router %u",
                                vef_topology_router_number(topology, self->demands[i].from),
                                vef_topology_router_number(topology, self->demands[i].to));
        }
    }
    double widest = 0;
    for (uint32_t arc = 0; arc < self->graph->arcs; arc++)
        widest = fmax(widest, self->capacity[arc]);
    self->unit = most > 0 ? widest / most : 1;
    return VEF_OK;
}

static void approach(measuring *self, double precision, uint32_t most_phases,
                     vef_concurrent_flow *flow) {
    for (uint32_t arc = 0; arc < self->graph->arcs; arc++)
        self->length[arc] = 1 / self->capacity[arc];
    flow->upper = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        memset(self->flow, 0, self->graph->arcs * sizeof *self->flow);
        self->phases = 0;
        while (self->phases < steps[step].phases && flow->phases < most_phases) {
            vef_graph_report(self->graph, "dividing traffic", flow->phases, most_phases);
            route_all(self, steps[step].growth);
            flow->phases++;
            if (self->phases % CHECK == 0)
                find_bounds(self, flow);
            if (flow->upper <= flow->lower * (1 + precision))
                return;
        }
    }
}

vef_code vef_concurrent_flow_measure(const vef_graph *graph, const double *capacity,
                                     vef_demand *demands, size_t count, const vef_division *known,
                                     double precision, uint32_t most_phases,
                                     vef_concurrent_flow *flow, vef_error *error) {
    measuring self = {.graph = graph, .capacity = capacity, .demands = demands};
    vef_arena arena = {0};
    *flow = (vef_concurrent_flow){.lower = INFINITY, .upper = INFINITY, .even = INFINITY};
    for (size_t i = 0; i < count; i++) /* those inside a router load no link */
        if (demands[i].from != demands[i].to)
            demands[self.count++] = demands[i];
    if (self.count == 0)
        return VEF_OK;
    qsort(demands, self.count, sizeof *demands, compare);
    self.length = vef_arena_alloc(&arena, graph->arcs, sizeof *self.length);
    self.flow = vef_arena_alloc(&arena, graph->arcs, sizeof *self.flow);
    self.way = vef_arena_alloc(&arena, graph->routers, sizeof *self.way);
    self.at = vef_arena_alloc(&arena, graph->routers, sizeof *self.at);
    self.next = vef_arena_alloc(&arena, graph->routers, sizeof *self.next);
    self.hops = vef_arena_alloc(&arena, graph->routers, sizeof *self.hops);
    self.queue = vef_arena_alloc(&arena, graph->routers, sizeof *self.queue);
    flow->share = vef_calloc(graph->arcs, sizeof *flow->share);
    const vef_code code = check_demands(&self, error);
    if (code == VEF_OK) {
        for (uint32_t arc = 0; arc < graph->arcs; arc++)
            self.length[arc] = 1;
        divide_evenly(&self, flow);
        if (known && known->factor > flow->lower) {
            flow->lower = known->factor;
            flow->busiest_router = known->busiest_router;
            flow->busiest_port = known->busiest_port;
        }
        self.unit = fmin(self.unit, LOAD_OF_PHASE * flow->even);
        approach(&self, precision, most_phases, flow);
    }
    vef_arena_release(&arena);
    return code;
}
