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
 * the sum of the fourth powers of all loads small, since the maximum alone seldom changes. Few
 * exchanges of distant tasks help that sum, so hop-bytes are annealed first, from whose result the
 * links begin unless the mapping to the right loads them less. Same seed, same result.
 *
 * With a time limit the temperature falls by the share of the time or of the steps that is over,
 * whichever is greater, so that every limit ends cold; with two objectives each has half of it. */
#include "common/memory.h"
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
    double work; /* at most so many steps x partners of a task */
    double first_accepted, last_share;
} schedules[] = {[VEF_HOP_BYTES] = {200000, 1000000, 50000000, 0x1p31, 0.2, 1e-2},
                 [VEF_LINK_LOAD] = {10000, 20000, 2000000, 0x1p22, 1e-4, 1e-2}};

enum { PROBES = 1000 /* exchanges that set the first temperature */, TEMPERATURES = 400 };

typedef struct annealing {
    vef_placement at;
    vef_optimiser_clock *clock;
    vef_link_loads loads; /* only for that objective */
    vef_mapping_objective objective;
    vef_rng rng;
    uint32_t *best; /* the places of the best mapping, */
    double least;   /* and its cost: hop-bytes, or the greatest load in units of loads.scale */
    double cost;    /* hop-bytes now */
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
    *other = vef_rng_below(&self->rng, 2) ? place_near(self, task)
                                          : vef_rng_below(&self->rng, self->at.places);
}

/* What an exchange of two places costs, which it makes. */
static double try_exchange(annealing *self, uint32_t place, uint32_t other) {
    if (self->objective == VEF_LINK_LOAD)
        return vef_link_loads_try(&self->loads, &self->at, place, other);
    const double cost = vef_placement_gain(&self->at, place, other);
    vef_placement_exchange(&self->at, place, other);
    return cost;
}

static void keep_best(annealing *self) {
    memcpy(self->best, self->at.place, self->at.tasks * sizeof *self->best);
}

/* exp(-c / T) = the share to accept, for the mean cost c of the exchanges that cost something on a
 * random walk, whose steps are taken back. 0: there are none. */
static double first_temperature(annealing *self, double accepted) {
    uint32_t places[PROBES][2], count = 0;
    double sum = 0;
    for (int i = 0; i < PROBES; i++) {
        draw(self, &places[i][0], &places[i][1]);
        const double cost = try_exchange(self, places[i][0], places[i][1]);
        if (self->objective == VEF_LINK_LOAD)
            vef_link_loads_keep(&self->loads);
        if (cost > 0) {
            sum += cost;
            count++;
        }
    }
    for (int i = PROBES; i-- > 0;) {
        try_exchange(self, places[i][0], places[i][1]);
        if (self->objective == VEF_LINK_LOAD)
            vef_link_loads_keep(&self->loads);
    }
    return count ? -sum / count / log(accepted) : 0;
}

static bool is_accepted(annealing *self, double cost, double temperature) {
    return cost <= 0 || vef_rng_unit(&self->rng) < exp(-cost / temperature);
}

static void step(annealing *self, double temperature) {
    uint32_t place, other;
    draw(self, &place, &other);
    if (place == other)
        return;
    if (self->objective == VEF_HOP_BYTES) {
        const double cost = vef_placement_gain(&self->at, place, other);
        if (!is_accepted(self, cost, temperature))
            return;
        vef_placement_exchange(&self->at, place, other);
        self->cost += cost;
        if (self->cost < self->least) {
            self->least = self->cost;
            keep_best(self);
        }
        return;
    }
    const double cost = vef_link_loads_try(&self->loads, &self->at, place, other);
    if (!is_accepted(self, cost, temperature)) {
        vef_link_loads_undo(&self->loads, &self->at, place, other);
        return;
    }
    vef_link_loads_keep(&self->loads);
    if (cost < 0 && vef_link_loads_are_below(&self->loads, &self->least))
        keep_best(self);
}

static uint64_t count_steps(const annealing *self) {
    const vef_placement *at = &self->at;
    const double partners = (double)at->first[at->tasks] / at->tasks;
    const uint64_t affordable = (uint64_t)(schedules[self->objective].work / (partners + 1));
    uint64_t steps = schedules[self->objective].each * at->tasks;
    if (steps > schedules[self->objective].most)
        steps = schedules[self->objective].most;
    if (steps > affordable)
        steps = affordable;
    return steps < schedules[self->objective].fewest ? schedules[self->objective].fewest : steps;
}

/* From the placement, whose cost and best are known, until a share of the time limit is over. */
static void anneal(annealing *self, double until) {
    vef_optimiser_clock *clock = self->clock;
    const uint64_t steps = count_steps(self);
    const double first = first_temperature(self, schedules[self->objective].first_accepted);
    vef_optimiser_look(clock, 0, steps);
    const double from = vef_optimiser_share(clock);
    double temperature = first;
    uint64_t cooled = 0; /* temperatures so far */
    for (uint64_t i = 0; i < steps; i++) {
        vef_optimiser_is_over(clock, i, steps);
        if (vef_optimiser_share(clock) >= until)
            break;
        const double time = (vef_optimiser_share(clock) - from) / (until - from);
        const uint64_t by_steps = i / (steps / TEMPERATURES);
        const uint64_t by_time = (uint64_t)(TEMPERATURES * time);
        if (by_steps > cooled || by_time > cooled) {
            cooled = by_steps > by_time ? by_steps : by_time;
            temperature =
                first * pow(schedules[self->objective].last_share, (double)cooled / TEMPERATURES);
        }
        step(self, temperature);
    }
}

static void go_to(annealing *self, const uint32_t *places) {
    vef_placement_clear(&self->at);
    for (uint32_t t = 0; t < self->at.tasks; t++)
        vef_placement_put(&self->at, t, places[t]);
}

/* The greatest load, in bytes. */
static double most_loaded(annealing *self) {
    double most = INFINITY;
    vef_link_loads_are_below(&self->loads, &most);
    return most * self->loads.scale;
}

/* After hop-bytes: from their best mapping, or from `start` if that loads links less. */
static void anneal_loads(annealing *self, const uint32_t *start) {
    self->objective = VEF_LINK_LOAD;
    go_to(self, start);
    vef_link_loads_make(&self->at, &self->loads);
    const double most = most_loaded(self);
    vef_link_loads_free(&self->loads);
    go_to(self, self->best);
    vef_link_loads_make(&self->at, &self->loads);
    if (most_loaded(self) >= most) {
        vef_link_loads_free(&self->loads);
        go_to(self, start);
        vef_link_loads_make(&self->at, &self->loads);
    }
    keep_best(self);
    self->least = INFINITY;
    vef_link_loads_are_below(&self->loads, &self->least);
    anneal(self, 1);
}

static vef_code refine(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    vef_optimiser_clock clock = vef_optimiser_begin(view, "annealing");
    annealing self = {.clock = &clock, .rng = vef_rng_make(stage->number, VEF_RNG_MAPPING, 1)};
    const bool by_loads = stage->objective == VEF_LINK_LOAD;
    const size_t bytes = view->tasks * sizeof *self.best;
    uint32_t *start = vef_malloc(bytes);
    vef_code code = vef_placement_make(view, endpoint, &self.at, error);
    self.best = vef_malloc(bytes);
    if (code == VEF_OK) {
        memcpy(start, self.at.place, bytes);
        keep_best(&self);
        self.least = self.cost = vef_placement_cost(&self.at);
        if (self.cost > 0) {
            anneal(&self, by_loads ? 0.5 : 1);
            if (by_loads)
                anneal_loads(&self, start);
        }
        go_to(&self, self.best);
        vef_placement_read(&self.at, endpoint);
    }
    vef_optimiser_end(&clock);
    free(start);
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
