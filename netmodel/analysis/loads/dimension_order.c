/* Link loads of dimension-order routing. See dimension_order.h. */
#include "netmodel/analysis/loads/dimension_order.h"

#include "common/memory.h"
#include "netmodel/topology/lattice/lattice.h"

#include <math.h>
#include <stdlib.h>

/* Adds `phits` to the links of one record, from a router on. */
static void follow(const vef_topology *topology, const vef_minimal *minimal, uint32_t row,
                   uint32_t router, double phits, double *load) {
    const uint32_t generators = topology->lattice->generators;
    for (uint32_t g = 0; g < generators; g++) {
        const int hops = minimal->straight[g] + minimal->records[row * generators + g];
        const uint32_t port = 2 * g + (hops < 0);
        for (int h = abs(hops); h > 0; h--) {
            const size_t link = (size_t)router * topology->ports + port;
            load[link] += phits;
            router = topology->neighbour[link];
        }
    }
}

vef_division vef_dimension_order_bound(const vef_topology *topology, const vef_demand *demands,
                                       size_t count) {
    const vef_lattice *lattice = topology->lattice;
    const size_t links = (size_t)topology->routers * topology->ports;
    size_t busiest = 0;
    if (!lattice || !lattice->first || !lattice->any_order)
        return (vef_division){.factor = NAN};
    double *load = vef_calloc(links + 1, sizeof *load);
    for (size_t d = 0; d < count; d++) {
        vef_minimal minimal;
        if (demands[d].from == demands[d].to)
            continue;
        vef_lattice_minimal(lattice, demands[d].from, demands[d].to, &minimal);
        for (uint32_t row = 0; row < minimal.count; row++)
            follow(topology, &minimal, row, demands[d].from, demands[d].phits / minimal.count,
                   load);
    }
    for (size_t link = 0; link < links; link++)
        if (load[link] > load[busiest])
            busiest = link;
    const vef_division division = {.factor = load[busiest] > 0 ? 1 / load[busiest] : INFINITY,
                                   .busiest_router = (uint32_t)(busiest / topology->ports),
                                   .busiest_port = (uint32_t)(busiest % topology->ports)};
    free(load);
    return division;
}
