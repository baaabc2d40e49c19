/* Figures of the papers' tables. See columns.h. */
#include "tests/papers/columns.h"
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/topology/twin/twin_ports.h"

#include <math.h>
#include <stdlib.h>

static double count(uint64_t value) {
    return value == VEF_NO_COUNT ? NAN : (double)value;
}

double vef_paper_routers(const vef_figures *figures) {
    return count(figures->routers);
}

double vef_paper_endpoints(const vef_figures *figures) {
    return count(figures->endpoints);
}

double vef_paper_degree(const vef_figures *figures) {
    return count(figures->degree_max);
}

double vef_paper_average(const vef_figures *figures) {
    return figures->average_distance;
}

double vef_paper_average_of_others(const vef_figures *figures) {
    return figures->average_distance_without_itself;
}

double vef_paper_deviation(const vef_figures *figures) {
    return figures->stddev_distance;
}

double vef_paper_diameter(const vef_figures *figures) {
    return count(figures->diameter);
}

double vef_paper_cost(const vef_figures *figures) {
    return count(figures->network_cost);
}

double vef_paper_utilization(const vef_figures *figures) {
    return figures->link_utilization;
}

double vef_paper_throughput_bound(const vef_figures *figures) {
    return figures->throughput_bound;
}

/* Papers cut across the middle of an axis of odd length too. */
double vef_paper_axis_links(const vef_figures *figures) {
    return count(figures->unequal_axis_cut_links != VEF_NO_COUNT ? figures->unequal_axis_cut_links
                                                                 : figures->axis_bisection_links);
}

double vef_paper_axis_links_both_ways(const vef_figures *figures) {
    return 2 * vef_paper_axis_links(figures);
}

double vef_paper_effective_links(const vef_figures *figures) {
    return figures->effective_bisection;
}

double vef_paper_cut_throughput(const vef_figures *figures) {
    /* a quarter of what all endpoints send crosses the cut in each direction */
    return 4 * vef_paper_axis_links(figures) / count(figures->endpoints);
}

/* ---- layouts ---- */

static vef_layout_lengths best_lengths(const vef_topology *topology) {
    vef_layout_lengths best = {.least = NAN, .greatest = NAN};
    vef_place_on_plane *place = calloc(topology->routers, sizeof *place);
    for (size_t i = 0; place && vef_layouts[i]; i++) {
        vef_layout_lengths lengths;
        if (vef_layouts[i]->supports(topology, NULL) != VEF_OK)
            continue;
        vef_layouts[i]->lay_out(topology, place);
        vef_layout_measure(vef_layouts[i], topology, place, &lengths);
        if (!(best.greatest <= lengths.greatest))
            best = lengths;
    }
    free(place);
    return best;
}

double vef_paper_least_link(const vef_figures *figures) {
    return sqrt((double)best_lengths(figures->graph->topology).least_straight_squared);
}

double vef_paper_longest_link(const vef_figures *figures) {
    return best_lengths(figures->graph->topology).greatest;
}

/* ---- inner links ---- */

double vef_paper_inner_paths(const vef_figures *figures) {
    return count(figures->inner_link_paths);
}

double vef_paper_inner_crossing(const vef_figures *figures) {
    return count(figures->inner_link_crossing);
}

double vef_paper_twin_configurations(const vef_figures *figures) {
    const uint32_t classes = figures->graph->topology->link_classes; /* dimensions, and inner */
    uint64_t card0 = 0, configurations = 0;
    while (vef_twin_next_configuration(classes - 1, &card0))
        configurations++;
    return (double)configurations;
}
