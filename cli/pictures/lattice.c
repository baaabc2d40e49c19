/* Lattices in pictures. See lattice.h. */
#include "cli/pictures/lattice.h"

#include <math.h>

bool vef_lattice_has_places(const vef_topology *topology) {
    return vef_topology_whole(topology)->lattice && topology->dimensions >= 1 &&
           topology->dimensions <= 3;
}

bool vef_lattice_direction(const vef_topology *topology, uint32_t port, double *dx, double *dy) {
    char name[VEF_PORT_NAME_BYTES];
    vef_topology_port_name(topology, port, name, sizeof name);
    if (name[0] < 'x' || name[0] > 'z' || (name[1] != '+' && name[1] != '-') || name[2] != '\0')
        return false;
    const double sign = name[1] == '+' ? 1 : -1;
    *dx = name[0] == 'x' ? 0.5 * sign : name[0] == 'z' ? 0.3 * sign : 0;
    *dy = name[0] == 'y' ? 0.5 * sign : name[0] == 'z' ? 0.3 * sign : 0;
    return true;
}

bool vef_lattice_has_links(const vef_topology *topology) {
    double dx, dy;
    if (!vef_lattice_has_places(topology))
        return false;
    for (uint32_t port = 0; port < topology->ports; port++)
        if (!vef_lattice_direction(topology, port, &dx, &dy))
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
    uint32_t at[VEF_MAX_DIMENSIONS] = {0};
    vef_topology_coordinates(topology, router, at);
    place_plane(topology, at[2], x, y);
    *x += at[0];
    *y += at[1];
}

void vef_lattice_write_planes(const vef_topology *topology, FILE *out) {
    fputs("$planes << EOD\n", out);
    for (uint32_t z = 0; vef_lattice_has_places(topology) && z < side(topology, 2); z++) {
        double x, y;
        place_plane(topology, z, &x, &y);
        fprintf(out, "%g %g ", x + (side(topology, 0) - 1) / 2.0,
                y + side(topology, 1) - 0.5 + gap(topology) / 2);
        if (topology->dimensions > 2)
            fprintf(out, "\"z = %u\"\n", z);
        else
            fputs("\"\"\n", out);
    }
    fputs("EOD\n", out);
}

/* In units, with room around. */
static double width_of(const vef_topology *topology) {
    return planes_in_row(topology) * (side(topology, 0) + 1.0);
}

static double height_of(const vef_topology *topology) {
    const uint32_t columns = planes_in_row(topology);
    const uint32_t rows = (side(topology, 2) + columns - 1) / columns;
    return rows * (side(topology, 1) + gap(topology));
}

double vef_lattice_aspect(const vef_topology *topology) {
    return height_of(topology) / width_of(topology);
}

double vef_lattice_write_axes(const vef_topology *topology, int width_pixels, int height_pixels,
                              FILE *out) {
    const bool flat = topology->dimensions > 1;
    fprintf(out,
            "set size %s\nset autoscale x\nset yrange [%s]\nset offsets 0.6,0.6,0.2,0.6\n"
            "set xlabel \"x\"\n%s\nunset tics\nunset border\n",
            flat ? "ratio -1" : "noratio", flat ? "*:*" : "-1:1",
            flat ? "set ylabel \"y\"" : "unset ylabel");
    /* Titles, axes and the scale have a quarter of a panel. */
    return 0.75 * fmin(width_pixels / width_of(topology), height_pixels / height_of(topology));
}
