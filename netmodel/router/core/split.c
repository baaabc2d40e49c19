/* Parts of a network (partition.h): consecutive routers, which topologies number by position, so
 * that a part of a lattice is a slab; and the mail among them.
 *
 * Everything that a part posts in a cycle takes effect in a later one: a head arrives after at
 * least one cycle, and a credit returns when the tail has left, which takes at least one. Both
 * times follow from the grant. So the lookahead is one cycle, and a part needs the mail of a cycle
 * only before the events of the next. */
#include "common/threads/pool.h"
#include "netmodel/router/core/network.h"

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

static extent extent_of(const vef_network *network, const vef_partition *part) {
    extent found = {0};
    const uint32_t end = part->first_router + part->routers;
    for (uint32_t e = 0; e < network->topology->endpoints; e++)
        found.endpoints += vef_partition_holds(part, network->queues.endpoints[e].router);
    for (uint32_t router = part->first_router; router < end; router++)
        for (uint32_t port = 0; port < network->shape.ports; port++) {
            const size_t link = (size_t)router * network->shape.ports + port;
            const uint32_t from = network->topology->neighbour[link];
            if (from == VEF_NO_ROUTER)
                continue;
            /* A port has at most one packet in flight per cycle of its delay. */
            const size_t back =
                (size_t)from * network->shape.ports + network->topology->reverse_port[link];
            found.arriving += network->links.plan.rules ? network->links.plan.rules[back].hop_cycles
                                                        : network->links.plan.alike.hop_cycles;
            if (!network->links.credits_travel && vef_partition_holds(part, from))
                continue;
            for (uint32_t channel = 0; channel < network->shape.channels; channel++)
                found.places += vef_buffers_places(&network->queues.buffers, router, port, channel);
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
    part->requests.contest =
        (vef_contest){.words = network->shape.input_words, .ranks = part->requests.ranks};
    part->unused = (vef_free_packets){VEF_NONE, 0, VEF_NONE};
    part->freed_messages = VEF_NONE;
    if (network->policies.full.match)
        take_matching(network, part);
    make_calendars(network, part, &bounds);
}

/* A packet for every place, and those that parts may keep unused. */
static void take_packets(vef_network *network) {
    const uint32_t parts = network->partitions.count;
    const uint64_t spare = parts > 1 ? (2ull * parts + 1) * VEF_BATCH_PACKETS : 0;
    network->pools.packet_room = (uint32_t)(network->pools.packets_needed + spare);
    vef_arena *arena = &network->partitions.arena;
    network->pools.unused = (vef_packet_pool){
        .batches = vef_arena_alloc(arena, network->pools.packet_room / VEF_BATCH_PACKETS + 1,
                                   sizeof *network->pools.unused.batches),
    };
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

/* Room for what each part can post to each other in a cycle: a head by every link out of it, and
 * the places of one packet of every queue that this part feeds. */
static void take_mail(vef_network *network) {
    const uint32_t parts = network->partitions.count;
    const vef_topology *topology = network->topology;
    vef_arena *arena = &network->partitions.arena;
    uint64_t *ports = vef_arena_alloc(arena, (uint64_t)parts * parts, sizeof *ports);
    network->partitions.mail =
        vef_arena_lines(arena, (uint64_t)parts * parts, sizeof *network->partitions.mail);
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < network->shape.ports; port++) {
            const uint32_t next = topology->neighbour[(size_t)router * network->shape.ports + port];
            if (next != VEF_NO_ROUTER)
                ports[network->partitions.part_of[router] * parts +
                      network->partitions.part_of[next]]++;
        }
    const uint64_t credits = (uint64_t)network->shape.channels * network->shape.queues_each *
                             network->shape.largest_places;
    for (uint32_t from = 0; from < parts; from++)
        for (uint32_t to = 0; to < parts; to++) {
            vef_mail *mail = &network->partitions.mail[from * parts + to];
            mail->acks = VEF_NONE;
            mail->arrivals =
                vef_arena_alloc(arena, ports[from * parts + to], sizeof *mail->arrivals);
            mail->credits =
                vef_arena_alloc(arena, ports[to * parts + from] * credits, sizeof *mail->credits);
        }
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
    if (count > 1)
        network->partitions.part_of = vef_arena_alloc(&network->partitions.arena, routers, 1);
    network->partitions.count = count;
    for (uint32_t i = 0; i < count; i++) {
        vef_partition *part = &network->partitions.parts[i];
        part->number = i;
        part->first_router = (uint32_t)((uint64_t)routers * i / count);
        part->routers = (uint32_t)((uint64_t)routers * (i + 1) / count) - part->first_router;
        for (uint32_t r = 0; r < part->routers && count > 1; r++)
            network->partitions.part_of[part->first_router + r] = (uint8_t)i;
        take_part(network, part);
    }
    take_packets(network);
    for (uint32_t i = 0; i < count && network->policies.moving.windows; i++)
        network->policies.moving.windows->take_part(network, &network->partitions.parts[i]);
    if (count > 1) {
        const uint64_t deliveries =
            (uint64_t)network->topology->endpoints * network->settings.ejection_ports;
        network->partitions.gathered = vef_arena_alloc(&network->partitions.arena, deliveries,
                                                       sizeof *network->partitions.gathered);
        take_mail(network);
    }
}

void vef_network_split(vef_netmodel *base, uint32_t threads) {
    /* With fewer per thread, threads would wait for each other more than they work. */
    enum { LEAST_ROUTERS = 32, LEAST_PACKETS = 64 };
    vef_network *network = (vef_network *)base;
    assert(network->now_cycles == 0 && network->pools.messages_untouched == 0);
    const uint32_t most = network->topology->routers / LEAST_ROUTERS;
    uint32_t parts = threads < most ? threads : most;
    if (parts > VEF_MOST_PARTS)
        parts = VEF_MOST_PARTS;
    if (parts <= 1 || network->links.longest_passage_cycles > UINT16_MAX)
        return;
    vef_network_set_parts(network, parts);
    network->partitions.crew =
        vef_pool_create(vef_workers_for(parts), parts); /* NULL: one thread does */
    network->partitions.crew_packets = LEAST_PACKETS * (int64_t)parts;
}

void vef_network_release_parts(vef_network *network) {
    vef_pool_destroy(network->partitions.crew);
    network->partitions.crew = NULL;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        vef_pending_release(&network->partitions.parts[i].later);
    vef_arena_release(&network->partitions.arena);
    network->partitions.parts = NULL;
    network->partitions.count = 0;
    network->partitions.part_of = NULL;
    network->partitions.mail = NULL;
}

/* ---- mail ---- */

static vef_mail *mail_to(const vef_network *network, const vef_partition *from, uint32_t router) {
    return &network->partitions.mail[from->number * network->partitions.count +
                                     network->partitions.part_of[router]];
}

vef_calendar_entry *vef_network_post_arrival(const vef_network *network, const vef_partition *from,
                                             uint64_t time_cycles, uint32_t router) {
    vef_mail *mail = mail_to(network, from, router);
    vef_parcel *parcel = &mail->arrivals[mail->arrival_count++];
    parcel->time_cycles = time_cycles;
    return &parcel->event;
}

void vef_network_post_credit(const vef_network *network, const vef_partition *from,
                             uint64_t time_cycles, const vef_calendar_entry *event) {
    vef_mail *mail = mail_to(network, from, event->sender);
    vef_parcel *parcel = &mail->credits[mail->credit_count++];
    parcel->time_cycles =
        time_cycles + vef_network_credit_delay(network, event->sender, event->link);
    parcel->event.router = event->sender;
    parcel->event.link = event->link;
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
            &network->partitions.mail[from->number * network->partitions.count + to];
        time = earliest(mail->arrivals, mail->arrival_count, time);
        time = earliest(mail->credits, mail->credit_count, time);
        const uint64_t ack = network->policies.moving.windows
                                 ? network->policies.moving.windows->earliest(network, mail->acks)
                                 : UINT64_MAX;
        time = ack < time ? ack : time;
    }
    return time;
}

static void take_in(vef_calendar *calendar, const vef_parcel *parcels, uint32_t *count) {
    for (uint32_t i = 0; i < *count; i++)
        *vef_calendar_add(calendar, parcels[i].time_cycles) = parcels[i].event;
    *count = 0;
}

void vef_network_receive(const vef_network *network, vef_partition *part) {
    for (uint32_t from = 0; from < network->partitions.count; from++) {
        vef_mail *mail = &network->partitions.mail[from * network->partitions.count + part->number];
        take_in(&part->arrivals, mail->arrivals, &mail->arrival_count);
        take_in(&part->credits_back, mail->credits, &mail->credit_count);
        if (network->policies.moving.windows)
            network->policies.moving.windows->receive(network, part, &mail->acks);
    }
}

/* ---- packets ---- */

static void take_batch(vef_network *network, vef_free_packets *unused) {
    vef_packet_pool *pool = &network->pools.unused;
    pthread_mutex_lock(&network->pools.lock);
    unused->count = VEF_BATCH_PACKETS;
    if (pool->batch_count > 0) {
        unused->first = pool->batches[--pool->batch_count];
    } else {
        const uint32_t left = network->pools.packet_room - pool->untouched;
        assert(left > 0);
        if (left < unused->count)
            unused->count = left;
        for (uint32_t i = 0; i < unused->count; i++) {
            vef_packet_at(network, pool->untouched)->next = unused->first;
            unused->first = pool->untouched++;
        }
    }
    pthread_mutex_unlock(&network->pools.lock);
}

uint32_t vef_network_take_packet(vef_network *network, vef_partition *part) {
    vef_free_packets *unused = &part->unused;
    part->packets_inside++;
    if (unused->count == 0 && network->partitions.count == 1) {
        assert(network->pools.unused.untouched < network->pools.packet_room);
        return network->pools.unused.untouched++;
    }
    if (unused->count == 0 && unused->full != VEF_NONE) {
        *unused = (vef_free_packets){unused->full, VEF_BATCH_PACKETS, VEF_NONE};
    } else if (unused->count == 0) {
        unused->first = VEF_NONE;
        take_batch(network, unused);
    }
    const uint32_t packet = unused->first;
    unused->first = vef_packet_at(network, packet)->next;
    unused->count--;
    return packet;
}

void vef_network_return_batch(vef_network *network, vef_partition *part) {
    vef_free_packets *unused = &part->unused;
    if (unused->full != VEF_NONE) {
        pthread_mutex_lock(&network->pools.lock);
        network->pools.unused.batches[network->pools.unused.batch_count++] = unused->full;
        pthread_mutex_unlock(&network->pools.lock);
    }
    unused->full = unused->first;
    unused->first = VEF_NONE;
    unused->count = 0;
}
