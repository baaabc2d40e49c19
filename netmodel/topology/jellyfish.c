/* Jellyfish: a random regular graph, simple and connected.
 *
 * Singla, Hong, Popa, Godfrey: "Jellyfish: Networking Data Centers Randomly", NSDI 2012. The graph
 * begins as a ring in which each router has links to the nearest others, and random exchanges
 * follow: two links a-b and c-d, in random directions, become a-d and c-b, unless that would make a
 * loop or a double link. Exchanges lead from any regular graph to any other (Taylor: "Constrained
 * switchings in graphs", 1981), and one is as likely as its reverse, so in the limit all graphs are
 * equally likely; the number of exchanges for this is polynomial (Cooper, Dyer, Greenhill:
 * "Sampling Regular Graphs and a Peer-to-Peer Network", 2007). SWEEPS are tried per link, and as
 * many again while the graph is not connected, which is rare from degree 3 on.
 *
 * The denser the graph, the more exchanges fail. Where routers are linked to more than half of the
 * others, the links that are absent are drawn instead: a regular graph too. Such a graph is
 * connected.
 *
 * The graph depends on the parameters alone. Ports are in no order. */
#include "common/memory.h"
#include "common/rng.h"
#include "netmodel/topology/families.h"

#include <stdlib.h>

enum { SWEEPS = 10 };

typedef struct parameters {
    int64_t routers, degree;
    uint64_t seed;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, routers), .aliases = "nodes size n switches", .minimum = 4,
     .maximum = VEF_MAX_ROUTERS, .help = "number of routers"},
    {VEF_KEY(INT, parameters, degree), .aliases = "links radix ports", .minimum = 3,
     .maximum = VEF_MAX_PORTS,
     .help = "links of each router, fewer than routers; one of both is even"},
    {VEF_KEY(UINT, parameters, seed), .fallback = "1", .help = "chooses one of the graphs"},
    {.key = NULL},
};

static vef_code check(const parameters *given, vef_error *error) {
    const long long routers = given->routers, degree = given->degree;
    if (degree >= routers)
        return vef_fail(error, VEF_INVALID,
                        "degree: %lld links of a router to the %lld others: expected at most %lld, "
                        "or at least %lld routers",
                        degree, routers - 1, routers - 1, degree + 1);
    if (routers % 2 == 0 || degree % 2 == 0)
        return VEF_OK;
    char lower[32] = "";
    if (degree > 3)
        snprintf(lower, sizeof lower, "%lld or ", degree - 1);
    return vef_fail(error, VEF_INVALID,
                    "routers, degree: %lld routers of %lld links have %lld ends of links, an odd "
                    "number: expected %lld or %lld routers, or a degree of %s%lld",
                    routers, degree, routers * degree, routers - 1, routers + 1, lower, degree + 1);
}

/* ---- drawing ---- */

/* Links to the degree / 2 nearest routers in each direction, and to the opposite one for an odd
 * degree. */
static void join_ring(vef_topology *graph) {
    const uint32_t n = graph->routers, degree = graph->ports;
    for (uint32_t router = 0; router < n; router++) {
        for (uint32_t i = 0; i + 1 < degree; i += 2)
            vef_topology_join(graph, router, i, (router + i / 2 + 1) % n, i + 1);
        if (degree % 2 == 1)
            vef_topology_join(graph, router, degree - 1, (router + n / 2) % n, degree - 1);
    }
}

static bool is_linked(const vef_topology *graph, uint32_t router, uint32_t other) {
    const uint32_t *neighbours = graph->neighbour + (size_t)router * graph->ports;
    for (uint32_t port = 0; port < graph->ports; port++)
        if (neighbours[port] == other)
            return true;
    return false;
}

static void exchange(vef_topology *graph, vef_rng *rng) {
    uint32_t router[2], port[2], other[2], other_port[2];
    for (int i = 0; i < 2; i++) {
        router[i] = vef_rng_below(rng, graph->routers);
        port[i] = vef_rng_below(rng, graph->ports);
        const size_t link = (size_t)router[i] * graph->ports + port[i];
        other[i] = graph->neighbour[link];
        other_port[i] = graph->reverse_port[link];
    }
    for (int i = 0; i < 2; i++)
        if (router[i] == other[1 - i] || is_linked(graph, router[i], other[1 - i]))
            return;
    for (int i = 0; i < 2; i++)
        vef_topology_join(graph, router[i], port[i], other[1 - i], other_port[1 - i]);
}

static void shuffle(vef_topology *graph, vef_rng *rng) {
    const uint64_t links = (uint64_t)graph->routers * graph->ports / 2;
    for (uint64_t i = 0; i < SWEEPS * links; i++)
        exchange(graph, rng);
}

static bool is_connected(const vef_topology *graph) {
    uint32_t *queue = vef_malloc(graph->routers * sizeof *queue), reached = 1;
    bool *seen = vef_calloc(graph->routers, sizeof *seen);
    seen[queue[0] = 0] = true;
    for (uint32_t place = 0; place < reached; place++)
        for (uint32_t port = 0; port < graph->ports; port++) {
            const uint32_t next = vef_topology_next(graph, queue[place], port);
            if (!seen[next])
                queue[reached++] = next;
            seen[next] = true;
        }
    free(queue);
    free(seen);
    return reached == graph->routers;
}

/* Links all routers that have no link in `absent`. */
static void join_others(const vef_topology *absent, vef_topology *topology) {
    uint16_t *joined = vef_calloc(topology->routers, sizeof *joined);
    for (uint32_t a = 0; a < topology->routers; a++)
        for (uint32_t b = a + 1; b < topology->routers; b++)
            if (!is_linked(absent, a, b))
                vef_topology_join(topology, a, joined[a]++, b, joined[b]++);
    free(joined);
}

static vef_code build_dense(vef_topology *topology, vef_rng *rng, vef_error *error) {
    vef_topology absent = {.routers = topology->routers,
                           .ports = topology->routers - 1 - topology->ports};
    vef_code code = VEF_OK;
    if (absent.ports > 0) {
        code = vef_topology_make_ports(&absent, error);
        if (code == VEF_OK) {
            join_ring(&absent);
            shuffle(&absent, rng);
        }
    }
    if (code == VEF_OK)
        join_others(&absent, topology);
    vef_arena_release(&absent.arena);
    return code;
}

static vef_code build(const void *given_, vef_topology *topology, vef_error *error) {
    const parameters *given = given_;
    vef_code code = check(given, error);
    if (code != VEF_OK)
        return code;
    topology->routers = (uint32_t)given->routers;
    topology->ports = (uint32_t)given->degree;
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    vef_rng rng = vef_rng_make(given->seed, VEF_RNG_TOPOLOGY, 0);
    if (topology->ports > (topology->routers - 1) / 2)
        return build_dense(topology, &rng, error);
    join_ring(topology);
    do
        shuffle(topology, &rng);
    while (!is_connected(topology));
    return VEF_OK;
}

const vef_topology_family vef_topology_jellyfish = {
    .name = "jellyfish",
    .aliases = "random random-regular rrg",
    .summary = "Jellyfish: a random regular graph",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .samples = VEF_LIST("{routers: 16, degree: 4}", "{routers: 20, degree: 3, seed: 7}",
                        "{routers: 9, degree: 6, seed: 2}", "{routers: 4, degree: 3}"),
    .larger = "{routers: 200, degree: 8}",
};
