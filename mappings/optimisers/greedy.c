/* Greedy: places tasks that exchange many bytes close together. Repeatedly, the task that exchanges
 * most bytes with placed tasks takes the free place with the least sum of bytes x hops to them.
 *
 * R. Glantz, H. Meyerhenke, A. Noe, "Algorithms for Mapping Parallel Processes onto Grid and Torus
 * Architectures", PDP 2015 (arXiv:1411.0921): GreedyAllC; its relatives are the greedy mapping of
 * T. Hoefler, M. Snir, "Generic Topology Mapping Strategies for Large-scale Parallel
 * Architectures", ICS 2011. The first task is the one that exchanges most in all; it takes a place
 * from which the others are nearest.
 *
 * The definition leaves open what equals are, and which of them is first, which decides on most of
 * the result: the neighbours of a 32 x 32 torus on 16 x 8 x 8 routers are 1.17 hops apart if all
 * exchange the same, and 2.2 if that varies by a tenth at random. Several ways are tried (`ways`),
 * and the best result is kept. When the time is over, the tasks without a place take the free ones
 * by number. */
#include "common/memory.h"
#include "mappings/families.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which tasks and places are equal, and which of them comes first. */
typedef struct way {
    double task_tolerance, place_tolerance; /* shares of the best that equals may differ by */
    /* Of equal places, the one nearest to all placed tasks; else the lowest number. */
    bool compact;
    /* Of equal tasks, the one whose first partner was placed first; else the lowest number. */
    bool by_reach;
} way;

static const way ways[] = {{0, 0, true, false},
                           {0.2, 0.05, false, false},
                           {0, 0, false, false},
                           {0.2, 0.05, true, false},
                           {0.3, 0, true, true}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Steps of all ways: about 4 s. */
static const double MOST_STEPS = 0x1p32;

typedef struct placing {
    vef_placement at;
    const way *way;
    uint32_t placed;
    double *tied;      /* per task: bytes exchanged with placed tasks */
    uint32_t *reached; /* per task: how many were placed when the first of its partners was */
    double *cost;      /* per router, for the current task */
    uint64_t *spread;  /* per router: hops to all placed tasks */
} placing;

/* The task that exchanges most with placed tasks; equals by the total, then as the way says. */
static uint32_t next_task(const placing *self) {
    const double share = 1 - self->way->task_tolerance;
    uint32_t best = UINT32_MAX;
    double most = 0;
    for (uint32_t t = 0; t < self->at.tasks; t++)
        if (self->at.place[t] == VEF_NO_PLACE && self->tied[t] > most)
            most = self->tied[t];
    for (uint32_t t = 0; t < self->at.tasks; t++) {
        if (self->at.place[t] != VEF_NO_PLACE || self->tied[t] < most * share)
            continue;
        if (best == UINT32_MAX ||
            (self->way->by_reach && most > 0 ? self->reached[t] < self->reached[best]
                                             : self->at.volume[t] * share > self->at.volume[best]))
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

/* The free place of least cost; equals as the way says. */
static uint32_t best_place(const placing *self) {
    const vef_placement *at = &self->at;
    const double share = 1 + self->way->place_tolerance;
    uint32_t best = VEF_NO_PLACE;
    double least = INFINITY;
    for (uint32_t p = 0; p < at->places; p++)
        if (at->task[p] == VEF_NO_PLACE && self->cost[at->router[p]] < least)
            least = self->cost[at->router[p]];
    for (uint32_t p = 0; p < at->places; p++)
        if (at->task[p] == VEF_NO_PLACE && self->cost[at->router[p]] <= least * share &&
            (best == VEF_NO_PLACE ||
             (self->way->compact && self->spread[at->router[p]] < self->spread[at->router[best]])))
            best = p;
    return best;
}

static void put(placing *self, uint32_t task, uint32_t place) {
    vef_placement *at = &self->at;
    const uint16_t *hops = at->hops + (size_t)at->router[place] * at->routers;
    vef_placement_put(at, task, place);
    self->placed++;
    for (size_t i = at->first[task]; i < at->first[task + 1]; i++) {
        const uint32_t partner = at->affinity[i].partner;
        self->tied[partner] += at->affinity[i].bytes;
        if (self->reached[partner] == 0)
            self->reached[partner] = self->placed;
    }
    for (uint32_t r = 0; self->way->compact && r < at->routers; r++)
        self->spread[r] += hops[r];
}

/* Places all tasks; false: the time was over before, and the rest are at any places. */
static bool place_all(placing *self, vef_optimiser_clock *clock) {
    vef_placement *at = &self->at;
    vef_placement_clear(at);
    self->placed = 0;
    memset(self->tied, 0, at->tasks * sizeof *self->tied);
    memset(self->reached, 0, at->tasks * sizeof *self->reached);
    memset(self->cost, 0, at->routers * sizeof *self->cost);
    memset(self->spread, 0, at->routers * sizeof *self->spread);
    find_centres(self);
    while (self->placed < at->tasks && !vef_optimiser_look(clock, self->placed, at->tasks)) {
        const uint32_t task = next_task(self);
        if (self->placed > 0)
            find_costs(self, task);
        put(self, task, best_place(self));
    }
    const bool complete = self->placed == at->tasks;
    for (uint32_t t = 0, p = 0; t < at->tasks; t++) {
        if (at->place[t] != VEF_NO_PLACE)
            continue;
        while (at->task[p] != VEF_NO_PLACE)
            p++;
        vef_placement_put(at, t, p);
    }
    return complete;
}

static void try_ways(placing *self, vef_optimiser_clock *clock, uint32_t *endpoint) {
    const vef_placement *at = &self->at;
    const double pairs = (double)at->first[at->tasks];
    const double steps = pairs * at->routers + 2.0 * at->tasks * at->places;
    double least = 0;
    for (uint32_t k = 0; k < WAYS && (k == 0 || (k + 1) * steps <= MOST_STEPS); k++) {
        self->way = &ways[k];
        const bool complete = place_all(self, clock);
        const double cost = vef_placement_cost(at);
        if (k == 0 || cost < least) {
            least = cost;
            vef_placement_read(at, endpoint);
        }
        if (!complete)
            break;
    }
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    placing self = {0};
    vef_optimiser_clock clock = vef_optimiser_begin(view, "placing tasks");
    vef_code code = vef_placement_make(view, NULL, &self.at, error);
    self.tied = vef_calloc(view->tasks, sizeof *self.tied);
    self.reached = vef_calloc(view->tasks, sizeof *self.reached);
    self.cost = vef_calloc(view->topology->routers, sizeof *self.cost);
    self.spread = vef_calloc(view->topology->routers, sizeof *self.spread);
    if (code == VEF_OK)
        try_ways(&self, &clock, endpoint);
    vef_optimiser_end(&clock);
    free(self.tied);
    free(self.reached);
    free(self.cost);
    free(self.spread);
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
