/* Lengths of cables, and cables by their length. See cables.h. */
#include "netmodel/file/cables.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lengths ---- */

typedef enum metric { STRAIGHT, MANHATTAN } metric;
static const char *const metrics[] = {[STRAIGHT] = "straight", [MANHATTAN] = "manhattan", NULL};

/* clang-format off */
const vef_param vef_link_layout_schema[] = {
    {VEF_KEY(STRING, vef_link_layout, name),
     .aliases = "layout kind", .help = "as of vef topology --layout: grid, folded, …"},
    {VEF_KEY_AS("pitch", LENGTH, vef_link_layout, pitch_m),
     .minimum = 1e-3, .maximum = 1e4, .aliases = "spacing distance column_pitch",
     .help = "distance of neighbouring places"},
    {VEF_KEY_AS("row_pitch", LENGTH, vef_link_layout, row_pitch_m),
     .fallback = "0 m", .maximum = 1e4, .help = "of neighbouring rows (0 m: as pitch)"},
    {VEF_KEY(CHOICE, vef_link_layout, metric),
     .fallback = "straight", .choices = metrics,
     .help = "whether cables run straight or along rows and columns"},
    {VEF_KEY_AS("slack", LENGTH, vef_link_layout, slack_m),
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

/* The length of every link, by the order in cables.h. */
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

/* ---- cables ---- */

/* clang-format off */
const vef_param vef_cable_schema[] = {
    {VEF_KEY_AS("up_to", LENGTH, vef_cable, up_to_m),
     .fallback = "0 m", .default_text = "any", .maximum = VEF_LONGEST_LINK_M,
     .aliases = "length max_length reach", .help = "greatest length; the last entry may lack it"},
    {VEF_KEY_AS("bandwidth", BANDWIDTH, vef_cable, parameters.bandwidth_bits_per_s), .fallback = "1 Gbit/s",
     .default_text = "as that of the link", .minimum = 1, .maximum = 1e18,
     .help = "of links with this cable"},
    VEF_DELAY_ROWS(vef_cable, delay, parameters.delay, "0", "as that of the link",
                   "delay of a phit, besides that of the length", "latency"),
    VEF_DELAY_ROWS(vef_cable, credit_delay, parameters.credit_delay, "0", "as that of the link",
                   "delay of a credit, likewise", NULL),
    {.key = NULL},
};
/* clang-format on */

static bool gives(const vef_node *node, const char *key, const char *other_form) {
    return vef_node_get(node, key) || (other_form && vef_node_get(node, other_form));
}

static vef_code read_cable(const vef_node *node, vef_cables *cables, vef_arena *arena,
                           vef_error *error) {
    const vef_node *up_to = vef_node_get(node, "up_to");
    const vef_cable *before = cables->count > 0 ? &cables->rows[cables->count - 1] : NULL;
    if (cables->count == VEF_MOST_CABLES)
        return vef_node_fail(node, error, "link.cables: too many entries: expected at most %d",
                             VEF_MOST_CABLES);
    vef_cable *cable = &cables->rows[cables->count];
    vef_code code =
        vef_config_read(node, "link.cables", vef_cable_schema, NULL, cable, arena, error);
    if (code != VEF_OK)
        return code;
    if (!up_to)
        cable->up_to_m = INFINITY;
    if (before && isinf(before->up_to_m))
        return vef_node_fail(node, error,
                             "link.cables: the entry before this one has no up_to: expected it in "
                             "every entry but the last");
    const double least_m = before ? before->up_to_m : 0;
    char text[VEF_QUANTITY_TEXT_BYTES];
    if (!(cable->up_to_m > least_m))
        return vef_node_fail(up_to, error, "link.cables: up_to: expected more than %s%s",
                             vef_format_length_m(text, least_m),
                             before ? ", that of the entry before" : "");
    cable->has_bandwidth = gives(node, "bandwidth", NULL);
    cable->has_delay = gives(node, "delay_cycles", "delay");
    cable->has_credit_delay = gives(node, "credit_delay_cycles", "credit_delay");
    cables->count++;
    return VEF_OK;
}

vef_code vef_cables_read(const vef_node *link, vef_cables *cables, vef_arena *arena,
                         vef_error *error) {
    *cables = (vef_cables){0};
    const vef_node *node = vef_node_get(link, "cables");
    if (!node || vef_node_is_null(node))
        return VEF_OK;
    if (node->kind != VEF_NODE_SEQUENCE || node->count == 0)
        return vef_node_fail(node, error,
                             "link.cables: expected a list of cables by length, such as [{up_to: "
                             "3 m}, {delay: 60 ns}]");
    vef_code code = VEF_OK;
    for (size_t i = 0; i < node->count && code == VEF_OK; i++)
        code = read_cable(node->items[i], cables, arena, error);
    return code;
}

const vef_cable *vef_cables_find(const vef_cables *cables, double length_m) {
    for (uint32_t i = 0; i < cables->count && length_m > 0; i++)
        if (length_m <= cables->rows[i].up_to_m)
            return &cables->rows[i];
    return NULL;
}

void vef_cable_apply(const vef_cable *cable, vef_link_parameters *link) {
    if (cable->has_bandwidth)
        link->bandwidth_bits_per_s = cable->parameters.bandwidth_bits_per_s;
    if (cable->has_delay)
        link->delay = cable->parameters.delay;
    if (cable->has_credit_delay)
        link->credit_delay = cable->parameters.credit_delay;
}

vef_code vef_cables_resolve(vef_cables *cables, double cycle_ns, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < cables->count && code == VEF_OK; i++) {
        vef_link_parameters *given = &cables->rows[i].parameters;
        code = vef_delay_resolve(&given->delay, cycle_ns, "link.cables: delay", error);
        if (code == VEF_OK)
            code = vef_delay_resolve(&given->credit_delay, cycle_ns, "link.cables: credit_delay",
                                     error);
    }
    return code;
}

/* ---- help and results ---- */

void vef_cables_describe(FILE *out, int indent) {
    fprintf(out, "%*slayout:\n", indent, "");
    vef_config_describe(out, indent + 2, vef_link_layout_schema);
    fprintf(out, "%*scables: [{…}, …], from the shortest to the longest:\n", indent, "");
    vef_config_describe(out, indent + 2, vef_cable_schema);
}

/* Comments, since there is no layout by default. */
void vef_cables_example(FILE *out, int indent) {
    vef_param rows[sizeof vef_link_layout_schema / sizeof *vef_link_layout_schema];
    memcpy(rows, vef_link_layout_schema, sizeof rows);
    for (vef_param *row = rows; row->key; row++)
        row->fallback = NULL;
    fprintf(out, "%*s# layout:\n", indent, "");
    vef_config_example(out, indent + 2, rows);
    fprintf(out, "%*s# cables:\n%*s# -  # one entry for each cable, from the shortest\n", indent,
            "", indent + 2, "");
    vef_config_example(out, indent + 4, vef_cable_schema);
}

void vef_cables_put(const vef_link_layout *layout, const vef_cables *cables, vef_node *link) {
    if (layout->name)
        vef_config_put_schema(vef_config_section(link, "layout"), vef_link_layout_schema, layout);
    char text[VEF_QUANTITY_TEXT_BYTES];
    vef_node *list = cables->count > 0 ? vef_config_list(link, "cables") : NULL;
    for (uint32_t i = 0; i < cables->count; i++) {
        const vef_cable *cable = &cables->rows[i];
        vef_node *into = vef_config_section(list, NULL);
        if (isfinite(cable->up_to_m))
            vef_config_put(into, "up_to", vef_format_length_m(text, cable->up_to_m));
        if (cable->has_bandwidth)
            vef_config_put(into, "bandwidth",
                           vef_format_bandwidth(text, cable->parameters.bandwidth_bits_per_s));
        if (cable->has_delay)
            vef_config_put_int(into, "delay_cycles", cable->parameters.delay.cycles);
        if (cable->has_credit_delay)
            vef_config_put_int(into, "credit_delay_cycles", cable->parameters.credit_delay.cycles);
    }
}
