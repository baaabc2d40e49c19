/* What becomes of a packet that a router copies, or combines, at the front of its queue. */
#include "netmodel/router/policy/copies.h"

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
    vef_copying_of(network, number)->under_way++;
    vef_calendar_entry *event = vef_calendar_add(&part->ends, time_cycles);
    event->router = router;
    event->packet = number;
    event->input = (uint16_t)(input | VEF_COPY_ENDS);
    event->output = (uint16_t)output;
    event->passing_cycles = (uint16_t)(time_cycles - part->now_cycles);
    vef_network_set_sender(network, state, vef_store_of(network, input), event);
}
