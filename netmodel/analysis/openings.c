/* What can be searched. To add a family: a file that fills in a vef_opening, its declaration in
 * search_request.h, and a row here; help and error messages follow. */
#include "netmodel/analysis/search_request.h"

/* clang-format off */
const vef_opening *const vef_openings[] = {
    &vef_opening_ibt,
    &vef_opening_twin_torus,
    &vef_opening_lattice,
    NULL,
};
/* clang-format on */

void vef_openings_describe(FILE *out, int indent) {
    for (size_t i = 0; vef_openings[i]; i++) {
        const vef_opening *opening = vef_openings[i];
        fprintf(out, "%*s%s: %s; by %s\n", indent, "", opening->example, opening->summary,
                vef_rank_names[opening->usual]);
        if (opening->limits)
            vef_config_describe(out, indent + 2, opening->limits);
    }
}
