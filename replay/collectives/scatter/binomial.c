/* Scatter: binomial (Thakur, Rabenseifner, Gropp 2005; p ranks, n bytes at the root): ceil(log2 p)
 * rounds; n(p-1)/p bytes leave the root. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_scatter_binomial(const vef_collective *call, vef_plan *plan) {
    uint32_t root = (uint32_t)call->root;
    vef_circle circle = vef_circle_from(call, root);
    vef_parts parts = vef_parts_pieces(call->size, call->bytes, root);
    vef_tree_down(plan, &circle, &parts, false);
}
