/* Tables of destinations. See permute.h. */
#include "netmodel/traffic/permute.h"

uint32_t *vef_permute_create(vef_pattern *pattern) {
    const uint32_t endpoints = pattern->endpoints;
    uint32_t *table = vef_arena_alloc(&pattern->arena, endpoints, sizeof *table);
    for (uint32_t e = 0; e < endpoints; e++)
        table[e] = e;
    pattern->state = table;
    return table;
}

uint32_t vef_permute_destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    (void)rng;
    const uint32_t *table = pattern->state;
    return table[source] == source ? VEF_SILENT : table[source];
}
