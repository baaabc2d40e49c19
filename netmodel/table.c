/* The network models. To add one: a file that fills in a vef_netmodel_kind, its declaration in
 * kinds.h, and a row here. The first row is the default of the key `model`. */
#include "netmodel/kinds.h"

/* clang-format off */
const vef_netmodel_kind *const vef_netmodel_kinds[] = {
    &vef_netmodel_router,
    &vef_netmodel_ideal,
    &vef_netmodel_loggp,
    &vef_netmodel_flow,
    NULL,
};
/* clang-format on */
