/* Legs on HyperX networks: dimension order, by any of the parallel links (hyperx/order.h).
 *
 * Freedom from deadlock: that of dimension order in each phase. Channels: 2 x `channels`, those of
 * the first phase first. Dimension order goes the last hop of a leg whatever the hops before
 * (vef_legs).
 *
 * Example: on 4 x 4 routers from (0, 1) over (3, 2) to (2, 2): x+3 and y+1 on channel 0, x+3 on
 * channel 1. */
#include "netmodel/routing/hyperx/order.h"
#include "netmodel/routing/two_phase/two_phase.h"

typedef struct hyperx_legs {
    const vef_hyperx *hyperx;
    uint32_t channels; /* of each phase */
} hyperx_legs;

static vef_code create(vef_routing *routing, const vef_two_phase_request *request,
                       vef_two_phase *two_phase, vef_error *error) {
    hyperx_legs *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    *made = (hyperx_legs){vef_hyperx_of(routing->topology), (uint32_t)request->channels};
    const uint32_t links = vef_order_most_links(made->hyperx);
    two_phase->legs = made;
    two_phase->leg_words = VEF_ORDER_WORDS;
    routing->channels = 2 * made->channels;
    routing->most_candidates = made->channels * links;
    routing->signatures = 2 * routing->topology->ports;
    routing->least_queue_packets = 1;
    routing->uniform = true;
    return vef_routing_check_candidates(made->channels, links, error);
}

static const hyperx_legs *legs_of(const vef_routing *routing) {
    return ((const vef_two_phase *)routing->state)->legs;
}

static void begin(const vef_routing *routing, uint32_t from, uint32_t to, uint32_t variant,
                  vef_route *route) {
    (void)variant;
    vef_order_begin(legs_of(routing)->hyperx, from, to, route);
}

static bool ended(const vef_routing *routing, const vef_route *route, uint32_t router) {
    (void)routing;
    return vef_hyperx_destination(route) == router;
}

static uint32_t offer(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place, vef_candidate *offered) {
    (void)place;
    const hyperx_legs *legs = legs_of(routing);
    return vef_order_offer(legs->hyperx, route, phase * legs->channels, legs->channels, offered);
}

const vef_leg_kind vef_leg_kind_hyperx = {
    .name = "dimension order on HyperX",
    .supports = vef_hyperx_supports,
    .create = create,
    .begin = begin,
    .ended = ended,
    .offer = offer,
    .advance = vef_order_advance,
    .signature = vef_order_signature,
};
