/* Simulated time: picoseconds. See sim_time.h. */
#include "replay/state/sim_time.h"

#include <math.h>

static const double most_scale = 1 << 20;

/* The simplest fraction that rounds to `value`, by its continued fraction. Its error is below 1 /
 * below^2, so 27 bits are enough for a value of at least 1; 40 are, for values down to 1e-12. */
static void to_fraction(double value, uint64_t *above, uint64_t *below) {
    const double most_below = value < 1 ? 0x1p40 : 0x1p30;
    double rest = value;
    uint64_t last_above = 1, last_below = 0;
    *above = (uint64_t)value;
    *below = 1;
    while ((double)*above / (double)*below != value && rest > floor(rest)) {
        rest = 1 / (rest - floor(rest));
        const double next_below = floor(rest) * (double)*below + (double)last_below;
        if (next_below > most_below)
            return;
        const uint64_t digit = (uint64_t)rest, a = *above, b = *below;
        *above = digit * a + last_above;
        *below = digit * b + last_below;
        last_above = a;
        last_below = b;
    }
}

vef_code vef_time_scale_make(double scale, vef_time_scale *made, vef_error *error) {
    if (!(scale >= 0 && scale <= most_scale))
        return vef_fail(error, VEF_INVALID,
                        "the scale of computation, %g, is out of range: expected 0 to %.0f", scale,
                        most_scale);
    uint64_t above, below;
    to_fraction(scale, &above, &below);
    *made = (vef_time_scale){above * VEF_PS_PER_NS, below};
    for (uint64_t factor = 2; factor <= 5; factor += 3) /* those of 1000 */
        while (made->numerator % factor == 0 && made->denominator % factor == 0)
            *made = (vef_time_scale){made->numerator / factor, made->denominator / factor};
    return VEF_OK;
}

uint64_t vef_time_scale_wide(const vef_time_scale *scale, uint64_t ns, uint64_t *remainder) {
    unsigned __int128 wide = (unsigned __int128)ns * scale->numerator + *remainder;
    *remainder = (uint64_t)(wide % scale->denominator);
    wide /= scale->denominator;
    return wide < VEF_MOST_PS ? (uint64_t)wide : VEF_MOST_PS;
}

uint64_t vef_ps_of(double ns) {
    const double ps = round(ns * (double)VEF_PS_PER_NS);
    return ps >= 0x1p62 ? VEF_MOST_PS : ps > 0 ? (uint64_t)ps : 0;
}
