/* Twin tori: the structure that routings and the analysis use in addition to the graph.
 *
 * A node of the torus is two routers, its cards: router 2 * node + card, the nodes numbered with
 * dimension 0 running fastest. Port 2d of a node is d+, port 2d + 1 is d- (twin_ports.h), each on
 * the card that the configuration says and unconnected on the other; port 2n joins the cards. */
#ifndef VEF_NETMODEL_TOPOLOGY_TWIN_TWIN_TORUS_H
#define VEF_NETMODEL_TOPOLOGY_TWIN_TWIN_TORUS_H

#include "netmodel/topology/twin/twin_ports.h"

typedef struct vef_twin_torus {
    /* ---- parameters; card0 completed if absent ---- */

    vef_int_list sizes_given;
    vef_text_list card0;

    /* ---- derived ---- */

    uint32_t dimensions; /* of the torus: n */
    uint32_t sizes[VEF_MAX_TWIN_DIMENSIONS];
    uint64_t card0_ports; /* bit p: port p is on card 0 */
    /* A symmetry that exchanges the cards, if one is known: the image of each port. */
    bool cards_alike;
    uint8_t mirror[2 * VEF_MAX_TWIN_DIMENSIONS];
} vef_twin_torus;

/* NULL for a topology that is not a twin torus. */
const vef_twin_torus *vef_twin_torus_of(const vef_topology *topology);

static inline uint32_t vef_twin_inner_port(const vef_twin_torus *twin) {
    return 2 * twin->dimensions;
}

/* The card that an external port is on. */
static inline uint32_t vef_twin_card_of_port(const vef_twin_torus *twin, uint32_t port) {
    return (twin->card0_ports >> port & 1) != 0 ? 0 : 1;
}

static inline uint32_t vef_twin_node(uint32_t router) {
    return router / 2;
}

static inline uint32_t vef_twin_card(uint32_t router) {
    return router % 2;
}

static inline uint32_t vef_twin_router(uint32_t node, uint32_t card) {
    return 2 * node + card;
}

/* Coordinates of a node in the torus (`dimensions` of them). */
static inline void vef_twin_coordinates(const vef_twin_torus *twin, uint32_t node,
                                        uint32_t *coordinates) {
    for (uint32_t d = 0; d < twin->dimensions; d++) {
        coordinates[d] = node % twin->sizes[d];
        node /= twin->sizes[d];
    }
}

#endif
