/* Layouts: positions of the routers of a network on a plane, with short links. A layout is one file
 * and one row of vef_layouts (layout.c). */
#ifndef VEF_NETMODEL_ANALYSIS_LAYOUT_LAYOUT_H
#define VEF_NETMODEL_ANALYSIS_LAYOUT_LAYOUT_H

#include "netmodel/topology/topology.h"

typedef struct vef_place_on_plane {
    int32_t x, y; /* columns and rows, from 0; no two routers share a place */
} vef_place_on_plane;

typedef struct vef_layout {
    const char *name;
    const char *summary; /* one line, with the longest link */
    /* These see the network without failures. */

    /* Refuses (VEF_UNSUPPORTED) an unsupported topology, naming the supported ones. */
    vef_code (*supports)(const vef_topology *topology, vef_error *error);
    /* Fills in place[routers] for a supported topology. */
    void (*lay_out)(const vef_topology *topology, vef_place_on_plane *place);
    /* Whether the link at a port runs around the end of a fold, where the two halves of a ring meet
     * and neighbours are closer than elsewhere. NULL: nothing is folded. */
    bool (*around_fold)(const vef_topology *topology, uint32_t router, uint32_t port);
} vef_layout;

extern const vef_layout *const vef_layouts[]; /* terminated by NULL */

/* The layout of that name; VEF_INVALID lists all. */
vef_code vef_layout_find(const char *name, const vef_layout **layout, vef_error *error);

/* Fills in place[routers], or refuses as `supports` does and names the layouts that support this
 * topology.
 */
vef_code vef_layout_places(const vef_layout *layout, const vef_topology *topology,
                           vef_place_on_plane *place, vef_error *error);

/* Lengths of links: straight lines between places, with unit spacing. They are square roots of
 * whole numbers; the fields store the squares. */
typedef struct vef_layout_lengths {
    uint64_t links;
    uint64_t least_squared, greatest_squared;
    double least, greatest, mean;
    uint64_t fold_links;                                        /* around the ends of folds */
    uint64_t least_straight_squared, greatest_straight_squared; /* of the others; 0: none */
    uint32_t router, port;                                      /* of a longest one */
    uint32_t columns, rows;
} vef_layout_lengths;

void vef_layout_measure(const vef_layout *layout, const vef_topology *topology,
                        const vef_place_on_plane *place, vef_layout_lengths *lengths);

/* How many links there are of each length, shortest first. */
typedef struct vef_layout_length {
    uint64_t squared, links;
} vef_layout_length;

/* `*lengths` has `*count` rows and is owned by the caller. */
void vef_layout_count_lengths(const vef_topology *topology, const vef_place_on_plane *place,
                              vef_layout_length **lengths, size_t *count);

/* The squared length of the link at a connected port. */
uint64_t vef_layout_length_squared(const vef_topology *topology, const vef_place_on_plane *place,
                                   uint32_t router, uint32_t port);

/* Whether a port is connected and represents its link, which has two ends, so that each link is
 * visited once. */
bool vef_layout_counts(const vef_topology *topology, uint32_t router, uint32_t port);

/* ---- functions for layouts ---- */

extern const vef_layout vef_layout_grid, vef_layout_folded, vef_layout_folded_king,
    vef_layout_trellis, vef_layout_square;

/* The place in a line of `position` in a folded ring of `size`: the first half in the even
 * places, the second half in the odd ones (shuffle A), or vice versa (shuffle B). */
int32_t vef_layout_shuffle_a(int32_t position, int32_t size);
int32_t vef_layout_shuffle_b(int32_t position, int32_t size);

/* The place of a router in the plane of its grid dimensions `first`, first + 1, …: they become
 * columns and rows alternately, each dimension a line of blocks of the former two; columns first,
 * or rows first. With `folded`, dimensions of a lattice that wrap are folded. `*block` (may be
 * NULL) is the columns and rows that they occupy. */
vef_place_on_plane vef_layout_nested(const vef_topology *topology, uint32_t router, uint32_t first,
                                     bool rows_first, bool folded, vef_place_on_plane *block);

/* around_fold for dimensions `first`, … that vef_layout_nested folded. */
bool vef_layout_nested_around_fold(const vef_topology *topology, uint32_t router, uint32_t port,
                                   uint32_t first);

/* lay_out and around_fold of layouts that fold all dimensions this way, columns first. */
void vef_layout_fold(const vef_topology *topology, vef_place_on_plane *place);
bool vef_layout_fold_around(const vef_topology *topology, uint32_t router, uint32_t port);

/* Whether every generator of `lattice` is one of `steps` or its opposite, modulo the lattice; a
 * step has VEF_MAX_DIMENSIONS numbers. `used` (may be NULL): which steps occur. */
bool vef_layout_goes_by(const struct vef_lattice *lattice,
                        const int32_t (*steps)[VEF_MAX_DIMENSIONS], size_t count, bool *used);

/* The same for the unit vectors. */
bool vef_layout_goes_by_units(const struct vef_lattice *lattice);

/* Whether no wrap shifts an earlier dimension, from dimension `first` on. */
bool vef_layout_untwisted(const struct vef_lattice *lattice, uint32_t first);

/* "torus of 8 x 8": the topology, for messages and titles. */
enum { VEF_LAYOUT_TITLE_BYTES = 12 * VEF_MAX_DIMENSIONS + 64 };
void vef_layout_title(const vef_topology *topology, char *text, size_t text_bytes);

#endif
