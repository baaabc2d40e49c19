/* Reductions in the core (netmodel/MODEL.md, "Reduction"): in each router of a group's tree the
 * contributions of its members and children meet, packet by packet. All but the last are read into
 * a slot and are gone; the last goes on for all. In the root it becomes the result, which is copied
 * like a broadcast packet.
 *
 * A group has slots in the routers of its tree for as many packets as its reductions that are not
 * complete have, so no contribution waits for a slot: it waits for the link up alone, and the proof
 * for copies (deadlock/prove.c) holds. */
#include "netmodel/router/policy/copies.h"

#include "common/memory.h"

#include <stdlib.h>

/* ---- groups ---- */

/* Refuses networks whose routers cannot combine packets. */
static vef_code can_reduce(const vef_network *network, vef_error *error) {
    const vef_network_settings *settings = &network->settings;
    vef_code code = vef_network_can_broadcast(&network->base, error);
    if (code != VEF_OK)
        return code;
    vef_broadcast broadcast;
    code = vef_broadcast_set(&broadcast, network->topology, error);
    char list[256] = "";
    for (size_t i = 0; vef_climbs[i]; i++)
        vef_append(list, sizeof list, "%s%s", i ? "; " : "", vef_climbs[i]->summary);
    if (code == VEF_OK && !broadcast.climb)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "topology %s does not support groups in the network: expected %s",
                        network->topology->family->name, list);
    const char *other = network->policies.moving.windows ? "windows of congestion control"
                        : settings->burst_bytes > 0      ? "link.burst"
                                                         : NULL;
    if (code == VEF_OK && other)
        return vef_fail(error, VEF_UNSUPPORTED, "reduction in the network not supported with %s",
                        other);
    return code;
}

/* The routers of a tree reserve slots, if all have them. */
static vef_code reserve(vef_network *network, uint32_t number, vef_error *error) {
    vef_copies *copies = network->policies.copies;
    const vef_group_tree *tree = copies->broadcast.groups[number];
    const uint32_t each = network->settings.reduction_group_slots;
    if (!copies->slots_taken)
        copies->slots_taken = vef_calloc(network->topology->routers, sizeof *copies->slots_taken);
    for (uint32_t i = 0; i < tree->node_count; i++)
        if (copies->slots_taken[tree->nodes[i].router] + each > network->settings.reduction_slots)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "router.reduction.slots: the groups before have taken %u of %u slots "
                            "of router %u: another one needs %u",
                            copies->slots_taken[tree->nodes[i].router],
                            network->settings.reduction_slots, tree->nodes[i].router, each);
    for (uint32_t i = 0; i < tree->node_count; i++)
        copies->slots_taken[tree->nodes[i].router] += each;
    return VEF_OK;
}

vef_code vef_network_add_group(vef_netmodel *base, const uint32_t *endpoints, uint32_t count,
                               bool reduces, uint32_t *group, vef_error *error) {
    vef_network *network = (vef_network *)base;
    vef_code code = can_reduce(network, error);
    if (code != VEF_OK || count == 0)
        return code;
    code = network->policies.allow_broadcast(network, error);
    for (uint32_t i = 0; i < count && code == VEF_OK; i++)
        if (endpoints[i] >= base->endpoints)
            code = vef_fail(error, VEF_INVALID,
                            "endpoint %u: out of range: the network has %u endpoints", endpoints[i],
                            base->endpoints);
    if (code != VEF_OK)
        return code;
    vef_copies *copies = network->policies.copies;
    if (count < 2)
        return vef_fail(error, VEF_INVALID, "a group of one endpoint: expected at least two");
    *group = vef_broadcast_add_group(&copies->broadcast, endpoints, count);
    copies->open_packets =
        vef_realloc(copies->open_packets, (*group + (size_t)1) * sizeof *copies->open_packets);
    copies->open_packets[*group] = reduces ? 0 : UINT32_MAX;
    return reduces ? reserve(network, *group, error) : VEF_OK;
}

/* ---- messages ---- */

static vef_reduction *find(const vef_copies *copies, uint32_t group, uint64_t id) {
    vef_reduction *reduction = copies->reductions;
    while (reduction && (reduction->group != group || reduction->id != id))
        reduction = reduction->next;
    return reduction;
}

/* The message of a result, and its spread. */
static void make_result(vef_network *network, vef_partition *part, const vef_net_message *given,
                        vef_reduction *reduction) {
    const vef_group_tree *tree = network->policies.copies->broadcast.groups[given->group];
    vef_spread *spread = vef_malloc(sizeof *spread + tree->member_count * sizeof *spread->missing);
    *spread = (vef_spread){.group = given->group, .reduction = reduction};
    for (uint32_t i = 0; i < tree->member_count; i++)
        spread->missing[i] = reduction->packets;
    const uint64_t receivers = given->destination == VEF_TO_ALL ? tree->member_count : 1;
    reduction->result = vef_network_take_message(network, part);
    *vef_message_at(network, reduction->result) =
        (vef_message){.id = given->id,
                      .bytes = given->bytes,
                      .packets_out = reduction->packets * receivers,
                      .source = given->source,
                      .destination = VEF_TO_ALL,
                      .traffic_class = given->traffic_class,
                      .spread = spread};
}

static vef_reduction *make_reduction(vef_network *network, vef_partition *part,
                                     const vef_net_message *given, uint32_t packets) {
    vef_copies *copies = network->policies.copies;
    const vef_group_tree *tree = copies->broadcast.groups[given->group];
    const size_t items = (size_t)tree->node_count * packets;
    vef_reduction *made = vef_calloc(1, sizeof *made);
    *made = (vef_reduction){.next = copies->reductions,
                            .id = given->id,
                            .group = given->group,
                            .packets = packets,
                            .receiver = given->destination};
    made->left = vef_malloc(items * sizeof *made->left);
    for (size_t i = 0; i < items; i++)
        made->left[i] = vef_tree_contributions(&tree->nodes[i / packets]);
    if (network->links.lines) {
        const size_t lines = items * network->links.plan.pace_count;
        made->lines = vef_malloc(lines * sizeof *made->lines);
        for (size_t i = 0; i < lines; i++)
            made->lines[i] = INT64_MIN;
    }
    make_result(network, part, given, made);
    copies->reductions = made;
    copies->open_packets[given->group] += packets;
    return made;
}

vef_code vef_reduction_prepare(vef_network *network, vef_partition *part,
                               const vef_net_message *given, uint32_t packets, vef_message *message,
                               vef_error *error) {
    const vef_copies *copies = network->policies.copies;
    vef_reduction *reduction = find(copies, given->group, given->id);
    const uint32_t most = network->settings.reduction_group_slots;
    if (given->group == 0 || copies->open_packets[given->group] == UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "group %u does not reduce", given->group);
    if (!reduction && (packets > most || copies->open_packets[given->group] > most - packets))
        return vef_fail(error, VEF_INVALID,
                        "a reduction of %u packets in group %u, which has %u of %u slots in use",
                        packets, given->group, copies->open_packets[given->group], most);
    if (reduction && reduction->packets != packets)
        return vef_fail(error, VEF_INVALID,
                        "a contribution of %u packets to a reduction of %u packets", packets,
                        reduction->packets);
    if (!reduction)
        reduction = make_reduction(network, part, given, packets);
    vef_message *result = vef_message_at(network, reduction->result);
    if (result->time_cycles < given->time_cycles)
        result->time_cycles = given->time_cycles;
    message->destination = VEF_TO_ALL;
    message->spread = vef_malloc(sizeof *message->spread);
    *message->spread = (vef_spread){.group = given->group, .reduction = reduction};
    return VEF_OK;
}

static void release(vef_reduction *reduction) {
    free(reduction->left);
    free(reduction->lines);
    free(reduction);
}

void vef_reduction_end(vef_copies *copies, vef_reduction *reduction) {
    vef_reduction **link = &copies->reductions;
    while (*link != reduction)
        link = &(*link)->next;
    *link = reduction->next;
    copies->open_packets[reduction->group] -= reduction->packets;
    release(reduction);
}

void vef_reductions_release(vef_copies *copies) {
    while (copies->reductions) {
        vef_reduction *next = copies->reductions->next;
        release(copies->reductions);
        copies->reductions = next;
    }
    free(copies->open_packets);
    free(copies->slots_taken);
}

/* ---- packets ---- */

/* The phits of the packet that goes on are there when those of all have come. */
static void merge_lines(const vef_network *network, vef_reduction *reduction, size_t item,
                        uint32_t number) {
    const uint32_t paces = network->links.plan.pace_count;
    for (uint32_t k = 0; reduction->lines && k < paces; k++) {
        int64_t *own = &network->links.lines[(size_t)number * paces + k];
        int64_t *latest = &reduction->lines[item * paces + k];
        *latest = *own > *latest ? *own : *latest;
        *own = *latest;
    }
}

/* A packet of a contribution goes on no more. */
static void end_contribution(vef_network *network, vef_partition *part, uint32_t number) {
    vef_message *message = vef_message_at(network, number);
    if (--message->packets_out > 0)
        return;
    free(message->spread);
    message->spread = NULL;
    vef_network_put_unused(network, part, VEF_MESSAGES, number, &message->next);
}

bool vef_reduction_combine(vef_network *network, vef_partition *part, uint32_t router,
                           vef_router *state, uint32_t input, vef_copying *copying) {
    vef_copies *copies = network->policies.copies;
    const uint32_t number = vef_queues_of(network, state)[input].head;
    vef_packet *packet = vef_packet_at(network, number);
    vef_route *route = &copies->packets[number].route;
    const vef_tree_node *node = vef_broadcast_node(&copies->broadcast, route);
    vef_reduction *reduction = vef_message_at(network, packet->message)->spread->reduction;
    const size_t item = (size_t)vef_route_uint32(route, VEF_TREE_NODE_WORD) * reduction->packets +
                        vef_route_uint32(route, VEF_TREE_PACKET_WORD);
    copying->combines = false;
    merge_lines(network, reduction, item, number);
    if (--reduction->left[item] > 0) {
        /* Any ejection port is as fast as the slot. */
        const uint64_t time =
            vef_network_crossed(network, part, router, network->shape.ports, number);
        vef_copying_leave(network, state, input);
        vef_copying_end_later(network, part, state, router, input, VEF_UNMATCHED, number, time);
        end_contribution(network, part, packet->message);
        return false;
    }
    if (node->parent == VEF_TREE_NONE) {
        end_contribution(network, part, packet->message);
        packet->message = reduction->result;
        route->words[VEF_TREE_KIND_WORD] = VEF_TREE_RESULT;
        if (reduction->receiver != VEF_TO_ALL)
            vef_route_set_uint32(
                route, VEF_TREE_RECEIVER_WORD,
                vef_tree_leaf(vef_broadcast_tree(&copies->broadcast, route),
                              network->queues.endpoints[reduction->receiver].router));
    }
    vef_copying_list(network, copying, vef_store_of(network, input), number);
    return true;
}
