/* Random: any free nodes, in any order, all equally likely (Fisher and Yates, as Durstenfeld:
 * Algorithm 235, 1964); fixed by the seed and by which nodes are free. */
#include "common/memory.h"
#include "common/rng.h"
#include "replay/jobs/placement.h"

#include <stdlib.h>

static vef_code choose(const vef_job_placement *placement, const vef_job_nodes *nodes,
                       uint32_t wanted, uint32_t *chosen, vef_error *error) {
    (void)error;
    uint32_t *unused = vef_malloc((nodes->free + (size_t)1) * sizeof *unused), count = 0;
    for (uint32_t node = 0; node < nodes->count; node++)
        if (nodes->owner[node] == VEF_NOBODY)
            unused[count++] = node;
    vef_rng rng = vef_rng_make(placement->seed, VEF_RNG_PLACEMENT, 0);
    for (uint32_t i = 0; i < wanted; i++) {
        const uint32_t other = i + vef_rng_below(&rng, count - i);
        chosen[i] = unused[other];
        unused[other] = unused[i];
    }
    free(unused);
    return VEF_OK;
}

const vef_placement_kind vef_placement_random = {
    .name = "random",
    .aliases = "scattered shuffled",
    .parameter = "seed",
    .summary = "free nodes in a random order (seed: 1 unless given)",
    .choose = choose,
};
