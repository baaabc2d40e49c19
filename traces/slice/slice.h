/* Cuts a part out of a trace as a separate trace: by time, by the program's regions, between calls,
 * by tasks, or several of these at once.
 *
 * An event is in the slice if its call is entered inside the conditions. Relations to calls outside
 * are then adapted, so that the result is a trace that an MPI program could have left, and its
 * replay waits for nothing that never occurs:
 *
 * Messages. With both sides inside they stay, and are renumbered from 0 on both sides. A send whose
 * receive is outside is VEF_OP_UNMATCHED: it loads the network, and is not received. A receive
 * whose send is outside gets an independent message: its sender sends it as an Isend without a
 * wait, at its original place in the sender's stream. For a message that was sent before the slice,
 * that is before the first event, and takes no time; it waits for nothing that it did not wait for
 * in the program, so it cannot introduce a deadlock. (Without these messages every receive at the
 * beginning of a slice would complete at once, as if the network were empty.) Unselected tasks
 * remain as sources of such messages, and send them after the time that they had recorded inside
 * the slice, which passes as outside MPI. With `drop_outside` such receives are VEF_OP_UNMATCHED
 * instead: they complete at once.
 *
 * Requests. A request started before the slice is dropped from its completion; one started inside
 * and not completed there is flagged open-ended. Calls that name a request from outside (Cancel,
 * Pready) are left out. A partitioned send whose last Pready is outside sends its data at its
 * start; a generalised request whose completion is outside is left out.
 *
 * Collectives, and the creation and freeing of communicators. All members call them in one order,
 * so the n-th of a communicator is the same for all. It stays if all (selected) members have it
 * inside; otherwise it is left out. The same holds for the creation of a communicator by its
 * members only (Comm_create_group and similar), counted by the created communicator. Win_fence
 * counts among the collectives of its window; Win_post, _start, _complete and _wait stay for pairs
 * of tasks that have all four inside; locks stay with their unlocks, and operations in an epoch
 * that is left out are left out too. The same holds for the two ends of a region.
 *
 * Tasks. Numbers of tasks stay. A communicator shrinks to the selected members; the world stays,
 * and calls on it move to a communicator of the selected tasks. Collectives with a root outside are
 * left out, and on communicators that shrink also those on intercommunicators and on
 * neighbourhoods, whose topology is lost. One-sided operations between selected tasks and others
 * are left out.
 *
 * Time. The computation before the first event is cut at the beginning of the condition; that of
 * events left out is added to the next event's. A thread's time is the sum of its gaps, times
 * outside and durations, from the end of MPI_Init if it has one. In a task of several threads a
 * call is entered after the latest return or entry of the other threads' calls before it, by ticks:
 * gaps by the clock of the processor leave out the time in which a thread waits for another one.
 *
 * Ends. A task whose last event is inside ends as it did, unless the slice ends right after that
 * event; then the calls that its threads were in are kept too. Otherwise it ends as if finalized.
 * For every task the slice stores how it ended in the capture: the capture's knowledge of
 * communicators comes from the records of their members. Times measured for the whole run stay for
 * tasks with all their events inside.
 *
 * The trace is read twice. Memory: per pair of tasks that exchange messages and per communicator
 * the runs of what is inside, which are few if the slice is contiguous; per task the requests
 * outstanding at its end. */
#ifndef VEF_TRACES_SLICE_SLICE_H
#define VEF_TRACES_SLICE_SLICE_H

#include "common/progress.h"
#include "traces/file/trace.h"

/* The conditions; all given ones must hold. */
typedef struct vef_slice_options {
    bool by_time;
    uint64_t from_ns, to_ns; /* [from, to), each task's time */
    const char *region; /* NULL: any. Entries are counted from 1 in each task, over its threads;
                           an entry inside an entry of the same name is part of it */
    uint64_t first_entry, last_entry;
    const char *between; /* a call, with or without "MPI_", or the name of a Mark; NULL: any. From
                            the first to the last, inclusive, counted from 1 in each task; a run of
                            polls counts once */
    uint64_t first_call, last_call;
    const bool *chosen; /* per task; NULL: all */
    bool drop_outside;
    const char *note; /* added to the `options` of the result's header; or NULL */
} vef_slice_options;

typedef struct vef_slice_result {
    uint64_t events;             /* of the slice, excluding those below */
    uint64_t from_outside;       /* independent messages */
    uint64_t unmatched_receives; /* receives that complete at once */
    uint64_t unmatched_sends;    /* sends without a receive */
    uint64_t collectives; /* calls left out, including creations of communicators and fences */
    uint64_t one_sided;   /* operations and synchronisation of windows left out */
    uint64_t requests;    /* requests dropped from completions, calls that name them left out */
    uint64_t counted;     /* calls of the run that the trace counts without an event; the slice does
                             not, unless it has all events of all tasks */
} vef_slice_result;

/* Writes the slice as the trace `path`. An empty one is VEF_INVALID, with a hint at what the trace
 * has. */
vef_code vef_slice(vef_trace *trace, const vef_slice_options *options, const char *path,
                   vef_progress *progress, vef_slice_result *result, vef_error *error);

/* Whether the region and the call of the conditions occur in the chosen tasks; reads the trace up
 * to there. A name that does not is VEF_INVALID. */
vef_code vef_slice_check_names(vef_trace *trace, const vef_slice_options *options,
                               vef_error *error);

#endif
