/* A part of a trace as a trace of its own: by time, by the program's regions, from one call of
 * something to another, by tasks, or several of these at once.
 *
 * An event is in the slice when its call is entered inside what was asked for. What its call has to
 * do with calls outside is then made to fit, so that the result is a trace that an MPI program
 * could have left, and a replay of it waits for nothing that does not come:
 *
 * Messages. With both sides inside they stay, and are counted anew from 0 on both sides. A send
 * whose receive is outside is VEF_OP_UNMATCHED: it loads the network, nobody receives it. A receive
 * whose send is outside gets an independent message: its sender sends it as an Isend that nobody
 * waits for, at the place in its stream where it had sent it. That is before the first event of the
 * slice for what was sent before it, and takes no time; it cannot wait for anything that it did not
 * wait for in the program, so no wait in a circle can arise. (To leave them out would make every
 * receive at the beginning of a slice complete at once, as if the network were not loaded by what
 * was under way.) Tasks that were not chosen are kept as bare sources of such messages, and send
 * them after the time that they had recorded inside the slice, which passes as outside MPI. With
 * `drop_outside` such receives are VEF_OP_UNMATCHED instead: they complete at once.
 *
 * Requests. What was started before and completed inside is dropped from the completion; what is
 * started inside and not completed there is flagged open-ended. Calls that name a request of
 * outside (Cancel, Pready) are left out. A partitioned send whose last Pready is outside goes when
 * it is started; a generalised request whose completion is outside is left out.
 *
 * Collectives, and the making and freeing of communicators. MPI has all members call them in one
 * order, so the n-th of a communicator is the same one for all. It stays when all (chosen) members
 * have it inside; else it is left out for those that have it. So is making a communicator that only
 * its members call (Comm_create_group and its like), by the communicator made. Win_fence counts
 * among the collectives of its window; Win_post, _start, _complete and _wait stay for those pairs
 * of tasks that have all four inside; locks stay with their unlocks, and what was done in an epoch
 * that is left out is left out with it. So do the two ends of a region.
 *
 * Tasks. Numbers of tasks stay. A communicator shrinks to the chosen members; the world stays, and
 * what was called on it is called on a communicator of the chosen tasks beneath it. Collectives
 * whose root is outside are left out, and on communicators that shrink so are those between two
 * groups and those on neighbours, whose topology is gone. One-sided operations between chosen tasks
 * and others are left out.
 *
 * Time. The computation before the first event is cut at the beginning of what was asked for; that
 * of events left out is added to the next one's. A thread's time is the sum of its gaps, times
 * outside and durations, from the end of MPI_Init where it has one; that of a further thread begins
 * where the other calls of the task were that had returned, or were entered, before its first one.
 *
 * Ends. A task whose last event is inside ends as it did, unless the slice ends right behind that
 * event; then the calls that its threads were in are kept too. Otherwise it ends as if finalized.
 * For every task the slice keeps how it ended in the capture: what the capture knows of
 * communicators comes from the records of their members. Times that were measured for the whole
 * run stay for the tasks that have all their events inside.
 *
 * The trace is read twice. Memory: per pair of tasks that exchange messages and per communicator
 * the pieces of what is inside, which are few where the slice is in one piece; per task the
 * requests outstanding where it ends. */
#ifndef VEF_TRACES_SLICE_SLICE_H
#define VEF_TRACES_SLICE_SLICE_H

#include "common/progress.h"
#include "traces/file/trace.h"

/* What was asked for; all that is given must hold. */
typedef struct vef_slice_options {
    bool by_time;
    uint64_t from_ns, to_ns; /* [from, to), each task's time */
    const char *region; /* NULL: any. Entries are counted from 1 in each task, over its threads;
                           an entry inside an entry of the same name is part of it */
    uint64_t first_entry, last_entry;
    const char *between; /* a call, with or without "MPI_", or what a Mark is called; NULL: any.
                            From the first to the last with both, counted from 1 in each task; a run
                            of polls is one */
    uint64_t first_call, last_call;
    const bool *chosen; /* per task; NULL: all */
    bool drop_outside;
    const char *note; /* added to the `options` of the result's header; or NULL */
} vef_slice_options;

typedef struct vef_slice_result {
    uint64_t events;             /* of the slice, without those below */
    uint64_t from_outside;       /* independent messages */
    uint64_t unmatched_receives; /* that complete at once */
    uint64_t unmatched_sends;    /* that nobody receives */
    uint64_t collectives;        /* calls left out, with making communicators and fences */
    uint64_t one_sided;          /* operations and synchronisation of windows left out */
    uint64_t requests;           /* dropped from completions, calls that name them left out */
    uint64_t counted; /* calls of the run that the trace counts without an event; the slice does
                         not, unless it has all events of all tasks */
} vef_slice_result;

/* Writes the slice as the trace `path`. An empty one is VEF_INVALID, with what there would be. */
vef_code vef_slice(vef_trace *trace, const vef_slice_options *options, const char *path,
                   vef_progress *progress, vef_slice_result *result, vef_error *error);

#endif
