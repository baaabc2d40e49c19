/* Two-phase routes on lattice networks. See two_phase.h. */
#include "netmodel/routing/lattice/two_phase.h"

#include <assert.h>
#include <string.h>

/* Words of the route: the record of this phase; which of the minimal records the second phase
 * takes, or LAST_PHASE while in it; and the destination. */
enum {
    MOST_GENERATORS = VEF_ROUTE_WORDS - 3,
    CHOICE_WORD = MOST_GENERATORS,
    DESTINATION_WORD,
    LAST_PHASE = -1,
};

typedef struct two_phase {
    const vef_rings *rings;
    uint32_t channels; /* of each phase and class */
} two_phase;

vef_code vef_two_phase_supports(const vef_topology *topology, vef_flow_control flow_control,
                                const void *parameters, vef_error *error) {
    (void)flow_control;
    (void)parameters;
    vef_code code = vef_record_supports(topology, error);
    if (code == VEF_OK && topology->lattice->generators > MOST_GENERATORS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the topology has %u generators: out of range: a packet's route holds at "
                        "most %d beside the destination",
                        topology->lattice->generators, MOST_GENERATORS);
    return code;
}

vef_code vef_two_phase_create(vef_routing *routing, int64_t channels, vef_error *error) {
    two_phase *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    if (!made)
        return vef_fail_memory(error, "a routing's tables", sizeof *made);
    vef_rings *rings;
    vef_code code = vef_rings_check_unrolled(routing, channels, error);
    if (code == VEF_OK)
        code = vef_rings_create(routing, &rings, error);
    if (code == VEF_OK)
        code = vef_rings_set_channels(routing, rings, 2 * channels, 0, error);
    if (code != VEF_OK)
        return code;
    *made = (two_phase){rings, (uint32_t)channels};
    routing->state = made;
    routing->most_candidates = (uint32_t)channels;
    vef_record_set_signatures(routing, rings);
    routing->signatures *= 2;
    routing->uniform = vef_rings_are_uniform(rings);
    routing->least_queue_packets = vef_record_least_queue_packets(routing);
    return VEF_OK;
}

static bool in_last_phase(const vef_route *route) {
    return route->words[CHOICE_WORD] == LAST_PHASE;
}

static uint32_t destination_of(const vef_route *route) {
    uint32_t destination;
    memcpy(&destination, &route->words[DESTINATION_WORD], sizeof destination);
    return destination;
}

static void begin_last_phase(const vef_lattice *lattice, uint32_t router, vef_route *route) {
    vef_minimal minimal;
    vef_lattice_minimal(lattice, router, destination_of(route), &minimal);
    vef_record_take(lattice, &minimal, (uint16_t)route->words[CHOICE_WORD], route);
    route->words[CHOICE_WORD] = LAST_PHASE;
}

/* A route that has arrived at `to`. */
static void clear(vef_route *route, uint32_t to) {
    memset(route, 0, sizeof *route);
    memcpy(&route->words[DESTINATION_WORD], &to, sizeof to);
    route->words[CHOICE_WORD] = LAST_PHASE;
}

void vef_two_phase_begin_minimal(const vef_routing *routing, const vef_travel *travel,
                                 vef_draws *draws, vef_route *route) {
    clear(route, travel->to);
    vef_record_begin(routing, travel, draws, route);
}

void vef_two_phase_begin_over(const vef_routing *routing, const vef_travel *travel,
                              vef_draws *draws, vef_route *route) {
    const vef_topology *topology = routing->topology;
    const vef_lattice *lattice = topology->lattice;
    clear(route, travel->to);
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
        begin_last_phase(lattice, middle, route);
}

/* A first leg is a first phase whose packet is also bound for the router drawn: it does not pass
 * its destination before. */
static void begin_leg(const vef_routing *routing, const vef_travel *travel, uint32_t leg,
                      vef_draws *draws, vef_route *route) {
    vef_two_phase_begin_minimal(routing, travel, draws, route);
    if (leg == 0)
        route->words[CHOICE_WORD] = 0;
}

const vef_legs vef_two_phase_legs = {begin_leg};

/* The first of the channels of this phase and class for the next hop. */
static uint32_t first_channel(const two_phase *state, const vef_route *route, uint32_t router,
                              uint16_t port) {
    const uint32_t class = in_last_phase(route) * state->rings->classes +
                           vef_record_class(state->rings, route, router, port);
    return class * state->channels;
}

uint32_t vef_two_phase_candidates(const vef_routing *routing, const vef_route *route,
                                  vef_place place, vef_candidate *offered) {
    const uint16_t port = vef_record_next(routing->topology->lattice, route);
    if (port == VEF_NO_DIRECTION)
        return 0;
    const two_phase *state = routing->state;
    return vef_record_offer(routing, place, port, first_channel(state, route, place.router, port),
                            state->channels, offered);
}

uint32_t vef_two_phase_input(const vef_routing *routing, const vef_route *route, vef_place place) {
    const uint16_t port = vef_record_next(routing->topology->lattice, route);
    const two_phase *state = routing->state;
    return vef_record_input(routing, place, port, first_channel(state, route, place.router, port),
                            state->channels);
}

uint8_t vef_two_phase_fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                           uint16_t port, uint8_t name) {
    const two_phase *state = routing->state, *names = unrolled->state;
    return vef_rings_fold(state->rings, names->rings, 0, unrolled, router, port, name);
}

uint32_t vef_two_phase_signature(const vef_routing *routing, const vef_route *route) {
    return 2 * vef_record_signature(routing, route) + in_last_phase(route);
}

void vef_two_phase_advance(const vef_routing *routing, vef_route *route, vef_place place,
                           uint16_t port, uint8_t channel) {
    const vef_topology *topology = routing->topology;
    const vef_lattice *lattice = topology->lattice;
    vef_record_advance(routing, route, place, port, channel);
    if (in_last_phase(route))
        return;
    const uint32_t next = topology->neighbour[(size_t)place.router * topology->ports + port];
    if (next == destination_of(route))
        clear(route, next);
    else if (vef_record_next(lattice, route) == VEF_NO_DIRECTION)
        begin_last_phase(lattice, next, route);
}
