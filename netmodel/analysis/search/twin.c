/* The port configurations of a twin torus: which n of the 2n ports of a node are on card 0
 * (Andujar, thesis: the papers on the 3DT torus and on the optimal configuration of nDT tori).
 *
 * Exchanging the cards changes nothing, so there are (2n)! / (2 n! n!): 10 for n = 3, 126 for n =
 * 5, 1716 for n = 7. Mirrored and permuted configurations are all listed: routing depends on the
 * order of dimensions and resolves ties to +, so they need not be equal. */
#include "netmodel/analysis/search/request.h"
#include "netmodel/topology/twin/twin_ports.h"

static vef_code enumerate(const vef_search_request *request, vef_search_found found, void *context,
                          vef_error *error) {
    vef_arena arena = {0};
    vef_int_list sizes = {0};
    vef_code code = vef_search_read_key(request, "sizes", &sizes, &arena, error);
    vef_arena_release(&arena);
    if (code == VEF_OK && (sizes.count < 1 || sizes.count > VEF_MAX_TWIN_DIMENSIONS))
        code = vef_fail(error, VEF_INVALID, "sizes: %zu dimensions: out of range: expected 3 to %d",
                        sizes.count, VEF_MAX_TWIN_DIMENSIONS);
    uint64_t card0_ports = 0;
    while (code == VEF_OK && vef_twin_next_configuration((uint32_t)sizes.count, &card0_ports)) {
        char value[VEF_TWIN_PORTS_BYTES];
        vef_twin_ports_text((uint32_t)sizes.count, card0_ports, value, sizeof value);
        code = found(context, value, error);
    }
    return code;
}

const vef_search_space vef_search_space_twin_torus = {
    .family = "twin-torus",
    .leaves = "card0",
    .summary = "all assignments of a node's ports to its two cards",
    .example = "twin-torus sizes=4x4x4",
    .fewer = "fewer dimensions (9 have 24,310 configurations)",
    .usual = VEF_BY_INNER_USE,
    .inner_use = vef_inner_use_count,
    .enumerate = enumerate,
};
