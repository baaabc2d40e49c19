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
    vef_placement placement;
    const way *way;
    uint32_t placed;
    double *tied;      /* per task: bytes exchanged with placed tasks */
    uint32_t *reached; /* per task: how many were placed when the first of its partners was */
    double *cost;      /* per router, for the current task */
    uint64_t *spread;  /* per router: hops to all placed tasks */
} placing;

/* The task that exchanges most with placed tasks; equals by the total, then as the way says. */
static uint32_t next_task(const placing *search) {
    const double share = 1 - search->way->task_tolerance;
    uint32_t best = UINT32_MAX;
    double most = 0;
    for (uint32_t t = 0; t < search->placement.tasks; t++)
        if (search->placement.place[t] == VEF_NO_PLACE && search->tied[t] > most)
            most = search->tied[t];
    for (uint32_t t = 0; t < search->placement.tasks; t++) {
        if (search->placement.place[t] != VEF_NO_PLACE || search->tied[t] < most * share)
            continue;
        if (best == UINT32_MAX ||
            (search->way->by_reach && most > 0
                 ? search->reached[t] < search->reached[best]
                 : search->placement.volume[t] * share > search->placement.volume[best]))
            best = t;
    }
    return best;
}

/* Bytes x hops from each router to the placed partners of a task. */
static void find_costs(placing *search, uint32_t task) {
    const vef_placement *placement = &search->placement;
    memset(search->cost, 0, placement->routers * sizeof *search->cost);
    for (size_t i = placement->first[task]; i < placement->first[task + 1]; i++) {
        const uint32_t place = placement->place[placement->affinity[i].partner];
        if (place == VEF_NO_PLACE)
            continue;
        const uint16_t *hops =
            placement->hops + (size_t)placement->router[place] * placement->routers;
        for (uint32_t r = 0; r < placement->routers; r++)
            search->cost[r] += placement->affinity[i].bytes * hops[r];
    }
}

/* Instead, for the first task: the hops from each router to all places, which are equal in a
 * vertex-transitive network. */
static void find_centres(placing *search) {
    const vef_placement *placement = &search->placement;
    if (placement->view->topology->orbits == 1)
        return;
    for (uint32_t r = 0; r < placement->routers; r++)
        for (uint32_t p = 0;
             placement->first_place[r] < placement->first_place[r + 1] && p < placement->places;
             p++)
            search->cost[r] +=
                placement->hops[(size_t)r * placement->routers + placement->router[p]];
}

/* The free place of least cost; equals as the way says. */
static uint32_t best_place(const placing *search) {
    const vef_placement *placement = &search->placement;
    const double share = 1 + search->way->place_tolerance;
    uint32_t best = VEF_NO_PLACE;
    double least = INFINITY;
    for (uint32_t p = 0; p < placement->places; p++)
        if (placement->task[p] == VEF_NO_PLACE && search->cost[placement->router[p]] < least)
            least = search->cost[placement->router[p]];
    for (uint32_t p = 0; p < placement->places; p++)
        if (placement->task[p] == VEF_NO_PLACE &&
            search->cost[placement->router[p]] <= least * share &&
            (best == VEF_NO_PLACE ||
             (search->way->compact &&
              search->spread[placement->router[p]] < search->spread[placement->router[best]])))
            best = p;
    return best;
}

static void put(placing *search, uint32_t task, uint32_t place) {
    vef_placement *placement = &search->placement;
    const uint16_t *hops = placement->hops + (size_t)placement->router[place] * placement->routers;
    vef_placement_put(placement, task, place);
    search->placed++;
    for (size_t i = placement->first[task]; i < placement->first[task + 1]; i++) {
        const uint32_t partner = placement->affinity[i].partner;
        search->tied[partner] += placement->affinity[i].bytes;
        if (search->reached[partner] == 0)
            search->reached[partner] = search->placed;
    }
    for (uint32_t r = 0; search->way->compact && r < placement->routers; r++)
        search->spread[r] += hops[r];
}

/* Places all tasks; false: the time was over before, and the rest are at any places. */
static bool place_all(placing *search, vef_optimiser_clock *clock) {
    vef_placement *placement = &search->placement;
    vef_placement_clear(placement);
    search->placed = 0;
    memset(search->tied, 0, placement->tasks * sizeof *search->tied);
    memset(search->reached, 0, placement->tasks * sizeof *search->reached);
    memset(search->cost, 0, placement->routers * sizeof *search->cost);
    memset(search->spread, 0, placement->routers * sizeof *search->spread);
    find_centres(search);
    while (search->placed < placement->tasks &&
           !vef_optimiser_look(clock, search->placed, placement->tasks)) {
        const uint32_t task = next_task(search);
        if (search->placed > 0)
            find_costs(search, task);
        put(search, task, best_place(search));
    }
    const bool complete = search->placed == placement->tasks;
    for (uint32_t t = 0, p = 0; t < placement->tasks; t++) {
        if (placement->place[t] != VEF_NO_PLACE)
            continue;
        while (placement->task[p] != VEF_NO_PLACE)
            p++;
        vef_placement_put(placement, t, p);
    }
    return complete;
}

static void try_ways(placing *search, vef_optimiser_clock *clock, uint32_t *endpoint) {
    const vef_placement *placement = &search->placement;
    const double pairs = (double)placement->first[placement->tasks];
    const double steps = pairs * placement->routers + 2.0 * placement->tasks * placement->places;
    double least = 0;
    for (uint32_t k = 0; k < WAYS && (k == 0 || (k + 1) * steps <= MOST_STEPS); k++) {
        search->way = &ways[k];
        const bool complete = place_all(search, clock);
        const double cost = vef_placement_cost(placement);
        if (k == 0 || cost < least) {
            least = cost;
            vef_placement_read(placement, endpoint);
        }
        if (!complete)
            break;
    }
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    placing search = {0};
    vef_optimiser_clock clock = vef_optimiser_begin(view, "placing tasks");
    vef_code code = vef_placement_make(view, NULL, &search.placement, error);
    search.tied = vef_calloc(view->tasks, sizeof *search.tied);
    search.reached = vef_calloc(view->tasks, sizeof *search.reached);
    search.cost = vef_calloc(view->topology->routers, sizeof *search.cost);
    search.spread = vef_calloc(view->topology->routers, sizeof *search.spread);
    if (code == VEF_OK)
        try_ways(&search, &clock, endpoint);
    vef_optimiser_end(&clock);
    free(search.tied);
    free(search.reached);
    free(search.cost);
    free(search.spread);
    vef_placement_free(&search.placement);
    return code;
}

const vef_mapping_family vef_mapping_greedy = {
    .name = "greedy",
    .aliases = "optimise optimize traffic affinity",
    .summary = "places tasks that exchange many bytes in the trace close together",
    .takes = VEF_MAPPING_WEIGHT,
    .parameter = "messages",
    .samples = VEF_LIST("greedy", "greedy(messages)"),
    .assign = assign,
    .shares = true,
    .needs_traffic = true,
    .by_distance = true,
};
