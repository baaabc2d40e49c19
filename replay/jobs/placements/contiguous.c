/* Contiguous: the free nodes of the lowest numbers. */
#include "replay/jobs/placement.h"

static vef_code choose(const vef_job_placement *placement, const vef_job_nodes *nodes,
                       uint32_t wanted, uint32_t *chosen, vef_error *error) {
    (void)placement;
    (void)error;
    for (uint32_t node = 0, count = 0; count < wanted; node++)
        if (nodes->owner[node] == VEF_NOBODY)
            chosen[count++] = node;
    return VEF_OK;
}

const vef_placement_kind vef_placement_contiguous = {
    .name = "contiguous",
    .aliases = "linear first next block",
    .summary = "the free nodes of the lowest numbers (default)",
    .choose = choose,
};
