/* A cost that depends on a size: piecewise linear, as measured host overheads are (Degomme, Legrand
 * et al.: "Simulating MPI Applications: The SMPI Approach", IEEE TPDS 28(8), 2017, section 5).
 *
 * In a file (VEF_PARAM_COST) it is a time, `{fixed: 200 ns, per_byte: 0.05 ns}`, or a list of such
 * mappings with `up_to`, the greatest size that each is for. */
#ifndef VEF_COMMON_CONFIG_COST_H
#define VEF_COMMON_CONFIG_COST_H

#include <stdbool.h>
#include <stdint.h>

enum { VEF_MOST_COST_PIECES = 16 };

/* Costs `fixed_ns` + bytes x `per_byte_ns`, both at least 0, up to this size. */
typedef struct vef_cost_piece {
    uint64_t up_to_bytes; /* UINT64_MAX: any */
    double fixed_ns, per_byte_ns;
} vef_cost_piece;

/* The pieces by ascending size; the last is for any. No piece: not given, or no cost. */
typedef struct vef_cost {
    uint32_t count;
    vef_cost_piece pieces[VEF_MOST_COST_PIECES];
} vef_cost;

static inline vef_cost vef_cost_of(double fixed_ns, double per_byte_ns) {
    return (vef_cost){.count = 1, .pieces = {{UINT64_MAX, fixed_ns, per_byte_ns}}};
}

/* In ns. */
static inline double vef_cost_ns(const vef_cost *cost, uint64_t bytes) {
    for (uint32_t i = 0; i < cost->count; i++)
        if (bytes <= cost->pieces[i].up_to_bytes)
            return cost->pieces[i].fixed_ns + (double)bytes * cost->pieces[i].per_byte_ns;
    return 0;
}

/* Whether no size costs anything. */
static inline bool vef_cost_is_zero(const vef_cost *cost) {
    for (uint32_t i = 0; i < cost->count; i++)
        if (cost->pieces[i].fixed_ns > 0 || cost->pieces[i].per_byte_ns > 0)
            return false;
    return true;
}

#endif
