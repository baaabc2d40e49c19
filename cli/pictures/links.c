/* Links of a network in pictures. See links.h. */
#include "cli/pictures/links.h"

#include "cli/pictures/lattice.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Beyond, cells are hard to see, dots hide links, and viewers of SVG become slow. */
enum { MOST_ROUTERS = 192, MOST_DOTS = 1024, MOST_LINES = 1 << 16 };

typedef enum form { PLACES, LEVELS, GROUPS, ROUTERS, SORTED } form;

static bool has_global_links(const vef_topology *topology) {
    for (uint32_t class = 0; class < topology->link_classes; class ++) {
        char name[VEF_CLASS_NAME_BYTES];
        vef_topology_link_class_name(topology, class, name, sizeof name);
        if (strcmp(name, "global") == 0)
            return true;
    }
    return false;
}

/* Fills in the hops from the nearest router with endpoints; returns the number of levels. */
static uint32_t find_levels(const vef_topology *topology, uint32_t *level) {
    uint32_t levels = 1;
    memset(level, 0xff, topology->routers * sizeof *level);
    for (uint32_t e = 0; e < topology->endpoints; e++)
        level[vef_topology_router_of(topology, e)] = 0;
    for (bool found = true; found; levels += found) {
        found = false;
        for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
            const uint32_t next = topology->neighbour[l];
            if (next == VEF_NO_ROUTER || level[next] != UINT32_MAX ||
                level[l / topology->ports] != levels - 1)
                continue;
            level[next] = levels;
            found = true;
        }
    }
    return levels;
}

static bool all_have_endpoints(const vef_topology *topology) {
    uint32_t with = 0, last = VEF_NO_ROUTER;
    for (uint32_t e = 0; e < topology->endpoints; e++) { /* those of a router follow each other */
        const uint32_t router = vef_topology_router_of(topology, e);
        with += router != last;
        last = router;
    }
    return with >= topology->routers;
}

static form form_of(const vef_topology *topology) {
    const size_t links = (size_t)topology->routers * topology->ports;
    if (vef_lattice_has_links(topology))
        return links <= MOST_LINES ? PLACES : SORTED;
    if (topology->dimensions >= 2 && has_global_links(topology))
        return GROUPS;
    if (!all_have_endpoints(topology))
        return LEVELS;
    return topology->routers <= MOST_ROUTERS ? ROUTERS : SORTED;
}

static void add_places(vef_panel *panel, const vef_topology *topology, const double *load) {
    vef_picture_series *routers = vef_panel_series(panel, NULL, VEF_DOTS | VEF_REFERENCE);
    double x, y, dx, dy;
    vef_lattice_set_axes(topology, panel);
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        vef_lattice_place(topology, (uint32_t)(l / topology->ports), &x, &y);
        if (topology->neighbour[l] != VEF_NO_ROUTER &&
            vef_lattice_direction(topology, (uint32_t)(l % topology->ports), &dx, &dy))
            vef_panel_line(panel, x, y, dx, dy, load[l]);
    }
    for (uint32_t router = 0; topology->routers <= MOST_DOTS && router < topology->routers;
         router++) {
        vef_lattice_place(topology, router, &x, &y);
        vef_panel_mark(routers, x, y, NAN, NAN);
    }
}

static int compare_loads(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p < q) - (p > q);
}

static void add_sorted(vef_panel *panel, const vef_topology *topology, const double *load) {
    const size_t links = (size_t)topology->routers * topology->ports;
    double *sorted = vef_malloc((links + 1) * sizeof *sorted);
    size_t count = 0;
    for (size_t l = 0; l < links; l++)
        if (topology->neighbour[l] != VEF_NO_ROUTER)
            sorted[count++] = load[l];
    qsort(sorted, count, sizeof *sorted, compare_loads);
    vef_picture_series *series = vef_panel_series(panel, NULL, VEF_LINE);
    for (size_t i = 0; i < count; i += 1 + count / MOST_LINES)
        vef_panel_mark(series, (double)i + 1, sorted[i], NAN, NAN);
    panel->x = (vef_axis){.label = "links, the most loaded first", .from_zero = true};
    panel->y = panel->colour;
    free(sorted);
}

static uint32_t group_of(const vef_topology *topology, uint32_t router) {
    uint32_t coordinates[VEF_MAX_DIMENSIONS] = {0};
    vef_topology_coordinates(topology, router, coordinates);
    return coordinates[topology->dimensions - 1];
}

/* From one group or router to another. */
static void add_matrix(vef_panel *panel, const vef_topology *topology, bool groups,
                       const double *load) {
    vef_matrix matrix =
        vef_matrix_make(groups ? topology->sizes[topology->dimensions - 1] : topology->routers);
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        const uint32_t from = (uint32_t)(l / topology->ports), to = topology->neighbour[l];
        if (to != VEF_NO_ROUTER)
            vef_matrix_raise(&matrix, groups ? group_of(topology, from) : from,
                             groups ? group_of(topology, to) : to, load[l]);
    }
    vef_panel_add_matrix(panel, groups ? "to group" : "to router",
                         groups ? "from group" : "from router", &matrix);
}

enum { UP, ACROSS, DOWN, DIRECTIONS };

/* The rows of a level, down below up: the greatest number of the links of each router that go
 * there, of several routers in a cell where there are many. */
static void add_level(vef_panel *panel, const vef_topology *topology, const uint32_t *levels,
                      uint32_t level, const double *load) {
    static const char *const directions[DIRECTIONS] = {"up", "across", "down"};
    uint32_t routers = 0, index = 0;
    for (uint32_t router = 0; router < topology->routers; router++)
        routers += levels[router] == level;
    const uint32_t columns = routers < MOST_ROUTERS ? routers : MOST_ROUTERS;
    double *most = vef_malloc(DIRECTIONS * (columns + 1) * sizeof *most);
    for (uint32_t i = 0; i < DIRECTIONS * columns; i++)
        most[i] = NAN;
    for (uint32_t router = 0; router < topology->routers; router++) {
        if (levels[router] != level)
            continue;
        const uint32_t column = (uint32_t)((uint64_t)index++ * columns / routers);
        for (uint32_t port = 0; port < topology->ports; port++) {
            const size_t l = (size_t)router * topology->ports + port;
            const uint32_t next = topology->neighbour[l];
            if (next == VEF_NO_ROUTER)
                continue;
            const uint32_t way = levels[next] > level ? UP : levels[next] < level ? DOWN : ACROSS;
            double *cell = &most[way * columns + column];
            *cell = fmax(*cell, load[l]);
        }
    }
    for (uint32_t way = DIRECTIONS; way-- > 0;) {
        const double row = (double)panel->y.name_count;
        bool any = false;
        for (uint32_t i = 0; i < columns; i++) {
            const double value = most[way * columns + i];
            any = any || !isnan(value);
            if (!isnan(value))
                vef_panel_cell(panel, (double)i / columns, row - 0.4, (i + 1.0) / columns,
                               row + 0.4, value);
        }
        char *name = vef_printed("level %u %s", level, directions[way]);
        if (any)
            vef_panel_name(panel, &panel->y, name);
        free(name);
    }
    free(most);
}

static void add_levels(vef_panel *panel, const vef_topology *topology, const double *load) {
    uint32_t *levels = vef_malloc(topology->routers * sizeof *levels);
    const uint32_t count = find_levels(topology, levels);
    panel->x = (vef_axis){.label = "routers of the level", .bare = true, .least = 0, .most = 1};
    for (uint32_t level = 0; level < count; level++)
        add_level(panel, topology, levels, level, load);
    free(levels);
}

void vef_panel_add_links(vef_panel *panel, const vef_topology *topology, const double *load,
                         const vef_axis *numbers) {
    panel->colour = *numbers;
    switch (form_of(topology)) {
    case PLACES:
        add_places(panel, topology, load);
        return;
    case LEVELS:
        add_levels(panel, topology, load);
        return;
    case GROUPS:
    case ROUTERS:
        add_matrix(panel, topology, form_of(topology) == GROUPS, load);
        return;
    case SORTED:
        add_sorted(panel, topology, load);
    }
}
