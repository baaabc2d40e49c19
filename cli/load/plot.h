/* The picture of load curves, of `vef load` and `vef compare`. */
#ifndef VEF_CLI_LOAD_PLOT_H
#define VEF_CLI_LOAD_PLOT_H

#include "cli/load/report.h"
#include "common/pictures/picture.h"

typedef struct vef_load_plot {
    vef_picture *picture;
    vef_panel *latency, *accepted; /* of the last facet */
    bool shares;                   /* whether loads are shares of the injection bandwidth */
} vef_load_plot;

/* A picture of these reports, without curves: latency, and accepted load, over offered load.
 * `network`: the title, a file or a text; NULL: none. */
vef_load_plot vef_load_plot_begin(const char *network, const vef_load_report *const *reports,
                                  size_t count);
/* Adds a facet (NULL: without a title) for the curves that follow. */
void vef_load_plot_add_facet(vef_load_plot *plot, const char *facet);
/* `label` names a network among others; NULL: it is alone, and has a curve of the 99th percentile,
 * too. */
void vef_load_plot_add(const vef_load_plot *plot, const vef_load_report *report, const char *label);

#endif
