/* The course of time: all parts step cycle by cycle, each on its thread or all on one; cycles
 * without activity are skipped.
 *
 * A cycle is: events of all parts; injection and grants of all parts, which post mail; agreement on
 * the next time; each part takes in its mail. Parts meet after the events, to see whether a
 * delivery ends the advance, and after the grants. A routing that looks at other routers' credits
 * needs a third meeting, between injection, which looks, and grants, which change them. */
#include "common/crew.h"
#include "netmodel/router/network.h"

/* The parts that one thread steps: its own, or all of them; then nobody else is to be met. */
typedef struct team {
    vef_network *network;
    uint64_t limit_cycles;
    vef_crew *crew; /* NULL: one thread steps all parts */
} team;

static void meet(const team *of) {
    if (of->crew)
        vef_crew_meet(of->crew);
}

/* Injection and grants of the cycle now. */
static void do_cycle(const team *of, vef_partition *first, vef_partition *end) {
    vef_network *network = of->network;
    for (vef_partition *part = first; part < end; part++)
        vef_partition_fill(network, part);
    if (network->routing->sees_all)
        meet(of);
    for (vef_partition *part = first; part < end; part++)
        vef_partition_grant(network, part);
}

/* The time of the next event or grant of any part; UINT64_MAX: none. */
static uint64_t agree(const team *of, vef_partition *first, vef_partition *end) {
    const vef_network *network = of->network;
    for (vef_partition *part = first; part < end; part++) {
        part->next_cycles = vef_partition_next(network, part);
        if (network->part_count == 1)
            return part->next_cycles;
        if (part->next_cycles == part->now_cycles + 1)
            continue;
        const uint64_t posted = vef_network_next_posted(network, part);
        if (posted < part->next_cycles)
            part->next_cycles = posted;
    }
    meet(of);
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < network->part_count; i++)
        if (network->parts[i].next_cycles < next)
            next = network->parts[i].next_cycles;
    return next;
}

/* The events of the time `next`. Returns whether the advance ends with them. */
static bool do_due(const team *of, vef_partition *first, vef_partition *end, uint64_t next) {
    vef_network *network = of->network;
    for (vef_partition *part = first; part < end; part++) {
        if (network->part_count > 1)
            vef_network_receive(network, part);
        vef_partition_do_due(network, part);
    }
    meet(of);
    for (uint32_t i = 0; i < network->part_count; i++)
        if (network->parts[i].delivery_count > 0)
            return true;
    return next >= network->watch.next_cycles;
}

/* Advances up to deliveries, the limit, or the time of a look for deadlocks. All threads come to
 * the same decisions. */
static void advance(const team *of, vef_partition *first, vef_partition *end) {
    for (;;) {
        do_cycle(of, first, end);
        const uint64_t next = agree(of, first, end);
        const bool ended = next > of->limit_cycles || next == UINT64_MAX;
        for (vef_partition *part = first; part < end; part++) {
            part->ended = ended;
            if (!ended)
                part->now_cycles = next;
            else if (of->limit_cycles != VEF_FOREVER)
                part->now_cycles = of->limit_cycles;
        }
        if (ended || do_due(of, first, end, next) || next >= of->limit_cycles)
            return;
    }
}

static void advance_own(void *context, uint32_t member) {
    const team *of = context;
    vef_partition *part = &of->network->parts[member];
    advance(of, part, part + 1);
}

/* The deliveries of all parts in the order of their grants, and of equal ones by router. */
static void gather_deliveries(vef_network *network) {
    vef_partition *parts = network->parts;
    network->deliveries = parts[0].deliveries;
    network->delivery_count = parts[0].delivery_count;
    if (network->part_count == 1)
        return;
    network->deliveries = network->gathered;
    uint32_t taken[VEF_MOST_PARTS] = {0};
    for (size_t count = 0;;) {
        uint32_t longest = 0; /* passed since the earliest grant */
        for (uint32_t i = 0; i < network->part_count; i++)
            if (taken[i] < parts[i].delivery_count &&
                parts[i].delivery_passing_cycles[taken[i]] > longest)
                longest = parts[i].delivery_passing_cycles[taken[i]];
        network->delivery_count = count;
        if (longest == 0)
            return;
        for (uint32_t i = 0; i < network->part_count; i++)
            while (taken[i] < parts[i].delivery_count &&
                   parts[i].delivery_passing_cycles[taken[i]] == longest)
                network->gathered[count++] = parts[i].deliveries[taken[i]++];
    }
}

/* Few packets are stepped by one thread sooner than several threads have met; and broadcast packets
 * have state that parts share. */
static bool worth_a_crew(const vef_network *network) {
    int64_t packets = 0;
    for (uint32_t i = 0; i < network->part_count; i++)
        packets += network->parts[i].packets_inside;
    return network->crew && !network->copies && packets >= network->crew_packets;
}

vef_code vef_network_advance(vef_netmodel *base, uint64_t limit_cycles,
                             const vef_net_delivery **deliveries, size_t *count, vef_error *error) {
    (void)error;
    vef_network *network = (vef_network *)base;
    vef_partition *parts = network->parts;
    team of = {.network = network, .limit_cycles = limit_cycles};
    for (uint32_t i = 0; i < network->part_count; i++)
        parts[i].delivery_count = 0;
    network->delivery_count = 0;
    /* The events of now_cycles have been handled, its injections and grants not yet: a message
     * injected now takes part in this cycle. Those of the limit are still to come. */
    bool ended = false;
    while (network->delivery_count == 0 && !ended && network->now_cycles < limit_cycles) {
        of.crew = worth_a_crew(network) ? network->crew : NULL;
        if (of.crew)
            vef_crew_run(network->crew, advance_own, &of);
        else
            advance(&of, parts, parts + network->part_count);
        ended = parts[0].ended;
        network->now_cycles = parts[0].now_cycles;
        vef_network_collect_messages(network);
        gather_deliveries(network);
        if (!ended && network->now_cycles >= network->watch.next_cycles)
            vef_network_watch(network);
    }
    *deliveries = network->deliveries;
    *count = network->delivery_count;
    return VEF_OK;
}
