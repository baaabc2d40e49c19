/* Permutations of 2^b endpoints by the bits of their numbers (Dally, Towles: "Principles and
 * Practices of Interconnection Networks", section 3.2; Camara et al., TPDS 2010, section 6.2).
 *
 * Bit complement: every bit inverted. s sends to 2^b - 1 - s: in a grid whose sizes are powers of
 * two, to the other end of every dimension. No endpoint is silent.
 *
 * Bit reversal: bit i of the destination is bit b - 1 - i of the source. The 2^ceil(b/2) whose
 * numbers read the same both ways are silent.
 *
 * Perfect shuffle: the bits rotated to the left by one. s sends to 2 s, or 2 s - 2^b + 1 where that
 * is too much. The first and the last are silent. */
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

static vef_code refuse(uint32_t endpoints, vef_error *error) {
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

static vef_code permute(vef_pattern *pattern, uint32_t (*to)(uint32_t number, uint32_t bits),
                        vef_error *error) {
    const uint32_t endpoints = pattern->endpoints;
    if (endpoints < 2 || (endpoints & (endpoints - 1)) != 0)
        return refuse(endpoints, error);
    uint32_t *table = vef_permute_create(pattern);
    for (uint32_t e = 0; e < endpoints; e++)
        table[e] = to(e, (uint32_t)__builtin_ctz(endpoints));
    return VEF_OK;
}

static const vef_param schema[] = {{.key = NULL}};
#define BIT_PATTERN .schema = schema, VEF_PERMUTE_HOOKS, .samples = VEF_LIST("{}")

static uint32_t bit_complement(uint32_t number, uint32_t bits) {
    return (1u << bits) - 1 - number;
}

static vef_code create_bit_complement(vef_pattern *pattern, vef_error *error) {
    return permute(pattern, bit_complement, error);
}

const vef_pattern_kind vef_pattern_bit_complement = {
    .name = "bit-complement",
    .aliases = "complement",
    .summary = "every bit of the number inverted; a power of two of endpoints",
    .create = create_bit_complement,
    BIT_PATTERN,
};

static uint32_t bit_reversal(uint32_t number, uint32_t bits) {
    uint32_t to = 0;
    for (uint32_t i = 0; i < bits; i++)
        to |= (number >> i & 1) << (bits - 1 - i);
    return to;
}

static vef_code create_bit_reversal(vef_pattern *pattern, vef_error *error) {
    return permute(pattern, bit_reversal, error);
}

const vef_pattern_kind vef_pattern_bit_reversal = {
    .name = "bit-reversal",
    .aliases = "reversal bit-reverse",
    .summary = "the bits of the number in reverse order; a power of two of endpoints",
    .create = create_bit_reversal,
    BIT_PATTERN,
};

static uint32_t perfect_shuffle(uint32_t number, uint32_t bits) {
    return (number << 1 & ((1u << bits) - 1)) | number >> (bits - 1);
}

static vef_code create_perfect_shuffle(vef_pattern *pattern, vef_error *error) {
    return permute(pattern, perfect_shuffle, error);
}

const vef_pattern_kind vef_pattern_perfect_shuffle = {
    .name = "perfect-shuffle",
    .aliases = "shuffle",
    .summary = "the bits of the number rotated to the left by one; a power of two of endpoints",
    .create = create_perfect_shuffle,
    BIT_PATTERN,
};
