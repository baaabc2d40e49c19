/* The traffic patterns and the processes. To add one: a file of patterns/ or processes/ that fills
 * in a vef_pattern_kind or vef_process_kind (traffic.h), its declaration in kinds.h, and a row
 * here; help, the reference, error messages and the generic tests follow. The first rows are the
 * defaults. */
#include "netmodel/traffic/kinds.h"

/* clang-format off */
const vef_pattern_kind *const vef_patterns[] = {
    &vef_pattern_uniform,
    NULL,
};

const vef_process_kind *const vef_processes[] = {
    &vef_process_bernoulli,
    NULL,
};
/* clang-format on */
