/* Bit complement: every bit of the endpoint's number inverted (Dally, Towles: "Principles and
 * Practices of Interconnection Networks", section 3.2; Camara et al., TPDS 2010, section 6.2). Of
 * 2^b endpoints, s sends to 2^b - 1 - s: in a grid whose sizes are powers of two, to the other end
 * of every dimension. No endpoint is silent. */
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

static const vef_param schema[] = {{.key = NULL}};

static uint32_t complement(uint32_t number, uint32_t bits) {
    return (1u << bits) - 1 - number;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    return vef_permute_by_bits(pattern, complement, error);
}

static const char *const samples[] = {"{}", NULL};

const vef_pattern_kind vef_pattern_bit_complement = {
    .name = "bit-complement",
    .aliases = "complement",
    .summary = "every bit of the number inverted; a power of two of endpoints",
    .schema = schema,
    .create = create,
    .destination = vef_permute_destination,
    .permutation = true,
    .samples = samples,
};
