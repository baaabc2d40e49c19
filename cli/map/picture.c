/* The picture of a comparison of mappings. See picture.h.
 *
 * Links are drawn as links.h describes. */
#include "cli/map/picture.h"

#include "cli/map/tasks.h"
#include "cli/pictures/lattice.h"
#include "cli/pictures/links.h"
#include "cli/pictures/plot.h"
#include "cli/pictures/scale.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells below three pixels are hard to see. */
enum { MOST_CELLS = 192, WIDTH = 1100, ROW_HEIGHT = 480 };

static const char INSTEAD[] = "--csv writes the costs, -o the mapping";

vef_code vef_comparison_picture_check(const char *path, vef_error *error) {
    return vef_plot_check("--plot", path, INSTEAD, error);
}

/* ---- traffic ---- */

/* The least and the greatest number of a picture, for its scale; both 0 before the first. */
typedef struct range {
    double least, most;
} range;

static void extend(range *drawn, double value) {
    if (drawn->most == 0 || value < drawn->least)
        drawn->least = value;
    if (value > drawn->most)
        drawn->most = value;
}

/* Bytes between endpoints, summed over squares of `side` endpoints. */
static void write_traffic(const vef_comparison *comparison, const vef_compared *one, int number,
                          range *bytes_drawn, FILE *out) {
    const vef_traffic_matrix *traffic = comparison->traffic;
    const uint32_t endpoints = comparison->network->topology->endpoints;
    const uint32_t side = (endpoints + MOST_CELLS - 1) / MOST_CELLS;
    const uint32_t cells = (endpoints + side - 1) / side;
    double *bytes = vef_calloc((size_t)cells * cells, sizeof *bytes);
    for (uint32_t t = 0; t < traffic->tasks; t++)
        for (size_t i = traffic->first[t]; i < traffic->first[t + 1]; i++) {
            const uint32_t row = one->mapping->endpoint[t] / side;
            const uint32_t column = one->mapping->endpoint[traffic->flows[i].to] / side;
            bytes[(size_t)row * cells + column] += (double)traffic->flows[i].bytes;
        }
    fprintf(out, "$traffic%d << EOD\n", number);
    for (uint32_t row = 0; row < cells; row++)
        for (uint32_t column = 0; column < cells; column++)
            if (bytes[(size_t)row * cells + column] > 0) {
                extend(bytes_drawn, bytes[(size_t)row * cells + column]);
                fprintf(out, "%g %g %.9g\n", (column + 0.5) * side - 0.5, (row + 0.5) * side - 0.5,
                        bytes[(size_t)row * cells + column]);
            }
    fputs("EOD\n", out);
    free(bytes);
}

/* ---- links ---- */

static vef_link_panel panel_of(const vef_comparison *comparison, int number, double most) {
    return (vef_link_panel){.topology = comparison->network->topology,
                            .number = number,
                            .unit = comparison->messages ? "" : "B",
                            .most = most > 0 ? most : 1,
                            .width_pixels = WIDTH / 2,
                            .height_pixels = ROW_HEIGHT};
}

static vef_code write_loads(const vef_comparison *comparison, const vef_compared *one, int number,
                            FILE *out, vef_error *error) {
    const vef_topology *topology = comparison->network->topology;
    vef_mapping_cost cost;
    double *load = vef_calloc((size_t)topology->routers * topology->ports + 1, sizeof *load);
    vef_code code = vef_mapping_cost_measure(one->mapping, comparison->traffic, topology,
                                             comparison->machine->host.nics, load, &cost, error);
    const vef_link_panel panel = panel_of(comparison, number, 0);
    if (code == VEF_OK)
        vef_link_panel_write(&panel, load, out);
    free(load);
    return code;
}

/* ---- panels ---- */

/* What the panels of a picture share. */
typedef struct drawing {
    const vef_comparison *comparison;
    const vef_compared *shown[2];
    int columns;
    range bytes; /* between endpoints */
    double most; /* over a link */
    FILE *out;
} drawing;

static void write_title(const char *what, const char *name, FILE *out) {
    fputs("set title ", out);
    vef_plot_text(out, what, ", ", name, NULL);
    fputc('\n', out);
}

static void draw_traffic(const drawing *self, int column) {
    FILE *out = self->out;
    const bool messages = self->comparison->messages;
    const uint32_t endpoints = self->comparison->network->topology->endpoints;
    const double most = endpoints - 0.5;
    const double cells = endpoints < MOST_CELLS ? endpoints : MOST_CELLS;
    const double greatest = self->bytes.most;
    const double least = self->bytes.least < greatest ? self->bytes.least : greatest / 10;
    write_title(messages ? "messages between endpoints" : "bytes between endpoints",
                self->shown[column]->name, out);
    fputs(
        "set size ratio 1\nset xlabel \"receiver\"\nset ylabel \"sender\"\nset tics\n"
        "set border\nset logscale cb\n",
        out);
    vef_scale_write("cbtics", least, greatest, true, messages ? "" : "B", out);
    fprintf(out,
            "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\nset cbrange [%.9g:%.9g]\n"
            "plot $traffic%d using 1:2:3 with points pointtype 5 pointsize %g palette notitle\n",
            most, most, least, greatest, column, fmin(1.2, 60 / cells));
}

static void draw_loads(const drawing *self, int column) {
    const vef_link_panel panel = panel_of(self->comparison, column, self->most);
    write_title(self->comparison->messages ? "messages over links" : "bytes over links",
                self->shown[column]->name, self->out);
    vef_link_panel_draw(&panel, self->out);
}

static vef_code write_data(drawing *self, vef_error *error) {
    const vef_topology *topology = self->comparison->network->topology;
    vef_code code = VEF_OK;
    vef_lattice_write_planes(topology, self->out);
    for (int i = 0; i < self->columns && code == VEF_OK; i++) {
        self->most = fmax(self->most, self->shown[i]->cost.link_load_max);
        vef_tasks_write(self->shown[i]->mapping, topology, i, self->out);
        write_traffic(self->comparison, self->shown[i], i, &self->bytes, self->out);
        code = write_loads(self->comparison, self->shown[i], i, self->out, error);
    }
    return code;
}

/* The first mapping that has costs, and the best. */
vef_code vef_comparison_picture(const vef_comparison *comparison, const vef_compared *best,
                                const char *path, vef_error *error) {
    const vef_compared *first = comparison->mappings;
    while (!first->mapping)
        first++; /* the best one has a mapping */
    drawing self = {
        .comparison = comparison, .shown = {first, best}, .columns = first == best ? 1 : 2};
    vef_code code = vef_plot_begin(vef_plot_is_svg(path), WIDTH / 2 * self.columns, 3 * ROW_HEIGHT,
                                   &self.out, error);
    if (code != VEF_OK)
        return code;
    code = write_data(&self, error);
    if (code == VEF_OK && self.bytes.most == 0)
        code = vef_fail(error, VEF_FAILED, "--plot %s: nothing to draw: no task sends data", path);
    fprintf(self.out, "set multiplot layout 3,%d\n", self.columns);
    for (int i = 0; i < self.columns; i++) {
        write_title("tasks at routers", self.shown[i]->name, self.out);
        vef_tasks_draw(self.shown[i]->mapping, comparison->network->topology, i, WIDTH / 2,
                       ROW_HEIGHT, self.out);
    }
    fputs(vef_link_palette, self.out);
    for (int i = 0; i < self.columns; i++)
        draw_traffic(&self, i);
    for (int i = 0; i < self.columns; i++)
        draw_loads(&self, i);
    fputs("unset multiplot\n", self.out);
    if (code == VEF_OK)
        code = vef_plot_draw(self.out, path, INSTEAD, error);
    fclose(self.out);
    return code;
}
