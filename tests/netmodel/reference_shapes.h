/* Small networks for comparing with the reference: each as a network file names it, and as the
 * reference's own definition, written out by hand. */
#ifndef VEF_TESTS_NETMODEL_REFERENCE_SHAPES_H
#define VEF_TESTS_NETMODEL_REFERENCE_SHAPES_H

#include "tests/netmodel/reference.h"

typedef struct reference_shape {
    const char *yaml; /* the topology section */
    reference_lattice lattice;
} reference_shape;

extern const reference_shape reference_shapes[];
extern const uint32_t reference_shape_count;

#endif
