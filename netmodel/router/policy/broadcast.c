/* Broadcast packets in the core (netmodel/MODEL.md, "Broadcast"): at the front of its queue such a
 * packet requests every output that still needs a copy, and stays until the last copy has left. */
#include "netmodel/router/policy/copies.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

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
    vef_broadcast broadcast;
    vef_code code = vef_broadcast_set(&broadcast, network->topology, error);
    return code == VEF_OK ? vef_broadcast_check(&broadcast, network->routing, error) : code;
}

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

/* Of a packet that has been at the front of its queue. */
static vef_copying *copying_of(const vef_network *network, uint32_t number) {
    const vef_copies *copies = network->policies.copies;
    return vef_copying_at(copies, copies->packets[number].copying);
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

static void add_copy(vef_copying *copying, uint32_t bit) {
    copying->left[bit / 64] |= UINT64_C(1) << bit % 64;
    copying->waiting++;
}

/* The endpoints of a router that need a copy: of a lattice, all but the source. */
static void list_all_endpoints(const vef_network *network, vef_copying *copying, uint32_t source) {
    const uint32_t *here =
        network->queues.endpoint_at + (size_t)copying->router * network->shape.per_router;
    for (uint32_t local = 0; local < network->shape.per_router; local++)
        if (here[local] != VEF_NONE && here[local] != source)
            add_copy(copying, network->shape.ports + local);
}

/* In a tree members: of a copied packet all but the source, of a result those that receive it. */
static void list_members(const vef_network *network, vef_copying *copying, const vef_route *route,
                         const vef_message *message) {
    const vef_broadcast *broadcast = &network->policies.copies->broadcast;
    const vef_group_tree *tree = vef_broadcast_tree(broadcast, route);
    const vef_tree_node *node = vef_broadcast_node(broadcast, route);
    const vef_tree_kind kind = (vef_tree_kind)route->words[VEF_TREE_KIND_WORD];
    for (uint32_t i = 0; kind != VEF_TREE_CONTRIBUTED && i < node->member_count; i++) {
        const uint32_t endpoint = tree->at_nodes[node->first_member + i];
        const uint32_t receiver =
            kind == VEF_TREE_RESULT ? message->spread->reduction->receiver : VEF_TO_ALL;
        if (kind == VEF_TREE_COPIED ? endpoint != message->source
                                    : receiver == VEF_TO_ALL || receiver == endpoint)
            add_copy(copying, network->shape.ports + network->queues.endpoints[endpoint].local);
    }
}

void vef_copying_list(vef_network *network, vef_copying *copying, uint32_t store, uint32_t number) {
    vef_copies *copies = network->policies.copies;
    const vef_route *route = &copies->packets[number].route;
    const vef_place place = {copying->router, network->links.in_port[store],
                             network->links.in_channel[store]};
    vef_candidate *candidates = vef_copying_candidates(copies, copying);
    vef_branch branches[VEF_MAX_BRANCHES];
    const uint32_t count = vef_broadcast_branches(&copies->broadcast, route, place, branches);
    for (uint32_t i = 0; i < count; i++) {
        candidates[branches[i].port] =
            vef_broadcast_escape(&copies->broadcast, network->routing, place, branches[i]);
        add_copy(copying, branches[i].port);
    }
    const vef_message *message = vef_message_at(network, vef_packet_at(network, number)->message);
    if (copies->broadcast.climb)
        list_members(network, copying, route, message);
    else
        list_all_endpoints(network, copying, message->source);
    assert(copying->waiting > 0);
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
    vef_copying *copying = copying_of(network, vef_queues_of(network, state)[input].head);
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
    vef_copying *copying = copying_of(network, number);
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
    vef_copying *copying = copying_of(network, number);
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

void vef_copying_leave(vef_network *network, vef_router *state, uint32_t input) {
    vef_queue *queue = &vef_queues_of(network, state)[input];
    const vef_packet *packet = vef_packet_at(network, queue->head);
    vef_network_set_reading(network, state, input, true);
    if (packet->next == VEF_NONE)
        vef_filled_of(state)[input / 64] &= ~(UINT64_C(1) << input % 64);
    queue->head = packet->next;
    queue->offer = VEF_NONE;
}

void vef_copying_end_later(vef_network *network, vef_partition *part, vef_router *state,
                           uint32_t router, uint32_t input, uint32_t output, uint32_t number,
                           uint64_t time_cycles) {
    copying_of(network, number)->under_way++;
    vef_calendar_entry *event = vef_calendar_add(&part->ends, time_cycles);
    event->router = router;
    event->packet = number;
    event->input = (uint16_t)(input | VEF_COPY_ENDS);
    event->output = (uint16_t)output;
    event->passing_cycles = (uint16_t)(time_cycles - part->now_cycles);
    vef_network_set_sender(network, state, vef_store_of(network, input), event);
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
    if (--copying_of(network, number)->waiting == 0)
        vef_copying_leave(network, state, input);
}

static bool end(vef_network *network, vef_partition *part, uint32_t number) {
    vef_copies *copies = network->policies.copies;
    vef_copying *copying = copying_of(network, number);
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
