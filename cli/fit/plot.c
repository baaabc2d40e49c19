/* Plots of fits. See plot.h. */
#include "cli/fit/plot.h"

static const char *const titles[VEF_FIT_PARTS] = {
    "Send",       "Isend", "Recv, arrived", "transfer", "exchange",         "copy", "Put", "Get",
    "Accumulate", "flush", "train",         "reduce",   "half a round trip"};

/* Dots with quartiles for what was measured, a line for what was fitted. */
static void add_part(vef_panel *panel, const vef_pingpong_fit *fit, vef_fit_part part) {
    const vef_fit_quantity *quantity = &fit->parts[part];
    if (quantity->count == 0)
        return;
    vef_picture_series *measured = vef_panel_series(panel, titles[part], VEF_DOTS);
    vef_picture_series *fitted = vef_panel_series(panel, titles[part], VEF_LINE);
    for (size_t i = 0; i < quantity->count; i++) {
        const vef_size_times *size = &quantity->sizes[i];
        const double bytes = (double)size->bytes;
        vef_panel_mark(measured, bytes, size->quartile_ns[1], size->quartile_ns[0],
                       size->quartile_ns[2]);
        vef_panel_mark(fitted, bytes, vef_pingpong_fit_ns(fit, part, size->bytes), NAN, NAN);
    }
}

static void add_residuals(vef_panel *panel, const vef_pingpong_fit *fit) {
    const vef_fit_quantity *quantity = &fit->parts[VEF_FIT_HALF];
    vef_picture_series *residuals = vef_panel_series(panel, titles[VEF_FIT_HALF], VEF_DOTS);
    for (size_t i = 0; i < quantity->count; i++) {
        const vef_size_times *size = &quantity->sizes[i];
        const double median_ns = size->quartile_ns[1];
        const double fitted_ns = vef_pingpong_fit_ns(fit, VEF_FIT_HALF, size->bytes);
        vef_panel_mark(residuals, (double)size->bytes, 100 * (fitted_ns - median_ns) / median_ns,
                       NAN, NAN);
    }
}

vef_picture *vef_fit_draw(const vef_pingpong_fit *fit) {
    vef_picture *picture = vef_picture_new(2);
    vef_panel *times = vef_picture_add(picture, NULL), *residuals = vef_picture_add(picture, NULL);
    times->x = residuals->x = (vef_axis){.kind = VEF_AXIS_LOG2, .label = "size", .unit = "B"};
    times->y = (vef_axis){.kind = VEF_AXIS_LOG10, .label = "time", .unit = "ns"};
    residuals->y =
        (vef_axis){.label = "fitted \xe2\x88\x92 measured", .unit = "%", .least = -50, .most = 50};
    for (int part = 0; part < VEF_FIT_PARTS; part++)
        add_part(times, fit, (vef_fit_part)part);
    if (fit->eager_bytes != UINT64_MAX) {
        vef_picture_series *eager =
            vef_panel_series(times, "eager limit", VEF_LINE | VEF_REFERENCE);
        vef_panel_mark(eager, (double)fit->eager_bytes, -INFINITY, NAN, NAN);
        vef_panel_mark(eager, (double)fit->eager_bytes, INFINITY, NAN, NAN);
    }
    add_residuals(residuals, fit);
    return picture;
}
