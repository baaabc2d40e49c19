/* The routing algorithms. To add one: a file that fills in a vef_routing_algorithm, its declaration
 * in algorithms.h, and a row here; help, error messages and the generic tests follow. The first row
 * is the default. */
#include "netmodel/routing/algorithms.h"

/* clang-format off */
const vef_routing_algorithm *const vef_routings[] = {
    &vef_routing_adaptive,
    &vef_routing_dor,
    NULL,
};
/* clang-format on */
