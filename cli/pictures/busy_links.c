/* The picture of how busy links are. See busy_links.h. */
#include "cli/pictures/busy_links.h"

#include "cli/pictures/lattice.h"
#include "cli/pictures/links.h"
#include "cli/pictures/plot.h"
#include "cli/pictures/scale.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 900, LINKS_HEIGHT = 640, TIME_HEIGHT = 320, PAGE_WIDTH = 560 };

static const char INSTEAD[] = "--per-link and --sample write the numbers";

vef_code vef_busy_links_check(const vef_netmodel *network, const char *option, const char *path,
                              vef_error *error) {
    if (!network->topology || !network->kind->link_busy_cycles)
        return vef_fail(error, VEF_UNSUPPORTED, "%s %s: networks of model %s have no links to draw",
                        option, path, network->kind->name);
    if (vef_link_panel_check(network->topology, error) != VEF_OK)
        return vef_fail_within(error, "%s %s", option, path);
    return vef_plot_check(option, path, INSTEAD, error);
}

vef_code vef_busy_links_interval(const vef_netmodel *network, double sample_ns, uint64_t *cycles,
                                 vef_error *error) {
    const double cycle_ns = vef_netmodel_cycle_ns(network), count = round(sample_ns / cycle_ns);
    if (!(count >= 1 && count < 0x1p62))
        return vef_fail(error, VEF_INVALID,
                        "--sample: %.6g ns: out of range: expected at least a cycle, %.6g ns",
                        sample_ns, cycle_ns);
    *cycles = (uint64_t)count;
    return VEF_OK;
}

/* Colours have percentages. */
static void draw_links(const vef_busy_links *picture, int width, int height, FILE *out) {
    const vef_topology *topology = picture->topology;
    const size_t links = (size_t)topology->routers * topology->ports;
    double *percent = vef_calloc(links + 1, sizeof *percent), most = 0;
    for (size_t l = 0; l < links; l++) {
        percent[l] = 100 * picture->utilization[l];
        most = fmax(most, percent[l]);
    }
    const vef_link_panel panel = {.topology = topology,
                                  .unit = "%%", /* tics are formats */
                                  .most = most > 0 ? most : 1,
                                  .width_pixels = width,
                                  .height_pixels = height};
    vef_lattice_write_planes(topology, out);
    vef_link_panel_write(&panel, percent, out);
    fputs(vef_link_palette, out);
    if (picture->title) {
        fputs("set title font \",10\" ", out);
        vef_plot_text(out, "share of the time in which links are busy\n", picture->title, NULL);
        fputc('\n', out);
    }
    vef_link_panel_draw(&panel, out);
    free(percent);
}

/* A unit for times up to so many ns; returns its length in ns. */
static double time_unit(double most_ns, const char **name) {
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && most_ns >= units[i + 1].ns)
        i++;
    *name = units[i].name;
    return units[i].ns;
}

/* Steps: a sample holds from the end of the one before to its own. */
static void draw_samples(const vef_busy_links *picture, FILE *out) {
    const vef_topology *topology = picture->topology;
    const uint32_t classes = topology->link_classes > 1 ? topology->link_classes : 0;
    const size_t count = picture->samples->count;
    const double cycle_ns = picture->cycle_ns;
    const uint64_t last_cycles = vef_link_samples_get(picture->samples, count - 1).end_cycles;
    const char *unit;
    const double cycle = cycle_ns / time_unit((double)last_cycles * cycle_ns, &unit);
    double begin = 0;
    fputs("$samples << EOD\n", out);
    for (size_t i = 0; i < count; i++) {
        const vef_link_sample sample = vef_link_samples_get(picture->samples, i);
        const double end = (double)sample.end_cycles * cycle;
        for (int side = 0; side < 2; side++) { /* both ends of the step */
            fprintf(out, "%.9g %.6g %.6g", side ? end : begin, 100 * sample.mean,
                    100 * sample.most);
            for (uint32_t class = 0; class < classes; class ++)
                fprintf(out, " %.6g", 100 * sample.by_class[class]);
            fputc('\n', out);
        }
        begin = end;
    }
    fputs("EOD\n", out);
    fputs(
        "unset title\nset size noratio\nset autoscale x\nset yrange [0:*]\nset border\n"
        "set xtics autofreq\nset ytics autofreq\nset grid\nset xlabel ",
        out);
    vef_plot_text(out, "time (", unit, ")", NULL);
    fputs(
        "\n"
        "set ylabel \"busy links (%)\"\nset key outside right\n"
        "plot $samples using 1:3 with lines linewidth 1.5 title \"busiest link\", "
        "$samples using 1:2 with lines linewidth 2 title \"mean\"",
        out);
    for (uint32_t class = 0; class < classes; class ++) {
        char name[VEF_CLASS_NAME_BYTES];
        vef_topology_link_class_name(topology, class, name, sizeof name);
        fprintf(out, ", $samples using 1:%u with lines dashtype 2 title ", class + 4);
        vef_plot_text(out, "mean of ", name, NULL);
    }
    fputc('\n', out);
}

vef_code vef_busy_links_draw(const vef_busy_links *picture, const char *path, vef_error *error) {
    FILE *out;
    const bool sampled = picture->samples && picture->samples->count > 0;
    const int height = LINKS_HEIGHT + (sampled ? TIME_HEIGHT : 0);
    vef_code code = vef_plot_begin(vef_plot_is_svg(path), WIDTH, height, &out, error);
    if (code != VEF_OK)
        return code;
    fputs("set multiplot\n", out);
    const double share = (double)LINKS_HEIGHT / height;
    /* `set size` of the panels sets ratios only; the place of a panel is set by its margins. */
    fprintf(out, "set tmargin at screen %g\nset bmargin at screen %g\n", 1 - 0.09 * share,
            1 - 0.88 * share);
    draw_links(picture, WIDTH, LINKS_HEIGHT, out);
    if (sampled) {
        fprintf(out, "set tmargin at screen %g\nset bmargin at screen %g\n", 1 - share - 0.02,
                0.07);
        draw_samples(picture, out);
    }
    fputs("unset multiplot\n", out);
    code = vef_plot_draw(out, path, INSTEAD, error);
    fclose(out);
    return code;
}

/* The rest of a file, with a NUL after it. */
static char *read_rest(FILE *file) {
    size_t size = 0;
    char *text = NULL;
    FILE *memory = vef_memory_stream(&text, &size);
    for (int c; (c = fgetc(file)) != EOF;)
        fputc(c, memory);
    fclose(memory);
    return text;
}

vef_code vef_busy_links_svg(const vef_busy_links *picture, char **svg, vef_error *error) {
    const int height = vef_link_panel_height(picture->topology, PAGE_WIDTH);
    FILE *out = NULL, *drawn = tmpfile();
    *svg = NULL;
    vef_code code = drawn ? vef_link_panel_check(picture->topology, error)
                          : vef_fail_errno(error, "a temporary file for gnuplot");
    if (code == VEF_OK)
        code = vef_plot_begin(true, PAGE_WIDTH, height, &out, error);
    if (code == VEF_OK) {
        fputs("set termoption font \",14\"\n", out);
        draw_links(picture, PAGE_WIDTH, height, out);
    }
    if (code == VEF_OK)
        code = vef_plot_run(out, true, drawn, "then run this command again", error);
    if (code == VEF_OK)
        *svg = read_rest(drawn);
    if (out)
        fclose(out);
    if (drawn)
        fclose(drawn);
    return code;
}
