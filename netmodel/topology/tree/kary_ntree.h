/* k-ary n-trees: the structure that routings and the analysis use in addition to the graph.
 *
 * Switches <s, o> of stage s in 0 … n - 1 and position o, of digits o_{n-2} … o_0 to the base k;
 * terminals h of digits h_{n-1} … h_0. Ports 0 to k - 1 lead down (to the stage before, or to
 * terminals), k to 2k - 1 up. Up port k + l of <s, o> meets down port o_s of the switch of stage
 * s + 1 whose digit s is l and whose other digits are those of o. Terminal h is at down port h_0 of
 * the switch of stage 0 with o_i = h_{i+1}. A switch is one router, or two where it is a T-switch
 * (kary_ntree.c), joined by ports 2k and on. Routers are numbered by stage, then position, then
 * inner switch. */
#ifndef VEF_NETMODEL_TOPOLOGY_TREE_KARY_NTREE_H
#define VEF_NETMODEL_TOPOLOGY_TREE_KARY_NTREE_H

#include "netmodel/topology/tree/xgft.h"

typedef struct vef_kary_ntree {
    /* ---- parameters ---- */

    int64_t k_given, n_given, inner_links_given;
    vef_int_table alpha;

    /* ---- derived ---- */

    uint32_t k, n;
    uint32_t inner_links; /* of each switch; 0: plain switches */
    uint32_t chips;       /* routers of a switch: 1 or 2 */
    const uint8_t *chip;  /* [stage * 2k + port]: its inner switch; NULL: plain */
    uint32_t power[VEF_MAX_TREE_LEVELS + 1]; /* k^i, i = 0 … n */
} vef_kary_ntree;

/* NULL for a topology that is not a k-ary n-tree. */
const vef_kary_ntree *vef_kary_ntree_of(const vef_topology *topology);

static inline uint32_t vef_kary_positions(const vef_kary_ntree *tree) { /* switches of a stage */
    return tree->power[tree->n - 1];
}

static inline uint32_t vef_kary_stage(const vef_kary_ntree *tree, uint32_t router) {
    return router / tree->chips / vef_kary_positions(tree);
}

static inline uint32_t vef_kary_position(const vef_kary_ntree *tree, uint32_t router) {
    return router / tree->chips % vef_kary_positions(tree);
}

static inline uint32_t vef_kary_chip(const vef_kary_ntree *tree, uint32_t router) {
    return router % tree->chips;
}

static inline uint32_t vef_kary_router(const vef_kary_ntree *tree, uint32_t stage,
                                       uint32_t position, uint32_t chip) {
    return (stage * vef_kary_positions(tree) + position) * tree->chips + chip;
}

/* The inner switch that an external port is on; 0 for plain switches. */
static inline uint32_t vef_kary_chip_of_port(const vef_kary_ntree *tree, uint32_t stage,
                                             uint32_t port) {
    return tree->chip ? tree->chip[(size_t)stage * 2 * tree->k + port] : 0;
}

/* Digit i of a position or of a terminal, and the number with another digit there. */
static inline uint32_t vef_kary_digit(const vef_kary_ntree *tree, uint32_t number, uint32_t i) {
    return number / tree->power[i] % tree->k;
}

static inline uint32_t vef_kary_with_digit(const vef_kary_ntree *tree, uint32_t number, uint32_t i,
                                           uint32_t digit) {
    return number - vef_kary_digit(tree, number, i) * tree->power[i] + digit * tree->power[i];
}

/* The terminal of an endpoint: several share one if endpoints_per_router is not 1. */
static inline uint32_t vef_kary_terminal(const vef_topology *topology, uint32_t endpoint) {
    return vef_topology_family_endpoint(topology, endpoint) / topology->endpoints_asked;
}

/* DESTRO, the deterministic routing that distributes destinations over the upward links: the
 * external port by which a switch forwards packets for terminal `destination`. Digit s of the
 * destination, s the switch's stage, is the port both up and down; the direction is down if the
 * terminal is below the switch. */
static inline uint32_t vef_kary_destro_port(const vef_kary_ntree *tree, uint32_t stage,
                                            uint32_t position, uint32_t destination) {
    const bool below = position / tree->power[stage] == destination / tree->power[stage + 1];
    return vef_kary_digit(tree, destination, stage) + (below ? 0 : tree->k);
}

#endif
