/* Choices by the state of queues: netmodel/MODEL.md, "Choice at the source", and "Choice at each
 * hop". */
#include "netmodel/routing/view.h" /* first: the next header names a type `router` */
#include "tests/netmodel/reference_state.h"

#include <assert.h>

static vef_occupancy look(const vef_view *view, uint32_t index, uint32_t port, uint32_t channel) {
    const reference *network = view->network;
    const output *out = &network->router[index].outputs[port];
    return (vef_occupancy){out->places[channel] - out->credits[channel], out->places[channel]};
}

bool reference_chooses_at_front(const reference *network) {
    return network->routing.alternatives > 0 && network->config.injection == REFERENCE_MOST_FREE &&
           !network->config.virtual_output_queues;
}

/* The port of all candidates of a packet at the front; NONE: several, or it has not chosen yet. */
static int only_port(const reference *network, uint32_t index, uint32_t q) {
    const queue *input = &network->router[index].queues[q];
    const packet *head = reference_front(network, input);
    const bool injected = q >= network->transit_queues;
    if (reference_is_to_all(network, head) || (injected && !head->chosen) ||
        reference_arrived(network, head, index))
        return NONE;
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count =
        network->routing.candidates(network->routing.context, &head->route,
                                    reference_place(network, index, input->memory), offered);
    for (uint32_t k = 1; k < count; k++)
        if (offered[k].port != offered[0].port)
            return NONE;
    return offered[0].port;
}

/* Places of the packets at the fronts of a router's queues that have decided for a port, or have no
 * other. */
static uint32_t waiting(const vef_view *view, uint32_t index, uint32_t port) {
    const reference *network = view->network;
    uint32_t places = 0;
    for (uint32_t q = 0; q < network->queues; q++) {
        const queue *input = &network->router[index].queues[q];
        if (input->count == 0 || input->phits[input->first].number != 0)
            continue;
        const packet *head = reference_front(network, input);
        const bool decided = head->chose && head->candidate.port == port;
        const bool bound =
            reference_chooses_at_front(network) && network->routing.selection != VEF_SELECT_COST &&
            reference_asks(network, index, q) && only_port(network, index, q) == (int)port;
        if (decided || bound)
            places += reference_places(network, head->phits);
    }
    return places;
}

static vef_view view_of(const reference *network, uint32_t index) {
    return (vef_view){.network = network,
                      .router = index,
                      .channels = network->routing.channels,
                      .everywhere = true,
                      .look = look,
                      .waiting = waiting};
}

/* Places occupied behind a port, those for which the router has no credit: in the channels offered
 * there, or in all; and those of packets that wait for the port. */
static uint64_t taken(const reference *network, uint32_t index, uint32_t port,
                      const vef_candidate *offered, uint32_t count) {
    const output *out = &network->router[index].outputs[port];
    uint64_t places = 0;
    for (uint32_t c = 0; c < network->routing.channels; c++) {
        bool counts = network->config.ugal_port;
        for (uint32_t k = 0; k < count; k++)
            counts = counts || (offered[k].port == port && offered[k].channel == c);
        if (counts)
            places += out->places[c] - out->credits[c];
    }
    const vef_view view = view_of(network, index);
    return places + waiting(&view, index, port);
}

static uint64_t cost(const reference *network, const vef_travel *travel, vef_route route) {
    const reference_routing *routing = &network->routing;
    uint64_t at_first = 0, in_all = 0, hops = 0;
    vef_place place = {.router = travel->from, .in_port = VEF_INJECTED};
    for (; place.router != travel->to ||
           (routing->leaves && !routing->leaves(routing->context, &route));
         hops++) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        const uint32_t count = routing->candidates(routing->context, &route, place, offered);
        assert(count > 0);
        uint32_t by = 0; /* the first candidate of the port with the fewest places taken */
        uint64_t fewest = UINT64_MAX;
        for (uint32_t k = 0; k < count; k++) {
            const uint64_t here = taken(network, place.router, offered[k].port, offered, count);
            if (here < fewest)
                by = k;
            fewest = here < fewest ? here : fewest;
        }
        /* The local view sees the first router only, and follows the first candidates from there.
         */
        if (hops > 0 && !network->config.ugal_global)
            by = 0;
        in_all += fewest;
        if (hops == 0)
            at_first = in_all;
        const vef_candidate chosen = offered[by];
        routing->advance(routing->context, &route, place, chosen.port, chosen.channel);
        place = (vef_place){reference_far_router(network, place.router, chosen.port),
                            (uint16_t)reference_far_port(network, place.router, chosen.port),
                            chosen.channel};
    }
    return network->config.ugal_global ? in_all : at_first * hops;
}

void reference_choose_route(reference *network, const vef_travel *travel, vef_rng *rng,
                            vef_route *route) {
    const reference_routing *routing = &network->routing;
    const uint32_t count = travel->from == travel->to ? 1 : routing->alternatives;
    if (routing->choose && count > 1) {
        vef_route routes[VEF_MAX_ALTERNATIVES] = {0};
        const vef_view view = view_of(network, travel->from);
        for (uint32_t k = 0; k < count; k++)
            routing->begin_alternative(routing->context, travel, k, rng, &routes[k]);
        *route = routes[routing->choose(routing->context, travel, routes, &view)];
        return;
    }
    uint64_t least = 0;
    for (uint32_t k = 0; k < count; k++) {
        vef_route alternative = {0};
        routing->begin_alternative(routing->context, travel, k, rng, &alternative);
        uint64_t its_cost = cost(network, travel, alternative);
        if (k > 0)
            its_cost += network->config.ugal_threshold;
        if (k == 0 || its_cost < least) {
            least = its_cost;
            *route = alternative;
        }
    }
}

void reference_choose_routes(reference *network, uint32_t index, bool done) {
    for (uint32_t q = network->transit_queues;
         reference_chooses_at_front(network) && q < network->queues; q++) {
        const queue *input = &network->router[index].queues[q];
        if (input->count == 0 || !reference_asks(network, index, q))
            continue;
        packet *head = reference_front(network, input);
        if (done)
            head->chosen = true;
        if (head->chosen || reference_is_to_all(network, head))
            continue;
        const reference_message *message = &network->messages[head->message];
        const vef_travel travel = {
            .source = message->source,
            .destination = message->destination,
            .from = index,
            .to = network->source[message->destination].router,
            .traffic_class = message->traffic_class,
        };
        if (travel.from != travel.to)
            reference_choose_route(network, &travel, &network->source[message->source].rng,
                                   &head->route);
    }
}

/* Leaves the candidates with a free port and room, if there are any. */
static void prefer_eligible(const reference *network, const router *r, const packet *head,
                            const vef_candidate *offered, bool *among, uint32_t count) {
    bool some = false, eligible[VEF_MAX_CANDIDATES];
    for (uint32_t k = 0; k < count; k++) {
        eligible[k] = among[k] && reference_is_eligible(network, r, head, &offered[k]);
        some = some || eligible[k];
    }
    for (uint32_t k = 0; some && k < count; k++)
        among[k] = eligible[k];
}

vef_candidate reference_weigh(reference *network, uint32_t index, const packet *head,
                              vef_place place, const vef_candidate *offered, bool *among,
                              uint32_t count) {
    const vef_view view = view_of(network, index);
    router *r = &network->router[index];
    uint64_t cost[VEF_MAX_CANDIDATES], least = UINT64_MAX;
    for (uint32_t k = 0; k < count; k++) {
        cost[k] = network->routing.weigh(network->routing.context, &head->route, place, offered[k],
                                         &view);
        least = among[k] && cost[k] < least ? cost[k] : least;
    }
    uint32_t equals = 0;
    for (uint32_t k = 0; k < count; k++)
        among[k] = among[k] && cost[k] == least;
    if (network->routing.selection == VEF_SELECT_COST)
        prefer_eligible(network, r, head, offered, among, count);
    for (uint32_t k = 0; k < count; k++)
        equals += among[k];
    uint32_t left = equals > 1 ? vef_rng_below(&r->rng, equals) : 0;
    uint32_t k = 0;
    while (!among[k] || left-- > 0)
        k++;
    return offered[k];
}
