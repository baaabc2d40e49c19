/* Loads from several sources at once: a lane for each, in a cache line per router, so that one pass
 * over the links of a router serves all searches that reach it at the time. See path_loads.h.
 *
 * The frontier of a level is the union of the lanes' frontiers, a bit for each lane (as in
 * searches.c); a router is in as many levels as it has distances from the sources of a batch. The
 * levels are stored and visited backwards for the loads. There a router's traffic to and through it
 * per minimal path,
 *     per_path = weight x endpoints / paths + sum of the per_path of those one hop farther,
 * replaces its number of paths, which is not needed any more. */
#include "netmodel/analysis/loads/path_loads.h"

#include <string.h>

/* Four lanes; the compiler uses the machine's vector instructions. The masks select lanes. */
typedef double quad __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32)));
enum { QUADS = VEF_PATH_LANES / 4 };

typedef struct lanes {
    quad quad[QUADS];
} lanes;

/* Maximum path count: far below the limit of a double, so that reciprocals and sums over the links
 * of one more level stay finite. */
#define MOST_PATHS 0x1p900

/* An arc on a minimal path of some lanes. */
typedef struct hop {
    uint32_t arc, next, lanes;
} hop;

/* Hops are collected from blocks of arcs before any work on them: memory prefetches their ends
 * meanwhile, and the work has no unpredictable branches. */
enum { BLOCK_ROUTERS = 32, BLOCK_ARCS = 256 };

struct vef_path_lanes {
    const vef_path_graph *graph;
    lanes *value;  /* [routers]: numbers of paths, then traffic per path */
    uint8_t *open; /* [routers]: lanes whose search was not here at an earlier level */
    uint8_t *now;  /* [routers]: lanes that reach the router at this level; 0 elsewhere */
    /* The levels one after the other, each router at most once in a level for each lane: */
    uint32_t *router; /* [VEF_PATH_LANES x routers + 1] */
    uint8_t *here;    /* the lanes at that distance from it */
    uint32_t *start;  /* [routers + 2]: the beginning of each level */
    /* The current block: */
    hop *hops;                        /* [BLOCK_ARCS + the most arcs of a router] */
    uint32_t hops_end[BLOCK_ROUTERS]; /* of each of its routers */
};

vef_path_lanes *vef_path_lanes_make(const vef_path_graph *graph, vef_arena *arena) {
    vef_path_lanes *state = vef_arena_alloc(arena, 1, sizeof *state);
    const size_t routers = graph->routers, visits = VEF_PATH_LANES * routers;
    uint32_t most_arcs = 0;
    for (uint32_t r = 0; r < graph->routers; r++)
        if (graph->first[r + 1] - graph->first[r] > most_arcs)
            most_arcs = graph->first[r + 1] - graph->first[r];
    state->graph = graph;
    /* from the first cache line that begins in it */
    char *raw = vef_arena_alloc(arena, routers + 1, sizeof *state->value);
    state->value = (lanes *)(void *)(raw + (-(uintptr_t)raw & 63));
    state->open = vef_arena_alloc(arena, routers, sizeof *state->open);
    state->now = vef_arena_alloc(arena, routers, sizeof *state->now);
    state->router = vef_arena_alloc(arena, visits + 1, sizeof *state->router);
    state->here = vef_arena_alloc(arena, visits, sizeof *state->here);
    state->start = vef_arena_alloc(arena, routers + 2, sizeof *state->start);
    state->hops = vef_arena_alloc(arena, (size_t)BLOCK_ARCS + most_arcs, sizeof *state->hops);
    return state;
}

/* ones[b]: all bits of the lanes whose bit is set in b. */
static const mask ones[16] = {
    {0, 0, 0, 0},   {-1, 0, 0, 0},   {0, -1, 0, 0},   {-1, -1, 0, 0},
    {0, 0, -1, 0},  {-1, 0, -1, 0},  {0, -1, -1, 0},  {-1, -1, -1, 0},
    {0, 0, 0, -1},  {-1, 0, 0, -1},  {0, -1, 0, -1},  {-1, -1, 0, -1},
    {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1},
};

/* Collects the hops to where `filter` has lanes, of the routers from i to below `end`, up to a
 * block of routers; returns the first remaining one. */
static uint32_t collect(vef_path_lanes *state, uint32_t i, uint32_t end, const uint8_t *filter) {
    const vef_path_graph *graph = state->graph;
    hop *hops = state->hops;
    uint32_t count = 0;
    if (end - i > BLOCK_ROUTERS)
        end = i + BLOCK_ROUTERS;
    for (uint32_t in_block = 0; i < end && count < BLOCK_ARCS; i++) {
        const uint32_t router = state->router[i], here = state->here[i];
        const uint32_t last = graph->first[router + 1];
        for (uint32_t arc = graph->first[router]; arc < last; arc++) {
            const uint32_t next = graph->head[arc];
            const uint32_t common = here & filter[next];
            hops[count] = (hop){arc, next, common};
            count += common != 0;
            __builtin_prefetch(&state->value[next], 1);
        }
        state->hops_end[in_block++] = count;
    }
    return i;
}

/* Moves the paths of the routers of a level one hop farther; returns the number of routers reached,
 * written behind the level. */
static uint32_t push(vef_path_lanes *state, uint32_t level) {
    uint32_t *touched = state->router + state->start[level + 1];
    const uint32_t end = state->start[level + 1];
    uint32_t count = 0;
    for (uint32_t i = state->start[level]; i < end;) {
        const uint32_t block = i, block_end = collect(state, i, end, state->open);
        const hop *step = state->hops;
        for (; i < block_end; i++) {
            const lanes from = state->value[state->router[i]];
            for (const hop *last = state->hops + state->hops_end[i - block]; step < last; step++) {
                touched[count] = step->next;
                count += state->now[step->next] == 0;
                state->now[step->next] |= (uint8_t)step->lanes;
                lanes *to = &state->value[step->next];
                to->quad[0] += (quad)((mask)from.quad[0] & ones[step->lanes & 15]);
                to->quad[1] += (quad)((mask)from.quad[1] & ones[step->lanes >> 4]);
            }
        }
    }
    return count;
}

/* Sorts the routers behind a level by number if they are many, so that their data is visited
 * sequentially. */
static void sort(vef_path_lanes *state, uint32_t level, uint32_t count) {
    const uint32_t routers = state->graph->routers;
    if (count < routers / 16)
        return;
    uint32_t *to = state->router + state->start[level + 1];
    for (uint32_t router = 0, left = count; left != 0; router++) {
        *to = router;
        to += state->now[router] != 0;
        left -= state->now[router] != 0;
    }
}

/* Makes the routers behind a level the next one; false if one has too many paths. */
static bool settle(vef_path_lanes *state, uint32_t level, uint32_t count) {
    const uint32_t end = state->start[level + 1] + count;
    const quad most = {MOST_PATHS, MOST_PATHS, MOST_PATHS, MOST_PATHS};
    mask too_many = {0};
    sort(state, level, count);
    for (uint32_t i = state->start[level + 1]; i < end; i++) {
        const uint32_t router = state->router[i];
        state->here[i] = state->now[router];
        state->open[router] &= (uint8_t)~state->now[router];
        state->now[router] = 0;
        for (int q = 0; q < QUADS; q++)
            too_many |= state->value[router].quad[q] > most;
    }
    state->start[level + 2] = end;
    return (too_many[0] | too_many[1] | too_many[2] | too_many[3]) == 0;
}

/* Counts the minimal paths from all sources; the last level, or UINT32_MAX: too many paths. */
static uint32_t search(vef_path_lanes *state, const vef_path_source *sources, uint32_t count) {
    const uint32_t routers = state->graph->routers;
    memset(state->value, 0, routers * sizeof *state->value);
    memset(state->open, 0xff, routers * sizeof *state->open);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t source = sources[i].router;
        state->router[i] = source;
        state->here[i] = (uint8_t)(1u << i);
        state->open[source] &= (uint8_t)~state->here[i];
        state->value[source].quad[i / 4][i % 4] = 1;
    }
    state->start[0] = 0;
    state->start[1] = count;
    for (uint32_t level = 0;; level++) {
        const uint32_t touched = push(state, level);
        if (touched == 0)
            return level;
        if (!settle(state, level, touched))
            return UINT32_MAX;
    }
}

/* Sets `now` of the routers of a level to the lanes that reach them. */
static void mark(vef_path_lanes *state, uint32_t level) {
    for (uint32_t i = state->start[level]; i < state->start[level + 1]; i++)
        state->now[state->router[i]] = state->here[i];
}

static void unmark(vef_path_lanes *state, uint32_t level) {
    for (uint32_t i = state->start[level]; i < state->start[level + 1]; i++)
        state->now[state->router[i]] = 0;
}

/* Loads of the hops from `router`, those from `step` to below `last`. */
static void pull_to(vef_path_lanes *state, uint32_t router, uint32_t here, const hop *step,
                    const hop *last, const lanes *weight, double *load) {
    const quad one = {1, 1, 1, 1};
    const mask low = ones[here & 15], high = ones[here >> 4];
    const lanes paths = state->value[router];
    /* nothing is divided by the 0 of an inactive lane */
    const quad low_paths = (quad)(((mask)paths.quad[0] & low) | ((mask)one & ~low));
    const quad high_paths = (quad)(((mask)paths.quad[1] & high) | ((mask)one & ~high));
    const double endpoints = state->graph->endpoints[router];
    quad low_sum = weight->quad[0] * endpoints / low_paths;
    quad high_sum = weight->quad[1] * endpoints / high_paths;
    for (; step < last; step++) {
        const lanes *from = &state->value[step->next];
        const quad low_part = (quad)((mask)from->quad[0] & ones[step->lanes & 15]);
        const quad high_part = (quad)((mask)from->quad[1] & ones[step->lanes >> 4]);
        low_sum += low_part;
        high_sum += high_part;
        const quad part = low_paths * low_part + high_paths * high_part;
        load[step->arc] += (part[0] + part[2]) + (part[1] + part[3]);
    }
    lanes *to = &state->value[router];
    to->quad[0] = (quad)(((mask)paths.quad[0] & ~low) | ((mask)low_sum & low));
    to->quad[1] = (quad)(((mask)paths.quad[1] & ~high) | ((mask)high_sum & high));
}

/* Loads of the arcs from the routers of a level to those of the next, which are marked. */
static void pull(vef_path_lanes *state, uint32_t level, const lanes *weight, double *load) {
    const uint32_t end = state->start[level + 1];
    for (uint32_t i = state->start[level]; i < end;) {
        const uint32_t block = i, block_end = collect(state, i, end, state->now);
        const hop *step = state->hops;
        for (; i < block_end; i++) {
            const hop *last = state->hops + state->hops_end[i - block];
            pull_to(state, state->router[i], state->here[i], step, last, weight, load);
            step = last;
        }
    }
}

/* A copy for machines with wider vectors than the baseline; the same operations, so the same
 * results. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WIDEST __attribute__((target_clones("avx2", "default"), flatten))
#else
#define WIDEST
#endif

WIDEST bool vef_path_lanes_add(vef_path_lanes *state, const vef_path_source *sources,
                               uint32_t count, double *load) {
    const uint32_t last = search(state, sources, count);
    if (last == UINT32_MAX)
        return false;
    for (uint32_t level = last + 1; level-- > 0;) {
        lanes weight = {0};
        for (uint32_t i = 0; i < count; i++)
            weight.quad[i / 4][i % 4] = level >= sources[i].least_hops ? sources[i].weight : 0;
        pull(state, level, &weight, load);
        if (level < last)
            unmark(state, level + 1);
        mark(state, level);
    }
    unmark(state, 0);
    return true;
}
