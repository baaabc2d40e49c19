/* From the logs of a run to one trace: communicators numbered globally, peers as world tasks, every
 * receive settled with the message that it took, muted events left out. */
#ifndef VEF_TRACES_MERGE_MERGE_H
#define VEF_TRACES_MERGE_MERGE_H

#include "common/status.h"
#include "traces/log/gather.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vef_merge_options {
    const char *command; /* the command line that was captured, or NULL */
    int exit_status;     /* of that command */
    bool keep_existing;  /* a file that stands at the output is not replaced: VEF_IO */
    /* Asked now and then while the merge runs; true ends it with VEF_STOPPED, without an output.
     * NULL: never. */
    bool (*stop)(void *context);
    void *context;
} vef_merge_options;

/* What the options of a trace say, and a warning, where `guessed` is set. */
#define VEF_GUESSED_PAIRS                                                                          \
    "rings of several threads dropped calls: messages and collectives may be paired wrongly"

typedef struct vef_merge_summary {
    uint32_t tasks;     /* of the run */
    uint32_t logs;      /* found */
    uint32_t cut_short; /* tasks whose log has no end record, or none at all */
    uint64_t events;
    /* Members of graph topologies whose neighbours no log tells: they have none in the trace. */
    uint64_t without_neighbours;
    /* Rings of tasks of several threads dropped calls. What is left is matched from the end. That
     * is right where the tasks came to their end and each envelope and communicator was one
     * thread's. */
    bool guessed;
} vef_merge_summary;

/* Merging: communicators of the tasks become those of the run (traces/matching/groups.h), messages
 * and receives are matched (traces/matching/match.h). Memory: 12 bytes per message, 8 per receive,
 * a few bits per request, 16 to 32 bytes per outstanding request of one task and per task in a
 * communicator with collectives.
 *
 * Merges the logs of a job into the trace `path` (temporary name, then renamed). A log that is cut
 * short or missing does not fail the merge: the header of the trace says which tasks are cut short
 * and after how many events. Fails when logs are of different versions or contradict each other,
 * when a task still writes its log (VEF_INVALID names it), or when writing fails; the logs are
 * never changed. */
vef_code vef_merge_job(const vef_job *job, const char *path, const vef_merge_options *options,
                       vef_merge_summary *summary, vef_error *error);

/* The same for the only job whose logs `directory` holds; fails when there are several, or none. */
vef_code vef_merge(const char *directory, const char *path, const vef_merge_options *options,
                   vef_merge_summary *summary, vef_error *error);

#endif
