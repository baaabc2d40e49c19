/* Swap: exchanges the tasks of two places as long as that saves hop-bytes. A pass tries for every
 * task, those that exchange most first, all places near its partners, and takes the best one: at
 * the routers of the partners and their neighbours. Small networks try every place.
 *
 * B. Brandfass, T. Alrutz, T. Gerhold: "Rank reordering for MPI communication optimization",
 * Computers & Fluids 80, 2013, whose pair exchanges are limited to neighbours likewise. The result
 * is a local optimum: no such exchange improves it. */
#include "common/memory.h"
#include "mappings/families.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <stdlib.h>

enum { FEW_PLACES = 256, MOST_PASSES = 64 };

/* A saving below this share of all hop-bytes is taken for rounding. */
static const double LEAST_SAVING = 1e-12;

typedef struct swapping {
    vef_placement placement;
    uint32_t *order; /* the tasks by volume */
    uint32_t *seen;  /* per router: the try that looked at it last */
    uint32_t tries;
    double least; /* bytes */
} swapping;

static int compare(const void *a, const void *b, void *volumes) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const double *volume = volumes;
    if (volume[p] != volume[q])
        return volume[p] > volume[q] ? -1 : 1;
    return p < q ? -1 : 1;
}

/* The best place so far, and what it saves. */
typedef struct best {
    uint32_t place;
    double saving;
} best;

static void try_router(swapping *search, uint32_t place, uint32_t router, best *found) {
    if (search->seen[router] == search->tries)
        return;
    search->seen[router] = search->tries;
    for (uint32_t p = search->placement.first_place[router];
         p < search->placement.first_place[router + 1]; p++) {
        const double saving = p == place ? 0 : -vef_placement_gain(&search->placement, place, p);
        if (saving > found->saving)
            *found = (best){p, saving};
    }
}

/* Whether an exchange improved the place of a task. */
static bool improve(swapping *search, uint32_t task) {
    const vef_topology *topology = search->placement.view->topology;
    const uint32_t place = search->placement.place[task];
    best found = {VEF_NO_PLACE, search->least};
    search->tries++;
    if (search->placement.places <= FEW_PLACES) {
        for (uint32_t r = 0; r < search->placement.routers; r++)
            try_router(search, place, r, &found);
    } else {
        for (size_t i = search->placement.first[task]; i < search->placement.first[task + 1]; i++) {
            const uint32_t r =
                search->placement
                    .router[search->placement.place[search->placement.affinity[i].partner]];
            const uint32_t *neighbour = topology->neighbour + (size_t)r * topology->ports;
            try_router(search, place, r, &found);
            for (uint32_t port = 0; port < topology->ports; port++)
                if (neighbour[port] != VEF_NO_ROUTER)
                    try_router(search, place, neighbour[port], &found);
        }
    }
    if (found.place == VEF_NO_PLACE)
        return false;
    vef_placement_exchange(&search->placement, place, found.place);
    return true;
}

static vef_code refine(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    swapping search = {0};
    vef_optimiser_clock clock = vef_optimiser_begin(view, "swapping tasks");
    vef_code code = vef_placement_make(view, endpoint, &search.placement, error);
    if (code == VEF_OK) {
        search.order = vef_calloc(view->tasks, sizeof *search.order);
        search.seen = vef_calloc(search.placement.routers, sizeof *search.seen);
        search.least = LEAST_SAVING * vef_placement_cost(&search.placement);
        for (uint32_t t = 0; t < view->tasks; t++)
            search.order[t] = t;
        qsort_r(search.order, view->tasks, sizeof *search.order, compare, search.placement.volume);
        uint32_t changed = 1;
        for (int pass = 0; pass < MOST_PASSES && changed > 0; pass++) {
            changed = 0;
            for (uint32_t i = 0; i < view->tasks && !vef_optimiser_is_over(&clock, i, 0); i++)
                changed += improve(&search, search.order[i]);
        }
        vef_placement_read(&search.placement, endpoint);
    }
    vef_optimiser_end(&clock);
    free(search.order);
    free(search.seen);
    vef_placement_free(&search.placement);
    return code;
}

const vef_mapping_family vef_mapping_swap = {
    .name = "swap",
    .aliases = "exchange refine",
    .summary = "exchanges pairs of tasks of the mapping to its right while that saves hop-bytes",
    .takes = VEF_MAPPING_WEIGHT,
    .parameter = "messages",
    .samples = VEF_LIST("swap", "swap(messages)", "swap . random(3)"),
    .refine = refine,
    .needs_traffic = true,
    .by_distance = true,
};
