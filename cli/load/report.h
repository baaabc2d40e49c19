/* The report of `vef load`. */
#ifndef VEF_CLI_LOAD_REPORT_H
#define VEF_CLI_LOAD_REPORT_H

#include "cli/load/expected.h"
#include "common/report/report.h"
#include "netmodel/load/load.h"
#include "netmodel/load/saturation.h"

typedef struct vef_load_report {
    const vef_load_settings *settings;
    const vef_netmodel *model; /* the network, for its names and its configuration */
    const vef_load_point *points;
    size_t count;
    const vef_load_saturation *saturation; /* NULL: not searched */
    vef_expected_load expected;
} vef_load_report;

/* Of a vef_load_report. */
extern const vef_report_parts vef_load_report_parts;

#endif
