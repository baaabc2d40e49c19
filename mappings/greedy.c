/* Greedy: places tasks that exchange many bytes close together. Repeatedly, the task that exchanges
 * most bytes with placed tasks takes the free endpoint with the least sum of bytes x hops to them.
 *
 * R. Glantz, H. Meyerhenke, A. Noe, "Algorithms for Mapping Parallel Processes onto Grid and Torus
 * Architectures", PDP 2015 (arXiv:1411.0921): GreedyAllC; its relatives are the greedy mapping of
 * T. Hoefler, M. Snir, "Generic Topology Mapping Strategies for Large-scale Parallel
 * Architectures", ICS 2011. The first task is the one that exchanges most in all; it takes an
 * endpoint from which the others are nearest. Equals go by their number.
 *
 * Point-to-point messages count, both ways; what a task sends to itself does not. Memory: 4 bytes
 * for each pair of a router and a router that has tasks. */
#include "mappings/families.h"
#include "mappings/hops.h"

#include <stdlib.h>

typedef struct placing {
    const vef_mapping_view *view;
    vef_traffic_matrix received; /* the matrix transposed */
    uint32_t *endpoint;          /* the result */
    bool *placed;                /* per task */
    bool *taken;                 /* per endpoint */
    double *volume;              /* per task: bytes exchanged in all */
    double *tied;                /* per task: bytes exchanged with placed tasks */
    double *cost;                /* per router, for the current task */
    uint32_t **hops;             /* per router: hops from it, once it has a task; else NULL */
    uint32_t *queue;             /* per router, for the search */
} placing;

static void release(placing *self) {
    const vef_topology *topology = self->view->topology;
    for (uint32_t r = 0; self->hops && r < topology->routers; r++)
        free(self->hops[r]);
    free(self->hops);
    free(self->placed);
    free(self->taken);
    free(self->volume);
    free(self->tied);
    free(self->cost);
    free(self->queue);
    vef_traffic_matrix_free(&self->received);
}

static vef_code prepare(placing *self, vef_error *error) {
    const uint32_t tasks = self->view->tasks, routers = self->view->topology->routers;
    self->placed = calloc(tasks, sizeof *self->placed);
    self->taken = calloc(self->view->endpoints, sizeof *self->taken);
    self->volume = calloc(tasks, sizeof *self->volume);
    self->tied = calloc(tasks, sizeof *self->tied);
    self->cost = calloc(routers, sizeof *self->cost);
    self->hops = calloc(routers, sizeof *self->hops);
    self->queue = calloc(routers, sizeof *self->queue);
    if (!self->placed || !self->taken || !self->volume || !self->tied || !self->cost ||
        !self->hops || !self->queue)
        return vef_fail_memory(error, "a greedy mapping", routers * sizeof *self->hops);
    return vef_traffic_matrix_transpose(self->view->traffic, &self->received, error);
}

/* Adds to `sums` of the partners of a task the bytes exchanged with them, in one direction. */
static void add_row(const vef_traffic_matrix *traffic, uint32_t task, double *sums) {
    for (size_t i = traffic->first[task]; i < traffic->first[task + 1]; i++)
        if (traffic->flows[i].to != task)
            sums[traffic->flows[i].to] += (double)traffic->flows[i].bytes;
}

static void add_partners(const placing *self, uint32_t task, double *sums) {
    add_row(self->view->traffic, task, sums);
    add_row(&self->received, task, sums);
}

/* The task that exchanges most with placed tasks; ties by the total. */
static uint32_t next_task(const placing *self) {
    uint32_t best = UINT32_MAX;
    for (uint32_t t = 0; t < self->view->tasks; t++) {
        if (self->placed[t])
            continue;
        if (best == UINT32_MAX || self->tied[t] > self->tied[best] ||
            (self->tied[t] == self->tied[best] && self->volume[t] > self->volume[best]))
            best = t;
    }
    return best;
}

/* Bytes x hops from each router to the placed partners of a task, in one direction. */
static void add_costs(placing *self, const vef_traffic_matrix *traffic, uint32_t task) {
    const vef_topology *topology = self->view->topology;
    for (size_t i = traffic->first[task]; i < traffic->first[task + 1]; i++) {
        const vef_flow *flow = &traffic->flows[i];
        if (!self->placed[flow->to])
            continue;
        const uint32_t *hops =
            self->hops[vef_topology_router_of(topology, self->endpoint[flow->to])];
        for (uint32_t r = 0; r < topology->routers; r++)
            self->cost[r] += (double)flow->bytes * hops[r];
    }
}

static void find_costs(placing *self, uint32_t task) {
    for (uint32_t r = 0; r < self->view->topology->routers; r++)
        self->cost[r] = 0;
    add_costs(self, self->view->traffic, task);
    add_costs(self, &self->received, task);
}

/* Instead, for the first task: the hops from each router to all endpoints, which are equal in a
 * vertex-transitive network. */
static vef_code find_centres(placing *self, vef_error *error) {
    const vef_topology *topology = self->view->topology;
    uint32_t *hops = calloc(topology->routers, sizeof *hops);
    if (!hops)
        return vef_fail_memory(error, "a greedy mapping", topology->routers * sizeof *hops);
    for (uint32_t r = 0; topology->orbits != 1 && r < topology->routers; r++) {
        vef_mapping_hops_from(topology, r, hops, self->queue);
        for (uint32_t e = 0; e < topology->endpoints; e++)
            self->cost[r] += hops[vef_topology_router_of(topology, e)];
    }
    free(hops);
    return VEF_OK;
}

/* The free endpoint of least cost. */
static uint32_t best_endpoint(const placing *self) {
    const vef_topology *topology = self->view->topology;
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const double cost = self->cost[vef_topology_router_of(topology, e)];
        if (!self->taken[e] && (best == UINT32_MAX || cost < least)) {
            best = e;
            least = cost;
        }
    }
    return best;
}

static vef_code put(placing *self, uint32_t task, uint32_t endpoint, vef_error *error) {
    const vef_topology *topology = self->view->topology;
    const uint32_t router = vef_topology_router_of(topology, endpoint);
    self->endpoint[task] = endpoint;
    self->placed[task] = self->taken[endpoint] = true;
    add_partners(self, task, self->tied);
    if (self->hops[router])
        return VEF_OK;
    self->hops[router] = calloc(topology->routers, sizeof **self->hops);
    if (!self->hops[router])
        return vef_fail_memory(error, "a greedy mapping", topology->routers * sizeof **self->hops);
    vef_mapping_hops_from(topology, router, self->hops[router], self->queue);
    return VEF_OK;
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    placing self = {.view = view, .endpoint = endpoint};
    vef_code code = prepare(&self, error);
    for (uint32_t t = 0; code == VEF_OK && t < view->tasks; t++)
        add_partners(&self, t, self.volume);
    if (code == VEF_OK)
        code = find_centres(&self, error);
    for (uint32_t count = 0; code == VEF_OK && count < view->tasks; count++) {
        const uint32_t task = next_task(&self);
        if (count > 0)
            find_costs(&self, task);
        code = put(&self, task, best_endpoint(&self), error);
    }
    release(&self);
    return code;
}

static const char *const samples[] = {"greedy", NULL};

const vef_mapping_family vef_mapping_greedy = {
    .name = "greedy",
    .aliases = "optimise optimize traffic affinity",
    .summary = "places tasks that exchange many bytes in the trace close together",
    .argument = VEF_MAPPING_PLAIN,
    .samples = samples,
    .assign = assign,
    .needs_traffic = true,
    .by_distance = true,
};
