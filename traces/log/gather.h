/* Finding the logs that tasks left: in folders, or named one by one; and telling apart the runs
 * (jobs) that they are of. */
#ifndef VEF_TRACES_LOG_GATHER_H
#define VEF_TRACES_LOG_GATHER_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A task that writes its log still, or may do so. */
typedef struct vef_log_holder {
    uint32_t task;
    bool uncertain; /* its file system has no locks, and its host is another one */
    int64_t process;
    const char *host;
} vef_log_holder;

/* The logs of one run: of the tasks of one MPI_COMM_WORLD. */
typedef struct vef_job {
    const char *name; /* as the logs' headers have it; "" where they have none */
    const char *program;
    uint64_t started_ns; /* of its first task: wall clock since the epoch */
    bool spawned;        /* by MPI_Comm_spawn of another */
    uint32_t tasks, found;
    const char **log;        /* per task: the path of its log, NULL where there is none */
    vef_log_holder *holders; /* in the order of tasks; a job that has any is not to be merged */
    uint32_t holder_count;
} vef_job;

typedef struct vef_gathering {
    vef_arena arena;
    vef_job *jobs; /* those not spawned first, then by started_ns */
    size_t count, capacity;
    uint32_t empty;          /* logs that are cut inside their header: they do not even say whose */
    uint32_t beginning;      /* of these, logs in use: their tasks have just begun */
    uint32_t doubles;        /* logs left out since others hold all that they do */
    const char *last_double; /* one of them */
} vef_gathering;             /* zero-initialised is empty */

/* Looks for logs in `places`: a folder stands for the files *.vlog in it and in the folders in it;
 * anything else has to be a log. A log whose bytes are the beginning of another's of the same task
 * is left out (a copy, perhaps made while the task ran). VEF_INVALID where two logs of one task
 * hold different things, where logs of one job disagree about the number of its tasks, or where
 * there is no log at all. */
vef_code vef_gather(const char *const *places, size_t count, vef_gathering *gathering,
                    vef_error *error);

/* Names the tasks that write their logs still, with their processes: "task 0 (process 4711 on
 * node1), …". Returns `text`, cut to `bytes`. */
char *vef_job_holders(const vef_job *job, char *text, size_t bytes);

void vef_gathering_free(vef_gathering *gathering);

/* The job of that name, or the only one whose name is that, a dot and what its launcher told; with
 * `name` NULL the only one. VEF_INVALID names all that there are. */
vef_code vef_gathering_job(const vef_gathering *gathering, const char *name, const vef_job **job,
                           vef_error *error);

#endif
