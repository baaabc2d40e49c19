/* D-mod-K and S-mod-K on generalized fat trees: the number of the destination's terminal, or of the
 * source's, chooses the links up.
 *
 * Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat
 * Trees" (CCIT report 776, Technion, 2010); Zahavi, Johnson, Kerbyson and Lang, "Optimized
 * InfiniBand Fat-Tree Routing for Shift All-to-All Communication Patterns" (Concurrency and
 * Computation, 2010). A switch of level l sends packets to terminal d up by port floor(d / (w_1 …
 * w_l)) modulo (w_{l+1} x parallel links). So all packets to d take one way down from each top
 * switch, and in trees of full bandwidth shift permutations load no link twice.
 *
 * With the source's number all packets of a source go up one way: Leiserson et al., "The Network
 * Architecture of the Connection Machine CM-5" (1992); Rodriguez et al., "Oblivious Routing Schemes
 * in Extended Generalized Fat Tree Networks" (HPIDC 2009), which compares both.
 *
 * Bound, channels, freedom from deadlock: nca.h. Example: on XGFT(2; 4, 4; 1, 4) packets to
 * terminals 0, 4, 8 and 12 leave a leaf by its first up port, those to 1, 5, 9 and 13 by the
 * second; by S-mod-K those from 5, child 1 of the second leaf, by the second, whatever the
 * destination. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/tree/nca.h"

static vef_code create(vef_routing *routing, vef_error *error) {
    routing->by_source = routing->algorithm == &vef_routing_s_mod_k;
    return vef_nca_create(routing, 1, error);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    const uint32_t endpoint = routing->by_source ? travel->source : travel->destination;
    vef_nca_set(routing, travel, vef_xgft_terminal(routing->topology, endpoint), route);
}

#define MOD_K                                                                                      \
    VEF_NCA_HOOKS(vef_nca_schema, vef_nca_parameters, vef_routing_keep_route),                     \
        .supports = vef_nca_supports, .create = create, .begin = begin,                            \
        .candidates = vef_nca_modulo_candidates

const vef_routing_algorithm vef_routing_d_mod_k = {
    .name = "d-mod-k",
    .aliases = "dmodk ftree",
    .summary = "deterministic on fat trees: the destination's number chooses the links up",
    MOD_K,
};

const vef_routing_algorithm vef_routing_s_mod_k = {
    .name = "s-mod-k",
    .aliases = "smodk",
    .summary = "deterministic on fat trees: the source's number chooses the links up",
    MOD_K,
};
