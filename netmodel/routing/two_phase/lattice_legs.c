/* Legs on lattice networks: dimension order along a minimal record, drawn among equals.
 *
 * Freedom from deadlock: that of dimension order (lattice/dimension_order.c) in each phase. Per
 * link: 2 x `channels` under bubble flow control and where nothing wraps, 4 x under virtual
 * channels with wraps (datelines, rings.h). Entering a ring needs two places under bubble, in the
 * second phase too. Dimension order goes the last hop of a leg whatever the hops before (vef_legs).
 */
#include "netmodel/routing/lattice/record.h"
#include "netmodel/routing/two_phase/two_phase.h"

typedef struct lattice_legs {
    const vef_rings *rings;
    uint32_t channels; /* of each phase and class */
} lattice_legs;

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *parameters, vef_error *error) {
    vef_code code = vef_record_supports(topology, flow_control, parameters, error);
    if (code == VEF_OK && topology->lattice->generators > VEF_TWO_PHASE_LEG_WORDS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the topology has %u generators: out of range: a packet's route holds at "
                        "most %d beside the destination",
                        topology->lattice->generators, VEF_TWO_PHASE_LEG_WORDS);
    return code;
}

static vef_code create(vef_routing *routing, const vef_two_phase_request *request,
                       vef_two_phase *two_phase, vef_error *error) {
    const int64_t channels = request->channels;
    lattice_legs *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    const vef_rings *rings = vef_rings_create(routing);
    vef_code code = vef_rings_check_unrolled(routing, channels, error);
    if (code == VEF_OK)
        code = vef_rings_set_channels(routing, rings, 2 * channels, 0, error);
    if (code != VEF_OK)
        return code;
    *made = (lattice_legs){rings, (uint32_t)channels};
    two_phase->legs = made;
    two_phase->leg_words = routing->topology->lattice->generators;
    routing->most_candidates = (uint32_t)channels;
    vef_record_set_signatures(routing, rings);
    routing->signatures *= 2;
    routing->uniform = vef_rings_are_uniform(rings);
    routing->least_queue_packets = vef_record_least_queue_packets(routing);
    return VEF_OK;
}

static const lattice_legs *legs_of(const vef_routing *routing) {
    return ((const vef_two_phase *)routing->state)->legs;
}

static uint32_t variants(const vef_routing *routing, uint32_t from, uint32_t to) {
    vef_minimal minimal;
    vef_lattice_minimal(routing->topology->lattice, from, to, &minimal);
    return minimal.count;
}

static void begin(const vef_routing *routing, uint32_t from, uint32_t to, uint32_t variant,
                  vef_route *route) {
    const vef_lattice *lattice = routing->topology->lattice;
    vef_minimal minimal;
    vef_lattice_minimal(lattice, from, to, &minimal);
    vef_record_take(lattice, &minimal, variant, route);
}

static bool ended(const vef_routing *routing, const vef_route *route, uint32_t router) {
    (void)router;
    return vef_record_next(routing->topology->lattice, route) == VEF_NO_DIRECTION;
}

/* The first of the channels of this phase and class for the next hop. */
static uint32_t first_channel(const lattice_legs *legs, uint32_t phase, const vef_route *route,
                              uint32_t router, uint16_t port) {
    const uint32_t class =
        phase * legs->rings->classes + vef_record_class(legs->rings, route, router, port);
    return class * legs->channels;
}

static uint32_t offer(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place, vef_candidate *offered) {
    const uint16_t port = vef_record_next(routing->topology->lattice, route);
    if (port == VEF_NO_DIRECTION)
        return 0;
    const lattice_legs *legs = legs_of(routing);
    return vef_record_offer(routing, place, port,
                            first_channel(legs, phase, route, place.router, port), legs->channels,
                            offered);
}

static uint32_t input(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place) {
    const uint16_t port = vef_record_next(routing->topology->lattice, route);
    const lattice_legs *legs = legs_of(routing);
    if (port == VEF_NO_DIRECTION)
        return 0; /* without candidates, in whatever queue */
    return vef_record_input(routing, place, port,
                            first_channel(legs, phase, route, place.router, port), legs->channels);
}

static uint8_t fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                    uint16_t port, uint8_t name) {
    return vef_rings_fold(legs_of(routing)->rings, legs_of(unrolled)->rings, 0, unrolled, router,
                          port, name);
}

const vef_leg_kind vef_leg_kind_lattice = {
    .name = "dimension order",
    .supports = supports,
    .create = create,
    .variants = variants,
    .begin = begin,
    .ended = ended,
    .offer = offer,
    .input = input,
    .advance = vef_record_advance,
    .signature = vef_record_signature,
    .fold = fold,
};
