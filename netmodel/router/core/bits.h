/* Bit sets, without instructions that some processors lack. */
#ifndef VEF_NETMODEL_ROUTER_CORE_BITS_H
#define VEF_NETMODEL_ROUTER_CORE_BITS_H

#include "common/rng.h"

#include <stdbool.h>
#include <stdint.h>

/* What networks at their defaults do not have: keeps it out of the way of what they do. */
#define VEF_RARELY(condition) __builtin_expect(condition, 0)

static inline uint32_t vef_bits_first(uint64_t bits) {
    return (uint32_t)__builtin_ctzll(bits);
}

static inline bool vef_bits_several(uint64_t bits) {
    return (bits & (bits - 1)) != 0;
}

static inline uint32_t vef_bits_count(uint64_t bits) {
    bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)((bits * UINT64_C(0x0101010101010101)) >> 56);
}

/* The index of the set bit with `skip` set bits below it. Skips the first few without branches,
 * which would often be mispredicted. */
static inline uint32_t vef_bits_nth(uint64_t bits, uint32_t skip) {
    enum { FEW = 3 };
    for (uint32_t i = 0; i < FEW; i++)
        bits &= bits - (uint64_t)(skip > i);
    for (; skip > FEW; skip--)
        bits &= bits - 1;
    return vef_bits_first(bits);
}

/* One of the set bits, of which there is at least one, drawn uniformly. The only one is not drawn,
 * also without a branch. */
static inline uint32_t vef_bits_draw(uint64_t bits, vef_rng *rng) {
    const uint32_t count = vef_bits_count(bits);
    vef_rng ahead = *rng;
    const uint32_t skip = vef_rng_below(&ahead, count); /* 0 of 1 */
    rng->counter += count > 1;
    return vef_bits_nth(bits, skip);
}

#endif
