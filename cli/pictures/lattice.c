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
