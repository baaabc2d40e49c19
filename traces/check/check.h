/* Checks whether an MPI program could have left a trace: every receive has its send and every send
 * its receive (unless flagged as outside the trace), requests are completed once, collectives agree
 * over their communicator, between two groups and along the edges of topologies too, communicators
 * are created by all their members, one-sided operations lie in epochs, regions nest, the calls of
 * a thread do not overlap, and no task is cut short.
 *
 * Memory: 24 bytes per message, 64 per collective of each communicator. */
#ifndef VEF_TRACES_CHECK_CHECK_H
#define VEF_TRACES_CHECK_CHECK_H

#include "common/status.h"
#include "traces/file/trace.h"

/* Called for every fault with a whole sentence, at most `limit` times. */
typedef void vef_fault_report(void *context, const char *sentence);

typedef struct vef_check_options {
    uint64_t limit; /* faults to report; all are counted */
    vef_fault_report *report;
    void *context;
} vef_check_options;

/* Fails only when the trace cannot be read; counts faults in `*faults`. */
vef_code vef_check(vef_trace *trace, const vef_check_options *options, uint64_t *faults,
                   vef_error *error);

#endif
