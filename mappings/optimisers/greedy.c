/* Greedy: places tasks that exchange many bytes close together. Repeatedly, the task that exchanges
 * most bytes with placed tasks takes the free place with the least sum of bytes x hops to them.
 *
 * R. Glantz, H. Meyerhenke, A. Noe, "Algorithms for Mapping Parallel Processes onto Grid and Torus
 * Architectures", PDP 2015 (arXiv:1411.0921): GreedyAllC; its relatives are the greedy mapping of
 * T. Hoefler, M. Snir, "Generic Topology Mapping Strategies for Large-scale Parallel
 * Architectures", ICS 2011. The first task is the one that exchanges most in all; it takes a place
 * from which the others are nearest. Equals go by their number. */
#include "mappings/families.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <stdlib.h>
#include <string.h>

typedef struct placing {
    vef_placement at;
    double *tied; /* per task: bytes exchanged with placed tasks */
    double *cost; /* per router, for the current task */
} placing;

/* The task that exchanges most with placed tasks; ties by the total. */
static uint32_t next_task(const placing *self) {
    uint32_t best = UINT32_MAX;
    for (uint32_t t = 0; t < self->at.tasks; t++) {
        if (self->at.place[t] != VEF_NO_PLACE)
            continue;
        if (best == UINT32_MAX || self->tied[t] > self->tied[best] ||
            (self->tied[t] == self->tied[best] && self->at.volume[t] > self->at.volume[best]))
            best = t;
    }
    return best;
}

/* Bytes x hops from each router to the placed partners of a task. */
static void find_costs(placing *self, uint32_t task) {
    const vef_placement *at = &self->at;
    memset(self->cost, 0, at->routers * sizeof *self->cost);
    for (size_t i = at->first[task]; i < at->first[task + 1]; i++) {
        const uint32_t place = at->place[at->affinity[i].partner];
        if (place == VEF_NO_PLACE)
            continue;
        const uint16_t *hops = at->hops + (size_t)at->router[place] * at->routers;
        for (uint32_t r = 0; r < at->routers; r++)
            self->cost[r] += at->affinity[i].bytes * hops[r];
    }
}

/* Instead, for the first task: the hops from each router to all places, which are equal in a
 * vertex-transitive network. */
static void find_centres(placing *self) {
    const vef_placement *at = &self->at;
    if (at->view->topology->orbits == 1)
        return;
    for (uint32_t r = 0; r < at->routers; r++)
        for (uint32_t p = 0; at->first_place[r] < at->first_place[r + 1] && p < at->places; p++)
            self->cost[r] += at->hops[(size_t)r * at->routers + at->router[p]];
}

/* The free place of least cost. */
static uint32_t best_place(const placing *self) {
    const vef_placement *at = &self->at;
    uint32_t best = VEF_NO_PLACE;
    for (uint32_t p = 0; p < at->places; p++)
        if (at->task[p] == VEF_NO_PLACE &&
            (best == VEF_NO_PLACE || self->cost[at->router[p]] < self->cost[at->router[best]]))
            best = p;
    return best;
}

static void put(placing *self, uint32_t task, uint32_t place) {
    vef_placement_put(&self->at, task, place);
    for (size_t i = self->at.first[task]; i < self->at.first[task + 1]; i++)
        self->tied[self->at.affinity[i].partner] += self->at.affinity[i].bytes;
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    placing self = {0};
    vef_code code = vef_placement_make(view, NULL, &self.at, error);
    self.tied = calloc(view->tasks, sizeof *self.tied);
    self.cost = calloc(view->topology->routers, sizeof *self.cost);
    if (code == VEF_OK && (!self.tied || !self.cost))
        code = vef_fail_memory(error, "a greedy mapping", view->tasks * sizeof *self.tied);
    if (code == VEF_OK) {
        vef_optimiser_clock clock = vef_optimiser_begin(view, "placing tasks");
        find_centres(&self);
        for (uint32_t count = 0; count < view->tasks; count++) {
            const uint32_t task = next_task(&self);
            vef_optimiser_is_over(&clock, count, view->tasks); /* it has to be completed */
            if (count > 0)
                find_costs(&self, task);
            put(&self, task, best_place(&self));
        }
        vef_optimiser_end(&clock);
        vef_placement_read(&self.at, endpoint);
    }
    free(self.tied);
    free(self.cost);
    vef_placement_free(&self.at);
    return code;
}

static const char *const samples[] = {"greedy", "greedy(messages)", NULL};

const vef_mapping_family vef_mapping_greedy = {
    .name = "greedy",
    .aliases = "optimise optimize traffic affinity",
    .summary = "places tasks that exchange many bytes in the trace close together",
    .takes = VEF_MAPPING_WEIGHT,
    .parameter = "messages",
    .samples = samples,
    .assign = assign,
    .shares = true,
    .needs_traffic = true,
    .by_distance = true,
};
