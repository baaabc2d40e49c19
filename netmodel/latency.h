/* A histogram of latencies: exact below VEF_LATENCY_EXACT cycles, above with buckets no wider than
 * 1/128 of the value, so that a percentile is exact or within 1 %. */
#ifndef VEF_NETMODEL_LATENCY_H
#define VEF_NETMODEL_LATENCY_H

#include <stdint.h>

enum {
    VEF_LATENCY_EXACT_BITS = 12,
    VEF_LATENCY_EXACT = 1 << VEF_LATENCY_EXACT_BITS,
    VEF_LATENCY_PART_BITS = 7,
    VEF_LATENCY_BUCKETS =
        VEF_LATENCY_EXACT + ((64 - VEF_LATENCY_EXACT_BITS) << VEF_LATENCY_PART_BITS),
};

typedef struct vef_latency {
    uint64_t count, sum;
    uint64_t buckets[VEF_LATENCY_BUCKETS];
} vef_latency; /* zero-initialised is empty */

/* Adds `count` equal latencies. */
static inline void vef_latency_add_all(vef_latency *latency, uint64_t cycles, uint64_t count) {
    uint32_t bucket = (uint32_t)cycles;
    if (cycles >= VEF_LATENCY_EXACT) {
        uint32_t octave = 63u - (uint32_t)__builtin_clzll(cycles);
        uint32_t part = (uint32_t)(cycles >> (octave - VEF_LATENCY_PART_BITS)) &
                        ((1u << VEF_LATENCY_PART_BITS) - 1);
        bucket =
            VEF_LATENCY_EXACT + ((octave - VEF_LATENCY_EXACT_BITS) << VEF_LATENCY_PART_BITS) + part;
    }
    latency->buckets[bucket] += count;
    latency->count += count;
    latency->sum += count * cycles;
}

static inline void vef_latency_add(vef_latency *latency, uint64_t cycles) {
    vef_latency_add_all(latency, cycles, 1);
}

/* Adds those of another. */
void vef_latency_join(vef_latency *latency, const vef_latency *other);

double vef_latency_mean(const vef_latency *latency); /* 0 when empty */

/* The least latency that at least `share` (0 to 1) of them do not exceed; 0 if empty. */
double vef_latency_percentile(const vef_latency *latency, double share);

#endif
