/* Two-phase routes on lattice networks (valiant.c, ugal.c): minimally to an intermediate router,
 * then minimally to the destination, each phase in dimension order on channels of its own. A
 * minimal route is one whose first phase is empty.
 *
 * Bound: twice the diameter; a packet that meets its destination in the first phase has arrived.
 *
 * Freedom from deadlock: within a phase dimension order is free of it (dimension_order.c), and
 * packets wait from channels of the first phase for those of the second, never back. Per link: 2 x
 * `channels` under bubble flow control and where nothing wraps, 4 x under virtual channels with
 * wraps (datelines, rings.h). Entering a ring needs two places under bubble, in the second phase
 * too.
 *
 * Example: on a mesh of 4 by 4 a packet from (0, 0) to (1, 0) over (2, 1) goes x+, and has arrived;
 * over (0, 2) it goes y+, y+ on channel 0, then x+, y-, y- on channel 1. */
#ifndef VEF_NETMODEL_ROUTING_LATTICE_TWO_PHASE_H
#define VEF_NETMODEL_ROUTING_LATTICE_TWO_PHASE_H

#include "netmodel/routing/lattice/record.h"

enum { VEF_TWO_PHASE_MOST_CHANNELS = VEF_MAX_CHANNELS / 2 };

/* As vef_routing_algorithm has them. The phases are legs: dimension order goes the last hop of a
 * phase whatever the hops before. */
vef_code vef_two_phase_supports(const vef_topology *topology, vef_flow_control flow_control,
                                const void *parameters, vef_error *error);
extern const vef_legs vef_two_phase_legs;
uint32_t vef_two_phase_input(const vef_routing *routing, const vef_route *route, vef_place place);
uint32_t vef_two_phase_candidates(const vef_routing *routing, const vef_route *route,
                                  vef_place place, vef_candidate *offered);
uint8_t vef_two_phase_fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                           uint16_t port, uint8_t name);
uint32_t vef_two_phase_signature(const vef_routing *routing, const vef_route *route);
void vef_two_phase_advance(const vef_routing *routing, vef_route *route, vef_place place,
                           uint16_t port, uint8_t channel);

/* Sets all of the routing that its create has to; `channels` are those of each phase. */
vef_code vef_two_phase_create(vef_routing *routing, int64_t channels, vef_error *error);

/* A minimal route, and one over an intermediate router drawn uniformly among all, the source and
 * the destination too. Among equal minimal records one is drawn, of each phase. */
void vef_two_phase_begin_minimal(const vef_routing *routing, const vef_travel *travel,
                                 vef_draws *draws, vef_route *route);
void vef_two_phase_begin_over(const vef_routing *routing, const vef_travel *travel,
                              vef_draws *draws, vef_route *route);

#endif
