/* The search spaces. To add one: a file that fills in a vef_search_space, its declaration in
 * request.h, and a row here; help and error messages follow. */
#include "netmodel/analysis/search/request.h"

/* clang-format off */
const vef_search_space *const vef_search_spaces[] = {
    &vef_search_space_ibt,
    &vef_search_space_twin_torus,
    &vef_search_space_lattice,
    NULL,
};
/* clang-format on */

const char *const vef_rank_names[] = {"average", "diameter", "inner", NULL};

void vef_search_spaces_describe(FILE *out, int indent) {
    for (size_t i = 0; vef_search_spaces[i]; i++) {
        const vef_search_space *space = vef_search_spaces[i];
        fprintf(out, "%*s%s: %s; by %s\n", indent, "", space->example, space->summary,
                vef_rank_names[space->usual]);
        if (space->limits)
            vef_config_describe(out, indent + 2, space->limits);
    }
}
