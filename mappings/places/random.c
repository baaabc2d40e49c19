/* Random: the tasks in a random order over all endpoints, each at most once; every permutation is
 * equally likely (Fisher and Yates, as Durstenfeld: Algorithm 235, 1964) and fixed by the seed. */
#include "common/memory.h"
#include "common/rng.h"
#include "mappings/families.h"

#include <stdlib.h>
#include <string.h>

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)error;
    const uint32_t tasks = view->tasks, endpoints = view->endpoints;
    uint32_t *unused = vef_malloc(endpoints * sizeof *unused);
    vef_rng rng = vef_rng_make(stage->number, VEF_RNG_MAPPING, 0);
    for (uint32_t e = 0; e < endpoints; e++)
        unused[e] = e;
    for (uint32_t t = 0; t < tasks; t++) {
        const uint32_t other = t + vef_rng_below(&rng, endpoints - t);
        const uint32_t taken = unused[other];
        unused[other] = unused[t];
        unused[t] = taken;
    }
    memcpy(endpoint, unused, tasks * sizeof *endpoint);
    free(unused);
    return VEF_OK;
}

const vef_mapping_family vef_mapping_random = {
    .name = "random",
    .summary = "tasks over all endpoints in a random order",
    .needs = VEF_MAPPING_SEED,
    .parameter = "seed",
    .samples = VEF_LIST("random(0)", "random(12345)"),
    .assign = assign,
};
