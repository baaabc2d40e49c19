/* Offers: the candidates of packets, and their sets of links. */
#include "netmodel/router/core/network.h"
#include "netmodel/routing/view.h"

/* Encodes the candidates of an offer as link bit masks where possible. */
static void say_wants(const vef_network *network, vef_offer *offer) {
    enum { MOST_VALUES = 3 };
    vef_wants wants = {0}, below[MOST_VALUES]; /* those of lower preference values */
    offer->wants_complete = false;
    if (!network->shape.narrow)
        return;
    offer->any = offer->first = offer->second = wants; /* none */
    if (network->routing->patient && network->routing->selection != VEF_SELECT_COST)
        return;
    const uint32_t channels = network->shape.channels, count = offer->count;
    uint32_t last = 0, values = 0, value = offer->candidates[0].preference;
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        const uint32_t link = candidate.port * channels + candidate.channel;
        const uint32_t order = candidate.preference * 64u + link + 1;
        if (order <= last || candidate.slots_needed > 2)
            return;
        last = order;
        if (candidate.preference != value) {
            value = candidate.preference;
            below[values++] = wants;
            if (values == MOST_VALUES)
                return;
        }
        *(candidate.slots_needed == 2 ? &wants.two : &wants.one) |= UINT64_C(1) << link;
    }
    offer->wants_complete = true;
    offer->any = wants;
    offer->first = values > 0 ? below[0] : wants;
    offer->second = values > 1 ? below[1] : wants;
}

uint32_t vef_network_list(const vef_network *network, uint32_t router, uint32_t store,
                          const vef_packet *packet, vef_candidate *candidates) {
    const vef_routing *routing = network->routing;
    const vef_place place = {router, network->links.in_port[store],
                             network->links.in_channel[store]};
    const uint32_t count =
        routing->algorithm->candidates(routing, &packet->route, place, candidates);
    assert(count > 0 && count <= routing->most_candidates);
    return count;
}

void vef_network_set_offer(const vef_network *network, vef_offer *offer, uint32_t count) {
    offer->count = (uint16_t)count;
    offer->port = offer->candidates[0].port;
    for (uint32_t i = 1; i < count; i++)
        if (offer->candidates[i].port != offer->port)
            offer->port = VEF_PORTS;
    const vef_candidate *only = &offer->candidates[0];
    offer->exit = count == 1 && only->slots_needed == 1 && network->settings.unit_phits == 0
                      ? (uint16_t)(only->port * network->shape.channels + only->channel)
                      : (uint16_t)VEF_PORTS;
    say_wants(network, offer);
}

static void make_offer(const vef_network *network, uint32_t router, uint32_t store,
                       const vef_packet *packet, uint32_t number) {
    vef_offer *offer = vef_offer_at(network, number);
    vef_network_set_offer(network, offer,
                          vef_network_list(network, router, store, packet, offer->candidates));
}

static void leave_unweighed(const vef_network *network, vef_offer *offer) {
    const vef_wants none = {0};
    offer->count = 0;
    offer->port = offer->exit = VEF_PORTS;
    offer->wants_complete = false;
    if (network->shape.narrow)
        offer->any = offer->first = offer->second = none;
}

uint32_t vef_network_offer(vef_network *network, uint32_t router, uint32_t store, uint32_t front,
                           uint32_t unshared) {
    const vef_packet *packet = vef_packet_at(network, front);
    if (vef_routing_arrived(network->routing, &packet->route, router, packet->router))
        return (uint32_t)network->offers.count + packet->local;
    if (packet->router == VEF_NONE) {
        network->policies.moving.broadcast->attend(network, router, store, front);
        return network->offers.copies;
    }
    const uint32_t number =
        network->offers.shared ? network->offers.rows[store] + packet->signature : unshared;
    if (network->policies.commits) {
        leave_unweighed(network, vef_offer_at(network, number));
        return number;
    }
    if (!network->offers.shared) {
        make_offer(network, router, store, packet, number);
        return number;
    }
    vef_offer *offer = vef_offer_at(network, number);
    if (vef_offer_known(offer))
        return number;
    pthread_mutex_lock(&network->pools.lock); /* another part may need it too */
    if (!vef_offer_known(offer))
        make_offer(network, router, store, packet, number);
    atomic_store_explicit(&offer->known, true, memory_order_release);
    pthread_mutex_unlock(&network->pools.lock);
    return number;
}

uint32_t vef_network_sort(vef_network *network, const vef_partition *part, uint32_t router,
                          uint32_t store, uint32_t packet) {
    const uint32_t first = store * network->shape.queues_each;
    const uint32_t ejection = (uint32_t)network->offers.count;
    const uint32_t number =
        vef_network_offer(network, router, store, packet, vef_scratch_offer(network, part));
    if (number >= ejection && number < ejection + network->shape.per_router)
        return first + network->shape.ports + (number - ejection);
    const vef_offer *offer = vef_offer_at(network, number);
    uint32_t best = 0;
    for (uint32_t i = 1; i < offer->count; i++)
        if (offer->candidates[i].preference < offer->candidates[best].preference)
            best = i;
    return first + offer->candidates[best].port;
}

/* For views (view.h): occupancy of a queue at the other end of a link. */
static vef_occupancy look(const vef_view *view, uint32_t router, uint32_t port, uint32_t channel) {
    const vef_network *network = view->network;
    const uint32_t link = port * network->shape.channels + channel;
    return (vef_occupancy){vef_places_taken(network, router, link),
                           vef_places_at_end(network, router, link)};
}

static uint32_t waiting(const vef_view *view, uint32_t router, uint32_t port) {
    const vef_network *network = view->network;
    return network->queues.waiting
               ? network->queues.waiting[(size_t)router * network->shape.ports + port]
               : 0;
}

vef_view vef_network_view(const vef_network *network, uint32_t router) {
    return (vef_view){
        .network = network,
        .router = router,
        .channels = network->shape.channels,
        .everywhere = network->routing->sees_all,
        .look = look,
        .waiting = waiting,
    };
}
