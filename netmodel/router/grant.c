/* Requests, grants and movement of one router in one cycle (netmodel/MODEL.md, steps 3 to 5). */
#include "netmodel/router/copies.h"
#include "netmodel/router/network.h"
#include "netmodel/router/paces.h"

/* Compiled once for routers with single-word input sets, once for others with equal links, and once
 * for all. */
#define SPECIALISED static inline __attribute__((always_inline))

/* Encodes the candidates of an offer as link bit masks where possible. */
static void say_wants(const vef_network *network, vef_offer *offer) {
    enum { MOST_VALUES = 3 };
    vef_wants wants = {0}, below[MOST_VALUES]; /* those of lower preference values */
    offer->wants_complete = false;
    if (!network->narrow || network->routing->patient)
        return;
    const uint32_t channels = network->channels, count = offer->count;
    uint32_t last = 0, values = 0, value = offer->candidates[0].preference;
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        const uint32_t link = candidate.port * channels + candidate.channel;
        const uint32_t order = candidate.preference * 64u + link + 1;
        if (order <= last || candidate.slots_needed > 2)
            return;
        last = order;
        if (candidate.preference != value) {
            value = candidate.preference;
            below[values++] = wants;
            if (values == MOST_VALUES)
                return;
        }
        *(candidate.slots_needed == 2 ? &wants.two : &wants.one) |= UINT64_C(1) << link;
    }
    offer->wants_complete = true;
    offer->any = wants;
    offer->first = values > 0 ? below[0] : wants;
    offer->second = values > 1 ? below[1] : wants;
}

/* The candidates of a packet in a store: the number of an offer, which is `own` if packets do not
 * share them. */
SPECIALISED uint32_t ask(vef_network *network, uint32_t router, uint32_t store, uint32_t front,
                         uint32_t own) {
    const vef_packet *packet = vef_packet_at(network, front);
    if (packet->router == router)
        return (uint32_t)network->offer_count + packet->local;
    if (packet->router == VEF_NONE) {
        vef_copies_begin(network, router, store, front);
        return network->copies_offer;
    }
    const vef_routing *routing = network->routing;
    uint32_t number = own;
    if (network->shared_offers) {
        uint32_t came = store < network->links ? store : network->links;
        number = packet->signature * (network->links + 1) + came;
    }
    vef_offer *offer = vef_offer_at(network, number);
    if (offer->known && network->shared_offers)
        return number;
    vef_place place = {router, network->in_port[store], network->in_channel[store]};
    uint32_t count =
        routing->algorithm->candidates(routing, &packet->route, place, offer->candidates);
    assert(count > 0 && count <= routing->most_candidates);
    offer->count = (uint16_t)count;
    offer->known = true;
    say_wants(network, offer);
    return number;
}

uint32_t vef_network_sort(vef_network *network, uint32_t router, uint32_t store, uint32_t packet) {
    const uint32_t first = store * network->queues_each;
    const uint32_t ejection = (uint32_t)network->offer_count, own = ejection + network->per_router;
    const uint32_t number = ask(network, router, store, packet, own);
    if (number >= ejection && number < own)
        return first + network->ports + (number - ejection);
    const vef_offer *offer = vef_offer_at(network, number);
    uint32_t best = 0;
    for (uint32_t i = 1; i < offer->count; i++)
        if (offer->candidates[i].preference < offer->candidates[best].preference)
            best = i;
    return first + offer->candidates[best].port;
}

/* Places that a candidate needs for a packet of `takes` places: each beyond the first is one of the
 * largest size. */
static inline uint32_t places_needed(const vef_network *network, vef_candidate candidate,
                                     uint32_t places) {
    return places + (candidate.slots_needed - 1u) * network->largest_places;
}

/* The maximum preference value that a patient packet may request: the least with enough places;
 * unlimited for others. */
static uint32_t most_preference(const vef_network *network, vef_router *state,
                                const vef_offer *offer, uint32_t places) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; network->routing->patient && i < offer->count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        const uint32_t link = candidate.port * network->channels + candidate.channel;
        if (vef_credits(network, state, link) >= places_needed(network, candidate, places) &&
            candidate.preference < least)
            least = candidate.preference;
    }
    return least;
}

/* The candidate that the front packet requests: of the least preference value among the eligible
 * ones, that with the most credits; ties are drawn, or resolved to the first; with random selection
 * any of them. The packet takes `places`. Returns the candidate's link; VEF_NONE: none is eligible.
 */
static uint32_t choose_candidate(const vef_network *network, vef_router *state,
                                 const vef_offer *offer, uint32_t places) {
    const vef_router_output *outputs = vef_outputs_of(network, state);
    uint16_t equals[VEF_MAX_CANDIDATES];
    const uint16_t *lead = vef_credit_lead_of(network, state);
    const bool random_selection = network->routing->random_selection;
    uint32_t count = 0, best_credits = 0;
    uint32_t best_preference = most_preference(network, state, offer, places);
    for (uint32_t i = 0; i < offer->count; i++) {
        vef_candidate candidate = offer->candidates[i];
        uint32_t link = candidate.port * network->channels + candidate.channel;
        uint32_t have = vef_credits(network, state, link);
        uint32_t needed = places_needed(network, candidate, places);
        if (have < needed || candidate.preference > best_preference ||
            outputs[candidate.port].until_cycles > network->now_cycles)
            continue;
        have = random_selection ? 0 : have + (lead ? lead[link] : 0u);
        if (candidate.preference < best_preference || have > best_credits) {
            best_preference = candidate.preference;
            best_credits = have;
            count = 0;
        }
        if (have == best_credits)
            equals[count++] = (uint16_t)i;
    }
    if (count == 0)
        return VEF_NONE;
    bool draw = count > 1 && (random_selection || network->settings.arbiter->random_ties);
    uint32_t which = draw ? vef_rng_below(&state->rng, count) : 0;
    vef_candidate chosen = offer->candidates[equals[which]];
    return chosen.port * network->channels + chosen.channel;
}

/* Those of `links` with the most credits. */
static uint64_t with_most_credits(const vef_network *network, vef_router *state, uint64_t links) {
    const uint16_t *lead = vef_credit_lead_of(network, state);
    for (uint32_t level = lead ? 0 : VEF_CREDIT_LEVELS; level-- > 0;) {
        uint64_t rich = links & state->at_least[level];
        if (rich == 0)
            continue;
        links = rich;
        if (level < VEF_CREDIT_LEVELS - 1 || !network->counted)
            return links;
        break;
    }
    /* More levels than masks: compare the credits themselves. */
    const uint16_t *credits = vef_credits_of(network, state);
    uint64_t best = 0;
    uint32_t most = 0;
    for (uint64_t left = links; left != 0; left &= left - 1) {
        const uint32_t link = vef_bits_first(left);
        const uint32_t have = credits[link] + (lead ? lead[link] : 0u);
        if (have > most) {
            most = have;
            best = 0;
        }
        if (have == most)
            best |= left & -left;
    }
    return best;
}

/* The wanted exits that are `free` for a packet now. */
static inline uint64_t eligible_of(vef_wants wanted, vef_wants free) {
    return (wanted.one & free.one) | (wanted.two & free.two);
}

/* The same as choose_candidate, with bit masks. */
SPECIALISED uint32_t choose_wanted(const vef_network *network, vef_router *state,
                                   const vef_offer *offer, vef_wants free) {
    uint64_t eligible = eligible_of(offer->first, free);
    if (eligible == 0) {
        /* The remaining set has the last preference value. */
        eligible = eligible_of(offer->any, free);
        if (eligible == 0)
            return VEF_NONE;
        const uint64_t second = eligible_of(offer->second, free);
        eligible = second ? second : eligible;
    }
    if (vef_bits_several(eligible)) {
        const bool random_selection = network->routing->random_selection;
        if (!random_selection)
            eligible = with_most_credits(network, state, eligible);
        if (vef_bits_several(eligible) &&
            (random_selection || network->settings.arbiter->random_ties))
            return vef_bits_nth(eligible, vef_rng_below(&state->rng, vef_bits_count(eligible)));
    }
    return vef_bits_first(eligible);
}

/* The lowest free ejection port of a router's endpoint; VEF_NONE: none. */
static uint32_t choose_ejection(const vef_network *network, uint32_t router, uint32_t local) {
    const uint32_t endpoint = network->endpoint_at[(size_t)router * network->per_router + local];
    uint32_t free = network->endpoints[endpoint].ejection_free;
    if (free == 0)
        return VEF_NONE;
    return network->ports + local * network->settings.ejection_ports + vef_bits_first(free);
}

/* Input of the requests of a router, and the resources that they lack. */
typedef struct requests {
    vef_wants free;   /* exits whose port is free, with one place or two */
    vef_wants wanted; /* becomes vef_router.wanted, as does */
    bool watchful;
} requests;

static inline requests begin_requests(const vef_router *state) {
    return (requests){
        .free = {state->open & state->at_least[0], state->open & state->at_least[1]},
    };
}

static inline void end_requests(vef_router *state, const requests *all) {
    state->wanted = all->wanted;
    state->watchful = all->watchful;
}

/* The output that a packet requests at its destination, or if masks do not encode its candidates;
 * VEF_NONE: none. */
static uint32_t request_by_candidates(vef_network *network, uint32_t router, vef_router *state,
                                      uint32_t input, const vef_queue *queue) {
    if (queue->offer == network->copies_offer) {
        vef_copies_request(network, state, input);
        return VEF_NONE; /* its request is recorded */
    }
    if (queue->offer >= network->offer_count)
        return choose_ejection(network, router, queue->offer - (uint32_t)network->offer_count);
    uint32_t link =
        choose_candidate(network, state, vef_offer_at(network, queue->offer),
                         vef_places_of(network, vef_packet_at(network, queue->head)->phits));
    if (link == VEF_NONE)
        return VEF_NONE;
    network->chosen[input] = (uint16_t)link;
    return network->in_port[link];
}

/* The output that the front packet of `input` requests; VEF_NONE: none. */
SPECIALISED uint32_t request(vef_network *network, uint32_t router, vef_router *state,
                             uint32_t input, requests *all) {
    vef_queue *queue = &vef_queues_of(network, state)[input];
    if (queue->offer == VEF_NONE)
        queue->offer = ask(network, router, vef_store_of(network, input), queue->head,
                           router * network->inputs + input);
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    if (offer->wants_complete) {
        uint32_t exit = choose_wanted(network, state, offer, all->free);
        if (exit == VEF_NONE) {
            all->wanted.one |= offer->any.one;
            all->wanted.two |= offer->any.two;
            return VEF_NONE;
        }
        if (exit < network->links) {
            network->chosen[input] = (uint16_t)exit;
            return network->in_port[exit];
        }
    }
    uint32_t output = request_by_candidates(network, router, state, input, queue);
    all->watchful |= output == VEF_NONE;
    return output;
}

/* The packet takes a place at the other end of the link, and its head leaves. */
SPECIALISED void send(vef_network *network, uint32_t router, vef_router *state, uint32_t link,
                      uint32_t port, uint32_t number, bool alike) {
    uint32_t places = alike ? 1 : vef_places_of(network, vef_packet_at(network, number)->phits);
    for (uint32_t i = 0; i < places; i++)
        vef_take_credit(network, state, link);
    if (network->narrow)
        state->open &= ~network->port_links[port];
    const vef_far_end *far_end = &vef_far_ends_of(network, state)[port];
    uint32_t hop_cycles = network->hop_cycles;
    if (!alike && network->rules) {
        hop_cycles = network->rules[(size_t)router * network->ports + port].hop_cycles;
        if (network->lines)
            vef_paces_forward(network, number, hop_cycles);
    }
    vef_calendar_entry *arrival =
        vef_calendar_add(&network->arrivals, network->now_cycles + hop_cycles);
    arrival->router = far_end->router;
    arrival->packet = number;
    arrival->input = (uint16_t)(far_end->link + network->in_channel[link]);
}

void vef_network_send(vef_network *network, uint32_t router, vef_router *state, uint32_t link,
                      uint32_t number) {
    send(network, router, state, link, network->in_port[link], number, false);
}

/* Changes the route of a packet that leaves by `link`. */
SPECIALISED void advance(const vef_network *network, uint32_t router, uint32_t input, uint32_t link,
                         uint32_t port, vef_packet *packet) {
    const vef_routing *routing = network->routing;
    if (routing->steps) {
        const vef_route_step step = routing->steps[port];
        int16_t *left = &packet->route.words[step.word];
        *left = (int16_t)(*left + step.change);
        packet->signature = (uint16_t)(packet->signature - (*left == 0 ? step.weight : 0));
        return;
    }
    const uint32_t store = vef_store_of(network, input);
    const vef_place place = {router, network->in_port[store], network->in_channel[store]};
    routing->algorithm->advance(routing, &packet->route, place, (uint16_t)port,
                                network->in_channel[link]);
    if (network->shared_offers)
        packet->signature = (uint16_t)routing->algorithm->signature(routing, &packet->route);
}

SPECIALISED void cross_link(vef_network *network, uint32_t router, vef_router *state,
                            uint32_t input, uint32_t port, uint32_t number, bool alike) {
    vef_packet *packet = vef_packet_at(network, number);
    uint32_t link = network->chosen[input];
    packet->hops++;
    advance(network, router, input, link, port, packet);
    send(network, router, state, link, port, number, alike);
}

uint64_t vef_network_crossed(vef_network *network, uint32_t router, uint32_t output,
                             uint32_t number) {
    const uint32_t phits = vef_packet_at(network, number)->phits;
    vef_link_rule *rule = NULL;
    if (network->rules && output < network->ports)
        rule = &network->rules[(size_t)router * network->ports + output];
    uint64_t end = network->now_cycles + phits;
    if (network->lines)
        end = vef_paces_cross(network, number, rule ? rule->pace : 0);
    if (rule) {
        rule->passing_phits = phits;
        rule->passing_cycles = (uint32_t)(end - network->now_cycles);
    }
    return end;
}

/* All places of the departing packet but the last become free as their phits leave. */
static void free_places(vef_network *network, uint32_t router, uint32_t output, uint32_t number,
                        const vef_calendar_entry *passing) {
    const uint32_t unit = network->settings.unit_phits;
    uint32_t pace = 0;
    if (network->rules && output < network->ports)
        pace = network->rules[(size_t)router * network->ports + output].pace;
    for (uint32_t gone = unit; gone < vef_packet_at(network, number)->phits; gone += unit) {
        uint64_t time = network->now_cycles + gone;
        if (network->lines)
            time = vef_paces_crossed(network, number, pace, gone - 1);
        vef_calendar_entry *event = vef_calendar_add(&network->places_free, time);
        event->input = passing->input;
        event->sender = passing->sender;
        event->link = passing->link;
    }
}

SPECIALISED void move(vef_network *network, uint32_t router, vef_router *state, uint32_t input,
                      uint32_t output, bool alike) {
    vef_queue *queue = &vef_queues_of(network, state)[input];
    if (queue->offer == network->copies_offer) {
        vef_copies_move(network, router, state, input, output);
        return;
    }
    uint32_t number = queue->head;
    const vef_packet *packet = vef_packet_at(network, number);
    uint64_t end = alike ? network->now_cycles + packet->phits
                         : vef_network_crossed(network, router, output, number);
    uint64_t bit = UINT64_C(1) << input % 64;
    if (alike)
        vef_reading_of(network, state)[input / 64] |= bit;
    else
        vef_network_set_reading(network, state, input, true);
    if (packet->next == VEF_NONE)
        vef_filled_of(state)[input / 64] &= ~bit;
    queue->head = packet->next;
    queue->offer = VEF_NONE;
    vef_router_output *granted = &vef_outputs_of(network, state)[output];
    granted->phits += packet->phits;
    granted->until_cycles = end;
    vef_calendar_entry *event = vef_calendar_add(&network->ends, end);
    event->router = router;
    event->packet = number;
    event->input = (uint16_t)input;
    event->output = (uint16_t)output;
    vef_network_set_sender(network, router, state, input, event);
    if (!alike && network->settings.unit_phits > 0)
        free_places(network, router, output, number, event);
    if (output < network->ports)
        cross_link(network, router, state, input, output, number, alike);
    else
        vef_network_take_ejection_port(
            network, state,
            network->endpoint_at[(size_t)router * network->per_router + packet->local], output);
}

/* With transit_first, excludes injection queues if a transit queue requests. */
SPECIALISED void leave_out_injection(const vef_network *network, uint64_t *asking, uint32_t words) {
    uint32_t word = network->transit_inputs / 64, bit = network->transit_inputs % 64;
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

/* The requesting input that the arbiter chooses. */
SPECIALISED uint32_t arbitrate(vef_network *network, vef_router *state, uint32_t output,
                               const uint64_t *asking, uint32_t words) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < words; w++)
        count += vef_bits_count(asking[w]);
    vef_contest contest = {
        .asking = asking,
        .words = words,
        .count = count,
        .entered = network->entered,
        .rng = &state->rng,
        .pointer = &vef_pointers_of(network, state)[output],
    };
    return network->settings.arbiter->choose(&contest);
}

/* Grants one output to one of the requesting inputs; returns whether others requested it in vain.
 */
SPECIALISED bool grant_output(vef_network *network, uint32_t router, vef_router *state,
                              uint32_t output, uint32_t words, bool alike) {
    uint64_t *asking = network->asking + (size_t)output * words;
    bool several = vef_bits_several(asking[0]);
    for (uint32_t w = 1; w < words; w++)
        several = several || asking[w] != 0;
    uint32_t input;
    if (!several && !network->settings.arbiter->remembers) {
        input = vef_bits_first(asking[0]);
    } else {
        if (several && network->settings.transit_first)
            leave_out_injection(network, asking, words);
        input = arbitrate(network, state, output, asking, words);
    }
    for (uint32_t w = 0; w < words; w++)
        asking[w] = 0;
    move(network, router, state, input, output, alike);
    return several;
}

/* Collects the requests of all inputs by output. */
SPECIALISED void gather_requests(vef_network *network, uint32_t router, vef_router *state,
                                 uint32_t words) {
    bool by_age = network->settings.arbiter->by_age;
    const uint64_t *filled = vef_filled_of(state), *reading = vef_reading_of(network, state);
    requests all = begin_requests(state);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t bits = filled[w] & ~reading[w]; bits != 0; bits &= bits - 1) {
            uint32_t input = w * 64 + vef_bits_first(bits);
            uint32_t output = request(network, router, state, input, &all);
            if (output == VEF_NONE)
                continue;
            if (by_age) {
                uint32_t front = vef_queues_of(network, state)[input].head;
                network->entered[input] =
                    vef_entered_cycles(network, vef_packet_at(network, front));
            }
            network->asking[(size_t)output * words + w] |= bits & -bits;
            network->outputs_asked[output / 64] |= UINT64_C(1) << output % 64;
        }
    end_requests(state, &all);
}

SPECIALISED void grant(vef_network *network, uint32_t router, uint32_t in_words, uint32_t out_words,
                       bool alike) {
    vef_router *state = vef_router_at(network, router);
    gather_requests(network, router, state, in_words);
    bool in_vain = false;
    for (uint32_t w = 0; w < out_words; w++) {
        uint64_t asked = network->outputs_asked[w];
        network->outputs_asked[w] = 0;
        for (; asked != 0; asked &= asked - 1)
            in_vain |= grant_output(network, router, state, w * 64 + vef_bits_first(asked),
                                    in_words, alike);
    }
    /* An input that was not granted may request another output in the next cycle; others become
     * eligible only through an event. */
    if (in_vain)
        vef_network_wake(network, state, router);
}

/* Requests and grants with an arbiter that matches input ports and outputs. */
static void grant_matches(vef_network *network, uint32_t router) {
    vef_router *state = vef_router_at(network, router);
    const uint64_t *filled = vef_filled_of(state), *reading = vef_reading_of(network, state);
    requests all = begin_requests(state);
    vef_matching *matching = &network->matching;
    uint32_t asking = 0;
    for (uint32_t w = 0; w < network->input_words; w++)
        for (uint64_t bits = filled[w] & ~reading[w]; bits != 0; bits &= bits - 1) {
            uint32_t input = w * 64 + vef_bits_first(bits);
            uint32_t output = request(network, router, state, input, &all);
            if (output == VEF_NONE)
                continue;
            network->askers[asking++] = (uint16_t)input;
            network->asked[input] = (uint16_t)output;
        }
    end_requests(state, &all);
    if (asking == 0)
        return;
    matching->asker_count = asking;
    matching->output_pointers =
        network->port_pointers + (size_t)router * network->port_pointer_count;
    matching->queue_pointers = matching->output_pointers + matching->outputs;
    matching->port_pointers = matching->queue_pointers + matching->input_ports;
    network->settings.arbiter->match(matching);
    for (uint32_t output = 0; output < network->outputs; output++)
        if (matching->granted[output] != VEF_UNMATCHED) {
            move(network, router, state, matching->granted[output], output, false);
            asking--;
        }
    if (asking > 0)
        vef_network_wake(network, state, router);
}

void vef_network_grant(vef_network *network, uint32_t router) {
    if (network->settings.arbiter->match)
        grant_matches(network, router);
    else if (network->rules || network->settings.unit_phits > 0)
        grant(network, router, network->input_words, network->output_words, false);
    else if (network->input_words == 1 && network->output_words == 1)
        grant(network, router, 1, 1, true);
    else
        grant(network, router, network->input_words, network->output_words, true);
}
