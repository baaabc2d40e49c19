/* Piggyback routing on dragonflies: UGAL with the state of the global links of the source's group.
 *
 * Jiang, Kim and Dally, "Indirect Adaptive Routing on Large Scale Interconnection Networks" (ISCA
 * 2009), section 3 (PB): each router tells the others of its group, in the packets that it sends
 * them, which of its global links are congested. Here these are the links with more places taken
 * or waited for than the mean of the router's global links plus `offset` (the paper: twice the mean
 * plus a constant, which no link of h = 2 can exceed). A packet takes its detour if the global link
 * of its minimal route is congested and the first one of the detour is not, or if the detour costs
 * less by the rule of UGAL-L (../two_phase/ugal.c); else it goes minimally. The bits are those of
 * the very moment, as if a router knew at once: sees_all.
 *
 * Bound, channels, freedom from deadlock: those of Valiant's routing over a group or a router
 * (legs.h). Example: under ADV+1 traffic all minimal routes of a group share one global link, which
 * is congested as soon as it has more than its share of packets: other routers of the group see
 * that before their local queues grow. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/dragonfly/legs.h"
#include "netmodel/routing/two_phase/cost.h"

typedef struct parameters {
    int64_t channels, threshold, offset;
    int queues, intermediate;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_TWO_PHASE_MOST_CHANNELS, .help = "virtual channels of each class"},
    {VEF_KEY(INT, parameters, threshold), .fallback = "0", .minimum = 0, .maximum = 1 << 30,
     .help = "how much the cost of the minimal route may exceed the detour's and still be "
             "preferred, in places x hops"},
    {VEF_KEY(INT, parameters, offset), .fallback = "2", .minimum = 0, .maximum = 1 << 30,
     .help = "places taken or waited for beyond the mean of a router's global links that make one "
             "congested"},
    VEF_QUEUES_ROW(parameters),
    VEF_TWO_PHASE_MIDDLE_ROW(parameters),
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    const vef_two_phase_request request = {
        .channels = given->channels, .middle = given->intermediate, .early = true};
    routing->alternatives = 2;
    routing->sees_all = true;
    return vef_two_phase_create(routing, &request, error);
}

static uint64_t load_of(const vef_view *view, uint32_t router, uint32_t port) {
    return vef_view_taken(view, router, port) + vef_view_waiting(view, router, port);
}

/* Whether a global link is congested, as its router tells the others. */
static bool is_congested(const vef_routing *routing, uint32_t router, uint32_t port,
                         const vef_view *view) {
    const vef_dragonfly *dragonfly = vef_dragonfly_of(routing->topology);
    const int64_t offset = ((const parameters *)routing->parameters)->offset;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < dragonfly->h; k++)
        sum += load_of(view, router, dragonfly->a - 1 + k);
    return load_of(view, router, port) * dragonfly->h > sum + (uint64_t)offset * dragonfly->h;
}

/* Whether the first global link of a route, by its first candidates, is congested. */
static bool meets_congestion(const vef_routing *routing, const vef_travel *travel, vef_route route,
                             const vef_view *view) {
    const vef_dragonfly *dragonfly = vef_dragonfly_of(routing->topology);
    vef_place place = {travel->from, VEF_INJECTED, 0};
    while (!vef_routing_arrived(routing, &route, place.router, travel->to)) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        vef_two_phase_candidates(routing, &route, place, offered);
        const vef_candidate by = offered[0];
        if (vef_dragonfly_is_global(dragonfly, by.port))
            return is_congested(routing, place.router, by.port, view);
        vef_two_phase_advance(routing, &route, place, by.port, by.channel);
        place = vef_place_after(routing->topology, place, by.port, by.channel);
    }
    return false;
}

static uint32_t choose(const vef_routing *routing, const vef_travel *travel,
                       const vef_route *routes, const vef_view *view) {
    const parameters *given = routing->parameters;
    const vef_route_cost cost = {.all_channels = given->queues == VEF_QUEUES_PORT};
    if (meets_congestion(routing, travel, routes[0], view) &&
        !meets_congestion(routing, travel, routes[1], view))
        return 1;
    return vef_two_phase_cost(routing, travel, routes[0], cost, view) >
           vef_two_phase_cost(routing, travel, routes[1], cost, view) + (uint64_t)given->threshold;
}

static const vef_choice choice = {vef_two_phase_begin_alternative, choose};

const vef_routing_algorithm vef_routing_piggyback = {
    .name = "piggyback",
    .aliases = "pb",
    .summary = "UGAL on dragonflies that knows which global links of the group are congested",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_dragonfly_supports,
    .create = create,
    .choice = &choice,
    .candidates = vef_two_phase_candidates,
    .input = vef_two_phase_input,
    .signature = vef_two_phase_signature,
    .advance = vef_two_phase_advance,
};
