/* Distances to the routers with endpoints. See hops.h. */
#include "netmodel/routing/hops.h"

#include "common/memory.h"
#include "common/threads/pool.h"

#include <stdlib.h>
#include <string.h>

void vef_hops_find_targets(const vef_topology *topology, vef_arena *arena, vef_hops *hops) {
    const uint32_t routers = topology->routers;
    hops->topology = topology;
    hops->target_of = vef_arena_alloc(arena, routers, sizeof *hops->target_of);
    hops->target = vef_arena_alloc(arena, routers, sizeof *hops->target);
    memset(hops->target_of, 0xff, routers * sizeof *hops->target_of);
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t router = vef_topology_router_of(topology, e);
        if (hops->target_of[router] != VEF_NO_ROUTER)
            continue;
        hops->target_of[router] = hops->targets;
        hops->target[hops->targets++] = router;
    }
}

/* Distances are below this. */
static size_t distances_of(const vef_topology *topology) {
    return topology->routers < UINT16_MAX ? topology->routers : UINT16_MAX;
}

/* Hops from every router to `target`; UINT16_MAX: unreachable. `queue` has room for all. Raises
 * `nearer`, by distance, to the number of links of a router that lead nearer. */
static void search(const vef_topology *topology, uint32_t target, uint16_t *distance,
                   uint32_t *queue, uint32_t *nearer) {
    memset(distance, 0xff, topology->routers * sizeof *distance);
    uint32_t count = 1;
    distance[target] = 0;
    queue[0] = target;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *neighbours = topology->neighbour + (size_t)queue[i] * topology->ports;
        const uint16_t here = distance[queue[i]], further = (uint16_t)(here + 1);
        uint32_t links = 0;
        for (uint32_t port = 0; port < topology->ports && further < UINT16_MAX; port++) {
            const uint32_t next = neighbours[port];
            if (next == VEF_NO_ROUTER)
                continue;
            links += distance[next] < here;
            if (distance[next] != UINT16_MAX)
                continue;
            distance[next] = further;
            queue[count++] = next;
        }
        if (nearer[here] < links)
            nearer[here] = links;
    }
}

/* The maximum distance from any target; UINT16_MAX: one is unreachable. */
static uint32_t farthest(const vef_hops *hops, const uint16_t *distance) {
    uint32_t most = 0;
    for (uint32_t t = 0; t < hops->targets; t++)
        if (distance[hops->target[t]] > most)
            most = distance[hops->target[t]];
    return most;
}

static vef_code fail_unreachable(const vef_hops *hops, uint32_t target, const uint16_t *distance,
                                 vef_error *error) {
    uint32_t from = 0;
    while (distance[hops->target[from]] != UINT16_MAX)
        from++;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "no path of less than %d hops leads from router %u to router %u, which "
                    "both have endpoints",
                    UINT16_MAX, vef_topology_router_number(hops->topology, hops->target[from]),
                    vef_topology_router_number(hops->topology, hops->target[target]));
}

/* ---- searches from many targets, by several threads ---- */

typedef struct searching {
    const vef_hops *hops;
    const uint32_t *from; /* targets whose distances are needed */
    size_t distances;
    uint16_t *row;    /* [workers * routers] */
    uint32_t *queue;  /* [workers * routers] */
    uint32_t *nearer; /* [workers * distances] */
    uint32_t diameter[VEF_MOST_WORKERS];
} searching;

static void pack(const uint16_t *distance, uint32_t routers, uint32_t bits, uint8_t *row) {
    for (uint32_t r = 0; r < routers; r++) {
        const size_t bit = (size_t)r * bits;
        const uint32_t value = (distance[r] & ((UINT32_C(1) << bits) - 1)) << bit % 8;
        row[bit / 8] = (uint8_t)(row[bit / 8] | value);
        if (bits == 16)
            row[bit / 8 + 1] = (uint8_t)(value >> 8);
    }
}

static void search_one(void *context, uint32_t worker, uint32_t number) {
    searching *shared = context;
    const vef_hops *hops = shared->hops;
    const size_t routers = hops->topology->routers;
    const uint32_t target = shared->from[number];
    uint16_t *row = shared->row + worker * routers;
    search(hops->topology, hops->target[target], row, shared->queue + worker * routers,
           shared->nearer + worker * shared->distances);
    if (hops->table)
        pack(row, hops->topology->routers, hops->bits, hops->table + target * hops->row_bytes);
    const uint32_t far = farthest(hops, row);
    if (far > shared->diameter[worker])
        shared->diameter[worker] = far;
}

static void merge(const searching *shared, uint32_t workers, vef_hops *hops) {
    for (uint32_t i = 0; i < workers; i++) {
        if (shared->diameter[i] > hops->diameter)
            hops->diameter = shared->diameter[i];
        for (size_t d = 0; d < shared->distances; d++)
            if (shared->nearer[i * shared->distances + d] > hops->nearer[d])
                hops->nearer[d] = shared->nearer[i * shared->distances + d];
    }
}

static void search_from(vef_hops *hops, const uint32_t *from, uint32_t count) {
    const size_t routers = hops->topology->routers;
    const uint32_t workers = vef_workers_for(count);
    searching shared = {.hops = hops, .from = from, .distances = distances_of(hops->topology)};
    shared.row = vef_malloc(workers * routers * sizeof *shared.row);
    shared.queue = vef_malloc(workers * routers * sizeof *shared.queue);
    shared.nearer = vef_calloc(workers * shared.distances, sizeof *shared.nearer);
    vef_workers_run(workers, count, search_one, &shared);
    merge(&shared, workers, hops);
    free(shared.row);
    free(shared.queue);
    free(shared.nearer);
}

/* Lists the targets from which distances differ: all of them for the table, else one of each orbit
 * if the family has orbits. Returns their number. */
static uint32_t list_sources(const vef_hops *hops, bool *seen, uint32_t *from) {
    const vef_topology *topology = hops->topology;
    uint32_t count = 0;
    for (uint32_t t = 0; t < hops->targets; t++) {
        if (!hops->table && topology->orbits > 0) {
            const uint32_t orbit = vef_topology_orbit(topology, hops->target[t]);
            if (seen[orbit])
                continue;
            seen[orbit] = true;
        }
        from[count++] = t;
    }
    return count;
}

static void search_all(vef_hops *hops) {
    uint32_t *from = vef_malloc(hops->targets * sizeof *from);
    bool *seen = vef_calloc(hops->topology->orbits + 1u, sizeof *seen);
    search_from(hops, from, list_sources(hops, seen, from));
    free(from);
    free(seen);
}

/* Searches from the first target alone: whether all others can be reached, and how many bits hold
 * any distance to a target, which is at most twice the greatest to this one. */
static vef_code search_first(vef_hops *hops, vef_error *error) {
    const uint32_t routers = hops->topology->routers;
    uint16_t *row = vef_malloc(routers * sizeof *row);
    uint32_t *queue = vef_malloc(routers * sizeof *queue);
    uint32_t far = 0;
    search(hops->topology, hops->target[0], row, queue, hops->nearer);
    for (uint32_t r = 0; r < routers; r++)
        if (row[r] != UINT16_MAX && row[r] > far)
            far = row[r];
    hops->bits = far < 8 ? 4 : far < 128 ? 8 : 16;
    vef_code code = VEF_OK;
    if (farthest(hops, row) == UINT16_MAX)
        code = fail_unreachable(hops, 0, row, error);
    free(row);
    free(queue);
    return code;
}

/* Takes memory for the table, unless the formula is better. */
static vef_code make_table(const vef_topology *topology, vef_arena *arena, vef_hops *hops,
                           vef_error *error) {
    enum { SMALL_TABLE_BYTES = 1 << 24 };
    hops->row_bytes = ((size_t)topology->routers * hops->bits + 7) / 8;
    const uint64_t bytes = (uint64_t)hops->targets * hops->row_bytes;
    if (topology->distance && bytes > SMALL_TABLE_BYTES) {
        hops->bits = 0;
        return VEF_OK;
    }
    if (bytes > VEF_MOST_HOPS_BYTES)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the hops between %u routers and %u with endpoints need %.1f GiB: out of "
                        "range, at most %.0f, and topology %s has no formula for them with these "
                        "parameters",
                        topology->routers, hops->targets, (double)bytes / (1 << 30),
                        (double)VEF_MOST_HOPS_BYTES / (1 << 30), topology->family->name);
    hops->table = vef_arena_alloc(arena, bytes, sizeof *hops->table);
    return VEF_OK;
}

vef_code vef_hops_create(const vef_topology *topology, vef_arena *arena, vef_hops *hops,
                         vef_error *error) {
    *hops = (vef_hops){0};
    vef_hops_find_targets(topology, arena, hops);
    hops->nearer = vef_arena_alloc(arena, distances_of(topology), sizeof *hops->nearer);
    vef_code code = search_first(hops, error);
    if (code == VEF_OK)
        code = make_table(topology, arena, hops, error);
    if (code == VEF_OK)
        search_all(hops);
    return code;
}
