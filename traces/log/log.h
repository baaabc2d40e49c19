/* Writing the log of one task while it runs: what capture calls once per MPI call.
 *
 * A log is a header, then blocks that stand each for itself (checksummed, with a restart of every
 * coder state), so that it reads up to the last whole block wherever it is cut. vef_lane_event only
 * encodes into a buffer, one for each thread of the task; when that is full the block goes out with
 * one write(2). Nothing here allocates after vef_log_open, but for the buffer of a further thread
 * and for events longer than a block.
 *
 * Who may call what at the same time. Without vef_log_threaded: one thread at a time, and
 * vef_log_try_flush from a signal handler that interrupts it. With it: every function but
 * vef_log_open and vef_log_close from any thread, and vef_log_try_flush from any signal handler; a
 * lane is appended to by its own thread alone. No lock is held while the caller's code runs, and
 * the order in which they are taken is fixed, so nothing here can deadlock. */
#ifndef VEF_TRACES_LOG_LOG_H
#define VEF_TRACES_LOG_LOG_H

#include "common/status.h"
#include "traces/event.h"
#include "traces/format/measured.h"
#include "traces/format/under_way.h"

typedef struct vef_log vef_log;

/* What is known when the log opens. Strings are copied. */
typedef struct vef_log_header {
    uint32_t task, tasks; /* this world rank, and how many there are */
    const char *program;  /* argv[0] of the task, or its executable */
    const char *library;  /* MPI_Get_library_version, first line */
    const char *clock;    /* "wall" or "cpu": what gap_ns is measured with */
    const char *host;
    uint64_t started_ns; /* wall clock since the epoch */
    const char *options; /* capture options that shaped the log, for people */
    const char *job;   /* which run it is of: the same for all its tasks, for no other run; or "" */
    const char *times; /* "all"; or "compute": gaps alone, in steps of 100 ns */
    bool spawned; /* its world was made by MPI_Comm_spawn of another, whose job has another name */
} vef_log_header;

/* Creates `path` (which must not exist) and locks it until vef_log_close or the end of the process
 * (lock.h). */
vef_code vef_log_open(const char *path, const vef_log_header *header, vef_log **log,
                      vef_error *error);

/* Whether threads use the log at the same time from now on; then each event takes a lock that is
 * its lane's own (some 5 ns). To be called while only one thread uses the log. */
void vef_log_threaded(vef_log *log, bool threaded);

/* The most that the file may grow to (0: as far as it will). `ring` false: the log stops while
 * there is room left for what its threads have in their buffers, its end says so
 * (vef_log_facts.stopped), and appending goes on without effect. True: the oldest blocks of events
 * are dropped instead, half of them at a time, and the file is renewed beside itself (its name and
 * a `~`) and renamed, so that it is whole at every moment; that takes the time of copying half of
 * `bytes`. Communicators and counts always stay. A limit below VEF_LOG_LEAST_BYTES is refused. To
 * be called while only one thread uses the log. */
enum { VEF_LOG_LEAST_BYTES = 1 << 20 };
vef_code vef_log_limit(vef_log *log, uint64_t bytes, bool ring, vef_error *error);
/* Whether it has stopped growing at its limit. */
bool vef_log_stopped(const vef_log *log);

/* From now on, what is buffered lies in files beside the log until it is written (shared_buffer.h),
 * so that it outlasts a task that is killed; they are removed when the log is closed, unless not
 * all could be written. Where such files cannot be, buffers stay as they were. To be called before
 * events come. */
void vef_log_survive(vef_log *log);

/* The buffer of one of the task's threads: events of a thread keep their order, and the log keeps
 * them apart from those of others. The first thread's is 0; numbers are below VEF_THREAD_LIMIT. The
 * same number gives the same lane. Allocates when it is new; owned by the log. */
enum { VEF_THREAD_LIMIT = 1 << 16 };
typedef struct vef_lane vef_lane;
vef_code vef_log_lane(vef_log *log, uint32_t thread, vef_lane **lane, vef_error *error);

/* Where the lane's thread may say in which call it is; NULL where it has no buffer that survives
 * (vef_log_survive). */
vef_slot *vef_lane_slot(vef_lane *lane);

/* Appends one event (log form, see event.h) of the lane's thread. On a failed write (disk full) the
 * log stops growing, stays readable up to its last whole block, and the first failure is returned
 * from then on. */
vef_code vef_lane_event(vef_lane *lane, const vef_event *event, vef_error *error);
/* The same to the lane of event->thread, which is made when it is new. */
vef_code vef_log_event(vef_log *log, const vef_event *event, vef_error *error);

/* Appends a communicator of this task (members as world tasks, parent in this task's numbering);
 * its number is the count of those before it. The world must be the first, self the second. */
vef_code vef_log_communicator(vef_log *log, const vef_communicator *communicator, vef_error *error);

/* Adds to the count of a call that the log does not hold (VEF_KIND_COUNTED or a recorded call in a
 * form that cannot be held), and to the wall time inside it; written with the next block. */
void vef_log_count(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns);

/* Adds to the count of a call that was left out by choice, and to the time inside it. */
void vef_log_left_out(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns);

/* How the task's times were measured so far; written with the next flush, if the log has grown
 * since the last time, and when it is closed. */
void vef_log_measured(vef_log *log, const vef_measured *measured);

/* Writes what is buffered, of all threads, as blocks. Waits for threads that are appending. */
vef_code vef_log_flush(vef_log *log, vef_error *error);

/* The same without waiting: leaves out a lane that its thread is appending to just now, and all of
 * it while another block is being written. True when nothing was left out and no write failed (a
 * failure is told by the next vef_lane_event). Safe in a signal handler, whatever it interrupted;
 * keeps errno. */
bool vef_log_try_flush(vef_log *log);

/* How a log ends: told by the last record, absent when the task was killed. */
typedef enum vef_log_end {
    VEF_LOG_CUT,       /* no end record: the task was killed */
    VEF_LOG_FINALIZED, /* MPI_Finalize was reached */
    VEF_LOG_ABORTED,   /* MPI_Abort was called by this task */
    VEF_LOG_EXITED,    /* the process ended without MPI_Finalize */
    VEF_LOG_FULL,      /* the log reached its limit of bytes: what came after is not in it. Of a
                          trace's tasks; a log's reader tells it apart, by `stopped` */
    VEF_LOG_ENDS,      /* how many there are */
} vef_log_end;

/* Whether the task went on after the last event that there is. */
static inline bool vef_log_end_cuts(vef_log_end end) {
    return end == VEF_LOG_CUT || end == VEF_LOG_FULL;
}

/* Flushes, writes the end record and closes. Frees the log even when it fails. */
vef_code vef_log_close(vef_log *log, vef_log_end end, vef_error *error);

#endif
