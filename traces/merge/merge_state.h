/* Shared by the two passes of a merge: merge_logs.c finds the logs and writes the header, collect.c
 * reads the input of matching, write.c writes the events, beside.c has what logs have beside
 * events. */
#ifndef VEF_TRACES_MERGE_MERGE_STATE_H
#define VEF_TRACES_MERGE_MERGE_STATE_H

#include "traces/file/writer.h"
#include "traces/log/log_reader.h"
#include "traces/matching/groups.h"
#include "traces/matching/joint.h"
#include "traces/matching/match.h"
#include "traces/merge/merge.h"

enum { VEF_MERGE_COMM_BITS = 29 }; /* more communicators of a task are refused */

typedef struct vef_merge_task {
    bool found;   /* a log with a whole header */
    bool skipped; /* it dropped its beginning */
    /* Some of its requests are not in the trace: muted, or started before its log begins. The
     * others get new numbers. */
    bool renumbered;
    vef_log_end end;
    uint32_t *numbers; /* of its communicators in the run */
    uint32_t number_count;
    uint32_t *sites; /* numbers of its call sites in the run, 0: none yet; NULL: all have none */
    size_t first_sent, first_received; /* in the matcher */
    uint64_t requests;
    uint8_t *completed; /* per request, a bit: completed in the trace */
    vef_runs unpaired;  /* its events that lock or unlock a window without the counterpart */
    uint8_t *ready;     /* per request, a bit: the log has its release; NULL: none has one */
    /* By vef_sequence_key: first the joint calls of all members of the communicator in the log,
     * then how many of them to leave out. */
    vef_map64 collectives;
} vef_merge_task;

static inline bool vef_merge_bit(const uint8_t *bits, uint64_t request) {
    return bits && bits[request >> 3] >> (request & 7) & 1;
}

typedef struct vef_merge_state {
    const vef_merge_options *options; /* never NULL */
    uint32_t tasks;
    vef_merge_task *task;
    vef_groups *groups;
    vef_matcher matcher;
    bool rings;               /* some log dropped its beginning */
    vef_joint joint;          /* joint calls of several tasks */
    vef_under_way *under_way; /* of all tasks, in the trace's numbering */
    size_t under_way_count, under_way_capacity;
    vef_site *sites; /* of the run */
    size_t site_count, site_capacity;
    vef_map64 site_of; /* by a hash: index in `sites` */
    vef_arena site_texts;
    vef_map64 requests;   /* outstanding requests of the current task */
    vef_map64 handles;    /* matched probes of the current task: handle → receive */
    vef_map64 early;      /* requests of the current task that complete before their start */
    bool dropped;         /* rings dropped calls, and each has a summary of them */
    bool without_summary; /* some ring has no summary of what it dropped */
    vef_map64 partial;    /* communicators whose creation some tasks dropped */
} vef_merge_state;

/* VEF_STOPPED if the caller requests it, checked at every 4096th event. */
static inline vef_code vef_merge_go_on(const vef_merge_state *state, uint64_t event,
                                       vef_error *error) {
    const vef_merge_options *options = state->options;
    if (event % 4096 == 0 && options->stop && options->stop(options->context))
        return vef_fail(error, VEF_STOPPED, "interrupted");
    return VEF_OK;
}

/* The role of a call at a window in matching: it notifies its peers, or waits for their
 * notification. False: neither. */
static inline bool vef_sync_notifies(const vef_event *event, bool *notifies) {
    const vef_sync sync = vef_call_sync(event->call);
    *notifies = sync == VEF_SYNC_POST || sync == VEF_SYNC_COMPLETE;
    return !(event->flags & VEF_EVENT_POLL) &&
           (*notifies || sync == VEF_SYNC_START || sync == VEF_SYNC_WAIT);
}

/* Whether members other than the caller matter to a joint call: then its communicator in the run.
 */
vef_code vef_merge_joint(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                         const vef_event *event, uint32_t *number, bool *joint, vef_error *error);

/* First pass over one task. */
vef_code vef_merge_collect(vef_merge_state *state, uint32_t task, vef_log_reader *log,
                           vef_error *error);

/* Summary of a task's ring, before its first event. In the first pass it goes into
 * matching; receives in progress then belong to the task's requests, with the values of
 * `outstanding`. */
typedef vef_code vef_merge_outstanding(void *context, const vef_before_request *request,
                                       vef_error *error);
vef_code vef_merge_before(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                          vef_merge_outstanding *outstanding, void *context, vef_error *error);
/* Both passes: calls that a ring dropped count among joint calls. */
vef_code vef_merge_joint_begin(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                               vef_error *error);
/* Second pass: whether an event creates a communicator, or uses a window, whose creation the ring
 * of another task dropped. */
vef_code vef_merge_lacks(vef_merge_state *state, uint32_t task, const vef_event *event, bool *lacks,
                         vef_error *error);

/* Adds the calls that the task's threads were in, once its communicators have numbers. */
void vef_merge_under_way(vef_merge_state *state, uint32_t task, const vef_log_facts *facts);

/* The number in the run of a call site of a task, which gets one when it is first named, in the
 * first pass; 0: not known. */
uint32_t vef_merge_site(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                        uint32_t local);

/* resolve.c: fills in function, file, line and caller of each site whose file is on this host and
 * has the build ID of the site; texts go into the arena. Debug information is that of the file, or
 * of a file below /usr/lib/debug with its build ID; without any, the function is that of the symbol
 * table. Without libdw (elfutils) nothing is filled in. */
void vef_sites_resolve(vef_site *sites, size_t count, vef_arena *arena);

/* Second pass. */
vef_code vef_merge_write(vef_merge_state *state, uint32_t task, vef_log_reader *log,
                         vef_writer *writer, vef_error *error);

/* The run's number of a communicator of a task. */
vef_code vef_merge_comm(vef_merge_state *state, uint32_t task, uint32_t local, uint32_t *number,
                        vef_error *error);

/* The world task of a rank, in the view of a task with these facts: in an intercommunicator a rank
 * of the remote group. */
vef_code vef_merge_world(const vef_log_facts *facts, uint32_t local, int32_t rank, uint32_t *world,
                         vef_error *error);

#endif
