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
    vef_placement placement;
    vef_optimiser_clock *clock;
    vef_link_loads loads; /* only for that objective */
    vef_mapping_objective objective;
    vef_rng rng;
    uint32_t *best; /* the places of the best mapping */
    double least;   /* cost of `best`: hop-bytes, or the greatest load in units of loads.scale */
    double cost;    /* hop-bytes now */
} annealing;

/* A place at the router of a partner of the task or at one of its neighbours. */
static uint32_t place_near(annealing *search, uint32_t task) {
    const vef_placement *placement = &search->placement;
    const vef_topology *topology = placement->view->topology;
    const size_t partners = placement->first[task + 1] - placement->first[task];
    if (partners == 0)
        return vef_rng_below(&search->rng, placement->places);
    const size_t which = placement->first[task] + vef_rng_below(&search->rng, (uint32_t)partners);
    const uint32_t router = placement->router[placement->place[placement->affinity[which].partner]];
    const uint32_t port = vef_rng_below(&search->rng, topology->ports + 1);
    const uint32_t near = port == topology->ports
                              ? router
                              : topology->neighbour[(size_t)router * topology->ports + port];
    const uint32_t count =
        near == VEF_NO_ROUTER ? 0 : placement->first_place[near + 1] - placement->first_place[near];
    if (count == 0)
        return vef_rng_below(&search->rng, placement->places);
    return placement->first_place[near] + vef_rng_below(&search->rng, count);
}

static void draw(annealing *search, uint32_t *place, uint32_t *other) {
    const uint32_t task = vef_rng_below(&search->rng, search->placement.tasks);
    *place = search->placement.place[task];
    *other = vef_rng_below(&search->rng, 2) ? place_near(search, task)
                                            : vef_rng_below(&search->rng, search->placement.places);
}

/* What an exchange of two places costs, which it makes. */
static double try_exchange(annealing *search, uint32_t place, uint32_t other) {
    if (search->objective == VEF_LINK_LOAD)
        return vef_link_loads_try(&search->loads, &search->placement, place, other);
    const double cost = vef_placement_gain(&search->placement, place, other);
    vef_placement_exchange(&search->placement, place, other);
    return cost;
}

static void keep_best(annealing *search) {
    memcpy(search->best, search->placement.place, search->placement.tasks * sizeof *search->best);
}

/* exp(-c / T) = the share to accept, for the mean cost c of the exchanges that cost something on a
 * random walk, whose steps are taken back. 0: there are none. */
static double first_temperature(annealing *search, double accepted) {
    uint32_t places[PROBES][2], count = 0;
    double sum = 0;
    for (int i = 0; i < PROBES; i++) {
        draw(search, &places[i][0], &places[i][1]);
        const double cost = try_exchange(search, places[i][0], places[i][1]);
        if (search->objective == VEF_LINK_LOAD)
            vef_link_loads_keep(&search->loads);
        if (cost > 0) {
            sum += cost;
            count++;
        }
    }
    for (int i = PROBES; i-- > 0;) {
        try_exchange(search, places[i][0], places[i][1]);
        if (search->objective == VEF_LINK_LOAD)
            vef_link_loads_keep(&search->loads);
    }
    return count ? -sum / count / log(accepted) : 0;
}

static bool is_accepted(annealing *search, double cost, double temperature) {
    return cost <= 0 || vef_rng_unit(&search->rng) < exp(-cost / temperature);
}

static void step(annealing *search, double temperature) {
    uint32_t place, other;
    draw(search, &place, &other);
    if (place == other)
        return;
    if (search->objective == VEF_HOP_BYTES) {
        const double cost = vef_placement_gain(&search->placement, place, other);
        if (!is_accepted(search, cost, temperature))
            return;
        vef_placement_exchange(&search->placement, place, other);
        search->cost += cost;
        if (search->cost < search->least) {
            search->least = search->cost;
            keep_best(search);
        }
        return;
    }
    const double cost = vef_link_loads_try(&search->loads, &search->placement, place, other);
    if (!is_accepted(search, cost, temperature)) {
        vef_link_loads_undo(&search->loads, &search->placement, place, other);
        return;
    }
    vef_link_loads_keep(&search->loads);
    if (cost < 0 && vef_link_loads_are_below(&search->loads, &search->least))
        keep_best(search);
}

static uint64_t count_steps(const annealing *search) {
    const vef_placement *placement = &search->placement;
    const double partners = (double)placement->first[placement->tasks] / placement->tasks;
    const uint64_t affordable = (uint64_t)(schedules[search->objective].work / (partners + 1));
    uint64_t steps = schedules[search->objective].each * placement->tasks;
    if (steps > schedules[search->objective].most)
        steps = schedules[search->objective].most;
    if (steps > affordable)
        steps = affordable;
    return steps < schedules[search->objective].fewest ? schedules[search->objective].fewest
                                                       : steps;
}

/* From the placement, whose cost and best are known, until a share of the time limit is over. */
static void anneal(annealing *search, double until) {
    vef_optimiser_clock *clock = search->clock;
    const uint64_t steps = count_steps(search);
    const double first = first_temperature(search, schedules[search->objective].first_accepted);
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
                first * pow(schedules[search->objective].last_share, (double)cooled / TEMPERATURES);
        }
        step(search, temperature);
    }
}

static void go_to(annealing *search, const uint32_t *places) {
    vef_placement_clear(&search->placement);
    for (uint32_t t = 0; t < search->placement.tasks; t++)
        vef_placement_put(&search->placement, t, places[t]);
}

/* The greatest load, in bytes. */
static double most_loaded(annealing *search) {
    double most = INFINITY;
    vef_link_loads_are_below(&search->loads, &most);
    return most * search->loads.scale;
}

/* After hop-bytes: from their best mapping, or from `start` if that loads links less. */
static void anneal_loads(annealing *search, const uint32_t *start) {
    search->objective = VEF_LINK_LOAD;
    go_to(search, start);
    vef_link_loads_make(&search->placement, &search->loads);
    const double most = most_loaded(search);
    vef_link_loads_free(&search->loads);
    go_to(search, search->best);
    vef_link_loads_make(&search->placement, &search->loads);
    if (most_loaded(search) >= most) {
        vef_link_loads_free(&search->loads);
        go_to(search, start);
        vef_link_loads_make(&search->placement, &search->loads);
    }
    keep_best(search);
    search->least = INFINITY;
    vef_link_loads_are_below(&search->loads, &search->least);
    anneal(search, 1);
}

static vef_code refine(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    vef_optimiser_clock clock = vef_optimiser_begin(view, "annealing");
    annealing search = {.clock = &clock, .rng = vef_rng_make(stage->number, VEF_RNG_MAPPING, 1)};
    const bool by_loads = stage->objective == VEF_LINK_LOAD;
    const size_t bytes = view->tasks * sizeof *search.best;
    uint32_t *start = vef_malloc(bytes);
    vef_code code = vef_placement_make(view, endpoint, &search.placement, error);
    search.best = vef_malloc(bytes);
    if (code == VEF_OK) {
        memcpy(start, search.placement.place, bytes);
        keep_best(&search);
        search.least = search.cost = vef_placement_cost(&search.placement);
        if (search.cost > 0) {
            anneal(&search, by_loads ? 0.5 : 1);
            if (by_loads)
                anneal_loads(&search, start);
        }
        go_to(&search, search.best);
        vef_placement_read(&search.placement, endpoint);
    }
    vef_optimiser_end(&clock);
    free(start);
    free(search.best);
    vef_link_loads_free(&search.loads);
    vef_placement_free(&search.placement);
    return code;
}

const vef_mapping_family vef_mapping_anneal = {
    .name = "anneal",
    .aliases = "annealing simulated-annealing",
    .summary = "anneals the mapping to its right, by hop-bytes or link-load, with a seed",
    .takes = VEF_MAPPING_OBJECTIVE | VEF_MAPPING_WEIGHT | VEF_MAPPING_SEED,
    .parameter = "link-load, messages, seed",
    .samples = VEF_LIST("anneal", "anneal(5)", "anneal(link-load, messages, 2)"),
    .refine = refine,
    .needs_traffic = true,
    .by_distance = true,
};
