/* Networks in pictures. See network.h. */
#include "cli/pictures/network.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Beyond, cells are hard to see, dots hide links, and links cannot be told apart. */
enum { MOST_ROUTERS = 192, MOST_DOTS = 1024, MOST_LINES = 25000, MOST_BLOCKS = 4096 };

/* ---- lattices ---- */

bool vef_lattice_has_places(const vef_topology *topology) {
    return vef_topology_whole(topology)->lattice && topology->dimensions >= 1 &&
           topology->dimensions <= 3;
}

/* Half a link out of a port; shorter and oblique along z. False: it has no direction of an axis. */
static bool direction_of(const vef_topology *topology, uint32_t port, double *dx, double *dy) {
    char name[VEF_PORT_NAME_BYTES];
    vef_topology_port_name(topology, port, name, sizeof name);
    if (name[0] < 'x' || name[0] > 'z' || (name[1] != '+' && name[1] != '-') || name[2] != '\0')
        return false;
    const double sign = name[1] == '+' ? 1 : -1;
    *dx = name[0] == 'x' ? 0.5 * sign : name[0] == 'z' ? 0.3 * sign : 0;
    *dy = name[0] == 'y' ? 0.5 * sign : name[0] == 'z' ? 0.3 * sign : 0;
    return true;
}

/* Whether all ports have directions of an axis. */
static bool has_directions(const vef_topology *topology) {
    double dx, dy;
    if (!vef_lattice_has_places(topology))
        return false;
    for (uint32_t port = 0; port < topology->ports; port++)
        if (!direction_of(topology, port, &dx, &dy))
            return false;
    return true;
}

static uint32_t side(const vef_topology *topology, uint32_t dimension) {
    return topology->dimensions > dimension ? topology->sizes[dimension] : 1;
}

/* Planes are in rows of about as many. */
static uint32_t planes_in_row(const vef_topology *topology) {
    return (uint32_t)ceil(sqrt(side(topology, 2)));
}

/* Between planes, in y: room for a name. */
static double gap(const vef_topology *topology) {
    return fmax(1, side(topology, 1) / 4.0);
}

/* The place of the first router of a plane. */
static void place_plane(const vef_topology *topology, uint32_t plane, double *x, double *y) {
    const uint32_t columns = planes_in_row(topology);
    *x = plane % columns * (side(topology, 0) + 1.0);
    *y = plane / columns * (side(topology, 1) + gap(topology));
}

void vef_lattice_place(const vef_topology *topology, uint32_t router, double *x, double *y) {
    uint32_t coordinates[VEF_MAX_DIMENSIONS] = {0};
    vef_topology_coordinates(topology, router, coordinates);
    place_plane(topology, coordinates[2], x, y);
    *x += coordinates[0];
    *y += coordinates[1];
}

void vef_lattice_set_axes(const vef_topology *topology, vef_panel *panel) {
    char name[24];
    panel->square = topology->dimensions > 1;
    panel->x = (vef_axis){.label = "x", .bare = true};
    panel->y = panel->square ? (vef_axis){.label = "y", .bare = true}
                             : (vef_axis){.bare = true, .least = -1, .most = 1};
    for (uint32_t z = 0; topology->dimensions > 2 && z < side(topology, 2); z++) {
        double x, y;
        place_plane(topology, z, &x, &y);
        snprintf(name, sizeof name, "z = %u", z);
        vef_panel_label(panel, x + (side(topology, 0) - 1) / 2.0,
                        y + side(topology, 1) - 0.5 + gap(topology) / 2, 0, NAN, name);
    }
}

/* ---- links ---- */

typedef enum form { PLACES, BLOCKS, LEVELS, GROUPS, ROUTERS } form;

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
    if (has_directions(topology))
        return links <= MOST_LINES ? PLACES : BLOCKS;
    if (topology->dimensions >= 2 && has_global_links(topology))
        return GROUPS;
    if (!all_have_endpoints(topology))
        return LEVELS;
    return ROUTERS;
}

static void add_places(vef_panel *panel, const vef_topology *topology, const double *load) {
    vef_picture_series *routers = vef_panel_series(panel, NULL, VEF_DOTS | VEF_REFERENCE);
    double x, y, dx, dy;
    vef_lattice_set_axes(topology, panel);
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        vef_lattice_place(topology, (uint32_t)(l / topology->ports), &x, &y);
        if (topology->neighbour[l] != VEF_NO_ROUTER &&
            direction_of(topology, (uint32_t)(l % topology->ports), &dx, &dy))
            vef_panel_line(panel, x, y, dx, dy, load[l]);
    }
    for (uint32_t router = 0; topology->routers <= MOST_DOTS && router < topology->routers;
         router++) {
        vef_lattice_place(topology, router, &x, &y);
        vef_panel_mark(routers, x, y, NAN, NAN);
    }
}

/* The busiest link that leaves the routers of a block, for lattices of more links than can be told
 * apart. */
static void add_blocks(vef_panel *panel, const vef_topology *topology, const double *load) {
    const uint32_t planes = side(topology, 2);
    uint32_t edge = 1, columns, rows;
    do {
        edge++;
        columns = (side(topology, 0) + edge - 1) / edge;
        rows = (side(topology, 1) + edge - 1) / edge;
    } while ((uint64_t)columns * rows * planes > MOST_BLOCKS && columns * rows > 1);
    const size_t count = (size_t)columns * rows * planes;
    double *most = vef_malloc(count * sizeof *most), x, y;
    uint32_t position[VEF_MAX_DIMENSIONS] = {0};
    for (size_t i = 0; i < count; i++)
        most[i] = NAN;
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        if (topology->neighbour[l] == VEF_NO_ROUTER)
            continue;
        vef_topology_coordinates(topology, (uint32_t)(l / topology->ports), position);
        double *block =
            &most[((size_t)position[2] * rows + position[1] / edge) * columns + position[0] / edge];
        *block = fmax(*block, load[l]);
    }
    vef_lattice_set_axes(topology, panel);
    for (size_t i = 0; i < count; i++) {
        place_plane(topology, (uint32_t)(i / columns / rows), &x, &y);
        const double column = (double)(i % columns * edge),
                     row = (double)(i / columns % rows * edge);
        vef_panel_cell(panel, x + column - 0.5, y + row - 0.5,
                       x + fmin(column + edge, side(topology, 0)) - 0.5,
                       y + fmin(row + edge, side(topology, 1)) - 0.5, most[i]);
    }
    free(most);
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
    case BLOCKS:
        add_blocks(panel, topology, load);
    }
}

/* ---- how busy links are ---- */

vef_code vef_busy_links_check(const vef_netmodel *network, const char *option, const vef_plot *plot,
                              vef_error *error) {
    if (!network->topology || !network->kind->link_busy_cycles)
        return vef_fail(error, VEF_UNSUPPORTED, "%s %s: networks of model %s have no links to draw",
                        option, plot->path, network->kind->name);
    return vef_picture_check(option, plot, error);
}

vef_code vef_busy_links_interval(const vef_netmodel *network, double sample_ns, uint64_t *cycles,
                                 vef_error *error) {
    const double cycle_ns = vef_netmodel_cycle_ns(network), count = round(sample_ns / cycle_ns);
    if (!(count >= 1 && count < 0x1p62))
        return vef_fail(error, VEF_INVALID,
                        "--sample: %.6g ns: out of range: expected at least a cycle, %.6g ns",
                        sample_ns, cycle_ns);
    *cycles = (uint64_t)count;
    return VEF_OK;
}

/* Steps: a sample holds from the end of the one before to its own. */
static void add_step(vef_picture_series *series, double begin_ns, double end_ns, double share) {
    vef_panel_mark(series, begin_ns, 100 * share, NAN, NAN);
    vef_panel_mark(series, end_ns, 100 * share, NAN, NAN);
}

static void add_samples(vef_panel *panel, const vef_netmodel *network,
                        const vef_link_samples *samples) {
    const vef_topology *topology = network->topology;
    const double cycle_ns = vef_netmodel_cycle_ns(network);
    const uint32_t classes = topology->link_classes > 1 ? topology->link_classes : 0;
    vef_picture_series **by_class = vef_calloc(classes + 1, sizeof(vef_picture_series *));
    double begin_ns = 0;
    panel->x = (vef_axis){.label = "time", .unit = "ns", .from_zero = true};
    panel->y = (vef_axis){.label = "busy links", .unit = "%", .from_zero = true};
    vef_picture_series *most = vef_panel_series(panel, "busiest link", VEF_LINE);
    vef_picture_series *mean = vef_panel_series(panel, "mean", VEF_LINE);
    for (uint32_t class = 0; class < classes; class ++) {
        char name[VEF_CLASS_NAME_BYTES], label[sizeof name + 16];
        vef_topology_link_class_name(topology, class, name, sizeof name);
        snprintf(label, sizeof label, "mean of %s", name);
        by_class[class] = vef_panel_series(panel, label, VEF_LINE);
    }
    for (size_t i = 0; i < samples->count; i++) {
        const vef_link_sample sample = vef_link_samples_get(samples, i);
        const double end_ns = (double)sample.end_cycles * cycle_ns;
        add_step(most, begin_ns, end_ns, sample.most);
        add_step(mean, begin_ns, end_ns, sample.mean);
        for (uint32_t class = 0; class < classes; class ++)
            add_step(by_class[class], begin_ns, end_ns, sample.by_class[class]);
        panel->x.most = begin_ns = end_ns;
    }
    free(by_class);
}

vef_picture *vef_busy_links_draw(const vef_topology *topology, const double *utilization,
                                 const char *title) {
    const size_t count = (size_t)topology->routers * topology->ports;
    const vef_axis share = {.label = "busy share of the time", .unit = "%", .most = 100};
    vef_picture *picture = vef_picture_new(1);
    double *percent = vef_calloc(count + 1, sizeof *percent);
    for (size_t l = 0; l < count; l++)
        percent[l] = 100 * utilization[l];
    vef_picture_set_title(picture, title, NULL);
    vef_panel_add_links(vef_picture_add(picture, NULL), topology, percent, &share);
    free(percent);
    return picture;
}

vef_code vef_busy_links_save(const vef_netmodel *network, const double *utilization,
                             const vef_link_samples *samples, const char *title,
                             const vef_plot *plot, vef_error *error) {
    vef_picture *picture = vef_busy_links_draw(network->topology, utilization, title);
    if (samples && samples->count > 0)
        add_samples(vef_picture_add(picture, NULL), network, samples);
    return vef_picture_save(picture, plot, error);
}
