/* Injection: step 2 of netmodel/MODEL.md, and its section on injection queues by port. */
#include "tests/netmodel/reference_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The route of the next packet of an endpoint's source. */
static void begin_route(reference *network, uint32_t endpoint) {
    source *s = &network->source[endpoint];
    const reference_message *message = &network->messages[s->messages[s->next]];
    s->begun = true;
    if (message->destination == VEF_TO_ALL) {
        if (!network->config.trees)
            network->routing.begin_to_all(network->routing.context, s->router, &s->route);
        return;
    }
    const vef_travel travel = {
        .source = endpoint,
        .destination = message->destination,
        .from = s->router,
        .to = network->source[message->destination].router,
        .traffic_class = message->traffic_class,
    };
    if (reference_chooses_at_front(network) && travel.from != travel.to)
        return;
    if (network->routing.alternatives > 0)
        reference_choose_route(network, &travel, &s->rng, &s->route);
    else
        network->routing.begin(network->routing.context, &travel, &s->rng, &s->route);
}

/* The next packet of an endpoint's source. */
static uint32_t packet_make(reference *network, uint32_t endpoint) {
    source *s = &network->source[endpoint];
    const uint32_t number = s->messages[s->next];
    reference_message *message = &network->messages[number];
    const uint64_t most_bytes = reference_payload(&network->config);
    const uint64_t rest_bytes = message->bytes - message->bytes_sent;
    const uint64_t bytes = rest_bytes < most_bytes ? rest_bytes : most_bytes;
    const uint32_t id = reference_new_packet(network);
    packet *made = &network->packets[id];
    *made =
        (packet){.message = number, .entry_cycles = network->now, .joined_cycles = network->now};
    made->phits = reference_phits_with(&network->config, bytes);
    if (!s->begun)
        begin_route(network, endpoint);
    s->begun = false;
    made->route = s->route;
    message->bytes_sent += bytes;
    made->number = message->packets_sent++;
    if (message->destination != VEF_TO_ALL)
        message->turn = ++s->turns;
    if (message->packets_sent == message->packets) {
        assert(message->bytes_sent == message->bytes);
        for (uint32_t k = s->count - 1; k > s->next; k--) {
            reference_message *behind = &network->messages[s->messages[k]];
            if (behind->destination == message->destination && behind->turn > 0 &&
                message->destination != VEF_TO_ALL)
                behind->turn = ++s->turns;
        }
        s->count--;
        memmove(s->messages + s->next, s->messages + s->next + 1,
                (s->count - s->next) * sizeof *s->messages);
    }
    reference_note_entry(network, id);
    return id;
}

/* ---- which queue ---- */

static uint32_t next_phits(const reference *network, const source *s) {
    const reference_message *message = &network->messages[s->messages[s->next]];
    const uint64_t left = message->bytes - message->bytes_sent;
    const uint64_t most = reference_payload(&network->config);
    return reference_phits_with(&network->config, left < most ? left : most);
}

/* How many hops the record still has to go by a port: by port 2g forwards along generator g, by
 * 2g + 1 backwards. */
static int hops_by(const vef_route *route, uint32_t port) {
    const int left = route->words[port / 2];
    return port % 2 == 0 ? left : -left;
}

/* By port: whether the next packet may join its queues. None: it may join any queue. */
static void note_ports(reference *network, uint32_t endpoint, bool *may) {
    source *s = &network->source[endpoint];
    const uint32_t destination = network->messages[s->messages[s->next]].destination;
    if (network->config.injection == REFERENCE_MOST_FREE || destination == VEF_TO_ALL)
        return;
    if (!s->begun)
        begin_route(network, endpoint);
    if (network->source[destination].router == s->router)
        return;
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = network->routing.candidates(
        network->routing.context, &s->route,
        (vef_place){.router = s->router, .in_port = VEF_INJECTED}, offered);
    bool escape = false;
    uint32_t longest = 0;
    for (uint32_t k = 0; k < count; k++) {
        switch (network->config.injection) {
        case REFERENCE_SHORTEST_PROFITABLE:
            may[offered[k].port] = true;
            break;
        case REFERENCE_LONGEST_PATH:
            for (uint32_t port = 0; port < network->ports; port++)
                if (hops_by(&s->route, port) > hops_by(&s->route, longest))
                    longest = port;
            may[longest] = true;
            break;
        default:
            may[offered[k].port] |= offered[k].escape && !escape;
            escape |= offered[k].escape;
        }
    }
}

/* Whether queue k of Q belongs to port p of P. */
static bool belongs(uint32_t k, uint32_t queues, uint32_t p, uint32_t ports) {
    const uint32_t first = p * queues / ports, beyond = (p + 1) * queues / ports;
    return k == first || (k > first && k < beyond);
}

/* The injection queue that the next packet joins, if it has room for it: the one with the fewest
 * places taken among those of the ports, or of all if there are none. */
static uint32_t emptiest(const reference *network, uint32_t endpoint, const bool *may) {
    const source *s = &network->source[endpoint];
    const uint32_t queues = network->config.injection_queues;
    const store *stores = &network->router[s->router].memories[network->transit_memories];
    bool any = true;
    for (uint32_t p = 0; p < network->ports; p++)
        any = any && !may[p];
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < queues; k++) {
        bool joins = any;
        for (uint32_t p = 0; p < network->ports; p++)
            joins = joins || (may[p] && belongs(k, queues, p, network->ports));
        if (joins && (best == UINT32_MAX ||
                      stores[s->local * queues + k].taken < stores[s->local * queues + best].taken))
            best = k;
    }
    return network->transit_memories + s->local * queues + best;
}

static bool has_room(const store *buffer, uint32_t places) {
    return buffer->taken + places <= buffer->places;
}

/* Whether a message before that one has the same destination. */
static bool is_behind(const reference *network, const source *s, uint32_t k) {
    for (uint32_t before = 0; before < k; before++)
        if (network->messages[s->messages[before]].destination ==
            network->messages[s->messages[k]].destination)
            return network->messages[s->messages[k]].destination != VEF_TO_ALL;
    return false;
}

/* With turns: looks for the message with the lowest turn, of those first to their destination. */
static bool find_turn(reference *network, source *s) {
    bool found = false;
    for (uint32_t k = 0; k < s->count; k++) {
        reference_message *message = &network->messages[s->messages[k]];
        if (message->time_cycles > network->now)
            break;
        if (message->turn == 0)
            message->turn = ++s->turns;
        if (is_behind(network, s, k) || !reference_may_send(network, s->messages[k]) ||
            (found && message->turn > network->messages[s->messages[s->next]].turn))
            continue;
        s->next = k;
        found = true;
    }
    return found;
}

/* Looks for the first message that may send now. */
static bool find_next(reference *network, source *s) {
    if (network->config.takes_turns)
        return find_turn(network, s);
    for (s->next = 0; s->next < s->count; s->next++) {
        const uint32_t number = s->messages[s->next];
        if (network->messages[number].time_cycles > network->now)
            return false;
        if (reference_may_send(network, number))
            return true;
    }
    return false;
}

void reference_injection(reference *network, uint32_t endpoint) {
    source *s = &network->source[endpoint];
    router *r = &network->router[s->router];
    bool *may = reference_take(network->ports, sizeof *may);
    while (reference_admits(network, endpoint) && find_next(network, s)) {
        const uint32_t places = reference_places(network, next_phits(network, s));
        memset(may, 0, network->ports * sizeof *may);
        note_ports(network, endpoint, may);
        uint32_t m = emptiest(network, endpoint, may);
        if (!has_room(&r->memories[m], places) &&
            network->config.injection == REFERENCE_DIMENSION_ORDER_FIRST) {
            memset(may, 0, network->ports * sizeof *may);
            m = emptiest(network, endpoint, may);
        }
        if (!has_room(&r->memories[m], places))
            break;
        r->memories[m].taken += places;
        const uint32_t id = packet_make(network, endpoint);
        const packet *entered = &network->packets[id];
        assert(reference_places(network, entered->phits) == places);
        const uint32_t q = reference_queue_for(network, s->router, m, entered);
        for (uint32_t k = 0; k < entered->phits; k++)
            reference_push(&r->queues[q], (phit){id, k});
    }
    free(may);
}
