/* Broadcast packets in the core (netmodel/MODEL.md, "Broadcast"): at the front of its queue such a
 * packet requests every output that still needs a copy, and stays until the last copy has left. */
#include "netmodel/router/policy/copies.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static void destroy(vef_network *network) {
    vef_copies *copies = network->policies.copies;
    for (uint32_t i = 0; i < network->pools.unused[VEF_MESSAGES].untouched; i++)
        free(vef_message_at(network, i)->spread);
    vef_reductions_release(copies);
    vef_broadcast_release(&copies->broadcast);
    free(copies->pool);
    free(copies->packets);
    free(copies);
}

static uint64_t bytes(const vef_network *network) {
    const vef_copies *copies = network->policies.copies;
    return sizeof *copies + copies->untouched * copies->stride +
           network->pools.unused[VEF_PACKETS].untouched * sizeof *copies->packets;
}

static vef_code prepare(vef_network *network, vef_partition *part, const vef_net_message *given,
                        uint64_t packets, vef_message *message, vef_error *error) {
    const vef_copies *copies = network->policies.copies;
    const vef_broadcast *broadcast = &copies->broadcast;
    if (given->group > 0 &&
        (given->group >= broadcast->group_count ||
         vef_tree_member(broadcast->groups[given->group], given->source) == VEF_TREE_NONE))
        return vef_fail(error, VEF_INVALID, "endpoint %u is no member of group %u", given->source,
                        given->group);
    if (packets > UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "a message to all of %llu packets: expected at most %u",
                        (unsigned long long)packets, UINT32_MAX);
    if (given->contribution)
        return vef_reduction_prepare(network, part, given, (uint32_t)packets, message, error);
    const uint32_t members =
        given->group > 0 ? broadcast->groups[given->group]->member_count : network->base.endpoints;
    message->packets_out = packets * (members - 1u);
    if (packets <= 1 && given->group == 0)
        return VEF_OK;
    vef_spread *spread = vef_malloc(sizeof *spread + members * sizeof *spread->missing);
    *spread = (vef_spread){.group = given->group};
    for (uint32_t i = 0; i < members; i++)
        spread->missing[i] = (uint32_t)packets;
    message->spread = spread;
    return VEF_OK;
}

static bool deliver(const vef_network *network, const vef_message *message, uint32_t endpoint) {
    vef_spread *spread = message->spread;
    const uint32_t member =
        spread->group > 0
            ? vef_tree_member(network->policies.copies->broadcast.groups[spread->group], endpoint)
            : endpoint;
    return --spread->missing[member] == 0;
}

static void forget(const vef_network *network, vef_message *message) {
    if (message->spread->reduction)
        vef_reduction_end(network->policies.copies, message->spread->reduction);
    free(message->spread);
    message->spread = NULL;
}

static void enter(vef_network *network, uint32_t router, uint32_t number) {
    const vef_message *message = vef_message_at(network, vef_packet_at(network, number)->message);
    const vef_spread *spread = message->spread;
    vef_route *route = &network->policies.copies->packets[number].route;
    vef_broadcast_begin(&network->policies.copies->broadcast, spread ? spread->group : 0, router,
                        UINT32_MAX, route);
    if (!spread || !spread->reduction)
        return;
    const uint64_t payload = network->sizes.payload_bytes;
    const uint64_t entered = message->bytes - message->bytes_left;
    route->words[VEF_TREE_KIND_WORD] = VEF_TREE_CONTRIBUTED;
    vef_route_set_uint32(route, VEF_TREE_PACKET_WORD,
                         entered > 0 ? (uint32_t)((entered - 1) / payload) : 0);
}

static void attend(vef_network *network, uint32_t router, uint32_t store, uint32_t number) {
    vef_copies *copies = network->policies.copies;
    const uint32_t taken = copies->free != VEF_NONE ? copies->free : copies->untouched++;
    vef_copying *copying = vef_copying_at(copies, taken);
    if (taken == copies->free)
        copies->free = copying->next;
    copies->packets[number].copying = taken;
    *copying = (vef_copying){.router = router};
    memset(copying->left, 0, copies->words * sizeof *copying->left);
    copying->combines =
        copies->broadcast.climb &&
        copies->packets[number].route.words[VEF_TREE_KIND_WORD] == VEF_TREE_CONTRIBUTED;
    if (!copying->combines)
        vef_copying_list(network, copying, store, number);
}

static void ask_for(const vef_network *network, vef_partition *part, uint32_t input,
                    uint32_t output) {
    part->requests.asking[(size_t)output * network->shape.input_words + input / 64] |=
        UINT64_C(1) << input % 64;
    part->requests.outputs_asked[output / 64] |= UINT64_C(1) << output % 64;
}

/* Requests an output for the copy of one bit, if it is free and has room. */
static void request_copy(const vef_network *network, vef_partition *part, vef_router *state,
                         uint32_t input, const vef_candidate *candidates, uint32_t bit) {
    const vef_router_output *outputs = vef_outputs_of(network, state);
    if (bit >= network->shape.ports) {
        const uint32_t output =
            vef_network_free_ejection(network, state, bit - network->shape.ports);
        if (output != VEF_NONE)
            ask_for(network, part, input, output);
        return;
    }
    const uint32_t link = bit * network->shape.channels + candidates[bit].channel;
    if (outputs[bit].until_cycles <= part->now_cycles &&
        vef_credits(network, state, link) >= candidates[bit].slots_needed)
        ask_for(network, part, input, bit);
}

static void request(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                    uint32_t input) {
    const vef_copies *copies = network->policies.copies;
    vef_copying *copying = vef_copying_of(network, vef_queues_of(network, state)[input].head);
    if (copying->combines && !vef_reduction_combine(network, part, router, state, input, copying))
        return;
    const vef_candidate *candidates = vef_copying_candidates(copies, copying);
    for (uint32_t w = 0; w < copies->words; w++)
        for (uint64_t left = copying->left[w]; left != 0; left &= left - 1)
            request_copy(network, part, state, input, candidates, w * 64 + vef_bits_first(left));
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
    vef_copying *copying = vef_copying_of(network, number);
    vef_copies_packet *packets = network->policies.copies->packets;
    packets[made].route = packets[number].route;
    copying->left[port / 64] &= ~(UINT64_C(1) << port % 64);
    part->requests.chosen[input] =
        (uint16_t)(port * network->shape.channels +
                   vef_copying_candidates(network->policies.copies, copying)[port].channel);
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
    vef_copying *copying = vef_copying_of(network, number);
    const uint32_t local = (output - network->shape.ports) / network->settings.ejection_ports;
    const uint32_t bit = network->shape.ports + local;
    copying->left[bit / 64] &= ~(UINT64_C(1) << bit % 64);
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
    const uint32_t number = vef_queues_of(network, state)[input].head;
    const uint64_t time = output < network->shape.ports
                              ? send_copy(network, part, router, state, input, output, number)
                              : eject_copy(network, part, router, state, output, number);
    vef_router_output *granted = &vef_outputs_of(network, state)[output];
    granted->phits += vef_packet_at(network, number)->phits;
    granted->until_cycles = time;
    vef_copying_end_later(network, part, state, router, input, output, number, time);
    /* After the last copy the packet behind it may request an output when all have left. */
    if (--vef_copying_of(network, number)->waiting == 0)
        vef_copying_leave(network, state, input);
}

static bool end(vef_network *network, vef_partition *part, uint32_t number) {
    vef_copies *copies = network->policies.copies;
    vef_copying *copying = vef_copying_of(network, number);
    copying->under_way--;
    if (copying->under_way != 0 || copying->waiting != 0)
        return false;
    copying->next = copies->free;
    copies->free = copies->packets[number].copying;
    vef_network_free_packet(network, part, number);
    return true;
}

static vef_code allow(vef_network *network, vef_error *error) {
    static const vef_broadcast_policy broadcast = {prepare, enter,   attend, request, grant,
                                                   end,     deliver, forget, bytes,   destroy};
    if (network->policies.copies)
        return VEF_OK;
    vef_code code = vef_network_can_broadcast(&network->base, error);
    if (code != VEF_OK)
        return code;
    const size_t queues = (size_t)network->topology->routers * network->shape.inputs;
    const size_t packets = network->pools.packet_room;
    const uint32_t words = (network->shape.ports + network->shape.per_router + 63) / 64;
    vef_copies *copies = vef_calloc(1, sizeof *copies);
    copies->words = words;
    copies->stride = (sizeof(vef_copying) + words * sizeof(uint64_t) +
                      network->shape.ports * sizeof(vef_candidate) + 7) /
                     8 * 8;
    copies->pool = vef_malloc(queues * copies->stride);
    copies->packets = vef_malloc(packets * sizeof *copies->packets);
    copies->free = VEF_NONE;
    network->policies.copies = copies;
    network->policies.moving.broadcast = &broadcast;
    vef_network_settle(network);
    code = vef_broadcast_set(&copies->broadcast, network->topology, error);
    if (copies->broadcast.climb)
        vef_broadcast_add_group(&copies->broadcast, NULL, 0);
    return code;
}

void vef_broadcast_install(vef_network *network) {
    network->policies.allow_broadcast = allow;
}
