/* Requests and grants: steps 3 and 4 of netmodel/MODEL.md. */
#include "tests/netmodel/reference_state.h"

#include <assert.h>
#include <stdlib.h>

/* ---- input ports, for the allocators that grant by them ---- */

static bool by_input_port(const reference *network) {
    return network->config.arbiter == REFERENCE_TWO_STAGE ||
           network->config.arbiter == REFERENCE_ISLIP;
}

/* The queues of an input port: a link's, then an endpoint's. */
static uint32_t first_queue(const reference *network, uint32_t input_port) {
    return input_port <= network->ports
               ? input_port * network->routing.channels * network->queues_each
               : network->transit_queues + (input_port - network->ports) *
                                               network->config.injection_queues *
                                               network->queues_each;
}

static uint32_t input_port_of(const reference *network, uint32_t q) {
    uint32_t input_port = 0;
    while (q >= first_queue(network, input_port + 1))
        input_port++;
    return input_port;
}

static bool read_port_is_free(const reference *network, uint32_t here, uint32_t q) {
    const router *r = &network->router[here];
    if (!by_input_port(network))
        return r->queues[q].output == NONE;
    const uint32_t input_port = input_port_of(network, q);
    for (uint32_t k = first_queue(network, input_port); k < first_queue(network, input_port + 1);
         k++)
        if (r->queues[k].output != NONE)
            return false;
    return true;
}

/* ---- step 3: requests ---- */

bool reference_asks(const reference *network, uint32_t here, uint32_t q) {
    const queue *input = &network->router[here].queues[q];
    return read_port_is_free(network, here, q) ||
           (input->asking && input->asking_packet == input->phits[input->first].packet);
}

static request ask_ejection(const reference *network, uint32_t here, uint32_t endpoint) {
    const uint32_t ports = network->config.ejection_ports;
    const uint32_t first = network->ports + network->source[endpoint].local * ports;
    for (uint32_t o = first; o < first + ports; o++)
        if (network->router[here].outputs[o].input == NONE)
            return (request){.output = (int)o};
    return (request){.output = NONE};
}

/* Places that a candidate wants to see free for a packet: where it says 1, those of the packet;
 * each more is one of the largest size. */
static uint32_t places_wanted(const reference *network, const packet *head,
                              const vef_candidate *candidate) {
    return reference_places(network, head->phits) +
           (candidate->slots_needed - 1U) * reference_places(network, network->config.packet_phits);
}

/* Whether a patient packet passes this candidate by: one of a lower value has its places. */
static bool is_passed_by(const reference *network, const router *r, const packet *head,
                         const vef_candidate *offered, uint32_t count, uint32_t which) {
    for (uint32_t k = 0; network->routing.patient && k < count; k++)
        if (offered[k].preference < offered[which].preference &&
            r->outputs[offered[k].port].credits[offered[k].channel] >=
                places_wanted(network, head, &offered[k]))
            return true;
    return false;
}

/* The greater, the rather a candidate is taken: its credits, or with queues of default lengths the
 * fewer places are taken; all alike with random selection. */
static int64_t appeal(const reference *network, const router *r, const vef_candidate *candidate) {
    if (network->routing.selection == VEF_SELECT_ANY || network->config.pauses)
        return 0;
    const output *out = &r->outputs[candidate->port];
    const int64_t credits = out->credits[candidate->channel];
    const reference_config *config = &network->config;
    const bool by_default =
        config->queue_packets == 0 && !config->per_port_phits && !config->per_router_phits;
    return by_default ? credits - (int64_t)out->places[candidate->channel] : credits;
}

static bool has_room(const reference *network, const router *r, const packet *head,
                     const vef_candidate *candidate) {
    return r->outputs[candidate->port].credits[candidate->channel] >=
           places_wanted(network, head, candidate);
}

bool reference_is_eligible(const reference *network, const router *r, const packet *head,
                           const vef_candidate *candidate) {
    return r->outputs[candidate->port].input == NONE && has_room(network, r, head, candidate);
}

/* A packet chooses by cost once in each queue: among all of its candidates. */
static void commit(reference *network, uint32_t here, packet *head, vef_place place,
                   const vef_candidate *offered, uint32_t count) {
    bool among[VEF_MAX_CANDIDATES];
    if (head->chose)
        return;
    for (uint32_t k = 0; k < count; k++)
        among[k] = true;
    head->candidate = reference_weigh(network, here, head, place, offered, among, count);
    head->chose = true;
}

static uint32_t count_of(const bool *among, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k++)
        found += among[k];
    return found;
}

/* Leaves the candidates of the least value. */
static void keep_least_value(const vef_candidate *offered, bool *among, uint32_t count) {
    uint32_t least = UINT32_MAX;
    for (uint32_t k = 0; k < count; k++)
        if (among[k] && offered[k].preference < least)
            least = offered[k].preference;
    for (uint32_t k = 0; k < count; k++)
        among[k] = among[k] && offered[k].preference == least;
}

/* A packet chooses by cost whenever it could ask for something, and at first in any case: a patient
 * one among the candidates with room, another among the eligible ones; with none of these, among
 * those with room; with none, among all. */
static void choose_anew(reference *network, uint32_t here, packet *head, vef_place place,
                        const vef_candidate *offered, uint32_t count) {
    const router *r = &network->router[here];
    bool eligible[VEF_MAX_CANDIDATES], among[VEF_MAX_CANDIDATES];
    for (uint32_t k = 0; k < count; k++)
        eligible[k] = reference_is_eligible(network, r, head, &offered[k]);
    const bool could = count_of(eligible, count) > 0;
    if (head->chose && !could)
        return;
    for (uint32_t k = 0; k < count; k++)
        among[k] = could && !network->routing.patient ? eligible[k]
                                                      : has_room(network, r, head, &offered[k]);
    const bool none = count_of(among, count) == 0;
    for (uint32_t k = 0; k < count; k++)
        among[k] = among[k] || none;
    keep_least_value(offered, among, count);
    head->chose = false; /* it does not see itself */
    head->candidate = reference_weigh(network, here, head, place, offered, among, count);
    head->chose = true;
}

/* What the packet at the front of queue q may ask for; returns how many. */
static uint32_t offers_to(reference *network, uint32_t here, uint32_t q, packet *head,
                          vef_candidate offered[VEF_MAX_CANDIDATES]) {
    const vef_place place = reference_place(network, here, network->router[here].queues[q].memory);
    const uint32_t count =
        network->routing.candidates(network->routing.context, &head->route, place, offered);
    if (network->routing.selection == VEF_SELECT_ONCE)
        commit(network, here, head, place, offered, count);
    else if (network->routing.selection == VEF_SELECT_COST)
        choose_anew(network, here, head, place, offered, count);
    else
        return count;
    offered[0] = head->candidate;
    return 1;
}

static request ask_link(reference *network, uint32_t here, uint32_t q, packet *head) {
    router *r = &network->router[here];
    vef_candidate offered[VEF_MAX_CANDIDATES], best[VEF_MAX_CANDIDATES];
    const uint32_t count = offers_to(network, here, q, head, offered);
    uint32_t best_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        const output *out = &r->outputs[offered[k].port];
        const uint32_t credits = out->credits[offered[k].channel];
        if (out->input != NONE || credits < places_wanted(network, head, &offered[k]) ||
            is_passed_by(network, r, head, offered, count, k))
            continue;
        if (best_count > 0) {
            const int64_t more = appeal(network, r, &offered[k]) - appeal(network, r, &best[0]);
            const bool tie = offered[k].preference == best[0].preference && more == 0;
            const bool better = offered[k].preference < best[0].preference ||
                                (offered[k].preference == best[0].preference && more > 0);
            if (!tie && !better)
                continue;
            if (better)
                best_count = 0;
        }
        best[best_count++] = offered[k];
    }
    if (best_count == 0)
        return (request){.output = NONE};
    const bool draw =
        network->config.arbiter == REFERENCE_RANDOM || network->routing.selection == VEF_SELECT_ANY;
    const uint32_t chosen = draw && best_count > 1 ? vef_rng_below(&r->rng, best_count) : 0;
    return (request){.output = best[chosen].port, .channel = best[chosen].channel};
}

/* Notes since when the packet at the front of a queue can ask. */
static void note_asking(const reference *network, queue *input) {
    const uint32_t number = input->phits[input->first].packet;
    if (!input->asking || input->asking_packet != number)
        input->asking_since = network->now;
    input->asking = true;
    input->asking_packet = number;
}

void reference_requests(reference *network, uint32_t here) {
    router *r = &network->router[here];
    for (uint32_t q = 0; q < network->queues; q++) {
        queue *input = &r->queues[q];
        r->requests[q].output = NONE;
        if (input->count == 0 || !read_port_is_free(network, here, q))
            continue;
        assert(input->phits[input->first].number == 0);
        note_asking(network, input);
        packet *head = reference_front(network, input);
        if (reference_is_to_all(network, head)) {
            assert(!by_input_port(network) && network->queues_each == 1);
            reference_ask_copies(network, here, q);
            continue;
        }
        const uint32_t destination = network->messages[head->message].destination;
        r->requests[q] = reference_arrived(network, head, here)
                             ? ask_ejection(network, here, destination)
                             : ask_link(network, here, q, head);
    }
}

/* ---- step 4: grants ---- */

/* Whether a queue asks for an output in this cycle. */
static bool asks_now(const reference *network, uint32_t here, uint32_t q, uint32_t o) {
    const router *r = &network->router[here];
    const queue *input = &r->queues[q];
    if (input->copying)
        return input->output == NONE && input->copying->asks[o];
    return r->requests[q].output == (int)o;
}

static void grant(reference *network, uint32_t here, uint32_t q, uint32_t o) {
    router *r = &network->router[here];
    if (r->queues[q].copying) {
        reference_grant_copy(network, here, q, o);
        return;
    }
    output *out = &r->outputs[o];
    assert(out->input == NONE && r->queues[q].output == NONE && r->requests[q].output == (int)o);
    r->queues[q].asking = false;
    out->input = (int)q;
    out->channel = r->requests[q].channel;
    r->queues[q].output = (int)o;
    if (o >= network->ports)
        return;
    packet *granted = reference_front(network, &r->queues[q]);
    if (!network->config.pauses)
        out->credits[out->channel] -= reference_places(network, granted->phits);
    reference_note_grant(network, here, o, out->channel, granted);
    network->routing.advance(network->routing.context, &granted->route,
                             reference_place(network, here, r->queues[q].memory), (uint16_t)o,
                             out->channel);
    granted->hops++;
    granted->chose = false;
}

static uint32_t packets_in(const queue *fifo) {
    uint32_t packets = 0;
    for (uint32_t k = 0; k < fifo->count; k++)
        packets += fifo->phits[(fifo->first + k) % fifo->room].number == 0;
    return packets;
}

/* In round-robin order from the output's pointer, the first of `count` queues that is so. */
static uint32_t in_turn(const reference *network, const output *exit, const uint32_t *asking,
                        const bool *so, uint32_t count) {
    for (uint32_t k = 0; k < network->queues; k++)
        for (uint32_t i = 0; i < count; i++)
            if (so[i] && asking[i] == (exit->pointer + k) % network->queues)
                return asking[i];
    abort();
}

/* The longest queue of `count`. */
static uint32_t arbitrate_by_length(const reference *network, uint32_t here, uint32_t o,
                                    const uint32_t *asking, uint32_t count) {
    router *r = &network->router[here];
    bool *longest = reference_take(count, sizeof *longest);
    uint32_t most = 0;
    for (uint32_t k = 0; k < count; k++)
        if (packets_in(&r->queues[asking[k]]) > most)
            most = packets_in(&r->queues[asking[k]]);
    for (uint32_t k = 0; k < count; k++)
        longest[k] = packets_in(&r->queues[asking[k]]) == most;
    const uint32_t chosen = in_turn(network, &r->outputs[o], asking, longest, count);
    r->outputs[o].pointer = (chosen + 1) % network->queues;
    free(longest);
    return chosen;
}

/* The queue that gets output `o`, of `count` (at least one) that ask, in order of index. */
static uint32_t arbitrate(reference *network, uint32_t here, uint32_t o, const uint32_t *asking,
                          uint32_t count) {
    router *r = &network->router[here];
    uint32_t chosen = 0;
    switch (network->config.arbiter) {
    case REFERENCE_RANDOM:
        return asking[count > 1 ? vef_rng_below(&r->rng, count) : 0];
    case REFERENCE_ROUND_ROBIN:
        while (chosen < count && asking[chosen] < r->outputs[o].pointer)
            chosen++;
        chosen %= count;
        r->outputs[o].pointer = (asking[chosen] + 1) % network->queues;
        return asking[chosen];
    case REFERENCE_OLDEST:
        for (uint32_t k = 1; k < count; k++)
            if (reference_front(network, &r->queues[asking[k]])->entry_cycles <
                reference_front(network, &r->queues[asking[chosen]])->entry_cycles)
                chosen = k;
        return asking[chosen];
    case REFERENCE_FIFO:
        for (uint32_t k = 1; k < count; k++)
            if (r->queues[asking[k]].asking_since < r->queues[asking[chosen]].asking_since)
                chosen = k;
        return asking[chosen];
    case REFERENCE_ARRIVAL:
        for (uint32_t k = 1; k < count; k++)
            if (reference_front(network, &r->queues[asking[k]])->joined_cycles <
                reference_front(network, &r->queues[asking[chosen]])->joined_cycles)
                chosen = k;
        return asking[chosen];
    case REFERENCE_LONGEST_QUEUE:
        return arbitrate_by_length(network, here, o, asking, count);
    default:
        abort();
    }
}

static void grant_by_output(reference *network, uint32_t here) {
    uint32_t *asking = reference_take(network->queues, sizeof *asking);
    for (uint32_t o = 0; o < network->outputs; o++) {
        uint32_t count = 0, transit = 0;
        for (uint32_t q = 0; q < network->queues; q++) {
            if (!asks_now(network, here, q, o))
                continue;
            asking[count++] = q;
            if (q < network->transit_queues)
                transit = count; /* transit queues come first by their index */
        }
        if (count == 0)
            continue;
        if (network->config.transit_first && transit > 0)
            count = transit;
        grant(network, here, arbitrate(network, here, o, asking, count), o);
    }
    free(asking);
}

/* The first of `count` things, beginning with number `pointer` and going round, that is so; NONE:
 * none is. */
static int round_robin(const bool *so, uint32_t count, uint32_t pointer) {
    for (uint32_t k = 0; k < count; k++)
        if (so[(pointer + k) % count])
            return (int)((pointer + k) % count);
    return NONE;
}

/* The input port that output `o` grants among the requesting ones; NONE: none requests. */
static int choose_input_port(const reference *network, uint32_t here, uint32_t o, bool *asks) {
    bool transit = false;
    for (uint32_t i = 0; i < network->ports; i++)
        transit = transit || asks[i];
    for (uint32_t i = network->ports;
         i < network->input_ports && transit && network->config.transit_first; i++)
        asks[i] = false;
    return round_robin(asks, network->input_ports, network->router[here].outputs[o].pointer);
}

/* First each input port puts forward one of its queues, then each output takes one port. */
static void grant_in_two_stages(reference *network, uint32_t here) {
    router *r = &network->router[here];
    bool *so = reference_take(network->queues + network->input_ports, sizeof *so);
    int *forward = reference_take(network->input_ports, sizeof *forward);
    for (uint32_t i = 0; i < network->input_ports; i++) {
        const uint32_t first = first_queue(network, i);
        const uint32_t count = first_queue(network, i + 1) - first;
        for (uint32_t k = 0; k < count; k++)
            so[k] = r->requests[first + k].output != NONE;
        const int k = round_robin(so, count, r->input_ports[i].queue_pointer);
        forward[i] = k == NONE ? NONE : (int)first + k;
    }
    for (uint32_t o = 0; o < network->outputs; o++) {
        for (uint32_t i = 0; i < network->input_ports; i++)
            so[i] = forward[i] != NONE && r->requests[forward[i]].output == (int)o;
        const int chosen = choose_input_port(network, here, o, so);
        if (chosen == NONE)
            continue;
        const uint32_t i = (uint32_t)chosen, q = (uint32_t)forward[i];
        const uint32_t first = first_queue(network, i);
        grant(network, here, q, o);
        r->outputs[o].pointer = (i + 1) % network->input_ports;
        r->input_ports[i].queue_pointer = (q - first + 1) % (first_queue(network, i + 1) - first);
    }
    free(so);
    free(forward);
}

/* Whether a queue of the input port asks for the output; which ones, into `so` if not NULL. */
static bool asks_for(const reference *network, uint32_t here, uint32_t input_port, uint32_t o,
                     bool *so) {
    const uint32_t first = first_queue(network, input_port);
    bool any = false;
    for (uint32_t q = first; q < first_queue(network, input_port + 1); q++) {
        const bool asks = network->router[here].requests[q].output == (int)o;
        any = any || asks;
        if (so)
            so[q - first] = asks;
    }
    return any;
}

/* One iteration of iSLIP; returns whether a grant was accepted. */
static bool islip(reference *network, uint32_t here, bool first_iteration, bool *matched) {
    router *r = &network->router[here];
    const uint32_t inputs = network->input_ports;
    bool *so = reference_take(network->queues + inputs + network->outputs, sizeof *so);
    int *granted = reference_take(network->outputs, sizeof *granted);
    for (uint32_t o = 0; o < network->outputs; o++) {
        for (uint32_t i = 0; i < inputs; i++)
            so[i] = !matched[i] && asks_for(network, here, i, o, NULL);
        granted[o] = r->outputs[o].input != NONE ? NONE : choose_input_port(network, here, o, so);
    }
    bool any = false;
    for (uint32_t i = 0; i < inputs; i++) {
        for (uint32_t o = 0; o < network->outputs; o++)
            so[o] = granted[o] == (int)i;
        const int accepted = round_robin(so, network->outputs, r->input_ports[i].output_pointer);
        if (accepted == NONE)
            continue;
        const uint32_t o = (uint32_t)accepted, first = first_queue(network, i);
        const uint32_t count = first_queue(network, i + 1) - first;
        asks_for(network, here, i, o, so);
        const uint32_t k = (uint32_t)round_robin(so, count, r->input_ports[i].queue_pointer);
        r->input_ports[i].queue_pointer = (k + 1) % count;
        grant(network, here, first + k, o);
        if (first_iteration) {
            r->outputs[o].pointer = (i + 1) % inputs;
            r->input_ports[i].output_pointer = (o + 1) % network->outputs;
        }
        any = matched[i] = true;
    }
    free(so);
    free(granted);
    return any;
}

/* Without requests there is nothing to grant, and no pointer moves: most routers in most cycles.
 */
static bool somebody_asks(const reference *network, uint32_t here) {
    const router *r = &network->router[here];
    for (uint32_t q = 0; q < network->queues; q++)
        if (r->queues[q].copying || r->requests[q].output != NONE)
            return true;
    return false;
}

void reference_grants(reference *network, uint32_t here) {
    if (!somebody_asks(network, here))
        return;
    if (network->config.arbiter == REFERENCE_TWO_STAGE) {
        grant_in_two_stages(network, here);
    } else if (network->config.arbiter == REFERENCE_ISLIP) {
        bool *matched = reference_take(network->input_ports, sizeof *matched);
        for (uint32_t n = 0; n < network->config.iterations; n++)
            if (!islip(network, here, n == 0, matched))
                break;
        free(matched);
    } else {
        grant_by_output(network, here);
    }
}
