/* Bit reversal: the bits of the endpoint's number in reverse order (Dally, Towles: "Principles and
 * Practices of Interconnection Networks", section 3.2; Camara et al., TPDS 2010, section 6.2): of
 * 2^b endpoints, bit i of the destination is bit b - 1 - i of the source. The 2^ceil(b/2) whose
 * numbers read the same both ways are silent. */
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

static const vef_param schema[] = {{.key = NULL}};

static vef_code create(vef_pattern *pattern, vef_error *error) {
    uint32_t bits, *to;
    vef_code code = vef_permute_bits(pattern, &bits, error);
    if (code == VEF_OK)
        code = vef_permute_create(pattern, &to, error);
    for (uint32_t e = 0; code == VEF_OK && e < pattern->endpoints; e++) {
        to[e] = 0;
        for (uint32_t i = 0; i < bits; i++)
            to[e] |= (e >> i & 1) << (bits - 1 - i);
    }
    return code;
}

static const char *const samples[] = {"{}", NULL};

const vef_pattern_kind vef_pattern_bit_reversal = {
    .name = "bit-reversal",
    .summary = "the bits of the number in reverse order; a power of two of endpoints",
    .schema = schema,
    .create = create,
    .destination = vef_permute_destination,
    .permutation = true,
    .samples = samples,
};
