/* Measuring every figure of a network. See figures.h. */
#include "netmodel/analysis/figures.h"

#include "netmodel/analysis/graph/graph.h"

#include <math.h>

/* clang-format off */
#define COUNT(name, in, text, what)                                                                \
    {.key = #name, .label = text, .unit = what, .group = in, .whole = true,                        \
     .offset = offsetof(vef_figures, name)}
#define REAL(name, in, text, what)                                                                 \
    {.key = #name, .label = text, .unit = what, .group = in,                                       \
     .offset = offsetof(vef_figures, name)}

#define BILL(key, field, whole, label, unit)                                                       \
    { key, label, unit, VEF_FIGURES_OF_COST, whole, offsetof(vef_figures, bill.field) }

const vef_figure vef_figure_table[] = {
    COUNT(routers, VEF_FIGURES_OF_SIZE, "routers", ""),
    COUNT(endpoints, VEF_FIGURES_OF_SIZE, "endpoints", ""),
    COUNT(degree_min, VEF_FIGURES_OF_SIZE, "least degree", "links of a router"),
    COUNT(degree_max, VEF_FIGURES_OF_SIZE, "greatest degree", "links of a router"),
    COUNT(links, VEF_FIGURES_OF_SIZE, "links", "both directions counted as one"),
    COUNT(network_cost, VEF_FIGURES_OF_SIZE, "network cost", "degree x diameter"),
    COUNT(switches, VEF_FIGURES_OF_SIZE, "switches", "routers that are no part of a node"),
    COUNT(diameter, VEF_FIGURES_OF_DISTANCE, "diameter", ""),
    REAL(average_distance, VEF_FIGURES_OF_DISTANCE, "average", "a router itself counted as 0"),
    REAL(average_distance_without_itself, VEF_FIGURES_OF_DISTANCE, "average without itself",
         "between different routers"),
    REAL(stddev_distance, VEF_FIGURES_OF_DISTANCE, "standard deviation", "a router itself counted"),
    REAL(link_utilization, VEF_FIGURES_OF_LOAD, "link utilization", "mean load / greatest load"),
    REAL(throughput_bound, VEF_FIGURES_OF_LOAD, "throughput bound",
         "phits/cycle/endpoint: the most loaded link is full"),
    REAL(capacity_bound, VEF_FIGURES_OF_LOAD, "capacity bound",
         "phits/cycle/endpoint: every link is full"),
    COUNT(axis_bisection_links, VEF_FIGURES_OF_CUT, "axis bisection", "links"),
    COUNT(unequal_axis_cut_links, VEF_FIGURES_OF_CUT, "unequal axis cut", "links"),
    COUNT(partition_bisection_links, VEF_FIGURES_OF_CUT, "bisection", "links"),
    REAL(effective_bisection, VEF_FIGURES_OF_CUT, "effective bisection",
         "links left to traffic between the halves"),
    COUNT(inner_link_paths, VEF_FIGURES_OF_INNER_LINK, "paths through a node", ""),
    COUNT(inner_link_crossing, VEF_FIGURES_OF_INNER_LINK, "crossing the inner link", ""),
    REAL(inner_link_share, VEF_FIGURES_OF_INNER_LINK, "share", "crossing / paths"),
    BILL("switch_ports", ports, true, "switch ports", "with those of endpoints"),
    BILL("cables", cables, true, "cables", "with those of endpoints"),
    BILL("cable_metres", cable_metres, false, "length of all cables", "m"),
    BILL("price", price, false, "price", ""),
    BILL("price_per_endpoint", price_per_endpoint, false, "price per endpoint", ""),
    BILL("power_w", power_w, false, "power", "W"),
    BILL("power_per_endpoint_w", power_per_endpoint_w, false, "power per endpoint", "W"),
    {.key = NULL},
};
/* clang-format on */

bool vef_figure_value(const vef_figures *figures, const vef_figure *figure, double *value) {
    const void *value_at = (const char *)figures + figure->offset;
    if (figure->whole) {
        uint64_t count = *(const uint64_t *)value_at;
        *value = (double)count;
        return count != VEF_NO_COUNT;
    }
    *value = *(const double *)value_at;
    return isfinite(*value);
}

/* ---- sizes ---- */

static void measure_size(const vef_graph *graph, vef_figures *figures) {
    figures->routers = graph->routers;
    figures->endpoints = graph->topology->endpoints;
    figures->links = graph->arcs / 2;
    figures->switches = vef_topology_whole(graph->topology)->node_routers > 0 ? 0 : VEF_NO_COUNT;
    for (uint32_t r = 0; figures->switches != VEF_NO_COUNT && r < graph->routers; r++)
        figures->switches += vef_topology_is_switch(graph->topology, r);
    figures->degree_min = graph->arcs;
    figures->degree_max = 0;
    for (uint32_t r = 0; r < graph->routers; r++) {
        uint32_t degree = graph->first[r + 1] - graph->first[r];
        if (degree < figures->degree_min)
            figures->degree_min = degree;
        if (degree > figures->degree_max)
            figures->degree_max = degree;
    }
}

static vef_code measure_distances(const vef_graph *graph, vef_figures *figures, vef_error *error) {
    vef_code code = vef_distances_measure(graph, &figures->distances, error);
    if (code == VEF_INVALID) { /* not connected: the request is valid, but the network is not */
        code = VEF_FAILED;
        if (error)
            error->code = code;
    }
    if (code != VEF_OK)
        return code;
    figures->diameter = figures->distances.diameter;
    figures->average_distance = figures->distances.average;
    figures->average_distance_without_itself = figures->distances.average_without;
    figures->stddev_distance = figures->distances.deviation;
    figures->network_cost = figures->degree_max * figures->diameter;
    return VEF_OK;
}

/* ---- symmetry ---- */

static bool routers_differ(const vef_graph *graph, const vef_figures *figures) {
    bool differ = figures->degree_min != figures->degree_max;
    for (uint32_t r = 1; r < graph->routers && !differ; r++)
        differ = graph->endpoints[r] != graph->endpoints[0];
    return differ;
}

/* Whether links have different bandwidths, which symmetries of the graph need not preserve. */
static bool speeds_differ(const vef_graph *graph, uint64_t nominal_bits_per_s) {
    double first = 0;
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++) {
            const double slow = vef_arc_slowness(graph, r, arc, nominal_bits_per_s);
            first = first > 0 ? first : slow;
            if (slow < first || slow > first)
                return true;
        }
    return false;
}

static void judge_symmetry(const vef_graph *graph, uint64_t nominal_bits_per_s,
                           vef_figures *figures) {
    const bool graph_only = speeds_differ(graph, nominal_bits_per_s);
    const bool measured = figures->load.sharing != NULL && !figures->load.paths_left_out;
    const vef_symmetry open = measured ? VEF_SYMMETRY_NOT_REFUTED : VEF_SYMMETRY_UNKNOWN;
    const uint32_t link_kinds = vef_count_link_kinds(graph);
    figures->vertex_symmetry =
        graph->topology->orbits == 1 && !graph_only ? VEF_SYMMETRY_BY_CONSTRUCTION
        : routers_differ(graph, figures) || (measured && !figures->load.routers_alike)
            ? VEF_SYMMETRY_REFUTED
            : open;
    figures->edge_symmetry = link_kinds == 1 && !graph_only           ? VEF_SYMMETRY_BY_CONSTRUCTION
                             : measured && !figures->load.links_alike ? VEF_SYMMETRY_REFUTED
                                                                      : open;
}

/* ---- loads and cuts ---- */

static vef_code measure_loads(const vef_graph *graph, const vef_figures_request *request,
                              vef_figures *figures, vef_error *error) {
    figures->link_utilization = figures->throughput_bound = figures->capacity_bound = NAN;
    if (request->without_loads || graph->arcs == 0) /* a single router has no links */
        return VEF_OK;
    if (!vef_link_load_measure_few(graph, request->sharing, &figures->distances, &figures->load)) {
        const vef_code code = vef_link_load_measure(
            graph, request->sharing, request->nominal_bits_per_s, &figures->load, error);
        if (code != VEF_OK)
            return code;
    }
    figures->link_utilization = figures->load.utilization;
    figures->throughput_bound = figures->load.throughput_bound;
    figures->capacity_bound = figures->load.capacity_bound;
    return VEF_OK;
}

static vef_code measure_cuts(const vef_graph *graph, const vef_figures_request *request,
                             vef_figures *figures, vef_error *error) {
    const double *load = figures->load.load;
    figures->axis_bisection_links = figures->partition_bisection_links =
        figures->unequal_axis_cut_links = VEF_NO_COUNT;
    figures->effective_bisection = NAN;
    vef_code code = vef_cut_across_axes(graph, load, true, &figures->axis_cut, error);
    const bool axes = code == VEF_OK;
    if ((axes || code == VEF_UNSUPPORTED) &&
        vef_cut_across_axes(graph, load, false, &figures->unequal_cut, error) == VEF_OK &&
        !vef_cut_is_balanced(graph, &figures->unequal_cut) &&
        (!axes || figures->unequal_cut.links < figures->axis_cut.links))
        figures->unequal_axis_cut_links = figures->unequal_cut.links;
    if (axes) {
        figures->axis_bisection_links = figures->axis_cut.links;
        if (load)
            figures->effective_bisection = figures->axis_cut.effective_links;
    } else if (code != VEF_UNSUPPORTED)
        return code;
    figures->exact = vef_cut_exactly(graph, load, &figures->partition);
    if (axes && !request->with_partition && !figures->exact)
        return VEF_OK;
    vef_error reason = {0};
    code =
        figures->exact ? VEF_OK : vef_cut_by_partitioner(graph, load, &figures->partition, &reason);
    if (code == VEF_UNSUPPORTED) {
        snprintf(figures->without_partition, sizeof figures->without_partition, "%s",
                 reason.message);
        return VEF_OK;
    }
    if (code != VEF_OK)
        return vef_fail(error, code, "%s", reason.message);
    figures->partition_bisection_links = figures->partition.links;
    if (load && (!axes || figures->partition.links < figures->axis_cut.links))
        figures->effective_bisection = figures->partition.effective_links;
    return VEF_OK;
}

static vef_code measure_inner_link(const vef_topology *topology, vef_figures *figures,
                                   vef_error *error) {
    vef_inner_use use = {0};
    figures->inner_link_paths = figures->inner_link_crossing = VEF_NO_COUNT;
    figures->inner_link_share = NAN;
    vef_code code = vef_inner_use_count(topology, &use, error);
    if (code == VEF_UNSUPPORTED)
        return VEF_OK;
    if (code != VEF_OK)
        return code;
    figures->inner_link_paths = use.paths;
    figures->inner_link_crossing = use.crossing;
    if (use.paths > 0)
        figures->inner_link_share = (double)use.crossing / (double)use.paths;
    return VEF_OK;
}

/* ---- all figures ---- */

static vef_code measure(const vef_topology *topology, const vef_figures_request *request,
                        vef_figures *figures, vef_error *error) {
    vef_code code = vef_graph_create(topology, &figures->graph, error);
    if (code != VEF_OK)
        return code;
    figures->graph->watch = request->watch;
    measure_size(figures->graph, figures);
    code = measure_distances(figures->graph, figures, error);
    if (code == VEF_OK)
        code = measure_loads(figures->graph, request, figures, error);
    if (code == VEF_OK)
        judge_symmetry(figures->graph, request->nominal_bits_per_s, figures);
    if (code == VEF_OK)
        code = measure_cuts(figures->graph, request, figures, error);
    if (code == VEF_OK)
        code = measure_inner_link(topology, figures, error);
    if (code == VEF_OK)
        code = request->prices ? vef_bill_make(request->prices, topology, &figures->bill, error)
                               : VEF_OK;
    return code;
}

vef_code vef_figures_measure(const vef_topology *topology, const vef_figures_request *request,
                             vef_figures *figures, vef_error *error) {
    static const vef_figures_request usual;
    *figures = (vef_figures){.bill = {.ports = VEF_NO_COUNT,
                                      .cables = VEF_NO_COUNT,
                                      .cable_metres = NAN,
                                      .price = NAN,
                                      .price_per_endpoint = NAN,
                                      .power_w = NAN,
                                      .power_per_endpoint_w = NAN}};
    vef_code code = measure(topology, request ? request : &usual, figures, error);
    if (code != VEF_OK)
        vef_figures_release(figures);
    return code;
}

void vef_figures_release(vef_figures *figures) {
    vef_distances_release(&figures->distances);
    vef_link_load_release(&figures->load);
    vef_bill_release(&figures->bill);
    vef_graph_destroy(figures->graph);
    *figures = (vef_figures){0};
}
