/* Valiant's routing: minimally to a router drawn at random, from there minimally to the
 * destination.
 *
 * Valiant and Brebner ("Universal Schemes for Parallel Communication", 1981): whatever the pattern
 * of traffic, each half of the way sees uniform traffic, for ways of up to twice the diameter
 * (twice the average distance on average, a little less where the destination is met on the way to
 * the router drawn: the packet leaves the network there). The router is drawn uniformly among all,
 * the source and the destination too; among equal minimal records of each half, one is drawn.
 *
 * Freedom from deadlock: either half goes in dimension order (dimension_order.c) on channels of its
 * own, so waiting goes from those of the first half to those of the second and never back. Per
 * link: 2 x `channels` under bubble flow control and where nothing wraps, 4 x under virtual
 * channels with wraps (datelines, rings.h). Entering a ring needs two places under bubble, on the
 * second half too.
 *
 * Example: on a mesh of 4 by 4 a packet from (0, 0) to (1, 0), with (2, 1) drawn, goes x+, and has
 * arrived; with (0, 2) drawn it goes y+, y+ on channel 0, then x+, y-, y- on channel 1. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/record.h"

#include <assert.h>
#include <string.h>

typedef struct parameters {
    int64_t channels;
} parameters;

/* Words of the route: the record of this half; which of the minimal records the second half takes,
 * or LAST_HALF while on it; and the destination. */
enum {
    MOST_GENERATORS = VEF_ROUTE_WORDS - 3,
    CHOICE_WORD = MOST_GENERATORS,
    DESTINATION_WORD,
    LAST_HALF = -1,
};

static const vef_param schema[] = {
    {.key = "channels",
     .kind = VEF_PARAM_INT,
     .offset = offsetof(parameters, channels),
     .fallback = "1",
     .minimum = 1,
     .maximum = VEF_MAX_CHANNELS / 2,
     .help = "virtual channels per link for each half of the way; with flow_control "
             "virtual-channels and wraps, twice as many"},
    {.key = NULL},
};

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    (void)flow_control;
    (void)given;
    vef_code code = vef_record_supports(topology, error);
    if (code == VEF_OK && topology->lattice->generators > MOST_GENERATORS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the topology has %u generators; with the destination a packet's route "
                        "holds at most %d",
                        topology->lattice->generators, MOST_GENERATORS);
    return code;
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    vef_rings *rings;
    vef_code code = vef_rings_create(routing, &rings, error);
    if (code == VEF_OK)
        code = vef_rings_set_channels(routing, rings, 2 * given->channels, 0, error);
    if (code != VEF_OK)
        return code;
    routing->state = rings;
    routing->most_candidates = (uint32_t)given->channels;
    vef_record_set_signatures(routing, rings);
    routing->signatures *= 2;
    routing->least_queue_packets = vef_record_least_queue_packets(routing);
    return VEF_OK;
}

static uint32_t destination_of(const vef_route *route) {
    uint32_t destination;
    memcpy(&destination, &route->words[DESTINATION_WORD], sizeof destination);
    return destination;
}

static bool at_its_end(const vef_lattice *lattice, const vef_route *route) {
    return vef_record_next(lattice, route) == VEF_NO_DIRECTION;
}

static void begin_last_half(const vef_lattice *lattice, uint32_t router, vef_route *route) {
    vef_minimal minimal;
    vef_lattice_minimal(lattice, router, destination_of(route), &minimal);
    vef_record_take(lattice, &minimal, (uint16_t)route->words[CHOICE_WORD], route);
    route->words[CHOICE_WORD] = LAST_HALF;
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    const vef_topology *topology = routing->topology;
    const vef_lattice *lattice = topology->lattice;
    memset(route, 0, sizeof *route);
    memcpy(&route->words[DESTINATION_WORD], &travel->to, sizeof travel->to);
    route->words[CHOICE_WORD] = LAST_HALF;
    if (travel->from == travel->to)
        return;
    const uint32_t middle = vef_draw_below(draws, topology->routers);
    vef_minimal minimal;
    vef_lattice_minimal(lattice, travel->from, middle, &minimal);
    vef_record_take(lattice, &minimal, vef_draw_below(draws, minimal.count), route);
    vef_lattice_minimal(lattice, middle, travel->to, &minimal);
    assert(minimal.count <= INT16_MAX);
    route->words[CHOICE_WORD] = (int16_t)vef_draw_below(draws, minimal.count);
    if (middle == travel->from)
        begin_last_half(lattice, middle, route);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const uint16_t port = vef_record_next(routing->topology->lattice, route);
    if (port == VEF_NO_DIRECTION)
        return 0;
    const vef_rings *rings = routing->state;
    const uint32_t channels = (uint32_t)((const parameters *)routing->parameters)->channels;
    const uint32_t half = route->words[CHOICE_WORD] == LAST_HALF;
    const uint32_t class =
        half * rings->classes + vef_record_class(rings, route, place.router, port);
    return vef_record_offer(routing, place, port, class * channels, channels, offered);
}

static uint32_t signature(const vef_routing *routing, const vef_route *route) {
    return 2 * vef_record_signature(routing, route) + (route->words[CHOICE_WORD] == LAST_HALF);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    const vef_topology *topology = routing->topology;
    const vef_lattice *lattice = topology->lattice;
    vef_record_advance(routing, route, place, port, channel);
    if (route->words[CHOICE_WORD] == LAST_HALF)
        return;
    const uint32_t next = topology->neighbour[(size_t)place.router * topology->ports + port];
    if (next == destination_of(route)) {
        memset(route->words, 0, MOST_GENERATORS * sizeof route->words[0]);
        route->words[CHOICE_WORD] = LAST_HALF;
    } else if (at_its_end(lattice, route)) {
        begin_last_half(lattice, next, route);
    }
}

const vef_routing_algorithm vef_routing_valiant = {
    .name = "valiant",
    .aliases = "vlb",
    .summary = "dimension order to a router drawn at random, then to the destination",
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .supports = supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .signature = signature,
    .advance = advance,
};
