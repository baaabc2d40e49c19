/* Scotch: the static mapping of the graph partitioner Scotch (F. Pellegrini, J. Roman, "SCOTCH: A
 * Software Package for Static Mapping by Dual Recursive Bipartitioning of Process and Architecture
 * Graphs", HPCN 1996; user's guide of version 7, "Architecture building routines").
 *
 * The target has a vertex for each router with places, weighed by their number. Scotch has its own
 * tori and meshes, whose halves and distances are exact; other networks, and parts of a network,
 * are decomposed by recursive bisection (archBuild0) or by matching (archBuild2); on a torus of
 * 1,024 routers the latter gave twice the hop-bytes. If there are more places than tasks, only
 * those nearest to a centre take part. Scotch balances loads within a tolerance, without which its
 * refinement hardly moves anything, so a router may get more tasks than it has places: these move
 * to the free places where they cost least.
 *
 * The result depends much on Scotch's random numbers and on the order of edges (a 32 x 32 torus on
 * 16 x 8 x 8 routers: 1.22 to 1.84 hops), so the best of several tries is taken, each with its own.
 * Scotch cannot be stopped, so with a time limit the tries run in processes of their own. */
#include "mappings/families.h"

#ifdef VEF_HAVE_SCOTCH

#include "common/apart.h"
#include "common/memory.h"
#include "common/rng.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <scotch.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DECOMPOSED = 4096, /* routers: the table of distances has a number for each pair */
    MOST_TRIES = 8,
    TRIED_TASKS = 32768 /* of all tries */
};

/* The tolerances of loads, in turn. */
static const double tolerances[] = {0.05, 0.2};

/* Sums of traffic x distance stay below this: numbers of Scotch may have 32 bits. */
static const double MOST_SUM = 1 << 29;

typedef struct scotch_input {
    vef_placement at;
    uint32_t *chosen;                  /* the places that take part, `at.tasks` of them */
    SCOTCH_Num *first, *head, *weight; /* of the tasks */
    /* Of the routers, and in `list` those with chosen places, `targets` of them. */
    SCOTCH_Num *target_first, *target_head, *capacity, *list;
    uint32_t targets;
    SCOTCH_Num *part; /* per task: an index of the list */
    size_t part_bytes;
    uint32_t number; /* of the try */
} scotch_input;

static void make_room(scotch_input *self) {
    const size_t tasks = self->at.tasks, pairs = self->at.first[tasks], routers = self->at.routers;
    const size_t links = routers * self->at.view->topology->ports;
    self->chosen = vef_calloc(self->at.places, sizeof *self->chosen);
    self->first = vef_calloc(tasks + 1, sizeof *self->first);
    self->head = vef_calloc(pairs + 1, sizeof *self->head);
    self->weight = vef_calloc(pairs + 1, sizeof *self->weight);
    self->target_first = vef_calloc(routers + 1, sizeof *self->target_first);
    self->target_head = vef_calloc(links + 1, sizeof *self->target_head);
    self->capacity = vef_calloc(routers + 1, sizeof *self->capacity);
    self->list = vef_calloc(routers + 1, sizeof *self->list);
    self->part_bytes = (tasks + 1) * sizeof *self->part;
    self->part = vef_apart_allocate(self->part_bytes);
}

static void release(scotch_input *self) {
    free(self->chosen);
    free(self->first);
    free(self->head);
    free(self->weight);
    free(self->target_first);
    free(self->target_head);
    free(self->capacity);
    free(self->list);
    vef_apart_free(self->part, self->part_bytes);
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
static void choose_places(scotch_input *self) {
    const vef_placement *at = &self->at;
    uint32_t *hops = vef_calloc(at->places, sizeof *hops);
    for (uint32_t p = 0; p < at->places; p++) {
        self->chosen[p] = p;
        hops[p] = vef_placement_hops(at, at->places / 2, p);
    }
    if (at->places > at->tasks) {
        qsort_r(self->chosen, at->places, sizeof *self->chosen, compare_near, hops);
        qsort(self->chosen, at->tasks, sizeof *self->chosen, compare_numbers);
    }
    free(hops);
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
    const double scale = total > 0 ? MOST_SUM / diameter / total : 0;
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

/* The graph of the routers, parallel links once, and the chosen ones. */
static void fill_target(scotch_input *self) {
    const vef_placement *at = &self->at;
    const vef_topology *topology = at->view->topology;
    SCOTCH_Num links = 0;
    for (uint32_t i = 0; i < at->tasks; i++)
        self->capacity[at->router[self->chosen[i]]]++;
    for (uint32_t r = 0; r < at->routers; r++) {
        const uint32_t *neighbour = topology->neighbour + (size_t)r * topology->ports;
        self->target_first[r] = links;
        for (uint32_t port = 0; port < topology->ports; port++) {
            bool known = neighbour[port] == VEF_NO_ROUTER || neighbour[port] == r;
            for (SCOTCH_Num i = self->target_first[r]; !known && i < links; i++)
                known = self->target_head[i] == (SCOTCH_Num)neighbour[port];
            if (!known)
                self->target_head[links++] = (SCOTCH_Num)neighbour[port];
        }
        if (self->capacity[r])
            self->list[self->targets++] = (SCOTCH_Num)r;
        else
            self->capacity[r] = 1; /* no target: any weight will do */
    }
    self->target_first[at->routers] = links;
}

/* Whether the routers are a torus, or a mesh, of the sizes of their grid, and nothing else. */
static bool is_grid(const scotch_input *self, bool wraps) {
    const vef_topology *topology = self->at.view->topology;
    for (uint32_t r = 0; r < topology->routers; r++) {
        uint32_t at[VEF_MAX_DIMENSIONS];
        SCOTCH_Num wanted = 0;
        vef_topology_coordinates(topology, r, at);
        for (uint32_t d = 0; d < topology->dimensions; d++)
            for (int way = 0; way < 2; way++) {
                const uint32_t size = topology->sizes[d], here = at[d];
                const bool edge = here == (way ? 0 : size - 1);
                if (size == 1 || (edge && !wraps) || (size == 2 && way != (int)here))
                    continue; /* two routers are neighbours once */
                at[d] = (way ? here + size - 1 : here + 1) % size;
                const SCOTCH_Num next = (SCOTCH_Num)vef_topology_router_at(topology, at);
                bool found = false;
                at[d] = here;
                for (SCOTCH_Num i = self->target_first[r]; i < self->target_first[r + 1]; i++)
                    found = found || self->target_head[i] == next;
                if (!found)
                    return false;
                wanted++;
            }
        if (self->target_first[r + 1] - self->target_first[r] != wanted)
            return false;
    }
    return topology->dimensions > 0;
}

/* As one of Scotch's own networks, if all its routers take part alike. */
static bool build_grid(const scotch_input *self, SCOTCH_Arch *target) {
    enum { MOST_DIMENSIONS = 5 };
    const vef_topology *topology = self->at.view->topology;
    SCOTCH_Num sizes[MOST_DIMENSIONS];
    bool alike = self->targets == self->at.routers && topology->dimensions <= MOST_DIMENSIONS;
    for (uint32_t r = 0; alike && r < self->at.routers; r++)
        alike = self->capacity[r] == self->capacity[0];
    for (uint32_t d = 0; alike && d < topology->dimensions; d++)
        sizes[d] = (SCOTCH_Num)topology->sizes[d];
    if (alike && is_grid(self, true))
        return SCOTCH_archTorusX(target, (SCOTCH_Num)topology->dimensions, sizes) == 0;
    return alike && is_grid(self, false) &&
           SCOTCH_archMeshX(target, (SCOTCH_Num)topology->dimensions, sizes) == 0;
}

/* The tries of a network that is not one of Scotch's own decompose it in two ways in turn. */
static bool build_target(const scotch_input *self, SCOTCH_Arch *target) {
    SCOTCH_Graph network;
    SCOTCH_Strat strategy;
    const SCOTCH_Num targets = (SCOTCH_Num)self->targets, routers = (SCOTCH_Num)self->at.routers;
    if (build_grid(self, target))
        return true;
    SCOTCH_graphInit(&network);
    SCOTCH_stratInit(&strategy);
    bool fine = SCOTCH_graphBuild(&network, 0, routers, self->target_first, self->target_first + 1,
                                  self->capacity, NULL, self->target_first[routers],
                                  self->target_head, NULL) == 0;
    if (fine && self->targets <= MOST_DECOMPOSED && self->number / 2 % 2 == 0)
        fine = SCOTCH_archBuild0(target, &network, targets, self->list, &strategy) == 0;
    else
        fine = fine && SCOTCH_archBuild2(target, &network, targets, self->list) == 0;
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphFree(&network);
    return fine;
}

/* The random numbers of Scotch come from a context of its own, in one thread: same input, same
 * result. */
static bool map(void *input) {
    scotch_input *self = input;
    const uint32_t number = self->number;
    const SCOTCH_Num tasks = (SCOTCH_Num)self->at.tasks;
    SCOTCH_Context context;
    SCOTCH_Graph plain, bound;
    SCOTCH_Arch target;
    SCOTCH_Strat strategy;
    if (SCOTCH_contextInit(&context) != 0)
        return false;
    bool fine = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
                SCOTCH_contextThreadSpawn(&context, 1, NULL) == 0;
    SCOTCH_contextRandomSeed(&context, (SCOTCH_Num)number + 1);
    SCOTCH_contextRandomReset(&context);
    SCOTCH_randomSeed((SCOTCH_Num)number + 1); /* for the target */
    SCOTCH_randomReset();
    SCOTCH_graphInit(&plain);
    SCOTCH_graphInit(&bound);
    SCOTCH_archInit(&target);
    SCOTCH_stratInit(&strategy);
    fine = fine &&
           SCOTCH_graphBuild(&plain, 0, tasks, self->first, self->first + 1, NULL, NULL,
                             self->first[tasks], self->head, self->weight) == 0 &&
           build_target(self, &target);
    fine = fine &&
           SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, (SCOTCH_Num)self->targets,
                                     tolerances[number % 2]) == 0 &&
           SCOTCH_contextBindGraph(&context, &plain, &bound) == 0 &&
           SCOTCH_graphMap(&bound, &target, &strategy, self->part) == 0;
    SCOTCH_graphFree(&bound);
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&target);
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

/* The first free place of a router among the chosen ones, which are sorted like the places. */
static uint32_t free_place(const scotch_input *self, uint32_t router) {
    const vef_placement *at = &self->at;
    uint32_t low = 0, high = at->tasks;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (self->chosen[middle] < at->first_place[router])
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < at->tasks && self->chosen[low] < at->first_place[router + 1]; low++)
        if (at->task[self->chosen[low]] == VEF_NO_PLACE)
            return self->chosen[low];
    return VEF_NO_PLACE;
}

/* Each router takes the first of its tasks, as many as it has places, then the others go to free
 * ones. */
static void place_all(scotch_input *self) {
    vef_placement *at = &self->at;
    for (uint32_t t = 0; t < at->tasks; t++) {
        const SCOTCH_Num part = self->part[t];
        const bool known = part >= 0 && part < (SCOTCH_Num)self->targets;
        const uint32_t place = known ? free_place(self, (uint32_t)self->list[part]) : VEF_NO_PLACE;
        if (place != VEF_NO_PLACE)
            vef_placement_put(at, t, place);
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

/* The edges of each task in a random order. */
static void shuffle(scotch_input *self) {
    vef_rng rng = vef_rng_make(self->number, VEF_RNG_MAPPING, 2);
    for (uint32_t t = 0; t < self->at.tasks; t++) {
        const SCOTCH_Num first = self->first[t];
        for (SCOTCH_Num i = self->first[t + 1] - 1; i > first; i--) {
            const SCOTCH_Num other =
                first + (SCOTCH_Num)vef_rng_below(&rng, (uint32_t)(i - first + 1));
            const SCOTCH_Num head = self->head[i], weight = self->weight[i];
            self->head[i] = self->head[other];
            self->weight[i] = self->weight[other];
            self->head[other] = head;
            self->weight[other] = weight;
        }
    }
}

/* A try, for the clock that it runs against. */
typedef struct watched_try {
    vef_optimiser_clock *clock;
    uint64_t number, tries;
} watched_try;

static bool is_over(void *watched) {
    const watched_try *now = watched;
    return vef_optimiser_look(now->clock, now->number, now->tries);
}

/* Maps in a process of its own, which the time limit ends wherever Scotch is. */
static bool map_apart(scotch_input *self, watched_try now) {
    const int status = vef_apart_run(&(vef_apart){
        .work = map, .context = self, .over = is_over, .watched = &now, .quiet = true});
    if (status < 0)
        return map(self);
    /* A child that ended just before it was killed does not count: it would on some runs only. */
    return !now.clock->over && status == 0;
}

/* Several tries; keeps the endpoints of the best. */
static vef_code try_all(scotch_input *self, vef_optimiser_clock *clock, uint32_t *endpoint,
                        vef_error *error) {
    vef_placement *at = &self->at;
    uint32_t tries = TRIED_TASKS / at->tasks;
    double least = 0;
    bool found = false;
    tries = tries > MOST_TRIES ? MOST_TRIES : tries + (tries == 0);
    for (uint32_t k = 0; k < tries && !vef_optimiser_look(clock, k, tries); k++) {
        vef_placement_clear(at);
        self->number = k;
        if (k > 0)
            shuffle(self);
        /* Scotch knows no target of one place. */
        if (self->targets > 1 && !map_apart(self, (watched_try){clock, k, tries}))
            continue;
        place_all(self);
        const double cost = vef_placement_cost(at);
        if (!found || cost < least) {
            least = cost;
            vef_placement_read(at, endpoint);
        }
        found = true;
    }
    if (!found && clock->over)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the time limit ended Scotch before its first mapping: expected a longer "
                        "time, or another mapping, such as bisection");
    return found ? VEF_OK
                 : vef_fail(error, VEF_FAILED,
                            "Scotch ended without a mapping, as where it lacks memory: expected "
                            "more memory, or another mapping, such as bisection");
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    scotch_input self = {0};
    vef_optimiser_clock clock = vef_optimiser_begin(view, "mapping by Scotch");
    vef_code code = vef_placement_make(view, NULL, &self.at, error);
    if (code == VEF_OK) {
        make_room(&self);
        choose_places(&self);
        fill_tasks(&self);
        fill_target(&self);
        code = try_all(&self, &clock, endpoint, error);
    }
    vef_optimiser_end(&clock);
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
