/* Tics of pictures. See scale.h. */
#include "cli/pictures/scale.h"

#include "cli/pictures/plot.h"

#include <math.h>

static void write_tic(double value, const char *unit, bool first, FILE *out) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    int prefix = 0;
    double shown = value + 0; /* no -0 */
    for (; shown >= 999.9995 && prefix < 6; prefix++)
        shown /= 1000;
    char number[32];
    snprintf(number, sizeof number, "%.4g", shown);
    fputs(first ? "" : ", ", out);
    vef_plot_text(out, number, unit[0] ? " " : "", prefixes[prefix], unit, NULL);
    fprintf(out, " %.9g", value);
}

/* 1, 2 or 5 times a power of ten, at least `value`. */
static double round_up(double value) {
    const double power = pow(10, floor(log10(value)));
    return value <= power       ? power
           : value <= 2 * power ? 2 * power
           : value <= 5 * power ? 5 * power
                                : 10 * power;
}

void vef_scale_write(const char *axis, double least, double most, bool logarithmic,
                     const char *unit, FILE *out) {
    enum { TICS = 5 };
    bool first = true;
    fprintf(out, "set %s (", axis);
    if (logarithmic && most / least >= 100) {
        const double decades = ceil(log10(most / least) / TICS);
        for (double tic = pow(10, ceil(log10(least) - 1e-9)); tic <= most * (1 + 1e-9);
             tic *= pow(10, decades), first = false)
            write_tic(tic, unit, first, out);
    } else {
        const double step = most > least ? round_up((most - least) / TICS) : 1;
        for (double number = ceil(least / step - 1e-9); number * step <= most * (1 + 1e-9);
             number++, first = false)
            write_tic(number * step, unit, first, out);
    }
    fputs(")\n", out);
}
