/* Measured nanoseconds as cycles of a network, without drift.
 *
 * A cycle lasts phit_bytes x 8 / bandwidth seconds, which is rarely a whole number of nanoseconds.
 * The ratio is stored as a fraction, and the remainder of a conversion is carried into the next one
 * of the same task, so that the sum of many short gaps is exact to one cycle. */
#ifndef VEF_REPLAY_STATE_CYCLE_CLOCK_H
#define VEF_REPLAY_STATE_CYCLE_CLOCK_H

#include "common/status.h"
#include "netmodel/netmodel.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_cycle_clock {
    uint64_t numerator, denominator; /* cycles per ns */
} vef_cycle_clock;

/* The clock of a network for `scale` (0 … 2^20): one ns becomes `scale` ns. */
vef_code vef_cycle_clock_make(const vef_netmodel *network, double scale, vef_cycle_clock *clock,
                              vef_error *error);

/* The same as vef_cycle_clock_cycles, for products of more than 64 bits. */
uint64_t vef_cycle_clock_wide(const vef_cycle_clock *clock, uint64_t ns, uint64_t *remainder);

/* The whole cycles in `ns`, carrying `*remainder` (below `denominator`; initially 0). Saturates at
 * VEF_CYCLE_CLOCK_MOST. */
#define VEF_CYCLE_CLOCK_MOST (UINT64_C(1) << 62)
static inline uint64_t vef_cycle_clock_cycles(const vef_cycle_clock *clock, uint64_t ns,
                                              uint64_t *remainder) {
    uint64_t product;
    if (__builtin_mul_overflow(ns, clock->numerator, &product) ||
        __builtin_add_overflow(product, *remainder, &product))
        return vef_cycle_clock_wide(clock, ns, remainder);
    *remainder = product % clock->denominator;
    const uint64_t cycles = product / clock->denominator;
    return cycles < VEF_CYCLE_CLOCK_MOST ? cycles : VEF_CYCLE_CLOCK_MOST;
}

/* Cycles of one duration alone, rounded to the nearest; at least 1 for a duration above 0. */
uint64_t vef_cycle_clock_round(const vef_netmodel *network, double ns);

#endif
