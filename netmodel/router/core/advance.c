/* The course of time: all partitions step cycle by cycle, shared among threads or on one; cycles
 * without activity are skipped.
 *
 * A cycle is: the events of each partition, which takes in its mail first; injection and grants of
 * each, which post mail; and the choice of the next time. Deliveries end an advance after the
 * events. */
#include "common/threads/pool.h"
#include "netmodel/router/core/network.h"

enum {
    MOVE,   /* injection and grants of the cycle now; all but */
    INJECT, /* for routings that look at other routers' credits: injection, which looks, before */
    GRANT,  /* grants, which change them */
    EVENTS, /* of the next time */
};

typedef struct course {
    vef_network *network;
    uint64_t limit_cycles;
    bool ended; /* nothing is due up to the limit */
} course;

/* The time of the next event or grant of a partition, or of what it has posted. */
static uint64_t next_of(const vef_network *network, const vef_partition *part) {
    const uint64_t planned = vef_partition_next(network, part);
    if (network->partitions.count == 1 || planned == part->now_cycles + 1)
        return planned;
    const uint64_t posted = vef_network_next_posted(network, part);
    return posted < planned ? posted : planned;
}

static void work(void *context, uint32_t step, uint32_t number) {
    const course *run = context;
    vef_network *network = run->network;
    vef_partition *part = &network->partitions.parts[number];
    if (step == EVENTS) {
        if (network->partitions.count > 1)
            vef_network_receive(network, part);
        vef_partition_do_due(network, part);
        return;
    }
    if (step != GRANT)
        vef_partition_fill(network, part);
    if (step == INJECT)
        return;
    vef_partition_grant(network, part);
    if (network->policies.moving.windows && network->partitions.count > 1)
        network->policies.moving.windows->post(network, part);
    part->next_cycles = next_of(network, part);
}

/* Sets the time of all partitions to that of the next event or grant, if it is within the limit,
 * else to the limit. */
static void pass_time(course *run) {
    const vef_network *network = run->network;
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        if (network->partitions.parts[i].next_cycles < next)
            next = network->partitions.parts[i].next_cycles;
    run->ended = next > run->limit_cycles || next == UINT64_MAX;
    if (run->ended && run->limit_cycles == VEF_FOREVER)
        return;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        network->partitions.parts[i].now_cycles = run->ended ? run->limit_cycles : next;
}

/* Whether the advance, or the look for deadlocks, ends the course after events. */
static bool stops(const course *run) {
    const vef_network *network = run->network;
    const uint64_t now = network->partitions.parts[0].now_cycles;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        if (network->partitions.parts[i].delivered.count > 0)
            return true;
    return now >= run->limit_cycles || now >= network->watch.next_cycles;
}

static uint32_t first_step(const vef_network *network) {
    return network->routing->sees_all && network->partitions.count > 1 ? INJECT : MOVE;
}

static uint32_t next(void *context, uint32_t step) {
    course *run = context;
    if (step == INJECT)
        return GRANT;
    if (step == EVENTS)
        return stops(run) ? VEF_POOL_DONE : first_step(run->network);
    pass_time(run);
    return run->ended ? VEF_POOL_DONE : EVENTS;
}

/* The deliveries of all parts in the order of their grants, and of equal ones by router. */
static void gather_deliveries(vef_network *network) {
    vef_partition *parts = network->partitions.parts;
    network->partitions.deliveries = parts[0].delivered.items;
    network->partitions.delivery_count = parts[0].delivered.count;
    if (network->partitions.count == 1)
        return;
    network->partitions.deliveries = network->partitions.gathered;
    uint32_t taken[VEF_MOST_PARTS] = {0};
    for (size_t count = 0;;) {
        uint32_t longest = 0; /* passed since the earliest grant */
        for (uint32_t i = 0; i < network->partitions.count; i++)
            if (taken[i] < parts[i].delivered.count &&
                parts[i].delivered.passing[taken[i]] > longest)
                longest = parts[i].delivered.passing[taken[i]];
        network->partitions.delivery_count = count;
        if (longest == 0)
            return;
        for (uint32_t i = 0; i < network->partitions.count; i++)
            while (taken[i] < parts[i].delivered.count &&
                   parts[i].delivered.passing[taken[i]] == longest)
                network->partitions.gathered[count++] = parts[i].delivered.items[taken[i]++];
    }
}

/* Few packets are stepped by one thread sooner than several threads have met; and broadcast packets
 * have state that parts share. */
static bool worth_a_crew(const vef_network *network) {
    int64_t packets = 0;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        packets += network->partitions.parts[i].packets_inside;
    return network->partitions.crew && !network->policies.moving.broadcast &&
           packets >= network->partitions.crew_packets;
}

vef_code vef_network_advance(vef_netmodel *base, uint64_t limit_cycles,
                             const vef_net_delivery **deliveries, size_t *count, vef_error *error) {
    (void)error;
    vef_network *network = (vef_network *)base;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        network->partitions.parts[i].delivered.count = 0;
    network->partitions.delivery_count = 0;
    course run = {.network = network, .limit_cycles = limit_cycles};
    const vef_pool_job job = {&run, network->partitions.count, first_step(network), work, next};
    /* The events of now_cycles have been handled, its injections and grants not yet: a message
     * injected now takes part in this cycle. Those of the limit are still to come. */
    while (network->partitions.delivery_count == 0 && !run.ended &&
           network->now_cycles < limit_cycles) {
        vef_pool_run(worth_a_crew(network) ? network->partitions.crew : NULL, &job);
        network->now_cycles = network->partitions.parts[0].now_cycles;
        vef_network_collect_messages(network);
        if (network->policies.moving.windows)
            network->policies.moving.windows->collect(network);
        gather_deliveries(network);
        if (!run.ended && network->now_cycles >= network->watch.next_cycles)
            vef_network_watch(network);
    }
    *deliveries = network->partitions.deliveries;
    *count = network->partitions.delivery_count;
    return VEF_OK;
}
