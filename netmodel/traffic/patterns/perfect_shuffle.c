/* Perfect shuffle: the bits of the endpoint's number rotated to the left by one (Dally, Towles:
 * "Principles and Practices of Interconnection Networks", section 3.2; Camara et al., TPDS 2010,
 * section 6.2): of 2^b endpoints, s sends to 2 s, or 2 s - 2^b + 1 where that is too much. The
 * first and the last are silent. */
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

static const vef_param schema[] = {{.key = NULL}};

static uint32_t rotated(uint32_t number, uint32_t bits) {
    return (number << 1 & ((1u << bits) - 1)) | number >> (bits - 1);
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    return vef_permute_by_bits(pattern, rotated, error);
}

static const char *const samples[] = {"{}", NULL};

const vef_pattern_kind vef_pattern_perfect_shuffle = {
    .name = "perfect-shuffle",
    .aliases = "shuffle",
    .summary = "the bits of the number rotated to the left by one; a power of two of endpoints",
    .schema = schema,
    .create = create,
    .destination = vef_permute_destination,
    .permutation = true,
    .samples = samples,
};
