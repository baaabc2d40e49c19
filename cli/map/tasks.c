/* The panel of a picture that shows a mapping. See tasks.h.
 *
 * A router is a square in the colour of its first task, so that the order of the tasks is visible
 * where there is no room for numbers. Its tasks are in rows, from the upper left. */
#include "cli/map/tasks.h"

#include "cli/pictures/lattice.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_FONT = 5, MOST_FONT = 11 };

/* Of a square; the rest is between squares. */
static const double SQUARE = 0.9;

/* Adds the number of tasks at each router to `counts`; returns the greatest, at least 1. */
static uint32_t count_tasks(const vef_mapping *mapping, const vef_topology *topology,
                            uint32_t *counts) {
    uint32_t most = 1;
    for (uint32_t t = 0; t < mapping->tasks; t++) {
        const uint32_t count = ++counts[vef_topology_router_of(topology, mapping->endpoint[t])];
        most = count > most ? count : most;
    }
    return most;
}

/* The place of each task's number. */
static void write_numbers(const vef_mapping *mapping, const vef_topology *topology,
                          const uint32_t *counts, uint32_t most, uint32_t *seen, FILE *out) {
    const uint32_t columns = (uint32_t)ceil(sqrt(most));
    for (uint32_t t = 0; t < mapping->tasks; t++) {
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        const uint32_t number = seen[router]++, rows = (counts[router] + columns - 1) / columns;
        const uint32_t in_row = counts[router] < columns ? counts[router] : columns;
        double x, y;
        vef_lattice_place(topology, router, &x, &y);
        fprintf(out, "%g %g %u\n", x + SQUARE * ((number % columns + 0.5) / in_row - 0.5),
                y + SQUARE * (0.5 - (number / columns + 0.5) / rows), t);
    }
}

/* The place of each router, and its first task or -1. */
static void write_routers(const vef_mapping *mapping, const vef_topology *topology, uint32_t *first,
                          FILE *out) {
    for (uint32_t r = 0; r < topology->routers; r++)
        first[r] = UINT32_MAX;
    for (uint32_t t = mapping->tasks; t-- > 0;)
        first[vef_topology_router_of(topology, mapping->endpoint[t])] = t;
    for (uint32_t r = 0; r < topology->routers; r++) {
        double x, y;
        vef_lattice_place(topology, r, &x, &y);
        fprintf(out, "%g %g %lld\n", x, y, first[r] == UINT32_MAX ? -1 : (long long)first[r]);
    }
}

void vef_tasks_write(const vef_mapping *mapping, const vef_topology *topology, int number,
                     FILE *out) {
    uint32_t *counts = vef_calloc(2 * (size_t)topology->routers, sizeof *counts);
    uint32_t *room = counts + topology->routers;
    const bool at_places = vef_lattice_has_places(topology);
    const uint32_t most = count_tasks(mapping, topology, counts);
    fprintf(out, "$tasks%d << EOD\n", number);
    if (at_places)
        write_numbers(mapping, topology, counts, most, room, out);
    for (uint32_t t = 0; !at_places && t < mapping->tasks; t++) {
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        fprintf(out, "%u %u\n", t, vef_topology_router_number(topology, router));
    }
    fprintf(out, "EOD\n$routers%d << EOD\n", number);
    if (at_places)
        write_routers(mapping, topology, room, out);
    fputs("EOD\n", out);
    free(counts);
}

/* The size of the numbers, in points; below LEAST_FONT they are left out. */
static double font_of(const vef_mapping *mapping, const vef_topology *topology,
                      double unit_pixels) {
    uint32_t *counts = vef_calloc(topology->routers, sizeof *counts);
    const double columns = ceil(sqrt(count_tasks(mapping, topology, counts)));
    const double digits = floor(log10(mapping->tasks)) + 1;
    free(counts);
    /* A digit is 0.8 of the size wide, with what is between numbers. */
    return floor(fmin(MOST_FONT, SQUARE * unit_pixels / columns / fmax(1.5, 0.8 * digits)));
}

void vef_tasks_draw(const vef_mapping *mapping, const vef_topology *topology, int number,
                    int width_pixels, int height_pixels, FILE *out) {
    if (!vef_lattice_has_places(topology)) {
        fprintf(out,
                "set size noratio\nset xrange [-0.5:%g]\nset autoscale y\nset offsets "
                "0,0,0.5,0.5\nset xlabel \"task\"\nset ylabel \"router\"\n"
                "plot $tasks%d using 1:2 with points pointtype 7 pointsize 0.3 notitle\n"
                "set offsets 0,0,0,0\n",
                mapping->tasks - 0.5, number);
        return;
    }
    const double pixels = vef_lattice_write_axes(topology, width_pixels, height_pixels, out);
    const double font = font_of(mapping, topology, pixels);
    fprintf(
        out,
        "set palette defined (0 \"#9ecae1\", 0.5 \"#ffffd9\", 1 \"#fdae6b\")\n"
        "set cbrange [0:%u]\nunset logscale cb\nset cbtics autofreq\n"
        "plot $routers%d using 1:2:(%g):(%g) with boxxyerror fillstyle empty linecolor \"gray\" "
        "notitle, $routers%d using 1:($3 < 0 ? NaN : $2):(%g):(%g):3 with boxxyerror fillstyle "
        "solid noborder palette notitle, ",
        mapping->tasks > 1 ? mapping->tasks - 1 : 1, number, SQUARE / 2, SQUARE / 2, number,
        SQUARE / 2, SQUARE / 2);
    if (font >= LEAST_FONT)
        fprintf(out, "$tasks%d using 1:2:3 with labels font \",%g\" notitle, ", number, font);
    fputs("$planes using 1:2:3 with labels notitle\nset offsets 0,0,0,0\n", out);
}
