/* Topologies: routers, their ports, who is at the other end, and where endpoints hang.
 *
 * A family is one file and one row of vef_topology_families (table.c). It fills in the neighbour
 * table; the router core, results, help and the generic tests work from that alone. Routings need
 * more: those there are (netmodel/routing/) go by the coordinate differences of lattice networks
 * (lattice.h), so a family that is no lattice comes with a routing of its own, another file and
 * row. */
#ifndef VEF_NETMODEL_TOPOLOGY_TOPOLOGY_H
#define VEF_NETMODEL_TOPOLOGY_TOPOLOGY_H

#include "common/arena.h"
#include "common/config.h"
#include "common/status.h"

#include <stdint.h>
#include <stdio.h>

#define VEF_NO_ROUTER UINT32_MAX
enum { VEF_MAX_DIMENSIONS = 8, VEF_MAX_PORTS = 64 };

struct vef_lattice;

typedef struct vef_topology {
    const struct vef_topology_family *family;
    uint32_t routers;
    uint32_t ports; /* per router; a router may leave some unconnected */
    uint32_t endpoints, endpoints_per_router;

    /* [router * ports + port]: the router at the other end (VEF_NO_ROUTER: unconnected), and that
     * router's port of the same link. */
    const uint32_t *neighbour;
    const uint8_t *reverse_port;

    /* For people and for mappings: routers as places in a grid, dimension 0 running fastest;
     * dimensions 0 where the family has no such picture. */
    uint32_t dimensions;
    uint32_t sizes[VEF_MAX_DIMENSIONS];

    /* Set by the lattice family, for the routings that work on coordinate differences; else NULL.
     */
    const struct vef_lattice *lattice;

    const void *parameters; /* the family's own struct, as read by its schema */
    vef_arena arena;        /* holds all of the above */
} vef_topology;

typedef struct vef_topology_family {
    const char *name;
    const char *summary; /* one line */
    const vef_param *schema;
    size_t parameter_bytes;
    /* Checks the parameters and fills in `topology` (routers, ports, neighbours, grid, lattice),
     * taking memory from its arena. Endpoints are attached by the caller, endpoints_per_router to
     * each router unless the family sets `endpoints` itself. */
    vef_code (*build)(const void *parameters, vef_topology *topology, vef_error *error);
    /* "x+", "y-": a name for a port, for people; NULL: its number. */
    void (*port_name)(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes);
    /* Parameter sets for the generic tests, each a YAML mapping without the key `family`; ended by
     * NULL. */
    const char *const *samples;
    bool lattice; /* built by vef_lattice_build: `lattice` of its topologies is set */
} vef_topology_family;

extern const vef_topology_family *const vef_topology_families[]; /* ended by NULL */

/* Builds the topology that `node` describes ({family: torus, sizes: [8, 8]}). */
vef_code vef_topology_create(const vef_node *node, uint32_t endpoints_per_router,
                             vef_topology **topology, vef_error *error);
void vef_topology_destroy(vef_topology *topology); /* NULL is fine */

/* The router that an endpoint hangs on: endpoints e with e / endpoints_per_router == router. */
uint32_t vef_topology_router_of(const vef_topology *topology, uint32_t endpoint);

/* Coordinates of a router in the grid (`dimensions` of them), and back. */
void vef_topology_coordinates(const vef_topology *topology, uint32_t router, uint32_t *coordinates);
uint32_t vef_topology_router_at(const vef_topology *topology, const uint32_t *coordinates);

/* For people: "(5, 2)", or the router's number where coordinates say no more; and "x+", or
 * "port 3" where the family gives no names. */
enum { VEF_ROUTER_NAME_BYTES = 12 * VEF_MAX_DIMENSIONS + 4, VEF_PORT_NAME_BYTES = 12 * 8 };
void vef_topology_router_name(const vef_topology *topology, uint32_t router, char *text,
                              size_t text_bytes);
void vef_topology_port_name(const vef_topology *topology, uint32_t port, char *text,
                            size_t text_bytes);

/* Writes the topology section of the resolved configuration. */
void vef_topology_write(const vef_topology *topology, FILE *out, int indent);

#endif
