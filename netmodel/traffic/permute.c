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

vef_code vef_permute_bits(const vef_pattern *pattern, uint32_t *bits, vef_error *error) {
    const uint32_t endpoints = pattern->endpoints;
    if (endpoints >= 2 && (endpoints & (endpoints - 1)) == 0) {
        *bits = (uint32_t)__builtin_ctz(endpoints);
        return VEF_OK;
    }
    const uint64_t above = endpoints < 2 ? 2 : UINT64_C(1) << (32 - __builtin_clz(endpoints));
    if (endpoints < 4)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "it permutes the bits of endpoint numbers: the network has %u endpoint%s: "
                        "expected a power of two, at least 2, such as %llu",
                        endpoints, endpoints == 1 ? "" : "s", (unsigned long long)above);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "it permutes the bits of endpoint numbers: the network has %u endpoints: "
                    "expected a power of two, such as %llu or %llu",
                    endpoints, (unsigned long long)(above / 2), (unsigned long long)above);
}

vef_code vef_permute_by_bits(vef_pattern *pattern, uint32_t (*to)(uint32_t number, uint32_t bits),
                             vef_error *error) {
    uint32_t bits = 0;
    vef_code code = vef_permute_bits(pattern, &bits, error);
    if (code != VEF_OK)
        return code;
    uint32_t *table = vef_permute_create(pattern);
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        table[e] = to(e, bits);
    return VEF_OK;
}
