/* Requests, grants and movement of one router in one cycle (netmodel/MODEL.md, steps 3 to 5). */
#include "netmodel/router/network.h"

/* Asks the routing where the front packet of a queue may go. */
static void ask(vef_network *network, vef_queue *queue, uint32_t input) {
    const vef_packet *packet = &network->packets[queue->head];
    queue->asked = true;
    queue->candidate_count = 0;
    queue->wants_one = queue->wants_two = 0;
    if (packet->router == queue->router)
        return;
    vef_place place = {queue->router, network->in_port[input], network->in_channel[input]};
    uint32_t count = network->routing->algorithm->candidates(network->routing, &packet->route,
                                                             place, queue->candidates);
    assert(count > 0 && count <= network->routing->most_candidates);
    queue->candidate_count = (uint8_t)count;
    if (!network->narrow)
        return;
    for (uint32_t i = 0; i < count; i++) {
        vef_candidate candidate = queue->candidates[i];
        uint64_t bit = UINT64_C(1) << (candidate.port * network->channels + candidate.channel);
        if (candidate.slots_needed >= 2)
            queue->wants_two |= bit;
        else
            queue->wants_one |= bit;
    }
}

/* The candidate that the front packet asks for: of the least preference value among the eligible,
 * that with the most credits, drawn or the first among equals. False: none is eligible. */
static bool choose_candidate(vef_network *network, uint32_t router, const vef_queue *queue,
                             vef_candidate *chosen) {
    const uint16_t *credits = network->credits + (size_t)router * network->links;
    const vef_output *outputs = network->outputs_state + (size_t)router * network->outputs;
    uint8_t equals[VEF_MAX_CANDIDATES];
    uint32_t count = 0, best_credits = 0, best_preference = UINT32_MAX;
    for (uint32_t i = 0; i < queue->candidate_count; i++) {
        vef_candidate candidate = queue->candidates[i];
        uint32_t have = credits[candidate.port * network->channels + candidate.channel];
        if (have < candidate.slots_needed || candidate.preference > best_preference ||
            outputs[candidate.port].until_cycles > network->now_cycles)
            continue;
        if (candidate.preference < best_preference || have > best_credits) {
            best_preference = candidate.preference;
            best_credits = have;
            count = 0;
        }
        if (have == best_credits)
            equals[count++] = (uint8_t)i;
    }
    if (count == 0)
        return false;
    uint32_t which = count > 1 && network->settings.arbiter->random_ties
                         ? vef_rng_below(&network->routers[router].rng, count)
                         : 0;
    *chosen = queue->candidates[equals[which]];
    return true;
}

/* The output that the front packet of `input` asks for; VEF_NONE: none. */
static inline uint32_t request(vef_network *network, uint32_t router, uint32_t input,
                               vef_queue *queue) {
    if (!queue->asked)
        ask(network, queue, input);
    if (queue->candidate_count == 0) {
        uint32_t endpoint = network->packets[queue->head].endpoint;
        uint32_t free = network->endpoints[endpoint].ejection_free;
        if (free == 0)
            return VEF_NONE;
        return network->ports +
               (endpoint - router * network->per_router) * network->settings.ejection_ports +
               (uint32_t)__builtin_ctz(free);
    }
    if (network->narrow) {
        const vef_router_state *state = &network->routers[router];
        uint64_t may = (queue->wants_one & state->has_one) | (queue->wants_two & state->has_two);
        if ((may & state->open) == 0)
            return VEF_NONE;
    }
    if (!choose_candidate(network, router, queue, &network->chosen[input]))
        return VEF_NONE;
    return network->chosen[input].port;
}

/* The packet takes a place at the other end of the link, and its head is on its way. */
static void cross_link(vef_network *network, uint32_t router, uint32_t input, uint32_t number) {
    vef_packet *packet = &network->packets[number];
    vef_candidate chosen = network->chosen[input];
    uint32_t link = chosen.port * network->channels + chosen.channel;
    uint16_t credits = --network->credits[(size_t)router * network->links + link];
    if (network->narrow) {
        vef_router_state *state = &network->routers[router];
        state->open &=
            ~(((UINT64_C(1) << network->channels) - 1) << (chosen.port * network->channels));
        if (credits < 2)
            state->has_two &= ~(UINT64_C(1) << link);
        if (credits < 1)
            state->has_one &= ~(UINT64_C(1) << link);
    }
    vef_place place = {router, network->in_port[input], network->in_channel[input]};
    network->routing->algorithm->advance(network->routing, &packet->route, place, chosen.port,
                                         chosen.channel);
    packet->hops++;
    packet->queue =
        network->downstream[(size_t)router * network->ports + chosen.port] + chosen.channel;
    vef_calendar_add(&network->arrivals, network->now_cycles + network->hop_cycles, number);
}

static void move(vef_network *network, uint32_t router, uint32_t input, uint32_t output) {
    uint32_t queue_number = router * network->inputs + input;
    vef_queue *queue = vef_queue_at(network, queue_number);
    uint32_t number = queue->head;
    const vef_packet *packet = &network->packets[number];
    uint64_t end = network->now_cycles + packet->phits;
    queue->head = packet->next;
    queue->asked = false;
    queue->reading = true;
    network->waiting[(size_t)router * network->input_words + input / 64] &=
        ~(UINT64_C(1) << (input % 64));
    uint32_t output_number = router * network->outputs + output;
    vef_output *state = &network->outputs_state[output_number];
    state->phits += packet->phits;
    state->until_cycles = end;
    state->queue = queue_number;
    vef_calendar_add(&network->ends, end, output_number);
    if (output < network->ports) {
        cross_link(network, router, input, number);
        return;
    }
    uint32_t local = output - network->ports;
    network->endpoints[packet->endpoint].ejection_free &=
        ~(1u << (local % network->settings.ejection_ports));
    state->packet = number;
}

/* With transit_first, injection queues are left out where a transit queue asks. */
static void leave_out_injection(const vef_network *network, uint64_t *asking) {
    uint32_t word = network->links / 64, bit = network->links % 64;
    uint64_t transit = asking[word] & ((UINT64_C(1) << bit) - 1);
    uint64_t any = transit;
    for (uint32_t w = 0; w < word; w++)
        any |= asking[w];
    if (any == 0)
        return;
    asking[word] = transit;
    for (uint32_t w = word + 1; w < network->input_words; w++)
        asking[w] = 0;
}

/* Grants one output to one of the inputs that ask for it; returns how many were left. */
static uint32_t grant_output(vef_network *network, uint32_t router, uint32_t output) {
    uint64_t *asking = network->asking + (size_t)output * network->input_words;
    uint32_t asked = 0, count = 0;
    for (uint32_t w = 0; w < network->input_words; w++)
        asked += (uint32_t)__builtin_popcountll(asking[w]);
    if (asked > 1 && network->settings.transit_first)
        leave_out_injection(network, asking);
    for (uint32_t w = 0; w < network->input_words; w++)
        count += (uint32_t)__builtin_popcountll(asking[w]);
    vef_contest contest = {
        .asking = asking,
        .words = network->input_words,
        .count = count,
        .entered = network->entered,
        .rng = &network->routers[router].rng,
        .pointer = &network->outputs_state[router * network->outputs + output].pointer,
    };
    uint32_t input = network->settings.arbiter->choose(&contest);
    for (uint32_t w = 0; w < network->input_words; w++)
        asking[w] = 0;
    move(network, router, input, output);
    return asked - 1;
}

void vef_network_grant(vef_network *network, uint32_t router) {
    const uint64_t *waiting = network->waiting + (size_t)router * network->input_words;
    bool any = false;
    for (uint32_t w = 0; w < network->input_words; w++)
        for (uint64_t bits = waiting[w]; bits != 0; bits &= bits - 1) {
            uint32_t input = w * 64 + (uint32_t)__builtin_ctzll(bits);
            vef_queue *queue = vef_queue_at(network, router * network->inputs + input);
            uint32_t output = request(network, router, input, queue);
            if (output == VEF_NONE)
                continue;
            network->entered[input] = network->packets[queue->head].entered_cycles;
            network->asking[(size_t)output * network->input_words + w] |= bits & -bits;
            network->outputs_asked[output / 64] |= UINT64_C(1) << (output % 64);
            any = true;
        }
    if (!any)
        return;
    uint32_t left = 0;
    for (uint32_t w = 0; w < network->output_words; w++)
        while (network->outputs_asked[w] != 0) {
            uint32_t output = w * 64 + (uint32_t)__builtin_ctzll(network->outputs_asked[w]);
            network->outputs_asked[w] &= network->outputs_asked[w] - 1;
            left += grant_output(network, router, output);
        }
    /* Whoever asked in vain may ask for something else in the next cycle; the others become
     * eligible only when something is due. */
    if (left > 0)
        vef_network_wake(network, router);
}
