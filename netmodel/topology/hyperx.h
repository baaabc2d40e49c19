/* HyperX networks: the structure that routings use in addition to the graph.
 *
 * Routers have coordinates, dimension 0 running fastest. Ports are by dimension, then offset 1 to
 * S - 1, then parallel link 0 to K - 1: that of dimension d, offset o and link k leads to the
 * router whose coordinate d is o more, modulo S, and ends at its port of offset S - o and link k.
 */
#ifndef VEF_NETMODEL_TOPOLOGY_HYPERX_H
#define VEF_NETMODEL_TOPOLOGY_HYPERX_H

#include "netmodel/topology/topology.h"

typedef struct vef_hyperx {
    /* ---- parameters ---- */

    vef_int_list sizes_given, weights_given;
    uint32_t endpoints_per_router; /* as given here; 0: not given */

    /* ---- derived ---- */

    uint32_t dimensions;
    uint32_t sizes[VEF_MAX_DIMENSIONS];          /* S */
    uint32_t weights[VEF_MAX_DIMENSIONS];        /* K: parallel links between two routers */
    uint32_t strides[VEF_MAX_DIMENSIONS];        /* difference of routers one apart */
    uint32_t first_port[VEF_MAX_DIMENSIONS + 1]; /* of a dimension; the last: all ports */
} vef_hyperx;

/* For families: builds the network of the sizes and weights (NULL: 1 each). */
vef_code vef_hyperx_build(const vef_int_list *sizes, const vef_int_list *weights,
                          vef_hyperx *hyperx, vef_topology *topology, vef_error *error);

/* Parts of it, for families whose groups are HyperX networks, with equally many routers each,
 * numbered one group after the other: the derived fields and the number of routers of a group; the
 * links of a router within its group; and the name of one of these ports, where topology->own is
 * the group. */
vef_code vef_hyperx_measure(const vef_int_list *sizes, const vef_int_list *weights,
                            vef_hyperx *hyperx, uint32_t *routers, vef_error *error);
void vef_hyperx_join(const vef_hyperx *hyperx, vef_topology *topology, uint32_t router);
void vef_hyperx_port_name(const vef_topology *topology, uint32_t port, char *text,
                          size_t text_bytes);

static inline uint32_t vef_hyperx_coordinate(const vef_hyperx *hyperx, uint32_t router,
                                             uint32_t dimension) {
    return router / hyperx->strides[dimension] % hyperx->sizes[dimension];
}

/* The offset from one router to another in a dimension; 0: they agree. */
static inline uint32_t vef_hyperx_offset(const vef_hyperx *hyperx, uint32_t from, uint32_t to,
                                         uint32_t dimension) {
    const uint32_t here = vef_hyperx_coordinate(hyperx, from, dimension);
    const uint32_t there = vef_hyperx_coordinate(hyperx, to, dimension);
    return there >= here ? there - here : there + hyperx->sizes[dimension] - here;
}

static inline uint32_t vef_hyperx_port(const vef_hyperx *hyperx, uint32_t dimension,
                                       uint32_t offset, uint32_t link) {
    return hyperx->first_port[dimension] + (offset - 1) * hyperx->weights[dimension] + link;
}

static inline uint32_t vef_hyperx_dimension_of(const vef_hyperx *hyperx, uint32_t port) {
    uint32_t d = 0;
    while (port >= hyperx->first_port[d + 1])
        d++;
    return d;
}

static inline uint32_t vef_hyperx_offset_of(const vef_hyperx *hyperx, uint32_t port) {
    const uint32_t d = vef_hyperx_dimension_of(hyperx, port);
    return (port - hyperx->first_port[d]) / hyperx->weights[d] + 1;
}

#endif
