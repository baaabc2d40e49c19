/* A temporary trace of running tasks. */
#ifndef VEF_CLI_SNAPSHOT_TRACE_H
#define VEF_CLI_SNAPSHOT_TRACE_H

#include "common/status.h"
#include "traces/merge/merge.h"

enum { VEF_SNAPSHOT_PATH_BYTES = 4096 };

typedef struct vef_snapshot_trace {
    char folder[VEF_SNAPSHOT_PATH_BYTES]; /* "": none */
    char path[VEF_SNAPSHOT_PATH_BYTES + 32];
} vef_snapshot_trace;

/* Merges a snapshot of a job into `output`, with a temporary folder named after `near`. Signals
 * must be held (interrupt.h): one of them ends it with VEF_STOPPED. */
vef_code vef_snapshot_merge(vef_gathering *gathering, const vef_job *job, const char *near,
                            const char *output, const vef_merge_options *options,
                            vef_merge_summary *summary, vef_error *error);

/* Gathers the only job with logs in `place`, running or not, and merges it into a temporary trace
 * (in $TMPDIR). Free it even after a failure. */
vef_code vef_snapshot_trace_make(const char *place, vef_snapshot_trace *trace, vef_error *error);
void vef_snapshot_trace_free(vef_snapshot_trace *trace);

#endif
