/* The time of network models in picoseconds.
 *
 * A model counts time in units that are an exact rational number of ps: the router model in cycles,
 * exact models (vef_netmodel.exact) in ps. Unit k begins at floor(k x ps / parts) ps. Every
 * conversion is from the absolute time, so nothing drifts. A time that came from a unit converts
 * back to that unit, if a unit lasts at least 1 ps. */
#ifndef VEF_NETMODEL_CLOCK_H
#define VEF_NETMODEL_CLOCK_H

#include "netmodel/netmodel.h"

/* A unit lasts ps / parts picoseconds, a reduced fraction. */
typedef struct vef_net_clock {
    uint64_t ps, parts;
} vef_net_clock;

/* The clock of a model's time, and that of the cycles of its links (vef_netmodel_cycle_ns). They
 * are the same unless the model is exact. */
vef_net_clock vef_net_clock_of(const vef_netmodel *model);
vef_net_clock vef_net_clock_of_cycles(const vef_netmodel *model);

/* (a x b + more) / c, at most VEF_FOREVER - 1. */
static inline uint64_t vef_net_clock_divide(uint64_t a, uint64_t b, uint64_t more, uint64_t c) {
    const unsigned __int128 quotient = ((unsigned __int128)a * b + more) / c;
    return quotient < VEF_FOREVER ? (uint64_t)quotient : VEF_FOREVER - 1;
}

/* When unit `units` begins. VEF_FOREVER remains that, as in the following functions. */
static inline uint64_t vef_net_clock_ps(const vef_net_clock *clock, uint64_t units) {
    uint64_t ps;
    if (units == VEF_FOREVER ||
        (clock->parts == 1 && !__builtin_mul_overflow(units, clock->ps, &ps)))
        return units == VEF_FOREVER ? units : ps;
    return vef_net_clock_divide(units, clock->ps, 0, clock->parts);
}

/* The first unit that does not begin before `ps`. */
static inline uint64_t vef_net_clock_from(const vef_net_clock *clock, uint64_t ps) {
    if (ps == VEF_FOREVER || clock->parts == 1)
        return ps == VEF_FOREVER ? ps : ps / clock->ps + (ps % clock->ps != 0);
    return vef_net_clock_divide(ps, clock->parts, clock->ps - 1, clock->ps);
}

/* The last unit that begins at `ps` or before. */
static inline uint64_t vef_net_clock_until(const vef_net_clock *clock, uint64_t ps) {
    return ps == VEF_FOREVER ? ps : vef_net_clock_from(clock, ps + 1) - 1;
}

/* The time of a model, in its unit, at which a cycle of its links begins; and the first cycle that
 * does not begin before a time. */
uint64_t vef_netmodel_time_of(const vef_netmodel *model, uint64_t cycles);
uint64_t vef_netmodel_cycles_at(const vef_netmodel *model, uint64_t time);

/* A duration of a model's time in cycles of its links. */
double vef_netmodel_cycles_in(const vef_netmodel *model, uint64_t time);

/* The length of a cycle of the model's links, for arithmetic that need not be exact. */
double vef_netmodel_cycle_ps(const vef_netmodel *model);

/* Picoseconds in cycles of the model's links, for reports. A time within 1 ps of a whole number of
 * cycles, as one that came from a router, is that number. With its printf format. */
#define VEF_CYCLES_FORMAT "%.15g"
double vef_netmodel_cycles_of_ps(const vef_netmodel *model, uint64_t ps);

#endif
