/* The ways of sharing traffic among minimal paths. To add one: a file sharing_*.c that fills in a
 * vef_sharing, its declaration in link_load.h, and a row here; help and error messages follow. */
#include "netmodel/analysis/loads/link_load.h"

#include <string.h>

/* clang-format off */
const vef_sharing *const vef_sharings[] = {
    &vef_sharing_paths,
    &vef_sharing_records,
    &vef_sharing_straight,
    NULL,
};
/* clang-format on */
enum { SHARINGS = sizeof vef_sharings / sizeof *vef_sharings - 1 };

vef_code vef_sharing_find(const char *name, const vef_sharing **sharing, vef_error *error) {
    const char *names[SHARINGS];
    for (size_t i = 0; i < SHARINGS; i++) {
        names[i] = vef_sharings[i]->name;
        if (strcmp(names[i], name) == 0) {
            *sharing = vef_sharings[i];
            return VEF_OK;
        }
    }
    return vef_fail_unknown(error, "sharing", name, names, SHARINGS);
}
