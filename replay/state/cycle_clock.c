/* Measured nanoseconds as cycles of a network, without drift. */
#include "replay/state/cycle_clock.h"

#include <assert.h>
#include <math.h>

/* A scale is rounded to a multiple of 2^-20, or finer if possible: 0.5, 2 and whole numbers are
 * exact, others to a millionth. */
#define SCALE_UNIT (UINT64_C(1) << 20)

static unsigned __int128 greatest_divisor(unsigned __int128 a, unsigned __int128 b) {
    while (b) {
        unsigned __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

vef_code vef_cycle_clock_make(const vef_netmodel *network, double scale, vef_cycle_clock *clock,
                              vef_error *error) {
    if (!(scale >= 0 && scale <= (double)SCALE_UNIT))
        return vef_fail(error, VEF_INVALID,
                        "the scale of computation, %g, is out of range: expected 0 to %llu", scale,
                        (unsigned long long)SCALE_UNIT);
    if (network->bandwidth_bits_per_s == 0 || network->phit_bytes == 0)
        return vef_fail(error, VEF_INVALID, "the network has a cycle of zero length");
    unsigned __int128 above =
        (unsigned __int128)llround(scale * (double)SCALE_UNIT) * network->bandwidth_bits_per_s;
    unsigned __int128 below =
        (unsigned __int128)network->phit_bytes * 8 * UINT64_C(1000000000) * SCALE_UNIT;
    unsigned __int128 divisor = greatest_divisor(above, below);
    above /= divisor;
    below /= divisor;
    /* Beyond 63 bits the last digits are irrelevant. */
    while (above >> 63 || below >> 63) {
        above >>= 1;
        below >>= 1;
    }
    clock->numerator = (uint64_t)above;
    clock->denominator = below ? (uint64_t)below : 1;
    return VEF_OK;
}

uint64_t vef_cycle_clock_wide(const vef_cycle_clock *clock, uint64_t ns, uint64_t *remainder) {
    unsigned __int128 wide = (unsigned __int128)ns * clock->numerator + *remainder;
    *remainder = (uint64_t)(wide % clock->denominator);
    wide /= clock->denominator;
    return wide < VEF_CYCLE_CLOCK_MOST ? (uint64_t)wide : VEF_CYCLE_CLOCK_MOST;
}

uint64_t vef_cycle_clock_round(const vef_netmodel *network, double ns) {
    if (!(ns > 0))
        return 0;
    double cycles = ns * (double)network->bandwidth_bits_per_s / 8e9 / network->phit_bytes;
    if (cycles >= 0x1p62)
        return VEF_CYCLE_CLOCK_MOST;
    uint64_t whole = (uint64_t)llround(cycles);
    return whole ? whole : 1;
}
