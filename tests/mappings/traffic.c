/* Traffic for tests of mappings. See traffic.h. */
#include "tests/mappings/traffic.h"

#include "common/rng.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the first three of the standard library above.
#include <cmocka.h>

void traffic_of(const matrix *self, vef_traffic_matrix *traffic) {
    vef_traffic_row row;
    vef_traffic_matrix_begin(traffic, self->tasks);
    vef_traffic_row_begin(&row, self->tasks);
    for (uint32_t s = 0; s < self->tasks; s++) {
        for (uint32_t d = 0; d < self->tasks; d++)
            if (self->bytes[s][d])
                vef_traffic_row_add(&row, d, 1, self->bytes[s][d]);
        vef_traffic_matrix_end_row(traffic, s, &row);
    }
    vef_traffic_row_free(&row);
}

void grid_traffic(matrix *self, uint32_t width, uint32_t height, bool round, uint64_t bytes) {
    memset(self, 0, sizeof *self);
    self->tasks = width * height;
    for (uint32_t t = 0; t < self->tasks; t++) {
        const uint32_t x = t % width, y = t / width;
        if (x + 1 < width || round) {
            const uint32_t other = y * width + (x + 1) % width;
            self->bytes[t][other] = self->bytes[other][t] = bytes;
        }
        if (y + 1 < height || round) {
            const uint32_t other = (y + 1) % height * width + x;
            self->bytes[t][other] = self->bytes[other][t] = bytes;
        }
    }
}

void random_traffic(matrix *self, uint32_t tasks, uint32_t pairs, uint64_t seed) {
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
    memset(self, 0, sizeof *self);
    self->tasks = tasks;
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t s = vef_rng_below(&rng, tasks), d = vef_rng_below(&rng, tasks);
        self->bytes[s][d] += 1 + vef_rng_below(&rng, 1000);
    }
}

vef_mapping *map_by(const char *text, const matrix *self, const vef_topology *topology,
                    uint32_t cores) {
    vef_traffic_matrix traffic;
    traffic_of(self, &traffic);
    const vef_mapping_request request = {
        .text = text, .tasks = self->tasks, .traffic = &traffic, .cores = cores};
    vef_mapping *mapping = NULL;
    vef_error error;
    if (vef_mapping_create(&request, topology, &mapping, &error) != VEF_OK)
        fail_msg("%s: %s", text, error.message);
    vef_traffic_matrix_free(&traffic);
    return mapping;
}

double hop_bytes_of(const matrix *self, const vef_mapping *mapping, const vef_topology *topology) {
    uint32_t *hops = malloc(topology->routers * sizeof *hops);
    double sum = 0;
    assert_non_null(hops);
    for (uint32_t s = 0; s < self->tasks; s++) {
        distances_from(topology, vef_topology_router_of(topology, mapping->endpoint[s]), hops);
        for (uint32_t d = 0; d < self->tasks; d++)
            sum += (double)self->bytes[s][d] *
                   hops[vef_topology_router_of(topology, mapping->endpoint[d])];
    }
    free(hops);
    return sum;
}
