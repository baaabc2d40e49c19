/* A histogram of latencies. See latency.h. */
#include "netmodel/latency.h"

#include <math.h>

void vef_latency_join(vef_latency *latency, const vef_latency *other) {
    latency->count += other->count;
    latency->sum += other->sum;
    for (uint32_t bucket = 0; bucket < VEF_LATENCY_BUCKETS; bucket++)
        latency->buckets[bucket] += other->buckets[bucket];
}

double vef_latency_mean(const vef_latency *latency) {
    return latency->count ? (double)latency->sum / (double)latency->count : 0;
}

/* The middle of a bucket. */
static double value_of(uint32_t bucket) {
    if (bucket < VEF_LATENCY_EXACT)
        return bucket;
    uint32_t above = bucket - VEF_LATENCY_EXACT;
    int octave = (int)(above >> VEF_LATENCY_PART_BITS) + VEF_LATENCY_EXACT_BITS;
    uint32_t part = above & ((1u << VEF_LATENCY_PART_BITS) - 1);
    double width = ldexp(1, octave - VEF_LATENCY_PART_BITS);
    return ldexp(1, octave) + (part + 0.5) * width - 0.5;
}

double vef_latency_percentile(const vef_latency *latency, double share) {
    if (latency->count == 0)
        return 0;
    double wanted = ceil(share * (double)latency->count);
    uint64_t below = 0;
    for (uint32_t bucket = 0; bucket < VEF_LATENCY_BUCKETS; bucket++) {
        below += latency->buckets[bucket];
        if (below > 0 && (double)below >= wanted)
            return value_of(bucket);
    }
    return value_of(VEF_LATENCY_BUCKETS - 1);
}
