/* The picture of a comparison of mappings. See picture.h.
 *
 * Lattices of up to three dimensions are drawn as they are: planes of x and y, one for each z; a
 * link by two halves, each in the colour of the load that leaves its router; links around the edge,
 * and along z, as stubs. Other networks: the loads of all links, the greatest first. */
#include "cli/map/picture.h"

#include "cli/pictures/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells below three pixels are hard to see. */
enum { MOST_CELLS = 192, WIDTH = 1100, ROW_HEIGHT = 480 };

static const char INSTEAD[] = "--csv writes the costs, -o the mapping";

vef_code vef_comparison_picture_check(const char *path, vef_error *error) {
    return vef_plot_check(path, INSTEAD, error);
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
static vef_code write_traffic(const vef_comparison *comparison, const vef_compared *one,
                              const char *name, range *bytes_drawn, FILE *out, vef_error *error) {
    const vef_traffic_matrix *traffic = comparison->traffic;
    const uint32_t endpoints = comparison->network->topology->endpoints;
    const uint32_t side = (endpoints + MOST_CELLS - 1) / MOST_CELLS;
    const uint32_t cells = (endpoints + side - 1) / side;
    double *bytes = calloc((size_t)cells * cells, sizeof *bytes);
    if (!bytes)
        return vef_fail_memory(error, "a heat map", (size_t)cells * cells * sizeof *bytes);
    for (uint32_t t = 0; t < traffic->tasks; t++)
        for (size_t i = traffic->first[t]; i < traffic->first[t + 1]; i++) {
            const uint32_t row = one->mapping->endpoint[t] / side;
            const uint32_t column = one->mapping->endpoint[traffic->flows[i].to] / side;
            bytes[(size_t)row * cells + column] += (double)traffic->flows[i].bytes;
        }
    fprintf(out, "$%s << EOD\n", name);
    for (uint32_t row = 0; row < cells; row++)
        for (uint32_t column = 0; column < cells; column++)
            if (bytes[(size_t)row * cells + column] > 0) {
                extend(bytes_drawn, bytes[(size_t)row * cells + column]);
                fprintf(out, "%g %g %.9g\n", (column + 0.5) * side - 0.5, (row + 0.5) * side - 0.5,
                        bytes[(size_t)row * cells + column]);
            }
    fputs("EOD\n", out);
    free(bytes);
    return VEF_OK;
}

/* ---- links ---- */

/* The direction of a port by its name, "x+" to "z-"; stubs of z are short and oblique. False: it
 * has another name, such as that of a diagonal. */
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

/* Whether the network is drawn as a lattice: all its ports have directions. */
static bool is_drawn(const vef_topology *topology) {
    double dx, dy;
    if (!vef_topology_whole(topology)->lattice || topology->dimensions < 1 ||
        topology->dimensions > 3)
        return false;
    for (uint32_t port = 0; port < topology->ports; port++)
        if (!direction_of(topology, port, &dx, &dy))
            return false;
    return true;
}

/* The place of a router: planes in rows of about as many. */
static void place_of(const vef_topology *topology, uint32_t router, double *x, double *y) {
    uint32_t at[VEF_MAX_DIMENSIONS] = {0};
    vef_topology_coordinates(topology, router, at);
    const uint32_t planes = topology->dimensions > 2 ? topology->sizes[2] : 1;
    const uint32_t columns = (uint32_t)ceil(sqrt(planes));
    const double height = topology->dimensions > 1 ? topology->sizes[1] : 1;
    *x = at[0] + at[2] % columns * (topology->sizes[0] + 1.0);
    *y = at[1] + at[2] / columns * (height + 1.0);
}

static int compare_loads(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p < q) - (p > q);
}

static void write_links(const vef_topology *topology, double *load, const char *name, FILE *out) {
    const size_t links = (size_t)topology->routers * topology->ports;
    fprintf(out, "$%s << EOD\n", name);
    if (is_drawn(topology)) {
        for (size_t l = 0; l < links; l++) {
            double x, y, dx, dy;
            place_of(topology, (uint32_t)(l / topology->ports), &x, &y);
            if (topology->neighbour[l] != VEF_NO_ROUTER &&
                direction_of(topology, (uint32_t)(l % topology->ports), &dx, &dy))
                fprintf(out, "%g %g %g %g %.9g\n", x, y, dx, dy, load[l]);
        }
    } else {
        size_t count = 0;
        for (size_t l = 0; l < links; l++)
            if (topology->neighbour[l] != VEF_NO_ROUTER)
                load[count++] = load[l];
        qsort(load, count, sizeof *load, compare_loads);
        for (size_t i = 0; i < count; i++)
            fprintf(out, "%zu %.9g\n", i + 1, load[i]);
    }
    fputs("EOD\n", out);
}

static vef_code write_loads(const vef_comparison *comparison, const vef_compared *one,
                            const char *name, FILE *out, vef_error *error) {
    const vef_topology *topology = comparison->network->topology;
    vef_mapping_cost cost;
    double *load = calloc((size_t)topology->routers * topology->ports + 1, sizeof *load);
    vef_code code =
        load ? vef_mapping_cost_measure(one->mapping, comparison->traffic, topology,
                                        comparison->machine->host.nics, load, &cost, error)
             : vef_fail_memory(error, "the loads of links", topology->routers);
    if (code == VEF_OK)
        write_links(topology, load, name, out);
    free(load);
    return code;
}

/* ---- panels ---- */

static void write_title(const char *what, const char *name, FILE *out) {
    fprintf(out, "set title \"%s, ", what);
    vef_plot_quote(name, out);
    fputs("\" noenhanced\n", out);
}

static void draw_traffic(const vef_comparison *comparison, const vef_compared *one, int column,
                         const range *bytes, FILE *out) {
    const double most = comparison->network->topology->endpoints - 0.5;
    const double least_bytes = bytes->least < bytes->most ? bytes->least : bytes->most / 10 + 0.1;
    write_title(comparison->messages ? "messages between endpoints" : "bytes between endpoints",
                one->name, out);
    fputs(
        "set size ratio 1\nset xlabel \"receiver\"\nset ylabel \"sender\"\nset tics\nset border\n"
        "set logscale cb\nset format cb \"%.0s%cB\"\n",
        out);
    fprintf(out,
            "set xrange [-0.5:%g]\nset yrange [%g:-0.5]\nset cbrange [%g:%g]\n"
            "plot $traffic%d using 1:2:3 with points pointtype 5 pointsize %g palette notitle\n",
            most, most, least_bytes, bytes->most + 0.2, column, fmin(1.2, 60 / most));
}

static void draw_loads(const vef_comparison *comparison, const vef_compared *one, int column,
                       double most, FILE *out) {
    write_title(comparison->messages ? "messages over links" : "bytes over links", one->name, out);
    if (is_drawn(comparison->network->topology))
        fprintf(out,
                "set size ratio -1\nset autoscale x\nset yrange [%s]\nset offsets "
                "0.6,0.6,0.6,0.6\nunset xlabel\n"
                "unset ylabel\nunset tics\nunset border\nunset logscale cb\nset cbrange "
                "[0:%.9g]\nset cbtics\nset format cb \"%%.0s%%cB\"\n"
                "plot $links%d using 1:2:3:4:5 with vectors nohead linewidth 4 palette notitle, "
                "$links%d using 1:2 with points pointtype 7 pointsize 0.4 linecolor \"black\" "
                "notitle\nset offsets 0,0,0,0\n",
                comparison->network->topology->dimensions > 1 ? "*:*" : "-1:1", most > 0 ? most : 1,
                column, column);
    else
        fprintf(out,
                "set size noratio\nset autoscale x\nset yrange [0:%.9g]\nset xlabel \"links, the "
                "most loaded first\"\nset ylabel \"bytes\"\nset tics\nset border\n"
                "plot $links%d using 1:2 with steps linewidth 2 notitle\n",
                most > 0 ? 1.05 * most : 1, column);
}

vef_code vef_comparison_picture(const vef_comparison *comparison, const vef_compared *best,
                                const char *path, vef_error *error) {
    const vef_compared *first = comparison->mappings;
    while (!first->mapping)
        first++; /* the best one has a mapping */
    const vef_compared *shown[] = {first, best};
    const int columns = shown[0] == best ? 1 : 2;
    static const char *const traffic[] = {"traffic0", "traffic1"}, *const links[] = {"links0",
                                                                                     "links1"};
    FILE *commands = tmpfile();
    double most = 0;
    range bytes = {0, 0};
    if (!commands)
        return vef_fail_errno(error, "a temporary file for gnuplot");
    vef_code code = VEF_OK;
    for (int i = 0; i < columns && code == VEF_OK; i++) {
        most = fmax(most, shown[i]->cost.link_load_max);
        code = write_traffic(comparison, shown[i], traffic[i], &bytes, commands, error);
        if (code == VEF_OK)
            code = write_loads(comparison, shown[i], links[i], commands, error);
    }
    if (code == VEF_OK && bytes.most == 0)
        code = vef_fail(error, VEF_FAILED, "--plot %s: nothing to draw: no task sends data", path);
    fprintf(commands, "set terminal %s size %d,%d\n",
            vef_plot_is_svg(path) ? "svg background \"white\"" : "pngcairo", WIDTH / 2 * columns,
            2 * ROW_HEIGHT);
    fprintf(commands,
            "set multiplot layout 2,%d\nset palette defined (0 \"#fde725\", 0.25 \"#5ec962\", 0.5 "
            "\"#21918c\", 0.75 \"#3b528b\", 1 \"#440154\")\n",
            columns);
    for (int i = 0; i < columns; i++)
        draw_traffic(comparison, shown[i], i, &bytes, commands);
    for (int i = 0; i < columns; i++)
        draw_loads(comparison, shown[i], i, most, commands);
    fputs("unset multiplot\n", commands);
    if (code == VEF_OK)
        code = vef_plot_draw(commands, path, INSTEAD, error);
    fclose(commands);
    return code;
}
