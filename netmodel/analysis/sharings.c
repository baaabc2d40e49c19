/* The ways of sharing traffic among minimal paths. To add one: a row here, in a file sharing_*.c.
 */
#include "netmodel/analysis/link_load.h"

/* clang-format off */
const vef_sharing *const vef_sharings[] = {
    &vef_sharing_paths,
    &vef_sharing_records,
    &vef_sharing_straight,
    NULL,
};
/* clang-format on */
