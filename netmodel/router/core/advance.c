/* The course of time: all partitions step cycle by cycle, shared among threads or on one; cycles
 * without activity are skipped.
 *
 * A cycle is: the events of each partition, of which deliveries go to the agent, if any; what the
 * agent injects; injection and grants, which post mail. With an agent each partition does that for
 * all cycles of a window, in which it needs no mail that is posted meanwhile (split.c), and skips
 * cycles in which it has nothing to do; then all meet, which ends the window, and each takes in its
 * mail. Windows also end where the advance or the look for deadlocks does.
 *
 * With ranks (ranks.c) a process steps its own part, and parts meet by messages.
 *
 * Without an agent deliveries end an advance after the events, so partitions meet after these, and
 * after injection and grants. So they do where packets look at other routers' credits. */
#include "common/threads/pool.h"
#include "netmodel/router/core/network.h"

enum {
    WINDOW, /* mail, and several cycles up to injection and grants of the last one; or */
    MOVE,   /* injection and grants of the cycle now; all but */
    INJECT, /* for routings that look at other routers' credits: injection, which looks, before */
    GRANT,  /* grants, which change them */
    EVENTS, /* of the next time */
};

typedef struct course {
    vef_network *network;
    uint64_t limit_cycles;
    uint64_t from_cycles, end_cycles; /* of a window: the time at which all have arrived; its end */
    bool handled;                     /* the events of from_cycles have been, before the window */
    bool ended;                       /* nothing is due up to the limit */
    bool shared;                      /* by a crew */
} course;

/* The time of the next event, grant or act of a partition, without what it has posted. */
static uint64_t planned_of(const vef_network *network, const vef_partition *part) {
    const uint64_t events = vef_partition_next(network, part);
    const uint64_t confirmation = vef_partition_next_confirmation(part);
    const uint64_t planned = events < confirmation ? events : confirmation;
    return part->acts_cycles < planned ? part->acts_cycles : planned;
}

/* The same with what it has posted, none of which is due before `earliest`. */
static uint64_t next_of(const vef_network *network, const vef_partition *part, uint64_t planned,
                        uint64_t earliest) {
    if (network->partitions.count == 1 || planned <= earliest)
        return planned;
    const uint64_t posted = vef_network_next_posted(network, part);
    return posted < planned ? posted : planned;
}

static void handle_events(vef_network *network, vef_partition *part) {
    vef_partition_do_due(network, part);
    if (network->agent)
        vef_partition_report(network, part);
}

static void inject(vef_network *network, vef_partition *part) {
    const vef_net_agent *agent = network->agent;
    if (part->acts_cycles <= part->now_cycles)
        part->acts_cycles =
            agent->act(agent->context, &network->base, part->number, part->now_cycles);
    vef_partition_fill(network, part);
}

static void do_window(const course *run, vef_partition *part) {
    vef_network *network = run->network;
    if (network->partitions.count > 1)
        vef_network_receive(network, part, network->partitions.posting ^ 1);
    if (!run->handled)
        handle_events(network, part);
    uint64_t planned = part->now_cycles;
    while (planned < run->end_cycles) {
        if (planned > part->now_cycles) {
            part->now_cycles = planned;
            handle_events(network, part);
        }
        inject(network, part);
        vef_partition_grant(network, part);
        planned = planned_of(network, part);
    }
    if (network->policies.moving.windows)
        network->policies.moving.windows->settle(network, part);
    part->next_cycles = next_of(network, part, planned, run->end_cycles);
}

static void work(void *context, uint32_t step, uint32_t number) {
    const course *run = context;
    vef_network *network = run->network;
    const vef_net_ranks *ranks = network->base.ranks;
    vef_partition *part = &network->partitions.parts[ranks ? ranks->rank : number];
    if (step == WINDOW) {
        do_window(run, part);
        return;
    }
    if (step == EVENTS) {
        if (network->partitions.count > 1)
            vef_network_receive(network, part, network->partitions.posting ^ 1);
        handle_events(network, part);
        return;
    }
    if (step != GRANT)
        inject(network, part);
    if (step == INJECT)
        return;
    vef_partition_grant(network, part);
    if (network->policies.moving.windows)
        network->policies.moving.windows->settle(network, part);
    part->next_cycles = next_of(network, part, planned_of(network, part), part->now_cycles + 1);
}

static void set_time(const vef_network *network, uint64_t now) {
    for (uint32_t i = 0; i < network->partitions.count; i++)
        network->partitions.parts[i].now_cycles = now;
}

/* Sets the time of all partitions to that of the next event, grant or act, if it is within the
 * limit, else to the limit, or without one to that of the last partition. */
static void pass_time(course *run) {
    vef_network *network = run->network;
    uint64_t last = 0, next = UINT64_MAX;
    if (network->ranked)
        next = vef_ranks_meet(network, network->partitions.posting ^ 1);
    network->partitions.unconfirmed = 0;
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        const vef_partition *part = &network->partitions.parts[i];
        if (!network->ranked)
            next = part->next_cycles < next ? part->next_cycles : next;
        last = part->now_cycles > last ? part->now_cycles : last;
        network->partitions.unconfirmed += part->unconfirmed;
    }
    run->ended = next > run->limit_cycles || next == UINT64_MAX;
    if (run->ended && run->limit_cycles == VEF_FOREVER)
        last = vef_net_most(network->base.ranks, last);
    if (run->ended)
        next = run->limit_cycles == VEF_FOREVER ? last : run->limit_cycles;
    set_time(network, next);
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

/* How long a window is that begins now, at most. Messages that events of its first cycle have
 * injected are as those that it injects. */
static uint64_t longest_window(const vef_network *network) {
    const vef_partitions *parts = &network->partitions;
    return parts->unconfirmed > 0 && parts->confirming_cycles < parts->window_cycles
               ? parts->confirming_cycles
               : parts->window_cycles;
}

/* A window begins now. */
static void begin_window(course *run, bool handled) {
    const vef_network *network = run->network;
    const uint64_t now = network->partitions.parts[0].now_cycles;
    const uint64_t watch = network->watch.next_cycles;
    uint64_t end = run->limit_cycles;
    if (watch <= now) /* overdue: after the next events */
        end = handled ? now + 1 : now;
    else if (watch < end)
        end = watch;
    const uint64_t longest = longest_window(network);
    if (longest < end - now)
        end = now + longest;
    run->from_cycles = now;
    run->end_cycles = end;
    run->handled = handled;
}

static uint32_t first_step(const vef_network *network) {
    const bool several = network->partitions.count > 1;
    if (network->agent && !(several && network->routing->sees_all))
        return WINDOW;
    return network->routing->sees_all && several ? INJECT : MOVE;
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

/* Ends what all have done: what is posted from now on, by events too, is for the next time. */
static void meet(course *run) {
    vef_network *network = run->network;
    network->partitions.posting ^= 1;
    pass_time(run);
    for (uint32_t i = 0; run->ended && i < network->partitions.count; i++)
        if (network->partitions.count > 1)
            vef_network_receive(network, &network->partitions.parts[i],
                                network->partitions.posting ^ 1);
}

/* After a window, in which nothing was done but events if it was empty. A crew joins one thread
 * between windows, when there is enough to do. */
static uint32_t end_window(course *run) {
    vef_network *network = run->network;
    if (run->end_cycles <= run->from_cycles) {
        network->partitions.posting ^= !network->ranked; /* ranks have not met */
        run->handled = true;
        return VEF_POOL_DONE;
    }
    meet(run);
    begin_window(run, false);
    const bool joins = !run->shared && run->end_cycles > run->from_cycles && worth_a_crew(network);
    return run->ended || joins ? VEF_POOL_DONE : WINDOW;
}

static uint32_t next(void *context, uint32_t step) {
    course *run = context;
    if (step == WINDOW)
        return end_window(run);
    if (step == INJECT)
        return GRANT;
    if (step == EVENTS)
        return stops(run) ? VEF_POOL_DONE : first_step(run->network);
    meet(run);
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

vef_code vef_network_advance(vef_netmodel *base, uint64_t limit_cycles,
                             const vef_net_delivery **deliveries, size_t *count, vef_error *error) {
    (void)error;
    vef_network *network = (vef_network *)base;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        network->partitions.parts[i].delivered.count = 0;
    network->partitions.delivery_count = 0;
    course run = {.network = network, .limit_cycles = limit_cycles, .handled = true};
    const uint32_t stepped = base->ranks ? 1 : network->partitions.count;
    const vef_pool_job job = {&run, stepped, first_step(network), work, next};
    /* The events of now_cycles have been handled, its injections and grants not yet: a message
     * injected now takes part in this cycle. Those of the limit are still to come. */
    while (network->partitions.delivery_count == 0 && !run.ended &&
           network->now_cycles < limit_cycles) {
        begin_window(&run, run.handled);
        run.shared = worth_a_crew(network);
        vef_pool_run(run.shared ? network->partitions.crew : NULL, &job);
        network->now_cycles = network->partitions.parts[0].now_cycles;
        gather_deliveries(network);
        if (!run.ended && network->now_cycles >= network->watch.next_cycles)
            vef_network_watch(network);
    }
    *deliveries = network->partitions.deliveries;
    *count = network->partitions.delivery_count;
    return VEF_OK;
}

uint32_t vef_network_list_parts(const vef_netmodel *base, uint32_t *part_of) {
    const vef_network *network = (const vef_network *)base;
    for (uint32_t e = 0; part_of && e < base->endpoints; e++)
        part_of[e] = vef_network_partition(network, network->queues.endpoints[e].router)->number;
    return network->partitions.count;
}

void vef_network_attend(vef_netmodel *base, const vef_net_agent *agent) {
    vef_network *network = (vef_network *)base;
    if (!network->begun)
        vef_network_begin(network);
    network->agent = agent;
    network->confirms = agent->confirms && network->partitions.count > 1;
    if (network->ranked && network->confirms)
        vef_ranks_confirm(network);
    vef_network_set_window(network);
    for (uint32_t i = 0; i < network->partitions.count; i++)
        network->partitions.parts[i].acts_cycles = 0;
}

void vef_network_dismiss(vef_netmodel *base, uint64_t now_cycles) {
    vef_network *network = (vef_network *)base;
    network->agent = NULL;
    network->now_cycles = now_cycles;
    for (uint32_t i = 0; i < network->partitions.count; i++)
        network->partitions.parts[i].acts_cycles = VEF_FOREVER;
    set_time(network, now_cycles);
}
