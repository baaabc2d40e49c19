/* Common functions of routings on k-ary n-trees: up to a switch above the destination, then down
 * the unique path, crossing between the inner switches of a T-switch if the port is on the other
 * one.
 *
 * Andujar, thesis on twin networks, chapter on k-ary n-trees with T-switches ("C-switches", BMIN).
 * Freedom from deadlock: links up, stage by stage, then links down, stage by stage, are without
 * cycles. The inner links of T-switches join in on two sets of channels: a packet that came from
 * below crosses on the first (it goes on up, or turns), one that came from above on the second. On
 * a single set, packets on their way up could wait for those that turned above and come down again
 * by the same inner link.
 *
 * So external ports have `channels` virtual channels, inner ones twice as many. */
#ifndef VEF_NETMODEL_ROUTING_TREE_TREE_H
#define VEF_NETMODEL_ROUTING_TREE_TREE_H

#include "netmodel/routing/routing.h"
#include "netmodel/topology/tree/kary_ntree.h"

typedef struct vef_tree_parameters {
    int64_t channels;
} vef_tree_parameters;

extern const vef_param vef_tree_schema[];

vef_code vef_tree_supports(const vef_topology *topology, vef_flow_control flow_control,
                           const void *parameters, vef_error *error);
vef_code vef_tree_create(vef_routing *routing, vef_error *error);
/* The route is the destination's terminal. */
void vef_tree_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                    vef_route *route);

uint32_t vef_tree_input(const vef_routing *routing, const vef_route *route, vef_place place);

/* The position of a packet relative to its terminal. */
typedef struct vef_tree_place {
    const vef_kary_ntree *tree;
    uint32_t stage, position, chip, terminal;
    bool below; /* the terminal is below this switch */
    bool there; /* the terminal is at this switch */
} vef_tree_place;
vef_tree_place vef_tree_at(const vef_routing *routing, const vef_route *route, vef_place place);

/* Offers external port `port` of the switch on all its channels, or the inner links if the port is
 * on the other inner switch. Returns the number of candidates. */
uint32_t vef_tree_offer(const vef_routing *routing, const vef_tree_place *here, vef_place place,
                        uint32_t port, vef_candidate *offered);

#endif
