/* Bisection: divides the places into two halves that are close together, and the tasks into two
 * sets that exchange few bytes, as many as each half has room for, and goes on within the halves.
 * Tasks that fit into one half stay together.
 *
 * Dual recursive bipartitioning: F. Ercal, J. Ramanujam, P. Sadayappan, "Task Allocation onto a
 * Hypercube by Recursive Mincut Bipartitioning", JPDC 10(1), 1990; F. Pellegrini, "Static Mapping
 * by Dual Recursive Bipartitioning of Process and Architecture Graphs", SHPCC 1994. Places are
 * divided across the longest side of their bounding box, or without a grid by whether they are
 * nearer to one or the other of two places far apart. All parts of one size are divided before the
 * smaller ones, and a task is pulled to the half that is nearer to its partners in other parts;
 * without that the halves of neighbouring parts would lie any way round. Tasks: the set grows from
 * a task at the edge of the graph, and from others, of which the best is kept, and is improved by
 * exchanges of pairs with locked tasks (B. W. Kernighan, S. Lin, "An Efficient Heuristic Procedure
 * for Partitioning Graphs", BSTJ 49, 1970).
 *
 * When the time is over, the rest is divided in the order that the tasks have by then. */
#include "common/memory.h"
#include "common/rng.h"
#include "mappings/families.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <stdlib.h>
#include <string.h>

/* A pass ends PATIENCE pairs, or one in PATIENCE_SHARE, behind its best state. */
enum { MOST_PASSES = 8, PATIENCE = 50, PATIENCE_SHARE = 16, NOWHERE = 0xff };

/* Each division grows from several tasks. There are several tries of the whole, fewer for many
 * tasks and partners, which take long. */
enum { STARTS = 16, MOST_TRIES = 6, TRIED = 1 << 13 };

enum { SAMPLES = 16 /* places of a part whose hops stand for all */ };

/* Consecutive tasks and the places that they will have. */
typedef struct part {
    uint32_t task, tasks, place, places;
} part;

typedef struct bisecting {
    vef_placement placement;
    vef_optimiser_clock clock;
    vef_rng rng;
    uint32_t number; /* of the try */
    uint64_t steps;
    uint32_t *tasks, *places; /* permuted, so that each part is consecutive */
    part *parts;
    uint32_t count;     /* of parts */
    uint32_t *part_of;  /* per task */
    uint8_t *side;      /* per task: of the part under division; else NOWHERE */
    double apart;       /* hops that a byte costs more between the halves than inside one */
    double *bias;       /* per task: what bytes x hops to other parts cost more on the near side */
    double *pull;       /* per task: cost on the near side minus cost on the far one */
    bool *locked;       /* per task */
    uint32_t *moved;    /* scratch, per task */
    uint8_t *kept;      /* the sides of the better division, in the order of the part's tasks */
    uint64_t *key;      /* per place: its order */
    double *nearer;     /* per part: hops to the near half minus hops to the far one */
    uint32_t *known_by; /* per part: the division for which `nearer` holds */
    uint32_t divisions;
} bisecting;

/* ---- places ---- */

static int compare_places(const void *a, const void *b, void *keys) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const uint64_t *key = keys;
    if (key[p] != key[q])
        return key[p] < key[q] ? -1 : 1;
    return p < q ? -1 : 1;
}

/* The dimension in which the routers of the places extend farthest; of equals another one in each
 * try. */
static uint32_t longest_side(const bisecting *search, const uint32_t *places, uint32_t count) {
    const vef_topology *topology = search->placement.view->topology;
    uint32_t least[VEF_MAX_DIMENSIONS], most[VEF_MAX_DIMENSIONS], position[VEF_MAX_DIMENSIONS];
    for (uint32_t i = 0; i < count; i++) {
        vef_topology_coordinates(topology, search->placement.router[places[i]], position);
        for (uint32_t d = 0; d < topology->dimensions; d++) {
            least[d] = i == 0 || position[d] < least[d] ? position[d] : least[d];
            most[d] = i == 0 || position[d] > most[d] ? position[d] : most[d];
        }
    }
    uint32_t longest = search->number % topology->dimensions;
    for (uint32_t d = 0; d < topology->dimensions; d++)
        if (most[d] - least[d] > most[longest] - least[longest])
            longest = d;
    return longest;
}

/* The place farthest from another; the first of equals. */
static uint32_t farthest(const bisecting *search, const uint32_t *places, uint32_t count,
                         uint32_t from) {
    uint32_t best = places[0];
    for (uint32_t i = 1; i < count; i++)
        if (vef_placement_hops(&search->placement, from, places[i]) >
            vef_placement_hops(&search->placement, from, best))
            best = places[i];
    return best;
}

/* Sorts the places so that the halves are close together. */
static void order_places(bisecting *search, uint32_t *places, uint32_t count) {
    const vef_topology *topology = search->placement.view->topology;
    if (topology->dimensions > 0) {
        const uint32_t side = longest_side(search, places, count);
        uint32_t position[VEF_MAX_DIMENSIONS];
        for (uint32_t i = 0; i < count; i++) {
            vef_topology_coordinates(topology, search->placement.router[places[i]], position);
            search->key[places[i]] = position[side];
        }
    } else {
        const uint32_t one = farthest(search, places, count, places[0]);
        const uint32_t other = farthest(search, places, count, one);
        for (uint32_t i = 0; i < count; i++)
            search->key[places[i]] =
                UINT64_C(1) << 32 | (uint64_t)vef_placement_hops(&search->placement, one, places[i])
                                        << 16;
        for (uint32_t i = 0; i < count; i++)
            search->key[places[i]] -=
                (uint64_t)vef_placement_hops(&search->placement, other, places[i]) << 16;
    }
    qsort_r(places, count, sizeof *places, compare_places, search->key);
}

/* Sample number k of a range: spread over it, at no regular distance, since places in regular
 * distances share coordinates. */
static uint32_t sample(uint32_t k, uint32_t first, uint32_t count) {
    if (count <= SAMPLES)
        return first + k;
    const uint64_t begin = (uint64_t)count * k / SAMPLES, end = (uint64_t)count * (k + 1) / SAMPLES;
    return first + (uint32_t)(begin + k * UINT64_C(2654435761) % (end - begin));
}

/* Mean hops between the places of two ranges. */
static double hops_between(const bisecting *search, uint32_t first, uint32_t count, uint32_t other,
                           uint32_t other_count) {
    const uint32_t samples = count < SAMPLES ? count : SAMPLES;
    const uint32_t other_samples = other_count < SAMPLES ? other_count : SAMPLES;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < samples; i++)
        for (uint32_t k = 0; k < other_samples; k++)
            sum += vef_placement_hops(&search->placement, search->places[sample(i, first, count)],
                                      search->places[sample(k, other, other_count)]);
    return (double)sum / ((double)samples * other_samples);
}

/* ---- tasks ---- */

/* What the traffic with other parts costs each task more on the near side; nothing in every third
 * try, which divides each part by its own traffic alone. */
static void find_biases(bisecting *search, uint32_t number, uint32_t near) {
    const part *whole = &search->parts[number];
    const uint32_t far_place = whole->place + near, far = whole->places - near;
    search->divisions++;
    search->apart = hops_between(search, whole->place, near, far_place, far) -
                    hops_between(search, whole->place, near, whole->place, near) / 2 -
                    hops_between(search, far_place, far, far_place, far) / 2;
    if (search->apart <= 0)
        search->apart = 0.5; /* both halves on one router, or hardly apart */
    for (uint32_t i = 0; i < whole->tasks; i++) {
        const uint32_t t = search->tasks[whole->task + i];
        search->bias[t] = 0;
        if (search->number % 3 == 2)
            continue;
        for (size_t k = search->placement.first[t]; k < search->placement.first[t + 1]; k++) {
            const uint32_t other = search->part_of[search->placement.affinity[k].partner];
            if (other == number)
                continue;
            if (search->known_by[other] != search->divisions) {
                const part *there = &search->parts[other];
                search->known_by[other] = search->divisions;
                search->nearer[other] =
                    hops_between(search, whole->place, near, there->place, there->places) -
                    hops_between(search, far_place, far, there->place, there->places);
            }
            search->bias[t] += search->placement.affinity[k].bytes * search->nearer[other];
        }
    }
}

static void find_pulls(bisecting *search, const uint32_t *tasks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = tasks[i];
        double inside = 0;
        for (size_t k = search->placement.first[t]; k < search->placement.first[t + 1]; k++) {
            const uint8_t side = search->side[search->placement.affinity[k].partner];
            if (side != NOWHERE)
                inside += side ? search->placement.affinity[k].bytes
                               : -search->placement.affinity[k].bytes;
        }
        search->pull[t] = search->bias[t] + search->apart * inside;
    }
}

/* Moves a task to the other side. */
static void move(bisecting *search, uint32_t task) {
    search->side[task] ^= 1;
    const double sign = search->side[task] ? 2 * search->apart : -2 * search->apart;
    for (size_t k = search->placement.first[task]; k < search->placement.first[task + 1]; k++)
        search->pull[search->placement.affinity[k].partner] +=
            sign * search->placement.affinity[k].bytes;
}

/* The task at the edge: the last one that a search from the first reaches; and again from there. */
static uint32_t edge_task(bisecting *search, const uint32_t *tasks, uint32_t count) {
    uint32_t start = tasks[0];
    for (int round = 0; round < 2; round++) {
        uint32_t reached = 1;
        search->moved[0] = start;
        search->locked[start] = true;
        for (uint32_t i = 0; i < reached; i++)
            for (size_t k = search->placement.first[search->moved[i]];
                 k < search->placement.first[search->moved[i] + 1]; k++) {
                const uint32_t next = search->placement.affinity[k].partner;
                if (search->side[next] == NOWHERE || search->locked[next])
                    continue;
                search->locked[next] = true;
                search->moved[reached++] = next;
            }
        start = search->moved[reached - 1];
        for (uint32_t i = 0; i < count; i++)
            search->locked[tasks[i]] = false;
    }
    return start;
}

/* The free task of a side that is pulled most to the other side; the first of equals. */
static uint32_t most_pulled(const bisecting *search, const uint32_t *tasks, uint32_t count,
                            uint8_t side) {
    uint32_t best = UINT32_MAX;
    double greatest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = tasks[i];
        if (search->side[t] != side || search->locked[t])
            continue;
        const double pull = side ? -search->pull[t] : search->pull[t];
        if (best == UINT32_MAX || pull > greatest) {
            best = t;
            greatest = pull;
        }
    }
    return best;
}

static bool is_over(bisecting *search) {
    return vef_optimiser_is_over(&search->clock, ++search->steps, 0);
}

/* All tasks go to the far side, and `near` of them back to the near one, beginning with `next`. */
static void grow(bisecting *search, const uint32_t *tasks, uint32_t count, uint32_t near,
                 uint32_t next) {
    for (uint32_t i = 0; i < count; i++)
        search->side[tasks[i]] = 1;
    find_pulls(search, tasks, count);
    for (uint32_t moved = 0, i = 0; moved < near; moved++) {
        move(search, next);
        if (moved + 1 == near)
            break;
        if (!is_over(search)) {
            next = most_pulled(search, tasks, count, 1);
            continue;
        }
        while (search->side[tasks[i]] == 0)
            i++;
        next = tasks[i];
    }
}

/* One pass of Kernighan and Lin: exchanges pairs, each task once, then takes back those after the
 * best state. Returns what this saves. */
static double improve(bisecting *search, const uint32_t *tasks, uint32_t count, uint32_t pairs) {
    double saved = 0, best = 0;
    uint32_t kept = 0, made = 0;
    for (; made < pairs && made - kept < PATIENCE + pairs / PATIENCE_SHARE && !is_over(search);
         made++) {
        const uint32_t a = most_pulled(search, tasks, count, 0);
        double gain = search->pull[a];
        search->locked[a] = true;
        move(search, a);
        const uint32_t b = most_pulled(search, tasks, count, 1);
        if (b == UINT32_MAX) {
            move(search, a);
            search->locked[a] = false;
            break;
        }
        gain -= search->pull[b];
        search->locked[b] = true;
        move(search, b);
        search->moved[2 * made] = a;
        search->moved[2 * made + 1] = b;
        saved += gain;
        if (saved > best) {
            best = saved;
            kept = made + 1;
        }
    }
    for (uint32_t i = 2 * kept; i < 2 * made; i++)
        move(search, search->moved[i]);
    for (uint32_t i = 0; i < count; i++)
        search->locked[tasks[i]] = false;
    return best;
}

/* Grows the near side from a task and improves it; returns the cost. */
static double divide_from(bisecting *search, const uint32_t *tasks, uint32_t count, uint32_t near,
                          uint32_t start) {
    const uint32_t fewer = near < count - near ? near : count - near;
    grow(search, tasks, count, near, start);
    find_pulls(search, tasks, count);
    for (int pass = 0; pass < MOST_PASSES && !search->clock.over; pass++)
        if (improve(search, tasks, count, fewer) <= 0)
            break;
    /* Of both sides together, but for a constant: bytes across the cut count twice in the sums. */
    double cost = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = tasks[i];
        const double inside = (search->pull[t] - search->bias[t]) / 2;
        const double half = search->bias[t] / 2 + inside / 2;
        cost += search->side[t] ? -half : half;
    }
    return cost;
}

/* Sorts the tasks of the near side to the front. */
static void divide_tasks(bisecting *search, uint32_t number, uint32_t near_places, uint32_t near) {
    const part *whole = &search->parts[number];
    uint32_t *tasks = search->tasks + whole->task;
    const uint32_t count = whole->tasks;
    find_biases(search, number, near_places);
    for (uint32_t i = 0; i < count; i++)
        search->side[tasks[i]] = 1;
    const uint32_t edge = edge_task(search, tasks, count);
    uint32_t drawn = tasks[0]; /* most of all to the near side, by its partners elsewhere */
    for (uint32_t i = 1; i < count; i++)
        if (search->bias[tasks[i]] < search->bias[drawn])
            drawn = tasks[i];
    double least = 0;
    for (uint32_t k = 0; k < STARTS && (k == 0 || !search->clock.over); k++) {
        const uint32_t start = k == 0   ? edge
                               : k == 1 ? drawn
                                        : tasks[vef_rng_below(&search->rng, count)];
        const double cost = divide_from(search, tasks, count, near, start);
        if (k > 0 && cost >= least)
            continue;
        least = cost;
        for (uint32_t i = 0; i < count; i++)
            search->kept[i] = search->side[tasks[i]];
    }
    for (uint32_t i = 0; i < count; i++)
        search->side[tasks[i]] = search->kept[i];
    uint32_t front = 0, behind = 0;
    for (uint32_t i = 0; i < count; i++)
        if (search->side[tasks[i]] == 0)
            tasks[front++] = tasks[i];
        else
            search->moved[behind++] = tasks[i];
    memcpy(tasks + front, search->moved, behind * sizeof *tasks);
    for (uint32_t i = 0; i < count; i++)
        search->side[tasks[i]] = NOWHERE;
}

/* ---- both ---- */

/* The near half takes the part's number; the far one is new. */
static void divide(bisecting *search, uint32_t number) {
    part *whole = &search->parts[number];
    order_places(search, search->places + whole->place, whole->places);
    const uint32_t near_places = (whole->places + 1) / 2;
    const uint32_t near = whole->tasks < near_places ? whole->tasks : near_places;
    if (near < whole->tasks && !search->clock.over)
        divide_tasks(search, number, near_places, near);
    part *far = &search->parts[search->count];
    *far = (part){whole->task + near, whole->tasks - near, whole->place + near_places,
                  whole->places - near_places};
    whole->tasks = near;
    whole->places = near_places;
    for (uint32_t i = 0; i < far->tasks; i++)
        search->part_of[search->tasks[far->task + i]] = search->count;
    if (far->tasks > 0)
        search->count++;
}

/* All parts of a size before the smaller ones. */
static void bisect(bisecting *search) {
    for (uint32_t t = 0; t < search->placement.tasks; t++)
        search->tasks[t] = t;
    for (uint32_t p = 0; p < search->placement.places; p++)
        search->places[p] = p;
    memset(search->part_of, 0, search->placement.tasks * sizeof *search->part_of);
    search->parts[0] = (part){0, search->placement.tasks, 0, search->placement.places};
    search->count = 1;
    for (bool divided = true; divided;) {
        divided = false;
        for (uint32_t number = 0, count = search->count; number < count; number++)
            if (search->parts[number].places > 1) {
                divide(search, number);
                divided = true;
            }
    }
    vef_placement_clear(&search->placement);
    for (uint32_t number = 0; number < search->count; number++)
        vef_placement_put(&search->placement, search->tasks[search->parts[number].task],
                          search->places[search->parts[number].place]);
}

/* Several tries; keeps the endpoints of the best. */
static void try_all(bisecting *search, uint32_t *endpoint) {
    const size_t work =
        search->placement.tasks + search->placement.first[search->placement.tasks] / 8;
    const size_t tries = work > TRIED ? 1 : TRIED / work;
    double least = 0;
    for (; search->number < (tries > MOST_TRIES ? MOST_TRIES : tries) && !search->clock.over;
         search->number++) {
        bisect(search);
        const double cost = vef_placement_cost(&search->placement);
        if (search->number > 0 && cost >= least)
            continue;
        least = cost;
        vef_placement_read(&search->placement, endpoint);
    }
}

static void make_room(bisecting *search) {
    const size_t tasks = search->placement.tasks, places = search->placement.places;
    search->tasks = vef_calloc(tasks, sizeof *search->tasks);
    search->places = vef_calloc(places, sizeof *search->places);
    search->parts = vef_calloc(tasks + 1, sizeof *search->parts); /* and one without tasks */
    search->part_of = vef_calloc(tasks, sizeof *search->part_of);
    search->side = vef_malloc(tasks);
    search->bias = vef_calloc(tasks, sizeof *search->bias);
    search->pull = vef_calloc(tasks, sizeof *search->pull);
    search->locked = vef_calloc(tasks, sizeof *search->locked);
    search->moved = vef_calloc(tasks + 1, sizeof *search->moved);
    search->kept = vef_calloc(tasks, sizeof *search->kept);
    search->key = vef_calloc(places, sizeof *search->key);
    search->nearer = vef_calloc(tasks + 1, sizeof *search->nearer);
    search->known_by = vef_calloc(tasks + 1, sizeof *search->known_by);
}

static void release(bisecting *search) {
    free(search->tasks);
    free(search->places);
    free(search->parts);
    free(search->part_of);
    free(search->side);
    free(search->bias);
    free(search->pull);
    free(search->locked);
    free(search->moved);
    free(search->kept);
    free(search->key);
    free(search->nearer);
    free(search->known_by);
    vef_placement_free(&search->placement);
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    bisecting search = {.rng = vef_rng_make(1, VEF_RNG_MAPPING, 3)};
    const uint32_t tasks = view->tasks;
    search.clock = vef_optimiser_begin(view, "bisecting");
    vef_code code = vef_placement_make(view, NULL, &search.placement, error);
    if (code == VEF_OK) {
        make_room(&search);
        memset(search.side, NOWHERE, tasks);
        try_all(&search, endpoint);
    }
    vef_optimiser_end(&search.clock);
    release(&search);
    return code;
}

static const char *const samples[] = {"bisection", "bisection(messages)", NULL};

const vef_mapping_family vef_mapping_bisection = {
    .name = "bisection",
    .aliases = "recursive-bisection bipartitioning",
    .summary = "divides the tasks by their traffic and the places by their distance, recursively",
    .takes = VEF_MAPPING_WEIGHT,
    .parameter = "messages",
    .samples = samples,
    .assign = assign,
    .shares = true,
    .needs_traffic = true,
    .by_distance = true,
};
