/* The picture of load curves, of `vef load` and `vef compare`. */
#ifndef VEF_CLI_LOAD_PLOT_H
#define VEF_CLI_LOAD_PLOT_H

#include "cli/load/report.h"
#include "common/pictures/picture.h"

/* A picture without panels, and the curves of networks in it: latency over accepted load, accepted
 * over offered load. `label` names a network among others; NULL: it is alone, and has a curve of
 * the 99th percentile, too. */
typedef struct vef_load_plot {
    vef_picture *picture;
    vef_panel *latency, *accepted;
} vef_load_plot;

vef_load_plot vef_load_plot_begin(const char *title);
void vef_load_plot_add(const vef_load_plot *plot, const vef_load_report *report, const char *label);

#endif
