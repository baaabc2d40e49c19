/* Reports of `vef load`. One table of columns serves text, tables and documents. */
#include "cli/load/report.h"

#include "cli/load/columns.h"
#include "common/config/write_doc.h"
#include "common/memory.h"
#include "netmodel/topology/failures/failures.h"
#include "netmodel/utilization.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool measured(const vef_load_point *point) {
    return point->run_count > 0 && !point->deadlocked;
}

/* ---- text ---- */

/* Converts YAML lines `key: value` from `write` to one line: the name (the first value), then
 * the parameters, if any, in brackets. */
static void write_named(const char *yaml, FILE *out) {
    const char *separator = " (";
    bool first = true;
    while (*yaml) {
        size_t length = strcspn(yaml, "\n"), skipped = 0;
        if (first)
            skipped = strcspn(yaml, " ") + 1;
        else
            fputs(separator, out);
        fprintf(out, "%.*s", (int)(length - skipped), yaml + skipped);
        separator = first ? separator : ", ";
        first = false;
        yaml += length + (yaml[length] == '\n');
    }
    if (separator[0] == ',')
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

static void write_part(const vef_traffic_settings *traffic, traffic_part part, FILE *out) {
    char *text = NULL;
    size_t bytes = 0;
    if (part == LENGTHS) {
        write_lengths(traffic, out);
        return;
    }
    FILE *lines = vef_memory_stream(&text, &bytes);
    if (part == PROCESS)
        vef_process_write(traffic->process, traffic->process_parameters, lines, 0);
    else
        vef_pattern_write(traffic->pattern, lines, 0);
    fclose(lines);
    write_named(text, out);
    free(text);
}

static void put_part(vef_table *table, const vef_traffic_settings *traffic, traffic_part part) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&text, &bytes);
    write_part(traffic, part, out);
    fclose(out);
    vef_table_text(table, text);
    free(text);
}

static void write_head(const vef_load_report *report, FILE *out) {
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
    fputs("\ntraffic   ", out);
    write_part(traffic, PATTERN, out);
    fputs(", ", out);
    write_part(traffic, PROCESS, out);
    fputs(", messages of ", out);
    for (size_t i = 0; i < traffic->length_count; i++) {
        if (traffic->length_count > 1)
            fprintf(out, "%s%g %%: ", i ? ", " : "", 100 * traffic->lengths[i].share);
        fputs(length_text(text, &traffic->lengths[i]), out);
        phits = phits && traffic->lengths[i].phits > 0;
    }
    fprintf(out,
            "%s\nloads in phits per cycle and endpoint%s, latencies in cycles; +-: 95 %% "
            "confidence\n\n",
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
static void write_notes(const vef_load_report *report, FILE *out) {
    bool saturated = false, unbounded = false;
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_point *point = &report->points[i];
        if (!measured(point))
            continue;
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
static void write_goodput(const vef_load_report *report, FILE *out) {
    if (report->model->header_bytes == 0)
        return;
    fprintf(out, "\ngoodput, the payload that arrives at an endpoint\n");
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_figures *figures = &report->points[i].figures;
        if (measured(&report->points[i]))
            fprintf(out, "offered %.4f: %.4f phits per cycle, %.4g GB/s\n", figures->offered_load,
                    figures->goodput, figures->goodput_bytes_per_s / 1e9);
    }
}

static void write_classes(const vef_load_report *report, FILE *out) {
    const vef_topology *topology = report->model->topology;
    if (!topology || topology->link_classes < 2)
        return;
    fprintf(out, "\nbusy share of links, mean and greatest of each class\n");
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_point *point = &report->points[i];
        if (!measured(point))
            continue;
        fprintf(out, "offered %.4f:", point->figures.offered_load);
        for (uint32_t c = 0; c < topology->link_classes; c++) {
            char name[VEF_CLASS_NAME_BYTES];
            vef_topology_link_class_name(topology, c, name, sizeof name);
            fprintf(out, "%s %s %.3f %.3f", c ? "," : "", name,
                    point->figures.class_utilization_mean[c],
                    point->figures.class_utilization_max[c]);
        }
        fputc('\n', out);
    }
}

/* The groups of the pattern: of bystanders, what the congestion that others cause does to them. */
static void write_groups(const vef_load_report *report, FILE *out) {
    const vef_pattern *pattern = report->settings->traffic.pattern;
    const uint32_t groups = vef_pattern_groups(pattern);
    if (groups == 0)
        return;
    fprintf(out,
            "\nby group of sources: loads in phits per cycle of the whole group, latencies of "
            "messages\n");
    for (size_t i = 0; i < report->count; i++)
        for (uint32_t g = 0; g < groups && measured(&report->points[i]); g++) {
            const vef_load_figures *figures = &report->points[i].figures;
            const vef_load_group *of = &figures->groups[g];
            fprintf(out, "offered %.4f: %s offered %.3f, accepted %.3f", figures->offered_load,
                    pattern->kind->groups[g], of->offered_phits, of->accepted_phits);
            if (of->messages > 0)
                fprintf(out, ", latency %.1f, median %.0f, 99 %% %.0f", of->latency_mean_cycles,
                        of->latency_median_cycles, of->latency_p99_cycles);
            fputc('\n', out);
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

static void write_model(const vef_load_report *report, FILE *out) {
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

static void write_saturation(const vef_load_report *report, FILE *out) {
    const vef_load_saturation *found = report->saturation;
    if (!found)
        return;
    const vef_load_point *full = &found->points[found->full], *peak = &found->points[found->peak];
    if (!measured(full) || !measured(peak))
        return;
    fprintf(out,
            "\naccepted at full load  %.4f +- %.4f (offered %.4f)\n"
            "peak accepted load     %.4f +- %.4f (offered %.4f)\n",
            full->figures.accepted_load.mean, vef_half_width(&full->figures.accepted_load),
            full->figures.offered_load, peak->figures.accepted_load.mean,
            vef_half_width(&peak->figures.accepted_load), peak->figures.offered_load);
    if (!full->saturated)
        fprintf(out, "the network accepts the whole offered load: it is not saturated\n");
}

static void add_model(vef_table *table, const vef_load_report *report,
                      const vef_load_point *point) {
    const vef_expected_load *expected = &report->expected;
    const deviations from = deviations_of(report, point);
    const double values[] = {expected->given ? expected->load : NAN,
                             expected->given ? expected->hops : NAN, from.load, from.hops};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (isfinite(values[i]))
            vef_table_number(table, "%.9g", values[i]);
        else
            vef_table_text(table, "");
}

/* ---- groups of sources, as columns ---- */

static const struct {
    const char *name;
    size_t offset;
    bool of_messages; /* no value without any */
} group_columns[] = {
    {"offered_phits_per_cycle", offsetof(vef_load_group, offered_phits), false},
    {"accepted_phits_per_cycle", offsetof(vef_load_group, accepted_phits), false},
    {"messages", offsetof(vef_load_group, messages), false},
    {"message_latency_mean_cycles", offsetof(vef_load_group, latency_mean_cycles), true},
    {"message_latency_median_cycles", offsetof(vef_load_group, latency_median_cycles), true},
    {"message_latency_p99_cycles", offsetof(vef_load_group, latency_p99_cycles), true},
    {"message_latency_p999_cycles", offsetof(vef_load_group, latency_p999_cycles), true},
};
enum { GROUP_COLUMNS = sizeof group_columns / sizeof *group_columns };

/* The groups of all patterns, so that files of measurements with different patterns have the same
 * columns. `point` NULL: the heads, "incast_messages". */
static void add_groups(vef_table *table, const vef_load_report *report,
                       const vef_load_point *point) {
    const vef_pattern_kind *own = report->settings->traffic.pattern->kind;
    for (size_t k = 0; vef_patterns[k]; k++)
        for (size_t g = 0; vef_patterns[k]->groups && vef_patterns[k]->groups[g]; g++)
            for (size_t c = 0; c < GROUP_COLUMNS; c++) {
                const vef_load_group *of = point ? &point->figures.groups[g] : NULL;
                char head[96];
                snprintf(head, sizeof head, "%s_%s", vef_patterns[k]->groups[g],
                         group_columns[c].name);
                if (!point)
                    vef_table_head(table, head);
                else if (own == vef_patterns[k] &&
                         (of->messages > 0 || !group_columns[c].of_messages))
                    vef_table_number(table, "%.9g",
                                     *(const double *)((const char *)of + group_columns[c].offset));
                else
                    vef_table_text(table, "");
            }
}

/* `named`: the columns with a key, and those that identify the measurement; else the columns of
 * text. */
static vef_table *make_table(const vef_load_report *report, bool named) {
    static const char *const last[] = {"model_load",
                                       "model_hops",
                                       "model_load_deviation",
                                       "model_hops_deviation",
                                       "seed",
                                       "saturated",
                                       "message_latency_unbounded",
                                       "steady",
                                       "network",
                                       "pattern",
                                       "process",
                                       "lengths",
                                       "set"};
    const vef_load_settings *settings = report->settings;
    vef_table *table = vef_table_new(NULL, 0);
    for (const vef_load_column *column = vef_load_columns; column->value; column++)
        if (named ? column->key : column->head)
            vef_table_head(table, named ? column->key : column->head);
    if (named)
        add_groups(table, report, NULL);
    for (size_t i = 0; named && i < sizeof last / sizeof *last; i++)
        vef_table_head(table, last[i]);
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_point *point = &report->points[i];
        if (!measured(point))
            continue;
        for (const vef_load_column *column = vef_load_columns; column->value; column++) {
            if (!(named ? column->key : column->head))
                continue;
            double value = column->value(point) * vef_load_unit(column, report->model);
            if (isfinite(value))
                vef_table_number(table, named ? "%.9g" : column->format, value);
            else
                vef_table_text(table, named ? "" : "n/a");
        }
        if (!named)
            continue;
        add_groups(table, report, point);
        add_model(table, report, point);
        vef_table_number(table, "%" PRIu64, point->runs[0].seed);
        vef_table_text(table, point->saturated ? "true" : "false");
        vef_table_text(table, point->unbounded ? "true" : "false");
        vef_table_text(table, point->precise ? "true" : "false");
        vef_table_text(table, settings->network);
        for (traffic_part part = 0; part < TRAFFIC_PARTS; part++)
            put_part(table, &settings->traffic, part);
        vef_table_list(table, settings->overrides, settings->override_count);
    }
    return table;
}

/* ---- every link ---- */

static vef_table *link_table(const vef_load_report *report) {
    vef_table *table = vef_utilization_table("rate");
    for (size_t i = 0; i < report->count; i++)
        if (measured(&report->points[i]))
            vef_utilization_add_rows(table, &report->points[i].rate, report->model->topology,
                                     report->points[i].utilization);
    return table;
}

static void write_links(const vef_load_report *report, FILE *out) {
    if (report->per_link) {
        fputs("\nbusy share of every link\n", out);
        vef_table_write(link_table(report), NULL, out);
    }
    if (!report->samples)
        return;
    fprintf(out, "\nbusy share of links over time, seed %" PRIu64 ", warm-up included\n",
            report->settings->first_seed);
    vef_table_write(vef_link_samples_table(report->samples, report->model), NULL, out);
}

static void write_text(const void *report, FILE *out) {
    write_head(report, out);
    vef_table_write(make_table(report, false), NULL, out);
    write_notes(report, out);
    write_goodput(report, out);
    write_classes(report, out);
    write_groups(report, out);
    write_saturation(report, out);
    write_model(report, out);
    write_links(report, out);
}

static vef_table *tabulate(const void *context) {
    const vef_load_report *report = context;
    return report->samples    ? vef_link_samples_table(report->samples, report->model)
           : report->per_link ? link_table(report)
                              : make_table(report, true);
}

/* ---- documents ---- */

static void put_confidence(vef_doc *doc, const vef_load_report *report,
                           const vef_load_point *point) {
    vef_doc_open_map(doc, "confidence");
    vef_doc_real(doc, "level", VEF_CONFIDENCE);
    vef_doc_real(doc, "precision_asked", report->settings->precision);
    vef_doc_bool(doc, "precision_reached", point->precise);
    vef_doc_real(doc, "needed_cycles",
                 point->needed_cycles > 0 ? point->needed_cycles : (double)INFINITY);
    vef_doc_real(doc, "accepted_load_half_width", vef_half_width(&point->figures.accepted_load));
    vef_doc_real(doc, "latency_mean_half_width_cycles", vef_load_latency_half_width(point));
    vef_doc_real(doc, "message_latency_mean_half_width_cycles", vef_load_message_half_width(point));
    vef_doc_real(doc, "degrees_of_freedom", point->figures.latency_cycles.freedom);
    vef_doc_uint(doc, "batches",
                 (uint64_t)vef_batches_of_each(point->run_count) * point->run_count);
    vef_doc_real(doc, "batch_correlation", point->figures.latency_cycles.correlation);
    vef_doc_close(doc);
}

static void put_classes(vef_doc *doc, const vef_load_report *report, const vef_load_point *point) {
    const vef_topology *topology = report->model->topology;
    vef_doc_open_list(doc, "link_classes");
    for (uint32_t c = 0; topology && c < topology->link_classes; c++) {
        char name[VEF_CLASS_NAME_BYTES];
        vef_topology_link_class_name(topology, c, name, sizeof name);
        vef_doc_open_map(doc, NULL);
        vef_doc_string(doc, "name", name);
        vef_doc_real(doc, "utilization_mean", point->figures.class_utilization_mean[c]);
        vef_doc_real(doc, "utilization_max", point->figures.class_utilization_max[c]);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_groups(vef_doc *doc, const vef_load_report *report, const vef_load_point *point) {
    const vef_pattern *pattern = report->settings->traffic.pattern;
    vef_doc_open_list(doc, "groups");
    for (uint32_t g = 0; g < vef_pattern_groups(pattern); g++) {
        const vef_load_group *of = &point->figures.groups[g];
        const double none = of->messages > 0 ? 0 : (double)INFINITY;
        vef_doc_open_map(doc, NULL);
        vef_doc_string(doc, "name", pattern->kind->groups[g]);
        vef_doc_real(doc, "offered_phits_per_cycle", of->offered_phits);
        vef_doc_real(doc, "accepted_phits_per_cycle", of->accepted_phits);
        vef_doc_real(doc, "messages", of->messages);
        vef_doc_real(doc, "message_latency_mean_cycles", of->latency_mean_cycles + none);
        vef_doc_real(doc, "message_latency_median_cycles", of->latency_median_cycles + none);
        vef_doc_real(doc, "message_latency_p99_cycles", of->latency_p99_cycles + none);
        vef_doc_real(doc, "message_latency_p999_cycles", of->latency_p999_cycles + none);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_runs(vef_doc *doc, const vef_load_point *point) {
    vef_doc_open_list(doc, "runs");
    for (uint32_t i = 0; i < point->run_count; i++) {
        const vef_load_run *run = &point->runs[i];
        vef_doc_open_map(doc, NULL);
        vef_doc_uint(doc, "seed", run->seed);
        vef_doc_real(doc, "accepted_load", run->figures.accepted_load.mean);
        vef_doc_real(doc, "accepted_load_half_width", vef_half_width(&run->figures.accepted_load));
        vef_doc_real(doc, "latency_mean_cycles", run->figures.latency_cycles.mean);
        vef_doc_real(doc, "latency_half_width_cycles",
                     vef_half_width(&run->figures.latency_cycles));
        vef_doc_real(doc, "warm_up_cycles", run->figures.warm_up_cycles);
        vef_doc_real(doc, "cycles", run->figures.cycles);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_links(vef_doc *doc, const vef_load_report *report, const vef_load_point *point) {
    if (!report->per_link)
        return;
    vef_table *table = vef_utilization_table(NULL);
    vef_utilization_add_rows(table, NULL, report->model->topology, point->utilization);
    vef_table_write_doc(table, doc, "per_link");
}

static void put_point(vef_doc *doc, const vef_load_report *report, const vef_load_point *point) {
    vef_doc_open_map(doc, NULL);
    for (const vef_load_column *column = vef_load_columns; column->value; column++)
        if (column->key)
            vef_doc_real(doc, column->key,
                         column->value(point) * vef_load_unit(column, report->model));
    const deviations from = deviations_of(report, point);
    vef_doc_real(doc, "model_load", report->expected.given ? report->expected.load : NAN);
    vef_doc_real(doc, "model_hops", report->expected.given ? report->expected.hops : NAN);
    vef_doc_real(doc, "model_load_deviation", from.load);
    vef_doc_real(doc, "model_hops_deviation", from.hops);
    vef_doc_uint(doc, "seed", point->runs[0].seed);
    vef_doc_bool(doc, "saturated", point->saturated);
    vef_doc_bool(doc, "message_latency_unbounded", point->unbounded);
    vef_doc_bool(doc, "steady", point->precise);
    put_confidence(doc, report, point);
    put_classes(doc, report, point);
    put_groups(doc, report, point);
    put_runs(doc, point);
    put_links(doc, report, point);
    vef_doc_close(doc);
}

void vef_load_report_configuration(const void *context, FILE *out) {
    const vef_load_report *report = context;
    vef_netmodel_write_config(report->model, out);
}

void vef_load_report_traffic(const void *context, FILE *out) {
    const vef_load_report *report = context;
    const vef_traffic_settings *traffic = &report->settings->traffic;
    vef_pattern_write(traffic->pattern, out, 0);
    vef_process_write(traffic->process, traffic->process_parameters, out, 0);
    fprintf(out, "lengths: \"");
    write_lengths(traffic, out);
    fprintf(out, "\"\n");
}

static void put_saturation(vef_doc *doc, const vef_load_report *report) {
    const vef_load_saturation *found = report->saturation;
    if (!found)
        return;
    const vef_load_point *full = &found->points[found->full], *peak = &found->points[found->peak];
    if (!measured(full) || !measured(peak))
        return;
    vef_doc_open_map(doc, "saturation");
    vef_doc_real(doc, "peak_accepted_load", peak->figures.accepted_load.mean);
    vef_doc_real(doc, "peak_accepted_load_half_width",
                 vef_half_width(&peak->figures.accepted_load));
    vef_doc_real(doc, "peak_offered_load", peak->figures.offered_load);
    vef_doc_real(doc, "peak_model_deviation", load_deviation(report, peak));
    vef_doc_real(doc, "full_accepted_load", full->figures.accepted_load.mean);
    vef_doc_real(doc, "full_accepted_load_half_width",
                 vef_half_width(&full->figures.accepted_load));
    vef_doc_real(doc, "full_offered_load", full->figures.offered_load);
    vef_doc_bool(doc, "saturated", full->saturated);
    vef_doc_close(doc);
}

static vef_code write_doc(const void *context, vef_doc *doc, vef_error *error) {
    const vef_load_report *report = context;
    const vef_traffic_settings *traffic = &report->settings->traffic;
    vef_doc_string(doc, "network", report->settings->network);
    vef_doc_strings(doc, "set", report->settings->overrides, report->settings->override_count);
    vef_load_choices_write_doc(report->choices, doc);
    vef_doc_uint(doc, "endpoints", traffic->pattern->endpoints);
    vef_failures_write_doc(report->model->topology, false, doc);
    vef_doc_string(doc, "pattern", traffic->pattern->kind->name);
    vef_doc_string(doc, "process", traffic->process->name);
    vef_doc_uint(doc, "seeds", report->settings->seeds);
    vef_doc_open_list(doc, "points");
    for (size_t i = 0; i < report->count; i++)
        if (measured(&report->points[i]))
            put_point(doc, report, &report->points[i]);
    vef_doc_close(doc);
    if (report->samples)
        vef_table_write_doc(vef_link_samples_table(report->samples, report->model), doc, "samples");
    put_saturation(doc, report);
    vef_netmodel_write_timing_doc(report->model, doc);
    const vef_code code =
        vef_yaml_write_doc(doc, "configuration", vef_load_report_configuration, report, error);
    return code == VEF_OK
               ? vef_yaml_write_doc(doc, "traffic", vef_load_report_traffic, report, error)
               : code;
}

const vef_report_parts vef_load_report_parts = {
    .text = write_text, .table = tabulate, .doc = write_doc};
