/* Figures of Table 1 of Zhang, Powell, Deng ("Interlacing Bypass Rings to Torus Networks for More
 * Efficient Networks") by search, for the tests of the networks that it compares. */
#ifndef VEF_TESTS_NETMODEL_COMPARED_H
#define VEF_TESTS_NETMODEL_COMPARED_H

#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"

uint32_t degree_of(const vef_topology *topology, uint32_t router);

/* Links between the sides of the cut across an axis, whose halves must be equal. */
uint64_t cut(const vef_topology *topology, uint32_t axis);

/* Average (a router itself counted as 0), standard deviation and diameter; from one router of each
 * orbit, weighed with how many there are of it, or from all. */
typedef struct distances {
    double average, deviation;
    uint32_t diameter;
} distances;

distances distances_of(const vef_topology *topology, bool by_orbit);

#endif
