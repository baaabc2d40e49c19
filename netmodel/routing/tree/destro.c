/* DESTRO: deterministic routing on k-ary n-trees that spreads destinations over the links up.
 *
 * Gomez, Gilabert, Gomez, Lopez, Duato ("Deterministic versus Adaptive Routing in Fat-Trees", IPDPS
 * 2007), as the thesis of Andujar uses it on its BMINs: at stage s, digit s of the destination
 * names the port, up where the destination is not below the switch, down where it is. Packets to
 * one destination share their way from where it begins to rise together, and all destinations that
 * a link down serves are different from those of the others.
 *
 * Bound: up to the first stage that has source and destination below it, and down again, which is
 * minimal; on T-switches at most one crossing of an inner link more in each switch. Channels and
 * freedom from deadlock: tree.h. Example: in a 4-ary 3-tree from terminal 000 to 213 (base 4): up
 * by port 3 at stage 0 and port 1 at stage 1, down by 2, 1 and 3. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/tree/tree.h"

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_tree_place here = vef_tree_at(routing, route, place);
    if (here.there)
        return 0;
    const uint32_t port = vef_kary_destro_port(here.tree, here.stage, here.position, here.terminal);
    return vef_tree_offer(routing, &here, place, port, offered);
}

const vef_routing_algorithm vef_routing_destro = {
    .name = "destro",
    .summary = "deterministic on k-ary n-trees: digits of the destination, up and down",
    .schema = vef_tree_schema,
    .parameter_bytes = sizeof(vef_tree_parameters),
    .supports = vef_tree_supports,
    .create = vef_tree_create,
    .begin = vef_tree_begin,
    .candidates = candidates,
    .input = vef_tree_input,
    .advance = vef_routing_keep_route,
};
