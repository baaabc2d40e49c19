/* Routing by record on lattice networks. See record.h. */
#include "netmodel/routing/lattice/record.h"

static bool any_wrap(const vef_lattice *lattice) {
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        if (lattice->wraps[d])
            return true;
    return false;
}

static vef_code fail_no_lattice(const char *family, vef_error *error) {
    char list[256] = "";
    for (size_t i = 0; vef_topology_families[i]; i++)
        if (vef_topology_families[i]->lattice)
            vef_append(list, sizeof list, "%s%s", *list ? ", " : "",
                       vef_topology_families[i]->name);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "it needs coordinate differences, which topology %s does not have: expected a "
                    "lattice network (%s)",
                    family, list);
}

vef_code vef_record_supports(const vef_topology *topology, vef_flow_control flow_control,
                             const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    const vef_lattice *lattice = topology->lattice;
    const char *family = topology->family->name;
    if (!lattice)
        return fail_no_lattice(family, error);
    if (!lattice->first)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "a mesh with these generators has no table of minimal routes: expected "
                        "wraps in every dimension and the unit vectors, or two dimensions with the "
                        "unit vectors and one of (1,1) and (-1,1)");
    if (!lattice->any_order)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "minimal routes of topology %s can leave the mesh when their steps are taken in the "
            "order of generators: expected wraps in every dimension (king-torus), or a mesh with "
            "at most one kind of diagonal links (mesh, diagonal-mesh); for a king mesh, routing "
            "hop-by-hop-2s, hop-by-hop, knaive or eknaive",
            family);
    if (lattice->generators > VEF_ROUTE_WORDS)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "the topology has %u generators: out of range: a packet's route holds at most %d",
            lattice->generators, VEF_ROUTE_WORDS);
    return VEF_OK;
}

void vef_record_take(const vef_lattice *lattice, const vef_minimal *minimal, uint32_t which,
                     vef_route *route) {
    const int16_t *record = minimal->records + (size_t)which * lattice->generators;
    for (uint32_t g = 0; g < lattice->generators; g++)
        route->words[g] = (int16_t)(record[g] + minimal->straight[g]);
}

void vef_record_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                      vef_route *route) {
    const vef_lattice *lattice = routing->topology->lattice;
    vef_minimal minimal;
    vef_lattice_minimal(lattice, travel->from, travel->to, &minimal);
    vef_record_take(lattice, &minimal, vef_draw_below(draws, minimal.count), route);
}

void vef_record_advance(const vef_routing *routing, vef_route *route, vef_place place,
                        uint16_t port, uint8_t channel) {
    (void)routing, (void)place, (void)channel;
    int16_t *left = &route->words[port / 2];
    *left = (int16_t)(*left + (port % 2 == 0 ? -1 : 1));
}

static bool goes_on(vef_place place, uint16_t port, uint32_t first, uint32_t channels) {
    return place.in_port == (port ^ 1) && place.in_channel >= first &&
           place.in_channel < first + channels;
}

uint32_t vef_record_input(const vef_routing *routing, vef_place place, uint16_t port,
                          uint32_t first, uint32_t channels) {
    /* With one channel only the places needed to enter a ring depend on where the packet is. */
    if (!goes_on(place, port, first, channels) ||
        (channels == 1 && !vef_record_is_ring(routing, port)))
        return 0;
    return 1 + place.in_channel - first;
}

uint32_t vef_record_offer(const vef_routing *routing, vef_place place, uint16_t port,
                          uint32_t first, uint32_t channels, vef_candidate *offered) {
    const uint32_t escape = goes_on(place, port, first, channels) ? place.in_channel : first;
    for (uint32_t c = 0; c < channels; c++) {
        const uint8_t channel = (uint8_t)(first + c);
        offered[c] = (vef_candidate){
            .port = port,
            .channel = channel,
            .slots_needed = vef_record_places(routing, place, port, channel),
            .escape = channel == escape,
        };
    }
    return channels;
}

bool vef_record_may_turn(const vef_routing *routing, uint16_t along, uint16_t port) {
    (void)routing;
    return port / 2 > along / 2;
}

void vef_record_set_signatures(vef_routing *routing, const vef_rings *rings) {
    enum { MOST_GENERATORS = 12 };
    routing->signatures = 0;
    if (rings->classes > 1 || routing->topology->lattice->generators > MOST_GENERATORS)
        return;
    routing->signatures = 1;
    for (uint32_t g = 0; g < routing->topology->lattice->generators; g++)
        routing->signatures *= 3;
}

void vef_record_set_steps(vef_routing *routing) {
    const uint32_t generators = routing->topology->lattice->generators;
    vef_route_step *steps = vef_arena_alloc(&routing->arena, 2 * (size_t)generators, sizeof *steps);
    uint32_t digit = 1; /* of vef_record_signature, whose last one is the last generator's */
    for (uint32_t g = generators; g-- > 0; digit *= 3) {
        const uint16_t word = (uint16_t)g;
        steps[2 * g] = (vef_route_step){word, -1, (uint16_t)digit};
        steps[2 * g + 1] = (vef_route_step){word, 1, (uint16_t)(2 * digit)};
    }
    routing->steps = steps;
    routing->route_words = generators;
}

uint32_t vef_record_signature(const vef_routing *routing, const vef_route *route) {
    uint32_t signature = 0;
    for (uint32_t g = 0; g < routing->topology->lattice->generators; g++) {
        int left = route->words[g];
        signature = signature * 3 + (left > 0) + 2u * (left < 0);
    }
    return signature;
}

uint32_t vef_record_least_queue_packets(const vef_routing *routing) {
    bool rings = routing->flow_control == VEF_FLOW_BUBBLE && any_wrap(routing->topology->lattice);
    return rings ? 2 : 1;
}
