/* Statistics of a trace from one pass over its events, as MPI profilers report them (mpiP: Vetter
 * and McCracken, "Statistical scalability analysis of communication operations in distributed
 * applications", PPoPP 2001; IPM: Skinner, "Performance monitoring of parallel scientific
 * applications", LBNL/PUB-5503, 2005).
 *
 * The run of a task is, as in mpiP, the time between the end of MPI_Init and the beginning of
 * MPI_Finalize: time inside these and before MPI_Init counts only for the call itself.
 *
 * Sums saturate at UINT64_MAX and then set `saturated`.
 *
 * Memory: per task, per pair of tasks that exchange messages, per communicator, per region and per
 * call, and a task's outstanding requests; nothing per event. */
#ifndef VEF_TRACES_STATS_STATS_H
#define VEF_TRACES_STATS_STATS_H

#include "common/progress.h"
#include "traces/file/trace.h"
#include "traces/file/traffic.h"

enum { VEF_SIZE_CLASSES = 65 }; /* sizes: 0, then [2^(i-1), 2^i) bytes */

/* a + b, or UINT64_MAX if smaller. */
static inline uint64_t vef_saturating_sum(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

typedef struct vef_call_stats {
    uint64_t calls; /* a run of polls counts each poll */
    uint64_t bytes; /* sent by the call, or received if it only receives; collectives: as FORMAT.md
                       defines, vectors summed over those sent; one-sided: both directions */
    uint64_t duration_ns; /* inside the call, over all tasks */
    uint64_t longest_ns;  /* the longest call; for a run of polls their mean */
    uint32_t tasks;       /* that make the call */
} vef_call_stats;

/* The calls of one kind from one place in the program. */
typedef struct vef_site_stats {
    uint32_t site; /* 0: not known */
    uint16_t call;
    vef_call_stats sums;
    uint64_t sent_bytes; /* of sums.bytes, without calls that only receive */
    double squares;      /* of the time of each task, ns^2 */
    uint64_t task_ns;    /* of the current task; then 0 */
    uint32_t last_task;  /* 1 + the last task that made the call */
} vef_site_stats;

typedef struct vef_task_stats {
    uint64_t calls, collective_calls; /* of MPI: without marks of the program */
    uint64_t messages, message_bytes; /* sent point to point */
    uint64_t received, received_bytes;
    uint64_t one_sided, one_sided_bytes;     /* by this task, bytes in both directions */
    uint64_t compute_ns, mpi_ns, outside_ns; /* sums of gaps, durations, and time outside */
    uint64_t run_ns;                         /* sum of the three, of the thread with most */
    uint32_t sends_to, receives_from;        /* distinct other tasks */
    uint32_t partners; /* distinct partners: either of these, or targets of one-sided operations */
} vef_task_stats;

/* Time by kind. */
typedef struct vef_kind_stats {
    uint64_t calls, duration_ns;
} vef_kind_stats;

typedef struct vef_size_stats {
    uint64_t count[VEF_SIZE_CLASSES], bytes[VEF_SIZE_CLASSES];
    uint64_t counted; /* over all classes */
} vef_size_stats;

typedef struct vef_comm_stats {
    uint64_t messages, message_bytes;       /* sent point to point */
    uint64_t collectives, collective_bytes; /* calls of all members; bytes as in vef_call_stats */
    uint64_t collective_ns;
    uint64_t one_sided, one_sided_bytes, sync_calls; /* of windows */
} vef_comm_stats;

/* A region of the program, or a mark. Times are inclusive: from begin to end, including regions
 * inside it; a region inside itself counts once. */
typedef struct vef_region_stats {
    char *name;
    uint64_t entries, marks;
    uint64_t compute_ns, mpi_ns, outside_ns;
    uint64_t messages, message_bytes;
    uint64_t most_task_ns; /* of the task with the longest time in it */
    uint32_t tasks;        /* that enter it */
} vef_region_stats;

/* One long call. */
typedef struct vef_wait {
    uint64_t duration_ns,
        since_start_ns; /* computation, time in MPI and outside before it, of its thread */
    uint64_t event;     /* number in the task, over its threads as entered */
    uint32_t task, thread;
    uint16_t call;
    int32_t peer;    /* VEF_NO_TASK: none or several */
    uint32_t waited; /* requests that it completed, or its operations */
    uint32_t comm;   /* collectives; else VEF_NO_COMM */
    uint32_t site;   /* 0: not known */
} vef_wait;

typedef struct vef_stats {
    uint64_t events, calls;
    uint64_t messages, message_bytes; /* point-to-point sends that transfer something */
    uint64_t one_sided, one_sided_bytes;
    uint64_t compute_ns, mpi_ns, outside_ns;
    uint64_t startup_ns; /* in Init, Finalize and similar: not in mpi_ns */
    uint64_t receives, any_source, any_tag,
        wildcards;                 /* receives in all, with any source, with any tag, with either */
    uint64_t unmatched, cancelled; /* operations */
    uint64_t unpaired_regions;     /* ends without a begin, begins without an end */
    uint32_t threads;              /* over all tasks */
    bool saturated; /* some sum would be beyond UINT64_MAX (584 years of ns) and is UINT64_MAX */
    uint64_t most_compute_ns; /* of one thread */
    uint64_t run_ns;          /* compute, MPI and outside of the thread with most */
    vef_call_stats *call;     /* per call number */
    vef_site_stats *sites;    /* in the order of their first appearance; none in a trace without */
    size_t site_count;
    vef_kind_stats kind[VEF_KIND_COUNTED + 1];
    vef_task_stats *task;
    vef_comm_stats *comm; /* per communicator */
    vef_size_stats message_sizes, collective_sizes, one_sided_sizes;
    vef_traffic_matrix traffic;
    vef_traffic_matrix put,
        got; /* one-sided, by origin and target: bytes to the target, and from it */
    vef_region_stats *regions; /* in the order of their first appearance */
    size_t region_count;
    vef_wait *waits; /* the longest first */
    size_t wait_count;
} vef_stats;

/* Reads the whole trace; keeps its `waits` longest calls among those that wait for others: not
 * Init, Finalize and other local ones, and no polls. `progress` may be NULL. On failure the caller
 * has nothing to free. */
vef_code vef_stats_read(vef_trace *trace, size_t waits, vef_progress *progress, vef_stats *stats,
                        vef_error *error);
void vef_stats_free(vef_stats *stats);

/* Efficiencies as defined by the POP Centre of Excellence ("POP standard metrics for parallel
 * performance analysis"; Wagner, Mohr, Giménez and Labarta, "A structured approach to performance
 * analysis", Tools for High Performance Computing 2017), from the useful computation of each
 * process (here: thread that calls MPI) and the run's time:
 *
 *   load balance              mean computation / greatest computation
 *   communication efficiency  greatest computation / run time
 *   parallel efficiency       their product: mean computation / run time
 *
 * Time outside (MPI-IO and the like) is run time, not computation. NAN where a divisor is 0. */
typedef struct vef_efficiency {
    double load_balance, communication, parallel;
} vef_efficiency;
vef_efficiency vef_stats_efficiency(const vef_stats *stats);

/* Whether a call begins or ends MPI: its time is not part of the run, nor is the time before one
 * that begins MPI. */
bool vef_stats_is_startup(uint16_t call);

#endif
