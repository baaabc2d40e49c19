/* What `vef load` found, for people, spreadsheets and programs. */
#ifndef VEF_CLI_LOAD_REPORT_H
#define VEF_CLI_LOAD_REPORT_H

#include "netmodel/load/load.h"
#include "netmodel/load/saturation.h"

typedef struct vef_load_report {
    const vef_load_settings *settings;
    const vef_netmodel *model; /* the network, for its names and its configuration */
    const vef_load_point *points;
    size_t count;
    const vef_load_saturation *saturation; /* NULL: not searched */
} vef_load_report;

vef_code vef_load_report_text(const vef_load_report *report, FILE *out, vef_error *error);
vef_code vef_load_report_csv(const vef_load_report *report, FILE *out, vef_error *error);
vef_code vef_load_report_json(const vef_load_report *report, FILE *out, vef_error *error);

#endif
