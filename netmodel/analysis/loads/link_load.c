/* The figures derived from the loads of links. See link_load.h. */
#include "netmodel/analysis/loads/link_load.h"

#include "common/limits.h"
#include "common/memory.h"
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Loads within this relative difference are equal; far above rounding errors. */
static const double same_part = 1e-9;

static double most_busy(const vef_graph *graph, const double *load, uint64_t nominal) {
    double most = 0;
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
            most = fmax(most, load[arc] * vef_arc_slowness(graph, router, arc, nominal));
    return most;
}

static void fill_in(const vef_graph *graph, uint64_t nominal, vef_link_load *made) {
    const vef_topology *topology = graph->topology;
    const double most = most_busy(graph, made->load, nominal);
    double load = 0, busy = 0, speed = 0; /* sums over the links */
    double busy_of_class[VEF_MAX_LINK_CLASSES] = {0};
    bool found = false;
    made->classes = topology->link_classes;
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const double slow = vef_arc_slowness(graph, router, arc, nominal);
            const uint32_t link_class = vef_topology_link_class(topology, router, graph->port[arc]);
            load += made->load[arc];
            busy += made->load[arc] * slow;
            speed += 1 / slow;
            made->average_distance[link_class] += made->load[arc];
            busy_of_class[link_class] += made->load[arc] * slow;
            made->links[link_class]++;
            if (!found && made->load[arc] * slow >= most * (1 - same_part)) {
                found = true;
                made->busiest_router = router;
                made->busiest_port = graph->port[arc];
            }
        }
    made->utilization = busy / graph->arcs / most;
    made->throughput_bound = 1 / most;
    made->capacity_bound = speed / load;
    for (uint32_t c = 0; c < made->classes; c++) {
        if (made->links[c] != 0)
            made->class_utilization[c] = busy_of_class[c] / (double)made->links[c] / most;
        made->average_distance[c] /= topology->endpoints;
        made->links[c] /= 2; /* counted from both ends */
    }
}

static bool is_same(double a, double b) {
    return fabs(a - b) <= same_part * fmax(fabs(a), fabs(b));
}

/* A symmetry maps links onto links of equal speed, so equal loads are not sufficient if speeds
 * differ. */
static void compare(const vef_graph *graph, const double *load, uint64_t nominal,
                    vef_link_load *made) {
    made->links_alike = made->routers_alike = true;
    double slow = 0; /* of the first link */
    double first = 0, first_busy = 0;
    for (uint32_t router = 0; router < graph->routers; router++) {
        double forwarded = 0, busy = 0;
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const double here = vef_arc_slowness(graph, router, arc, nominal);
            slow = arc == 0 ? here : slow;
            forwarded += load[arc];
            busy += load[arc] * here;
            made->links_alike =
                made->links_alike && is_same(load[arc], load[0]) && is_same(here, slow);
        }
        if (router == 0) {
            first = forwarded;
            first_busy = busy;
        }
        made->routers_alike = made->routers_alike && is_same(forwarded, first) &&
                              is_same(busy, first_busy) &&
                              graph->endpoints[router] == graph->endpoints[0];
    }
}

/* Whether to do the work of `paths`, which links_alike and routers_alike use too. */
static bool paths_are_left_out(const vef_graph *graph, const vef_sharing *wanted) {
    if (wanted == &vef_sharing_paths ||
        (uint64_t)graph->sources * graph->arcs <= VEF_MOST_PATHS_WORK)
        return false;
    for (size_t i = 1; vef_sharings[i]; i++)
        if (vef_sharings[i]->applies(graph->topology))
            return true;
    return false;
}

/* Computes the loads by one row and keeps them in `made` if they are the best so far; `load` is
 * room. */
static void try(const vef_graph *graph, const vef_sharing *sharing, const vef_sharing *wanted,
                uint64_t nominal, double *load, vef_link_load *made) {
    sharing->spread(graph, load);
    if (sharing == &vef_sharing_paths)
        compare(graph, load, nominal, made);
    if (wanted && sharing != wanted)
        return;
    const double bound = 1 / most_busy(graph, load, nominal);
    if (made->sharing && bound <= made->throughput_bound * (1 + same_part))
        return;
    made->sharing = sharing;
    made->throughput_bound = bound;
    memcpy(made->load, load, graph->arcs * sizeof *load);
}

static vef_code check(const vef_graph *graph, const vef_sharing *wanted, vef_error *error) {
    vef_code code = vef_check_connected(graph, error);
    if (code != VEF_OK)
        return code;
    if (graph->sources == 1 && graph->stands_for[0] == 1)
        return vef_fail(error, VEF_INVALID,
                        "all endpoints are on one router, so no link has a load: expected "
                        "endpoints on two routers or more");
    if (wanted && !wanted->applies(graph->topology))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "sharing %s: not supported on this %s network: expected for example %s, "
                        "which supports all",
                        wanted->name, graph->topology->family->name, vef_sharing_paths.name);
    return VEF_OK;
}

vef_code vef_link_load_measure(const vef_graph *graph, const vef_sharing *wanted,
                               uint64_t nominal_bits_per_s, vef_link_load *made, vef_error *error) {
    *made = (vef_link_load){0};
    vef_code code = check(graph, wanted, error);
    if (code != VEF_OK)
        return code;
    double *load = vef_calloc(graph->arcs, sizeof *load);
    made->load = vef_calloc(graph->arcs, sizeof *made->load);
    made->paths_left_out = paths_are_left_out(graph, wanted);
    for (size_t i = 0; vef_sharings[i]; i++) {
        const vef_sharing *row = vef_sharings[i];
        const bool is_paths = row == &vef_sharing_paths;
        if (!row->applies(graph->topology) || (is_paths && made->paths_left_out) ||
            (wanted && row != wanted && !is_paths))
            continue;
        try(graph, row, wanted, nominal_bits_per_s, load, made);
    }
    fill_in(graph, nominal_bits_per_s, made);
    free(load);
    return VEF_OK;
}

/* All links together carry every pair over its distance. */
bool vef_link_load_measure_few(const vef_graph *graph, const vef_sharing *wanted,
                               const vef_distances *distances, vef_link_load *made) {
    const vef_topology *topology = graph->topology;
    const uint64_t steps = (uint64_t)graph->sources * graph->arcs;
    double most;
    *made = (vef_link_load){.sharing = &vef_sharing_paths, .paths_left_out = true};
    if (vef_limit_check(VEF_LIMIT_LOADS, steps, NULL) == VEF_OK || topology->orbits > 0 ||
        topology->bandwidth_bits_per_s || paths_are_left_out(graph, NULL) ||
        (wanted && wanted != &vef_sharing_paths))
        return false;
    made->few_links =
        vef_few_links_measure(graph, distances, &most, &made->busiest_router, &made->busiest_port);
    const double mean = distances->average * topology->endpoints / graph->arcs;
    most = fmax(most, mean); /* some link has at least the mean */
    made->utilization = mean / most;
    made->throughput_bound = 1 / most;
    made->capacity_bound = 1 / mean;
    if (topology->link_classes == 1) {
        made->classes = 1;
        made->average_distance[0] = distances->average;
        made->links[0] = graph->arcs / 2;
        made->class_utilization[0] = made->utilization;
    }
    return made->few_links > 0;
}

void vef_link_load_release(vef_link_load *load) {
    free(load->load);
    *load = (vef_link_load){0};
}
