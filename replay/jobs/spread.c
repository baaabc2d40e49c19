/* Groups and distances of a job's nodes. See spread.h. */
#include "replay/jobs/spread.h"

#include "common/containers/order.h"
#include "common/memory.h"
#include "mappings/optimisers/hops.h"

#include <stdlib.h>

VEF_ORDER_NUMBERS(by_number, uint32_t)

/* Sorts, and keeps one of each; returns how many are left. */
static uint32_t keep_different(uint32_t *numbers, uint32_t count) {
    uint32_t kept = 0;
    qsort(numbers, count, sizeof *numbers, by_number);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[kept - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

/* The mean over ordered pairs of nodes, which are sorted; `scratch` is room for 2 x [routers]. */
static double mean_hops(const vef_job_nodes *nodes, const uint32_t *list, uint32_t count,
                        uint32_t *scratch) {
    const vef_topology *topology = nodes->topology;
    uint32_t *hops = scratch, *queue = scratch + topology->routers;
    double sum = 0;
    for (uint32_t i = 0, known = VEF_NO_ROUTER; i < count; i++) {
        const uint32_t from = nodes->router[list[i]];
        if (!topology->distance && from != known)
            vef_mapping_hops_from(topology, from, hops, queue);
        known = from;
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t to = nodes->router[list[j]];
            sum += topology->distance ? topology->distance(topology, from, to) : hops[to];
        }
    }
    return sum / ((double)count * (count - 1));
}

void vef_job_spread_find(const vef_job_nodes *nodes, const uint32_t *endpoint, uint32_t tasks,
                         vef_job_spread *spread) {
    const size_t routers = nodes->topology ? nodes->topology->routers : 0;
    uint32_t *list = vef_malloc((tasks + (size_t)1) * sizeof *list);
    uint32_t *groups = vef_malloc((tasks + (size_t)1) * sizeof *groups);
    uint32_t *scratch = vef_malloc((2 * routers + 1) * sizeof *scratch);
    *spread = (vef_job_spread){0};
    for (uint32_t task = 0; task < tasks; task++)
        list[task] = endpoint[task] / nodes->nics;
    const uint32_t count = keep_different(list, tasks);
    for (uint32_t i = 0; i < count; i++)
        groups[i] = nodes->group[list[i]];
    spread->nodes = count;
    if (count > 1 && nodes->topology)
        spread->mean_hops = mean_hops(nodes, list, count, scratch);
    spread->groups = keep_different(groups, count);
    free(list);
    free(groups);
    free(scratch);
}
