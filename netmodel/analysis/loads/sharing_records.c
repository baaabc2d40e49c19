/* Sharing by minimal routing records, on lattice networks that have a table of them: `records`,
 * each minimal record of a pair equally likely and its generators taken in ascending order, which
 * is dimension-order routing with ties drawn at random; and `straight`, which of the minimal
 * records keeps those with the most hops along unit vectors. On a king torus these are the records
 * of the routing Knaive, which balances straight and diagonal links (Stafford, Bosque, Martinez,
 * Vallejo, Beivide, Camarero, Castillo: "Assessing the Suitability of King Topologies for
 * Interconnection Networks", section 3.3.1).
 *
 * Only the table is enumerated. Where dimensions wrap, every router sends equally along translated
 * routes, so all links of a generator and a sign carry the mean of the counts in the records. Along
 * a dimension of s routers that does not wrap, in dimension order and under uniform traffic, (x +
 * 1) / s of the sources are up to x and (s - 1 - x) / s of the destinations beyond it, and the
 * lines along the dimension have equal shares: (x + 1) (s - 1 - x) / s over each link from x to x +
 * 1, and back. */
#include "netmodel/analysis/loads/link_load.h"

#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>

static bool has_records(const vef_topology *topology) {
    return topology->lattice && topology->lattice->first && !topology->endpoint_router;
}

static bool records_apply(const vef_topology *topology) {
    return has_records(topology) &&
           (topology->lattice->all_wrap || topology->lattice->unit_generators);
}

static bool is_unit_vector(const vef_lattice *lattice, uint32_t g) {
    int32_t sum = 0;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        sum += lattice->generator[g][d] < 0 ? -lattice->generator[g][d] : lattice->generator[g][d];
    return sum == 1;
}

static bool straight_applies(const vef_topology *topology) {
    if (!has_records(topology) || !topology->lattice->all_wrap)
        return false;
    uint32_t unit_vectors = 0;
    for (uint32_t g = 0; g < topology->lattice->generators; g++)
        unit_vectors += is_unit_vector(topology->lattice, g);
    return unit_vectors != 0 && unit_vectors != topology->lattice->generators;
}

/* Hops along unit vectors. */
static uint32_t straight_hops(const vef_lattice *lattice, const int16_t *record) {
    uint32_t sum = 0;
    for (uint32_t g = 0; g < lattice->generators; g++)
        if (is_unit_vector(lattice, g))
            sum += (uint32_t)abs(record[g]);
    return sum;
}

/* Adds to mean[2g] and mean[2g + 1] the hops along + and - generator g of a mean record from
 * records[0] … records[count - 1], or of those with the most hops along unit vectors. */
static void add_mean(const vef_lattice *lattice, const int16_t *records, uint32_t count,
                     bool straight, double *mean) {
    uint32_t most = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t hops =
            straight ? straight_hops(lattice, records + (size_t)i * lattice->generators) : 0;
        if (i == 0 || hops > most) {
            most = hops;
            kept = 0;
        }
        kept += hops == most;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int16_t *record = records + (size_t)i * lattice->generators;
        if (straight && straight_hops(lattice, record) != most)
            continue;
        for (uint32_t g = 0; g < lattice->generators; g++)
            mean[record[g] > 0 ? 2 * g : 2 * g + 1] += (double)abs(record[g]) / kept;
    }
}

/* Load over a link out of `router`, if mean[port] are the hops of a mean record by port. */
static double load_of(const vef_topology *topology, const double *mean, uint32_t router,
                      uint32_t port) {
    const vef_lattice *lattice = topology->lattice;
    const double injected = topology->endpoints_per_router;
    if (lattice->all_wrap || lattice->wraps[port / 2])
        return injected * mean[port];
    uint32_t coordinates[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, router, coordinates);
    const uint32_t d = port / 2;
    const uint32_t x =
        port % 2 == 0 ? coordinates[d] : coordinates[d] - 1; /* the lower end of the link */
    const double size = topology->sizes[d];
    return injected * (x + 1.0) * (size - 1.0 - x) / size;
}

static void spread(const vef_graph *graph, bool straight, double *load) {
    const vef_topology *topology = graph->topology;
    const vef_lattice *lattice = topology->lattice;
    uint32_t differences = 1;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        if (lattice->wraps[d])
            differences *= (uint32_t)lattice->sizes[d];
    double mean[2 * VEF_MAX_GENERATORS] = {0};
    for (uint32_t k = 0; k < differences; k++)
        add_mean(lattice, lattice->records + (size_t)lattice->first[k] * lattice->generators,
                 lattice->first[k + 1] - lattice->first[k], straight, mean);
    for (uint32_t port = 0; port < 2 * lattice->generators; port++)
        mean[port] /= differences;
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
            load[arc] = load_of(topology, mean, router, graph->port[arc]);
}

static void spread_records(const vef_graph *graph, double *load) {
    spread(graph, false, load);
}

static void spread_straight(const vef_graph *graph, double *load) {
    spread(graph, true, load);
}

const vef_sharing vef_sharing_records = {
    .name = "records",
    .summary = "dimension order, each minimal routing record of a pair equally likely",
    .applies = records_apply,
    .spread = spread_records,
};

const vef_sharing vef_sharing_straight = {
    .name = "straight",
    .summary =
        "as records, of those with the most hops along unit vectors (Knaive on a king torus)",
    .applies = straight_applies,
    .spread = spread_straight,
};
