/* The figures of a network. See topology.h. */
#include "cli/topology/topology.h"

#include "common/config/node_result.h"
#include "netmodel/analysis/search/search.h"
#include "netmodel/file/prices.h"
#include "netmodel/topology/failures/failures.h"

#include <inttypes.h>
#include <math.h>

enum { NUMBER_BYTES = 48, NOTE_BYTES = VEF_MESSAGE_BYTES };

/* Five decimals, one more than the papers print, and at least five digits that say something. */
static void real_text(char *text, double value) {
    int decimals = 5;
    for (double size = fabs(value); size > 0 && size < 0.1 && decimals < 15; size *= 10)
        decimals++;
    snprintf(text, NUMBER_BYTES, "%.*f", decimals, value);
}

static bool number_text(char *text, const vef_figures *figures, const vef_figure *figure) {
    double value;
    if (!vef_figure_value(figures, figure, &value))
        return false;
    if (figure->whole)
        snprintf(text, NUMBER_BYTES, "%.0f", value);
    else if (figure->group == VEF_FIGURES_OF_COST)
        snprintf(text, NUMBER_BYTES, "%.2f", value);
    else
        real_text(text, value);
    return true;
}

/* {family: rtt, a: 16}: what a network file may hold after `topology:`. */
static void write_parameters(const void *topology, FILE *out) {
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    vef_topology_put(topology, config);
    vef_node_write_flow(vef_node_get(config, "topology"), out);
    vef_arena_release(&arena);
}

static const char *const symmetry_words[] = {[VEF_SYMMETRY_BY_CONSTRUCTION] = "yes",
                                             [VEF_SYMMETRY_REFUTED] = "no",
                                             [VEF_SYMMETRY_NOT_REFUTED] = "not refuted",
                                             [VEF_SYMMETRY_UNKNOWN] = NULL};

/* "(3, 2) x+ to (4, 2)" */
enum { LINK_NAME_BYTES = 2 * VEF_ROUTER_NAME_BYTES + VEF_PORT_NAME_BYTES + 8 };
static void link_text(char *text, const vef_topology *topology, uint32_t router, uint32_t port) {
    char from[VEF_ROUTER_NAME_BYTES], to[VEF_ROUTER_NAME_BYTES], by[VEF_PORT_NAME_BYTES];
    vef_topology_router_name(topology, router, from, sizeof from);
    vef_topology_router_name(topology, topology->neighbour[(size_t)router * topology->ports + port],
                             to, sizeof to);
    vef_topology_port_name(topology, port, by, sizeof by);
    snprintf(text, LINK_NAME_BYTES, "%s by %s to %s", from, by, to);
}

/* ---- people ---- */

static const char *const group_titles[] = {[VEF_FIGURES_OF_SIZE] = "size",
                                           [VEF_FIGURES_OF_DISTANCE] = "distance in hops",
                                           [VEF_FIGURES_OF_LOAD] = "uniform traffic, minimal paths",
                                           [VEF_FIGURES_OF_CUT] = "bisection",
                                           [VEF_FIGURES_OF_INNER_LINK] = "inner link",
                                           [VEF_FIGURES_OF_COST] = "cost"};

static void write_line(FILE *out, const char *label, const char *value, const char *note) {
    fprintf(out, note[0] ? "  %-24s %12s  %s\n" : "  %-24s %12s\n", label, value, note);
}

/* Where the halves of a cut differ, by how much. */
static void note_halves(char *note, size_t note_bytes, const vef_cut *cut) {
    if (cut->near != cut->far)
        snprintf(note, note_bytes, " (%" PRIu64 " and %" PRIu64 " endpoints)", cut->near, cut->far);
}

/* The text after the number: its unit, and facts about this network. */
static void note_text(char *note, const vef_topology *topology, const vef_figures *figures,
                      const vef_figure *figure, const char *currency) {
    size_t used = (size_t)snprintf(note, NOTE_BYTES, "%s", figure->unit);
    const bool unequal = figure->offset == offsetof(vef_figures, unequal_axis_cut_links);
    if (unequal || figure->offset == offsetof(vef_figures, axis_bisection_links)) {
        const vef_cut *cut = unequal ? &figures->unequal_cut : &figures->axis_cut;
        if (topology->axes > 1) {
            char axis[VEF_AXIS_NAME_BYTES];
            vef_topology_axis_name(topology, cut->axis, axis, sizeof axis);
            used += (size_t)snprintf(note + used, NOTE_BYTES - used,
                                     ", the fewest across an axis: %s", axis);
        }
        note_halves(note + used, NOTE_BYTES - used, cut);
    } else if (figure->offset == offsetof(vef_figures, partition_bisection_links)) {
        used += (size_t)snprintf(note + used, NOTE_BYTES - used, "%s",
                                 figures->exact ? ", exact" : ", an upper bound by Scotch");
        note_halves(note + used, NOTE_BYTES - used, &figures->partition);
    } else if (figure->offset == offsetof(vef_figures, effective_bisection)) {
        if (figures->axis_bisection_links != VEF_NO_COUNT &&
            figures->partition_bisection_links < figures->axis_bisection_links)
            snprintf(note + used, NOTE_BYTES - used, ", of the bisection");
    } else if (figure->group == VEF_FIGURES_OF_LOAD && figures->load.few_links > 0 &&
               figure->offset != offsetof(vef_figures, capacity_bound)) {
        snprintf(note + used, NOTE_BYTES - used, ", at most");
    } else if (figure->offset == offsetof(vef_figures, endpoints)) {
        uint64_t least = UINT64_MAX, most = 0, with = 0;
        for (uint32_t r = 0; r < figures->graph->routers; r++) {
            uint64_t here = figures->graph->endpoints[r];
            least = here < least ? here : least;
            most = here > most ? here : most;
            with += here > 0;
        }
        if (least == most)
            snprintf(note, NOTE_BYTES, "%" PRIu64 " on each router", most);
        else
            snprintf(note, NOTE_BYTES, "on %" PRIu64 " router%s, at most %" PRIu64 " on each", with,
                     with == 1 ? "" : "s", most);
    } else if (figure->offset == offsetof(vef_figures, bill.price) ||
               figure->offset == offsetof(vef_figures, bill.price_per_endpoint)) {
        snprintf(note, NOTE_BYTES, "%s", currency);
    } else if (figure->offset == offsetof(vef_figures, routers) && topology->dimensions > 1) {
        for (uint32_t d = 0; d < topology->dimensions && used < NOTE_BYTES; d++)
            used += (size_t)snprintf(note + used, NOTE_BYTES - used, "%s%" PRIu32, d ? "x" : "",
                                     topology->sizes[d]);
        if (topology->failures && topology->failures->routers > 0 && used < NOTE_BYTES)
            snprintf(note + used, NOTE_BYTES - used, ", %" PRIu32 " of them down",
                     topology->failures->routers);
    }
}

static void write_group(const vef_topology_report *report, vef_figure_group group,
                        const char *title, FILE *out) {
    const vef_topology *topology = report->topology;
    const vef_figures *figures = report->figures;
    bool begun = false;
    for (const vef_figure *row = vef_figure_table; row->key; row++) {
        char value[NUMBER_BYTES], note[NOTE_BYTES];
        if (row->group != group || !number_text(value, figures, row))
            continue;
        const bool regular = figures->degree_min == figures->degree_max;
        if (regular && row->offset == offsetof(vef_figures, degree_min))
            continue;
        if (!begun)
            fprintf(out, "\n%s\n", title ? title : group_titles[group]);
        begun = true;
        note_text(note, topology, figures, row, report->prices->currency);
        const bool degree = row->offset == offsetof(vef_figures, degree_max);
        write_line(out, regular && degree ? "degree" : row->label, value, note);
    }
}

static void write_loads(const vef_topology_report *report, FILE *out) {
    char title[256], link[LINK_NAME_BYTES];
    const vef_link_load *load = &report->figures->load;
    if (!load->sharing)
        return;
    snprintf(title, sizeof title, "%s shared by `%s`", group_titles[VEF_FIGURES_OF_LOAD],
             load->sharing->name);
    write_group(report, VEF_FIGURES_OF_LOAD, title, out);
    link_text(link, report->topology, load->busiest_router, load->busiest_port);
    fprintf(out, "  %-24s %s\n", "most loaded link", link);
    if (load->few_links > 0)
        fprintf(out,
                "  of %" PRIu32 " links searched; others may have more (--limit loads=N: all)\n",
                load->few_links);
}

static void write_symmetries(const vef_figures *figures, FILE *out) {
    static const char *const reasons[] = {
        [VEF_SYMMETRY_BY_CONSTRUCTION] = "by construction",
        [VEF_SYMMETRY_NOT_REFUTED] = "loads are alike, which does not prove it",
        [VEF_SYMMETRY_UNKNOWN] = "loads over all minimal paths were not measured",
    };
    const char *unlike = figures->degree_min != figures->degree_max
                             ? "degrees differ"
                             : "endpoints, or what routers forward, differ";
    const char *vertex = symmetry_words[figures->vertex_symmetry];
    const char *edge = symmetry_words[figures->edge_symmetry];
    fprintf(out, "\nsymmetry\n");
    write_line(out, "vertex-symmetric", vertex ? vertex : "unknown",
               figures->vertex_symmetry == VEF_SYMMETRY_REFUTED
                   ? unlike
                   : reasons[figures->vertex_symmetry]);
    write_line(out, "edge-symmetric", edge ? edge : "unknown",
               figures->edge_symmetry == VEF_SYMMETRY_REFUTED
                   ? "bandwidths, or loads by all shortest paths alike, differ"
                   : reasons[figures->edge_symmetry]);
}

/* Before the classes of links, and after them. */
static void write_sizes(const void *context, FILE *out) {
    const vef_topology_report *report = context;
    const vef_topology *topology = report->topology;
    write_parameters(topology, out);
    fprintf(out, "\n%s\n", topology->family->summary);
    char failures[VEF_FAILURES_TEXT_BYTES];
    if (topology->failures)
        fprintf(out, "down: %s\n", vef_failures_text(topology, failures));
    write_group(report, VEF_FIGURES_OF_SIZE, NULL, out);
    write_group(report, VEF_FIGURES_OF_DISTANCE, NULL, out);
    write_loads(report, out);
}

static void write_cuts(const void *context, FILE *out) {
    const vef_topology_report *report = context;
    const vef_figures *figures = report->figures;
    write_group(report, VEF_FIGURES_OF_CUT, NULL, out);
    if (figures->without_partition[0])
        fprintf(out, "%s  %-24s %12s  %s\n",
                figures->axis_bisection_links == VEF_NO_COUNT ? "\nbisection\n" : "", "bisection",
                "none", figures->without_partition);
    write_group(report, VEF_FIGURES_OF_INNER_LINK, NULL, out);
    write_symmetries(figures, out);
    write_group(report, VEF_FIGURES_OF_COST,
                report->prices->given ? NULL : "cost, at default prices (docs/topology.md)", out);
    fputc('\n', out);
}

/* ---- figures, loads and cuts ---- */

static vef_value value_of(const vef_figures *figures, const vef_figure *figure) {
    double value;
    if (!vef_figure_value(figures, figure, &value))
        return VEF_NO_VALUE;
    return figure->whole ? vef_value_uint((uint64_t)value) : vef_value_real(value);
}

/* One row: the figures that are one number. */
static void put_row(const vef_topology *topology, const vef_figures *figures, vef_result *into) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("family", NULL), VEF_COLUMN("parameters", NULL));
    vef_result *table = vef_put_table(into, NULL, VEF_TABLES, columns);
    for (const vef_figure *row = vef_figure_table; row->key; row++)
        vef_add_column(table, (vef_column){.key = row->key, .exact = "%.10g"});
    vef_add_column(table, (vef_column){.key = "failures"});
    VEF_CELLS(table, topology->family->name);
    vef_cell_by(table, write_parameters, topology);
    for (const vef_figure *row = vef_figure_table; row->key; row++)
        VEF_CELLS(table, value_of(figures, row));
    char failures[VEF_FAILURES_TEXT_BYTES];
    VEF_CELLS(table, vef_failures_text(topology, failures));
}

static void put_figures(const vef_figures *figures, vef_result *into) {
    for (const vef_figure *row = vef_figure_table; row->key; row++)
        VEF_PUT(into, row->key, value_of(figures, row));
    vef_result *distribution = vef_put_list(into, "distribution");
    for (uint32_t d = 0; d <= figures->distances.diameter; d++)
        VEF_PUT(distribution, NULL, figures->distances.distribution[d]);
}

static void put_classes(const vef_topology *topology, const vef_link_load *load, vef_result *into) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("name", NULL, .readers = VEF_DOCUMENTS), VEF_COLUMN(NULL, "  links of class"),
        VEF_COLUMN("links", "links"),
        VEF_COLUMN("average_distance", NULL, .readers = VEF_DOCUMENTS),
        VEF_COLUMN(NULL, "hops of a mean path"),
        VEF_COLUMN("utilization", NULL, .readers = VEF_DOCUMENTS), VEF_COLUMN(NULL, "utilization"));
    const bool shown = load->classes > 1;
    if (shown)
        vef_say(into, "\n");
    vef_result *table = vef_put_table(into, "link_classes",
                                      shown ? VEF_PEOPLE | VEF_DOCUMENTS : VEF_DOCUMENTS, columns);
    for (uint32_t c = 0; c < load->classes; c++) {
        char name[VEF_CLASS_NAME_BYTES], indented[VEF_CLASS_NAME_BYTES + 2], number[NUMBER_BYTES];
        vef_topology_link_class_name(topology, c, name, sizeof name);
        snprintf(indented, sizeof indented, "  %s", name);
        VEF_CELLS(table, name, indented, load->links[c], load->average_distance[c]);
        real_text(number, load->average_distance[c]);
        vef_cell_printed(table, "%s", number);
        VEF_CELLS(table, load->class_utilization[c]);
        real_text(number, load->class_utilization[c]);
        vef_cell_printed(table, "%s", number);
    }
}

static void put_loads(const vef_topology *topology, const vef_link_load *load, vef_result *into) {
    VEF_PUT(into, "sharing", load->sharing ? load->sharing->name : NULL);
    if (!load->sharing)
        return;
    char link[LINK_NAME_BYTES];
    link_text(link, topology, load->busiest_router, load->busiest_port);
    VEF_PUT(into, "most_loaded_link", link);
    VEF_PUT(into, "most_loaded_router", vef_topology_router_number(topology, load->busiest_router));
    VEF_PUT(into, "most_loaded_port", load->busiest_port);
    if (load->few_links > 0)
        VEF_PUT(into, "most_loaded_of_links", load->few_links);
    put_classes(topology, load, into);
}

/* `axis`: the name of what it goes across; NULL: the partitioner's. */
static void put_cut(const char *key, const vef_cut *cut, const char *axis, bool loads,
                    vef_result *into) {
    vef_result *group = vef_put_group(into, key);
    if (axis)
        VEF_PUT(group, "axis", axis);
    VEF_PUT(group, "links", cut->links);
    VEF_PUT(group, "near_endpoints", cut->near);
    VEF_PUT(group, "far_endpoints", cut->far);
    if (loads)
        VEF_PUT(group, "effective_links", cut->effective_links);
}

static void put_cuts(const vef_topology *topology, const vef_figures *figures, vef_result *into) {
    const bool loads = figures->load.load != NULL;
    char axis[VEF_AXIS_NAME_BYTES];
    if (figures->axis_bisection_links != VEF_NO_COUNT) {
        vef_topology_axis_name(topology, figures->axis_cut.axis, axis, sizeof axis);
        put_cut("axis_bisection", &figures->axis_cut, axis, loads, into);
    } else
        VEF_PUT(into, "axis_bisection", VEF_NO_VALUE);
    if (figures->unequal_axis_cut_links != VEF_NO_COUNT) {
        vef_topology_axis_name(topology, figures->unequal_cut.axis, axis, sizeof axis);
        put_cut("unequal_axis_cut", &figures->unequal_cut, axis, loads, into);
    }
    if (figures->partition_bisection_links != VEF_NO_COUNT)
        put_cut("partition_bisection", &figures->partition, NULL, loads, into);
    else
        VEF_PUT(into, "partition_bisection", VEF_NO_VALUE);
    VEF_PUT(into, "partition_is_exact", figures->exact);
    VEF_PUT(into, "without_partition",
            figures->without_partition[0] ? figures->without_partition : NULL);
}

/* ---- cost ---- */

static void put_prices(const void *context, vef_node *config) {
    const vef_topology_report *report = context;
    vef_prices_put(report->prices, report->topology, config);
}

static void put_bill(const vef_topology_report *report, vef_result *into) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("class", "  cables of class"), VEF_COLUMN("medium", "medium"),
                    VEF_COLUMN("length_m", "length in m"), VEF_COLUMN("cables", "cables"),
                    VEF_COLUMN("price", "price", .format = "%.2f", .exact = "%.10g"),
                    VEF_COLUMN("power_w", "power in W", .format = "%.2f", .exact = "%.10g"));
    const vef_bill *bill = &report->figures->bill;
    VEF_PUT(into, "currency", report->prices->currency);
    VEF_PUT(into, "price_of_switches", bill->switch_price);
    VEF_PUT(into, "price_of_nics", bill->nic_price);
    vef_result *table = vef_put_table(into, "bill", VEF_PEOPLE | VEF_DOCUMENTS, columns);
    for (size_t i = 0; i < bill->row_count; i++) {
        const vef_bill_row *row = &bill->rows[i];
        char name[VEF_CLASS_NAME_BYTES + 2] = "  ";
        const size_t indent = vef_result_is_for(into, VEF_PEOPLE) ? 2 : 0;
        vef_bill_class_name(report->topology, row->link_class, name + indent, sizeof name - indent);
        VEF_CELLS(table, name, vef_medium_names[row->medium], row->length_m, row->cables,
                  row->price, row->power_w);
    }
    vef_config_put_result(into, "cost", put_prices, report);
}

/* ---- the reports ---- */

static void put_parameters(const void *context, vef_node *config) {
    const vef_topology *topology = context;
    vef_config_put_schema(config, topology->family->schema, topology->parameters);
}

static void put_document(const vef_topology_report *report, vef_result *root) {
    const vef_topology *topology = report->topology;
    const vef_figures *figures = report->figures;
    VEF_PUT(root, "family", topology->family->name);
    vef_config_put_result(root, "parameters", put_parameters, topology);
    vef_failures_put_result(topology, true, root);
    put_figures(figures, root);
    put_loads(topology, &figures->load, root);
    put_cuts(topology, figures, root);
    VEF_PUT(root, "vertex_symmetric", symmetry_words[figures->vertex_symmetry]);
    VEF_PUT(root, "edge_symmetric", symmetry_words[figures->edge_symmetry]);
}

void vef_topology_report_build(const void *context, vef_result *root) {
    const vef_topology_report *report = context;
    vef_say_by(root, write_sizes, report);
    put_row(report->topology, report->figures, root);
    put_document(report, root);
    vef_say_by(root, write_cuts, report);
    put_bill(report, root);
}

void vef_topology_distances_build(const void *context, vef_result *root) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("distance", NULL), VEF_COLUMN("routers", NULL),
                    VEF_COLUMN("share", NULL, .format = "%.6f"),
                    VEF_COLUMN("cumulated", NULL, .format = "%.6f"));
    const vef_topology_report *report = context;
    const vef_distances *distances = &report->figures->distances;
    double whole = 0, sum = 0;
    if (vef_result_is_for(root, VEF_DOCUMENTS)) {
        put_document(report, root);
        put_bill(report, root);
        return;
    }
    for (uint32_t d = 0; d <= distances->diameter; d++)
        whole += distances->distribution[d];
    vef_result *table = vef_put_table(root, NULL, VEF_PEOPLE | VEF_TABLES, columns);
    for (uint32_t d = 0; d <= distances->diameter; d++) {
        const double here = distances->distribution[d];
        char number[NUMBER_BYTES];
        sum += here;
        real_text(number, here);
        VEF_CELLS(table, d, vef_value_read(number), here / whole, sum / whole);
    }
}

/* ---- what there is ---- */

void vef_topology_describe_sharings(FILE *out) {
    for (size_t i = 0; vef_sharings[i]; i++)
        fprintf(out, "  %-14s %s\n", vef_sharings[i]->name, vef_sharings[i]->summary);
}

void vef_topology_describe(FILE *out) {
    fputs("Figures by their keys in JSON and CSV (docs/topology.md)\n", out);
    for (const vef_figure *row = vef_figure_table; row->key; row++) {
        if (row == vef_figure_table || row[-1].group != row->group)
            fprintf(out, "%s\n", group_titles[row->group]);
        fprintf(out, "  %-32s %s%s%s\n", row->key, row->label, row->unit[0] ? ": " : "", row->unit);
    }
    fputs("\n--sharing, of traffic among the minimal paths of a pair\n", out);
    vef_topology_describe_sharings(out);
    fputs("\n--layout, of routers on a plane\n", out);
    vef_topology_describe_layouts(out);
    fputs("\n--best, of the networks that a request leaves open\n", out);
    vef_search_spaces_describe(out, 2);
}
