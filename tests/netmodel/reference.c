/* The rules of netmodel/MODEL.md, phit by phit. See reference.h and reference_state.h. */
#include "tests/netmodel/reference_state.h"

#include <assert.h>
#include <stdlib.h>

/* ---- memory ---- */

void *reference_take(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

void *reference_grow(void *memory, uint32_t count, uint32_t *room, size_t size) {
    if (count < *room)
        return memory;
    *room = *room ? 2 * *room : 64;
    memory = realloc(memory, *room * size);
    if (memory == NULL)
        abort();
    return memory;
}

/* ---- queues ---- */

void reference_push(queue *to, phit what) {
    assert(to->count < to->room);
    to->phits[(to->first + to->count++) % to->room] = what;
}

phit reference_pop(queue *from) {
    assert(from->count > 0);
    const phit what = from->phits[from->first];
    from->first = (from->first + 1) % from->room;
    from->count--;
    return what;
}

packet *reference_front(const reference *network, const queue *fifo) {
    return &network->packets[fifo->phits[fifo->first].packet];
}

uint32_t reference_places(const reference *network, uint32_t phits) {
    const uint32_t unit = network->config.unit_phits;
    return unit == 0 ? 1 : (phits + unit - 1) / unit;
}

/* ---- shape ---- */

uint32_t reference_far_router(const reference *network, uint32_t index, uint32_t port) {
    const vef_topology *topology = network->config.topology;
    return topology ? topology->neighbour[(size_t)index * topology->ports + port]
                    : reference_neighbour(&network->config.lattice, index, port);
}

uint32_t reference_far_port(const reference *network, uint32_t index, uint32_t port) {
    const vef_topology *topology = network->config.topology;
    return topology ? topology->reverse_port[(size_t)index * topology->ports + port] : port ^ 1U;
}

reference_link reference_link_of(const reference *network, uint32_t index, uint32_t port) {
    const reference_config *config = &network->config;
    return config->links
               ? config->links[(size_t)index * network->ports + port]
               : (reference_link){1, config->link_delay_cycles, config->credit_delay_cycles};
}

bool reference_arrived(const reference *network, const packet *head, uint32_t index) {
    const reference_routing *routing = &network->routing;
    return network->source[network->messages[head->message].destination].router == index &&
           (!routing->leaves || routing->leaves(routing->context, &head->route));
}

vef_place reference_place(const reference *network, uint32_t index, uint32_t memory) {
    vef_place place = {.router = index, .in_port = VEF_INJECTED};
    if (memory < network->transit_memories) {
        place.in_port = (uint16_t)(memory / network->routing.channels);
        place.in_channel = (uint8_t)(memory % network->routing.channels);
    }
    return place;
}

uint32_t reference_queue_for(const reference *network, uint32_t index, uint32_t memory,
                             const packet *head) {
    if (network->queues_each == 1)
        return memory;
    const source *to = &network->source[network->messages[head->message].destination];
    if (reference_arrived(network, head, index))
        return memory * network->queues_each + network->ports + to->local;
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = network->routing.candidates(
        network->routing.context, &head->route, reference_place(network, index, memory), offered);
    uint32_t first = 0;
    for (uint32_t k = 1; k < count; k++)
        if (offered[k].preference < offered[first].preference)
            first = k;
    return memory * network->queues_each + offered[first].port;
}

static void count_shape(reference *network) {
    const reference_config *config = &network->config;
    const vef_topology *topology = config->topology;
    network->routers = topology ? topology->routers : reference_routers(&config->lattice);
    network->ports = topology ? topology->ports : 2 * config->lattice.generators;
    network->endpoints =
        topology ? topology->endpoints : network->routers * config->endpoints_per_router;
    network->source = reference_take(network->endpoints, sizeof *network->source);
    uint32_t *hang = reference_take(network->routers, sizeof *hang);
    for (uint32_t e = 0; e < network->endpoints; e++) {
        source *s = &network->source[e];
        s->router = topology && topology->endpoint_router ? topology->endpoint_router[e]
                                                          : e / config->endpoints_per_router;
        s->local = hang[s->router]++;
        s->rng = vef_rng_make(config->seed, VEF_RNG_SOURCE, e);
        if (hang[s->router] > network->endpoints_per_router)
            network->endpoints_per_router = hang[s->router];
    }
    free(hang);
    network->transit_memories = network->ports * network->routing.channels;
    network->memories =
        network->transit_memories + network->endpoints_per_router * config->injection_queues;
    network->input_ports = network->ports + network->endpoints_per_router;
    network->queues_each = config->virtual_output_queues ? network->input_ports : 1;
    network->transit_queues = network->transit_memories * network->queues_each;
    network->queues = network->memories * network->queues_each;
    network->outputs = network->ports + network->endpoints_per_router * config->ejection_ports;
}

/* ---- construction ---- */

/* Channels by which packets can arrive at a port: those that the routing uses of the link's port at
 * the other end. */
static uint32_t channels_in(const reference *network, uint32_t index, uint32_t port) {
    if (reference_far_router(network, index, port) == VEF_NO_ROUTER)
        return 0;
    if (network->routing.port_channels == NULL)
        return network->routing.channels;
    return network->routing.port_channels[reference_far_port(network, index, port)];
}

/* MODEL.md, "Buffers": the default length of the queues at the end of a link. */
static uint32_t default_packets(const reference *network, const reference_link *link) {
    const uint32_t passage = network->config.packet_phits * link->cycles_per_phit;
    const uint32_t head_comes =
        network->config.router_delay_cycles + link->delay_cycles + link->cycles_per_phit - 1;
    const uint32_t round_trip = head_comes + passage + link->credit_delay_cycles;
    uint32_t packets = network->routing.least_queue_packets;
    for (uint32_t covered = 0; covered < round_trip; covered += passage)
        packets++;
    return packets > 4 ? packets : 4;
}

/* Whole times that `of` goes into `cycles`, or once more for a rest. */
static uint32_t times(uint32_t cycles, uint32_t owner, bool up) {
    uint32_t count = 0;
    for (; cycles >= owner; cycles -= owner)
        count++;
    return count + (up && cycles > 0);
}

/* MODEL.md, "Pause frames": the thresholds of a queue at the end of a link. Returns the places that
 * it needs. */
static uint32_t set_thresholds(const reference *network, const reference_link *link,
                               store *buffer) {
    const reference_config *config = &network->config;
    const uint32_t head_comes =
        config->router_delay_cycles + link->delay_cycles + link->cycles_per_phit - 1;
    const uint32_t trip = head_comes + link->credit_delay_cycles;
    buffer->pause_at = config->pause_at;
    buffer->pause_resume = config->pause_resume;
    if (buffer->pause_resume == 0 && buffer->pause_at > 0)
        buffer->pause_resume = buffer->pause_at <= 3 ? 1 : buffer->pause_at - 2;
    if (buffer->pause_resume == 0)
        buffer->pause_resume = times(trip, config->packet_phits * link->cycles_per_phit, true);
    if (buffer->pause_at == 0)
        buffer->pause_at = buffer->pause_resume + 2;
    const uint32_t apart =
        config->burst_phits > 0 ? 1 : reference_phits_with(config, 0) * link->cycles_per_phit;
    return buffer->pause_at + times(trip - 1, apart, false);
}

/* Places of a channel of a port. */
static uint32_t transit_places(const reference *network, uint32_t index, uint32_t port,
                               uint32_t channel) {
    const reference_config *config = &network->config;
    if (channel >= channels_in(network, index, port))
        return 0;
    const uint32_t place_phits = config->unit_phits ? config->unit_phits : config->packet_phits;
    if (config->per_port_phits)
        return config->per_port_phits / (place_phits * channels_in(network, index, port));
    if (config->per_router_phits) {
        uint32_t queues = 0;
        for (uint32_t p = 0; p < network->ports; p++)
            queues += channels_in(network, index, p);
        return config->per_router_phits / (place_phits * queues);
    }
    uint32_t packets = config->queue_packets;
    if (packets == 0) {
        const reference_link link =
            reference_link_of(network, reference_far_router(network, index, port),
                              reference_far_port(network, index, port));
        store unused;
        packets = config->pauses ? set_thresholds(network, &link, &unused)
                                 : default_packets(network, &link);
    }
    return packets * reference_places(network, config->packet_phits);
}

static void output_make(reference *network, uint32_t index, uint32_t o) {
    const reference_config *config = &network->config;
    output *out = &network->router[index].outputs[o];
    out->input = NONE;
    out->tokens = config->burst_phits;
    if (o >= network->ports)
        return;
    const reference_link link = reference_link_of(network, index, o);
    const uint32_t channels = network->routing.channels;
    const uint32_t other = reference_far_router(network, index, o);
    out->wire = reference_take(
        (link.cycles_per_phit + config->router_delay_cycles + link.delay_cycles + 1) *
            (1 + config->burst_phits),
        sizeof *out->wire);
    out->credits = reference_take(channels, sizeof *out->credits);
    out->places = reference_take(channels, sizeof *out->places);
    out->credits_due = reference_take(channels, sizeof *out->credits_due);
    out->credits_coming = reference_take(channels, sizeof *out->credits_coming);
    for (uint32_t c = 0; c < channels; c++) {
        const uint32_t places =
            other == VEF_NO_ROUTER
                ? 0
                : transit_places(network, other, reference_far_port(network, index, o), c);
        out->places[c] = places;
        out->credits[c] = config->pauses && places > 0 ? 1 : places;
        out->credits_due[c] = reference_take(places, sizeof **out->credits_due);
    }
}

static void router_make(reference *network, uint32_t index) {
    const reference_config *config = &network->config;
    router *r = &network->router[index];
    r->queues = reference_take(network->queues, sizeof *r->queues);
    r->memories = reference_take(network->memories, sizeof *r->memories);
    r->outputs = reference_take(network->outputs, sizeof *r->outputs);
    r->requests = reference_take(network->queues, sizeof *r->requests);
    r->input_ports = reference_take(network->input_ports, sizeof *r->input_ports);
    r->rng = vef_rng_make(config->seed, VEF_RNG_ROUTER, index);
    for (uint32_t m = 0; m < network->memories; m++)
        r->memories[m].places =
            m < network->transit_memories
                ? transit_places(network, index, m / network->routing.channels,
                                 m % network->routing.channels)
                : config->injection_queue_packets * reference_places(network, config->packet_phits);
    for (uint32_t m = 0; m < network->transit_memories; m++) {
        const uint32_t port = m / network->routing.channels;
        const uint32_t sender = reference_far_router(network, index, port);
        if (!config->pauses || sender == VEF_NO_ROUTER || r->memories[m].places == 0)
            continue;
        const reference_link link =
            reference_link_of(network, sender, reference_far_port(network, index, port));
        const uint32_t needed = set_thresholds(network, &link, &r->memories[m]);
        assert(r->memories[m].places >= needed);
    }
    for (uint32_t q = 0; q < network->queues; q++) {
        queue *input = &r->queues[q];
        input->memory = q / network->queues_each;
        input->output = NONE;
        input->absorbed = NONE;
        input->room = r->memories[input->memory].places * config->packet_phits;
        input->phits = reference_take(input->room, sizeof *input->phits);
    }
    for (uint32_t o = 0; o < network->outputs; o++)
        output_make(network, index, o);
}

reference *reference_new(const reference_config *config, const reference_routing *routing) {
    assert(config->router_delay_cycles + config->link_delay_cycles >= 1);
    reference *network = reference_take(1, sizeof *network);
    network->config = *config;
    network->routing = *routing;
    count_shape(network);
    network->router = reference_take(network->routers, sizeof *network->router);
    for (uint32_t r = 0; r < network->routers; r++)
        router_make(network, r);
    reference_pairs_make(network);
    if (config->trees) {
        bool *everybody = reference_take(network->endpoints, sizeof *everybody);
        for (uint32_t e = 0; e < network->endpoints; e++)
            everybody[e] = true;
        reference_add_group(network, everybody);
        free(everybody);
    }
    return network;
}

static void router_free(reference *network, router *r) {
    for (uint32_t q = 0; q < network->queues; q++) {
        reference_copies_free(&r->queues[q]);
        free(r->queues[q].phits);
    }
    for (uint32_t o = 0; o < network->outputs; o++) {
        output *out = &r->outputs[o];
        for (uint32_t c = 0; o < network->ports && c < network->routing.channels; c++)
            free(out->credits_due[c]);
        free(out->credits_due);
        free(out->credits_coming);
        free(out->credits);
        free(out->places);
        free(out->frames);
        free(out->wire);
    }
    free(r->queues);
    free(r->memories);
    free(r->outputs);
    free(r->requests);
    free(r->input_ports);
}

void reference_free(reference *network) {
    for (uint32_t r = 0; r < network->routers; r++)
        router_free(network, &network->router[r]);
    for (uint32_t e = 0; e < network->endpoints; e++)
        free(network->source[e].messages);
    free(network->router);
    free(network->source);
    for (uint32_t m = 0; m < network->message_count; m++) {
        free(network->messages[m].copy_packets);
        free(network->messages[m].copy_cycles);
    }
    reference_groups_free(network);
    free(network->pairs);
    free(network->notices);
    free(network->packets);
    free(network->messages);
    free(network);
}

/* ---- messages ---- */

uint64_t reference_payload(const reference_config *config) {
    return config->mtu_bytes
               ? config->mtu_bytes
               : (uint64_t)config->packet_phits * config->phit_bytes - config->header_bytes;
}

/* One phit after the other. */
uint32_t reference_phits_with(const reference_config *config, uint64_t payload) {
    uint32_t phits = 1;
    while ((uint64_t)phits * config->phit_bytes < config->header_bytes + payload)
        phits++;
    return phits;
}

uint32_t reference_inject(reference *network, uint32_t from, uint32_t destination, uint64_t bytes,
                          uint64_t time_cycles) {
    const bool to_all = destination == VEF_TO_ALL;
    assert(time_cycles >= network->now && from < network->endpoints &&
           (to_all || destination < network->endpoints));
    const uint32_t id = network->message_count;
    network->messages =
        reference_grow(network->messages, id, &network->message_room, sizeof *network->messages);
    const uint64_t payload = reference_payload(&network->config);
    const uint64_t packets = bytes == 0 ? 1 : (bytes + payload - 1) / payload;
    network->messages[id] = (reference_message){.source = from,
                                                .destination = destination,
                                                .bytes = bytes,
                                                .time_cycles = time_cycles,
                                                .packets = (uint32_t)packets};
    if (to_all) {
        reference_message *made = &network->messages[id];
        made->receivers = network->endpoints - 1;
        made->copy_packets = reference_take(network->endpoints, sizeof *made->copy_packets);
        made->copy_cycles = reference_take(network->endpoints, sizeof *made->copy_cycles);
    }
    network->message_count++;
    network->pending++;
    source *s = &network->source[from];
    s->messages = reference_grow(s->messages, s->count, &s->room, sizeof *s->messages);
    uint32_t k = s->count++;
    for (; k > 0 && network->messages[s->messages[k - 1]].time_cycles > time_cycles; k--)
        s->messages[k] = s->messages[k - 1];
    /* A message under way is not overtaken: its time is past. */
    assert(k == s->count - 1 || network->messages[s->messages[k + 1]].packets_sent == 0);
    s->messages[k] = id;
    return id;
}

void reference_set_class(reference *network, uint32_t message, uint8_t traffic_class) {
    network->messages[message].traffic_class = traffic_class;
}

uint32_t reference_new_packet(reference *network) {
    network->packets = reference_grow(network->packets, network->packet_count,
                                      &network->packet_room, sizeof *network->packets);
    return network->packet_count++;
}

uint32_t reference_cycle(reference *network) {
    uint32_t moved = 0;
    for (uint32_t r = 0; r < network->routers; r++)
        for (uint32_t port = 0; port < network->ports; port++)
            reference_due(network, r, port);
    reference_notices(network);
    for (uint32_t e = 0; e < network->endpoints; e++)
        reference_injection(network, e);
    for (uint32_t r = 0; r < network->routers; r++)
        reference_choose_routes(network, r, false);
    for (uint32_t r = 0; r < network->routers; r++)
        reference_choose_routes(network, r, true);
    for (uint32_t r = 0; r < network->routers; r++) {
        reference_requests(network, r);
        reference_grants(network, r);
    }
    for (uint32_t r = 0; r < network->routers; r++)
        moved += reference_movement(network, r);
    network->now++;
    return moved;
}

/* ---- looking in ---- */

uint64_t reference_now(const reference *network) {
    return network->now;
}

uint32_t reference_pending(const reference *network) {
    return network->pending;
}

const reference_message *reference_get(const reference *network, uint32_t message) {
    assert(message < network->message_count);
    return &network->messages[message];
}

reference_counts reference_count(const reference *network) {
    return network->counts;
}

uint64_t reference_busy_cycles(const reference *network, uint32_t index, uint32_t port) {
    return network->router[index].outputs[port].busy_cycles;
}

uint32_t reference_most_held(const reference *network, uint32_t index, uint32_t port,
                             uint32_t channel) {
    return network->router[index].memories[port * network->routing.channels + channel].most_taken;
}

uint64_t reference_phits_inside(const reference *network) {
    uint64_t phits = 0;
    for (uint32_t r = 0; r < network->routers; r++) {
        for (uint32_t q = 0; q < network->queues; q++)
            phits += network->router[r].queues[q].count;
        for (uint32_t port = 0; port < network->ports; port++)
            phits += network->router[r].outputs[port].wire_count;
    }
    return phits;
}

/* Places of packets sent to a channel whose head is not yet in the queue at the other end. */
static uint32_t places_under_way(const reference *network, const output *out, uint32_t channel) {
    uint32_t places = 0;
    for (uint32_t k = 0; k < out->wire_count; k++)
        if (out->wire[k].phit.number == 0 && out->wire[k].channel == channel)
            places += reference_places(network, network->packets[out->wire[k].phit.packet].phits);
    return places;
}

bool reference_is_consistent(const reference *network) {
    const uint32_t channels = network->routing.channels;
    for (uint32_t r = 0; r < network->routers; r++) {
        const router *here = &network->router[r];
        for (uint32_t m = 0; m < network->memories; m++)
            if (here->memories[m].taken > here->memories[m].places)
                return false;
        for (uint32_t port = 0; port < network->ports; port++) {
            const uint32_t other = reference_far_router(network, r, port);
            if (other == VEF_NO_ROUTER)
                continue;
            const uint32_t other_port = reference_far_port(network, r, port);
            const output *out = &here->outputs[port];
            for (uint32_t c = 0; c < channels; c++) {
                const store *to = &network->router[other].memories[other_port * channels + c];
                if (out->credits[c] + out->credits_coming[c] + to->taken +
                        places_under_way(network, out, c) !=
                    to->places)
                    return false;
            }
        }
    }
    return true;
}
