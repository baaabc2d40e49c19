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

#include "common/containers/order.h"
#include "common/memory.h"
#include "common/rng.h"
#include "common/system/apart.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <scotch.h>
#include <stdlib.h>

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
    vef_placement placement;
    uint32_t *chosen;                  /* the places that take part, `placement.tasks` of them */
    SCOTCH_Num *first, *head, *weight; /* of the tasks */
    /* Of the routers, and in `list` those with chosen places, `targets` of them. */
    SCOTCH_Num *target_first, *target_head, *capacity, *list;
    uint32_t targets;
    SCOTCH_Num *part; /* per task: an index of the list */
    size_t part_bytes;
    uint32_t number; /* of the try */
} scotch_input;

static void make_room(scotch_input *problem) {
    const size_t tasks = problem->placement.tasks, pairs = problem->placement.first[tasks],
                 routers = problem->placement.routers;
    const size_t links = routers * problem->placement.view->topology->ports;
    problem->chosen = vef_calloc(problem->placement.places, sizeof *problem->chosen);
    problem->first = vef_calloc(tasks + 1, sizeof *problem->first);
    problem->head = vef_calloc(pairs + 1, sizeof *problem->head);
    problem->weight = vef_calloc(pairs + 1, sizeof *problem->weight);
    problem->target_first = vef_calloc(routers + 1, sizeof *problem->target_first);
    problem->target_head = vef_calloc(links + 1, sizeof *problem->target_head);
    problem->capacity = vef_calloc(routers + 1, sizeof *problem->capacity);
    problem->list = vef_calloc(routers + 1, sizeof *problem->list);
    problem->part_bytes = (tasks + 1) * sizeof *problem->part;
    problem->part = vef_apart_allocate(problem->part_bytes);
}

static void release(scotch_input *problem) {
    free(problem->chosen);
    free(problem->first);
    free(problem->head);
    free(problem->weight);
    free(problem->target_first);
    free(problem->target_head);
    free(problem->capacity);
    free(problem->list);
    vef_apart_free(problem->part, problem->part_bytes);
    vef_placement_free(&problem->placement);
}

static int compare_near(const void *a, const void *b, void *hops_of_places) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const uint32_t *hops = hops_of_places;
    if (hops[p] != hops[q])
        return hops[p] < hops[q] ? -1 : 1;
    return p < q ? -1 : 1;
}

VEF_ORDER_NUMBERS(compare_numbers, uint32_t)

/* The places nearest to the one in the middle of the list, as many as tasks. */
static void choose_places(scotch_input *problem) {
    const vef_placement *placement = &problem->placement;
    uint32_t *hops = vef_calloc(placement->places, sizeof *hops);
    for (uint32_t p = 0; p < placement->places; p++) {
        problem->chosen[p] = p;
        hops[p] = vef_placement_hops(placement, placement->places / 2, p);
    }
    if (placement->places > placement->tasks) {
        qsort_r(problem->chosen, placement->places, sizeof *problem->chosen, compare_near, hops);
        qsort(problem->chosen, placement->tasks, sizeof *problem->chosen, compare_numbers);
    }
    free(hops);
}

static void fill_tasks(scotch_input *problem) {
    const vef_placement *placement = &problem->placement;
    uint32_t diameter = 1;
    double total = 0;
    for (uint32_t i = 0; i < placement->tasks; i++)
        for (uint32_t other = 0; other < placement->tasks; other += 1 + placement->tasks / 64) {
            const uint32_t hops =
                vef_placement_hops(placement, problem->chosen[i], problem->chosen[other]);
            diameter = hops > diameter ? hops : diameter;
        }
    for (uint32_t t = 0; t < placement->tasks; t++)
        total += placement->volume[t];
    const double scale = total > 0 ? MOST_SUM / diameter / total : 0;
    for (uint32_t t = 0; t < placement->tasks; t++) {
        problem->first[t] = (SCOTCH_Num)placement->first[t];
        for (size_t i = placement->first[t]; i < placement->first[t + 1]; i++) {
            const double weight = placement->affinity[i].bytes * scale;
            problem->head[i] = (SCOTCH_Num)placement->affinity[i].partner;
            problem->weight[i] = weight < 1 ? 1 : (SCOTCH_Num)weight;
        }
    }
    problem->first[placement->tasks] = (SCOTCH_Num)placement->first[placement->tasks];
}

/* The graph of the routers, parallel links once, and the chosen ones. */
static void fill_target(scotch_input *problem) {
    const vef_placement *placement = &problem->placement;
    const vef_topology *topology = placement->view->topology;
    SCOTCH_Num links = 0;
    for (uint32_t i = 0; i < placement->tasks; i++)
        problem->capacity[placement->router[problem->chosen[i]]]++;
    for (uint32_t r = 0; r < placement->routers; r++) {
        const uint32_t *neighbour = topology->neighbour + (size_t)r * topology->ports;
        problem->target_first[r] = links;
        for (uint32_t port = 0; port < topology->ports; port++) {
            bool known = neighbour[port] == VEF_NO_ROUTER || neighbour[port] == r;
            for (SCOTCH_Num i = problem->target_first[r]; !known && i < links; i++)
                known = problem->target_head[i] == (SCOTCH_Num)neighbour[port];
            if (!known)
                problem->target_head[links++] = (SCOTCH_Num)neighbour[port];
        }
        if (problem->capacity[r])
            problem->list[problem->targets++] = (SCOTCH_Num)r;
        else
            problem->capacity[r] = 1; /* no target: any weight will do */
    }
    problem->target_first[placement->routers] = links;
}

/* Whether the routers are a torus, or a mesh, of the sizes of their grid, and nothing else. */
static bool is_grid(const scotch_input *problem, bool wraps) {
    const vef_topology *topology = problem->placement.view->topology;
    for (uint32_t r = 0; r < topology->routers; r++) {
        uint32_t position[VEF_MAX_DIMENSIONS];
        SCOTCH_Num wanted = 0;
        vef_topology_coordinates(topology, r, position);
        for (uint32_t d = 0; d < topology->dimensions; d++)
            for (int way = 0; way < 2; way++) {
                const uint32_t size = topology->sizes[d], here = position[d];
                const bool edge = here == (way ? 0 : size - 1);
                if (size == 1 || (edge && !wraps) || (size == 2 && way != (int)here))
                    continue; /* two routers are neighbours once */
                position[d] = (way ? here + size - 1 : here + 1) % size;
                const SCOTCH_Num next = (SCOTCH_Num)vef_topology_router_at(topology, position);
                bool found = false;
                position[d] = here;
                for (SCOTCH_Num i = problem->target_first[r]; i < problem->target_first[r + 1]; i++)
                    found = found || problem->target_head[i] == next;
                if (!found)
                    return false;
                wanted++;
            }
        if (problem->target_first[r + 1] - problem->target_first[r] != wanted)
            return false;
    }
    return topology->dimensions > 0;
}

/* As one of Scotch's own networks, if all its routers take part alike. */
static bool build_grid(const scotch_input *problem, SCOTCH_Arch *target) {
    enum { MOST_DIMENSIONS = 5 };
    const vef_topology *topology = problem->placement.view->topology;
    SCOTCH_Num sizes[MOST_DIMENSIONS];
    bool alike =
        problem->targets == problem->placement.routers && topology->dimensions <= MOST_DIMENSIONS;
    for (uint32_t r = 0; alike && r < problem->placement.routers; r++)
        alike = problem->capacity[r] == problem->capacity[0];
    for (uint32_t d = 0; alike && d < topology->dimensions; d++)
        sizes[d] = (SCOTCH_Num)topology->sizes[d];
    if (alike && is_grid(problem, true))
        return SCOTCH_archTorusX(target, (SCOTCH_Num)topology->dimensions, sizes) == 0;
    return alike && is_grid(problem, false) &&
           SCOTCH_archMeshX(target, (SCOTCH_Num)topology->dimensions, sizes) == 0;
}

/* The tries of a network that is not one of Scotch's own decompose it in two ways in turn. */
static bool build_target(const scotch_input *problem, SCOTCH_Arch *target) {
    SCOTCH_Graph network;
    SCOTCH_Strat strategy;
    const SCOTCH_Num targets = (SCOTCH_Num)problem->targets,
                     routers = (SCOTCH_Num)problem->placement.routers;
    if (build_grid(problem, target))
        return true;
    SCOTCH_graphInit(&network);
    SCOTCH_stratInit(&strategy);
    bool fine = SCOTCH_graphBuild(&network, 0, routers, problem->target_first,
                                  problem->target_first + 1, problem->capacity, NULL,
                                  problem->target_first[routers], problem->target_head, NULL) == 0;
    if (fine && problem->targets <= MOST_DECOMPOSED && problem->number / 2 % 2 == 0)
        fine = SCOTCH_archBuild0(target, &network, targets, problem->list, &strategy) == 0;
    else
        fine = fine && SCOTCH_archBuild2(target, &network, targets, problem->list) == 0;
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphFree(&network);
    return fine;
}

/* The random numbers of Scotch come from a context of its own, in one thread: same input, same
 * result. */
static bool map(void *input) {
    scotch_input *problem = input;
    const uint32_t number = problem->number;
    const SCOTCH_Num tasks = (SCOTCH_Num)problem->placement.tasks;
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
           SCOTCH_graphBuild(&plain, 0, tasks, problem->first, problem->first + 1, NULL, NULL,
                             problem->first[tasks], problem->head, problem->weight) == 0 &&
           build_target(problem, &target);
    fine = fine &&
           SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, (SCOTCH_Num)problem->targets,
                                     tolerances[number % 2]) == 0 &&
           SCOTCH_contextBindGraph(&context, &plain, &bound) == 0 &&
           SCOTCH_graphMap(&bound, &target, &strategy, problem->part) == 0;
    SCOTCH_graphFree(&bound);
    SCOTCH_stratExit(&strategy);
    SCOTCH_archExit(&target);
    SCOTCH_graphFree(&plain);
    SCOTCH_contextExit(&context);
    return fine;
}

/* What a task costs at a place, to its partners that have places. */
static double cost_at(const vef_placement *placement, uint32_t task, uint32_t place) {
    double cost = 0;
    for (size_t i = placement->first[task]; i < placement->first[task + 1]; i++) {
        const uint32_t other = placement->place[placement->affinity[i].partner];
        if (other != VEF_NO_PLACE)
            cost += placement->affinity[i].bytes * vef_placement_hops(placement, place, other);
    }
    return cost;
}

/* The first free place of a router among the chosen ones, which are sorted like the places. */
static uint32_t free_place(const scotch_input *problem, uint32_t router) {
    const vef_placement *placement = &problem->placement;
    uint32_t low = 0, high = placement->tasks;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (problem->chosen[middle] < placement->first_place[router])
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < placement->tasks && problem->chosen[low] < placement->first_place[router + 1];
         low++)
        if (placement->task[problem->chosen[low]] == VEF_NO_PLACE)
            return problem->chosen[low];
    return VEF_NO_PLACE;
}

/* Each router takes the first of its tasks, as many as it has places, then the others go to free
 * ones. */
static void place_all(scotch_input *problem) {
    vef_placement *placement = &problem->placement;
    for (uint32_t t = 0; t < placement->tasks; t++) {
        const SCOTCH_Num part = problem->part[t];
        const bool known = part >= 0 && part < (SCOTCH_Num)problem->targets;
        const uint32_t place =
            known ? free_place(problem, (uint32_t)problem->list[part]) : VEF_NO_PLACE;
        if (place != VEF_NO_PLACE)
            vef_placement_put(placement, t, place);
    }
    for (uint32_t t = 0; t < placement->tasks; t++) {
        uint32_t best = VEF_NO_PLACE;
        double least = 0;
        for (uint32_t i = 0; placement->place[t] == VEF_NO_PLACE && i < placement->tasks; i++) {
            if (placement->task[problem->chosen[i]] != VEF_NO_PLACE)
                continue;
            const double cost = cost_at(placement, t, problem->chosen[i]);
            if (best == VEF_NO_PLACE || cost < least) {
                best = problem->chosen[i];
                least = cost;
            }
        }
        if (best != VEF_NO_PLACE)
            vef_placement_put(placement, t, best);
    }
}

/* The edges of each task in a random order. */
static void shuffle(scotch_input *problem) {
    vef_rng rng = vef_rng_make(problem->number, VEF_RNG_MAPPING, 2);
    for (uint32_t t = 0; t < problem->placement.tasks; t++) {
        const SCOTCH_Num first = problem->first[t];
        for (SCOTCH_Num i = problem->first[t + 1] - 1; i > first; i--) {
            const SCOTCH_Num other =
                first + (SCOTCH_Num)vef_rng_below(&rng, (uint32_t)(i - first + 1));
            const SCOTCH_Num head = problem->head[i], weight = problem->weight[i];
            problem->head[i] = problem->head[other];
            problem->weight[i] = problem->weight[other];
            problem->head[other] = head;
            problem->weight[other] = weight;
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
static bool map_apart(scotch_input *problem, watched_try now) {
    const int status = vef_apart_run(&(vef_apart){
        .work = map, .context = problem, .over = is_over, .watched = &now, .quiet = true});
    if (status < 0)
        return map(problem);
    /* A child that ended just before it was killed does not count: it would on some runs only. */
    return !now.clock->over && status == 0;
}

/* Several tries; keeps the endpoints of the best. */
static vef_code try_all(scotch_input *problem, vef_optimiser_clock *clock, uint32_t *endpoint,
                        vef_error *error) {
    vef_placement *placement = &problem->placement;
    uint32_t tries = TRIED_TASKS / placement->tasks;
    double least = 0;
    bool found = false;
    tries = tries > MOST_TRIES ? MOST_TRIES : tries + (tries == 0);
    for (uint32_t k = 0; k < tries && !vef_optimiser_look(clock, k, tries); k++) {
        vef_placement_clear(placement);
        problem->number = k;
        if (k > 0)
            shuffle(problem);
        /* Scotch knows no target of one place. */
        if (problem->targets > 1 && !map_apart(problem, (watched_try){clock, k, tries}))
            continue;
        place_all(problem);
        const double cost = vef_placement_cost(placement);
        if (!found || cost < least) {
            least = cost;
            vef_placement_read(placement, endpoint);
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
    scotch_input problem = {0};
    vef_optimiser_clock clock = vef_optimiser_begin(view, "mapping by Scotch");
    vef_code code = vef_placement_make(view, NULL, &problem.placement, error);
    if (code == VEF_OK) {
        make_room(&problem);
        choose_places(&problem);
        fill_tasks(&problem);
        fill_target(&problem);
        code = try_all(&problem, &clock, endpoint, error);
    }
    vef_optimiser_end(&clock);
    release(&problem);
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
