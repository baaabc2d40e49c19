/* Lengths of cables. See cable_lengths.h. */
#include "netmodel/file/cable_lengths.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum metric { STRAIGHT, MANHATTAN } metric;
static const char *const metrics[] = {[STRAIGHT] = "straight", [MANHATTAN] = "manhattan", NULL};

/* clang-format off */
const vef_param vef_link_layout_schema[] = {
    {.key = "name", .kind = VEF_PARAM_STRING, .offset = offsetof(vef_link_layout, name),
     .aliases = "layout kind", .help = "as of vef topology --layout: grid, folded, …"},
    {.key = "pitch", .kind = VEF_PARAM_LENGTH, .offset = offsetof(vef_link_layout, pitch_m),
     .minimum = 1e-3, .maximum = 1e4, .aliases = "spacing distance column_pitch",
     .help = "distance of neighbouring places"},
    {.key = "row_pitch", .kind = VEF_PARAM_LENGTH, .offset = offsetof(vef_link_layout, row_pitch_m),
     .fallback = "0 m", .maximum = 1e4, .help = "of neighbouring rows (0 m: as pitch)"},
    {.key = "metric", .kind = VEF_PARAM_CHOICE, .offset = offsetof(vef_link_layout, metric),
     .fallback = "straight", .choices = metrics,
     .help = "whether cables run straight or along rows and columns"},
    {.key = "slack", .kind = VEF_PARAM_LENGTH, .offset = offsetof(vef_link_layout, slack_m),
     .fallback = "0 m", .maximum = 1e4, .aliases = "overhead",
     .help = "that each cable is longer than this distance"},
    {.key = NULL},
};
/* clang-format on */

static double distance_m(const vef_link_layout *layout, const vef_place_on_plane *from,
                         const vef_place_on_plane *to) {
    const double across_m = layout->pitch_m * abs(to->x - from->x);
    const double along_m =
        (layout->row_pitch_m > 0 ? layout->row_pitch_m : layout->pitch_m) * abs(to->y - from->y);
    return layout->slack_m +
           (layout->metric == MANHATTAN ? across_m + along_m : hypot(across_m, along_m));
}

static bool is_given(const vef_link_layout *layout, const vef_link_class *classes,
                     const vef_topology *topology) {
    bool given = layout->name || topology->length_m;
    for (uint32_t c = 0; c < topology->link_classes && classes; c++)
        given = given || classes[c].parameters.length_m > 0;
    return given;
}

/* The length of every link, by the order in cable_lengths.h. */
static void set_lengths(const vef_link_layout *layout, const vef_place_on_plane *places,
                        const vef_link_parameters *others, const vef_link_class *classes,
                        vef_topology *topology) {
    const size_t ports = (size_t)topology->routers * topology->ports;
    double *length_m = vef_arena_alloc(&topology->arena, ports, sizeof *length_m);
    for (size_t i = 0; i < ports; i++) {
        const uint32_t router = (uint32_t)(i / topology->ports), other = topology->neighbour[i];
        if (other == VEF_NO_ROUTER)
            continue;
        if (topology->length_m)
            length_m[i] = topology->length_m[i];
        if (classes && length_m[i] <= 0)
            length_m[i] =
                classes[vef_topology_link_class(topology, router, (uint32_t)(i % topology->ports))]
                    .parameters.length_m;
        if (layout->name && length_m[i] <= 0)
            length_m[i] = distance_m(layout, &places[router], &places[other]);
        if (length_m[i] <= 0)
            length_m[i] = others->length_m;
    }
    topology->length_m = length_m;
}

static vef_code lay_out(const vef_node *node, const vef_link_layout *layout,
                        const vef_topology *topology, vef_place_on_plane **places,
                        vef_error *error) {
    const vef_layout *found;
    vef_code code = vef_layout_find(layout->name, &found, error);
    if (code != VEF_OK)
        return vef_node_within(vef_node_get(node, "name"), error);
    *places = vef_malloc(topology->routers * sizeof **places);
    code = vef_layout_places(found, topology, *places, error);
    return code == VEF_OK ? code : vef_node_within(node, error);
}

vef_code vef_cable_lengths_read(const vef_node *link, const vef_link_parameters *others,
                                const vef_link_class *classes, vef_topology *topology,
                                vef_link_layout *layout, vef_error *error) {
    *layout = (vef_link_layout){0};
    const vef_node *node = vef_node_get(link, "layout");
    vef_place_on_plane *places = NULL;
    vef_code code = VEF_OK;
    if (node && !vef_node_is_null(node)) {
        code = vef_config_read(node, "link.layout", vef_link_layout_schema, NULL, layout,
                               &topology->arena, error);
        if (code == VEF_OK)
            code = lay_out(node, layout, topology, &places, error);
    }
    if (code == VEF_OK && is_given(layout, classes, topology))
        set_lengths(layout, places, others, classes, topology);
    free(places);
    return code;
}

void vef_cable_lengths_describe(FILE *out, int indent) {
    fprintf(out, "%*slayout:\n", indent, "");
    vef_config_describe(out, indent + 2, vef_link_layout_schema);
}

void vef_cable_lengths_example(FILE *out, int indent) {
    /* Comments, since there is no layout by default. */
    vef_param rows[sizeof vef_link_layout_schema / sizeof *vef_link_layout_schema];
    memcpy(rows, vef_link_layout_schema, sizeof rows);
    for (vef_param *row = rows; row->key; row++)
        row->fallback = NULL;
    fprintf(out, "%*s# layout:\n", indent, "");
    vef_config_example(out, indent + 2, rows);
}

void vef_cable_lengths_put(const vef_link_layout *layout, vef_node *link) {
    if (layout->name)
        vef_config_put_schema(vef_config_section(link, "layout"), vef_link_layout_schema, layout);
}
