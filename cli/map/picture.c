/* The picture of a comparison of mappings. See compare.h. */
#include "cli/map/compare.h"

#include "cli/pictures/network.h"
#include "common/memory.h"

#include <stdlib.h>

/* ---- tasks ---- */

/* Of the square of a router; the rest is between squares. */
static const double SQUARE = 0.9;

/* The numbers of the tasks at the places of their routers, in rows from the upper left. A router is
 * a square in the colour of its first task, so that the order of the tasks is visible where there
 * is no room for numbers. */
static void add_places(vef_panel *panel, const vef_mapping *mapping, const vef_topology *topology) {
    uint32_t *first = vef_malloc(topology->routers * sizeof *first);
    uint32_t *counts = vef_calloc(2 * (size_t)topology->routers, sizeof *counts);
    uint32_t *seen = counts + topology->routers, most = 1;
    double x, y;
    for (uint32_t t = mapping->tasks; t-- > 0;) {
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        first[router] = t;
        most = ++counts[router] > most ? counts[router] : most;
    }
    const uint32_t columns = (uint32_t)ceil(sqrt(most));
    vef_lattice_set_axes(topology, panel);
    panel->colour = (vef_axis){.kind = VEF_AXIS_WHOLE, .label = "first task of a router"};
    for (uint32_t router = 0; router < topology->routers; router++) {
        vef_lattice_place(topology, router, &x, &y);
        vef_panel_cell(panel, x - SQUARE / 2, y - SQUARE / 2, x + SQUARE / 2, y + SQUARE / 2,
                       counts[router] ? first[router] : (double)NAN);
    }
    for (uint32_t t = 0; t < mapping->tasks; t++) {
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        const uint32_t number = seen[router]++, rows = (counts[router] + columns - 1) / columns;
        const uint32_t in_row = counts[router] < columns ? counts[router] : columns;
        char text[16];
        snprintf(text, sizeof text, "%u", t);
        vef_lattice_place(topology, router, &x, &y);
        vef_panel_label(panel, x + SQUARE * ((number % columns + 0.5) / in_row - 0.5),
                        y + SQUARE * (0.5 - (number / columns + 0.5) / rows),
                        0.85 * SQUARE / columns, first[router], text);
    }
    free(first);
    free(counts);
}

static void add_tasks(vef_panel *panel, const vef_mapping *mapping, const vef_topology *topology) {
    if (vef_lattice_has_places(topology)) {
        add_places(panel, mapping, topology);
        return;
    }
    vef_picture_series *routers = vef_panel_series(panel, NULL, VEF_DOTS);
    panel->x = (vef_axis){.kind = VEF_AXIS_WHOLE, .label = "task"};
    panel->y = (vef_axis){.kind = VEF_AXIS_WHOLE, .label = "router"};
    for (uint32_t t = 0; t < mapping->tasks; t++) {
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        vef_panel_mark(routers, t, vef_topology_router_number(topology, router), NAN, NAN);
    }
}

/* ---- traffic and links ---- */

static double add_traffic(vef_panel *panel, const vef_comparison *comparison,
                          const vef_mapping *mapping) {
    const vef_traffic_matrix *traffic = comparison->traffic;
    vef_matrix matrix = vef_matrix_make(comparison->network->topology->endpoints);
    for (uint32_t t = 0; t < traffic->tasks; t++)
        for (size_t i = traffic->first[t]; i < traffic->first[t + 1]; i++)
            if (traffic->flows[i].bytes > 0)
                vef_matrix_add(&matrix, mapping->endpoint[t],
                               mapping->endpoint[traffic->flows[i].to],
                               (double)traffic->flows[i].bytes);
    panel->colour = (vef_axis){.kind = VEF_AXIS_AUTO,
                               .label = comparison->messages ? "messages" : "traffic",
                               .unit = comparison->messages ? NULL : "B"};
    return vef_panel_add_matrix(panel, "receiving endpoint", "sending endpoint", &matrix);
}

static vef_code add_loads(vef_panel *panel, const vef_comparison *comparison,
                          const vef_mapping *mapping, double most, vef_error *error) {
    const vef_topology *topology = comparison->network->topology;
    const vef_axis numbers = {.label = comparison->messages ? "messages" : "load",
                              .unit = comparison->messages ? NULL : "B",
                              .most = most};
    vef_mapping_cost cost;
    double *load = vef_calloc((size_t)topology->routers * topology->ports + 1, sizeof *load);
    vef_code code = vef_mapping_cost_measure(mapping, comparison->traffic, topology,
                                             comparison->machine->host.nics, load, &cost, error);
    if (code == VEF_OK)
        vef_panel_add_links(panel, topology, load, &numbers);
    free(load);
    return code;
}

/* ---- the picture ---- */

static vef_panel *add_panel(vef_picture *picture, const char *what, const vef_compared *shown) {
    char *title = vef_printed("%s, %s", what, shown->name);
    vef_panel *panel = vef_picture_add(picture, title);
    free(title);
    return panel;
}

/* The first mapping that has costs, and the best. */
vef_code vef_comparison_picture(const vef_comparison *comparison, const vef_compared *best,
                                const vef_plot *plot, vef_error *error) {
    const vef_topology *topology = comparison->network->topology;
    const vef_compared *first = comparison->mappings;
    while (!first->mapping)
        first++; /* the best one has a mapping */
    const vef_compared *const shown[] = {first, best};
    const int columns = first == best ? 1 : 2;
    const bool messages = comparison->messages;
    vef_picture *picture = vef_picture_new((size_t)columns);
    vef_code code = VEF_OK;
    double traffic = 0;
    for (int i = 0; i < columns; i++)
        add_tasks(add_panel(picture, "tasks at routers", shown[i]), shown[i]->mapping, topology);
    for (int i = 0; i < columns; i++)
        traffic += add_traffic(
            add_panel(picture, messages ? "messages between endpoints" : "bytes between endpoints",
                      shown[i]),
            comparison, shown[i]->mapping);
    const double most = fmax(first->cost.link_load_max, best->cost.link_load_max);
    for (int i = 0; i < columns && code == VEF_OK; i++)
        code = add_loads(
            add_panel(picture, messages ? "messages over links" : "bytes over links", shown[i]),
            comparison, shown[i]->mapping, most, error);
    if (code == VEF_OK && traffic == 0)
        code = vef_fail(error, VEF_FAILED, "--plot %s: nothing to draw: no task sends data",
                        plot->path);
    if (code == VEF_OK)
        return vef_picture_save(picture, plot, error);
    vef_picture_free(picture);
    return code;
}
