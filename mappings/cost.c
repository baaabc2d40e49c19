/* What a mapping costs. See cost.h.
 *
 * One search from each router that receives messages: in the order of falling distance each router
 * passes on what begins there and what has come to it. The destinations are divided into a fixed
 * number of shares that are added in a fixed order, so that rounding does not depend on the number
 * of threads. */
#include "mappings/cost.h"

#include "common/memory.h"
#include "common/threads/pool.h"
#include "mappings/optimisers/hops.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHARES = 8 };

/* The sums of a share of the destinations. */
typedef struct share {
    double *load; /* [routers * ports] */
    double bytes, local_bytes, hop_bytes, hops;
    uint64_t pairs;
    uint32_t most_hops;
    bool apart;     /* some tasks are not connected */
    uint32_t *room; /* hops and a queue */
    double *flow;   /* per router */
} share;

typedef struct measuring {
    const vef_mapping *mapping;
    const vef_topology *topology;
    vef_traffic_matrix received;
    uint32_t nics;
    uint32_t *first, *tasks; /* by router: tasks[first[r]] … tasks[first[r + 1] - 1] */
    share shares[MOST_SHARES];
    uint32_t count;
} measuring;

static uint32_t router_of(const measuring *all, uint32_t task) {
    return vef_topology_router_of(all->topology, all->mapping->endpoint[task]);
}

/* What the tasks of a router receive goes to `flow` at the routers of its senders. */
static void collect(const measuring *all, uint32_t router, share *own) {
    const uint32_t *hops = own->room;
    for (uint32_t i = all->first[router]; i < all->first[router + 1]; i++) {
        const uint32_t task = all->tasks[i], node = all->mapping->endpoint[task] / all->nics;
        for (size_t k = all->received.first[task]; k < all->received.first[task + 1]; k++) {
            const vef_flow *flow = &all->received.flows[k];
            const uint32_t from = router_of(all, flow->to);
            const double bytes = (double)flow->bytes;
            if (flow->to == task)
                continue;
            if (hops[from] == UINT32_MAX) {
                own->apart = true;
                continue;
            }
            own->pairs++;
            own->hops += hops[from];
            own->bytes += bytes;
            own->hop_bytes += bytes * hops[from];
            if (all->mapping->endpoint[flow->to] / all->nics == node)
                own->local_bytes += bytes;
            if (hops[from] > own->most_hops)
                own->most_hops = hops[from];
            own->flow[from] += bytes;
        }
    }
}

/* Passes on what goes to the router of the search. */
static void pass_on(const measuring *all, uint32_t reached, share *own) {
    const uint32_t ports = all->topology->ports, *hops = own->room;
    const uint32_t *queue = own->room + all->topology->routers;
    for (uint32_t i = reached; i-- > 0;) {
        const uint32_t router = queue[i],
                       *neighbour = all->topology->neighbour + (size_t)router * ports;
        const double flow = own->flow[router];
        uint32_t nearer = 0;
        own->flow[router] = 0;
        if (flow == 0 || hops[router] == 0)
            continue;
        for (uint32_t port = 0; port < ports; port++)
            nearer += neighbour[port] != VEF_NO_ROUTER && hops[neighbour[port]] < hops[router];
        for (uint32_t port = 0; port < ports; port++)
            if (neighbour[port] != VEF_NO_ROUTER && hops[neighbour[port]] < hops[router]) {
                own->load[(size_t)router * ports + port] += flow / nearer;
                own->flow[neighbour[port]] += flow / nearer;
            }
    }
}

static void measure_share(void *context, uint32_t worker, uint32_t piece) {
    const measuring *all = context;
    const uint32_t routers = all->topology->routers;
    share *own = (share *)&all->shares[piece];
    (void)worker;
    for (uint32_t r = piece; r < routers; r += all->count) {
        if (all->first[r] == all->first[r + 1])
            continue;
        vef_mapping_hops_from(all->topology, r, own->room, own->room + routers);
        uint32_t reached = 0;
        for (uint32_t other = 0; other < routers; other++)
            reached += own->room[other] != UINT32_MAX;
        collect(all, r, own);
        pass_on(all, reached, own);
    }
}

static void list_tasks(measuring *all) {
    const uint32_t routers = all->topology->routers, tasks = all->mapping->tasks;
    all->first = vef_calloc(routers + (size_t)2, sizeof *all->first);
    all->tasks = vef_calloc(tasks + (size_t)1, sizeof *all->tasks);
    /* Counts go two places up, so that the beginnings are right once the list is filled. */
    for (uint32_t t = 0; t < tasks; t++)
        all->first[router_of(all, t) + 2]++;
    for (uint32_t r = 1; r <= routers; r++)
        all->first[r + 1] += all->first[r];
    for (uint32_t t = 0; t < tasks; t++)
        all->tasks[all->first[router_of(all, t) + 1]++] = t;
}

static void make_shares(measuring *all) {
    const size_t routers = all->topology->routers, links = routers * all->topology->ports;
    all->count = routers < MOST_SHARES ? (uint32_t)routers : MOST_SHARES;
    for (uint32_t i = 0; i < all->count; i++) {
        share *own = &all->shares[i];
        own->load = vef_calloc(links + 1, sizeof *own->load);
        own->room = vef_calloc(2 * routers, sizeof *own->room);
        own->flow = vef_calloc(routers, sizeof *own->flow);
    }
}

/* Sums up the shares, into the first one's loads. */
static void sum_up(measuring *all, vef_mapping_cost *cost) {
    const size_t links = (size_t)all->topology->routers * all->topology->ports;
    double hops = 0, sum = 0;
    uint64_t pairs = 0, count = 0;
    *cost = (vef_mapping_cost){0};
    for (uint32_t i = 0; i < all->count; i++) {
        const share *own = &all->shares[i];
        cost->bytes += own->bytes;
        cost->local_bytes += own->local_bytes;
        cost->hop_bytes += own->hop_bytes;
        hops += own->hops;
        pairs += own->pairs;
        if (own->most_hops > cost->dilation_max)
            cost->dilation_max = own->most_hops;
        for (size_t l = 0; i > 0 && l < links; l++)
            all->shares[0].load[l] += own->load[l];
    }
    cost->dilation_mean = pairs ? hops / (double)pairs : 0;
    for (size_t l = 0; l < links; l++) {
        if (all->topology->neighbour[l] == VEF_NO_ROUTER)
            continue;
        count++;
        sum += all->shares[0].load[l];
        if (all->shares[0].load[l] > cost->link_load_max) {
            cost->link_load_max = all->shares[0].load[l];
            cost->busiest_router = (uint32_t)(l / all->topology->ports);
            cost->busiest_port = (uint32_t)(l % all->topology->ports);
        }
    }
    cost->link_load_mean = count ? sum / (double)count : 0;
}

static void release(measuring *all) {
    for (uint32_t i = 0; i < all->count; i++) {
        free(all->shares[i].load);
        free(all->shares[i].room);
        free(all->shares[i].flow);
    }
    free(all->first);
    free(all->tasks);
    vef_traffic_matrix_free(&all->received);
}

vef_code vef_mapping_cost_measure(const vef_mapping *mapping, const vef_traffic_matrix *traffic,
                                  const vef_topology *topology, uint32_t nics, double *load,
                                  vef_mapping_cost *cost, vef_error *error) {
    measuring all = {.mapping = mapping, .topology = topology, .nics = nics};
    vef_traffic_matrix_transpose(traffic, &all.received);
    list_tasks(&all);
    make_shares(&all);
    vef_workers_run(vef_workers_for(all.count), all.count, measure_share, &all);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.shares[i].apart)
            code = vef_fail(error, VEF_UNSUPPORTED,
                            "two tasks that exchange messages are not connected");
    if (code == VEF_OK) {
        sum_up(&all, cost);
        if (load)
            memcpy(load, all.shares[0].load,
                   (size_t)topology->routers * topology->ports * sizeof *load);
    }
    release(&all);
    return code;
}
