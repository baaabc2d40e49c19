/* Congestion control: the section of that name of netmodel/MODEL.md. */
#include "tests/netmodel/reference_state.h"

#include <math.h>

static bool by_pair(const reference *network) {
    return network->config.congestion == REFERENCE_WINDOW ||
           network->config.congestion == REFERENCE_ECN ||
           network->config.congestion == REFERENCE_DCQCN;
}

void reference_pairs_make(reference *network) {
    const size_t pairs = (size_t)network->endpoints * network->endpoints;
    network->pairs = reference_take(pairs, sizeof *network->pairs);
    for (size_t i = 0; i < pairs; i++) {
        network->pairs[i].window = network->config.window_packets;
        network->pairs[i].rate = network->pairs[i].target = network->pairs[i].congestion = 1;
    }
}

static pair *pair_of(const reference *network, uint32_t message) {
    const reference_message *given = &network->messages[message];
    return &network->pairs[(size_t)given->source * network->endpoints + given->destination];
}

bool reference_admits(const reference *network, uint32_t endpoint) {
    if (network->config.congestion != REFERENCE_THROTTLE)
        return true;
    const router *r = &network->router[network->source[endpoint].router];
    uint32_t taken = 0, places = 0;
    for (uint32_t port = 0; port < network->ports; port++)
        for (uint32_t c = 0; c < network->routing.channels; c++) {
            taken += r->outputs[port].places[c] - r->outputs[port].credits[c];
            places += r->outputs[port].places[c];
        }
    return !((double)taken > network->config.queue_share * (double)places);
}

bool reference_may_send(const reference *network, uint32_t message) {
    if (!by_pair(network) || network->messages[message].destination == VEF_TO_ALL)
        return true;
    const pair *flow = pair_of(network, message);
    const uint32_t most = flow->window < 1 ? 1 : (uint32_t)flow->window;
    const uint32_t reorder = network->config.reorder_packets;
    return flow->outstanding < most && flow->pause_cycles <= network->now &&
           (reorder == 0 || flow->entered < flow->lacks + reorder);
}

static void step_rate(const reference_config *config, pair *flow) {
    const uint64_t more = flow->ticks > flow->counts ? flow->ticks : flow->counts;
    const uint64_t fewer = flow->ticks > flow->counts ? flow->counts : flow->ticks;
    if (fewer > config->recovery_steps)
        flow->target += config->hyper_share;
    else if (more >= config->recovery_steps)
        flow->target += config->increase_share;
    if (flow->target > 1)
        flow->target = 1;
    flow->rate = (flow->target + flow->rate) / 2;
}

static void update_rate(const reference *network, pair *flow) {
    const reference_config *config = &network->config;
    while (flow->reduced && flow->rate < 1 - 1e-3 &&
           flow->decreased_cycles + (flow->ticks + 1) * config->increase_cycles <= network->now) {
        flow->ticks++;
        step_rate(config, flow);
    }
    if (flow->rate >= 1 - 1e-3)
        flow->rate = flow->target = 1;
}

static void count_bytes(const reference *network, pair *flow, uint32_t phits) {
    const reference_config *config = &network->config;
    update_rate(network, flow);
    if (flow->rate >= 1)
        return;
    flow->bytes += (uint64_t)phits * config->phit_bytes;
    while (flow->bytes / config->increase_bytes > flow->counts) {
        flow->counts++;
        step_rate(config, flow);
    }
    flow->pause_cycles = network->now + (uint64_t)ceil(phits / flow->rate);
}

static void reduce_rate(const reference *network, pair *flow) {
    const reference_config *config = &network->config;
    const uint64_t since = network->now - flow->decreased_cycles;
    if (flow->reduced && since < config->notice_cycles)
        return;
    update_rate(network, flow);
    if (flow->reduced)
        flow->congestion *= pow(1 - config->gain, (double)(since / config->alpha_cycles));
    flow->target = flow->rate;
    flow->rate *= 1 - flow->congestion / 2;
    if (flow->rate < config->least_share)
        flow->rate = config->least_share;
    flow->congestion = (1 - config->gain) * flow->congestion + config->gain;
    flow->reduced = true;
    flow->decreased_cycles = network->now;
    flow->bytes = flow->ticks = flow->counts = 0;
}

/* A pair that has nothing to do is forgotten, what it knows of its last reduction with it. */
static void forget(const reference *network, pair *flow, uint32_t message) {
    const reference_message *sent = &network->messages[message];
    if (network->config.congestion != REFERENCE_DCQCN || flow->outstanding > 0 || flow->rate < 1)
        return;
    for (uint32_t i = 0; i < network->message_count; i++) {
        const reference_message *other = &network->messages[i];
        if (other->source == sent->source && other->destination == sent->destination &&
            other->time_cycles <= network->now && other->bytes_sent < other->bytes)
            return;
    }
    flow->reduced = false;
    flow->congestion = 1;
}

void reference_note_entry(reference *network, uint32_t number) {
    const uint32_t message = network->packets[number].message;
    if (!by_pair(network) || network->messages[message].destination == VEF_TO_ALL)
        return;
    pair *flow = pair_of(network, message);
    flow->outstanding++;
    network->packets[number].sequence = flow->entered++;
    if (network->config.congestion == REFERENCE_DCQCN)
        count_bytes(network, flow, network->packets[number].phits);
}

static bool is_drawn(const reference *network, uint32_t here, uint32_t link, double share) {
    const reference_config *config = &network->config;
    if (share <= config->queue_share || share > config->most_share)
        return share > config->queue_share;
    vef_rng rng = vef_rng_make(config->seed, VEF_RNG_MARKS,
                               (uint64_t)here * network->ports * network->routing.channels + link);
    rng.counter = network->now;
    return vef_rng_unit(&rng) < config->most_marks * (share - config->queue_share) /
                                    (config->most_share - config->queue_share);
}

void reference_note_grant(const reference *network, uint32_t here, uint32_t port, uint32_t channel,
                          packet *granted) {
    const output *out = &network->router[here].outputs[port];
    const reference_link link = reference_link_of(network, here, port);
    granted->way_cycles +=
        network->config.router_delay_cycles + link.delay_cycles + link.cycles_per_phit - 1;
    if (network->config.pauses)
        return;
    /* The places of the packet itself are among those taken. */
    const uint32_t taken = out->places[channel] - out->credits[channel];
    if (network->config.congestion == REFERENCE_DCQCN)
        granted->marked |= is_drawn(network, here, port * network->routing.channels + channel,
                                    (double)taken / out->places[channel]);
    if (network->config.congestion != REFERENCE_ECN)
        return;
    if ((double)taken > network->config.queue_share * (double)out->places[channel])
        granted->marked = true;
}

void reference_note_arrival(const reference *network, uint32_t here, uint32_t m, packet *head) {
    const store *buffer = &network->router[here].memories[m];
    const double share = (double)buffer->taken / buffer->pause_at;
    if (!network->config.pauses)
        return;
    if (network->config.congestion == REFERENCE_DCQCN)
        head->marked |= is_drawn(network, here, m, share);
    if (network->config.congestion == REFERENCE_ECN)
        head->marked |= buffer->taken > network->config.queue_share * buffer->pause_at;
}

void reference_note_delivery(reference *network, uint32_t number) {
    if (!by_pair(network))
        return;
    uint64_t delay = network->config.ack_delay_cycles;
    if (delay == 0)
        delay = network->packets[number].way_cycles;
    if (delay == 0)
        delay = 1;
    network->notices = reference_grow(network->notices, network->notice_count,
                                      &network->notice_room, sizeof *network->notices);
    network->notices[network->notice_count++] = (notice){number, network->now + 1 + delay};
}

/* Finds the first packet of a pair that is not known to be delivered. */
static void find_lacking(const reference *network, pair *flow) {
    for (uint32_t i = 0; i < network->packet_count; i++) {
        const packet *entered = &network->packets[i];
        if (!entered->known || entered->sequence != flow->lacks ||
            pair_of(network, entered->message) != flow)
            continue;
        flow->lacks++;
        i = UINT32_MAX; /* from the first one on */
    }
}

/* All notices of now of one pair, of which the first is `first`. */
static void learn(reference *network, uint32_t first) {
    const reference_config *config = &network->config;
    pair *flow = pair_of(network, network->packets[network->notices[first].packet].message);
    bool marked = false;
    uint64_t longest = 0;
    for (uint32_t i = first; i < network->notice_count; i++) {
        packet *arrived = &network->packets[network->notices[i].packet];
        if (network->notices[i].due_cycles != network->now ||
            pair_of(network, arrived->message) != flow)
            continue;
        network->notices[i].due_cycles = 0; /* done */
        flow->outstanding--;
        arrived->known = true;
        if (network->now - arrived->entry_cycles > longest)
            longest = network->now - arrived->entry_cycles;
        if (config->congestion == REFERENCE_DCQCN && arrived->marked)
            reduce_rate(network, flow);
        if (config->congestion != REFERENCE_ECN)
            continue;
        if (arrived->marked) {
            marked |= arrived->entry_cycles >= flow->decreased_cycles;
            continue;
        }
        flow->window += config->increase_packets / (flow->window > 1 ? flow->window : 1);
        if (flow->window > config->window_packets)
            flow->window = config->window_packets;
    }
    if (marked) {
        const double reduced = flow->window * config->decrease;
        if (reduced >= config->least_window_packets)
            flow->window = reduced;
        else if (flow->window > config->least_window_packets)
            flow->window = config->least_window_packets;
        flow->decreased_cycles = network->now;
    }
    if (config->reorder_packets > 0)
        find_lacking(network, flow);
    forget(network, flow, network->packets[network->notices[first].packet].message);
    if (flow->outstanding == 0 && flow->window < 1)
        flow->pause_cycles =
            network->now + (uint64_t)ceil((double)longest * (1 / flow->window - 1));
}

void reference_notices(reference *network) {
    for (uint32_t i = 0; i < network->notice_count; i++)
        if (network->notices[i].due_cycles == network->now)
            learn(network, i);
    uint32_t left = 0;
    for (uint32_t i = 0; i < network->notice_count; i++)
        if (network->notices[i].due_cycles > network->now)
            network->notices[left++] = network->notices[i];
    network->notice_count = left;
}
