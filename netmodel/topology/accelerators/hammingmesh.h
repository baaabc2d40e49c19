/* HammingMesh networks: the structure that routings use in addition to the graph.
 *
 * A row and a column of accelerators are lines: a line of dimension d consists of boards, one
 * behind the other, of size[d] accelerators each, and of switches that both ends of each board lead
 * to: one switch, or leaves that hold leaf_boards boards each, then spines. An accelerator is a
 * place in two lines: its coordinate in dimension d counts accelerators, size[d] for each board. */
#ifndef VEF_NETMODEL_TOPOLOGY_ACCELERATORS_HAMMINGMESH_H
#define VEF_NETMODEL_TOPOLOGY_ACCELERATORS_HAMMINGMESH_H

#include "netmodel/topology/topology.h"

enum { VEF_HAMMINGMESH_DIMENSIONS = 2 };

typedef struct vef_hammingmesh {
    /* ---- parameters ---- */

    vef_int_list board, boards;
    uint32_t leaf_boards_given; /* 0: all boards of a line */
    uint32_t spines_given;
    uint32_t links_given; /* 0: as many as make full bandwidth */

    /* ---- derived, for each dimension ---- */

    uint32_t size[VEF_HAMMINGMESH_DIMENSIONS];        /* accelerators of a board */
    uint32_t count[VEF_HAMMINGMESH_DIMENSIONS];       /* boards of a line */
    uint32_t leaf_boards[VEF_HAMMINGMESH_DIMENSIONS]; /* of a leaf; a divisor of `count` */
    uint32_t leaves[VEF_HAMMINGMESH_DIMENSIONS];      /* of a line, before its spines */
    uint32_t spines[VEF_HAMMINGMESH_DIMENSIONS];      /* of a line; 0: one leaf is enough */
    uint32_t links[VEF_HAMMINGMESH_DIMENSIONS];       /* between a leaf and a spine */
    uint32_t
        first[VEF_HAMMINGMESH_DIMENSIONS + 1]; /* switch of a dimension; the last: all routers */
} vef_hammingmesh;

/* What a router is in a line: an accelerator by its coordinate, or a switch by its number there. */
typedef struct vef_line_place {
    uint32_t line;
    uint32_t
        number; /* an accelerator's coordinate; a leaf's number; a spine's, behind the leaves */
    bool is_switch;
} vef_line_place;

/* Whether a router is on lines of a dimension, and where. An accelerator is on both. */
bool vef_hammingmesh_place(const vef_hammingmesh *mesh, uint32_t router, uint32_t dimension,
                           vef_line_place *place);

/* Hops from an accelerator, by its coordinate, to the nearest switch of its line by the lower
 * (`side` 0) or the upper end of its board. */
static inline uint32_t vef_hammingmesh_out(const vef_hammingmesh *mesh, uint32_t dimension,
                                           uint32_t coordinate, uint32_t side) {
    const uint32_t size = mesh->size[dimension], inside = coordinate % size;
    return side == 0 ? inside + 1 : size - inside;
}

static inline uint32_t vef_hammingmesh_leaf(const vef_hammingmesh *mesh, uint32_t dimension,
                                            uint32_t coordinate) {
    return coordinate / mesh->size[dimension] / mesh->leaf_boards[dimension];
}

/* Hops along a line, between any two of its accelerators and switches. */
uint32_t vef_hammingmesh_along(const vef_hammingmesh *mesh, uint32_t dimension, vef_line_place from,
                               vef_line_place to);

/* Ports. Of an accelerator: 2d upwards and 2d + 1 downwards in dimension d, as in a torus. Of a
 * leaf: two for each board, its lower end first, then those to the spines. Of a spine: those to
 * each leaf. */
static inline uint32_t vef_hammingmesh_up_port(const vef_hammingmesh *mesh, uint32_t dimension,
                                               uint32_t spine, uint32_t link) {
    return 2 * mesh->leaf_boards[dimension] + spine * mesh->links[dimension] + link;
}

#endif
