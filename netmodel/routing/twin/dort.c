/* DORT: dimension order on twin tori, with separate virtual channels on the inner links.
 *
 * Andujar, Villar, Sanchez, Alfaro, Escudero-Sahuquillo: "Deadlock-free routing mechanism for 3D
 * Twin torus networks", algorithms 1 and 2; "N-Dimensional Twin Torus Networks", section 4. A
 * packet takes the dimensions in ascending order, each by the shorter way (+ in a tie), and crosses
 * the inner link if the next port, or its destination, is on the other card.
 *
 * Bound: as many external links as the distance of the nodes in the torus, and at most one crossing
 * per node on the path. This is not always minimal: another order of dimensions may need fewer
 * crossings.
 *
 * Freedom from deadlock, with router.flow_control: virtual-channels: external links have two
 * channels, upper if the destination's coordinate is greater and lower if it is smaller; in
 * direction + of a ring, lower channels are used before the wrap and upper ones after it, in
 * direction - vice versa. With bubble: one channel, and two free places to enter a ring by any of
 * its links, including the inner link of a split dimension. In both cases the channel of an inner
 * link depends on the reason for the crossing (twin.h): type 1, each split dimension, type 3; 4
 * with virtual channels and 3 with bubble in the best configuration of an odd number of dimensions.
 * With fewer channels types share one and dependencies are cyclic: with a single one as in examples
 * 4.1 (types 2 and 3) and 4.2 (types 1 and 3) of the second paper, with one too few as in the
 * latter. These are refused unless `unsafe`.
 *
 * Example: in a 4 x 4 x 4 twin torus with x+, x-, y+ on card 0, from card 0 of node (0, 0, 0) to
 * card 0 of (1, 3, 1), with virtual channels: x+ upper; across by type 2 upper; y- upper; across
 * by type 1; z+ upper; across by type 3. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/twin/twin.h"

typedef struct parameters {
    int64_t inner_channels;
    bool unsafe;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, inner_channels), .fallback = "0", .minimum = 0,
     .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels of inner links; 0: as many as deadlock freedom needs"},
    {VEF_KEY(BOOL, parameters, unsafe), .fallback = "false",
     .help = "whether inner_channels may be too few, to study the deadlocks"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    vef_twin_plan *plan = vef_twin_plan_create(routing);
    if (given->inner_channels > plan->needed ||
        (given->inner_channels > 0 && given->inner_channels < plan->needed && !given->unsafe))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "inner_channels: %lld is out of range: flow control by %s in this port "
                        "configuration needs %u: expected that or 0%s",
                        (long long)given->inner_channels,
                        plan->bubble ? "bubble" : "virtual channels", plan->needed,
                        given->inner_channels > plan->needed
                            ? ": others would stay unused"
                            : ": with fewer, packets may deadlock; unsafe: true permits them");
    if (given->inner_channels > 0)
        plan->inner = (uint8_t)given->inner_channels;
    routing->state = plan;
    routing->most_candidates = 1;
    routing->uniform = plan->bubble; /* upper and lower channels compare coordinates */
    return vef_twin_set_channels(routing, plan->external, plan->inner, error);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const uint32_t target = vef_twin_target(route);
    if (place.router == target)
        return 0;
    offered[0] = vef_twin_dort(routing->state, place, target);
    return 1;
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    (void)route;
    const vef_twin_plan *plan = routing->state;
    return plan->bubble ? vef_routing_own_input(place) : 0;
}

const vef_routing_algorithm vef_routing_dort = {
    .name = "dort",
    .summary = "dimension order on twin tori, deterministic",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_twin_supports,
    .create = create,
    .begin = vef_twin_begin,
    .candidates = candidates,
    .input = input,
    .advance = vef_routing_keep_route,
};
