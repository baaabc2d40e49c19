/* King meshes and tori: common functions of their routings.
 *
 * Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: "Assessing the Suitability of
 * King Topologies for Interconnection Networks", section 3.3. The four directions are x (1,0), y
 * (0,1), z (1,1) and t (-1,1). The distance of two routers whose coordinates differ by (dx, dy) is
 * max(|dx|, |dy|) hops.
 *
 * Escape. All routings use that of the paper's hop-by-hop routing: first the orthogonal steps of
 * Knaive (section 3.3.1), ||dx| - |dy|| of them, then the diagonal ones. It depends only on the
 * packet's position and destination. Its path stays in the rectangle between the two routers, so
 * inside a mesh, which a record with both diagonals could leave. Freedom from deadlock: waits
 * lead from channels of x or y to those of z or t, or along their own direction: on a mesh that
 * is a line; on a torus it is a ring, with a bubble (two places to enter, one to move on;
 * channel 0), or under virtual channels with a dateline (channels 0 and 1, rings.h). The
 * adaptive channels follow and need no restriction (Duato), since every packet may take the
 * escape from any position. */
#ifndef VEF_NETMODEL_ROUTING_LATTICE_KING_H
#define VEF_NETMODEL_ROUTING_LATTICE_KING_H

#include "netmodel/routing/lattice/rings.h"

typedef enum vef_king_direction {
    VEF_KING_X,
    VEF_KING_Y,
    VEF_KING_Z,
    VEF_KING_T,
    VEF_KING_DIRECTIONS
} vef_king_direction;

extern const int32_t vef_king_step[VEF_KING_DIRECTIONS][2];

/* The parameters of all king routings. */
typedef struct vef_king_parameters {
    int64_t adaptive_channels;
    bool return_to_adaptive;
} vef_king_parameters;

#define VEF_KING_SCHEMA(least_adaptive)                                                            \
    {VEF_KEY(INT, vef_king_parameters, adaptive_channels), .fallback = "1",                        \
     .minimum = least_adaptive, .maximum = VEF_MAX_CHANNELS - 1,                                   \
     .help =                                                                                       \
         "virtual channels per link beside the escape channel (with flow_control "                 \
         "virtual-channels on a torus: beside its two)"},                                          \
    {                                                                                              \
        VEF_KEY(BOOL, vef_king_parameters, return_to_adaptive),                                    \
            .fallback = "true",                                                                    \
            .help = "whether a packet in the escape channel may return to adaptive channels"       \
    }

typedef struct vef_king {
    const vef_topology *topology;
    vef_rings *rings;
    bool wraps;
    int32_t sizes[2];
    uint16_t port[VEF_KING_DIRECTIONS][2]; /* plus, minus */
} vef_king;

/* Refuses topologies other than king meshes and tori. */
vef_code vef_king_supports(const vef_topology *topology, vef_flow_control flow_control,
                           const void *parameters, vef_error *error);

/* Sets routing->state to a vef_king, and the other fields that create must set except signatures
 * and uniform; routing->parameters begin with a vef_king_parameters. `adaptive_ports`: maximum
 * number of ports of adaptive candidates. */
vef_code vef_king_create(vef_routing *routing, uint32_t adaptive_ports, vef_error *error);

/* Whether adaptive channels may be offered to a packet there. */
static inline bool vef_king_is_adaptive(const vef_routing *routing, vef_place place) {
    const vef_king *king = routing->state;
    const vef_king_parameters *given = routing->parameters;
    return given->return_to_adaptive || place.in_port == VEF_INJECTED ||
           place.in_channel >= king->rings->classes;
}

/* Whether a router has a link by this port: always, on a torus. */
static inline bool vef_king_has_link(const vef_king *king, uint32_t router, uint16_t port) {
    const vef_topology *topology = king->topology;
    return king->wraps || vef_topology_next(topology, router, port) != VEF_NO_ROUTER;
}

/* Offers every adaptive channel of a port; returns how many. */
uint32_t vef_king_offer(const vef_routing *routing, uint16_t port, uint8_t preference,
                        vef_candidate *offered);

/* Offers the escape by a port by which the packet has `hops` to go; returns 1. */
uint32_t vef_king_offer_escape(const vef_routing *routing, vef_place place, uint16_t port,
                               uint32_t hops, uint8_t preference, vef_candidate *offered);

/* As vef_routing_algorithm.fold. */
uint8_t vef_king_fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                      uint16_t port, uint8_t name);

/* As vef_routing_algorithm.input. */
uint32_t vef_king_input(const vef_routing *routing, const vef_route *route, vef_place place);

/* Copies of broadcasts in the escape channels: of every king routing. */
extern const vef_straight vef_king_straight;

/* Destination - source in each dimension; on a torus from 0 to size - 1. */
void vef_king_difference(const vef_king *king, uint32_t from, uint32_t to, int32_t *difference);

#endif
