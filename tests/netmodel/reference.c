/* The rules of netmodel/MODEL.md, phit by phit. See reference.h. */
#include "tests/netmodel/reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

typedef struct phit {
    uint32_t packet;
    uint32_t number; /* in the packet: 0 is the head */
} phit;

/* A line of phits, first in first out. */
typedef struct phit_line {
    phit *phits;
    uint32_t room, first, count;
} phit_line;

/* A queue: an input of the crossbar. Its packets stand phit behind phit. */
typedef struct queue {
    phit_line line;
    uint32_t places, packets; /* packets that have begun to come in and not wholly left */
    int output;               /* being read towards this output, or NONE */
} queue;

/* Something on its way over a link. */
typedef struct wire_phit {
    phit phit;
    uint8_t channel;
    uint64_t due_cycles;
} wire_phit;
typedef struct wire {
    wire_phit *phits;
    uint32_t count;
} wire;

/* An output of the crossbar: a link, or an ejection port. */
typedef struct output {
    int input;              /* the queue that is read towards it, or NONE */
    uint8_t channel;        /* of the packet under way */
    uint32_t pointer;       /* round robin */
    wire wire;              /* links: phits under way to the other end */
    uint32_t *credits;      /* links, per channel */
    uint64_t **credits_due; /* links, per channel: when those under way back will be here */
    uint32_t *credits_coming;
} output;

/* What a queue asks for. */
typedef struct request {
    int output; /* or NONE */
    uint8_t channel;
} request;

typedef struct router {
    queue *queues;
    output *outputs;
    request *requests;
    vef_rng rng;
} router;

typedef struct packet {
    uint32_t message, phits;
    uint64_t entry_cycles;
    vef_route route;
    uint32_t hops;
} packet;

typedef struct source {
    uint32_t *messages; /* not yet wholly in an injection queue, in the order of their time */
    uint32_t count, room;
    uint64_t bytes_sent;   /* of the first message */
    uint32_t packets_sent; /* of the first message */
    vef_rng rng;
} source;

struct reference {
    reference_config config;
    reference_routing routing;
    uint32_t routers, ports, endpoints, transit_queues, queues, outputs;
    router *router;
    source *source;
    packet *packets;
    uint32_t packet_count, packet_room;
    reference_message *messages;
    uint32_t message_count, message_room, pending;
    uint64_t now;
    reference_counts counts;
};

/* ---- memory ---- */

static void *take(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static void *grow(void *memory, uint32_t count, uint32_t *room, size_t size) {
    if (count < *room)
        return memory;
    *room = *room ? 2 * *room : 64;
    memory = realloc(memory, *room * size);
    if (memory == NULL)
        abort();
    return memory;
}

/* ---- lines of phits ---- */

static void line_push(phit_line *line, phit what) {
    assert(line->count < line->room);
    line->phits[(line->first + line->count++) % line->room] = what;
}

static phit line_pop(phit_line *line) {
    assert(line->count > 0);
    const phit what = line->phits[line->first];
    line->first = (line->first + 1) % line->room;
    line->count--;
    return what;
}

static uint32_t router_of(const reference *network, uint32_t endpoint) {
    return endpoint / network->config.endpoints_per_router;
}

static uint32_t neighbour(const reference *network, uint32_t at, uint32_t port) {
    return reference_neighbour(&network->config.lattice, at, port);
}

/* ---- construction ---- */

static void router_make(reference *network, uint32_t at) {
    const reference_config *config = &network->config;
    router *r = &network->router[at];
    r->queues = take(network->queues, sizeof *r->queues);
    r->outputs = take(network->outputs, sizeof *r->outputs);
    r->requests = take(network->queues, sizeof *r->requests);
    r->rng = vef_rng_make(config->seed, VEF_RNG_ROUTER, at);
    for (uint32_t q = 0; q < network->queues; q++) {
        queue *input = &r->queues[q];
        input->places =
            q < network->transit_queues ? config->queue_packets : config->injection_queue_packets;
        input->output = NONE;
        input->line.room = input->places * config->packet_phits;
        input->line.phits = take(input->line.room, sizeof *input->line.phits);
    }
    for (uint32_t o = 0; o < network->outputs; o++) {
        output *out = &r->outputs[o];
        const uint32_t channels = o < network->ports ? network->routing.channels : 0;
        out->input = NONE;
        out->wire.phits = take(config->router_delay_cycles + config->link_delay_cycles + 1,
                               sizeof *out->wire.phits);
        out->credits = take(channels, sizeof *out->credits);
        out->credits_due = take(channels, sizeof *out->credits_due);
        out->credits_coming = take(channels, sizeof *out->credits_coming);
        for (uint32_t c = 0; c < channels; c++) {
            out->credits[c] = config->queue_packets;
            out->credits_due[c] = take(config->queue_packets, sizeof **out->credits_due);
        }
    }
}

reference *reference_new(const reference_config *config, const reference_routing *routing) {
    assert(config->router_delay_cycles + config->link_delay_cycles >= 1);
    reference *network = take(1, sizeof *network);
    network->config = *config;
    network->routing = *routing;
    network->routers = reference_routers(&config->lattice);
    network->ports = 2 * config->lattice.generators;
    network->endpoints = network->routers * config->endpoints_per_router;
    network->transit_queues = network->ports * routing->channels;
    network->queues =
        network->transit_queues + config->endpoints_per_router * config->injection_queues;
    network->outputs = network->ports + config->endpoints_per_router * config->ejection_ports;
    network->router = take(network->routers, sizeof *network->router);
    network->source = take(network->endpoints, sizeof *network->source);
    for (uint32_t r = 0; r < network->routers; r++)
        router_make(network, r);
    for (uint32_t e = 0; e < network->endpoints; e++)
        network->source[e].rng = vef_rng_make(config->seed, VEF_RNG_SOURCE, e);
    return network;
}

void reference_free(reference *network) {
    for (uint32_t r = 0; r < network->routers; r++) {
        router *at = &network->router[r];
        for (uint32_t q = 0; q < network->queues; q++)
            free(at->queues[q].line.phits);
        for (uint32_t o = 0; o < network->outputs; o++) {
            output *out = &at->outputs[o];
            for (uint32_t c = 0; o < network->ports && c < network->routing.channels; c++)
                free(out->credits_due[c]);
            free(out->credits_due);
            free(out->credits_coming);
            free(out->credits);
            free(out->wire.phits);
        }
        free(at->queues);
        free(at->outputs);
        free(at->requests);
    }
    for (uint32_t e = 0; e < network->endpoints; e++)
        free(network->source[e].messages);
    free(network->router);
    free(network->source);
    free(network->packets);
    free(network->messages);
    free(network);
}

/* ---- messages ---- */

uint32_t reference_inject(reference *network, uint32_t from, uint32_t destination, uint64_t bytes,
                          uint64_t time_cycles) {
    assert(time_cycles >= network->now && from < network->endpoints &&
           destination < network->endpoints);
    const uint32_t id = network->message_count;
    network->messages =
        grow(network->messages, id, &network->message_room, sizeof *network->messages);
    const uint64_t packet_bytes =
        (uint64_t)network->config.packet_phits * network->config.phit_bytes;
    const uint64_t packets = bytes == 0 ? 1 : (bytes + packet_bytes - 1) / packet_bytes;
    network->messages[id] = (reference_message){.source = from,
                                                .destination = destination,
                                                .bytes = bytes,
                                                .time_cycles = time_cycles,
                                                .packets = (uint32_t)packets};
    network->message_count++;
    network->pending++;
    source *s = &network->source[from];
    s->messages = grow(s->messages, s->count, &s->room, sizeof *s->messages);
    uint32_t k = s->count++;
    for (; k > 0 && network->messages[s->messages[k - 1]].time_cycles > time_cycles; k--)
        s->messages[k] = s->messages[k - 1];
    assert(k > 0 || s->packets_sent == 0); /* a message under way is not overtaken */
    s->messages[k] = id;
    return id;
}

/* The next packet of an endpoint's source. */
static uint32_t packet_make(reference *network, uint32_t endpoint) {
    source *s = &network->source[endpoint];
    const reference_message *message = &network->messages[s->messages[0]];
    const uint64_t phit_bytes = network->config.phit_bytes;
    const uint64_t most_bytes = network->config.packet_phits * phit_bytes;
    const uint64_t rest_bytes = message->bytes - s->bytes_sent;
    const uint64_t bytes = rest_bytes < most_bytes ? rest_bytes : most_bytes;
    const uint32_t id = network->packet_count;
    network->packets = grow(network->packets, id, &network->packet_room, sizeof *network->packets);
    network->packet_count++;
    packet *made = &network->packets[id];
    *made = (packet){.message = s->messages[0], .entry_cycles = network->now};
    made->phits = bytes == 0 ? 1 : (uint32_t)((bytes + phit_bytes - 1) / phit_bytes);
    const vef_travel travel = {
        .source = endpoint,
        .destination = message->destination,
        .from = router_of(network, endpoint),
        .to = router_of(network, message->destination),
    };
    network->routing.begin(network->routing.context, &travel, &s->rng, &made->route);
    s->bytes_sent += bytes;
    s->packets_sent++;
    if (s->packets_sent == message->packets) {
        assert(s->bytes_sent == message->bytes);
        s->count--;
        memmove(s->messages, s->messages + 1, s->count * sizeof *s->messages);
        s->bytes_sent = 0;
        s->packets_sent = 0;
    }
    return id;
}

/* ---- step 1: what is due ---- */

static void arrivals(reference *network, uint32_t at, uint32_t port) {
    wire *w = &network->router[at].outputs[port].wire;
    uint32_t left = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        if (w->phits[k].due_cycles != network->now) {
            w->phits[left++] = w->phits[k];
            continue;
        }
        const uint32_t input = (port ^ 1U) * network->routing.channels + w->phits[k].channel;
        queue *to = &network->router[neighbour(network, at, port)].queues[input];
        if (w->phits[k].phit.number == 0)
            to->packets++;
        assert(to->packets <= to->places);
        line_push(&to->line, w->phits[k].phit);
    }
    w->count = left;
}

static void credits_back(reference *network, uint32_t at, uint32_t port) {
    output *out = &network->router[at].outputs[port];
    for (uint32_t c = 0; c < network->routing.channels; c++) {
        uint32_t left = 0;
        for (uint32_t k = 0; k < out->credits_coming[c]; k++) {
            if (out->credits_due[c][k] == network->now)
                out->credits[c]++;
            else
                out->credits_due[c][left++] = out->credits_due[c][k];
        }
        out->credits_coming[c] = left;
    }
}

/* ---- step 2: injection ---- */

static void injection(reference *network, uint32_t endpoint) {
    const reference_config *config = &network->config;
    source *s = &network->source[endpoint];
    queue *queues = &network->router[router_of(network, endpoint)]
                         .queues[network->transit_queues + endpoint % config->endpoints_per_router *
                                                               config->injection_queues];
    while (s->count > 0 && network->messages[s->messages[0]].time_cycles <= network->now) {
        queue *emptiest = &queues[0];
        for (uint32_t q = 1; q < config->injection_queues; q++)
            if (queues[q].packets < emptiest->packets)
                emptiest = &queues[q];
        if (emptiest->packets == emptiest->places)
            return;
        const uint32_t id = packet_make(network, endpoint);
        emptiest->packets++;
        for (uint32_t k = 0; k < network->packets[id].phits; k++)
            line_push(&emptiest->line, (phit){id, k});
    }
}

/* ---- step 3: requests ---- */

/* Where the packets of a queue stand, for the routing. */
static vef_place place_of(const reference *network, uint32_t at, uint32_t input) {
    vef_place place = {.router = at, .in_port = VEF_INJECTED};
    if (input < network->transit_queues) {
        place.in_port = (uint16_t)(input / network->routing.channels);
        place.in_channel = (uint8_t)(input % network->routing.channels);
    }
    return place;
}

static request ask_ejection(const reference *network, uint32_t at, uint32_t endpoint) {
    const uint32_t ports = network->config.ejection_ports;
    const uint32_t first = network->ports + endpoint % network->config.endpoints_per_router * ports;
    for (uint32_t o = first; o < first + ports; o++)
        if (network->router[at].outputs[o].input == NONE)
            return (request){.output = (int)o};
    return (request){.output = NONE};
}

static request ask_link(reference *network, uint32_t at, uint32_t input, const packet *head) {
    router *r = &network->router[at];
    vef_candidate offered[VEF_MAX_CANDIDATES], best[VEF_MAX_CANDIDATES];
    const uint32_t count = network->routing.candidates(network->routing.context, &head->route,
                                                       place_of(network, at, input), offered);
    uint32_t best_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        const output *out = &r->outputs[offered[k].port];
        const uint32_t credits = out->credits[offered[k].channel];
        if (out->input != NONE || credits < offered[k].slots_needed)
            continue;
        if (best_count > 0) {
            const uint32_t best_credits = r->outputs[best[0].port].credits[best[0].channel];
            const bool tie = offered[k].preference == best[0].preference && credits == best_credits;
            const bool better =
                offered[k].preference < best[0].preference ||
                (offered[k].preference == best[0].preference && credits > best_credits);
            if (!tie && !better)
                continue;
            if (better)
                best_count = 0;
        }
        best[best_count++] = offered[k];
    }
    if (best_count == 0)
        return (request){.output = NONE};
    const uint32_t chosen = network->config.arbiter == REFERENCE_RANDOM && best_count > 1
                                ? vef_rng_below(&r->rng, best_count)
                                : 0;
    return (request){.output = best[chosen].port, .channel = best[chosen].channel};
}

static void requests(reference *network, uint32_t at) {
    router *r = &network->router[at];
    for (uint32_t q = 0; q < network->queues; q++) {
        const queue *input = &r->queues[q];
        r->requests[q].output = NONE;
        if (input->output != NONE || input->line.count == 0)
            continue;
        const phit front = input->line.phits[input->line.first];
        assert(front.number == 0);
        const packet *head = &network->packets[front.packet];
        const uint32_t destination = network->messages[head->message].destination;
        r->requests[q] = router_of(network, destination) == at
                             ? ask_ejection(network, at, destination)
                             : ask_link(network, at, q, head);
    }
}

/* ---- step 4: grants ---- */

static const packet *front_packet(const reference *network, const queue *input) {
    return &network->packets[input->line.phits[input->line.first].packet];
}

/* The queue that gets output `o`, of `count` (at least one) that ask, in order of index. */
static uint32_t arbitrate(reference *network, uint32_t at, uint32_t o, const uint32_t *asking,
                          uint32_t count) {
    router *r = &network->router[at];
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
            if (front_packet(network, &r->queues[asking[k]])->entry_cycles <
                front_packet(network, &r->queues[asking[chosen]])->entry_cycles)
                chosen = k;
        return asking[chosen];
    }
    abort();
}

static void grants(reference *network, uint32_t at) {
    router *r = &network->router[at];
    uint32_t *asking = take(network->queues, sizeof *asking);
    for (uint32_t o = 0; o < network->outputs; o++) {
        uint32_t count = 0, transit = 0;
        for (uint32_t q = 0; q < network->queues; q++) {
            if (r->requests[q].output != (int)o)
                continue;
            asking[count++] = q;
            if (q < network->transit_queues)
                transit = count; /* transit queues come first by their index */
        }
        if (count == 0)
            continue;
        if (network->config.transit_first && transit > 0)
            count = transit;
        const uint32_t input = arbitrate(network, at, o, asking, count);
        output *out = &r->outputs[o];
        out->input = (int)input;
        out->channel = r->requests[input].channel;
        r->queues[input].output = (int)o;
        if (o >= network->ports)
            continue;
        packet *granted =
            &network->packets[r->queues[input].line.phits[r->queues[input].line.first].packet];
        out->credits[out->channel]--;
        network->routing.advance(network->routing.context, &granted->route,
                                 place_of(network, at, input), (uint8_t)o, out->channel);
        granted->hops++;
    }
    free(asking);
}

/* ---- step 5: movement ---- */

/* The tail of a packet has left queue `input`: its place will be known to be free. */
static void place_left(reference *network, uint32_t at, uint32_t input) {
    queue *left = &network->router[at].queues[input];
    left->packets--;
    left->output = NONE;
    if (input >= network->transit_queues)
        return;
    const uint32_t port = input / network->routing.channels;
    const uint32_t channel = input % network->routing.channels;
    output *sender = &network->router[neighbour(network, at, port)].outputs[port ^ 1U];
    assert(sender->credits_coming[channel] < network->config.queue_packets);
    sender->credits_due[channel][sender->credits_coming[channel]++] =
        network->now + 1 + network->config.credit_delay_cycles;
}

static void consume(reference *network, const packet *done) {
    reference_message *message = &network->messages[done->message];
    message->delivered++;
    if (message->delivered == message->packets) {
        message->delivered_cycles = network->now + 1;
        network->pending--;
    }
    network->counts.packets++;
    network->counts.packet_hops += done->hops;
    network->counts.phits += done->phits;
    network->counts.latency_cycles += network->now - done->entry_cycles;
}

static uint32_t movement(reference *network, uint32_t at) {
    router *r = &network->router[at];
    uint32_t moved = 0;
    for (uint32_t o = 0; o < network->outputs; o++) {
        output *out = &r->outputs[o];
        if (out->input == NONE)
            continue;
        const uint32_t input = (uint32_t)out->input;
        /* Cut-through never starves: the next phit of the packet is always there. */
        const phit crossing = line_pop(&r->queues[input].line);
        const packet *whose = &network->packets[crossing.packet];
        const bool tail = crossing.number + 1 == whose->phits;
        moved++;
        if (o < network->ports)
            out->wire.phits[out->wire.count++] = (wire_phit){
                .phit = crossing,
                .channel = out->channel,
                .due_cycles = network->now + network->config.router_delay_cycles +
                              network->config.link_delay_cycles,
            };
        else if (tail)
            consume(network, whose);
        if (tail) {
            out->input = NONE;
            place_left(network, at, input);
        }
    }
    return moved;
}

uint32_t reference_cycle(reference *network) {
    uint32_t moved = 0;
    for (uint32_t r = 0; r < network->routers; r++)
        for (uint32_t port = 0; port < network->ports; port++) {
            arrivals(network, r, port);
            credits_back(network, r, port);
        }
    for (uint32_t e = 0; e < network->endpoints; e++)
        injection(network, e);
    for (uint32_t r = 0; r < network->routers; r++) {
        requests(network, r);
        grants(network, r);
    }
    for (uint32_t r = 0; r < network->routers; r++)
        moved += movement(network, r);
    network->now++;
    return moved;
}

/* ---- looking in ---- */

uint64_t reference_now(const reference *network) {
    return network->now;
}

uint32_t reference_pending(const reference *network) {
    return network->pending;
}

const reference_message *reference_get(const reference *network, uint32_t message) {
    assert(message < network->message_count);
    return &network->messages[message];
}

reference_counts reference_count(const reference *network) {
    return network->counts;
}

uint64_t reference_phits_inside(const reference *network) {
    uint64_t phits = 0;
    for (uint32_t r = 0; r < network->routers; r++) {
        for (uint32_t q = 0; q < network->queues; q++)
            phits += network->router[r].queues[q].line.count;
        for (uint32_t port = 0; port < network->ports; port++)
            phits += network->router[r].outputs[port].wire.count;
    }
    return phits;
}

/* Packets sent to a channel whose head is not yet in the queue at the other end. */
static uint32_t heads_under_way(const output *out, uint32_t channel) {
    uint32_t heads = 0;
    for (uint32_t k = 0; k < out->wire.count; k++)
        heads += out->wire.phits[k].phit.number == 0 && out->wire.phits[k].channel == channel;
    return heads;
}

bool reference_is_consistent(const reference *network) {
    const uint32_t channels = network->routing.channels;
    for (uint32_t r = 0; r < network->routers; r++) {
        for (uint32_t q = 0; q < network->queues; q++)
            if (network->router[r].queues[q].packets > network->router[r].queues[q].places)
                return false;
        for (uint32_t port = 0; port < network->ports; port++) {
            const uint32_t other = neighbour(network, r, port);
            const output *out = &network->router[r].outputs[port];
            for (uint32_t c = 0; other != VEF_NO_ROUTER && c < channels; c++) {
                const queue *to = &network->router[other].queues[(port ^ 1U) * channels + c];
                if (out->credits[c] + out->credits_coming[c] + to->packets +
                        heads_under_way(out, c) !=
                    to->places)
                    return false;
            }
        }
    }
    return true;
}
