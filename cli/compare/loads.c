/* The same load on several networks. See compare.h. */
#include "cli/compare/compare.h"

#include "cli/load/columns.h"
#include "cli/load/plot.h"
#include "common/config/node_result.h"

#include <math.h>
#include <string.h>

/* ---- the report ---- */

static void put_points(const vef_compared_loads *compared, vef_result *into) {
    static const vef_column columns[] = {
        {.key = "rate", .label = "rate", .format = "%.6g"},
        {.label = "offered (GB/s)", .format = "%.4g", .scale = 1e-9},
        {.label = "accepted", .format = "%.4g", .scale = 1e-9},
        {.label = "+-", .format = "%.2g", .scale = 1e-9},
        {.label = "latency (ns)", .format = "%.1f"},
        {.label = "+-", .format = "%.1f"},
        {.label = "99 %", .format = "%.0f"},
        {.key = "offered_load", .label = "offered (phits/cycle)", .format = "%.6f"},
        {.key = "accepted_load", .label = "accepted", .format = "%.6f"},
        {.key = "accepted_load_half_width", .label = "+-", .format = "%.6f"},
        {.key = "accepted_bytes_per_s", .format = "%.6g"},
        {.key = "latency_mean_ns", .format = "%.2f"},
        {.key = "latency_half_width_ns", .format = "%.2f"},
        {.key = "latency_p99_ns", .format = "%.0f"},
        {.key = "average_hops", .label = "hops", .format = "%.4f"},
        {.key = "state", .label = "state"},
        {0}};
    const vef_subjects *subjects = compared->subjects;
    vef_result *table = vef_subjects_table(subjects, into, "points", VEF_EVERYONE, columns);
    for (uint32_t n = 0; n < subjects->count; n++) {
        const vef_load_report *report = &compared->session[n]->report;
        const double ns = vef_load_unit(VEF_LOAD_NS, report->model);
        const double bytes = vef_load_unit(VEF_LOAD_BYTES_PER_S, report->model);
        for (size_t i = 0; i < report->count; i++) {
            const vef_load_point *point = &report->points[i];
            const vef_load_figures *figures = &point->figures;
            const double values[] = {bytes * figures->offered_load,
                                     bytes * figures->accepted_load.mean,
                                     bytes * vef_half_width(&figures->accepted_load),
                                     ns * figures->latency_cycles.mean,
                                     ns * vef_half_width(&figures->latency_cycles),
                                     ns * figures->latency_p99_cycles,
                                     figures->offered_load,
                                     figures->accepted_load.mean,
                                     vef_half_width(&figures->accepted_load),
                                     bytes * figures->accepted_load.mean,
                                     ns * figures->latency_cycles.mean,
                                     ns * vef_half_width(&figures->latency_cycles),
                                     ns * figures->latency_p99_cycles,
                                     figures->average_hops};
            const bool none = point->deadlocked || figures->packets <= 0;
            vef_subjects_name(subjects, n, table);
            VEF_CELLS(table, point->rate);
            for (size_t v = 0; v < sizeof values / sizeof *values; v++)
                VEF_CELLS(table, vef_value_or_na(none ? NAN : values[v]));
            VEF_CELLS(table, point->deadlocked  ? "deadlock"
                             : point->saturated ? "saturated"
                                                : "stable");
        }
    }
}

/* The greatest accepted loads, one row per subject, in bytes per second relative to the first. */
static void put_peaks(const vef_compared_loads *compared, vef_result *into) {
    static const vef_column columns[] = {
        {.label = "peak accepted (GB/s)", .format = "%.4g", .scale = 1e-9},
        {.key = "peak_accepted_load", .label = "(phits/cycle)", .format = "%.6f"},
        {.key = "peak_accepted_bytes_per_s", .format = "%.6g"},
        {.key = "relative", .label = "relative", .format = "%.4f"},
        {.key = "least_latency_ns", .label = "least latency (ns)", .format = "%.2f"},
        {.key = "total_channels"},
        {.key = "port_buffer_bytes", .format = "%.6g"},
        {0}};
    const vef_subjects *subjects = compared->subjects;
    vef_result *table =
        vef_subjects_table(subjects, into, "networks", VEF_PEOPLE | VEF_DOCUMENTS, columns);
    double first = NAN;
    for (uint32_t n = 0; n < subjects->count; n++) {
        const vef_load_report *report = &compared->session[n]->report;
        double most = NAN, least = NAN;
        for (size_t i = 0; i < report->count; i++) {
            const vef_load_figures *figures = &report->points[i].figures;
            if (report->points[i].deadlocked || figures->packets <= 0)
                continue;
            most = fmax(most, figures->accepted_load.mean);
            least = fmin(least, figures->latency_cycles.mean);
        }
        const double bytes = vef_load_unit(VEF_LOAD_BYTES_PER_S, report->model) * most;
        const vef_net_hardware hardware = vef_netmodel_hardware(report->model, "");
        if (n == 0)
            first = bytes;
        vef_subjects_name(subjects, n, table);
        VEF_CELLS(table, vef_value_or_na(bytes), vef_value_or_na(most), vef_value_or_na(bytes),
                  vef_value_or_na(bytes / first),
                  vef_value_or_na(report->model->timing.cycle_ns * least), hardware.total_channels,
                  hardware.port_buffer_bytes);
    }
}

static char *find_why(const void *context, size_t a, size_t b) {
    const vef_load_point *const *chosen = context;
    const vef_load_figures *first = &chosen[a]->figures, *second = &chosen[b]->figures;
    const vef_reason reasons[] = {
        {"mean hops", first->average_hops, second->average_hops},
        {"busy share of all links", first->link_utilization_mean, second->link_utilization_mean},
        {"busy share of the busiest link", first->link_utilization_max,
         second->link_utilization_max}};
    return vef_why_by_figures(reasons, sizeof reasons / sizeof *reasons);
}

/* By the greatest accepted load, if a network saturates, else by the latency at the last load. */
static void put_verdict(const vef_compared_loads *compared, vef_result *into) {
    const uint32_t count = compared->subjects->count;
    const vef_load_point *chosen[VEF_MOST_SUBJECTS] = {NULL};
    vef_subject_value values[VEF_MOST_SUBJECTS];
    bool peak = false;
    for (uint32_t n = 0; n < count; n++)
        for (size_t i = 0; i < compared->session[n]->report.count; i++)
            peak |= compared->session[n]->report.points[i].saturated;
    for (uint32_t n = 0; n < count; n++) {
        const vef_load_report *report = &compared->session[n]->report;
        bool deadlocked = false;
        for (size_t i = 0; i < report->count; i++) {
            const vef_load_point *point = &report->points[i];
            deadlocked |= point->deadlocked != NULL;
            if (!chosen[n] ||
                (peak ? point->figures.accepted_load.mean > chosen[n]->figures.accepted_load.mean
                      : point->rate > chosen[n]->rate))
                chosen[n] = point;
        }
        const vef_estimate *value =
            peak ? &chosen[n]->figures.accepted_load : &chosen[n]->figures.latency_cycles;
        const double unit = vef_load_unit(peak ? VEF_LOAD_BYTES_PER_S : VEF_LOAD_NS, report->model);
        values[n] = (vef_subject_value){.value = deadlocked ? NAN : unit * value->mean,
                                        .half_width = vef_half_width(value) / value->mean};
    }
    const bool several = compared->session[0]->report.count > 1;
    const vef_verdict verdict = {.application = !several ? ""
                                                : peak   ? "peak"
                                                         : "last rate",
                                 .measure = peak ? "accepted_bytes_per_s" : "latency_mean_ns",
                                 .hint = "`--seeds 4`",
                                 .greatest = peak};
    vef_subjects_put_verdict(compared->subjects, verdict, values, find_why, chosen, into);
}

static void write_timing(const void *report, FILE *out) {
    const vef_compared_loads *compared = report;
    for (uint32_t n = 0; n < compared->subjects->count; n++) {
        fprintf(out, "%s: cycle ", compared->subjects->list[n].label);
        vef_netmodel_write_timing(compared->session[n]->report.model, out);
        fputc('\n', out);
    }
    fputc('\n', out);
}

void vef_compared_loads_build(const void *report, vef_result *root) {
    const vef_compared_loads *compared = report;
    const vef_load_settings *settings = &compared->session[0]->settings;
    const void *reports[VEF_MOST_SUBJECTS];
    vef_say_by(root, write_timing, compared);
    vef_load_choices_put(compared->session[0]->choices, root);
    VEF_PUT(root, "pattern", settings->traffic.pattern->kind->name);
    put_points(compared, root);
    vef_say(root, "\n");
    put_peaks(compared, root);
    for (uint32_t n = 0; n < compared->subjects->count; n++)
        reports[n] = &compared->session[n]->report;
    vef_subjects_put_configurations(compared->subjects, root, vef_load_report_configuration,
                                    reports);
    vef_config_put_result(root, "traffic", vef_load_report_traffic, reports[0]);
    put_verdict(compared, root);
}

/* ---- the picture ---- */

vef_picture *vef_compared_loads_draw(const vef_compared_loads *compared) {
    const vef_load_report *reports[VEF_MOST_SUBJECTS];
    const vef_subjects *subjects = compared->subjects;
    for (uint32_t n = 0; n < subjects->count; n++)
        reports[n] = &compared->session[n]->report;
    vef_load_plot plot = vef_load_plot_begin(NULL, reports, subjects->count);
    for (uint32_t n = 0; n < subjects->count; n++) {
        const vef_subject *subject = &subjects->list[n];
        if (n == 0 || (subject->facet && strcmp(subject->facet, subject[-1].facet) != 0))
            vef_load_plot_add_facet(&plot, subject->facet);
        vef_load_plot_add(&plot, reports[n], subject->series);
    }
    return plot.picture;
}
