/* Finding the logs of tasks, in folders or given one by one, and grouping them by run (job). */
#ifndef VEF_TRACES_LOG_GATHER_H
#define VEF_TRACES_LOG_GATHER_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A task that still writes its log, or may do so. */
typedef struct vef_log_holder {
    uint32_t task;
    bool uncertain; /* its file system has no locks, and it runs on another host */
    int64_t process;
    const char *host;
} vef_log_holder;

/* The logs of one run: of the tasks of one MPI_COMM_WORLD. */
typedef struct vef_job {
    const char *name; /* from the logs' headers; "" if absent */
    const char *program;
    uint64_t started_ns; /* of its first task: wall clock since the epoch */
    bool spawned;        /* created by MPI_Comm_spawn of another job */
    uint32_t tasks, found;
    const char **log;        /* per task: the path of its log, or NULL */
    vef_log_holder *holders; /* in the order of tasks; a job with holders must not be merged */
    uint32_t holder_count;
} vef_job;

typedef struct vef_gathering {
    vef_arena arena;
    vef_job *jobs; /* jobs that were not spawned first, then by started_ns */
    size_t count, capacity;
    uint32_t empty;     /* logs that are cut inside their header, so that their job is unknown */
    uint32_t beginning; /* of these, logs in use: their tasks have just begun */
    uint32_t doubles;   /* logs left out since others have all of their content */
    const char *last_double; /* an example */
} vef_gathering;             /* zero-initialised is empty */

/* Looks for logs in `places`: a folder represents the files *.vlog in it and in its folders; other
 * paths must be logs. Leaves out a log that is a prefix of another of the same task (a copy,
 * perhaps made while the task ran). VEF_INVALID if two logs of a task differ, if logs of a job
 * disagree about the number of its tasks, or if there is no log at all. */
vef_code vef_gather(const char *const *places, size_t count, vef_gathering *gathering,
                    vef_error *error);

/* Lists the tasks that still write their logs, with their processes: "task 0 (process 4711 on
 * node1), …". Returns `text`, truncated to `bytes`. */
char *vef_job_holders(const vef_job *job, char *text, size_t bytes);

void vef_gathering_free(vef_gathering *gathering);

/* The job of that name, or the only one with that name before a dot and the launcher's suffix; the
 * only job if `name` is NULL. VEF_INVALID lists all jobs. */
vef_code vef_gathering_job(const vef_gathering *gathering, const char *name, const vef_job **job,
                           vef_error *error);

#endif
