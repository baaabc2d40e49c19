/* Functions for layouts: nested and folded grids, and which lattices a layout supports. See
 * layout.h. */
#include "netmodel/analysis/layout/layout.h"

#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>

int32_t vef_layout_shuffle_a(int32_t position, int32_t size) {
    return 2 * position < size ? 2 * position : 2 * size - 2 * position - 1;
}

int32_t vef_layout_shuffle_b(int32_t position, int32_t size) {
    return 2 * position + 1 < size ? 2 * position + 1 : 2 * size - 2 * position - 2;
}

vef_place_on_plane vef_layout_nested(const vef_topology *topology, uint32_t router, uint32_t first,
                                     bool rows_first, bool folded, vef_place_on_plane *block) {
    uint32_t coordinates[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, router, coordinates);
    vef_place_on_plane place = {0, 0}, size = {1, 1};
    bool rows = rows_first;
    for (uint32_t d = first; d < topology->dimensions; d++, rows = !rows) {
        int32_t position = (int32_t)coordinates[d], length = (int32_t)topology->sizes[d];
        if (folded && topology->lattice->wraps[d])
            position = vef_layout_shuffle_a(position, length);
        if (rows) {
            place.y += position * size.y;
            size.y *= length;
        } else {
            place.x += position * size.x;
            size.x *= length;
        }
    }
    if (block)
        *block = size;
    return place;
}

bool vef_layout_nested_around_fold(const vef_topology *topology, uint32_t router, uint32_t port,
                                   uint32_t first) {
    uint32_t from[VEF_MAX_DIMENSIONS], to[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, router, from);
    vef_topology_coordinates(topology, vef_topology_next(topology, router, port), to);
    for (uint32_t d = first; d < topology->dimensions; d++) {
        int32_t size = (int32_t)topology->sizes[d];
        if (from[d] != to[d] && topology->lattice->wraps[d] &&
            abs(vef_layout_shuffle_a((int32_t)from[d], size) -
                vef_layout_shuffle_a((int32_t)to[d], size)) == 1)
            return true;
    }
    return false;
}

void vef_layout_fold(const vef_topology *topology, vef_place_on_plane *place) {
    for (uint32_t router = 0; router < topology->routers; router++)
        place[router] = vef_layout_nested(topology, router, 0, false, true, NULL);
}

bool vef_layout_fold_around(const vef_topology *topology, uint32_t router, uint32_t port) {
    return vef_layout_nested_around_fold(topology, router, port, 0);
}

/* Whether generator - sign * step leads from every router to itself. */
static bool congruent(const vef_lattice *lattice, const int32_t *generator, const int32_t *step,
                      int32_t sign) {
    int32_t difference[VEF_MAX_DIMENSIONS];
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        difference[d] = generator[d] - sign * step[d];
    if (!vef_lattice_reduce(lattice, difference))
        return false;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        if (difference[d] != 0)
            return false;
    return true;
}

bool vef_layout_goes_by(const vef_lattice *lattice, const int32_t (*steps)[VEF_MAX_DIMENSIONS],
                        size_t count, bool *used) {
    for (uint32_t g = 0; g < lattice->generators; g++) {
        bool found = false;
        for (size_t s = 0; s < count && !found; s++) {
            found = congruent(lattice, lattice->generator[g], steps[s], 1) ||
                    congruent(lattice, lattice->generator[g], steps[s], -1);
            if (found && used)
                used[s] = true;
        }
        if (!found)
            return false;
    }
    return true;
}

bool vef_layout_goes_by_units(const vef_lattice *lattice) {
    int32_t units[VEF_MAX_DIMENSIONS][VEF_MAX_DIMENSIONS] = {{0}};
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        units[d][d] = 1;
    return vef_layout_goes_by(lattice, (const int32_t(*)[VEF_MAX_DIMENSIONS])units,
                              lattice->dimensions, NULL);
}

bool vef_layout_untwisted(const vef_lattice *lattice, uint32_t first) {
    for (uint32_t d = first; d < lattice->dimensions; d++)
        for (uint32_t e = 0; e < d; e++)
            if (lattice->shifts[d][e] != 0)
                return false;
    return true;
}
