/* Broadcast packets in the core (netmodel/MODEL.md, "Broadcast"): at the front of its queue such a
 * packet requests every output that still needs a copy, and stays until the last copy has left. */
#include "netmodel/router/policy/install.h"

#include "common/memory.h"
#include "netmodel/routing/broadcast/broadcast.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COPY_ENDPOINTS = 64 }; /* of a router */

/* A broadcast packet that has reached the front of its queue. */
typedef struct vef_copying {
    uint64_t endpoints; /* of its router, that still need a copy: a bit for each */
    uint32_t branches;  /* likewise of `to` */
    uint32_t under_way; /* copies granted whose tails have not left */
    uint32_t router;
    uint32_t next; /* in the free list */
    vef_candidate to[VEF_MAX_BRANCHES];
} vef_copying;

/* What a broadcast packet has besides its vef_packet. */
typedef struct vef_copies_packet {
    vef_route route;
    uint32_t copying; /* undefined until it is at the front of its queue */
} vef_copies_packet;

typedef struct vef_copies {
    vef_broadcast broadcast;
    vef_copies_packet *packets; /* by packet; undefined for other packets */
    vef_copying *pool; /* one for each queue of the network, in the order of their first use */
    uint32_t untouched, free;
} vef_copies;

vef_code vef_network_can_broadcast(const vef_netmodel *base, vef_error *error) {
    const vef_network *network = (const vef_network *)base;
    const vef_policy_name *arbiter = network->settings.arbiter;
    if (network->policies.full.match)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "router.arbiter: %s not supported with broadcast in the network, which sends "
            "copies by several outputs at once: expected random, round-robin, oldest, fifo, "
            "arrival or "
            "longest",
            arbiter->name);
    if (network->settings.virtual_output_queues || network->settings.unit_phits > 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "broadcast in the network not supported with %s: a broadcast packet is in one "
            "queue for several outputs, in one place",
            network->settings.virtual_output_queues ? "router.virtual_output_queues"
                                                    : "router.buffer.unit_phits");
    if (network->shape.per_router > MOST_COPY_ENDPOINTS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "routers have up to %u endpoints: out of range: broadcast in the network "
                        "supports at most %d",
                        network->shape.per_router, MOST_COPY_ENDPOINTS);
    vef_broadcast broadcast;
    vef_code code = vef_broadcast_set(&broadcast, network->topology, error);
    return code == VEF_OK ? vef_broadcast_check(&broadcast, network->routing, error) : code;
}

static void destroy(vef_network *network) {
    for (uint32_t i = 0; i < network->pools.messages_untouched; i++)
        free(network->pools.messages[i].missing);
    free(network->policies.copies->pool);
    free(network->policies.copies->packets);
    free(network->policies.copies);
}

static uint64_t bytes(const vef_network *network) {
    const vef_copies *copies = network->policies.copies;
    return sizeof *copies + copies->untouched * sizeof *copies->pool +
           network->pools.unused.untouched * sizeof *copies->packets;
}

static uint64_t first_bits(uint32_t count) {
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* Of a packet that has been at the front of its queue. */
static vef_copying *copying_of(const vef_network *network, uint32_t number) {
    return &network->policies.copies->pool[network->policies.copies->packets[number].copying];
}

static void enter(vef_network *network, uint32_t router, uint32_t number) {
    vef_broadcast_begin(&network->policies.copies->broadcast, router, UINT32_MAX,
                        &network->policies.copies->packets[number].route);
}

static void attend(vef_network *network, uint32_t router, uint32_t input, uint32_t number) {
    vef_copies *copies = network->policies.copies;
    const uint32_t taken = copies->free != VEF_NONE ? copies->free : copies->untouched++;
    vef_copying *copying = &copies->pool[taken];
    if (taken == copies->free)
        copies->free = copying->next;
    const vef_packet *packet = vef_packet_at(network, number);
    copies->packets[number].copying = taken;
    const vef_routing *routing = network->routing;
    const vef_place place = {router, network->links.in_port[input],
                             network->links.in_channel[input]};
    vef_branch branches[VEF_MAX_BRANCHES];
    const uint32_t count =
        vef_broadcast_branches(&copies->broadcast, &copies->packets[number].route, place, branches);
    for (uint32_t i = 0; i < count; i++)
        copying->to[i] = routing->algorithm->straight->escape(routing, place, branches[i].port,
                                                              branches[i].hops);
    copying->branches = (uint32_t)first_bits(count);
    copying->endpoints = 0;
    copying->under_way = 0;
    copying->router = router;
    const uint32_t source = network->pools.messages[packet->message].source;
    const uint32_t *here = network->queues.endpoint_at + (size_t)router * network->shape.per_router;
    for (uint32_t local = 0; local < network->shape.per_router; local++)
        if (here[local] != VEF_NONE && here[local] != source)
            copying->endpoints |= UINT64_C(1) << local;
    assert(copying->branches != 0 || copying->endpoints != 0);
}

static void ask_for(const vef_network *network, vef_partition *part, uint32_t input,
                    uint32_t output) {
    part->requests.asking[(size_t)output * network->shape.input_words + input / 64] |=
        UINT64_C(1) << input % 64;
    part->requests.outputs_asked[output / 64] |= UINT64_C(1) << output % 64;
}

static void request(vef_network *network, vef_partition *part, vef_router *state, uint32_t input) {
    const uint32_t number = vef_queues_of(network, state)[input].head;
    const vef_copying *copying = copying_of(network, number);
    const vef_router_output *outputs = vef_outputs_of(network, state);
    for (uint64_t left = copying->branches; left != 0; left &= left - 1) {
        const vef_candidate to = copying->to[vef_bits_first(left)];
        const uint32_t link = to.port * network->shape.channels + to.channel;
        if (outputs[to.port].until_cycles <= part->now_cycles &&
            vef_credits(network, state, link) >= to.slots_needed)
            ask_for(network, part, input, to.port);
    }
    for (uint64_t left = copying->endpoints; left != 0; left &= left - 1) {
        const uint32_t output = vef_network_free_ejection(network, state, vef_bits_first(left));
        if (output != VEF_NONE)
            ask_for(network, part, input, output);
    }
}

/* Sends a copy of packet `number` by `port`; returns when its tail has crossed. */
static uint64_t send_copy(vef_network *network, vef_partition *part, uint32_t router,
                          vef_router *state, uint32_t input, uint32_t port, uint32_t number) {
    const uint32_t made = vef_network_take_packet(network, part);
    vef_packet *copy = vef_packet_at(network, made);
    memcpy(copy, vef_packet_at(network, number), network->pools.packet_stride);
    copy->next = VEF_NONE;
    if (network->policies.moving.windows)
        network->policies.moving.windows->enter(network, NULL, VEF_NONE, made);
    vef_copying *copying = copying_of(network, number);
    vef_copies_packet *packets = network->policies.copies->packets;
    packets[made].route = packets[number].route;
    uint32_t branch = 0;
    while (!(copying->branches >> branch & 1) || copying->to[branch].port != port)
        branch++;
    copying->branches &= ~(1u << branch);
    part->requests.chosen[input] =
        (uint16_t)(port * network->shape.channels + copying->to[branch].channel);
    vef_broadcast_advance(&network->policies.copies->broadcast, &packets[made].route,
                          (uint16_t)port);
    copy->hops++;
    if (network->links.ways)
        network->links.ways[made] = network->links.ways[number];
    if (network->policies.full.links)
        network->policies.full.links->copy(network, made, number);
    const uint64_t time = vef_network_crossed(network, part, router, port, made);
    vef_network_send(network, part, router, state, part->requests.chosen[input], made);
    return time;
}

/* Delivers a copy of packet `number` to an endpoint; returns when its tail is consumed. */
static uint64_t eject_copy(vef_network *network, const vef_partition *part, uint32_t router,
                           vef_router *state, uint32_t output, uint32_t number) {
    vef_copying *copying = copying_of(network, number);
    const uint32_t local = (output - network->shape.ports) / network->settings.ejection_ports;
    copying->endpoints &= ~(UINT64_C(1) << local);
    vef_network_take_ejection_port(network, state, local, output);
    if (!network->links.lines)
        return vef_network_crossed(network, part, router, output, number);
    /* The phits of other copies do not wait for those of this one. */
    int64_t lines[VEF_MOST_PACES],
        *kept = network->links.lines + (size_t)number * network->links.plan.pace_count;
    memcpy(lines, kept, network->links.plan.pace_count * sizeof *lines);
    const uint64_t time = vef_network_crossed(network, part, router, output, number);
    memcpy(kept, lines, network->links.plan.pace_count * sizeof *lines);
    return time;
}

static void grant(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                  uint32_t input, uint32_t output) {
    vef_queue *queue = &vef_queues_of(network, state)[input];
    const uint32_t number = queue->head;
    const uint64_t time = output < network->shape.ports
                              ? send_copy(network, part, router, state, input, output, number)
                              : eject_copy(network, part, router, state, output, number);
    const vef_packet *packet = vef_packet_at(network, number);
    vef_copying *copying = copying_of(network, number);
    copying->under_way++;
    vef_router_output *granted = &vef_outputs_of(network, state)[output];
    granted->phits += packet->phits;
    granted->until_cycles = time;
    vef_calendar_entry *event = vef_calendar_add(&part->ends, time);
    event->router = router;
    event->packet = number;
    event->input = (uint16_t)(input | VEF_COPY_ENDS);
    event->output = (uint16_t)output;
    event->passing_cycles = (uint16_t)(time - part->now_cycles);
    vef_network_set_sender(network, state, vef_store_of(network, input), event);
    if (copying->branches != 0 || copying->endpoints != 0)
        return;
    /* The last copy: the packet behind it may request an output when all have left. */
    vef_network_set_reading(network, state, input, true);
    if (packet->next == VEF_NONE)
        vef_filled_of(state)[input / 64] &= ~(UINT64_C(1) << input % 64);
    queue->head = packet->next;
    queue->offer = VEF_NONE;
}

static bool end(vef_network *network, vef_partition *part, uint32_t number) {
    vef_copies *copies = network->policies.copies;
    vef_copying *copying = copying_of(network, number);
    copying->under_way--;
    if (copying->under_way != 0 || copying->branches != 0 || copying->endpoints != 0)
        return false;
    copying->next = copies->free;
    copies->free = copies->packets[number].copying;
    vef_network_free_packet(network, part, number);
    return true;
}

static vef_code allow(vef_network *network, vef_error *error) {
    static const vef_broadcast_policy broadcast = {enter, attend, request, grant,
                                                   end,   bytes,  destroy};
    if (network->policies.copies)
        return VEF_OK;
    vef_code code = vef_network_can_broadcast(&network->base, error);
    if (code != VEF_OK)
        return code;
    const size_t queues = (size_t)network->topology->routers * network->shape.inputs;
    const size_t packets = network->pools.packet_room;
    vef_copies *copies = vef_calloc(1, sizeof *copies);
    copies->pool = vef_malloc(queues * sizeof *copies->pool);
    copies->packets = vef_malloc(packets * sizeof *copies->packets);
    copies->free = VEF_NONE;
    network->policies.copies = copies;
    network->policies.moving.broadcast = &broadcast;
    vef_network_settle(network);
    return vef_broadcast_set(&copies->broadcast, network->topology, error);
}

void vef_broadcast_install(vef_network *network) {
    network->policies.allow_broadcast = allow;
}
