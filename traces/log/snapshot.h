/* Copies of the logs of running tasks, each as its log would be if the task had been killed at one
 * moment. */
#ifndef VEF_TRACES_LOG_SNAPSHOT_H
#define VEF_TRACES_LOG_SNAPSHOT_H

#include "traces/log/gather.h"

/* Copies the logs of a job's tasks that are in use into `folder`, and replaces them by the copies
 * in the job, which then has no holders. The moments of different tasks differ by the time of
 * copying. Buffers of tasks on other hosts cannot be read while they change: for these the snapshot
 * has the written logs only (--flush). `stop` as in vef_merge_options. Fails with VEF_IO if a log
 * cannot be copied. */
vef_code vef_job_snapshot(vef_gathering *gathering, const vef_job *job, const char *folder,
                          bool (*stop)(void *context), void *context, vef_error *error);

/* Removes a folder of logs, or of copies, and the files of the capture library in it. */
void vef_logs_remove(const char *folder);

#endif
