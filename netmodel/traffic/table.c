/* The traffic patterns and the processes. To add one: a file of patterns/ or processes/ that fills
 * in a vef_pattern_kind or vef_process_kind (traffic.h), its declaration in kinds.h, and a row
 * here; help, the reference, error messages and the generic tests follow. The first rows are the
 * defaults. */
#include "netmodel/traffic/kinds.h"

/* clang-format off */
const vef_pattern_kind *const vef_patterns[] = {
    &vef_pattern_uniform,
    &vef_pattern_hot_region,
    &vef_pattern_bit_complement,
    &vef_pattern_bit_reversal,
    &vef_pattern_perfect_shuffle,
    &vef_pattern_transpose,
    &vef_pattern_tornado,
    &vef_pattern_neighbour,
    &vef_pattern_local,
    &vef_pattern_zipf,
    &vef_pattern_permutation,
    NULL,
};

const vef_process_kind *const vef_processes[] = {
    &vef_process_bernoulli,
    &vef_process_poisson,
    &vef_process_bursts,
    NULL,
};
/* clang-format on */
