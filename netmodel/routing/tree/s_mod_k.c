/* S-mod-K on generalized fat trees: the source's number chooses the links up.
 *
 * As D-mod-K (d_mod_k.c), with the number of the source's terminal instead of the destination's:
 * all packets of a source go up one way. Leiserson et al., "The Network Architecture of the
 * Connection Machine CM-5" (1992), and Rodriguez et al., "Oblivious Routing Schemes in Extended
 * Generalized Fat Tree Networks" (HPIDC 2009), which compares both.
 *
 * Bound, channels, freedom from deadlock: nca.h. Example: on XGFT(2; 4, 4; 1, 4) terminal 5 is
 * child 1 of the second leaf, and sends up by its second port, whatever the destination. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/tree/nca.h"

static vef_code create(vef_routing *routing, vef_error *error) {
    routing->by_source = true;
    return vef_nca_create(routing, 1, error);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    vef_nca_set(routing, travel, vef_xgft_terminal(routing->topology, travel->source), route);
}

const vef_routing_algorithm vef_routing_s_mod_k = {
    .name = "s-mod-k",
    .aliases = "smodk",
    .summary = "deterministic on fat trees: the source's number chooses the links up",
    .around_failures = true,
    .schema = vef_nca_schema,
    .parameter_bytes = sizeof(vef_nca_parameters),
    .supports = vef_nca_supports,
    .create = create,
    .begin = begin,
    .candidates = vef_nca_modulo_candidates,
    .input = vef_routing_any_input,
    .advance = vef_routing_keep_route,
};
