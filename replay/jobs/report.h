/* The report of jobs on one network. */
#ifndef VEF_REPLAY_JOBS_REPORT_H
#define VEF_REPLAY_JOBS_REPORT_H

#include "common/report/report.h"
#include "netmodel/sampling.h"
#include "replay/jobs/jobs.h"

typedef struct vef_jobs_report {
    const vef_jobs *jobs;
    const char *network_name;     /* as it was asked for */
    const char *const *overrides; /* of the network: "KEY=VALUE" */
    size_t override_count;
    const vef_link_samples *samples; /* of the network; NULL: none */
    const double *utilization;       /* of every link, to report each link; NULL: none */
} vef_jobs_report;

/* Of a vef_jobs_report. The table has a row per job or, with `utilization`, per link with the phits
 * of each job; or it is that of the samples, or of the causes if the request wanted them. Keys of
 * the document that others rely on: time_ps, jobs (a list with name, tasks, time_ps,
 * alone_ps, slowdown), sharing, shared_links. */
vef_report_build vef_jobs_report_build;

#endif
