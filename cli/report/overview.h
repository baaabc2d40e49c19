/* When each task was in MPI, for the report of a trace. */
#ifndef VEF_CLI_REPORT_OVERVIEW_H
#define VEF_CLI_REPORT_OVERVIEW_H

#include "traces/file/trace.h"

struct vef_result; /* common/report/result.h */

/* Writes the key `overview`: the shares of time in MPI, in thousandths, by task and interval; tasks
 * beyond 128 share rows. `run_ns` is the longest time of a task, not 0. Times are those of
 * traces/slice/slice.h, and of a task's first thread. Reads the trace once. */
vef_code vef_report_overview(vef_trace *trace, uint64_t run_ns, struct vef_result *into,
                             vef_error *error);

#endif
