/* The points of the polarity graphs ER_q (polarfly.c), for families that are made of them. */
#ifndef VEF_NETMODEL_TOPOLOGY_ALGEBRAIC_POLARFLY_H
#define VEF_NETMODEL_TOPOLOGY_ALGEBRAIC_POLARFLY_H

#include "netmodel/topology/algebraic/galois.h"

#include <stddef.h>

/* The q + 1 points whose dot product with `point` is 0, in ascending order: the neighbours of a
 * router; of a quadric one is the point itself. */
void vef_polarity_line(const vef_galois *field, uint32_t point, uint32_t *points);

/* "(1, 0, 2)". */
void vef_polarity_name(const vef_galois *field, uint32_t point, char *text, size_t text_bytes);

#endif
