/* The report of a replay. */
#ifndef VEF_REPLAY_REPORT_H
#define VEF_REPLAY_REPORT_H

#include "common/report/report.h"
#include "netmodel/sampling.h"
#include "netmodel/utilization.h"
#include "replay/explain/explain.h"
#include "replay/replay.h"
#include "replay/timeline/replay_timeline.h"

typedef struct vef_replay_report {
    const vef_replay_result *result;
    const vef_netmodel *network;
    const vef_replay_options *options;
    const char *trace;            /* its path */
    const char *mapping;          /* as it was asked for */
    const char *network_name;     /* as it was asked for */
    const char *const *overrides; /* of the network: "KEY=VALUE" */
    size_t override_count;
    const char *missing; /* what the trace lacks, or NULL */
    bool per_task;
    const vef_link_samples *samples;    /* of the network; NULL: none */
    const double *utilization;          /* of every link, to report them; NULL: none */
    const vef_explanation *explanation; /* of the replay, or NULL */
    vef_replay_timeline *timeline;      /* for documents (vef_replay_timeline_put), or NULL */
} vef_replay_report;

/* Of a vef_replay_report. The table is that of the explanation, the samples, or every link, if
 * there are any; else it has one row for the whole replay, or with `per_task` one per task; its
 * last columns say what was replayed how, so that files of several replays can be concatenated.
 * Keys of the document that others rely on: time_cycles, time_ns, messages, packets, average_hops,
 * latency_mean_cycles, stalled (null or the cause), configuration. */
vef_report_build vef_replay_report_build;

/* Writes ", rtt of 8x4 routers" behind the name of a model; nothing for NULL. */
void vef_replay_write_topology(const vef_topology *topology, FILE *out);

#endif
