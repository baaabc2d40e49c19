/* Port configurations of a twin torus node: which of its ports are on which of its two cards.
 *
 * A node of n dimensions has 2n external ports: port 2d leads along dimension d in the direction
 * + (d+, also x+, y+, z+), port 2d + 1 in the direction - (d-). A configuration is the set of the
 * n ports on card 0, as bits; the other n are on card 1. (Andujar et al.: "Building 3D Torus Using
 * Low-Profile Expansion Cards", section 2.3; "N-Dimensional Twin Torus Networks", section 2.2.) */
#ifndef VEF_NETMODEL_TOPOLOGY_TWIN_TWIN_PORTS_H
#define VEF_NETMODEL_TOPOLOGY_TWIN_TWIN_PORTS_H

#include "common/config/config.h"
#include "netmodel/topology/topology.h"

enum { VEF_MAX_TWIN_DIMENSIONS = VEF_MAX_DIMENSIONS - 1 }; /* the grid has the card beside them */

/* All configurations up to the exchange of the cards, one after another: the sets of n ports that
 * contain port 0 (d0+), in ascending order, (2n)! / (2 n! n!) of them. `card0_ports` is 0 before
 * the first; false after the last. `dimensions`: 1 to VEF_MAX_TWIN_DIMENSIONS. */
bool vef_twin_next_configuration(uint32_t dimensions, uint64_t *card0_ports);

/* The configuration with the least traffic between the cards if all sizes are equal and at least 3,
 * under dimension-order routing with ties to + (nDT paper, definition 3.5): the first half of the
 * dimensions on card 0 and, for odd n, the middle one split, its - port on card 0. With an odd
 * middle size the other split is as good. With an even one, where ties make more paths go in the
 * direction +, the + port on card 0 is better (3DT paper, section 5.4.1), and it is this one. The
 * exception that both papers name: 3 x 3 x 3, where every dimension is split. */
uint64_t vef_twin_best_configuration(uint32_t dimensions, const uint32_t *sizes);

/* Reads the names of the ports on card 0 (X+, x+ or d0+); exactly `dimensions` different ones. */
vef_code vef_twin_read_ports(const vef_text_list *names, uint32_t dimensions, uint64_t *card0_ports,
                             vef_error *error);

/* A port's name as of a torus: "x+" with up to 3 dimensions, else "d0+". */
void vef_twin_port_name(uint32_t dimensions, uint32_t port, char *text, size_t text_bytes);

/* A set of ports as a YAML list: "[x+, x-, y+]". */
enum { VEF_TWIN_PORTS_BYTES = 8 * 2 * VEF_MAX_TWIN_DIMENSIONS };
void vef_twin_ports_text(uint32_t dimensions, uint64_t ports, char *text, size_t text_bytes);

#endif
