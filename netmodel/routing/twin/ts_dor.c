/* TS-DOR (twin source dimension order) on twin tori: ascending order from one card, descending from
 * the other, on separate channels.
 *
 * Andujar et al., paper on 5DT tori of EXTOLL cards, sections 3.1 and 3.2. Packets from the card of
 * dimension 0 (card 0 in the papers) take the dimensions in ascending order, those from the other
 * card in descending order, so each begins with the dimensions of its own card. In a tie in the
 * split dimension a packet takes the port on the source's card, otherwise +.
 *
 * Bound: as many external links as the distance of the nodes in the torus, and at most one crossing
 * per node on the path.
 *
 * Channels of every link: an upper and a lower one for packets from each card; four per traffic
 * class. (The paper uses an EXTOLL traffic class per card; four channels without such classes are
 * the thesis's outlook.) On external links, and where the inner link is part of a split ring: upper
 * if the destination's coordinate is greater, lower if it is smaller. For other crossings: upper
 * towards the card with the + port of the split dimension, lower towards the one with its - port
 * (the paper has - on card 0 and takes upper from card 0 to 1 and lower back; with the ports
 * swapped that leaves cycles). router.flow_control has no effect.
 *
 * Freedom from deadlock (section 3.2): on an upper channel of an inner link towards the card with
 * the + port, and on the following upper ones of the ring, packets that continue in that dimension
 * move to a greater coordinate and do not wrap. So a packet that waits there, and after the ring
 * requests such a channel for another reason, does so at a greater coordinate; on lower channels
 * towards the - port, at a smaller one; and neither order of dimensions leads back from one kind to
 * the other. This requires at most one split dimension, with the dimensions before it on one card
 * and those after it on the other.
 *
 * Example: in a 4 x 4 x 4 twin torus with x+, x-, y- on card 0, from card 1 of node (0, 0, 0) to
 * card 1 of (1, 1, 1): z+, y+, x+, and across, all upper (channel 2). DORT crosses three times:
 * to x+, to y+, and from there to z+. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/twin/twin.h"

enum { CHANNELS_OF_CLASS = 4, DESCENDING = 2, LOWER = 1 };

typedef struct parameters {
    int64_t traffic_classes;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, traffic_classes), .fallback = "1", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS / CHANNELS_OF_CLASS,
     .help = "number of message classes, with 4 virtual channels each"},
    {.key = NULL},
};

/* Whether dimensions before a split one, if any, are on one card and the others on the other. */
static bool in_halves(const vef_twin_torus *twin) {
    const uint32_t n = twin->dimensions, last = vef_twin_card_of_port(twin, 2 * n - 1);
    for (uint32_t d = 0; d < n; d++) {
        const uint32_t plus = vef_twin_card_of_port(twin, 2 * d);
        const uint32_t minus = vef_twin_card_of_port(twin, 2 * d + 1);
        const bool split_is_due = n % 2 != 0 && d == n / 2;
        if (split_is_due ? plus == minus : plus != minus || (plus == last) != (d >= n / 2))
            return false;
    }
    return true;
}

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    const vef_code code = vef_twin_supports(topology, flow_control, given, error);
    if (code != VEF_OK)
        return code;
    const vef_twin_torus *twin = vef_twin_torus_of(topology);
    if (in_halves(twin))
        return VEF_OK;
    char here[VEF_TWIN_PORTS_BYTES], best[VEF_TWIN_PORTS_BYTES];
    vef_twin_ports_text(twin->dimensions, twin->card0_ports, here, sizeof here);
    vef_twin_ports_text(twin->dimensions, (1ull << twin->dimensions) - 1, best, sizeof best);
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "its two channels need the first half of the dimensions on one card and the last half on "
        "the other, with only the middle dimension of an odd number split: expected topology "
        "card0: %s, not %s, or routing dort, which supports any",
        best, here);
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const uint32_t classes = (uint32_t)((const parameters *)routing->parameters)->traffic_classes;
    vef_twin_plan *plan = vef_twin_plan_create(routing);
    routing->state = plan;
    routing->traffic_classes = classes;
    routing->most_candidates = 1;
    routing->least_queue_packets = 1;
    return vef_twin_set_channels(routing, CHANNELS_OF_CLASS * classes, CHANNELS_OF_CLASS * classes,
                                 error);
}

/* The route's own word is the first of the packet's two channels. */
static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    const vef_twin_torus *twin = ((const vef_twin_plan *)routing->state)->twin;
    vef_twin_begin(routing, travel, draws, route);
    const bool descends = vef_twin_card(travel->from) != vef_twin_card_of_port(twin, 0);
    route->words[VEF_TWIN_WORD] =
        (int16_t)(CHANNELS_OF_CLASS * travel->traffic_class + (descends ? DESCENDING : 0));
}

/* The next dimension that is not done yet; `dimensions` when all are. */
static uint32_t next_dimension(const vef_twin_plan *plan, bool descends, const uint32_t *here,
                               const uint32_t *to) {
    const uint32_t n = plan->twin->dimensions;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t d = descends ? n - 1 - i : i;
        if (here[d] != to[d])
            return d;
    }
    return n;
}

/* Whether packets that cross from `card`, other than along a split ring, take the lower channel. */
static bool lower_across(const vef_twin_torus *twin, uint32_t card) {
    const uint32_t n = twin->dimensions;
    return n % 2 != 0 ? vef_twin_card_of_port(twin, 2 * (n / 2) + 1) != card : card == 1;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_twin_plan *plan = routing->state;
    const vef_twin_torus *twin = plan->twin;
    const uint32_t target = vef_twin_target(route), card = vef_twin_card(place.router);
    if (place.router == target)
        return 0;
    const uint32_t *here = vef_twin_at(plan, place.router), *to = vef_twin_at(plan, target);
    const uint32_t first = (uint32_t)route->words[VEF_TWIN_WORD];
    const bool descends = first & DESCENDING;
    const uint32_t d = next_dimension(plan, descends, here, to);
    uint16_t port = (uint16_t)vef_twin_inner_port(twin);
    bool lower = lower_across(twin, card);
    if (d < twin->dimensions) {
        const vef_twin_dimension *dimension = &plan->dimension[d];
        const uint32_t ahead = vef_twin_ahead(plan, d, here, to);
        const uint32_t source_card = vef_twin_card_of_port(twin, 0) ^ (descends ? 1u : 0u);
        bool minus = 2 * ahead > dimension->size;
        if (2 * ahead == dimension->size && dimension->split)
            minus = vef_twin_card_of_port(twin, 2 * d) != source_card;
        const bool across = vef_twin_card_of_port(twin, 2 * d + minus) != card;
        if (!across)
            port = (uint16_t)(2 * d + minus);
        if (!across || dimension->split)
            lower = to[d] < here[d];
    }
    offered[0] = (vef_candidate){.port = port,
                                 .channel = (uint8_t)(first + (lower ? LOWER : 0)),
                                 .slots_needed = 1,
                                 .escape = true};
    return 1;
}

const vef_routing_algorithm vef_routing_ts_dor = {
    .name = "ts-dor",
    .summary = "dimension order on twin tori, ascending from one card, descending from the other",
    VEF_PARAMETERS(schema, parameters),
    .supports = supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .advance = vef_routing_keep_route,
};
