/* The result of a replay for people (aligned), for spreadsheets (CSV) and for programs (JSON). */
#ifndef VEF_REPLAY_REPORT_H
#define VEF_REPLAY_REPORT_H

#include "replay/replay.h"

#include <stdio.h>

typedef struct vef_report {
    const vef_replay_result *result;
    const vef_netmodel *network;
    const vef_replay_options *options;
    const char *trace;            /* its path */
    const char *mapping;          /* as it was asked for */
    const char *network_name;     /* likewise */
    const char *const *overrides; /* of the network: "KEY=VALUE" */
    size_t override_count;
    const char *missing; /* what the trace lacks, or NULL */
    bool per_task;
} vef_report;

vef_code vef_report_text(const vef_report *report, FILE *out, vef_error *error);
/* One row for the whole replay; with `per_task` one per task instead. The last columns say what was
 * replayed how, so that files of several replays can be concatenated. */
vef_code vef_report_csv(const vef_report *report, FILE *out, vef_error *error);
/* Keys that others rely on: time_cycles, time_ns, messages, packets, average_hops,
 * latency_mean_cycles, stalled (null or the cause), configuration (an object). */
vef_code vef_report_json(const vef_report *report, FILE *out, vef_error *error);

#endif
