/* Simulated time: picoseconds, in 64 bits. Durations in ns become ps here.
 *
 * The scale of computation is a fraction, and the remainder of a conversion is carried into the
 * next one of the same thread, so that the sum of any number of gaps is exact to 1 ps. */
#ifndef VEF_REPLAY_STATE_SIM_TIME_H
#define VEF_REPLAY_STATE_SIM_TIME_H

#include "common/status.h"

#include <stdint.h>

#define VEF_PS_PER_NS UINT64_C(1000)
/* The greatest time: 53 days. */
#define VEF_MOST_PS (UINT64_C(1) << 62)

/* Simulated ps for each ns that was measured. */
typedef struct vef_time_scale {
    uint64_t numerator, denominator;
} vef_time_scale;

/* One ns becomes `scale` ns (0 … 2^20): exactly, for the simplest fraction that rounds to this
 * floating-point number, so 1 / 3.0 is a third and 0.3 three tenths. */
vef_code vef_time_scale_make(double scale, vef_time_scale *made, vef_error *error);

/* The same as vef_time_scale_ps, for products of more than 64 bits. */
uint64_t vef_time_scale_wide(const vef_time_scale *scale, uint64_t ns, uint64_t *remainder);

/* The ps of `ns`, carrying `*remainder` (below `denominator`; initially 0); at most VEF_MOST_PS. */
static inline uint64_t vef_time_scale_ps(const vef_time_scale *scale, uint64_t ns,
                                         uint64_t *remainder) {
    uint64_t product;
    if (__builtin_mul_overflow(ns, scale->numerator, &product) ||
        __builtin_add_overflow(product, *remainder, &product))
        return vef_time_scale_wide(scale, ns, remainder);
    uint64_t ps = product;
    if (scale->denominator != 1) {
        *remainder = product % scale->denominator;
        ps = product / scale->denominator;
    }
    return ps < VEF_MOST_PS ? ps : VEF_MOST_PS;
}

/* A measured duration without a scale; at most VEF_MOST_PS. */
static inline uint64_t vef_ps_of_ns(uint64_t ns) {
    return ns < VEF_MOST_PS / VEF_PS_PER_NS ? ns * VEF_PS_PER_NS : VEF_MOST_PS;
}

/* A duration of a configuration, rounded to the nearest ps; 0 … VEF_MOST_PS. */
uint64_t vef_ps_of(double ns);

#endif
