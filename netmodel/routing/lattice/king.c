/* Common functions of routings on king networks. See king.h. */
#include "netmodel/routing/lattice/king.h"

#include "netmodel/routing/lattice/record.h"

const int32_t vef_king_step[VEF_KING_DIRECTIONS][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};

/* Finds the port of each direction; false if the generators differ. */
static bool find_ports(const vef_lattice *lattice, uint16_t port[VEF_KING_DIRECTIONS][2]) {
    bool found[VEF_KING_DIRECTIONS] = {false};
    if (lattice->dimensions != 2 || lattice->generators != VEF_KING_DIRECTIONS ||
        lattice->wraps[0] != lattice->wraps[1] || lattice->shifts[1][0] != 0)
        return false;
    for (uint32_t g = 0; g < lattice->generators; g++)
        for (int d = 0; d < VEF_KING_DIRECTIONS; d++)
            for (int32_t minus = 0; minus < 2; minus++) {
                const int32_t sign = minus ? -1 : 1;
                if (found[d] || lattice->generator[g][0] != sign * vef_king_step[d][0] ||
                    lattice->generator[g][1] != sign * vef_king_step[d][1])
                    continue;
                found[d] = true;
                port[d][0] = (uint16_t)(2 * g + (uint32_t)minus);
                port[d][1] = port[d][0] ^ 1;
            }
    return found[VEF_KING_X] && found[VEF_KING_Y] && found[VEF_KING_Z] && found[VEF_KING_T];
}

vef_code vef_king_supports(const vef_topology *topology, vef_flow_control flow_control,
                           const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    uint16_t port[VEF_KING_DIRECTIONS][2];
    const vef_lattice *lattice = topology->lattice;
    if (!lattice || !find_ports(lattice, port))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "it uses both diagonals of a grid: expected king-mesh, king-torus or a "
                        "lattice of their generators, not topology %s",
                        topology->family->name);
    for (uint32_t d = 0; d < 2; d++)
        if (lattice->sizes[d] > INT16_MAX)
            return vef_fail(
                error, VEF_UNSUPPORTED,
                "dimension %u has size %d: out of range: a packet's route holds at most %d", d,
                lattice->sizes[d], INT16_MAX);
    return VEF_OK;
}

vef_code vef_king_create(vef_routing *routing, uint32_t adaptive_ports, vef_error *error) {
    const vef_lattice *lattice = routing->topology->lattice;
    const vef_king_parameters *given = routing->parameters;
    vef_king *king = vef_arena_alloc(&routing->arena, 1, sizeof *king);
    *king = (vef_king){.topology = routing->topology,
                       .wraps = lattice->all_wrap,
                       .sizes = {lattice->sizes[0], lattice->sizes[1]}};
    find_ports(lattice, king->port);
    routing->state = king;
    king->rings = vef_rings_create(routing);
    vef_code code =
        vef_rings_set_channels(routing, king->rings, 1, given->adaptive_channels, error);
    if (code != VEF_OK)
        return code;
    routing->most_candidates = adaptive_ports * (uint32_t)given->adaptive_channels + 1;
    routing->route_words = VEF_KING_DIRECTIONS;
    routing->least_queue_packets = vef_record_least_queue_packets(routing);
    return VEF_OK;
}

uint32_t vef_king_offer(const vef_routing *routing, uint16_t port, uint8_t preference,
                        vef_candidate *offered) {
    const vef_king *king = routing->state;
    uint32_t count = 0;
    for (uint32_t c = king->rings->classes; c < routing->channels; c++)
        offered[count++] = (vef_candidate){
            .port = port, .channel = (uint8_t)c, .preference = preference, .slots_needed = 1};
    return count;
}

uint32_t vef_king_offer_escape(const vef_routing *routing, vef_place place, uint16_t port,
                               uint32_t hops, uint8_t preference, vef_candidate *offered) {
    const vef_king *king = routing->state;
    const uint8_t channel = (uint8_t)vef_rings_class(king->rings, place.router, port, hops);
    offered[0] = (vef_candidate){
        .port = port,
        .channel = channel,
        .preference = preference,
        .slots_needed = vef_record_places(routing, place, port, channel),
        .escape = true,
    };
    return 1;
}

uint32_t vef_king_input(const vef_routing *routing, const vef_route *route, vef_place place) {
    (void)route;
    const vef_king *king = routing->state;
    /* With bubbles, entering a ring needs more places than going on in it. */
    if (king->wraps && routing->flow_control == VEF_FLOW_BUBBLE)
        return vef_routing_own_input(place);
    return vef_king_is_adaptive(routing, place);
}

uint8_t vef_king_fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                      uint16_t port, uint8_t name) {
    const vef_king *king = routing->state, *names = unrolled->state;
    const vef_king_parameters *given = routing->parameters;
    return vef_rings_fold(king->rings, names->rings, (uint32_t)given->adaptive_channels, unrolled,
                          router, port, name);
}

void vef_king_difference(const vef_king *king, uint32_t from, uint32_t to, int32_t *difference) {
    const uint32_t width = (uint32_t)king->sizes[0];
    difference[0] = (int32_t)(to % width) - (int32_t)(from % width);
    difference[1] = (int32_t)(to / width) - (int32_t)(from / width);
    for (int d = 0; king->wraps && d < 2; d++)
        if (difference[d] < 0)
            difference[d] += king->sizes[d];
}

static bool is_diagonal(const vef_king *king, uint16_t port) {
    return port / 2 == king->port[VEF_KING_Z][0] / 2 || port / 2 == king->port[VEF_KING_T][0] / 2;
}

static bool may_turn(const vef_routing *routing, uint16_t along, uint16_t port) {
    return !is_diagonal(routing->state, along) && is_diagonal(routing->state, port);
}

static vef_candidate straight_escape(const vef_routing *routing, vef_place place, uint16_t port,
                                     uint32_t hops) {
    vef_candidate escape;
    vef_king_offer_escape(routing, place, port, hops, 0, &escape);
    return escape;
}

const vef_straight vef_king_straight = {may_turn, straight_escape};
