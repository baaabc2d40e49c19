/* Recognising that nothing can ever move again, and saying why: a cycle of virtual channels whose
 * front packets wait for each other.
 *
 * Every change in the network is due at a known time or follows from one. So when nothing is due,
 * no router is to be looked at and packets are inside, they are stuck for good, whatever is
 * injected later. Each front packet then waits for a place in the queue of every one of its
 * candidates; following the last resort (the candidate of the highest preference value, the escape)
 * from queue to queue must come back to a queue already seen. */
#include "netmodel/router/network.h"

#include <string.h>

static bool stuck(const vef_network *network) {
    uint64_t now = network->now_cycles;
    return network->packets_inside > 0 && network->next.count == 0 && network->filling.count == 0 &&
           vef_calendar_next(&network->ends, now) == UINT64_MAX &&
           vef_calendar_next(&network->arrivals, now) == UINT64_MAX &&
           vef_calendar_next(&network->credits_back, now) == UINT64_MAX;
}

/* A queue of the whole network: router * inputs + input. */
static const vef_queue *queue_at(const vef_network *network, uint32_t number) {
    vef_router *router = vef_router_at(network, number / network->inputs);
    return &vef_queues_of(network, router)[number % network->inputs];
}

static vef_candidate last_resort(const vef_network *network, const vef_queue *queue) {
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    vef_candidate last = offer->candidates[0];
    for (uint32_t i = 1; i < offer->count; i++)
        if (offer->candidates[i].preference > last.preference)
            last = offer->candidates[i];
    return last;
}

/* The queue that the front packet of `number` waits for; VEF_NONE: it waits for none. */
static uint32_t waits_for(const vef_network *network, uint32_t number) {
    vef_router *router = vef_router_at(network, number / network->inputs);
    const uint32_t input = number % network->inputs;
    const vef_queue *queue = &vef_queues_of(network, router)[input];
    bool filled = (vef_filled_of(router)[input / 64] >> input % 64 & 1) != 0;
    if (!filled || queue->offer >= network->offer_count)
        return VEF_NONE; /* empty, not asked for yet, or at its destination */
    vef_candidate last = last_resort(network, queue);
    const vef_output *output = &vef_outputs_of(network, router)[last.port];
    return output->router * network->inputs + output->link + last.channel;
}

static size_t say(char *text, size_t text_bytes, size_t used, const char *piece) {
    size_t length = strlen(piece);
    if (used + length < text_bytes)
        memcpy(text + used, piece, length + 1);
    return used + length < text_bytes ? used + length : used;
}

static size_t say_step(const vef_network *network, uint32_t number, char *text, size_t text_bytes,
                       size_t used) {
    const vef_queue *queue = queue_at(network, number);
    vef_candidate last = last_resort(network, queue);
    const vef_packet *packet = &network->packets[queue->head];
    const uint32_t router = number / network->inputs;
    const uint32_t next = network->topology->neighbour[(size_t)router * network->ports + last.port];
    char here[VEF_ROUTER_NAME_BYTES], there[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES],
        line[2 * VEF_ROUTER_NAME_BYTES + VEF_PORT_NAME_BYTES + 192];
    vef_topology_router_name(network->topology, router, here, sizeof here);
    vef_topology_router_name(network->topology, next, there, sizeof there);
    vef_topology_port_name(network->topology, last.port, port, sizeof port);
    uint32_t link = last.port * network->channels + last.channel;
    snprintf(line, sizeof line,
             "  router %s: a packet for endpoint %u waits for %s, channel %u, to router %s "
             "(%u of %u places free, it needs %u)\n",
             here, packet->endpoint, port, last.channel, there,
             vef_credits_of(network, vef_router_at(network, router))[link],
             network->settings.queue_packets, last.slots_needed);
    return say(text, text_bytes, used, line);
}

/* Walks from a queue until one comes a second time, which is then on a cycle; VEF_NONE: the walk
 * ends at a queue that waits for nothing. */
static uint32_t on_cycle(const vef_network *network, uint32_t from) {
    /* Two walkers, one twice as fast, meet on the cycle (Floyd). */
    uint32_t slow = from, fast = from;
    do {
        slow = waits_for(network, slow);
        fast = waits_for(network, fast);
        if (fast != VEF_NONE)
            fast = waits_for(network, fast);
    } while (fast != VEF_NONE && slow != fast);
    return fast;
}

bool vef_network_deadlock(const vef_netmodel *base, char *text, size_t text_bytes) {
    const vef_network *network = (const vef_network *)base;
    if (text_bytes > 0)
        text[0] = '\0';
    if (!stuck(network))
        return false;
    uint32_t queues = network->topology->routers * network->inputs;
    for (uint32_t queue = 0; queue < queues; queue++) {
        if (waits_for(network, queue) == VEF_NONE)
            continue;
        uint32_t start = on_cycle(network, queue);
        if (start == VEF_NONE)
            continue;
        size_t used = say(text, text_bytes, 0,
                          "a cycle of virtual channels, each full and waiting "
                          "for the next:\n");
        uint32_t at = start;
        do {
            used = say_step(network, at, text, text_bytes, used);
            at = waits_for(network, at);
        } while (at != start);
        return true;
    }
    say(text, text_bytes, 0, "packets wait for queues that have room, but not enough\n");
    return true;
}
