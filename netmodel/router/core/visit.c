/* Requests, grants and movement of all routers in one cycle (netmodel/MODEL.md, steps 3 to 5). */
#include "netmodel/router/core/fronts.h"
#include "netmodel/router/core/network.h"

/* The functions of a visit are compiled twice, since `fast` (vef_policies.fast) is a constant in
 * each. */
#define TWICE static inline __attribute__((always_inline))

/* 64-bit words of a set of inputs. */
TWICE uint32_t words_of(const vef_network *network, bool fast) {
    return fast ? 1 : network->shape.input_words;
}

/* Everything, if packets of a router wait for nothing that is free; else nothing. */
TWICE uint64_t still_in_vain(const vef_router *state, vef_wants free) {
    return -(uint64_t)(vef_eligible_of(state->wanted, free) == 0);
}

/* The inputs of a word that may request, and do not wait. */
TWICE uint64_t asking_inputs(vef_router *state, uint32_t w, uint32_t words) {
    return vef_filled_of(state)[w] & ~vef_reading_of(state, words)[w] &
           ~vef_waiting_of(state, words)[w];
}

/* The inputs of the first word that may request, without those that wait for what is not free. */
TWICE uint64_t eager_inputs(vef_router *state, vef_wants free, uint32_t words) {
    const uint64_t ready = vef_filled_of(state)[0] & ~vef_reading_of(state, words)[0];
    return ready & ~(*vef_waiting_of(state, words) & still_in_vain(state, free));
}

/* The same before the requests of a router: those that wait for what is free now request again. */
TWICE uint64_t begin_requests(vef_router *state, vef_wants free, uint32_t words) {
    const uint64_t waiting = still_in_vain(state, free);
    state->wanted.one &= waiting;
    state->wanted.two &= waiting;
    *vef_waiting_of(state, words) &= waiting;
    state->watchful = false;
    return asking_inputs(state, 0, words);
}

/* The exit that a packet requests if neither masks nor a vef_offer.exit encode its candidates;
 * VEF_NONE: none. */
static uint32_t request_by_candidates(vef_network *network, vef_partition *part, uint32_t router,
                                      vef_router *state, uint32_t input, const vef_queue *queue) {
    if (queue->offer == network->offers.copies) {
        network->policies.moving.broadcast->request(network, part, router, state, input);
        return VEF_NONE; /* its request is recorded */
    }
    return network->policies.select_listed(
        network, part->now_cycles, state, vef_offer_at(network, queue->offer),
        vef_places_of(network, vef_packet_at(network, queue->head)->phits));
}

/* The exit that the front packet of `input` requests: a link, or one of those of endpoints after
 * them; VEF_NONE: none. */
TWICE uint32_t request(vef_network *network, vef_partition *part, uint32_t router,
                       vef_router *state, uint32_t input, vef_wants free, bool fast) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    if (!fast && network->policies.full.commit)
        network->policies.full.commit(network, part, router, state, input);
    if (!fast && network->policies.full.ask && queue->offer < network->offers.count) {
        const uint32_t exit = network->policies.full.ask(network, part, router, state, input);
        state->watchful |= exit == VEF_NONE && !vef_front_waits(state, offer, input, true);
        return exit;
    }
    if (!fast && !network->shape.narrow && offer->exit != VEF_PORTS)
        return vef_list_join(network, part, state, offer->exit, input) ? VEF_NONE : offer->exit;
    const uint32_t exit = fast || network->shape.narrow
                              ? vef_choose_wanted(network, state, offer, free)
                              : VEF_NONE; /* other offers have no masks */
    if (exit != VEF_NONE || vef_front_waits(state, offer, input, true))
        return exit;
    const uint32_t other = request_by_candidates(network, part, router, state, input, queue);
    state->watchful |= other == VEF_NONE;
    return other;
}

TWICE uint32_t output_of(const vef_network *network, vef_router *state, uint32_t exit) {
    return exit < network->shape.links
               ? network->links.in_port[exit]
               : vef_network_free_ejection(network, state, exit - network->shape.links);
}

/* Calls the policies of a packet whose head leaves by a link. */
TWICE void cross_observed(vef_network *network, uint64_t now, uint32_t router, uint32_t link,
                          uint32_t number, uint32_t places, uint32_t hop_cycles) {
    const vef_moving_policies *policies = &network->policies.moving;
    const vef_packet *packet = vef_packet_at(network, number);
    if (policies->watcher)
        policies->watcher->crosses(policies->watcher->context, router, network->links.in_port[link],
                                   vef_message_at(network, packet->message)->id, packet->phits);
    if (policies->windows)
        policies->windows->cross(network, now, router, link, number, places, hop_cycles);
}

/* The packet takes a place at the other end of the link, and its head leaves. */
TWICE void send(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                uint32_t link, uint32_t port, uint32_t number, bool fast) {
    const vef_packet *packet = vef_packet_at(network, number);
    uint32_t places = fast ? 1 : vef_places_of(network, packet->phits);
    const vef_far_end *far_end = &vef_far_ends_of(network, state)[port];
    const uint32_t hop_cycles = far_end->hop_cycles;
    if (VEF_RARELY(network->links.ways != NULL))
        network->links.ways[number].path_cycles += hop_cycles;
    if (!fast && network->policies.full.links)
        network->policies.full.links->depart(network, router, port, number);
    if (VEF_RARELY(!network->policies.unobserved))
        cross_observed(network, part->now_cycles, router, link, number, places, hop_cycles);
    if (!fast && network->policies.full.pauses)
        places = 0;
    for (uint32_t i = 0; i < places; i++)
        vef_take_credit(network, state, link);
    if (fast || network->shape.narrow)
        state->open &= ~network->links.port_links[port];
    const uint64_t time = part->now_cycles + hop_cycles;
    vef_calendar_entry *arrival =
        vef_partition_holds(network, part, far_end->router)
            ? vef_calendar_add(&part->arrivals, time)
            : vef_network_post_arrival(network, part, time, far_end->router);
    arrival->router = far_end->router;
    arrival->packet = number;
    const uint16_t input = arrival->input = vef_far_link(far_end, link);
    arrival->offer =
        fast ? vef_front_shared_offer(network, far_end->router, input, packet) : VEF_NONE;
}

void vef_network_send(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                      uint32_t link, uint32_t number) {
    send(network, part, router, state, link, network->links.in_port[link], number, false);
}

/* Changes the route of a packet that leaves by a link. */
TWICE void advance(const vef_network *network, uint32_t router, uint32_t input, uint32_t link,
                   uint32_t port, vef_packet *packet) {
    if (network->policies.steps) {
        const vef_route_step step = network->policies.steps[port];
        int16_t *left = &packet->route.words[step.word];
        *left = (int16_t)(*left + step.change);
        const uint16_t done = (uint16_t) - (*left == 0);
        packet->signature = (uint16_t)(packet->signature - (step.weight & done));
        return;
    }
    const vef_routing *routing = network->routing;
    const uint32_t store = vef_store_of(network, input);
    const vef_place place = {router, network->links.in_port[store],
                             network->links.in_channel[store]};
    routing->algorithm->advance(routing, &packet->route, place, (uint16_t)port,
                                network->links.in_channel[link]);
    if (network->offers.shared)
        packet->signature = (uint16_t)routing->algorithm->signature(routing, &packet->route);
}

uint64_t vef_network_crossed(vef_network *network, const vef_partition *part, uint32_t router,
                             uint32_t output, uint32_t number) {
    const vef_link_policy *links = network->policies.full.links;
    return links ? links->cross(network, part->now_cycles, router, output, number)
                 : part->now_cycles + vef_packet_at(network, number)->phits;
}

/* All places of the departing packet but the last become free as their phits leave. */
static void free_places(vef_network *network, vef_partition *part, uint32_t router, uint32_t output,
                        uint32_t number, const vef_calendar_entry *passing, bool away) {
    const uint32_t unit = network->settings.unit_phits;
    const vef_link_policy *links = network->policies.full.links;
    for (uint32_t gone = unit; gone < vef_packet_at(network, number)->phits; gone += unit) {
        uint64_t time = part->now_cycles + gone;
        if (links)
            time = links->crossed(network, part->now_cycles, router, output, number, gone - 1);
        if (away) {
            vef_network_post_credit(network, part, time, passing);
            continue;
        }
        vef_calendar_entry *event = vef_calendar_add(&part->places_free, time);
        event->input = passing->input;
        event->sender = passing->sender;
        event->link = passing->link;
    }
}

/* Calls the policies of a packet at the front of an input, which was granted an output. True: they
 * have moved it. */
static bool leave_observed(vef_network *network, vef_partition *part, uint32_t router,
                           vef_router *state, uint32_t input, uint32_t output) {
    const vef_moving_policies *policies = &network->policies.moving;
    if (vef_queues_of(network, state)[input].offer == network->offers.copies) {
        policies->broadcast->grant(network, part, router, state, input, output);
        return true;
    }
    if (policies->fronts)
        policies->fronts->leave(network, router, state, input);
    return false;
}

/* The front packet of an input leaves the list of its exit, if it is there. */
static void leave_list(const vef_network *network, vef_router *state, uint32_t input,
                       uint32_t exit) {
    uint64_t *waiting = &vef_waiting_of(state, network->shape.input_words)[input / 64];
    if (!(*waiting >> input % 64 & 1))
        return;
    *waiting &= ~(UINT64_C(1) << input % 64);
    uint16_t *lists = vef_lists_of(network, state), *link = &lists[exit];
    while (*link != input)
        link = &lists[network->shape.exits + *link];
    *link = lists[network->shape.exits + input];
}

TWICE void move(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                uint32_t input, uint32_t output, uint32_t exit, bool fast) {
    vef_queue *queue = &vef_queues_of(network, state)[input];
    if (VEF_RARELY(!network->policies.unobserved) &&
        leave_observed(network, part, router, state, input, output))
        return;
    if (!fast && network->shape.listed)
        leave_list(network, state, input, exit);
    const uint32_t number = queue->head;
    vef_packet *packet = vef_packet_at(network, number);
    const uint64_t end = fast ? part->now_cycles + packet->phits
                              : vef_network_crossed(network, part, router, output, number);
    const uint32_t word = fast ? 0 : input / 64;
    const uint64_t bit = UINT64_C(1) << input % 64;
    if (fast)
        *vef_reading_of(state, 1) |= bit;
    else
        vef_network_set_reading(network, state, input, true);
    const uint32_t behind = packet->next;
    packet->next = VEF_NONE; /* now, since its memory is in a cache */
    vef_filled_of(state)[word] &= ~(behind == VEF_NONE ? bit : 0);
    queue->head = behind;
    queue->offer = VEF_NONE;
    vef_router_output *granted = &vef_outputs_of(network, state)[output];
    granted->until_cycles = end;
    vef_calendar_entry *event = vef_calendar_add(&part->ends, end);
    granted->phits += packet->phits; /* apart, or GCC 12 joins the two by many instructions */
    event->router = router;
    event->packet = number;
    event->input = (uint16_t)input;
    event->output = (uint16_t)output;
    vef_network_set_sender(network, state, fast ? input : vef_store_of(network, input), event);
    const bool away = network->partitions.count > 1 && input < network->shape.transit_inputs &&
                      (fast || !network->policies.full.pauses) &&
                      !vef_partition_holds(network, part, event->sender);
    if (!fast && network->settings.unit_phits > 0)
        free_places(network, part, router, output, number, event, away);
    if (away) {
        vef_network_post_credit(network, part, end, event);
        event->sender = VEF_NONE;
    }
    if (output >= network->shape.ports) {
        event->passing_cycles = (uint16_t)(end - part->now_cycles);
        vef_network_take_ejection_port(network, state, packet->local, output);
        if (VEF_RARELY(network->confirms))
            vef_network_confirm(network, part, packet, event, end);
        return;
    }
    advance(network, router, input, exit, output, packet);
    send(network, part, router, state, exit, output, number, fast);
    packet->hops++;
}

/* With transit_first, excludes injection queues if a transit queue requests. */
TWICE void leave_out_injection(const vef_network *network, uint64_t *asking, uint32_t words) {
    uint32_t word = network->shape.transit_inputs / 64, bit = network->shape.transit_inputs % 64;
    uint64_t transit = asking[word] & ((UINT64_C(1) << bit) - 1);
    uint64_t any = transit;
    for (uint32_t w = 0; w < word; w++)
        any |= asking[w];
    if (any == 0)
        return;
    asking[word] = transit;
    for (uint32_t w = word + 1; w < words; w++)
        asking[w] = 0;
}

static uint64_t packets_from(const vef_network *network, uint32_t number) {
    uint64_t packets = 0;
    for (; number != VEF_NONE; number = vef_packet_at(network, number)->next)
        packets++;
    return packets;
}

/* Notes what the arbiter compares of the requesting inputs. */
TWICE void rank_requests(const vef_network *network, const vef_partition *part, vef_router *state,
                         const uint64_t *asking, uint32_t words) {
    const vef_queue *queues = vef_queues_of(network, state);
    const vef_rank rank = network->policies.arbiter.rank;
    uint64_t *ranks = part->requests.ranks;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = asking[w]; left != 0; left &= left - 1) {
            const uint32_t input = w * 64 + vef_bits_first(left), front = queues[input].head;
            if (rank == VEF_RANK_ENTRY)
                ranks[input] = vef_entered_cycles(part, vef_packet_at(network, front));
            else if (rank == VEF_RANK_FRONT)
                ranks[input] = vef_fronts_of(network, state)[input];
            else if (rank == VEF_RANK_ARRIVAL)
                ranks[input] = network->queues.joined_cycles[front];
            else
                ranks[input] = packets_from(network, front);
        }
}

/* The requesting input that the arbiter chooses. */
TWICE uint32_t arbitrate(vef_network *network, vef_partition *part, vef_router *state,
                         uint32_t output, const uint64_t *asking, uint32_t words) {
    vef_contest *contest = &part->requests.contest;
    contest->asking = asking;
    contest->rng = &state->rng;
    contest->pointer = &vef_pointers_of(network, state)[output];
    if (network->policies.arbiter.rank != VEF_RANK_NONE)
        rank_requests(network, part, state, asking, words);
    return network->policies.arbiter.choose(contest);
}

TWICE bool several_ask(const uint64_t *asking, uint32_t words) {
    bool several = vef_bits_several(asking[0]);
    for (uint32_t w = 1; w < words; w++)
        several = several || asking[w] != 0;
    return several;
}

/* Grants one output to one of the requesting inputs; returns whether others requested it in vain.
 */
TWICE bool grant_output(vef_network *network, vef_partition *part, uint32_t router,
                        vef_router *state, uint32_t output, bool fast) {
    const uint32_t words = words_of(network, fast);
    uint64_t *asking = part->requests.asking + (size_t)output * words;
    const bool several = several_ask(asking, words);
    uint32_t input;
    if (fast && network->policies.arbiter.uniform) {
        const uint64_t preferred = asking[0] & network->policies.preferred_inputs;
        const uint64_t among = preferred != 0 ? preferred : asking[0];
        input = vef_bits_several(among) ? vef_bits_draw(among, &state->rng) : vef_bits_first(among);
    } else if (!several && !network->policies.arbiter.remembers) {
        input = vef_bits_first(asking[0]);
    } else {
        if (several && network->settings.transit_first)
            leave_out_injection(network, asking, words);
        input = arbitrate(network, part, state, output, asking, words);
    }
    for (uint32_t w = 0; w < words; w++)
        asking[w] = 0;
    move(network, part, router, state, input, output, part->requests.chosen[input], fast);
    return several;
}

/* Grants the only input of a fast network's router that may request an output what it requests. */
TWICE void grant_only(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                      uint32_t input, vef_wants free, bool fast) {
    const uint32_t exit = request(network, part, router, state, input, free, fast);
    if (exit != VEF_NONE)
        move(network, part, router, state, input, output_of(network, state, exit), exit, fast);
}

/* An input requests an exit, of this output. Not of a fast network. */
TWICE void add_request(const vef_network *network, vef_partition *part, uint32_t input,
                       uint32_t exit, uint32_t output) {
    part->requests.chosen[input] = (uint16_t)exit;
    part->requests.asking[(size_t)output * network->shape.input_words + input / 64] |=
        UINT64_C(1) << input % 64;
    part->requests.outputs_asked[output / 64] |= UINT64_C(1) << output % 64;
}

/* The requests of the packets that wait in the lists of exits which have become free. One of each
 * list at most is granted what it requests; where another ejection port is free, the others request
 * again in the next cycle. */
static void request_lists(const vef_network *network, vef_partition *part, uint32_t router,
                          vef_router *state) {
    const uint16_t *lists = vef_lists_of(network, state);
    const uint32_t links = network->shape.links;
    uint64_t *stirred = state->sets + 3 * network->shape.input_words;
    for (uint32_t w = 0; w * 64 < network->shape.exits; w++) {
        uint64_t left = stirred[w];
        stirred[w] = 0;
        for (; left != 0; left &= left - 1) {
            const uint32_t exit = w * 64 + vef_bits_first(left);
            if (!vef_exit_is_free(network, part, state, exit))
                continue;
            const uint32_t output = output_of(network, state, exit);
            for (uint32_t input = lists[exit]; input != VEF_PORTS;
                 input = lists[network->shape.exits + input])
                add_request(network, part, input, exit, output);
            if (exit >= links && vef_bits_several(vef_ejection_of(network, state)[exit - links]))
                vef_partition_wake(part, router, vef_list_stir(network, state, exit));
        }
    }
}

/* Collects the requests of all inputs by output. Returns the requested outputs of a fast network;
 * those of others are in outputs_asked. The only request of a router is granted at once. */
TWICE uint64_t gather_requests(vef_network *network, vef_partition *part, uint32_t router,
                               vef_router *state, bool fast) {
    const uint32_t words = words_of(network, fast);
    const vef_wants free = vef_free_exits(state);
    uint64_t left = begin_requests(state, free, words);
    if (!fast && network->shape.listed)
        request_lists(network, part, router, state);
    if (fast && !vef_bits_several(left) && !network->policies.arbiter.remembers) {
        if (left != 0)
            grant_only(network, part, router, state, vef_bits_first(left), free, fast);
        return 0;
    }
    uint64_t asked = 0;
    for (uint32_t w = 0; w < words; w++) {
        if (w > 0)
            left = asking_inputs(state, w, words);
        for (; left != 0; left &= left - 1) {
            const uint32_t input = w * 64 + vef_bits_first(left);
            const uint32_t exit = request(network, part, router, state, input, free, fast);
            if (exit == VEF_NONE)
                continue;
            const uint32_t output = output_of(network, state, exit);
            if (!fast) {
                add_request(network, part, input, exit, output);
                continue;
            }
            part->requests.chosen[input] = (uint16_t)exit;
            part->requests.asking[output] |= left & -left;
            asked |= UINT64_C(1) << output;
        }
    }
    return asked;
}

/* After grants: front packets that were refused an output wait for any of their candidates, or
 * request again in the next cycle if one is eligible even now. */
TWICE void keep_losers(const vef_network *network, vef_partition *part, uint32_t router,
                       vef_router *state, bool fast) {
    const uint32_t words = words_of(network, fast);
    const bool narrow = fast || network->shape.narrow;
    const vef_queue *queues = vef_queues_of(network, state);
    bool wait = true;
    for (uint32_t w = 0; w < words && wait; w++)
        for (uint64_t left = asking_inputs(state, w, words); left != 0; left &= left - 1) {
            const uint32_t input = w * 64 + vef_bits_first(left);
            const vef_offer *offer = vef_offer_at(network, queues[input].offer);
            wait &= narrow ? vef_front_waits(state, offer, input, true)
                           : vef_list_join(network, part, state, offer->exit, input);
        }
    vef_partition_wake(part, router,
                       !wait || vef_eligible_of(state->wanted, vef_free_exits(state)) != 0);
}

TWICE void grant(vef_network *network, vef_partition *part, uint32_t router, bool fast) {
    vef_router *state = vef_router_at(network, router);
    const uint64_t gathered = gather_requests(network, part, router, state, fast);
    bool in_vain = false;
    const uint32_t words = fast ? 1 : network->shape.output_words;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t asked = gathered;
        if (!fast || VEF_RARELY(!network->policies.unobserved)) {
            asked |= part->requests.outputs_asked[w];
            part->requests.outputs_asked[w] = 0;
        }
        for (; asked != 0; asked &= asked - 1)
            in_vain |=
                grant_output(network, part, router, state, w * 64 + vef_bits_first(asked), fast);
    }
    if (in_vain)
        keep_losers(network, part, router, state, fast);
}

/* Requests and grants with an arbiter that matches input ports and outputs. */
static void grant_matches(vef_network *network, vef_partition *part, uint32_t router) {
    const uint32_t words = network->shape.input_words;
    const bool fast = false;
    vef_router *state = vef_router_at(network, router);
    const vef_wants free = vef_free_exits(state);
    uint64_t left = begin_requests(state, free, words);
    vef_matching *matching = &part->requests.matching;
    uint32_t asking = 0;
    for (uint32_t w = 0; w < network->shape.input_words; w++) {
        if (w > 0)
            left = asking_inputs(state, w, words);
        for (; left != 0; left &= left - 1) {
            uint32_t input = w * 64 + vef_bits_first(left);
            uint32_t exit = request(network, part, router, state, input, free, fast);
            if (exit == VEF_NONE)
                continue;
            part->requests.chosen[input] = (uint16_t)exit;
            part->requests.askers[asking++] = (uint16_t)input;
            part->requests.asked[input] = (uint16_t)output_of(network, state, exit);
        }
    }
    if (asking == 0)
        return;
    matching->asker_count = asking;
    matching->output_pointers =
        network->read_ports.pointers + (size_t)router * network->read_ports.pointer_count;
    matching->queue_pointers = matching->output_pointers + matching->outputs;
    matching->port_pointers = matching->queue_pointers + matching->input_ports;
    network->policies.full.match(matching);
    for (uint32_t output = 0; output < network->shape.outputs; output++)
        if (matching->granted[output] != VEF_UNMATCHED) {
            const uint32_t input = matching->granted[output];
            move(network, part, router, state, input, output, part->requests.chosen[input], fast);
            asking--;
        }
    vef_partition_wake(part, router, asking > 0);
}

/* Prefetch distances in routers: of sets, queues and outputs, packets. */
enum { SETS_AHEAD = 12, QUEUES_AHEAD = 8, FRONTS_AHEAD = 4 };

/* Prefetches for visits of the routers after the i-th: first their sets, then, when those are
 * available, the queues to be asked, then the packets at the front of these. `asked`: the inputs
 * to be asked of the last QUEUES_AHEAD routers, by number modulo that. */
TWICE void fetch_routers(const vef_network *network, const vef_partition *part, uint32_t i,
                         uint64_t *asked, bool fast) {
    const vef_list *up = &part->up;
    if (i + SETS_AHEAD < up->count) {
        const unsigned char *block =
            network->queues.routers + up->items[i + SETS_AHEAD] * network->shape.router_stride;
        __builtin_prefetch(block, 1);
        __builtin_prefetch(block + VEF_LINE_BYTES, 1);
        __builtin_prefetch(block + 2 * VEF_LINE_BYTES, 1);
    }
    uint64_t left = asked[(i + FRONTS_AHEAD) % QUEUES_AHEAD];
    if (left != 0 && i + FRONTS_AHEAD < up->count) {
        vef_router *router = vef_router_at(network, up->items[i + FRONTS_AHEAD]);
        const vef_queue *queues = vef_queues_of(network, router);
        for (; left != 0; left &= left - 1)
            __builtin_prefetch(vef_packet_at(network, queues[vef_bits_first(left)].head), 1);
    }
    if (i + QUEUES_AHEAD < up->count) {
        vef_router *router = vef_router_at(network, up->items[i + QUEUES_AHEAD]);
        const vef_queue *queues = vef_queues_of(network, router);
        const unsigned char *outputs = (unsigned char *)vef_outputs_of(network, router);
        __builtin_prefetch(outputs, 1);
        __builtin_prefetch(outputs + VEF_LINE_BYTES, 1);
        left = asked[i % QUEUES_AHEAD] =
            eager_inputs(router, vef_free_exits(router), words_of(network, fast));
        for (; left != 0; left &= left - 1)
            __builtin_prefetch(&queues[vef_bits_first(left)], 1);
    }
}

TWICE void visit_all(vef_network *network, vef_partition *part, bool fast) {
    const vef_list *up = &part->up;
    uint64_t asked[QUEUES_AHEAD] = {0};
    for (uint32_t i = 0; i < up->count; i++) {
        if (network->shape.fetches)
            fetch_routers(network, part, i, asked, fast);
        const uint32_t router = up->items[i];
        if (!fast && network->policies.full.match)
            grant_matches(network, part, router);
        else
            grant(network, part, router, fast);
    }
}

void vef_partition_grant(vef_network *network, vef_partition *part) {
    if (network->policies.moving.fronts)
        network->policies.moving.fronts->chosen(network, part);
    vef_partition_list(part, &part->awake);
    if (network->policies.fast)
        visit_all(network, part, true);
    else
        visit_all(network, part, false);
}
