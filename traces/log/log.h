/* Writing the log of one task while it runs: capture calls this once per MPI call.
 *
 * A log is a header, then independent blocks (each with a checksum and a reset of the coder), so
 * that a truncated log reads up to its last whole block. vef_lane_event only encodes into the
 * buffer of its thread; a full buffer is written as a block with one write(2). Nothing allocates
 * after vef_log_open, except the buffer of a further thread and events longer than a block.
 *
 * Concurrency. Without vef_log_threaded: one thread at a time. With it: every function but
 * vef_log_open and vef_log_close from any thread; only its own thread appends to a lane. No lock is
 * held while the caller's code runs, and locks have a fixed order, so there is no deadlock. Signal
 * handlers must not use a log: vef_log_survive makes that unnecessary.
 *
 * The process belongs to a program. The descriptor of the file has a high number
 * (common/system/descriptor.h); if the program closes it, or opens another file in its place, the
 * log opens its file again, by its absolute path. vef_lane_event preserves errno. */
#ifndef VEF_TRACES_LOG_LOG_H
#define VEF_TRACES_LOG_LOG_H

#include "common/status.h"
#include "traces/event.h"
#include "traces/format/measured.h"
#include "traces/format/site.h"
#include "traces/format/under_way.h"

typedef struct vef_log vef_log;

/* Facts known when the log opens. Strings are copied. */
typedef struct vef_log_header {
    uint32_t task, tasks; /* world rank of this task, and the number of tasks */
    const char *program;  /* argv[0] of the task, or its executable */
    const char *library;  /* MPI_Get_library_version, first line */
    const char *clock;    /* "wall" or "cpu": the clock of gap_ns */
    const char *host;
    uint64_t started_ns; /* wall clock since the epoch */
    const char *options; /* capture options, for readers */
    const char *
        job; /* identifies the run: equal for all its tasks, different for every other run; or "" */
    const char *times; /* "all"; or "compute": gaps alone, in steps of 100 ns */
    bool spawned;      /* MPI_Comm_spawn of another job, named differently, created its world */
    bool sites;        /* events have call sites */
} vef_log_header;

/* Creates `path` (which must not exist) and locks it until vef_log_close or the end of the process
 * (lock.h). */
vef_code vef_log_open(const char *path, const vef_log_header *header, vef_log **log,
                      vef_error *error);

/* Whether threads use the log concurrently from now on; then each event takes a lock of its lane
 * (some 5 ns). Call while only one thread uses the log. */
void vef_log_threaded(vef_log *log, bool threaded);

/* Limits the size of the file (0: unlimited). `ring` false: the log stops while there is room for
 * the buffers of its threads, its end record says so (vef_log_facts.stopped), and further events
 * are discarded. True: the older half of the blocks of events is dropped instead; the file is
 * rewritten beside itself (its name and a `~`) and renamed, so that it is whole at every moment;
 * that takes the time of copying half of `bytes`. Communicators and counts always stay. A limit
 * below VEF_LOG_LEAST_BYTES is refused. Call while only one thread uses the log. */
enum { VEF_LOG_LEAST_BYTES = 1 << 20 };
vef_code vef_log_limit(vef_log *log, uint64_t bytes, bool ring, vef_error *error);
/* Whether it stopped at its limit. */
bool vef_log_stopped(const vef_log *log);

/* From now on, buffers are files beside the log until they are written (shared_buffer.h), so that
 * they outlive a killed task; they are removed when the log is closed, unless writing failed. Where
 * such files cannot be created, buffers stay as they were. Call before the first event. */
void vef_log_survive(vef_log *log);

/* The buffer of one of the task's threads: the log preserves the order of each thread's events and
 * keeps threads apart. The first thread is 0; numbers are below VEF_THREAD_LIMIT. The same number
 * returns the same lane. Allocates a new one; owned by the log. */
enum { VEF_THREAD_LIMIT = 1 << 16 };
typedef struct vef_lane vef_lane;
vef_code vef_log_lane(vef_log *log, uint32_t thread, vef_lane **lane, vef_error *error);

/* The slot in which the lane's thread publishes its current call; NULL without a surviving buffer
 * (vef_log_survive). */
vef_slot *vef_lane_slot(vef_lane *lane);

/* Appends one event (log form, see event.h) of the lane's thread. After a failed write (disk full)
 * the log stops growing, stays readable up to its last whole block, and every call returns the
 * first failure. */
vef_code vef_lane_event(vef_lane *lane, const vef_event *event, vef_error *error);
/* The same for the lane of event->thread, created if new. */
vef_code vef_log_event(vef_log *log, const vef_event *event, vef_error *error);

/* Appends a communicator of this task (members as world tasks, parent in this task's numbering);
 * communicators are numbered in this order. The world must be the first, self the second. */
vef_code vef_log_communicator(vef_log *log, const vef_communicator *communicator, vef_error *error);

/* Appends call sites of this task, before the events that have them; sites are numbered from 1 in
 * this order. Only for a log whose header says that it has sites. */
vef_code vef_log_sites(vef_log *log, const vef_site *sites, size_t count, vef_error *error);

/* Adds to the count of a call that the log does not store (VEF_KIND_COUNTED or a recorded call in
 * an unsupported form), and to the wall time inside it; written with the next block. */
void vef_log_count(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns);

/* Adds to the count of a call that was left out by choice, and to the time inside it. */
void vef_log_left_out(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns);

/* Sets how the task's times were measured so far; written with the next flush, if the log has grown
 * since the last time, and on closing. */
void vef_log_measured(vef_log *log, const vef_measured *measured);

/* Writes the buffers of all threads as blocks. Waits for threads that are appending. */
vef_code vef_log_flush(vef_log *log, vef_error *error);

/* Closes the descriptor in a forked child, which must not use the log otherwise. */
void vef_log_leave(const vef_log *log);

/* How a log ended: stored in the last record, absent if the task was killed. */
typedef enum vef_log_end {
    VEF_LOG_CUT,       /* no end record: the task was killed */
    VEF_LOG_FINALIZED, /* MPI_Finalize was reached */
    VEF_LOG_ABORTED,   /* MPI_Abort was called by this task */
    VEF_LOG_EXITED,    /* the process ended without MPI_Finalize */
    VEF_LOG_FULL, /* the log reached its size limit and lacks later events. For a trace's tasks; a
                     log's reader distinguishes it by `stopped` */
    VEF_LOG_ENDS, /* number of values */
} vef_log_end;

/* Whether the task continued after its last recorded event. */
static inline bool vef_log_end_cuts(vef_log_end end) {
    return end == VEF_LOG_CUT || end == VEF_LOG_FULL;
}

/* Flushes, writes the end record and closes. Frees the log even on failure. */
vef_code vef_log_close(vef_log *log, vef_log_end end, vef_error *error);

#endif
