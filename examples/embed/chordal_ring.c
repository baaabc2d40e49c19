/* A plug-in: chordal rings, a routing for any network, a traffic pattern and a mapping.
 *
 *     cc -shared -fPIC chordal_ring.c $(pkg-config --cflags vef) -o chordal_ring.so
 *     vef topology --plugin chordal_ring.so '{plugins: [chordal_ring.so], topology: {family:
 * chordal-ring, routers: 16, chord: 5}}'
 *
 * Chordal rings: Arden, Lee, "Analysis of chordal ring network", IEEE Transactions on Computers
 * C-30(4), 1981. An even number of routers in a ring; even router r has a chord to router r + c, c
 * odd.
 */
#include <stdio.h>
#include <string.h>
#include <vef/plugin.h>

static int refuse(vef_plugin_context *context, const char *reason) {
    snprintf(context->error, sizeof context->error, "%s", reason);
    return 1;
}

/* ---- the topology ---- */

typedef struct ring {
    uint32_t routers, chord;
} ring;

static const vef_plugin_parameter ring_parameters[] = {
    {"routers", VEF_PLUGIN_INTEGER, NULL, 4, 1 << 20, "an even number"},
    {"chord", VEF_PLUGIN_INTEGER, "3", 3, 1 << 20, "length of a chord: odd, less than routers"},
    {NULL, 0, NULL, 0, 0, NULL},
};

static int make_ring(vef_plugin_context *context, const vef_plugin_value *values,
                     vef_plugin_shape *shape, void **self) {
    const int64_t routers = values[0].integer, chord = values[1].integer;
    if (routers % 2 != 0)
        return refuse(context, "routers: expected an even number");
    if (chord % 2 == 0 || chord >= routers - 1)
        return refuse(context, "chord: expected an odd number less than routers - 1");
    ring *made = context->allocate(context, sizeof *made);
    if (!made)
        return refuse(context, "no memory");
    *made = (ring){(uint32_t)routers, (uint32_t)chord};
    shape->routers = made->routers;
    shape->ports = 3;
    *self = made;
    return 0;
}

enum { FORWARD, BACK, CHORD };

static uint32_t ring_neighbour(const void *self, uint32_t router, uint32_t port,
                               uint32_t *other_port) {
    const ring *of = self;
    const uint32_t steps[] = {1, of->routers - 1,
                              router % 2 == 0 ? of->chord : of->routers - of->chord};
    static const uint32_t opposite[] = {BACK, FORWARD, CHORD};
    *other_port = opposite[port];
    return (router + steps[port]) % of->routers;
}

static void ring_port_name(const void *self, uint32_t port, char *text, size_t text_bytes) {
    static const char *const names[] = {"forward", "back", "chord"};
    (void)self;
    snprintf(text, text_bytes, "%s", names[port]);
}

static const vef_plugin_topology chordal_ring = {
    "chordal-ring",  "a ring with chords of one length (Arden, Lee 1981)",
    ring_parameters, make_ring,
    ring_neighbour,  ring_port_name,
};

/* ---- the routing ----
 *
 * Every shortest path; the virtual channel is the number of the hop. Channels rise along every
 * path, so no cycle of waiting packets can form (Gopal 1985). Bound: the diameter, which is the
 * number of channels.
 */

typedef struct hops {
    const vef_plugin_graph *graph;
    uint8_t *distance; /* [from * routers + to] */
    uint32_t diameter;
} hops;

enum { DESTINATION, HOP = 2, WORDS }; /* of a route; the destination takes two */

/* Distances from all routers to one, by breadth-first search. */
static int search(hops *of, uint32_t to, uint32_t *queue) {
    const vef_plugin_graph *graph = of->graph;
    uint8_t *distance = of->distance + (size_t)to * graph->routers;
    memset(distance, UINT8_MAX, graph->routers);
    distance[to] = 0;
    uint32_t end = 1;
    queue[0] = to;
    for (uint32_t at = 0; at < end; at++)
        for (uint32_t port = 0; port < graph->ports; port++) {
            const uint32_t other = graph->neighbour[(size_t)queue[at] * graph->ports + port];
            if (other == VEF_PLUGIN_NONE || distance[other] != UINT8_MAX)
                continue;
            distance[other] = (uint8_t)(distance[queue[at]] + 1);
            queue[end++] = other;
        }
    const uint32_t farthest = distance[queue[end - 1]];
    of->diameter = farthest > of->diameter ? farthest : of->diameter;
    return end == graph->routers && of->diameter <= 64;
}

static int make_hops(vef_plugin_context *context, const vef_plugin_graph *graph,
                     const vef_plugin_value *values, vef_plugin_channels *channels, void **self) {
    (void)values;
    hops *made = context->allocate(context, sizeof *made);
    uint32_t *queue = context->allocate(context, graph->routers * sizeof *queue);
    if (!made || !queue)
        return refuse(context, "no memory");
    made->graph = graph;
    made->distance = context->allocate(context, (size_t)graph->routers * graph->routers);
    if (!made->distance)
        return refuse(context, "no memory");
    for (uint32_t to = 0; to < graph->routers; to++)
        if (!search(made, to, queue))
            return refuse(context, "expected a connected network of at most 64 hops");
    channels->channels = made->diameter;
    channels->most_candidates = graph->ports;
    channels->route_words = WORDS;
    *self = made;
    return 0;
}

static void begin(const void *self, const vef_plugin_travel *travel, vef_plugin_draws *draws,
                  int16_t *route) {
    (void)self;
    (void)draws;
    memcpy(&route[DESTINATION], &travel->to, sizeof travel->to);
}

static uint32_t candidates(const void *self, const int16_t *route, vef_plugin_place place,
                           vef_plugin_candidate *offered) {
    const hops *of = self;
    uint32_t to, count = 0;
    memcpy(&to, &route[DESTINATION], sizeof to);
    const uint8_t *distance = of->distance + (size_t)to * of->graph->routers;
    for (uint32_t port = 0; port < of->graph->ports; port++) {
        const uint32_t other = of->graph->neighbour[(size_t)place.router * of->graph->ports + port];
        if (other != VEF_PLUGIN_NONE && distance[other] < distance[place.router])
            offered[count++] = (vef_plugin_candidate){
                .port = (uint16_t)port, .channel = (uint8_t)route[HOP], .escape = 1};
    }
    return count;
}

static void advance(const void *self, int16_t *route, vef_plugin_place place, uint16_t port,
                    uint8_t channel) {
    (void)self;
    (void)place;
    (void)port;
    (void)channel;
    route[HOP]++;
}

static const vef_plugin_routing hop_channels = {
    "hop-channels", "every shortest path, a virtual channel for each hop",
    NULL,           make_hops,
    begin,          candidates,
    advance,
};

/* ---- the pattern: half of the messages to the opposite endpoint, the rest anywhere ---- */

static int make_opposite(vef_plugin_context *context, const vef_plugin_graph *graph,
                         const vef_plugin_value *values, void **self) {
    (void)context;
    (void)values;
    *self = (void *)graph;
    return 0;
}

static uint32_t opposite(const void *self, uint32_t source, vef_plugin_draws *draws) {
    const vef_plugin_graph *graph = self;
    if (draws->below(draws, 2) == 0)
        return (source + graph->endpoints / 2) % graph->endpoints;
    return draws->below(draws, graph->endpoints);
}

static void opposite_shares(const void *self, uint32_t source, double *share) {
    const vef_plugin_graph *graph = self;
    share[(source + graph->endpoints / 2) % graph->endpoints] += 0.5;
    for (uint32_t endpoint = 0; endpoint < graph->endpoints; endpoint++)
        share[endpoint] += 0.5 / graph->endpoints;
}

static const vef_plugin_pattern half_opposite = {
    "half-opposite",
    "half of the messages to the opposite endpoint, the rest to any",
    NULL,
    make_opposite,
    opposite,
    opposite_shares,
};

/* ---- the mapping: every NUMBER-th endpoint, and then those that are left ---- */

static int spread(vef_plugin_context *context, const vef_plugin_graph *graph, uint64_t number,
                  uint32_t tasks, const vef_plugin_traffic *traffic, size_t traffic_count,
                  uint32_t *endpoint) {
    (void)traffic;
    (void)traffic_count;
    if (number == 0 || number > graph->endpoints)
        return refuse(context, "expected a number from 1 to that of the endpoints");
    uint32_t task = 0;
    for (uint32_t first = 0; first < number; first++)
        for (uint64_t at = first; at < graph->endpoints && task < tasks; at += number)
            endpoint[task++] = (uint32_t)at;
    return 0;
}

static const vef_plugin_mapping every = {"every", "every NUMBER-th endpoint", 0, spread};

/* ---- the object ---- */

static const vef_plugin_topology *const topologies[] = {&chordal_ring, NULL};
static const vef_plugin_routing *const routings[] = {&hop_channels, NULL};
static const vef_plugin_pattern *const patterns[] = {&half_opposite, NULL};
static const vef_plugin_mapping *const mappings[] = {&every, NULL};

const vef_plugin *vef_plugin_entry(void) {
    static const vef_plugin plugin = {
        VEF_PLUGIN_INTERFACE, "chordal rings", topologies, routings, patterns, mappings,
    };
    return &plugin;
}
