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
    vef_placement at;
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
    double *nearer;     /* per part: hops to the near half minus hops to the far one, */
    uint32_t *known_by; /* if this is the number of the division under way */
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
static uint32_t longest_side(const bisecting *self, const uint32_t *places, uint32_t count) {
    const vef_topology *topology = self->at.view->topology;
    uint32_t least[VEF_MAX_DIMENSIONS], most[VEF_MAX_DIMENSIONS], at[VEF_MAX_DIMENSIONS];
    for (uint32_t i = 0; i < count; i++) {
        vef_topology_coordinates(topology, self->at.router[places[i]], at);
        for (uint32_t d = 0; d < topology->dimensions; d++) {
            least[d] = i == 0 || at[d] < least[d] ? at[d] : least[d];
            most[d] = i == 0 || at[d] > most[d] ? at[d] : most[d];
        }
    }
    uint32_t longest = self->number % topology->dimensions;
    for (uint32_t d = 0; d < topology->dimensions; d++)
        if (most[d] - least[d] > most[longest] - least[longest])
            longest = d;
    return longest;
}

/* The place farthest from another; the first of equals. */
static uint32_t farthest(const bisecting *self, const uint32_t *places, uint32_t count,
                         uint32_t from) {
    uint32_t best = places[0];
    for (uint32_t i = 1; i < count; i++)
        if (vef_placement_hops(&self->at, from, places[i]) >
            vef_placement_hops(&self->at, from, best))
            best = places[i];
    return best;
}

/* Sorts the places so that the halves are close together. */
static void order_places(bisecting *self, uint32_t *places, uint32_t count) {
    const vef_topology *topology = self->at.view->topology;
    if (topology->dimensions > 0) {
        const uint32_t side = longest_side(self, places, count);
        uint32_t at[VEF_MAX_DIMENSIONS];
        for (uint32_t i = 0; i < count; i++) {
            vef_topology_coordinates(topology, self->at.router[places[i]], at);
            self->key[places[i]] = at[side];
        }
    } else {
        const uint32_t one = farthest(self, places, count, places[0]);
        const uint32_t other = farthest(self, places, count, one);
        for (uint32_t i = 0; i < count; i++)
            self->key[places[i]] =
                UINT64_C(1) << 32 | (uint64_t)vef_placement_hops(&self->at, one, places[i]) << 16;
        for (uint32_t i = 0; i < count; i++)
            self->key[places[i]] -= (uint64_t)vef_placement_hops(&self->at, other, places[i]) << 16;
    }
    qsort_r(places, count, sizeof *places, compare_places, self->key);
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
static double hops_between(const bisecting *self, uint32_t first, uint32_t count, uint32_t other,
                           uint32_t other_count) {
    const uint32_t samples = count < SAMPLES ? count : SAMPLES;
    const uint32_t other_samples = other_count < SAMPLES ? other_count : SAMPLES;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < samples; i++)
        for (uint32_t k = 0; k < other_samples; k++)
            sum += vef_placement_hops(&self->at, self->places[sample(i, first, count)],
                                      self->places[sample(k, other, other_count)]);
    return (double)sum / ((double)samples * other_samples);
}

/* ---- tasks ---- */

/* What the traffic with other parts costs each task more on the near side; nothing in every third
 * try, which divides each part by its own traffic alone. */
static void find_biases(bisecting *self, uint32_t number, uint32_t near) {
    const part *own = &self->parts[number];
    const uint32_t far_place = own->place + near, far = own->places - near;
    self->divisions++;
    self->apart = hops_between(self, own->place, near, far_place, far) -
                  hops_between(self, own->place, near, own->place, near) / 2 -
                  hops_between(self, far_place, far, far_place, far) / 2;
    if (self->apart <= 0)
        self->apart = 0.5; /* both halves on one router, or hardly apart */
    for (uint32_t i = 0; i < own->tasks; i++) {
        const uint32_t t = self->tasks[own->task + i];
        self->bias[t] = 0;
        if (self->number % 3 == 2)
            continue;
        for (size_t k = self->at.first[t]; k < self->at.first[t + 1]; k++) {
            const uint32_t other = self->part_of[self->at.affinity[k].partner];
            if (other == number)
                continue;
            if (self->known_by[other] != self->divisions) {
                const part *there = &self->parts[other];
                self->known_by[other] = self->divisions;
                self->nearer[other] =
                    hops_between(self, own->place, near, there->place, there->places) -
                    hops_between(self, far_place, far, there->place, there->places);
            }
            self->bias[t] += self->at.affinity[k].bytes * self->nearer[other];
        }
    }
}

static void find_pulls(bisecting *self, const uint32_t *tasks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = tasks[i];
        double inside = 0;
        for (size_t k = self->at.first[t]; k < self->at.first[t + 1]; k++) {
            const uint8_t side = self->side[self->at.affinity[k].partner];
            if (side != NOWHERE)
                inside += side ? self->at.affinity[k].bytes : -self->at.affinity[k].bytes;
        }
        self->pull[t] = self->bias[t] + self->apart * inside;
    }
}

/* Moves a task to the other side. */
static void move(bisecting *self, uint32_t task) {
    self->side[task] ^= 1;
    const double sign = self->side[task] ? 2 * self->apart : -2 * self->apart;
    for (size_t k = self->at.first[task]; k < self->at.first[task + 1]; k++)
        self->pull[self->at.affinity[k].partner] += sign * self->at.affinity[k].bytes;
}

/* The task at the edge: the last one that a search from the first reaches; and again from there. */
static uint32_t edge_task(bisecting *self, const uint32_t *tasks, uint32_t count) {
    uint32_t start = tasks[0];
    for (int round = 0; round < 2; round++) {
        uint32_t reached = 1;
        self->moved[0] = start;
        self->locked[start] = true;
        for (uint32_t i = 0; i < reached; i++)
            for (size_t k = self->at.first[self->moved[i]]; k < self->at.first[self->moved[i] + 1];
                 k++) {
                const uint32_t next = self->at.affinity[k].partner;
                if (self->side[next] == NOWHERE || self->locked[next])
                    continue;
                self->locked[next] = true;
                self->moved[reached++] = next;
            }
        start = self->moved[reached - 1];
        for (uint32_t i = 0; i < count; i++)
            self->locked[tasks[i]] = false;
    }
    return start;
}

/* The free task of a side that is pulled most to the other side; the first of equals. */
static uint32_t most_pulled(const bisecting *self, const uint32_t *tasks, uint32_t count,
                            uint8_t side) {
    uint32_t best = UINT32_MAX;
    double greatest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = tasks[i];
        if (self->side[t] != side || self->locked[t])
            continue;
        const double pull = side ? -self->pull[t] : self->pull[t];
        if (best == UINT32_MAX || pull > greatest) {
            best = t;
            greatest = pull;
        }
    }
    return best;
}

static bool is_over(bisecting *self) {
    return vef_optimiser_is_over(&self->clock, ++self->steps, 0);
}

/* All tasks go to the far side, and `near` of them back to the near one, beginning with `next`. */
static void grow(bisecting *self, const uint32_t *tasks, uint32_t count, uint32_t near,
                 uint32_t next) {
    for (uint32_t i = 0; i < count; i++)
        self->side[tasks[i]] = 1;
    find_pulls(self, tasks, count);
    for (uint32_t moved = 0, i = 0; moved < near; moved++) {
        move(self, next);
        if (moved + 1 == near)
            break;
        if (!is_over(self)) {
            next = most_pulled(self, tasks, count, 1);
            continue;
        }
        while (self->side[tasks[i]] == 0)
            i++;
        next = tasks[i];
    }
}

/* One pass of Kernighan and Lin: exchanges pairs, each task once, then takes back those after the
 * best state. Returns what this saves. */
static double improve(bisecting *self, const uint32_t *tasks, uint32_t count, uint32_t pairs) {
    double saved = 0, best = 0;
    uint32_t kept = 0, made = 0;
    for (; made < pairs && made - kept < PATIENCE + pairs / PATIENCE_SHARE && !is_over(self);
         made++) {
        const uint32_t a = most_pulled(self, tasks, count, 0);
        double gain = self->pull[a];
        self->locked[a] = true;
        move(self, a);
        const uint32_t b = most_pulled(self, tasks, count, 1);
        if (b == UINT32_MAX) {
            move(self, a);
            self->locked[a] = false;
            break;
        }
        gain -= self->pull[b];
        self->locked[b] = true;
        move(self, b);
        self->moved[2 * made] = a;
        self->moved[2 * made + 1] = b;
        saved += gain;
        if (saved > best) {
            best = saved;
            kept = made + 1;
        }
    }
    for (uint32_t i = 2 * kept; i < 2 * made; i++)
        move(self, self->moved[i]);
    for (uint32_t i = 0; i < count; i++)
        self->locked[tasks[i]] = false;
    return best;
}

/* Grows the near side from a task and improves it; returns the cost. */
static double divide_from(bisecting *self, const uint32_t *tasks, uint32_t count, uint32_t near,
                          uint32_t start) {
    const uint32_t fewer = near < count - near ? near : count - near;
    grow(self, tasks, count, near, start);
    find_pulls(self, tasks, count);
    for (int pass = 0; pass < MOST_PASSES && !self->clock.over; pass++)
        if (improve(self, tasks, count, fewer) <= 0)
            break;
    /* Of both sides together, but for a constant: bytes across the cut count twice in the sums. */
    double cost = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = tasks[i];
        const double inside = (self->pull[t] - self->bias[t]) / 2;
        const double half = self->bias[t] / 2 + inside / 2;
        cost += self->side[t] ? -half : half;
    }
    return cost;
}

/* Sorts the tasks of the near side to the front. */
static void divide_tasks(bisecting *self, uint32_t number, uint32_t near_places, uint32_t near) {
    const part *own = &self->parts[number];
    uint32_t *tasks = self->tasks + own->task;
    const uint32_t count = own->tasks;
    find_biases(self, number, near_places);
    for (uint32_t i = 0; i < count; i++)
        self->side[tasks[i]] = 1;
    const uint32_t edge = edge_task(self, tasks, count);
    uint32_t drawn = tasks[0]; /* most of all to the near side, by its partners elsewhere */
    for (uint32_t i = 1; i < count; i++)
        if (self->bias[tasks[i]] < self->bias[drawn])
            drawn = tasks[i];
    double least = 0;
    for (uint32_t k = 0; k < STARTS && (k == 0 || !self->clock.over); k++) {
        const uint32_t start = k == 0   ? edge
                               : k == 1 ? drawn
                                        : tasks[vef_rng_below(&self->rng, count)];
        const double cost = divide_from(self, tasks, count, near, start);
        if (k > 0 && cost >= least)
            continue;
        least = cost;
        for (uint32_t i = 0; i < count; i++)
            self->kept[i] = self->side[tasks[i]];
    }
    for (uint32_t i = 0; i < count; i++)
        self->side[tasks[i]] = self->kept[i];
    uint32_t front = 0, behind = 0;
    for (uint32_t i = 0; i < count; i++)
        if (self->side[tasks[i]] == 0)
            tasks[front++] = tasks[i];
        else
            self->moved[behind++] = tasks[i];
    memcpy(tasks + front, self->moved, behind * sizeof *tasks);
    for (uint32_t i = 0; i < count; i++)
        self->side[tasks[i]] = NOWHERE;
}

/* ---- both ---- */

/* The near half takes the part's number; the far one is new. */
static void divide(bisecting *self, uint32_t number) {
    part *own = &self->parts[number];
    order_places(self, self->places + own->place, own->places);
    const uint32_t near_places = (own->places + 1) / 2;
    const uint32_t near = own->tasks < near_places ? own->tasks : near_places;
    if (near < own->tasks && !self->clock.over)
        divide_tasks(self, number, near_places, near);
    part *far = &self->parts[self->count];
    *far = (part){own->task + near, own->tasks - near, own->place + near_places,
                  own->places - near_places};
    own->tasks = near;
    own->places = near_places;
    for (uint32_t i = 0; i < far->tasks; i++)
        self->part_of[self->tasks[far->task + i]] = self->count;
    if (far->tasks > 0)
        self->count++;
}

/* All parts of a size before the smaller ones. */
static void bisect(bisecting *self) {
    for (uint32_t t = 0; t < self->at.tasks; t++)
        self->tasks[t] = t;
    for (uint32_t p = 0; p < self->at.places; p++)
        self->places[p] = p;
    memset(self->part_of, 0, self->at.tasks * sizeof *self->part_of);
    self->parts[0] = (part){0, self->at.tasks, 0, self->at.places};
    self->count = 1;
    for (bool divided = true; divided;) {
        divided = false;
        for (uint32_t number = 0, count = self->count; number < count; number++)
            if (self->parts[number].places > 1) {
                divide(self, number);
                divided = true;
            }
    }
    vef_placement_clear(&self->at);
    for (uint32_t number = 0; number < self->count; number++)
        vef_placement_put(&self->at, self->tasks[self->parts[number].task],
                          self->places[self->parts[number].place]);
}

/* Several tries; keeps the endpoints of the best. */
static void try_all(bisecting *self, uint32_t *endpoint) {
    const size_t work = self->at.tasks + self->at.first[self->at.tasks] / 8;
    const size_t tries = work > TRIED ? 1 : TRIED / work;
    double least = 0;
    for (; self->number < (tries > MOST_TRIES ? MOST_TRIES : tries) && !self->clock.over;
         self->number++) {
        bisect(self);
        const double cost = vef_placement_cost(&self->at);
        if (self->number > 0 && cost >= least)
            continue;
        least = cost;
        vef_placement_read(&self->at, endpoint);
    }
}

static void make_room(bisecting *self) {
    const size_t tasks = self->at.tasks, places = self->at.places;
    self->tasks = vef_calloc(tasks, sizeof *self->tasks);
    self->places = vef_calloc(places, sizeof *self->places);
    self->parts = vef_calloc(tasks + 1, sizeof *self->parts); /* and one without tasks */
    self->part_of = vef_calloc(tasks, sizeof *self->part_of);
    self->side = vef_malloc(tasks);
    self->bias = vef_calloc(tasks, sizeof *self->bias);
    self->pull = vef_calloc(tasks, sizeof *self->pull);
    self->locked = vef_calloc(tasks, sizeof *self->locked);
    self->moved = vef_calloc(tasks + 1, sizeof *self->moved);
    self->kept = vef_calloc(tasks, sizeof *self->kept);
    self->key = vef_calloc(places, sizeof *self->key);
    self->nearer = vef_calloc(tasks + 1, sizeof *self->nearer);
    self->known_by = vef_calloc(tasks + 1, sizeof *self->known_by);
}

static void release(bisecting *self) {
    free(self->tasks);
    free(self->places);
    free(self->parts);
    free(self->part_of);
    free(self->side);
    free(self->bias);
    free(self->pull);
    free(self->locked);
    free(self->moved);
    free(self->kept);
    free(self->key);
    free(self->nearer);
    free(self->known_by);
    vef_placement_free(&self->at);
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    bisecting self = {.rng = vef_rng_make(1, VEF_RNG_MAPPING, 3)};
    const uint32_t tasks = view->tasks;
    self.clock = vef_optimiser_begin(view, "bisecting");
    vef_code code = vef_placement_make(view, NULL, &self.at, error);
    if (code == VEF_OK) {
        make_room(&self);
        memset(self.side, NOWHERE, tasks);
        try_all(&self, endpoint);
    }
    vef_optimiser_end(&self.clock);
    release(&self);
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
