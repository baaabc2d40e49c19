/* Bit reversal: the bits of the endpoint's number in reverse order (Dally, Towles: "Principles and
 * Practices of Interconnection Networks", section 3.2; Camara et al., TPDS 2010, section 6.2): of
 * 2^b endpoints, bit i of the destination is bit b - 1 - i of the source. The 2^ceil(b/2) whose
 * numbers read the same both ways are silent. */
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

static const vef_param schema[] = {{.key = NULL}};

static uint32_t reversed(uint32_t number, uint32_t bits) {
    uint32_t to = 0;
    for (uint32_t i = 0; i < bits; i++)
        to |= (number >> i & 1) << (bits - 1 - i);
    return to;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    return vef_permute_by_bits(pattern, reversed, error);
}

static const char *const samples[] = {"{}", NULL};

const vef_pattern_kind vef_pattern_bit_reversal = {
    .name = "bit-reversal",
    .aliases = "reversal bit-reverse",
    .summary = "the bits of the number in reverse order; a power of two of endpoints",
    .schema = schema,
    .create = create,
    .destination = vef_permute_destination,
    .permutation = true,
    .samples = samples,
};
