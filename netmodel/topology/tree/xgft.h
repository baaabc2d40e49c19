/* Extended generalized fat trees, XGFT(h; m_1 … m_h; w_1 … w_h): the structure that routings and
 * the analysis use in addition to the graph. k-ary n-trees of plain switches are XGFT(n; k …; 1, k
 * …), and have this structure too (kary_ntree.h names their stages from 0).
 *
 * Switches <l, a> of level l in 1 … h and digits a_h … a_1: a_i < w_i for i up to l, a_i < m_i
 * above; terminals t, level 0, of digits t_i < m_i. The digits, the first one running fastest, are
 * the position of a switch in its level and the number of a terminal. A switch of level l and one
 * of level l + 1 are linked if all digits but digit l + 1 agree: so a switch of level l has the
 * children 0 … m_l - 1, named by their digit l, and the parents 0 … w_(l+1) - 1, named by theirs.
 * links_(l+1) parallel links lead to each. w_1 is 1: terminal t is child t_1 of a single switch of
 * level 1.
 *
 * Ports 0 … down_ports - 1 lead down, the others up; where a level has fewer, the last ones are
 * unconnected, and so are all down ports of level 1, which serve terminals. Routers are numbered by
 * level, then position. */
#ifndef VEF_NETMODEL_TOPOLOGY_TREE_XGFT_H
#define VEF_NETMODEL_TOPOLOGY_TREE_XGFT_H

#include "netmodel/topology/topology.h"

enum { VEF_MAX_TREE_LEVELS = 24 };

typedef struct vef_xgft {
    uint32_t height; /* h */
    /* [1 … h]: as given; w and links of level h + 1 are 0. */
    uint32_t m[VEF_MAX_TREE_LEVELS + 2], w[VEF_MAX_TREE_LEVELS + 2], links[VEF_MAX_TREE_LEVELS + 2];

    /* ---- derived by vef_xgft_measure ---- */

    uint32_t below[VEF_MAX_TREE_LEVELS + 1];  /* m_1 … m_l: terminals below a switch of level l */
    uint32_t copies[VEF_MAX_TREE_LEVELS + 1]; /* w_1 … w_l: switches of level l above a terminal */
    uint32_t first[VEF_MAX_TREE_LEVELS + 2];  /* the first router of level l; [h + 1]: routers */
    uint32_t down_ports, up_ports;            /* of a router: the maximum of all levels */
} vef_xgft;

/* ---- switches ---- */

static inline uint32_t vef_xgft_level(const vef_xgft *tree, uint32_t router) {
    uint32_t level = 1;
    while (router >= tree->first[level + 1])
        level++;
    return level;
}

static inline uint32_t vef_xgft_position(const vef_xgft *tree, uint32_t level, uint32_t router) {
    return router - tree->first[level];
}

static inline uint32_t vef_xgft_router(const vef_xgft *tree, uint32_t level, uint32_t position) {
    return tree->first[level] + position;
}

/* Digit i (1 … h) of a switch. */
static inline uint32_t vef_xgft_digit(const vef_xgft *tree, uint32_t level, uint32_t position,
                                      uint32_t i) {
    if (i <= level)
        return position / tree->copies[i - 1] % tree->w[i];
    return position / tree->copies[level] / (tree->below[i - 1] / tree->below[level]) % tree->m[i];
}

/* The position in level + 1 of a parent, and in level - 1 (from level 2 on) of a child. */
static inline uint32_t vef_xgft_parent(const vef_xgft *tree, uint32_t level, uint32_t position,
                                       uint32_t parent) {
    const uint32_t copies = tree->copies[level], above = position / copies / tree->m[level + 1];
    return position % copies + copies * parent + tree->copies[level + 1] * above;
}

static inline uint32_t vef_xgft_child(const vef_xgft *tree, uint32_t level, uint32_t position,
                                      uint32_t child) {
    const uint32_t copies = tree->copies[level - 1], above = position / tree->copies[level];
    return position % copies + copies * (child + tree->m[level] * above);
}

/* ---- ports ---- */

/* The port to a child, or to a parent, over one of the parallel links; and back. */
static inline uint32_t vef_xgft_down_port(const vef_xgft *tree, uint32_t level, uint32_t child,
                                          uint32_t link) {
    return child + tree->m[level] * link;
}

static inline uint32_t vef_xgft_up_port(const vef_xgft *tree, uint32_t level, uint32_t parent,
                                        uint32_t link) {
    return tree->down_ports + parent + tree->w[level + 1] * link;
}

static inline bool vef_xgft_is_up(const vef_xgft *tree, uint32_t port) {
    return port >= tree->down_ports;
}

/* The number of up ports of a switch of this level: links to all parents. */
static inline uint32_t vef_xgft_up_ports(const vef_xgft *tree, uint32_t level) {
    return tree->w[level + 1] * tree->links[level + 1];
}

/* ---- terminals ---- */

/* The terminal of an endpoint: several share one if endpoints_per_router is not 1. */
static inline uint32_t vef_xgft_terminal(const vef_topology *topology, uint32_t endpoint) {
    return vef_topology_family_endpoint(topology, endpoint) / topology->endpoints_asked;
}

static inline bool vef_xgft_is_below(const vef_xgft *tree, uint32_t level, uint32_t position,
                                     uint32_t terminal) {
    return position / tree->copies[level] == terminal / tree->below[level];
}

/* The child of a switch of this level that a terminal below it is below, or is. */
static inline uint32_t vef_xgft_child_towards(const vef_xgft *tree, uint32_t level,
                                              uint32_t terminal) {
    return terminal / tree->below[level - 1] % tree->m[level];
}

/* ---- for the families with this structure ---- */

/* Derives the sizes from height, m, w and links; refuses more routers, terminals or ports than a
 * topology can have. */
vef_code vef_xgft_measure(vef_xgft *tree, vef_error *error);

/* Takes memory for endpoints_asked endpoints at each of `terminals`, in their order: the caller
 * fills in (*router)[endpoint], and topology->endpoints_per_router. */
vef_code vef_xgft_take_endpoints(uint64_t terminals, vef_topology *topology, uint32_t **router,
                                 vef_error *error);

/* vef_topology.distance; `details` of the topology are its vef_xgft. */
uint32_t vef_xgft_distance(const vef_topology *topology, uint32_t from, uint32_t to);

#endif
