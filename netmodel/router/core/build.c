/* Building and freeing the core: limits, then fixed pools sized from the configuration. */
#include "common/memory.h"
#include "netmodel/file/resolved.h"
#include "netmodel/router/core/network.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_BYTES = 256 << 10, /* resident in the caches of a core anyway */
};

static void set_shape(vef_network *network) {
    const vef_topology *topology = network->topology;
    network->shape.ports = topology->ports;
    network->shape.channels = network->routing->channels;
    network->shape.links = network->shape.ports * network->shape.channels;
    network->shape.per_router = topology->endpoints_per_router;
    network->shape.exits = network->shape.links + network->shape.per_router;
    network->shape.queues_each = network->settings.virtual_output_queues
                                     ? network->shape.ports + network->shape.per_router
                                     : 1;
    network->shape.largest_places = vef_places_of(network, network->settings.packet_phits);
}

/* Maximum number of routers of this shape with 32-bit numbers of inputs, outputs and packets. */
static vef_code check_size(vef_network *network, vef_error *error) {
    const vef_network_settings *settings = &network->settings;
    uint64_t injection = (uint64_t)network->shape.per_router * settings->injection_queues;
    uint64_t inputs = (network->shape.links + injection) * network->shape.queues_each;
    if (inputs > VEF_MOST_INPUTS)
        return vef_fail(
            error, VEF_INVALID,
            "a router has %llu queues (%u of links, %llu of endpoints%s): out of range: expected "
            "at most %d: fewer endpoints_per_router, router.injection_queues or virtual channels",
            (unsigned long long)inputs, network->shape.links, (unsigned long long)injection,
            network->shape.queues_each > 1 ? ", each for every output" : "", VEF_MOST_INPUTS);
    uint64_t injection_places =
        (uint64_t)settings->injection_queue_packets * network->shape.largest_places;
    if (injection_places > VEF_MOST_PLACES)
        return vef_fail(
            error, VEF_INVALID,
            "an injection queue has %llu places of %u phits: out of range: expected at most %d: a "
            "smaller router.injection_queue_packets or a greater router.buffer.unit_phits",
            (unsigned long long)injection_places, settings->unit_phits, VEF_MOST_PLACES);
    uint64_t outputs =
        network->shape.ports + (uint64_t)network->shape.per_router * settings->ejection_ports;
    uint64_t routers = network->topology->routers;
    uint64_t places =
        (network->queues.buffers.total + routers - 1) / routers + injection * injection_places;
    /* Offers are as many as inputs, and a few; packets as many as places, and some per part. */
    uint64_t most = VEF_NONE - VEF_MOST_INPUTS - VEF_MOST_SPARE_PACKETS;
    if (outputs > UINT16_MAX || inputs > most / routers || outputs > most / routers ||
        places > most / routers)
        return vef_fail(error, VEF_INVALID,
                        "%llu routers with %llu queues, %llu outputs and room for %llu packets "
                        "each are too many: expected at most %llu of each kind in all",
                        (unsigned long long)routers, (unsigned long long)inputs,
                        (unsigned long long)outputs, (unsigned long long)places,
                        (unsigned long long)most);
    network->shape.inputs = (uint32_t)inputs;
    network->shape.stores = (uint32_t)(network->shape.links + injection);
    network->shape.transit_inputs = network->shape.links * network->shape.queues_each;
    network->shape.injection_queue_places = (uint32_t)injection_places;
    network->shape.outputs = (uint32_t)outputs;
    network->shape.input_words = (network->shape.inputs + 63) / 64;
    network->shape.output_words = (network->shape.outputs + 63) / 64;
    network->shape.narrow = network->shape.input_words == 1 && network->shape.output_words == 1 &&
                            network->shape.exits <= 64 && settings->unit_phits == 0;
    network->shape.counted =
        !network->shape.narrow || network->queues.buffers.most > VEF_CREDIT_LEVELS;
    network->pools.packets_needed =
        network->queues.buffers.total +
        (uint64_t)network->topology->endpoints * settings->injection_queues * injection_places;
    return VEF_OK;
}

/* Offsets of the pieces of a router's block, those needed by every event first. */
static void set_block(vef_network *network) {
    network->shape.listed = !network->shape.narrow && !network->policies.full.match;
    const uint32_t exit_words = network->shape.listed ? (network->shape.exits + 63) / 64 : 0;
    network->shape.far_ends_at =
        sizeof(vef_router) + (3 * network->shape.input_words + exit_words) * sizeof(uint64_t);
    network->shape.ejection_at =
        network->shape.far_ends_at +
        (network->shape.ports + network->shape.per_router) * sizeof(vef_far_end);
    network->shape.queues_at =
        network->shape.ejection_at + network->shape.per_router * sizeof(uint32_t);
    size_t queues = network->shape.inputs * sizeof(vef_queue);
    network->shape.outputs_at = (network->shape.queues_at + queues + 7) / 8 * 8;
    network->shape.pointers_at =
        network->shape.outputs_at + network->shape.outputs * sizeof(vef_router_output);
    const vef_arbiter *arbiter = &network->policies.arbiter;
    size_t end = network->shape.pointers_at;
    if (arbiter->remembers)
        end += network->shape.outputs * sizeof(uint16_t);
    network->shape.fronts_at = (end + 7) / 8 * 8;
    if (arbiter->rank == VEF_RANK_FRONT)
        end = network->shape.fronts_at + network->shape.inputs * sizeof(uint64_t);
    network->shape.credits_at = end;
    size_t credits = network->shape.counted ? network->shape.links * sizeof(uint16_t) : 0;
    network->shape.lists_at = network->shape.credits_at + credits;
    size_t bytes = network->shape.lists_at;
    if (network->shape.listed)
        bytes += (network->shape.exits + network->shape.inputs) * sizeof(uint16_t);
    /* An odd number of lines: with an even one, equal lines of all routers would map to a fraction
     * of the sets of a cache. */
    network->shape.router_stride =
        ((bytes + VEF_LINE_BYTES - 1) / VEF_LINE_BYTES | 1) * VEF_LINE_BYTES;
    network->shape.fetches =
        network->topology->routers * network->shape.router_stride > SMALL_BYTES;
}

/* A packet has the words of its route that the routing uses. */
static void set_packets(vef_network *network) {
    enum { ALIGN = sizeof(uint64_t) };
    const size_t route = network->routing->route_words * sizeof(int16_t);
    network->pools.packet_stride =
        (offsetof(vef_packet, route) + route + ALIGN - 1) / ALIGN * ALIGN;
}

/* One offer per signature and arrival port, or, if those are too many, per queue. */
static void set_offers(vef_network *network) {
    enum { MOST_SHARED = 1 << 18 };
    uint64_t shared = (uint64_t)network->routing->signatures * (network->shape.links + 1);
    network->offers.shared = shared > 0 && shared <= MOST_SHARED && !network->policies.commits;
    network->offers.count = network->offers.shared
                                ? shared
                                : (uint64_t)network->topology->routers * network->shape.inputs;
}

/* For an arbiter that matches input ports. */
static void take_matching(vef_network *network) {
    const uint32_t input_ports = network->shape.ports + network->shape.per_router;
    network->read_ports.pointer_count = network->shape.outputs + 2 * input_ports;
    uint16_t *first = vef_arena_alloc(&network->arena, input_ports + 1u, sizeof *first);
    network->read_ports.first_inputs = first;
    network->read_ports.of_input = vef_arena_alloc(&network->arena, network->shape.inputs,
                                                   sizeof *network->read_ports.of_input);
    network->read_ports.pointers = vef_arena_alloc(
        &network->arena, (uint64_t)network->topology->routers * network->read_ports.pointer_count,
        sizeof *network->read_ports.pointers);
    for (uint32_t port = 0; port <= input_ports; port++) {
        first[port] =
            (uint16_t)(port <= network->shape.ports
                           ? port * network->shape.channels * network->shape.queues_each
                           : network->shape.transit_inputs +
                                 (port - network->shape.ports) * network->shape.queues_each *
                                     network->settings.injection_queues);
        for (uint32_t q = port ? first[port - 1] : 0; q < first[port]; q++)
            network->read_ports.of_input[q] = (uint16_t)(port - 1);
    }
}

/* What visits need of the routing and the settings. */
static void set_choices(vef_network *network) {
    network->policies.steps = network->routing->steps;
    const uint32_t transit = network->settings.transit_first ? network->shape.transit_inputs : 64;
    network->policies.preferred_inputs = transit < 64 ? (UINT64_C(1) << transit) - 1 : UINT64_MAX;
}

void vef_network_keep_places(vef_network *network) {
    if (!network->queues.places)
        network->queues.places = vef_arena_alloc(
            &network->arena, (uint64_t)network->topology->routers * network->shape.links,
            sizeof *network->queues.places);
}

/* Of those that packets commit to, an offer keeps one candidate. */
static uint64_t kept_candidates(const vef_network *network) {
    return network->policies.commits ? 1 : network->routing->most_candidates;
}

static void set_offers_from(const vef_network *network, uint64_t from, uint64_t end) {
    const uint64_t kept = kept_candidates(network), count = network->offers.count;
    for (uint64_t i = from; i < end; i++) {
        vef_offer *offer = vef_offer_at(network, (uint32_t)i);
        const uint64_t last = i < count ? 0 : i - count;
        offer->candidates = network->offers.candidates + (i - last) * kept +
                            last * network->routing->most_candidates;
        offer->port = offer->exit = VEF_PORTS; /* for those that have no candidates */
    }
}

static void take_memory(vef_network *network) {
    uint64_t routers = network->topology->routers;
    uint64_t endpoints = network->topology->endpoints, inputs = network->shape.inputs;
    /* Beside those of packets at their destination that of copies, and vef_network_sort's. */
    uint64_t offers = network->offers.count + network->shape.per_router + 1 + VEF_MOST_PARTS;
#define TAKE(field, count)                                                                         \
    network->field = vef_arena_alloc(&network->arena, count, sizeof *network->field)
    TAKE(links.port_links, network->shape.ports);
    if (network->settings.burst_bytes > 0)
        TAKE(links.buckets, routers * network->shape.outputs);
    TAKE(queues.endpoints, endpoints);
    TAKE(queues.begun, endpoints);
    TAKE(queues.endpoint_at, routers * network->shape.per_router);
    TAKE(queues.injection_free, endpoints * network->settings.injection_queues);
    TAKE(links.in_port, network->shape.stores);
    TAKE(links.in_channel, network->shape.stores);
    TAKE(links.far_end, network->shape.stores);
    TAKE(offers.rows, network->shape.stores);
    TAKE(figures.latency, 1);
    TAKE(figures.message_latency, 1);
    TAKE(watch.marks, routers * inputs);
    TAKE(watch.revived, routers);
    network->queues.routers =
        vef_arena_lines(&network->arena, routers, network->shape.router_stride);
    if (network->policies.full.match)
        take_matching(network);
    network->offers.shift = network->shape.narrow ? VEF_OFFER_SHIFT : VEF_WIDE_OFFER_SHIFT;
    network->offers.items =
        vef_arena_lines(&network->arena, offers, (size_t)1 << network->offers.shift);
    TAKE(offers.candidates,
         network->offers.count * kept_candidates(network) +
             (offers - network->offers.count) * network->routing->most_candidates);
#undef TAKE
    set_offers_from(network, network->offers.shared ? 0 : network->offers.count, offers);
}

static void set_router(vef_network *network, uint32_t router) {
    const vef_topology *topology = network->topology;
    vef_router *state = vef_router_at(network, router);
    state->rng = vef_rng_make(network->settings.seed, VEF_RNG_ROUTER, router);
    state->open = ~UINT64_C(0);
    /* Exits of endpoints need one place, which is free if they are open. */
    state->at_least[0] = ~UINT64_C(0);
    for (uint32_t level = 1; level < VEF_CREDIT_LEVELS; level++)
        state->at_least[level] = network->queues.buffers.most > level ? ~UINT64_C(0) : 0;
    for (uint32_t link = 0; link < network->shape.links; link++) {
        uint32_t places =
            vef_buffers_places(&network->queues.buffers, router, link / network->shape.channels,
                               link % network->shape.channels);
        if (network->policies.full.pauses && places > 0)
            places = 1; /* until it is paused */
        if (network->shape.counted)
            vef_credits_of(network, state)[link] = (uint16_t)places;
        if (network->queues.credit_lead)
            network->queues.credit_lead[(size_t)router * network->shape.links + link] =
                (uint16_t)(network->queues.buffers.most - places);
        if (network->queues.places)
            network->queues.places[(size_t)router * network->shape.links + link] = (uint16_t)places;
        for (uint32_t level = places; network->shape.narrow && level < VEF_CREDIT_LEVELS; level++)
            state->at_least[level] &= ~(UINT64_C(1) << link);
    }
    if (network->shape.listed) /* nobody waits */
        memset(vef_lists_of(network, state), 0xff, network->shape.exits * sizeof(uint16_t));
    const uint32_t ejection = network->settings.ejection_ports;
    for (uint32_t local = 0; local < network->shape.per_router; local++)
        vef_ejection_of(network, state)[local] = ejection < 32 ? (1u << ejection) - 1 : UINT32_MAX;
    for (uint32_t port = 0; port < network->shape.ports; port++) {
        size_t place = (size_t)router * network->shape.ports + port;
        vef_far_end *far_end = &vef_far_ends_of(network, state)[port];
        far_end->router = topology->neighbour[place];
        if (far_end->router != VEF_NO_ROUTER)
            far_end->shift =
                (uint16_t)((topology->reverse_port[place] - port) * network->shape.channels);
        far_end->hop_cycles =
            vef_links_rule(&network->links.plan, topology, router, port)->hop_cycles;
    }
    for (uint32_t local = 0; local < network->shape.per_router; local++)
        vef_far_ends_of(network, state)[network->shape.ports + local] = (vef_far_end){
            .endpoint =
                network->queues.endpoint_at[(size_t)router * network->shape.per_router + local],
            .shift =
                (uint16_t) - (network->shape.links + local * network->settings.injection_queues)};
}

/* Packets at their destination request an ejection port of their endpoint. */
static void set_ejection_offers(vef_network *network) {
    network->offers.copies = (uint32_t)network->offers.count + network->shape.per_router;
    for (uint32_t local = 0; local < network->shape.per_router; local++) {
        vef_offer *offer = vef_offer_at(network, (uint32_t)network->offers.count + local);
        offer->known = true;
        offer->exit = (uint16_t)(network->shape.links + local);
        offer->wants_complete = network->shape.narrow;
        if (network->shape.narrow)
            offer->any.one = offer->first.one = UINT64_C(1) << (network->shape.links + local);
    }
}

/* Numbers the endpoints of a router consecutively. */
static void set_endpoints(vef_network *network) {
    const vef_topology *topology = network->topology;
    for (uint64_t i = 0; i < (uint64_t)topology->routers * network->shape.per_router; i++)
        network->queues.endpoint_at[i] = VEF_NONE;
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t router = vef_topology_router_of(topology, e);
        uint32_t *endpoints =
            network->queues.endpoint_at + (size_t)router * network->shape.per_router;
        uint32_t local = 0;
        while (endpoints[local] != VEF_NONE)
            local++;
        assert(local < network->shape.per_router);
        endpoints[local] = e;
        network->queues.endpoints[e] = (vef_endpoint){
            .first_message = VEF_NONE,
            .last_message = VEF_NONE,
            .router = router,
            .local = local,
            .rng = vef_rng_make(network->settings.seed, VEF_RNG_SOURCE, e),
        };
    }
}

static void set_state(vef_network *network) {
    set_choices(network);
    set_endpoints(network);
    set_ejection_offers(network);
    for (uint32_t store = 0; store < network->shape.stores; store++) {
        bool transit = store < network->shape.links;
        network->links.in_port[store] =
            (uint16_t)(transit ? store / network->shape.channels : VEF_INJECTED);
        network->links.in_channel[store] = (uint8_t)(transit ? store % network->shape.channels : 0);
        network->links.far_end[store] =
            (uint16_t)(transit ? store / network->shape.channels
                               : network->shape.ports + (store - network->shape.links) /
                                                            network->settings.injection_queues);
        network->offers.rows[store] =
            network->routing->signatures * (transit ? store : network->shape.links);
    }
    for (uint32_t port = 0; port < network->shape.ports && network->shape.narrow; port++)
        network->links.port_links[port] = ((UINT64_C(1) << network->shape.channels) - 1)
                                          << (port * network->shape.channels);
    for (size_t q = 0;
         q < (size_t)network->topology->endpoints * network->settings.injection_queues; q++)
        network->queues.injection_free[q] = (uint16_t)network->shape.injection_queue_places;
    network->watch.dead_queue = VEF_NONE;
}

void vef_network_begin(vef_network *network) {
    const uint64_t inputs = network->shape.inputs;
    for (uint32_t router = 0; router < network->topology->routers; router++) {
        if (!vef_network_holds(network, router))
            continue;
        set_router(network, router);
        if (!network->offers.shared) /* those of its queues */
            set_offers_from(network, router * inputs, (router + 1) * inputs);
    }
    network->begun = true;
}

static vef_code set_buffers(vef_network *network, vef_error *error) {
    const vef_buffer_settings buffer = vef_buffer_settings_of(&network->settings);
    vef_code code = vef_buffers_plan(&buffer, network->topology, network->routing,
                                     &network->links.plan, &network->queues.buffers, error);
    return code == VEF_OK ? vef_buffers_check(&network->queues.buffers, error) : code;
}

/* The configuration in cycles, and warnings about it. */
static void set_timing(vef_network *network) {
    const vef_resolved resolved = {&network->settings, network->topology, &network->links.plan,
                                   &network->queues.buffers};
    vef_netmodel *base = &network->base;
    base->timing.cycle_ns = vef_netmodel_cycle_ns(base);
    vef_resolved_timing(&resolved, &network->arena, &base->timing);
    if (vef_buffers_warn(&network->queues.buffers, network->warning)) {
        network->warnings[0] = network->warning;
        base->warnings = (vef_text_list){1, network->warnings};
    }
}

static void set_base(vef_network *network) {
    const vef_network_settings *settings = &network->settings;
    network->base = (vef_netmodel){
        .kind = network->base.kind, /* of the caller */
        .endpoints = network->topology->endpoints,
        .topology = network->topology,
        .bandwidth_bits_per_s = network->links.plan.fastest_bits_per_s,
        .phit_bytes = (uint32_t)settings->phit_bytes,
        .packet_phits = settings->packet_phits,
        .payload_bytes = network->sizes.payload_bytes,
        .header_bytes = settings->header_bytes,
        .injection_phits = settings->injection_queues,
        .traffic_classes = network->routing->traffic_classes,
        .reduction_packets = settings->reduction_group_slots,
        .seeded = true,
        .seed = settings->seed,
    };
}

vef_code vef_network_plan(const vef_network_settings *settings, vef_topology *topology,
                          vef_routing *routing, vef_network **made, vef_error *error) {
    *made = NULL;
    vef_network *network = vef_calloc(1, sizeof *network);
    pthread_mutex_init(&network->pools.lock, NULL); /* which does not fail for an ordinary mutex */
    network->topology = topology;
    network->routing = routing;
    network->settings = *settings;
    network->sizes = vef_settings_packets(settings);
    set_shape(network);
    vef_code code = vef_links_plan(&network->settings, network->topology, &network->arena,
                                   &network->links.plan, error);
    if (code == VEF_OK && network->settings.burst_bytes > 0 && network->links.plan.pace_count > 1)
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "link.burst: not supported with links of different bandwidths by model "
                        "router: expected model: flow");
    if (code == VEF_OK)
        code = set_buffers(network, error);
    if (code == VEF_OK)
        code = check_size(network, error);
    if (code == VEF_OK)
        *made = network;
    else
        vef_network_destroy(network);
    return code;
}

/* Whether no callback of a struct of policies is installed. */
static bool is_empty(const void *policies, size_t bytes) {
    static const unsigned char none[sizeof(vef_policies)];
    return memcmp(policies, none, bytes) == 0;
}

void vef_network_settle(vef_network *network) {
    vef_policies *policies = &network->policies;
    policies->fast = network->shape.narrow && network->shape.queues_each == 1 &&
                     policies->arbiter.rank != VEF_RANK_ARRIVAL &&
                     is_empty(&policies->full, sizeof policies->full);
    policies->unobserved = is_empty(&policies->moving, sizeof policies->moving);
}

void vef_network_build(vef_network *network) {
    set_block(network);
    set_offers(network);
    set_packets(network);
    take_memory(network);
    set_state(network);
    vef_network_set_parts(network, 1);
    set_base(network);
    set_timing(network);
}

void vef_network_destroy(vef_network *network) {
    if (!network)
        return;
    if (network->policies.moving.broadcast)
        network->policies.moving.broadcast->destroy(network);
    if (network->policies.moving.windows)
        network->policies.moving.windows->destroy(network);
    vef_routing_destroy(network->routing);
    vef_topology_destroy(network->topology);
    vef_network_release_parts(network);
    vef_ranks_release(network);
    pthread_mutex_destroy(&network->pools.lock);
    vef_arena_release(&network->arena);
    vef_blocks_release(&network->pools.messages, sizeof(vef_message));
    free(network);
}
