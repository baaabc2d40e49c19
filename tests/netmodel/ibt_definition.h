/* Interlaced bypass tori in the terms of their definition (Zhang, Powell, Deng: "Interlacing Bypass
 * Rings to Torus Networks for More Efficient Networks", section 2.1), for the tests of the family.
 */
#ifndef VEF_TESTS_NETMODEL_IBT_DEFINITION_H
#define VEF_TESTS_NETMODEL_IBT_DEFINITION_H

#include "tests/netmodel/networks.h"

/* n dimensions of which the first m have bypasses, of k lengths. */
typedef struct ibt_definition {
    uint32_t n, sizes[4], m, k, lengths[4];
} ibt_definition;

/* Builds it; the test fails when that fails. The former takes lists such as "32, 32, 8". */
vef_topology *ibt_of(const char *sizes, unsigned bypass_dimensions, const char *lengths);
vef_topology *ibt_network_by(const ibt_definition *definition);

/* The router `by` on from another along a dimension, round its end. */
uint32_t ibt_moved(const ibt_definition *definition, uint32_t router, uint32_t dimension,
                   uint32_t by);
/* Of a router: the sum of its coordinates in the bypass dimensions, and its bypass length. */
uint32_t ibt_coordinate_sum(const ibt_definition *definition, uint32_t router);
uint32_t ibt_bypass_length(const ibt_definition *definition, uint32_t router);

#endif
