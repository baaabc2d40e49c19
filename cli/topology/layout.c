/* `vef topology --layout`: places of routers and lengths of links. See layout.h. */
#include "cli/topology/layout.h"
#include "common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The data to show; `place` and `rows` are owned. */
typedef struct shown {
    const vef_topology *topology;
    const vef_layout *layout;
    vef_place_on_plane *place;
    vef_layout_lengths lengths;
    vef_layout_length *rows;
    size_t row_count;
} shown;

static void length_text(uint64_t squared, char *text, size_t text_bytes) {
    uint64_t root = (uint64_t)llround(sqrt((double)squared));
    if (root * root == squared)
        snprintf(text, text_bytes, "%" PRIu64, root);
    else
        snprintf(text, text_bytes, "sqrt(%" PRIu64 ")", squared);
}

void vef_topology_lengths_text(uint64_t least_squared, uint64_t greatest_squared, char *text,
                               size_t text_bytes) {
    char least[VEF_LENGTHS_BYTES / 2 - 4], greatest[VEF_LENGTHS_BYTES / 2 - 4];
    length_text(least_squared, least, sizeof least);
    length_text(greatest_squared, greatest, sizeof greatest);
    if (least_squared == greatest_squared)
        snprintf(text, text_bytes, "%s", least);
    else
        snprintf(text, text_bytes, "%s to %s", least, greatest);
}

static double root_of(uint64_t squared) {
    return sqrt((double)squared);
}

/* One row per router: its number, its coordinates, its column and row. */
static vef_table *tabulate_places(const void *report) {
    static const char *const letters[] = {"x", "y", "z"};
    const shown *show = report;
    const vef_topology *topology = show->topology;
    vef_table *table = vef_table_new((const char *const[]){"router"}, 1);
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        char name[16];
        snprintf(name, sizeof name, "d%u", d);
        vef_table_head(table, topology->dimensions <= 3 ? letters[d] : name);
    }
    vef_table_head(table, "column");
    vef_table_head(table, "row");
    for (uint32_t router = 0; router < topology->routers; router++) {
        uint32_t at[VEF_MAX_DIMENSIONS];
        vef_topology_coordinates(topology, router, at);
        vef_table_number(table, "%u", vef_topology_router_number(topology, router));
        for (uint32_t d = 0; d < topology->dimensions; d++)
            vef_table_number(table, "%u", at[d]);
        vef_table_number(table, "%" PRId32, show->place[router].x);
        vef_table_number(table, "%" PRId32, show->place[router].y);
    }
    return table;
}

static vef_table *tabulate_lengths(const shown *show) {
    static const char *const heads[] = {"length", "squared", "links"};
    vef_table *table = vef_table_new(heads, 3);
    for (size_t i = 0; i < show->row_count; i++) {
        vef_table_number(table, "%.4f", root_of(show->rows[i].squared));
        vef_table_number(table, "%" PRIu64, show->rows[i].squared);
        vef_table_number(table, "%" PRIu64, show->rows[i].links);
    }
    return table;
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

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    (void)error;
    const shown *show = report;
    const vef_layout_lengths *lengths = &show->lengths;
    const bool straight = lengths->fold_links < lengths->links;
    longest names;
    name_longest(show, &names);
    vef_doc_string(doc, "layout", show->layout->name);
    vef_doc_uint(doc, "routers", show->topology->routers);
    vef_doc_uint(doc, "columns", lengths->columns);
    vef_doc_uint(doc, "rows", lengths->rows);
    vef_doc_uint(doc, "links", lengths->links);
    vef_doc_real(doc, "length_least", lengths->least);
    vef_doc_real(doc, "length_mean", lengths->mean);
    vef_doc_real(doc, "length_greatest", lengths->greatest);
    vef_doc_uint(doc, "length_greatest_squared", lengths->greatest_squared);
    vef_doc_uint(doc, "links_around_folds", lengths->fold_links);
    vef_doc_real(doc, "length_least_elsewhere",
                 straight ? root_of(lengths->least_straight_squared) : (double)NAN);
    vef_doc_real(doc, "length_greatest_elsewhere",
                 straight ? root_of(lengths->greatest_straight_squared) : (double)NAN);
    vef_doc_open_map(doc, "longest_link");
    vef_doc_string(doc, "from", names.from);
    vef_doc_string(doc, "port", names.port);
    vef_doc_string(doc, "to", names.to);
    vef_doc_close(doc);
    vef_table_write_doc(tabulate_lengths(show), doc, "lengths");
    vef_table_write_doc(tabulate_places(show), doc, "places");
    return VEF_OK;
}

static void write_text(const void *report, FILE *out) {
    const shown *show = report;
    const vef_layout_lengths *lengths = &show->lengths;
    char title[VEF_LAYOUT_TITLE_BYTES], range[VEF_LENGTHS_BYTES];
    longest names;
    vef_table_write(tabulate_places(show), NULL, out);
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
    vef_table_write(tabulate_lengths(show), NULL, out);
}

static const vef_report_parts parts = {
    .text = write_text, .table = tabulate_places, .doc = write_doc};

/* Finds the layout and lays the network out. */
static vef_code lay_out(shown *show, const char *layout, vef_error *error) {
    vef_code code = vef_layout_find(layout, &show->layout, error);
    if (code != VEF_OK)
        return code;
    show->place = vef_malloc(show->topology->routers * sizeof *show->place);
    code = vef_layout_places(show->layout, show->topology, show->place, error);
    if (code == VEF_OK)
        vef_layout_measure(show->layout, show->topology, show->place, &show->lengths);
    return code;
}

vef_code vef_topology_show_layout(const vef_topology *topology, const char *layout, const char *svg,
                                  const vef_report_format *format, vef_error *error) {
    shown show = {.topology = topology};
    vef_code code = lay_out(&show, layout, error);
    if (code == VEF_OK)
        vef_layout_count_lengths(topology, show.place, &show.rows, &show.row_count);
    if (code == VEF_OK && svg)
        code = vef_topology_write_picture(topology, show.layout, show.place, &show.lengths, svg,
                                          error);
    if (code == VEF_OK)
        code = vef_report_write(format, &parts, &show, stdout, error);
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
