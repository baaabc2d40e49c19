/* Reflections of the topology (topology.h) in the proof: which destinations represent the others,
 * and what their packets tell about the packets to the others. For a routing that is uniform;
 * otherwise `moves` has no reflections and these functions change nothing. */
#ifndef VEF_NETMODEL_DEADLOCK_REFLECTIONS_H
#define VEF_NETMODEL_DEADLOCK_REFLECTIONS_H

#include "netmodel/deadlock/leg_lengths.h"

/* Lists the classes of routers to visit, in ascending order: one of those that reflections map onto
 * each other. `visited` has room for all classes. Returns their number. */
uint32_t vef_reflections_choose(const vef_moves *moves, uint32_t *visited);

/* Adds the images of all moves, and of all arrivals, under products of reflections. */
void vef_reflections_add_moves(const vef_moves *moves);
void vef_reflections_add_arrivals(const vef_moves *moves);

/* Adds the images of legs, [class]. */
void vef_reflections_add_legs(const vef_moves *moves, vef_longest_legs *legs);

/* The same for turns: adds to the rows of each orbit their images under all products of turns. */
void vef_turns_add_moves(const vef_moves *moves);

#endif
