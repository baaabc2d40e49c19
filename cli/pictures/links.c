/* Links of a network in pictures. See links.h. */
#include "cli/pictures/links.h"
#include "common/limits.h"

#include "cli/pictures/lattice.h"
#include "cli/pictures/plot.h"
#include "cli/pictures/scale.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUTERS = 192 }; /* cells below three pixels are hard to see */

const char vef_link_palette[] =
    "set palette defined (0 \"#fde725\", 0.25 \"#5ec962\", 0.5 \"#21918c\", 0.75 \"#3b528b\", 1 "
    "\"#440154\")\n";

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
    if (vef_lattice_has_links(topology))
        return PLACES;
    if (topology->dimensions >= 2 && has_global_links(topology))
        return GROUPS;
    if (!all_have_endpoints(topology))
        return LEVELS;
    return topology->routers <= MOST_ROUTERS ? ROUTERS : SORTED;
}

/* ---- data ---- */

static void write_places(const vef_topology *topology, const double *load, FILE *out) {
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        double x, y, dx, dy;
        vef_lattice_place(topology, (uint32_t)(l / topology->ports), &x, &y);
        if (topology->neighbour[l] != VEF_NO_ROUTER &&
            vef_lattice_direction(topology, (uint32_t)(l % topology->ports), &dx, &dy))
            fprintf(out, "%g %g %g %g %.9g\n", x, y, dx, dy, load[l]);
    }
}

static int compare_loads(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p < q) - (p > q);
}

static void write_sorted(const vef_topology *topology, const double *load, FILE *out) {
    const size_t links = (size_t)topology->routers * topology->ports;
    double *sorted = vef_malloc((links + 1) * sizeof *sorted);
    size_t count = 0;
    for (size_t l = 0; l < links; l++)
        if (topology->neighbour[l] != VEF_NO_ROUTER)
            sorted[count++] = load[l];
    qsort(sorted, count, sizeof *sorted, compare_loads);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%zu %.9g\n", i + 1, sorted[i]);
    free(sorted);
}

/* The greatest number in each cell, of `rows` x `columns`; below 0: it has no links. */
typedef struct cells {
    uint32_t rows, columns;
    double *most; /* [row * columns + column] */
} cells;

static cells make_cells(uint32_t rows, uint32_t columns) {
    const size_t count = (size_t)rows * columns;
    const cells made = {rows, columns, vef_malloc(count * sizeof *made.most)};
    for (size_t i = 0; i < count; i++)
        made.most[i] = -1;
    return made;
}

static void add(cells *to, uint32_t row, uint32_t column, double load) {
    double *cell = &to->most[(size_t)row * to->columns + column];
    *cell = load > *cell ? load : *cell;
}

static uint32_t group_of(const vef_topology *topology, uint32_t router) {
    uint32_t at[VEF_MAX_DIMENSIONS] = {0};
    vef_topology_coordinates(topology, router, at);
    return at[topology->dimensions - 1];
}

/* From one group or router to another. */
static void write_matrix(const vef_topology *topology, bool groups, const double *load, FILE *out) {
    const uint32_t side = groups ? topology->sizes[topology->dimensions - 1] : topology->routers;
    cells made = make_cells(side, side);
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        const uint32_t from = (uint32_t)(l / topology->ports), to = topology->neighbour[l];
        if (to != VEF_NO_ROUTER)
            add(&made, groups ? group_of(topology, from) : from,
                groups ? group_of(topology, to) : to, load[l]);
    }
    for (uint32_t row = 0; row < side; row++)
        for (uint32_t column = 0; column < side; column++)
            if (made.most[(size_t)row * side + column] >= 0)
                fprintf(out, "%u %u %.9g\n", column, row, made.most[(size_t)row * side + column]);
    free(made.most);
}

enum { UP, ACROSS, DOWN, DIRECTIONS };

static void write_levels_of(const vef_topology *topology, const uint32_t *level, const double *load,
                            cells *made, FILE *out) {
    static const char *const directions[] = {" up", " across", " down"};
    uint32_t index[2] = {0, 0}; /* of a router in its level: the level, and the next index */
    uint32_t row = 0;
    char level_name[24];
    for (uint32_t of = 0; of < made->rows / DIRECTIONS; of++) {
        index[1] = 0;
        for (uint32_t router = 0; router < topology->routers; router++) {
            if (level[router] != of)
                continue;
            index[0] = index[1]++;
            for (uint32_t port = 0; port < topology->ports; port++) {
                const size_t l = (size_t)router * topology->ports + port;
                const uint32_t next = topology->neighbour[l];
                if (next == VEF_NO_ROUTER)
                    continue;
                const uint32_t way = level[next] > of ? UP : level[next] < of ? DOWN : ACROSS;
                add(made, of * DIRECTIONS + way, index[0], load[l]);
            }
        }
        snprintf(level_name, sizeof level_name, "level %u", of);
        for (uint32_t way = DIRECTIONS; way-- > 0;) { /* down below up */
            bool any = false;
            for (uint32_t i = 0; i < index[1]; i++) {
                const double most = made->most[(size_t)(of * DIRECTIONS + way) * made->columns + i];
                if (most < 0)
                    continue;
                any = true;
                fprintf(out, "%g %u %.9g ", (i + 0.5) * made->columns / index[1] - 0.5, row, most);
                vef_plot_text(out, level_name, directions[way], NULL);
                fprintf(out, " %g\n", 0.5 * made->columns / index[1]);
            }
            row += any;
        }
    }
}

static void write_levels(const vef_topology *topology, const double *load, FILE *out) {
    uint32_t *level = vef_malloc(topology->routers * sizeof *level);
    const uint32_t levels = find_levels(topology, level);
    uint32_t most = 0;
    for (uint32_t of = 0; of < levels; of++) {
        uint32_t count = 0;
        for (uint32_t router = 0; router < topology->routers; router++)
            count += level[router] == of;
        most = count > most ? count : most;
    }
    cells made = make_cells(levels * DIRECTIONS, most);
    write_levels_of(topology, level, load, &made, out);
    free(made.most);
    free(level);
}

vef_code vef_link_panel_check(const vef_topology *topology, vef_error *error) {
    return vef_limit_check(VEF_LIMIT_DRAWN_LINKS, (uint64_t)topology->routers * topology->ports,
                           error);
}

void vef_link_panel_write(const vef_link_panel *panel, const double *load, FILE *out) {
    const form drawn = form_of(panel->topology);
    fprintf(out, "$links%d << EOD\n", panel->number);
    if (drawn == PLACES)
        write_places(panel->topology, load, out);
    else if (drawn == LEVELS)
        write_levels(panel->topology, load, out);
    else if (drawn == SORTED)
        write_sorted(panel->topology, load, out);
    else
        write_matrix(panel->topology, drawn == GROUPS, load, out);
    fputs("EOD\n", out);
}

/* ---- drawing ---- */

static void write_colours(const vef_link_panel *panel, FILE *out) {
    vef_scale_write("cbtics", 0, panel->most, false, panel->unit, out);
    fprintf(out, "unset logscale cb\nset cbrange [0:%.9g]\n", panel->most);
}

static void draw_places(const vef_link_panel *panel, FILE *out) {
    const vef_topology *topology = panel->topology;
    const double unit_pixels =
        vef_lattice_write_axes(topology, panel->width_pixels, panel->height_pixels, out);
    write_colours(panel, out); /* axes have no tics */
    fprintf(out,
            "plot $links%d using 1:2:3:4:5 with vectors nohead linewidth %g palette notitle, "
            "$links%d using 1:2 with points pointtype 7 pointsize %g linecolor \"black\" "
            "notitle, $planes using 1:2:3 with labels notitle\nset offsets 0,0,0,0\n",
            panel->number, topology->dimensions > 1 ? fmin(4, 0.3 * unit_pixels) : 8, panel->number,
            fmin(0.4, 0.02 * unit_pixels));
}

static void draw_matrix(const vef_link_panel *panel, const char *what, uint32_t side, FILE *out) {
    fputs("set size ratio 1\nset xlabel ", out);
    vef_plot_text(out, "to ", what, NULL);
    fputs("\nset ylabel ", out);
    vef_plot_text(out, "from ", what, NULL);
    fprintf(out,
            "\nset tics\nset border\nset xrange [-0.5:%g]\nset yrange [%g:-0.5]\n"
            "plot $links%d using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid noborder "
            "linecolor palette notitle\n",
            side - 0.5, side - 0.5, panel->number);
}

static void draw_levels(const vef_link_panel *panel, FILE *out) {
    fprintf(out,
            "set size noratio\nset xlabel \"routers of the level\"\nunset ylabel\nset border\n"
            "set autoscale x\nset autoscale y\nunset xtics\nset ytics ()\n"
            "plot $links%d using 1:2:5:(0.4):3:ytic(4) with boxxyerror fillstyle solid noborder "
            "linecolor palette notitle\nset ytics autofreq\nset xtics\n",
            panel->number);
}

static void draw_sorted(const vef_link_panel *panel, FILE *out) {
    vef_scale_write("ytics", 0, panel->most, false, panel->unit, out);
    fprintf(out,
            "set size noratio\nset autoscale x\nset yrange [0:%.9g]\n"
            "set xlabel \"links, the most loaded first\"\nunset ylabel\nset xtics\nset border\n"
            "plot $links%d using 1:2 with steps linewidth 2 notitle\n"
            "set ytics autofreq\n",
            1.05 * panel->most, panel->number);
}

void vef_link_panel_draw(const vef_link_panel *panel, FILE *out) {
    const vef_topology *topology = panel->topology;
    write_colours(panel, out);
    switch (form_of(topology)) {
    case PLACES:
        draw_places(panel, out);
        return;
    case LEVELS:
        draw_levels(panel, out);
        return;
    case GROUPS:
        draw_matrix(panel, "group", topology->sizes[topology->dimensions - 1], out);
        return;
    case ROUTERS:
        draw_matrix(panel, "router", topology->routers, out);
        return;
    case SORTED:
        draw_sorted(panel, out);
    }
}

int vef_link_panel_height(const vef_topology *topology, int width_pixels) {
    enum { LABELS = 110, LEAST = 200 };
    const double broad = 0.68 * width_pixels; /* beside labels and the scale of colours */
    const double aspect = form_of(topology) == PLACES ? vef_lattice_aspect(topology) : 1;
    return (int)fmax(LEAST, fmin(broad * aspect + LABELS, 1.5 * width_pixels));
}
