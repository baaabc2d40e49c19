/* Bisection: divides the places into two halves that are close together, and the tasks into two
 * sets that exchange few bytes, as many as each half has room for, and goes on within the halves.
 * Tasks that fit into one half stay together.
 *
 * Dual recursive bipartitioning: F. Ercal, J. Ramanujam, P. Sadayappan, "Task Allocation onto a
 * Hypercube by Recursive Mincut Bipartitioning", JPDC 10(1), 1990; F. Pellegrini, "Static Mapping
 * by Dual Recursive Bipartitioning of Process and Architecture Graphs", SHPCC 1994. Places are
 * divided across the longest side of their bounding box, or without a grid by whether they are
 * nearer to one or the other of two places far apart. Tasks: the set grows from a task at the edge
 * of the graph, and is improved by exchanges of pairs with locked tasks (B. W. Kernighan, S. Lin,
 * "An Efficient Heuristic Procedure for Partitioning Graphs", BSTJ 49, 1970). */
#include "mappings/families.h"
#include "mappings/optimisers/clock.h"
#include "mappings/optimisers/problem.h"

#include <stdlib.h>
#include <string.h>

/* A pass ends PATIENCE pairs, or one in PATIENCE_SHARE, behind its best state. */
enum { MOST_PASSES = 8, PATIENCE = 50, PATIENCE_SHARE = 16, NOWHERE = 0xff };

typedef struct bisecting {
    vef_placement at;
    vef_optimiser_clock clock;
    uint32_t done;
    uint32_t *tasks, *places; /* permuted, so that each part is consecutive */
    uint8_t *side;            /* per task: of the part under division; else NOWHERE */
    double *pull;             /* per task: bytes with the far side minus bytes with the near one */
    bool *locked;             /* per task */
    uint32_t *moved;          /* scratch, per task */
    uint64_t *key;            /* per place: its order */
} bisecting;

/* ---- places ---- */

static int compare_places(const void *a, const void *b, void *keys) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const uint64_t *key = keys;
    if (key[p] != key[q])
        return key[p] < key[q] ? -1 : 1;
    return p < q ? -1 : 1;
}

/* The dimension in which the routers of the places extend farthest. */
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
    uint32_t longest = topology->dimensions - 1;
    for (uint32_t d = topology->dimensions; d-- > 0;)
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

/* ---- tasks ---- */

/* Of the part: what each task exchanges with the far side more than with the near one. */
static void find_pulls(bisecting *self, const uint32_t *tasks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = tasks[i];
        self->pull[t] = 0;
        for (size_t k = self->at.first[t]; k < self->at.first[t + 1]; k++) {
            const uint8_t side = self->side[self->at.affinity[k].partner];
            if (side != NOWHERE)
                self->pull[t] += side ? self->at.affinity[k].bytes : -self->at.affinity[k].bytes;
        }
    }
}

/* Moves a task to the other side. */
static void move(bisecting *self, uint32_t task) {
    self->side[task] ^= 1;
    const double sign = self->side[task] ? 2 : -2;
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

/* All tasks are on the far side; `near` of them go to the near one, beginning at the edge. */
static void grow(bisecting *self, const uint32_t *tasks, uint32_t count, uint32_t near) {
    uint32_t next = edge_task(self, tasks, count);
    find_pulls(self, tasks, count);
    for (uint32_t moved = 0; moved < near; moved++) {
        move(self, next);
        if (moved + 1 < near)
            next = most_pulled(self, tasks, count, 1);
    }
}

/* One pass of Kernighan and Lin: exchanges pairs, each task once, then takes back those after the
 * best state. Returns the bytes between the sides that this saves. */
static double improve(bisecting *self, const uint32_t *tasks, uint32_t count, uint32_t pairs) {
    double saved = 0, best = 0;
    uint32_t kept = 0, made = 0;
    for (; made < pairs && made - kept < PATIENCE + pairs / PATIENCE_SHARE; made++) {
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

/* Sorts the tasks of the near side to the front. */
static void divide_tasks(bisecting *self, uint32_t *tasks, uint32_t count, uint32_t near) {
    for (uint32_t i = 0; i < count; i++)
        self->side[tasks[i]] = 1;
    grow(self, tasks, count, near);
    const uint32_t fewer = near < count - near ? near : count - near;
    find_pulls(self, tasks, count);
    for (int pass = 0; pass < MOST_PASSES && !self->clock.over; pass++)
        if (improve(self, tasks, count, fewer) <= 0)
            break;
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

/* `task_count` tasks from `task` on go to `place_count` places from `place` on. */
static void bisect(bisecting *self, uint32_t task, uint32_t task_count, uint32_t place,
                   uint32_t place_count) {
    uint32_t *tasks = self->tasks + task, *places = self->places + place;
    if (task_count == 0)
        return;
    if (place_count == 1) {
        vef_placement_put(&self->at, tasks[0], places[0]);
        vef_optimiser_is_over(&self->clock, ++self->done, self->at.tasks);
        return;
    }
    order_places(self, places, place_count);
    const uint32_t near_places = (place_count + 1) / 2;
    const uint32_t near = task_count < near_places ? task_count : near_places;
    if (near < task_count)
        divide_tasks(self, tasks, task_count, near);
    bisect(self, task, near, place, near_places);
    bisect(self, task + near, task_count - near, place + near_places, place_count - near_places);
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    bisecting self = {0};
    const uint32_t tasks = view->tasks;
    vef_code code = vef_placement_make(view, NULL, &self.at, error);
    self.tasks = calloc(tasks, sizeof *self.tasks);
    self.places = calloc(self.at.places + (size_t)1, sizeof *self.places);
    self.side = malloc(tasks);
    self.pull = calloc(tasks, sizeof *self.pull);
    self.locked = calloc(tasks, sizeof *self.locked);
    self.moved = calloc(tasks + (size_t)1, sizeof *self.moved);
    self.key = calloc(self.at.places + (size_t)1, sizeof *self.key);
    if (code == VEF_OK && (!self.tasks || !self.places || !self.side || !self.pull ||
                           !self.locked || !self.moved || !self.key))
        code = vef_fail_memory(error, "a bisection", tasks * sizeof *self.pull);
    if (code == VEF_OK) {
        for (uint32_t t = 0; t < tasks; t++)
            self.tasks[t] = t;
        for (uint32_t p = 0; p < self.at.places; p++)
            self.places[p] = p;
        memset(self.side, NOWHERE, tasks);
        self.clock = vef_optimiser_begin(view, "bisecting");
        bisect(&self, 0, tasks, 0, self.at.places);
        vef_optimiser_end(&self.clock);
        vef_placement_read(&self.at, endpoint);
    }
    free(self.tasks);
    free(self.places);
    free(self.side);
    free(self.pull);
    free(self.locked);
    free(self.moved);
    free(self.key);
    vef_placement_free(&self.at);
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
