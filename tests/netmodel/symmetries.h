/* Symmetries that a test knows, against those that a topology claims (vef_topology.orbits). */
#ifndef VEF_TESTS_NETMODEL_SYMMETRIES_H
#define VEF_TESTS_NETMODEL_SYMMETRIES_H

#include "netmodel/topology/topology.h"

/* Routers, and ports of routers, that the added symmetries map onto each other: forests of numbers.
 */
typedef struct symmetries {
    const vef_topology *topology;
    uint32_t *image;  /* [router]: for the caller to fill in */
    uint32_t *router; /* [router] */
    uint32_t *link;   /* [router * ports + port] */
} symmetries;

symmetries symmetries_of(const vef_topology *topology);

/* Fails unless `image` maps links to links of the same kind, routers to routers of the same orbit
 * and with as many endpoints; if it is a translation, also to the same ports and class. Then adds
 * it. */
void add_symmetry(symmetries *known, bool translation);

/* Fails unless the added symmetries map routers of an orbit onto each other, and links of an orbit
 * and a kind. Parallel links are interchangeable. */
void check_claims(const symmetries *known);

void release_symmetries(symmetries *known);

#endif
