/* Parts of a network (partition.h), and the mail among them.
 *
 * Everything that a part posts in a cycle takes effect in a later one: a head arrives after at
 * least one cycle, and a credit returns when the tail has left, which takes at least one. Both
 * times follow from the grant, and an ack takes as long as its packet's head. The least of these
 * delays over what crosses between parts is the lookahead: a window of so many cycles, whose mail a
 * part needs only before the events of the next window. */
#include "common/threads/pool.h"
#include "netmodel/router/core/network.h"

#include <stdlib.h>

/* The maxima over links. */
typedef struct extremes {
    uint32_t hop_cycles, credit_cycles, cycles_per_phit;
} extremes;

static extremes extremes_of(const vef_network *network) {
    extremes most = {network->links.plan.alike.hop_cycles,
                     network->links.plan.alike.credit_delay_cycles, 1};
    const uint64_t ports = (uint64_t)network->topology->routers * network->shape.ports;
    for (uint64_t i = 0; network->links.plan.rules && i < ports; i++) {
        const vef_link_rule *rule = &network->links.plan.rules[i];
        if (rule->hop_cycles > most.hop_cycles)
            most.hop_cycles = rule->hop_cycles;
        if (rule->credit_delay_cycles > most.credit_cycles)
            most.credit_cycles = rule->credit_delay_cycles;
        if (rule->cycles_per_phit > most.cycles_per_phit)
            most.cycles_per_phit = rule->cycles_per_phit;
    }
    return most;
}

/* How much a part has of what bounds its events. */
typedef struct extent {
    uint64_t endpoints;
    uint64_t arriving; /* packets in flight to it */
    uint64_t places;   /* at the other ends of its links, as far as credits for them are events */
} extent;

/* Credits, or frames, that are under way at once for a queue of so many places, and that it sends
 * in a window: each place is left once; and a pause and a resume come in turn, each pause with a
 * head, of which there are no more than places in the time of a frame. */
static uint64_t most_returns(const vef_network *network, uint32_t places) {
    return network->policies.full.pauses ? 2ull * places + 1 : places;
}

static extent extent_of(const vef_network *network, const vef_partition *part) {
    extent found = {0};
    const uint32_t end = network->topology->routers;
    for (uint32_t e = 0; e < network->topology->endpoints; e++)
        found.endpoints += vef_partition_holds(network, part, network->queues.endpoints[e].router);
    for (uint32_t router = 0; router < end; router++)
        for (uint32_t port = 0;
             port < network->shape.ports && vef_partition_holds(network, part, router); port++) {
            const size_t link = (size_t)router * network->shape.ports + port;
            const uint32_t from = network->topology->neighbour[link];
            if (from == VEF_NO_ROUTER)
                continue;
            /* A port has at most one packet in flight per cycle of its delay. */
            const size_t back =
                (size_t)from * network->shape.ports + network->topology->reverse_port[link];
            found.arriving += network->links.plan.rules ? network->links.plan.rules[back].hop_cycles
                                                        : network->links.plan.alike.hop_cycles;
            if (!network->links.credits_travel && vef_partition_holds(network, part, from))
                continue;
            for (uint32_t channel = 0; channel < network->shape.channels; channel++)
                found.places += most_returns(
                    network, vef_buffers_places(&network->queues.buffers, router, port, channel));
        }
    if (found.arriving > network->queues.buffers.total) /* and one per place */
        found.arriving = network->queues.buffers.total;
    return found;
}

static void make_calendars(vef_network *network, vef_partition *part, const extent *bounds) {
    const vef_network_settings *settings = &network->settings;
    const extremes most = extremes_of(network);
    const uint32_t passage = network->links.longest_passage_cycles;
    const uint64_t outputs = (uint64_t)part->routers * network->shape.outputs;
    const uint32_t credits = most.credit_cycles + (network->partitions.count > 1 ? passage : 0);
    vef_arena *arena = &network->partitions.arena;
    vef_calendar_create(&part->ends, passage, outputs, arena);
    if (settings->unit_phits > 0)
        vef_calendar_create(&part->places_free, passage,
                            outputs * (network->shape.largest_places - 1u), arena);
    vef_calendar_create(&part->arrivals, most.hop_cycles, bounds->arriving, arena);
    vef_calendar_create(&part->credits_back, credits,
                        network->links.credits_wait ? bounds->places : 0, arena);
}

/* Scratch of an arbiter that matches input ports. */
static void take_matching(vef_network *network, vef_partition *part) {
    vef_arena *arena = &network->partitions.arena;
    vef_matching *m = &part->requests.matching;
    part->requests.asked =
        vef_arena_alloc(arena, network->shape.inputs, sizeof *part->requests.asked);
    part->requests.askers =
        vef_arena_alloc(arena, network->shape.inputs, sizeof *part->requests.askers);
    *m = (vef_matching){
        .input_ports = network->shape.ports + network->shape.per_router,
        .outputs = network->shape.outputs,
        .transit_ports = network->shape.ports,
        .transit_first = network->settings.transit_first,
        .iterations = network->settings.iterations,
        .first = network->read_ports.first_inputs,
        .port_of = network->read_ports.of_input,
        .askers = part->requests.askers,
        .asked = part->requests.asked,
    };
    m->granted = vef_arena_alloc(arena, m->outputs, sizeof *m->granted);
    m->room = vef_arena_alloc(arena, m->outputs + 2u * m->input_ports, sizeof *m->room);
}

static void take_part(vef_network *network, vef_partition *part) {
    const uint64_t routers = network->topology->routers;
    const extent bounds = extent_of(network, part);
    vef_arena *arena = &network->partitions.arena;
#define TAKE(field, count) part->field = vef_arena_lines(arena, count, sizeof *part->field)
    TAKE(up.items, part->routers);
    TAKE(awake.routers, (routers + 511) / 512 * 8);
    TAKE(awake.words, (routers + 511) / 512 * 8);
    TAKE(choosing.routers, (routers + 511) / 512 * 8);
    TAKE(choosing.words, (routers + 511) / 512 * 8);
    TAKE(filling.items, bounds.endpoints);
    TAKE(delivered.items, bounds.endpoints * network->settings.ejection_ports);
    TAKE(delivered.passing, bounds.endpoints * network->settings.ejection_ports);
    TAKE(delivered.latency, 1);
    TAKE(delivered.message_latency, 1);
    TAKE(requests.asking, (uint64_t)network->shape.outputs * network->shape.input_words);
    TAKE(requests.outputs_asked, network->shape.output_words);
    TAKE(requests.ranks, network->shape.inputs);
    TAKE(requests.chosen, network->shape.inputs);
#undef TAKE
    part->acts_cycles = VEF_FOREVER;
    part->requests.contest =
        (vef_contest){.words = network->shape.input_words, .ranks = part->requests.ranks};
    for (uint32_t kind = 0; kind < VEF_POOLED; kind++)
        part->unused[kind] = (vef_unused){VEF_NONE, 0, VEF_NONE};
    if (network->policies.full.match)
        take_matching(network, part);
    make_calendars(network, part, &bounds);
}

/* A packet for every place, and those that parts may keep unused. */
static void take_packets(vef_network *network) {
    const uint32_t parts = network->partitions.count;
    const uint64_t spare = parts > 1 ? (2ull * parts + 1) * VEF_BATCH : 0;
    network->pools.packet_room = (uint32_t)(network->pools.packets_needed + spare);
    vef_arena *arena = &network->partitions.arena;
    for (uint32_t kind = 0; kind < VEF_POOLED; kind++)
        network->pools.unused[kind] = (vef_unused_pool){.batch = VEF_NONE};
    if (network->policies.arbiter.rank == VEF_RANK_ARRIVAL)
        network->queues.joined_cycles = vef_arena_alloc(arena, network->pools.packet_room,
                                                        sizeof *network->queues.joined_cycles);
    if (network->links.plan.rules)
        network->links.ways =
            vef_arena_alloc(arena, network->pools.packet_room, sizeof *network->links.ways);
    if (network->links.plan.pace_count > 1 || network->links.buckets)
        network->links.lines = vef_arena_alloc(
            arena, (uint64_t)network->pools.packet_room * network->links.plan.pace_count,
            sizeof *network->links.lines);
    network->pools.packets =
        vef_arena_lines(arena, network->pools.packet_room, network->pools.packet_stride);
}

/* Calls `visit` for every link out of a part into another. */
static void each_crossing(vef_network *network, void (*visit)(vef_network *network, uint32_t router,
                                                              uint32_t port, uint32_t next)) {
    const vef_topology *topology = network->topology;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < network->shape.ports; port++) {
            const uint32_t next = topology->neighbour[(size_t)router * network->shape.ports + port];
            if (next != VEF_NO_ROUTER &&
                network->partitions.part_of[router] != network->partitions.part_of[next])
                visit(network, router, port, next);
        }
}

/* The least time in which a packet leaves; with token buckets all its phits may at once. */
static uint32_t least_passage_cycles(const vef_network *network) {
    if (network->links.buckets)
        return 1;
    const uint32_t least = (uint32_t)vef_packets_phits_with(&network->sizes, 0);
    return network->agent && network->agent->packet_phits > least ? network->agent->packet_phits
                                                                  : least;
}

/* A head takes at least the delay of its link, a frame that of credits, and a credit for the first
 * place of a packet is posted when it is granted, and due when that has left and the credit has
 * travelled. */
static uint64_t lookahead_of(const vef_network *network, uint32_t router, uint32_t port) {
    const vef_link_state *links = &network->links;
    const uint32_t unit = network->settings.unit_phits, packet = least_passage_cycles(network);
    const uint64_t head =
        links->plan.rules
            ? links->plan.rules[(size_t)router * network->shape.ports + port].hop_cycles
            : links->plan.alike.hop_cycles;
    const uint64_t passage = network->policies.full.pauses ? 0
                             : unit > 0 && unit < packet   ? unit
                                                           : packet;
    const uint64_t credit =
        passage + vef_network_credit_delay(network, router, port * network->shape.channels);
    return head < credit ? head : credit;
}

static void shorten_window(vef_network *network, uint32_t router, uint32_t port, uint32_t next) {
    (void)next;
    const uint64_t least = lookahead_of(network, router, port);
    if (least < network->partitions.window_cycles)
        network->partitions.window_cycles = least;
}

/* Counts what a link can add to mail in a window: no more heads and credits than there are places
 * at its end, each of which is left only once; and no more packets than can pass. */
static void count_mail(vef_network *network, uint32_t router, uint32_t port, uint32_t next) {
    const uint32_t parts = network->partitions.count;
    const uint64_t packets =
        (network->partitions.window_cycles - 1) / least_passage_cycles(network) + 1;
    const uint64_t most = packets < UINT16_MAX
                              ? packets * network->shape.queues_each * network->shape.largest_places
                              : UINT64_MAX;
    const uint32_t from = network->partitions.part_of[router],
                   to = network->partitions.part_of[next];
    uint64_t places = 0, credits = 0;
    for (uint32_t channel = 0; channel < network->shape.channels; channel++) {
        const uint32_t here = vef_buffers_places(&network->queues.buffers, router, port, channel);
        places += here;
        credits += most_returns(network, (uint32_t)(here < most ? here : most));
    }
    network->partitions.mail[from * parts + to].arrival_count +=
        (uint32_t)(places < packets ? places : packets);
    network->partitions.mail[to * parts + from].credit_count += (uint32_t)credits;
}

static void release_confirmations(const vef_network *network) {
    const uint32_t pairs = network->partitions.count * network->partitions.count;
    for (uint32_t i = 0; network->partitions.mail && i < 2 * pairs; i++)
        free(network->partitions.mail[i].confirmations.items);
}

/* Two halves: one to post to, the other to take in. */
static void take_mail(vef_network *network) {
    const uint32_t pairs = network->partitions.count * network->partitions.count;
    vef_arena *arena = &network->partitions.arena;
    network->partitions.mail = vef_arena_lines(arena, 2 * pairs, sizeof *network->partitions.mail);
    each_crossing(network, count_mail);
    for (uint32_t i = 0; i < 2 * pairs; i++) {
        const vef_mail *room = &network->partitions.mail[i % pairs];
        vef_mail *mail = &network->partitions.mail[i];
        mail->acks = VEF_NONE;
        mail->arrivals = vef_arena_alloc(arena, room->arrival_count, sizeof *mail->arrivals);
        mail->credits = vef_arena_alloc(arena, room->credit_count, sizeof *mail->credits);
    }
    for (uint32_t i = 0; i < pairs; i++)
        network->partitions.mail[i].arrival_count = network->partitions.mail[i].credit_count = 0;
}

void vef_network_set_window(vef_network *network) {
    network->partitions.window_cycles = VEF_FOREVER;
    network->partitions.confirming_cycles = least_passage_cycles(network);
    if (network->partitions.count == 1)
        return;
    each_crossing(network, shorten_window);
    /* A packet for another part has crossed a link into it: an ack takes no less unless given. */
    const uint64_t ack = network->settings.congestion.parameters.ack_delay.cycles;
    if (network->policies.moving.windows && ack > 0 && ack < network->partitions.window_cycles)
        network->partitions.window_cycles = ack;
    take_mail(network);
}

void vef_network_set_parts(vef_network *network, uint32_t count) {
    const uint32_t routers = network->topology->routers;
    const extremes most = extremes_of(network);
    vef_network_release_parts(network);
    /* A tail follows its head at the pace of the slowest link or faster. */
    network->links.longest_passage_cycles = network->settings.packet_phits * most.cycles_per_phit;
    network->links.credits_travel = most.credit_cycles > 0;
    network->links.credits_wait = network->links.credits_travel || count > 1;
    network->partitions.parts =
        vef_arena_lines(&network->partitions.arena, count, sizeof *network->partitions.parts);
    if (count > 1) {
        network->partitions.part_of = vef_arena_alloc(&network->partitions.arena, routers, 1);
        vef_network_divide(network, count, network->partitions.part_of);
    }
    network->partitions.count = count;
    for (uint32_t router = 0; router < routers; router++) {
        vef_partition *part = vef_network_partition(network, router);
        if (part->routers == 0)
            part->first_router = router;
        part->is_range = router == part->first_router + part->routers++;
        part->last_router = router;
    }
    for (uint32_t i = 0; i < count; i++) {
        vef_partition *part = &network->partitions.parts[i];
        part->number = i;
        take_part(network, part);
    }
    take_packets(network);
    for (uint32_t i = 0; i < count && network->policies.moving.windows; i++)
        network->policies.moving.windows->take_part(network, &network->partitions.parts[i]);
    vef_network_set_window(network);
    if (count > 1) {
        const uint64_t deliveries =
            (uint64_t)network->topology->endpoints * network->settings.ejection_ports;
        network->partitions.gathered = vef_arena_alloc(&network->partitions.arena, deliveries,
                                                       sizeof *network->partitions.gathered);
    }
}

bool vef_network_divisible(const vef_network *network) {
    if (!network->policies.full.pauses)
        return true;
    for (uint32_t router = 0; router < network->topology->routers; router++)
        for (uint32_t port = 0; port < network->shape.ports; port++)
            if (network->topology->neighbour[(size_t)router * network->shape.ports + port] !=
                    VEF_NO_ROUTER &&
                vef_network_credit_delay(network, router, port * network->shape.channels) == 0)
                return false;
    return true;
}

void vef_network_split(vef_netmodel *base, uint32_t threads) {
    /* With fewer per thread, threads would wait for each other more than they work. */
    enum { LEAST_ROUTERS = 32, LEAST_PACKETS = 64 };
    vef_network *network = (vef_network *)base;
    assert(network->now_cycles == 0 && network->pools.unused[VEF_MESSAGES].untouched == 0);
    const uint32_t most = network->topology->routers / LEAST_ROUTERS;
    uint32_t parts = threads < most ? threads : most;
    if (parts > VEF_MOST_PARTS)
        parts = VEF_MOST_PARTS;
    if (parts <= 1 || network->links.longest_passage_cycles > UINT16_MAX ||
        !vef_network_divisible(network))
        return;
    vef_network_set_parts(network, parts);
    network->partitions.crew =
        vef_pool_create(vef_workers_for(parts), parts); /* NULL: one thread does */
    network->partitions.crew_packets = LEAST_PACKETS * (int64_t)parts;
}

void vef_network_release_parts(vef_network *network) {
    vef_pool_destroy(network->partitions.crew);
    network->partitions.crew = NULL;
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        vef_partition *part = &network->partitions.parts[i];
        vef_pending_release(&part->later);
        free(part->confirmations.items);
    }
    release_confirmations(network);
    vef_arena_release(&network->partitions.arena);
    network->partitions.parts = NULL;
    network->partitions.count = 0;
    network->partitions.part_of = NULL;
    network->partitions.mail = NULL;
}

/* ---- mail ---- */

static vef_mail *mail_to(const vef_network *network, const vef_partition *from, uint32_t router) {
    return vef_network_mail_of(network, network->partitions.posting, from->number,
                               network->partitions.part_of[router]);
}

vef_calendar_entry *vef_network_post_arrival(const vef_network *network, const vef_partition *from,
                                             uint64_t time_cycles, uint32_t router) {
    vef_mail *mail = mail_to(network, from, router);
    vef_parcel *parcel = &mail->arrivals[mail->arrival_count++];
    parcel->time_cycles = time_cycles;
    return &parcel->event;
}

vef_calendar_entry *vef_network_post_credit(const vef_network *network, const vef_partition *from,
                                            uint64_t time_cycles, const vef_calendar_entry *event) {
    vef_mail *mail = mail_to(network, from, event->sender);
    vef_parcel *parcel = &mail->credits[mail->credit_count++];
    parcel->time_cycles =
        time_cycles + vef_network_credit_delay(network, event->sender, event->link);
    parcel->event.router = event->sender;
    parcel->event.link = event->link;
    return &parcel->event;
}

static uint64_t earliest(const vef_parcel *parcels, uint32_t count, uint64_t time_cycles) {
    for (uint32_t i = 0; i < count; i++)
        if (parcels[i].time_cycles < time_cycles)
            time_cycles = parcels[i].time_cycles;
    return time_cycles;
}

uint64_t vef_network_next_posted(const vef_network *network, const vef_partition *from) {
    uint64_t time = UINT64_MAX;
    for (uint32_t to = 0; to < network->partitions.count; to++) {
        const vef_mail *mail =
            vef_network_mail_of(network, network->partitions.posting, from->number, to);
        time = earliest(mail->arrivals, mail->arrival_count, time);
        time = earliest(mail->credits, mail->credit_count, time);
        const uint64_t ack = network->policies.moving.windows
                                 ? network->policies.moving.windows->earliest(network, mail->acks)
                                 : UINT64_MAX;
        time = ack < time ? ack : time;
        const uint64_t confirmation = vef_confirmations_first(&mail->confirmations);
        time = confirmation < time ? confirmation : time;
    }
    return time;
}

static void take_in(vef_calendar *calendar, const vef_parcel *parcels, uint32_t *count) {
    for (uint32_t i = 0; i < *count; i++)
        *vef_calendar_add(calendar, parcels[i].time_cycles) = parcels[i].event;
    *count = 0;
}

void vef_network_receive(const vef_network *network, vef_partition *part, uint32_t half) {
    for (uint32_t from = 0; from < network->partitions.count; from++) {
        vef_mail *mail = vef_network_mail_of(network, half, from, part->number);
        take_in(&part->arrivals, mail->arrivals, &mail->arrival_count);
        take_in(&part->credits_back, mail->credits, &mail->credit_count);
        if (network->policies.moving.windows)
            network->policies.moving.windows->receive(network, part, &mail->acks);
        vef_partition_take_confirmations(part, &mail->confirmations);
    }
}

/* ---- packets and messages ---- */

static uint32_t *next_of(const vef_network *network, vef_pooled kind, uint32_t number) {
    return kind == VEF_PACKETS ? &vef_packet_at(network, number)->next
                               : &vef_message_at(network, number)->next;
}

/* In the first one of a batch: the next batch of the pool. */
static uint32_t *next_batch_of(const vef_network *network, vef_pooled kind, uint32_t number) {
    return kind == VEF_PACKETS ? &vef_packet_at(network, number)->message
                               : &vef_message_at(network, number)->source;
}

/* Numbers that were never used: `first` and the following. */
static void touch(vef_network *network, vef_pooled kind, vef_unused *unused, uint32_t first) {
    if (kind == VEF_MESSAGES)
        vef_blocks_reserve(&network->pools.messages, (uint64_t)first + unused->count,
                           sizeof(vef_message));
    unused->first = VEF_NONE;
    for (uint32_t number = first + unused->count; number-- > first;) {
        if (kind == VEF_MESSAGES)
            vef_message_at(network, number)->spread = NULL;
        *next_of(network, kind, number) = unused->first;
        unused->first = number;
    }
}

/* Memory is taken without the lock: where it is lacking, that does not return. */
static void take_batch(vef_network *network, vef_pooled kind, vef_unused *unused) {
    vef_unused_pool *pool = &network->pools.unused[kind];
    pthread_mutex_lock(&network->pools.lock);
    const bool used = pool->batch != VEF_NONE;
    const uint32_t first = used ? pool->batch : pool->untouched;
    const uint32_t left =
        (kind == VEF_PACKETS ? network->pools.packet_room : VEF_NONE) - pool->untouched;
    *unused = (vef_unused){first, used || left > VEF_BATCH ? VEF_BATCH : left, VEF_NONE};
    if (used)
        pool->batch = *next_batch_of(network, kind, first);
    else
        pool->untouched += unused->count;
    pthread_mutex_unlock(&network->pools.lock);
    assert(unused->count > 0);
    if (!used)
        touch(network, kind, unused, first);
}

static inline __attribute__((always_inline)) uint32_t take(vef_network *network,
                                                           vef_partition *part, vef_pooled kind) {
    vef_unused *unused = &part->unused[kind];
    if (unused->count == 0 && unused->full != VEF_NONE)
        *unused = (vef_unused){unused->full, VEF_BATCH, VEF_NONE};
    else if (unused->count == 0)
        take_batch(network, kind, unused);
    const uint32_t number = unused->first;
    unused->first = *next_of(network, kind, number);
    unused->count--;
    return number;
}

uint32_t vef_network_take_packet(vef_network *network, vef_partition *part) {
    part->packets_inside++;
    return take(network, part, VEF_PACKETS);
}

uint32_t vef_network_take_message(vef_network *network, vef_partition *part) {
    return take(network, part, VEF_MESSAGES);
}

void vef_network_return_batch(vef_network *network, vef_partition *part, vef_pooled kind) {
    vef_unused *unused = &part->unused[kind];
    vef_unused_pool *pool = &network->pools.unused[kind];
    if (unused->full != VEF_NONE) {
        pthread_mutex_lock(&network->pools.lock);
        *next_batch_of(network, kind, unused->full) = pool->batch;
        pool->batch = unused->full;
        pthread_mutex_unlock(&network->pools.lock);
    }
    *unused = (vef_unused){VEF_NONE, 0, unused->first};
}
