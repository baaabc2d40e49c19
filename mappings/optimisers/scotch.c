/* Scotch: the static mapping of the graph partitioner Scotch (F. Pellegrini, J. Roman, "SCOTCH: A
 * Software Package for Static Mapping by Dual Recursive Bipartitioning of Process and Architecture
 * Graphs", HPCN 1996; user's guide of version 7, "Architecture building routines").
 *
 * The target is a graph of the routers and, attached to them, the places; crossing a link costs
 * LINK_COST times as much as the way between a place and its router. If there are more places than
 * tasks, only those nearest to a centre take part. Scotch balances loads within a tolerance, so a
 * place may get several tasks: these move to the free places where they cost least. */
#include "mappings/families.h"

#ifdef VEF_HAVE_SCOTCH

#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <scotch.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_COST = 4 };

/* Sums of traffic x distance stay below this: numbers of Scotch may have 32 bits. */
static const double MOST_SUM = 1 << 29;

typedef struct scotch_input {
    vef_placement at;
    uint32_t *chosen;                  /* the places that take part, `at.tasks` of them */
    SCOTCH_Num *first, *head, *weight; /* of the tasks */
    SCOTCH_Num *target_first, *target_head, *target_cost, *list; /* of routers, then places */
    SCOTCH_Num *part;
} scotch_input;

static vef_code make_room(scotch_input *self, vef_error *error) {
    const vef_topology *topology = self->at.view->topology;
    const size_t tasks = self->at.tasks, pairs = self->at.first[tasks];
    const size_t vertices = (size_t)self->at.routers + tasks;
    const size_t links = (size_t)self->at.routers * topology->ports + 2 * tasks;
    self->chosen = calloc(self->at.places, sizeof *self->chosen);
    self->first = calloc(tasks + 1, sizeof *self->first);
    self->head = calloc(pairs + 1, sizeof *self->head);
    self->weight = calloc(pairs + 1, sizeof *self->weight);
    self->target_first = calloc(vertices + 1, sizeof *self->target_first);
    self->target_head = calloc(links + 1, sizeof *self->target_head);
    self->target_cost = calloc(links + 1, sizeof *self->target_cost);
    self->list = calloc(tasks + 1, sizeof *self->list);
    self->part = calloc(tasks + 1, sizeof *self->part);
    if (!self->chosen || !self->first || !self->head || !self->weight || !self->target_first ||
        !self->target_head || !self->target_cost || !self->list || !self->part)
        return vef_fail_memory(error, "a graph to map", links * sizeof *self->target_head);
    return VEF_OK;
}

static void release(scotch_input *self) {
    free(self->chosen);
    free(self->first);
    free(self->head);
    free(self->weight);
    free(self->target_first);
    free(self->target_head);
    free(self->target_cost);
    free(self->list);
    free(self->part);
    vef_placement_free(&self->at);
}

static int compare_near(const void *a, const void *b, void *hops_of_places) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const uint32_t *hops = hops_of_places;
    if (hops[p] != hops[q])
        return hops[p] < hops[q] ? -1 : 1;
    return p < q ? -1 : 1;
}

static int compare_numbers(const void *a, const void *b) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

/* The places nearest to the one in the middle of the list, as many as tasks. */
static vef_code choose_places(scotch_input *self, vef_error *error) {
    const vef_placement *at = &self->at;
    uint32_t *hops = calloc(at->places, sizeof *hops);
    if (!hops)
        return vef_fail_memory(error, "places", at->places * sizeof *hops);
    for (uint32_t p = 0; p < at->places; p++) {
        self->chosen[p] = p;
        hops[p] = vef_placement_hops(at, at->places / 2, p);
    }
    if (at->places > at->tasks) {
        qsort_r(self->chosen, at->places, sizeof *self->chosen, compare_near, hops);
        qsort(self->chosen, at->tasks, sizeof *self->chosen, compare_numbers);
    }
    free(hops);
    return VEF_OK;
}

static void fill_tasks(scotch_input *self) {
    const vef_placement *at = &self->at;
    uint32_t diameter = 1;
    double total = 0;
    for (uint32_t i = 0; i < at->tasks; i++)
        for (uint32_t other = 0; other < at->tasks; other += 1 + at->tasks / 64) {
            const uint32_t hops = vef_placement_hops(at, self->chosen[i], self->chosen[other]);
            diameter = hops > diameter ? hops : diameter;
        }
    for (uint32_t t = 0; t < at->tasks; t++)
        total += at->volume[t];
    const double scale = total > 0 ? MOST_SUM / (LINK_COST * (2.0 * diameter + 2)) / total : 0;
    for (uint32_t t = 0; t < at->tasks; t++) {
        self->first[t] = (SCOTCH_Num)at->first[t];
        for (size_t i = at->first[t]; i < at->first[t + 1]; i++) {
            const double weight = at->affinity[i].bytes * scale;
            self->head[i] = (SCOTCH_Num)at->affinity[i].partner;
            self->weight[i] = weight < 1 ? 1 : (SCOTCH_Num)weight;
        }
    }
    self->first[at->tasks] = (SCOTCH_Num)at->first[at->tasks];
}

/* Routers first, then the chosen places; parallel links once. Places are sorted by router. */
static void fill_target(scotch_input *self) {
    const vef_placement *at = &self->at;
    const vef_topology *topology = at->view->topology;
    SCOTCH_Num links = 0;
    uint32_t next = 0;
    for (uint32_t r = 0; r < at->routers; r++) {
        const uint32_t *neighbour = topology->neighbour + (size_t)r * topology->ports;
        self->target_first[r] = links;
        for (uint32_t port = 0; port < topology->ports; port++) {
            bool known = neighbour[port] == VEF_NO_ROUTER || neighbour[port] == r;
            for (SCOTCH_Num i = self->target_first[r]; !known && i < links; i++)
                known = self->target_head[i] == (SCOTCH_Num)neighbour[port];
            if (known)
                continue;
            self->target_head[links] = (SCOTCH_Num)neighbour[port];
            self->target_cost[links++] = LINK_COST;
        }
        for (; next < at->tasks && at->router[self->chosen[next]] == r; next++) {
            self->target_head[links] = (SCOTCH_Num)(at->routers + next);
            self->target_cost[links++] = 1;
        }
    }
    for (uint32_t i = 0; i < at->tasks; i++) {
        self->target_first[at->routers + i] = links;
        self->list[i] = (SCOTCH_Num)(at->routers + i);
        self->target_head[links] = (SCOTCH_Num)at->router[self->chosen[i]];
        self->target_cost[links++] = 1;
    }
    self->target_first[at->routers + at->tasks] = links;
}

/* The random numbers of Scotch come from a context of its own, in one thread: same input, same
 * result. */
static bool map(scotch_input *self) {
    const vef_placement *at = &self->at;
    const SCOTCH_Num tasks = (SCOTCH_Num)at->tasks;
    SCOTCH_Context context;
    SCOTCH_Graph plain, bound, network;
    SCOTCH_Arch target;
    SCOTCH_Strat strategy;
    if (SCOTCH_contextInit(&context) != 0)
        return false;
    bool fine = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
                SCOTCH_contextThreadSpawn(&context, 1, NULL) == 0;
    SCOTCH_contextRandomSeed(&context, 1);
    SCOTCH_contextRandomReset(&context);
    SCOTCH_randomSeed(1); /* for the target */
    SCOTCH_randomReset();
    SCOTCH_graphInit(&plain);
    SCOTCH_graphInit(&bound);
    SCOTCH_graphInit(&network);
    SCOTCH_archInit(&target);
    SCOTCH_stratInit(&strategy);
    fine = fine &&
           SCOTCH_graphBuild(&plain, 0, tasks, self->first, self->first + 1, NULL, NULL,
                             self->first[tasks], self->head, self->weight) == 0 &&
           SCOTCH_graphBuild(&network, 0, (SCOTCH_Num)at->routers + tasks, self->target_first,
                             self->target_first + 1, NULL, NULL,
                             self->target_first[at->routers + at->tasks], self->target_head,
                             self->target_cost) == 0;
    fine = fine && SCOTCH_archBuild2(&target, &network, tasks, self->list) == 0;
    fine = fine &&
           SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE, tasks,
                                     0) == 0 &&
           SCOTCH_contextBindGraph(&context, &plain, &bound) == 0 &&
           SCOTCH_graphMap(&bound, &target, &strategy, self->part) == 0;
    SCOTCH_graphFree(&bound);
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&target);
    SCOTCH_graphFree(&network);
    SCOTCH_graphFree(&plain);
    SCOTCH_contextExit(&context);
    return fine;
}

/* What a task costs at a place, to its partners that have places. */
static double cost_at(const vef_placement *at, uint32_t task, uint32_t place) {
    double cost = 0;
    for (size_t i = at->first[task]; i < at->first[task + 1]; i++) {
        const uint32_t other = at->place[at->affinity[i].partner];
        if (other != VEF_NO_PLACE)
            cost += at->affinity[i].bytes * vef_placement_hops(at, place, other);
    }
    return cost;
}

/* Each place takes the first of its tasks, then the others go to free ones. */
static void place_all(scotch_input *self) {
    vef_placement *at = &self->at;
    for (uint32_t t = 0; t < at->tasks; t++) {
        const SCOTCH_Num part = self->part[t]; /* an index of the list */
        const uint32_t chosen = part >= 0 && part < (SCOTCH_Num)at->tasks ? (uint32_t)part : t;
        if (at->task[self->chosen[chosen]] == VEF_NO_PLACE)
            vef_placement_put(at, t, self->chosen[chosen]);
    }
    for (uint32_t t = 0; t < at->tasks; t++) {
        uint32_t best = VEF_NO_PLACE;
        double least = 0;
        for (uint32_t i = 0; at->place[t] == VEF_NO_PLACE && i < at->tasks; i++) {
            if (at->task[self->chosen[i]] != VEF_NO_PLACE)
                continue;
            const double cost = cost_at(at, t, self->chosen[i]);
            if (best == VEF_NO_PLACE || cost < least) {
                best = self->chosen[i];
                least = cost;
            }
        }
        if (best != VEF_NO_PLACE)
            vef_placement_put(at, t, best);
    }
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    scotch_input self = {0};
    vef_code code = vef_placement_make(view, NULL, &self.at, error);
    if (code == VEF_OK)
        code = make_room(&self, error);
    if (code == VEF_OK)
        code = choose_places(&self, error);
    if (code == VEF_OK) {
        vef_optimiser_clock clock = vef_optimiser_begin(view, "mapping by Scotch");
        fill_tasks(&self);
        fill_target(&self);
        if (view->tasks > 1 && !map(&self)) /* Scotch knows no target of one place */
            code = vef_fail(error, VEF_FAILED, "Scotch found no mapping");
        else
            place_all(&self);
        vef_optimiser_end(&clock);
    }
    if (code == VEF_OK)
        vef_placement_read(&self.at, endpoint);
    release(&self);
    return code;
}

static const char *const samples[] = {"scotch", "scotch(messages)", NULL};

#else

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage, (void)view, (void)endpoint;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "this vef was built without the graph partitioner Scotch: install it (Debian: "
                    "libscotch-dev) and rebuild vef");
}

static const char *const samples[] = {NULL};

#endif

const vef_mapping_family vef_mapping_scotch = {
    .name = "scotch",
    .summary = "the static mapping of the graph partitioner Scotch, by the traffic",
    .takes = VEF_MAPPING_WEIGHT,
    .parameter = "messages",
    .samples = samples,
    .assign = assign,
    .shares = true,
    .needs_traffic = true,
    .by_distance = true,
};
