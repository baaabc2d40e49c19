/* The report of `vef load`. */
#ifndef VEF_CLI_LOAD_REPORT_H
#define VEF_CLI_LOAD_REPORT_H

#include "cli/load/choices.h"
#include "cli/load/expected.h"
#include "common/report/report.h"
#include "netmodel/load/load.h"
#include "netmodel/load/saturation.h"

typedef struct vef_load_report {
    const vef_load_choices *choices;
    const vef_load_settings *settings;
    const vef_netmodel *model; /* the network, for its names and its configuration */
    const vef_load_point *points;
    size_t count;
    const vef_load_saturation *saturation; /* NULL: not searched */
    vef_expected_load expected;
    bool per_link;                   /* whether to report every link, which the points then have */
    const vef_link_samples *samples; /* of the first run; NULL: none */
} vef_load_report;

/* Adds the resolved configuration of the network, and the traffic, of a vef_load_report. */
void vef_load_report_configuration(const void *report, vef_node *config);
void vef_load_report_traffic(const void *report, vef_node *config);

/* Of a vef_load_report. The table is that of the samples, or of every link, if there are any. */
vef_report_build vef_load_report_build;

#endif
