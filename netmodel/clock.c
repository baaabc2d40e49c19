/* The time of network models in picoseconds. See clock.h. */
#include "netmodel/clock.h"

#include <math.h>

#define PS_PER_S UINT64_C(1000000000000)

static unsigned __int128 greatest_divisor(unsigned __int128 a, unsigned __int128 b) {
    while (b) {
        const unsigned __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

vef_net_clock vef_net_clock_of_cycles(const vef_netmodel *model) {
    unsigned __int128 ps = (unsigned __int128)model->phit_bytes * 8 * PS_PER_S;
    unsigned __int128 parts = model->bandwidth_bits_per_s;
    const unsigned __int128 divisor = greatest_divisor(ps, parts);
    ps /= divisor;
    parts /= divisor;
    for (; ps >> 63; ps >>= 1) /* cycles of hours: the last digits are irrelevant */
        parts = parts > 1 ? parts >> 1 : 1;
    return (vef_net_clock){(uint64_t)ps, (uint64_t)parts};
}

vef_net_clock vef_net_clock_of(const vef_netmodel *model) {
    return model->exact ? (vef_net_clock){1, 1} : vef_net_clock_of_cycles(model);
}

uint64_t vef_netmodel_time_of(const vef_netmodel *model, uint64_t cycles) {
    if (!model->exact)
        return cycles;
    const vef_net_clock clock = vef_net_clock_of_cycles(model);
    return vef_net_clock_ps(&clock, cycles);
}

uint64_t vef_netmodel_cycles_at(const vef_netmodel *model, uint64_t time) {
    if (!model->exact)
        return time;
    const vef_net_clock clock = vef_net_clock_of_cycles(model);
    return vef_net_clock_from(&clock, time);
}

double vef_netmodel_cycles_in(const vef_netmodel *model, uint64_t time) {
    return model->exact ? vef_netmodel_cycles_of_ps(model, time) : (double)time;
}

double vef_netmodel_cycle_ps(const vef_netmodel *model) {
    const vef_net_clock clock = vef_net_clock_of_cycles(model);
    return (double)clock.ps / (double)clock.parts;
}

double vef_netmodel_cycles_of_ps(const vef_netmodel *model, uint64_t ps) {
    const double cycle_ps = vef_netmodel_cycle_ps(model);
    const double cycles = (double)ps / cycle_ps, whole = round(cycles);
    return fabs(cycles - whole) * cycle_ps <= 1 && cycle_ps > 2 ? whole : cycles;
}
