/* Load curves. See plot.h. Networks may differ in phits and cycles, so axes have bytes and ns. */
#include "cli/load/plot.h"

#include "cli/load/columns.h"

vef_load_plot vef_load_plot_begin(const char *title) {
    vef_picture *picture = vef_picture_new(2);
    const vef_load_plot plot = {picture, vef_picture_add(picture, title),
                                vef_picture_add(picture, NULL)};
    plot.latency->x = plot.accepted->y =
        (vef_axis){.label = "accepted load per endpoint", .unit = "B/s", .from_zero = true};
    plot.latency->y = (vef_axis){.kind = VEF_AXIS_AUTO, .label = "network latency", .unit = "ns"};
    plot.accepted->x =
        (vef_axis){.label = "offered load per endpoint", .unit = "B/s", .from_zero = true};
    return plot;
}

void vef_load_plot_add(const vef_load_plot *plot, const vef_load_report *report,
                       const char *label) {
    const unsigned style = VEF_LINE | VEF_DOTS;
    vef_picture_series *mean = vef_panel_series(plot->latency, label ? label : "mean", style);
    vef_picture_series *accepted =
        vef_panel_series(plot->accepted, label ? label : "accepted", style);
    vef_picture_series *p99 = NULL, *equal = NULL;
    const double ns = vef_load_unit(VEF_LOAD_NS, report->model);
    const double bytes_per_s = vef_load_unit(VEF_LOAD_BYTES_PER_S, report->model);
    if (!label) {
        p99 = vef_panel_series(plot->latency, "99th percentile", style);
        equal = vef_panel_series(plot->accepted, "offered", VEF_LINE | VEF_REFERENCE);
    }
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_point *point = &report->points[i];
        const vef_load_figures *figures = &point->figures;
        if (point->run_count == 0 || point->deadlocked || figures->packets <= 0)
            continue;
        const double offered = bytes_per_s * figures->offered_load;
        const double load = bytes_per_s * figures->accepted_load.mean;
        const double load_room = bytes_per_s * vef_half_width(&figures->accepted_load);
        const double latency = ns * figures->latency_cycles.mean;
        const double latency_room = ns * vef_half_width(&figures->latency_cycles);
        vef_panel_mark(mean, load, latency, latency - latency_room, latency + latency_room);
        vef_panel_mark(accepted, offered, load, load - load_room, load + load_room);
        if (label)
            continue;
        vef_panel_mark(p99, load, ns * figures->latency_p99_cycles, NAN, NAN);
        vef_panel_mark(equal, offered, offered, NAN, NAN);
    }
}
