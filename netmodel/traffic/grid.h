/* Endpoints as places in a grid, for patterns that use coordinates.
 *
 * Without a given grid, a pattern uses the routers' (topology->sizes), and the endpoints of a
 * router are copies: endpoint k of a router communicates with endpoints k of others only. A given
 * grid (`grid: [8, 8]`) is a logical one, of all endpoints, dimension 0 running fastest: the
 * processes of a program, one on each endpoint in the order of their numbers. */
#ifndef VEF_NETMODEL_TRAFFIC_GRID_H
#define VEF_NETMODEL_TRAFFIC_GRID_H

#include "netmodel/traffic/traffic.h"

typedef struct vef_traffic_grid {
    uint32_t dimensions;
    uint32_t sizes[VEF_MAX_DIMENSIONS];
    uint32_t strides[VEF_MAX_DIMENSIONS]; /* from an endpoint to the next along a dimension */
    uint32_t longer[VEF_MAX_DIMENSIONS];  /* the dimensions longer than 1 */
    uint32_t longer_count;                /* the number of dimensions longer than 1 */
} vef_traffic_grid;

#define VEF_GRID_PARAM(parameters)                                                                 \
    {                                                                                              \
        VEF_KEY(INT_LIST, parameters, grid),                                                       \
            .fallback = "[]", .minimum = 1, .maximum = UINT32_MAX,                                 \
            .help =                                                                                \
                "sizes of a logical grid of all endpoints; none: the grid of routers, with "       \
                "endpoint k of each router among endpoints k of the others"                        \
    }

/* Takes the given grid, or the routers'. Refuses (VEF_UNSUPPORTED) a topology without one, and
 * (VEF_INVALID) sizes that do not match the endpoints. */
vef_code vef_traffic_grid_take(const vef_pattern *pattern, const vef_int_list *asked,
                               vef_traffic_grid *grid, vef_error *error);
/* The same for the state of `pattern`, in its arena. */
vef_code vef_traffic_grid_create(vef_pattern *pattern, const vef_int_list *asked,
                                 const vef_traffic_grid **grid, vef_error *error);

static inline uint32_t vef_traffic_grid_at(const vef_traffic_grid *grid, uint32_t endpoint,
                                           uint32_t dimension) {
    return endpoint / grid->strides[dimension] % grid->sizes[dimension];
}

/* The endpoint whose coordinate of a dimension is `to`, with the other ones of `endpoint`. */
static inline uint32_t vef_traffic_grid_move(const vef_traffic_grid *grid, uint32_t endpoint,
                                             uint32_t dimension, uint32_t to) {
    const uint32_t coordinate = vef_traffic_grid_at(grid, endpoint, dimension);
    return endpoint - coordinate * grid->strides[dimension] + to * grid->strides[dimension];
}

/* "8x4x2", of at most VEF_TRAFFIC_GRID_BYTES. */
enum { VEF_TRAFFIC_GRID_BYTES = 12 * VEF_MAX_DIMENSIONS };
char *vef_traffic_grid_text(char *text, const vef_traffic_grid *grid);

/* Refuses (VEF_UNSUPPORTED) a grid in which some endpoint has no neighbour. */
vef_code vef_traffic_grid_check_neighbours(const vef_traffic_grid *grid, vef_error *error);
/* One of the neighbours of an endpoint, one step along one dimension, all equally likely. With
 * `wraps` there are two along each dimension longer than 1 (the same twice where its size is 2). */
uint32_t vef_traffic_grid_neighbour(const vef_traffic_grid *grid, bool wraps, uint32_t endpoint,
                                    vef_rng *rng);
/* Adds the shares of a part of the messages that go to these neighbours. */
void vef_traffic_grid_add_neighbours(const vef_traffic_grid *grid, bool wraps, uint32_t endpoint,
                                     double part, double *share);

#endif
