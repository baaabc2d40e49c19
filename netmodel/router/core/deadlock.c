/* Detection of deadlocks, and their description as a cycle of virtual channels whose front packets
 * wait for each other.
 *
 * Every change in the network is due at a known time or follows from another. If nothing is due, no
 * router is active and packets are inside, they are deadlocked, whatever is injected later.
 *
 * While other packets move, a fixpoint over all waiting queues finds deadlocks. A queue is dead if
 * its front packet waits for places and each of its candidates leads to a dead queue with too few
 * free places and no credit under way, since dead queues free no places. (With pauses, a sender has
 * a credit while it is not paused, and frames are what is under way. With virtual output queues,
 * all non-empty queues of the store must be dead and no packet may be under way to it, since it
 * could enter another queue. Where queues share a read port, a queue counts as moving while another
 * is read.) All waiting queues start as dead; those that may move are removed, then those for which
 * they make room, and so on. This is exact: the rest can never move, and every deadlocked packet is
 * found once its queue is at rest. It runs every LOOK_CYCLES; if little has been delivered since,
 * only after QUIET_CYCLES per router, to keep its cost small. So a deadlock is found at most
 * max(LOOK_CYCLES, QUIET_CYCLES x routers) cycles after its last packet stopped, or as soon as
 * nothing is due.
 *
 * With ranks (ranks.c) each marks its own queues; which stores at the end of links to other ranks
 * may free places it hears from these, until none changes.
 *
 * Each dead front packet waits for dead queues with all candidates, so following its candidate
 * of the highest preference value (the escape) from queue to queue leads to a cycle. */
#include "common/memory.h"
#include "netmodel/router/core/network.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK_CYCLES = 4096, QUIET_CYCLES = 16 };

static int64_t packets_inside(const vef_network *network) {
    int64_t packets = 0;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        packets += network->partitions.parts[i].packets_inside;
    vef_net_sum(network->base.ranks, &packets, sizeof packets);
    return packets;
}

static bool is_idle(const vef_partition *part) {
    const uint64_t now = part->now_cycles;
    return !part->awake.any && !part->choosing.any && part->filling.count == 0 &&
           vef_calendar_next(&part->ends, now) == UINT64_MAX &&
           vef_calendar_next(&part->arrivals, now) == UINT64_MAX &&
           vef_calendar_next(&part->credits_back, now) == UINT64_MAX;
}

static bool stuck(const vef_network *network) {
    int64_t busy_and_inside[2] = {0};
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        busy_and_inside[0] += !is_idle(&network->partitions.parts[i]);
        busy_and_inside[1] += network->partitions.parts[i].packets_inside;
    }
    vef_net_sum(network->base.ranks, busy_and_inside, sizeof busy_and_inside);
    return busy_and_inside[0] == 0 && busy_and_inside[1] > 0;
}

/* A queue by its number in the network: router * inputs + input. */
static const vef_queue *queue_at(const vef_network *network, uint32_t number) {
    vef_router *router = vef_router_at(network, number / network->shape.inputs);
    return &vef_queues_of(network, router)[number % network->shape.inputs];
}

static vef_candidate last_resort(const vef_network *network, const vef_queue *queue) {
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    vef_candidate last = offer->candidates[0];
    for (uint32_t i = 1; i < offer->count; i++)
        if (offer->candidates[i].preference > last.preference)
            last = offer->candidates[i];
    return last;
}

static bool is_filled(const vef_network *network, uint32_t number) {
    vef_router *router = vef_router_at(network, number / network->shape.inputs);
    const uint32_t input = number % network->shape.inputs;
    return (vef_filled_of(router)[input / 64] >> input % 64 & 1) != 0;
}

static uint32_t places_needed(const vef_network *network, const vef_packet *packet,
                              vef_candidate candidate) {
    return vef_places_needed(network, candidate, vef_places_of(network, packet->phits));
}

/* The first queue of a router's store. */
static uint32_t first_of(const vef_network *network, uint32_t router, uint32_t store) {
    return router * network->shape.inputs + store * network->shape.queues_each;
}

/* The store at the other end of a router's link, as the number of its first queue. */
static uint32_t store_of_link(const vef_network *network, uint32_t router, uint32_t port,
                              uint32_t channel) {
    const vef_far_end *far_end = &vef_far_ends_of(network, vef_router_at(network, router))[port];
    const uint32_t store = vef_far_link(far_end, port * network->shape.channels + channel);
    return first_of(network, far_end->router, store);
}

/* Whether the front packet has candidates: it is neither at its destination nor still to be routed.
 */
static bool waits_for_links(const vef_network *network, const vef_queue *queue) {
    return queue->offer < network->offers.count && !vef_offer_is_open(network, queue->offer);
}

/* The queue for which the front packet of `number` waits (the first non-empty one of the store);
 * VEF_NONE: it does not wait. */
static uint32_t waits_for(const vef_network *network, uint32_t number) {
    const vef_queue *queue = queue_at(network, number);
    if (!is_filled(network, number) || !waits_for_links(network, queue))
        return VEF_NONE;
    vef_candidate last = last_resort(network, queue);
    const uint32_t first =
        store_of_link(network, number / network->shape.inputs, last.port, last.channel);
    for (uint32_t q = first; q < first + network->shape.queues_each; q++)
        if (is_filled(network, q))
            return q;
    return VEF_NONE;
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
    const vef_packet *packet = vef_packet_at(network, queue->head);
    const uint32_t router = number / network->shape.inputs;
    const uint32_t next =
        network->topology->neighbour[(size_t)router * network->shape.ports + last.port];
    char here[VEF_ROUTER_NAME_BYTES], there[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES],
        room[64] = "paused", line[2 * VEF_ROUTER_NAME_BYTES + VEF_PORT_NAME_BYTES + 192];
    vef_topology_router_name(network->topology, router, here, sizeof here);
    vef_topology_router_name(network->topology, next, there, sizeof there);
    vef_topology_port_name(network->topology, last.port, port, sizeof port);
    uint32_t link = last.port * network->shape.channels + last.channel;
    if (!network->policies.full.pauses)
        snprintf(room, sizeof room, "%u of %u places free, it needs %u",
                 vef_credits(network, vef_router_at(network, router), link),
                 vef_buffers_places(&network->queues.buffers, router, last.port, last.channel),
                 places_needed(network, packet, last));
    snprintf(line, sizeof line,
             "  router %s: a packet for endpoint %u waits for %s, channel %u, to router %s (%s)\n",
             here, vef_message_at(network, packet->message)->destination, port, last.channel, there,
             room);
    return say(text, text_bytes, used, line);
}

/* A queue on the cycle that begins at or after `from`; VEF_NONE: the walk ends at a queue that
 * does not wait. */
static uint32_t on_cycle(const vef_network *network, uint32_t from) {
    /* Floyd's cycle detection. */
    uint32_t slow = from, fast = from;
    do {
        slow = waits_for(network, slow);
        fast = waits_for(network, fast);
        if (fast != VEF_NONE)
            fast = waits_for(network, fast);
    } while (fast != VEF_NONE && slow != fast);
    return fast;
}

/* ---- deadlocks while other packets move ---- */

enum {
    DEAD = 1,
    UNDER_WAY = 2, /* a packet to, or a credit from, a store; marked at its first queue */
    REVIVED = 4,   /* no longer dead: the senders must be checked again */
    LISTED = 8,    /* the router has revived queues and is in their list; at its first queue */
    FREE = 16,     /* of another rank: the store may free places; at its first queue */
};

typedef struct look {
    const vef_network *network;
    uint8_t *marks;    /* [queue] */
    uint32_t *revived; /* routers */
    uint32_t revived_count;
} look;

/* Whether a store may free places: some queue is alive, all are empty, or something is under
 * way. */
static bool may_free(const look *l, uint32_t first) {
    bool filled = false;
    if (!vef_network_holds(l->network, first / l->network->shape.inputs))
        return (l->marks[first] & (UNDER_WAY | FREE)) != 0;
    for (uint32_t q = first; q < first + l->network->shape.queues_each; q++) {
        if (!is_filled(l->network, q))
            continue;
        filled = true;
        if (!(l->marks[q] & DEAD))
            return true;
    }
    return !filled || (l->marks[first] & UNDER_WAY) != 0;
}

/* Whether some candidate of the front packet has, or may get, enough places. */
static bool may_move(const look *l, uint32_t number) {
    const vef_network *network = l->network;
    const uint32_t router = number / network->shape.inputs;
    const vef_queue *queue = queue_at(network, number);
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    const vef_packet *packet = vef_packet_at(network, queue->head);
    vef_router *state = vef_router_at(network, router);
    for (uint32_t i = 0; i < offer->count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        const uint32_t link = candidate.port * network->shape.channels + candidate.channel;
        const uint32_t next = store_of_link(network, router, candidate.port, candidate.channel);
        if (vef_credits(network, state, link) >= places_needed(network, packet, candidate) ||
            may_free(l, next))
            return true;
    }
    return false;
}

static void revive_if_it_may_move(look *l, uint32_t number) {
    if (!(l->marks[number] & DEAD) || !may_move(l, number))
        return;
    l->marks[number] = (uint8_t)((l->marks[number] & ~DEAD) | REVIVED);
    const uint32_t router = number / l->network->shape.inputs;
    uint8_t *listed = &l->marks[router * l->network->shape.inputs];
    if (!(*listed & LISTED))
        l->revived[l->revived_count++] = router;
    *listed |= LISTED;
}

/* Calls `visit` for every queue of a router whose front packet waits. */
static void each_waiting(look *l, uint32_t router, void (*visit)(look *l, uint32_t number)) {
    const vef_network *network = l->network;
    vef_router *state = vef_router_at(network, router);
    const uint64_t *filled = vef_filled_of(state),
                   *reading = vef_reading_of(state, network->shape.input_words);
    for (uint32_t w = 0; w < network->shape.input_words; w++)
        for (uint64_t bits = filled[w] & ~reading[w]; bits != 0; bits &= bits - 1)
            visit(l, router * network->shape.inputs + w * 64 + vef_bits_first(bits));
}

/* Marks a waiting queue as dead unless its front packet is at its destination or not yet routed. */
static void presume_dead(look *l, uint32_t number) {
    if (waits_for_links(l->network, queue_at(l->network, number)))
        l->marks[number] |= DEAD;
}

/* The senders of a router's revived queues may have room now. */
static void check_senders(look *l, uint32_t router) {
    const vef_network *network = l->network;
    const vef_far_end *far_ends = vef_far_ends_of(network, vef_router_at(network, router));
    uint8_t *marks = l->marks + (size_t)router * network->shape.inputs;
    marks[0] &= (uint8_t)~LISTED;
    for (uint32_t input = 0; input < network->shape.inputs; input++) {
        if (!(marks[input] & REVIVED))
            continue;
        marks[input] &= (uint8_t)~REVIVED;
        const uint32_t store = vef_store_of(network, input);
        if (store >= network->shape.links)
            continue;
        const uint32_t sender = far_ends[network->links.in_port[store]].router;
        if (vef_network_holds(network, sender))
            each_waiting(l, sender, revive_if_it_may_move);
    }
}

/* Ranks exchange which of their stores may free places. Returns whether that is new
 * for any rank, of a store at the end of one of its links. */
static bool share_free(look *l) {
    const vef_network *network = l->network;
    const uint32_t links = network->shape.links;
    const uint64_t stores = (uint64_t)network->topology->routers * links;
    const size_t words = stores / 64 + 1;
    uint64_t *free_stores = vef_calloc(words, sizeof *free_stores), found = 0;
    for (uint64_t i = 0; i < stores; i++) {
        const uint32_t router = (uint32_t)(i / links), store = (uint32_t)(i % links);
        if (vef_network_holds(network, router) && may_free(l, first_of(network, router, store)))
            free_stores[i / 64] |= UINT64_C(1) << i % 64;
    }
    vef_net_sum(network->base.ranks, free_stores, words * sizeof *free_stores);
    for (uint64_t i = 0; i < stores; i++) {
        const uint32_t router = (uint32_t)(i / links), store = (uint32_t)(i % links);
        const size_t port = (size_t)router * network->shape.ports + network->links.in_port[store];
        const uint32_t sender = network->topology->neighbour[port];
        uint8_t *mark = &l->marks[first_of(network, router, store)];
        if (!(free_stores[i / 64] >> i % 64 & 1) || sender == VEF_NO_ROUTER || (*mark & FREE) ||
            vef_network_holds(network, router) || !vef_network_holds(network, sender))
            continue;
        *mark |= FREE;
        found++;
        each_waiting(l, sender, revive_if_it_may_move);
    }
    free(free_stores);
    vef_net_sum(network->base.ranks, &found, sizeof found);
    return found > 0;
}

static void mark_credit(look *l, const vef_calendar_entry *event) {
    const vef_network *network = l->network;
    l->marks[store_of_link(network, event->router, network->links.in_port[event->link],
                           network->links.in_channel[event->link])] |= UNDER_WAY;
}

static void mark_arrival(look *l, const vef_calendar_entry *event) {
    const vef_network *network = l->network;
    l->marks[event->router * network->shape.inputs + event->input * network->shape.queues_each] |=
        UNDER_WAY;
}

static void mark_events(look *l, const vef_calendar *calendar,
                        void (*mark)(look *l, const vef_calendar_entry *event)) {
    for (uint32_t slot = 0; slot <= calendar->mask; slot++)
        for (vef_calendar_walk walk = vef_calendar_events(calendar, slot); walk.chunk;
             walk = vef_calendar_newer(walk))
            for (uint32_t i = 0; i < walk.count; i++)
                mark(l, &walk.chunk->items[i]);
}

/* A dead queue, or VEF_NONE. */
static uint32_t find_dead(look *l) {
    const vef_network *network = l->network;
    const vef_net_ranks *ranks = network->base.ranks;
    const uint32_t routers = network->topology->routers;
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        mark_events(l, &network->partitions.parts[i].credits_back, mark_credit);
        if (network->shape.queues_each > 1)
            mark_events(l, &network->partitions.parts[i].arrivals, mark_arrival);
    }
    for (uint32_t router = 0; router < routers; router++)
        each_waiting(l, router, presume_dead);
    for (uint32_t router = 0; router < routers; router++)
        each_waiting(l, router, revive_if_it_may_move);
    do
        while (l->revived_count > 0)
            check_senders(l, l->revived[--l->revived_count]);
    while (ranks && share_free(l));
    uint64_t dead = 0;
    while (dead < (uint64_t)routers * network->shape.inputs && !(l->marks[dead] & DEAD))
        dead++;
    dead = dead < (uint64_t)routers * network->shape.inputs ? dead : VEF_NONE;
    if (ranks)
        ranks->least(ranks->context, &dead, 1);
    return (uint32_t)dead;
}

void vef_network_watch(vef_network *network) {
    vef_watch *watch = &network->watch;
    const uint64_t now = network->now_cycles;
    const size_t routers = network->topology->routers;
    watch->next_cycles = now + LOOK_CYCLES;
    vef_net_counts counts;
    vef_network_counts(&network->base, &counts);
    const bool quiet = counts.packets - watch->last_packets < routers;
    if (watch->dead_queue != VEF_NONE || packets_inside(network) == 0 ||
        (quiet && now - watch->last_cycles < QUIET_CYCLES * routers))
        return;
    watch->last_cycles = now;
    watch->last_packets = counts.packets;
    look l = {.network = network, .marks = watch->marks, .revived = watch->revived};
    memset(l.marks, 0, routers * network->shape.inputs * sizeof *l.marks);
    watch->dead_queue = find_dead(&l);
}

/* ---- messages ---- */

static void say_cycle(const vef_network *network, uint32_t start, char *text, size_t text_bytes) {
    size_t used = say(text, text_bytes, 0,
                      network->policies.full.pauses
                          ? "a cyclic buffer dependency of queues, each of which pauses its sender "
                            "and waits for the next:\n"
                          : "a cycle of virtual channels, each full and waiting for the next:\n");
    uint32_t queue = start;
    do {
        used = say_step(network, queue, text, text_bytes, used);
        queue = waits_for(network, queue);
    } while (queue != start);
}

bool vef_network_deadlock(const vef_netmodel *base, char *text, size_t text_bytes) {
    const vef_network *network = (const vef_network *)base;
    if (text_bytes > 0)
        text[0] = '\0';
    const bool dead = network->watch.dead_queue != VEF_NONE;
    if (base->ranks) { /* no rank knows the whole cycle */
        say(text, text_bytes, 0, "packets wait for each other: one process prints the cycle\n");
        return dead || stuck(network);
    }
    if (dead) {
        say_cycle(network, on_cycle(network, network->watch.dead_queue), text, text_bytes);
        return true;
    }
    if (!stuck(network))
        return false;
    uint32_t queues = network->topology->routers * network->shape.inputs;
    for (uint32_t queue = 0; queue < queues; queue++) {
        uint32_t start = on_cycle(network, queue);
        if (start == VEF_NONE)
            continue;
        say_cycle(network, start, text, text_bytes);
        return true;
    }
    say(text, text_bytes, 0, "packets wait for queues with too few free places\n");
    return true;
}
