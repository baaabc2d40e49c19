/* Copies of the logs of tasks that still run, each as its log would be had the task been killed at
 * one moment. */
#ifndef VEF_TRACES_LOG_SNAPSHOT_H
#define VEF_TRACES_LOG_SNAPSHOT_H

#include "traces/log/gather.h"

/* Copies the logs of a job's tasks that are in use into `folder`, and has the job name the copies
 * instead; then it has no holders. The moments of different tasks differ by the time of copying.
 * Buffers of tasks on other hosts cannot be read while they change: of those the snapshot has what
 * the tasks have written to their logs (--flush). `stop` as in vef_merge_options. Fails with VEF_IO
 * when a log cannot be copied. */
vef_code vef_job_snapshot(vef_gathering *gathering, const vef_job *job, const char *folder,
                          bool (*stop)(void *context), void *context, vef_error *error);

/* Removes the copies, and the folder. */
void vef_snapshot_remove(const char *folder);

#endif
