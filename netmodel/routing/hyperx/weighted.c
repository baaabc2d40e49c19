/* Weighing hops on HyperX networks. See weighted.h. */
#include "netmodel/routing/hyperx/weighted.h"

const vef_param vef_weighted_schema[] = {
    VEF_WEIGHTED_KEYS,
    {.key = NULL},
};

/* Ports that a packet may be offered. */
static uint32_t most_ports(const vef_hyperx *hyperx, bool several) {
    if (several)
        return hyperx->first_port[hyperx->dimensions];
    uint32_t most = 0;
    for (uint32_t d = 0; d < hyperx->dimensions; d++) {
        const uint32_t ports = hyperx->first_port[d + 1] - hyperx->first_port[d];
        most = ports > most ? ports : most;
    }
    return most;
}

vef_code vef_weighted_create(vef_routing *routing, uint32_t classes, uint32_t own_words,
                             bool several, vef_error *error) {
    const vef_weighted_parameters *given = routing->parameters;
    const uint32_t channels = (uint32_t)given->channels;
    const uint32_t ports = most_ports(vef_hyperx_of(routing->topology), several);
    if (channels * classes > VEF_MAX_CHANNELS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u classes of channels, of %u each: out of range: expected at most %d "
                        "virtual channels",
                        classes, channels, VEF_MAX_CHANNELS);
    routing->channels = channels * classes;
    routing->most_candidates = channels * ports;
    routing->route_words = VEF_WEIGHTED_OWN_WORD + own_words;
    routing->least_queue_packets = 1;
    routing->uniform = true;
    routing->selection = VEF_SELECT_ONCE;
    return vef_routing_check_candidates(channels, ports, error);
}

void vef_weighted_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                        vef_route *route) {
    (void)draws;
    const vef_topology *topology = routing->topology;
    memset(route, 0, sizeof *route);
    vef_hyperx_set_destination(route, travel->to);
    route->words[VEF_WEIGHTED_LEFT_WORD] =
        (int16_t)topology->distance(topology, travel->from, travel->to);
}

uint32_t vef_weighted_offer(const vef_routing *routing, const vef_route *route, uint32_t router,
                            uint32_t dimension, bool deroutes, uint32_t class,
                            vef_candidate *offered) {
    const vef_hyperx *hyperx = vef_hyperx_of(routing->topology);
    const uint32_t channels =
        (uint32_t)((const vef_weighted_parameters *)routing->parameters)->channels;
    const uint32_t minimal =
        vef_hyperx_offset(hyperx, router, vef_hyperx_destination(route), dimension);
    if (minimal == 0)
        return 0;
    const uint32_t first = deroutes ? 1 : minimal;
    const uint32_t last = deroutes ? hyperx->sizes[dimension] - 1 : minimal;
    uint32_t count = 0;
    for (uint32_t offset = first; offset <= last; offset++)
        for (uint32_t link = 0; link < hyperx->weights[dimension]; link++) {
            const vef_candidate hop = {
                .port = (uint16_t)vef_hyperx_port(hyperx, dimension, offset, link),
                .channel = (uint8_t)(class * channels),
                .preference = offset != minimal,
                .slots_needed = 1,
                .escape = true};
            count += vef_offer_channels(hop, channels, offered + count);
        }
    return count;
}

/* Places of the packets that would go before by this link, as far as the router knows them. */
static uint64_t places_before(const vef_weighted_parameters *given, uint32_t router,
                              vef_candidate candidate, const vef_view *view) {
    const uint64_t waiting = vef_view_waiting(view, router, candidate.port);
    if (given->queues == VEF_QUEUES_PORT)
        return waiting + vef_view_taken(view, router, candidate.port);
    const uint32_t channels = (uint32_t)given->channels;
    const uint32_t first = candidate.channel / channels * channels;
    return waiting + vef_view_taken_of(view, router, candidate.port, first, channels);
}

uint64_t vef_weighted_weigh(const vef_routing *routing, const vef_route *route, vef_place place,
                            vef_candidate candidate, const vef_view *view) {
    enum { QUEUE_BITS = 16, WEIGHT_SHIFT = QUEUE_BITS + 1 }; /* the order of comparison */
    const vef_weighted_parameters *given = routing->parameters;
    const uint64_t deroute = candidate.preference;
    const uint64_t queue =
        vef_view_queue(view, place.router, candidate.port, candidate.channel).taken;
    const uint64_t places = places_before(given, place.router, candidate, view);
    const uint64_t hops = (uint64_t)route->words[VEF_WEIGHTED_LEFT_WORD] + deroute;
    const uint64_t weight = places * hops + deroute * (uint64_t)given->threshold;
    return weight << WEIGHT_SHIFT | deroute << QUEUE_BITS | queue;
}

bool vef_weighted_advance(const vef_routing *routing, vef_route *route, uint32_t router,
                          uint32_t port) {
    const vef_hyperx *hyperx = vef_hyperx_of(routing->topology);
    const uint32_t minimal = vef_hyperx_offset(hyperx, router, vef_hyperx_destination(route),
                                               vef_hyperx_dimension_of(hyperx, port));
    const bool deroutes = vef_hyperx_offset_of(hyperx, port) != minimal;
    if (!deroutes)
        route->words[VEF_WEIGHTED_LEFT_WORD]--;
    return deroutes;
}
