/* Injection policies: by free places, or by the ports that the packet's route may take
 * (netmodel/MODEL.md, Injection queues by port).
 *
 * The policies other than the default are those of FSIN (Navaridas, Miguel-Alonso, Pascual and
 * Ridruejo, "Simulating and evaluating interconnection networks with INSEE", Simulation Modelling
 * Practice and Theory 19(1), 2011): dor, dsh, shp and lpath. With a queue for each link, packets
 * that wait for one link do not block those for another. */
#include "netmodel/file/policies.h"
#include "netmodel/router/policy/install.h"

/* The next packet of a source, to an endpoint of another router. */
typedef struct entrant {
    const uint16_t *free; /* places, by injection queue of the endpoint */
    uint32_t queues;
    uint32_t places; /* that the packet takes */
    uint32_t ports;  /* of a router */
    const vef_routing *routing;
    const vef_route *route;          /* begun */
    const vef_candidate *candidates; /* offered at the source */
    uint32_t count;                  /* of candidates, at least one */
} entrant;

typedef struct injection {
    bool by_hops; /* needs vef_routing.steps */
    /* The queue that the packet joins, which has room for it; VEF_NO_QUEUE: it waits. NULL: the one
     * with the most free places. The packet's route then begins when it enters, else before. */
    uint32_t (*choose)(const entrant *packet);
} injection;

/* The queue with the most free places among first … end - 1, the first among equals; VEF_NO_QUEUE:
 * it has fewer than `places`. */
static uint32_t freest(const uint16_t *free, uint32_t first, uint32_t end, uint32_t places) {
    uint32_t best = first;
    for (uint32_t queue = first + 1; queue < end; queue++)
        if (free[queue] > free[best])
            best = queue;
    return free[best] >= places ? best : VEF_NO_QUEUE;
}

/* Port p of P has the queues p Q / P … (p + 1) Q / P - 1 of Q, and at least the first of these. */
static uint32_t freest_of_port(const entrant *packet, uint32_t port) {
    const uint32_t first = (uint32_t)((uint64_t)port * packet->queues / packet->ports);
    const uint32_t end = (uint32_t)((port + UINT64_C(1)) * packet->queues / packet->ports);
    return freest(packet->free, first, end > first ? end : first + 1, packet->places);
}

static uint32_t choose_dimension_order(const entrant *packet) {
    const vef_candidate *escape = packet->candidates;
    while (!escape->escape && escape < packet->candidates + packet->count - 1)
        escape++;
    return freest_of_port(packet, escape->port);
}

static uint32_t choose_dimension_order_first(const entrant *packet) {
    const uint32_t queue = choose_dimension_order(packet);
    return queue != VEF_NO_QUEUE ? queue : freest(packet->free, 0, packet->queues, packet->places);
}

static uint32_t choose_shortest_profitable(const entrant *packet) {
    const uint16_t *free = packet->free;
    uint32_t best = VEF_NO_QUEUE;
    for (uint32_t i = 0; i < packet->count; i++) {
        const uint32_t queue = freest_of_port(packet, packet->candidates[i].port);
        if (queue != VEF_NO_QUEUE && (best == VEF_NO_QUEUE || free[queue] > free[best] ||
                                      (free[queue] == free[best] && queue < best)))
            best = queue;
    }
    return best;
}

static uint32_t choose_longest_path(const entrant *packet) {
    uint32_t longest = 0;
    int most = 0;
    for (uint32_t port = 0; port < packet->ports; port++) {
        const vef_route_step step = packet->routing->steps[port];
        const int hops = packet->route->words[step.word] / -step.change;
        if (hops > most) {
            most = hops;
            longest = port;
        }
    }
    return freest_of_port(packet, longest);
}

static const injection most_free = {.choose = NULL};
static const injection dimension_order = {.choose = choose_dimension_order};
static const injection dimension_order_first = {.choose = choose_dimension_order_first};
static const injection shortest_profitable = {.choose = choose_shortest_profitable};
static const injection longest_path = {.choose = choose_longest_path, .by_hops = true};

static const injection *const injections[] = {
#define INJECTION(id, name, aliases, summary) &id,
#include "netmodel/file/policies.def"
};

/* vef_policies.join by the packet's route, which begins now unless it has. */
static uint32_t join(vef_network *network, uint32_t endpoint, uint32_t number, uint32_t places) {
    const vef_message *message = &network->pools.messages[number];
    vef_endpoint *source = &network->queues.endpoints[endpoint];
    if (message->destination == VEF_TO_ALL)
        return vef_network_freest(network, endpoint, places);
    const uint32_t to = network->queues.endpoints[message->destination].router;
    vef_begun *begun = &network->queues.begun[endpoint];
    const vef_route *route = &begun->route;
    if (source->begun != VEF_BEGUN_PACKET)
        vef_network_draw_route(network, source, message, to, &begun->route);
    source->begun = VEF_BEGUN_PACKET;
    if (to == source->router)
        return vef_network_freest(network, endpoint, places);
    const vef_routing *routing = network->routing;
    const uint32_t queues = network->settings.injection_queues;
    vef_candidate candidates[VEF_MAX_CANDIDATES];
    const entrant packet = {
        .free = network->queues.injection_free + (size_t)endpoint * queues,
        .queues = queues,
        .places = places,
        .ports = network->shape.ports,
        .routing = routing,
        .route = route,
        .candidates = candidates,
        .count = routing->algorithm->candidates(
            routing, route, (vef_place){source->router, VEF_INJECTED, 0}, candidates),
    };
    return injections[network->settings.injection->number]->choose(&packet);
}

vef_code vef_injection_install(vef_network *network, vef_error *error) {
    const vef_policy_name *name = network->settings.injection;
    const injection *policy = injections[name->number];
    if (policy->by_hops && !network->routing->steps)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "router.injection: %s not supported with routing %s, which does not count the "
            "hops of each direction: expected routing dor or adaptive, or another policy",
            name->name, network->routing->algorithm->name);
    if (!policy->choose)
        return VEF_OK;
    network->policies.join = join;
    return VEF_OK;
}
