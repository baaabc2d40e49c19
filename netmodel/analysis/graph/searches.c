/* Breadth-first searches from many routers at once: sets of sources travel along the links as bits,
 * so that one pass over a router's links serves all searches that reach it at the time.
 *
 * Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo: "The More the Merrier: Efficient
 * Multi-Source Graph Traversal", PVLDB 8(4), 2014, section 3. Sources of a batch are near each
 * other, so that they reach a router at nearly the same time: on a mesh of n routers a batch of b
 * passes a router about sqrt(b) times in place of b. Batches are shared out among threads; counts
 * are integers, so their order does not matter.
 *
 * While few routers are in the frontier, these push their sets to their neighbours. While many are,
 * as on random graphs, every router pulls those of its neighbours (Beamer, Asanovic, Patterson:
 * "Direction-Optimizing Breadth-First Search", SC 2012): what it will read is known in advance and
 * can be fetched, and a set is one cache line. */
#include "common/threads/pool.h"
#include "netmodel/analysis/graph/distances.h"

#include <stdatomic.h>
#include <string.h>

enum {
    WORDS = 8, /* a cache line */
    BATCH = 64 * WORDS,
    FETCHED = 16,   /* arcs ahead whose frontiers are fetched */
    PULL_SHARE = 4, /* pull if at least one of so many routers is in the frontier */
};

typedef uint64_t set __attribute__((vector_size(WORDS * sizeof(uint64_t))));

/* Sources of equal weight: order[first] … order[first + count - 1]. */
typedef struct batch {
    uint32_t first, count;
    uint64_t weight; /* endpoints of a source, times the routers that it represents */
} batch;

/* Working memory of one thread, [routers] each. */
typedef struct room {
    set *seen, *frontier, *next;
    uint32_t *active, *touched; /* routers of the frontier, and with new bits in `next` */
    uint32_t *level;            /* level at which a router was touched last; COMPLETE */
    uint64_t *pairs;
} room;

#define COMPLETE UINT32_MAX /* reached from every source of the batch */

typedef struct searches {
    const vef_graph *graph;
    uint32_t *order; /* the sources, grouped by batch */
    batch *batches;
    uint32_t count;
    room *rooms; /* of each thread */
    atomic_uint_least32_t done;
} searches;

/* ---- batches ---- */

/* Takes sources of `weight` that are in no batch yet, nearest first by a search from `source`.
 * `weights` are those of sources without a batch, 0 for other routers; `level` and `queue` are room
 * for the search, `stamp` marks reached routers. */
static void gather(searches *batched, batch *taken, uint32_t source, uint64_t *weights,
                   uint32_t *visited, uint32_t stamp, uint32_t *queue) {
    const vef_graph *graph = batched->graph;
    uint32_t count = 1;
    queue[0] = source;
    visited[source] = stamp;
    for (uint32_t i = 0; i < count && taken->count < BATCH; i++) {
        const uint32_t router = queue[i];
        if (weights[router] == taken->weight) {
            batched->order[taken->first + taken->count++] = router;
            weights[router] = 0;
        }
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t next = graph->head[arc];
            if (visited[next] == stamp)
                continue;
            visited[next] = stamp;
            queue[count++] = next;
        }
    }
}

static void make_batches(searches *batched, vef_arena *arena) {
    const vef_graph *graph = batched->graph;
    vef_arena scratch = {0};
    uint64_t *weights = vef_arena_alloc(&scratch, graph->routers, sizeof *weights);
    uint32_t *visited = vef_arena_alloc(&scratch, graph->routers, sizeof *visited);
    uint32_t *queue = vef_arena_alloc(&scratch, graph->routers, sizeof *queue);
    batched->order = vef_arena_alloc(arena, graph->sources, sizeof *batched->order);
    batched->batches = vef_arena_alloc(arena, graph->sources, sizeof *batched->batches);
    for (uint32_t s = 0; s < graph->sources; s++)
        weights[graph->source[s]] =
            (uint64_t)graph->endpoints[graph->source[s]] * graph->stands_for[s];
    uint32_t first = 0;
    for (uint32_t s = 0; s < graph->sources; s++) {
        const uint32_t source = graph->source[s];
        if (weights[source] == 0)
            continue; /* in a batch already */
        batch *taken = &batched->batches[batched->count++];
        *taken = (batch){.first = first, .weight = weights[source]};
        gather(batched, taken, source, weights, visited, batched->count, queue);
        first += taken->count;
    }
    vef_arena_release(&scratch);
}

/* ---- sets ---- */

static bool is_empty(const set *a) {
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++)
        any |= (*a)[i];
    return any == 0;
}

/* Adds neighbouring fields, each word separately up to the last step: the library's population
 * count would be a call per word. */
static uint32_t size_of(const set *a) {
    set x = *a - ((*a >> 1) & UINT64_C(0x5555555555555555));
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t sums = 0; /* in bytes: at most 8 each of every word */
    for (int i = 0; i < WORDS; i++)
        sums += x[i];
    sums = (sums & UINT64_C(0x00ff00ff00ff00ff)) + ((sums >> 8) & UINT64_C(0x00ff00ff00ff00ff));
    return (uint32_t)((sums * UINT64_C(0x0001000100010001)) >> 48);
}

/* ---- one batch ---- */

/* Adds the frontiers of the active routers to `next` of their neighbours; returns the number of
 * touched routers, without those that every search has reached. */
static uint32_t push(const vef_graph *graph, room *scratch, uint32_t active, uint32_t level) {
    uint32_t touched = 0;
    for (uint32_t i = 0; i < active; i++) {
        const uint32_t router = scratch->active[i];
        const set from = scratch->frontier[router];
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t next = graph->head[arc];
            const uint32_t last = scratch->level[next];
            if (last == COMPLETE)
                continue;
            set *to = &scratch->next[next];
            if (last != level) {
                scratch->level[next] = level;
                scratch->touched[touched++] = next;
                *to = from;
                continue;
            }
            *to |= from;
        }
    }
    return touched;
}

/* Leaves of `reached` what is new to the router, which then is the last of `active` routers;
 * returns their number. Adds to `found` its endpoints, once per search that reached them now. */
static uint32_t settle(const vef_graph *graph, room *scratch, const set *full, uint32_t router,
                       set *reached, uint32_t active, uint64_t *found) {
    set *seen = &scratch->seen[router];
    *reached &= ~*seen;
    *seen |= *reached;
    if (is_empty(reached))
        return active;
    scratch->active[active] = router;
    *found += (uint64_t)graph->endpoints[router] * size_of(reached);
    const set missing = *full & ~*seen;
    if (is_empty(&missing))
        scratch->level[router] = COMPLETE;
    return active + 1;
}

/* Makes the new bits of the touched routers the next frontier; returns the number of its routers.
 */
static uint32_t settle_touched(const vef_graph *graph, room *scratch, const set *full,
                               uint32_t touched, uint64_t *found) {
    uint32_t active = 0;
    for (uint32_t i = 0; i < touched; i++) {
        const uint32_t router = scratch->touched[i];
        set *reached = &scratch->next[router];
        const uint32_t before = active;
        active = settle(graph, scratch, full, router, reached, active, found);
        if (active != before)
            scratch->frontier[router] = *reached;
    }
    return active;
}

static void swap_frontiers(room *scratch) {
    set *frontier = scratch->next;
    scratch->next = scratch->frontier;
    scratch->frontier = frontier;
}

/* Empties the frontiers of the routers that are not active. */
static void clear_others(const vef_graph *graph, room *scratch, uint32_t active) {
    memset(scratch->next, 0, graph->routers * sizeof *scratch->next);
    for (uint32_t i = 0; i < active; i++)
        scratch->next[scratch->active[i]] = scratch->frontier[scratch->active[i]];
    swap_frontiers(scratch);
}

/* One level, like push and settle_touched; frontiers of routers that are not active are empty,
 * before and after. Links lead both ways. */
static uint32_t pull(const vef_graph *graph, room *scratch, const set *full, uint64_t *found) {
    uint32_t active = 0;
    for (uint32_t router = 0; router < graph->routers; router++) {
        set reached = {0};
        if (scratch->level[router] != COMPLETE) {
            for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
                const uint32_t later = arc + FETCHED < graph->arcs ? arc + FETCHED : arc;
                __builtin_prefetch(&scratch->frontier[graph->head[later]]);
                reached |= scratch->frontier[graph->head[arc]];
            }
            active = settle(graph, scratch, full, router, &reached, active, found);
        }
        scratch->next[router] = reached;
    }
    swap_frontiers(scratch);
    return active;
}

static const char step_name[] = "measuring distances";

static void search_batch(void *context, uint32_t worker, uint32_t piece) {
    searches *batched = context;
    const vef_graph *graph = batched->graph;
    const batch *sources = &batched->batches[piece];
    room *scratch = &batched->rooms[worker];
    memset(scratch->seen, 0, graph->routers * sizeof *scratch->seen);
    memset(scratch->level, 0, graph->routers * sizeof *scratch->level);
    set full = {0};
    uint64_t found = 0;
    for (uint32_t i = 0; i < sources->count; i++) {
        const uint32_t router = batched->order[sources->first + i];
        const uint64_t bit = UINT64_C(1) << i % 64;
        full[i / 64] |= bit;
        scratch->frontier[router] = (set){0};
        scratch->frontier[router][i / 64] = bit;
        scratch->seen[router] = scratch->frontier[router];
        scratch->active[i] = router;
        found += graph->endpoints[router];
    }
    uint32_t active = sources->count;
    bool pulled = false;
    for (uint32_t level = 1; active != 0; level++) {
        scratch->pairs[level - 1] += found * sources->weight;
        found = 0;
        const bool pulls = active >= graph->routers / PULL_SHARE;
        if (pulls && !pulled)
            clear_others(graph, scratch, active);
        active = pulls ? pull(graph, scratch, &full, &found)
                       : settle_touched(graph, scratch, &full, push(graph, scratch, active, level),
                                        &found);
        pulled = pulls;
    }
    const uint32_t done = atomic_fetch_add(&batched->done, 1) + 1;
    if (worker == 0)
        vef_graph_report(graph, step_name, done, batched->count);
}

/* ---- all batches ---- */

static void make_room(const vef_graph *graph, room *scratch, vef_arena *arena) {
    const size_t routers = graph->routers;
    scratch->seen = vef_arena_lines(arena, routers, sizeof *scratch->seen);
    scratch->frontier = vef_arena_lines(arena, routers, sizeof *scratch->frontier);
    scratch->next = vef_arena_lines(arena, routers, sizeof *scratch->next);
    scratch->active = vef_arena_alloc(arena, routers, sizeof *scratch->active);
    scratch->touched = vef_arena_alloc(arena, routers, sizeof *scratch->touched);
    scratch->level = vef_arena_alloc(arena, routers, sizeof *scratch->level);
    scratch->pairs = vef_arena_alloc(arena, routers + 1, sizeof *scratch->pairs);
}

void vef_distances_batched(const vef_graph *graph, uint64_t *pairs) {
    searches batched = {.graph = graph};
    vef_arena arena = {0};
    make_batches(&batched, &arena);
    const uint32_t workers = vef_workers_for(batched.count);
    batched.rooms = vef_arena_alloc(&arena, workers, sizeof *batched.rooms);
    for (uint32_t w = 0; w < workers; w++)
        make_room(graph, &batched.rooms[w], &arena);
    vef_workers_run(workers, batched.count, search_batch, &batched);
    vef_graph_report(graph, step_name, batched.count, batched.count);
    for (uint32_t w = 0; w < workers; w++)
        for (uint32_t d = 0; d < graph->routers; d++)
            pairs[d] += batched.rooms[w].pairs[d];
    vef_arena_release(&arena);
}
