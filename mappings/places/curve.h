/* Placing tasks along a curve through the grid of routers: shared by snake, morton and hilbert.
 *
 * Ranks follow the curve, as Slurm numbers nodes along a Hilbert curve (topology/3d_torus). Where
 * nodes have several cores (`host.cores`) they are filled one after the other; else each router
 * takes as few tasks as are needed, as `identity` does. */
#ifndef VEF_MAPPINGS_PLACES_CURVE_H
#define VEF_MAPPINGS_PLACES_CURVE_H

#include "mappings/mapping.h"

/* A place on a curve: bits from the most significant on, compared as one number. A network has at
 * most 2^24 routers, so `dimensions` x the bits of the longest side are at most 156. */
enum { VEF_CURVE_WORDS = 3 };
typedef struct vef_curve_place {
    uint64_t word[VEF_CURVE_WORDS];
    uint32_t bits; /* appended so far */
} vef_curve_place;

/* Appends a bit. */
static inline void vef_curve_append(vef_curve_place *place, uint32_t bit) {
    place->word[place->bits / 64] |= (uint64_t)(bit & 1) << (63 - place->bits % 64);
    place->bits++;
}

/* Appends the bits of the coordinates in turn, from bit `bits` - 1 down, of each bit that of the
 * last dimension first. */
void vef_curve_interleave(vef_curve_place *place, const uint32_t *coordinates, uint32_t dimensions,
                          uint32_t bits);

/* The place of a router on a curve; `bits` are those of the longest side's coordinates. */
typedef void vef_curve(const vef_topology *topology, const uint32_t *coordinates, uint32_t bits,
                       vef_curve_place *place);

/* VEF_UNSUPPORTED if the topology has no grid or too few nodes. */
vef_code vef_mapping_along(const vef_mapping_view *view, vef_curve *curve, uint32_t *endpoint,
                           vef_error *error);

#endif
