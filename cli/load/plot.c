/* Load curves. See plot.h.
 *
 * Latency from generation to delivery against offered load, and accepted against offered load, are
 * the two curves of Dally and Towles, "Principles and Practices of Interconnection Networks"
 * (2004), chapter 23. Loads are shares of the injection bandwidth, as in most papers: shares of the
 * capacity, the bound for uniform traffic, have no common scale for different networks. Networks
 * whose endpoints have different bandwidths have none either: their loads are in bytes per second.
 *
 * Beyond saturation the latency has no bound; there the curve ends. */
#include "cli/load/plot.h"

#include "cli/load/columns.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Of an endpoint, in phits per cycle. */
static double injection_of(const vef_load_report *report) {
    return fmax(1, report->model->injection_phits);
}

static double bandwidth_of(const vef_load_report *report) {
    return injection_of(report) * vef_load_unit(VEF_LOAD_BYTES_PER_S, report->model);
}

/* Whether messages had no bounded latency at a point. */
static bool is_beyond(const vef_load_point *point) {
    return point->unbounded && !point->deadlocked;
}

/* The traffic as it was asked for, and the units. */
static void write_remark(const vef_load_report *const *reports, size_t count, bool shares,
                         FILE *out) {
    const vef_load_choices *choices = reports[0]->choices;
    const vef_netmodel *model = reports[0]->model;
    bool same = model->packet_phits > 0, ends = false;
    for (size_t i = 0; i < count; i++) {
        same = same && reports[i]->model->packet_phits == model->packet_phits &&
               reports[i]->model->phit_bytes == model->phit_bytes;
        for (size_t p = 0; p < reports[i]->count; p++)
            ends = ends || is_beyond(&reports[i]->points[p]);
    }
    fprintf(out, "%s, %s, messages of %s%s",
            choices->pattern ? choices->pattern : reports[0]->settings->traffic.pattern->kind->name,
            reports[0]->settings->traffic.process->name,
            choices->lengths ? choices->lengths : "one packet",
            choices->lengths && !strchr(choices->lengths, 'B') ? " phits" : "");
    if (same)
        fprintf(out, ", packets of up to %u phits (%u B)", model->packet_phits,
                model->packet_phits * model->phit_bytes);
    if (shares)
        fprintf(out, "; 100 %% is %.4g GB/s", bandwidth_of(reports[0]) / 1e9);
    fprintf(out, "; bars: %g %% confidence%s", 100 * VEF_CONFIDENCE,
            ends ? "; arrows: saturated from there on" : "");
}

vef_load_plot vef_load_plot_begin(const char *network, const vef_load_report *const *reports,
                                  size_t count) {
    vef_load_plot plot = {.picture = vef_picture_new(2), .shares = true};
    char *remark = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&remark, &bytes);
    for (size_t i = 1; i < count; i++)
        plot.shares =
            plot.shares && fabs(bandwidth_of(reports[i]) / bandwidth_of(reports[0]) - 1) < 1e-9;
    write_remark(reports, count, plot.shares, out);
    fclose(out);
    vef_picture_set_title(plot.picture, network ? vef_picture_name(network) : NULL, remark);
    free(remark);
    return plot;
}

void vef_load_plot_add_facet(vef_load_plot *plot, const char *facet) {
    plot->latency = vef_picture_add(plot->picture, facet);
    plot->accepted = vef_picture_add(plot->picture, facet ? " " : NULL);
    plot->latency->x = plot->accepted->x =
        (vef_axis){.label = "offered load",
                   .unit = plot->shares ? "% of injection bandwidth" : "B/s per endpoint",
                   .from_zero = true};
    plot->latency->y = (vef_axis){.kind = VEF_AXIS_AUTO, .label = "message latency", .unit = "ns"};
    plot->accepted->y =
        (vef_axis){.label = "accepted load", .unit = plot->shares ? "%" : "B/s", .from_zero = true};
    plot->latency->group = facet ? 1 : 0;
    plot->accepted->group = facet ? 2 : 0;
}

void vef_load_plot_add(const vef_load_plot *plot, const vef_load_report *report,
                       const char *label) {
    const unsigned style = VEF_LINE | VEF_DOTS;
    const double ns = vef_load_unit(VEF_LOAD_NS, report->model);
    const double scale = plot->shares ? 100 / injection_of(report)
                                      : vef_load_unit(VEF_LOAD_BYTES_PER_S, report->model);
    vef_picture_series *mean = vef_panel_series(plot->latency, label ? label : "mean", style);
    vef_picture_series *accepted = vef_panel_series(plot->accepted, label ? label : "mean", style);
    vef_picture_series *equal = vef_panel_series(plot->accepted, NULL, VEF_LINE | VEF_REFERENCE);
    vef_picture_series *p99 =
        label ? NULL : vef_panel_series(plot->latency, "99th percentile", style);
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_point *point = &report->points[i];
        const vef_load_figures *figures = &point->figures;
        if (point->run_count == 0 || point->deadlocked || figures->packets <= 0)
            continue;
        const double offered = scale * figures->offered_load;
        const double load = scale * figures->accepted_load.mean;
        const double load_room = scale * vef_half_width(&figures->accepted_load);
        const double latency = ns * figures->message_latency_cycles.mean;
        const double latency_room = ns * vef_half_width(&figures->message_latency_cycles);
        vef_panel_mark(accepted, offered, load, load - load_room, load + load_room);
        vef_panel_mark(equal, offered, offered, NAN, NAN);
        if (is_beyond(point))
            vef_panel_mark(mean, offered, NAN, NAN, NAN);
        if (is_beyond(point) || figures->messages <= 0)
            continue;
        vef_panel_mark(mean, offered, latency, latency - latency_room, latency + latency_room);
        if (p99)
            vef_panel_mark(p99, offered, ns * figures->message_latency_p99_cycles, NAN, NAN);
    }
}
