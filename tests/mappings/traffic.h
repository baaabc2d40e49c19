/* Traffic for tests of mappings, as a full matrix. */
#ifndef VEF_TESTS_MAPPINGS_TRAFFIC_H
#define VEF_TESTS_MAPPINGS_TRAFFIC_H

#include "mappings/mapping.h"

enum { MOST_TASKS = 64 };

/* bytes[s][d] */
typedef struct matrix {
    uint32_t tasks;
    uint64_t bytes[MOST_TASKS][MOST_TASKS];
} matrix;

/* The same as a sparse matrix, which the caller frees. */
void traffic_of(const matrix *self, vef_traffic_matrix *traffic);

/* The neighbours of a grid of tasks exchange `bytes`, in row-major order; `round`: of a torus. */
void grid_traffic(matrix *self, uint32_t width, uint32_t height, bool round, uint64_t bytes);

/* Random pairs exchange random bytes. */
void random_traffic(matrix *self, uint32_t tasks, uint32_t pairs, uint64_t seed);

/* Makes a mapping; fails the test if that fails. */
vef_mapping *map_by(const char *text, const matrix *self, const vef_topology *topology,
                    uint32_t cores);

/* Bytes x hops of a mapping, by the searches of the tests. */
double hop_bytes_of(const matrix *self, const vef_mapping *mapping, const vef_topology *topology);

#endif
