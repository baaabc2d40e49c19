/* Adaptive routing on interlaced bypass tori: every shortest path, over an escape channel on the
 * rings of the torus.
 *
 * Zhang, Powell, Deng ("Interlacing Bypass Rings to Torus Networks for More Efficient Networks")
 * give distances (section 3) and leave routing open. Here channels 1 and up may be taken along
 * every shortest path, bypasses included; the distances are a table, or where that would be large
 * the closed form of their section 3 (hops.h). When none is free, the escape channel 0 leads along
 * the torus links alone: dimension order, the shorter way round (+ on ties), under bubble flow
 * control as in adaptive.c. A packet that took the escape stays in it.
 *
 * Bound: the hops to the destination, while it stays out of the escape; from where it enters it,
 * the distance in the torus. Channels: two or more. Freedom from deadlock (Duato): the escape alone
 * is dimension order with bubbles on the unidirectional rings of a torus, and every packet may take
 * it from any position. Where every hop must be minimal, `minimal` does with one channel for each
 * hop. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/shortest_paths.h"
#include "netmodel/topology/families.h"

typedef struct parameters {
    int64_t adaptive_channels;
} parameters;

enum { ESCAPE_CHANNEL = 0 };

static const vef_param schema[] = {
    VEF_TOWARDS_ADAPTIVE_CHANNELS(parameters),
    {.key = NULL},
};

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    (void)given;
    if (!vef_topology_is(topology, &vef_topology_ibt))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "its escape channel follows the torus of an interlaced bypass torus: "
                        "expected topology %s, not %s",
                        vef_topology_ibt.name, topology->family->name);
    if (flow_control != VEF_FLOW_BUBBLE)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "router.flow_control virtual-channels: not supported, the rings of its "
                        "escape channel need bubbles: expected router.flow_control: bubble, or "
                        "routing minimal, minimal-adaptive or up-down");
    return VEF_OK;
}

static vef_code create(vef_routing *routing, vef_error *error) {
    vef_shortest_paths *paths = NULL;
    vef_code code = vef_shortest_paths_create(routing, &paths, error);
    if (code != VEF_OK)
        return code;
    routing->channels = (uint32_t)((const parameters *)routing->parameters)->adaptive_channels + 1;
    routing->most_candidates = vef_shortest_paths_most(paths, routing->channels - 1) + 1;
    routing->least_queue_packets = 2;
    routing->uniform = true;
    return vef_shortest_paths_check_candidates(routing, error);
}

/* The port of the torus in dimension order; the packet is not at its destination. */
static uint16_t escape_port(const vef_topology *topology, uint32_t from, uint32_t to) {
    uint32_t d = 0, size = topology->sizes[0];
    while (from % size == to % size) {
        from /= size;
        to /= size;
        size = topology->sizes[++d];
    }
    const uint32_t ahead = (to % size + size - from % size) % size;
    /* A dimension of two routers has one link, which is ahead in any case. */
    return (uint16_t)(2 * d + (2 * ahead > size));
}

/* The free word of the route says whether the packet took the escape. */
static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_topology *topology = routing->topology;
    const vef_shortest_paths *paths = routing->state;
    const uint32_t target = vef_shortest_paths_target(route), to = paths->hops.target[target];
    const bool escaped = route->words[VEF_SHORTEST_PATHS_WORD] != 0;
    if (place.router == to)
        return 0;
    uint32_t count = 0;
    if (!escaped)
        count = vef_shortest_paths_offer(paths, target, place.router, 1, routing->channels, false,
                                         offered);
    const uint16_t port = escape_port(topology, place.router, to);
    /* On a ring of two routers no packet goes on: each hop enters it. */
    const bool goes_on = escaped && place.in_port == (port ^ 1);
    offered[count++] = (vef_candidate){
        .port = port,
        .channel = ESCAPE_CHANNEL,
        .preference = 1,
        .slots_needed = goes_on ? 1 : 2,
        .escape = true,
    };
    return count;
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    (void)routing;
    const bool escaped = route->words[VEF_SHORTEST_PATHS_WORD] != 0;
    return escaped ? vef_routing_own_input(place) : 0;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)routing, (void)place, (void)port;
    if (channel == ESCAPE_CHANNEL)
        route->words[VEF_SHORTEST_PATHS_WORD] = 1;
}

const vef_routing_algorithm vef_routing_ibt = {
    .name = "ibt",
    .summary = "every shortest path of an ibt, over an escape channel along its torus",
    VEF_PARAMETERS(schema, parameters),
    .supports = supports,
    .create = create,
    .begin = vef_shortest_paths_begin,
    .candidates = candidates,
    .input = input,
    .advance = advance,
};
