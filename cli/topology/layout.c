/* `vef topology --layout`: places of routers and lengths of links. See topology.h. */
#include "cli/topology/topology.h"
#include "common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The data to show; `place` and `rows` are owned. */
typedef struct shown {
    const vef_topology *topology;
    const vef_layout *layout;
    vef_place_on_plane *place;
    vef_layout_lengths lengths;
    vef_layout_length *rows;
    size_t row_count;
} shown;

static double root_of(uint64_t squared) {
    return sqrt((double)squared);
}

/* One row per router: its number, its coordinates, its column and row. */
static void put_places(const shown *show, vef_result *into) {
    static const char *const letters[] = {"x", "y", "z"};
    const vef_topology *topology = show->topology;
    vef_result *table =
        vef_put_table(into, "places", VEF_EVERYONE, (const vef_column[]){{.key = "router"}, {0}});
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        char name[16];
        snprintf(name, sizeof name, "d%u", d);
        vef_add_column(table, (vef_column){.key = topology->dimensions <= 3 ? letters[d] : name});
    }
    vef_add_column(table, (vef_column){.key = "column"});
    vef_add_column(table, (vef_column){.key = "row"});
    for (uint32_t router = 0; router < topology->routers; router++) {
        uint32_t place[VEF_MAX_DIMENSIONS];
        vef_topology_coordinates(topology, router, place);
        VEF_CELLS(table, vef_topology_router_number(topology, router));
        for (uint32_t d = 0; d < topology->dimensions; d++)
            VEF_CELLS(table, place[d]);
        VEF_CELLS(table, show->place[router].x, show->place[router].y);
    }
}

static void put_lengths(const shown *show, vef_result *into) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("length", NULL, .format = "%.4f"), VEF_COLUMN("squared", NULL),
                    VEF_COLUMN("links", NULL));
    vef_result *table = vef_put_table(into, "lengths", VEF_PEOPLE | VEF_DOCUMENTS, columns);
    for (size_t i = 0; i < show->row_count; i++)
        VEF_CELLS(table, root_of(show->rows[i].squared), show->rows[i].squared,
                  show->rows[i].links);
}

/* The ends and the port of the longest link. */
typedef struct longest {
    char from[VEF_ROUTER_NAME_BYTES], to[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
} longest;

static void name_longest(const shown *show, longest *names) {
    const vef_topology *topology = show->topology;
    uint32_t from = show->lengths.router, port = show->lengths.port;
    uint32_t to = topology->neighbour[(size_t)from * topology->ports + port];
    vef_topology_router_name(topology, from, names->from, sizeof names->from);
    vef_topology_router_name(topology, to, names->to, sizeof names->to);
    vef_topology_port_name(topology, port, names->port, sizeof names->port);
}

static void write_text(const void *report, FILE *out) {
    const shown *show = report;
    const vef_layout_lengths *lengths = &show->lengths;
    char title[VEF_LAYOUT_TITLE_BYTES], range[VEF_LENGTHS_BYTES];
    longest names;
    vef_layout_title(show->topology, title, sizeof title);
    vef_topology_lengths_text(lengths->least_squared, lengths->greatest_squared, range,
                              sizeof range);
    fprintf(out, "\n%s, layout %s: %u columns, %u rows\n", title, show->layout->name,
            lengths->columns, lengths->rows);
    fprintf(out, "%" PRIu64 " links of length %s: least %.4f, mean %.4f, greatest %.4f\n",
            lengths->links, range, lengths->least, lengths->mean, lengths->greatest);
    if (lengths->fold_links > 0 && lengths->fold_links < lengths->links) {
        vef_topology_lengths_text(lengths->least_straight_squared,
                                  lengths->greatest_straight_squared, range, sizeof range);
        fprintf(out,
                "%" PRIu64 " of them run around the ends of folds; the others have length %s\n",
                lengths->fold_links, range);
    }
    name_longest(show, &names);
    fprintf(out, "a longest link: from %s by %s to %s\n\n", names.from, names.port, names.to);
}

static void build(const void *report, vef_result *root) {
    const shown *show = report;
    const vef_layout_lengths *lengths = &show->lengths;
    const bool straight = lengths->fold_links < lengths->links;
    longest names;
    name_longest(show, &names);
    VEF_PUT(root, "layout", show->layout->name);
    VEF_PUT(root, "routers", show->topology->routers);
    VEF_PUT(root, "columns", lengths->columns);
    VEF_PUT(root, "rows", lengths->rows);
    VEF_PUT(root, "links", lengths->links);
    VEF_PUT(root, "length_least", lengths->least);
    VEF_PUT(root, "length_mean", lengths->mean);
    VEF_PUT(root, "length_greatest", lengths->greatest);
    VEF_PUT(root, "length_greatest_squared", lengths->greatest_squared);
    VEF_PUT(root, "links_around_folds", lengths->fold_links);
    VEF_PUT(root, "length_least_elsewhere",
            straight ? root_of(lengths->least_straight_squared) : (double)NAN);
    VEF_PUT(root, "length_greatest_elsewhere",
            straight ? root_of(lengths->greatest_straight_squared) : (double)NAN);
    vef_result *longest_link = vef_put_group(root, "longest_link");
    VEF_PUT(longest_link, "from", names.from);
    VEF_PUT(longest_link, "port", names.port);
    VEF_PUT(longest_link, "to", names.to);
    if (vef_result_is_for(root, VEF_PEOPLE)) {
        put_places(show, root);
        vef_say_by(root, write_text, show);
    }
    put_lengths(show, root);
    if (!vef_result_is_for(root, VEF_PEOPLE))
        put_places(show, root);
}

/* Finds the layout and lays the network out. */
static vef_code lay_out(shown *show, const char *layout, vef_error *error) {
    vef_code code = vef_layout_find(layout, &show->layout, error);
    if (code != VEF_OK)
        return vef_fail_within(error, "--layout");
    if (show->topology->routers == 1)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "--layout %s: the network is a single router: expected two routers or more",
                        layout);
    show->place = vef_malloc(show->topology->routers * sizeof *show->place);
    code = vef_layout_places(show->layout, show->topology, show->place, error);
    if (code == VEF_OK)
        vef_layout_measure(show->layout, show->topology, show->place, &show->lengths);
    return code;
}

vef_code vef_topology_show_layout(const vef_topology *topology, const char *layout,
                                  const vef_plot *svg, const vef_report_format *format,
                                  vef_error *error) {
    shown show = {.topology = topology};
    vef_code code = lay_out(&show, layout, error);
    if (code == VEF_OK)
        vef_layout_count_lengths(topology, show.place, &show.rows, &show.row_count);
    if (code == VEF_OK && svg->path)
        code = vef_topology_write_picture(topology, show.layout, show.place, &show.lengths, svg,
                                          error);
    if (code == VEF_OK)
        code = vef_report_write(format, build, &show, stdout, error);
    free(show.place);
    free(show.rows);
    return code;
}

void vef_topology_describe_layouts(FILE *out) {
    for (size_t i = 0; vef_layouts[i]; i++)
        fprintf(out, "  %-14s %s\n", vef_layouts[i]->name, vef_layouts[i]->summary);
}

vef_code vef_topology_write_dot(const vef_topology *topology, const char *layout, FILE *out,
                                vef_error *error) {
    shown show = {.topology = topology};
    vef_code code = VEF_OK;
    if (layout || topology->dimensions == 2)
        code = lay_out(&show, layout ? layout : vef_layout_grid.name, error);
    if (code == VEF_OK)
        vef_topology_write_graph(topology, show.place, out);
    free(show.place);
    return code;
}
