/* Plots of fits. See plot.h. */
#include "cli/fit/plot.h"

#include "cli/pictures/plot.h"

#include <inttypes.h>

static const char *const titles[VEF_FIT_PARTS] = {
    "Send", "Isend", "Recv, arrived", "transfer", "exchange", "copy", "half a round trip"};

/* A data block per part: size, quartiles of measured times, fitted time. */
static void write_data(const vef_pingpong_fit *fit, FILE *out) {
    for (int part = 0; part < VEF_FIT_PARTS; part++) {
        const vef_fit_quantity *quantity = &fit->parts[part];
        fprintf(out, "$part%d << EOD\n", part);
        for (size_t i = 0; i < quantity->count; i++) {
            const vef_size_times *size = &quantity->sizes[i];
            fprintf(out, "%" PRIu64 " %.9g %.9g %.9g %.9g\n", size->bytes, size->quartile_ns[1],
                    size->quartile_ns[0], size->quartile_ns[2],
                    vef_pingpong_fit_ns(fit, (vef_fit_part)part, size->bytes));
        }
        fputs("EOD\n", out);
    }
}

vef_code vef_fit_plot(const vef_pingpong_fit *fit, const char *path, const char *instead,
                      vef_error *error) {
    FILE *commands;
    const bool svg = vef_plot_is_svg(path);
    vef_code code = vef_plot_begin(svg, svg ? 1000 : 1500, svg ? 450 : 675, &commands, error);
    if (code != VEF_OK)
        return code;
    write_data(fit, commands);
    fputs(
        "set multiplot layout 1,2\nset grid\nset logscale x 2\nset format x '%.0b%BB'\n"
        "set key top left\nset xlabel \"size\"\nset logscale y\nset ylabel \"time (ns)\"\n",
        commands);
    if (fit->eager_bytes != UINT64_MAX)
        fprintf(commands,
                "set arrow 1 from %" PRIu64 ", graph 0 to %" PRIu64 ", graph 1 nohead linetype 0\n",
                fit->eager_bytes, fit->eager_bytes);
    fputs("plot ", commands);
    for (int part = 0; part < VEF_FIT_PARTS; part++)
        if (fit->parts[part].count > 0) {
            fprintf(commands,
                    "$part%d using 1:2:3:4 with yerrorbars linetype %d pointtype 7 pointsize 0.3 "
                    "notitle, $part%d using 1:5 with lines linetype %d title ",
                    part, part + 1, part, part + 1);
            vef_plot_text(commands, titles[part], NULL);
            fputs(", ", commands);
        }
    fprintf(commands,
            "\nunset logscale y\nset yrange [-50:50]\n"
            "set ylabel \"fitted - measured, half a round trip (%%)\"\n"
            "plot $part%d using 1:(100*($5-$2)/$2) with points pointtype 7 pointsize 0.4 notitle\n"
            "unset multiplot\n",
            VEF_FIT_HALF);
    code = vef_plot_draw(commands, path, instead, error);
    fclose(commands);
    return code;
}
