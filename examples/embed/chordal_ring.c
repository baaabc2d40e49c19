/* A plug-in: chordal rings, a routing for any network, a traffic pattern and a mapping.
 *
 *     cc -shared -fPIC chordal_ring.c $(pkg-config --cflags vef-plugin) -o chordal_ring.so
 *     vef topology --plugin chordal_ring.so \
 *         '{plugins: [chordal_ring.so], topology: {family: chordal-ring, routers: 16, chord: 5}}'
 *
 * Chordal rings: Arden, Lee, "Analysis of chordal ring network", IEEE Transactions on Computers
 * C-30(4), 1981. An even number of routers in a ring; even router r has a chord to router r + c, c
 * odd. */
#include "common/plugin/plugin.h"
#include "mappings/mapping.h"
#include "netmodel/routing/graph/shortest_paths.h"
#include "netmodel/routing/routing.h"
#include "netmodel/topology/topology.h"
#include "netmodel/traffic/traffic.h"

static const vef_param no_keys[] = {{.key = NULL}};

/* ---- the topology ---- */

enum { FORWARD, BACK, CHORD, PORTS };

typedef struct ring {
    uint32_t routers, chord;
} ring;

static const vef_param ring_keys[] = {
    {VEF_KEY(COUNT, ring, routers), .minimum = 4, .maximum = 1 << 20, .help = "an even number"},
    {VEF_KEY(COUNT, ring, chord), .fallback = "3", .minimum = 3, .maximum = 1 << 20,
     .help = "length of a chord: odd, less than routers"},
    {.key = NULL},
};

static vef_code build_ring(const void *parameters, vef_topology *topology, vef_error *error) {
    const ring *given = parameters;
    const uint32_t routers = given->routers, chord = given->chord;
    if (routers % 2 != 0)
        return vef_fail(error, VEF_INVALID, "routers: expected an even number");
    if (chord % 2 == 0 || chord >= routers - 1)
        return vef_fail(error, VEF_INVALID, "chord: expected an odd number less than routers - 1");
    topology->routers = routers;
    topology->ports = PORTS;
    const vef_code code = vef_topology_make_ports(topology, error);
    for (uint32_t router = 0; code == VEF_OK && router < routers; router++) {
        vef_topology_join(topology, router, FORWARD, (router + 1) % routers, BACK);
        if (router % 2 == 0)
            vef_topology_join(topology, router, CHORD, (router + chord) % routers, CHORD);
    }
    return code;
}

static void ring_port_name(const vef_topology *topology, uint32_t port, char *text,
                           size_t text_bytes) {
    static const char *const names[PORTS] = {"forward", "back", "chord"};
    (void)topology;
    snprintf(text, text_bytes, "%s", names[port]);
}

static const vef_topology_family chordal_ring = {
    .name = "chordal-ring",
    .summary = "a ring with chords of one length (Arden, Lee 1981)",
    VEF_PARAMETERS(ring_keys, ring),
    .build = build_ring,
    .port_name = ring_port_name,
};

/* ---- the routing ----
 *
 * Every shortest path; the virtual channel is the number of the hop. Channels rise along every
 * path, so no cycle of waiting packets can form (Gopal 1985). Bound: the diameter, which is the
 * number of channels. The route has the target router, and the number of the hop. */

static vef_code make_hops(vef_routing *routing, vef_error *error) {
    vef_shortest_paths *paths = NULL;
    const vef_code code = vef_shortest_paths_create(routing, &paths, error);
    if (code != VEF_OK)
        return code;
    if (paths->hops.diameter > VEF_MAX_CHANNELS)
        return vef_fail(error, VEF_UNSUPPORTED, "%u hops: expected a network of at most %d",
                        paths->hops.diameter, VEF_MAX_CHANNELS);
    routing->channels = paths->hops.diameter;
    routing->most_candidates = vef_shortest_paths_most(paths, 1);
    routing->least_queue_packets = 1;
    return VEF_OK;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const uint32_t hop = (uint32_t)route->words[VEF_SHORTEST_PATHS_WORD];
    return vef_shortest_paths_offer(routing->state, vef_shortest_paths_target(route), place.router,
                                    hop, hop + 1, true, offered);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)routing;
    (void)place;
    (void)port;
    route->words[VEF_SHORTEST_PATHS_WORD] = (int16_t)(channel + 1);
}

static const vef_routing_algorithm hop_channels = {
    .name = "hop-channels",
    .summary = "every shortest path, a virtual channel for each hop",
    .any_graph = true,
    .schema = no_keys,
    .supports = vef_shortest_paths_supports,
    .create = make_hops,
    .begin = vef_shortest_paths_begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .advance = advance,
};

/* ---- the pattern: half of the messages to the opposite endpoint, the rest anywhere ---- */

static vef_code make_opposite(vef_pattern *pattern, vef_error *error) {
    (void)pattern;
    (void)error;
    return VEF_OK;
}

static uint32_t across(const vef_pattern *pattern, uint32_t source) {
    return (source + pattern->endpoints / 2) % pattern->endpoints;
}

static uint32_t opposite(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    return vef_rng_below(rng, 2) == 0 ? across(pattern, source)
                                      : vef_rng_below(rng, pattern->endpoints);
}

static void opposite_shares(const vef_pattern *pattern, uint32_t source, double *share) {
    share[across(pattern, source)] += 0.5;
    for (uint32_t endpoint = 0; endpoint < pattern->endpoints; endpoint++)
        share[endpoint] += 0.5 / pattern->endpoints;
}

static const vef_pattern_kind half_opposite = {
    .name = "half-opposite",
    .summary = "half of the messages to the opposite endpoint, the rest to any",
    .schema = no_keys,
    .create = make_opposite,
    .destination = opposite,
    .shares = opposite_shares,
};

/* ---- the mapping: every NUMBER-th endpoint, and then those that are left ---- */

static vef_code spread(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    const uint64_t number = stage->number;
    if (number == 0 || number > view->endpoints)
        return vef_fail(error, VEF_INVALID, "expected a number from 1 to that of the endpoints");
    uint32_t task = 0;
    for (uint32_t first = 0; first < number; first++)
        for (uint64_t next = first; next < view->endpoints && task < view->tasks; next += number)
            endpoint[task++] = (uint32_t)next;
    return VEF_OK;
}

static const vef_mapping_family every = {
    .name = "every",
    .summary = "every NUMBER-th endpoint",
    .takes = VEF_MAPPING_SEED,
    .parameter = "number",
    .assign = spread,
};

/* ---- the object ---- */

const vef_plugin vef_plugin_rows = {
    .interface = VEF_PLUGIN_INTERFACE,
    .summary = "chordal rings",
    .topologies = (const vef_topology_family *const[]){&chordal_ring, NULL},
    .routings = (const vef_routing_algorithm *const[]){&hop_channels, NULL},
    .patterns = (const vef_pattern_kind *const[]){&half_opposite, NULL},
    .mappings = (const vef_mapping_family *const[]){&every, NULL},
};
