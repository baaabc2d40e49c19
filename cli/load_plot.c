/* Plots of loads, by gnuplot. See load_plot.h. Data and commands go to its standard input, the
 * picture comes out of its standard output, so nothing is left behind when it fails. */
#include "cli/load_plot.h"

#include "cli/drawer.h"
#include "common/file.h"

#include <math.h>
#include <string.h>

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static vef_code plot_file(FILE *commands, FILE *picture, vef_error *error) {
    static char name[] = "gnuplot";
    char *const arguments[] = {name, NULL};
    return vef_draw_by(arguments,
                       "--plot needs gnuplot (Debian: the package gnuplot-nox); --csv writes the "
                       "same numbers for drawing them elsewhere",
                       commands, picture, error);
}

vef_code vef_load_plot_check(const char *path, vef_error *error) {
    if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        return vef_fail(error, VEF_INVALID,
                        "--plot %s: the name tells the format and ends in .svg or .png", path);
    FILE *commands = tmpfile();
    if (!commands)
        return vef_fail_errno(error, "a temporary file for gnuplot");
    vef_code code = plot_file(commands, commands, error); /* nothing to do, nothing written */
    fclose(commands);
    if (code != VEF_OK)
        return code;
    vef_output output; /* told before the measurement rather than after it */
    code = vef_output_open(&output, path, error);
    if (code == VEF_OK)
        vef_output_discard(&output);
    return code;
}

/* A block of data: offered load, accepted load and half the width of its confidence interval, mean
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

/* In gnuplot's double quotes, and with nothing that its enhanced text would take as a command. */
static void write_title(const vef_load_report *report, FILE *out) {
    fputs("set title \"", out);
    for (const char *c = report->settings->network; *c; c++) {
        if (strchr("\"\\", *c))
            fputc('\\', out);
        fputc((unsigned char)*c < ' ' ? ' ' : *c, out);
    }
    fprintf(out, ", %s\" noenhanced\n", report->settings->traffic.pattern->kind->name);
}

/* gnuplot ends well though it could not write: the end of the picture tells, and what is copied
 * by ourselves is known to be there. */
static vef_code keep_picture(FILE *picture, const char *path, vef_error *error) {
    const char *end = ends_in(path, ".svg") ? "</svg>" : "IEND";
    char block[16384], tail[17] = "";
    vef_output output;
    vef_code code;
    if (fseek(picture, -(long)(sizeof tail - 1), SEEK_END) == 0)
        (void)!fread(tail, 1, sizeof tail - 1, picture);
    bool whole = false;
    for (size_t i = 0; i + strlen(end) < sizeof tail; i++)
        whole = whole || memcmp(tail + i, end, strlen(end)) == 0;
    if (!whole)
        return vef_fail(error, VEF_IO,
                        "gnuplot wrote no whole picture to a temporary file (is the disk full?)");
    rewind(picture);
    if ((code = vef_output_open(&output, path, error)) != VEF_OK)
        return code;
    for (size_t bytes; code == VEF_OK && (bytes = fread(block, 1, sizeof block, picture)) > 0;)
        code = vef_output_write(&output, block, bytes, error);
    if (code == VEF_OK)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}

vef_code vef_load_plot(const vef_load_report *report, const char *path, vef_error *error) {
    FILE *commands = tmpfile();
    if (!commands)
        return vef_fail_errno(error, "a temporary file for gnuplot");
    fprintf(commands, "set terminal %s size %s\n", ends_in(path, ".svg") ? "svg" : "pngcairo",
            ends_in(path, ".svg") ? "900,420" : "1350,630");
    write_data(report, commands);
    fputs(
        "set multiplot layout 1,2\nset grid\nset key top left\nset xrange [0:*]\nset yrange "
        "[0:*]\n",
        commands);
    write_title(report, commands);
    fputs(
        "set xlabel \"accepted load (phits/cycle/endpoint)\"\n"
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
    FILE *picture = tmpfile();
    vef_code code = picture ? plot_file(commands, picture, error)
                            : vef_fail_errno(error, "a temporary file for the plot");
    if (code == VEF_OK)
        code = keep_picture(picture, path, error);
    if (picture)
        fclose(picture);
    fclose(commands);
    return code;
}
