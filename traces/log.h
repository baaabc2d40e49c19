/* Writing the log of one task while it runs: what capture calls once per MPI call.
 *
 * A log is a header, then blocks that stand each for itself (checksummed, with a restart of every
 * coder state), so that it reads up to the last whole block wherever it is cut. vef_lane_event only
 * encodes into a buffer, one for each thread; when that is full the block goes out with one
 * write(2). Nothing here allocates after vef_log_open, but for the buffer of a further thread. */
#ifndef VEF_TRACES_LOG_H
#define VEF_TRACES_LOG_H

#include "common/status.h"
#include "traces/event.h"

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

/* Creates `path` (which must not exist). */
vef_code vef_log_open(const char *path, const vef_log_header *header, vef_log **log,
                      vef_error *error);

/* The buffer of one of the task's threads: events of a thread keep their order, and the log keeps
 * them apart from those of others. The first thread's is 0. Allocates; owned by the log. Only that
 * thread appends to it, but any may flush it: without vef_log_threaded that must not be at once. */
typedef struct vef_lane vef_lane;
vef_code vef_log_lane(vef_log *log, uint32_t thread, vef_lane **lane, vef_error *error);

/* Appends one event (log form, see event.h). On a failed write (disk full) the log stops growing,
 * stays readable up to its last whole block, and the first failure is returned from then on. */
vef_code vef_lane_event(vef_lane *lane, const vef_event *event, vef_error *error);
/* The same to the buffer of the event's thread, which is made when it is new. */
vef_code vef_log_event(vef_log *log, const vef_event *event, vef_error *error);

/* Appends a communicator of this task (members as world tasks, parent in this task's numbering);
 * its number is the count of those before it. The world must be the first, self the second. */
vef_code vef_log_communicator(vef_log *log, const vef_communicator *communicator, vef_error *error);

/* Adds to the count of a call that the log does not hold (VEF_KIND_COUNTED or a recorded call in a
 * form that cannot be held), and to the wall time inside it; written with the next block. */
void vef_log_count(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns);

/* Writes what is buffered, of all threads, as blocks. */
vef_code vef_log_flush(vef_log *log, vef_error *error);

/* How a log ends: told by the last record, absent when the task was killed. */
typedef enum vef_log_end {
    VEF_LOG_CUT,       /* no end record: the task was killed */
    VEF_LOG_FINALIZED, /* MPI_Finalize was reached */
    VEF_LOG_ABORTED,   /* MPI_Abort was called by this task */
    VEF_LOG_EXITED,    /* the process ended without MPI_Finalize */
} vef_log_end;

/* Flushes, writes the end record and closes. Frees the log even when it fails. */
vef_code vef_log_close(vef_log *log, vef_log_end end, vef_error *error);

#endif
