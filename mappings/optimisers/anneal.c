/* Anneal: simulated annealing from the mapping to its right. A step exchanges a task and the task,
 * or the free place, at another place: half of the time at any, else near a partner of the task. An
 * exchange that costs c is accepted with probability exp(-c / T); the temperature T falls
 * geometrically. The best mapping that was visited is the result.
 *
 * S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi: "Optimization by Simulated Annealing", Science 220,
 * 1983; for mappings S. H. Bokhari, IEEE TC C-30(3), 1981, and R. Glantz, H. Meyerhenke, A. Noe,
 * PDP 2015.
 *
 * Objectives: hop-bytes; or the load of the most loaded link (loads.h), for which the steps make
 * the sum of the fourth powers of all loads small, since the maximum alone seldom changes. Same
 * seed, same result. */
#include "common/rng.h"
#include "mappings/families.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/loads.h"
#include "mappings/optimisers/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By objective: steps for each task, and of all; the share of the random exchanges that cost
 * something which the first temperature accepts, in the mean; and the last temperature over the
 * first. Measured on the examples with 64 tasks: the links' begins cold, since a random exchange
 * adds far more to fourth powers than those that are of use. */
static const struct {
    uint64_t each, fewest, most;
    double first_accepted, last_share;
} schedules[] = {[VEF_HOP_BYTES] = {200000, 1000000, 50000000, 0.2, 1e-2},
                 [VEF_LINK_LOAD] = {10000, 100000, 2000000, 1e-4, 1e-2}};

enum { PROBES = 1000 /* exchanges that set the first temperature */, TEMPERATURES = 400 };

typedef struct annealing {
    vef_placement at;
    vef_link_loads loads; /* only for that objective */
    bool by_loads;
    vef_rng rng;
    uint32_t *best; /* the places of the best mapping */
    double cost, least;
} annealing;

/* A place at the router of a partner of the task or at one of its neighbours. */
static uint32_t place_near(annealing *self, uint32_t task) {
    const vef_placement *at = &self->at;
    const vef_topology *topology = at->view->topology;
    const size_t partners = at->first[task + 1] - at->first[task];
    if (partners == 0)
        return vef_rng_below(&self->rng, at->places);
    const size_t which = at->first[task] + vef_rng_below(&self->rng, (uint32_t)partners);
    const uint32_t router = at->router[at->place[at->affinity[which].partner]];
    const uint32_t port = vef_rng_below(&self->rng, topology->ports + 1);
    const uint32_t near = port == topology->ports
                              ? router
                              : topology->neighbour[(size_t)router * topology->ports + port];
    const uint32_t count =
        near == VEF_NO_ROUTER ? 0 : at->first_place[near + 1] - at->first_place[near];
    if (count == 0)
        return vef_rng_below(&self->rng, at->places);
    return at->first_place[near] + vef_rng_below(&self->rng, count);
}

static void draw(annealing *self, uint32_t *place, uint32_t *other) {
    const uint32_t task = vef_rng_below(&self->rng, self->at.tasks);
    *place = self->at.place[task];
    *other = vef_rng_below(&self->rng, 2) ? vef_rng_below(&self->rng, self->at.places)
                                          : place_near(self, task);
}

/* Exchanges two places; returns what that costs. */
static double exchange(annealing *self, uint32_t place, uint32_t other) {
    if (!self->by_loads) {
        const double cost = vef_placement_gain(&self->at, place, other);
        vef_placement_exchange(&self->at, place, other);
        return cost;
    }
    vef_link_loads_exchange(&self->loads, &self->at, place, other);
    return self->loads.change;
}

static double cost_now(const annealing *self) {
    return self->by_loads ? vef_link_loads_most(&self->loads) : self->cost;
}

static void note_best(annealing *self) {
    const double cost = cost_now(self);
    if (cost >= self->least)
        return;
    self->least = cost;
    memcpy(self->best, self->at.place, self->at.tasks * sizeof *self->best);
}

/* exp(-c / T) = the share to accept, for the mean cost c of the exchanges that cost something on a
 * random walk, whose steps are taken back. 0: there are none. */
static double first_temperature(annealing *self, double accepted) {
    uint32_t places[PROBES][2], count = 0;
    double sum = 0;
    for (int i = 0; i < PROBES; i++) {
        draw(self, &places[i][0], &places[i][1]);
        const double cost = exchange(self, places[i][0], places[i][1]);
        if (cost > 0) {
            sum += cost;
            count++;
        }
    }
    for (int i = PROBES; i-- > 0;)
        exchange(self, places[i][0], places[i][1]);
    return count ? -sum / count / log(accepted) : 0;
}

static void step(annealing *self, double temperature) {
    uint32_t place, other;
    draw(self, &place, &other);
    if (place == other)
        return;
    if (!self->by_loads) {
        const double cost = vef_placement_gain(&self->at, place, other);
        if (cost > 0 && vef_rng_unit(&self->rng) >= exp(-cost / temperature))
            return;
        vef_placement_exchange(&self->at, place, other);
        self->cost += cost;
        if (self->cost < self->least)
            note_best(self);
        return;
    }
    const double cost = exchange(self, place, other);
    if (cost > 0 && vef_rng_unit(&self->rng) >= exp(-cost / temperature))
        exchange(self, place, other);
    else if (cost < 0)
        note_best(self);
}

static void anneal(annealing *self, const vef_mapping_view *view) {
    const vef_mapping_objective objective = self->by_loads ? VEF_LINK_LOAD : VEF_HOP_BYTES;
    uint64_t steps = schedules[objective].each * self->at.tasks;
    if (steps < schedules[objective].fewest)
        steps = schedules[objective].fewest;
    if (steps > schedules[objective].most)
        steps = schedules[objective].most;
    double temperature = first_temperature(self, schedules[objective].first_accepted);
    const double factor = pow(schedules[objective].last_share, 1.0 / TEMPERATURES);
    vef_optimiser_clock clock = vef_optimiser_begin(view, "annealing");
    for (uint64_t i = 0; self->cost > 0 && i < steps; i++) {
        if (i % (steps / TEMPERATURES) == 0 && i > 0)
            temperature *= factor;
        if (vef_optimiser_is_over(&clock, i, steps))
            break;
        step(self, temperature);
    }
    vef_optimiser_end(&clock);
}

static vef_code refine(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    annealing self = {.by_loads = stage->objective == VEF_LINK_LOAD,
                      .rng = vef_rng_make(stage->number, VEF_RNG_MAPPING, 1)};
    vef_code code = vef_placement_make(view, endpoint, &self.at, error);
    if (code == VEF_OK && !(self.best = malloc(view->tasks * sizeof *self.best)))
        code = vef_fail_memory(error, "a mapping", view->tasks * sizeof *self.best);
    if (code == VEF_OK && self.by_loads)
        code = vef_link_loads_make(&self.at, &self.loads, error);
    if (code == VEF_OK) {
        self.cost = vef_placement_cost(&self.at);
        self.least = cost_now(&self);
        memcpy(self.best, self.at.place, view->tasks * sizeof *self.best);
        anneal(&self, view);
        memcpy(self.at.place, self.best, view->tasks * sizeof *self.best);
        vef_placement_read(&self.at, endpoint);
    }
    free(self.best);
    vef_link_loads_free(&self.loads);
    vef_placement_free(&self.at);
    return code;
}

static const char *const samples[] = {"anneal", "anneal(5)", "anneal(link-load, messages, 2)",
                                      NULL};

const vef_mapping_family vef_mapping_anneal = {
    .name = "anneal",
    .aliases = "annealing simulated-annealing",
    .summary = "anneals the mapping to its right, by hop-bytes or link-load, with a seed",
    .takes = VEF_MAPPING_OBJECTIVE | VEF_MAPPING_WEIGHT | VEF_MAPPING_SEED,
    .parameter = "link-load, messages, seed",
    .samples = samples,
    .refine = refine,
    .needs_traffic = true,
    .by_distance = true,
};
