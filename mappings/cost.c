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

static uint32_t router_of(const measuring *measurement, uint32_t task) {
    return vef_topology_router_of(measurement->topology, measurement->mapping->endpoint[task]);
}

/* What the tasks of a router receive goes to `flow` at the routers of its senders. */
static void collect(const measuring *measurement, uint32_t router, share *sums) {
    const uint32_t *hops = sums->room;
    for (uint32_t i = measurement->first[router]; i < measurement->first[router + 1]; i++) {
        const uint32_t task = measurement->tasks[i],
                       node = measurement->mapping->endpoint[task] / measurement->nics;
        for (size_t k = measurement->received.first[task];
             k < measurement->received.first[task + 1]; k++) {
            const vef_flow *flow = &measurement->received.flows[k];
            const uint32_t from = router_of(measurement, flow->to);
            const double bytes = (double)flow->bytes;
            if (flow->to == task)
                continue;
            if (hops[from] == UINT32_MAX) {
                sums->apart = true;
                continue;
            }
            sums->pairs++;
            sums->hops += hops[from];
            sums->bytes += bytes;
            sums->hop_bytes += bytes * hops[from];
            if (measurement->mapping->endpoint[flow->to] / measurement->nics == node)
                sums->local_bytes += bytes;
            if (hops[from] > sums->most_hops)
                sums->most_hops = hops[from];
            sums->flow[from] += bytes;
        }
    }
}

/* Passes on what goes to the router of the search. */
static void pass_on(const measuring *measurement, uint32_t reached, share *sums) {
    const uint32_t ports = measurement->topology->ports, *hops = sums->room;
    const uint32_t *queue = sums->room + measurement->topology->routers;
    for (uint32_t i = reached; i-- > 0;) {
        const uint32_t router = queue[i],
                       *neighbour = measurement->topology->neighbour + (size_t)router * ports;
        const double flow = sums->flow[router];
        uint32_t nearer = 0;
        sums->flow[router] = 0;
        if (flow == 0 || hops[router] == 0)
            continue;
        for (uint32_t port = 0; port < ports; port++)
            nearer += neighbour[port] != VEF_NO_ROUTER && hops[neighbour[port]] < hops[router];
        for (uint32_t port = 0; port < ports; port++)
            if (neighbour[port] != VEF_NO_ROUTER && hops[neighbour[port]] < hops[router]) {
                sums->load[(size_t)router * ports + port] += flow / nearer;
                sums->flow[neighbour[port]] += flow / nearer;
            }
    }
}

static void measure_share(void *context, uint32_t worker, uint32_t piece) {
    const measuring *measurement = context;
    const uint32_t routers = measurement->topology->routers;
    share *sums = (share *)&measurement->shares[piece];
    (void)worker;
    for (uint32_t r = piece; r < routers; r += measurement->count) {
        if (measurement->first[r] == measurement->first[r + 1])
            continue;
        vef_mapping_hops_from(measurement->topology, r, sums->room, sums->room + routers);
        uint32_t reached = 0;
        for (uint32_t other = 0; other < routers; other++)
            reached += sums->room[other] != UINT32_MAX;
        collect(measurement, r, sums);
        pass_on(measurement, reached, sums);
    }
}

static void list_tasks(measuring *measurement) {
    const uint32_t routers = measurement->topology->routers, tasks = measurement->mapping->tasks;
    measurement->first = vef_calloc(routers + (size_t)2, sizeof *measurement->first);
    measurement->tasks = vef_calloc(tasks + (size_t)1, sizeof *measurement->tasks);
    /* Counts go two places up, so that the beginnings are right once the list is filled. */
    for (uint32_t t = 0; t < tasks; t++)
        measurement->first[router_of(measurement, t) + 2]++;
    for (uint32_t r = 1; r <= routers; r++)
        measurement->first[r + 1] += measurement->first[r];
    for (uint32_t t = 0; t < tasks; t++)
        measurement->tasks[measurement->first[router_of(measurement, t) + 1]++] = t;
}

static void make_shares(measuring *measurement) {
    const size_t routers = measurement->topology->routers,
                 links = routers * measurement->topology->ports;
    measurement->count = routers < MOST_SHARES ? (uint32_t)routers : MOST_SHARES;
    for (uint32_t i = 0; i < measurement->count; i++) {
        share *sums = &measurement->shares[i];
        sums->load = vef_calloc(links + 1, sizeof *sums->load);
        sums->room = vef_calloc(2 * routers, sizeof *sums->room);
        sums->flow = vef_calloc(routers, sizeof *sums->flow);
    }
}

/* Sums up the shares, into the first one's loads. */
static void sum_up(measuring *measurement, vef_mapping_cost *cost) {
    const size_t links = (size_t)measurement->topology->routers * measurement->topology->ports;
    double hops = 0, sum = 0;
    uint64_t pairs = 0, count = 0;
    *cost = (vef_mapping_cost){0};
    for (uint32_t i = 0; i < measurement->count; i++) {
        const share *sums = &measurement->shares[i];
        cost->bytes += sums->bytes;
        cost->local_bytes += sums->local_bytes;
        cost->hop_bytes += sums->hop_bytes;
        hops += sums->hops;
        pairs += sums->pairs;
        if (sums->most_hops > cost->dilation_max)
            cost->dilation_max = sums->most_hops;
        for (size_t l = 0; i > 0 && l < links; l++)
            measurement->shares[0].load[l] += sums->load[l];
    }
    cost->dilation_mean = pairs ? hops / (double)pairs : 0;
    for (size_t l = 0; l < links; l++) {
        if (measurement->topology->neighbour[l] == VEF_NO_ROUTER)
            continue;
        count++;
        sum += measurement->shares[0].load[l];
        if (measurement->shares[0].load[l] > cost->link_load_max) {
            cost->link_load_max = measurement->shares[0].load[l];
            cost->busiest_router = (uint32_t)(l / measurement->topology->ports);
            cost->busiest_port = (uint32_t)(l % measurement->topology->ports);
        }
    }
    cost->link_load_mean = count ? sum / (double)count : 0;
}

static void release(measuring *measurement) {
    for (uint32_t i = 0; i < measurement->count; i++) {
        free(measurement->shares[i].load);
        free(measurement->shares[i].room);
        free(measurement->shares[i].flow);
    }
    free(measurement->first);
    free(measurement->tasks);
    vef_traffic_matrix_free(&measurement->received);
}

vef_code vef_mapping_cost_measure(const vef_mapping *mapping, const vef_traffic_matrix *traffic,
                                  const vef_topology *topology, uint32_t nics, double *load,
                                  vef_mapping_cost *cost, vef_error *error) {
    measuring measurement = {.mapping = mapping, .topology = topology, .nics = nics};
    vef_traffic_matrix_transpose(traffic, &measurement.received);
    list_tasks(&measurement);
    make_shares(&measurement);
    vef_workers_run(vef_workers_for(measurement.count), measurement.count, measure_share,
                    &measurement);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < measurement.count; i++)
        if (measurement.shares[i].apart)
            code = vef_fail(error, VEF_UNSUPPORTED,
                            "two tasks that exchange messages are not connected");
    if (code == VEF_OK) {
        sum_up(&measurement, cost);
        if (load)
            memcpy(load, measurement.shares[0].load,
                   (size_t)topology->routers * topology->ports * sizeof *load);
    }
    release(&measurement);
    return code;
}
