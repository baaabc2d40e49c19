/* Counter-based random numbers: the n-th number of a stream is a hash of (seed, domain, index, n),
 * so a result depends on the seed and the stream, but not on the order in which streams are used.
 *
 * The hash is the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", OOPSLA 2014) over key + n * golden gamma. */
#ifndef VEF_COMMON_RNG_H
#define VEF_COMMON_RNG_H

#include <stdint.h>

/* Domain of a stream; streams of different domains are independent for equal seeds and indices. */
typedef enum vef_rng_domain {
    VEF_RNG_ROUTER = 1,
    VEF_RNG_SOURCE = 2,
    VEF_RNG_MAPPING = 3,
    VEF_RNG_TEST = 4,
    VEF_RNG_PARTITION = 5,
    VEF_RNG_TRAFFIC = 6,
    VEF_RNG_NOISE = 7,
    VEF_RNG_MEASUREMENT = 8,
    VEF_RNG_FAILURES = 9,
    VEF_RNG_TOPOLOGY = 10,
    VEF_RNG_WORKLOAD = 11,
    VEF_RNG_PLACEMENT = 12,
    VEF_RNG_MARKS = 13,
} vef_rng_domain;

typedef struct vef_rng {
    uint64_t key, counter;
} vef_rng;

static inline uint64_t vef_rng_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline vef_rng vef_rng_make(uint64_t seed, vef_rng_domain domain, uint64_t index) {
    const uint64_t gamma = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t key = vef_rng_mix(seed + gamma);
    key = vef_rng_mix(key ^ ((uint64_t)domain * gamma));
    key = vef_rng_mix(key + index * gamma + 1);
    return (vef_rng){key, 0};
}

/* 64 random bits. */
static inline uint64_t vef_rng_next(vef_rng *rng) {
    return vef_rng_mix(rng->key + ++rng->counter * UINT64_C(0x9e3779b97f4a7c15));
}

/* Uniform in [0, bound), bound > 0, by multiplication; the bias is below bound / 2^32. */
static inline uint32_t vef_rng_below(vef_rng *rng, uint32_t bound) {
    return (uint32_t)(((vef_rng_next(rng) >> 32) * bound) >> 32);
}

/* Uniform in [0, 1), 53 bits. */
static inline double vef_rng_unit(vef_rng *rng) {
    return (double)(vef_rng_next(rng) >> 11) * 0x1.0p-53;
}

#endif
