/* Plots of loads. See plot.h. */
#include "cli/load/plot.h"

#include "cli/pictures/plot.h"

#include <math.h>

static const char INSTEAD[] = "--csv writes the same numbers for other tools";

vef_code vef_load_plot_check(const char *path, vef_error *error) {
    return vef_plot_check("--plot", path, INSTEAD, error);
}

/* A data block: offered load, accepted load and half the width of its confidence interval, mean
 * latency and the same of it, 99th percentile of latencies. */
static void write_data(const vef_load_report *report, FILE *out) {
    fputs("$points << EOD\n", out);
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_point *point = &report->points[i];
        if (point->run_count == 0 || point->deadlocked)
            continue;
        const vef_load_figures *figures = &point->figures;
        double accepted = vef_half_width(&figures->accepted_load);
        double latency = vef_half_width(&figures->latency_cycles);
        fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", figures->offered_load,
                figures->accepted_load.mean, isfinite(accepted) ? accepted : 0,
                figures->latency_cycles.mean, isfinite(latency) ? latency : 0,
                figures->latency_p99_cycles);
    }
    fputs("EOD\n", out);
}

vef_code vef_load_plot(const vef_load_report *report, const char *path, vef_error *error) {
    FILE *commands;
    const bool svg = vef_plot_is_svg(path);
    vef_code code = vef_plot_begin(svg, svg ? 900 : 1350, svg ? 420 : 630, &commands, error);
    if (code != VEF_OK)
        return code;
    write_data(report, commands);
    fputs(
        "set multiplot layout 1,2\nset grid\nset key top left\nset xrange [0:*]\nset yrange "
        "[0:*]\nset title ",
        commands);
    vef_plot_text(commands, report->settings->network, ", ",
                  report->settings->traffic.pattern->kind->name, NULL);
    fputs(
        "\nset xlabel \"accepted load (phits/cycle/endpoint)\"\n"
        "set ylabel \"network latency (cycles)\"\n"
        "plot $points using 2:4:3:5 with xyerrorbars pointtype 7 pointsize 0.4 notitle, "
        "$points using 2:4 with lines linetype 1 title \"mean\", "
        "$points using 2:6 with lines linetype 2 title \"99 %\"\n"
        "set xlabel \"offered load (phits/cycle/endpoint)\"\n"
        "set ylabel \"accepted load (phits/cycle/endpoint)\"\n"
        "plot $points using 1:2:3 with yerrorbars pointtype 7 pointsize 0.4 notitle, "
        "$points using 1:2 with lines linetype 1 title \"accepted\", "
        "$points using 1:1 with lines linetype 0 title \"offered\"\n"
        "unset multiplot\n",
        commands);
    code = vef_plot_draw(commands, path, INSTEAD, error);
    fclose(commands);
    return code;
}
