/* Dimension-order routing: a minimal record taken generator by generator, in ascending order.
 *
 * Dally and Seitz ("Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
 * 1987) for the order; Puente et al. ("The Adaptive Bubble Router", 2001) for rings under bubble
 * flow control, Dally and Seitz for rings under virtual channels. Paths are minimal. On diagonal
 * meshes and tori this is the routing of Stafford et al. ("Assessing the Suitability of King
 * Topologies for Interconnection Networks"), section 3.2: the records are those of its Algorithm 1,
 * drawn evenly among the shortest, and never have more than two components.
 *
 * Freedom from deadlock: the channels of a generator's direction form unidirectional rings where
 * they wrap, and a packet leaves a ring only for one of a later generator or for its endpoint, so
 * waiting between rings is acyclic. Within a ring of one virtual channel, bubble flow control keeps
 * a place free: entering it (from injection, another ring or another channel) needs two. This holds
 * for any generators, diagonal ones too. A direction that does not wrap is a line and needs
 * nothing. With several channels a packet may take any of them at every hop; changing channel
 * enters a ring. It suffices that it can go on in its channel, and enter channel 0 of the next
 * ring.
 *
 * Under router.flow_control: virtual-channels a link of a network with wraps has twice the channels
 * asked for: the first half is of class 0, the second of class 1 (rings.h has the proof that
 * waiting along a ring has no cycle). One place is enough everywhere.
 *
 * With ties: alternate all packets to a destination prefer records in one order, which sums keep.
 * So the rest of a packet's record is the record of a packet from there: the next router depends on
 * the router and the destination alone. In a ring of even size every second destination at half its
 * length is reached by +, and all links of uniform traffic have equal loads.
 *
 * Example: on a torus of 8 by 8 a packet goes from (6, 1) to (1, 2): x+ three times, then y+ once.
 * With one channel of each class its first two hops, up to the wrap, are on channel 1, and the
 * others on channel 0. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/lattice/record.h"

typedef struct parameters {
    int64_t channels;
    int ties;
} parameters;

enum { DRAWN, ALTERNATE };

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1, .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels per link; with flow_control virtual-channels and wraps, twice as "
             "many"},
    {VEF_KEY(CHOICE, parameters, ties), .fallback = "drawn",
     .choices = VEF_LIST([DRAWN] = "drawn", [ALTERNATE] = "alternate"),
     .help = "which of several shortest records: drawn, or by destination, so that static routes "
             "can do it: the last in lexicographic order if its coordinates have an even sum, else "
             "the first"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    vef_rings *rings = vef_rings_create(routing);
    if (routing->unrolled && given->ties != DRAWN)
        return vef_fail(error, VEF_UNSUPPORTED, "ties that depend on the destination");
    vef_code code = vef_rings_check_unrolled(routing, given->channels, error);
    if (code == VEF_OK)
        code = vef_rings_set_channels(routing, rings, given->channels, 0, error);
    if (code != VEF_OK)
        return code;
    routing->state = rings;
    routing->most_candidates = (uint32_t)given->channels;
    vef_record_set_signatures(routing, rings);
    routing->uniform = vef_rings_are_uniform(rings) && given->ties == DRAWN;
    routing->least_queue_packets = vef_record_least_queue_packets(routing);
    vef_record_set_steps(routing);
    return VEF_OK;
}

/* Whether record a comes after b, another one, in lexicographic order. */
static bool comes_after(const int16_t *a, const int16_t *b) {
    while (*a == *b)
        a++, b++;
    return *a > *b;
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    const vef_lattice *lattice = routing->topology->lattice;
    const uint32_t generators = lattice->generators;
    uint32_t place[VEF_MAX_DIMENSIONS], sum = 0, best = 0;
    vef_minimal minimal;
    vef_lattice_minimal(lattice, travel->from, travel->to, &minimal);
    if (((const parameters *)routing->parameters)->ties == DRAWN) {
        best = vef_draw_below(draws, minimal.count);
    } else {
        vef_topology_coordinates(routing->topology, travel->to, place);
        for (uint32_t d = 0; d < lattice->dimensions; d++)
            sum += place[d];
        for (uint32_t r = 1; r < minimal.count; r++)
            if (comes_after(minimal.records + (size_t)r * generators,
                            minimal.records + (size_t)best * generators) == (sum % 2 == 0))
                best = r;
    }
    vef_record_take(lattice, &minimal, best, route);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    uint16_t port = vef_record_next(routing->topology->lattice, route);
    if (port == VEF_NO_DIRECTION)
        return 0;
    const vef_rings *rings = routing->state;
    const uint32_t channels = (uint32_t)((const parameters *)routing->parameters)->channels;
    const uint32_t class = vef_record_class(rings, route, place.router, port);
    return vef_record_offer(routing, place, port, class * channels, channels, offered);
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    const uint16_t port = vef_record_next(routing->topology->lattice, route);
    const uint32_t channels = (uint32_t)((const parameters *)routing->parameters)->channels;
    if (port == VEF_NO_DIRECTION)
        return 0; /* without candidates, in whatever queue */
    const uint32_t class = vef_record_class(routing->state, route, place.router, port);
    return vef_record_input(routing, place, port, class * channels, channels);
}

static vef_candidate escape(const vef_routing *routing, vef_place place, uint16_t port,
                            uint32_t hops) {
    const vef_rings *rings = routing->state;
    const uint32_t channels = (uint32_t)((const parameters *)routing->parameters)->channels;
    const uint8_t channel = (uint8_t)(vef_rings_class(rings, place.router, port, hops) * channels);
    return vef_record_escape(routing, place, port, channel);
}

static uint8_t fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                    uint16_t port, uint8_t name) {
    return vef_rings_fold(routing->state, unrolled->state, 0, unrolled, router, port, name);
}

static const vef_straight straight = {vef_record_may_turn, escape};

const vef_routing_algorithm vef_routing_dor = {
    .name = "dor",
    .aliases = "dimension-order xy xyz e-cube deterministic",
    .summary = "dimension order, deterministic but for ties of distance",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_record_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = input,
    .signature = vef_record_signature,
    .advance = vef_record_advance,
    .fold = fold,
    .straight = &straight,
};
