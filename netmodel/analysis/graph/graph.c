/* A topology as a compact graph. See graph.h. */
#include "netmodel/analysis/graph/graph.h"
#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t count_arcs(const vef_topology *topology) {
    uint64_t arcs = 0;
    const size_t ports = (size_t)topology->routers * topology->ports;
    for (size_t i = 0; i < ports; i++)
        arcs += topology->neighbour[i] != VEF_NO_ROUTER;
    return arcs;
}

static vef_code take_arcs(vef_graph *graph, vef_error *error) {
    const vef_topology *topology = graph->topology;
    const uint64_t arcs = count_arcs(topology);
    if (arcs >= UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "%llu links: out of range: expected at most %u",
                        (unsigned long long)arcs / 2, UINT32_MAX / 2);
    graph->arcs = (uint32_t)arcs;
    uint32_t *first = vef_arena_alloc(&graph->arena, graph->routers + 1u, sizeof *first);
    uint32_t *head = vef_arena_alloc(&graph->arena, graph->arcs + 1u, sizeof *head);
    uint16_t *port = vef_arena_alloc(&graph->arena, graph->arcs + 1u, sizeof *port);
    uint32_t count = 0;
    for (uint32_t r = 0; r < graph->routers; r++) {
        first[r] = count;
        for (uint32_t p = 0; p < topology->ports; p++) {
            const uint32_t next = vef_topology_next(topology, r, p);
            if (next == VEF_NO_ROUTER)
                continue;
            head[count] = next;
            port[count++] = (uint16_t)p;
        }
    }
    first[graph->routers] = count;
    graph->first = first;
    graph->head = head;
    graph->port = port;
    return VEF_OK;
}

static void take_endpoints(vef_graph *graph) {
    uint32_t *endpoints = vef_arena_alloc(&graph->arena, graph->routers, sizeof *endpoints);
    for (uint32_t e = 0; e < graph->topology->endpoints; e++)
        endpoints[vef_topology_router_of(graph->topology, e)]++;
    graph->endpoints = endpoints;
}

static void take_sources(vef_graph *graph) {
    const vef_topology *topology = graph->topology;
    const uint32_t orbits = topology->orbits;
    assert(orbits <= graph->routers);
    uint32_t *of_orbit = NULL; /* 1 + the source that represents an orbit; 0: none yet */
    uint32_t *source = vef_arena_alloc(&graph->arena, orbits ? orbits : graph->routers, 4);
    uint32_t *stands_for = vef_arena_alloc(&graph->arena, orbits ? orbits : graph->routers, 4);
    if (orbits > 0)
        of_orbit = vef_calloc(orbits, sizeof *of_orbit);
    for (uint32_t r = 0; r < graph->routers; r++) {
        if (graph->endpoints[r] == 0)
            continue;
        uint32_t *place = of_orbit ? &of_orbit[vef_topology_orbit(topology, r)] : NULL;
        if (place && *place != 0) {
            stands_for[*place - 1]++;
            continue;
        }
        source[graph->sources] = r;
        stands_for[graph->sources++] = 1;
        if (place)
            *place = graph->sources;
    }
    free(of_orbit);
    graph->source = source;
    graph->stands_for = stands_for;
}

vef_code vef_graph_create(const vef_topology *topology, vef_graph **made, vef_error *error) {
    *made = NULL;
    vef_graph *graph = vef_calloc(1, sizeof *graph);
    graph->topology = topology;
    graph->routers = topology->routers;
    vef_code code = take_arcs(graph, error);
    if (code != VEF_OK) {
        vef_graph_destroy(graph);
        return code;
    }
    take_endpoints(graph);
    take_sources(graph);
    *made = graph;
    return VEF_OK;
}

void vef_graph_destroy(vef_graph *graph) {
    if (!graph)
        return;
    vef_arena_release(&graph->arena);
    free(graph);
}

void vef_graph_report(const vef_graph *graph, const char *step, uint64_t done, uint64_t total) {
    if (graph->watch.report)
        graph->watch.report(graph->watch.context, step, done, total);
}

/* ---- bandwidths ---- */

double vef_arc_slowness(const vef_graph *graph, uint32_t router, uint32_t arc,
                        uint64_t nominal_bits_per_s) {
    const uint64_t *bandwidths = graph->topology->bandwidth_bits_per_s;
    if (!bandwidths || nominal_bits_per_s == 0)
        return 1;
    const uint64_t bandwidth =
        bandwidths[(size_t)router * graph->topology->ports + graph->port[arc]];
    return bandwidth ? (double)nominal_bits_per_s / (double)bandwidth : 1;
}

double *vef_arc_capacities(const vef_graph *graph, uint64_t nominal_bits_per_s) {
    double *capacity = vef_calloc(graph->arcs + (size_t)1, sizeof *capacity);
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
            capacity[arc] = 1 / vef_arc_slowness(graph, router, arc, nominal_bits_per_s);
    return capacity;
}

/* ---- kinds of links ----
 *
 * Links out of routers of one orbit by ports of one kind are equivalent, and a link is the same
 * from both ends: so pairs of an orbit and a port kind are united along links, and the resulting
 * sets are the kinds. */

static uint32_t root_of(uint32_t *parent, uint32_t node) {
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

static uint32_t pair_of(const vef_topology *topology, uint32_t router, uint32_t port) {
    return vef_topology_orbit(topology, router) * topology->ports +
           vef_topology_port_kind(topology, router, port);
}

uint32_t vef_count_link_kinds(const vef_graph *graph) {
    const vef_topology *topology = graph->topology;
    const size_t pairs = (size_t)topology->orbits * topology->ports;
    if (pairs == 0 || pairs > UINT32_MAX)
        return 0;
    vef_arena scratch = {0};
    uint32_t *parent = vef_arena_alloc(&scratch, pairs, sizeof *parent);
    uint8_t *taken = vef_arena_alloc(&scratch, pairs, sizeof *taken); /* by a link */
    for (uint32_t p = 0; p < pairs; p++)
        parent[p] = p;
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint32_t a = graph->first[r]; a < graph->first[r + 1]; a++) {
            const uint32_t port = graph->port[a];
            const uint32_t back = topology->reverse_port[(size_t)r * topology->ports + port];
            const uint32_t here = pair_of(topology, r, port);
            const uint32_t there = pair_of(topology, graph->head[a], back);
            taken[here] = 1;
            parent[root_of(parent, there)] = root_of(parent, here);
        }
    uint32_t kinds = 0;
    for (uint32_t p = 0; p < pairs; p++)
        kinds += taken[p] && parent[p] == p;
    vef_arena_release(&scratch);
    return kinds;
}
