/* The same load on several networks. See loads.h. */
#include "cli/compare/loads.h"

#include "cli/load/plot.h"
#include "common/config/write_doc.h"

#include <math.h>

/* ---- the table ---- */

static void add_number(vef_table *table, const char *format, double value) {
    if (isfinite(value))
        vef_table_number(table, format, value);
    else
        vef_table_number(table, "n/a");
}

/* Of a load of 1: networks may differ in phits and cycles. */
static double bytes_per_s(const vef_netmodel *model) {
    return model->phit_bytes * 1e9 / model->timing.cycle_ns;
}

static vef_table *tabulate(const void *report) {
    static const char *const heads[] = {"rate",
                                        "offered_load",
                                        "accepted_load",
                                        "accepted_load_half_width",
                                        "accepted_bytes_per_s",
                                        "latency_mean_ns",
                                        "latency_half_width_ns",
                                        "latency_p99_ns",
                                        "average_hops",
                                        "state"};
    const vef_compared_loads *compared = report;
    const vef_subjects *subjects = compared->subjects;
    vef_table *table = vef_subjects_table(subjects, heads, sizeof heads / sizeof *heads);
    for (uint32_t n = 0; table && n < subjects->count; n++) {
        const vef_load_report *of = &compared->session[n]->report;
        const double ns = of->model->timing.cycle_ns, bytes = bytes_per_s(of->model);
        for (size_t i = 0; i < of->count; i++) {
            const vef_load_point *point = &of->points[i];
            const vef_load_figures *figures = &point->figures;
            const bool none = point->deadlocked || figures->packets <= 0;
            vef_subjects_name(subjects, n, table);
            vef_table_number(table, "%.6g", point->rate);
            add_number(table, "%.6f", none ? NAN : figures->offered_load);
            add_number(table, "%.6f", none ? NAN : figures->accepted_load.mean);
            add_number(table, "%.6f", none ? NAN : vef_half_width(&figures->accepted_load));
            add_number(table, "%.6g", none ? NAN : bytes * figures->accepted_load.mean);
            add_number(table, "%.2f", none ? NAN : ns * figures->latency_cycles.mean);
            add_number(table, "%.2f", none ? NAN : ns * vef_half_width(&figures->latency_cycles));
            add_number(table, "%.0f", none ? NAN : ns * figures->latency_p99_cycles);
            add_number(table, "%.4f", none ? NAN : figures->average_hops);
            vef_table_text(table, point->deadlocked  ? "deadlock"
                                  : point->saturated ? "saturated"
                                                     : "stable");
        }
    }
    return table;
}

/* The greatest accepted loads, one row per subject, in bytes per second relative to the first. */
static vef_table *tabulate_peaks(const void *report) {
    static const char *const heads[] = {"peak_accepted_load", "peak_accepted_bytes_per_s",
                                        "relative", "least_latency_ns"};
    const vef_compared_loads *compared = report;
    const vef_subjects *subjects = compared->subjects;
    vef_table *table = vef_subjects_table(subjects, heads, sizeof heads / sizeof *heads);
    double first = NAN;
    for (uint32_t n = 0; table && n < subjects->count; n++) {
        const vef_load_report *of = &compared->session[n]->report;
        double most = NAN, least = NAN;
        for (size_t i = 0; i < of->count; i++) {
            const vef_load_figures *figures = &of->points[i].figures;
            if (of->points[i].deadlocked || figures->packets <= 0)
                continue;
            most = fmax(most, figures->accepted_load.mean);
            least = fmin(least, figures->latency_cycles.mean);
        }
        const double bytes = bytes_per_s(of->model) * most;
        if (n == 0)
            first = bytes;
        vef_subjects_name(subjects, n, table);
        add_number(table, "%.6f", most);
        add_number(table, "%.6g", bytes);
        add_number(table, "%.4f", bytes / first);
        add_number(table, "%.2f", of->model->timing.cycle_ns * least);
    }
    return table;
}

static void write_text(const void *report, FILE *out) {
    const vef_compared_loads *compared = report;
    for (uint32_t n = 0; n < compared->subjects->count; n++) {
        fprintf(out, "%s: cycle ", compared->subjects->list[n].label);
        vef_netmodel_write_timing(compared->session[n]->report.model, out);
        fputc('\n', out);
    }
    fputc('\n', out);
    vef_table_write(tabulate(report), NULL, out);
    fputc('\n', out);
    vef_table_write(tabulate_peaks(report), NULL, out);
}

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    const vef_compared_loads *compared = report;
    const vef_load_settings *settings = &compared->session[0]->settings;
    vef_load_choices_write_doc(compared->session[0]->choices, doc);
    vef_doc_string(doc, "pattern", settings->traffic.pattern->kind->name);
    vef_table_write_doc(tabulate(report), doc, "points");
    vef_table_write_doc(tabulate_peaks(report), doc, "networks");
    const void *reports[VEF_MOST_SUBJECTS];
    for (uint32_t n = 0; n < compared->subjects->count; n++)
        reports[n] = &compared->session[n]->report;
    const vef_code code = vef_subjects_write_doc(compared->subjects, doc,
                                                 vef_load_report_configuration, reports, error);
    return code == VEF_OK
               ? vef_yaml_write_doc(doc, "traffic", vef_load_report_traffic, reports[0], error)
               : code;
}

const vef_report_parts vef_compared_loads_parts = {
    .text = write_text, .table = tabulate, .doc = write_doc};

vef_picture *vef_compared_loads_draw(const vef_compared_loads *compared) {
    const vef_load_plot plot = vef_load_plot_begin(NULL);
    for (uint32_t n = 0; n < compared->subjects->count; n++)
        vef_load_plot_add(&plot, &compared->session[n]->report, compared->subjects->list[n].label);
    return plot.picture;
}
