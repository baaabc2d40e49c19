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
    const reference_message *of = &network->messages[message];
    return &network->pairs[(size_t)of->source * network->endpoints + of->destination];
}

bool reference_admits(const reference *network, uint32_t endpoint) {
    if (network->config.congestion != REFERENCE_THROTTLE)
        return true;
    const router *r = &network->router[network->source[endpoint].router];
    uint32_t taken = 0, all = 0;
    for (uint32_t port = 0; port < network->ports; port++)
        for (uint32_t c = 0; c < network->routing.channels; c++) {
            taken += r->outputs[port].places[c] - r->outputs[port].credits[c];
            all += r->outputs[port].places[c];
        }
    return !((double)taken > network->config.queue_share * (double)all);
}

bool reference_may_send(const reference *network, uint32_t message) {
    if (!by_pair(network) || network->messages[message].destination == VEF_TO_ALL)
        return true;
    const pair *of = pair_of(network, message);
    const uint32_t most = of->window < 1 ? 1 : (uint32_t)of->window;
    const uint32_t reorder = network->config.reorder_packets;
    return of->outstanding < most && of->pause_cycles <= network->now &&
           (reorder == 0 || of->entered < of->lacks + reorder);
}

static void step_rate(const reference_config *config, pair *of) {
    const uint64_t more = of->ticks > of->counts ? of->ticks : of->counts;
    const uint64_t fewer = of->ticks > of->counts ? of->counts : of->ticks;
    if (fewer > config->recovery_steps)
        of->target += config->hyper_share;
    else if (more >= config->recovery_steps)
        of->target += config->increase_share;
    if (of->target > 1)
        of->target = 1;
    of->rate = (of->target + of->rate) / 2;
}

static void update_rate(const reference *network, pair *of) {
    const reference_config *config = &network->config;
    while (of->reduced && of->rate < 1 - 1e-3 &&
           of->decreased_cycles + (of->ticks + 1) * config->increase_cycles <= network->now) {
        of->ticks++;
        step_rate(config, of);
    }
    if (of->rate >= 1 - 1e-3)
        of->rate = of->target = 1;
}

static void count_bytes(const reference *network, pair *of, uint32_t phits) {
    const reference_config *config = &network->config;
    update_rate(network, of);
    if (of->rate >= 1)
        return;
    of->bytes += (uint64_t)phits * config->phit_bytes;
    while (of->bytes / config->increase_bytes > of->counts) {
        of->counts++;
        step_rate(config, of);
    }
    of->pause_cycles = network->now + (uint64_t)ceil(phits / of->rate);
}

static void reduce_rate(const reference *network, pair *of) {
    const reference_config *config = &network->config;
    const uint64_t since = network->now - of->decreased_cycles;
    if (of->reduced && since < config->notice_cycles)
        return;
    update_rate(network, of);
    if (of->reduced)
        of->congestion *= pow(1 - config->gain, (double)(since / config->alpha_cycles));
    of->target = of->rate;
    of->rate *= 1 - of->congestion / 2;
    if (of->rate < config->least_share)
        of->rate = config->least_share;
    of->congestion = (1 - config->gain) * of->congestion + config->gain;
    of->reduced = true;
    of->decreased_cycles = network->now;
    of->bytes = of->ticks = of->counts = 0;
}

/* A pair that has nothing to do is forgotten, what it knows of its last reduction with it. */
static void forget(const reference *network, pair *of, uint32_t message) {
    const reference_message *sent = &network->messages[message];
    if (network->config.congestion != REFERENCE_DCQCN || of->outstanding > 0 || of->rate < 1)
        return;
    for (uint32_t i = 0; i < network->message_count; i++) {
        const reference_message *other = &network->messages[i];
        if (other->source == sent->source && other->destination == sent->destination &&
            other->time_cycles <= network->now && other->bytes_sent < other->bytes)
            return;
    }
    of->reduced = false;
    of->congestion = 1;
}

void reference_note_entry(reference *network, uint32_t number) {
    const uint32_t message = network->packets[number].message;
    if (!by_pair(network) || network->messages[message].destination == VEF_TO_ALL)
        return;
    pair *of = pair_of(network, message);
    of->outstanding++;
    network->packets[number].sequence = of->entered++;
    if (network->config.congestion == REFERENCE_DCQCN)
        count_bytes(network, of, network->packets[number].phits);
}

static bool is_drawn(const reference *network, uint32_t at, uint32_t link, double share) {
    const reference_config *config = &network->config;
    if (share <= config->queue_share || share > config->most_share)
        return share > config->queue_share;
    vef_rng rng = vef_rng_make(config->seed, VEF_RNG_MARKS,
                               (uint64_t)at * network->ports * network->routing.channels + link);
    rng.counter = network->now;
    return vef_rng_unit(&rng) < config->most_marks * (share - config->queue_share) /
                                    (config->most_share - config->queue_share);
}

void reference_note_grant(const reference *network, uint32_t at, uint32_t port, uint32_t channel,
                          packet *granted) {
    const output *out = &network->router[at].outputs[port];
    const reference_link link = reference_link_of(network, at, port);
    granted->way_cycles +=
        network->config.router_delay_cycles + link.delay_cycles + link.cycles_per_phit - 1;
    if (network->config.pauses)
        return;
    /* The places of the packet itself are among those taken. */
    const uint32_t taken = out->places[channel] - out->credits[channel];
    if (network->config.congestion == REFERENCE_DCQCN)
        granted->marked |= is_drawn(network, at, port * network->routing.channels + channel,
                                    (double)taken / out->places[channel]);
    if (network->config.congestion != REFERENCE_ECN)
        return;
    if ((double)taken > network->config.queue_share * (double)out->places[channel])
        granted->marked = true;
}

void reference_note_arrival(const reference *network, uint32_t at, uint32_t m, packet *head) {
    const store *of = &network->router[at].memories[m];
    const double share = (double)of->taken / of->pause_at;
    if (!network->config.pauses)
        return;
    if (network->config.congestion == REFERENCE_DCQCN)
        head->marked |= is_drawn(network, at, m, share);
    if (network->config.congestion == REFERENCE_ECN)
        head->marked |= of->taken > network->config.queue_share * of->pause_at;
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
static void find_lacking(const reference *network, pair *of) {
    for (uint32_t i = 0; i < network->packet_count; i++) {
        const packet *entered = &network->packets[i];
        if (!entered->known || entered->sequence != of->lacks ||
            pair_of(network, entered->message) != of)
            continue;
        of->lacks++;
        i = UINT32_MAX; /* from the first one on */
    }
}

/* All notices of now of one pair, of which the first is `first`. */
static void learn(reference *network, uint32_t first) {
    const reference_config *config = &network->config;
    pair *of = pair_of(network, network->packets[network->notices[first].packet].message);
    bool marked = false;
    uint64_t longest = 0;
    for (uint32_t i = first; i < network->notice_count; i++) {
        packet *arrived = &network->packets[network->notices[i].packet];
        if (network->notices[i].due_cycles != network->now ||
            pair_of(network, arrived->message) != of)
            continue;
        network->notices[i].due_cycles = 0; /* done */
        of->outstanding--;
        arrived->known = true;
        if (network->now - arrived->entry_cycles > longest)
            longest = network->now - arrived->entry_cycles;
        if (config->congestion == REFERENCE_DCQCN && arrived->marked)
            reduce_rate(network, of);
        if (config->congestion != REFERENCE_ECN)
            continue;
        if (arrived->marked) {
            marked |= arrived->entry_cycles >= of->decreased_cycles;
            continue;
        }
        of->window += config->increase_packets / (of->window > 1 ? of->window : 1);
        if (of->window > config->window_packets)
            of->window = config->window_packets;
    }
    if (marked) {
        const double reduced = of->window * config->decrease;
        if (reduced >= config->least_window_packets)
            of->window = reduced;
        else if (of->window > config->least_window_packets)
            of->window = config->least_window_packets;
        of->decreased_cycles = network->now;
    }
    if (config->reorder_packets > 0)
        find_lacking(network, of);
    forget(network, of, network->packets[network->notices[first].packet].message);
    if (of->outstanding == 0 && of->window < 1)
        of->pause_cycles = network->now + (uint64_t)ceil((double)longest * (1 / of->window - 1));
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
