/* Distances to the routers with endpoints. See hops.h. */
#include "netmodel/routing/hops.h"

#include "common/workers.h"

#include <stdlib.h>
#include <string.h>

vef_code vef_hops_find_targets(const vef_topology *topology, vef_arena *arena, vef_hops *hops,
                               vef_error *error) {
    const uint32_t routers = topology->routers;
    hops->topology = topology;
    hops->target_of = vef_arena_alloc(arena, routers, sizeof *hops->target_of);
    hops->target = vef_arena_alloc(arena, routers, sizeof *hops->target);
    if (!hops->target_of || !hops->target)
        return vef_fail_memory(error, "the routers with endpoints",
                               2 * routers * sizeof *hops->target);
    memset(hops->target_of, 0xff, routers * sizeof *hops->target_of);
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t router = vef_topology_router_of(topology, e);
        if (hops->target_of[router] != VEF_NO_ROUTER)
            continue;
        hops->target_of[router] = hops->targets;
        hops->target[hops->targets++] = router;
    }
    return VEF_OK;
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

/* The diameter alone, from one router of each orbit if the family has orbits. `scratch` and `queue`
 * have room for all routers. */
static vef_code find_diameter(vef_hops *hops, uint16_t *scratch, uint32_t *queue,
                              vef_error *error) {
    const vef_topology *topology = hops->topology;
    bool *seen = calloc(topology->orbits + 1u, sizeof *seen);
    if (!seen)
        return vef_fail_memory(error, "the orbits of a topology", topology->orbits + 1u);
    vef_code code = VEF_OK;
    for (uint32_t t = 0; t < hops->targets && code == VEF_OK; t++) {
        const uint32_t router = hops->target[t];
        if (topology->orbits > 0) {
            const uint32_t orbit = vef_topology_orbit(topology, router);
            if (seen[orbit])
                continue;
            seen[orbit] = true;
        }
        search(topology, router, scratch, queue, hops->nearer);
        const uint32_t far = farthest(hops, scratch);
        if (far == UINT16_MAX)
            code = fail_unreachable(hops, t, scratch, error);
        else if (far > hops->diameter)
            hops->diameter = far;
    }
    free(seen);
    return code;
}

/* ---- the table, by several threads ---- */

typedef struct filling {
    const vef_hops *hops;
    uint32_t *queue;  /* [workers * routers] */
    uint32_t *nearer; /* [workers * distances] */
    size_t distances;
    uint32_t diameter[VEF_MOST_WORKERS];
} filling;

static void fill_row(void *context, uint32_t worker, uint32_t target) {
    filling *all = context;
    const vef_hops *hops = all->hops;
    const size_t routers = hops->topology->routers;
    uint16_t *row = hops->table + target * routers;
    search(hops->topology, hops->target[target], row, all->queue + worker * routers,
           all->nearer + worker * all->distances);
    const uint32_t far = farthest(hops, row);
    if (far > all->diameter[worker])
        all->diameter[worker] = far;
}

static vef_code fill_table(vef_hops *hops, vef_error *error) {
    const size_t routers = hops->topology->routers, distances = distances_of(hops->topology);
    const uint32_t workers = vef_workers_for(hops->targets);
    filling all = {.hops = hops,
                   .queue = malloc(workers * routers * sizeof *all.queue),
                   .nearer = calloc(workers * distances, sizeof *all.nearer),
                   .distances = distances};
    const bool searched = all.queue && all.nearer;
    if (searched) {
        vef_workers_run(workers, hops->targets, fill_row, &all);
        for (uint32_t i = 0; i < workers; i++) {
            if (all.diameter[i] > hops->diameter)
                hops->diameter = all.diameter[i];
            for (size_t d = 0; d < distances; d++)
                if (all.nearer[i * distances + d] > hops->nearer[d])
                    hops->nearer[d] = all.nearer[i * distances + d];
        }
    }
    free(all.queue);
    free(all.nearer);
    if (!searched)
        return vef_fail_memory(error, "a breadth-first search",
                               workers * routers * sizeof *all.queue);
    for (uint32_t t = 0; t < hops->targets && hops->diameter == UINT16_MAX; t++)
        if (farthest(hops, hops->table + t * routers) == UINT16_MAX)
            return fail_unreachable(hops, t, hops->table + t * routers, error);
    return VEF_OK;
}

vef_code vef_hops_create(const vef_topology *topology, vef_arena *arena, vef_hops *hops,
                         vef_error *error) {
    enum { LARGE_TABLE_BYTES = 1 << 28 }; /* a formula is better than a larger one */
    *hops = (vef_hops){0};
    vef_code code = vef_hops_find_targets(topology, arena, hops, error);
    if (code != VEF_OK)
        return code;
    hops->nearer = vef_arena_alloc(arena, distances_of(topology), sizeof *hops->nearer);
    if (!hops->nearer)
        return vef_fail_memory(error, "links by distance", distances_of(topology) * 4);
    const uint64_t bytes = (uint64_t)hops->targets * topology->routers * sizeof *hops->table;
    if (bytes <= LARGE_TABLE_BYTES || !topology->distance) {
        if (bytes > VEF_MOST_HOPS_BYTES)
            return vef_fail(
                error, VEF_UNSUPPORTED,
                "the hops between %u routers and %u with endpoints need %.1f GiB: out of range, at "
                "most %.0f, and topology %s has no formula for them with these parameters",
                topology->routers, hops->targets, (double)bytes / (1 << 30),
                (double)VEF_MOST_HOPS_BYTES / (1 << 30), topology->family->name);
        hops->table = vef_arena_alloc(arena, bytes / sizeof *hops->table, sizeof *hops->table);
        if (!hops->table)
            return vef_fail_memory(error, "the hops between routers", bytes);
        return fill_table(hops, error);
    }
    uint16_t *scratch = malloc(topology->routers * sizeof *scratch);
    uint32_t *queue = malloc(topology->routers * sizeof *queue);
    code = scratch && queue
               ? find_diameter(hops, scratch, queue, error)
               : vef_fail_memory(error, "a breadth-first search", topology->routers * 6ull);
    free(scratch);
    free(queue);
    return code;
}
