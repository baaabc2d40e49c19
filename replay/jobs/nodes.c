/* The nodes of a machine. See nodes.h. */
#include "replay/jobs/nodes.h"
#include "common/memory.h"

#include <stdlib.h>

/* The last coordinate of a router; 0 without a grid. */
static uint32_t last_coordinate(const vef_topology *topology, uint32_t router) {
    uint32_t coordinates[VEF_MAX_DIMENSIONS];
    uint32_t last = topology->dimensions - 1;
    while (last > 0 && topology->sizes[last] == 1)
        last--;
    vef_topology_coordinates(topology, router, coordinates);
    return coordinates[last];
}

/* Numbers the groups from 0, in the order of the numbers that nodes->group has of them, which are
 * below `most`. */
static void number_groups(vef_job_nodes *nodes, uint32_t most) {
    uint32_t *number = vef_calloc(most, sizeof *number);
    for (uint32_t node = 0; node < nodes->count; node++)
        number[nodes->group[node]] = 1;
    nodes->groups = 0;
    for (uint32_t i = 0; i < most; i++)
        number[i] = number[i] ? nodes->groups++ : 0;
    for (uint32_t node = 0; node < nodes->count; node++)
        nodes->group[node] = number[nodes->group[node]];
    free(number);
}

static void find_groups(vef_job_nodes *nodes) {
    const vef_topology *topology = nodes->topology;
    nodes->groups = 1;
    if (!topology)
        return;
    for (uint32_t node = 0; node < nodes->count; node++)
        nodes->router[node] = vef_topology_router_of(topology, node * nodes->nics);
    if (topology->dimensions > 1) {
        for (uint32_t node = 0; node < nodes->count; node++)
            nodes->group[node] = last_coordinate(topology, nodes->router[node]);
        number_groups(nodes, topology->routers);
    }
    if (nodes->groups > 1)
        return;
    for (uint32_t node = 0; node < nodes->count; node++)
        nodes->group[node] = nodes->router[node];
    number_groups(nodes, topology->routers);
}

void vef_job_nodes_make(vef_job_nodes *nodes, const vef_netmodel *network, uint32_t endpoints,
                        uint32_t nics, uint32_t cores) {
    const uint32_t used = network->endpoints == UINT32_MAX ? endpoints : network->endpoints;
    *nodes = (vef_job_nodes){
        .count = used / nics, .nics = nics, .cores = cores, .topology = network->topology};
    const size_t room = nodes->count ? nodes->count : 1;
    nodes->owner = vef_arena_alloc(&nodes->arena, room, sizeof *nodes->owner);
    nodes->group = vef_arena_alloc(&nodes->arena, room, sizeof *nodes->group);
    if (nodes->topology)
        nodes->router = vef_arena_alloc(&nodes->arena, room, sizeof *nodes->router);
    for (uint32_t node = 0; node < nodes->count; node++)
        nodes->owner[node] = VEF_NOBODY;
    nodes->free = nodes->count;
    find_groups(nodes);
}

void vef_job_nodes_release(vef_job_nodes *nodes) {
    vef_arena_release(&nodes->arena);
    *nodes = (vef_job_nodes){0};
}

void vef_job_nodes_take(vef_job_nodes *nodes, uint32_t node, uint32_t job) {
    nodes->owner[node] = job;
    nodes->free--;
}

void vef_job_nodes_free(vef_job_nodes *nodes, uint32_t node) {
    nodes->owner[node] = VEF_NOBODY;
    nodes->free++;
}
