/* Group: as few groups as possible, with the least waste, as schedulers that know the network do
 * (the tree and topology plugins of Slurm): if a group has enough free nodes, the one with the
 * fewest that suffice; else all free nodes of the group that has most of them, and so on for the
 * rest. Equal groups are taken in the order of their numbers, and nodes of a group likewise. */
#include "common/memory.h"
#include "replay/jobs/placement.h"

#include <stdlib.h>

/* The fewest free nodes that suffice, else the most. */
static uint32_t best_group(const uint32_t *free_in, uint32_t groups, uint32_t wanted) {
    uint32_t best = 0;
    for (uint32_t g = 1; g < groups; g++) {
        const bool fits = free_in[g] >= wanted, best_fits = free_in[best] >= wanted;
        if (fits ? !best_fits || free_in[g] < free_in[best]
                 : !best_fits && free_in[g] > free_in[best])
            best = g;
    }
    return best;
}

static vef_code choose(const vef_job_placement *placement, const vef_job_nodes *nodes,
                       uint32_t wanted, uint32_t *chosen, vef_error *error) {
    (void)placement, (void)error;
    uint32_t *free_in = vef_calloc(nodes->groups, sizeof *free_in), count = 0;
    for (uint32_t node = 0; node < nodes->count; node++)
        free_in[nodes->group[node]] += nodes->owner[node] == VEF_NOBODY;
    while (count < wanted) {
        const uint32_t group = best_group(free_in, nodes->groups, wanted - count);
        for (uint32_t node = 0; node < nodes->count && count < wanted; node++)
            if (nodes->group[node] == group && nodes->owner[node] == VEF_NOBODY)
                chosen[count++] = node;
        free_in[group] = 0;
    }
    free(free_in);
    return VEF_OK;
}

const vef_placement_kind vef_placement_group = {
    .name = "group",
    .aliases = "groups switch topology compact",
    .summary = "as few groups as possible: groups of a dragonfly, planes of a grid, else routers",
    .choose = choose,
};
