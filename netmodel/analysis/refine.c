/* Refinement of a cut by moving one router at a time: C. M. Fiduccia, R. M. Mattheyses: "A
 * Linear-Time Heuristic for Improving Network Partitions", DAC 1982.
 *
 * A pass moves each router at most once, next the one that saves most links (or costs fewest);
 * moves after the best balanced state are undone. Time of a pass is proportional to the links. */
#include "netmodel/analysis/refine.h"

#include <string.h>

#define NOBODY UINT32_MAX
enum { MOST_PASSES = 32, FEWEST_TRIED_MOVES = 2000, MOST_LOOKED_AT = 64 };

typedef struct refinement {
    const vef_graph *graph;
    uint8_t *side;
    uint64_t weight[2]; /* endpoints on each side */
    uint64_t tolerance; /* bound of their difference: the maximum number of endpoints on a router */
    int64_t links;      /* between the sides, relative to the start of the pass */

    /* Routers that have not moved in this pass, by side and by saved links: lists
     * bucket[side][saving + greatest]. */
    int32_t greatest;
    uint32_t *bucket[2];
    int32_t top[2];          /* no list above it is occupied */
    uint32_t *next, *before; /* [routers] */
    int32_t *saving;         /* [routers] */
    uint8_t *moved;          /* [routers] */
    uint32_t *order;         /* the routers moved in this pass */
    uint32_t moves;
} refinement;

static uint64_t difference(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

static bool balanced(const refinement *it) {
    return difference(it->weight[0], it->weight[1]) <= it->tolerance;
}

/* ---- lists of routers by saved links ---- */

static void put(refinement *it, uint32_t r) {
    const int side = it->side[r];
    uint32_t *list = &it->bucket[side][it->saving[r] + it->greatest];
    it->before[r] = NOBODY;
    it->next[r] = *list;
    if (*list != NOBODY)
        it->before[*list] = r;
    *list = r;
    if (it->saving[r] > it->top[side])
        it->top[side] = it->saving[r];
}

static void take(refinement *it, uint32_t r) {
    if (it->before[r] != NOBODY)
        it->next[it->before[r]] = it->next[r];
    else
        it->bucket[it->side[r]][it->saving[r] + it->greatest] = it->next[r];
    if (it->next[r] != NOBODY)
        it->before[it->next[r]] = it->before[r];
}

static void fill(refinement *it) {
    const vef_graph *graph = it->graph;
    for (int side = 0; side < 2; side++) {
        memset(it->bucket[side], 0xff, (size_t)(2 * it->greatest + 1) * sizeof(uint32_t));
        it->top[side] = -it->greatest;
    }
    memset(it->moved, 0, graph->routers);
    it->moves = 0;
    it->links = 0;
    for (uint32_t r = graph->routers; r-- > 0;) {
        it->saving[r] = 0;
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++)
            it->saving[r] += it->side[graph->head[arc]] != it->side[r] ? 1 : -1;
        put(it, r);
    }
}

/* ---- moves ---- */

/* Whether moving a router with that many endpoints away from `side` keeps the imbalance within the
 * bound, or does not increase it. From the heavier side every router may move. */
static bool may_move(const refinement *it, int side, uint32_t endpoints) {
    const uint64_t now = difference(it->weight[0], it->weight[1]);
    const uint64_t then = difference(it->weight[side] - endpoints, it->weight[!side] + endpoints);
    return then <= now || (now <= it->tolerance && then <= 2 * it->tolerance);
}

/* The first router of a side that may move and saves most; NOBODY: none. */
static uint32_t best_of(refinement *it, int side) {
    while (it->top[side] > -it->greatest &&
           it->bucket[side][it->top[side] + it->greatest] == NOBODY)
        it->top[side]--;
    int left = MOST_LOOKED_AT;
    for (int32_t saving = it->top[side]; saving >= -it->greatest; saving--)
        for (uint32_t r = it->bucket[side][saving + it->greatest]; r != NOBODY; r = it->next[r])
            if (may_move(it, side, it->graph->endpoints[r]))
                return r;
            else if (--left == 0)
                return NOBODY;
    return NOBODY;
}

static uint32_t choose(refinement *it) {
    uint32_t best[2] = {NOBODY, NOBODY};
    const int heavy = it->weight[1] > it->weight[0];
    best[heavy] = best_of(it, heavy);
    if (balanced(it))
        best[!heavy] = best_of(it, !heavy);
    if (best[0] == NOBODY || best[1] == NOBODY)
        return best[best[0] == NOBODY];
    const int32_t gain = it->saving[best[heavy]] - it->saving[best[!heavy]];
    return best[gain >= 0 ? heavy : !heavy];
}

/* The bookkeeping of sides, without that of the lists. */
static void change_side(refinement *it, uint32_t r) {
    const uint32_t endpoints = it->graph->endpoints[r];
    it->weight[it->side[r]] -= endpoints;
    it->side[r] ^= 1;
    it->weight[it->side[r]] += endpoints;
}

static void move(refinement *it, uint32_t r) {
    const vef_graph *graph = it->graph;
    take(it, r);
    it->moved[r] = 1;
    it->order[it->moves++] = r;
    it->links -= it->saving[r];
    change_side(it, r);
    for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++) {
        const uint32_t other = graph->head[arc];
        if (it->moved[other])
            continue;
        take(it, other);
        it->saving[other] += it->side[other] == it->side[r] ? -2 : 2;
        put(it, other);
    }
}

/* Returns whether the pass made the cut balanced or smaller. */
static bool pass(refinement *it) {
    fill(it);
    const bool was_balanced = balanced(it);
    bool found = was_balanced;
    int64_t best_links = 0;
    uint32_t best_moves = 0;
    const uint32_t patience = it->graph->routers / 16 + FEWEST_TRIED_MOVES;
    while (!found || it->moves - best_moves < patience) {
        const uint32_t r = choose(it);
        if (r == NOBODY)
            break;
        move(it, r);
        if (balanced(it) && (!found || it->links < best_links)) {
            found = true;
            best_links = it->links;
            best_moves = it->moves;
        }
    }
    while (found && it->moves > best_moves)
        change_side(it, it->order[--it->moves]);
    return (found && !was_balanced) || best_links < 0;
}

void vef_refine_halves(const vef_graph *graph, uint8_t *far_side) {
    refinement it = {.graph = graph, .side = far_side};
    for (uint32_t r = 0; r < graph->routers; r++) {
        const uint32_t arcs = graph->first[r + 1] - graph->first[r];
        if ((int32_t)arcs > it.greatest)
            it.greatest = (int32_t)arcs;
        if (graph->endpoints[r] > it.tolerance)
            it.tolerance = graph->endpoints[r];
        it.weight[far_side[r]] += graph->endpoints[r];
    }
    vef_arena arena = {0};
    const size_t lists = (size_t)(2 * it.greatest + 1), routers = graph->routers;
    uint32_t *const words = vef_arena_alloc(&arena, 2 * lists + 3 * routers, sizeof *words);
    it.saving = vef_arena_alloc(&arena, routers, sizeof *it.saving);
    it.moved = vef_arena_alloc(&arena, routers, sizeof *it.moved);
    it.bucket[0] = words;
    it.bucket[1] = words + lists;
    it.next = words + 2 * lists;
    it.before = it.next + routers;
    it.order = it.before + routers;
    for (int i = 0; i < MOST_PASSES && pass(&it); i++)
        continue;
    vef_arena_release(&arena);
}
