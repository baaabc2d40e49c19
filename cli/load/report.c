/* Reports of `vef load`. One table of columns serves text, tables and documents. */
#include "cli/load/report.h"

#include "cli/load/columns.h"
#include "common/config/node_result.h"
#include "common/memory.h"
#include "netmodel/topology/failures/failures.h"
#include "netmodel/utilization.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool measured(const vef_load_point *point) {
    return point->run_count > 0 && !point->deadlocked;
}

/* The first measured point behind `point`, NULL: of all; NULL if there is none. */
static const vef_load_point *next(const vef_load_report *report, const vef_load_point *point) {
    const vef_load_point *end = report->points + report->count;
    for (point = point ? point + 1 : report->points; point < end && !measured(point);)
        point++;
    return point < end ? point : NULL;
}

/* ---- text ---- */

/* A name (the first value), then the parameters, if any, in brackets: "local (alpha: 0.5)". */
static void write_named(const vef_node *config, FILE *out) {
    fputs(config->items[0]->scalar, out);
    for (size_t i = 1; i < config->count; i++) {
        fprintf(out, "%s%s: ", i == 1 ? " (" : ", ", config->keys[i]);
        vef_node_write_flow(config->items[i], out);
    }
    if (config->count > 1)
        fputc(')', out);
}

enum { LENGTH_BYTES = VEF_QUANTITY_TEXT_BYTES };

/* "16" phits, or "4 KiB". */
static const char *length_text(char *text, const vef_length_share *length) {
    if (length->phits == 0)
        return vef_format_bytes(text, length->bytes);
    snprintf(text, LENGTH_BYTES, "%" PRIu64, length->phits);
    return text;
}

/* In the syntax of --lengths. */
static void write_lengths(const vef_traffic_settings *traffic, FILE *out) {
    char text[LENGTH_BYTES];
    for (size_t i = 0; i < traffic->length_count; i++) {
        if (traffic->length_count > 1)
            fprintf(out, "%s%.10g:", i ? "," : "", traffic->lengths[i].share);
        fputs(length_text(text, &traffic->lengths[i]), out);
    }
}

/* Columns that identify the measurement of a row; pattern and process as in the resolved
 * configuration. */
typedef enum traffic_part { PATTERN, PROCESS, LENGTHS, TRAFFIC_PARTS } traffic_part;

/* The caller frees it. */
static char *part_text(const vef_traffic_settings *traffic, traffic_part part) {
    char *text = NULL;
    size_t bytes = 0;
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    FILE *out = vef_memory_stream(&text, &bytes);
    if (part == PROCESS)
        vef_process_put(traffic->process, traffic->process_parameters, config);
    else
        vef_pattern_put(traffic->pattern, config);
    if (part == LENGTHS)
        write_lengths(traffic, out);
    else
        write_named(config, out);
    fclose(out);
    vef_arena_release(&arena);
    return text;
}

static void write_head(const void *context, FILE *out) {
    const vef_load_report *report = context;
    char failures[VEF_FAILURES_TEXT_BYTES];
    const vef_traffic_settings *traffic = &report->settings->traffic;
    char text[LENGTH_BYTES];
    bool phits = true; /* all lengths are in phits */
    fprintf(out, "network   %s: %s", report->settings->network, report->model->kind->name);
    if (report->model->topology)
        fprintf(out, ", %s, %" PRIu32 " routers", report->model->topology->family->name,
                report->model->topology->routers);
    fprintf(out, ", %" PRIu32 " endpoints\n", traffic->pattern->endpoints);
    if (report->model->topology && report->model->topology->failures)
        fprintf(out, "down      %s\n", vef_failures_text(report->model->topology, failures));
    fputs("cycle     ", out);
    vef_netmodel_write_timing(report->model, out);
    char *pattern = part_text(traffic, PATTERN), *process = part_text(traffic, PROCESS);
    fprintf(out, "\ntraffic   %s, %s, messages of ", pattern, process);
    free(pattern);
    free(process);
    for (size_t i = 0; i < traffic->length_count; i++) {
        if (traffic->length_count > 1)
            fprintf(out, "%s%g %%: ", i ? ", " : "", 100 * traffic->lengths[i].share);
        fputs(length_text(text, &traffic->lengths[i]), out);
        phits = phits && traffic->lengths[i].phits > 0;
    }
    fprintf(out,
            "%s\nloads per endpoint%s; capacity: a phit in each cycle; +-: 95 %% confidence\n\n",
            phits ? " phits" : "", report->model->header_bytes > 0 ? ", headers included" : "");
}

static void write_reached(const char *name, const vef_estimate *estimate, FILE *out) {
    fprintf(out, "%s +- %.2g %%", name, 100 * vef_half_width(estimate) / estimate->mean);
}

/* The point is not steady: why, the precision that it has, and what the requested one would take.
 */
static void write_missed(const vef_load_report *report, const vef_load_point *point, FILE *out) {
    const vef_load_settings *settings = report->settings;
    fprintf(out, "offered %.4f: not steady: ", point->figures.offered_load);
    if (!point->settled)
        fputs("the network is still changing: ", out);
    write_reached("accepted load", &point->figures.accepted_load, out);
    if (!report->saturation)
        write_reached(", latency", &point->figures.latency_cycles, out);
    fprintf(out, ", requested %g %%", 100 * settings->precision);
    if (point->settled && point->needed_cycles > 0)
        fprintf(out, ", which would take each run about %.2g cycles", point->needed_cycles);
    fprintf(out, ": increase --max-cycles (%" PRIu64 ") or --seeds\n", settings->most_cycles);
}

/* One line for each point that missed its targets. */
static void write_notes(const void *context, FILE *out) {
    const vef_load_report *report = context;
    bool saturated = false, unbounded = false;
    for (const vef_load_point *point = next(report, NULL); point; point = next(report, point)) {
        saturated = saturated || point->saturated;
        unbounded = unbounded || point->unbounded;
        if (point->figures.packets <= 0)
            fprintf(
                out,
                "offered %g: no packet arrived in %.0f cycles: increase --rate or --max-cycles\n",
                point->figures.offered_load, point->figures.cycles);
        else if (!point->precise)
            write_missed(report, point, out);
    }
    if (unbounded)
        fprintf(out, "message n/a: %s: messages wait ever longer at their sources\n",
                saturated ? "saturated" : "unbounded");
}

/* What remains of the accepted load without headers. */
static void write_goodput(const void *context, FILE *out) {
    const vef_load_report *report = context;
    if (report->model->header_bytes == 0)
        return;
    fprintf(out, "\ngoodput, the payload that arrives at an endpoint\n");
    for (const vef_load_point *point = next(report, NULL); point; point = next(report, point)) {
        const vef_load_figures *figures = &point->figures;
        fprintf(out, "offered %.4f: %.4g GB/s, %.4f phits per cycle\n", figures->offered_load,
                figures->goodput_bytes_per_s / 1e9, figures->goodput);
    }
}

/* ---- classes of links, groups of sources ---- */

/* A table for people has rows of all points, one in documents those of a point. */

static void add_classes(vef_result *table, const vef_load_report *report,
                        const vef_load_point *point) {
    const vef_topology *topology = report->model->topology;
    for (uint32_t c = 0; topology && c < topology->link_classes; c++) {
        char name[VEF_CLASS_NAME_BYTES];
        vef_topology_link_class_name(topology, c, name, sizeof name);
        VEF_CELLS(table, point->figures.offered_load, name,
                  point->figures.class_utilization_mean[c],
                  point->figures.class_utilization_max[c]);
    }
}

static vef_result *class_table(vef_result *into, unsigned readers) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN(NULL, "offered", .format = "%.4f"), VEF_COLUMN("name", "class of links"),
        VEF_COLUMN("utilization_mean", "busy share", .format = "%.3f"),
        VEF_COLUMN("utilization_max", "busiest", .format = "%.3f"));
    return vef_put_table(into, "link_classes", readers | VEF_FULL_PRECISION, columns);
}

/* clang-format off */
#define AT(field) offsetof(vef_load_group, field)
static const vef_load_column group_columns[] = {
    {"offered_phits_per_cycle", "offered (GB/s)", "%.4g", VEF_LOAD_GB_PER_S, 0, AT(offered_phits)},
    {"accepted_phits_per_cycle", "accepted", "%.4g", VEF_LOAD_GB_PER_S, 0, AT(accepted_phits)},
    {"messages", NULL, NULL, VEF_LOAD_AS_IS, 0, AT(messages)},
    {"message_latency_mean_cycles", "latency (ns)", "%.1f", VEF_LOAD_NS, VEF_LOAD_OF_MESSAGES, AT(latency_mean_cycles)},
    {"message_latency_median_cycles", "median", "%.0f", VEF_LOAD_NS, VEF_LOAD_OF_MESSAGES, AT(latency_median_cycles)},
    {"message_latency_p99_cycles", "99 %", "%.0f", VEF_LOAD_NS, VEF_LOAD_OF_MESSAGES, AT(latency_p99_cycles)},
    {"message_latency_p999_cycles", NULL, NULL, VEF_LOAD_NS, VEF_LOAD_OF_MESSAGES, AT(latency_p999_cycles)},
};
/* clang-format on */
enum { GROUP_COLUMNS = sizeof group_columns / sizeof *group_columns };

/* Latencies have no value without messages, nor where they grow with the length of the run: in a
 * group that accepts less than it offers. */
static vef_value group_value(const vef_load_point *point, uint32_t number, size_t column) {
    const vef_load_group *group = &point->figures.groups[number];
    const double *value = (const void *)((const char *)group + group_columns[column].offset);
    const bool bounded = !point->unbounded || group->accepted_phits >= 0.99 * group->offered_phits;
    if (!group_columns[column].facts)
        return vef_value_real(*value);
    return group->messages > 0 && bounded ? vef_value_real(*value) : VEF_UNKNOWN;
}

/* Of bystanders: what the congestion that others cause does to them. */
static void add_groups(vef_result *table, const vef_load_report *report,
                       const vef_load_point *point) {
    const vef_pattern *pattern = report->settings->traffic.pattern;
    for (uint32_t g = 0; g < vef_pattern_groups(pattern); g++) {
        VEF_CELLS(table, point->figures.offered_load, pattern->kind->groups[g]);
        for (size_t c = 0; c < GROUP_COLUMNS; c++)
            VEF_CELLS(table, group_value(point, g, c));
    }
}

static vef_result *group_table(vef_result *into, const vef_load_report *report, unsigned readers) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN(NULL, "rate", .format = "%.4f"), VEF_COLUMN("name", "group"));
    vef_result *table = vef_put_table(into, "groups", readers | VEF_FULL_PRECISION, columns);
    for (size_t c = 0; c < GROUP_COLUMNS; c++)
        vef_add_column(table,
                       (vef_column){.key = group_columns[c].key,
                                    .label = group_columns[c].label,
                                    .format = group_columns[c].format,
                                    .scale = vef_load_unit(group_columns[c].unit, report->model)});
    return table;
}

/* For rows of tables, the groups of all patterns, so that files of measurements with different
 * patterns have the same columns. `point` NULL: the columns, "incast_messages". */
static void add_group_columns(vef_result *table, const vef_load_report *report,
                              const vef_load_point *point) {
    const vef_pattern_kind *present = report->settings->traffic.pattern->kind;
    for (size_t k = 0; vef_patterns[k]; k++)
        for (uint32_t g = 0; vef_patterns[k]->groups && vef_patterns[k]->groups[g]; g++)
            for (size_t c = 0; c < GROUP_COLUMNS; c++) {
                char key[96];
                snprintf(key, sizeof key, "%s_%s", vef_patterns[k]->groups[g],
                         group_columns[c].key);
                if (!point)
                    vef_add_column(
                        table, (vef_column){.key = key, .exact = "%.9g", .readers = VEF_TABLES});
                else
                    VEF_CELLS(table,
                              present == vef_patterns[k] ? group_value(point, g, c) : VEF_NO_VALUE);
            }
}

static void put_for_people(vef_result *into, const vef_load_report *report) {
    const vef_topology *topology = report->model->topology;
    const bool classes = topology && topology->link_classes > 1;
    const bool groups = vef_pattern_groups(report->settings->traffic.pattern) > 0;
    vef_say_by(into, write_notes, report);
    vef_say_by(into, write_goodput, report);
    if (classes) {
        vef_say(into, "\n");
        vef_result *table = class_table(into, VEF_PEOPLE);
        for (const vef_load_point *point = next(report, NULL); point; point = next(report, point))
            add_classes(table, report, point);
    }
    if (groups) {
        vef_say(into, "\nby group of sources: loads of the whole group, latencies of messages\n");
        vef_result *table = group_table(into, report, VEF_PEOPLE);
        for (const vef_load_point *point = next(report, NULL); point; point = next(report, point))
            add_groups(table, report, point);
    }
}

/* ---- the model of local traffic ---- */

typedef struct deviations {
    double load, hops; /* NAN: none */
} deviations;

static double load_deviation(const vef_load_report *report, const vef_load_point *point) {
    return report->expected.given ? point->figures.accepted_load.mean / report->expected.load - 1
                                  : NAN;
}

/* Of the load only where the network is saturated: below, it accepts what is offered. */
static deviations deviations_of(const vef_load_report *report, const vef_load_point *point) {
    const vef_expected_load *expected = &report->expected;
    deviations found = {NAN, NAN};
    if (!expected->given || !measured(point) || point->figures.packets <= 0)
        return found;
    if (point->saturated)
        found.load = load_deviation(report, point);
    if (expected->hops > 0)
        found.hops = point->figures.average_hops / expected->hops - 1;
    return found;
}

static void write_model(const void *context, FILE *out) {
    const vef_load_report *report = context;
    const vef_expected_load *expected = &report->expected;
    if (!expected->given)
        return;
    fprintf(out,
            "\nmodel: the first link is full at %.4f phits/cycle/endpoint; %.4f hops "
            "(docs/mappings.md)\n",
            expected->load, expected->hops);
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_point *point = &report->points[i];
        const deviations from = deviations_of(report, point);
        if (!isfinite(from.load) && !isfinite(from.hops))
            continue;
        fprintf(out, "offered %.4f:", point->figures.offered_load);
        if (isfinite(from.load))
            fprintf(out, " accepted load %+.1f %%,", 100 * from.load);
        fprintf(out, " hops %+.1f %%\n", 100 * from.hops);
    }
    if (report->saturation && measured(&report->points[report->saturation->peak]))
        fprintf(out, "peak accepted load: %+.1f %%\n",
                100 * load_deviation(report, &report->points[report->saturation->peak]));
}

/* ---- points ---- */

static void put_confidence(vef_result *into, const vef_load_report *report,
                           const vef_load_point *point) {
    vef_result *confidence = vef_put_group(into, "confidence");
    const vef_load_figures *figures = &point->figures;
    VEF_PUT(confidence, "level", VEF_CONFIDENCE);
    VEF_PUT(confidence, "precision_asked", report->settings->precision);
    VEF_PUT(confidence, "precision_reached", point->precise);
    VEF_PUT(confidence, "needed_cycles", VEF_IF(point->needed_cycles > 0, point->needed_cycles));
    VEF_PUT(confidence, "accepted_load_half_width", vef_half_width(&figures->accepted_load));
    VEF_PUT(confidence, "latency_mean_half_width_cycles",
            vef_load_figure(point, offsetof(vef_load_point, figures.latency_cycles),
                            VEF_LOAD_OF_PACKETS | VEF_LOAD_HALF_WIDTH));
    VEF_PUT(confidence, "message_latency_mean_half_width_cycles",
            vef_load_figure(point, offsetof(vef_load_point, figures.message_latency_cycles),
                            VEF_LOAD_OF_MESSAGES | VEF_LOAD_HALF_WIDTH));
    VEF_PUT(confidence, "degrees_of_freedom", figures->latency_cycles.freedom);
    VEF_PUT(confidence, "batches",
            (uint64_t)vef_batches_of_each(point->run_count) * point->run_count);
    VEF_PUT(confidence, "batch_correlation", figures->latency_cycles.correlation);
}

static void put_runs(vef_result *into, const vef_load_point *point) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("seed", NULL), VEF_COLUMN("accepted_load", NULL),
        VEF_COLUMN("accepted_load_half_width", NULL), VEF_COLUMN("latency_mean_cycles", NULL),
        VEF_COLUMN("latency_half_width_cycles", NULL), VEF_COLUMN("warm_up_cycles", NULL),
        VEF_COLUMN("cycles", NULL));
    vef_result *runs = vef_put_table(into, "runs", VEF_DOCUMENTS, columns);
    for (uint32_t i = 0; i < point->run_count; i++) {
        const vef_load_figures *figures = &point->runs[i].figures;
        VEF_CELLS(runs, point->runs[i].seed, figures->accepted_load.mean,
                  vef_half_width(&figures->accepted_load), figures->latency_cycles.mean,
                  vef_half_width(&figures->latency_cycles), figures->warm_up_cycles,
                  figures->cycles);
    }
}

/* What documents alone have of a point. */
static void put_details(vef_result *table, const vef_load_report *report,
                        const vef_load_point *point) {
    if (!vef_result_is_for(table, VEF_DOCUMENTS))
        return;
    put_confidence(table, report, point);
    add_classes(class_table(table, VEF_DOCUMENTS), report, point);
    add_groups(group_table(table, report, VEF_DOCUMENTS), report, point);
    put_runs(table, point);
    if (report->per_link)
        vef_utilization_add_rows(vef_utilization_table(table, VEF_DOCUMENTS, NULL), NULL,
                                 report->model->topology, point->utilization);
}

static void add_load_columns(vef_result *table, const vef_load_column *columns) {
    for (; columns->key || columns->label; columns++)
        vef_add_column(table, (vef_column){.key = columns->key,
                                           .label = columns->label,
                                           .format = columns->format,
                                           .exact = "%.9g"});
}

static void add_load_cells(vef_result *table, const vef_load_column *columns,
                           const vef_load_report *report, const vef_load_point *point) {
    for (; columns->key || columns->label; columns++)
        VEF_CELLS(table, vef_load_figure(point, columns->offset, columns->facts) *
                             vef_load_unit(columns->unit, report->model));
}

static void put_physical(vef_result *into, const vef_load_report *report) {
    vef_result *table = vef_put_table(into, NULL, VEF_PEOPLE, (const vef_column[]){{0}});
    add_load_columns(table, vef_load_columns_physical);
    for (const vef_load_point *point = next(report, NULL); point; point = next(report, point))
        add_load_cells(table, vef_load_columns_physical, report, point);
    vef_say(into, "\n");
}

static vef_result *point_table(vef_result *into, const vef_load_report *report, unsigned readers) {
    static const vef_column last[] = VEF_COLUMNS(
        VEF_COLUMN("model_load", NULL, .exact = "%.9g"),
        VEF_COLUMN("model_hops", NULL, .exact = "%.9g"),
        VEF_COLUMN("model_load_deviation", NULL, .exact = "%.9g"),
        VEF_COLUMN("model_hops_deviation", NULL, .exact = "%.9g"), VEF_COLUMN("seed", NULL),
        VEF_COLUMN("saturated", NULL), VEF_COLUMN("message_latency_unbounded", NULL),
        VEF_COLUMN("steady", NULL), VEF_COLUMN("network", NULL, .readers = VEF_TABLES),
        VEF_COLUMN("pattern", NULL, .readers = VEF_TABLES),
        VEF_COLUMN("process", NULL, .readers = VEF_TABLES),
        VEF_COLUMN("lengths", NULL, .readers = VEF_TABLES),
        VEF_COLUMN("set", NULL, .readers = VEF_TABLES));
    vef_result *table =
        vef_put_table(into, "points", readers | VEF_FULL_PRECISION, (const vef_column[]){{0}});
    add_load_columns(table, vef_load_columns);
    add_group_columns(table, report, NULL);
    vef_add_columns(table, last);
    return table;
}

static void put_points(vef_result *into, const vef_load_report *report, unsigned readers) {
    const vef_load_settings *settings = report->settings;
    const vef_expected_load *expected = &report->expected;
    vef_result *table = point_table(into, report, readers);
    for (const vef_load_point *point = next(report, NULL); point; point = next(report, point)) {
        add_load_cells(table, vef_load_columns, report, point);
        add_group_columns(table, report, point);
        const deviations from = deviations_of(report, point);
        VEF_CELLS(table, VEF_IF(expected->given, expected->load),
                  VEF_IF(expected->given, expected->hops), from.load, from.hops);
        VEF_CELLS(table, point->runs[0].seed, point->saturated, point->unbounded, point->precise,
                  settings->network);
        for (traffic_part part = 0; part < TRAFFIC_PARTS; part++) {
            char *text = part_text(&settings->traffic, part);
            VEF_CELLS(table, text);
            free(text);
        }
        vef_cell_texts(table, settings->overrides, settings->override_count);
        put_details(table, report, point);
    }
}

/* One of the loads that a search for saturation reports: its keys begin with `prefix`. */
static void put_extreme(vef_result *into, const char *prefix, const char *label,
                        const vef_load_point *point, double gb_per_s) {
    static const char *const keys[] = {"accepted_load", "accepted_load_half_width", "offered_load"};
    const vef_load_figures *figures = &point->figures;
    const double values[] = {figures->accepted_load.mean, vef_half_width(&figures->accepted_load),
                             figures->offered_load};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s_%s", prefix, keys[i]);
        VEF_PUT(into, key, values[i]);
    }
    vef_say(into, "%-22s %.4g GB/s, %.1f %% of capacity: %.4f +- %.4f phits/cycle (offered %.4f)\n",
            label, gb_per_s * values[0], 100 * values[0], values[0], values[1], values[2]);
}

static void put_saturation(vef_result *into, const vef_load_report *report) {
    const vef_load_saturation *found = report->saturation;
    if (!found)
        return;
    const vef_load_point *full = &found->points[found->full], *peak = &found->points[found->peak];
    if (!measured(full) || !measured(peak))
        return;
    const double gb_per_s = vef_load_unit(VEF_LOAD_GB_PER_S, report->model);
    vef_say(into, "\n");
    vef_result *saturation = vef_put_group(into, "saturation");
    put_extreme(saturation, "peak", "peak accepted load", peak, gb_per_s);
    VEF_PUT(saturation, "peak_model_deviation", load_deviation(report, peak));
    put_extreme(saturation, "full", "accepted at full load", full, gb_per_s);
    VEF_PUT(saturation, "saturated", full->saturated);
    if (!full->saturated)
        vef_say(into, "the network accepts the whole offered load: it is not saturated\n");
}

/* ---- links ---- */

/* Every link at every load; documents have them with the points. */
static void put_links(vef_result *into, const vef_load_report *report) {
    vef_say(into, "\nbusy share of every link\n");
    vef_result *table =
        vef_utilization_table(into, report->samples ? VEF_PEOPLE : VEF_PEOPLE | VEF_TABLES, "rate");
    for (const vef_load_point *point = next(report, NULL); point; point = next(report, point))
        vef_utilization_add_rows(table, &point->rate, report->model->topology, point->utilization);
}

static void put_samples(vef_result *into, const vef_load_report *report) {
    vef_say(into, "\nbusy share of links over time, seed %" PRIu64 ", warm-up included\n",
            vef_load_seed(report->settings, 0));
    vef_link_samples_put(report->samples, report->model, VEF_EVERYONE, into);
}

/* ---- the report ---- */

void vef_load_report_configuration(const void *context, vef_node *config) {
    const vef_load_report *report = context;
    vef_netmodel_put_config(report->model, config);
}

void vef_load_report_traffic(const void *context, vef_node *config) {
    const vef_load_report *report = context;
    const vef_traffic_settings *traffic = &report->settings->traffic;
    char *text = part_text(traffic, LENGTHS);
    vef_pattern_put(traffic->pattern, config);
    vef_process_put(traffic->process, traffic->process_parameters, config);
    vef_config_put_text(config, "lengths", text);
    free(text);
}

void vef_load_report_build(const void *context, vef_result *root) {
    const vef_load_report *report = context;
    const vef_traffic_settings *traffic = &report->settings->traffic;
    const unsigned shown = VEF_PEOPLE | VEF_DOCUMENTS;
    vef_result_set_cycle_ns(root, report->model->timing.cycle_ns);
    vef_say_by(root, write_head, report);
    VEF_PUT(root, "network", report->settings->network);
    vef_put_texts(root, "set", report->settings->overrides, report->settings->override_count);
    vef_load_choices_put(report->choices, root);
    VEF_PUT(root, "endpoints", traffic->pattern->endpoints);
    vef_failures_put_result(report->model->topology, false, root);
    VEF_PUT(root, "pattern", traffic->pattern->kind->name);
    VEF_PUT(root, "process", traffic->process->name);
    VEF_PUT(root, "seeds", report->settings->seeds);
    put_physical(root, report);
    put_points(root, report, report->samples || report->per_link ? shown : VEF_EVERYONE);
    put_for_people(root, report);
    put_saturation(root, report);
    vef_say_by(root, write_model, report);
    if (report->per_link)
        put_links(root, report);
    if (report->samples)
        put_samples(root, report);
    vef_netmodel_put_timing(report->model, root);
    vef_config_put_result(root, "configuration", vef_load_report_configuration, report);
    vef_config_put_result(root, "traffic", vef_load_report_traffic, report);
}
