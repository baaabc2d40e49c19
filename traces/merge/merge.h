/* Merges the logs of a run into one trace: global communicator numbers, peers as world tasks, every
 * receive with its message, without muted events. */
#ifndef VEF_TRACES_MERGE_MERGE_H
#define VEF_TRACES_MERGE_MERGE_H

#include "common/status.h"
#include "traces/log/gather.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vef_merge_options {
    const char *command; /* the command line that was captured, or NULL */
    int exit_status;     /* of that command */
    bool keep_existing;  /* do not replace an existing file: VEF_IO */
    /* Called now and then; true ends the merge with VEF_STOPPED, without an output. NULL: never. */
    bool (*stop)(void *context);
    void *context;
} vef_merge_options;

/* In the options of a trace, and as a warning, if `guessed` is set. */
#define VEF_GUESSED_PAIRS                                                                          \
    "rings of several threads dropped calls: messages and collectives may be paired wrongly"

typedef struct vef_merge_summary {
    uint32_t tasks;     /* of the run */
    uint32_t logs;      /* found */
    uint32_t cut_short; /* tasks whose log has no end record, or none at all */
    uint64_t events;
    /* Members of graph topologies whose neighbours are in no log: the trace has none for them. */
    uint64_t without_neighbours;
    /* Rings of tasks with several threads dropped calls. The remaining calls are matched from the
     * end, which is exact if the tasks finished and each envelope and communicator was used by one
     * thread. */
    bool guessed;
    /* Recorded events that are missing because files of killed tasks are damaged (a failure of
     * their host, for example), and the first damage; "": none. */
    uint64_t lost;
    char damage[VEF_MESSAGE_BYTES];
} vef_merge_summary;

/* Merging: communicators of the tasks become those of the run (traces/matching/groups.h), messages
 * and receives are matched (traces/matching/match.h). Memory: 12 bytes per message, 8 per receive,
 * a few bits per request, 16 to 32 bytes per outstanding request of one task and per task in a
 * communicator with collectives.
 *
 * Merges the logs of a job into the trace `path` (temporary name, then renamed). A log that is cut
 * short or missing does not fail the merge: the header of the trace lists tasks that are cut short
 * and their number of events. Fails if logs have different versions or contradict each other, if a
 * task still writes its log (VEF_INVALID names it), or if writing fails; logs are never changed. */
vef_code vef_merge_job(const vef_job *job, const char *path, const vef_merge_options *options,
                       vef_merge_summary *summary, vef_error *error);

/* The same for the only job with logs in `directory`; fails if there are several, or none. */
vef_code vef_merge(const char *directory, const char *path, const vef_merge_options *options,
                   vef_merge_summary *summary, vef_error *error);

#endif
