/* Packets that come to the front of a queue: their candidates, and whether they wait.
 *
 * A packet for which nothing is eligible adds its candidates to those that its router waits for.
 * The events that make one of them eligible wake the router; until then the router is not visited
 * for this packet. Drawing nothing, this test may precede the requests of its cycle.
 *
 * In a router of more than 64 queues or exits a packet with a single candidate joins the list of
 * that exit, which requests as a whole when the exit becomes free, and leaves it when granted. */
#ifndef VEF_NETMODEL_ROUTER_CORE_FRONTS_H
#define VEF_NETMODEL_ROUTER_CORE_FRONTS_H

#include "netmodel/router/core/choice.h"

/* The number of the offer to a packet of a fast network at the front of an input, which may not
 * have been computed; VEF_NONE: the packet has none of those that packets share. */
static inline uint32_t vef_front_shared_offer(const vef_network *network, uint32_t router,
                                              uint32_t input, const vef_packet *packet) {
    const bool arrived =
        vef_routing_arrived(network->routing, &packet->route, router, packet->router);
    const uint32_t local = (uint32_t)network->offers.count + packet->local;
    uint32_t other = VEF_NONE;
    if (network->offers.shared && packet->router != VEF_NONE)
        other = network->offers.rows[input] + packet->signature;
    return arrived ? local : other;
}

/* The number of the offer to the front packet of an input. `hint`: as vef_front_shared_offer, or
 * VEF_NONE. `fast`: network->fast. */
static inline __attribute__((always_inline)) uint32_t
vef_front_offer(vef_network *network, uint32_t router, uint32_t input, uint32_t front,
                uint32_t hint, bool fast) {
    if (fast && hint == VEF_NONE)
        hint = vef_front_shared_offer(network, router, input, vef_packet_at(network, front));
    if (fast && hint != VEF_NONE && vef_offer_known(vef_offer_at(network, hint)))
        return hint;
    return vef_network_offer(network, router, fast ? input : vef_store_of(network, input), front,
                             router * network->shape.inputs + input);
}

/* The front packet of `input` waits for its candidates, if it asked `in_vain`. False: it did not,
 * or their masks are not complete. */
static inline bool vef_front_waits(vef_router *state, const vef_offer *offer, uint32_t input,
                                   bool in_vain) {
    const bool waits = in_vain & offer->wants_complete;
    const uint64_t added = -(uint64_t)waits; /* no branch, which would be mispredicted */
    state->wanted.one |= offer->any.one & added;
    state->wanted.two |= offer->any.two & added;
    *vef_waiting_of(state, 1) |= (uint64_t)waits << input % 64;
    return waits;
}

/* Whether a packet that needs one place could be granted the exit. */
static inline bool vef_exit_is_free(const vef_network *network, const vef_partition *part,
                                    vef_router *state, uint32_t exit) {
    if (exit >= network->shape.links)
        return vef_ejection_of(network, state)[exit - network->shape.links] != 0;
    return vef_credits_of(network, state)[exit] > 0 &&
           vef_outputs_of(network, state)[network->links.in_port[exit]].until_cycles <=
               part->now_cycles;
}

/* The list of an exit is to request. Returns whether it holds packets. */
static inline bool vef_list_stir(const vef_network *network, vef_router *state, uint32_t exit) {
    const bool any = vef_lists_of(network, state)[exit] != VEF_PORTS;
    state->sets[3 * network->shape.input_words + exit / 64] |= (uint64_t)any << exit % 64;
    return any;
}

/* The front packet of an input of a wide router waits for its exit, in its list if there are lists.
 * False: there is no such exit, or it is free. */
static inline bool vef_list_join(const vef_network *network, const vef_partition *part,
                                 vef_router *state, uint32_t exit, uint32_t input) {
    if (exit == VEF_PORTS || vef_exit_is_free(network, part, state, exit))
        return false;
    state->watchful |= !network->shape.listed;
    if (!network->shape.listed)
        return true;
    uint16_t *lists = vef_lists_of(network, state);
    lists[network->shape.exits + input] = lists[exit];
    lists[exit] = (uint16_t)input;
    vef_waiting_of(state, network->shape.input_words)[input / 64] |= UINT64_C(1) << input % 64;
    return true;
}

/* The front packet of an input whose read port is free, and which has chosen its route, may request
 * from now on. `hint`: as for vef_front_offer. */
static inline __attribute__((always_inline)) void
vef_front_begin(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                uint32_t input, uint32_t hint, bool fast) {
    vef_queue *queue = &vef_queues_of(network, state)[input];
    if (fast || queue->offer == VEF_NONE) {
        queue->offer = vef_front_offer(network, router, input, queue->head, hint, fast);
    }
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    if (!fast && vef_front_is_undecided(network, router, input, queue->offer)) {
        vef_partition_wake(part, router, true); /* until the packet requests */
        return;
    }
    const bool wide = !fast && !network->shape.narrow;
    const bool in_vain = !wide && vef_eligible_of(offer->any, vef_free_exits(state)) == 0;
    const bool waits = wide ? vef_list_join(network, part, state, offer->exit, input)
                            : vef_front_waits(state, offer, input, in_vain);
    vef_partition_wake(part, router, !waits);
}

/* The front packet of an input whose read port is free may request from now on, or when it has
 * chosen its route in this cycle. `hint`: as for vef_front_offer. */
static inline __attribute__((always_inline)) void
vef_front_ready(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                uint32_t input, uint32_t hint, bool fast) {
    const vef_front_policy *fronts = network->policies.moving.fronts;
    if (fronts && fronts->attend)
        fronts->attend(network, part, router, state, input, hint);
    else
        vef_front_begin(network, part, router, state, input, hint, fast);
}

/* A packet, whose `next` is VEF_NONE, joins the end of a queue. `hint`: as for vef_front_offer. */
static inline __attribute__((always_inline)) void
vef_front_join(vef_network *network, vef_partition *part, uint32_t router, uint32_t input,
               uint32_t packet, uint32_t hint, bool fast) {
    vef_router *state = vef_router_at(network, router);
    vef_queue *queue = &vef_queues_of(network, state)[input];
    uint64_t bit = UINT64_C(1) << input % 64;
    const uint32_t word = fast ? 0 : input / 64;
    uint64_t *filled = &vef_filled_of(state)[word];
    if (!fast && network->queues.joined_cycles)
        network->queues.joined_cycles[packet] = part->now_cycles;
    if (*filled & bit) {
        vef_packet_at(network, queue->tail)->next = packet;
        queue->tail = packet;
        return;
    }
    *filled |= bit;
    queue->head = queue->tail = packet;
    queue->offer = VEF_NONE;
    if (!(vef_reading_of(state, fast ? 1 : network->shape.input_words)[word] & bit))
        vef_front_ready(network, part, router, state, input, hint, fast);
}

#endif
